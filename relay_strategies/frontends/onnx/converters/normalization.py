"""Normalizations over the last axes, or by a batch's own statistics, with all of their outputs.

They are computed in float32 whatever the data's type.
"""

from __future__ import annotations

import numpy as np
from tvm import relax

from relay_strategies.functional.normalization import (
    group_norm,
    inverse_root,
    layer_norm,
    local_response_norm,
    own_statistics,
    rms_norm,
)
from relay_strategies.functional.reductions import vector_norm
from relay_strategies.relax.graph import constant, dtype_of, make_constant, operator_name, shape_of

from .node import Converter, Node


def _batch_normalization(node: Node) -> relax.Expr:
    """Use the data's own statistics in training mode; exporters also write standardized weights this way."""
    if not node.attributes.get("training_mode", 0):
        return node.by_tvm()
    data, scale, bias = (node.data(index) for index in range(3))
    result, *current = own_statistics(node, data, scale, bias, _epsilon(node))
    results, momentum = [result], node.number("momentum", 0.9)
    for index, statistic in enumerate(current, 3):
        kept = node.cast(node.data(index), "float32")
        kept = node.emit(relax.op.multiply(kept, relax.const(momentum, "float32")))
        flat = node.emit(relax.op.reshape(statistic, node.shape()[1:2]))
        new = node.emit(relax.op.multiply(flat, relax.const(1 - momentum, "float32")))
        results.append(node.cast(relax.op.add(kept, new), dtype_of(node.data(index))))
    return results[0] if node.outputs == 1 else relax.Tuple(results[: node.outputs])


def _instance_normalization(node: Node) -> relax.Expr:
    """Normalize by the statistics of each channel.

    Exporters write GroupNorm as a reshape that makes each group of channels one channel, this operator and
    the reshape back. That becomes group normalization in the shape before, and the reshape behind it undoes
    the one here.
    """
    shape, kind = node.shape(), dtype_of(node.data())
    if len(shape) < 3:
        return node.by_tvm()
    data, scale, bias = (node.cast(node.data(index), "float32") for index in range(3))
    given = node.builder.lookup_binding(data) if isinstance(data, relax.Var) else None
    whole = given.args[0] if given is not None and operator_name(given) == "relax.reshape" else None
    before = None if whole is None else shape_of(whole)
    if before is None or len(before) < 3 or before[0] != shape[0] or before[1] % shape[1]:
        axes = list(range(2, len(shape)))
        return node.cast(relax.op.nn.instance_norm(data, scale, bias, 1, axes, _epsilon(node)), kind)
    of_group = before[1] // shape[1]
    scale, bias = (_repeated(node, value, of_group) for value in (scale, bias))
    result = node.emit(group_norm(node, whole, scale, bias, shape[1], _epsilon(node)))
    return node.cast(relax.op.reshape(result, shape), kind)


def _group_normalization(node: Node) -> relax.Expr:
    """Before opset 21 there is a scale for each group."""
    groups, scale, bias = node.integer("num_groups", 1), node.data(1), node.data(2)
    if node.opset < 21:
        of_group = node.shape()[1] // groups
        scale, bias = (_repeated(node, value, of_group) for value in (scale, bias))
    return group_norm(node, node.data(), scale, bias, groups, _epsilon(node))


def _layer_normalization(node: Node) -> relax.Expr:
    axis, shape = node.axis(-1), node.shape()
    axes = list(range(axis, len(shape)))
    scale, bias = (_parameter(node, index, shape[axis:]) for index in (1, 2))
    result = layer_norm(node, node.data(), scale, bias, axes, _epsilon(node))
    if node.outputs == 1:
        return result
    data = node.cast(node.data(), "float32")
    mean = node.emit(relax.op.mean(data, axes, keepdims=True))
    variance = node.emit(relax.op.variance(data, axes, keepdims=True))
    return relax.Tuple([result, mean, inverse_root(node, variance, _epsilon(node))])


def _rms_normalization(node: Node) -> relax.Expr:
    axis, shape = node.axis(-1), node.shape()
    scale = _parameter(node, 1, shape[axis:])
    if scale is None:
        raise node.error("input 1 is missing")
    return rms_norm(node, node.data(), scale, range(axis, len(shape)), _epsilon(node))


def _lp_normalization(node: Node) -> relax.Expr:
    """Data of the norm 0 stays 0."""
    axis, order, kind = node.axis(-1), int(node.attributes.get("p", 2)), dtype_of(node.data())
    if order not in (1, 2):
        raise node.error(f"p is {order}, neither 1 nor 2")
    data = node.cast(node.data(), "float32")
    norm = node.emit(vector_norm(node, data, order, [axis], keepdims=True))
    is_zero = node.emit(relax.op.equal(norm, relax.const(0, "float32")))
    norm = node.emit(relax.op.where(is_zero, relax.const(1, "float32"), norm))
    return node.cast(relax.op.divide(data, norm), kind)


def _mean_variance_normalization(node: Node) -> relax.Expr:
    """Normalize by mean and deviation. The standard adds 1e-9 to the deviation: constant data become 0.

    Over each image, or each of its channels, this is group normalization.
    """
    shape, kind = node.shape(), dtype_of(node.data())
    axes = sorted({int(axis) % len(shape) for axis in node.attributes.get("axes", (0, 2, 3))})
    data, of_image = node.cast(node.data(), "float32"), set(range(2, len(shape)))
    reduced = {axis for axis in axes if shape[axis] != 1 or axis in of_image}
    if of_image and of_image <= reduced <= of_image | {1}:
        groups = 1 if 1 in reduced else shape[1]
        return group_norm(node, node.data(), None, None, groups, 1e-18)
    distance = node.emit(relax.op.subtract(data, node.emit(relax.op.mean(data, axes, keepdims=True))))
    squares = node.emit(relax.op.multiply(distance, distance))
    deviation = node.emit(relax.op.sqrt(node.emit(relax.op.mean(squares, axes, keepdims=True))))
    deviation = node.emit(relax.op.add(deviation, relax.const(1e-9, "float32")))
    return node.cast(relax.op.divide(distance, deviation), kind)


def _local_response_normalization(node: Node) -> relax.Expr:
    """Compute in float32."""
    numbers = [node.number(*of) for of in (("alpha", 1e-4), ("beta", 0.75), ("bias", 1.0))]
    data = node.cast(node.data(), "float32")
    return node.cast(
        local_response_norm(node, data, node.integer("size", 1), *numbers), dtype_of(node.data())
    )


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
    value = node.cast(node.data(index), "float32")
    return value if given == shape else node.emit(relax.op.broadcast_to(value, shape))


def _epsilon(node: Node) -> float:
    return node.number("epsilon", 1e-5)


CONVERTERS: dict[str, Converter] = {
    "BatchNormalization": _batch_normalization,
    "GroupNormalization": _group_normalization,
    "InstanceNormalization": _instance_normalization,
    "LRN": _local_response_normalization,
    "LayerNormalization": _layer_normalization,
    "LpNormalization": _lp_normalization,
    "MeanVarianceNormalization": _mean_variance_normalization,
    "RMSNormalization": _rms_normalization,
}
