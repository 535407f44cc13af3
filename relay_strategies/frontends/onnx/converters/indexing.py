"""Operators that take positions from a tensor: none reads or writes outside its data.

TVM's kernels trust their indices. Constant indices are checked here; those given at run time pass through a
kernel that checks each one, raises InputError with the node's name, and counts negative ones from the end as
ONNX says.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from tvm import relax, tirx
from tvm.script.ir_builder import IRBuilder
from tvm.tirx.script.builder import ir as T

from relay_strategies.relax.graph import constant, dtype_of, make_constant, shape_of
from relay_strategies.relax.kernels import scheduled

from .node import Converter, Node

SORTED_IN = {
    **dict.fromkeys(("float16", "bfloat16", "float32"), "float32"),
    "float64": "float64",
    **dict.fromkeys(("int8", "uint8", "int16", "uint16", "int32"), "int32"),
    **dict.fromkeys(("uint32", "int64"), "int64"),
}
"""TVM sorts some types; others are sorted in one of these that has all their values."""


def checked_indices(node: Node, index: int, extents: Sequence[int]) -> relax.Expr:
    """The indices at input ``index``, all of them in range and none negative."""
    node.shape(index)
    return _in_range(node, node.data(index), extents)


def _in_range(node: Node, indices: relax.Expr, extents: Sequence[int]) -> relax.Expr:
    """Indices of static shape, all of them in range and none negative.

    One extent is that of the axis they all point into; of several, each belongs to one position along the
    last axis of the indices.
    """
    shape, dtype = shape_of(indices) or (), dtype_of(indices)
    what = f"axis of {extents[0]}" if len(extents) == 1 else f"shape {tuple(extents)}"
    message = f"node '{node.name}' ({node.kind}): an index is outside the data's {what}"
    array = constant(indices)
    if array is not None:
        limits = np.asarray(extents[0] if len(extents) == 1 else extents)
        wrapped = np.where(array < 0, array + limits, array)
        if np.any(wrapped < 0) or np.any(wrapped >= limits):
            raise node.error(message.split(": ", 1)[1])
        return make_constant(wrapped.astype(dtype))
    rows = int(np.prod(shape)) // len(extents)
    if rows == 0:
        return indices
    kernel = scheduled(_check_kernel(rows, tuple(extents), dtype, message))
    function = node.builder.add_func(kernel, "check_indices")
    flat = node.emit(relax.op.reshape(indices, (rows, len(extents))))
    checked = node.emit(relax.call_tir(function, [flat], relax.TensorType((rows, len(extents)), dtype)))
    return node.emit(relax.op.reshape(checked, shape))


def _check_kernel(rows: int, extents: tuple[int, ...], dtype: str, message: str) -> tirx.PrimFunc:
    """A copy of (rows, coordinates) indices from 0 on, which raises InputError at one that has no place.

    Where nothing is asserted, as in exported C, it becomes the nearest that has one.
    """
    columns = len(extents)

    def extent(column: tirx.Expr) -> tirx.Expr:
        result = tirx.const(extents[-1], dtype)
        for position, value in enumerate(extents[:-1]):
            result = tirx.Select(column == position, tirx.const(value, dtype), result)
        return result

    zero = tirx.const(0, dtype)

    def wrapped(value: tirx.Expr, column: tirx.Expr) -> tirx.Expr:
        return tirx.Select(value < zero, value + extent(column), value)

    # Written with the builder: TVMScript as text takes longer to parse than the kernel to compile.
    with IRBuilder() as builder, T.prim_func(is_private=True, s_tir=True):
        T.func_name("check_indices")
        indices, checked = (T.arg(name, T.buffer((rows, columns), dtype)) for name in ("indices", "checked"))
        with T.grid(rows, columns) as (i, j), T.sblock("check"):
            row, column = T.axis.remap("SS", [i, j])
            value = wrapped(indices[row, column], column)
            inside = tirx.all(value >= zero, value < extent(column))
            with T.Assert(inside, [message], "InputError"):
                nearest = tirx.min(tirx.max(value, zero), extent(column) - 1)
                T.buffer_store(checked, nearest, [row, column])
    return builder.get()


def _gather(node: Node) -> relax.Expr:
    shape, axis = node.shape(), node.axis(0)
    return relax.op.take(node.data(), checked_indices(node, 1, [shape[axis]]), axis, mode="clip")


def _gather_elements(node: Node) -> relax.Expr:
    shape, axis = node.shape(), node.axis(0)
    _check_rank(node, 1)
    for other, (extent, of_data) in enumerate(zip(node.shape(1), shape, strict=True)):
        if other != axis and extent > of_data:
            raise node.error(f"the indices have {extent} elements along axis {other}, the data {of_data}")
    return relax.op.gather_elements(node.data(), checked_indices(node, 1, [shape[axis]]), axis)


def _gather_nd(node: Node) -> relax.Expr:
    batch = int(node.attributes.get("batch_dims", 0))
    coordinates = _coordinates(node, batch)
    return relax.op.gather_nd(
        node.data(), checked_indices(node, 1, node.shape()[batch : batch + coordinates]), batch
    )


def _scatter_elements(node: Node) -> relax.Expr:
    """Positions are ONNX's own for whatever shape the indices have, as a scatter of coordinates."""
    shape, axis = node.shape(), node.axis(0)
    _check_rank(node, 1)
    extents = node.shape(1)
    if node.shape(2) != extents:
        raise node.error(f"the updates have shape {node.shape(2)}, the indices {extents}")
    for other, (extent, of_data) in enumerate(zip(extents, shape, strict=True)):
        if other != axis and extent > of_data:
            raise node.error(f"the indices have {extent} elements along axis {other}, the data {of_data}")
    indices = checked_indices(node, 1, [shape[axis]])
    count = int(np.prod(extents))
    if count == 0:
        return node.data()
    grid = np.indices(extents).reshape(len(extents), count).astype(dtype_of(indices))
    columns = [make_constant(np.ascontiguousarray(column)) for column in grid]
    columns[axis] = node.emit(relax.op.reshape(indices, (count,)))
    positions = node.emit(relax.op.stack(columns, axis=1))
    updates = node.emit(relax.op.reshape(node.data(2), (count,)))
    return relax.op.scatter_nd(node.data(), positions, updates, _reduction(node))


