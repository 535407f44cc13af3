"""The x86 micro-kernel: its steps written once, in terms of what AVX2 and AVX-512 each spell differently.

A's rows are addressed from one base register with constant displacements, so that any number of rows fits
the general registers; measured, the longer encodings cost nothing as the loops run from the micro-op cache.
"""

from __future__ import annotations

import abc
from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar

from intrinsics.emit import asm
from intrinsics.emit.steps import SIDE_BY_SIDE, Steps
from intrinsics.engines import Broadcast, Tile
from intrinsics.epilogue import Step
from intrinsics.instruction_set import Isa
from intrinsics.microkernel import (
    BYTES,
    CACHE_LINE_BYTES,
    DEPTHWISE,
    OPEN,
    KernelInstance,
    Segment,
)

from .column_walk import X86Columns
from .registers import AHEAD, BIAS, COUNTER, LINE, RESIDUAL, SCRATCH, STEP, TAPS_H, A, B, C
from .steps import float_bits, is_memory

BLOCKS, A_BLOCK, B_BLOCK, TAPS_LEFT = "r11", BIAS, "r12", SCRATCH
"""Kernels with several blocks have these for how many are left, where this one's operands begin, and how many
of its filter rows are left. The bias is done with by then, and no constant is being made."""
A_BLOCK_BESIDE_BIAS = "r15"
"""This is where this block's operands begin if the bias is needed later: steps have constants behind it."""
FULL_UNROLL = 320
"""A segment of at most this many instructions is not looped at all (first layers: 3 input channels)."""
LOOP_BODY = 200
"""A loop body aims at this many instructions: enough to hide the loop, few enough for the micro-op cache."""


