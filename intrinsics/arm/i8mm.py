"""AArch64 micro-kernels of 8-bit integers by matrix multiplications of 2x8 by 8x2 bytes.

A panel's vector holds eight channels of two rows, B's eight input channels of two outputs; an accumulator is
a tile of two by two, row after row. Signed activations by unsigned filters take the operands in the other
order, which is the only one the instruction of mixed signs has, and gives the accumulator transposed.
"""

from __future__ import annotations

from collections.abc import Callable

from intrinsics.engines import PairsOfRows
from intrinsics.instruction_set import Cpu, Isa
from intrinsics.microkernel import PANEL, KernelInstance, Segment
from intrinsics.peak_loop import PeakLoop

from .bytes import EITHER, EPILOGUE_REGISTERS, NeonBytes
from .neon_base import REGISTERS, ROWS, VECTOR
from .peak import NEON_LOOP
from .pipelined import NeonPipelined

MNEMONICS = {("s8", "s8"): "smmla", ("u8", "u8"): "ummla", ("u8", "s8"): "usmmla", ("s8", "u8"): "usmmla"}


class NeonMatrix(NeonPipelined):
    """What kernels by such instructions share; they multiply 16 bytes, of two rows each."""

    def __init__(self, isa: Isa, instance: KernelInstance) -> None:
        super().__init__(isa, instance)
        self.b_vectors = 2 * self.used

    @property
    def pairs(self) -> int:
        return -(-self.rows // 2)

    @property
    def accumulator_registers(self) -> int:
        return self.pairs * 2 * self.used

    def accumulator(self, m: int, v: int) -> int:
        return 2 * (m // 2 * self.used + v) + m % 2

    @property
    def a_registers(self) -> int:
        return self.pairs

    def rows_of(self, segment: Segment) -> range:
        return range(self.pairs)

    def load_panel(self, step: int) -> Callable[[int], tuple[int, int]]:
        """Pairs of rows; of an odd number, the last pair's second row is zero."""
        at = step * self.element_bytes * self.column
        for pair in range(self.rows // 2):
            self.load("q", self.free + pair, ROWS[0], at + pair * VECTOR)
        if self.rows % 2:
            self.load("d", self.free + self.pairs - 1, ROWS[0], at + (self.pairs - 1) * VECTOR)
        return lambda pair: (self.free + pair, 0)

    def turn(self, mnemonics: tuple[str, str] = ("zip1", "zip2"), lanes: str = "2d") -> None:
        """Make rows of the tile of accumulators of two by two, or the other way round."""
        for pair in range(self.pairs):
            for v in range(self.used):
                x, y = (self.accumulator(2 * pair + i, v) for i in range(2))
                self.emit(f"{mnemonics[0]} v{self.free}.{lanes}, v{x}.{lanes}, v{y}.{lanes}")
                self.emit(f"{mnemonics[1]} v{y}.{lanes}, v{x}.{lanes}, v{y}.{lanes}")
                self.emit(f"mov v{x}.16b, v{self.free}.16b")


class NeonMatrixKernel(NeonMatrix, NeonBytes):
    """Emits one kernel instance."""

    def __init__(self, isa: Isa, instance: KernelInstance) -> None:
        super().__init__(isa, instance)
        _, lhs, rhs = self.kernel.types.split("_")
        self.mnemonic, self.transposed = MNEMONICS[lhs, rhs], (lhs, rhs) == ("s8", "u8")

    def start_tile(self) -> None:
        self.clear(range(self.free))

    def multiply(self, m: int, v: int, b: int, a: tuple[int, int]) -> None:
        first, second = (b, a[0]) if self.transposed else (a[0], b)
        self.emit(f"{self.mnemonic} v{m * self.b_vectors + v}.4s, v{first}.16b, v{second}.16b")

    def finish_tile(self) -> None:
        self.turn(*((("uzp1", "uzp2"), "4s") if self.transposed else ()))
        self.add_bias()
        super().finish_tile()


NEONI8MM = Isa(
    name="neoni8mm",
    arch="aarch64",
    features=frozenset({"neon", "i8mm"}),
    vector_bits=128,
    vector_registers=REGISTERS,
    engine=PairsOfRows(),
    emitter=NeonMatrixKernel,
    cpus=(Cpu("llvm -mtriple=aarch64-linux-gnu -mattr=+dotprod,+i8mm", "max"),),
    loop=PeakLoop(("smmla {c}.4s, {a}.16b, {b}.16b",), 32, 24, NEON_LOOP, "(s|u|us)mmla"),
    epilogue_registers=EPILOGUE_REGISTERS,
    layouts=(PANEL,),
    lhs=EITHER,
    rhs=EITHER,
    channels_per_multiply=8,
)
"""Each accumulator adds the product of a 2x8 and an 8x2 matrix (smmla, ummla, usmmla)."""
