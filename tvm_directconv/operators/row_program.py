"""Row programs: lines of elements that are reduced to numbers, and results computed from these.

Softmax, norms, sums and arg-max are the same loops: they go along a line, reduce it once or several times,
and write a number for the line or one for each of its elements. A program is a function of a ``Line``, whose
methods emit these loops. Reduced numbers are handed to later methods as operands.

A tensor is (outer, length, inner). If inner is 1, a line is a ``Row`` of elements side by side: several
vectors of it are reduced at a time, and then their lanes. Otherwise vectors of neighbouring lines go along
the axis together, as ``Columns``: each lane is a line.

Sums have the same bits on every target: a row is summed in ``ROW_LANES`` lanes of four vectors, of which
narrower registers hold parts, and lines side by side are each summed from first to last.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from tvm import tirx
from tvm.tirx.script.builder import ir as T

from tvm_directconv.problem.extents import given_to_tvm, is_open

from .builder import (
    FLOAT_BYTES,
    ROW_LANES,
    VECTORS,
    Expr,
    Operator,
    build_operator,
    load,
    pieces,
    reduce_lanes,
    shuffle,
    splat,
    store,
    vector_type,
)
from .reductions import Reduction

if TYPE_CHECKING:
    from tvm_directconv.targets.target import CompileTarget

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
                if vector.repeated and not reduction.idempotent:
                    lanes = [width if lane < vector.repeated else lane for lane in range(width)]
                    value = shuffle([value, splat(reduction.identity, width, dtype)], lanes)
                store(into, place, width, reduction.combine(load(into, place, width), value))

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


@dataclass(frozen=True)
class Row(Line):
    """Elements side by side.

    Element i of the whole vectors belongs to vector i // lanes % VECTORS of accumulators. What is left of
    them is the end of a vector that reaches back, whose other lanes are nothing, and belongs to the first.
    """

    @property
    def lanes(self) -> int:
        return ROW_LANES if self.operator.element_bytes == FLOAT_BYTES else self.operator.lanes

    @property
    def width(self) -> int:
        return self.lanes if is_open([self.length]) else min(self.length, self.lanes)

    @property
    def count(self) -> int:
        return VECTORS if is_open([self.length]) else min(VECTORS, -(-self.length // self.width))

    def _vector(self, start: Expr, offset: int, slot: int, width: int) -> Vector:
        first = start + offset

        def places() -> Expr:
            return tirx.const(0, "int32") + first if width == 1 else T.ramp(first, 1, width)

        # Only a block at a fixed start ends short of a multiple of the lanes, where it reaches back.
        repeated = -offset % width if isinstance(start, int) and start == 0 else 0
        place = 0 if repeated else slot
        return Vector(self.base + start + offset, width, place, 0, first, places, repeated)

    def each(self, emit: Emit, *, once: bool = False, backward: bool = False) -> None:
        def block(start: Expr, spans: list[tuple[int, int]]) -> None:
            emit([self._vector(start, offset, slot, width) for slot, (offset, width) in enumerate(spans)])

        if is_open([self.length]):
            self._each_of_open(emit)
            return
        whole = self.length // self.width * self.width if once else self.length
        self.operator.blocks(whole, self.count, block, self.lanes)

    def _each_of_open(self, emit: Emit) -> None:
        """Emit blocks, what is left of vectors, and what is left of elements by powers of two."""
        lanes, size = self.lanes, self.lanes * self.count

        def vector(start: Expr, slot: int) -> Vector:
            return self._vector(start + 0, 0, slot, lanes)

        with T.serial(0, self.length // size) as block:
            emit([vector(block * size + slot * lanes, slot) for slot in range(self.count)])
        whole, left = self.length // size * size, self.length % size // lanes
        for slot in range(self.count - 1):
            with T.serial(0, T.min(1, T.max(0, given_to_tvm(left) - slot))) as one:
                emit([vector(one + whole + slot * lanes, slot)])
        for _, width in pieces(lanes - 1, lanes):
            with T.serial(0, self.length % (2 * width) // width) as one:
                start = one + self.length // (2 * width) * (2 * width)
                lane = start % lanes + (lanes - self.length % lanes)
                emit([replace(self._vector(start, 0, 0, width), lane=lane)])

    def in_one_pass(
        self, terms: Sequence[Term], operands: Sequence[Operand], kept: bool = False
    ) -> list[Value]:
        if not is_open([self.length]):
            return super().in_one_pass(terms, operands, kept)
        sums, ends = ([self.accumulators(reduction) for reduction, _ in terms] for _ in range(2))

        def add(vectors: Sequence[Vector]) -> None:
            self.add(vectors, sums if vectors[0].lane is None else ends, terms, operands, kept)

        self.each(add)
        for into, end, (reduction, _) in zip(sums, ends, terms, strict=True):
            both = reduction.combine(load(into, 0, self.width), load(end, 0, self.width))
            store(into, 0, self.width, both)
        return [self.total(into, reduction) for into, (reduction, _) in zip(sums, terms, strict=True)]

    def overlapping(self) -> list[Vector]:
        rest = 0 if is_open([self.length]) else self.length % self.width
        return [self._vector(0, self.length - self.width, 0, self.width)] if rest else []

    def reduce_together(self, terms: Sequence[Term], *operands: Operand) -> list[Value]:
        # A row stays in cache: passes with fewer accumulators take less time.
        return [self.reduce(reduction, of, *operands) for reduction, of in terms]

    def total(self, sums: tirx.Buffer, reduction: Reduction) -> Value:
        return (reduced(sums, self.count, self.width, reduction.combine),)

    def store_result(self, value: Value) -> None:
        store(self.output, self.result, 1, value[0])


@dataclass(frozen=True)
class Columns(Line):
    """Vectors of neighbouring lines, whose elements are ``inner`` apart.

    ``spans`` are the vectors' offsets and widths, ``first`` the column of offset 0. If there is a
    ``portion``, so many elements are reduced at a time, and then what they were reduced to.
    """

    inner: int
    first: Expr
    spans: Sequence[tuple[int, int]]
    portion: int = 0

    @property
    def width(self) -> int:
        return self.spans[0][1]

    @property
    def count(self) -> int:
        return len(self.spans)

    def _step(self, step: Expr) -> list[Vector]:
        def places() -> Expr:
            return splat(step, self.width)

        start = self.base + step * self.inner
        return [
            Vector(start + offset, width, number, number, self.first + offset, places)
            for number, (offset, width) in enumerate(self.spans)
        ]

    def each(self, emit: Emit, *, once: bool = False, backward: bool = False) -> None:
        with T.serial(0, self.length) as step:
            emit(self._step(T.Bind(self.length - 1 - step) if backward else step))

    def overlapping(self) -> list[Vector]:
        return []

    def in_one_pass(
        self, terms: Sequence[Term], operands: Sequence[Operand], kept: bool = False
    ) -> list[Value]:
        if not self.portion:
            return super().in_one_pass(terms, operands, kept)
        width = self.width
        totals = [self.accumulators(reduction) for reduction, _ in terms]
        partial = [
            self.operator.accumulators(self.count, self.width, reduction.partial) for reduction, _ in terms
        ]

        def add(first: Expr, count: int) -> None:
            for sums, (reduction, _) in zip(partial, terms, strict=True):
                self.restart(sums, reduction)
            with T.serial(0, count) as step:
                self.add(self._step(first + step), partial, terms, operands, kept)
            for total, sums, (reduction, _) in zip(totals, partial, terms, strict=True):
                for place in range(0, self.count * width, width):
                    value = reduction.widened(load(sums, place, width), width)
                    store(total, place, width, reduction.combine(load(total, place, width), value))

        whole, rest = divmod(self.length, self.portion)
        if is_open([whole]) or whole:
            with T.serial(0, whole) as number:
                add(T.Bind(number * self.portion), self.portion)
        if is_open([rest]) or rest:
            add(whole * self.portion, rest)
        return [self.total(into, reduction) for into, (reduction, _) in zip(totals, terms, strict=True)]

    def total(self, sums: tirx.Buffer, reduction: Reduction) -> Value:
        return tuple(T.Bind(load(sums, n * self.width, self.width)) for n in range(self.count))

    def store_result(self, value: Value) -> None:
        for number, (offset, width) in zip(value, self.spans, strict=True):
            store(self.output, self.result + offset, width, number)


@dataclass(frozen=True)
class RowProgram:
    """A PrimFunc (data of ``shape``, parameters..., output of ``result``, or of the shape) that runs ``body``
    for every line of a tensor of these ``extents``. The body takes a line and the parameters."""

    name: str
    shape: tuple[int, ...]
    extents: tuple[int, int, int]
    """The extents are outer, length and inner."""
    body: Callable[..., None]
    result: tuple[int, ...] | None = None
    parameters: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    dtype: str = "float32"
    result_dtype: str = "float32"
    work: int = 2
    """An element takes as long as copying so many numbers, for the decision to run in parallel."""
    portion: int = 0
    """Columns are reduced so many elements at a time, or all at once if it is 0."""

    def build(self, target: CompileTarget, vectors: int = VECTORS) -> tirx.PrimFunc:
        """Build the function, which takes ``vectors`` vectors of columns at a time."""
        outer, length, inner = self.extents
        result = self.shape if self.result is None else self.result
        with build_operator(self.name, target, self.dtype) as operator:
            shapes = {"data": self.shape, **self.parameters, "output": result}
            data, *parameters, output = operator.arguments(shapes, {"output": self.result_dtype}, ["output"])
            traffic = self.work * operator.element_bytes * math.prod(self.shape)
            with operator.outer_loop(outer, traffic) as row:
                base = T.Bind(row * (length * inner))

                def columns(start: Expr, spans: list[tuple[int, int]]) -> None:
                    given = operator, data, output, T.Bind(base + start), length, row * inner + start
                    self.body(Columns(*given, inner, start, spans, self.portion), *parameters)

                if inner == 1 and not self.portion:
                    self.body(Row(operator, data, output, base, length, row), *parameters)
                else:
                    operator.blocks(inner, vectors, columns)
        assert operator.prim_func is not None
        return operator.prim_func


def split(shape: Sequence[int], axes: tuple[int, int]) -> tuple[int, int, int]:
    """Return the extents before, in and behind the axes from the first to the one before the second."""
    first, end = axes
    return math.prod(shape[:first]), math.prod(shape[first:end]), math.prod(shape[end:])


def reduced(buffer: tirx.Buffer, count: int, width: int, combine: Callable[[Expr, Expr], Expr]) -> Expr:
    """Combine all lanes of all accumulators into one scalar."""
    values = [load(buffer, number * width, width) for number in range(count)]
    while len(values) > 1:
        values = [combine(values[0], values[1]), *values[2:]]
    return T.Bind(reduce_lanes(values[0], width, combine))


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
