"""What TVM's analyzer does not see in quotients of a size: that equal ones are written differently, that of
equal padding, ``h + 2 * ((h + 1) // 2) - h``, that ``(h + 3) // 4`` is half of ``(h + 1) // 2``, rounded up,
and what holds whatever a division leaves over.
"""

from __future__ import annotations

import functools
import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tvm import tirx
from tvm.sym import Analyzer, ConstIntBound

from tvm_directconv.runtime.size_values import evaluated

from .size_text import nodes_of, text_of, variables_of
from .ties import rebuilt

MOST_RESTS = 256
"""Divisors whose least common multiple is larger are left alone: a condition is proved for each rest."""
MOST_DIVISOR = 64
"""One size may be a quotient of another by so much."""

NAME = re.compile(r"[a-z_]\w*", re.IGNORECASE)
SAMPLES = range(64, 64 + 8 * MOST_DIVISOR)
"""Sizes at which one expression is looked for as a quotient of another, before that is proved."""


def written_alike(
    expr: tirx.Expr, order: Mapping[str, Any], is_positive: Callable[[tirx.Expr], bool] = lambda size: False
) -> tirx.Expr:
    """Return an expression with what TVM's simplifier leaves in the order, and the quotients, in which it was
    written: factors come in the ``order`` of the variables that begin them, divisors are positive, and what
    is added before a division is less than the divisor. ``(h - 29) // 32 + 1``, ``(h + 3) // 32`` and ``(-3 -
    h) // -32`` are the second. What divides a multiple of itself, and ``is_positive``, is gone."""
    if not _holds(expr, tirx.FloorDiv, tirx.FloorMod, tirx.Mul):
        return expr
    expr = _divided(expr, is_positive)
    places, changed = {name: place for place, name in enumerate(order)}, list[tirx.Expr]()

    def place(factor: tirx.Expr) -> tuple[int, str]:
        text = text_of(factor)
        names = [each for each in re.findall(NAME, text) if each in order]
        return places[names[0]] if names else len(places), text

    def leaf(part: tirx.Expr) -> Any:
        if type(part) is tirx.Var:
            return part
        if type(part) is tirx.Mul:
            return functools.reduce(operator.mul, sorted(map(again, _factors(part)), key=place))
        if type(part) not in (tirx.FloorDiv, tirx.FloorMod) or type(part.b) is not tirx.IntImm:
            return None
        part, divisor = type(part)(again(part.a), part.b), int(part.b)
        if type(part) is tirx.FloorMod and divisor > 0:
            return part
        changed.append(part)
        if type(part) is tirx.FloorMod:
            return tirx.floormod(part.a - (divisor + 1), -divisor) + (divisor + 1)
        if (simple := _reduced(part)) is part:
            changed.pop()
        return simple

    def again(part: tirx.Expr) -> Any:
        return rebuilt(part, leaf)

    found = again(expr)
    return again(Analyzer().simplify(found)) if changed else found


def _divided(expr: tirx.Expr, is_positive: Callable[[tirx.Expr], bool]) -> tirx.Expr:
    """An expression in which no sum divides a multiple of itself: ``(4 * x + 4 * y) // (x + y)`` is 4."""

    def leaf(part: tirx.Expr) -> Any:
        if type(part) is tirx.Var:
            return part
        if type(part) not in (tirx.FloorDiv, tirx.FloorMod) or type(part.b) is tirx.IntImm:
            return None
        times = _times(_divided(part.a, is_positive), _divided(part.b, is_positive))
        if times is None or not is_positive(part.b):
            return None
        return tirx.IntImm("int64", times if type(part) is tirx.FloorDiv else 0)

    return rebuilt(expr, leaf)


def _times(whole: tirx.Expr, part: tirx.Expr) -> int | None:
    """How many times one sum is another one; None where it is not."""
    sums = [{text_of(of): factor for factor, of in _terms(each)[0]} for each in (whole, part)]
    numbers = [_terms(each)[1] for each in (whole, part)]
    if sums[0].keys() != sums[1].keys() or not all(sums[1].values()):
        return None
    times = {divmod(factor, sums[1][of]) for of, factor in sums[0].items()}
    if len(times) != 1 or numbers[0] != numbers[1] * next(iter(times))[0]:
        return None
    ((count, rest),) = times
    return None if rest else count


def _factors(expr: tirx.Expr) -> list[tirx.Expr]:
    return [*_factors(expr.a), *_factors(expr.b)] if type(expr) is tirx.Mul else [expr]


def with_quotients(expr: tirx.Expr) -> tirx.Expr:
    """Return an expression whose rests of divisions are written as quotients, where that has fewer terms: TVM
    writes ``h + 2 * ((h + 1) // 2) - (h + 1)`` as ``h - (h + 1) % 2``, and ``(h + 1) // 2 * 2`` as ``h + h %
    2``."""
    if not _holds(expr, tirx.FloorMod):
        return expr
    written = [*(_in_quotients(expr, rounds_up) for rounds_up in (True, False)), expr]
    return min(written, key=_occurrences)


