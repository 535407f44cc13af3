"""Discrete Fourier transforms of an open length: products with matrices that a run computes.

A matrix takes as many sines as it has elements, and a product as many operations for each signal: right at
any length, and slower than a transform of a known length where it is long. Angles are reduced exactly, by
integers, to half a turn, and are float32.
"""

from __future__ import annotations

import math

import numpy as np
from tvm import relax

from relay_strategies.relax.graph import make_constant
from tvm_directconv.problem.extents import given_to_tvm

from .builder import Builder


def open_transform(
    b: Builder, rows: relax.Expr, sign: int, bins: int, is_mean: bool, factor: float = 1.0
) -> relax.Expr:
    """Return the first ``bins`` results (rows, bins, 2) of (rows, n, 1 or 2): the sums of the elements by
    exp(sign 2 pi i j k / n), times a factor, and by n where it ``is_mean``."""
    count, size, parts = b.shape_of(rows)
    real, imaginary = _roots(b, size, (size, bins), sign, is_mean, factor)
    columns = [b.emit(relax.op.stack([real, imaginary], 2))]
    if parts == 2:
        columns.append(b.emit(relax.op.stack([b.emit(relax.op.negative(imaginary)), real], 2)))
    table = b.emit(relax.op.stack(columns, 1))
    return _product(b, rows, table, (size * parts, bins * 2), (count, bins, 2))


def open_to_real(b: Builder, rows: relax.Expr, size: int, is_mean: bool, factor: float = 1.0) -> relax.Expr:
    """Return the real signal (rows, n, 1) of which (rows, n // 2 + 1, 1 or 2) are the first results, as
    ``open_transform`` scales it. Imaginary parts of the first, and of one in the middle, do not count."""
    count, bins, parts = b.shape_of(rows)
    real, imaginary = _roots(b, size, (bins, size), 1, is_mean, factor)
    places = _numbers(b, bins, (bins, 1))
    twice = b.emit(relax.op.multiply(places, relax.const(2, "int64")))
    ends = b.emit(relax.op.equal(places, relax.const(0, "int64")))
    middle = b.emit(relax.op.equal(twice, b.cast(size, "int64")))
    once = b.emit(relax.op.logical_or(ends, middle))
    weights = b.emit(relax.op.where(once, make_constant(np.float32(1)), make_constant(np.float32(2))))
    columns = [b.emit(relax.op.multiply(real, weights))]
    if parts == 2:
        weights = b.emit(relax.op.where(once, make_constant(np.float32(0)), make_constant(np.float32(-2))))
        columns.append(b.emit(relax.op.multiply(imaginary, weights)))
    table = b.emit(relax.op.stack(columns, 1))
    return _product(b, rows, table, (bins * parts, size), (count, size, 1))


def _roots(
    b: Builder, size: int, shape: tuple[int, int], sign: int, is_mean: bool, factor: float
) -> tuple[relax.Expr, relax.Expr]:
    """The real and imaginary parts, float32 of ``shape``, of exp(sign 2 pi i j k / n)."""
    rows, columns = _numbers(b, shape[0], (shape[0], 1)), _numbers(b, shape[1], (1, shape[1]))
    whole, length = b.cast(size, "int64"), b.cast(size, "float32")
    places = b.emit(relax.op.floor_mod(b.emit(relax.op.multiply(rows, columns)), whole))
    twice = b.emit(relax.op.multiply(places, relax.const(2, "int64")))
    before = b.emit(relax.op.subtract(places, whole))
    places = b.emit(relax.op.where(b.emit(relax.op.greater(twice, whole)), before, places))
    turns = b.emit(relax.op.divide(b.cast(places, "float32"), length))
    angles = b.emit(relax.op.multiply(turns, make_constant(np.float32(sign * 2 * math.pi))))
    scale: relax.Expr = make_constant(np.float32(factor))
    if is_mean:
        scale = b.emit(relax.op.divide(scale, length))
    parts = (b.emit(relax.op.cos(angles)), b.emit(relax.op.sin(angles)))
    real, imaginary = (b.emit(relax.op.multiply(part, scale)) for part in parts)
    return real, imaginary


def _numbers(b: Builder, count: int, shape: tuple[int, int]) -> relax.Expr:
    numbers = b.emit(relax.op.arange(0, given_to_tvm(count), 1, "int64"))
    return b.emit(relax.op.reshape(numbers, relax.ShapeExpr(list(map(given_to_tvm, shape)))))


def _product(
    b: Builder, rows: relax.Expr, table: relax.Expr, matrix: tuple[int, int], shape: tuple[int, int, int]
) -> relax.Expr:
    flat = b.emit(relax.op.reshape(rows, (shape[0], matrix[0])))
    weights = b.emit(relax.op.reshape(table, matrix))
    return b.emit(relax.op.reshape(b.emit_layer(relax.op.matmul(flat, weights)), shape))
