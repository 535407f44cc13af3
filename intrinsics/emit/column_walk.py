"""The order in which depthwise kernels meet their input: a vector of it is loaded once, for all it counts in.

A pixel of the input takes part in as many sums as taps meet it, of neighbouring output pixels and, where a
tile has several lines, of output rows. Its products follow its load, so that loads per multiply-add fall to
about one in (taps of a row) x (lines). The filter's taps stay in registers where there are enough; a tile's
lines share them as rows of the input pass by.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

from intrinsics.microkernel import DEPTHWISE, OPEN, KernelInstance, Segment

from .walk import Walk

Register = TypeVar("Register")


@dataclass(frozen=True)
class Product:
    """Row ``m`` of the tile adds channel ``k`` of the pixel's group times the filter from ``b`` on."""

    k: int
    m: int
    b: int


@dataclass(frozen=True)
class Column:
    """A pixel of the input, ``a`` elements from A, and what it is multiplied by, channel by channel."""

    a: int
    products: tuple[Product, ...]


@dataclass(frozen=True)
class InputRow:
    """The pixels of an input row that a tile reads, from left to right. Of an open step the row is so many
    ``steps`` from A, and its pixels' offsets are from its beginning."""

    columns: tuple[Column, ...]
    steps: int = 0

    @property
    def taps(self) -> tuple[int, ...]:
        """Offsets of the filter's elements that the row is multiplied by, in order."""
        return tuple(sorted({product.b for column in self.columns for product in column.products}))


def input_rows(instance: KernelInstance) -> tuple[InputRow, ...]:
    """The rows of the input that a tile of known filter rows reads, from top to bottom; where these are
    counted, the one that a filter row reads, with offsets from where that begins."""
    lines, step = instance.lines, 1 if instance.a_step is OPEN else instance.a_step
    found: dict[int, dict[int, list[Product]]] = {}
    for y in range(lines.count):
        for h in range(lines.taps or 1):
            row = found.setdefault(y * lines.a + h * step, {})
            for segment in instance.segments:
                for x in range(segment.first, segment.last):
                    products = row.setdefault(segment.a + x * instance.a_row, [])
                    b = h * instance.b_step + segment.b
                    products += (
                        Product(k, y * instance.width + x, b + k * instance.b_row)
                        for k in range(segment.length)
                    )
    rows = []
    for start, row in sorted(found.items()):
        steps, first = (start, 0) if instance.a_step is OPEN else (0, start)
        columns = (
            Column(first + a, tuple(sorted(row[a], key=lambda product: product.k))) for a in sorted(row)
        )
        rows.append(InputRow(tuple(columns), steps))
    return tuple(rows)


class TapRegisters(Generic[Register]):
    """Registers that hold the filter's vectors, ``used`` for each tap, while input rows pass by.

    ``load`` fills a register with the vector ``v`` of the tap at ``b``.
    """

    def __init__(
        self,
        rows: Iterable[InputRow],
        used: int,
        registers: Iterable[Register],
        load: Callable[[Register, int, int], None],
    ) -> None:
        self._used, self._load, self._free = used, load, list(registers)
        self._held: dict[tuple[int, int], Register] = {}
        self.fit = all(len(row.taps) * used <= len(self._free) for row in rows)
        """Whether there are registers for all taps of every row; where not, none is used."""

    def begin(self, row: InputRow) -> None:
        """Load the taps of a row that are not there from the row before, over those it does not need."""
        wanted = [(b, v) for b in row.taps for v in range(self._used)]
        for key in [key for key in self._held if key not in wanted]:
            self._free.append(self._held.pop(key))
        for key in wanted:
            if key not in self._held:
                self._held[key] = self._free.pop(0)
                self._load(self._held[key], *key)

    def __call__(self, b: int, v: int) -> Register:
        return self._held[b, v]


class ColumnWalk(Walk, Generic[Register]):
    """Walks depthwise kernels by columns of the input, all others by segments; those of bytes where the
    instruction set says so."""

    @cached_property
    def input_rows(self) -> tuple[InputRow, ...]:
        by_columns = not self.isa.of_bytes or self.isa.bytes_by_columns
        return input_rows(self.instance) if by_columns and self.kernel.layout == DEPTHWISE else ()

    @property
    def by_columns(self) -> bool:
        """Whether a filter row is met by columns."""
        return bool(self.input_rows)

    @abc.abstractmethod
    def tap_registers(self) -> TapRegisters[Register]:
        """The registers that hold nothing else while columns pass by."""

    @abc.abstractmethod
    def walk_row(self, row: InputRow, taps: TapRegisters[Register]) -> None:
        """The multiply-adds of one row of the input."""

    def walk_taps(self) -> None:
        """Filter rows whose number is known are not counted."""
        if not self.instance.lines.taps:
            super().walk_taps()
            return
        taps, passed = self.tap_registers(), 0
        for row in self.input_rows:
            for _ in range(row.steps - passed):
                self.add(self.a, self.row_step)
            passed = row.steps
            self.walk_row(row, taps)

    def walk_segments(self, segments: tuple[Segment, ...]) -> None:
        if self.by_columns:
            (row,) = self.input_rows
            self.walk_row(row, self.tap_registers())
        else:
            super().walk_segments(segments)
