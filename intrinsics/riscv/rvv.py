"""RISC-V Vector micro-kernels of float32: a scalar of A times a vector of B (``vfmacc.vf``), no broadcast.

Loads stand between multiply-adds, about a step before their use: in-order cores issue both at once. Elements
of A go to scalar registers, and vectors of B to two groups of registers in turns.
"""

from __future__ import annotations

from collections.abc import Sequence

from intrinsics.emit.column_walk import ColumnWalk, InputRow, TapRegisters
from intrinsics.engines import ByScalar
from intrinsics.instruction_set import Cpu, Isa
from intrinsics.microkernel import Segment
from intrinsics.peak_loop import PeakLoop

from .peak import RVV_LOOP
from .registers import B_AT, COUNTER, MOST_OFFSET, REGISTERS, ROWS, SCALARS
from .rvv_base import RESERVED, RvvBase, name

UNROLL = 8
"""A loop body has this many steps, an even number, so that the groups of B take turns."""
FULL_UNROLL_STEPS = 8
"""A segment of at most this many steps is not looped at all."""


class RvvKernel(ColumnWalk[int], RvvBase):
    """Emits one kernel instance."""

    elements: Sequence[str] = [name(scalar) for scalar in SCALARS]
    """Elements of A are loaded to these registers."""
    pointers: Sequence[str] = ROWS
    """These point to rows of A."""

    def walk_segment(self, segment: Segment) -> None:
        self.point_to(segment)
        rows = segment.last - segment.first
        most = max(n for n in range(1, len(self.elements) + 1) if UNROLL * rows % n == 0)
        self.ring = self.elements[:most]
        """Elements of A go round these: as many as a loop body's fill whole rounds of."""
        self.ahead = 0 if self.scattered else min(rows, most - 1)
        """Elements are loaded so many before they are multiplied."""
        self.next_b(0, 0, 1)
        for index in range(self.ahead):
            self.load_element(segment, index)
        steps = segment.length
        if steps > FULL_UNROLL_STEPS:
            # The last steps are not in the loop, as they must not load ahead.
            groups = (steps - 1) // UNROLL
            self.immediate(COUNTER, groups)
            self.emit("1:")
            self.steps(segment, UNROLL, more=True)
            self.count_down(COUNTER, 1)
            steps -= groups * UNROLL
        self.steps(segment, steps, more=False)

    @property
    def scattered(self) -> bool:
        """Whether consecutive elements of a row are so far apart that a pointer does not reach those of a
        loop body."""
        return self.offset(0, FULL_UNROLL_STEPS) > MOST_OFFSET

    def offset(self, rows: int, steps: int) -> int:
        """Bytes of A from a row and a step to those so many further on."""
        return self.element_bytes * (rows * self.instance.a_row + steps * self.instance.a_k)

    def point_to(self, segment: Segment) -> None:
        """Give a segment pointers of its own: to B, and to as few rows of A as reach all others."""
        self.advance(B_AT, self.b, segment.b)
        self.reached: list[tuple[str, int]] = []
        """Each row of the segment has a pointer that reaches it, so many rows before."""
        free, first, steps = iter(self.pointers), segment.first, 0 if self.scattered else FULL_UNROLL_STEPS
        for m in range(segment.first, segment.last):
            if m == segment.first or self.offset(m - first, steps) > MOST_OFFSET:
                first, pointer = m, next(free)
                self.advance(pointer, self.a, segment.a + m * self.instance.a_row)
            self.reached.append((pointer, m - first))

    def steps(self, segment: Segment, count: int, *, more: bool) -> None:
        """``count`` steps, whose loads are ahead of their use; beyond the last step only if there is
        ``more``."""
        rows = segment.last - segment.first
        for index in range(count * rows):
            step, row = divmod(index, rows)
            if self.scattered:
                self.load_element(segment, index)
            element = self.ring[index % len(self.ring)]
            self.multiply(self.accumulator(segment.first + row, 0), element, self.b_register(step % 2))
            if not self.scattered and (more or index + self.ahead < count * rows):
                self.load_element(segment, index + self.ahead)
            elif self.scattered and row + 1 == rows:
                self.move_pointers(1)
            if more or step + 1 < count:
                self.next_b((step + 1) % 2, row, rows)
        if more and not self.scattered:
            self.move_pointers(count)

    def move_pointers(self, steps: int) -> None:
        for pointer in dict.fromkeys(pointer for pointer, _ in self.reached):
            self.advance(pointer, pointer, steps * self.instance.a_k)

    def load_element(self, segment: Segment, index: int) -> None:
        """Load the element of so many on from where the pointers stand, row by row in each step."""
        step, row = divmod(index, segment.last - segment.first)
        pointer, further = self.reached[row]
        at = self.offset(further, 0 if self.scattered else step)
        self.load_scalar(self.ring[index % len(self.ring)], at, pointer)

    def b_register(self, turn: int) -> int:
        """The register that a vector of B is multiplied from."""
        return turn * self.group

    def next_b(self, turn: int, row: int, rows: int) -> None:
        """What is done about the next vector of B behind a row's multiply-add: its load behind the first. The
        pointer moves behind the second, as in-order cores issue neither beside the other."""
        if row == 0:
            self.load_b(turn)
        if row == min(1, rows - 1):
            self.advance(B_AT, B_AT, self.instance.b_row)
        if row + 1 == rows:
            self.finish_b(turn)

    def load_b(self, turn: int) -> None:
        """Begin to load the next vector of B."""
        self.emit(f"vle32.v v{self.b_register(turn)}, ({B_AT})")

    def finish_b(self, turn: int) -> None:
        """What is done to a vector of B that has been loaded, when the one before is done with."""

    def load_scalar(self, element: str, at: int, pointer: str) -> None:
        self.emit(f"flw {element}, {at}({pointer})")

    def multiply(self, accumulator: int, element: str, b: int) -> None:
        """Add the products of an element of A and a vector of B."""
        self.emit(f"vfmacc.vf v{accumulator}, {element}, v{b}")

    # ---- depthwise kernels, by columns of the input

    def tap_registers(self) -> TapRegisters[int]:
        """The registers behind the accumulators. Pixels take turns in the two before."""
        return TapRegisters(self.input_rows, 1, range(RESERVED + self.rows, REGISTERS), self.load_tap)

    def walk_row(self, row: InputRow, taps: TapRegisters[int]) -> None:
        """The multiply-adds of one row of the input. Taps that registers lack are loaded as they are used, to
        the last one, which is free then."""
        if taps.fit:
            taps.begin(row)
        for turn, column in enumerate(row.columns):
            pixel = self.pixel(turn)
            self.load_pixel(pixel, column.a)
            for product in column.products:
                tap = taps(product.b, 0) if taps.fit else REGISTERS - 1
                if not taps.fit:
                    self.load_tap(tap, product.b, 0)
                self.multiply_vectors(self.accumulator(product.m, 0), pixel, tap)

    def pixel(self, turn: int) -> int:
        """The register of a row's pixel: those before the accumulators in turns."""
        return turn % RESERVED

    def load_pixel(self, register: int, a: int) -> None:
        self.load_channels(register, self.a, 4 * a, 0)

    def load_tap(self, register: int, b: int, v: int) -> None:
        self.load_channels(register, self.b, 4 * b, v)

    def multiply_vectors(self, accumulator: int, pixel: int, tap: int) -> None:
        self.emit(f"vfmacc.vv v{accumulator}, v{pixel}, v{tap}")


MOST_VECTORS = 16
"""Tiles are at most so many of the shortest vectors wide: two of 1024 bits. Where vectors are short, wider
tiles would be as many passes as narrower ones are calls, over panels that more lie between the rows of."""
LENGTHS = (128, 256, 512, 1024)
"""Lengths of vectors, in bits, that tests run the same code at."""
QEMU = tuple(f"rv64,v=true,vext_spec=v1.0,vlen={length}" for length in LENGTHS)

RVV = Isa(
    name="rvv",
    arch="riscv64",
    features=frozenset({"v"}),
    vector_bits=LENGTHS[0],
    vector_registers=REGISTERS,
    engine=ByScalar(),
    emitter=RvvKernel,
    cpus=(Cpu("llvm -mtriple=riscv64-linux-gnu -mattr=+v", QEMU[0], QEMU[1:]),),
    loop=PeakLoop(("vfmacc.vv {c}, {a}, {b}",), 16, 6, RVV_LOOP, "vfmacc"),
    most_vectors=MOST_VECTORS,
    least_vectors=MOST_VECTORS,
    most_rows=len(ROWS),
    span_vectors=MOST_VECTORS,
)
"""The length is the least that CPUs have (Zvl128b); longer vectors take more channels at once."""
