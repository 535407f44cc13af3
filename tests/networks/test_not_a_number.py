"""NaN and infinities follow the arithmetic of the operators' definitions, alone and fused, on every kernel.

The definitions are numpy's: ONNX Runtime loses some NaN of pools and reductions, depending on where they are.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pytest
from graph_support import draw, network, node
from onnx import helper
from support import ISA_TARGETS, runnable_target

import tvm_directconv as directconv

NAN, INF = np.nan, np.inf
SPECIAL = np.array([NAN, 1, -1, INF, -INF, 0, 3.5, -3.5], np.float32)
X = np.concatenate([SPECIAL, draw(8), SPECIAL[::-1], draw(13)])
"""This is an odd number of elements, of which vectors and tails have special ones."""
Y = np.concatenate([draw(5), SPECIAL, draw(7), SPECIAL, draw(9)])
MATRIX = np.stack(
    [np.roll(X, 5 * row) for row in range(6)] + [draw(X.size), np.full(X.size, -INF, np.float32)]
)


def clipped(x: np.ndarray, low: float, high: float) -> np.ndarray:
    return np.minimum(np.maximum(x, np.float32(low)), np.float32(high))


def elu(x: np.ndarray) -> np.ndarray:
    return np.where(x > 0, x, np.expm1(x))


POINTWISE: dict[str, tuple[str, dict[str, object], Callable[..., np.ndarray]]] = {
    "relu": ("Relu", {}, lambda x, y: np.maximum(x, 0)),
    "clip": ("Clip", {}, lambda x, y: clipped(x, -0.5, 1.5)),
    "max": ("Max", {}, np.maximum),
    "min": ("Min", {}, np.minimum),
    "sign": ("Sign", {}, lambda x, y: np.sign(x)),
    "elu": ("Elu", {}, lambda x, y: elu(x)),
    "hardsigmoid": ("HardSigmoid", {}, lambda x, y: clipped(0.2 * x + np.float32(0.5), 0, 1)),
    "leakyrelu": ("LeakyRelu", {"alpha": 0.25}, lambda x, y: np.where(x > 0, x, x * np.float32(0.25))),
    "thresholdedrelu": ("ThresholdedRelu", {"alpha": 0.5}, lambda x, y: np.where(x > 0.5, x, 0)),
    "abs": ("Abs", {}, lambda x, y: np.abs(x)),
    "fmod": ("Mod", {"fmod": 1}, np.fmod),
}
OPERANDS = {"Max": "x y", "Min": "x y", "Mod": "x y", "Clip": "x low high"}
REDUCTIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "ReduceMax": lambda m: m.max(axis=1),
    "ReduceMin": lambda m: m.min(axis=1),
    "ArgMax": lambda m: m.argmax(axis=1),
    "ArgMin": lambda m: m.argmin(axis=1),
}


@pytest.mark.parametrize("isa", ISA_TARGETS)
def test_elements_and_reductions(isa: str) -> None:
    nodes = [
        node(kind, OPERANDS.get(kind, "x"), name, **attributes)
        for name, (kind, attributes, _) in POINTWISE.items()
    ]
    reductions = [node(kind, "m", kind, axis=1, keepdims=0) for kind in REDUCTIONS if kind.startswith("Arg")]
    reductions += [node(kind, "m", kind, axes=[1], keepdims=0) for kind in REDUCTIONS if "Reduce" in kind]
    with np.errstate(all="ignore"):
        want = {name: meaning(X, Y) for name, (_, _, meaning) in POINTWISE.items()}
        want |= {name: meaning(MATRIX) for name, meaning in REDUCTIONS.items()}
    bounds = {"low": np.asarray(-0.5, np.float32), "high": np.asarray(1.5, np.float32)}
    shapes = {"x": X.shape, "y": Y.shape, "m": MATRIX.shape}
    outputs = {n.output[0]: want[n.output[0]].shape for n in [*nodes, *reductions]}
    model = network([*nodes, *reductions], shapes, outputs, bounds)
    for value in model.graph.output:
        value.type.tensor_type.elem_type = helper.np_dtype_to_tensor_dtype(want[value.name].dtype)
    results = directconv.compile(model, runnable_target(isa)).run([X, Y, MATRIX])
    for name, got in zip(outputs, results, strict=True):
        np.testing.assert_allclose(got, want[name], rtol=1e-6, atol=1e-6, err_msg=name)


def windows(x: np.ndarray, size: int, stride: int, pad: int) -> np.ndarray:
    """The largest of each window of NCHW, in numpy."""
    padded = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)), constant_values=-INF)
    views = np.lib.stride_tricks.sliding_window_view(padded, (size, size), axis=(2, 3))
    return views[:, :, ::stride, ::stride].max(axis=(4, 5))


@pytest.mark.parametrize("isa", ISA_TARGETS)
def test_pools_and_convolutions(isa: str) -> None:
    """A NaN reaches every window that holds it; a convolution's ReLU keeps it, fused or portable."""
    x = draw(1, 5, 9, 9)
    x[0, 1, 4, 4] = x[0, 2, 0, 0] = x[0, 4, 8, 8] = NAN
    x[0, 0], x[0, 3, 2, 7] = -INF, INF
    bias = np.array([NAN, 0, INF, -INF, 1, -1], np.float32)
    weights = {"w": draw(6, 5, 1, 1), "b": bias}
    nodes = [
        node("MaxPool", "x", "small", kernel_shape=[3, 3]),
        node("MaxPool", "x", "padded", kernel_shape=[3, 3], pads=[1] * 4, strides=[2, 2]),
        node("GlobalMaxPool", "x", "whole"),
        node("Conv", "x w b", "conv"),
        node("Relu", "conv", "relu"),
    ]
    with np.errstate(all="ignore"):
        convolved = np.einsum("nchw,oc->nohw", x, weights["w"][:, :, 0, 0]) + bias[:, None, None]
        want = {
            "small": windows(x, 3, 1, 0),
            "padded": windows(x, 3, 2, 1),
            "whole": x.max(axis=(2, 3), keepdims=True),
            "relu": np.maximum(convolved, 0),
        }
    model = network(nodes, {"x": x.shape}, {name: array.shape for name, array in want.items()}, weights)
    results = directconv.compile(model, runnable_target(isa)).run([x])
    for (name, expected), got in zip(want.items(), results, strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5, err_msg=name)


