"""Quantization and its inverse: ``real = scale * (stored - zero)``, of which both may be expressions.

Graph passes look for these two operators: a layer between them is computed in 8 bits.
"""

from __future__ import annotations

import numpy as np
from tvm import relax

from relay_strategies.relax.graph import dtype_of

from .builder import Builder


def dequantize(
    b: Builder,
    data: relax.Expr,
    scale: relax.Expr,
    zero: relax.Expr | None = None,
    axis: int | None = None,
) -> relax.Expr:
    """Emit the float32 numbers that integers stand for; scale and zero point vary along ``axis``, if any."""
    zero = relax.const(0, dtype_of(data)) if zero is None else zero
    return b.emit(relax.op.dequantize(data, scale, zero, axis=0 if axis is None else axis))


def quantize(
    b: Builder, data: relax.Expr, scale: relax.Expr, zero: relax.Expr | None = None, dtype: str = "uint8"
) -> relax.Expr:
    """Return numbers in the type of ``zero``, or in ``dtype`` with a zero point of 0."""
    zero = relax.const(0, dtype) if zero is None else zero
    return relax.op.quantize(data, scale, zero, axis=0, out_dtype=dtype_of(zero))


def dequantize_blocks(
    b: Builder, data: relax.Expr, scale: relax.Expr, zero: relax.Expr | None, axis: int, block: int
) -> relax.Expr:
    """Return the float32 numbers that integers stand for, with a scale for each ``block`` of an axis."""
    wide = b.cast(data, "int32")
    if zero is not None:
        wide = b.emit(relax.op.subtract(wide, b.cast(_of_elements(b, data, zero, axis, block), "int32")))
    return relax.op.multiply(b.cast(wide, "float32"), _of_elements(b, data, scale, axis, block))


def quantize_blocks(
    b: Builder,
    data: relax.Expr,
    scale: relax.Expr,
    zero: relax.Expr | None,
    axis: int,
    block: int,
    dtype: str,
) -> relax.Expr:
    """Return numbers as integers of a type, with a scale for each ``block`` of an axis."""
    value = b.emit(relax.op.divide(data, _of_elements(b, data, scale, axis, block)))
    value = b.emit(relax.op.round(value))
    if zero is not None:
        value = b.emit(relax.op.add(value, b.cast(_of_elements(b, data, zero, axis, block), "float32")))
    limits = np.iinfo(dtype)
    return relax.op.astype(b.emit(relax.op.clip(value, float(limits.min), float(limits.max))), dtype)


def _of_elements(b: Builder, data: relax.Expr, value: relax.Expr, axis: int, block: int) -> relax.Expr:
    """Emit one element for each block along an axis as one for each element."""
    return b.take(value, np.arange(b.shape_of(data)[axis]) // block, axis)