class X86Kernel(X86Columns):
    """Emits one kernel instance. Subclasses say how an ISA writes masks, memory operands and broadcasts."""

    flags = ("cc", "dirflag", "fpsr", "flags")
    parameters = (C, A, B, BIAS, RESIDUAL, TAPS_H)
    further_parameters: ClassVar = {asm.STEP: STEP, asm.LINE: LINE, asm.AHEAD: AHEAD}
    a, b, taps, blocks, taps_left, a_block, b_block = A, B, TAPS_H, BLOCKS, TAPS_LEFT, A_BLOCK, B_BLOCK
    row_step, line_step = STEP, LINE

    def __init__(self, isa: Isa, instance: KernelInstance) -> None:
        super().__init__(isa, instance)
        vectors = self.kernel.nr // isa.lanes
        self.used = -(-instance.channels // isa.lanes)
        """This many vectors hold stored channels; a tail narrower than the tile skips the rest."""
        self.tail = instance.channels % isa.lanes
        self.free = self.kernel.mr * self.used
        """This is the first vector register that holds no accumulator."""
        self.a_at = self.b_at = 0
        """The pointers are this many elements into a filter row, known as code is emitted."""
        self.group = isa.channels_per_step(self.kernel.layout)
        """A step multiplies this many channels."""
        self.b_per_step = instance.b_row
        """A step moves B on by this many elements."""
        tile = Tile(self.kernel.mr, vectors, isa.lanes, self.kernel.layout)
        if instance.epilogue.per_channel:
            self.a_block = A_BLOCK_BESIDE_BIAS
        self.folds_a = isinstance(isa.engine, Broadcast) and isa.engine.folds_a(tile)
        """The multiply-adds take A from memory if this is true."""

    @property
    def clobbers(self) -> Sequence[str]:
        vectors = [f"{self.register_class}{i}" for i in range(self.isa.vector_registers)]
        return (*vectors, COUNTER, SCRATCH, *self.block_clobbers, *self.mask_clobbers)

    # ---- the order of steps

    def begin(self) -> None:
        self.prepare_mask()

    def end(self) -> None:
        self.emit("vzeroupper")
        self.emit_table()

    def start_tile(self) -> None:
        """Accumulators start from the bias, which saves adding it, from C, or from zero."""
        instance = self.instance
        for v in range(self.used):
            if instance.epilogue.bias and not instance.bias_by_row:
                self.load(self.operand(v), f"{v * self.isa.vector_bytes}(%{BIAS})", v)
            for m in range(self.kernel.mr):
                if instance.epilogue.bias and not instance.bias_by_row:
                    self.emit(f"vmovaps {self.operand(v)}, {self.accumulator(m, v)}")
                else:
                    self.begin_sum(self.accumulator(m, v), m, v)

    def begin_sum(self, register: str, m: int, v: int) -> None:
        """Fill a register with what row m's sums of vector ``v`` start from."""
        instance = self.instance
        if instance.accumulate:
            self.load(register, self.result_at(C, m, v), v)
        elif instance.epilogue.bias and instance.bias_by_row:
            self.emit(f"vbroadcastss {m * 4}(%{BIAS}), {register}")
        elif instance.epilogue.bias:
            self.load(register, f"{4 * instance.bias_offset(m) + v * self.isa.vector_bytes}(%{BIAS})", v)
        else:
            self.zero(register)

    def walk_block(self, segments: tuple[Segment, ...], taps: str) -> None:
        """Segments go on from where the one before left the pointers."""
        self.emit("2:")
        self.a_at = self.b_at = 0
        self.walk_segments(segments)
        self.next_filter_row(self.a_at)
        self.advance(B, B, self.instance.b_step - self.b_at)
        self.count_down(taps, 2)

    def walk_segment(self, segment: Segment) -> None:
        per_step = self.instructions_per_step(segment)
        whole, done = segment.length // self.group, 0
        if whole * per_step > FULL_UNROLL:
            unroll = unroll_factor(whole, max(1, LOOP_BODY // per_step))
            self.immediate(COUNTER, whole // unroll)
            self.emit("1:")
            self.fetch_ahead(unroll)
            self.steps(segment, 0, unroll)
            self.advance(A, A, unroll * self.group * self.instance.a_k)
            self.advance(B, B, unroll * self.b_per_step)
            self.count_down(COUNTER, 1)
            done = whole - whole % unroll
            self.a_at += done * self.group * self.instance.a_k
            self.b_at += done * self.b_per_step
        else:
            self.fetch_ahead(whole)
        self.steps(segment, done, -(-segment.length // self.group))

    def instructions_per_step(self, segment: Segment) -> int:
        """How many instructions a step of the segment is made of."""
        rows = segment.last - segment.first
        return self.used + rows * (self.used + (0 if self.folds_a else 1))

    def fetch_ahead(self, steps: int) -> None:
        """Fetch this call's share of as many lines as so many steps read of B."""
        lines = self.lines_ahead(steps)
        if not lines:
            return
        for line in range(lines):
            self.emit(f"prefetcht1 {line * CACHE_LINE_BYTES}(%{AHEAD})")
        self.emit(f"add ${lines * CACHE_LINE_BYTES}, %{AHEAD}")

    def lines_ahead(self, steps: int) -> int:
        """How many lines so many steps fetch."""
        if not self.instance.prefetch:
            return 0
        read = steps * self.b_per_step * self.element_bytes
        return -(-read // (CACHE_LINE_BYTES * self.instance.prefetch))

    def steps(self, segment: Segment, begin: int, end: int) -> None:
        for k in range(begin, end):
            self.step(segment, k)

    def step(self, segment: Segment, k: int) -> None:
        """One multiply-accumulate of every row and vector."""
        b = segment.b - self.b_at + k * self.instance.b_row
        for v in range(self.used):
            offset = b * self.element_bytes + v * self.filter_bytes
            self.load_filter(f"{offset}(%{B})", self.operand(v))
        a = segment.a - self.a_at + k * self.group * self.instance.a_k
        for m in range(segment.first, segment.last):
            address = (a + m * self.instance.a_row) * self.element_bytes
            if self.kernel.layout == DEPTHWISE:
                for v in range(self.used):
                    memory = f"{address + v * self.isa.lanes * self.element_bytes}(%{A})"
                    self.fma_memory(memory, self.operand(v), self.accumulator(m, v), v)
            elif self.folds_a:
                self.fma_broadcast(f"{address}(%{A})", self.operand(0), self.accumulator(m, 0))
            else:
                self.broadcast_channels(f"{address}(%{A})", min(self.group, segment.length - k * self.group))
                for v in range(self.used):
                    self.multiply(m, v)

    @property
    def filter_bytes(self) -> int:
        """A step's vector of B has so many bytes."""
        return self.isa.lanes * self.group * self.element_bytes

    def load_filter(self, memory: str, register: str) -> None:
        """Load a vector of B, whose rows are as wide as the tile: all of it may be read."""
        self.emit(f"vmovups {memory}, {register}")

    def broadcast_channels(self, memory: str, channels: int) -> None:
        """Fill the broadcast register with so many channels of A, those of a step or what is left of them."""
        self.emit(f"vbroadcastss {memory}, {self.broadcast}")

    def multiply(self, m: int, v: int) -> None:
        """Add the products of the broadcast and B's vector ``v``."""
        self.emit(f"vfmadd231ps {self.broadcast}, {self.operand(v)}, {self.accumulator(m, v)}")

    def finish_tile(self) -> None:
        if not self.mask_persists:
            self.prepare_mask()
        lasting, passing = self.registers_of_steps()
        steps = self.steps_in(self.instance.epilogue.steps, lasting, passing)
        steps.prepare()
        for batch in steps.batches(self.places):
            steps.apply(*batch)
            for register, (m, v) in batch:
                self.store_result(register, self.result_at(C, m, v), v)

    def registers_of_steps(self) -> tuple[list[str], list[str]]:
        """The registers that steps may keep, and those they may only use in passing."""
        # The third register is where AVX2 loads a tail to.
        free = self.free_registers
        loads = self.loads_in_steps and self.tail
        return [*free[:2], *free[3:]], [] if loads else free[2:3]

    @property
    def loads_in_steps(self) -> bool:
        """Whether steps have operands in memory beside their constants."""
        return self.instance.epilogue.residual or bool(self.instance.epilogue.per_channel)

    @property
    def places(self) -> list[tuple[int, int]]:
        """Row and vector of every accumulator."""
        return [(m, v) for m in range(self.kernel.mr) for v in range(self.used)]

    def steps_in(self, steps: Sequence[Step], lasting: Sequence[str], passing: Sequence[str]) -> Steps[str]:
        """The epilogue's steps in registers that nothing else, or nothing else at that time, uses."""
        accumulators = [self.accumulator(m, v) for m, v in self.places]
        return Steps(self, steps, lasting, passing, accumulators, most=SIDE_BY_SIDE)

    def result_at(self, pointer: str, m: int, v: int) -> str:
        """The address of row m's vector v in C, or in what lies as C does."""
        self.move_to_line(pointer, m)
        return f"{self.c_offset(m, v)}(%{pointer})"

    def c_offset(self, m: int, v: int) -> int:
        """Bytes from C to row m of vector v."""
        return self.instance.c_offset(m, v * self.isa.lanes) * BYTES[self.kernel.destination]

    # ---- registers

    @property
    def register_class(self) -> str:
        return {512: "zmm", 256: "ymm"}[self.isa.vector_bits]

    @cached_property
    def _registers(self) -> list[str]:
        """The names of all registers; each line asks for some."""
        return [f"%{self.register_class}{index}" for index in range(self.isa.vector_registers)]

    def register(self, index: int) -> str:
        return self._registers[index]

    def accumulator(self, m: int, v: int) -> str:
        return self.register(m * self.used + v)

    def operand(self, v: int) -> str:
        """The register of B's vector ``v``; in the epilogue, the ``v``-th register accumulators leave
        free."""
        return self.register(self.free + v)

    @property
    def free_registers(self) -> list[str]:
        """The registers that an epilogue may use, but for a mask's."""
        return [self.register(index) for index in range(self.free, self.isa.vector_registers)]

    @property
    def broadcast(self) -> str:
        """The register of A's broadcast or loaded element."""
        return self.register(self.free + self.used)

    @property
    def block_clobbers(self) -> tuple[str, ...]:
        return (BLOCKS, B_BLOCK, *{self.a_block} - {A_BLOCK}) if self.several_blocks else ()

    def is_tail(self, v: int) -> bool:
        return bool(self.tail) and v == self.used - 1

    def advance(self, register: str, source: str, elements: int) -> None:
        if register != source:
            self.emit(f"mov %{source}, %{register}")
        if elements:
            self.emit(f"add ${elements * self.element_bytes}, %{register}")

    def add(self, register: str, distance: str, negative: bool = False) -> None:
        operand = distance if is_memory(distance) else f"%{distance}"
        self.emit(f"{'sub' if negative else 'add'} {operand}, %{register}")

    def shift_left(self, register: str, places: int) -> None:
        if places:
            self.emit(f"shl ${places}, %{register}")

    def keep_step(self, at: int) -> None:
        """Keep an open step ``at`` bytes from the stack pointer, where its register is another thing's."""
        if self.instance.a_step is OPEN:
            self.emit(f"mov %{STEP}, {at}(%rsp)")
            self.row_step = f"{at}(%rsp)"

    def immediate(self, register: str, value: int) -> None:
        self.emit(f"mov ${value}, %{register}")

    def count_down(self, register: str, label: int) -> None:
        self.emit(f"dec %{register}")
        self.emit(f"jnz {label}b")

    def skip_if_zero(self, register: str, label: int) -> None:
        self.emit(f"test %{register}, %{register}")
        self.emit(f"jz {label}f")

    def constant(self, value: float, register: str) -> None:
        """Fill ``register`` with an fp32 constant, through a general register."""
        bits = float_bits(value)
        if bits == 0:
            self.zero(register)
            return
        self.emit(f"mov ${bits}, %{SCRATCH}d")
        xmm = "%xmm" + register.removeprefix(f"%{self.register_class}")
        self.broadcast_general(xmm, register)

    # ---- what the instruction sets spell differently

    mask_clobbers: tuple[str, ...] = ()
    mask_persists = True
    """Whether the mask keeps its register; false when operands need it while taps are walked."""

    @abc.abstractmethod
    def prepare_mask(self) -> None:
        """Set up the mask of the last, partial vector, if there is one."""

    @abc.abstractmethod
    def zero(self, register: str) -> None: ...

    @abc.abstractmethod
    def broadcast_general(self, xmm: str, register: str) -> None:
        """Fill ``register`` with SCRATCH's low 32 bits; ``xmm`` is its low part."""

    @abc.abstractmethod
    def load(self, register: str, memory: str, v: int) -> None:
        """Load vector ``v`` of a channel row; absent channels of the tail read as zero."""

    @abc.abstractmethod
    def store(self, register: str, memory: str, v: int) -> None: ...

    def store_result(self, register: str, memory: str, v: int) -> None:
        """Store vector ``v`` of a row of C, in its type."""
        self.store(register, memory, v)

    @abc.abstractmethod
    def fma_memory(self, memory: str, operand: str, accumulator: str, v: int) -> None: ...

    @abc.abstractmethod
    def fma_broadcast(self, memory: str, operand: str, accumulator: str) -> None: ...


def unroll_factor(steps: int, most: int) -> int:
    """The unroll factor up to ``most`` leaving the fewest steps over; the larger of equals."""
    return min(range(max(1, most // 2), most + 1), key=lambda u: (steps % u, -u))
