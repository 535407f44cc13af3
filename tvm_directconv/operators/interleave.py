"""The phases of a transposed convolution put together: every stride-th row and column is one phase's.

Phases are blocks of channels of one tensor or of several, channels last; neighbouring phases of a row that
lie side by side are copied as one run.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tvm import tirx
from tvm.tirx.script.builder import ir as T

from .builder import Expr, Operator, build_operator, load, store

if TYPE_CHECKING:
    from tvm_directconv.targets.target import CompileTarget

Extents = tuple[int, ...]
VECTORS = 8
"""Vectors copied by one round of a loop."""


@dataclass(frozen=True)
class Interleaving:
    """How phases make a tensor of (depth, rows, columns).

    ``strides`` are the phases along each axis, ``positions`` those of each phase, ``size`` what there is of
    the result. ``order`` has the number of each phase, (depth, row, column) counted row by row, in the order
    of their channels, first tensor first. The channels of a tensor with P phases are (groups, P, rest).
    """

    batch: int
    channels: int
    strides: Extents
    positions: Extents
    size: Extents
    order: tuple[int, ...]
    groups: int = 1

    def phases(self, channels: Sequence[int]) -> list[tuple[int, ...]]:
        """The phases in each of the tensors that have so many channels."""
        found, done = [], 0
        for count in channels:
            found.append(self.order[done : done + count // self.channels])
            done += count // self.channels
        return found


@dataclass(frozen=True)
class _Run:
    """Neighbouring phases of a row, from ``phase`` on, that are ``count`` from ``place`` on in a tensor."""

    phase: int
    tensor: int
    place: int
    count: int


def interleave(
    what: Interleaving,
    shapes: Sequence[Sequence[int]],
    result: Sequence[int],
    target: CompileTarget,
    *,
    dtype: str = "float32",
) -> tirx.PrimFunc:
    """PrimFunc (tensors (N x positions, channels) of ``shapes``, output (N x size, channels) of ``result``).

    Some of the extents before the channels may be written as one.
    """
    channels = [shape[-1] for shape in shapes]
    held = what.phases(channels)
    depths, rows, columns = what.positions
    with build_operator("interleave", target, dtype) as operator:
        inputs = {f"data{i}": shape for i, shape in enumerate(shapes)}
        *tensors, output = operator.arguments({**inputs, "output": result})
        traffic = 2 * operator.element_bytes * math.prod(result)
        with operator.outer_loop(what.batch * depths * rows, traffic) as number:
            depth, row = (number // rows) % depths, number % rows
            for deep in range(what.strides[0]):
                for low in range(what.strides[1]):
                    at = (depth * what.strides[0] + deep, row * what.strides[1] + low)
                    line = (number // (rows * depths) * what.size[0] + at[0]) * what.size[1] + at[1]
                    bases = [number * (columns * count) for count in channels]
                    copy = _Row(operator, what, held, tensors, bases, output, line)
                    first = (deep * what.strides[1] + low) * what.strides[2]
                    with _guard(what, at, (deep, low)):
                        copy.emit(first)
    return operator.prim_func


@contextmanager
def _guard(what: Interleaving, at: tuple[Expr, Expr], phase: tuple[int, int]) -> Iterator[None]:
    """Guard the rows of phases that may end before others: emit only for rows of the result."""
    cut = [
        at[axis] < what.size[axis]
        for axis in range(2)
        if (what.positions[axis] - 1) * what.strides[axis] + phase[axis] >= what.size[axis]
    ]
    if not cut:
        yield
        return
    with T.If(tirx.all(*cut)), T.Then():
        yield


@dataclass(frozen=True)
class _Row:
    """A row of the output as it is copied; ``bases`` are where its phases begin in the tensors."""

    operator: Operator
    what: Interleaving
    held: list[tuple[int, ...]]
    tensors: list[tirx.Buffer]
    bases: list[Expr]
    output: tirx.Buffer
    line: Expr

    def emit(self, first: int) -> None:
        """All phases of the row, of which ``first`` is the number of the first one."""
        stride, width = self.what.strides[2], self.what.size[2]
        runs = self._runs(first, stride)
        if width // stride:
            with T.serial(0, width // stride) as column:
                self._copy(first, column, runs)
        if width % stride:
            self._copy(first, width // stride, self._runs(first, width % stride))

    def _runs(self, first: int, count: int) -> list[_Run]:
        runs: list[_Run] = []
        for phase in range(first, first + count):
            tensor = next(i for i, phases in enumerate(self.held) if phase in phases)
            place = self.held[tensor].index(phase)
            last = runs[-1] if runs else None
            if last and self.what.groups == 1 and (last.tensor, last.place + last.count) == (tensor, place):
                runs[-1] = _Run(last.phase, tensor, last.place, last.count + 1)
            else:
                runs.append(_Run(phase, tensor, place, 1))
        return runs

    def _copy(self, first: int, column: Expr, runs: list[_Run]) -> None:
        channels, groups = self.what.channels, self.what.groups
        each = channels // groups
        for run in runs:
            held = len(self.held[run.tensor])
            source = self.bases[run.tensor] + column * (held * channels) + run.place * each
            pixel = self.line * self.what.size[2] + column * self.what.strides[2] + run.phase - first
            if groups == 1:
                self._run(run.tensor, source, pixel * channels, run.count * channels)
            else:
                with T.serial(0, groups) as group:
                    start = source + group * (held * each)
                    self._run(run.tensor, start, pixel * channels + group * each, each)

    def _run(self, tensor: int, source: Expr, result: Expr, length: int) -> None:
        data = self.tensors[tensor]

        def emit(start: Expr, spans: list[tuple[int, int]]) -> None:
            for offset, width in spans:
                at = start + offset
                store(self.output, result + at, width, load(data, source + at, width))

        self.operator.blocks(length, VECTORS, emit)
