"""Pools that TVM has not: sums of powers, and pools whose results say where their elements were."""

from __future__ import annotations

import numpy as np
from tvm import relax

from relay_strategies.relax.graph import dtype_of
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


AVERAGES = (relax.op.nn.avg_pool1d, relax.op.nn.avg_pool2d, relax.op.nn.avg_pool3d)


def _lp_pool(node: Node) -> relax.Expr:
    """The mean of the powers times their number, of data padded with as many zeros as the windows need."""
    shape, kernel = node.shape(), [int(size) for size in node.attributes["kernel_shape"]]
    rank, kind = len(kernel), dtype_of(node.data())
    strides, dilations = (
        [int(v) for v in node.attributes.get(name, [1] * rank)] for name in ("strides", "dilations")
    )
    pads = [int(pad) for pad in node.attributes.get("pads", [0] * (2 * rank))]
    widths = [0, 0, 0, 0]
    for axis in range(rank):
        reach = dilations[axis] * (kernel[axis] - 1) + 1
        rest = shape[2 + axis] + pads[axis] + pads[rank + axis] - reach
        # A last window that begins inside the padded data, and ends outside.
        partial = -rest % strides[axis] if node.attributes.get("ceil_mode", 0) else 0
        starts_inside = rest + partial < shape[2 + axis] + pads[axis]
        widths += [pads[axis], pads[rank + axis] + (partial if starts_inside else 0)]
    power = float(node.attributes.get("p", 2))
    data = node.emit(relax.op.abs(node.data()))
    data = node.emit(relax.op.power(data, relax.const(power, kind)))
    if any(widths):
        data = node.emit(relax.op.nn.pad(data, widths))
    mean = node.emit(AVERAGES[rank - 1](data, kernel, strides, [0] * (2 * rank), dilations))
    total = node.emit(relax.op.multiply(mean, relax.const(float(np.prod(kernel)), kind)))
    return relax.op.power(total, relax.const(1 / power, kind))


CONVERTERS: dict[str, Converter] = {"LpPool": _lp_pool, "MaxPool": _max_pool}
