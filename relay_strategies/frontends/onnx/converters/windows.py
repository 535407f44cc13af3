"""Windows that slide over a map: their strides and padding, and pools by them.

Padding that ONNX derives from ``auto_pad`` is made explicit here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import tvm
from tvm import relax

from relay_strategies.functional import movement
from relay_strategies.functional.pooling import power_pool, rounded_up, window_positions
from relay_strategies.relax.graph import dtype_of
from tvm_directconv.problem.extents import is_open
from tvm_directconv.problem.taps import same_padding

from .node import Converter, Node


def windows_of(node: Node, sizes: Sequence[int], taps: Sequence[int]) -> dict[str, Any]:
    """Return strides, padding and dilations of windows of ``taps`` over axes of ``sizes``."""
    rank, mode = len(sizes), node.text("auto_pad", "NOTSET")
    strides, dilations = (node.ints(name) or [1] * rank for name in ("strides", "dilations"))
    padding = node.ints("pads") if mode == "NOTSET" else []
    if mode.startswith("SAME"):
        axes = zip(sizes, taps, strides, dilations, strict=True)
        before, after = zip(*(same_padding(*axis, mode != "SAME_LOWER") for axis in axes), strict=True)
        padding = [*before, *after]
    return {"strides": strides, "padding": padding or [0] * (2 * rank), "dilations": dilations}


def padded(
    node: Node, data: relax.Expr, window: dict[str, Any], value: float = 0
) -> tuple[relax.Expr, dict[str, Any]]:
    """Return the data and the window over it: where padding depends on open sizes, it is added to the
    data."""
    padding, rank = window["padding"], len(window["padding"]) // 2
    if not is_open(padding):
        return data, window
    pairs = [(0, 0), (0, 0), *zip(padding[:rank], padding[rank:], strict=True)]
    return node.emit(movement.pad(node, data, pairs, value=value)), window | {"padding": [0] * len(padding)}


def pool_by_tvm(node: Node, data: relax.Expr, kind: str) -> relax.Expr:
    """Return a MaxPool or AveragePool of maps."""
    sizes, taps = node.shape_of(data)[2:], node.ints("kernel_shape")
    window = windows_of(node, sizes, taps)
    if is_open(window["padding"]):
        return _pool_of_padded(node, data, kind, window)
    more: dict[str, Any] = {"pads": window["padding"]}
    if is_open(sizes) and node.integer("ceil_mode", 0) and not node.integer("count_include_pad", 0):
        pads, up = rounded_up(taps, window["strides"], window["padding"], window["dilations"])
        more = {"pads": pads, "ceil_mode": int(up)}
    return _padded_by(node, more).by_tvm([data], kind)


def _padded_by(node: Node, pads: dict[str, Any]) -> Node:
    """The node with its padding as these attributes."""
    others = {name: value for name, value in node.attributes.items() if name != "auto_pad"}
    return replace(node, attributes=others | pads)


def _pool_of_padded(node: Node, data: relax.Expr, kind: str, window: dict[str, Any]) -> relax.Expr:
    """A pool whose padding depends on open sizes. Where averages leave padding out, they are taken with it,
    and divided by the share of each that is not."""
    inner = _padded_by(node, {"pads": [0] * len(window["padding"])})

    def pooled(of: relax.Expr, value: float) -> relax.Expr:
        return inner.by_tvm([padded(node, of, window, value)[0]], kind)

    if kind == "MaxPool":
        return pooled(data, tvm.tirx.min_value(dtype_of(data)).value)
    averages = node.emit(pooled(data, 0))
    if node.integer("count_include_pad", 0):
        return averages
    shape = relax.ShapeExpr([1, 1, *node.shape_of(data)[2:]])
    ones = node.emit(relax.op.full(shape, relax.const(1, dtype_of(data)), dtype_of(data)))
    return relax.op.divide(averages, node.emit(pooled(ones, 0)))


def _max_pool(node: Node) -> relax.Expr:
    """The largest elements by TVM's converter; where they are as positions in the whole tensor."""
    values = pool_by_tvm(node, node.data(), "MaxPool")
    if node.outputs == 1:
        return values
    sizes, taps = node.shape(), node.ints("kernel_shape")
    values, window = node.emit(values), windows_of(node, sizes[2:], taps)
    order = list(range(len(sizes)))
    if node.integer("storage_order", 0):
        order[2:] = reversed(order[2:])
    distances = [0] * len(sizes)
    for position, axis in enumerate(order):
        distances[axis] = math.prod(sizes[a] for a in order[position + 1 :])
    positions = window_positions(
        node,
        node.data(),
        taps,
        strides=window["strides"],
        dilations=window["dilations"],
        before=window["padding"][: len(taps)],
        results=[int(extent) for extent in values.ty.shape][2:],
        distances=distances,
    )
    return relax.Tuple([values, positions])


def _lp_pool(node: Node) -> relax.Expr:
    taps = node.ints("kernel_shape")
    window = windows_of(node, node.shape()[2:], taps)
    ceil_mode = bool(node.integer("ceil_mode", 0))
    return power_pool(node, node.data(), node.number("p", 2), taps, ceil_mode=ceil_mode, **window)


CONVERTERS: dict[str, Converter] = {
    "AveragePool": lambda node: pool_by_tvm(node, node.data(), "AveragePool"),
    "LpPool": _lp_pool,
    "MaxPool": _max_pool,
}
