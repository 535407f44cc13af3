"""Operators that take positions from a tensor: none reads or writes outside its data.

TVM's kernels trust their indices. Constant indices are checked here; those given at run time pass through a
kernel that checks each one, raises InputError with the node's name, and counts negative ones from the end.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from tvm import relax, tirx
from tvm.script.ir_builder import IRBuilder
from tvm.tirx.script.builder import ir as T

from relay_strategies.relax.graph import constant, dtype_of, make_constant, operator_name
from relay_strategies.relax.kernels import scheduled
from relay_strategies.relax.movement_calls import SLICE, slice_call
from tvm_directconv.problem.extents import as_expression, given_to_tvm, is_open, smaller
from tvm_directconv.problem.inner_sizes import inside
from tvm_directconv.problem.open_sizes import measuring_sizes, size_of

from .builder import Builder
from .movement import open_range

SORTED_IN = {
    **dict.fromkeys(("float16", "bfloat16", "float32"), "float32"),
    "float64": "float64",
    **dict.fromkeys(("int8", "uint8", "int16", "uint16", "int32"), "int32"),
    **dict.fromkeys(("uint32", "int64"), "int64"),
}
"""TVM sorts some types; others are sorted in one of these that has all their values."""
MOST_TAKEN = 1 << 22
"""Elements of a table, at most, that are gathered when a model is compiled."""
UPDATES = ("update", "add", "mul", "min", "max")
"""What a scatter does with the elements that it writes to."""


def checked_indices(b: Builder, indices: relax.Expr, extents: Sequence[int]) -> relax.Expr:
    """Return indices of static shape, all of them in range and none negative.

    One extent is that of the axis they all point into; of several, each belongs to one position along the
    last axis of the indices.
    """
    shape, dtype = b.shape_of(indices), dtype_of(indices)
    what = f"axis of {extents[0]}" if len(extents) == 1 else f"shape {tuple(extents)}"
    message = f"an index is outside the data's {what}"
    array = constant(indices)
    if array is not None and is_open(extents) and array.min() >= 0:
        highest = np.max(array.reshape(-1, len(extents)), 0).tolist()
        if not all(each < extent for each, extent in zip(highest, extents, strict=True)):
            raise b.error(message)
        return indices
    if array is not None and not is_open(extents):
        limits = np.asarray(extents[0] if len(extents) == 1 else extents)
        wrapped = np.where(array < 0, array + limits, array)
        if np.any(wrapped < 0) or np.any(wrapped >= limits):
            raise b.error(message)
        return make_constant(wrapped.astype(dtype))
    rows = math.prod(shape) // len(extents)
    if rows == 0:
        return indices
    flat = b.emit(relax.op.reshape(indices, (rows, len(extents))))
    with inside([(rows,)]):
        kernel = _check_kernel(size_of(as_expression(rows)), tuple(extents), dtype, f"{b.label}: {message}")
    function = b.builder.add_func(scheduled(kernel), "check_indices")
    result = relax.TensorType((rows, len(extents)), dtype)
    opened = [given_to_tvm(extent) for extent in extents if is_open([extent])]
    checked = b.emit(relax.call_tir(function, [flat, *opened], result))
    return b.emit(relax.op.reshape(checked, shape))


def _check_kernel(rows: int, extents: tuple[int, ...], dtype: str, message: str) -> tirx.PrimFunc:
    """A copy of (rows, coordinates) indices from 0 on, which raises InputError at one out of range.

    Where nothing is asserted, as in exported C, it becomes the nearest one in range. Extents that are open
    are parameters of their own.
    """
    columns = len(extents)
    given = {
        place: tirx.Var(f"extent{place}", "int64") for place in range(columns) if is_open([extents[place]])
    }
    limits = [
        tirx.Cast(dtype, given[place]) if place in given else tirx.const(value, dtype)
        for place, value in enumerate(extents)
    ]

    def extent(column: tirx.Expr) -> tirx.Expr:
        result = limits[-1]
        for position, value in enumerate(limits[:-1]):
            result = tirx.Select(column == position, value, result)
        return result

    zero = tirx.const(0, dtype)

    def checked_at(row: tirx.Expr, column: tirx.Expr) -> tuple[tirx.Expr, tirx.Expr]:
        """An index from 0 on, and the nearest in range."""
        value = indices[row, column]
        value = tirx.Select(value < zero, value + extent(column), value)
        return value, tirx.min(tirx.max(value, zero), extent(column) - 1)

    # Written with the builder: TVMScript as text takes longer to parse than the kernel to compile.
    with IRBuilder() as builder, T.prim_func(is_private=True, s_tir=True):
        T.func_name("check_indices")
        indices = T.arg("indices", T.buffer((rows, columns), dtype))
        for var in given.values():
            T.arg(str(var.name), var)
        checked = T.arg("checked", T.buffer((rows, columns), dtype))
        if measuring_sizes() is None:
            # A device's threads take an index each, and assert nothing.
            with T.grid(rows, columns) as (i, j), T.sblock("check"):
                row, column = T.axis.remap("SS", [i, j])
                value, nearest = checked_at(row, column)
                with T.Assert(tirx.EQ(value, nearest), [message], "InputError"):
                    T.buffer_store(checked, nearest, [row, column])
        else:
            with T.sblock("check"):
                T.reads()
                T.writes()
                # One branch for all of them, which vectors of indices do without.
                outside = T.alloc_buffer((1,), dtype, scope="local")
                T.buffer_store(outside, zero, [0])
                with T.grid(rows, columns) as (row, column):
                    value, nearest = checked_at(row, column)
                    T.buffer_store(outside, outside[0] | (value ^ nearest), [0])
                    T.buffer_store(checked, nearest, [row, column])
                with T.Assert(tirx.EQ(outside[0], zero), [message], "InputError"):
                    T.evaluate(0)
    return builder.get()


def gather(b: Builder, data: relax.Expr, indices: relax.Expr, axis: int) -> relax.Expr:
    """Return the elements of ``data`` at ``indices`` along an axis."""
    part = b.builder.lookup_binding(indices) if isinstance(indices, relax.Var) else None
    table, places = constant(data), None
    if isinstance(part, relax.Call) and operator_name(part) == SLICE:
        places = constant(part.args[0])
    if part is not None and table is not None and places is not None and table.size <= MOST_TAKEN:
        # Positions are part of a table of numbers: theirs is part of what all of these give.
        whole = checked_indices(b, make_constant(places), [table.shape[axis]])
        taken = make_constant(np.take(table, np.asarray(constant(whole)), axis))
        axes = [int(each.value) % places.ndim + axis for each in part.args[1].fields]
        return relax.op.strided_slice(taken, axes, *part.args[2:], part.attrs.assume_inbound)
    return relax.op.take(data, checked_indices(b, indices, [b.shape_of(data)[axis]]), axis, mode="clip")


def gather_elements(b: Builder, data: relax.Expr, indices: relax.Expr, axis: int) -> relax.Expr:
    """Return for each of ``indices`` the element there along an axis, at its own place along the others."""
    _check_fit(b, data, indices, axis)
    return relax.op.gather_elements(data, checked_indices(b, indices, [b.shape_of(data)[axis]]), axis)


def gather_nd(b: Builder, data: relax.Expr, indices: relax.Expr, batch: int = 0) -> relax.Expr:
    """Return the parts of ``data`` at rows of coordinates, behind ``batch`` axes that both have."""
    extents = b.shape_of(data)[batch : batch + _coordinates(b, data, indices, batch)]
    return relax.op.gather_nd(data, checked_indices(b, indices, extents), batch)


def scatter_elements(
    b: Builder, data: relax.Expr, indices: relax.Expr, updates: relax.Expr, axis: int, reduction: str
) -> relax.Expr:
    """Return ``data`` with each update at its index along an axis, combined by one of ``UPDATES``.

    Indices of any shape are scattered as coordinates.
    """
    _check_fit(b, data, indices, axis)
    shape, extents = b.shape_of(data), b.shape_of(indices)
    if b.shape_of(updates) != extents:
        raise b.error(f"the updates have shape {b.shape_of(updates)}, the indices {extents}")
    rows = _expanded(b, indices, axis)
    if rows is not None and shape[1:] == extents[1:]:
        places = b.emit(relax.op.reshape(rows, (extents[0], 1)))
        return _scattered(b, data, checked_indices(b, places, [shape[0]]), updates, reduction)
    checked = checked_indices(b, indices, [shape[axis]])
    count = math.prod(extents)
    if count == 0:
        return data
    columns = [_numbers_along(b, extents, other, dtype_of(checked)) for other in range(len(extents))]
    columns[axis] = b.emit(relax.op.reshape(checked, (count,)))
    positions = b.emit(relax.op.stack(columns, axis=1))
    flat = b.emit(relax.op.reshape(updates, (count,)))
    return _scattered(b, data, positions, flat, reduction)


def _expanded(b: Builder, indices: relax.Expr, axis: int) -> relax.Expr | None:
    """Return the indices of rows that were expanded to those of all elements of the rows; None for others."""
    made = b.builder.lookup_binding(indices) if isinstance(indices, relax.Var) else None
    if axis or made is None or operator_name(made) != "relax.broadcast_to":
        return None
    before, after = b.shape_of(made.args[0]), b.shape_of(indices)
    is_rows = len(before) == len(after) > 1 and before[0] == after[0] and set(before[1:]) == {1}
    return made.args[0] if is_rows else None


def _numbers_along(b: Builder, extents: Sequence[int], axis: int, dtype: str) -> relax.Expr:
    """Return the place along an axis of each element of a tensor, in one row."""
    if not is_open(extents):
        return make_constant(np.indices(extents)[axis].reshape(-1).astype(dtype))
    numbers = b.emit(relax.op.arange(0, given_to_tvm(extents[axis]), 1, dtype))
    alone = [extent if other == axis else 1 for other, extent in enumerate(extents)]
    whole = b.emit(relax.op.broadcast_to(b.emit(relax.op.reshape(numbers, alone)), extents))
    return b.emit(relax.op.reshape(whole, (math.prod(extents),)))


def scatter_nd(
    b: Builder, data: relax.Expr, indices: relax.Expr, updates: relax.Expr, reduction: str
) -> relax.Expr:
    """Return ``data`` with each update at its row of coordinates, combined by one of ``UPDATES``."""
    coordinates = _coordinates(b, data, indices, 0)
    shape = b.shape_of(data)
    wanted = (*b.shape_of(indices)[:-1], *shape[coordinates:])
    if b.shape_of(updates) != wanted:
        raise b.error(f"the updates have shape {b.shape_of(updates)}, not {wanted}")
    checked = checked_indices(b, indices, shape[:coordinates])
    return _scattered(b, data, checked, updates, reduction)


def _scattered(
    b: Builder, data: relax.Expr, positions: relax.Expr, updates: relax.Expr, reduction: str
) -> relax.Expr:
    """Return Relax's scatter; truths are combined as numbers."""
    if dtype_of(data) != "bool" or reduction == "update":
        return relax.op.scatter_nd(data, positions, updates, reduction)
    numbers = b.cast(data, "int32"), positions, b.cast(updates, "int32")
    combined = b.emit(relax.op.scatter_nd(*numbers, reduction))
    return relax.op.not_equal(combined, relax.const(0, "int32"))


