"""Pools that TVM's importer does not have: norms, and pools whose results say where their elements were."""

from __future__ import annotations

import math

from tvm import relax

from relay_strategies.functional.pooling import power_pool, window_positions

from .node import Converter, Node


def _max_pool(node: Node) -> relax.Expr:
    """The largest elements by TVM's converter; where they are as positions in the whole tensor."""
    if node.outputs == 1:
        return node.by_tvm(node.inputs)
    sizes, window = node.shape(), node.ints("kernel_shape")
    rank = len(window)
    values = node.emit(node.by_tvm(node.inputs))
    order = list(range(len(sizes)))
    if node.integer("storage_order", 0):
        order[2:] = reversed(order[2:])
    distances = [0] * len(sizes)
    for position, axis in enumerate(order):
        distances[axis] = math.prod(sizes[a] for a in order[position + 1 :])
    positions = window_positions(
        node,
        node.data(),
        window,
        strides=node.ints("strides", [1] * rank),
        dilations=node.ints("dilations", [1] * rank),
        before=node.ints("pads", [0] * rank)[:rank],
        results=[int(extent) for extent in values.ty.shape][2:],
        distances=distances,
    )
    return relax.Tuple([values, positions])


def _lp_pool(node: Node) -> relax.Expr:
    window = node.ints("kernel_shape")
    rank = len(window)
    return power_pool(
        node,
        node.data(),
        node.number("p", 2),
        window,
        strides=node.ints("strides", [1] * rank),
        padding=node.ints("pads", [0] * (2 * rank)),
        dilations=node.ints("dilations", [1] * rank),
        ceil_mode=bool(node.integer("ceil_mode", 0)),
    )


CONVERTERS: dict[str, Converter] = {"LpPool": _lp_pool, "MaxPool": _max_pool}
