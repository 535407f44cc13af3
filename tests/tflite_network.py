"""A small network as a .tflite file: convolutions, a pool and a dense layer, in floats and in 8 bits."""

from __future__ import annotations

import numpy as np
import tflite

from tvm_directconv.bench.tflite_files import StoredOperator as Operator
from tvm_directconv.bench.tflite_files import StoredTensor as Tensor
from tvm_directconv.bench.tflite_files import model

RNG = np.random.default_rng(0)
WEIGHTS = {
    "conv": RNG.standard_normal((6, 3, 3, 4)) / 6,  # (OC, KH, KW, IC)
    "depthwise": RNG.standard_normal((1, 3, 3, 6)) / 3,
    "dense": RNG.standard_normal((5, 54)) / 6,
}
BIASES = {name: RNG.standard_normal(size) for name, size in (("conv", 6), ("depthwise", 6), ("dense", 5))}
CHANNELS = {"conv": 0, "depthwise": 3, "dense": 0}
"""Filters have their output channels there."""
DATA = RNG.standard_normal((1, 6, 6, 4)).astype(np.float32)
SCALES = {
    "x": (0.03, 5),
    "a": (0.03, -128),
    "b": (0.05, -10),
    "p": (0.05, -10),
    "r": (0.05, -10),
    "y": (0.04, 3),
}
SHAPES = {
    "x": (1, 6, 6, 4),
    "a": (1, 6, 6, 6),
    "b": (1, 6, 6, 6),
    "p": (1, 3, 3, 6),
    "r": (1, 54),
    "y": (1, 5),
}
WINDOW = {"Padding": tflite.Padding.SAME, "StrideH": 1, "StrideW": 1}
DILATION = {"DilationHFactor": 1, "DilationWFactor": 1}
POOL = {"FilterHeight": 2, "FilterWidth": 2, "StrideH": 2, "StrideW": 2, "Padding": tflite.Padding.VALID}
RELU6 = {"FusedActivationFunction": tflite.ActivationFunctionType.RELU6}
OPERATORS = [
    Operator("CONV_2D", ["x", "conv", "conv_bias"], "a", "Conv2DOptions", WINDOW | DILATION | RELU6),
    Operator(
        "DEPTHWISE_CONV_2D",
        ["a", "depthwise", "depthwise_bias"],
        "b",
        "DepthwiseConv2DOptions",
        WINDOW | DILATION | {"DepthMultiplier": 1},
    ),
    Operator("AVERAGE_POOL_2D", ["b"], "p", "Pool2DOptions", POOL),
    Operator("RESHAPE", ["p", "shape"], "r", "ReshapeOptions"),
    Operator("FULLY_CONNECTED", ["r", "dense", "dense_bias"], "y", "FullyConnectedOptions"),
]
DATA_OF = {"conv": "x", "depthwise": "a", "dense": "r"}


def quantized(name: str) -> tuple[np.ndarray, np.ndarray]:
    """A filter in int8, and its scales by output channel; the dense layer has one for all."""
    weight, axis = WEIGHTS[name], CHANNELS[name]
    others = None if name == "dense" else tuple(a for a in range(weight.ndim) if a != axis)
    scale = (np.abs(weight).max(others, keepdims=True) / 127).astype(np.float32)
    return np.rint(weight / scale).astype(np.int8), scale


def network(kind: str) -> bytes:
    """``kind`` is float32, int8, or weights: those in int8 and nothing else."""
    shape = Tensor("shape", [2], "int32", np.array([1, 54], np.int32))
    tensors = [shape]
    for name, extents in SHAPES.items():
        scale, zero = SCALES[name]
        is_quantized = kind == "int8"
        tensors.append(
            Tensor(name, extents, "int8", None, [scale], zero) if is_quantized else Tensor(name, extents)
        )
    for name, weight in WEIGHTS.items():
        stored, scale = quantized(name)
        scales = scale.reshape(-1).tolist()
        tensors.append(
            Tensor(name, weight.shape, values=weight.astype(np.float32))
            if kind == "float32"
            else Tensor(name, weight.shape, "int8", stored, scales, 0, CHANNELS[name])
        )
        bias = BIASES[name].astype(np.float32)
        if kind == "int8":
            unit = [SCALES[DATA_OF[name]][0] * scale for scale in scales]
            sums = np.rint(bias / unit).astype(np.int32)
            tensors.append(Tensor(f"{name}_bias", bias.shape, "int32", sums, unit))
        else:
            tensors.append(Tensor(f"{name}_bias", bias.shape, values=bias))
    return model(tensors, OPERATORS, ["x"])
