"""Normalizations over the last axes, or by a batch's own statistics, with all of their outputs.

They are computed in float32 whatever the data's type.
"""

from __future__ import annotations

import numpy as np
from tvm import relax

from relay_strategies.relax.graph import constant, dtype_of, make_constant, operator_name, shape_of

from .node import Converter, Node


def _batch_normalization(node: Node) -> relax.Expr:
    """In training mode the statistics are the data's own: so exporters write standardized weights, too."""
    if not node.attributes.get("training_mode", 0):
        return node.by_tvm(node.inputs)
    shape = node.shape()
    axes = [axis for axis in range(len(shape)) if axis != 1]
    per_channel = [-1 if axis == 1 else 1 for axis in range(len(shape))]
    kinds = [dtype_of(node.data(index)) for index in (0, 3, 4)]
    data, scale, bias, *running = (_in_float32(node, node.data(index)) for index in range(5))
    mean = node.emit(relax.op.mean(data, axes, keepdims=True))
    centred = node.emit(relax.op.subtract(data, mean))
    squares = node.emit(relax.op.multiply(centred, centred))
    variance = node.emit(relax.op.mean(squares, axes, keepdims=True))
    inverse = _inverse_root(node, variance, float(node.attributes.get("epsilon", 1e-5)))
    scale, bias = (node.emit(relax.op.reshape(value, per_channel)) for value in (scale, bias))
    factor = node.emit(relax.op.multiply(inverse, scale))
    result = node.emit(relax.op.add(node.emit(relax.op.multiply(centred, factor)), bias))
    results = [_cast(node, result, kinds[0])]
    momentum = float(node.attributes.get("momentum", 0.9))
    for given, current, kind in zip(running, (mean, variance), kinds[1:], strict=True):
        kept = node.emit(relax.op.multiply(given, relax.const(momentum, "float32")))
        flat = node.emit(relax.op.reshape(current, (shape[1],)))
        new = node.emit(relax.op.multiply(flat, relax.const(1 - momentum, "float32")))
        results.append(_cast(node, relax.op.add(kept, new), kind))
    return results[0] if node.outputs == 1 else relax.Tuple(results[: node.outputs])


def _instance_normalization(node: Node) -> relax.Expr:
    """By the statistics of each channel. Where a change of shape made whole groups of channels the channels,
    as exporters write GroupNorm, it is that in the shape before, and the change behind it undoes this
    one."""
    shape, kind = node.shape(), dtype_of(node.data())
    if len(shape) < 3:
        return node.by_tvm(node.inputs)
    data, scale, bias = (_in_float32(node, node.data(index)) for index in range(3))
    epsilon = float(node.attributes.get("epsilon", 1e-5))
    given = node.builder.lookup_binding(data) if isinstance(data, relax.Var) else None
    whole = given.args[0] if given is not None and operator_name(given) == "relax.reshape" else None
    before = None if whole is None else shape_of(whole)
    if before is None or len(before) < 3 or before[0] != shape[0] or before[1] % shape[1]:
        axes = list(range(2, len(shape)))
        return _cast(node, relax.op.nn.instance_norm(data, scale, bias, 1, axes, epsilon), kind)
    of_group, axes = before[1] // shape[1], list(range(2, len(before)))
    scale, bias = (_repeated(node, value, of_group) for value in (scale, bias))
    result = relax.op.nn.group_norm(whole, scale, bias, shape[1], 1, axes, epsilon)
    return _cast(node, relax.op.reshape(node.emit(result), shape), kind)


def _layer_normalization(node: Node) -> relax.Expr:
    axis, shape = node.axis(-1), node.shape()
    axes, kind = list(range(axis, len(shape))), dtype_of(node.data())
    data = _in_float32(node, node.data())
    parameters = [_parameter(node, index, shape[axis:]) for index in (1, 2)]
    epsilon = float(node.attributes.get("epsilon", 1e-5))
    scale, bias = parameters[0], parameters[1]
    if bias is None:
        bias = relax.op.zeros(shape[axis:], "float32")
    result = _cast(node, relax.op.nn.layer_norm(data, scale, bias, axes, epsilon), kind)
    if node.outputs == 1:
        return result
    mean = node.emit(relax.op.mean(data, axes, keepdims=True))
    variance = node.emit(relax.op.variance(data, axes, keepdims=True))
    return relax.Tuple([result, mean, _inverse_root(node, variance, epsilon)])


