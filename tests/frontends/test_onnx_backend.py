"""ONNX's own backend tests: every convolution, plain or transposed, and every quantized operator in 8 or 16
bits passes, others are refused by name. All other operators: ``test_onnx_node_tests.py``."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from graph_cases import CASES, IMAGE
from graph_support import draw
from onnx import ModelProto, TensorProto, helper, numpy_helper
from onnx.backend.test.case.test_case import TestCase as OnnxCase
from onnx.backend.test.loader import load_model_tests
from onnx_node_cases import node_cases

import tvm_directconv as directconv
from relay_strategies import onnx_backend
from tvm_directconv.algorithms import ALGORITHMS
from tvm_directconv.errors import AlgorithmError, InputError, ModelError, UnsupportedOperatorError

KINDS = ("pytorch-converted", "pytorch-operator")
CONVOLUTIONS = ("Conv", "ConvTranspose", "ConvInteger", "QLinearConv")
QUANTIZED = (
    *("QLinearConv", "ConvInteger", "QLinearMatMul", "MatMulInteger"),
    *("QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear"),
)
WIDE_TYPES = ("UINT8", "INT8", "UINT16", "INT16", "INT32", "FLOAT", "FLOAT16")
"""Those that a supported (de)quantization has to do with."""
LEAST_CONVOLUTIONS = 17
"""2-D convolutions in the test sets of onnx 1.16, the oldest supported; guards against an empty loop."""


@lru_cache(maxsize=1)
def all_tests() -> list[OnnxCase]:
    return [*node_cases().values(), *(case for kind in KINDS for case in load_model_tests(kind=kind))]


@lru_cache(maxsize=1)
def convolution_tests() -> dict[str, OnnxCase]:
    """All tests of the three sets with a convolution of any kind in their graph."""
    return {case.name: case for case in all_tests() if _convolutions(_model(case))}


@lru_cache(maxsize=1)
def quantized_tests() -> dict[str, OnnxCase]:
    """All tests of the three sets with a quantized operator in their graph."""
    return {
        case.name: case
        for case in all_tests()
        if any(n.op_type in QUANTIZED for n in _model(case).graph.node)
    }


def _is_supported(model: ModelProto) -> bool:
    """Whether no tensor of a quantized operator is narrower than 8 bits or a small float."""
    kinds = {v.type.tensor_type.elem_type for v in (*model.graph.input, *model.graph.output)}
    return all(TensorProto.DataType.Name(kind) in WIDE_TYPES for kind in kinds)


def _model(case: OnnxCase) -> ModelProto:
    return case.model if case.model is not None else onnx.load(Path(case.model_dir) / "model.onnx")


def _convolutions(model: ModelProto) -> list[onnx.NodeProto]:
    return [n for n in model.graph.node if n.op_type in CONVOLUTIONS]


def _is_conv2d(model: ModelProto) -> bool:
    """Whether the model's convolutions are all plain, and over inputs of two spatial dimensions."""
    ranks = {v.name: len(v.type.tensor_type.shape.dim) for v in model.graph.input}
    return all(n.op_type == "Conv" and ranks.get(n.input[1]) == 4 for n in _convolutions(model))


def _is_lowered(model: ModelProto) -> bool:
    """Whether the model's convolutions are of those that become plain ones."""
    return all(n.op_type in ("Conv", "ConvTranspose") for n in _convolutions(model))


def _data_sets(case: OnnxCase) -> Iterator[tuple[list[Any], list[Any]]]:
    if case.data_sets is not None:
        yield from case.data_sets
        return
    for folder in sorted(Path(case.model_dir).glob("test_data_set_*")):
        yield tuple(  # type: ignore[misc]
            [_tensor(folder / f"{kind}_{i}.pb") for i in range(len(list(folder.glob(f"{kind}_*.pb"))))]
            for kind in ("input", "output")
        )


def _tensor(path: Path) -> np.ndarray:
    return numpy_helper.to_array(TensorProto.FromString(path.read_bytes()))


CONV2D = sorted(name for name, case in convolution_tests().items() if _is_conv2d(_model(case)))
BYTES = sorted(name for name, case in quantized_tests().items() if _is_supported(_model(case)))
LOWERED = sorted(
    name
    for name, case in convolution_tests().items()
    if name not in CONV2D and name not in BYTES and _is_lowered(_model(case))
)
NARROW = sorted(quantized_tests().keys() - set(BYTES))
OF_ALGORITHMS = [(name, each) for i, name in enumerate(CONV2D) for each in [*ALGORITHMS][i % 4 :: 4]]
"""Every fourth algorithm for each convolution, in turns."""


