"""Factorizations of matrices, in float64: plain loops, the matrices of a batch on all threads.

Each kernel follows the conventions of LAPACK's routine of the same kind, so that signs and pivots are the
same. Algorithms: Golub and Van Loan, Matrix Computations, chapters 3 to 5 and 8.
"""

# mypy: disable-error-code="valid-type, misc, no-untyped-def"

from __future__ import annotations

from tvm import tirx
from tvm.script import tirx as T

KIND = "float64"
SWEEPS = 40
"""Jacobi's rotations go over all pairs of columns at most so many times; below ten is usual."""
SMALLEST = 1e-15
"""Columns are orthogonal where their cosine is at most this."""


def lu(batch: int, rows: int, columns: int, failing: str | None = None) -> tirx.PrimFunc:
    """Return the kernel a[batch, rows, columns] -> (lu, pivots[batch, min] int32, failed[batch] int32) of
    Gaussian elimination with row exchanges: row i was exchanged with row pivots[i], from 1 on; ``failed`` is
    the first step without a pivot, from 1 on, or 0, which is an InputError of the text ``failing``."""
    steps = min(rows, columns)
    most, message = (0, failing) if failing else (steps, "")

    @T.prim_func(private=True, s_tir=True)
    def kernel(
        a: T.Buffer((batch, rows, columns), KIND),
        lu: T.Buffer((batch, rows, columns), KIND),
        pivots: T.Buffer((batch, steps), "int32"),
        failed: T.Buffer((batch,), "int32"),
    ):
        for b in T.parallel(batch):
            with T.sblock("lu"):
                T.reads()
                T.writes()
                best = T.alloc_buffer((1,), KIND, scope="local")
                at = T.alloc_buffer((1,), "int32", scope="local")
                for i, j in T.grid(rows, columns):
                    lu[b, i, j] = a[b, i, j]
                failed[b] = 0
                for k in range(steps):
                    best[0] = T.float64(-1)
                    at[0] = k
                    for i in range(rows - k):
                        if T.fabs(lu[b, k + i, k]) > best[0]:
                            best[0] = T.fabs(lu[b, k + i, k])
                            at[0] = k + i
                    pivots[b, k] = at[0] + 1
                    for j in range(columns):
                        best[0] = lu[b, k, j]
                        lu[b, k, j] = lu[b, at[0], j]
                        lu[b, at[0], j] = best[0]
                    if lu[b, k, k] == T.float64(0):
                        if failed[b] == 0:
                            failed[b] = k + 1
                    else:
                        for i in range(rows - k - 1):
                            lu[b, k + 1 + i, k] = lu[b, k + 1 + i, k] / lu[b, k, k]
                            for j in range(columns - k - 1):
                                lu[b, k + 1 + i, k + 1 + j] = (
                                    lu[b, k + 1 + i, k + 1 + j] - lu[b, k + 1 + i, k] * lu[b, k, k + 1 + j]
                                )
        for b in range(batch):
            with T.sblock("check"):
                T.reads()
                T.writes()
                assert failed[b] <= most, ("InputError", [message])

    return kernel


def permutation(batch: int, rows: int, steps: int) -> tirx.PrimFunc:
    """Return the kernel pivots[batch, steps] int32 -> order[batch, rows] int64: which row of a matrix is at
    each place once its rows were exchanged."""

    @T.prim_func(private=True, s_tir=True)
    def kernel(
        pivots: T.Buffer((batch, steps), "int32"),
        order: T.Buffer((batch, rows), "int64"),
    ):
        for b in T.parallel(batch):
            with T.sblock("permutation"):
                T.reads()
                T.writes()
                kept = T.alloc_buffer((2,), "int64", scope="local")
                for i in range(rows):
                    order[b, i] = T.Cast("int64", i)
                for k in range(steps):
                    kept[0] = order[b, k]
                    kept[1] = T.min(T.max(T.Cast("int64", pivots[b, k]) - T.int64(1), T.int64(0)), rows - 1)
                    order[b, k] = order[b, kept[1]]
                    order[b, kept[1]] = kept[0]

    return kernel


