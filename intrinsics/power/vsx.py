"""POWER8 and POWER9 VSX micro-kernels: an element of A splat over a vector, multiplied by vectors of B.

Nothing later than POWER8 is used. Its 64 vector registers hold a tile, a vector of A for each row, and the
splats; loads and stores are of words in order (``lxvw4x``), so that lane j is word j on either endianness.
There are no masks: a partial vector of channels is loaded and stored word by word.
"""

from __future__ import annotations

import itertools
import struct
from collections.abc import Sequence
from typing import ClassVar

from intrinsics.emit import asm
from intrinsics.emit.column_walk import ColumnWalk, InputRow, TapRegisters
from intrinsics.emit.short_vectors import LANES
from intrinsics.emit.steps import SIDE_BY_SIDE, Steps
from intrinsics.engines import SPLAT_RING, BySplat
from intrinsics.instruction_set import Cpu, Isa
from intrinsics.microkernel import PANEL, ROW, Segment
from intrinsics.peak_loop import PeakLoop

from .peak import VSX_LOOP
from .registers import (
    BIAS,
    BLOCKS,
    COUNTER,
    INDEX,
    LINE,
    RESIDUAL,
    SCRATCH,
    STEP,
    TAPS_H,
    A,
    B,
    C,
)
from .steps import PowerSteps

TAPS_LEFT, A_BLOCK, B_BLOCK, B_AT = "14", "15", "16", "17"
ROWS = tuple(str(i) for i in range(18, 29))
"""These point to A's rows; 30 and 31 are left to the compiler's frame."""
UNROLL = 4
"""A loop body has this many steps: one vector of A's channels."""
FULL_UNROLL_STEPS = 8
REGISTERS = 64
"""Number of vector registers."""


class PowerKernel(PowerSteps):
    """What VSX and MMA kernels share: general registers."""

    registers = REGISTERS
    """The registers from this one on are the subclass's."""
    parameters = tuple(f"r{register}" for register in (C, A, B, BIAS, RESIDUAL, TAPS_H))
    further_parameters: ClassVar = {asm.STEP: f"r{STEP}", asm.LINE: f"r{LINE}"}
    row_step, line_step = STEP, LINE
    flags = ("cr0",)
    a, b, taps, blocks, taps_left, a_block, b_block = A, B, TAPS_H, BLOCKS, TAPS_LEFT, A_BLOCK, B_BLOCK
    c, bias, residuals = C, BIAS, RESIDUAL

    @property
    def clobbers(self) -> Sequence[str]:
        vectors = (f"vs{i}" for i in range(REGISTERS))
        return (*vectors, *(f"r{i}" for i in (0, *range(9, 13), *range(14, 29))))

    def steps_of_sums(self) -> Steps[int]:
        free, epilogue = range(self.free, self.registers), self.instance.epilogue
        # The first holds a residual or constants; the second is what tails and extremes need.
        passing = [] if epilogue.residual or epilogue.per_channel else free[:1]
        return self.steps_in(free[2:], passing, SIDE_BY_SIDE)

    # ---- small pieces

    def splat_element(self, register: int, pointer: str, at: int) -> None:
        self.advance_bytes(SCRATCH, pointer, at)
        self.emit(f"lxsiwzx {register}, 0, {SCRATCH}")
        self.emit(f"xxspltw {register}, {register}, 1")

    def advance(self, register: str, source: str, elements: int) -> None:
        self.advance_bytes(register, source, self.element_bytes * elements)

    def advance_bytes(self, register: str, source: str, size: int) -> None:
        if size == 0:
            if register != source:
                self.emit(f"mr {register}, {source}")
        elif -(2**15) <= size < 2**15:
            self.emit(f"addi {register}, {source}, {size}")
        else:
            self.immediate(SCRATCH, abs(size))
            self.emit(f"{'add' if size > 0 else 'sub'} {register}, {source}, {SCRATCH}")

    def add(self, register: str, distance: str, negative: bool = False) -> None:
        if negative:
            self.emit(f"sub {register}, {register}, {distance}")
        else:
            self.emit(f"add {register}, {register}, {distance}")

    def shift_left(self, register: str, places: int) -> None:
        if places:
            self.emit(f"sldi {register}, {register}, {places}")

    def immediate(self, register: str, value: int) -> None:
        """A non-negative constant below 2**31."""
        if value < 2**15:
            self.emit(f"li {register}, {value}")
            return
        self.emit(f"lis {register}, {value >> 16}")
        if value & 0xFFFF:
            self.emit(f"ori {register}, {register}, {value & 0xFFFF}")

    def count_down(self, register: str, label: int) -> None:
        self.emit(f"addi {register}, {register}, -1")
        self.emit(f"cmpldi {register}, 0")
        self.emit(f"bne 0, {label}b")

    def skip_if_zero(self, register: str, label: int) -> None:
        self.emit(f"cmpldi {register}, 0")
        self.emit(f"beq 0, {label}f")

    def constant(self, value: float, register: int) -> None:
        """An fp32 constant in all lanes."""
        bits = struct.unpack("<i", struct.pack("<f", value))[0]
        self.emit(f"lis {SCRATCH}, {bits >> 16}")
        self.emit(f"ori {SCRATCH}, {SCRATCH}, {bits & 0xFFFF}")
        self.emit(f"mtvsrwz {register}, {SCRATCH}")
        self.emit(f"xxspltw {register}, {register}, 1")


