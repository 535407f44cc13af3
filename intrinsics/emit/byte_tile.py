"""What tiles of 8-bit integers have in common whatever the instruction set: runs of rows and of vectors."""

from __future__ import annotations

from collections.abc import Iterator

from intrinsics.microkernel import KernelInstance

TOGETHER = 4
"""This many vectors of 32-bit lanes narrow to one of bytes."""


def rows_of_equal_bias(instance: KernelInstance) -> Iterator[tuple[range, int]]:
    """Consecutive rows of a tile, and how many elements from ``bias`` theirs is."""
    runs = instance.bias_rows or ((0, 0),)
    ends = [first for first, _ in runs[1:]] + [instance.kernel.mr]
    for (first, at), last in zip(runs, ends, strict=True):
        yield range(first, last), at


def vectors_stored_together(instance: KernelInstance, m: int, lanes: int) -> Iterator[tuple[range, int]]:
    """Vectors of row m that lie one behind the other in C, and how many of their channels there are."""
    used, first = -(-instance.channels // lanes), 0
    for v in range(1, used + 1):
        here, there = (instance.c_offset(m, at * lanes) for at in (v - 1, v))
        if v == used or v - first == TOGETHER or there != here + lanes:
            yield range(first, v), min(v * lanes, instance.channels) - first * lanes
            first = v