def _coordinates(b: Builder, data: relax.Expr, indices: relax.Expr, batch: int) -> int:
    """Return how many axes of the data each row of indices points into."""
    shape, rows = b.shape_of(data), b.shape_of(indices)
    if not rows or not 0 <= batch < min(len(shape), len(rows)):
        raise b.error(f"batch_dims {batch} does not fit shapes {shape} and {rows}")
    if shape[:batch] != rows[:batch]:
        raise b.error(f"shapes {shape} and {rows} differ in their first {batch} axes")
    if not 1 <= rows[-1] <= len(shape) - batch:
        raise b.error(f"rows of {rows[-1]} indices do not fit data of shape {shape}")
    return rows[-1]


def _check_fit(b: Builder, data: relax.Expr, indices: relax.Expr, axis: int) -> None:
    """Raise ModelError where the data has fewer elements than the indices along another axis."""
    shape, extents = b.shape_of(data), b.shape_of(indices)
    if len(extents) != len(shape):
        raise b.error(f"data of {len(shape)} axes has indices of {len(extents)}")
    for other, (extent, of_data) in enumerate(zip(extents, shape, strict=True)):
        if other != axis and extent > of_data:
            raise b.error(f"the indices have {extent} elements along axis {other}, the data {of_data}")


def top_k(b: Builder, data: relax.Expr, k: int, axis: int, largest: bool) -> tuple[relax.Expr, relax.Expr]:
    """Return the largest or smallest ``k`` elements along an axis, in order, and their positions in int64.

    Where ``k`` or the axis is open they are the first of all elements in order. NaN is the largest.
    """
    shape, kind = b.shape_of(data), dtype_of(data)
    is_part = is_open([k, shape[axis]])
    if not is_part and not 0 < k <= shape[axis]:
        raise b.error(f"k is {k}, and axis {axis} has {shape[axis]} elements")
    sorted_in = SORTED_IN.get(kind, kind)
    if sorted_in not in SORTED_IN.values():
        raise b.refusal(f"elements of type {kind} are not supported")
    keys = _sort_keys(b, b.cast(data, sorted_in))
    count = -1 if is_part else k
    positions = b.emit(relax.op.topk(keys, count, axis, ret_type="indices", largest=largest, dtype="int64"))
    if is_part:
        positions = b.emit(slice_call(positions, [axis], [0], [smaller(k, shape[axis])]))
    return b.emit(relax.op.gather_elements(data, positions, axis)), positions


