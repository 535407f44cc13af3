"""Operators whose results onnx's shape inference has no type for, in the middle: ONNX Runtime's numbers."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from graph_support import draw, node
from onnx import ModelProto, TensorProto, helper, numpy_helper

import tvm_directconv as directconv
from relay_strategies.frontends.onnx.importer import import_onnx

onnxruntime = pytest.importorskip("onnxruntime")
SHAPE = (2, 6, 3, 5)
SCALES = {"g": draw(6, seed=1), "b": draw(6, seed=2)}


def made(
    nodes: list[onnx.NodeProto], constants: dict[str, np.ndarray], opset: int, kind: int = 1
) -> ModelProto:
    """A model of x, float32 ``SHAPE``, and of y, which it declares without a shape."""
    tensors = [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, SHAPE)
    graph = helper.make_graph(nodes, "g", [x], [helper.make_tensor_value_info("y", kind, None)], tensors)
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10 if opset > 20 else 8)


def check(model: ModelProto, tolerance: float = 1e-5) -> None:
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])
    x = draw(*SHAPE, seed=3)
    (want,) = session.run(None, {"x": x})
    (got,) = directconv.compile(model, cache=False).run([x])
    assert (got.shape, got.dtype) == (want.shape, want.dtype)
    np.testing.assert_allclose(got, want, tolerance, tolerance)


def norm(source: str, result: str) -> onnx.NodeProto:
    return node("GroupNormalization", f"{source} g b", result, num_groups=3)


def contrib(kind: str, inputs: str, result: str, **attributes: object) -> onnx.NodeProto:
    return helper.make_node(kind, inputs.split(), [result], domain="com.microsoft", **attributes)


RESHAPE = [
    node("Shape", "x", "s"),
    node("Gather", "s at", "n"),
    node("Unsqueeze", "n at0", "n1"),
    node("Concat", "n1 rest", "shape", axis=0),
    node("Reshape", "x shape", "r"),
]
"""Exporters write a Reshape so, by a shape that the graph computes."""
COMPUTED = {"at": np.int64(0), "at0": np.array([0]), "rest": np.array([6, 15])}
BYTES = {
    **{"su": np.float32(0.03), "sw": np.float32(0.01), "sv": np.float32(0.1), "z": np.int8(0)},
    "w": np.arange(-36, 36, dtype=np.int8).reshape(4, 6, 1, 3),
}


@pytest.mark.parametrize("opset", [21, 24])
@pytest.mark.parametrize("told", [False, True])
def test_group_normalization_with_something_behind_it(opset: int, told: bool) -> None:
    model = made([norm("x", "u"), node("Sigmoid", "u", "v"), norm("v", "y")], SCALES, opset)
    if told:
        model.graph.value_info.append(helper.make_tensor_value_info("u", TensorProto.FLOAT, SHAPE))
    check(model, 1e-4)


BEHIND: dict[str, tuple[list[onnx.NodeProto], dict[str, np.ndarray], int]] = {
    "a shape that is computed before": ([*RESHAPE, norm("r", "u"), node("Abs", "u", "y")], COMPUTED, 1),
    "an operator of ONNX Runtime's": ([norm("x", "u"), contrib("Gelu", "u", "y")], {}, 1),
    "one of ONNX Runtime's before": (
        [contrib("Gelu", "x", "u"), norm("u", "v"), node("Abs", "v", "y")],
        {},
        1,
    ),
    "a quantized convolution": (
        [
            *(norm("x", "u"), node("QuantizeLinear", "u su z", "q"), node("DequantizeLinear", "q su z", "d")),
            *(node("DequantizeLinear", "w sw z", "wd"), node("Conv", "d wd", "v")),
            node("QuantizeLinear", "v sv z", "y"),
        ],
        *(BYTES, TensorProto.INT8),
    ),
}


@pytest.mark.parametrize("case", BEHIND)
def test_group_normalization_in_the_middle(case: str) -> None:
    nodes, constants, kind = BEHIND[case]
    check(made(nodes, {**SCALES, **constants}, 21, kind))


@pytest.mark.parametrize(
    "nodes",
    [
        [contrib("MultiHeadAttention", "r r r", "k", num_heads=3)],
        [
            contrib("MultiHeadAttention", "r r r", "a", num_heads=3),
            *(node("Shape", "a", "s_"), node("Gather", "s_ at", "n_"), node("Unsqueeze", "n_ at0", "n1_")),
            *(node("Concat", "n1_ rest", "shape_", axis=0), node("Reshape", "a shape_", "r_")),
            contrib("MultiHeadAttention", "r_ r_ r_", "k", num_heads=3),
        ],
    ],
    ids=["one", "two"],
)
def test_operators_of_onnx_runtimes_behind_shapes_that_are_computed(nodes: list[onnx.NodeProto]) -> None:
    check(made([*RESHAPE, *nodes, node("Abs", "k", "y")], COMPUTED, 17))


@pytest.mark.parametrize("axis", [0, 1, -2])
@pytest.mark.parametrize(
    ("kind", "opset"),
    [("LayerNormalization", 9), ("LayerNormalization", 16), ("SimplifiedLayerNormalization", 18)],
)
def test_layers_normalized_over_several_axes_before_the_standard_had_it(
    kind: str, opset: int, axis: int
) -> None:
    operands = {"g": draw(*SHAPE[axis:], seed=4), "b": draw(*SHAPE[axis:], seed=5)}
    inputs = "x g b" if kind.startswith("L") else "x g"
    check(made([node(kind, inputs, "u", axis=axis), node("Abs", "u", "y")], operands, opset))


def test_the_first_version_of_compress_tells_its_element_type() -> None:
    nodes = [node("Compress", "x keep", "u", axis=1), node("Abs", "u", "y")]
    model = made(nodes, {"keep": np.array([True, False, True, True, False, True])}, 9)
    try:
        import_onnx(model)
    except directconv.ModelError as error:
        assert "expected to have type" not in str(error)
