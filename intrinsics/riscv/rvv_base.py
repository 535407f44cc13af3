"""What RISC-V Vector micro-kernels share: passes over channels, addresses, loads and stores, epilogue steps.

The same code runs at every vector length. A tile's channels are walked in *passes*: a ``vsetvli`` takes as
many of the channels left as a group of registers holds on the CPU at hand, all filter taps are walked for
these, the epilogue is applied, and the next pass begins. Filters are packed in panels of a width that does
not depend on the length; a pass reads its part of each row of the panel. What is left of the channels is a
shorter vector, not a masked one.

A *group* is 1, 2, 4 or 8 registers that instructions take as one (LMUL). Groups are named by their first
register. Two groups precede the accumulators: vectors of B while taps are walked, then masks (which must be
v0) and residuals. Constants of an epilogue are scalar registers, which most instructions take as operands.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import ClassVar

from intrinsics.emit import asm
from intrinsics.emit.short_vectors import LANES, ShortVectors
from intrinsics.emit.steps import SIDE_BY_SIDE, Help, Steps
from intrinsics.epilogue import EXPONENT_BITS, program
from intrinsics.instruction_set import Isa
from intrinsics.microkernel import BYTES, DEPTHWISE, KernelInstance

from .registers import (
    A_WALKED,
    B_WALKED,
    BIAS,
    BLOCKS,
    GENERAL,
    LEFT,
    LEFT_IN_BLOCK,
    LENGTH,
    LINE,
    MOST_OFFSET,
    REGISTERS,
    RESIDUAL,
    SCALARS,
    SCRATCH,
    STEP,
    TAPS,
    TAPS_H,
    A,
    B,
    C,
)

RESERVED = 2
"""This many groups of registers precede the accumulators."""
OPERATIONS = {"add": "vfadd", "multiply": "vfmul", "divide": "vfdiv"}
"""Operations of epilogue steps are spelled so."""
PASS, SHORTER, NEXT_BLOCK = 6, 7, 8
"""Labels: a pass, what the last block of channels is shorter by, and a block of C's lanes."""
STACK_ALIGNMENT = 16


