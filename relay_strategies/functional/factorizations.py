"""Factorizations of matrices, batches of any shape of them: computed in float64, returned in it.

``failing``, where it is given, is what an InputError says when the model runs and a matrix has none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from tvm import relax, tirx

from relay_strategies.relax.graph import make_constant
from tvm_directconv.operators import factorizations
from tvm_directconv.problem.extents import is_open

from .builder import Builder
from .finding import call_kernel

KIND = factorizations.KIND


def lu(b: Builder, a: relax.Expr, failing: str | None = None) -> tuple[relax.Expr, relax.Expr, relax.Expr]:
    """Return L and U (..., m, n) in one matrix, the rows that each row was exchanged with (..., min), from 1
    on, and the first step without a pivot (...), or 0; the latter two in int32."""
    batch, (rows, columns) = _shape(b, a)
    count = math.prod(batch)
    kernel = factorizations.lu(count, rows, columns, failing)
    kinds = [((rows, columns), KIND), ((min(rows, columns),), "int32"), ((), "int32")]
    found = _called(b, kernel, "lu", [a], batch, kinds)
    return found[0], found[1], found[2]


def row_order(b: Builder, pivots: relax.Expr, rows: int) -> relax.Expr:
    """Return which row is at each place, int64 (..., rows), after the exchanges of ``lu``."""
    *batch, steps = b.shape_of(pivots)
    kernel = factorizations.permutation(math.prod(batch), rows, steps)
    (order,) = _called(b, kernel, "row_order", [pivots], batch, [((rows,), "int64")], "int32")
    return order


def cholesky(b: Builder, a: relax.Expr, failing: str | None = None) -> tuple[relax.Expr, relax.Expr]:
    """Return the lower factor (..., n, n), of which the lower half of ``a`` is read, and the first step at
    which it is not positive (...), int32, or 0."""
    batch, (size, _) = _shape(b, a)
    kernel = factorizations.cholesky(math.prod(batch), size, failing)
    lower, failed = _called(b, kernel, "cholesky", [a], batch, [((size, size), KIND), ((), "int32")])
    return lower, failed


def reflectors(b: Builder, a: relax.Expr) -> tuple[relax.Expr, relax.Expr]:
    """Return R of (..., m, n), with Householder's vectors below its diagonal, and the factors (..., min)."""
    batch, (rows, columns) = _shape(b, a)
    kernel = factorizations.reflectors(math.prod(batch), rows, columns)
    kinds = [((rows, columns), KIND), ((min(rows, columns),), KIND)]
    r, factors = _called(b, kernel, "reflectors", [a], batch, kinds)
    return r, factors


def reflected(
    b: Builder, r: relax.Expr, factors: relax.Expr, c: relax.Expr, backward: bool = False
) -> relax.Expr:
    """Return Q c (..., m, k) of the product Q of the reflections, or Q^T c."""
    batch, (rows, width) = _shape(b, r)
    steps, columns = b.shape_of(factors)[-1], b.shape_of(c)[-1]
    if not steps:
        return b.cast(c, KIND)
    kernel = factorizations.reflected(math.prod(batch), rows, width, steps, columns, backward)
    (result,) = _called(b, kernel, "reflected", [r, factors, c], batch, [((rows, columns), KIND)])
    return result


def triangular_solution(
    b: Builder, a: relax.Expr, c: relax.Expr, upper: bool, unit: bool = False
) -> relax.Expr:
    """Return a^-1 c (..., n, k) of a triangular matrix (..., n, n), of which one half is read."""
    batch, (size, columns) = _shape(b, c)
    kernel = factorizations.triangular_solution(math.prod(batch), size, columns, upper, unit)
    (result,) = _called(b, kernel, "triangular", [a, c], batch, [((size, columns), KIND)])
    return result


def singular_values(
    b: Builder, a: relax.Expr, vectors: bool = True, full: bool = False
) -> tuple[relax.Expr | None, relax.Expr, relax.Expr | None]:
    """Return U, the singular values from the largest on, and V^T, of (..., m, n); all of both bases if
    ``full``. Without ``vectors`` the values alone."""
    batch, (rows, columns) = _shape(b, a)
    if rows < columns:
        right, values, left = singular_values(b, _transposed(b, a), vectors, full)
        if left is None or right is None:
            return None, values, None
        return _transposed(b, left), values, _transposed(b, right)
    turned, v = _jacobi(b, a)
    values = b.emit(relax.op.sqrt(b.emit(relax.op.sum(b.emit(relax.op.square(turned)), [-2]))))
    order = b.emit(relax.op.argsort(values, -1, descending=True, dtype="int64"))
    values = b.emit(relax.op.gather_elements(values, order, len(batch)))
    if not vectors:
        return None, values, None
    turned, v = (_columns(b, each, order) for each in (turned, v))
    # The columns are orthogonal: R is diagonal, and Q completes those that are zero to a basis.
    r, factors = reflectors(b, turned)
    width = rows if full else columns
    identity = make_constant(
        np.ascontiguousarray(np.broadcast_to(np.eye(rows, width), (*batch, rows, width)))
    )
    u = reflected(b, r, factors, identity)
    signs = _diagonal(b, r)
    signs = b.emit(
        relax.op.where(b.emit(relax.op.less(signs, b.cast(0, KIND))), b.cast(-1, KIND), b.cast(1, KIND))
    )
    if width > columns:
        ones = make_constant(np.ones((*batch, width - columns)))
        signs = b.emit(relax.op.concat([signs, ones], -1))
    u = b.emit(relax.op.multiply(u, b.emit(relax.op.expand_dims(signs, -2))))
    return u, values, _transposed(b, v)


