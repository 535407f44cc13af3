"""Operators of TensorFlow Lite that TVM's importer refuses or gets wrong, against numpy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import tflite
from onnx_support import TARGET

import tvm_directconv as directconv
from tvm_directconv.bench.tflite_files import StoredOperator as Operator
from tvm_directconv.bench.tflite_files import StoredTensor as Tensor
from tvm_directconv.bench.tflite_files import model
from tvm_directconv.errors import ModelError, UnsupportedOperatorError

RNG = np.random.default_rng(1)
SAME, VALID = tflite.Padding.SAME, tflite.Padding.VALID
NO_DILATION = {"DilationHFactor": 1, "DilationWFactor": 1}


def draw(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


def constant(name: str, values: Any, dtype: str = "int32", **quantized: Any) -> Tensor:
    array = np.asarray(values, dtype)
    return Tensor(name, array.shape, dtype, array, **quantized)


def run(
    kind: str,
    x: np.ndarray,
    shapes: Sequence[tuple[int, ...]],
    constants: Sequence[Tensor] = (),
    options: str = "",
    order: Sequence[str] = (),
    dtype: str = "",
    scale: Sequence[float] = (),
    zero: int = 0,
    **values: Any,
) -> list[np.ndarray]:
    """What an operator makes of ``x`` and constants; quantized data and results have one scale."""
    known = {"scale": scale, "zero": zero}
    names = [f"y{number}" for number in range(len(shapes))]
    results = [
        Tensor(name, shape, dtype or str(x.dtype), **known) for name, shape in zip(names, shapes, strict=True)
    ]
    tensors = [Tensor("x", x.shape, str(x.dtype), **known), *constants, *results]
    inputs = order or ["x", *(tensor.name for tensor in constants)]
    operator = Operator(kind, inputs, " ".join(names), options, values)
    return directconv.compile(model(tensors, [operator], ["x"]), TARGET).run(x)


def close(found: Sequence[np.ndarray], *expected: np.ndarray) -> None:
    for got, wanted in zip(found, expected, strict=True):
        assert got.dtype == wanted.dtype
        np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-5)


def test_softmax_multiplies_the_exponents() -> None:
    x = draw(3, 7)
    powers = np.exp(x * np.float32(0.5))
    close(
        run("SOFTMAX", x, [x.shape], options="SoftmaxOptions", Beta=0.5),
        powers / powers.sum(1, keepdims=True),
    )


def test_approximate_gelu() -> None:
    x = draw(3, 7)
    inner = np.float32(np.sqrt(2 / np.pi)) * (x + np.float32(0.044715) * x**3)
    (found,) = run("GELU", x, [x.shape], options="GeluOptions", Approximate=True)
    np.testing.assert_allclose(found, x / 2 * (1 + np.tanh(inner)), rtol=1e-5, atol=2e-6)


def test_places_have_the_type_that_the_file_says() -> None:
    x = draw(2, 5, 3)
    options = {"options": "ArgMaxOptions", "OutputType": tflite.TensorType.INT32}
    close(
        run("ARG_MAX", x, [(2, 3)], [constant("axis", 1)], dtype="int32", **options),
        x.argmax(1).astype(np.int32),
    )


@pytest.mark.parametrize("axis", [1, 2])
def test_gathers_of_a_batch(axis: int) -> None:
    x, places = draw(2, 4, 5, 3), np.array([[3, 0], [1, 2]])
    taken = np.stack([np.take(part, place, axis - 1) for part, place in zip(x, places, strict=True)])
    options = {"options": "GatherOptions", "Axis": axis, "BatchDims": 1}
    close(run("GATHER", x, [taken.shape], [constant("places", places)], **options), taken)


def test_dense_layers_flatten_their_data() -> None:
    x, weight = draw(2, 2, 4), draw(5, 8)
    weights = [constant("w", weight, "float32"), constant("b", np.arange(5), "float32")]
    found = run("FULLY_CONNECTED", x, [(2, 5)], weights, "FullyConnectedOptions")
    close(found, x.reshape(2, 8) @ weight.T + np.arange(5, dtype=np.float32))


@pytest.mark.parametrize("padding", [SAME, VALID])
def test_transposed_convolutions_of_few_taps_reach_the_size_asked_for(padding: int) -> None:
    x, weight = draw(1, 3, 4, 2), draw(5, 2, 1, 2)
    expected = np.zeros((1, 9, 12, 5), np.float32)
    for row, column in np.ndindex(3, 4):
        pixel = np.einsum("oijc,c->ijo", weight, x[0, row, column])
        expected[0, row * 3 : row * 3 + 2, column * 3 : column * 3 + 1] = pixel
    constants = [constant("size", expected.shape), constant("w", weight, "float32")]
    options = {"options": "TransposeConvOptions", "Padding": padding, "StrideH": 3, "StrideW": 3}
    close(
        run("TRANSPOSE_CONV", x, [expected.shape], constants, order=["size", "w", "x"], **options), expected
    )


@pytest.mark.parametrize(("padding", "taps"), [(1, 2), (1, 3), (2, 3), (2, 1)])
def test_mediapipes_transposed_convolution_has_a_bias(padding: int, taps: int) -> None:
    """Steps are 2 across and 3 down; without padding (2) results reach as far as the last filter."""
    x, weight, bias = draw(1, 3, 4, 2), draw(5, taps, taps, 2), draw(5)
    whole = np.zeros((1, 2 * 3 + max(taps, 3), 3 * 2 + max(taps, 2), 5), np.float32)
    for row, column in np.ndindex(3, 4):
        pixel = np.einsum("oijc,c->ijo", weight, x[0, row, column])
        whole[0, row * 3 : row * 3 + taps, column * 2 : column * 2 + taps] += pixel
    if padding == 1:
        left = max(taps - 2, 0) // 2
        whole = whole[:, :9, left : left + 8]
    tensors = [
        Tensor("x", x.shape),
        constant("w", weight, "float32"),
        constant("b", bias, "float32"),
        Tensor("y", whole.shape),
    ]
    options = np.array([padding, 2, 3], "<i4").tobytes()
    operator = Operator("Convolution2DTransposeBias", ["x", "w", "b"], "y", custom=options)
    found = directconv.compile(model(tensors, [operator], ["x"]), TARGET).run(x)
    close(found, whole + bias)


def test_other_libraries_operators_are_named() -> None:
    tensors = [Tensor("x", (1, 3)), Tensor("y", (1, 3)), Tensor("z", (1, 3))]
    operators = [Operator("Unheard", ["x"], "y"), Operator("Unseen", ["y"], "z", custom=b"abc")]
    with pytest.raises(UnsupportedOperatorError, match="(?=.*'Unheard')(?=.*'Unseen')"):
        directconv.compile(model(tensors, operators, ["x"]), TARGET)


@pytest.mark.parametrize("options", [b"", np.array([3, 1, 1], "<i4").tobytes(), bytes(12)])
def test_options_of_mediapipes_operator_are_checked(options: bytes) -> None:
    tensors = [
        Tensor("x", (1, 3, 3, 1)),
        constant("w", draw(1, 2, 2, 1), "float32"),
        constant("b", draw(1), "float32"),
        Tensor("y", (1, 3, 3, 1)),
    ]
    operator = Operator("Convolution2DTransposeBias", ["x", "w", "b"], "y", custom=options)
    with pytest.raises(ModelError, match="a kind of padding and two steps"):
        directconv.compile(model(tensors, [operator], ["x"]), TARGET)


@pytest.mark.parametrize("size", [7, 8])
def test_aligned_corners_round_halves_up(size: int) -> None:
    x = draw(1, 5, 5, 3)
    places = np.floor(np.arange(size) * (4 / (size - 1)) + 0.5).astype(int)
    options = {"options": "ResizeNearestNeighborOptions", "AlignCorners": True}
    found = run(
        "RESIZE_NEAREST_NEIGHBOR", x, [(1, size, size, 3)], [constant("size", [size, size])], **options
    )
    close(found, x[:, places][:, :, places])


@pytest.mark.parametrize("halves", [False, True])
def test_nearest_pixels_are_found_in_float32(halves: bool) -> None:
    """As in TensorFlow Lite's reference kernel; in exact arithmetic some of these are the next ones."""
    x, size = draw(1, 33, 50, 3), (77, 21)
    first, second = (
        np.floor(
            (np.arange(new, dtype=np.float32) + np.float32(halves / 2)) * (np.float32(old) / np.float32(new))
        )
        for old, new in zip(x.shape[1:3], size, strict=True)
    )
    options = {"options": "ResizeNearestNeighborOptions", "HalfPixelCenters": halves}
    found = run("RESIZE_NEAREST_NEIGHBOR", x, [(1, *size, 3)], [constant("size", size)], **options)
    close(found, x[:, first.astype(int)][:, :, second.astype(int)])