def test_the_sets_are_not_empty() -> None:
    assert len(CONV2D) >= LEAST_CONVOLUTIONS
    for name in ("test_basic_conv_with_padding", "test_conv_with_autopad_same", "test_Conv2d_dilated"):
        assert name in CONV2D
    for name in ("test_convtranspose", "test_Conv1d", "test_Conv3d", "test_convtranspose_3d"):
        assert name in LOWERED
    for name in ("test_qlinearconv", "test_convinteger_with_padding", "test_matmulinteger"):
        assert name in BYTES
    for name in ("test_quantizelinear_axis", "test_dequantizelinear_axis"):
        assert name in BYTES
    assert any(name.startswith("test_qlinearmatmul_3D_int8") for name in BYTES)
    assert "test_quantizelinear_e4m3fn" in NARROW


@pytest.mark.parametrize(
    ("name", "algorithm"),
    [
        *((name, "auto") for name in CONV2D),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in (*OF_ALGORITHMS, *((name, "auto") for name in LOWERED))
        ),
    ],
)
def test_convolutions_pass(name: str, algorithm: str) -> None:
    case = convolution_tests()[name]
    try:
        prepared = onnx_backend.prepare(_model(case), algorithm=algorithm)
    except AlgorithmError as error:
        assert algorithm not in ("auto", "direct_nhwc") and "does not apply" in str(error)
        of_some_kernels = ALGORITHMS[algorithm].amplifies
        assert of_some_kernels or "_g1_" not in str(error), "only grouped layers may be refused"
        return
    assert algorithm in ("auto", *(layer.algorithm for layer in prepared.model.report().layers))
    data_sets = list(_data_sets(case))
    assert data_sets
    for inputs, wanted in data_sets:
        for output, reference in zip(prepared.run(inputs), wanted, strict=True):
            np.testing.assert_allclose(output, reference, rtol=case.rtol, atol=max(case.atol, 1e-5))


@pytest.mark.parametrize("name", NARROW)
def test_other_quantizations_are_refused_by_name(name: str) -> None:
    model = _model(quantized_tests()[name])
    with pytest.raises(UnsupportedOperatorError, match="8 or 16 bits") as caught:
        onnx_backend.prepare(model)
    culprit = next(node for node in model.graph.node if node.op_type in QUANTIZED)
    assert f"'{culprit.name or culprit.output[0]}' ({culprit.op_type})" in str(caught.value)


def test_the_interface_is_onnxs() -> None:
    model = CASES["intermediate_result_returned"].model
    image = draw(*IMAGE["x"])
    outputs = onnx_backend.run_model(model, [image])
    assert isinstance(outputs, tuple) and outputs._fields == ("c", "y")
    assert np.array_equal(np.maximum(outputs.c, 0), outputs.y)
    assert onnx_backend.supports_device("CPU") and not onnx_backend.supports_device("CUDA")
    with pytest.raises(InputError, match="CUDA"):
        onnx_backend.prepare(model, "CUDA")
    with pytest.raises(InputError, match="int"):
        onnx_backend.prepare(model).run(3)


def reshaping() -> ModelProto:
    """A Reshape to what its second input says."""
    nodes = [helper.make_node("Reshape", ["x", "shape"], ["y"], "reshape")]
    inputs = {"x": (TensorProto.FLOAT, (2, 6)), "shape": (TensorProto.INT64, (2,))}
    values = [helper.make_tensor_value_info(name, *of) for name, of in inputs.items()]
    result = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["a", "b"])
    return helper.make_model(
        helper.make_graph(nodes, "reshaping", values, [result]), opset_imports=[helper.make_opsetid("", 17)]
    )


def test_inputs_that_have_to_be_constants_are_bound_when_they_come() -> None:
    image = np.arange(12, dtype=np.float32).reshape(2, 6)
    prepared = onnx_backend.prepare(reshaping())
    for shape in ((3, 4), (4, -1), (3, 4)):
        (result,) = prepared.run([image, np.array(shape, np.int64)])
        np.testing.assert_array_equal(result, image.reshape(shape))
    assert prepared.model.outputs[0].shape == (4, 3), "the values seen before are not compiled again"
    with pytest.raises(InputError, match="1 inputs given, 2 expected: x, shape"):
        prepared.run(image)
    with pytest.raises(InputError, match="missing input 'shape'"):
        prepared.run({"x": image})
    with pytest.raises(InputError, match="shape are constants of it"):
        _ = onnx_backend.prepare(reshaping()).model


def test_compile_wants_them_to_be_constants_and_says_which() -> None:
    with pytest.raises(ModelError, match="is known when the model runs, and code would depend on it"):
        directconv.compile(reshaping())
