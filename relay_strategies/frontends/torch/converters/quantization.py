"""Quantization and dequantization, as PyTorch's quantizers by torch.export (pt2e) write them."""

from __future__ import annotations

from typing import Any

import numpy as np
from tvm import relax

from relay_strategies.relax.graph import constant, dtype_of
from relay_strategies.relax.quantize_calls import Parameters

from .node import NAMES, Converter, Node


def _parameters(node: Node) -> Parameters | None:
    """Scale and zero point, of the whole tensor or per channel; None for those of a tensor that are known at
    run time only."""
    per_channel, several = "axis" in node.arguments, "s" * ("scales" in node.arguments)
    scale, zero = _known(node, f"scale{several}"), _known(node, f"zero_point{several}")
    if scale is not None and zero is not None:
        data = "input" if "input" in node.arguments else "self"
        axis = node.axis(node["axis"], len(node.shape(data))) if per_channel else None
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
    dtype, parameters = NAMES[node["dtype"]], _parameters(node)
    data = node.cast(node.tensor("input"), "float32")
    if parameters is None:
        return _quantize_at_run_time(node, data, dtype)
    return _in_range(node, parameters.quantize(data, dtype), dtype)


def _in_range(node: Node, numbers: relax.Expr, dtype: str) -> relax.Expr:
    """What lies outside of a range narrower than the type's is brought to its ends."""
    result = node.emit(numbers)
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


def _imitated(node: Node) -> relax.Expr:
    """Quantized and dequantized, as training for quantization does; which were inside, nobody asks."""
    enabled = _known(node, "fake_quant_enabled") if "fake_quant_enabled" in node.arguments else np.ones(1)
    if enabled is None:
        raise node.refusal("whether it is enabled is known at run time only")
    if not enabled.all():
        return relax.Tuple([node.tensor("self")])
    low, high = int(node["quant_min"]), int(node["quant_max"])
    dtype = next((d for d in ("uint8", "int8") if np.iinfo(d).min <= low and high <= np.iinfo(d).max), None)
    if dtype is None:
        raise node.refusal(f"integers from {low} to {high} do not fit into a byte")
    parameters = _parameters(node)
    if parameters is None:
        raise node.refusal("its scale is known at run time only")
    data = node.cast(node.tensor("self"), "float32")
    numbers = _in_range(node, parameters.quantize(data, dtype), dtype)
    return relax.Tuple([node.cast(node.emit(parameters.dequantize(numbers)), node.dtype)])


DEQUANTIZE = [f"dequantize_per_{kind}" for kind in ("tensor.default", "tensor.tensor", "channel.default")]
IMITATE = (
    "fake_quantize_per_tensor_affine_cachemask.default",
    "_fake_quantize_per_tensor_affine_cachemask_tensor_qparams.default",
    "fake_quantize_per_channel_affine_cachemask.default",
)
KEPT = frozenset((*DEQUANTIZE, *IMITATE))
"""Operators that are kept for weights, too: products of weights need their integers."""

CONVERTERS: dict[str, Converter] = {
    **{name.removeprefix("de"): _quantize for name in DEQUANTIZE},
    **dict.fromkeys(DEQUANTIZE, _dequantize),
    **dict.fromkeys(IMITATE, _imitated),
}
