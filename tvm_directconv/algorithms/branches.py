"""Tests of loop variables in lowered code: which of several statements applies at an index."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

from tvm import tirx

Option = TypeVar("Option", bound=Hashable)


def choose(
    index: tirx.Expr, options: Sequence[Option], make: Callable[[Option], tirx.Stmt | None]
) -> tirx.Stmt | None:
    """What ``make`` makes of ``options[index]``: tests for each option but the most frequent."""
    places: dict[Option, list[int]] = {}
    for place, option in enumerate(options):
        places.setdefault(option, []).append(place)
    *rare, usual = sorted(places, key=lambda option: len(places[option]))
    stmt = make(usual)
    for option in reversed(rare):
        found = tirx.any(*(tirx.EQ(index, place) for place in places[option]))
        made = make(option)
        stmt = None if made is None and stmt is None else either(found, made, stmt)
    return stmt


def either(condition: tirx.Expr, then: tirx.Stmt | None, otherwise: tirx.Stmt | None = None) -> tirx.Stmt:
    """A test with both branches there: TVM's HoistIfThenElse loses what an outer test's other branch does
    when an inner test has none."""
    nothing = tirx.Evaluate(tirx.IntImm("int32", 0))
    return tirx.IfThenElse(
        condition, nothing if then is None else then, nothing if otherwise is None else otherwise
    )
