"""A transposed convolution along one axis: its output positions by phase, and which taps each phase has.

With stride s, position ``s * t + r`` of the output is in phase r. What a phase sums is an ordinary
convolution of stride 1 over the input, with every few taps of the filter, the last one first. Phases that
look through the same window can be computed by one convolution, as further output channels of it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Window:
    """The part of the input that some phases see: ``count`` taps, ``dilation`` apart, the first at input
    position ``t + first`` for the output's position ``t`` in its phase.

    ``taps`` holds for each of ``phases`` the taps of the filter, in the order of the input's positions.
    """

    phases: tuple[int, ...]
    taps: tuple[tuple[int, ...], ...]
    first: int
    dilation: int

    @property
    def count(self) -> int:
        return len(self.taps[0])

    def inside(self, size: int, positions: int) -> tuple[int, int] | None:
        """Return, for an input of ``size``, the first position that any of so many positions of a phase sees,
        and the one behind the last; None where they see nothing but padding."""
        first, end = self.seen(positions)
        first, end = max(first, 0), min(end, size)
        return (first, end) if self.count and first < end else None

    def padding(self, size: int, positions: int) -> tuple[int, int]:
        """Padding (before, after) of what is ``inside`` for so many positions."""
        first, end = self.seen(positions)
        return max(-first, 0), max(end - size, 0)

    def seen(self, positions: int) -> tuple[int, int]:
        """The first input position seen, and the one behind the last, padding included."""
        return self.first, self.first + positions + (self.count - 1) * self.dilation


def phases_of(stride: int, size: int) -> int:
    """Return how many phases there are among so many positions."""
    return min(stride, size)


def windows(kernel: int, stride: int, dilation: int, before: int, size: int) -> tuple[Window, ...]:
    """Return the windows of all phases along an axis of ``size`` positions, with ``before`` positions of
    padding in front.

    Some windows may lack taps.
    """
    apart = dilation // math.gcd(dilation, stride)
    by_phase: dict[int, list[int]] = {}
    for tap in reversed(range(kernel)):
        by_phase.setdefault((tap * dilation - before) % stride, []).append(tap)
    found: dict[tuple[int, int], list[tuple[int, tuple[int, ...]]]] = {}
    for phase in range(phases_of(stride, size)):
        taps = tuple(by_phase.get(phase, ()))
        first = (phase + before - taps[0] * dilation) // stride if taps else 0
        found.setdefault((first, len(taps)), []).append((phase, taps))
    return tuple(
        Window(tuple(phase for phase, _ in each), tuple(taps for _, taps in each), first, apart)
        for (first, _), each in found.items()
    )


def reach(size: int, taps: int, stride: int, dilation: int) -> int:
    """Return how many positions of the output the taps reach, of an input of ``size``."""
    return (size - 1) * stride + (taps - 1) * dilation + 1


def cut(whole: int, size: int, upper: bool) -> tuple[int, int]:
    """Return how many of ``whole`` positions are cut off (in front, behind) to leave ``size``, none of fewer.
    ONNX's SAME_UPPER has the odd one behind."""
    total = max(0, whole - size)
    small, large = total // 2, total - total // 2
    return (small, large) if upper else (large, small)
