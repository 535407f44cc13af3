"""The columns of a transposed convolution summed (col2im), each plane of the result by its phases.

Every vector of a phase is the sum of one vector of each of its taps' planes, kept in registers; those of a
row's phases are shuffled to where they are stored. At the edges, where some taps see no pixel, it is done
element by element.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

from tvm import tirx
from tvm.tirx.script.builder import ir as T

from tvm_directconv.problem.columns import Columns

from .builder import Expr, Operator, build_operator, load, shuffle, splat, store

if TYPE_CHECKING:
    from tvm_directconv.targets.target import CompileTarget


def sum_columns(what: Columns, target: CompileTarget) -> tirx.PrimFunc:
    """PrimFunc (columns (N, outputs x taps, H, W), output (N, outputs, *size)) in float32."""
    rows = what.positions(0)
    with build_operator("sum_columns", target) as operator:
        columns, output = operator.arguments({"columns": what.shape, "output": what.result})
        traffic = operator.element_bytes * (math.prod(what.shape) + math.prod(what.result))
        with operator.outer_loop(what.batch * what.outputs * rows, traffic) as number:
            plane, row = number // rows, number % rows
            for phase, taps in enumerate(what.phases(0)):
                line = row * what.strides[0] + phase
                whole = (rows - 1) * what.strides[0] + phase < what.size[0]
                with T.If(tirx.const(True) if whole else line < what.size[0]), T.Then():
                    start = (plane * what.size[0] + line) * what.size[1]
                    _Row(operator, what, columns, output, plane, row, start, taps).emit()
    return operator.prim_func


@dataclass(frozen=True)
class _Row:
    """A row of the output that begins at ``start``, and the rows that its ``taps`` see from ``row`` on."""

    operator: Operator
    what: Columns
    columns: tirx.Buffer
    output: tirx.Buffer
    plane: Expr
    row: Expr
    start: Expr
    taps: list[tuple[int, int]]

    def emit(self) -> None:
        width, phases = self.what.image[1], self.what.phases(1)
        shifts = [shift for taps in phases for _, shift in taps]
        end = self.what.size[1] // self.what.strides[1]
        first = min(end, max(0, -min(shifts, default=0)))
        last = max(first, min(end, width - max(shifts, default=0)))
        inside = [condition for _, shift in self.taps for condition in self._inside(shift)]
        with T.If(tirx.all(*inside, tirx.const(last > first))):
            with T.Then():
                self._elements(0, first)
                self.operator.blocks(last - first, 1, lambda at, spans: self._vectors(first + at, spans))
                self._elements(last, self.what.positions(1))
            with T.Else():
                self._elements(0, self.what.positions(1))

    def _inside(self, shift: int) -> Iterator[Expr]:
        """Conditions for the row that is seen so far away to be there."""
        if shift < 0:
            yield self.row >= -shift
        if self.what.positions(0) + shift > self.what.image[0]:
            yield self.row < self.what.image[0] - shift

    def _place(self, tap: int, shift: int, column: int) -> Expr:
        """Return where the row ``shift`` away begins in that tap's row of the filter, and column."""
        channel = self.plane * self.what.taps + tap * self.what.kernel[1] + column
        return (channel * self.what.image[0] + self.row + shift) * self.what.image[1]

    def _vectors(self, at: Expr, spans: list[tuple[int, int]]) -> None:
        """Sum positions of all phases by vectors, all of whose taps see pixels."""
        for offset, width in spans:
            sums = []
            for taps in self.what.phases(1):
                terms = [
                    load(self.columns, self._place(tap, below, column) + at + (offset + shift), width)
                    for tap, below in self.taps
                    for column, shift in taps
                ]
                sums.append(T.Bind(reduce(lambda a, b: a + b, terms)) if terms else splat(0.0, width))
            stride = len(sums)
            for part in range(stride):
                lanes = range(part * width, (part + 1) * width)
                order = [lane % stride * width + lane // stride for lane in lanes]
                value = sums[0] if stride == 1 else shuffle(sums, order)
                place = self.start + (at + offset) * stride + part * width
                store(self.output, place, width, value)

    def _elements(self, first: int, end: int) -> None:
        """Sum these positions one by one, of those taps of each that see pixels."""
        if first == end:
            return
        stride = self.what.strides[1]
        with T.serial(0, end - first) as number:
            x = number + first
            for phase, taps in enumerate(self.what.phases(1)):
                terms = [
                    T.if_then_else(
                        tirx.all(*self._inside(below), *_within(x + shift, self.what.image[1])),
                        load(self.columns, self._place(tap, below, column) + x + shift, 1),
                        tirx.const(0.0),
                    )
                    for tap, below in self.taps
                    for column, shift in taps
                ]
                total = reduce(lambda a, b: a + b, terms) if terms else tirx.const(0.0)
                with T.If(x * stride + phase < self.what.size[1]), T.Then():
                    store(self.output, self.start + x * stride + phase, 1, total)


def _within(place: Expr, extent: int) -> list[Expr]:
    return [place >= 0, place < extent]
