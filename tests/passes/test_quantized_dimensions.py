"""Quantized layers of one and three dimensions and transposed ones, in 8 bits, against ONNX Runtime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from graph_support import node
from reference import run_onnx_runtime
from test_onnx_quantized import draw, network, scale, set_shape, zero

import tvm_directconv as directconv
from tvm_directconv import Conv2dWorkload

CHANNELS, OUTPUTS = 4, 8
LAYERS: dict[str, tuple[str, tuple[int, ...], dict[str, Any]]] = {
    "1d": ("Conv", (3,), {"pads": [1, 1]}),
    "3d": ("Conv", (3, 3, 3), {"pads": [1] * 6}),
    "3d strided": ("Conv", (3, 1, 1), {"pads": [2, 0, 0, 1, 0, 0], "strides": [2, 2, 1]}),
    "3d grouped": ("Conv", (2, 3, 3), {"group": 2}),
    "3d depthwise": ("Conv", (3, 3, 3), {"pads": [1] * 6, "group": CHANNELS}),
    "3d pointwise": ("Conv", (1, 1, 1), {}),
    "transposed, as large as its stride": ("ConvTranspose", (2, 2), {"strides": [2, 2]}),
    "transposed, overlapping": ("ConvTranspose", (4, 4), {"strides": [2, 2], "pads": [1] * 4}),
    "transposed, odd": ("ConvTranspose", (3, 3), {"strides": [2, 2], "output_padding": [1, 0]}),
    "transposed, grouped": ("ConvTranspose", (3, 3), {"strides": [2, 2], "group": 2}),
    "transposed 1d": ("ConvTranspose", (4,), {"strides": [2]}),
    "transposed 3d": ("ConvTranspose", (2, 2, 2), {"strides": [2, 2, 2]}),
}

STORED = {"3d depthwise": "float32", "transposed, odd": "float32"}
"""Layers whose sums are put together before they are quantized store these."""


@pytest.mark.slow
@pytest.mark.parametrize("per_channel", [False, True])
@pytest.mark.parametrize("layer", LAYERS)
def test_layers_stay_in_bytes(layer: str, per_channel: bool) -> None:
    """Dequantization, convolution, bias, activation and quantization; the padding is the zero point."""
    kind, kernel, attributes = LAYERS[layer]
    transposed, groups = kind == "ConvTranspose", attributes.get("group", 1)
    data = draw("uint8", 1, CHANNELS, *(3, 4, 5)[-len(kernel) :])
    ends = (CHANNELS, OUTPUTS // groups) if transposed else (OUTPUTS, CHANNELS // groups)
    of_weight = np.linspace(0.001, 0.02, ends[transposed]).astype(np.float32)
    weights = {
        "xs": scale(0.02),
        "xz": zero("uint8", 121),
        "w": draw("int8", *ends, *kernel),
        "ws": of_weight if per_channel else scale(0.01),
        "ys": scale(0.2),
        "yz": zero("uint8", 30),
        "b": np.linspace(-3, 3, OUTPUTS).astype(np.float32),
    }
    if per_channel:
        # As quantizers write biases: integers in units of the sums.
        unit = np.tile(np.float32(0.02) * of_weight, OUTPUTS // len(of_weight))
        weights |= {"bs": unit, "bi": np.rint(weights.pop("b") / unit).astype(np.int32)}
    nodes = [
        node("DequantizeLinear", "x xs xz", "xf"),
        node("DequantizeLinear", "w ws", "wf", axis=int(transposed)),
        *([node("DequantizeLinear", "bi bs", "b", axis=0)] if per_channel else []),
        node(kind, "xf wf b", "c", **attributes),
        node("Relu", "c", "r"),
        node("QuantizeLinear", "r ys yz", "y"),
    ]
    model = network(nodes, {"x": data}, ("uint8", []), weights)
    set_shape(model, {"x": data})
    (wanted,) = run_onnx_runtime(model, {"x": data})
    compiled = directconv.compile(model)
    (got,) = compiled.run({"x": data})
    layers = compiled.report().layers
    stored = {Conv2dWorkload.parse(each.workload).out_dtype for each in layers}
    assert ({each.kind for each in layers}, stored) == ({"qconv2d"}, {STORED.get(layer, "uint8")})
    assert len(np.unique(wanted)) > 10 and got.shape == wanted.shape
    # ONNX Runtime computes these in float32, and may round a tie the other way.
    difference = np.abs(got.astype(int) - wanted.astype(int))
    assert difference.max() <= 1 and (difference > 0).mean() < 0.01
