"""Activations between quantized layers, as ONNX writes them: part of the layer, or behind a quantization a
table, which give ONNX Runtime's bytes, but for numbers at a tie."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from graph_support import node
from onnx import ModelProto, NodeProto
from reference import run_onnx_runtime
from test_onnx_quantized import draw, network, scale, zero

import tvm_directconv as directconv

ACTIVATIONS: dict[str, list[NodeProto]] = {
    "relu": [node("Relu", "c", "a")],
    "hardswish": [node("HardSwish", "c", "a")],
    "hardsigmoid": [node("HardSigmoid", "c", "a")],
    "leakyrelu": [node("LeakyRelu", "c", "a", alpha=0.1)],
    "sigmoid": [node("Sigmoid", "c", "a")],
    "silu": [node("Sigmoid", "c", "g"), node("Mul", "c g", "a")],
    "tanh": [node("Tanh", "c", "a")],
    "elu": [node("Elu", "c", "a")],
    "softplus": [node("Softplus", "c", "a")],
}
STORED = [node("QuantizeLinear", "c0 cs cz", "cq"), node("DequantizeLinear", "cq cs cz", "c")]


def model(activation: Sequence[NodeProto], stored: bool) -> tuple[ModelProto, dict[str, np.ndarray]]:
    """Convolution of 8-bit tensors, perhaps its own quantization, activation, quantization."""
    data = draw("uint8", 1, 6, 9, 10)
    weights = {
        "xs": scale(0.02),
        "xz": zero("uint8", 120),
        "w": draw("int8", 8, 6, 3, 3),
        "ws": scale(0.002),
        "wz": zero("int8", 0),
        "cs": scale(0.05),
        "cz": zero("uint8", 110),
        "ys": scale(0.017),
        "yz": zero("uint8", 40),
    }
    nodes = [
        node("DequantizeLinear", "x xs xz", "d"),
        node("DequantizeLinear", "w ws wz", "f"),
        node("Conv", "d f", "c0" if stored else "c", pads=[1, 1, 1, 1]),
        *(STORED if stored else []),
        *activation,
        node("QuantizeLinear", "a ys yz", "y"),
    ]
    if not stored:
        weights = {name: value for name, value in weights.items() if name not in ("cs", "cz")}
    return network(nodes, {"x": data}, ("uint8", [1, 8, 9, 10]), weights, opset=14), {"x": data}


@pytest.mark.slow
@pytest.mark.parametrize("stored", [False, True], ids=["", "stored"])
@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations_are_part_of_the_layer_or_tables(name: str, stored: bool) -> None:
    network, inputs = model(ACTIVATIONS[name], stored)
    compiled = directconv.compile(network)
    (got,), (wanted,) = compiled.run(inputs), run_onnx_runtime(network, inputs)
    assert len(np.unique(wanted)) > 4, "the reference says nothing"
    apart = np.abs(got.astype(int) - wanted.astype(int))
    assert apart.max() <= 1 and np.count_nonzero(apart) <= 2
    (layer,) = compiled.report().layers
    assert layer.kind == "qconv2d" and (f"-uint8z{110 if stored else 40}" in layer.workload)
    others = compiled.report().other_kernels
    assert others.get("lookup", 0) == stored, others
