"""Reductions of types that Relax does not reduce, and what it defines otherwise than ONNX: refused."""

from __future__ import annotations

from collections.abc import Callable

from tvm import relax

from relay_strategies.relax.functions import log_sum_exp
from relay_strategies.relax.graph import dtype_of

from .node import Converter, Node


def _extreme(node: Node) -> relax.Expr:
    """Reduce truth values as the bytes 0 and 1."""
    return _computed_in(node, "int8") if dtype_of(node.data()) == "bool" else node.by_tvm()


def _mean(node: Node) -> relax.Expr:
    """Compute means of integers in int64, as TVM's kernel does whatever their type."""
    kind = dtype_of(node.data())
    return node.by_tvm() if "float" in kind or kind == "int64" else _computed_in(node, "int64")


def _computed_in(node: Node, kind: str) -> relax.Expr:
    """Convert a node by TVM with its data cast to another type, and cast the result back."""
    data = node.emit(relax.op.astype(node.data(), kind))
    return relax.op.astype(node.emit(node.by_tvm([data, *node.inputs[1:]])), dtype_of(node.data()))


UNREDUCED: dict[str, Callable[[relax.Expr], relax.Expr]] = {
    "ReduceL1": relax.op.abs,
    "ReduceL2": relax.op.abs,
    "ReduceSumSquare": lambda data: relax.op.multiply(data, data),
    "ReduceLogSum": relax.op.log,
}
"""What these compute of each element where no axis is reduced."""


ROUNDED = ("ReduceL2", "ReduceLogSum")
"""Operators that are computed in real numbers; for integers the fraction is dropped."""


def _norm(node: Node) -> relax.Expr:
    if node.kind in ROUNDED and "float" not in dtype_of(node.data()):
        return _computed_in(node, "float64")
    axes = node.array(1) if node.opset >= 18 else None
    unreduced = node.attributes.get("noop_with_empty_axes", 0) and (axes is None or not axes.size)
    if unreduced and node.kind in UNREDUCED:
        return UNREDUCED[node.kind](node.data())
    return node.by_tvm()


def _log_sum_exp(node: Node) -> relax.Expr:
    if "float" not in dtype_of(node.data()):
        return _computed_in(node, "float64")
    given = node.array(1) if node.opset >= 18 else node.attributes.get("axes")
    axes = None if given is None or not len(given) else [int(axis) for axis in given]
    if axes is None and node.attributes.get("noop_with_empty_axes", 0):
        return node.data()
    return log_sum_exp(node.data(), axes, bool(node.attributes.get("keepdims", 1)))


def _non_max_suppression(node: Node) -> relax.Expr:
    """Refuse a score threshold: TVM's converter selects boxes whatever their scores are."""
    if node.input(4) is not None:
        raise node.refusal("a score_threshold is not supported")
    return node.by_tvm()


CONVERTERS: dict[str, Converter] = {
    "NonMaxSuppression": _non_max_suppression,
    "ReduceLogSumExp": _log_sum_exp,
    "ReduceMax": _extreme,
    "ReduceMean": _mean,
    "ReduceMin": _extreme,
    **dict.fromkeys((*UNREDUCED, *ROUNDED), _norm),
}
