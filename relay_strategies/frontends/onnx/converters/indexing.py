"""Operators that take positions from a tensor, by the functions of ``relay_strategies.functional``."""

from __future__ import annotations

from tvm import relax

from relay_strategies.functional import finding, indexing
from relay_strategies.functional.movement import BEYOND
from relay_strategies.functional.pooling import max_unpool
from relay_strategies.functional.regions import roi_align
from relay_strategies.relax.graph import dtype_of

from .node import Converter, Node


def _scatter_elements(node: Node) -> relax.Expr:
    data, indices, updates = (node.data(index) for index in range(3))
    return indexing.scatter_elements(node, data, indices, updates, node.axis(0), _reduction(node))


def _scatter_nd(node: Node) -> relax.Expr:
    data, indices, updates = (node.data(index) for index in range(3))
    return indexing.scatter_nd(node, data, indices, updates, _reduction(node))


def _reduction(node: Node) -> str:
    reduction = node.text("reduction", "none")
    if reduction == "none":
        return "update"
    if reduction not in indexing.UPDATES[1:]:
        raise node.error(f"reduction '{reduction}' is none of ONNX's")
    return reduction


def _max_unpool(node: Node) -> relax.Expr:
    """Indices point into the map that was pooled; where output_shape is larger, zeros follow."""
    shape, kernel = node.shape(), node.ints("kernel_shape")
    rank, batch = len(kernel), shape[:2]
    if len(shape) != rank + 2:
        raise node.error(f"kernel_shape {kernel} does not fit data of shape {shape}")
    strides, pads = node.ints("strides", [1] * rank), node.ints("pads", [0] * (2 * rank))
    sizes = [(shape[2 + a] - 1) * strides[a] - pads[a] - pads[rank + a] + kernel[a] for a in range(rank)]
    given = node.array(2)
    wanted = None if given is None else given.tolist()
    return max_unpool(node, node.data(), node.data(1), (*batch, *sizes), wanted)


def _top_k(node: Node) -> relax.Expr:
    counts = node.sizes(1) if node.opset >= 10 else [node.integer("k", 1)]
    if counts is None or len(counts) != 1:
        raise node.error("k is to be one number")
    largest = bool(node.integer("largest", 1))
    return relax.Tuple(indexing.top_k(node, node.data(), counts[0], node.axis(-1), largest))


def _roi_align(node: Node) -> relax.Expr:
    if node.text("mode", "avg") != "avg":
        raise node.refusal("only the mode 'avg' is supported")
    half, whole = "half_pixel", "output_half_pixel"
    coordinates = node.text("coordinate_transformation_mode", half if node.opset >= 16 else whole)
    if coordinates not in (half, whole):
        raise node.error(f"coordinate_transformation_mode '{coordinates}' is none of ONNX's")
    return roi_align(
        node,
        node.data(0),
        node.data(1),
        node.data(2),
        size=(node.integer("output_height", 1), node.integer("output_width", 1)),
        scale=float(node.attributes.get("spatial_scale", 1.0)),
        samples=node.integer("sampling_ratio", 0),
        half_pixel=coordinates == half,
    )


def _max_roi_pool(node: Node) -> relax.Expr:
    """The image of a box is its first number."""
    boxes = node.data(1)
    image = node.emit(relax.op.strided_slice(boxes, [1], [0], [1]))
    images = indexing.checked_indices(node, node.cast(image, "int64"), node.shape()[:1])
    corners = node.emit(relax.op.strided_slice(boxes, [1], [1], [5]))
    parts = [node.cast(images, dtype_of(boxes)), corners]
    return node.by_tvm([node.data(), node.emit(relax.op.concat(parts, 1))])


def _axis_if_any(node: Node) -> int | None:
    """The attribute ``axis``; None where it is left out, for all elements in one row."""
    return None if node.attributes.get("axis") is None else node.axis(0)


def _non_max_suppression(node: Node) -> relax.Expr:
    most, overlap, least = (
        None if array is None else array.reshape(()).item() for array in map(node.array, (2, 3, 4))
    )
    centered = bool(node.integer("center_point_box", 0))
    corners, scores = node.data(0), node.data(1)
    return finding.non_max_suppression(
        node, corners, scores, min(int(most or 0), BEYOND), float(overlap or 0), least, centered
    )


def _unique(node: Node) -> relax.Expr:
    is_sorted = bool(node.integer("sorted", 1))
    return relax.Tuple(finding.unique(node, node.data(), _axis_if_any(node), is_sorted))


CONVERTERS: dict[str, Converter] = {
    "Compress": lambda node: finding.compress(node, node.data(), node.data(1), _axis_if_any(node)),
    "Gather": lambda node: indexing.gather(node, node.data(), node.data(1), node.axis(0)),
    "GatherElements": lambda node: indexing.gather_elements(node, node.data(), node.data(1), node.axis(0)),
    "GatherND": lambda node: indexing.gather_nd(
        node, node.data(), node.data(1), node.integer("batch_dims", 0)
    ),
    "MaxRoiPool": _max_roi_pool,
    "MaxUnpool": _max_unpool,
    "NonMaxSuppression": _non_max_suppression,
    "NonZero": lambda node: finding.nonzero(node, node.data()),
    "RoiAlign": _roi_align,
    "Scatter": _scatter_elements,
    "ScatterElements": _scatter_elements,
    "ScatterND": _scatter_nd,
    "TopK": _top_k,
    "Unique": _unique,
}
