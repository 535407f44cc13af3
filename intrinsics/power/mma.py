"""POWER10 MMA micro-kernels: rank-1 updates of up to eight 4x4 accumulators.

An accumulator takes four rows of A and four lanes of B per instruction. A packed panel is read as it lies;
rows of consecutive channels are transposed in registers, four by four. Operands are loaded some steps ahead
of their use into stages of registers: the updates wait for nothing but each other, and the window of
POWER10's out-of-order core is short. Depthwise kernels, which do not multiply rows by lanes, are VSX's.

Accumulators live over the vector registers 0 to 31. On a little-endian machine a vector's first element is
its last word, so that rows come out of an accumulator in reverse.
"""

from __future__ import annotations

from intrinsics.emit.short_vectors import LANES
from intrinsics.engines import MatrixTiles
from intrinsics.instruction_set import Cpu, Isa
from intrinsics.microkernel import DEPTHWISE, PANEL, KernelInstance, Segment
from intrinsics.peak_loop import PeakLoop

from .partial import LENGTH, VECTOR, Power9Kernel
from .peak import MMA_LOOP
from .registers import COUNTER, INDEX, SCRATCH, A, B
from .vsx import B_AT, FULL_UNROLL_STEPS, REGISTERS, ROWS, VSX, PowerKernel, VsxKernel

OPERANDS = 32
"""This is the first register that is under no accumulator."""
MOST_STAGES = 4
STEP_BYTES = 4
"""A step takes so many bytes of a row of A: one float, two halves or four bytes."""