def cholesky(batch: int, size: int, failing: str | None = None) -> tirx.PrimFunc:
    """Return the kernel a[batch, size, size] -> (lower, failed[batch] int32): lower lower^T is the symmetric
    matrix whose lower half is read; ``failed`` is the first step at which it is not positive, or 0, which is
    an InputError of the text ``failing``."""
    most, message = (0, failing) if failing else (size, "")

    @T.prim_func(private=True, s_tir=True)
    def kernel(
        a: T.Buffer((batch, size, size), KIND),
        lower: T.Buffer((batch, size, size), KIND),
        failed: T.Buffer((batch,), "int32"),
    ):
        for b in T.parallel(batch):
            with T.sblock("cholesky"):
                T.reads()
                T.writes()
                total = T.alloc_buffer((1,), KIND, scope="local")
                failed[b] = 0
                for i, j in T.grid(size, size):
                    lower[b, i, j] = T.float64(0)
                for j in range(size):
                    for i in range(size - j):
                        total[0] = a[b, j + i, j]
                        for k in range(j):
                            total[0] = total[0] - lower[b, j + i, k] * lower[b, j, k]
                        if i == 0:
                            if not total[0] > T.float64(0) and failed[b] == 0:
                                failed[b] = j + 1
                            lower[b, j, j] = T.sqrt(total[0])
                        else:
                            lower[b, j + i, j] = total[0] / lower[b, j, j]
        for b in range(batch):
            with T.sblock("check"):
                T.reads()
                T.writes()
                assert failed[b] <= most, ("InputError", [message])

    return kernel


def reflectors(batch: int, rows: int, columns: int) -> tirx.PrimFunc:
    """Return the kernel a[batch, rows, columns] -> (r, factors[batch, min]) of the QR factorization by
    Householder's reflections: R, and below its diagonal the vectors of the reflections 1 - factor v v^T,
    whose first element is 1."""
    steps = min(rows, columns)

    @T.prim_func(private=True, s_tir=True)
    def kernel(
        a: T.Buffer((batch, rows, columns), KIND),
        r: T.Buffer((batch, rows, columns), KIND),
        factors: T.Buffer((batch, steps), KIND),
    ):
        for b in T.parallel(batch):
            with T.sblock("reflectors"):
                T.reads()
                T.writes()
                total = T.alloc_buffer((2,), KIND, scope="local")
                for i, j in T.grid(rows, columns):
                    r[b, i, j] = a[b, i, j]
                for k in range(steps):
                    total[0] = T.float64(0)
                    for i in range(rows - k - 1):
                        total[0] = total[0] + r[b, k + 1 + i, k] * r[b, k + 1 + i, k]
                    factors[b, k] = T.float64(0)
                    if total[0] > T.float64(0):
                        total[1] = T.sqrt(r[b, k, k] * r[b, k, k] + total[0])
                        if r[b, k, k] > T.float64(0):
                            total[1] = -total[1]
                        factors[b, k] = (total[1] - r[b, k, k]) / total[1]
                        for i in range(rows - k - 1):
                            r[b, k + 1 + i, k] = r[b, k + 1 + i, k] / (r[b, k, k] - total[1])
                        r[b, k, k] = total[1]
                        for j in range(columns - k - 1):
                            total[0] = r[b, k, k + 1 + j]
                            for i in range(rows - k - 1):
                                total[0] = total[0] + r[b, k + 1 + i, k] * r[b, k + 1 + i, k + 1 + j]
                            total[0] = total[0] * factors[b, k]
                            r[b, k, k + 1 + j] = r[b, k, k + 1 + j] - total[0]
                            for i in range(rows - k - 1):
                                r[b, k + 1 + i, k + 1 + j] = (
                                    r[b, k + 1 + i, k + 1 + j] - total[0] * r[b, k + 1 + i, k]
                                )

    return kernel


def reflected(batch: int, rows: int, width: int, steps: int, columns: int, backward: bool) -> tirx.PrimFunc:
    """Return the kernel (r[batch, rows, width], factors[batch, steps], c[batch, rows, columns]) -> Q c, of
    the product Q of ``steps`` reflections; with ``backward`` Q^T c."""

    @T.prim_func(private=True, s_tir=True)
    def kernel(
        r: T.Buffer((batch, rows, width), KIND),
        factors: T.Buffer((batch, steps), KIND),
        c: T.Buffer((batch, rows, columns), KIND),
        result: T.Buffer((batch, rows, columns), KIND),
    ):
        for b in T.parallel(batch):
            with T.sblock("reflected"):
                T.reads()
                T.writes()
                total = T.alloc_buffer((1,), KIND, scope="local")
                at = T.alloc_buffer((1,), "int32", scope="local")
                for i, j in T.grid(rows, columns):
                    result[b, i, j] = c[b, i, j]
                for turn in range(steps):
                    at[0] = turn if backward else steps - 1 - turn
                    for j in range(columns):
                        total[0] = result[b, at[0], j]
                        for i in range(rows):
                            if i > at[0]:
                                total[0] = total[0] + r[b, i, at[0]] * result[b, i, j]
                        total[0] = total[0] * factors[b, at[0]]
                        result[b, at[0], j] = result[b, at[0], j] - total[0]
                        for i in range(rows):
                            if i > at[0]:
                                result[b, i, j] = result[b, i, j] - total[0] * r[b, i, at[0]]

    return kernel


