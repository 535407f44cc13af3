"""AArch64 Neon micro-kernels: fused multiply-adds by element, software-pipelined loads of the filter.

Rows of A are read four channels at a time and used element by element (Barrachina et al., the 7x12 and 6x16
kernels of algorithm A); a packed panel (algorithm B, 8x12 and 4x20) is read a column at a time. Vectors of B
go round a ring of registers, each loaded as soon as the one before it is no longer needed, so that several
loads are under way at any time. Neon has no masks: a partial vector of channels is loaded and stored in
pieces of two and one.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

from .asm import llvm_function
from .isa import NEON, panel_pieces
from .microkernel import DEPTHWISE, PANEL, ROW, KernelInstance, Segment
from .walk import Walk

C, A, B, BIAS, RESIDUAL, TAPS_H = (f"x{i}" for i in range(6))
COUNTER, SCRATCH, ROW_BYTES, BLOCKS, TAPS_LEFT, B_AT, A_BLOCK, B_BLOCK = (f"x{i}" for i in range(6, 14))
ROWS = tuple(f"x{i}" for i in (14, 15, 16, 17, *range(19, 29)))
"""Pointers to A's rows; x18 is the platform's, x29 the frame pointer, x30 the return address."""
UNROLL = 4
"""Steps in a loop body: one vector of A's channels."""
FULL_UNROLL_STEPS = 8
"""A segment of at most this many steps is not looped at all."""
LANES = 4


