"""TensorFlow Lite files that leave dimensions open are compiled once, and are right at any size."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

tflite = pytest.importorskip("tflite")

import tvm_directconv as directconv  # noqa: E402
from tvm_directconv.bench.tflite_files import StoredOperator as Operator  # noqa: E402
from tvm_directconv.bench.tflite_files import StoredTensor as Tensor  # noqa: E402
from tvm_directconv.bench.tflite_files import model  # noqa: E402

RNG = np.random.default_rng(3)
CONV = RNG.standard_normal((8, 3, 3, 3)).astype(np.float32)
DEPTHWISE = RNG.standard_normal((1, 3, 3, 8)).astype(np.float32)
DENSE = RNG.standard_normal((5, 8)).astype(np.float32)
SAME = {"Padding": tflite.Padding.SAME, "DilationHFactor": 1, "DilationWFactor": 1}
BY_TWO = {"StrideH": 2, "StrideW": 2}
POOL = BY_TWO | {"FilterHeight": 2, "FilterWidth": 2, "Padding": tflite.Padding.VALID}
RELU = {"FusedActivationFunction": tflite.ActivationFunctionType.RELU}
OPEN = (-1, -1, -1, 8)


def windows(data: np.ndarray, stride: int) -> np.ndarray:
    """3x3 windows with padding SAME: of two strides, the odd position is behind."""
    pads = [max((-(-n // stride) - 1) * stride + 3 - n, 0) for n in data.shape[1:3]]
    widths = [(0, 0), *((pad // 2, pad - pad // 2) for pad in pads), (0, 0)]
    padded = np.pad(data.astype(np.float64), widths)
    return np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (1, 2))[:, ::stride, ::stride]


def constants(**values: np.ndarray) -> list[Tensor]:
    return [
        Tensor(name, value.shape, "float32" if value.dtype.kind == "f" else "int32", value)
        for name, value in values.items()
    ]


def numbers(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


def tokens() -> bytes:
    """Strided and depthwise layers, whose positions become a sequence by arithmetic of shapes."""
    tensors = [
        Tensor("x", (1, 32, 32, 3), signature=(-1, -1, -1, 3)),
        *(Tensor(name, (1, 16, 16, 8), signature=OPEN) for name in ("a", "b")),
        Tensor("p", (1, 8, 8, 8), signature=OPEN),
        Tensor("shape", (4,), "int32"),
        Tensor("n", (), "int32"),
        Tensor("wanted", (3,), "int32"),
        Tensor("t", (1, 64, 8), signature=(-1, -1, 8)),
        Tensor("y", (1, 64, 5), signature=(-1, -1, 5)),
        *constants(conv=CONV, depthwise=DEPTHWISE, dense=DENSE, zeros=np.zeros(8, np.float32)),
        *constants(none=np.zeros(5, np.float32), first=numbers(0), second=numbers(1)),
        Tensor("rest", (), "int32", np.array(-1, np.int32)),
        Tensor("eight", (), "int32", np.array(8, np.int32)),
    ]
    begins = {"BeginMask": 0, "EndMask": 0, "ShrinkAxisMask": 1}
    operators = [
        Operator("CONV_2D", ["x", "conv", "zeros"], "a", "Conv2DOptions", SAME | BY_TWO | RELU),
        Operator(
            "DEPTHWISE_CONV_2D",
            ["a", "depthwise", "zeros"],
            "b",
            "DepthwiseConv2DOptions",
            SAME | {"StrideH": 1, "StrideW": 1, "DepthMultiplier": 1},
        ),
        Operator("MAX_POOL_2D", ["b"], "p", "Pool2DOptions", POOL),
        Operator("SHAPE", ["p"], "shape", "ShapeOptions", {"OutType": tflite.TensorType.INT32}),
        Operator("STRIDED_SLICE", ["shape", "first", "second", "second"], "n", "StridedSliceOptions", begins),
        Operator("PACK", ["n", "rest", "eight"], "wanted", "PackOptions", {"ValuesCount": 3, "Axis": 0}),
        Operator("RESHAPE", ["p", "wanted"], "t", "ReshapeOptions"),
        Operator(
            "FULLY_CONNECTED", ["t", "dense", "none"], "y", "FullyConnectedOptions", {"KeepNumDims": True}
        ),
    ]
    return model(tensors, operators, ["x"])


def tokens_wanted(x: np.ndarray) -> np.ndarray:
    a = np.maximum(np.einsum("nhwcij,oijc->nhwo", windows(x, 2), CONV), 0)
    b = np.einsum("nhwcij,ijc->nhwc", windows(a, 1), DEPTHWISE[0])
    n, height, width = b.shape[0], b.shape[1] // 2, b.shape[2] // 2
    p = b[:, : 2 * height, : 2 * width].reshape(n, height, 2, width, 2, 8).max((2, 4))
    return p.reshape(n, -1, 8) @ DENSE.T.astype(np.float64)


def sums() -> bytes:
    """Two inputs of sizes that have to be equal, and a mean."""
    tensors = [
        *(Tensor(name, (1, 1, 8), signature=(-1, -1, 8)) for name in ("x", "z", "s")),
        Tensor("m", (1, 8), signature=(-1, 8)),
        Tensor("y", (1, 5), signature=(-1, 5)),
        *constants(dense=DENSE, none=np.zeros(5, np.float32), axis=numbers(1)),
    ]
    operators = [
        Operator("ADD", ["x", "z"], "s", "AddOptions"),
        Operator("MEAN", ["s", "axis"], "m", "ReducerOptions", {"KeepDims": False}),
        Operator("FULLY_CONNECTED", ["m", "dense", "none"], "y", "FullyConnectedOptions"),
    ]
    return model(tensors, operators, ["x", "z"])


def sums_wanted(x: np.ndarray, z: np.ndarray) -> np.ndarray:
    return (x.astype(np.float64) + z).mean(1) @ DENSE.T.astype(np.float64)


def doubled() -> bytes:
    """Pixels repeated to twice the size, by arithmetic of shapes."""
    tensors = [
        *(Tensor(name, (1, 8, 8, 3), signature=(-1, -1, -1, 3)) for name in ("x", "r")),
        Tensor("y", (1, 16, 16, 3), signature=(-1, -1, -1, 3)),
        *(Tensor(name, (size,), "int32") for name, size in (("shape", 4), ("size", 2), ("wanted", 2))),
        *constants(first=numbers(1), last=numbers(3), step=numbers(1), two=numbers(2)),
    ]
    slices = ["shape", "first", "last", "step"]
    centers = {"HalfPixelCenters": True}
    operators = [
        Operator("RELU", ["x"], "r"),
        Operator("SHAPE", ["x"], "shape", "ShapeOptions"),
        Operator("STRIDED_SLICE", slices, "size", "StridedSliceOptions", {"BeginMask": 0}),
        Operator("MUL", ["size", "two"], "wanted", "MulOptions"),
        Operator("RESIZE_NEAREST_NEIGHBOR", ["r", "wanted"], "y", "ResizeNearestNeighborOptions", centers),
    ]
    return model(tensors, operators, ["x"])


def doubled_wanted(x: np.ndarray) -> np.ndarray:
    return np.maximum(x, 0).repeat(2, 1).repeat(2, 2)


CASES: dict[
    str,
    tuple[Callable[[], bytes], Callable[..., np.ndarray], dict[str, int], list[Sequence[tuple[int, ...]]]],
] = {
    "tokens": (
        tokens,
        tokens_wanted,
        {},
        [[(1, 32, 32, 3)], [(3, 46, 70, 3)], [(2, 130, 18, 3)], [(17, 8, 8, 3)]],
    ),
    "sums": (
        sums,
        sums_wanted,
        {"x_d1": 12, "z_d1": 12},
        [[(1, 12, 8)] * 2, [(5, 31, 8)] * 2, [(2, 3, 8)] * 2],
    ),
    "doubled": (doubled, doubled_wanted, {}, [[(1, 8, 8, 3)], [(3, 11, 7, 3)]]),
}


@pytest.mark.parametrize("name", CASES)
def test_files_are_compiled_once(name: str) -> None:
    make, wanted, typical, sizes = CASES[name]
    compiled = directconv.compile(make(), typical=typical)
    assert compiled.sizes[0].is_open
    for shapes in sizes:
        given = [RNG.standard_normal(shape).astype(np.float32) for shape in shapes]
        np.testing.assert_allclose(compiled.run(given)[0], wanted(*given), rtol=1e-4, atol=1e-4)
    assert len(compiled.sizes) == 1


def test_sizes_that_conditions_exclude_are_compiled_by_themselves() -> None:
    """An odd height has other padding."""
    compiled = directconv.compile(tokens())
    x = RNG.standard_normal((2, 19, 33, 3)).astype(np.float32)
    np.testing.assert_allclose(compiled.run([x])[0], tokens_wanted(x), rtol=1e-4, atol=1e-4)
    assert len(compiled.sizes) == 2


def test_shapes_fix_what_a_file_leaves_open() -> None:
    compiled = directconv.compile(tokens(), shapes={"x": (2, 20, 24, 3)})
    x = RNG.standard_normal((2, 20, 24, 3)).astype(np.float32)
    np.testing.assert_allclose(compiled.run([x])[0], tokens_wanted(x), rtol=1e-4, atol=1e-4)


def test_what_nothing_is_said_of_is_guessed() -> None:
    x, z = (RNG.standard_normal((2, 7, 8)).astype(np.float32) for _ in range(2))
    np.testing.assert_allclose(
        directconv.compile(sums()).run([x, z])[0], sums_wanted(x, z), rtol=1e-4, atol=1e-4
    )
