"""Scales and shifts by constants: which of them may be joined, or move past other arithmetic.

Float32 rounds after every operator, and networks may be after that: adding 1.5 * 2^23 and taking it off again
rounds to integers, and multiplying by 1e38 and dividing by it clips. The limits here keep such constants
apart, and let through those of normalizations, biases and scales, whose roundings nobody is after.
"""

from __future__ import annotations

import math

import numpy as np
from tvm import relax

from .graph import operator_name, scalar, shape_of

LARGEST_SHIFT = 256.0
"""A larger one stays in its place: adding it rounds to multiples of 2^-15 or more."""
LARGEST_SCALE = 2.0**32
"""Scales beyond it, or back from below its reciprocal, may have made infinities or zeros of numbers."""


def scales_join(first: np.ndarray | float, then: np.ndarray | float) -> bool:
    """Whether one product by both is the same as two, up to rounding: neither loses in overflow or underflow
    what the other brings back."""
    sizes = np.abs(first), np.abs(then), np.abs(np.multiply(first, then))
    grows = (sizes[0] > 0) & (sizes[0] < 1 / LARGEST_SCALE) & (sizes[2] >= 1 / LARGEST_SCALE)
    return all(np.all(size <= LARGEST_SCALE) for size in sizes) and not np.any(grows)


def factor_of(call: relax.Expr) -> float | None:
    """The finite number by which a call multiplies its first argument, also as the reciprocal of what it
    divides by; None for any other."""
    name = operator_name(call)
    if name not in ("relax.multiply", "relax.divide") or shape_of(call) != shape_of(call.args[0]):
        return None
    factor = scalar(call.args[1])
    if name == "relax.divide":
        factor = 1 / factor if factor else None
    return factor if factor is not None and math.isfinite(factor) else None
