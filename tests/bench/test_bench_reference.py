"""What judges networks where ONNX Runtime is missing: it must agree with ONNX Runtime."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from tvm_directconv.bench.problems import NetworkProblem
from tvm_directconv.bench.reference import reference_outputs
from tvm_directconv.errors import BenchmarkError

onnxruntime = pytest.importorskip("onnxruntime")


def network(operator: str, opset: int, constants: int = 0, **attributes: Any) -> onnx.ModelProto:
    """One operator on float32 2x6x3x1, with so many positive constants of one value per channel."""
    generator = np.random.default_rng(0)
    names = [f"c{number}" for number in range(constants)]
    values = [
        numpy_helper.from_array(generator.uniform(0.5, 2, 6).astype(np.float32), name) for name in names
    ]
    node = helper.make_node(operator, ["x", *names], ["y"], **attributes)
    graph = helper.make_graph(
        [node],
        operator,
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 6, 3, 1])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        values,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


FLATTENING = [
    (name, opset, attributes)
    for name in ("Softmax", "LogSoftmax", "Hardmax")
    for opset, attributes in [(9, {}), (11, {"axis": 2}), (11, {"axis": -1}), (9, {"axis": 0}), (13, {})]
]


@pytest.mark.parametrize(
    ("operator", "opset", "attributes", "constants"),
    [
        *((*case, 0) for case in FLATTENING),
        ("BatchNormalization", 7, {"epsilon": 0.01}, 4),
        ("BatchNormalization", 9, {}, 4),
        ("BatchNormalization", 9, {"momentum": 0.5}, 4),
        ("BatchNormalization", 15, {}, 4),
        ("LRN", 9, {"size": 5, "alpha": 0.5, "beta": 0.7, "bias": 2.0}, 0),
        ("LRN", 13, {"size": 9, "alpha": 0.5}, 0),
    ],
)
def test_agrees_with_onnxruntime(
    operator: str, opset: int, attributes: dict[str, Any], constants: int
) -> None:
    model = network(operator, opset, constants, **attributes)
    inputs = {"x": np.random.default_rng(1).standard_normal((2, 6, 3, 1)).astype(np.float32)}
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    (expected,) = session.run(None, inputs)
    (found,) = reference_outputs(model, inputs)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.fixture
def without_onnxruntime(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)


@pytest.mark.usefixtures("without_onnxruntime")
def test_problems_are_judged_without_onnxruntime() -> None:
    x = np.zeros((2, 6, 3, 1), np.float32)
    (reference,) = NetworkProblem("softmax", network("Softmax", 9), {"x": x}).references
    np.testing.assert_allclose(reference, np.full_like(x, 1 / 18), rtol=1e-6)


@pytest.mark.usefixtures("without_onnxruntime")
def test_what_cannot_be_computed_is_said() -> None:
    model = network("Relu", 13)
    model.graph.node[0].domain = "com.example"
    model.opset_import.append(helper.make_opsetid("com.example", 1))
    with pytest.raises(BenchmarkError, match="'Relu'.*pip install onnxruntime"):
        _ = NetworkProblem("relu", model, {"x": np.zeros((2, 6, 3, 1), np.float32)}).references
