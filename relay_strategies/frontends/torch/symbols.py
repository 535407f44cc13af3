"""Sizes of an exported program that depend on open dimensions of its inputs, as extents of ours.

torch.export has sympy's expressions over symbols for them, bounds of the symbols, and guards: conditions
under which what it traced is right. The latter two become conditions of what is compiled.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import torch
from torch.export import ExportedProgram
from torch.fx.experimental.symbolic_shapes import ShapeEnv, free_unbacked_symbols

from tvm_directconv.errors import ModelError
from tvm_directconv.problem.extents import Extent, larger, smaller, typical
from tvm_directconv.problem.open_sizes import active_sizes
from tvm_directconv.runtime.size_values import is_name

ARITHMETIC: dict[str, Callable[..., Any]] = {
    "Add": lambda *terms: sum(terms[1:], start=terms[0]),
    "Mul": lambda *factors: math.prod(factors),
    "FloorDiv": operator.floordiv,
    "CleanDiv": operator.floordiv,
    "Mod": operator.mod,
    "PythonMod": operator.mod,
    "Max": lambda *sizes: functools.reduce(larger, sizes),
    "Min": lambda *sizes: functools.reduce(smaller, sizes),
}
"""What sympy's and torch's functions of integers compute, by their names."""
COMPARED: dict[str, Callable[[Any, Any], Any]] = {
    "Equality": lambda a, b: _same(a, b),
    "Unequality": lambda a, b: not _same(a, b),
    "GreaterThan": operator.ge,
    "LessThan": operator.le,
    "StrictGreaterThan": operator.gt,
    "StrictLessThan": operator.lt,
}
FAR = 2**31
"""Bounds from here on are none."""


def _same(a: Any, b: Any) -> bool:
    extents = [each for each in (a, b) if isinstance(each, Extent)]
    other = b if extents and extents[0] is a else a
    return extents[0].equals(other) if extents else bool(a == b)


def names_of(env: ShapeEnv) -> dict[Any, str]:
    """Return the names that users gave to symbols of an environment, as ``Dim("batch")``; torch keeps these
    to name them in errors. Files of programs lack them."""
    names: dict[Any, str] = {}
    for symbol, sources in getattr(env, "var_to_sources", {}).items():
        for source in sources:
            text = source.name() if callable(source.name) else str(source.name)
            name, kept = env.source_name_to_debug_name.get(text, text), env.replace(symbol)
            if is_name(name) and kept.is_symbol and name not in names.values():
                names.setdefault(kept, name)
    return names


def text_of(size: int | torch.SymInt) -> int | str:
    """Return a dimension as a number, which torch.export may make of an open one, or as text over the names
    of symbols: users' own, else torch's."""
    if not isinstance(size, torch.SymInt) or size.node.expr.is_Integer:
        return int(size)
    return _text(size.node.expr, names_of(size.node.shape_env))


def _text(expr: Any, names: Mapping[Any, str]) -> str:
    return str(expr.xreplace({symbol: type(symbol)(name, integer=True) for symbol, name in names.items()}))


def hints_of(values: Mapping[str, torch.Tensor]) -> dict[str, int]:
    """Return what symbolic dimensions of inputs are in the example inputs, by their expressions, where torch
    knows it."""
    return {
        str(text_of(size)): int(size.node.hint)
        for value in values.values()
        for size in value.shape
        if isinstance(size, torch.SymInt) and size.node.hint is not None and not size.node.expr.is_Integer
    }


class Symbols:
    """The symbols of a program's sizes, and what they are where its inputs have given shapes."""

    def __init__(
        self,
        program: ExportedProgram,
        inputs: Mapping[str, torch.Tensor],
        shapes: Mapping[str, Sequence[int]],
    ) -> None:
        """Raise ModelError where the program is not one of such shapes."""
        self._values: dict[Any, int] = {}
        sizes = [
            (wanted, size.node)
            for name, value in inputs.items()
            for size, wanted in zip(value.shape, shapes.get(name, value.shape), strict=True)
            if isinstance(size, torch.SymInt)
        ]
        for wanted, node in sizes:
            if node.expr.is_symbol:
                self._values.setdefault(node.expr, wanted)
        for wanted, node in sizes:  # a symbol that is only there as a part of derived dimensions
            free = [symbol for symbol in node.expr.free_symbols if symbol not in self._values]
            if len(free) == 1 and (factor := node.expr.coeff(free[0])).is_Integer and factor > 0:
                rest = self._value(node.expr - factor * free[0])
                self._values[free[0]] = (wanted - rest) // int(factor)
        environments = {id(node.shape_env): node.shape_env for _, node in sizes}.values()
        self._names = {symbol: name for env in environments for symbol, name in names_of(env).items()}
        self._demand([(wanted, self._value(node.expr)) for wanted, node in sizes])
        for symbol, ends in program.range_constraints.items():
            if symbol in self._values:
                name = _text(symbol, self._names)
                self._check(self._values[symbol] >= int(ends.lower), f"{name} >= {ends.lower}")
                if ends.upper < FAR:
                    self._check(self._values[symbol] <= int(ends.upper), f"{name} <= {ends.upper}")
        for env in environments:
            for guard in env.guards:
                self.guard(env.replace(guard.expr))

    def size(self, value: int | torch.SymInt) -> int:
        """Return a size of the program as a number or an extent. Raises ModelError where it is neither."""
        return self._value(value.node.expr) if isinstance(value, torch.SymInt) else int(value)

    def is_known(self, value: int | torch.SymInt) -> bool:
        """Return whether a size is a number, or follows from those of inputs or of what is found."""
        try:
            return self.is_found(value) or self.size(value) is not None
        except ModelError:
            return False

    def is_found(self, value: Any) -> bool:
        """Return whether a size, or a condition, follows from values that are known when the model runs."""
        if not isinstance(value, torch.SymInt | torch.SymBool):
            return False
        return bool(free_unbacked_symbols(value.node.expr))

    def find(self, value: torch.Tensor, shape: Sequence[int] | None) -> None:
        """Have a size of what is found be as imported with ``shape`` where it was not known before."""
        for size, found in zip(value.shape, shape or (), strict=False):
            if self.is_found(size) and size.node.expr.is_symbol:
                self._values.setdefault(size.node.expr, found)

    def shape(self, value: torch.Tensor) -> tuple[int, ...]:
        """Return the shape of a tensor of the program."""
        return tuple(map(self.size, value.shape))

    def _value(self, expr: Any) -> int:
        if expr in self._values:
            return self._values[expr]
        if expr.is_Integer:
            return int(expr)
        kind = type(expr).__name__
        if kind not in ARITHMETIC:
            raise ModelError(f"the size {_text(expr, self._names)} is known when it runs only")
        return cast(int, ARITHMETIC[kind](*map(self._value, expr.args)))

    def guard(self, expr: Any) -> None:
        """Have a condition hold, which torch relied on."""
        kind = type(expr).__name__
        if kind == "And":
            for part in expr.args:
                self.guard(part)
        elif kind == "Or" and any(map(self._always, expr.args)):
            return
        elif kind == "Or" and (found := next(filter(self._typically, expr.args), None)) is not None:
            self.guard(found)
        elif kind != "BooleanTrue":
            if kind not in COMPARED:
                text = _text(expr, self._names)
                raise ModelError(f"the program is right where {text}, which is not a comparison")
            left, right = expr.args
            if kind == "Equality" and type(left).__name__ in ("Mod", "PythonMod") and right == 0:
                whole, part = map(self._value, left.args)
                self._demand([(whole, whole // part * part)])
            elif kind == "Equality":
                self._demand([(self._value(left), self._value(right))])
            else:
                self._check(COMPARED[kind](self._value(left), self._value(right)), _text(expr, self._names))

    def _sides(self, expr: Any) -> tuple[int, int] | None:
        """The two sizes of which a condition says that they are equal; None for any other one."""
        if type(expr).__name__ != "Equality":
            return None
        left, right = expr.args
        try:
            if type(left).__name__ in ("Mod", "PythonMod") and right == 0:
                whole, part = map(self._value, left.args)
                return whole, whole // part * part
            return self._value(left), self._value(right)
        except ModelError:  # of sizes that are not known here
            return None

    def _always(self, expr: Any) -> bool:
        """Return whether sizes are known to be equal that a condition says are."""
        sides = self._sides(expr)
        return sides is not None and bool(sides[0] == sides[1])

    def _typically(self, expr: Any) -> bool:
        """Return whether they are equal at typical sizes."""
        sides = self._sides(expr)
        return sides is not None and typical(sides[0]) == typical(sides[1])

    def _demand(self, pairs: Sequence[tuple[int, int]]) -> None:
        """Have sizes be equal: by ties of dimensions, else by an assumption."""
        sizes = active_sizes()
        if sizes is not None:
            sizes.demand(pairs)
        for one, other in pairs:
            self._check(_same(one, other), f"{one} == {other}")

    def _check(self, holds: bool, condition: str) -> None:
        if not holds:
            raise ModelError(f"the exported program takes inputs where {condition}")
