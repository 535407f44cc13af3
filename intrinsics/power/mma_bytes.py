"""POWER10 micro-kernels of 8-bit integers: rank-4 updates of 4x4 accumulators (xvi8ger4pp).

The instruction multiplies signed bytes of its first operand by unsigned ones of its second: filters by
activations, so that an accumulator's rows are output channels. It is transposed where it becomes vector
registers, and where it ceases to be.
"""

from __future__ import annotations

import math

from intrinsics.emit.byte_tile import rows_of_equal_bias, vectors_stored_together
from intrinsics.microkernel import PANEL, KernelInstance

from .mma import OPERANDS, VECTOR, MmaKernel
from .vsx import BIAS, LANES, RESIDUAL, SCRATCH, C

SCALE = RESIDUAL
LOW, HIGH, ZERO = range(OPERANDS, OPERANDS + 3)
WORK = 36
"""Four registers for vectors of a row that are stored together."""
SCALES = 40
"""One register for each of a row's vectors."""
SIGN = 63
ALTIVEC = 32
"""Altivec's registers are the vector registers from this one on."""


class MmaBytesKernel(MmaKernel):
    """Emits one kernel instance."""

    element_bytes = 1

    def __init__(self, instance: KernelInstance) -> None:
        super().__init__(instance)
        self.moves = self.kernel.lhs == "s8" and self.kernel.layout != PANEL
        self.registers -= self.moves

    def multiply(self, accumulator: int, column: int, b: int) -> None:
        self.emit(f"xvi8ger4pp {accumulator}, {b}, {column}")

    def prepare(self, register: int) -> None:
        """Signed activations are moved by 128."""
        if self.moves:
            self.emit(f"xxlxor {register}, {register}, {SIGN}")

    def start_tile(self) -> None:
        """Accumulators start from the bias or from zero."""
        for v in range(self.used):
            for rows, at in rows_of_equal_bias(self.instance):
                if self.instance.epilogue.bias:
                    self.load_channels(OPERANDS, BIAS, 4 * (at + v * LANES), v)
                else:
                    self.emit(f"xxlxor {OPERANDS}, {OPERANDS}, {OPERANDS}")
                for m in rows:
                    self.emit(f"xxlor {self.accumulator(m, v)}, {OPERANDS}, {OPERANDS}")
        if self.moves:
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
        if destination != "i32":
            self.prepare_scaling()
        for m in range(self.rows):
            for vectors, count in vectors_stored_together(instance, m, LANES):
                if destination in ("u8", "s8"):
                    self.narrow(m, vectors)
                    at = instance.c_offset(m, vectors[0] * LANES)
                    if count == VECTOR:
                        self.emit(f"stxv {WORK}, {self.address(C, at)}")
                    else:
                        self.store_some(WORK, C, at, count)
                    continue
                for v in vectors:
                    if destination == "f32":
                        self.scale(self.accumulator(m, v), v)
                    self.store_channels(self.accumulator(m, v), C, 4 * instance.c_offset(m, v * LANES), v)

    def narrow(self, m: int, vectors: range) -> None:
        """A row's vectors as bytes, in the first work register."""
        work = [WORK + index for index in range(len(vectors))]
        for into, v in zip(work, vectors, strict=True):
            acc = self.accumulator(m, v)
            self.scale(acc, v)
            self.emit(f"xvrspic {acc}, {acc}")
            self.emit(f"xvcvspsxws {into}, {acc}")
            if self.instance.zero:
                self.altivec("vadduwm", into, into, ZERO)
        for pack in ("vpkuwum", "vpkuhum"):
            pairs = [work[i : i + 2] for i in range(0, len(work), 2)]
            for pair in pairs:
                self.altivec(pack, pair[0], pair[-1], pair[0])
            work = [pair[0] for pair in pairs]

    def prepare_scaling(self) -> None:
        """What the epilogue keeps in registers."""
        instance, epilogue = self.instance, self.instance.epilogue
        for bound, register in ((epilogue.low, LOW), (epilogue.high, HIGH)):
            if not math.isinf(bound):
                self.constant(bound, register)
        if instance.zero:
            self.emit(f"li {SCRATCH}, {instance.zero}")
            self.emit(f"mtvsrws {ZERO}, {SCRATCH}")
        for v in range(self.used):
            self.load_channels(SCALES + v, SCALE, v * VECTOR, v)

    def scale(self, register: int, v: int) -> None:
        """A vector of sums as floats of the output's unit, clipped."""
        epilogue = self.instance.epilogue
        self.emit(f"xvcvsxwsp {register}, {register}")
        self.emit(f"xvmulsp {register}, {register}, {SCALES + v}")
        if epilogue.low != -math.inf:
            self.emit(f"xvmaxsp {register}, {register}, {LOW}")
        if epilogue.high != math.inf:
            self.emit(f"xvminsp {register}, {register}, {HIGH}")

    def altivec(self, operation: str, *registers: int) -> None:
        """An instruction that has half of the vector registers only."""
        self.emit(f"{operation} {', '.join(str(register - ALTIVEC) for register in registers)}")
