"""What AArch64 Neon micro-kernels share: registers, addresses, loads and stores of parts of vectors.

Neon does not mask: a partial vector of channels is loaded and stored in pieces of powers of two.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import ClassVar

from intrinsics.emit import asm
from intrinsics.emit.short_vectors import ShortVectors
from intrinsics.emit.steps import SIDE_BY_SIDE, Help, Steps
from intrinsics.epilogue import EXPONENT_BITS
from intrinsics.instruction_set import Isa
from intrinsics.microkernel import ROW, KernelInstance, Segment

C, A, B, BIAS, RESIDUAL, TAPS_H = (f"x{i}" for i in range(6))
COUNTER, SCRATCH, ROW_BYTES, BLOCKS, TAPS_LEFT, B_AT, A_BLOCK, B_BLOCK = (f"x{i}" for i in range(6, 14))
ROWS = tuple(f"x{i}" for i in (14, 15, 16, 17, *range(19, 29)))
"""These point to A's rows; x18 is the platform's, x29 the frame pointer, x30 the return address."""
VECTOR = 16
"""A vector has this many bytes."""
REGISTERS = 32
"""Number of vector registers."""
OPERATIONS = {"maximum": "fmax", "minimum": "fmin", "add": "fadd", "multiply": "fmul", "divide": "fdiv"}
"""Operations of epilogue steps are spelled so."""
STEP, LINE = "x30", BLOCKS
"""Open distances of A's filter rows and of C's lines are in these. All others may be in use, so the first is
the return address's, which the compiler saves; tiles of several lines are not walked by blocks."""
STEP_IN_LLVM = "lr"
"""LLVM's constraints call that register so."""
RED_ZONE = 128
"""Functions may keep so many bytes beyond the stack pointer where the platform is Apple's."""
SIZES = {16: "q", 8: "d", 4: "s", 2: "h", 1: "b"}
"""A load or store of so many bytes calls a vector register so."""


