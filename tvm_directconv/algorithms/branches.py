"""Tests of loop variables in lowered code: which of several statements applies at an index; and loops."""

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

    Never as TIR's own branches: TVM's HoistIfThenElse doubles the code inside a loop for every test in it
    that does not depend on the loop, and where an inner test has a single branch it loses that of the outer
    one (a function of six lines that TVM 0.27 compiles to wrong numbers is in
    tests/algorithms/test_branches.py).
    """
    parts = [
        tirx.For(tirx.Var("once", "int32"), 0, tirx.Cast("int32", test), tirx.ForKind.SERIAL, stmt)
        for test, stmt in ((condition, then), (tirx.Not(condition), otherwise))
        if stmt is not None
    ]
    return in_turn(parts) if parts else tirx.Evaluate(tirx.IntImm("int32", 0))


def in_turn(stmts: Sequence[tirx.Stmt]) -> tirx.Stmt:
    """One statement or several, at least one."""
    return stmts[0] if len(stmts) == 1 else tirx.SeqStmt(stmts)


def but_last(
    index: tirx.Expr,
    count: int,
    whole: int,
    rest: int,
    make: Callable[[int], tirx.Stmt],
    loops: int | None = None,
) -> tirx.Stmt:
    """What ``make`` makes of the extent at ``index`` of ``count`` blocks of ``whole``, the last of which is
    ``rest`` where that is not 0; nothing beyond them, where ``loops`` run further."""
    if not rest:
        stmt = make(whole)
    elif count == 1:
        stmt = make(rest)
    else:
        stmt = either(tirx.EQ(index, count - 1), make(rest), make(whole))
    beyond = loops is not None and loops != count
    return either(index < count, stmt) if beyond else stmt


def by_pass(
    start: tirx.Expr, step: int, count: int, make: Callable[[int, tirx.Expr], tirx.Stmt | None]
) -> tirx.Stmt | None:
    """What ``make`` makes of the pass that begins at ``start``, of ``count`` passes ``step`` apart: its
    index, or that of any between the first and the last, and where it begins."""

    def of(index: int) -> tirx.Stmt | None:
        return make(index, tirx.IntImm("int32", index * step))

    if count == 1:
        return of(0)
    middle = make(1, start) if count > 2 else None
    stmt = either(tirx.EQ(start, (count - 1) * step), of(count - 1), middle)
    return either(tirx.EQ(start, 0), of(0), stmt)


def loop(count: tirx.Expr | int, make: Callable[[tirx.Expr], tirx.Stmt]) -> tirx.Stmt:
    """``make`` of every index below ``count``."""
    if isinstance(count, int) and count == 1:
        return make(tirx.IntImm("int32", 0))
    index = tirx.Var("t", "int32")
    return tirx.For(index, 0, count, tirx.ForKind.SERIAL, make(index))
