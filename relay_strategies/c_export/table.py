"""The numbers that a launcher reads: where tensors lie, and how much memory there has to be.

Of a network of fixed sizes they are constants. Where sizes are open, a function computes them from the sizes
that a run is given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tvm import ir, tirx

from tvm_directconv.errors import ModelError
from tvm_directconv.problem.open_sizes import OpenSizes, with_variables
from tvm_directconv.problem.ties import Affine

COMPUTE = "table"
"""The function that computes a table."""


class Table:
    """Numbers by place, each an int or an extent. The first is 0, or what is wrong with the sizes."""

    def __init__(self) -> None:
        self.values: list[Any] = [0]
        self._known: dict[str, int] = {}

    def place(self, value: Any) -> int:
        """Return the place of a number, which is the same for all that are equal."""
        key = str(value)
        if key not in self._known:
            (self._known[key],) = self.row([value])
        return self._known[key]

    def row(self, values: Sequence[Any]) -> range:
        """Return the places of numbers side by side."""
        first = len(self.values)
        self.values += values
        return range(first, len(self.values))


@dataclass(frozen=True)
class Sizes:
    """The sizes that a run is given, in their order: what they are where tiles were chosen, by name, and the
    conditions on them, over variables of these names and as expressions of C."""

    typical: Mapping[str, int]
    conditions: tuple[tirx.Expr, ...]
    words: tuple[str, ...]

    @staticmethod
    def of(opened: OpenSizes) -> Sizes:
        """Return the dimensions of a model as a run's sizes. Raises ModelError where others follow from them
        by floats."""
        if opened.computations:
            text = ", ".join(f"{name} = {text}" for name, text in opened.computations.items())
            raise ModelError(f"sizes that are computed in floats are not exported to C: {text}")
        typical = opened.typical_dimensions
        conditions: list[tirx.Expr] = []
        for name in typical:
            var, tie = tirx.Var(name, "int64"), opened.ties.get(name, Affine(name))
            conditions.append(var >= 1)
            if tie.factor > 1:
                conditions.append(tirx.floormod(var, tie.factor).equal(tirx.IntImm("int64", tie.rest)))
        conditions += [opened.outward(expr) for _, expr in opened.required]
        texts = [*(f"{name} >= 1" for name in typical), *opened.conditions]
        return Sizes(typical, tuple(conditions), tuple(map(in_c, texts)))


def in_c(size: Any) -> str:
    """Return a size, or a condition on sizes, as an expression of C."""
    operators = {"//": "/", "and": "&&", "or": "||", "not": "!"}
    return " ".join(operators.get(word, word) for word in str(size).split())


def computing(table: Table, sizes: Sizes, opened: OpenSizes, wrong: int) -> tirx.PrimFunc:
    """Return the function ``(sizes, table)`` that computes a table; its first number is ``wrong`` where sizes
    are not as the conditions want them."""
    pointer = ir.PointerType(ir.PrimType("int64"))
    given, filled = tirx.Var("sizes", pointer), tirx.Var("numbers", pointer)
    source = tirx.decl_buffer((len(sizes.typical),), "int64", "sizes")
    result = tirx.decl_buffer((len(table.values),), "int64", "numbers")
    variables = {name: tirx.Var(name, "int64") for name in sizes.typical}

    def number(value: Any) -> tirx.Expr:
        expr = opened.outward(value)
        return (
            tirx.IntImm("int64", expr) if isinstance(expr, int) else with_variables(expr, variables, "int64")
        )

    holds: tirx.Expr = tirx.IntImm("bool", 1)
    for condition in sizes.conditions:
        holds = tirx.And(holds, with_variables(condition, variables, "int64"))
    numbers = [tirx.Select(holds, number(0), number(wrong)), *map(number, table.values[1:])]
    stores = [tirx.BufferStore(result, value, [place]) for place, value in enumerate(numbers)]
    binds = [tirx.Bind(variables[name], source[place]) for place, name in enumerate(sizes.typical)]
    declared = [tirx.DeclBuffer(source, data=given), tirx.DeclBuffer(result, data=filled)]
    function = tirx.PrimFunc([given, filled], tirx.SeqStmt([*declared, *binds, *stores]), ir.TupleType([]))
    return function.with_attrs({"tirx.noalias": True, "s_tir": True})