def test_one_pixel_of_aligned_corners_is_the_first() -> None:
    x = draw(1, 5, 5, 3)
    options = {"options": "ResizeNearestNeighborOptions", "AlignCorners": True}
    found = run("RESIZE_NEAREST_NEIGHBOR", x, [(1, 1, 1, 3)], [constant("size", [1, 1])], **options)
    close(found, x[:, :1, :1])


def test_dilated_convolutions_as_space_to_batch() -> None:
    x, weight = draw(1, 7, 8, 4), draw(6, 3, 3, 4)
    tensors = [
        Tensor("x", x.shape),
        constant("blocks", [2, 2]),
        constant("pads", [[2, 3], [2, 2]]),
        Tensor("s", (4, 6, 6, 4)),
        constant("w", weight, "float32"),
        constant("b", np.zeros(6), "float32"),
        Tensor("c", (4, 4, 4, 6)),
        constant("crops", [[0, 1], [0, 0]]),
        Tensor("y", (1, 7, 8, 6)),
    ]
    window = {"Padding": VALID, "StrideH": 1, "StrideW": 1} | NO_DILATION
    operators = [
        Operator("SPACE_TO_BATCH_ND", ["x", "blocks", "pads"], "s", "SpaceToBatchNDOptions"),
        Operator("CONV_2D", ["s", "w", "b"], "c", "Conv2DOptions", window),
        Operator("BATCH_TO_SPACE_ND", ["c", "blocks", "crops"], "y", "BatchToSpaceNDOptions"),
    ]
    padded = np.pad(x, ((0, 0), (2, 2), (2, 2), (0, 0)))
    taps = [
        padded[:, i * 2 : i * 2 + 7, j * 2 : j * 2 + 8] @ weight[:, i, j].T
        for i, j in np.ndindex(3, 3)
    ]  # fmt: skip
    close(directconv.compile(model(tensors, operators, ["x"]), TARGET).run(x), np.sum(taps, 0))


