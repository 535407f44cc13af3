"""Normalization and softmax."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from tvm import relax

from relay_strategies.relax.graph import dtype_of, make_constant

from .node import Converter, Node


def _batch_norm(node: Node) -> relax.Expr:
    """By the statistics that training left; the further results are those of training."""
    data, channels = node.tensor("input"), node.shape("input")[1]
    parameters = [
        node.cast(node[name], node.dtype)
        if node[name] is not None
        else make_constant(np.full(channels, default).astype(node.dtype))
        for name, default in (("weight", 1), ("bias", 0), ("running_mean", 0), ("running_var", 1))
    ]
    normalized = relax.op.nn.batch_norm(
        data, *parameters, axis=1, epsilon=float(node["eps"]), momentum=0.0, training=False
    )
    result = node.emit(relax.TupleGetItem(node.emit(normalized), 0))
    return relax.Tuple([result])


def _own_statistics(node: Node) -> relax.Expr:
    """By the data's own mean and variance per channel: instance normalization is made of it."""
    shape = node.shape("input")
    data, weight, bias = _in_one_type(node, [shape[1]])
    axes = [0, *range(2, len(shape))]
    mean = node.emit(relax.op.mean(data, axes, keepdims=True))
    variance = node.emit(relax.op.variance(data, axes, keepdims=True))
    spread = node.emit(relax.op.add(variance, node.cast(float(node["eps"]), dtype_of(data))))
    centered = node.emit(relax.op.subtract(data, mean))
    result = node.emit(relax.op.multiply(centered, node.emit(relax.op.rsqrt(spread))))
    for operator, name, value in ((relax.op.multiply, "weight", weight), (relax.op.add, "bias", bias)):
        if node[name] is not None:
            wide = node.emit(relax.op.reshape(value, [1, -1, *[1] * (len(shape) - 2)]))
            result = node.emit(operator(result, wide))
    return _of_three(node, result)


def _layer_norm(node: Node) -> relax.Expr:
    shape = [int(size) for size in node["normalized_shape"]]
    rank = len(node.shape("input"))
    axes = list(range(rank - len(shape), rank))
    return _of_three(node, _normalized(node, axes, shape))


def _normalized(node: Node, axes: list[int], shape: list[int]) -> relax.Expr:
    return relax.op.nn.layer_norm(*_in_one_type(node, shape), axes, float(node["eps"]))


def _in_one_type(node: Node, shape: Sequence[int]) -> tuple[relax.Expr, relax.Expr, relax.Expr]:
    """Data, weight and bias, ones and zeros where these are left out.

    Under autocast weights are float32 beside data of 16 bits: then sums are of float32, too.
    """
    given = [node[name] for name in ("weight", "bias") if node[name] is not None]
    dtype = dtype_of(given[0]) if given else node.dtype
    weight, bias = (
        node.cast(node[name], dtype)
        if node[name] is not None
        else make_constant(np.full(shape, default).astype(dtype))
        for name, default in (("weight", 1), ("bias", 0))
    )
    return node.cast(node.tensor("input"), dtype), weight, bias


def _group_norm(node: Node) -> relax.Expr:
    shape = node.shape("input")
    axes = list(range(2, len(shape)))
    if not axes:
        raise node.refusal("group normalization needs a map")
    operands = _in_one_type(node, [shape[1]])
    result = relax.op.nn.group_norm(*operands, int(node["group"]), 1, axes, float(node["eps"]))
    return _of_three(node, result)


def _of_three(node: Node, result: relax.Expr) -> relax.Expr:
    """A normalization's first result; the others, which training uses, are never asked for."""
    return relax.Tuple([node.cast(result, node.dtype)])


def _softmax(operator: str) -> Converter:
    def convert(node: Node) -> relax.Expr:
        data = node.cast(node.tensor("self"), node.dtype)
        return getattr(relax.op.nn, operator)(data, node.axis(node["dim"], len(node.shape("self"))))

    return convert


def _vector_norm(node: Node) -> relax.Expr:
    data, order = node.cast(node.tensor("self"), node.dtype), float(node["ord"])
    axes, kept = node.axes(node["dim"], len(node.shape("self"))), bool(node["keepdim"])
    if order == 2:
        squares = node.emit(relax.op.multiply(data, data))
        return relax.op.sqrt(node.emit(relax.op.sum(squares, axes, kept)))
    size = node.emit(relax.op.abs(data))
    if math.isinf(order):
        return (relax.op.max if order > 0 else relax.op.min)(size, axes, kept)
    if order == 1:
        return relax.op.sum(size, axes, kept)
    if order == 0:
        raise node.refusal("the norm of order 0 is not supported")
    total = node.emit(relax.op.sum(relax.op.power(size, node.cast(order, node.dtype)), axes, kept))
    return relax.op.power(total, node.cast(1 / order, node.dtype))


CONVERTERS: dict[str, Converter] = {
    "_native_batch_norm_legit_no_training.default": _batch_norm,
    "_native_batch_norm_legit.no_stats": _own_statistics,
    "native_layer_norm.default": _layer_norm,
    "native_group_norm.default": _group_norm,
    "_softmax.default": _softmax("softmax"),
    "_log_softmax.default": _softmax("log_softmax"),
    "linalg_vector_norm.default": _vector_norm,
}
