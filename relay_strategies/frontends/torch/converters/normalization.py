"""Normalization and softmax."""

from __future__ import annotations

from tvm import relax

from relay_strategies.functional.normalization import group_norm, layer_norm, own_statistics, parameters
from relay_strategies.functional.reductions import vector_norm
from relay_strategies.relax.graph import dtype_of

from .node import Converter, Node


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
    return _of_three(node, result)


def _layer_norm(node: Node) -> relax.Expr:
    rank = len(node.shape("input"))
    axes = range(rank - len(node["normalized_shape"]), rank)
    return _of_three(node, layer_norm(node, *_operands(node), axes, float(node["eps"]), _computed_in(node)))


def _group_norm(node: Node) -> relax.Expr:
    groups, epsilon = int(node["group"]), float(node["eps"])
    return _of_three(node, group_norm(node, *_operands(node), groups, epsilon, _computed_in(node)))


def _operands(node: Node) -> tuple[relax.Expr, relax.Expr | None, relax.Expr | None]:
    return node.tensor("input"), node["weight"], node["bias"]


def _computed_in(node: Node) -> str:
    """The type of weights, which under autocast is float32 beside data of 16 bits."""
    given = [value for value in _operands(node)[1:] if value is not None]
    return dtype_of(given[0]) if given else node.dtype


def _of_three(node: Node, result: relax.Expr) -> relax.Expr:
    """A normalization's first result; the others, which training uses, are never asked for."""
    return relax.Tuple([node.cast(result, node.dtype)])


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
