"""Operators whose results are as large as what they find, and what pools the boxes that were found."""

from __future__ import annotations

import math

from tvm import relax

from relay_strategies.functional import finding
from relay_strategies.functional.regions import roi_align
from tvm_directconv.problem.extents import given_to_tvm

from .node import Converter, Node


def _nonzero(node: Node) -> relax.Expr:
    return relax.op.permute_dims(node.emit(finding.nonzero(node, node.tensor("self"))))


def _masked_select(node: Node) -> relax.Expr:
    """Both operands are broadcast to one shape."""
    operands = node.tensor("self"), node.tensor("mask")
    zeros = [node.emit(relax.op.zeros_like(each, "bool")) for each in operands]
    shape = node.shape_of(node.emit(relax.op.logical_or(*zeros)))
    data, mask = (node.emit(relax.op.broadcast_to(each, shape)) for each in operands)
    return finding.compress(node, data, node.emit(relax.op.reshape(mask, (math.prod(shape),))), None)


def masked(node: Node, mask: relax.Expr, axis: int) -> relax.Expr:
    """Return what a mask of the axes from ``axis`` on selects, along one axis in their place."""
    data, places = merged(node, mask, axis)
    return relax.op.take(data, places, axis, mode="clip")


def merged(node: Node, mask: relax.Expr, axis: int) -> tuple[relax.Expr, relax.Expr]:
    """Return the data with a mask's axes as one, and the places along it that the mask selects."""
    shape, extents = node.shape("self"), node.shape_of(mask)
    after = shape[axis + len(extents) :]
    data = node.emit(relax.op.reshape(node.tensor("self"), (*shape[:axis], math.prod(extents), *after)))
    if mask not in node.places:
        node.places[mask] = finding.places_of(node, mask)[0]
    return data, node.places[mask]


def _unique(node: Node) -> relax.Expr:
    """What is not asked for is empty in PyTorch; here it is computed, and nothing reads it."""
    axis = node.arguments.get("dim")
    axis = None if axis is None else node.axis(axis, len(node.shape("self")))
    values, _, inverse, counts = finding.unique(node, node.tensor("self"), axis, True)
    if axis is None:
        inverse = relax.op.reshape(inverse, node.shape("self"))
    return relax.Tuple([node.emit(each) for each in (values, inverse, counts)])


def _nms(node: Node) -> relax.Expr:
    """All boxes are of one image and one class."""
    (count, _), kind = node.shape("dets"), "float32"
    corners = node.emit(relax.op.reshape(node.cast(node.tensor("dets"), kind), (1, count, 4)))
    scores = node.emit(relax.op.reshape(node.cast(node.tensor("scores"), kind), (1, 1, count)))
    overlap = float(node["iou_threshold"])
    rows = node.emit(finding.non_max_suppression(node, corners, scores, count, overlap, None, False))
    column = node.emit(relax.op.strided_slice(rows, [1], [2], [3]))
    return relax.op.reshape(column, node.shape_of(column)[:1])


def _roi_align(node: Node) -> relax.Expr:
    """The image of a box is its first number."""
    boxes = node.tensor("rois")
    image = node.emit(relax.op.squeeze(node.emit(relax.op.strided_slice(boxes, [1], [0], [1])), [1]))
    return roi_align(
        node,
        node.tensor("input"),
        node.emit(relax.op.strided_slice(boxes, [1], [1], [5])),
        node.cast(image, "int64"),
        size=(int(node["pooled_height"]), int(node["pooled_width"])),
        scale=float(node["spatial_scale"]),
        samples=max(int(node["sampling_ratio"]), 0),
        half_pixel=bool(node["aligned"]),
    )


def _repeated(node: Node) -> relax.Expr:
    """Each place as often as its count says: the number of ends of runs at or before each element."""
    counts = node.cast(node.tensor("repeats"), "int64")
    ends = node.emit(relax.op.cumsum(counts, 0))
    total = node.emit(relax.op.sum(counts, 0, keepdims=True))
    (size,) = finding.computed_sizes(node, total)
    places = node.emit(relax.op.arange(0, given_to_tvm(size), 1, "int64"))
    return node.cast(relax.op.bucketize(places, ends, right=True), "int64")


CONVERTERS: dict[str, Converter] = {
    "nonzero.default": _nonzero,
    "masked_select.default": _masked_select,
    **dict.fromkeys(("_unique2.default", "unique_dim.default"), _unique),
    "nms.default": _nms,
    "roi_align.default": _roi_align,
    "repeat_interleave.Tensor": _repeated,
}
