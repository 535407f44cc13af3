"""Normalization and softmax."""

from __future__ import annotations

from collections.abc import Sequence

from tvm import relax

from relay_strategies.functional.normalization import (
    group_norm,
    inverse_root,
    layer_norm,
    own_statistics,
    parameters,
)
from relay_strategies.functional.reductions import reduce, vector_norm
from relay_strategies.relax.graph import dtype_of

from .node import NAMES, Converter, Node


def _batch_norm(node: Node) -> relax.Expr:
    """Normalize by the statistics that training left; the further results are those of training."""
    data, channels = node.tensor("input"), node.shape("input")[1]
    given = [node[name] for name in ("weight", "bias", "running_var", "running_mean")]
    scale, bias, variance, mean = parameters(node, given, [channels], node.dtype)
    normalized = relax.op.nn.batch_norm(
        data, scale, bias, mean, variance, axis=1, epsilon=float(node["eps"]), momentum=0.0, training=False
    )
    result = node.emit(relax.TupleGetItem(node.emit(normalized), 0))
    return relax.Tuple([result])


def _own_statistics(node: Node) -> relax.Expr:
    """Normalize by the data's own mean and variance per channel; instance normalization uses this."""
    result, *_ = own_statistics(node, *_operands(node), float(node["eps"]), _computed_in(node))
    axes = [axis for axis in range(len(node.shape("input"))) if axis != 1]
    return _with_statistics(node, result, node.tensor("input"), axes)


def _layer_norm(node: Node) -> relax.Expr:
    rank = len(node.shape("input"))
    axes = range(rank - len(node["normalized_shape"]), rank)
    result = layer_norm(node, *_operands(node), axes, float(node["eps"]), _computed_in(node))
    return _with_statistics(node, result, node.tensor("input"), axes)


def _group_norm(node: Node) -> relax.Expr:
    groups, epsilon = int(node["group"]), float(node["eps"])
    shape = node.shape("input")
    given = node.tensor("input"), *_operands(node)[1:]
    if len(shape) == 2:  # rows of channels are maps of one element
        given = node.emit(relax.op.expand_dims(given[0], 2)), *given[1:]
    result = node.emit(group_norm(node, *given, groups, epsilon, _computed_in(node)))
    grouped = node.emit(relax.op.reshape(given[0], [shape[0], groups, -1]))
    return _with_statistics(node, relax.op.reshape(result, shape), grouped, [2])


def _operands(node: Node) -> tuple[relax.Expr, relax.Expr | None, relax.Expr | None]:
    return node.tensor("input"), node["weight"], node["bias"]


def _computed_in(node: Node) -> str:
    """The type of weights, which under autocast is float32 beside data of 16 bits."""
    given = [value for value in _operands(node)[1:] if value is not None]
    return dtype_of(given[0]) if given else node.dtype


def _with_statistics(node: Node, result: relax.Expr, data: relax.Expr, axes: Sequence[int]) -> relax.Expr:
    """A normalization's result and, where they are used, the mean and the inverse deviation."""
    results = [node.cast(result, node.dtype)]
    if any(user.args[1] != 0 for user in node.source.users):
        data = node.cast(data, "float64" if node.dtype == "float64" else "float32")
        variance = reduce(node, data, "variance", axes)
        statistics = reduce(node, data, "mean", axes), inverse_root(node, variance, float(node["eps"]))
        for value, known in zip(statistics, node.meta[1:], strict=True):
            shaped = node.emit(relax.op.reshape(value, node.sizes_of(known)))
            results.append(node.cast(shaped, NAMES[known.dtype]))
    return relax.Tuple(results)


def _softmax(operator: str) -> Converter:
    def convert(node: Node) -> relax.Expr:
        data = node.cast(node.tensor("self"), node.dtype)
        return getattr(relax.op.nn, operator)(data, node.axis(node["dim"], len(node.shape("self"))))

    return convert


def _vector_norm(node: Node) -> relax.Expr:
    data, axes = node.cast(node.tensor("self"), node.dtype), node.axes(node["dim"], len(node.shape("self")))
    return vector_norm(node, data, float(node["ord"]), axes, bool(node["keepdim"]))


CONVERTERS: dict[str, Converter] = {
    "_native_batch_norm_legit_no_training.default": _batch_norm,
    "_native_batch_norm_legit.no_stats": _own_statistics,
    "native_layer_norm.default": _layer_norm,
    "native_group_norm.default": _group_norm,
    "_softmax.default": _softmax("softmax"),
    "_log_softmax.default": _softmax("log_softmax"),
    "linalg_vector_norm.default": _vector_norm,
}
