"""POWER10 micro-kernels of half precision: rank-2 updates of 4x4 accumulators (xvbf16ger2pp, xvf16ger2pp).

An element of A is a pair of a row's channels, so that rows and panels are those of float32 with a pair in the
place of one. Two products are summed before they are added to the accumulator; each of these sums is rounded
once, to float32. Depthwise kernels are VSX's, which convert as they load and store.
"""

from __future__ import annotations

from dataclasses import replace

from intrinsics.emit.short_vectors import LANES
from intrinsics.instruction_set import Isa
from intrinsics.microkernel import DEPTHWISE, KernelInstance
from intrinsics.peak_loop import PeakLoop

from .mma import MMA, MmaKernel
from .partial import Power9Kernel
from .peak import MMA_LOOP
from .registers import SCRATCH, A, B, C
from .steps import ALTIVEC
from .vsx import REGISTERS, VsxKernel

WORK = REGISTERS - 1
"""This register holds halves that are converted; instructions that move them have half of the registers."""
UPDATES = {"bf16": "xvbf16ger2pp", "f16": "xvf16ger2pp"}
TO_FLOAT32 = {"bf16": "xvcvbf16spn", "f16": "xvcvhpsp"}
FROM_FLOAT32 = {"bf16": "xvcvspbf16", "f16": "xvcvsphp"}
"""What is converted is in the second half of each word, and so is what it becomes."""


class PowerHalves(Power9Kernel):
    """Operands and results of half precision, sums of float32."""

    element_bytes, registers = 2, WORK

    def load_result(self, register: int, pointer: str, m: int, v: int) -> None:
        if self.kernel.destination == "f32":
            super().load_result(register, pointer, m, v)
        else:
            at = self.result_at(pointer, m, v)
            self.load_halves(register, pointer, at, self.tail if self.is_tail(v) else LANES)

    def load_halves(self, register: int, pointer: str, at: int, count: int) -> None:
        """Up to four consecutive elements as float32."""
        if count == LANES:
            self.advance(SCRATCH, pointer, at)
            self.emit(f"lxsdx {WORK}, 0, {SCRATCH}")
        else:
            self.load_some(WORK, pointer, 2 * at, 2 * count)
        # A whole load is to the first doubleword, a part is at the vector's end.
        self.emit(f"vmrg{'h' if count == LANES else 'l'}h {', '.join(3 * [str(WORK - ALTIVEC)])}")
        self.emit(f"{TO_FLOAT32[self.kernel.lhs]} {register}, {WORK}")

    def store_result(self, register: int, m: int, v: int) -> None:
        if self.kernel.destination == "f32":
            super().store_result(register, m, v)
            return
        at = self.result_at(C, m, v)
        self.emit(f"{FROM_FLOAT32[self.kernel.lhs]} {WORK}, {register}")
        self.emit(f"vpkuwum {', '.join(3 * [str(WORK - ALTIVEC)])}")
        if self.is_tail(v):
            self.store_some(WORK, C, 2 * at, 2 * self.tail)
        else:
            self.advance(SCRATCH, C, at)
            self.emit(f"stxsdx {WORK}, 0, {SCRATCH}")


class MmaHalvesKernel(PowerHalves, MmaKernel):
    """Emits one kernel instance of layout row or panel."""

    def multiply(self, accumulator: int, column: int, b: int) -> None:
        self.emit(f"{UPDATES[self.kernel.lhs]} {accumulator}, {column}, {b}")


class VsxHalvesKernel(PowerHalves, VsxKernel):
    """Emits one kernel instance of layout dw."""

    def load_tap(self, register: int, b: int, v: int) -> None:
        self.load_halves(register, B, b + v * LANES, LANES)

    def load_pixel(self, register: int, a: int, v: int) -> None:
        self.load_halves(register, A, a + v * LANES, self.tail if self.is_tail(v) else LANES)


def emitter(isa: Isa, instance: KernelInstance) -> PowerHalves:
    """Choose the emitter; depthwise kernels, which do not multiply rows by lanes, have VSX's."""
    return (VsxHalvesKernel if instance.kernel.layout == DEPTHWISE else MmaHalvesKernel)(isa, instance)


MMAHALVES = replace(
    MMA,
    name="mmahalves",
    emitter=emitter,
    loop=PeakLoop(("xvbf16ger2pp {c}, {a}, {b}",), 32, 8, MMA_LOOP, "xvb?f16ger2pp"),
    epilogue_registers=3,
    lhs=("bf16", "f16"),
    rhs=("bf16", "f16"),
    channels_per_multiply=2,
)
"""Each accumulator adds a rank-2 update of halves (xvbf16ger2pp, xvf16ger2pp)."""