def _rms_normalization(node: Node) -> relax.Expr:
    axis, shape, kind = node.axis(-1), node.shape(), dtype_of(node.data())
    data = _in_float32(node, node.data())
    scale = _parameter(node, 1, shape[axis:])
    squares = node.emit(relax.op.multiply(data, data))
    mean = node.emit(relax.op.mean(squares, list(range(axis, len(shape))), keepdims=True))
    epsilon = float(node.attributes.get("epsilon", 1e-5))
    normalized = node.emit(relax.op.multiply(data, _inverse_root(node, mean, epsilon)))
    return _cast(node, relax.op.multiply(normalized, scale), kind)


def _lp_normalization(node: Node) -> relax.Expr:
    """Data of the norm 0 stays 0."""
    axis, order, kind = node.axis(-1), int(node.attributes.get("p", 2)), dtype_of(node.data())
    if order not in (1, 2):
        raise node.error(f"p is {order}, neither 1 nor 2")
    data = _in_float32(node, node.data())
    sizes = node.emit(relax.op.abs(data) if order == 1 else relax.op.multiply(data, data))
    norm = node.emit(relax.op.sum(sizes, axis, keepdims=True))
    if order == 2:
        norm = node.emit(relax.op.sqrt(norm))
    is_zero = node.emit(relax.op.equal(norm, relax.const(0, "float32")))
    norm = node.emit(relax.op.where(is_zero, relax.const(1, "float32"), norm))
    return _cast(node, relax.op.divide(data, norm), kind)


def _mean_variance_normalization(node: Node) -> relax.Expr:
    """By mean and deviation, to which the standard adds 1e-9: what does not vary becomes 0. Of each image, or
    of each of its channels, it is a normalization of groups."""
    shape, kind = node.shape(), dtype_of(node.data())
    axes = sorted({int(axis) % len(shape) for axis in node.attributes.get("axes", (0, 2, 3))})
    data, of_image = _in_float32(node, node.data()), set(range(2, len(shape)))
    reduced = {axis for axis in axes if shape[axis] != 1 or axis in of_image}
    if of_image and of_image <= reduced <= of_image | {1}:
        ones, zeros = (make_constant(np.full(shape[1], value, np.float32)) for value in (1, 0))
        groups = 1 if 1 in reduced else shape[1]
        result = relax.op.nn.group_norm(data, ones, zeros, groups, 1, sorted(of_image), 1e-18)
        return _cast(node, result, kind)
    distance = node.emit(relax.op.subtract(data, node.emit(relax.op.mean(data, axes, keepdims=True))))
    squares = node.emit(relax.op.multiply(distance, distance))
    deviation = node.emit(relax.op.sqrt(node.emit(relax.op.mean(squares, axes, keepdims=True))))
    deviation = node.emit(relax.op.add(deviation, relax.const(1e-9, "float32")))
    return _cast(node, relax.op.divide(distance, deviation), kind)


def _local_response_normalization(node: Node) -> relax.Expr:
    """TVM's converter has its constants in float32, and wants odd sizes."""
    data = node.data()
    if node.attributes.get("size", 1) % 2 == 0:
        raise node.refusal("an even size is not supported")
    return _cast(node, node.by_tvm([_in_float32(node, data)]), dtype_of(data))


def _repeated(node: Node, value: relax.Expr, times: int) -> relax.Expr:
    array = constant(value)
    return node.emit(
        relax.op.repeat(value, times, 0) if array is None else make_constant(np.repeat(array, times))
    )


def _parameter(node: Node, index: int, shape: tuple[int, ...]) -> relax.Expr | None:
    """A scale or bias with all elements of what is normalized; None where it is left out."""
    if node.input(index) is None:
        return None
    given = node.shape(index)
    try:
        fits = np.broadcast_shapes(given, shape) == shape
    except ValueError:
        fits = False
    if not fits:
        raise node.error(f"input {index} has shape {given}, which is none of {shape}'s")
    value = _in_float32(node, node.data(index))
    return value if given == shape else node.emit(relax.op.broadcast_to(value, shape))


def _inverse_root(node: Node, data: relax.Expr, epsilon: float) -> relax.Expr:
    return node.emit(relax.op.rsqrt(node.emit(relax.op.add(data, relax.const(epsilon, "float32")))))


def _in_float32(node: Node, data: relax.Expr) -> relax.Expr:
    return _cast(node, data, "float32")


def _cast(node: Node, data: relax.Expr, dtype: str) -> relax.Expr:
    data = node.emit(data) if isinstance(data, relax.Call) else data
    return data if dtype_of(data) == dtype else node.emit(relax.op.astype(data, dtype))


CONVERTERS: dict[str, Converter] = {
    "BatchNormalization": _batch_normalization,
    "InstanceNormalization": _instance_normalization,
    "LRN": _local_response_normalization,
    "LayerNormalization": _layer_normalization,
    "LpNormalization": _lp_normalization,
    "MeanVarianceNormalization": _mean_variance_normalization,
    "RMSNormalization": _rms_normalization,
}
