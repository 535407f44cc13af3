"""AArch64 micro-kernels of bfloat16 by FEAT_BF16: each lane adds two products (bfdot, rows by element), or
each accumulator the product of a 2x4 and a 4x2 matrix (bfmmla, panels).

The instructions round by rules of their own: products are exact; a sum is rounded to odd, which is off by
less than one unit in the last place, where rounding to nearest is by half of one; denormals are taken for
zeros and become zeros (Arm Architecture Reference Manual, BFDotAdd; CPUs with FEAT_EBF16 do the same unless
told otherwise). Depthwise kernels multiply in float32.
"""

from __future__ import annotations

from dataclasses import replace

from intrinsics.engines import PairsOfRows
from intrinsics.instruction_set import Cpu, Isa
from intrinsics.microkernel import DEPTHWISE, PANEL, ROW, KernelInstance
from intrinsics.peak_loop import PeakLoop

from .halves import NEONHALVES, NeonHalves, NeonWidened
from .i8mm import NeonMatrix
from .peak import NEON_LOOP
from .pipelined import NeonPipelined

ROUNDED_TO_ODD = 2.0**-23


class NeonDotHalves(NeonHalves, NeonPipelined):
    """Emits one kernel instance of layout row."""

    def multiply(self, m: int, v: int, b: int, a: tuple[int, int]) -> None:
        register, lane = a
        self.emit(f"bfdot v{self.accumulator(m, v)}.4s, v{b}.8h, v{register}.2h[{lane}]")


class NeonMatrixHalves(NeonMatrix, NeonHalves):
    """Emits one kernel instance of layout panel."""

    def start_tile(self) -> None:
        super().start_tile()
        self.turn()

    def multiply(self, m: int, v: int, b: int, a: tuple[int, int]) -> None:
        self.emit(f"bfmmla v{m * self.b_vectors + v}.4s, v{a[0]}.8h, v{b}.8h")

    def finish_tile(self) -> None:
        self.turn()
        super().finish_tile()


def emitter(isa: Isa, instance: KernelInstance) -> NeonHalves:
    """Depthwise kernels add no two products."""
    return (NeonWidened if instance.kernel.layout == DEPTHWISE else NeonDotHalves)(isa, instance)


NEONBF16 = replace(
    NEONHALVES,
    name="neonbf16",
    features=frozenset({"neon", "bf16"}),
    emitter=emitter,
    cpus=(Cpu("llvm -mtriple=aarch64-linux-gnu -mattr=+bf16", "max"),),
    loop=PeakLoop(("bfdot {c}.4s, {a}.8h, {b}.2h[0]",), 8, 24, NEON_LOOP, "bfdot"),
    epilogue_registers=1,
    layouts=(ROW, DEPTHWISE),
    lhs=("bf16",),
    rhs=("bf16",),
    channels_per_multiply=2,
    roundoff=ROUNDED_TO_ODD,
    widening=0,
)
"""Each lane adds two products of bfloat16 (bfdot)."""
NEONBFMMLA = replace(
    NEONBF16,
    name="neonbfmmla",
    engine=PairsOfRows(),
    emitter=NeonMatrixHalves,
    loop=PeakLoop(("bfmmla {c}.4s, {a}.8h, {b}.8h",), 16, 24, NEON_LOOP, "bfmmla"),
    layouts=(PANEL,),
    groups=(),
    multipliers=(),
    channels_per_multiply=4,
)
"""Each accumulator adds the product of a 2x4 and a 4x2 matrix of bfloat16 (bfmmla)."""
