"""The dimensions of a model, or of a kernel, that are open, and what is assumed of them."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, cast

from tvm import tirx
from tvm.ir import Call
from tvm.sym import Analyzer, ConstIntBound

from tvm_directconv.errors import DataDependentError, ModelError
from tvm_directconv.log import LOG
from tvm_directconv.runtime.size_values import evaluated

from .assumptions import Assumption, bound_of, knowing
from .extents import Extent, as_expression, computed_size, operand_of, typical
from .found_sizes import at_most
from .rests import holds_for_all_rests, with_quotients, written_alike
from .size_text import text_of, variables_of
from .ties import Affine, composed, of_floats, outward, rebuilt, ties_for, without_rest

NUMBERS = (int, tirx.IntImm)
"""Types of sizes that are not open. They are compared, for TVM's classes are slow to ask for instances."""

_ACTIVE: ContextVar[OpenSizes | None] = ContextVar("active", default=None)


def active_sizes() -> OpenSizes | None:
    """Return the open sizes of what is being compiled; None where all sizes are numbers."""
    sizes = _ACTIVE.get()
    return sizes if sizes is not None and sizes.has_any else None


def measuring_sizes() -> OpenSizes | None:
    """Return the sizes to which one may be added that is known when the model runs; None where what is being
    compiled takes numbers alone."""
    return _ACTIVE.get()


