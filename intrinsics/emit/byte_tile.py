"""What tiles of 8-bit integers have in common whatever the instruction set: runs of rows and of vectors."""

from __future__ import annotations

from collections.abc import Iterator

from intrinsics.epilogue import ChannelScale, Step
from intrinsics.microkernel import KernelInstance

TOGETHER = 4
"""This many vectors of 32-bit lanes narrow to one of bytes."""


def rows_of_equal_bias(instance: KernelInstance) -> Iterator[tuple[range, int]]:
    """Consecutive rows of a tile, and how many elements from ``bias`` theirs is."""
    runs = instance.bias_rows or ((0, 0),)
    ends = [first for first, _ in runs[1:]] + [instance.kernel.mr]
    for (first, at), last in zip(runs, ends, strict=True):
        yield range(first, last), at


def scales_behind_bias(instance: KernelInstance) -> int | None:
    """Elements from ``bias`` to the scales, of kernels whose fifth operand is a residual."""
    if not instance.epilogue.residual:
        return None
    first = instance.epilogue.steps[0]
    assert isinstance(first, ChannelScale), f"{instance.name} lacks scales behind its bias"
    return first.offset


def steps_behind_scale(instance: KernelInstance) -> tuple[Step, ...]:
    """The steps that are done to scaled sums."""
    return instance.epilogue.steps[1 if instance.epilogue.residual else 0 :]


def vectors_stored_together(instance: KernelInstance, m: int, lanes: int) -> Iterator[tuple[range, int]]:
    """Vectors of row m that lie one behind the other in C, and how many of their channels there are."""
    used, first = -(-instance.channels // lanes), 0
    for v in range(1, used + 1):
        here, there = (instance.c_offset(m, at * lanes) for at in (v - 1, v))
        if v == used or v - first == TOGETHER or there != here + lanes:
            yield range(first, v), min(v * lanes, instance.channels) - first * lanes
            first = v
