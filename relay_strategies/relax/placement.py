"""Offsets of tensors in one piece of memory, by when they are there: greedy by size as in Pisarchyk and Lee,
"Efficient Memory Management for Deep Neural Net Inference" (2020)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
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
    """Return the tensors' offsets, each aligned, and the bytes of all of them together: the least that
    several orders lead to, the largest first, those that are there longest, and those that come first."""
    orders: tuple[Callable[[Life], Any], ...] = (
        lambda life: -life.size,
        lambda life: -life.size * (1 + life.last - life.first),
        lambda life: (life.first, -life.size),
        lambda life: (life.first - life.last, -life.size),
    )
    found = (_placed(sorted(lives.items(), key=lambda item: order(item[1]))) for order in orders)
    return min(found, key=lambda each: each[1])


def _placed(lives: Sequence[tuple[Name, Life]]) -> tuple[dict[Name, int], int]:
    """Place each at the lowest offset that is free of those before it that are alive at the same time."""
    done: list[tuple[int, int, Life]] = []
    offsets: dict[Name, int] = {}
    for name, life in lives:
        alive = (each for each in done if each[2].first <= life.last and life.first <= each[2].last)
        place = 0
        for start, end, _ in sorted(alive, key=lambda each: each[:2]):
            if place + aligned(life.size) <= start:
                break
            place = max(place, end)
        offsets[name] = place
        done.append((place, place + aligned(life.size), life))
    return offsets, max((end for _, end, _ in done), default=0)
