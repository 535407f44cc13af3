"""POWER10 micro-kernels of 8-bit integers: rank-4 updates of 4x4 accumulators (xvi8ger4pp).

The instruction multiplies signed bytes of its first operand by unsigned ones of its second: filters by
activations, so that an accumulator's rows are output channels. It is transposed where it becomes vector
registers, and where it ceases to be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from intrinsics.emit.byte_tile import (
    rows_of_equal_bias,
    scales_behind_bias,
    steps_behind_scale,
    vectors_stored_together,
)
from intrinsics.emit.short_vectors import LANES
from intrinsics.emit.steps import Help, Steps
from intrinsics.epilogue import Step
from intrinsics.instruction_set import Isa
from intrinsics.microkernel import PANEL, ROW, KernelInstance
from intrinsics.peak_loop import PeakLoop

from .mma import MMA, OPERANDS, MmaKernel
from .partial import VECTOR
from .peak import MMA_LOOP
from .registers import BIAS, RESIDUAL, SCRATCH, C
from .steps import ALTIVEC
from .vsx import REGISTERS

SCALE = RESIDUAL
ZERO = OPERANDS + 2
"""This register holds the zero point; the two before it, and those behind the scales, are for steps."""
WORK = 36
"""Four registers from this one on hold vectors of a row that are stored together."""
SCALES = 40
"""Eight registers from this one on hold the scales, one for each of a row's vectors."""
SCALES_END = 48
SIGN = 63