class NeonBase(ShortVectors):
    """Emits one kernel instance."""

    helpers: tuple[int, ...] = ()
    """A store writes these registers, beside that of residuals."""

    parameters = (C, A, B, BIAS, RESIDUAL, TAPS_H)
    further_parameters: ClassVar = {asm.STEP: STEP_IN_LLVM, asm.LINE: LINE}
    row_step, line_step = STEP, LINE
    flags = ("cc",)
    wants_constants_kept = True
    a, b, taps, blocks, taps_left, a_block, b_block = A, B, TAPS_H, BLOCKS, TAPS_LEFT, A_BLOCK, B_BLOCK
    c, bias, residuals = C, BIAS, RESIDUAL

    def __init__(self, isa: Isa, instance: KernelInstance) -> None:
        super().__init__(isa, instance)
        self.registers = REGISTERS
        """The registers from this one on are the subclass's."""

    @property
    def clobbers(self) -> Sequence[str]:
        return (*(f"v{i}" for i in range(REGISTERS)), *(f"x{i}" for i in range(6, 14)), *ROWS)

    def walk_taps(self) -> None:
        if self.kernel.layout == ROW:
            self.immediate(ROW_BYTES, self.element_bytes * self.instance.a_row)
        super().walk_taps()

    def steps_of_sums(self) -> Steps[int]:
        passing = [*self.helpers, self.residual]
        others = [register for register in range(self.free, REGISTERS) if register not in passing]
        epilogue = self.instance.epilogue
        kept = -1 if epilogue.residual or epilogue.per_channel else None
        return self.steps_in(others, passing[:kept], SIDE_BY_SIDE)

    def arithmetic(self, kind: str, target: int, a: int, b: int) -> None:
        self.emit(f"{OPERATIONS[kind]} v{target}.4s, v{a}.4s, v{b}.4s")

    def power_of_two(self, target: int, exponent: int, help: Help[int]) -> None:
        self.emit(f"shl v{target}.4s, v{exponent}.4s, #{EXPONENT_BITS}")

    def multiply_add(self, target: int, a: int, b: int, c: int, help: Help[int]) -> None:
        # The instruction adds to its target, which a factor must not be.
        into = target if target == c or target not in (a, b) else help.spares[0]
        self.copy(into, c)
        self.emit(f"fmla v{into}.4s, v{a}.4s, v{b}.4s")
        self.copy(target, into)

    def spares(self, kinds: set[str]) -> int:
        return int("multiply_add" in kinds)

    def copy(self, target: int, source: int) -> None:
        if target != source:
            self.emit(f"mov v{target}.16b, v{source}.16b")

    def clear(self, registers: Iterable[int]) -> None:
        for register in registers:
            self.emit(f"movi v{register}.4s, #0")

    def reserve_stack(self, vectors: int) -> None:
        self.emit(f"sub sp, sp, #{vectors * VECTOR + RED_ZONE}")

    def release_stack(self, vectors: int) -> None:
        self.emit(f"add sp, sp, #{vectors * VECTOR + RED_ZONE}")

    def spill(self, register: int, index: int) -> None:
        self.emit(f"str q{register}, [sp, #{index * VECTOR}]")

    def reload(self, register: int, index: int) -> None:
        self.emit(f"ldr q{register}, [sp, #{index * VECTOR}]")

    @property
    def residual(self) -> int:
        return self.free + 2

    def point_to(self, segment: Segment) -> None:
        """Give a segment pointers of its own: to each row of A, or to the panel, and to B."""
        first = segment.first
        self.advance(B_AT, B, segment.b)
        if self.kernel.layout != ROW:
            self.advance(ROWS[0], A, segment.a)
            return
        self.advance(ROWS[first], A, segment.a + first * self.instance.a_row)
        for m in range(first + 1, segment.last):
            self.emit(f"add {ROWS[m]}, {ROWS[m - 1]}, {ROW_BYTES}")

    # ---- vectors and their parts; ``at`` is in bytes

    def load_channels(self, register: int, pointer: str, at: int, v: int) -> None:
        """Vector ``v`` of 32-bit channels, ``at`` from ``pointer``; absent channels read as zero."""
        self.load_bytes(register, pointer, at, 4 * self.channels(v))

    def store_channels(self, register: int, pointer: str, at: int, v: int) -> None:
        self.store_bytes(register, pointer, at, 4 * self.channels(v))

    def splat_element(self, register: int, pointer: str, at: int) -> None:
        self.emit(f"add {SCRATCH}, {pointer}, #{at}")
        self.emit(f"ld1r {{v{register}.4s}}, [{SCRATCH}]")

    def load_bytes(self, register: int, pointer: str, at: int, count: int) -> None:
        """``count`` bytes, the rest of the vector zero."""
        self._in_pieces("ldr", "ld1", register, pointer, at, count)

    def store_bytes(self, register: int, pointer: str, at: int, count: int) -> None:
        self._in_pieces("str", "st1", register, pointer, at, count)

    def _in_pieces(self, first: str, lane: str, register: int, pointer: str, at: int, count: int) -> None:
        done = 0
        for size, kind in SIZES.items():
            if not count & size:
                continue
            if done == 0:
                self.emit(f"{first} {kind}{register}, {self.address(pointer, at, size)}")
            else:
                self.advance_bytes(SCRATCH, pointer, at + done)
                self.emit(f"{lane} {{v{register}.{kind}}}[{done // size}], [{SCRATCH}]")
            done += size

    def load(self, kind: str, register: int, pointer: str, at: int) -> None:
        """A load of 16, 8, 4 or 2 bytes ("q", "d", "s", "h")."""
        size = next(size for size, name in SIZES.items() if name == kind)
        self.emit(f"ldr {kind}{register}, {self.address(pointer, at, size)}")

    def address(self, pointer: str, at: int, size: int) -> str:
        """The address of ``size`` bytes whatever the offset; far ones go through the scratch register."""
        if 0 <= at < 256 or (at % size == 0 and 0 <= at < 4096 * size):
            return f"[{pointer}, #{at}]"
        self.advance_bytes(SCRATCH, pointer, at)
        return f"[{SCRATCH}]"

    # ---- general registers

    def advance(self, register: str, source: str, elements: int) -> None:
        self.advance_bytes(register, source, self.element_bytes * elements)

    def advance_bytes(self, register: str, source: str, count: int) -> None:
        size, sign = abs(count), "sub" if count < 0 else "add"
        if size == 0:
            if register != source:
                self.emit(f"mov {register}, {source}")
        elif size < 4096:
            self.emit(f"{sign} {register}, {source}, #{size}")
        else:
            self.immediate(SCRATCH, size)
            self.emit(f"{sign} {register}, {source}, {SCRATCH}")

    def add(self, register: str, distance: str, negative: bool = False) -> None:
        self.emit(f"{'sub' if negative else 'add'} {register}, {register}, {distance}")

    def shift_left(self, register: str, places: int) -> None:
        if places:
            self.emit(f"lsl {register}, {register}, #{places}")

    def count_down(self, register: str, label: int) -> None:
        self.emit(f"subs {register}, {register}, #1")
        self.emit(f"b.ne {label}b")

    def skip_if_zero(self, register: str, label: int) -> None:
        self.emit(f"cbz {register}, {label}f")

    def immediate(self, register: str, value: int) -> None:
        """A non-negative constant of up to 48 bits."""
        self.emit(f"movz {register}, #{value & 0xFFFF}")
        for shift in (16, 32):
            if value >> shift & 0xFFFF:
                self.emit(f"movk {register}, #{value >> shift & 0xFFFF}, lsl #{shift}")

    def constant(self, value: float, register: int) -> None:
        """An fp32 constant in all lanes."""
        self.integer_constant(struct.unpack("<I", struct.pack("<f", value))[0], register)

    def integer_constant(self, value: int, register: int) -> None:
        self.immediate(SCRATCH, value & 0xFFFFFFFF)
        self.emit(f"dup v{register}.4s, w{SCRATCH[1:]}")