def _sort_keys(b: Builder, data: relax.Expr) -> relax.Expr:
    """Return numbers in the order of ``data``, in which NaN is above infinity; TVM's sorts compare by less
    alone. Infinity and the largest float32 become equal: no number of 16 bits is as large."""
    dtype = dtype_of(data)
    if "float" not in dtype:
        return data
    most = np.finfo(np.float32).max  # float64 is computed in float32
    finite = b.emit(relax.op.minimum(data, relax.const(most, dtype)))
    return b.emit(relax.op.where(b.emit(relax.op.isnan(data)), relax.const(np.inf, dtype), finite))


def one_hot(
    b: Builder, positions: relax.Expr, depth: int, axis: int, on: relax.Expr, off: relax.Expr
) -> relax.Expr:
    """Return ``on`` at each position along a new axis of ``depth``, and ``off`` elsewhere.

    Positions that are negative count from the end; one that is out of range sets all elements to ``off``.
    The depth may be open.
    """
    rank = len(b.shape_of(positions))
    positions = b.emit(relax.op.expand_dims(b.cast(positions, "int64"), axis))
    dims = [depth, *[1] * (rank - axis)]

    def is_at(first: int) -> relax.Expr:
        if is_open([depth]):
            places = b.emit(open_range(first, first + depth, 1, "int64"))
            places = b.emit(relax.op.reshape(places, relax.ShapeExpr(dims)))
        else:
            places = make_constant(np.arange(first, first + depth).reshape(dims))
        return b.emit(relax.op.equal(positions, places))

    return relax.op.where(b.emit(relax.op.logical_or(is_at(0), is_at(-depth))), on, off)