class MmaKernel(Power9Kernel):
    """Emits one kernel instance."""

    def __init__(self, isa: Isa, instance: KernelInstance) -> None:
        super().__init__(isa, instance)
        self.fours = -(-self.rows // LANES)
        self.group = isa.channels_per_step(self.kernel.layout)

    def accumulator(self, m: int, v: int) -> int:
        return 4 * (m // LANES * self.used + v) + 3 - m % LANES

    @property
    def accumulator_registers(self) -> int:
        return OPERANDS

    def walk_taps(self) -> None:
        """The vector registers become accumulators, and vectors again. Rows beyond the tile's add up what
        is never stored."""
        if not self.instance.segments and not self.instance.tail_segments:
            return
        count = self.fours * self.used
        for acc in range(count):
            self.emit(f"xxmtacc {acc}")
        super().walk_taps()
        for acc in range(count):
            self.emit(f"xxmfacc {acc}")

    # ---- one segment

    def walk_segment(self, segment: Segment) -> None:
        self.advance(B_AT, B, segment.b)
        if self.kernel.layout == PANEL:
            self.advance(ROWS[0], A, segment.a)
            self.panel_segment(segment)
            return
        for m in range(segment.first, segment.last):
            self.advance(ROWS[m], A, segment.a + m * self.instance.a_row)
        self.emit(f"li {INDEX}, 0")
        self.row_segment(segment)

    def panel_segment(self, segment: Segment) -> None:
        """Stages of operands, each loaded ``ahead`` steps before its products."""
        stages = min(MOST_STAGES, (64 - OPERANDS) // (self.fours + self.used))
        steps = -(-segment.length // self.group)
        ahead = min(stages, steps) - 1
        for step in range(ahead):
            self.load_stage(step, step)
        rounds = (steps - ahead) // stages
        done = 0
        if steps > FULL_UNROLL_STEPS and rounds > 1:
            self.immediate(COUNTER, rounds)
            self.emit("1:")
            for step in range(stages):
                self.load_stage(step + ahead, (step + ahead) % stages)
                self.products(step % stages)
            self.advance(ROWS[0], ROWS[0], stages * self.column)
            self.advance(B_AT, B_AT, stages * self.instance.b_row)
            self.count_down(COUNTER, 1)
            done = rounds * stages
        for step in range(steps - done):
            if step + ahead < steps - done:
                self.load_stage(step + ahead, (step + ahead) % stages)
            self.products(step % stages)

    def load_stage(self, step: int, stage: int) -> None:
        """A's column and B's row of the step, counted from where the pointers stand."""
        first = OPERANDS + stage * (self.fours + self.used)
        self.load_column(first, step)
        for v in range(self.used):
            self.load(first + self.fours + v, B_AT, self.of_filter(step, v))

    def load_column(self, register: int, step: int) -> None:
        whole, rest = divmod(self.rows, LANES)
        at = step * self.element_bytes * self.column
        for index in range(whole):
            self.load(register + index, ROWS[0], at + index * VECTOR)
        if rest:
            self.load_some(register + whole, ROWS[0], at + whole * VECTOR, STEP_BYTES * rest)

    @property
    def column(self) -> int:
        """Elements from one step to the next in a panel."""
        return self.group * self.instance.a_k

    def of_filter(self, step: int, v: int) -> int:
        """Bytes to the step's vector ``v`` of B."""
        return step * self.element_bytes * self.instance.b_row + v * VECTOR

    def products(self, stage: int) -> None:
        first = OPERANDS + stage * (self.fours + self.used)
        self.update([first + i for i in range(self.fours)], first + self.fours)

    def update(self, columns: list[int], b: int) -> None:
        """One rank-1 update of every accumulator."""
        for index, column in enumerate(columns):
            for v in range(self.used):
                self.multiply(index * self.used + v, column, b + v)

    def multiply(self, accumulator: int, column: int, b: int) -> None:
        self.emit(f"xvf32gerpp {accumulator}, {column}, {b}")

    def row_segment(self, segment: Segment) -> None:
        """Four steps of four rows at a time, transposed; single ones where channels are apart."""
        scattered = self.instance.a_k != 1
        group = STEP_BYTES if scattered else VECTOR
        groups, rest = divmod(self.element_bytes * segment.length, group)
        if groups > 1:
            self.immediate(COUNTER, groups)
            self.emit("1:")
            self.row_group(segment, group, scattered)
            self.count_down(COUNTER, 1)
        elif groups:
            self.row_group(segment, group, scattered)
        if rest:
            self.row_group(segment, rest, scattered)

    def row_group(self, segment: Segment, size: int, scattered: bool) -> None:
        """Steps of ``size`` bytes of a row: columns of A to registers [32, 32 + 4 * fours), then row after
        row of B."""
        b, count = OPERANDS + LANES * self.fours, -(-size // STEP_BYTES)
        spare = list(range(b, self.registers))
        columns: list[list[int]] = [[] for _ in range(count)]
        if size < VECTOR and (size != STEP_BYTES or not scattered):
            self.length(size)
        for index in range(self.fours):
            into = OPERANDS + index * LANES
            loaded = [into + i for i in range(LANES)]
            for m, register in enumerate(loaded, index * LANES):
                if not segment.first <= m < segment.last:
                    # Rows the segment leaves out are zero; those beyond the tile are never stored.
                    self.emit(f"xxlxor {register}, {register}, {register}")
                    continue
                if scattered and size == STEP_BYTES:
                    self.emit(f"lxvwsx {register}, {ROWS[m]}, {INDEX}")
                elif size == VECTOR:
                    self.emit(f"lxvx {register}, {ROWS[m]}, {INDEX}")
                else:
                    self.emit(f"add {SCRATCH}, {ROWS[m]}, {INDEX}")
                    self.emit(f"lxvl {register}, {SCRATCH}, {LENGTH}")
                self.prepare(register)
            self.transpose(loaded, spare)
            for step in range(count):
                columns[step].append(into + step)
        if scattered:
            self.advance_bytes(INDEX, INDEX, STEP_BYTES * self.instance.a_k)
        else:
            self.emit(f"addi {INDEX}, {INDEX}, {STEP_BYTES * count}")
        self.row_products(columns, spare)

    def prepare(self, register: int) -> None:
        """What is done to a vector of A's rows when it is loaded."""

    def row_products(self, columns: list[list[int]], spare: list[int]) -> None:
        """B's rows go round the spare registers, each loaded while the one before is at work."""
        stages = max(1, min(len(columns), len(spare) // self.used))
        for step in range(stages - 1):
            self.load_row(spare[step * self.used], step)
        for step, column in enumerate(columns):
            ahead = step + stages - 1
            if ahead < len(columns):
                self.load_row(spare[ahead % stages * self.used], ahead)
            self.update(column, spare[step % stages * self.used])
        self.advance(B_AT, B_AT, len(columns) * self.instance.b_row)

    def load_row(self, register: int, step: int) -> None:
        for v in range(self.used):
            self.load(register + v, B_AT, self.of_filter(step, v))

    def transpose(self, rows: list[int], spare: list[int]) -> None:
        """Four vectors of four channels of a row each become four vectors of one channel of four rows."""
        high_32, high_10, low_32, low_10 = spare[:4]
        r0, r1, r2, r3 = rows
        self.emit(f"xxmrghw {high_32}, {r3}, {r2}")
        self.emit(f"xxmrghw {high_10}, {r1}, {r0}")
        self.emit(f"xxmrglw {low_32}, {r3}, {r2}")
        self.emit(f"xxmrglw {low_10}, {r1}, {r0}")
        # The high words hold the last channels.
        self.emit(f"xxpermdi {r0}, {low_32}, {low_10}, 3")
        self.emit(f"xxpermdi {r1}, {low_32}, {low_10}, 0")
        self.emit(f"xxpermdi {r2}, {high_32}, {high_10}, 3")
        self.emit(f"xxpermdi {r3}, {high_32}, {high_10}, 0")


def emitter(isa: Isa, instance: KernelInstance) -> PowerKernel:
    """Depthwise kernels are VSX's."""
    return VsxKernel(VSX, instance) if instance.kernel.layout == DEPTHWISE else MmaKernel(isa, instance)


MMA = Isa(
    name="mma",
    arch="powerpc64le",
    features=frozenset({"mma", "vsx", "power10-vector", "isa-v31-instructions"}),
    vector_bits=128,
    vector_registers=REGISTERS,
    engine=MatrixTiles(),
    emitter=emitter,
    cpus=(Cpu("llvm -mtriple=powerpc64le-linux-gnu -mcpu=pwr10", "power10"),),
    loop=PeakLoop(("xvf32gerpp {c}, {a}, {b}",), 16, 8, MMA_LOOP, "xvf32gerpp"),
    epilogue_registers=2,
    most_rows=8,
)