class OpenSizes:
    """The open dimensions of one model, or of one kernel, and all that was assumed of them.

    Expressions are of int64, as Relax has sizes. TVM gets those of a kernel in ``dtype`` int32, over
    variables of their own.
    """

    def __init__(self, dtype: str = "int64", ties: Mapping[str, Affine] | None = None) -> None:
        """``ties`` say what some dimensions are of others, by name."""
        self.dtype, self.ties = dtype, dict(ties or {})
        self.found: dict[str, Affine] = {}
        """The ties with which sizes would be equal that have to be."""
        self._named: dict[str, tuple[str, Affine]] = {}
        self._limits: dict[str, tuple[int, int]] = {}
        self.variables: dict[str, tirx.Var] = {}
        self.typical: dict[str, int] = {}
        self.bounds: dict[str, tuple[int, int | None]] = {}
        self.measured: dict[str, Any] = {}
        """The sizes that are known when the model runs, by name, and the most that each is."""
        self.computed: dict[str, tirx.Expr] = {}
        """The sizes that follow from dimensions by floats, by name, as expressions of these."""
        self.computes = True
        """Whether there may be such; else they are known when the model runs."""
        self._given: dict[str, tirx.Var] = {}
        """The variables that TVM gets, by name."""
        self._analyzer = Analyzer()
        self._assumed: dict[str, Assumption] = {}
        self._facts: list[tuple[tirx.Expr, set[str]]] = []
        """What was assumed and is not a bound of a dimension by itself."""
        self._texts: dict[str, Extent] = {}
        self._simplified: dict[int, tuple[tirx.Expr, int]] = {}
        """Sizes by the addresses of expressions, which live as long: shapes of many passes share theirs."""
        self._by_text: dict[str, int] = {}
        self.said: dict[tuple[Any, ...], tuple[Any, Any]] = {}  # of functions of two extents
        self._names = itertools.count()

    @property
    def has_any(self) -> bool:
        """Return whether any dimension is open."""
        return bool(self.variables)

    @contextlib.contextmanager
    def active(self) -> Iterator[OpenSizes]:
        """Have shapes with symbolic dimensions read as extents of these sizes (``active_sizes``)."""
        token = _ACTIVE.set(self)
        try:
            yield self
        finally:
            _ACTIVE.reset(token)

    def dimension(
        self,
        name: str,
        typical: int,
        least: int = 1,
        most: int | None = None,
        var: tirx.Var | None = None,
    ) -> int:
        """Return the open dimension of that name, which is at least ``least`` and at most ``most``; ``var``
        is its variable, where there is one already."""
        tie = self.ties.get(name, Affine(name))
        if tie.is_number:
            return tie.rest
        if most is not None:
            self._limits[name] = least, most
        if name == tie.of or tie.of not in self._named or (tie.is_same > self._named[tie.of][1].is_same):
            self._named[tie.of] = name, tie
        of, typical = tie.of, (typical - tie.rest) // tie.factor
        if of not in self.variables:
            least = -((tie.rest - least) // tie.factor)
            most = None if most is None else (most - tie.rest) // tie.factor
            var = self.variables[of] = tirx.Var(of, "int64") if var is None else var
            self._given[of] = var if self.dtype == "int64" else tirx.Var(of, self.dtype)
            self.typical[of], self.bounds[of] = typical, (least, most)
            self._analyzer.update(var, ConstIntBound(least, ConstIntBound.POS_INF if most is None else most))
        return self.extent(self.variables[of]) * tie.factor + tie.rest

    def measure(self, most: int) -> int:
        """Return a size that is known when the model runs, at most ``most``, which may be open."""
        names = itertools.chain(["found"], (f"found{count}" for count in itertools.count(1)))
        name = next(each for each in names if each not in self.variables)
        known = most if isinstance(most, int) else None
        var = tirx.Var(name, "int64")
        self.variables[name] = self._given[name] = var
        self.typical[name], self.bounds[name], self.measured[name] = _share(typical(most)), (0, known), most
        self._analyzer.update(var, ConstIntBound(0, ConstIntBound.POS_INF if known is None else known))
        if known is None:
            self._note(var <= as_expression(most))
        return self.extent(var)

    def compute(self, expr: tirx.Expr) -> int:
        """Return an integer that a model computes in floats from sizes, as ``expr`` does: a dimension that is
        known when a run begins. Raises DataDependentError where it is not known before."""
        usual = self.value(expr, self.typical)
        if not self.computes or usual < 1 or self.depends_on_data(expr):
            raise DataDependentError(f"{text_of(expr)} is known when the model runs")
        of_dimensions = rebuilt(expr, lambda part: None if of_floats(part) else self.outward(part))
        names = {text_of(each): name for name, each in self.computed.items()}
        if (name := names.get(text_of(of_dimensions))) is None:
            name = f"computed{len(names) or ''}"
            while name in self.typical_dimensions:
                name += "_"
            self.computed[name] = of_dimensions
        return self.dimension(name, usual)

    def depends_on_data(self, expr: Any) -> bool:
        """Return whether an expression is over sizes that are known when the model runs."""
        return bool(self.measured) and not variables_of(expr).isdisjoint(self.measured)

    @property
    def parts(self) -> list[tirx.Var]:
        """Return the variables that are not dimensions themselves, but what these are made of."""
        return [
            self.variables[name]
            for name, (dim, tie) in self._named.items()
            if not tie.is_same or dim in self.computed
        ]

    @property
    def typical_dimensions(self) -> dict[str, int]:
        """Return the typical values of dimensions, by name, from which all others follow."""
        return {
            dim: self.typical[tie.of] * tie.factor + tie.rest
            for dim, tie in self._named.values()
            if dim not in self.computed
        }

    @property
    def computations(self) -> dict[str, str]:
        """Return what sizes are that follow from dimensions by floats, as text over these, by name."""
        return {name: text_of(expr) for name, expr in self.computed.items()}

    @property
    def conditions(self) -> tuple[str, ...]:
        """Return what dimensions have to be for what is compiled to be right, as text."""
        multiples = [
            f"{dim} % {tie.factor} == {tie.rest}" for dim, tie in self._named.values() if tie.factor > 1
        ]
        tied = [(name, self.ties[name]) for name in self.computed if name in self.ties]
        numbers = [f"{name} == {tie.rest}" for name, tie in tied if tie.is_number]
        return (*multiples, *numbers, *(text for text, _ in self.required))

    @property
    def required(self) -> list[tuple[str, tirx.Expr]]:
        """Return what dimensions have to be but for multiples, as text over dimensions, and as expressions
        over ``variables``."""
        limits = []
        for dim, (least, most) in self._limits.items():
            tie = self.ties.get(dim, Affine(dim))
            size = self.variables[tie.of] * tie.factor + tie.rest
            limits.append((f"{least} <= {dim} <= {most}", tirx.And(size >= least, size <= most)))
        assumed = [assumption.statement for assumption in self.assumptions]
        return [*limits, *((text_of(self.outward(statement)), statement) for statement in assumed)]

    def outward(self, size: Any) -> Any:
        """Return a size, or a condition, as an expression over the model's dimensions."""
        expr = as_expression(size)
        return expr if isinstance(expr, int) else outward(expr, self._named)

    def demand(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        """Raise ModelError where sizes of pairs have to be equal, and are so with the ties ``found``."""
        ties: dict[str, Affine] = {}
        unequal = [(a, b) for a, b in pairs if a != b]
        for a, b in unequal:
            ties = {**ties_for(operand_of(a), operand_of(b), self.typical), **ties}
        if ties:
            self.found = composed({*self.variables, *self.ties}, self.ties, ties)
            raise ModelError(f"sizes have to be equal: {', '.join(f'{a} and {b}' for a, b in unequal)}")

    def extent(self, expr: Any) -> int:
        """Return an expression over the open dimensions as an extent, or the number that it is."""
        if type(expr) in NUMBERS:
            return int(expr)
        if type(expr) is tirx.Var:
            return cast(int, Extent(self.variables[str(expr.name)], self))
        if (found := self._simplified.get(expr.__chandle__())) is None:
            text = text_of(own := self._own(expr))
            if (size := self._by_text.get(text)) is None:
                size = self._by_text[text] = self._simple(own)
            found = self._simplified[expr.__chandle__()] = expr, size
        return found[1]

    def _simple(self, expr: tirx.Expr) -> int:
        """Return an expression over these sizes' own variables, simplified."""
        simple = with_quotients(self._analyzer.simplify(expr))
        simple = written_alike(simple, self.variables, self._is_positive)
        if self.measured and not isinstance(simple, tirx.IntImm):
            simple = self._analyzer.simplify(without_rest(simple))
        return int(simple) if isinstance(simple, tirx.IntImm) else cast(int, Extent(simple, self))

    def _is_positive(self, expr: tirx.Expr) -> bool:
        return int(self._analyzer.const_int_bound(expr).min_value) > 0

    def _own(self, expr: tirx.Expr) -> tirx.Expr:
        """An expression over these sizes' own variables, by name, each choice in it made."""

        def leaf(part: tirx.Expr) -> Any:
            if type(part) is tirx.Var:
                return self.variables[part.name]
            if type(part) is Call and part.op.name == "prim.if_then_else":
                condition, one, other = (rebuilt(each, leaf) for each in part.args)
                return one if self.decide(condition) else other
            return None

        return rebuilt(expr, leaf)

    def given(self, expr: tirx.Expr) -> tirx.Expr:
        """Return what TVM gets for an expression."""
        return expr if self.dtype == "int64" else with_variables(expr, self._given, self.dtype)

    def unused(self, taken: Container[str] = ()) -> str:
        """Return a name that no dimension has in the model, nor inside of it, and that is not ``taken``."""
        names = (f"dim{count}" for count in self._names)
        return next(name for name in names if name not in self.variables and name not in taken)

    def knows(self, expr: Any) -> bool:
        """Return whether an expression is over these dimensions."""
        known = type(expr) in NUMBERS or expr.__chandle__() in self._simplified
        return known or variables_of(expr) <= self.variables.keys()

    def text(self, extent: Extent) -> str:
        """Return the text of an extent, from which ``parsed`` finds it again."""
        return str(self._texts.setdefault(str(extent), extent))

    def parsed(self, text: str) -> int | None:
        """Return the extent that ``text`` was called for; None for any other text."""
        return cast("int | None", self._texts.get(text))

    def read(self, text: str) -> int:
        """Return the extent that an expression over these dimensions, as text, is."""
        return computed_size(text, {name: self.extent(var) for name, var in self.variables.items()})

    def value(self, expr: tirx.Expr, values: Mapping[str, int]) -> int:
        """Return what an expression is where the open dimensions have these values."""
        return evaluated(text_of(expr), values)

    def proves(self, condition: tirx.Expr) -> bool:
        """Return whether a condition is known to hold for all sizes that what was assumed admits."""
        if variables_of(condition) <= self.typical.keys() and not self.value(condition, self.typical):
            return False  # typical sizes are among them; to look for a proof takes longer
        if self._analyzer.can_prove(condition):
            return True
        facts = self._facts_about(condition)
        with knowing(self._analyzer, facts):
            if facts and self._analyzer.can_prove(condition):
                return True
        return holds_for_all_rests(condition, lambda of: self._analyzer.const_int_bound(self.variables[of]))

    def _facts_about(self, condition: tirx.Expr) -> list[tirx.Expr]:
        """What was assumed of the dimensions of a condition, and of those that these are compared with."""
        names, facts, left = variables_of(condition), list[tirx.Expr](), self._facts
        while found := [(fact, of) for fact, of in left if not names.isdisjoint(of)]:
            facts += [fact for fact, _ in found]
            left = [(fact, of) for fact, of in left if names.isdisjoint(of)]
            names = names.union(*(of for _, of in found))
        return facts

    def _note(self, fact: tirx.Expr) -> None:
        self._facts.append((fact, variables_of(fact)))

    def decide(self, condition: tirx.Expr) -> bool:
        """Return whether a condition holds: for all sizes, or else by assumption."""
        known = self._analyzer.simplify(condition)
        if isinstance(known, tirx.IntImm):
            return bool(known)
        for answer, statement in ((True, condition), (False, tirx.Not(condition))):
            if self.proves(statement):
                return answer
        assumption = Assumption(known, bool(self.value(known, self.typical)))
        if self.depends_on_data(known):
            if not assumption.is_bound:
                raise DataDependentError(
                    f"whether {text_of(known)} is known when the model runs, and code would depend on it; "
                    "cut the model where sizes follow from values, as tvm_directconv.split does"
                )
            return self._decide_most(known)
        LOG.debug("assumed of open sizes: %s", assumption)
        self._assumed[str(known)] = assumption
        # What is assumed once is known from here on.
        statement = self._analyzer.simplify(assumption.statement)
        bound = bound_of(statement)
        if bound is None:
            self._note(statement)
        else:
            self._tighten(*bound)
        return assumption.holds

    def _decide_most(self, condition: tirx.LT) -> bool:
        """Return whether what grows with sizes that are known when the model runs is above a number."""
        return self.decide(tirx.LT(condition.a, operand_of(at_most(self, condition.b))))

    def _tighten(self, var: tirx.Var, least: int | None, most: int | None) -> None:
        """Know that a dimension is not below ``least``, or not above ``most``."""
        known = self._analyzer.const_int_bound(var)
        least = known.min_value if least is None else max(known.min_value, least)
        most = known.max_value if most is None else min(known.max_value, most)
        self._analyzer.update(var, ConstIntBound(least, most), True)

    def assume(self, other: OpenSizes, meant: Mapping[str, Any]) -> None:
        """Take over what was assumed of other sizes, of which ``meant`` says what they are here, by name."""
        given = {name: operand_of(extent) for name, extent in meant.items()}
        for assumption in other.assumptions:
            self.decide(with_variables(assumption.condition, given, "int64"))

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        """Return what was assumed, but for what follows from the rest."""
        kept: list[Assumption] = []
        known, statements = Analyzer(), list[tirx.Expr]()
        for name, (least, most) in self.bounds.items():
            most = ConstIntBound.POS_INF if most is None else most
            known.update(self.variables[name], ConstIntBound(least, most))
        for assumption in reversed(self._assumed.values()):
            with knowing(known, statements):
                if known.can_prove(assumption.statement):
                    continue
            kept.insert(0, assumption)
            statements.append(known.simplify(assumption.statement))
        return tuple(kept)

    @property
    def restricting(self) -> bool:
        """Return whether more was assumed than that sizes are not beyond what TVM can index."""
        return bool(self.ties) or any(not assumption.is_bound for assumption in self.assumptions)


def _share(most: int) -> int:
    """What is typical of a size that is known when the model runs."""
    return max(1, min(most, 64))


def with_variables(expr: tirx.Expr, variables: Mapping[str, Any], dtype: str) -> tirx.Expr:
    """An expression with its variables replaced, by name, and its numbers of a type."""
    return rebuilt(expr, lambda part: variables[part.name] if type(part) is tirx.Var else None, dtype)


def size_of(value: Any) -> int:
    """Return a size that TVM has, as a number or an extent."""
    sizes = active_sizes()
    if sizes is None or type(value) in NUMBERS:
        return int(value)
    return cast(int, value) if isinstance(value, Extent) else sizes.extent(value)


def read_size(value: int | str) -> int:
    """Return a size of a description: a number, or an extent by its text."""
    sizes = active_sizes()
    return int(value) if isinstance(value, int) or sizes is None else sizes.read(value)


def sizes_of(dims: Sequence[Any]) -> tuple[int, ...] | None:
    """Return a shape that TVM has, with extents where it is open; None where it is not known."""
    sizes = active_sizes()
    if sizes is None or not all(map(sizes.knows, dims)):
        return None
    return tuple(map(sizes.extent, dims))
