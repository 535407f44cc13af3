"""Arithmetic as x86 rounds it, on numpy's vectors."""

from __future__ import annotations

import numpy as np

LOST = 0x0FFFFFFF
"""These bits are zero in a double whose value is halfway between two floats."""
QUIET = 0x40


def fused(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """``a * b + c`` of float32 or float16, rounded once.

    The product is exact in float64. Where the sum, rounded to float64, may be halfway between two of the
    narrower numbers, what that rounding lost is put into its last bit (round to odd, Boldo and Melquiond
    2008), so that rounding again is right.
    """
    product, term = a.astype(np.float64) * b, c.astype(np.float64)
    total = product + term
    bits = total.view(np.int64)
    if not (bits & LOST).all():
        part = total - product
        lost = (product - (total - part)) + (term - part)
        if not lost.any():
            return total.astype(a.dtype)
        inexact = np.isfinite(total) & (lost != 0) & (bits & 1 == 0)
        total = np.where(inexact, bits + np.where((lost > 0) == (total > 0), 1, -1), bits).view(np.float64)
    return total.astype(a.dtype)


def flushed(x: np.ndarray) -> np.ndarray:
    """float32 with denormal numbers taken for zeros of their sign."""
    return np.where(np.abs(x) < np.float32(2.0**-126), np.copysign(np.float32(0), x), x)


def of_bfloat16(bits: np.ndarray) -> np.ndarray:
    """float32 of bfloat16's bits."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


def to_bfloat16(x: np.ndarray) -> np.ndarray:
    """The bits of float32 rounded to bfloat16: to nearest even; denormal numbers become zeros, NaN stays."""
    bits = flushed(x).view(np.uint32)
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    return np.where(np.isnan(x), bits >> 16 | QUIET, rounded).astype(np.uint16)


def fused_flushed(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """``a * b + c``, rounded once, with denormal numbers taken for zeros before and after."""
    return flushed(fused(flushed(a), flushed(b), flushed(c)))