def _scatter_nd(node: Node) -> relax.Expr:
    coordinates = _coordinates(node, 0)
    wanted = (*node.shape(1)[:-1], *node.shape()[coordinates:])
    if node.shape(2) != wanted:
        raise node.error(f"the updates have shape {node.shape(2)}, not {wanted}")
    indices = checked_indices(node, 1, node.shape()[:coordinates])
    return relax.op.scatter_nd(node.data(), indices, node.data(2), _reduction(node))


def _max_unpool(node: Node) -> relax.Expr:
    """Indices point into the map that was pooled; where output_shape is larger, zeros follow."""
    shape, kernel = node.shape(), [int(size) for size in node.attributes.get("kernel_shape", ())]
    rank, batch = len(kernel), shape[:2]
    if len(shape) != rank + 2:
        raise node.error(f"kernel_shape {kernel} does not fit data of shape {shape}")
    strides = node.attributes.get("strides", [1] * rank)
    pads = node.attributes.get("pads", [0] * (2 * rank))
    sizes = [
        (shape[2 + a] - 1) * int(strides[a]) - int(pads[a]) - int(pads[rank + a]) + kernel[a]
        for a in range(rank)
    ]
    pooled = (*batch, *sizes)
    given = node.array(2)
    wanted = pooled if given is None else tuple(int(size) for size in given)
    if len(wanted) != len(pooled) or any(w < p for w, p in zip(wanted, pooled, strict=True)):
        raise node.refusal(f"an output_shape {list(wanted)} that is smaller than {list(pooled)}")
    count = int(np.prod(shape))
    places = node.emit(relax.op.reshape(checked_indices(node, 1, [int(np.prod(pooled))]), (count, 1)))
    updates = node.emit(relax.op.reshape(node.data(), (count,)))
    zeros = node.emit(relax.op.zeros((int(np.prod(pooled)),), dtype_of(node.data())))
    whole = node.emit(relax.op.reshape(node.emit(relax.op.scatter_nd(zeros, places, updates)), pooled))
    widths = [width for w, p in zip(wanted, pooled, strict=True) for width in (0, w - p)]
    return relax.op.nn.pad(whole, widths) if any(widths) else whole


def _coordinates(node: Node, batch: int) -> int:
    """How many axes of the data each row of indices points into."""
    shape, indices = node.shape(), node.shape(1)
    if not indices or not 0 <= batch < min(len(shape), len(indices)):
        raise node.error(f"batch_dims {batch} does not fit shapes {shape} and {indices}")
    if shape[:batch] != indices[:batch]:
        raise node.error(f"shapes {shape} and {indices} differ in their first {batch} axes")
    if not 1 <= indices[-1] <= len(shape) - batch:
        raise node.error(f"rows of {indices[-1]} indices do not fit data of shape {shape}")
    return indices[-1]


def _check_rank(node: Node, index: int) -> None:
    if len(node.shape(index)) != len(node.shape()):
        raise node.error(f"data of {len(node.shape())} axes has indices of {len(node.shape(index))}")


