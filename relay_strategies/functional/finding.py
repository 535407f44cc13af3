"""Operators whose results are as large as what they find: sizes that are known when a model runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from tvm import relax, tirx

from relay_strategies.relax.graph import dtype_of, make_constant
from relay_strategies.relax.kernels import scheduled
from tvm_directconv.operators import selection, suppression
from tvm_directconv.problem.extents import as_expression, given_to_tvm, is_open, known_less, smaller
from tvm_directconv.problem.inner_sizes import inside
from tvm_directconv.problem.open_sizes import measuring_sizes, size_of

from .builder import Builder
from .indexing import SORTED_IN
from .movement import select

MOST_COLUMNS = 64
"""Unique sorts parts by each of their elements."""
MOST_COMPUTED = 1 << 24
"""A size that is computed is at most so large; a longer axis is none that a network has."""


def measured(b: Builder, counts: relax.Expr, most: Sequence[int]) -> list[int]:
    """Return the elements of ``counts``, a vector of int64, as sizes; each is at most what ``most`` says, for
    which the maker of the vector answers.

    Raises UnsupportedOperatorError where what is compiled takes numbers alone.
    """
    sizes = measuring_sizes()
    if sizes is None:
        raise b.refusal(
            "the size of its result follows from values, which are known when the model runs; this target "
            "takes sizes that are numbers: cut the model before it, as tvm_directconv.split does"
        )
    found = [sizes.measure(each) for each in most]
    shape = b.emit(relax.op.tensor_to_shape(counts))
    b.builder.match_cast(shape, relax.ShapeType(list(map(given_to_tvm, found))))
    return found


def computed_sizes(b: Builder, values: relax.Expr) -> list[int]:
    """Return the elements of a tensor of integers as sizes, which are checked when the model runs: InputError
    names one that is negative or above ``MOST_COMPUTED``."""
    count = math.prod(b.shape_of(values))
    vector = b.emit(relax.op.reshape(b.cast(values, "int64"), (count,)))
    kernel = selection.measured(
        count, MOST_COMPUTED, f"{b.label}: a size is not within 0 and {MOST_COMPUTED}"
    )
    checked = call_kernel(b, kernel, "measured_sizes", [vector], [relax.TensorType((count,), "int64")])
    return measured(b, checked, [MOST_COMPUTED] * count)


def places_of(b: Builder, mask: relax.Expr) -> tuple[relax.Expr, int]:
    """Return the places, in order, of what is not zero in a tensor of any shape, counted through, as a vector
    of int64, and their number."""
    elements, dtype = math.prod(b.shape_of(mask)), dtype_of(mask)
    flat = b.emit(relax.op.reshape(mask, (elements,)))
    with inside([(elements,)]):
        kernel = selection.nonzero(_extent(elements), dtype)
    types = [relax.TensorType((elements,), "int64"), relax.TensorType((1,), "int64")]
    both = call_kernel(b, kernel, "nonzero", [flat], types)
    places, count = (b.emit(relax.TupleGetItem(both, i)) for i in range(2))
    (found,) = measured(b, count, [elements])
    return b.emit(_first(places, found)), found


def nonzero(b: Builder, data: relax.Expr) -> relax.Expr:
    """Return the coordinates, int64 (axes, found), of what is not zero."""
    shape = b.shape_of(data)
    places, found = places_of(b, data)
    if not shape:  # a number has no coordinates
        return relax.op.zeros(relax.ShapeExpr([0, given_to_tvm(found)]), "int64")
    if len(shape) == 1:
        return relax.op.reshape(places, (1, found))
    strides = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    rows: list[relax.Expr] = []
    for size, stride in zip(shape, strides, strict=True):
        row = b.emit(relax.op.floor_divide(places, _number(b, stride)))
        row = b.emit(relax.op.floor_mod(row, _number(b, size))) if rows else row
        rows.append(b.emit(relax.op.expand_dims(row, 0)))
    return relax.op.concat(rows, 0)


def compress(b: Builder, data: relax.Expr, mask: relax.Expr, axis: int | None) -> relax.Expr:
    """Return the parts of ``data`` along an axis, or of all of it in one row for None, at which a vector of
    bool, which may be shorter, is true."""
    shape = b.shape_of(data)
    if axis is None:
        data, shape, axis = _flat(b, data), (math.prod(shape),), 0
    (length,) = b.shape_of(mask)
    if known_less(shape[axis], length):
        raise b.error(f"the condition has {length} elements, the axis {shape[axis]}")
    places, _ = places_of(b, mask)
    return relax.op.take(data, places, axis, mode="clip")


def unique(
    b: Builder, data: relax.Expr, axis: int | None, is_sorted: bool
) -> tuple[relax.Expr, relax.Expr, relax.Expr, relax.Expr]:
    """Return the elements, or parts along an axis, that differ, the places of the first of each that are
    equal, which of them each is, and how many are; int64 vectors but for the first."""
    if axis is None:
        data, axis = _flat(b, data), 0
    firsts, counts, inverse, count = _differing(b, data, axis, is_sorted)
    (found,) = measured(b, count, [b.shape_of(data)[axis]])
    firsts, counts = (b.emit(_first(each, found)) for each in (firsts, counts))
    return b.emit(relax.op.take(data, firsts, axis, mode="clip")), firsts, inverse, counts


def unique_in_place(
    b: Builder, data: relax.Expr, is_sorted: bool
) -> tuple[relax.Expr, relax.Expr, relax.Expr, relax.Expr]:
    """Return for a vector the places of the first of each that are equal, which of them each is, how many
    there are of these (1,), and how many are equal; int64 vectors as long as the data, with zeros behind what
    was found."""
    firsts, counts, inverse, count = _differing(b, data, 0, is_sorted)
    places = make_constant(np.arange(b.shape_of(data)[0]))
    firsts, counts = (cleared(b, each, b.emit(relax.op.less(places, count))) for each in (firsts, counts))
    return firsts, inverse, count, counts


def cleared(b: Builder, data: relax.Expr, is_kept: relax.Expr) -> relax.Expr:
    """Return ``data`` with zeros where it is not kept."""
    return b.emit(relax.op.where(is_kept, data, b.cast(0, dtype_of(data))))


def _differing(b: Builder, data: relax.Expr, axis: int, is_sorted: bool) -> list[relax.Expr]:
    """Return firsts, counts, inverse and the number found (1,) of the parts along an axis that differ, int64;
    the first two have room for as many as there are, and anything behind those found."""
    shape = b.shape_of(data)
    rows, columns = shape[axis], math.prod(shape[:axis]) * math.prod(shape[axis + 1 :])
    kind = SORTED_IN.get(dtype_of(data), dtype_of(data))
    if is_open([columns]) or columns > MOST_COLUMNS or kind not in SORTED_IN.values():
        raise b.refusal(f"parts of shape {shape} along axis {axis}, of type {dtype_of(data)}, are not sorted")
    ahead = b.emit(relax.op.permute_dims(data, [axis, *(a for a in range(len(shape)) if a != axis)]))
    table = b.cast(b.emit(relax.op.reshape(ahead, (rows, columns))), kind)
    order = None
    for column in reversed(range(columns)):  # each sort keeps the order of the one before among equal ones
        part = select(b, table, column, 1)
        part = part if order is None else b.emit(relax.op.take(part, order, 0, mode="clip"))
        places = b.emit(relax.op.argsort(part, 0, dtype="int64"))
        order = places if order is None else b.emit(relax.op.take(order, places, 0, mode="clip"))
    assert order is not None
    with inside([(rows, columns)]):
        kernel = selection.unique(_extent(rows), columns, kind, is_sorted)
    vector, one = relax.TensorType((rows,), "int64"), relax.TensorType((1,), "int64")
    made = call_kernel(b, kernel, "unique", [table, order], [vector, vector, vector, one, vector, vector])
    return [b.emit(relax.TupleGetItem(made, i)) for i in range(4)]


def _flat(b: Builder, data: relax.Expr) -> relax.Expr:
    return b.emit(relax.op.reshape(data, (math.prod(b.shape_of(data)),)))


def non_max_suppression(
    b: Builder,
    corners: relax.Expr,
    scores: relax.Expr,
    most: int,
    overlap: float,
    least: float | None,
    centered: bool,
) -> relax.Expr:
    """Return image, class and box, int64 (found, 3), of the boxes that are left of ``corners``, float32
    (images, boxes, 4), with ``scores`` (images, classes, boxes), as ONNX's operator has them.

    Of each class of an image ``most`` are left at most."""
    chosen, counts = suppressed(b, corners, scores, most, overlap, least, centered)
    rows, most = b.shape_of(chosen)
    classes = b.shape_of(scores)[1]
    (found,) = measured(b, b.emit(relax.op.sum(counts, 0, keepdims=True)), [rows * most])
    return collected(b, chosen, counts, classes, found)


def suppressed(
    b: Builder,
    corners: relax.Expr,
    scores: relax.Expr,
    most: int,
    overlap: float,
    least: float | None,
    centered: bool = False,
) -> tuple[relax.Expr, relax.Expr]:
    """Return the boxes that are left, as ``non_max_suppression`` does, from the highest score on: int64
    (images * classes, ``most`` or as many as there are boxes), anything behind those left, and their number
    (images * classes,)."""
    (images, classes, boxes), given = b.shape_of(scores), b.shape_of(corners)
    if given != (images, boxes, 4):
        raise b.error(f"boxes of shape {given} do not fit scores of shape {(images, classes, boxes)}")
    most, rows = smaller(most, boxes), images * classes
    with inside([(images, classes, boxes), (rows, most)]):
        sizes = [_extent(size) for size in (images, classes, boxes, most)]
        kernel = suppression.suppression(sizes, overlap, least, centered)
    types = [relax.TensorType(shape, "int64") for shape in ((rows, most), (rows,), (rows, boxes))]
    types.append(relax.TensorType((rows, 5, most + suppression.TESTED), "float32"))
    made = call_kernel(b, kernel, "suppression", [corners, scores], types)
    chosen, counts = (b.emit(relax.TupleGetItem(made, i)) for i in range(2))
    return chosen, counts


def collected(b: Builder, chosen: relax.Expr, counts: relax.Expr, classes: int, found: int) -> relax.Expr:
    """Return image, class and box, int64 (found, 3), of what ``suppressed`` returns, of which there may be
    fewer: behind these is anything."""
    rows, most = b.shape_of(chosen)
    with inside([(rows, most), (found, 3)]):
        kernel = suppression.suppressed(*map(_extent, (rows, classes, most, found)))
    return call_kernel(b, kernel, "suppressed", [chosen, counts], [relax.TensorType((found, 3), "int64")])


def _first(vector: relax.Expr, count: int) -> relax.Expr:
    return relax.op.strided_slice(vector, [0], [0], [given_to_tvm(count)], assume_inbound=True)


def _number(b: Builder, value: int) -> relax.Expr:
    """A size as a tensor to compute with."""
    if not is_open([value]):
        return relax.const(value, "int64")
    return b.emit(relax.op.shape_to_tensor(relax.ShapeExpr([given_to_tvm(value)])))


def _extent(value: int) -> Any:
    """A size as a kernel has it."""
    return given_to_tvm(size_of(as_expression(value)))


def call_kernel(
    b: Builder, kernel: tirx.PrimFunc, name: str, arguments: Sequence[relax.Expr], types: Sequence[relax.Type]
) -> relax.Expr:
    """Emit the call of a kernel, whose results, several as a tuple, have these types."""
    function = b.builder.add_func(scheduled(kernel), name)
    return b.emit(relax.call_tir(function, list(arguments), types[0] if len(types) == 1 else list(types)))
