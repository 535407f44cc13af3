"""AArch64 micro-kernels of 8-bit integers by dot products: each lane adds four products of bytes.

An element of A is four channels of a row, so that the kernels are those of float32 with a group of channels
in the place of one: rows by element, 16 channels of each row per load, or panels of columns of groups.
"""

from __future__ import annotations

from intrinsics.microkernel import PANEL, KernelInstance

from .base import REGISTERS
from .bytes import SIGN, NeonBytes
from .pipelined import NeonPipelined

MNEMONICS = {("s8", "s8"): "sdot", ("u8", "u8"): "udot", ("u8", "s8"): "sudot", ("s8", "u8"): "usdot"}
"""By what A and B hold when they are multiplied; B is the instruction's first operand."""
SIGN_REGISTER = REGISTERS - 1


class NeonDotKernel(NeonBytes, NeonPipelined):
    """Emits one kernel instance."""

    def __init__(self, instance: KernelInstance) -> None:
        super().__init__(instance)
        _, lhs, rhs = self.kernel.types.split("_")
        self.moves = lhs == self.isa.moves and self.kernel.layout != PANEL
        self.mnemonic = MNEMONICS["s8" if self.moves else lhs, rhs]
        self.registers -= self.moves

    def start_tile(self) -> None:
        if self.moves:
            self.emit(f"movi v{SIGN_REGISTER}.16b, #{SIGN}")
        super().start_tile()

    def prepare(self, register: int) -> None:
        if self.moves:
            self.emit(f"eor v{register}.16b, v{register}.16b, v{SIGN_REGISTER}.16b")

    def multiply(self, m: int, v: int, b: int, a: tuple[int, int]) -> None:
        register, lane = a
        self.emit(f"{self.mnemonic} v{self.accumulator(m, v)}.4s, v{b}.16b, v{register}.4b[{lane}]")
