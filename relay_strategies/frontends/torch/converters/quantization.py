"""Quantization and dequantization, as PyTorch's quantizers by torch.export (pt2e) write them."""

from __future__ import annotations

from typing import Any

import numpy as np
from tvm import relax

from relay_strategies.relax.graph import constant, dtype_of
from relay_strategies.relax.quantization import Parameters

from .node import NAMES, Converter, Node


def _parameters(node: Node) -> Parameters | None:
    """Scale and zero point, of the whole tensor or per channel; None for those of a tensor that are known at
    run time only."""
    per_channel = "scales" in node.arguments
    scale = _known(node, "scales" if per_channel else "scale")
    zero = _known(node, "zero_points" if per_channel else "zero_point")
    if scale is not None and zero is not None:
        axis = node.axis(node["axis"], len(node.shape("input"))) if per_channel else None
        return Parameters(scale, np.broadcast_to(zero, scale.shape).astype(np.int64), axis)
    if per_channel:
        raise node.refusal("its scales are known at run time only")
    return None


def _known(node: Node, name: str) -> np.ndarray | None:
    value: Any = 0 if node[name] is None else node[name]
    array = constant(value) if isinstance(value, relax.Expr) else np.asarray(value)
    return None if array is None else array.reshape(-1)


def _scalar(node: Node, name: str, dtype: str) -> relax.Expr:
    """A scale or zero point of a whole tensor, whose only element may be known at run time only."""
    return node.cast(relax.op.reshape(node.cast(node[name], dtype), ()), dtype)


def _quantize(node: Node) -> relax.Expr:
    """What lies outside of a range narrower than the type's is brought to its ends."""
    dtype = NAMES[node["dtype"]]
    data, parameters = node.cast(node.tensor("input"), "float32"), _parameters(node)
    if parameters is None:
        return _quantize_at_run_time(node, data, dtype)
    result = node.emit(parameters.quantize(data, dtype))
    limits, (low, high) = np.iinfo(dtype), (int(node["quant_min"]), int(node["quant_max"]))
    if low > limits.min:
        result = node.emit(relax.op.maximum(result, node.cast(low, dtype)))
    if high < limits.max:
        result = node.emit(relax.op.minimum(result, node.cast(high, dtype)))
    return result


def _quantize_at_run_time(node: Node, data: relax.Expr, dtype: str) -> relax.Expr:
    """PyTorch multiplies by the scale's reciprocal."""
    factor = node.emit(relax.op.divide(node.cast(1, "float32"), _scalar(node, "scale", "float32")))
    units = node.emit(relax.op.round(node.emit(relax.op.multiply(data, factor))))
    moved = node.emit(relax.op.add(units, _scalar(node, "zero_point", "float32")))
    return node.cast(relax.op.clip(moved, *(int(node[end]) for end in ("quant_min", "quant_max"))), dtype)


def _dequantize(node: Node) -> relax.Expr:
    data, parameters = node.tensor("input"), _parameters(node)
    if "int" not in dtype_of(data):
        raise node.refusal(f"it dequantizes {dtype_of(data)}")
    if parameters is not None:
        return node.cast(node.emit(parameters.dequantize(data)), node.dtype)
    scale, zero = _scalar(node, "scale", "float32"), _scalar(node, "zero_point", dtype_of(data))
    return node.cast(node.emit(relax.op.dequantize(data, scale, zero)), node.dtype)


KEPT = frozenset(f"dequantize_per_{kind}" for kind in ("tensor.default", "tensor.tensor", "channel.default"))
"""Of weights, too: what multiplies them wants their integers."""

CONVERTERS: dict[str, Converter] = {
    **{name.removeprefix("de"): _quantize for name in KEPT},
    **dict.fromkeys(KEPT, _dequantize),
}
