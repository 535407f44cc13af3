"""Operators that move values: padding and cropping, parts, depth and space, and what dropout leaves."""

from __future__ import annotations

import numpy as np
from tvm import relax

from relay_strategies.relax.graph import dtype_of, make_constant

from .node import Converter, Node


def _pad(node: Node) -> relax.Expr:
    """What is cropped by negative pads goes first; the other modes than constant are gathers."""
    before, after = _pads(node)
    shape, data, mode = node.shape(), node.data(), node.text("mode", "constant")
    cropped = [axis for axis in range(len(shape)) if min(before[axis], after[axis]) < 0]
    if cropped:
        begin = [max(0, -before[axis]) for axis in cropped]
        end = [shape[axis] + min(0, after[axis]) for axis in cropped]
        if any(last <= first for first, last in zip(begin, end, strict=True)):
            raise node.error(f"pads {[*before, *after]} leave nothing of shape {shape}")
        data = node.emit(relax.op.strided_slice(data, cropped, begin, end))
    before, after = [max(0, p) for p in before], [max(0, p) for p in after]
    if not any((*before, *after)):
        return data
    if mode == "constant":
        widths = [width for pair in zip(before, after, strict=True) for width in pair]
        return relax.op.nn.pad(data, widths, "constant", _pad_value(node))
    if mode not in ("edge", "reflect", "wrap"):
        raise node.error(f"mode '{mode}' is none of ONNX's")
    for axis, size in enumerate([int(extent) for extent in data.ty.shape]):
        if before[axis] or after[axis]:
            table = _positions(mode, size, np.arange(-before[axis], size + after[axis]))
            data = node.emit(relax.op.take(data, make_constant(table.astype(np.int32)), axis, mode="clip"))
    return data


def _pads(node: Node) -> tuple[list[int], list[int]]:
    """What is added before and after each axis."""
    rank = len(node.shape())
    if node.opset < 11:
        pads = np.array(node.attributes.get("pads", node.attributes.get("paddings", ())), np.int64)
    else:
        given = node.array(1)
        pads = np.zeros(0, np.int64) if given is None else given
    chosen = node.array(3)
    axes = [int(axis) for axis in (range(rank) if chosen is None else chosen)]
    if any(not -rank <= axis < rank for axis in axes) or len({axis % rank for axis in axes}) < len(axes):
        raise node.error(f"axes {axes} are not those of {rank}, each at most once")
    if pads.size != 2 * len(axes):
        raise node.error(f"pads are to be {2 * len(axes)} numbers, not {pads.size}")
    before, after = [0] * rank, [0] * rank
    for number, axis in enumerate(axes):
        before[axis % rank] = int(pads[number])
        after[axis % rank] = int(pads[len(axes) + number])
    return before, after


def _pad_value(node: Node) -> float:
    value = node.array(2) if node.opset >= 11 else np.array(node.attributes.get("value", 0.0))
    return 0 if value is None or not value.size else value.reshape(-1)[0].item()


def _positions(mode: str, size: int, outside: np.ndarray) -> np.ndarray:
    if mode == "wrap":
        return outside % size
    if mode == "edge" or size == 1:
        return np.clip(outside, 0, size - 1)
    return size - 1 - np.abs(size - 1 - outside % (2 * size - 2))


def _split(node: Node) -> relax.Expr:
    axis, shape = node.axis(0), node.shape()
    sizes = node.attributes.get("split") if node.opset < 13 else node.array(1)
    if sizes is None:
        part = -(-shape[axis] // node.outputs)
        sizes = [part] * (node.outputs - 1) + [shape[axis] - part * (node.outputs - 1)]
    sizes = [int(size) for size in sizes]
    if sum(sizes) != shape[axis] or min(sizes) < 0 or len(sizes) != node.outputs:
        raise node.error(f"parts of {sizes} are not the {shape[axis]} elements of axis {axis}")
    if len(sizes) == 1:
        return node.data()
    if 0 in sizes:
        return relax.Tuple([_part(node, axis, sum(sizes[:i]), size) for i, size in enumerate(sizes)])
    return relax.op.split(node.data(), np.cumsum(sizes)[:-1].tolist(), axis)


def _part(node: Node, axis: int, start: int, size: int) -> relax.Expr:
    """``size`` elements from ``start`` on; where that is none, a constant."""
    if size:
        return node.emit(relax.op.strided_slice(node.data(), [axis], [start], [start + size]))
    shape = [*node.shape()[:axis], 0, *node.shape()[axis + 1 :]]
    return make_constant(np.zeros(shape, dtype_of(node.data())))


def _dropout(node: Node) -> relax.Expr:
    """In inference all values are kept. The mask is of the data's type before opset 10."""
    data = node.data()
    if node.outputs == 1:
        return data
    kind = "bool" if node.opset >= 10 else str(data.ty.dtype)
    return relax.Tuple([data, node.emit(relax.op.ones(node.shape(), kind))])


def _space_to_depth(node: Node) -> relax.Expr:
    shape, block = node.shape(), int(node.attributes.get("blocksize", 0))
    if len(shape) != 4 or block < 1 or shape[2] % block or shape[3] % block:
        raise node.error(f"blocks of {block} do not divide a map of shape {shape}")
    batch, channels, height, width = shape[0], shape[1], shape[2] // block, shape[3] // block
    mode = node.text("mode", "DCR")
    if mode not in ("DCR", "CRD"):
        raise node.error(f"mode '{mode}' is none of ONNX's")
    split = node.emit(relax.op.reshape(node.data(), (batch, channels, height, block, width, block)))
    order = [0, 3, 5, 1, 2, 4] if mode == "DCR" else [0, 1, 3, 5, 2, 4]
    moved = node.emit(relax.op.permute_dims(split, order))
    return relax.op.reshape(moved, (batch, channels * block * block, height, width))


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
    positions = make_constant(np.arange(shape[time]).reshape(along(time)))
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
}