@pytest.mark.parametrize("beta", [0.75, 0.6])
def test_local_response_normalization(beta: float) -> None:
    x = np.abs(draw(1, 9, 2, 3))
    x[0, 2, 0, 0], x[0, 5, 0, 1] = NAN, INF
    nodes = [node("LRN", "x", "y", size=3, alpha=0.5, beta=beta, bias=1.0)]
    squares = np.pad(x.astype(np.float64) ** 2, ((0, 0), (1, 1), (0, 0), (0, 0)))
    with np.errstate(all="ignore"):
        want = x / (1 + 0.5 / 3 * (squares[:, :-2] + squares[:, 1:-1] + squares[:, 2:])) ** beta
    (got,) = directconv.compile(network(nodes, {"x": x.shape}, {"y": x.shape})).run([x])
    np.testing.assert_allclose(got, want, rtol=1e-5)


def test_compiling_says_nothing_of_them() -> None:
    """Neither where constants are folded nor where steps are tried; as an error, the warning ended it."""
    nodes = [node("Conv", "x w", "c"), node("Reciprocal", "c", "r"), node("Div", "r zero", "y")]
    weights = {"w": draw(4, 3, 1, 1), "zero": np.zeros(1, np.float32)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        directconv.compile(network(nodes, {"x": (1, 3, 4, 4)}, {"y": (1, 4, 4, 4)}, weights))


def test_remainders_of_small_and_large_quotients() -> None:
    """To the bit, signs of zeros included: the C library's where one division is not exact."""
    exponents = np.random.default_rng(0).integers(-40, 41, (2, 3, 1000))
    x, y = (draw(3, 1000) * 2.0**exponents).astype(np.float32)
    x[:, :200] = np.rint(x[:, :200]) * y[:, :200]
    model = network([node("Mod", "x y", "z", fmod=1)], {"x": x.shape, "y": y.shape}, {"z": x.shape})
    (got,) = directconv.compile(model, cache=False).run([x, y])
    np.testing.assert_array_equal(got.view(np.int32), np.fmod(x, y).view(np.int32))
