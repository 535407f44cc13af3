"""Slots: memory that results share which are not there at the same time, of sizes that may be open.

The largest at typical sizes comes first, as in Pisarchyk and Lee, "Efficient Memory Management for Deep
Neural Net Inference" (2020), section 4.2; a slot is as large as the largest of its results, whatever the
sizes are.
"""

from __future__ import annotations

import functools
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from tvm_directconv.problem.extents import larger, multiple_of, typical

Name = TypeVar("Name", bound=Hashable)


class Lived(Protocol):
    """A result's bytes, and the first and last step that it is there for."""

    @property
    def size(self) -> Any: ...
    @property
    def first(self) -> int: ...
    @property
    def last(self) -> int: ...


@dataclass
class Slot(Generic[Name]):
    """Results that are not there at the same time, by name, and the bytes that take each of them."""

    results: dict[Name, Lived] = field(default_factory=dict)

    @property
    def size(self) -> Any:
        """Return the bytes of the largest result."""
        # To find the larger of two takes a proof, and most sizes are a multiple of a layer's before.
        multiples: dict[str, tuple[int, Any]] = {}
        for size in [each.size for each in self.results.values()]:
            of, times = multiple_of(size)
            multiples[of] = max((times, size), multiples.get(of, (times, size)), key=lambda each: each[0])
        return functools.reduce(larger, [size for _, size in multiples.values()])

    def _takes(self, result: Lived) -> bool:
        return all(each.last < result.first or result.last < each.first for each in self.results.values())


def slots_of(lives: Mapping[Name, Lived]) -> list[Slot[Name]]:
    """Return the slots that take all results."""
    slots: list[Slot[Name]] = []
    for name, result in sorted(lives.items(), key=lambda item: -typical(item[1].size)):
        slot = next((each for each in slots if each._takes(result)), None)
        if slot is None:
            slots.append(slot := Slot())
        slot.results[name] = result
    return slots
