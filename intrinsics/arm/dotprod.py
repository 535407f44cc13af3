"""AArch64 micro-kernels of 8-bit integers by dot products: each lane adds four products of bytes.

An element of A is four channels of a row, so that the kernels are those of float32 with a group of channels
in the place of one: rows by element, 16 channels of each row per load, or panels of columns of groups.
"""

from __future__ import annotations

from dataclasses import replace

from intrinsics.engines import ByElement
from intrinsics.instruction_set import Cpu, Isa
from intrinsics.microkernel import PANEL, ROW, KernelInstance
from intrinsics.peak_loop import PeakLoop

from .bytes import EITHER, EPILOGUE_REGISTERS, SIGN, SIGNED, UNSIGNED, NeonBytes
from .neon import NEON
from .neon_base import REGISTERS
from .peak import NEON_LOOP
from .pipelined import NeonPipelined

MNEMONICS = {("s8", "s8"): "sdot", ("u8", "u8"): "udot", ("u8", "s8"): "sudot", ("s8", "u8"): "usdot"}
"""What A and B hold when they are multiplied gives the mnemonic, of which B is the first operand."""
SIGN_REGISTER = REGISTERS - 1


class NeonDotKernel(NeonBytes, NeonPipelined):
    """Emits one kernel instance."""

    def __init__(self, isa: Isa, instance: KernelInstance) -> None:
        super().__init__(isa, instance)
        _, lhs, rhs = self.kernel.types.split("_")
        self.offsets = bool(isa.lhs_offset(lhs)) and self.kernel.layout != PANEL
        """This says whether activations are moved by 128."""
        self.mnemonic = MNEMONICS["s8" if self.offsets else lhs, rhs]
        self.registers -= self.offsets

    def start_tile(self) -> None:
        if self.offsets:
            self.emit(f"movi v{SIGN_REGISTER}.16b, #{SIGN}")
        super().start_tile()

    def prepare(self, register: int) -> None:
        if self.offsets:
            self.emit(f"eor v{register}.16b, v{register}.16b, v{SIGN_REGISTER}.16b")

    def multiply(self, m: int, v: int, b: int, a: tuple[int, int]) -> None:
        register, lane = a
        self.emit(f"{self.mnemonic} v{self.accumulator(m, v)}.4s, v{b}.16b, v{register}.4b[{lane}]")


NEONMIXED = replace(
    NEON,
    name="neonmixed",
    features=frozenset({"neon", "dotprod", "i8mm"}),
    emitter=NeonDotKernel,
    cpus=(Cpu("llvm -mtriple=aarch64-linux-gnu -mattr=+dotprod,+i8mm", "max"),),
    loop=PeakLoop(("sudot {c}.4s, {a}.16b, {b}.4b[0]",), 16, 24, NEON_LOOP, "(s|u|su|us)dot"),
    epilogue_registers=EPILOGUE_REGISTERS,
    layouts=(ROW,),
    lhs=EITHER,
    rhs=EITHER,
    channels_per_multiply=4,
)
"""Each lane sums four products of bytes of any signs (sdot, udot, sudot, usdot)."""
NEONDOT = replace(
    NEONMIXED,
    name="neondot",
    features=frozenset({"neon", "dotprod"}),
    engine=ByElement(scratch_registers=1),
    cpus=(Cpu("llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-n1", "neoverse-n1"),),
    loop=PeakLoop(("sdot {c}.4s, {a}.16b, {b}.4b[0]",), 16, 24, NEON_LOOP, "sdot"),
    layouts=(ROW, PANEL),
    rhs=SIGNED,
    lhs_offset_by_128="u8",
)
"""Each lane sums four products of signed bytes (sdot)."""
NEONUDOT = replace(
    NEONDOT,
    name="neonudot",
    engine=ByElement(),
    loop=PeakLoop(("udot {c}.4s, {a}.16b, {b}.4b[0]",), 16, 24, NEON_LOOP, "udot"),
    lhs=UNSIGNED,
    rhs=UNSIGNED,
    lhs_offset_by_128="",
)
"""Each lane sums four products of unsigned bytes (udot)."""
