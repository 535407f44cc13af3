"""Ties: open dimensions that are functions of others, as a height that is a multiple of 32.

A network that halves maps and doubles them again joins sizes as ``h`` and ``h // 2 * 2``, which are equal for
even heights alone. With ``h`` written ``2 * k`` they are equal at all sizes.
"""

from __future__ import annotations

import itertools
import math
import operator
import random
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from tvm import tirx
from tvm.sym import Analyzer, ConstIntBound

from tvm_directconv.runtime.size_values import evaluated

from .size_text import cast_of, nodes_of, rounding_of, text_of, variables_of

MOST_FACTOR = 1024
TRIED = 16
"""Sizes at which expressions are compared that are not proved to be equal."""
MOST_TIED = 2
"""Dimensions that are made multiples for one pair of sizes, at most."""


class Affine(NamedTuple):
    """A dimension as ``factor`` times another one, ``of``, plus ``rest``; a number where ``factor`` is 0."""

    of: str
    factor: int = 1
    rest: int = 0

    def after(self, inner: Affine) -> Affine:
        """Return the dimension in terms of what the other one is."""
        return Affine(inner.of, self.factor * inner.factor, self.factor * inner.rest + self.rest)

    @property
    def is_number(self) -> bool:
        """Return whether the dimension has to be ``rest``."""
        return self.factor == 0

    @property
    def is_same(self) -> bool:
        """Return whether the dimension is the other one."""
        return (self.factor, self.rest) == (1, 0)


def ties_for(a: tirx.Expr, b: tirx.Expr, values: Mapping[str, int]) -> dict[str, Affine]:
    """Return what dimensions have to be for two expressions to be equal at all sizes, by name: multiples of
    others, which are new, or else numbers, as where a table of positions is added to a map. Nothing where the
    expressions differ at ``values``, the typical sizes."""
    if evaluated(text_of(a), values) != evaluated(text_of(b), values):
        return {}
    for alone, other in ((a, b), (b, a)):
        if type(alone) is tirx.Var and (found := _linear(other)) and found.of != alone.name:
            return {str(alone.name): found}
    names, factors = sorted(variables_of(a) | variables_of(b)), _factors(a, b)
    for count, factor in itertools.product(range(1, MOST_TIED + 1), factors):
        for tied in itertools.combinations(names, count):
            ties = {name: Affine(f"{name}_{factor}", factor, values[name] % factor) for name in tied}
            if _equal(a, b, ties):
                return ties
    return {} if _seem_equal(a, b, values) else _numbers_for(a, b, values)


def _numbers_for(a: tirx.Expr, b: tirx.Expr, values: Mapping[str, int]) -> dict[str, Affine]:
    """The fewest dimensions that are numbers where two expressions are equal whatever the others are."""
    names = sorted(variables_of(a) | variables_of(b))
    for count in range(1, len(names) + 1):
        for fixed in itertools.combinations(names, count):
            ties = {name: Affine(name, 0, values[name]) for name in fixed}
            if _equal(a, b, ties):
                return ties
    return {}


def _seem_equal(a: tirx.Expr, b: tirx.Expr, values: Mapping[str, int]) -> bool:
    """Whether two expressions are equal at sizes about the typical ones, though it is not proved."""
    texts, rng = (text_of(a), text_of(b)), random.Random(0)
    drawn = [
        {name: size + rng.randint(1, 2 * size + 9) for name, size in values.items()} for _ in range(TRIED)
    ]
    return all(evaluated(texts[0], given) == evaluated(texts[1], given) for given in drawn)


def _factors(*expressions: tirx.Expr) -> list[int]:
    """What dimensions may have to be multiples of, from what expressions divide by."""
    found = [each for expr in expressions for each in nodes_of(expr) if type(each) is tirx.FloorDiv]
    divisors = {int(part.b) for part in found if type(part.b) is tirx.IntImm}
    most = min(MOST_FACTOR, math.prod(divisors))
    return [factor for factor in range(2, most + 1) if math.prod(divisors) % factor == 0]


def _linear(expr: tirx.Expr) -> Affine | None:
    """An expression as a multiple of its only variable; None where it is anything else."""
    names = variables_of(expr)
    if len(names) != 1:
        return None
    (name,) = names
    rest, more = (evaluated(text_of(expr), {name: value}) for value in (0, 1))
    found = Affine(name, more - rest, rest)
    return found if found.factor > 0 and _equal(expr, tirx.Var(name, "int64"), {}, found) else None


def _equal(a: tirx.Expr, b: tirx.Expr, ties: Mapping[str, Affine], of_b: Affine | None = None) -> bool:
    """Whether two expressions are equal at all sizes with these ties; ``of_b`` is taken of the second."""
    analyzer, variables = Analyzer(), dict[str, Any]()
    for name in variables_of(a) | variables_of(b):
        tie = ties.get(name, Affine(name))
        base = tirx.Var(tie.of, "int64")
        analyzer.update(base, ConstIntBound(0 if tie.rest else 1, ConstIntBound.POS_INF))
        variables[name] = base * tie.factor + tie.rest

    def leaf(expr: tirx.Expr) -> Any:
        return variables[str(expr.name)] if type(expr) is tirx.Var else None

    left, right = rebuilt(a, leaf), rebuilt(b, leaf)
    if of_b is not None:
        right = right * of_b.factor + of_b.rest
    return bool(analyzer.can_prove(tirx.EQ(left, right)))