def _in_quotients(expr: tirx.Expr, rounds_up: bool) -> tirx.Expr:
    """An expression without rests; those of 2 are what is missing to a size that is rounded up, or what is
    left behind one that is rounded down."""
    quotients: dict[str, tuple[tirx.Var, tirx.Expr]] = {}
    tried = set[str]()
    """Quotients that were written otherwise; where TVM writes them so again, they stay."""

    def quotient(a: tirx.Expr, b: tirx.Expr) -> tirx.Expr:
        """A quotient over variables that stand for others, or one more of these."""
        return rebuilt(Analyzer().simplify(tirx.floordiv(rebuilt(a, leaf), b)), held)

    def held(part: tirx.Expr) -> Any:
        if type(part) is tirx.FloorMod:
            return part.a - part.b * held(tirx.floordiv(part.a, part.b))
        if type(part) is tirx.FloorDiv:
            text = text_of(part)
            if text not in tried and (simple := _reduced(part)) is not part:
                tried.add(text)
                return rebuilt(simple, held)
            return quotients.setdefault(text, (tirx.Var(f"quotient{len(quotients)}", "int64"), part))[0]
        return part if type(part) is tirx.Var else None

    def leaf(part: tirx.Expr) -> Any:
        half = _half(part) if rounds_up else None
        if half is not None:
            return 2 * quotient(half + 1, tirx.IntImm("int64", 2)) - rebuilt(half, leaf)
        if type(part) is tirx.FloorDiv:
            return quotient(part.a, part.b)
        if type(part) is tirx.FloorMod:
            return rebuilt(part.a, leaf) - part.b * quotient(part.a, part.b)
        return part if type(part) is tirx.Var else None

    whole = Analyzer().simplify(rebuilt(expr, leaf))
    meant = {str(var.name): part for var, part in quotients.values()}

    def back(part: tirx.Expr) -> Any:
        if type(part) is not tirx.Var:
            return None
        name = str(part.name)
        return Analyzer().simplify(rebuilt(meant[name], back)) if name in meant else part

    return rebuilt(whole, back)


def _reduced(quotient: tirx.FloorDiv) -> tirx.Expr:
    """Return a quotient with all factors, and the number, before the division from 0 to less than the
    divisor; ``(6 * x) // 7`` is ``x - (x + 6) // 7``, what is in ``-x % 7``. The same one if it is so."""
    if type(quotient.b) is not tirx.IntImm:
        return quotient
    (terms, number), divisor = _terms(quotient.a), int(quotient.b)
    if divisor < 0:
        terms, number, divisor = [(-factor, of) for factor, of in terms], -number, -divisor
    rounds_up = len(terms) == 1 and divisor < 2 * (terms[0][0] % divisor)
    if rounds_up:
        terms, number = [(-factor, of) for factor, of in terms], divisor - 1 - number
    elif divisor == int(quotient.b) and all(0 <= each < divisor for each in (number, *(f for f, _ in terms))):
        return quotient
    whole = _sum([(factor // divisor, of) for factor, of in terms], number // divisor)
    rest = _sum([(factor % divisor, of) for factor, of in terms], number % divisor)
    result = whole + tirx.floordiv(rest, divisor)
    return Analyzer().simplify(0 - result if rounds_up else result)


def _terms(expr: tirx.Expr) -> tuple[list[tuple[int, tirx.Expr]], int]:
    """A sum's factors with what they are of, and its number."""
    if type(expr) is tirx.IntImm:
        return [], int(expr)
    if type(expr) in (tirx.Add, tirx.Sub):
        (left, one), (right, other) = _terms(expr.a), _terms(expr.b)
        sign = 1 if type(expr) is tirx.Add else -1
        return [*left, *((sign * factor, of) for factor, of in right)], one + sign * other
    if type(expr) is tirx.Mul and type(expr.b) is tirx.IntImm:
        terms, number = _terms(expr.a)
        return [(factor * int(expr.b), of) for factor, of in terms], number * int(expr.b)
    return [(1, expr)], 0


def _sum(terms: Sequence[tuple[int, tirx.Expr]], number: int) -> tirx.Expr:
    return functools.reduce(operator.add, [of * factor for factor, of in terms], tirx.IntImm("int64", number))


def _half(part: tirx.Expr) -> tirx.Expr | None:
    """Return ``x // d`` of ``x // d % 2``, which TVM also writes ``x % (2 * d) // d``; None for others."""
    if type(part) is tirx.FloorMod and type(part.b) is tirx.IntImm and int(part.b) == 2:
        return part.a
    if type(part) is not tirx.FloorDiv or type(part.a) is not tirx.FloorMod:
        return None
    (whole, by), divisor = (part.a.a, part.a.b), part.b
    numbers = type(by) is tirx.IntImm and type(divisor) is tirx.IntImm
    return tirx.floordiv(whole, divisor) if numbers and int(by) == 2 * int(divisor) else None


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
        given = rebuilt(condition, lambda each: size if type(each) is tirx.Var else None)
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
    for more in range(divisor if divisor <= MOST_DIVISOR else 0):
        steps = start - (first + more) // divisor
        if all((whole + more) // divisor + steps == part for whole, part in map(values, SAMPLES)):
            equal = tirx.EQ(expr, tirx.floordiv(meant + more, divisor) + steps)
            return tirx.floordiv(name + more, divisor) + steps if proves(equal) else None
    return None


def _holds(expr: tirx.Expr, *kinds: type) -> bool:
    return any(type(each) in kinds for each in nodes_of(expr))


def _divisors(expr: tirx.Expr) -> list[int]:
    """The numbers that an expression divides by; none where it divides by others."""
    found = [each for each in nodes_of(expr) if type(each) in (tirx.FloorDiv, tirx.FloorMod)]
    numbers = [int(part.b) for part in found if type(part.b) is tirx.IntImm]
    return numbers if len(numbers) == len(found) else []


def _occurrences(expr: tirx.Expr) -> int:
    """How often an expression names variables."""
    return len(re.findall(NAME, text_of(expr)))
