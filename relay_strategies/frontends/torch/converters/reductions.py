"""Sums, extremes and their places along axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tvm import relax

from relay_strategies.functional.reductions import reduce
from relay_strategies.relax.graph import dtype_of, shape_of
from tvm_directconv.problem.extents import is_open

from .node import Converter, Node


def _axes(node: Node) -> list[int]:
    return node.axes(node.arguments.get("dim"), len(node.shape("self")))


def _reduced(node: Node, kind: str, data: relax.Expr) -> relax.Expr:
    axes = _axes(node) if shape_of(data) else []
    return reduce(node, data, kind, axes, bool(node.arguments.get("keepdim", False)))


def _reduction(kind: str) -> Converter:
    """Reduce in the result's type, to which PyTorch promotes integers."""
    return lambda node: _reduced(node, kind, node.cast(node.tensor("self"), node.dtype))


def _any_or_all(kind: str) -> Converter:
    """The largest or smallest of truths."""

    def convert(node: Node) -> relax.Expr:
        data = node.tensor("self")
        if dtype_of(data) != "bool":
            data = node.emit(relax.op.not_equal(data, node.cast(0, dtype_of(data))))
        return _reduced(node, kind, data)

    return convert


def _variance(node: Node) -> relax.Expr:
    """The sum of squared differences over the number of elements less the correction."""
    data = node.cast(node.tensor("self"), node.dtype)
    count = 1
    for axis in _axes(node):
        count *= node.shape("self")[axis]
    correction = float(1 if node["correction"] is None else node["correction"])
    found = node.emit(_reduced(node, "variance", data))
    if is_open([count]):
        whole = node.cast(count, node.dtype)
        others = node.emit(relax.op.subtract(whole, node.cast(correction, node.dtype)))
        others = node.emit(relax.op.maximum(others, node.cast(0, node.dtype)))
        return relax.op.multiply(found, node.emit(relax.op.divide(whole, others)))
    factor = count / (count - correction) if count > correction else float("inf")
    return relax.op.multiply(found, node.cast(factor, node.dtype))


def _variance_and_mean(node: Node) -> relax.Expr:
    data = node.cast(node.tensor("self"), node.dtype)
    return relax.Tuple([node.emit(_variance(node)), node.emit(_reduced(node, "mean", data))])


def _extreme_along(values: Callable[..., relax.Expr], places: Callable[..., relax.Expr]) -> Converter:
    def convert(node: Node) -> relax.Expr:
        data, axis = node.tensor("self"), node.axis(node["dim"], len(node.shape("self")))
        if node.dtype == "bool":
            data = node.cast(data, "int8")
        kept = bool(node["keepdim"])
        found = node.emit(places(data, axis, kept))
        extreme = node.cast(node.emit(values(data, [axis], kept)), node.dtype)
        return relax.Tuple([extreme, node.cast(found, "int64")])

    return convert


def _place(operator: Callable[..., relax.Expr]) -> Converter:
    def convert(node: Node) -> relax.Expr:
        axis: Any = node["dim"]
        if axis is not None:
            axis = node.axis(axis, len(node.shape("self")))
        return node.cast(node.emit(operator(node.tensor("self"), axis, bool(node["keepdim"]))), "int64")

    return convert


def _running_sum(node: Node) -> relax.Expr:
    data = node.cast(node.tensor("self"), node.dtype)
    return relax.op.cumsum(data, node.axis(node["dim"], len(node.shape("self"))), node.dtype)


CONVERTERS: dict[str, Converter] = {
    **dict.fromkeys(("mean.default", "mean.dim"), _reduction("mean")),
    **dict.fromkeys(("sum.default", "sum.dim_IntList"), _reduction("sum")),
    **dict.fromkeys(("amax.default", "max.default"), _reduction("max")),
    **dict.fromkeys(("amin.default", "min.default"), _reduction("min")),
    "logsumexp.default": _reduction("log_sum_exp"),
    **dict.fromkeys(("any.default", "any.dim", "any.dims"), _any_or_all("max")),
    **dict.fromkeys(("all.default", "all.dim", "all.dims"), _any_or_all("min")),
    **dict.fromkeys(("prod.default", "prod.dim_int"), _reduction("prod")),
    "var.correction": _variance,
    "var_mean.correction": _variance_and_mean,
    "max.dim": _extreme_along(relax.op.max, relax.op.argmax),
    "min.dim": _extreme_along(relax.op.min, relax.op.argmin),
    "argmax.default": _place(relax.op.argmax),
    "argmin.default": _place(relax.op.argmin),
    "cumsum.default": _running_sum,
}
