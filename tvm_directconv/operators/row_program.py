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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tvm import tirx
from tvm.tirx.script.builder import ir as T

from tvm_directconv.problem.extents import given_to_tvm, is_open

from .builder import (
    FLOAT_BYTES,
    ROW_LANES,
    VECTORS,
    Expr,
    build_operator,
    load,
    pieces,
    reduce_lanes,
    splat,
    store,
)
from .lines import Emit, Line, Operand, Term, Value, Vector
from .reductions import Reduction

if TYPE_CHECKING:
    from tvm_directconv.targets.target import CompileTarget


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
            self._each_whole(emit)
            self._each_left(emit)
            return
        whole = self.length // self.width * self.width if once else self.length
        self.operator.blocks(whole, self.count, block, self.lanes)

    def _each_whole(self, emit: Emit) -> None:
        """Emit the whole vectors of an open length: blocks, and what is left of vectors."""
        lanes, size = self.lanes, self.lanes * self.count

        def vector(start: Expr, slot: int) -> Vector:
            return self._vector(start + 0, 0, slot, lanes)

        with T.serial(0, self.length // size) as block:
            emit([vector(block * size + slot * lanes, slot) for slot in range(self.count)])
        whole, left = self.length // size * size, self.length % size // lanes
        for slot in range(self.count - 1):
            with T.serial(0, T.min(1, T.max(0, given_to_tvm(left) - slot))) as one:
                emit([vector(one + whole + slot * lanes, slot)])

    def _each_left(self, emit: Emit) -> None:
        """Emit the elements behind the whole vectors of an open length, by powers of two."""
        lanes = self.lanes
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

        def move(sources: Sequence[tirx.Buffer], results: Sequence[tirx.Buffer]) -> None:
            for source, result in zip(sources, results, strict=True):
                store(result, 0, self.width, load(source, 0, self.width))

        self._each_whole(lambda vectors: self.add(vectors, sums, terms, operands, kept))
        # Lanes that are known at run time alone would keep all accumulators out of registers.
        move(sums, ends)
        self._each_left(lambda vectors: self.add(vectors, ends, terms, operands, kept))
        move(ends, sums)
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