def _reduction(node: Node) -> str:
    reduction = node.text("reduction", "none")
    if reduction not in ("none", "add", "mul", "min", "max"):
        raise node.error(f"reduction '{reduction}' is none of ONNX's")
    return "update" if reduction == "none" else reduction


def _top_k(node: Node) -> relax.Expr:
    shape, axis = node.shape(), node.axis(-1)
    counts = node.array(1) if node.opset >= 10 else np.array(node.attributes.get("k", 1))
    if counts is None or counts.size != 1:
        raise node.error("k is to be one number")
    k = int(counts.reshape(()))
    if not 0 < k <= shape[axis]:
        raise node.error(f"k is {k}, and axis {axis} has {shape[axis]} elements")
    kind = dtype_of(node.data())
    sorted_in = SORTED_IN.get(kind, kind)
    if sorted_in not in SORTED_IN.values():
        raise node.refusal(f"elements of type {kind} are not supported")
    data = node.data() if sorted_in == kind else node.emit(relax.op.astype(node.data(), sorted_in))
    largest = bool(node.attributes.get("largest", 1))
    pair = node.emit(relax.op.topk(data, k, axis, ret_type="both", largest=largest, dtype="int64"))
    values, positions = (node.emit(relax.TupleGetItem(pair, i)) for i in range(2))
    return relax.Tuple([values if sorted_in == kind else node.emit(relax.op.astype(values, kind)), positions])


def _roi_align(node: Node) -> relax.Expr:
    """Half a pixel is taken off boxes that are scaled already; TVM's converter takes it off before.

    Where samples are as many as a box is large, one without an area has none, and TVM's kernel writes
    nothing: it is 0.
    """
    if node.text("mode", "avg") != "avg":
        raise node.refusal("only the mode 'avg' is supported")
    half, whole = "half_pixel", "output_half_pixel"
    coordinates = node.text("coordinate_transformation_mode", half if node.opset >= 16 else whole)
    if coordinates not in (half, whole):
        raise node.error(f"coordinate_transformation_mode '{coordinates}' is none of ONNX's")
    height, width, samples = (
        int(node.attributes.get(name, default))
        for name, default in (("output_height", 1), ("output_width", 1), ("sampling_ratio", 0))
    )
    kind, scale = dtype_of(node.data(1)), node.attributes.get("spatial_scale", 1.0)
    boxes = node.emit(relax.op.multiply(node.data(1), relax.const(scale, kind)))
    if coordinates == half:
        boxes = node.emit(relax.op.subtract(boxes, relax.const(0.5, kind)))
    images = node.emit(relax.op.astype(checked_indices(node, 2, node.shape()[:1]), kind))
    rows = node.emit(relax.op.concat([node.emit(relax.op.expand_dims(images, 1)), boxes], 1))
    pooled = relax.op.vision.roi_align(
        node.data(), rows, (height, width), 1.0, samples, aligned=coordinates == half, mode="avg"
    )
    if coordinates == whole or samples > 0:
        return pooled
    corners = (node.emit(relax.op.strided_slice(boxes, [1], [first], [first + 2])) for first in (2, 0))
    extents = node.emit(relax.op.subtract(*corners))
    smaller = node.emit(relax.op.reshape(node.emit(relax.op.min(extents, 1)), (-1, 1, 1, 1)))
    has_area = node.emit(relax.op.greater(smaller, relax.const(0, kind)))
    return relax.op.where(has_area, node.emit(pooled), relax.const(0, dtype_of(node.data())))


def _max_roi_pool(node: Node) -> relax.Expr:
    """The image of a box is its first number."""
    boxes = node.data(1)
    image = node.emit(relax.op.strided_slice(boxes, [1], [0], [1]))
    images = _in_range(node, node.emit(relax.op.astype(image, "int64")), node.shape()[:1])
    corners = node.emit(relax.op.strided_slice(boxes, [1], [1], [5]))
    parts = [node.emit(relax.op.astype(images, dtype_of(boxes))), corners]
    return node.by_tvm([node.data(), node.emit(relax.op.concat(parts, 1))])


CONVERTERS: dict[str, Converter] = {
    "Gather": _gather,
    "GatherElements": _gather_elements,
    "GatherND": _gather_nd,
    "MaxRoiPool": _max_roi_pool,
    "MaxUnpool": _max_unpool,
    "RoiAlign": _roi_align,
    "Scatter": _scatter_elements,
    "ScatterElements": _scatter_elements,
    "ScatterND": _scatter_nd,
    "TopK": _top_k,
}
