"""Pools whose results say where their elements were."""

from __future__ import annotations

import numpy as np
from tvm import relax

from tvm_directconv.operators import definitions

from .node import Converter, Node


def _max_pool(node: Node) -> relax.Expr:
    """The largest elements by TVM's converter; where they are as positions in the whole tensor."""
    if node.outputs == 1:
        return node.by_tvm(node.inputs)
    shape, kernel = node.shape(), [int(size) for size in node.attributes["kernel_shape"]]
    rank = len(kernel)
    strides, dilations = (
        [int(v) for v in node.attributes.get(name, [1] * rank)] for name in ("strides", "dilations")
    )
    before = [int(pad) for pad in node.attributes.get("pads", [0] * rank)][:rank]
    values = node.emit(node.by_tvm(node.inputs))
    results = [int(extent) for extent in values.ty.shape][2:]
    sizes = list(shape)
    order = list(range(len(sizes)))
    if node.attributes.get("storage_order", 0):
        order[2:] = reversed(order[2:])
    weights = [0] * len(sizes)
    for position, axis in enumerate(order):
        weights[axis] = int(np.prod([sizes[a] for a in order[position + 1 :]], dtype=np.int64))
    positions = node.builder.emit_te(
        definitions.window_positions, node.data(), kernel, strides, dilations, before, results, weights
    )
    return relax.Tuple([values, positions])


CONVERTERS: dict[str, Converter] = {"MaxPool": _max_pool}
