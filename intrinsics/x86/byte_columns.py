"""x86 depthwise kernels of 8-bit integers, by columns of the input: words that vpmaddwd multiplies.

A pixel's channels are widened to the low words of the lanes, and a tap's likewise. Where a tile knows how
many filter rows it visits, two are met at once: the bytes of the second lie in the lanes' high words, so that
one multiplication adds the products of both. Instructions that sum four bytes meet four rows at once.
"""

from __future__ import annotations

import abc
import itertools
from collections.abc import Sequence

from intrinsics.emit.column_walk import InputRow, TapRegisters
from intrinsics.microkernel import RegisterBudgetError

from .floats import X86Kernel
from .registers import A, B


class ByteColumns(X86Kernel):
    """What kernels of bytes emit for columns of the input."""

    rows_at_once = 2
    """Filter rows that are met at once, where their number is known."""

    @property
    def of_input(self) -> int:
        """A pixel, and its products."""
        return 2

    @property
    def by_columns(self) -> bool:
        return bool(self.input_rows) and self.tap_registers().fit

    def tap_registers(self) -> TapRegisters[str]:
        registers = self.free_registers
        if not self.instance.lines.taps:
            return TapRegisters(self.input_rows, self.used, registers[self.of_input :], self.load_tap)

        def load(register: str, b: int, v: int) -> None:
            """Load the taps of the filter rows that are multiplied at once."""
            row, step = b // self.instance.b_step, self.instance.b_step
            rows = range(min(self.rows_at_once, self.instance.lines.taps - row))
            places = [f"{b + at * step + v * self.isa.lanes}(%{B})" for at in rows]
            self.load_rows(places, register, registers[1], None, "s8")

        return TapRegisters(self.input_rows, self.used, registers[self.of_input :], load)

    def walk_taps(self) -> None:
        """Filter rows that are not counted are multiplied several at once."""
        if not self.instance.lines.taps:
            super().walk_taps()
            return
        taps = self.tap_registers()
        if not taps.fit:
            raise RegisterBudgetError(f"{self.kernel.name} leaves no registers for a filter row's taps")
        for first in range(0, len(self.input_rows), self.rows_at_once):
            self.walk_rows(self.input_rows[first : first + self.rows_at_once], taps)

    def walk_row(self, row: InputRow, taps: TapRegisters[str]) -> None:
        self.walk_rows((row,), taps)

    def walk_rows(self, rows: Sequence[InputRow], taps: TapRegisters[str]) -> None:
        """The multiply-adds of rows of the input whose bytes lie side by side in each lane."""
        taps.begin(rows[0])
        pixel, product = self.free_registers[:2]
        for columns, v in itertools.product(
            zip(*(row.columns for row in rows), strict=True), range(self.used)
        ):
            places = [f"{column.a + v * self.isa.lanes}(%{A})" for column in columns]
            self.load_rows(places, pixel, product, v, self.kernel.lhs)
            for each in columns[0].products:
                self.multiply_rows(taps(each.b, v), pixel, product, self.accumulator(each.m, v))

    def load_tap(self, register: str, b: int, v: int) -> None:
        """Load a tap's elements as words, the upper words of the lanes zero."""
        narrow = self.half(register)
        self.emit(f"vpmovsxbw {b + v * self.isa.lanes}(%{B}), {narrow}")
        self.emit(f"vpmovzxwd {narrow}, {register}")

    def load_rows(self, places: Sequence[str], register: str, other: str, v: int | None, kind: str) -> None:
        """Load a byte of that type of each row for each lane of vector ``v``, a whole one if that is None, as
        ``multiply_rows`` takes them; ``other`` is a register to write at will."""
        if len(places) == 2:
            self.load_pair(places, register, other, v, kind)
        elif v is None:
            self.load_tap(register, int(places[0].split("(")[0]), 0)
        else:
            self.load_wide(places[0], register, v, kind)

    def multiply_rows(self, tap: str, pixel: str, product: str, accumulator: str) -> None:
        """Add the products of the bytes that ``load_rows`` loaded; ``product`` is a register for them."""
        self.multiply_words(tap, pixel, product, accumulator)

    def load_own(self, memory: str, register: str, v: int) -> None:
        """Load a byte of A for each lane of vector ``v``, widened to 32 bits."""
        self.load_wide(memory, register, v, self.kernel.lhs)

    def half(self, register: str) -> str:
        """The lower half of a register."""
        return {"zmm": "%ymm", "ymm": "%xmm"}[self.register_class] + register[4:]

    # ---- what the instruction sets spell differently

    @abc.abstractmethod
    def load_wide(self, memory: str, register: str, v: int, kind: str) -> None:
        """Load a byte of that type for each lane of vector ``v``, widened to 32 bits."""

    @abc.abstractmethod
    def load_pair(self, places: Sequence[str], register: str, other: str, v: int | None, kind: str) -> None:
        """Load two bytes of that type for each lane of vector ``v``, a whole one if that is None, widened to
        its words; ``other`` is a register for the second ones."""

    def multiply_words(self, tap: str, pixel: str, product: str, accumulator: str) -> None:
        """Add the products of the low words of a tap's and a pixel's lanes, the tap's upper words being zero;
        ``product`` is a register for them."""
        self.emit(f"vpmaddwd {tap}, {pixel}, {product}")
        self.emit(f"vpaddd {product}, {accumulator}, {accumulator}")
