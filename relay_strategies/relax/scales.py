"""Scales and shifts by constants: which of them may be joined, or move past other arithmetic.

Float32 rounds after every operator, and networks may be after that: adding 1.5 * 2^23 and taking it off again
rounds to integers, and multiplying by 1e38 and dividing by it clips. The limits here keep such constants
apart, and let through those of normalizations, biases and scales, whose roundings nobody is after.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from tvm import relax

from .arithmetic_calls import ADD, DIVIDE, MULTIPLY
from .graph import constant, dtype_of, operator_name, scalar, shape_of

Shape = tuple[int, ...]
AFFINE = (ADD, MULTIPLY, DIVIDE)
LARGEST_SHIFT = 256.0
"""A larger one stays in its place: adding it rounds to multiples of 2^-15 or more."""
LARGEST_SCALE = 2.0**32
"""Scales beyond it, or back from below its reciprocal, may have made infinities or zeros of numbers."""

CANCELLED = 2.0**-10
"""Shifts of a tensor that leave less of each other than this part have rounded what stood between them, as
have large ones that do not leave half."""


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
    if name not in (MULTIPLY, DIVIDE) or shape_of(call) != shape_of(call.args[0]):
        return None
    factor = scalar(call.args[1])
    if name == DIVIDE:
        factor = 1 / factor if factor else None
    return factor if factor is not None and math.isfinite(factor) else None


@dataclass(frozen=True, eq=False)
class Affine:
    """``x * scale + shift``; both have a tensor's rank and broadcast against it."""

    scale: np.ndarray
    shift: np.ndarray

    @classmethod
    def none(cls, rank: int) -> Affine:
        return cls(np.ones((1,) * rank), np.zeros((1,) * rank))

    @classmethod
    def along(cls, axis: int, rank: int, *, shift: np.ndarray) -> Affine:
        """A shift per element of one axis."""
        none = cls.none(rank)
        return cls(none.scale, shift.reshape([-1 if each == axis else 1 for each in range(rank)]))

    @property
    def rank(self) -> int:
        return self.scale.ndim

    @property
    def has_scale(self) -> bool:
        return bool(np.any(self.scale != 1))

    @property
    def has_shift(self) -> bool:
        return bool(np.any(self.shift != 0))

    @property
    def shape(self) -> Shape:
        return np.broadcast_shapes(self.scale.shape, self.shift.shape)

    def varies_along(self, axes: Sequence[int]) -> bool:
        return any(self.shape[axis] != 1 for axis in axes)

    def is_along(self, axis: int | None) -> bool:
        """Whether it varies along that axis at most."""
        return not self.varies_along([each for each in range(self.rank) if each != axis])

    def after(self, first: Affine | None) -> Affine:
        """``first`` and then this."""
        if first is None:
            return self
        return Affine(first.scale * self.scale, first.shift * self.scale + self.shift)

    def joined(self, first: Affine | None) -> Affine | None:
        """``first`` and then this as one, where what float32 rounds in between does not show; else None."""
        result = self.after(first)
        first = Affine.none(self.rank) if first is None else first
        finite = np.all(np.abs(result.shift) <= np.finfo(np.float32).max)
        if not finite or not scales_join(first.scale, self.scale):
            return None
        before = np.abs(first.shift * self.scale)
        larger = np.maximum(before, np.abs(self.shift))
        left = np.broadcast_to(np.abs(result.shift), larger.shape)
        most, most_left = (np.max(sizes, initial=0.0) for sizes in (larger, left))
        lost = most_left < CANCELLED * most or np.any((larger > LARGEST_SHIFT) & (left < larger / 2))
        return None if lost else result

    @property
    def moves(self) -> bool:
        """Whether its shift may be added before other sums are rounded, in place of after them."""
        return bool(np.all(np.abs(self.shift) <= LARGEST_SHIFT))

    def map(self, function: Callable[[np.ndarray], np.ndarray]) -> Affine:
        """Return it with both arrays changed alike."""
        return Affine(function(self.scale), function(self.shift))

    def only_scale(self) -> Affine:
        return Affine(self.scale, np.zeros((1,) * self.rank))


def affine_of(call: relax.Expr) -> Affine | None:
    """Return what a sum of a float32 tensor and a constant does, a product or a quotient, where the constant
    varies along one axis at most; None for any other expression."""
    name = operator_name(call)
    if name not in AFFINE or not (shape := shape_of(call)) or dtype_of(call) != "float32":
        return None
    array = constant(call.args[1])
    if array is None or array.ndim > len(shape) or shape_of(call.args[0]) != shape:
        return None
    extents = (1,) * (len(shape) - array.ndim) + array.shape
    wide = array.reshape(extents).astype(np.float64)
    if name == DIVIDE:
        with np.errstate(divide="ignore"):
            wide = 1 / wide
    if sum(extent != 1 for extent in extents) > 1 or not np.all(np.isfinite(wide)):
        return None
    none = Affine.none(len(shape))
    return Affine(none.scale, wide) if name == ADD else Affine(wide, none.shift)
