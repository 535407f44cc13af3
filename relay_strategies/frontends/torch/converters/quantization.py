"""Quantization and dequantization, as PyTorch's quantizers by torch.export (pt2e) write them."""

from __future__ import annotations

from typing import Any

import numpy as np
from tvm import relax

from relay_strategies.relax.graph import constant, dtype_of
from relay_strategies.relax.quantization import Parameters

from .node import NAMES, Converter, Node


def _parameters(node: Node) -> Parameters:
    """Scale and zero point, of the whole tensor or per channel."""
    if "scales" not in node.arguments:
        return Parameters(_known(node, "scale"), _known(node, "zero_point").astype(np.int64))
    scales, data = _known(node, "scales"), node.shape("input")
    zeros = np.zeros(scales.size) if node["zero_points"] is None else _known(node, "zero_points")
    return Parameters(scales, zeros.astype(np.int64), node.axis(node["axis"], len(data)))


def _known(node: Node, name: str) -> np.ndarray:
    value: Any = node[name]
    array = constant(value) if isinstance(value, relax.Expr) else np.asarray(value)
    if array is None:
        raise node.refusal(f"argument '{name}' is known at run time only")
    return array.reshape(-1)


def _quantize(node: Node) -> relax.Expr:
    """What lies outside of a range narrower than the type's is brought to its ends."""
    dtype = NAMES[node["dtype"]]
    data = node.cast(node.tensor("input"), "float32")
    result = node.emit(_parameters(node).quantize(data, dtype))
    limits, (low, high) = np.iinfo(dtype), (int(node["quant_min"]), int(node["quant_max"]))
    if low > limits.min:
        result = node.emit(relax.op.maximum(result, node.cast(low, dtype)))
    if high < limits.max:
        result = node.emit(relax.op.minimum(result, node.cast(high, dtype)))
    return result


def _dequantize(node: Node) -> relax.Expr:
    data = node.tensor("input")
    if "int" not in dtype_of(data):
        raise node.refusal(f"it dequantizes {dtype_of(data)}")
    return node.cast(node.emit(_parameters(node).dequantize(data)), node.dtype)


KEPT = frozenset(f"dequantize_per_{kind}" for kind in ("tensor.default", "tensor.tensor", "channel.default"))
"""Of weights, too: what multiplies them wants their integers."""

CONVERTERS: dict[str, Converter] = {
    **{name.removeprefix("de"): _quantize for name in KEPT},
    **dict.fromkeys(KEPT, _dequantize),
}