class MmaBytesKernel(MmaKernel):
    """Emits one kernel instance."""

    element_bytes = 1

    def __init__(self, isa: Isa, instance: KernelInstance) -> None:
        super().__init__(isa, instance)
        self.offsets = bool(isa.lhs_offset(self.kernel.lhs)) and self.kernel.layout != PANEL
        """This says whether activations are moved by 128."""
        self.registers -= self.offsets

    def multiply(self, accumulator: int, column: int, b: int) -> None:
        self.emit(f"xvi8ger4pp {accumulator}, {b}, {column}")

    def prepare(self, register: int) -> None:
        """Signed activations are moved by 128."""
        if self.offsets:
            self.emit(f"xxlxor {register}, {register}, {SIGN}")

    def start_tile(self) -> None:
        """Accumulators start from the bias or from zero."""
        for v in range(self.used):
            for rows, at in rows_of_equal_bias(self.instance):
                if self.instance.epilogue.bias:
                    self.load_channels(OPERANDS, BIAS, 4 * (at + v * LANES), v)
                else:
                    self.clear([OPERANDS])
                for m in rows:
                    self.emit(f"xxlor {self.accumulator(m, v)}, {OPERANDS}, {OPERANDS}")
        if self.offsets:
            self.emit(f"xxspltib {SIGN}, 128")

    def walk_taps(self) -> None:
        self.turn()
        super().walk_taps()
        self.turn()

    def turn(self) -> None:
        """Transpose every accumulator, as four vector registers."""
        for first in range(0, 4 * self.fours * self.used, LANES):
            rows = [first + LANES - 1 - i for i in range(LANES)]
            self.transpose(rows, list(range(OPERANDS, OPERANDS + 4)))

    def finish_tile(self) -> None:
        instance, destination = self.instance, self.kernel.destination
        steps = self.steps_of_bytes()
        if destination != "i32":
            self.prepare_scaling(steps)
        for m in range(self.rows):
            for vectors, count in vectors_stored_together(instance, m, LANES):
                if destination in ("u8", "s8"):
                    self.narrow(m, vectors, steps)
                    at = instance.c_offset(m, vectors[0] * LANES)
                    if count == VECTOR:
                        self.emit(f"stxv {WORK}, {self.address(C, at)}")
                    else:
                        self.store_some(WORK, C, at, count)
                    continue
                for v in vectors:
                    if destination == "f32":
                        self.scale(self.accumulator(m, v), m, v, steps)
                    self.store_channels(self.accumulator(m, v), C, 4 * instance.c_offset(m, v * LANES), v)

    def narrow(self, m: int, vectors: range, steps: Steps[int]) -> None:
        """A row's vectors as bytes, in the first work register."""
        work = [WORK + index for index in range(len(vectors))]
        for into, v in zip(work, vectors, strict=True):
            acc = self.accumulator(m, v)
            self.scale(acc, m, v, steps)
            self.emit(f"xvrspic {acc}, {acc}")
            self.emit(f"xvcvspsxws {into}, {acc}")
            if self.instance.zero:
                self.altivec("vadduwm", into, into, ZERO)
        for pack in ("vpkuwum", "vpkuhum"):
            pairs = [work[i : i + 2] for i in range(0, len(work), 2)]
            for pair in pairs:
                self.altivec(pack, pair[0], pair[-1], pair[0])
            work = [pair[0] for pair in pairs]

    def steps_of_bytes(self) -> Steps[int]:
        lasting = [*range(OPERANDS, ZERO), *range(SCALES_END, REGISTERS)]
        return self.steps_in(lasting, [] if self.instance.zero else [ZERO])

    @property
    def steps_taken(self) -> Sequence[Step]:
        return steps_behind_scale(self.instance)

    def spares(self, kinds: set[str]) -> int:
        return 2 if "add_residual" in kinds else super().spares(kinds)

    def add_residual(self, target: int, value: int, help: Help[int]) -> None:
        """A residual's bytes are of C's type."""
        (m, v), (term, zero) = help.place, help.spares
        count = self.tail if self.is_tail(v) else LANES
        self.load_some(term, RESIDUAL, self.instance.c_offset(m, v * LANES), count)
        if self.kernel.destination == "u8":
            self.emit(f"xxlxor {zero}, {zero}, {zero}")
            self.altivec("vmrglb", term, zero, term)
            self.altivec("vmrglh", term, zero, term)
        else:
            self.altivec("vupklsb", term, term)
            self.altivec("vupklsh", term, term)
        self.emit(f"xvcvsxwsp {term}, {term}")
        self.arithmetic("add", target, value, term)

    def extreme(self, kind: str, target: int, a: int, b: int) -> None:
        """Write the larger or smaller operand; sums of integers are never NaN, which it would have to
        keep."""
        self.arithmetic(kind, target, a, b)

    def prepare_scaling(self, steps: Steps[int]) -> None:
        """Fill the registers that the epilogue keeps."""
        steps.prepare()
        if self.instance.zero:
            self.emit(f"li {SCRATCH}, {self.instance.zero}")
            self.emit(f"mtvsrws {ZERO}, {SCRATCH}")
        behind = scales_behind_bias(self.instance)
        scales, at = (SCALE, 0) if behind is None else (BIAS, 4 * behind)
        for v in range(self.used):
            self.load_channels(SCALES + v, scales, at + v * VECTOR, v)

    def scale(self, register: int, m: int, v: int, steps: Steps[int]) -> None:
        """A vector of sums as floats of the output's unit, after the steps."""
        self.emit(f"xvcvsxwsp {register}, {register}")
        self.emit(f"xvmulsp {register}, {register}, {SCALES + v}")
        steps.apply((register, (m, v)))

    def altivec(self, operation: str, *registers: int) -> None:
        """An instruction that has half of the vector registers only."""
        self.emit(f"{operation} {', '.join(str(register - ALTIVEC) for register in registers)}")


MMABYTES = replace(
    MMA,
    name="mmabytes",
    emitter=MmaBytesKernel,
    loop=PeakLoop(("xvi8ger4pp {c}, {a}, {b}",), 64, 8, MMA_LOOP, "xvi8ger4pp"),
    layouts=(ROW, PANEL),
    lhs=("u8", "s8"),
    rhs=("s8",),
    lhs_offset_by_128="s8",
    channels_per_multiply=4,
)
"""Each accumulator adds a rank-4 update of unsigned by signed bytes (xvi8ger4pp)."""