class VsxKernel(ColumnWalk[int], PowerKernel):
    """Emits one kernel instance."""

    def walk_segment(self, segment: Segment) -> None:
        first, last = segment.first, segment.last
        self.advance(B_AT, B, segment.b)
        if self.kernel.layout == ROW:
            for m in range(first, last):
                self.advance(ROWS[m], A, segment.a + m * self.instance.a_row)
        else:
            self.advance(ROWS[0], A, segment.a)
        self.emit(f"li {INDEX}, 0")
        group = 1 if self.scattered else UNROLL
        groups, rest = divmod(segment.length, group)
        if segment.length <= FULL_UNROLL_STEPS:
            groups, rest = 0, segment.length
        if groups:
            self.immediate(COUNTER, groups)
            self.emit("1:")
            self.steps(segment, group)
            self.count_down(COUNTER, 1)
        if rest:
            self.steps(segment, rest)

    @property
    def scattered(self) -> bool:
        """Whether consecutive k of a row are apart in memory, so that each is loaded alone."""
        return self.kernel.layout == ROW and self.instance.a_k != 1

    def steps(self, segment: Segment, count: int) -> None:
        rows = range(segment.first, segment.last)
        b = self.free + (self.rows if self.kernel.layout == ROW else -(-self.rows // LANES))
        splats = b + self.used
        turn = 0
        for step in range(count):
            whole = count - step // UNROLL * UNROLL >= UNROLL
            if self.kernel.layout == PANEL:
                self.load_panel()
            elif self.scattered:
                self.immediate(SCRATCH, 4 * self.instance.a_k)
                for m in rows:
                    self.emit(f"lxsiwzx {self.free + m}, {ROWS[m]}, {INDEX}")
                self.emit(f"add {INDEX}, {INDEX}, {SCRATCH}")
            elif step % UNROLL == 0 or not whole:
                for m in rows:
                    load = "lxvw4x" if whole else "lxsiwzx"
                    self.emit(f"{load} {self.free + m}, {ROWS[m]}, {INDEX}")
                self.emit(f"addi {INDEX}, {INDEX}, {16 if whole else 4}")
            self.load_b(b)
            for m in rows:
                splat = splats + turn % SPLAT_RING
                turn += 1
                register, word = self.element(m, step, whole)
                self.emit(f"xxspltw {splat}, {register}, {word}")
                for v in range(self.used):
                    self.emit(f"xvmaddasp {self.accumulator(m, v)}, {splat}, {b + v}")

    def element(self, m: int, step: int, whole: bool) -> tuple[int, int]:
        """Register and word of row m's element in this step; a single one is loaded to word 1."""
        if self.kernel.layout == PANEL:
            return self.free + m // LANES, m % LANES
        if self.scattered or not whole:
            return self.free + m, 1
        return self.free + m, step % UNROLL

    def load_panel(self) -> None:
        """A column of the panel; nothing beyond its last row is read."""
        pointer, fours = ROWS[0], self.rows // LANES
        for index in range(fours):
            self.emit(f"lxvw4x {self.free + index}, {INDEX}, {pointer}")
            self.emit(f"addi {INDEX}, {INDEX}, 16")
        if self.rows % LANES:
            self.emit(f"add {SCRATCH}, {INDEX}, {pointer}")
            # No splat is needed while the panel is loaded: the last register is free for help.
            self.gather(self.free + fours, REGISTERS - 1, self.rows % LANES)
        self.advance(INDEX, INDEX, self.instance.a_k - fours * LANES)

    def load_b(self, register: int) -> None:
        for v in range(self.used):
            self.emit(f"lxvw4x {register + v}, 0, {B_AT}")
            step = LANES if v < self.used - 1 else self.instance.b_row - (self.used - 1) * LANES
            self.advance(B_AT, B_AT, step)

    # ---- depthwise kernels, by columns of the input

    def tap_registers(self) -> TapRegisters[int]:
        """The registers behind two pixels, the second of which is what a tail is gathered by."""
        registers = range(self.free + 2, self.registers)
        return TapRegisters(self.input_rows, self.used, registers, self.load_tap)

    def load_tap(self, register: int, b: int, v: int) -> None:
        self.advance(SCRATCH, B, b + v * LANES)
        self.emit(f"lxvw4x {register}, 0, {SCRATCH}")

    def walk_row(self, row: InputRow, taps: TapRegisters[int]) -> None:
        """The multiply-adds of one row of the input. Taps that registers lack are loaded as they are used."""
        if taps.fit:
            taps.begin(row)
        for turn, (column, v) in enumerate(itertools.product(row.columns, range(self.used))):
            pixel = self.free + (0 if self.tail else turn % 2)
            self.load_pixel(pixel, column.a, v)
            for product in column.products:
                tap = taps(product.b, v) if taps.fit else self.free + 2
                if not taps.fit:
                    self.load_tap(tap, product.b, v)
                self.emit(f"xvmaddasp {self.accumulator(product.m, v)}, {pixel}, {tap}")

    def load_pixel(self, register: int, a: int, v: int) -> None:
        self.load_channels(register, A, 4 * (a + v * LANES), v)

    # ---- loads and stores

    def load_channels(self, register: int, pointer: str, at: int, v: int) -> None:
        self.advance_bytes(SCRATCH, pointer, at)
        if not self.is_tail(v):
            self.emit(f"lxvw4x {register}, 0, {SCRATCH}")
            return
        self.gather(register, self.free + 1, self.tail)

    def gather(self, register: int, other: int, count: int) -> None:
        """Up to three consecutive elements from the scratch pointer on into the first words."""
        for word in range(count):
            into = other if word else register
            self.emit(f"lxsiwzx {into}, 0, {SCRATCH}")
            self.emit(f"xxspltw {into}, {into}, 1")
            if word == 1:
                self.emit(f"xxmrghw {register}, {register}, {other}")
            elif word == 2:
                self.emit(f"xxpermdi {register}, {register}, {other}, 0")
            if word < count - 1:
                self.emit(f"addi {SCRATCH}, {SCRATCH}, 4")

    def store_channels(self, register: int, pointer: str, at: int, v: int) -> None:
        self.advance_bytes(SCRATCH, pointer, at)
        if not self.is_tail(v):
            self.emit(f"stxvw4x {register}, 0, {SCRATCH}")
            return
        for word in range(self.tail):
            self.emit(f"xxspltw {self.free}, {register}, {word}")
            self.emit(f"stxsiwx {self.free}, 0, {SCRATCH}")
            self.emit(f"addi {SCRATCH}, {SCRATCH}, 4")


VSX = Isa(
    name="vsx",
    arch="powerpc64le",
    features=frozenset({"vsx", "power8-vector"}),
    vector_bits=128,
    vector_registers=REGISTERS,
    engine=BySplat(),
    emitter=VsxKernel,
    cpus=(Cpu("llvm -mtriple=powerpc64le-linux-gnu -mcpu=pwr8", "power8"),),
    loop=PeakLoop(("xvmaddasp {c}, {a}, {b}",), 4, 48, VSX_LOOP, "xvmadd[am]sp"),
    epilogue_registers=2,
    most_rows=len(ROWS),
)
