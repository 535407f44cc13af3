"""AArch64 Neon micro-kernels of float32: fused multiply-adds by element."""

from __future__ import annotations

from intrinsics.engines import ByElement
from intrinsics.instruction_set import Cpu, Isa
from intrinsics.microkernel import DEPTHWISE, Segment
from intrinsics.peak_loop import PeakLoop

from .base import BIAS, LANES, REGISTERS, ROWS, SCRATCH, C
from .peak import NEON_LOOP
from .pipelined import NeonPipelined


class NeonKernel(NeonPipelined):
    """Emits one kernel instance."""

    def start_tile(self) -> None:
        """Accumulators start from C, from the bias, or from zero."""
        instance, epilogue = self.instance, self.instance.epilogue
        for v in range(self.used):
            if epilogue.bias and not instance.bias_by_row:
                self.load_channels(self.free, BIAS, 4 * v * LANES, v)
            for m in range(self.rows):
                acc = self.accumulator(m, v)
                if instance.accumulate:
                    self.load_channels(acc, C, 4 * instance.c_offset(m, v * LANES), v)
                elif epilogue.bias and instance.bias_by_row:
                    self.emit(f"add {SCRATCH}, {BIAS}, #{4 * m}")
                    self.emit(f"ld1r {{v{acc}.4s}}, [{SCRATCH}]")
                elif epilogue.bias:
                    self.emit(f"mov v{acc}.16b, v{self.free}.16b")
                else:
                    self.emit(f"movi v{acc}.4s, #0")

    def finish_tile(self) -> None:
        others = [register for register in range(self.free, REGISTERS) if register != self.residual]
        steps = self.steps_in(others, [] if self.instance.epilogue.residual else [self.residual])
        steps.prepare()
        places = ((m, v) for m in range(self.rows) for v in range(self.used))
        for (m, v), acc in zip(places, steps.elements(), strict=True):
            steps.apply(acc, (m, v))
            self.store_channels(acc, C, 4 * self.instance.c_offset(m, v * LANES), v)

    def multiply(self, m: int, v: int, b: int, a: tuple[int, int]) -> None:
        register, lane = a
        self.emit(f"fmla v{self.accumulator(m, v)}.4s, v{b}.4s, v{register}.s[{lane}]")

    def walk_segment(self, segment: Segment) -> None:
        if self.kernel.layout != DEPTHWISE:
            super().walk_segment(segment)
            return
        self.point_to(segment)
        ring = list(range(self.free + 1, min(self.registers, self.free + 1 + self.used)))
        for step in range(segment.length):
            for v in range(self.used):
                self.load_b(ring, step * self.used + v)
                for m in range(segment.first, segment.last):
                    self.load_channels(self.free, ROWS[0], 4 * (m * self.instance.a_row + v * LANES), v)
                    acc, b = self.accumulator(m, v), ring[(step * self.used + v) % len(ring)]
                    self.emit(f"fmla v{acc}.4s, v{self.free}.4s, v{b}.4s")


NEON = Isa(
    name="neon",
    arch="aarch64",
    features=frozenset({"neon"}),
    vector_bits=128,
    vector_registers=REGISTERS,
    engine=ByElement(),
    emitter=NeonKernel,
    cpus=(Cpu("llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a57", "cortex-a57"),),
    loop=PeakLoop(("fmla {c}.4s, {b}.4s, {a}.s[0]",), 4, 24, NEON_LOOP, "fmla"),
    epilogue_registers=1,
    most_rows=len(ROWS),
)