def in_terms_of(name: tirx.Var, meant: tirx.Expr, expr: tirx.Expr) -> tirx.Expr | None:
    """Return an expression over a dimension in which another of the same variable is called ``name``: what
    is ``32 * k``, where ``16 * k`` is ``x``, is ``2 * x``. None where it is not a function of that."""
    if variables_of(meant) != variables_of(expr):
        return None
    other, whole = _linear(meant), _linear(expr)
    if other is None or whole is None:
        return None
    if whole.factor % other.factor == 0:
        times = whole.factor // other.factor
        return name * times + (whole.rest - times * other.rest)
    if other.factor % whole.factor == 0:
        return tirx.floordiv(name - other.rest, other.factor // whole.factor) + whole.rest
    return None


def outward(expr: tirx.Expr, named: Mapping[str, tuple[str, Affine]]) -> tirx.Expr:
    """Return an expression over dimensions of which some are parts of others, ``named``, over these others:
    ``16 * k`` is ``h // 2``, and ``64 * k`` is ``h * 2``, where ``h`` is ``32 * k``."""

    def scaled(name: str, times: int) -> tirx.Expr:
        dim, (_, factor, rest) = named[name]
        whole = tirx.Var(dim, "int64") - rest if rest else tirx.Var(dim, "int64")
        if times % factor == 0:
            return whole * (times // factor) if times > factor else whole
        if factor % times == 0:
            return tirx.floordiv(whole, factor // times)
        return tirx.floordiv(whole, factor) * times

    def leaf(expr: tirx.Expr) -> Any:
        if type(expr) is tirx.Var:
            return scaled(str(expr.name), 1) if expr.name in named else expr
        is_multiple = type(expr) is tirx.Mul and type(expr.a) is tirx.Var and type(expr.b) is tirx.IntImm
        if is_multiple and expr.a.name in named and int(expr.b) > 0:
            return scaled(str(expr.a.name), int(expr.b))
        return None

    return Analyzer().simplify(rebuilt(expr, leaf))


def rebuilt(expr: tirx.Expr, leaf: Callable[[tirx.Expr], Any], dtype: str = "int64") -> Any:
    """Return an expression with what ``leaf`` returns in the place of parts, unless that is None, and its
    numbers of a type."""
    found = leaf(expr)
    if found is not None:
        return found
    if type(expr) is tirx.IntImm:
        return expr if str(expr.ty.dtype) in ("bool", dtype) else tirx.IntImm(dtype, int(expr))
    if type(expr) is tirx.Cast:
        value = rebuilt(expr.value, leaf, dtype)
        return tirx.Cast(expr.ty.dtype, value) if cast_of(expr) else value
    if type(expr) is tirx.FloatImm:
        return expr
    if (rounding := rounding_of(expr)) is not None:
        return getattr(tirx, rounding)(rebuilt(expr.args[0], leaf, dtype))
    if type(expr) is tirx.Not:
        return tirx.Not(rebuilt(expr.a, leaf, dtype))
    old = expr.a, expr.b
    new = tuple(rebuilt(each, leaf, dtype) for each in old)
    return expr if all(map(operator.is_, old, new)) else type(expr)(*new)


def of_floats(expr: tirx.Expr) -> bool:
    """Return whether an expression is of floats, or an integer that is cast from one."""
    if type(expr) is tirx.Cast and cast_of(expr):
        return True
    return "float" in str(expr.ty.dtype)


def without_rest(expr: tirx.Expr) -> tirx.Expr:
    """Return an expression in which what fills up to a number cancels what there is: TVM writes ``c - min(c,
    x)`` as ``max(0, c - x)``, and does not know that with ``min(c, x)`` it makes ``c``."""
    smallest: dict[frozenset[str], tirx.Var] = {}

    def stands_for(a: tirx.Expr, b: tirx.Expr) -> tirx.Var:
        var = tirx.Var(f"least{len(smallest)}", "int64")
        return smallest.setdefault(frozenset(map(text_of, (a, b))), var)

    def leaf(part: tirx.Expr) -> Any:
        if type(part) is tirx.Var:
            return part
        if type(part) is tirx.Min:
            return stands_for(part.a, part.b)
        if type(part) is not tirx.Max or "0" not in (text_of(part.a), text_of(part.b)):
            return None
        rest = part.b if text_of(part.a) == "0" else part.a
        if type(rest) is not tirx.Sub or type(rest.a) is not tirx.IntImm:
            return None
        return rest.a - stands_for(rest.a, rest.b)

    whole = Analyzer().simplify(rebuilt(expr, leaf))
    stand = {str(var.name) for var in smallest.values()}
    return expr if not stand or variables_of(whole) & stand else whole


def composed(
    dims: Iterable[str], known: Mapping[str, Affine], found: Mapping[str, Affine]
) -> dict[str, Affine]:
    """Return the ties of ``dims`` by those ``known`` before, and those ``found`` of what they are made of."""
    before = {dim: known.get(dim, Affine(dim)) for dim in dims}
    ties = {dim: tie.after(found.get(tie.of, Affine(tie.of))) for dim, tie in before.items()}
    return {dim: tie for dim, tie in ties.items() if tie != Affine(dim)}