def test_squeezes_without_axes() -> None:
    x = draw(1, 5, 1, 3)
    close(run("SQUEEZE", x, [(5, 3)], options="SqueezeOptions"), x.reshape(5, 3))


def test_products_of_matrices_broadcast() -> None:
    x, matrices = draw(2, 1, 4, 3), draw(3, 5, 4)
    constants, options = [constant("m", matrices, "float32")], {"AdjX": True, "AdjY": True}
    found = run("BATCH_MATMUL", x, [(2, 3, 3, 5)], constants, "BatchMatMulOptions", **options)
    close(found, x.swapaxes(2, 3) @ matrices.swapaxes(1, 2))


def test_a_size_of_a_split_may_be_left_open() -> None:
    x = draw(2, 7)
    constants = [constant("sizes", [2, -1, 1]), constant("axis", -1)]
    found = run("SPLIT_V", x, [(2, 2), (2, 4), (2, 1)], constants, "SplitVOptions", NumSplits=3)
    close(found, x[:, :2], x[:, 2:6], x[:, 6:])


def test_edges_are_mirrored_with_themselves() -> None:
    x, widths = draw(2, 3, 4), ((0, 0), (2, 1), (0, 3))
    options = {"options": "MirrorPadOptions", "Mode": tflite.MirrorPadMode.SYMMETRIC}
    found = run("MIRROR_PAD", x, [(2, 6, 7)], [constant("widths", widths)], **options)
    close(found, np.pad(x, widths, "symmetric"))


def test_integers_are_moved_as_they_are() -> None:
    x, widths = RNG.integers(-128, 128, (1, 3, 4, 2)).astype(np.int8), ((0, 0), (1, 2), (0, 1), (0, 0))
    quantized: dict[str, Any] = {"scale": [0.1], "zero": 5}
    found = run("PAD", x, [(1, 6, 5, 2)], [constant("widths", widths)], "PadOptions", **quantized)
    close(found, np.pad(x, widths, constant_values=5))
    found = run("TRANSPOSE", x, [(1, 2, 3, 4)], [constant("axes", [0, 3, 1, 2])], **quantized)
    close(found, x.transpose(0, 3, 1, 2))
    found = run("EXPAND_DIMS", x, [(1, 3, 4, 2, 1)], [constant("axis", -1)], **quantized)
    close(found, x[..., None])


def test_slopes_of_integers() -> None:
    x = RNG.integers(-128, 128, (1, 3, 4, 2)).astype(np.int8)
    slope = constant("slope", [[[20, -30]]], "int8", scale=[0.01])
    (found,) = run("PRELU", x, [x.shape], [slope], scale=[0.1], zero=5)
    numbers = x.astype(np.float64) - 5
    expected = np.where(numbers < 0, numbers * [0.2, -0.3], numbers) + 5
    assert np.abs(found - np.clip(expected, -128, 127)).max() <= 0.51


def test_constants_in_eight_bits_become_floats() -> None:
    x, stored = draw(2, 3), np.array([10, -20, 127], np.int8)
    tensors = [
        Tensor("x", x.shape),
        constant("w", stored, "int8", scale=[0.5], zero=3),
        Tensor("d", (3,)),
        Tensor("y", x.shape),
    ]
    operators = [
        Operator("DEQUANTIZE", ["w"], "d", "DequantizeOptions"),
        Operator("ADD", ["x", "d"], "y", "AddOptions"),
    ]
    found = directconv.compile(model(tensors, operators, ["x"]), TARGET).run(x)
    close(found, x + (stored.astype(np.float32) - 3) * np.float32(0.5))


def test_what_the_runtime_does_not_have_is_refused() -> None:
    with pytest.raises(UnsupportedOperatorError, match="'MATRIX_DIAG'"):
        run("MATRIX_DIAG", draw(2, 3), [(2, 3, 3)], options="MatrixDiagOptions")
