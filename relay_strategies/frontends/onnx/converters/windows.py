"""Windows that slide over a map: their strides and padding, and pools by them.

Padding that ONNX derives from ``auto_pad`` is made explicit here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tvm import relax

from relay_strategies.functional.pooling import power_pool, rounded_up, window_positions
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


def pool_by_tvm(node: Node, data: relax.Expr, kind: str) -> relax.Expr:
    """Return a MaxPool or AveragePool of maps."""
    sizes, taps = node.shape_of(data)[2:], node.ints("kernel_shape")
    window = windows_of(node, sizes, taps)
    attributes = {name: value for name, value in node.attributes.items() if name != "auto_pad"}
    attributes["pads"] = window["padding"]
    if is_open(sizes) and attributes.get("ceil_mode") and not attributes.get("count_include_pad"):
        pads, up = rounded_up(taps, window["strides"], window["padding"], window["dilations"])
        attributes |= {"pads": pads, "ceil_mode": int(up)}
    return replace(node, attributes=attributes).by_tvm([data], kind)


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
