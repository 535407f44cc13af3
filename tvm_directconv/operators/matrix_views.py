"""Tensors seen as stacks of matrices: strides in place of copies.

What attention does to its operands before it multiplies them (reshape, permute, slice, broadcast) only says
where their elements are. ``View`` is that knowledge; kernels take it in place of a tensor that was copied.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class View:
    """Element (i, j, ...) of ``shape`` is at ``offset + i * strides[0] + j * strides[1] + ...``, in elements,
    of a contiguous tensor of the shape ``tensor``."""

    tensor: tuple[int, ...]
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int = 0

    @staticmethod
    def of(shape: Sequence[int]) -> View:
        """A contiguous tensor as it is."""
        strides = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
        return View(tuple(shape), tuple(shape), tuple(strides))

    def permuted(self, axes: Sequence[int]) -> View:
        """Axis ``axes[i]`` becomes axis i."""
        return self._with([self.shape[axis] for axis in axes], [self.strides[axis] for axis in axes])

    def sliced(self, axis: int, start: int, count: int, step: int = 1) -> View:
        """Every ``step``-th of an axis from ``start`` on, ``count`` of them."""
        shape, strides = list(self.shape), list(self.strides)
        offset = self.offset + start * strides[axis]
        shape[axis], strides[axis] = count, strides[axis] * step
        return View(self.tensor, tuple(shape), tuple(strides), offset)

    def broadcast(self, shape: Sequence[int]) -> View:
        """Repeated along new axes in front and along those of extent 1."""
        added = len(shape) - len(self.shape)
        strides = [0] * added + list(self.strides)
        extents = [1] * added + list(self.shape)
        repeated = [
            0 if have == 1 and want != 1 else stride
            for have, want, stride in zip(extents, shape, strides, strict=True)
        ]
        return self._with(shape, repeated)

    def reshaped(self, shape: Sequence[int]) -> View | None:
        """Return the view in another shape, elements in the same order; None if strides cannot express it."""
        old = [
            (extent, stride) for extent, stride in zip(self.shape, self.strides, strict=True) if extent != 1
        ]
        strides: list[int] = []
        # Of the old axes that are being taken apart, so many elements are left, so far from one to the next.
        left, stride = 1, 0
        for extent in reversed(shape):
            while left % extent != 0:
                if not old:
                    return None
                length, step = old.pop()
                if left != 1 and step != stride * left:
                    return None
                left, stride = left * length, step if left == 1 else stride
            strides.append(stride if extent != 1 else 0)
            left, stride = left // extent, stride * extent
        return self._with(shape, strides[::-1])

    def _with(self, shape: Sequence[int], strides: Sequence[int]) -> View:
        return View(self.tensor, tuple(shape), tuple(strides), self.offset)