class NeonKernel(Walk):
    """Emits one kernel instance."""

    a, b, taps, blocks, taps_left, a_block, b_block = A, B, TAPS_H, BLOCKS, TAPS_LEFT, A_BLOCK, B_BLOCK

    def __init__(self, instance: KernelInstance) -> None:
        super().__init__(instance)
        self.rows = self.kernel.mr
        self.used = -(-instance.channels // LANES)
        self.tail = instance.channels % LANES
        self.free = self.rows * self.used
        """The first vector register that holds no accumulator."""

    def llvm_ir(self) -> str:
        self.start_tile()
        if self.kernel.layout == ROW:
            self.immediate(ROW_BYTES, 4 * self.instance.a_row)
        self.walk_taps()
        self.finish_tile()
        vectors = [f"v{i}" for i in range(NEON.vector_registers)]
        general = [f"x{i}" for i in range(6, 14)]
        return llvm_function(
            self.instance.name,
            self.emit,
            (C, A, B, BIAS, RESIDUAL, TAPS_H),
            (*vectors, *general, *ROWS),
            NEON.features,
            flags=("cc",),
        )

    # ---- the tile

    def start_tile(self) -> None:
        """Accumulators start from C, from the bias, or from zero."""
        instance, epilogue = self.instance, self.instance.epilogue
        for v in range(self.used):
            if epilogue.bias and not instance.bias_by_row:
                self.load_channels(self.free, BIAS, v * LANES, v)
            for m in range(self.rows):
                acc = self.accumulator(m, v)
                if instance.accumulate:
                    self.load_channels(acc, C, instance.c_offset(m, v * LANES), v)
                elif epilogue.bias and instance.bias_by_row:
                    self.emit(f"add {SCRATCH}, {BIAS}, #{4 * m}")
                    self.emit(f"ld1r {{v{acc}.4s}}, [{SCRATCH}]")
                elif epilogue.bias:
                    self.emit(f"mov v{acc}.16b, v{self.free}.16b")
                else:
                    self.emit(f"movi v{acc}.4s, #0")

    def finish_tile(self) -> None:
        instance, epilogue = self.instance, self.instance.epilogue
        low, high, residual = self.free, self.free + 1, self.free + 2
        for bound, register in ((epilogue.low, low), (epilogue.high, high)):
            if not math.isinf(bound):
                self.constant(bound, register)
        for m in range(self.rows):
            for v in range(self.used):
                acc, offset = self.accumulator(m, v), instance.c_offset(m, v * LANES)
                if epilogue.residual:
                    self.load_channels(residual, RESIDUAL, offset, v)
                    self.emit(f"fadd v{acc}.4s, v{acc}.4s, v{residual}.4s")
                if epilogue.low != -math.inf:
                    self.emit(f"fmax v{acc}.4s, v{acc}.4s, v{low}.4s")
                if epilogue.high != math.inf:
                    self.emit(f"fmin v{acc}.4s, v{acc}.4s, v{high}.4s")
                self.store_channels(acc, C, offset, v)

    # ---- one segment

    def walk_segment(self, segment: Segment) -> None:
        """A segment from pointers of its own: to each row of A, or to the panel, and to B."""
        first, last = segment.first, segment.last
        self.advance(B_AT, B, segment.b)
        if self.kernel.layout != ROW:
            self.advance(ROWS[0], A, segment.a)
        else:
            self.advance(ROWS[first], A, segment.a + first * self.instance.a_row)
            for m in range(first + 1, last):
                self.emit(f"add {ROWS[m]}, {ROWS[m - 1]}, {ROW_BYTES}")
        if self.kernel.layout == DEPTHWISE:
            for step in range(segment.length):
                self.depthwise_step(segment, step)
            return
        steps = segment.length
        group = 1 if self.scattered else UNROLL
        groups, rest = divmod(steps, group)
        if steps <= FULL_UNROLL_STEPS:
            self.steps(segment, steps, more=False, started=False)
            return
        # The last steps are not in the loop, as they must not load ahead.
        groups, rest = groups - 1, rest + group
        ring = self.ring(group * self.used)
        self.fill(ring)
        if groups:
            self.immediate(COUNTER, groups)
            self.emit("1:")
            self.steps(segment, group, more=True, started=True, ring=ring)
            self.advance(B_AT, B_AT, group * self.instance.b_row)
            if self.kernel.layout == PANEL:
                self.advance(ROWS[0], ROWS[0], group * self.instance.a_k)
            self.count_down(COUNTER, 1)
        self.steps(segment, rest, more=False, started=True, ring=ring)

    def steps(
        self, segment: Segment, count: int, *, more: bool, started: bool, ring: list[int] | None = None
    ) -> None:
        """``count`` steps of multiply-adds, the ring of B's registers kept full; beyond the last step only
        if there is ``more``. ``started``: the first registers of the ring are on their way already."""
        uses = count * self.used
        ring = ring or self.ring(uses)
        ahead = len(ring) - 1
        if not started:
            self.fill(ring, uses)
        for use in range(uses):
            step, v = divmod(use, self.used)
            if v == 0:
                element = self.load_a(segment, step, count)
            if more or use + ahead < uses:
                self.load_b(ring, use + ahead)
            for m in range(segment.first, segment.last):
                b = ring[use % len(ring)]
                self.emit(f"fmla v{self.accumulator(m, v)}.4s, v{b}.4s, {element(m)}")

    def ring(self, uses: int) -> list[int]:
        """Registers for B: as many as are free, a divisor of the vectors a loop body uses."""
        free = NEON.vector_registers - self.free - self.a_registers
        most = max(n for n in range(1, free + 1) if uses % n == 0 or n == 1)
        start = self.free + self.a_registers
        return list(range(start, start + most))

    def fill(self, ring: list[int], uses: int | None = None) -> None:
        """The first loads, all but one register's: that one is loaded beside the first use."""
        for use in range(min(len(ring) - 1, uses or len(ring))):
            self.load_b(ring, use)

    def load_b(self, ring: list[int], use: int) -> None:
        """The ``use``-th vector from where the pointer stands. Pointers move once per loop body: models of
        some cores have a load's address wait for the load before that moved it."""
        row, v = divmod(use, self.used)
        self.load("q", ring[use % len(ring)], B_AT, row * self.instance.b_row + v * LANES)

    # ---- A

    @property
    def scattered(self) -> bool:
        """Whether consecutive k of a row are apart in memory, so that each is loaded alone."""
        return self.kernel.layout == ROW and self.instance.a_k != 1

    @property
    def a_registers(self) -> int:
        if self.kernel.layout == PANEL:
            return len(panel_pieces(self.rows))
        return 1 if self.kernel.layout == DEPTHWISE else self.rows

    def load_a(self, segment: Segment, step: int, count: int) -> Callable[[int], str]:
        """Load what a step of ``count`` needs of A, if it is not there; say where each row's element is."""
        first, last = segment.first, segment.last
        if self.kernel.layout == PANEL:
            return self.load_panel(step)
        if self.scattered:
            self.immediate(SCRATCH, 4 * self.instance.a_k)
            for m in range(first, last):
                self.emit(f"ld1 {{v{self.free + m}.s}}[0], [{ROWS[m]}], {SCRATCH}")
            return lambda m: f"v{self.free + m}.s[0]"
        lane = step % UNROLL
        in_group = min(UNROLL, count - (step - lane))
        whole = in_group == UNROLL
        if lane == 0 or not whole:
            for m in range(first, last):
                size, kind = (16, "q") if whole else (4, "s")
                self.emit(f"ldr {kind}{self.free + m}, [{ROWS[m]}], #{size}")
        return lambda m: f"v{self.free + m}.s[{lane if whole else 0}]"

    def load_panel(self, step: int) -> Callable[[int], str]:
        """A column of the panel, in as few loads as there are; nothing beyond its last row is read."""
        where: dict[int, str] = {}
        at = 0
        for index, piece in enumerate(panel_pieces(self.rows)):
            register, kind = self.free + index, {4: "q", 2: "d", 1: "s"}[piece]
            self.load(kind, register, ROWS[0], step * self.instance.a_k + at)
            for lane in range(piece):
                where[at + lane] = f"v{register}.s[{lane}]"
            at += piece
        return lambda m: where[m]

    def depthwise_step(self, segment: Segment, step: int) -> None:
        """One tap of every channel: vectors of A times vectors of B."""
        ring = list(range(self.free + 1, min(NEON.vector_registers, self.free + 1 + self.used)))
        for v in range(self.used):
            self.load_b(ring, step * self.used + v)
            for m in range(segment.first, segment.last):
                self.load_channels(self.free, ROWS[0], m * self.instance.a_row + v * LANES, v)
                acc, b = self.accumulator(m, v), ring[(step * self.used + v) % len(ring)]
                self.emit(f"fmla v{acc}.4s, v{self.free}.4s, v{b}.4s")

    # ---- small pieces

    def accumulator(self, m: int, v: int) -> int:
        return m * self.used + v

    def is_tail(self, v: int) -> bool:
        return bool(self.tail) and v == self.used - 1

    def load_channels(self, register: int, pointer: str, offset: int, v: int) -> None:
        """Vector ``v`` of channels, ``offset`` elements from ``pointer``; absent channels read as zero."""
        if not self.is_tail(v):
            self.emit(f"ldr q{register}, {self.address(pointer, offset)}")
            return
        at = 0
        for piece in panel_pieces(self.tail):
            if at == 0:
                self.emit(f"ldr {'d' if piece == 2 else 's'}{register}, {self.address(pointer, offset)}")
            else:
                self.advance(SCRATCH, pointer, offset + at)
                self.emit(f"ld1 {{v{register}.s}}[{at}], [{SCRATCH}]")
            at += piece

    def store_channels(self, register: int, pointer: str, offset: int, v: int) -> None:
        if not self.is_tail(v):
            self.emit(f"str q{register}, {self.address(pointer, offset)}")
            return
        at = 0
        for piece in panel_pieces(self.tail):
            if at == 0:
                self.emit(f"str {'d' if piece == 2 else 's'}{register}, {self.address(pointer, offset)}")
            else:
                self.advance(SCRATCH, pointer, offset + at)
                self.emit(f"st1 {{v{register}.s}}[{at}], [{SCRATCH}]")
            at += piece

    def load(self, kind: str, register: int, pointer: str, offset: int) -> None:
        """A load of 16, 8 or 4 bytes ("q", "d", "s"), ``offset`` elements from the pointer."""
        size = {"q": 16, "d": 8, "s": 4}[kind]
        if 4 * offset % size == 0 and 0 <= 4 * offset < 4096 * size:
            self.emit(f"ldr {kind}{register}, [{pointer}, #{4 * offset}]")
        else:
            self.advance(SCRATCH, pointer, offset)
            self.emit(f"ldr {kind}{register}, [{SCRATCH}]")

    def address(self, pointer: str, offset: int) -> str:
        """An address whatever the offset in elements; far ones go through the scratch register."""
        if 0 <= 4 * offset < 256:
            return f"[{pointer}, #{4 * offset}]"
        self.advance(SCRATCH, pointer, offset)
        return f"[{SCRATCH}]"

    def advance(self, register: str, source: str, elements: int) -> None:
        size, sign = abs(4 * elements), "sub" if elements < 0 else "add"
        if size == 0:
            if register != source:
                self.emit(f"mov {register}, {source}")
        elif size < 4096:
            self.emit(f"{sign} {register}, {source}, #{size}")
        else:
            self.immediate(SCRATCH, size)
            self.emit(f"{sign} {register}, {source}, {SCRATCH}")

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
        bits = struct.unpack("<I", struct.pack("<f", value))[0]
        self.immediate(SCRATCH, bits)
        self.emit(f"dup v{register}.4s, w{SCRATCH[1:]}")
