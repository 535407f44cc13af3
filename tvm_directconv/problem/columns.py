"""A transposed convolution by its columns: each pixel times all taps of all outputs, summed where they fall.

A column is a pixel's products with all taps, and a 1x1 convolution makes them: of few outputs it fills the
vectors that phases of so few leave empty. Adding them up in the result (col2im) multiplies nothing. For
convolutions of stride 1 this is kn2row (A. Anderson, A. Vasudevan, C. Keane, D. Gregg, "Low-memory GEMM-based
convolution algorithms for deep neural networks", 2017).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from .phases import phases_of, windows

Extents = tuple[int, int]

LANES = 16
"""Lanes of a vector in the estimate of what phases leave empty. Narrower vectors lead to the same choices."""
OTHER_ROWS = 8
"""A phase of few outputs takes as long as if it had so many more, for its windows are packed."""
MOVED = 1.5
"""Cycles that an element of a column takes from the product to the sum. It was found on Zen 4."""
MOST_TAPS = 256
"""The code that sums has each of them."""
MOST_MEMORY = 4
"""Columns take at most so many times the memory of the input."""


@dataclass(frozen=True)
class Columns:
    """The sums of an ``image`` of columns (N, outputs x taps, H, W), taps row by row, to (N, outputs, *size).

    ``before`` is what is cut off in front of the result along each axis.
    """

    batch: int
    outputs: int
    image: Extents
    kernel: Extents
    strides: Extents
    dilation: Extents
    before: Extents
    size: Extents

    @property
    def taps(self) -> int:
        return math.prod(self.kernel)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of all columns."""
        return (self.batch, self.outputs * self.taps, *self.image)

    @property
    def result(self) -> tuple[int, ...]:
        return (self.batch, self.outputs, *self.size)

    def positions(self, axis: int) -> int:
        """Positions of each phase along an axis, of which the last may be behind the result."""
        return -(-self.size[axis] // self.strides[axis])

    def phases(self, axis: int) -> list[list[tuple[int, int]]]:
        """The taps of each phase as (tap, shift): at position t it adds that tap of the pixel at t +
        shift."""
        stride, found = self.strides[axis], []
        for phase in range(phases_of(stride, self.size[axis])):
            places = [phase + self.before[axis] - k * self.dilation[axis] for k in range(self.kernel[axis])]
            found.append([(tap, place // stride) for tap, place in enumerate(places) if place % stride == 0])
        return found

    def pays(self, inputs: int) -> bool:
        """Return whether columns of so many inputs are estimated to take less than convolutions of the
        phases, and not much memory."""
        products = self.outputs * self.taps
        if self.taps > MOST_TAPS or products > MOST_MEMORY * inputs:
            return False
        axes = zip(self.kernel, self.strides, self.dilation, self.before, self.size, strict=True)
        phases = 0.0
        for seen in itertools.product(*(windows(*axis) for axis in axes)):
            outputs = self.outputs * math.prod(len(window.phases) for window in seen)
            vectors = min(-(-outputs // LANES), (outputs + OTHER_ROWS) / LANES)
            phases += inputs * math.prod(window.count for window in seen) * vectors
        return inputs * -(-products // LANES) + MOVED * products < phases


def columns_that_pay(
    data: Sequence[int],
    weight: Sequence[int],
    size: Sequence[int],
    strides: Sequence[int],
    before: Sequence[int],
    dilation: Sequence[int],
) -> Columns | None:
    """Return the columns of a transposed convolution of ``data`` (N, I, H, W) with ``weight`` (I, O, KH, KW)
    to maps of ``size``, without groups; None where its phases are estimated to take less."""
    axes = zip(data[2:], weight[2:], strides, dilation, before, size, strict=True)
    found = Columns(data[0], weight[1], *zip(*axes, strict=True))
    return found if found.pays(data[1]) else None