class RvvBase(ShortVectors):
    """Emits one kernel instance. Registers are numbers; a row of the tile is one group in each pass."""

    parameters = (C, A, B, BIAS, RESIDUAL, TAPS_H)
    further_parameters: ClassVar = {asm.STEP: STEP, asm.LINE: LINE}
    row_step, line_step = STEP, LINE
    flags = ("vl", "vtype")
    scalar_constants = True
    a, b, taps, blocks = A_WALKED, B_WALKED, TAPS, BLOCKS
    c, bias, residuals = C, BIAS, RESIDUAL

    def __init__(self, isa: Isa, instance: KernelInstance) -> None:
        super().__init__(isa, instance)
        self.used, self.tail, self.free = 1, 0, 0
        self.group = isa.engine.vectors_per_multiply(isa.tile(self.kernel))
        """Registers of a group."""
        while program(self.steps_taken).slots > REGISTERS // self.group - RESERVED - 1:
            # With accumulators on the stack, steps have all groups but an element's.
            self.group //= 2
        width = instance.c_block[0] or instance.channels
        self.several_passes = instance.channels > min(width, LANES * self.group)
        """Whether there may be several passes: whether the shortest vectors hold fewer channels."""

    def accumulator(self, m: int, v: int) -> int:
        return (RESERVED + m) * self.group

    @property
    def clobbers(self) -> Sequence[str]:
        return (*(f"v{i}" for i in range(REGISTERS)), *(f"f{i - REGISTERS}" for i in SCALARS), *GENERAL)

    # ---- passes

    def scale_distances(self) -> None:
        super().scale_distances()
        self.begin_pass()

    def begin_pass(self) -> None:
        """Take as many of the channels left as a group holds; what is walked starts over."""
        channels, width = self.instance.channels, self.instance.c_block[0]
        if not self.several_passes:
            self.set_length(channels)
        else:
            self.immediate(LEFT, channels)
            if width:
                self.emit(f"{NEXT_BLOCK}:")
                self.immediate(LEFT_IN_BLOCK, width)
                self.emit(f"bgeu {LEFT}, {LEFT_IN_BLOCK}, {SHORTER}f")
                self.emit(f"mv {LEFT_IN_BLOCK}, {LEFT}")
                self.emit(f"{SHORTER}:")
            self.emit(f"{PASS}:")
            self.emit(f"vsetvli {LENGTH}, {LEFT_IN_BLOCK if width else LEFT}, {self.vector_type()}")
        for walked, given in ((self.a, A), (self.b, B), (self.taps, TAPS_H)):
            self.emit(f"mv {walked}, {given}")

    def vector_type(self, bits: int = 32) -> str:
        """What is told of vectors of as many channels as a group has of 32 bits: their elements' bits, how
        many registers they fill, and that what lies behind the channels may become anything."""
        registers, part = divmod(self.group * bits, 32)
        return f"e{bits}, {f'mf{32 // part}' if part else f'm{registers}'}, ta, ma"

    def set_bits(self, bits: int) -> None:
        """Give elements so many bits from now on; channels are as many as before."""
        self.emit(f"vsetvli x0, x0, {self.vector_type(bits)}")

    def set_length(self, channels: int) -> None:
        """A number of channels that fits a group of the shortest vectors."""
        if channels < 32:
            self.emit(f"vsetivli x0, {channels}, {self.vector_type()}")
        else:
            self.immediate(SCRATCH, channels)
            self.emit(f"vsetvli x0, {SCRATCH}, {self.vector_type()}")

    def end(self) -> None:
        """Move on to the channels of the next pass."""
        if not self.several_passes:
            return
        for pointer in list(self.line_of):
            self.move_to_line(pointer, 0)
        width, distance = self.instance.c_block
        self.emit(f"sub {LEFT}, {LEFT}, {LENGTH}")
        if width:
            self.emit(f"sub {LEFT_IN_BLOCK}, {LEFT_IN_BLOCK}, {LENGTH}")
        for pointer, size in self.moving:
            self.emit(f"slli {SCRATCH}, {LENGTH}, {size.bit_length() - 1}")
            self.emit(f"add {pointer}, {pointer}, {SCRATCH}")
        if width:
            self.emit(f"bnez {LEFT_IN_BLOCK}, {PASS}b")
            for pointer, size in self.moving_by_blocks:
                self.advance_bytes(pointer, pointer, size * (distance - width))
            self.emit(f"bnez {LEFT}, {NEXT_BLOCK}b")
        else:
            self.emit(f"bnez {LEFT}, {PASS}b")

    @property
    def moving(self) -> Sequence[tuple[str, int]]:
        """Pointers that move with the channels, each with the bytes of a channel."""
        own = ((A, self.element_bytes),) if self.kernel.layout == DEPTHWISE else ()
        return (*self.moving_by_blocks, (BIAS, 4), (B, self.element_bytes), *own)

    @property
    def moving_by_blocks(self) -> Sequence[tuple[str, int]]:
        """Pointers to what lies as C does."""
        of_result = BYTES[self.kernel.destination]
        return ((C, of_result), *(((RESIDUAL, of_result),) if self.instance.epilogue.residual else ()))

    def walk_blocks(self) -> None:
        """The operands of a block begin where the parameters point to, which go back behind the last one."""
        instance = self.instance
        if instance.blocks:
            self.immediate(self.blocks, instance.blocks)
            self.emit("4:")
            self.walk_block(instance.segments, self.taps)
            for given, walked, step in self._operands_of_blocks:
                self.advance(given, given, step)
                self.advance(walked, given, 0)
            self.emit(f"mv {self.taps}, {TAPS_H}")
            self.count_down(self.blocks, 4)
        if instance.tail_segments:
            self.walk_block(instance.tail_segments, self.taps)
        if self.several_passes:
            for given, _, step in self._operands_of_blocks:
                self.advance(given, given, -instance.blocks * step)

    @property
    def _operands_of_blocks(self) -> tuple[tuple[str, str, int], ...]:
        return (A, self.a, self.instance.a_block), (B, self.b, self.instance.b_block)

    # ---- steps

    def steps_of_sums(self) -> Steps[int]:
        behind, epilogue = self.accumulator(self.rows, 0), self.instance.epilogue
        passing = [] if epilogue.residual or epilogue.per_channel else [self.residual]
        return self.steps_in(range(behind, REGISTERS, self.group), passing, SIDE_BY_SIDE)

    @property
    def residual(self) -> int:
        return self.group

    @cached_property
    def _scalars(self) -> dict[float, int]:
        """The constants in scalar registers, the one that came there first before the others."""
        return {}

    def in_memory(self, value: float) -> int:
        if value not in self._scalars:
            used = set(self._scalars.values())
            free = [register for register in SCALARS if register not in used]
            register = free[0] if free else self._scalars.pop(next(iter(self._scalars)))
            self._scalars[value] = register
            self.immediate(SCRATCH, struct.unpack("<i", struct.pack("<f", value))[0])
            self.emit(f"fmv.w.x {name(register)}, {SCRATCH}")
        return self._scalars[value]

    def constant(self, value: float, register: int) -> None:
        self.emit(f"vfmv.v.f v{register}, {name(self.in_memory(value))}")

    def arithmetic(self, kind: str, target: int, a: int, b: int) -> None:
        self.emit(f"{OPERATIONS[kind]}.{form(b)} v{target}, v{a}, {name(b)}")

    def extreme(self, kind: str, target: int, a: int, b: int) -> None:
        # RISC-V's own extremes of a NaN and a number are the number.
        if kind == "maximum":
            self.emit(f"vmflt.{form(b)} v0, v{a}, {name(b)}")
        elif b < REGISTERS:
            self.emit(f"vmflt.vv v0, v{b}, v{a}")
        else:
            self.emit(f"vmfgt.vf v0, v{a}, {name(b)}")
        self.emit(f"{'vmerge.vvm' if b < REGISTERS else 'vfmerge.vfm'} v{target}, v{a}, {name(b)}, v0")

    def power_of_two(self, target: int, exponent: int, help: Help[int]) -> None:
        self.emit(f"vsll.vi v{target}, v{exponent}, {EXPONENT_BITS}")

    def multiply_add(self, target: int, a: int, b: int, c: int, help: Help[int]) -> None:
        """``target = a * b + c``; one instruction adds to its target, the other multiplies it. Only factors
        may be scalars there."""
        if c >= REGISTERS:
            into = help.spares[0] if target in (a, b) else target
            self.emit(f"vfmv.v.f v{into}, {name(c)}")
            c = into
        if target == b:
            a, b = b, a
        if target == a and target != c:
            self.emit(f"vfmadd.{form(b)} v{target}, {name(b)}, v{c}")
            return
        self.copy(target, c)
        self.emit(f"vfmacc.{form(b)} v{target}, {name(b)}, v{a}")

    def spares(self, kinds: set[str]) -> int:
        return int("multiply_add" in kinds)

    def copy(self, target: int, source: int) -> None:
        if target != source:
            self.emit(f"vmv.v.v v{target}, v{source}")

    def clear(self, registers: Iterable[int]) -> None:
        for register in registers:
            self.emit(f"vmv.v.i v{register}, 0")

    def reserve_stack(self, vectors: int) -> None:
        self.advance_bytes("x2", "x2", -vectors * self._stacked_bytes)

    def release_stack(self, vectors: int) -> None:
        self.advance_bytes("x2", "x2", vectors * self._stacked_bytes)

    def spill(self, register: int, index: int) -> None:
        self.emit(f"vse32.v v{register}, {self.address('x2', index * self._stacked_bytes)}")

    def reload(self, register: int, index: int) -> None:
        self.emit(f"vle32.v v{register}, {self.address('x2', index * self._stacked_bytes)}")

    @property
    def _stacked_bytes(self) -> int:
        """A pass has all channels at most."""
        return -(-4 * self.instance.channels // STACK_ALIGNMENT) * STACK_ALIGNMENT

    # ---- vectors; ``at`` is in bytes

    def splat_element(self, register: int, pointer: str, at: int) -> None:
        """Fill a register with a row's bias, which does not move with the channels as its pointer does."""
        if self.several_passes:
            self.emit(f"slli {SCRATCH}, {LEFT}, 2")
            self.emit(f"add {SCRATCH}, {SCRATCH}, {pointer}")
            pointer, at = SCRATCH, at - 4 * self.instance.channels
        self.emit(f"flw {name(SCALARS[0])}, {at}({pointer})")
        self.emit(f"vfmv.v.f v{register}, {name(SCALARS[0])}")

    def load_channels(self, register: int, pointer: str, at: int, v: int) -> None:
        self.emit(f"vle32.v v{register}, {self.address(pointer, at)}")

    def store_channels(self, register: int, pointer: str, at: int, v: int) -> None:
        self.emit(f"vse32.v v{register}, {self.address(pointer, at)}")

    def address(self, pointer: str, at: int) -> str:
        """The address of a vector; instructions lack offsets."""
        if at:
            self.advance_bytes(SCRATCH, pointer, at)
        return f"({SCRATCH if at else pointer})"

    # ---- general registers

    def advance(self, register: str, source: str, elements: int) -> None:
        self.advance_bytes(register, source, self.element_bytes * elements)

    def advance_bytes(self, register: str, source: str, count: int) -> None:
        if count == 0:
            if register != source:
                self.emit(f"mv {register}, {source}")
        elif -MOST_OFFSET <= count <= MOST_OFFSET:
            self.emit(f"addi {register}, {source}, {count}")
        else:
            assert source != SCRATCH, "the scratch register holds the distance"
            self.immediate(SCRATCH, count)
            self.emit(f"add {register}, {source}, {SCRATCH}")

    def add(self, register: str, distance: str, negative: bool = False) -> None:
        self.emit(f"{'sub' if negative else 'add'} {register}, {register}, {distance}")

    def shift_left(self, register: str, places: int) -> None:
        if places:
            self.emit(f"slli {register}, {register}, {places}")

    def count_down(self, register: str, label: int) -> None:
        self.emit(f"addi {register}, {register}, -1")
        self.emit(f"bnez {register}, {label}b")

    def skip_if_zero(self, register: str, label: int) -> None:
        self.emit(f"beqz {register}, {label}f")

    def immediate(self, register: str, value: int) -> None:
        self.emit(f"li {register}, {value}")


def name(register: int) -> str:
    """A vector register, or a scalar one."""
    return f"v{register}" if register < REGISTERS else f"f{register - REGISTERS}"


def form(register: int) -> str:
    """How instructions whose last operand it is end."""
    return "vv" if register < REGISTERS else "vf"
