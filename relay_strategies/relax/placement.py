"""Offsets of tensors in one piece of memory, by when they are there: greedy by size as in Pisarchyk and Lee,
"Efficient Memory Management for Deep Neural Net Inference" (2020)."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from tvm_directconv.memory import ALIGNMENT

Name = TypeVar("Name", bound=Hashable)


@dataclass(frozen=True)
class Life:
    """A tensor's size in bytes, and the first and last step that touch it."""

    size: Any
    first: int
    last: int


def aligned(size: Any) -> Any:
    """Return the least number of bytes that holds ``size``, and behind which something may begin."""
    return (size + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT


def places(lives: Mapping[Name, Life]) -> tuple[dict[Name, int], int]:
    """Return the tensors' offsets, each aligned, and the bytes of all of them together: the largest first,
    each at the lowest offset that is free of those alive at the same time."""
    offsets: dict[Name, int] = {}
    whole = 0
    for name, life in sorted(lives.items(), key=lambda item: -item[1].size):
        taken = sorted(
            (offset, offset + aligned(lives[other].size))
            for other, offset in offsets.items()
            if lives[other].first <= life.last and life.first <= lives[other].last
        )
        place = 0
        for start, end in taken:
            if place + aligned(life.size) <= start:
                break
            place = max(place, end)
        offsets[name] = place
        whole = max(whole, place + aligned(life.size))
    return offsets, whole
