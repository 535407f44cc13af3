"""The open dimensions of a kernel, or of a function inside of a model, and what they are in the model."""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tvm import tirx

from tvm_directconv.errors import ModelError

from .extents import Extent, as_expression, computed_size, is_open, operand_of
from .open_sizes import NUMBERS, OpenSizes, active_sizes, with_variables
from .rests import quotient_of
from .size_text import degree_of, variables_of
from .ties import in_terms_of


class Formula(NamedTuple):
    """A size in terms of others: a text over names, and what each name is outside, as text."""

    text: str
    names: Mapping[str, str]


class InnerSizes(OpenSizes):
    """The open dimensions of a kernel, or of a function inside of a model, as those of the model are in it.

    A dimension of the model that is one of an operand's is one inside. Of other expressions in operands'
    shapes each is a dimension of its own: functions find their dimensions in the shapes that they are given.
    """

    def __init__(
        self,
        outer: OpenSizes,
        shapes: Iterable[Sequence[Any]],
        dtype: str,
        formulas: Mapping[str, Formula] | None = None,
    ) -> None:
        """``formulas`` say what some sizes, by their texts outside, are of others."""
        super().__init__(dtype)
        self.outer = outer
        self.meant: dict[str, Extent] = {}
        self.formulas = dict(formulas or {})
        for extent in (each for shape in shapes for each in shape if isinstance(each, Extent)):
            if isinstance(extent.expr, tirx.Var):
                self._add_own(extent)

    @property
    def has_any(self) -> bool:
        return True

    def _add_own(self, extent: Extent) -> int:
        """Add a dimension of the model."""
        name = str(extent.expr.name)
        return self._add(name, extent, self.outer.bounds[name])

    def _add(self, name: str, extent: Extent, bounds: tuple[int, int | None]) -> int:
        self.meant[name] = extent
        if self.outer.depends_on_data(extent.expr):
            self.measured[name] = bounds[1]
        # Functions of Relax may be written in terms of the model's own dimensions.
        shared = extent.expr if self.dtype == "int64" and isinstance(extent.expr, tirx.Var) else None
        return self.dimension(name, extent.typical, *bounds, shared)

    def extent(self, expr: Any) -> int:
        if type(expr) in NUMBERS or variables_of(expr) <= self.variables.keys():
            return super().extent(expr)
        outside = self.outer.extent(expr)
        if not isinstance(outside, Extent):
            return outside
        if str(outside) in self.formulas:
            text, names = self.formulas[str(outside)]
            return computed_size(text, {name: self.read(meant) for name, meant in names.items()})
        for name, extent in self.meant.items():
            if str(extent) == str(outside):
                return self.dimension(name, extent.typical)
        for name, extent in self.meant.items():
            var = self.variables[name]
            known = in_terms_of(var, extent.expr, outside.expr)
            if known is None:
                known = quotient_of(var, extent.expr, outside.expr, self.outer.proves)
            if known is not None:
                return super().extent(known)
        for known in (self._product(outside), self._quotient(outside)):
            if known is not None:
                return known
        if isinstance(outside.expr, tirx.Var):
            return self._add_own(outside)
        least = 0 if self.outer.depends_on_data(outside.expr) else 1
        if least:
            self.outer.decide(outside.expr >= 1)
        return self._add(self.outer.unused(), outside, (least, None))

    def _product(self, outside: Extent) -> int | None:
        """An expression of the model as a multiple of dimensions here, or of squares, where it is one."""
        own, degree = variables_of(outside.expr), degree_of(outside.expr)
        parts = {
            name: (extent.typical, degree_of(extent.expr))
            for name, extent in self.meant.items()
            if variables_of(extent.expr) <= own and extent.typical
        }
        for count in range(1, degree + 1):
            for names in itertools.combinations_with_replacement(parts, count):
                times, rest = divmod(outside.typical, math.prod(parts[name][0] for name in names))
                if not times or rest or sum(parts[name][1] for name in names) > degree:
                    continue
                if outside == times * math.prod(self.meant[name] for name in names):
                    return times * math.prod(self.extent(self.variables[name]) for name in names)
        return None

    def _quotient(self, outside: Extent) -> int | None:
        """An expression of the model as the quotient of two dimensions here, where it is one: the images of
        all their windows, of which a mask has those of one image."""
        own = variables_of(outside.expr)
        for whole, part in itertools.permutations(self.meant, 2):
            times, rest = divmod(self.meant[whole].typical, max(1, self.meant[part].typical))
            if times != outside.typical or rest or not own <= variables_of(self.meant[whole].expr):
                continue
            if self.meant[whole] == outside * self.meant[part]:
                return self.extent(self.variables[whole]) // self.extent(self.variables[part])
        return None

    def unused(self, taken: Container[str] = ()) -> str:
        return self.outer.unused(taken)

    def demand(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        """Raise ModelError where sizes have to be equal, in pairs, and are so outside; then ``formulas`` say
        what a dimension of an operand is of others."""
        before = len(self.formulas)
        for a, b in pairs:
            for one, other in ((a, b), (b, a)):
                names = variables_of(operand_of(other))
                meant = None if a == b or str(one) in names else self._outside(one)
                if not isinstance(meant, Extent) or meant != self._outside(other):
                    continue
                if str(self.extent(meant.expr)) == str(one):  # so it would be once more
                    texts = {name: str(self.meant[name]) for name in names}
                    self.formulas.setdefault(str(meant), Formula(str(other), texts))
        if len(self.formulas) > before:
            raise ModelError(f"sizes have to be equal: {', '.join(f'{a} and {b}' for a, b in pairs)}")

    def _outside(self, size: Any) -> int:
        """Return what a size is in the model."""
        return computed_size(str(size), {name: self.meant[name] for name in variables_of(operand_of(size))})

    def _decide_most(self, condition: tirx.LT) -> bool:
        given = {name: operand_of(extent) for name, extent in self.meant.items()}
        return self.outer.decide(with_variables(condition, given, "int64"))

    def knows(self, expr: Any) -> bool:
        return super().knows(expr) or self.outer.knows(expr)

    def read(self, text: str) -> int:
        return self.extent(as_expression(self.outer.read(text)))

    def close(self) -> None:
        """Take over, into the model's sizes, what was assumed of the kernel's."""
        self.outer.assume(self, self.meant)


@contextlib.contextmanager
def inside(
    shapes: Iterable[Sequence[Any] | None],
    dtype: str = "int32",
    formulas: Mapping[str, Formula] | None = None,
) -> Iterator[InnerSizes | None]:
    """Have extents inside be those of a kernel whose operands have these shapes, or with "int64" of a
    function of Relax, with the assumptions that are made there taken over; nothing where all sizes are
    numbers."""
    outer, known = active_sizes(), [shape for shape in shapes if shape is not None]
    if outer is None or not any(map(is_open, known)):
        yield None
        return
    sizes = InnerSizes(outer, known, dtype, formulas)
    with sizes.active():
        yield sizes
    sizes.close()
