"""What TVM's analyzer does not see in quotients of a size: that of equal padding, ``h + 2 * ((h + 1) // 2) -
h``, that ``(h + 3) // 4`` is half of ``(h + 1) // 2``, rounded up, and what holds whatever a division leaves
over.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

from tvm import tirx
from tvm.sym import Analyzer, ConstIntBound
from tvm_ffi import structural_walk

from tvm_directconv.runtime.size_values import evaluated

from .size_text import text_of, variables_of
from .ties import rebuilt

MOST_RESTS = 64
"""Divisors whose least common multiple is larger are left alone: a condition is proved for each rest."""

SAMPLES = range(64, 64 + 8 * MOST_RESTS)
"""Sizes at which one expression is looked for as a quotient of another, before that is proved."""


def with_quotients(expr: tirx.Expr) -> tirx.Expr:
    """Return an expression whose rests of divisions are written as quotients, where that has fewer terms: TVM
    writes ``h + 2 * ((h + 1) // 2) - (h + 1)`` as ``h - (h + 1) % 2``."""
    if not _holds(expr, tirx.FloorMod):
        return expr
    quotients: dict[str, tuple[tirx.Var, tirx.Expr]] = {}

    def quotient(a: tirx.Expr, b: tirx.Expr) -> tirx.Expr:
        """A quotient over variables that stand for others, or one more of these."""
        return rebuilt(Analyzer().simplify(tirx.floordiv(rebuilt(a, leaf), b)), held)

    def held(part: tirx.Expr) -> Any:
        if isinstance(part, tirx.FloorMod):
            return part.a - part.b * held(tirx.floordiv(part.a, part.b))
        if isinstance(part, tirx.FloorDiv):
            var = tirx.Var(f"quotient{len(quotients)}", "int64")
            return quotients.setdefault(text_of(part), (var, part))[0]
        return part if isinstance(part, tirx.Var) else None

    def leaf(part: tirx.Expr) -> Any:
        if isinstance(part, tirx.FloorDiv):
            return quotient(part.a, part.b)
        if isinstance(part, tirx.FloorMod):
            return rebuilt(part.a, leaf) - part.b * quotient(part.a, part.b)
        return part if isinstance(part, tirx.Var) else None

    whole = Analyzer().simplify(rebuilt(expr, leaf))
    meant = {str(var.name): part for var, part in quotients.values()}

    def back(part: tirx.Expr) -> Any:
        if not isinstance(part, tirx.Var):
            return None
        name = str(part.name)
        return Analyzer().simplify(rebuilt(meant[name], back)) if name in meant else part

    found = rebuilt(whole, back)
    return found if _occurrences(found) < _occurrences(expr) else expr


def holds_for_all_rests(condition: tirx.Expr, bound: Callable[[str], ConstIntBound]) -> bool:
    """Return whether a condition on a single variable, whose ``bound`` is known, holds whatever its divisions
    leave over: with ``h = 4 * k + 3`` they are gone."""
    names = variables_of(condition)
    divisors = _divisors(condition)
    if len(names) != 1 or not divisors:
        return False
    period = math.lcm(*divisors)
    if period > MOST_RESTS:
        return False
    (name,) = names
    known, part = bound(name), tirx.Var("part", "int64")
    most = known.max_value if known.max_value == ConstIntBound.POS_INF else known.max_value // period

    def holds(rest: int) -> bool:
        size, analyzer = part * period + rest, Analyzer()
        least = -((rest - known.min_value) // period)  # smaller parts make sizes that there are not
        analyzer.update(part, ConstIntBound(least, max(least, most)))
        given = rebuilt(condition, lambda each: size if isinstance(each, tirx.Var) else None)
        return bool(analyzer.can_prove(given))

    return all(map(holds, range(period)))


def quotient_of(
    name: tirx.Var, meant: tirx.Expr, expr: tirx.Expr, proves: Callable[[tirx.Expr], bool]
) -> tirx.Expr | None:
    """Return an expression over a dimension in which another of the same single variable is called ``name``,
    as ``(name + c) // k + steps``: the size of a pooled map by that of its input. None where it is not one,
    by ``proves``."""
    names = variables_of(meant)
    if len(names) != 1 or variables_of(expr) != names:
        return None
    (var,), texts = names, (text_of(meant), text_of(expr))

    def values(size: int) -> tuple[int, int]:
        whole, part = (evaluated(text, {var: size}) for text in texts)
        return whole, part

    (first, start), (last, end) = values(SAMPLES[0]), values(SAMPLES[-1])
    divisor = round((last - first) / (end - start)) if end > start else 0
    for more in range(divisor if divisor <= MOST_RESTS else 0):
        steps = start - (first + more) // divisor
        if all((whole + more) // divisor + steps == part for whole, part in map(values, SAMPLES)):
            equal = tirx.EQ(expr, tirx.floordiv(meant + more, divisor) + steps)
            return tirx.floordiv(name + more, divisor) + steps if proves(equal) else None
    return None


def _holds(expr: tirx.Expr, kind: type) -> bool:
    found: list[Any] = []
    structural_walk(expr, (kind, found.append))
    return bool(found)


def _divisors(expr: tirx.Expr) -> list[int]:
    """The numbers that an expression divides by; none where it divides by others."""
    found: list[Any] = []
    structural_walk(expr, ((tirx.FloorDiv, tirx.FloorMod), found.append))
    numbers = [int(part.b) for part in found if isinstance(part.b, tirx.IntImm)]
    return numbers if len(numbers) == len(found) else []


def _occurrences(expr: tirx.Expr) -> int:
    """How often an expression names variables."""
    return len(re.findall(r"[a-z_]\w*", text_of(expr), re.IGNORECASE))
