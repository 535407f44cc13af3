"""Special functions of two numbers, whose operands are broadcast; those of real numbers return float64."""

from __future__ import annotations

import math
from collections.abc import Callable

from tvm import relax, tirx

from tvm_directconv.operators import special
from tvm_directconv.problem.extents import broadcast, is_open

from .builder import Builder
from .finding import call_kernel

KIND = special.KIND
POLYNOMIALS = tuple(special.POLYNOMIALS)
"""Families of orthogonal polynomials by their names in PyTorch."""


def polynomial(b: Builder, x: relax.Expr, degree: relax.Expr, family: str) -> relax.Expr:
    """Return the value of a family's polynomial of each degree, whose fraction does not count."""
    return _called(b, lambda count: special.polynomial(count, special.POLYNOMIALS[family]), x, degree)


def zeta(b: Builder, s: relax.Expr, q: relax.Expr) -> relax.Expr:
    """Return Hurwitz' zeta function."""
    return _called(b, special.zeta, s, q)


def incomplete_gamma(b: Builder, a: relax.Expr, x: relax.Expr, upper: bool) -> relax.Expr:
    """Return the regularized lower incomplete gamma function, or the ``upper`` one."""
    return _called(b, lambda count: special.incomplete_gamma(count, upper), a, x)


def common_divisor(b: Builder, left: relax.Expr, right: relax.Expr) -> relax.Expr:
    """Return the greatest common divisor of integers, int64; 0 of two zeros."""
    return _called(b, special.common_divisor, left, right, "int64")


def _called(
    b: Builder,
    kernel: Callable[[int], tirx.PrimFunc],
    left: relax.Expr,
    right: relax.Expr,
    dtype: str = KIND,
) -> relax.Expr:
    shape = broadcast(b.shape_of(left), b.shape_of(right))
    if is_open(shape):
        raise b.refusal("special functions of tensors of open sizes are not supported")
    count = math.prod(shape)
    flat = []
    for value in (left, right):
        wide = b.emit(relax.op.broadcast_to(b.cast(value, dtype), shape))
        flat.append(b.emit(relax.op.reshape(wide, (count,))))
    found = call_kernel(b, kernel(count), "special", flat, [relax.TensorType((count,), dtype)])
    return b.emit(relax.op.reshape(found, shape))
