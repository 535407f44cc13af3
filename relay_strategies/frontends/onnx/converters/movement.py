"""Operators that move values: padding and cropping, parts, depth and space, and what dropout leaves."""

from __future__ import annotations

import operator

import numpy as np
from tvm import relax

from relay_strategies.functional import movement, random
from relay_strategies.relax.graph import make_constant

from .node import Converter, Node
from .random import seed_of


def _pad(node: Node) -> relax.Expr:
    mode = node.text("mode", "constant")
    if mode not in ("constant", "edge", "reflect", "wrap"):
        raise node.error(f"mode '{mode}' is none of ONNX's")
    value = _pad_value(node) if mode == "constant" else 0
    return movement.pad(node, node.data(), _pads(node), mode, value)


def _pads(node: Node) -> list[tuple[int, int]]:
    """What is added before and after each axis."""
    rank = len(node.shape())
    if node.opset < 11:
        pads = list(node.attributes.get("pads", node.attributes.get("paddings", ())))
    else:
        pads = node.sizes(1) or []
    chosen = node.array(3)
    axes = [int(axis) for axis in (range(rank) if chosen is None else chosen)]
    if any(not -rank <= axis < rank for axis in axes) or len({axis % rank for axis in axes}) < len(axes):
        raise node.error(f"axes {axes} are not those of {rank}, each at most once")
    if len(pads) != 2 * len(axes):
        raise node.error(f"pads are to be {2 * len(axes)} numbers, not {len(pads)}")
    pairs = [(0, 0)] * rank
    for axis, before, after in zip(axes, pads[: len(axes)], pads[len(axes) :], strict=True):
        pairs[axis % rank] = before, after
    return pairs


def _pad_value(node: Node) -> float:
    value = node.array(2) if node.opset >= 11 else np.array(node.attributes.get("value", 0.0))
    return 0 if value is None or not value.size else value.reshape(-1)[0].item()


def _split(node: Node) -> relax.Expr:
    axis, shape = node.axis(0), node.shape()
    sizes = node.attributes.get("split") if node.opset < 13 else node.sizes(1)
    if sizes is None:
        part = -(-shape[axis] // node.outputs)
        sizes = [part] * (node.outputs - 1) + [shape[axis] - part * (node.outputs - 1)]
    sizes = list(sizes)
    if sum(sizes) != shape[axis] or any(size < 0 for size in sizes) or len(sizes) != node.outputs:
        raise node.error(f"parts of {sizes} are not the {shape[axis]} elements of axis {axis}")
    return relax.Tuple(movement.split(node, node.data(), sizes, axis))


def _tile(node: Node) -> relax.Expr:
    times, shape = node.sizes(1), node.shape()
    if times is None or len(times) != len(shape):
        raise node.error(f"repeats {times} are to be one per axis of {shape}")
    return movement.tile(node, node.data(), times)


def _dropout(node: Node) -> relax.Expr:
    """Keep all values, as in inference, unless training is asked for. Before opset 10 the mask has the data's
    type."""
    data, training = node.data(), node.array(2)
    ratio = node.array(1) if training is not None and training.all() else None
    share = 0.0 if training is None or not training.all() else 0.5 if ratio is None else float(ratio.item())
    if share:
        return relax.Tuple(list(random.dropout(node, data, share, seed_of(node)))[: node.outputs])
    if node.outputs == 1:
        return data
    kind = "bool" if node.opset >= 10 else str(data.ty.dtype)
    return relax.Tuple([data, node.emit(relax.op.ones(node.shape(), kind))])


def _space_to_depth(node: Node) -> relax.Expr:
    mode = node.text("mode", "DCR")
    if len(node.shape()) != 4 or mode not in ("DCR", "CRD"):
        raise node.error(f"mode '{mode}' is none of ONNX's, or its data of shape {node.shape()} no maps")
    return movement.space_to_depth(node, node.data(), node.integer("blocksize", 0), mode)


def _reverse_sequence(node: Node) -> relax.Expr:
    """The first elements of each sequence, as many as its length, in the other order."""
    shape = node.shape()
    time, batch = int(node.attributes.get("time_axis", 0)), int(node.attributes.get("batch_axis", 1))
    if {time, batch} != {0, 1} or len(shape) < 2 or node.shape(1) != (shape[batch],):
        raise node.error(
            f"lengths of shape {node.shape(1)} are none of axis {batch} of data of shape {shape}"
        )

    def along(axis: int) -> list[int]:
        return [shape[a] if a == axis else 1 for a in range(len(shape))]

    lengths = node.emit(relax.op.reshape(node.data(1), along(batch)))
    positions = make_constant(np.arange(operator.index(shape[time])).reshape(along(time)))
    reversed_ = node.emit(relax.op.subtract(lengths, relax.const(1, "int64")))
    reversed_ = node.emit(relax.op.subtract(reversed_, positions))
    inside = node.emit(relax.op.greater_equal(reversed_, relax.const(0, "int64")))
    chosen = node.emit(relax.op.where(inside, reversed_, positions))
    chosen = node.emit(relax.op.minimum(chosen, relax.const(shape[time] - 1, "int64")))
    whole = node.emit(relax.op.broadcast_to(chosen, shape))
    return relax.op.gather_elements(node.data(), whole, time)


CONVERTERS: dict[str, Converter] = {
    "Dropout": _dropout,
    "Pad": _pad,
    "ReverseSequence": _reverse_sequence,
    "SpaceToDepth": _space_to_depth,
    "Split": _split,
    "Tile": _tile,
}
