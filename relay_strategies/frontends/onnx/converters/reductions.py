"""Reductions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tvm import relax

from relay_strategies.functional.reductions import reduce

from .node import Converter, Node


def _reduction(kind: str) -> Converter:
    def convert(node: Node) -> relax.Expr:
        return reduce(node, node.data(), kind, _axes(node), bool(node.integer("keepdims", 1)))

    return convert


def _axes(node: Node) -> list[int]:
    """The axes that are reduced, an attribute in early opsets; all where none is given, unless the node says
    that these are none."""
    rank, given = len(node.shape()), node.array(1)
    axes: Sequence[Any] = node.attributes.get("axes", ()) if given is None else given.reshape(-1).tolist()
    if not len(axes) and not node.integer("noop_with_empty_axes", 0):
        return list(range(rank))
    if any(not -rank <= axis < rank for axis in axes):
        raise node.error(f"axes {list(axes)} are none of {rank} axes")
    return [int(axis) % rank for axis in axes]


CONVERTERS: dict[str, Converter] = {
    "ReduceL1": _reduction("l1"),
    "ReduceL2": _reduction("l2"),
    "ReduceLogSum": _reduction("log_sum"),
    "ReduceLogSumExp": _reduction("log_sum_exp"),
    "ReduceMax": _reduction("max"),
    "ReduceMean": _reduction("mean"),
    "ReduceMin": _reduction("min"),
    "ReduceProd": _reduction("prod"),
    "ReduceSum": _reduction("sum"),
    "ReduceSumSquare": _reduction("sum_square"),
}
