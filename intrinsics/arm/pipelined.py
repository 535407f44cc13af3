"""AArch64 Neon multiply-adds with software-pipelined loads of the filter.

A step multiplies 32 bits of each row of A by vectors of B, one float, two halves or four bytes, or one half
alone. Rows of A are read four steps at a time and used element by element (Barrachina et al., the 7x12 and
6x16 kernels of algorithm A); a packed panel (algorithm B, 8x12 and 4x20) is read a column at a time. Vectors
of B go round a ring of registers, each loaded as soon as the one before it is no longer needed, so that
several loads are under way at any time.
"""

from __future__ import annotations

import abc
from collections.abc import Callable

from intrinsics.engines import panel_pieces
from intrinsics.instruction_set import Isa
from intrinsics.microkernel import DEPTHWISE, PANEL, ROW, KernelInstance, Segment

from .neon_base import B_AT, COUNTER, ROWS, SCRATCH, SIZES, VECTOR, NeonBase

UNROLL = 4
"""A loop body has this many steps: one vector of A's channels."""
FULL_UNROLL_STEPS = 8
"""A segment of at most this many steps is not looped at all."""


class NeonPipelined(NeonBase):
    """Emits one kernel instance; what a step multiplies is the subclass's."""

    step_bytes = 4
    """A step takes this many bytes of a row of A."""
    b_bytes = VECTOR
    """A vector of B lies in this many bytes."""
    piece = 4
    """This many elements of a panel's column are loaded at once."""

    def __init__(self, isa: Isa, instance: KernelInstance) -> None:
        super().__init__(isa, instance)
        self.group = isa.channels_per_step(self.kernel.layout)
        self.b_vectors = self.used
        """A step multiplies by this many vectors of B."""

    @abc.abstractmethod
    def multiply(self, m: int, v: int, b: int, a: tuple[int, int]) -> None:
        """Add the products of row m's element, register and lane, and the v-th vector of B, ``b``."""

    def prepare(self, register: int) -> None:
        """What is done to a vector of A when it is loaded."""

    def walk_segment(self, segment: Segment) -> None:
        self.point_to(segment)
        steps = -(-segment.length // self.group)
        group = 1 if self.scattered else UNROLL
        groups, rest = divmod(steps, group)
        if steps <= FULL_UNROLL_STEPS:
            self.steps(segment, steps, more=False, started=False)
            return
        # The last steps are not in the loop, as they must not load ahead.
        groups, rest = groups - 1, rest + group
        ring = self.ring(group * self.b_vectors)
        self.fill(ring)
        if groups:
            self.immediate(COUNTER, groups)
            self.emit("1:")
            self.steps(segment, group, more=True, started=True, ring=ring)
            self.advance(B_AT, B_AT, group * self.instance.b_row)
            if self.kernel.layout == PANEL:
                self.advance(ROWS[0], ROWS[0], group * self.column)
            self.count_down(COUNTER, 1)
        self.steps(segment, rest, more=False, started=True, ring=ring)

    def steps(
        self, segment: Segment, count: int, *, more: bool, started: bool, ring: list[int] | None = None
    ) -> None:
        """``count`` steps of multiply-adds, the ring of B's registers kept full; beyond the last step only
        if there is ``more``. ``started``: the first registers of the ring are on their way already."""
        uses = count * self.b_vectors
        ring = ring or self.ring(uses)
        ahead = len(ring) - 1
        short = 0 if more else segment.length % self.group
        if not started:
            self.fill(ring, uses)
        for use in range(uses):
            step, v = divmod(use, self.b_vectors)
            if v == 0:
                element = self.load_a(segment, step, count, short)
            if more or use + ahead < uses:
                self.load_b(ring, use + ahead)
            for m in self.rows_of(segment):
                self.multiply(m, v, ring[use % len(ring)], element(m))

    def rows_of(self, segment: Segment) -> range:
        """What of A is multiplied one after the other."""
        return range(segment.first, segment.last)

    def ring(self, uses: int) -> list[int]:
        """Registers for B: as many as are free, a divisor of the vectors a loop body uses."""
        free = self.registers - self.free - self.a_registers
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
        row, v = divmod(use, self.b_vectors)
        at = row * self.element_bytes * self.instance.b_row + v * self.b_bytes
        self.load(SIZES[self.bytes_of_b(v)], ring[use % len(ring)], B_AT, at)
        self.prepare_b(ring[use % len(ring)])

    def bytes_of_b(self, v: int) -> int:
        """How much there is of a step's vector ``v`` of B."""
        return self.b_bytes

    def prepare_b(self, register: int) -> None:
        """What is done to a vector of B when it is loaded."""

    # ---- A

    @property
    def scattered(self) -> bool:
        """Whether consecutive k of a row are apart in memory, so that each is loaded alone."""
        return self.kernel.layout == ROW and self.instance.a_k != 1

    @property
    def column(self) -> int:
        """Elements from one step to the next in a panel."""
        return self.group * self.instance.a_k

    @property
    def a_registers(self) -> int:
        if self.kernel.layout == PANEL:
            return len(panel_pieces(self.rows, self.piece))
        return 1 if self.kernel.layout == DEPTHWISE else self.rows

    def load_a(self, segment: Segment, step: int, count: int, short: int) -> Callable[[int], tuple[int, int]]:
        """Load what a step of ``count`` needs of A, if it is not there; say where each row's element is.
        ``short``: how many elements of a group the last step has, if not all."""
        first, last = segment.first, segment.last
        if self.kernel.layout == PANEL:
            return self.load_panel(step)
        lane = step % UNROLL
        whole = not self.scattered and count - bool(short) - (step - lane) >= UNROLL
        if short and step == count - 1:
            for m in range(first, last):
                self.load_bytes(self.free + m, ROWS[m], 0, short * self.element_bytes)
                self.prepare(self.free + m)
        elif self.scattered:
            self.immediate(SCRATCH, self.step_bytes * self.instance.a_k)
            for m in range(first, last):
                kind = SIZES[self.step_bytes]
                self.emit(f"ld1 {{v{self.free + m}.{kind}}}[0], [{ROWS[m]}], {SCRATCH}")
                self.prepare(self.free + m)
        elif lane == 0 or not whole:
            for m in range(first, last):
                size = self.step_bytes * (UNROLL if whole else 1)
                self.emit(f"ldr {SIZES[size]}{self.free + m}, [{ROWS[m]}], #{size}")
                self.prepare(self.free + m)
        return lambda m: (self.free + m, lane if whole else 0)

    def load_panel(self, step: int) -> Callable[[int], tuple[int, int]]:
        """A column of the panel, in as few loads as there are; nothing beyond its last row is read."""
        where: dict[int, tuple[int, int]] = {}
        at = 0
        for index, piece in enumerate(panel_pieces(self.rows, self.piece)):
            register, kind = self.free + index, SIZES[piece * self.step_bytes]
            self.load(kind, register, ROWS[0], step * self.element_bytes * self.column + at * self.step_bytes)
            self.prepare(register)
            for lane in range(piece):
                where[at + lane] = register, lane
            at += piece
        return lambda m: where[m]
