"""AArch64 Neon micro-kernels of float32: fused multiply-adds by element.

What is float32 of them are the sums; in what vectors A and B are loaded, depthwise kernels of half precision
say anew (``halves.py``).
"""

from __future__ import annotations

import itertools

from intrinsics.emit.column_walk import ColumnWalk, InputRow, TapRegisters
from intrinsics.emit.short_vectors import LANES
from intrinsics.engines import ByElement
from intrinsics.instruction_set import Cpu, Isa
from intrinsics.microkernel import RegisterBudgetError
from intrinsics.peak_loop import PeakLoop

from .neon_base import REGISTERS, ROWS, A, B
from .peak import NEON_LOOP
from .pipelined import NeonPipelined


class NeonKernel(ColumnWalk[int], NeonPipelined):
    """Emits one kernel instance."""

    operand_lanes, arrangement = LANES, "4s"
    """A vector of a depthwise kernel's operands has so many lanes, which instructions call so."""

    def multiply(self, m: int, v: int, b: int, a: tuple[int, int]) -> None:
        register, lane = a
        self.emit(f"fmla v{self.accumulator(m, v)}.4s, v{b}.4s, v{register}.s[{lane}]")

    # ---- depthwise kernels, by columns of the input

    @property
    def operand_vectors(self) -> int:
        """A pixel has so many vectors."""
        return -(-self.instance.channels // self.operand_lanes)

    def tap_registers(self) -> TapRegisters[int]:
        """The registers behind two pixels, and behind what is made of one where lanes are of groups."""
        begin = self.free + 2 + (self.instance.group > 1)
        if begin == REGISTERS:
            raise RegisterBudgetError(f"{self.kernel.name} leaves no registers for groups' channels")
        return TapRegisters(self.input_rows, self.operand_vectors, range(begin, REGISTERS), self.load_tap)

    def walk_row(self, row: InputRow, taps: TapRegisters[int]) -> None:
        """The multiply-adds of one row of the input. Taps that registers lack are loaded as they are used, to
        the last one, which is free then."""
        if taps.fit:
            taps.begin(row)
        for turn, (column, v) in enumerate(itertools.product(row.columns, range(self.operand_vectors))):
            pixel = self.free + turn % 2
            self.load_pixel(pixel, column.a, v)
            for k, products in itertools.groupby(column.products, key=lambda product: product.k):
                x = pixel
                if self.instance.group > self.instance.multiplier:
                    x, pixels = self.free + 2, f"v{pixel}.{self.arrangement}"
                    self.emit(f"trn{k + 1} v{x}.{self.arrangement}, {pixels}, {pixels}")
                for product in products:
                    tap = taps(product.b, v) if taps.fit else REGISTERS - 1
                    if not taps.fit:
                        self.load_tap(tap, product.b, v)
                    self.multiply_vectors(product.m, v, x, tap)

    def load_pixel(self, register: int, a: int, v: int) -> None:
        """The pixel's vector v; each channel twice where it is for two lanes."""
        lanes = min(self.operand_lanes, self.instance.channels - v * self.operand_lanes)
        multiplier = self.instance.multiplier
        self.load_operand(register, A, a + v * self.operand_lanes // multiplier, lanes // multiplier)
        if multiplier > 1:
            x = f"v{register}.{self.arrangement}"
            self.emit(f"zip1 {x}, {x}, {x}")

    def load_tap(self, register: int, b: int, v: int) -> None:
        lanes = min(self.operand_lanes, (self.used - v * self.operand_lanes // LANES) * LANES)
        self.load_operand(register, B, b + v * self.operand_lanes, lanes)

    def load_operand(self, register: int, pointer: str, at: int, lanes: int) -> None:
        """Load ``lanes`` consecutive elements of A or B, in the form in which they are multiplied."""
        self.load_bytes(register, pointer, self.element_bytes * at, self.element_bytes * lanes)

    def multiply_vectors(self, m: int, v: int, x: int, tap: int) -> None:
        """Add the products of a pixel's vector and a tap's to row m's lanes."""
        self.emit(f"fmla v{self.accumulator(m, v)}.4s, v{x}.4s, v{tap}.4s")


NEON = Isa(
    name="neon",
    arch="aarch64",
    features=frozenset({"neon"}),
    vector_bits=128,
    vector_registers=REGISTERS,
    engine=ByElement(),
    emitter=NeonKernel,
    cpus=(Cpu("llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a57", "cortex-a57"),),
    loop=PeakLoop(("fmla {c}.4s, {b}.4s, {a}.s[0]",), 4, 24, NEON_LOOP, "fmla"),
    epilogue_registers=1,
    most_rows=len(ROWS),
    groups=(2,),
    multipliers=(2,),
)
