"""The convolution as an expression of Lift's primitives, from which sizes and constraints follow.

Each primitive of the paper's listing 4 (pad, slide, split, asVector, mapWrg, mapLcl, and what is kept in
each address space) is written down once, with its arguments as arithmetic over the parameters. The names that
occur in it are what it depends on; nobody lists them. Section 5.2 of the paper infers constraints in this
way, and section 5.3 the order in which parameters are chosen.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import CodeType
from typing import Any

Values = Mapping[str, Any]
"""What parameters and sizes are, by name."""


@dataclass(frozen=True)
class Formula:
    """Arithmetic over names, as Python writes it."""

    text: str

    @cached_property
    def names(self) -> frozenset[str]:
        """Return the parameters and sizes that occur in it."""
        found = (
            node.id for node in ast.walk(ast.parse(self.text, mode="eval")) if isinstance(node, ast.Name)
        )
        return frozenset(name for name in found if name not in FUNCTIONS)

    @cached_property
    def _code(self) -> CodeType:
        return compile(self.text, "<formula>", "eval")

    def of(self, values: Values) -> Any:
        """Return its value."""
        return eval(self._code, FUNCTIONS_ONLY, values)


FUNCTIONS = {"max": max, "min": min}
FUNCTIONS_ONLY: dict[str, Any] = {"__builtins__": FUNCTIONS}


@dataclass(frozen=True)
class Constraint:
    """What must hold of a point. ``decides`` are the parameters that it leaves few values of, once the others
    in it are known."""

    name: str
    condition: Formula
    meaning: str
    decides: frozenset[str] = frozenset()


@dataclass
class Expression:
    """Parameters with their values before pruning, sizes that follow from them, and the constraints that the
    primitives impose."""

    parameters: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    sizes: dict[str, Formula] = field(default_factory=dict)
    constraints: list[Constraint] = field(default_factory=list)

    def parameter(self, name: str, values: Iterable[Any]) -> None:
        """Add a parameter with all values that it may have at all."""
        self.parameters[name] = tuple(values)

    def size(self, name: str, text: str) -> None:
        """Call an arithmetic expression by a name."""
        self.sizes[name] = Formula(text)

    def require(self, name: str, text: str, meaning: str, decides: Iterable[str] = ()) -> None:
        """Impose a condition."""
        self.constraints.append(Constraint(name, Formula(text), meaning, frozenset(decides)))

    # ---- the primitives

    def split(self, name: str, of: str | int, by: str, meaning: str) -> None:
        """split(m, [T]n): n is a multiple of m."""
        self.require(name, f"{of} % {by} == 0", meaning, self._new(by, str(of)))

    as_vector = split
    """asVector(m, [T]n) imposes the same."""

    def slide(self, name: str, size: str, step: str, over: str, decides: Iterable[str], meaning: str) -> None:
        """slideStrict(size, step, [T]n): the windows end with the array."""
        self.require(name, f"{size} <= {over} and ({over} - {size}) % ({step}) == 0", meaning, decides)

    def map_threads(self, name: str, extent: str, most: int) -> None:
        """mapLcl: a thread each."""
        self.require(name, f"{extent} <= {most}", f"a workgroup has at most {most} threads in this direction")

    def keep(self, name: str, amount: str, most: int, meaning: str) -> None:
        """toLocal, toPrivate, toGlobal: the device has room for so much."""
        self.require(name, f"{amount} <= {most}", meaning)

    def _new(self, text: str, known: str) -> frozenset[str]:
        return self.parameters_of(Formula(text)) - self.parameters_of(Formula(known))

    # ---- what follows

    def parameters_of(self, formula: Formula) -> frozenset[str]:
        """Return the parameters that a formula depends on, through whatever sizes."""
        found: frozenset[str] = frozenset()
        for name in formula.names:
            found |= {name} if name in self.parameters else self.parameters_of(self.sizes[name])
        return found

    def needed(self, formula: Formula) -> frozenset[str]:
        """Return the sizes that a formula's value depends on."""
        found: frozenset[str] = frozenset()
        for name in formula.names & self.sizes.keys():
            found |= {name} | self.needed(self.sizes[name])
        return found

    def filter_of(
        self, name: str, constraints: Iterable[Constraint], known: Iterable[str]
    ) -> Callable[..., list[Any]]:
        """Return a function (values of the parameter ``name``, **known ones) that keeps those for which the
        constraints hold."""
        condition = " and ".join(self._terms(constraints))
        arguments = ", ".join(["values", *known])
        text = f"lambda {arguments}: [{name} for {name} in values if {condition}]"
        return eval(compile(text, "<filter>", "eval"), FUNCTIONS_ONLY)

    @cached_property
    def sizes_of(self) -> Callable[..., tuple[Any, ...] | None]:
        """The function (all parameters by name) to all sizes in order; None of points that violate a
        constraint."""
        terms = self._terms(self.constraints)
        sizes = ", ".join(f"({name} := ({formula.text}))" for name, formula in self.sizes.items())
        text = f"lambda {', '.join(self.parameters)}: ({sizes},) if {' and '.join(terms)} else None"
        return eval(compile(text, "<sizes>", "eval"), FUNCTIONS_ONLY)

    def _terms(self, constraints: Iterable[Constraint]) -> Iterable[str]:
        """Conditions as Python has them, each behind the sizes that occur in it."""
        terms: dict[str, None] = {}
        for constraint in constraints:
            needed = self.needed(constraint.condition)
            for size in (s for s in self.sizes if s in needed):
                terms[f"(({size} := ({self.sizes[size].text})) is not None)"] = None
            terms[f"({constraint.condition.text})"] = None
        return terms or ["True"]
