"""ONNX's own backend tests: every convolution, plain or transposed, every quantized operator in 8 or 16 bits
and every operator with a converter of ours passes, others are refused by name."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from graph_cases import CASES, IMAGE
from graph_support import draw
from onnx import ModelProto, TensorProto, numpy_helper
from onnx.backend.test.case.test_case import TestCase as OnnxCase
from onnx.backend.test.loader import load_model_tests

from relay_strategies import onnx_backend
from relay_strategies.frontends.onnx.converters import CONVERTERS
from tvm_directconv.algorithms import ALGORITHMS
from tvm_directconv.errors import AlgorithmError, InputError, UnsupportedOperatorError

KINDS = ("node", "pytorch-converted", "pytorch-operator")
CONVOLUTIONS = ("Conv", "ConvTranspose", "ConvInteger", "QLinearConv", "DeformConv", "CausalConvWithState")
QUANTIZED = (
    *("QLinearConv", "ConvInteger", "QLinearMatMul", "MatMulInteger"),
    *("QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear"),
)
WIDE_TYPES = ("UINT8", "INT8", "UINT16", "INT16", "INT32", "FLOAT", "FLOAT16")
"""Those that a supported (de)quantization has to do with."""
MOST_FROZEN = 16
"""Operands of an operator after its first are constants up to this many numbers, as networks have them."""
NOT_SUPPORTED = (
    *("zero_size", "empty_set", "slice_start_out_of_bounds", "out_of_range_raises", "training_dropout"),
    *("nonmaxsuppression", "roialign_mode_max", "top_k_uint64", "bfloat16"),
    *("causal_conv_with_state_kernel_size_one_", "causal_conv_with_state_fp16", "state_silu_fp16"),
)
"""Parts of names: tensors without elements, and what is refused by name."""
LEAST_CONVOLUTIONS = 17
"""2-D convolutions in the test sets of onnx 1.16, the oldest supported; guards against an empty loop."""


@lru_cache(maxsize=1)
def all_tests() -> list[OnnxCase]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numpy's, about tests of other operators
        return [case for kind in KINDS for case in load_model_tests(kind=kind)]


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
    """Whether no tensor of a quantized operator is narrower than 8 bits, a small float, or in blocks."""
    kinds = {v.type.tensor_type.elem_type for v in (*model.graph.input, *model.graph.output)}
    blocks = any(a.name == "block_size" for n in model.graph.node for a in n.attribute)
    return not blocks and all(TensorProto.DataType.Name(kind) in WIDE_TYPES for kind in kinds)


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


@lru_cache(maxsize=1)
def operator_tests() -> dict[str, OnnxCase]:
    """The tests of single operators that have converters of ours."""
    found = {}
    for case in all_tests():
        nodes = _model(case).graph.node
        if len(nodes) == 1 and nodes[0].op_type in CONVERTERS and not nodes[0].domain:
            found[case.name] = case
    return {name: case for name, case in found.items() if not any(part in name for part in NOT_SUPPORTED)}


def _frozen(case: OnnxCase) -> tuple[ModelProto, list[Any], list[Any]]:
    """The test with operands such as axes, sizes and scales as initializers, and its first data set."""
    model = ModelProto.FromString(_model(case).SerializeToString())
    inputs, wanted = next(iter(_data_sets(case)))
    indexing = model.graph.node[0].op_type.startswith(("Gather", "Scatter"))
    kept, given = [], []
    initialized = {tensor.name for tensor in model.graph.initializer}
    real = [value for value in model.graph.input if value.name not in initialized]
    for number, (value, array) in enumerate(zip(real, map(np.asarray, inputs), strict=True)):
        first = number == 0 and model.graph.node[0].op_type != "Range"
        few = array.ndim <= 1 and array.size <= MOST_FROZEN
        elementwise = model.graph.node[0].op_type in ("Pow", "BitShift", "PRelu")
        if first or indexing or elementwise or not few or "Normalization" in model.graph.node[0].op_type:
            kept.append(value)
            given.append(array)
        else:
            model.graph.initializer.append(numpy_helper.from_array(array, value.name))
    del model.graph.input[:]
    model.graph.input.extend(kept)
    return model, given, wanted


CONV2D = sorted(name for name, case in convolution_tests().items() if _is_conv2d(_model(case)))
BYTES = sorted(name for name, case in quantized_tests().items() if _is_supported(_model(case)))
LOWERED = sorted(
    name
    for name, case in convolution_tests().items()
    if name not in CONV2D and name not in BYTES and _is_lowered(_model(case))
    if not any(part in name for part in NOT_SUPPORTED)
)
OTHERS = sorted(
    name
    for name in convolution_tests().keys() - {*CONV2D, *LOWERED, *BYTES}
    if not any(part in name for part in NOT_SUPPORTED)
)
NARROW = sorted(quantized_tests().keys() - set(BYTES))


def test_the_sets_are_not_empty() -> None:
    assert len(CONV2D) >= LEAST_CONVOLUTIONS
    for name in ("test_basic_conv_with_padding", "test_conv_with_autopad_same", "test_Conv2d_dilated"):
        assert name in CONV2D
    for name in ("test_convtranspose", "test_Conv1d", "test_Conv3d", "test_convtranspose_3d"):
        assert name in LOWERED
    assert any(name.startswith("test_basic_deform_conv") for name in OTHERS)
    for name in ("test_qlinearconv", "test_convinteger_with_padding", "test_matmulinteger"):
        assert name in BYTES
    for name in ("test_quantizelinear_axis", "test_dequantizelinear_axis"):
        assert name in BYTES
    assert any(name.startswith("test_qlinearmatmul_3D_int8") for name in BYTES)
    assert "test_quantizelinear_e4m3fn" in NARROW


@pytest.mark.parametrize(
    ("name", "algorithm"),
    [*itertools.product(CONV2D, ["auto", *ALGORITHMS]), *((name, "auto") for name in LOWERED)],
)
def test_convolutions_pass(name: str, algorithm: str) -> None:
    case = convolution_tests()[name]
    try:
        prepared = onnx_backend.prepare(_model(case), algorithm=algorithm)
    except AlgorithmError as error:
        assert algorithm not in ("auto", "direct_nhwc") and "does not apply" in str(error)
        assert "_g1_" not in str(error), "only grouped layers may be refused"
        return
    assert algorithm in ("auto", *(layer.algorithm for layer in prepared.model.report().layers))
    data_sets = list(_data_sets(case))
    assert data_sets
    for inputs, wanted in data_sets:
        for output, reference in zip(prepared.run(inputs), wanted, strict=True):
            np.testing.assert_allclose(output, reference, rtol=case.rtol, atol=max(case.atol, 1e-5))


@pytest.mark.parametrize("name", BYTES)
def test_quantized_operators_pass(name: str) -> None:
    case = quantized_tests()[name]
    prepared = onnx_backend.prepare(_model(case))
    data_sets = list(_data_sets(case))
    assert data_sets
    for inputs, wanted in data_sets:
        for output, reference in zip(prepared.run(inputs), wanted, strict=True):
            assert output.dtype == reference.dtype
            if np.issubdtype(output.dtype, np.integer):
                np.testing.assert_array_equal(output, reference)
            else:
                np.testing.assert_allclose(output, reference, rtol=case.rtol, atol=case.atol)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(operator_tests()))
def test_operators_pass(name: str) -> None:
    case = operator_tests()[name]
    model, inputs, wanted = _frozen(case)
    for output, reference in zip(onnx_backend.prepare(model).run(inputs), wanted, strict=True):
        assert (output.shape, output.dtype) == (np.shape(reference), np.asarray(reference).dtype)
        np.testing.assert_allclose(
            output.astype(np.float64), np.asarray(reference, np.float64), case.rtol, max(case.atol, 1e-5)
        )


@pytest.mark.parametrize("name", NARROW)
def test_other_quantizations_are_refused_by_name(name: str) -> None:
    model = _model(quantized_tests()[name])
    with pytest.raises(UnsupportedOperatorError, match="8 or 16 bits") as caught:
        onnx_backend.prepare(model)
    culprit = next(node for node in model.graph.node if node.op_type in QUANTIZED)
    assert f"'{culprit.name or culprit.output[0]}' ({culprit.op_type})" in str(caught.value)


@pytest.mark.parametrize("name", OTHERS)
def test_other_convolutions_are_refused_by_name(name: str) -> None:
    model = _model(convolution_tests()[name])
    with pytest.raises(UnsupportedOperatorError) as caught:
        onnx_backend.prepare(model)
    culprit = _convolutions(model)[0]
    assert culprit.op_type in str(caught.value) or "-D convolution" in str(caught.value)
    assert (culprit.name or culprit.output[0]) in str(caught.value)


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
