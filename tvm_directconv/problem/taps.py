"""Taps of a filter that lie inside the image, one axis at a time, and the bias that starts sums where some do
not.

An output position visits the taps whose input position is in the image. Kernels skip the others, so that
padding costs neither memory nor arithmetic. Where the input has a zero point, skipped taps stand for zero, so
that less of the zero point is to be taken off: there is one bias for each set of taps that positions visit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from tvm import tirx

from tvm_directconv.errors import WorkloadError

from .extents import given_to_tvm, larger, surely_less
from .workload import Conv2dWorkload

MOST_SUM = 2**31 - 1


@dataclass(frozen=True)
class Axis:
    """Rows or columns of a convolution: ``size`` input and ``outputs`` output positions, ``taps`` of the
    filter ``dilation`` apart, the first of which is ``before`` positions outside where the first output
    begins."""

    size: int
    outputs: int
    taps: int
    stride: int
    dilation: int
    before: int

    @staticmethod
    def of(workload: Conv2dWorkload, axis: int) -> Axis:
        """Rows (0) or columns (1)."""
        w = workload
        sizes = ((w.height, w.out_height), (w.width, w.out_width))[axis]
        return Axis(*sizes, w.kernel[axis], w.strides[axis], w.dilation[axis], w.padding[axis])

    @property
    def all_inside(self) -> bool:
        """Return whether every output position visits all taps."""
        return self.before == 0 and surely_less(self.visited, self.size + 1)

    @property
    def visited(self) -> int:
        """Positions from the first output's first tap to the last output's last, inside the image or not."""
        return (self.outputs - 1) * self.stride + (self.taps - 1) * self.dilation + 1

    def taps_at(self, position: int) -> tuple[int, int]:
        """The taps that an output position visits: the first, and the one behind the last; (0, 0) for
        none."""
        origin = position * self.stride - self.before
        first = max(0, -(origin // self.dilation))
        last = min(self.taps, (self.size - 1 - origin) // self.dilation + 1)
        return (first, last) if first < last else (0, 0)

    def positions_at(self, tap: int, start: int, count: int) -> tuple[int, int]:
        """Return, of ``count`` output positions from ``start`` on, those that visit a tap: the first, and the
        one behind the last, which is not above the first where there are none."""
        input_position = start * self.stride + tap * self.dilation - self.before
        first = max(0, -(input_position // self.stride))
        return first, min(count, (self.size - 1 - input_position) // self.stride + 1)


def same_padding(size: int, taps: int, stride: int, dilation: int, upper: bool) -> tuple[int, int]:
    """Padding (before, after) with which there are ceil(size / stride) outputs: ONNX's SAME_UPPER, which has
    the odd position behind, or SAME_LOWER."""
    total = larger((-(-size // stride) - 1) * stride + (taps - 1) * dilation + 1 - size, 0)
    small, large = total // 2, total - total // 2
    return (small, large) if upper else (large, small)


@dataclass(frozen=True)
class Taps:
    """Along one axis, which taps each output position visits: runs of positions with the same taps.

    ``starts`` are the first positions of the runs, ``ranges`` their (first tap, tap behind the last).
    """

    starts: tuple[int, ...]
    ranges: tuple[tuple[int, int], ...]

    def run_of(self, position: int) -> int:
        """The run that a position is in."""
        return sum(start <= position for start in self.starts) - 1


@dataclass(frozen=True)
class OpenTaps:
    """Along an axis of open size, every range of taps that positions may visit: ``firsts`` first taps with
    each of ``lasts`` taps behind the last."""

    taps: int
    firsts: int
    lasts: int

    @staticmethod
    def of(workload: Conv2dWorkload, axis: int) -> OpenTaps:
        """Return the ranges of the output's rows (axis 0) or columns (1)."""
        w = workload
        taps, dilation = w.kernel[axis], w.dilation[axis]
        before, after = (min(taps, -(-w.padding[axis + end] // dilation)) for end in (0, 2))
        return OpenTaps(taps, before + 1, after + 1)

    @property
    def ranges(self) -> tuple[tuple[int, int], ...]:
        """Each run's first tap, and the tap behind its last, which is not above the first where no tap is
        visited."""
        return tuple((first, self.taps - left) for first in range(self.firsts) for left in range(self.lasts))

    def run_of(self, axis: Axis, position: int) -> int:
        """Return the run of a position of an axis whose size is a number."""
        origin = position * axis.stride - axis.before
        first = min(max(0, -(origin // axis.dilation)), self.firsts - 1)
        left = self.taps - (axis.size - 1 - origin) // axis.dilation - 1
        return first * self.lasts + min(max(0, left), self.lasts - 1)

    def index(self, axis: Axis, position: tirx.Expr) -> tirx.Expr:
        """Return the run of a position as an expression."""
        origin = position * axis.stride - axis.before
        first = tirx.min(tirx.max(0, -tirx.floordiv(origin, axis.dilation)), self.firsts - 1)
        left = self.taps - 1 - tirx.floordiv(given_to_tvm(axis.size) - 1 - origin, axis.dilation)
        return first * self.lasts + tirx.min(tirx.max(0, left), self.lasts - 1)


def visited_taps(workload: Conv2dWorkload, axis: int) -> Taps:
    """Return the visited taps of the output's rows (axis 0) or columns (1)."""
    along = Axis.of(workload, axis)
    starts: list[int] = []
    ranges: list[tuple[int, int]] = []
    for position in range(along.outputs):
        visited = along.taps_at(position)
        if not ranges or ranges[-1] != visited:
            starts.append(position)
            ranges.append(visited)
    return Taps(tuple(starts), tuple(ranges))


def with_scales(table: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """The table of ``bias_table`` with the bits of float32 scales (OC,) behind each of its rows."""
    bits = np.ascontiguousarray(scale, np.float32).view(np.int32)
    return np.concatenate([table, np.broadcast_to(bits, table.shape)], axis=1)


def largest_sums(weights: np.ndarray, zero: np.ndarray | int) -> np.ndarray:
    """Return the largest magnitudes (OC,) of sums of bytes less ``zero``: ``weights`` are integers (OC, ...),
    their zero point taken off."""
    return (np.abs(weights) * (255 + np.abs(np.asarray(zero, np.int64)))).sum(tuple(range(1, weights.ndim)))


def bias_table(
    workload: Conv2dWorkload,
    zero: np.ndarray | int,
    weights: np.ndarray,
    bias: np.ndarray | None,
    runs: Sequence[Taps | OpenTaps],
) -> np.ndarray:
    """Return int32 (row runs * column runs, OC): bias less ``zero`` times the filter's taps that each run
    visits. The zero point is one, or an integer for each weight.

    ``weights`` are integers in OIHW, their zero point taken off; ``bias`` int32 (OC,). Raises WorkloadError
    where a sum might not fit int32.
    """
    start = np.zeros(len(weights), np.int64) if bias is None else bias.astype(np.int64)
    bound = largest_sums(weights, zero) + np.abs(start)
    if bound.max() > MOST_SUM:
        raise WorkloadError(
            f"sums of channel {int(bound.argmax())} may reach {bound.max()}, beyond int32: {workload}"
        )
    per_tap = (weights * np.asarray(zero, np.int64)).sum(1)
    rows = [
        start - per_tap[:, top:bottom, left:right].sum((1, 2))
        for top, bottom in runs[0].ranges
        for left, right in runs[1].ranges
    ]
    return np.stack(rows).astype(np.int32)
