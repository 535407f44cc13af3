"""Spaces of knobs: what a tuner may choose, declared once by each algorithm.

A space belongs to one algorithm and one micro-kernel, since the tensor intrinsic that a schedule uses follows
from these; everything else about the tile is a decision inside it. Decisions come with the values that the
workload and the machine leave, and with the constraint between them, so that every point of a space is a
schedule that builds.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

Value = int | str | bool


def _always(knobs: Any) -> bool:
    return True


@dataclass(frozen=True)
class KnobSpace:
    """A space has the knobs of one algorithm with one micro-kernel on one workload.

    ``kernel`` is "14x32", mr by nr; ``fixed`` and ``choices`` together are the arguments of ``make``, the
    algorithm's own dataclass of knobs. ``valid`` says which combinations of choices are schedules.
    """

    algorithm: str
    kernel: str
    make: Callable[..., Any]
    fixed: Mapping[str, Value]
    choices: Mapping[str, tuple[Value, ...]]
    valid: Callable[[Any], bool] = _always
    analytical: Any = None
    """The algorithm's own model chooses these, in the space that they belong to."""

    @property
    def name(self) -> str:
        return f"{self.algorithm} {self.kernel}"

    def points(self) -> Iterator[Any]:
        """Yield all valid knobs."""
        for values in itertools.product(*self.choices.values()):
            knobs = self.make(**self.fixed, **dict(zip(self.choices, values, strict=True)))
            if self.valid(knobs):
                yield knobs

    def decisions(self, knobs: Any) -> dict[str, int] | None:
        """Return for each choice which of its values ``knobs`` has, or None if they are not of this space."""
        given = asdict(knobs) if isinstance(knobs, self.make) else {}  # type: ignore[arg-type]
        if not given or any(given[name] != value for name, value in self.fixed.items()):
            return None
        if any(given[name] not in values for name, values in self.choices.items()) or not self.valid(knobs):
            return None
        return {name: values.index(given[name]) for name, values in self.choices.items()}

    def knobs(self, decisions: Mapping[str, int]) -> Any:
        """Return the knobs of ``decisions``, whose inverse this is."""
        return self.make(**self.fixed, **{n: values[decisions[n]] for n, values in self.choices.items()})


def with_choice(spaces: Iterable[KnobSpace], algorithm: str, kernel: str, knobs: Any) -> list[KnobSpace]:
    """Return the spaces, to which these knobs (an analytical model's choice) belong in any case.

    The space of their micro-kernel is widened by their values, or if there is none, one is added.
    """
    values = asdict(knobs)
    found = list(spaces)
    for position, space in enumerate(found):
        if all(values[name] == value for name, value in space.fixed.items()):
            choices = {
                name: tuple(sorted({*known, values[name]}, key=_order))
                for name, known in space.choices.items()
            }
            found[position] = replace(space, choices=choices, analytical=knobs)
            return found
    alone = {name: (value,) for name, value in values.items()}
    return [*found, KnobSpace(algorithm, kernel, type(knobs), {}, alone, analytical=knobs)]


def _order(value: Value) -> tuple[bool, Any]:
    return isinstance(value, str), value


def divisions(extent: int, parts: Iterable[int] = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)) -> tuple[int, ...]:
    """Return the block sizes that cut ``extent`` in so many about equal parts, smallest first."""
    return tuple(sorted({-(-extent // count) for count in parts if count <= extent}))