def triangular_solution(batch: int, size: int, columns: int, upper: bool, unit: bool) -> tirx.PrimFunc:
    """Return the kernel (a[batch, size, size], c[batch, size, columns]) -> a^-1 c, of which one half of ``a``
    is read, without its diagonal if that is ``unit``."""

    @T.prim_func(private=True, s_tir=True)
    def kernel(
        a: T.Buffer((batch, size, size), KIND),
        c: T.Buffer((batch, size, columns), KIND),
        result: T.Buffer((batch, size, columns), KIND),
    ):
        for b in T.parallel(batch):
            with T.sblock("triangular"):
                T.reads()
                T.writes()
                total = T.alloc_buffer((1,), KIND, scope="local")
                at = T.alloc_buffer((1,), "int32", scope="local")
                for turn in range(size):
                    at[0] = size - 1 - turn if upper else turn
                    for j in range(columns):
                        total[0] = c[b, at[0], j]
                        for k in range(turn):
                            if upper:
                                total[0] = total[0] - a[b, at[0], size - 1 - k] * result[b, size - 1 - k, j]
                            else:
                                total[0] = total[0] - a[b, at[0], k] * result[b, k, j]
                        result[b, at[0], j] = total[0] if unit else total[0] / a[b, at[0], at[0]]

    return kernel


def singular_values(batch: int, rows: int, columns: int) -> tirx.PrimFunc:
    """Return the kernel a[batch, rows, columns] -> (turned[batch, rows, columns], v[batch, columns,
    columns]): a v = turned, whose columns are orthogonal, by one-sided Jacobi rotations. Their norms are the
    singular values, in no order."""

    @T.prim_func(private=True, s_tir=True)
    def kernel(
        a: T.Buffer((batch, rows, columns), KIND),
        turned: T.Buffer((batch, rows, columns), KIND),
        v: T.Buffer((batch, columns, columns), KIND),
    ):
        for b in T.parallel(batch):
            with T.sblock("jacobi"):
                T.reads()
                T.writes()
                dots = T.alloc_buffer((3,), KIND, scope="local")
                turn = T.alloc_buffer((4,), KIND, scope="local")
                going = T.alloc_buffer((2,), "int32", scope="local")
                for i, j in T.grid(rows, columns):
                    turned[b, i, j] = a[b, i, j]
                for i, j in T.grid(columns, columns):
                    v[b, i, j] = T.if_then_else(i == j, T.float64(1), T.float64(0))
                going[0] = 1
                going[1] = 0
                while going[0] > 0 and going[1] < SWEEPS:
                    going[0] = 0
                    going[1] = going[1] + 1
                    for p in range(columns):
                        for q in range(columns - p - 1):
                            for k in range(3):
                                dots[k] = T.float64(0)
                            for i in range(rows):
                                dots[0] = dots[0] + turned[b, i, p] * turned[b, i, p]
                                dots[1] = dots[1] + turned[b, i, p + 1 + q] * turned[b, i, p + 1 + q]
                                dots[2] = dots[2] + turned[b, i, p] * turned[b, i, p + 1 + q]
                            if T.fabs(dots[2]) > T.float64(SMALLEST) * T.sqrt(dots[0] * dots[1]):
                                going[0] = 1
                                turn[0] = (dots[1] - dots[0]) / (T.float64(2) * dots[2])
                                turn[1] = T.float64(1) / (
                                    T.fabs(turn[0]) + T.sqrt(T.float64(1) + turn[0] * turn[0])
                                )
                                if turn[0] < T.float64(0):
                                    turn[1] = -turn[1]
                                turn[2] = T.float64(1) / T.sqrt(T.float64(1) + turn[1] * turn[1])
                                turn[3] = turn[2] * turn[1]
                                for i in range(rows):
                                    dots[0] = turned[b, i, p]
                                    turned[b, i, p] = turn[2] * dots[0] - turn[3] * turned[b, i, p + 1 + q]
                                    turned[b, i, p + 1 + q] = (
                                        turn[3] * dots[0] + turn[2] * turned[b, i, p + 1 + q]
                                    )
                                for i in range(columns):
                                    dots[0] = v[b, i, p]
                                    v[b, i, p] = turn[2] * dots[0] - turn[3] * v[b, i, p + 1 + q]
                                    v[b, i, p + 1 + q] = turn[3] * dots[0] + turn[2] * v[b, i, p + 1 + q]

    return kernel
