"""Sparse matrices by rows (CSR, and BSR of blocks) and sparse tensors by coordinates (COO), as tensors of
their parts.

What is multiplied is written out first, zeros included: a constant becomes a dense weight, once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from tvm import relax

from relay_strategies.relax.graph import constant, dtype_of, make_constant

from .builder import Builder
from .finding import places_of
from .indexing import scatter_nd
from .movement import stack


def dense_matrix(
    b: Builder, values: relax.Expr, columns: relax.Expr, ends: relax.Expr, width: int
) -> relax.Expr:
    """Return the matrix (rows, width) of ``values``, one each of (entries,) or blocks of (entries, height) or
    (entries, height, width of a block), at ``columns``, counted in blocks, of the rows between ``ends``.

    Values at the same place are summed.
    """
    shape = b.shape_of(values)
    block = (*shape[1:], 1, 1)[:2]
    rows, across = b.shape_of(ends)[0] - 1, width // block[1]
    if width % block[1]:
        raise b.error(f"blocks of shape {block} do not fit a matrix of {width} columns")
    stored, places, bounds = (constant(part) for part in (values, columns, ends))
    if stored is not None and places is not None and bounds is not None:
        table = np.zeros((rows, across, *block), stored.dtype)
        owners = np.searchsorted(bounds, np.arange(len(stored)), "right") - 1
        np.add.at(table, (owners, places), stored.reshape(-1, *block))
        return make_constant(np.ascontiguousarray(table.transpose(0, 2, 1, 3).reshape(-1, width)))
    pairs = b.emit(stack(b, [rows_of(b, ends, shape[0]), b.cast(columns, "int64")], 1))
    blocks = b.emit(relax.op.reshape(values, (shape[0], *block)))
    zeros = make_constant(np.zeros((rows, across, *block), dtype_of(values)))
    table = b.emit(scatter_nd(b, zeros, pairs, blocks, "add"))
    table = b.emit(relax.op.permute_dims(table, [0, 2, 1, 3]))
    return b.emit(relax.op.reshape(table, (rows * block[0], width)))


def rows_of(b: Builder, ends: relax.Expr, count: int) -> relax.Expr:
    """Return the row of each of ``count`` entries, int64, of rows between ``ends``."""
    places = make_constant(np.arange(count, dtype=np.int64))
    found = b.emit(relax.op.bucketize(places, b.cast(ends, "int64"), False, True))
    return b.emit(relax.op.subtract(found, relax.const(1, "int64")))


def transposed(
    b: Builder, values: relax.Expr, columns: relax.Expr, ends: relax.Expr
) -> tuple[relax.Expr, relax.Expr, relax.Expr]:
    """Return values, columns and ends of the transpose of a square matrix by rows, in the types given."""
    (count,), (size,) = b.shape_of(values), b.shape_of(ends)
    order = b.emit(relax.op.argsort(columns, 0, dtype="int64"))
    rows = b.emit(relax.op.take(rows_of(b, ends, count), order, 0, mode="clip"))
    ordered = b.cast(b.emit(relax.op.take(columns, order, 0, mode="clip")), "int64")
    bounds = make_constant(np.arange(size, dtype=np.int64))
    begins = b.emit(relax.op.bucketize(bounds, ordered, False, False))
    return (
        b.emit(relax.op.take(values, order, 0, mode="clip")),
        b.cast(rows, dtype_of(columns)),
        b.cast(begins, dtype_of(ends)),
    )


def reshaped(
    b: Builder, places: relax.Expr, before: Sequence[int], wanted: Sequence[int]
) -> tuple[relax.Expr, list[int]]:
    """Return coordinates (entries, axes) in a tensor of shape ``before`` as those in one of the shape
    ``wanted``, of which one size may be -1, and that shape."""
    sizes, elements = list(wanted), math.prod(before)
    known = math.prod(size for size in sizes if size != -1)
    if sizes.count(-1) == 1 and known and elements % known == 0:
        sizes[sizes.index(-1)] = elements // known
    if -1 in sizes or math.prod(sizes) != elements:
        raise b.error(f"shape {list(wanted)} does not have the elements of {list(before)}")
    dtype = dtype_of(places)
    steps = [math.prod(before[axis + 1 :]) for axis in range(len(before))]
    moved = b.emit(relax.op.multiply(places, make_constant(np.array(steps, dtype))))
    flat = b.emit(relax.op.sum(moved, [1], keepdims=True))
    steps = [math.prod(sizes[axis + 1 :]) for axis in range(len(sizes))]
    whole = b.emit(relax.op.floor_divide(flat, make_constant(np.array(steps, dtype))))
    return b.emit(relax.op.floor_mod(whole, make_constant(np.array(sizes, dtype)))), sizes


def with_all_rows(
    b: Builder, places: relax.Expr, values: relax.Expr, rows: int, default: relax.Expr
) -> tuple[relax.Expr, relax.Expr, relax.Expr]:
    """Return coordinates (entries, axes) and values of a sparse tensor, by rows, with a ``default`` in the
    first column of each row that had none; and which rows these are, in bool."""
    count, axes = b.shape_of(places)
    kind = dtype_of(places)
    own = b.emit(relax.op.strided_slice(places, [1], [0], [1]))
    found = b.emit(
        scatter_nd(
            b,
            make_constant(np.zeros(rows, np.int32)),
            b.cast(own, "int64"),
            make_constant(np.ones(count, np.int32)),
            "update",
        )
    )
    is_empty = b.emit(relax.op.equal(found, relax.const(0, "int32")))
    firsts = np.zeros((rows, axes), kind)
    firsts[:, 0] = np.arange(rows)
    every = b.emit(relax.op.concat([places, make_constant(firsts)], 0))
    fillers = b.emit(relax.op.broadcast_to(b.emit(relax.op.reshape(default, (1,))), (rows,)))
    filled = b.emit(relax.op.concat([values, fillers], 0))
    kept = b.emit(relax.op.concat([make_constant(np.ones(count, bool)), is_empty], 0))
    row = b.emit(relax.op.reshape(b.emit(relax.op.strided_slice(every, [1], [0], [1])), (count + rows,)))
    order = b.emit(relax.op.argsort(row, 0, dtype="int64"))
    every, filled, kept = (
        b.emit(relax.op.take(part, order, 0, mode="clip")) for part in (every, filled, kept)
    )
    chosen, _ = places_of(b, kept)
    return (
        b.emit(relax.op.take(every, chosen, 0, mode="clip")),
        b.emit(relax.op.take(filled, chosen, 0, mode="clip")),
        is_empty,
    )
