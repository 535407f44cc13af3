"""x86 kernels of layout dw, which meet their input by columns: pixels loaded once for all they count in, and
of lanes in groups, permuted to what each lane multiplies."""

from __future__ import annotations

import abc
import itertools
from collections.abc import Sequence

from intrinsics.emit.column_walk import ColumnWalk, InputRow, TapRegisters
from intrinsics.microkernel import RegisterBudgetError

from .registers import A, B
from .steps import X86Steps

PART = 4
"""Lanes are permuted in parts of so many by one instruction."""


class X86Columns(X86Steps, ColumnWalk[str]):
    """What x86 kernels emit for columns of the input. ``used`` vectors hold channels."""

    used: int

    @property
    def by_columns(self) -> bool:
        """Whether to walk columns: where that takes no more loads than meeting segments one by one."""
        return super().by_columns and (self.instance.group > 1 or self.tap_registers().fit)

    @property
    def of_input(self) -> int:
        """Number of registers that hold a pixel, and where lanes are of groups, one channel of each, and a
        part of each."""
        group = self.instance.group if self.instance.multiplier == 1 else 1
        return 1 + (group > 1) + (group > PART)

    @property
    def beside_taps(self) -> int:
        """Number of registers that do not hold taps while columns pass by."""
        return self.of_input

    def tap_registers(self) -> TapRegisters[str]:
        if len(self.free_registers) < self.beside_taps:
            raise RegisterBudgetError(f"{self.kernel.name} leaves no registers for groups' channels")
        return TapRegisters(
            self.input_rows,
            self.used,
            self.free_registers[self.beside_taps :],
            lambda register, b, v: self.load_filter(self.tap_at(b, v), register),
        )

    def tap_at(self, b: int, v: int) -> str:
        return f"{b * self.element_bytes + v * self.filter_bytes}(%{B})"

    def tap_operand(self, b: int, v: int) -> str:
        """A tap that no register holds, as an operand."""
        return self.tap_at(b, v)

    def walk_row(self, row: InputRow, taps: TapRegisters[str]) -> None:
        """The multiply-adds of one row of the input; taps that registers lack are operands in memory."""
        if taps.fit:
            taps.begin(row)
        pixel, *of_groups = self.free_registers[: self.of_input]
        for column, v in itertools.product(row.columns, range(self.used)):
            at = (column.a + v * self.isa.lanes // self.instance.multiplier) * self.element_bytes
            memory = f"{at}(%{A})"
            alone = self.multiplies_memory and not of_groups and self.instance.multiplier == 1
            if taps.fit and alone and len(column.products) == 1 and not self.is_tail(v):
                (product,) = column.products
                accumulator = self.accumulator(product.m, v)
                self.emit(f"vfmadd231ps {memory}, {taps(product.b, v)}, {accumulator}")
                continue
            if self.instance.multiplier == 1:
                self.load_input(pixel, memory, v)
            else:
                self.load_twice(pixel, at, v)
            for k, products in itertools.groupby(column.products, key=lambda product: product.k):
                channel = self.channel_of_groups(k, pixel, of_groups) if of_groups else pixel
                for product in products:
                    tap = taps(product.b, v) if taps.fit else self.tap_operand(product.b, v)
                    self.emit(f"vfmadd231ps {tap}, {channel}, {self.accumulator(product.m, v)}")

    def channel_of_groups(self, k: int, pixel: str, registers: Sequence[str]) -> str:
        """The register to which every lane's group's channel ``k`` is brought; parts are of four lanes."""
        group, channel = self.instance.group, registers[0]
        if group > PART:
            if k % PART == 0:
                self.spread_part(k // PART, pixel, registers[1])
            pixel = registers[1]
        first = [lane // group * group if group < PART else 0 for lane in range(PART)]
        select = sum((lane + k % PART) << 2 * at for at, lane in enumerate(first))
        self.emit(f"vpermilps ${select}, {pixel}, {channel}")
        return channel

    # ---- what kernels, types and instruction sets spell differently

    multiplies_memory = True
    """Multiply-adds can take a vector of A as it is in memory."""

    def load_input(self, register: str, memory: str, v: int) -> None:
        """Load vector ``v`` of a row of A, as ``load`` does what is float32."""
        self.load(register, memory, v)

    @property
    @abc.abstractmethod
    def free_registers(self) -> list[str]: ...

    @property
    @abc.abstractmethod
    def filter_bytes(self) -> int: ...

    @abc.abstractmethod
    def accumulator(self, m: int, v: int) -> str: ...

    @abc.abstractmethod
    def is_tail(self, v: int) -> bool: ...

    @abc.abstractmethod
    def load(self, register: str, memory: str, v: int) -> None: ...

    @abc.abstractmethod
    def load_filter(self, memory: str, register: str) -> None: ...

    @abc.abstractmethod
    def load_twice(self, register: str, at: int, v: int) -> None:
        """Load every channel for two lanes, ``at`` bytes from A, of vector ``v``; others read as zero."""

    @abc.abstractmethod
    def spread_part(self, part: int, pixel: str, register: str) -> None:
        """Copy of every group its part of that number, of four lanes, to all the parts of the group."""