def symmetric_eigenvalues(b: Builder, a: relax.Expr) -> tuple[relax.Expr, relax.Expr]:
    """Return the eigenvalues (..., n) of symmetric matrices, from the least on, and vectors (..., n, n).

    A multiple of the identity makes the matrix positive: its singular values are then its eigenvalues.
    """
    batch, (size, _) = _shape(b, a)
    squares = b.emit(relax.op.sum(b.emit(relax.op.square(a)), [-2, -1], keepdims=True))
    shift = b.emit(relax.op.sqrt(squares))
    moved = b.emit(relax.op.multiply(shift, make_constant(np.eye(size))))
    turned, v = _jacobi(b, b.emit(relax.op.add(a, moved)))
    values = b.emit(relax.op.sqrt(b.emit(relax.op.sum(b.emit(relax.op.square(turned)), [-2]))))
    order = b.emit(relax.op.argsort(values, -1, dtype="int64"))
    values = b.emit(relax.op.gather_elements(values, order, len(batch)))
    values = b.emit(relax.op.subtract(values, b.emit(relax.op.squeeze(shift, [-1]))))
    return values, _columns(b, v, order)


def _jacobi(b: Builder, a: relax.Expr) -> tuple[relax.Expr, relax.Expr]:
    batch, (rows, columns) = _shape(b, a)
    kernel = factorizations.singular_values(math.prod(batch), rows, columns)
    kinds = [((rows, columns), KIND), ((columns, columns), KIND)]
    turned, v = _called(b, kernel, "jacobi", [a], batch, kinds)
    return turned, v


def _shape(b: Builder, a: relax.Expr) -> tuple[list[int], tuple[int, int]]:
    *batch, rows, columns = b.shape_of(a)
    if is_open([*batch, rows, columns]):
        raise b.refusal("matrices of open sizes are not factorized")
    return batch, (rows, columns)


def _called(
    b: Builder,
    kernel: tirx.PrimFunc,
    name: str,
    operands: Sequence[relax.Expr],
    batch: Sequence[int],
    kinds: Sequence[tuple[Sequence[int], str]],
    dtype: str = KIND,
) -> list[relax.Expr]:
    """Return a kernel's results, of a shape and type for each of the batch, of operands of this batch."""
    count = math.prod(batch)
    flat = []
    for operand in operands:
        shape = (count, *b.shape_of(operand)[len(batch) :])
        flat.append(b.emit(relax.op.reshape(b.cast(operand, dtype), shape)))
    types = [relax.TensorType((count, *shape), kind) for shape, kind in kinds]
    made = call_kernel(b, kernel, name, flat, types)
    parts = [made] if len(kinds) == 1 else [b.emit(relax.TupleGetItem(made, i)) for i in range(len(kinds))]
    return [
        b.emit(relax.op.reshape(part, (*batch, *shape)))
        for part, (shape, _) in zip(parts, kinds, strict=True)
    ]


def _transposed(b: Builder, value: relax.Expr) -> relax.Expr:
    rank = len(b.shape_of(value))
    return b.emit(relax.op.permute_dims(value, [*range(rank - 2), rank - 1, rank - 2]))


def _columns(b: Builder, matrix: relax.Expr, order: relax.Expr) -> relax.Expr:
    """Return the columns of matrices in an order (..., n)."""
    shape = b.shape_of(matrix)
    places = b.emit(relax.op.broadcast_to(b.emit(relax.op.expand_dims(order, -2)), shape))
    return b.emit(relax.op.gather_elements(matrix, places, len(shape) - 1))


def _diagonal(b: Builder, matrix: relax.Expr) -> relax.Expr:
    """Return the diagonals (..., min) of matrices."""
    *batch, rows, columns = b.shape_of(matrix)
    flat = b.emit(relax.op.reshape(matrix, (*batch, rows * columns)))
    return b.take(flat, np.arange(min(rows, columns)) * (columns + 1), len(batch))
