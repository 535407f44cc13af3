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
    """``then`` or ``otherwise``, as loops of one trip or none, of which LLVM makes branches again.

    TVM's HoistIfThenElse doubles the code inside a loop for every test in it that does not depend on the
    loop, and where an inner test has no other branch it loses that of the outer one.
    """
    parts = [
        tirx.For(tirx.Var("once", "int32"), 0, tirx.Cast("int32", test), tirx.ForKind.SERIAL, stmt)
        for test, stmt in ((condition, then), (tirx.Not(condition), otherwise))
        if stmt is not None
    ]
    if not parts:
        return tirx.Evaluate(tirx.IntImm("int32", 0))
    return parts[0] if len(parts) == 1 else tirx.SeqStmt(parts)
