"""Places of tensors in one block of memory, by the steps between which each is alive.

Greedy by size, as in Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net Inference" (2020):
the largest tensor first, each at the lowest offset that is free of those alive at the same time.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from .plain_kernels import aligned

Name = TypeVar("Name", bound=Hashable)


@dataclass(frozen=True)
class Life:
    """A tensor's size in bytes, and the first and last step that touch it."""

    size: int
    first: int
    last: int


def places(lives: Mapping[Name, Life]) -> tuple[dict[Name, int], int]:
    """Return the tensors' offsets, each aligned, and the bytes of all of them together."""
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
