"""Lines of elements, and the loops along them that row programs are made of.

A program is a function of a ``Line``, whose methods emit loops: they go along a line, reduce it, and write a
number for each of its elements. Reduced numbers are handed to later methods as operands.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tvm import tirx
from tvm.tirx.script.builder import ir as T

from .builder import Expr, Operator, load, shuffle, splat, store, vector_type
from .reductions import Reduction

PLACES = "places"
"""This operand is each element's index along the line, as int32."""

Value: TypeAlias = tuple[Expr, ...]
"""A number for each line: one scalar for a row, one vector for each vector of columns."""
Operand: TypeAlias = Value | tirx.Buffer | str | None
"""A value, a parameter with a number for each element of a row or for each column, PLACES, or nothing."""
Element: TypeAlias = Callable[..., Expr]
"""A vector computed from a vector of elements, and from the operands that belong to them."""
Term: TypeAlias = tuple[Reduction, Element]
"""What is reduced, and how."""


@dataclass(frozen=True)
class Vector:
    """Elements that are loaded together."""

    position: Expr
    """The first element's index in the tensor."""
    width: int
    slot: int
    """The number of its vector in accumulators."""
    line: int
    """The number of its part of a value."""
    parameter: Expr
    """The first element's index in parameters."""
    places: Callable[[], Expr]
    repeated: int = 0
    """The first so many lanes belong to the vector before it, too."""
    lane: Expr | None = None
    """The end of a row of open length goes to this lane and those behind it, of accumulators of its own."""


Emit: TypeAlias = Callable[[Sequence[Vector]], None]
"""Code for vectors that one iteration handles."""


@dataclass(frozen=True)
class Line(ABC):
    """A line, or several side by side, of ``length`` elements, whose first one is at ``base``.

    ``result`` is where the number of a line is stored in an output that has one for each line.
    """

    operator: Operator
    data: tirx.Buffer
    output: tirx.Buffer
    base: Expr
    length: int
    result: Expr

    @abstractmethod
    def each(self, emit: Emit, *, once: bool = False, backward: bool = False) -> None:
        """Emit the loop along the line, whose body is the code that ``emit`` writes for some vectors.

        With ``once`` the ``overlapping`` vector is left out. With ``backward`` the loop may begin at the end.
        """

    @abstractmethod
    def overlapping(self) -> list[Vector]:
        """Return the vector that reaches back into one of an earlier iteration, if there is one."""

    @property
    @abstractmethod
    def width(self) -> int:
        """The elements of a vector."""

    @property
    @abstractmethod
    def count(self) -> int:
        """The vectors of one iteration."""

    @abstractmethod
    def total(self, sums: tirx.Buffer, reduction: Reduction) -> Value:
        """Read the value of each line from its accumulators."""

    @abstractmethod
    def store_result(self, value: Value) -> None:
        """Store the number of each line."""

    def reduce(
        self, reduction: Reduction, of: Element | None = None, *operands: Operand, kept: bool = False
    ) -> Value:
        """Reduce the elements, or what ``of`` makes of them, which is stored as the output if ``kept``."""
        return self.in_one_pass([(reduction, of or _itself)], operands, kept)[0]

    def reduce_together(self, terms: Sequence[Term], *operands: Operand) -> list[Value]:
        """Reduce what each of the terms' functions makes of the elements."""
        return self.in_one_pass(terms, operands)

    def in_one_pass(
        self, terms: Sequence[Term], operands: Sequence[Operand], kept: bool = False
    ) -> list[Value]:
        """Reduce the terms in one pass over the elements."""
        sums = [self.accumulators(reduction) for reduction, _ in terms]
        # A pass after another begins with what is in cache, unless the order changes bits.
        backward = bool(operands) and all(reduction.idempotent for reduction, _ in terms)
        self.each(lambda vectors: self.add(vectors, sums, terms, operands, kept), backward=backward)
        return [self.total(into, reduction) for into, (reduction, _) in zip(sums, terms, strict=True)]

    def accumulators(self, reduction: Reduction) -> tirx.Buffer:
        """Allocate a vector for each of an iteration's, which holds the reduction's identity."""
        sums = self.operator.accumulators(self.count, self.width, reduction.accumulator)
        self.restart(sums, reduction)
        return sums

    def restart(self, sums: tirx.Buffer, reduction: Reduction) -> None:
        """Store the reduction's identity in accumulators."""
        for number in range(self.count):
            identity = splat(reduction.identity, self.width, str(sums.dtype))
            store(sums, number * self.width, self.width, identity)

    def add(
        self,
        vectors: Sequence[Vector],
        sums: Sequence[tirx.Buffer],
        terms: Sequence[Term],
        operands: Sequence[Operand],
        kept: bool = False,
    ) -> None:
        """Combine accumulators with what the terms make of some vectors."""
        for vector in vectors:
            width, place = vector.width, vector.slot * vector.width if vector.lane is None else vector.lane
            x = load(self.data, vector.position, width)
            # TVM puts the value of a scalar's name in place of it, and stops at names that it finds twice.
            x = T.Bind(x) if width > 1 else x
            given = _given(operands, vector)
            for into, (reduction, of) in zip(sums, terms, strict=True):
                dtype = str(into.dtype)
                value = T.cast(of(x, *given), vector_type(dtype, width))
                if kept:
                    value = T.Bind(value)
                    store(self.output, vector.position, width, value)
                before = T.Bind(load(into, place, width))
                # A product of its own is fused with the sum in all lanes: which are kept is asked behind it.
                total = reduction.combine(before, value)
                if vector.repeated and not reduction.idempotent:
                    lanes = [lane if lane < vector.repeated else width + lane for lane in range(width)]
                    total = shuffle([before, T.Bind(total)], lanes)
                store(into, place, width, total)

    def compute(self, function: Callable[..., Expr], *values: Value) -> Value:
        """Compute a value from others."""
        return tuple(T.Bind(function(*parts)) for parts in zip(*values, strict=True))

    def write(self, of: Element, *operands: Operand, in_place: bool = False) -> None:
        """Store what ``of`` makes of each element of the data, or of the output if ``in_place``."""
        source = self.output if in_place else self.data

        def computed(vector: Vector) -> Expr:
            return of(load(source, vector.position, vector.width), *_given(operands, vector))

        def stored(vectors: Sequence[Vector]) -> None:
            for vector in vectors:
                store(self.output, vector.position, vector.width, computed(vector))

        def replaced(vectors: Sequence[Vector]) -> None:
            # Vectors may overlap: all are read before one is written.
            for vector, value in [(vector, T.Bind(computed(vector))) for vector in vectors]:
                store(self.output, vector.position, vector.width, value)

        last = [(vector, T.Bind(computed(vector))) for vector in self.overlapping()] if in_place else []
        self.each(replaced if in_place else stored, once=in_place, backward=True)
        for vector, value in last:
            store(self.output, vector.position, vector.width, value)


def _itself(x: Expr) -> Expr:
    return x


def _given(operands: Sequence[Operand], vector: Vector) -> list[Expr | None]:
    """Return the operands as vectors that belong to that vector of elements."""
    found: list[Expr | None] = []
    for operand in operands:
        if operand is None:
            found.append(None)
        elif isinstance(operand, str):
            found.append(vector.places())
        elif isinstance(operand, tirx.Buffer):
            found.append(load(operand, vector.parameter, vector.width))
        else:
            number = operand[vector.line]
            found.append(number if number.ty.dtype.lanes == vector.width else splat(number, vector.width))
    return found
