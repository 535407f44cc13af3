"""AArch64 micro-kernels of float16 by FEAT_FP16: eight products at once, by element, summed in float16 over
a block of terms and then in float32.

float16 keeps 11 bits: summed in it throughout, 1000 terms are off by about a hundredth, and may overflow.
Blocks are off by about as much as operands rounded to bfloat16 are (a thousandth of the result), and never by
more than ``Isa.sum_error`` says. There are registers for sums of blocks alone; those of float32 are on the
stack while taps are walked, and get each block's by conversions, which are slow, or by FEAT_FHM's products
with one, which are sums in float32. The same multiply depthwise kernels' vectors, in float32 from the start.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from intrinsics.emit.blocks_of_terms import BLOCK, BlocksOfTerms
from intrinsics.emit.steps import Steps
from intrinsics.engines import ByElementOfHalves
from intrinsics.instruction_set import Cpu, HalfSums, Isa
from intrinsics.microkernel import DEPTHWISE, PANEL, ROW, KernelInstance, Segment
from intrinsics.peak_loop import PeakLoop

from .halves import HALF_VECTOR, NEONHALVES, NeonHalves
from .neon import NeonKernel
from .neon_base import REGISTERS, ROWS, VECTOR, A, B
from .peak import NEON_LOOP
from .pipelined import NeonPipelined

TERMS, TERMS_LONG = 64, 32
"""Products summed in float16, and the number where it costs less to add their sums to those of float32."""
BLOCKS_OF_TERMS = ROWS[-1]
"""This register counts the blocks of a long segment; no tile has as many rows as there are pointers to."""
ONE = 0x3C00


class NeonBlocks(BlocksOfTerms, NeonHalves, NeonPipelined):
    """Emits one kernel instance. Sums of blocks are in the last registers, since elements of 16 bits are
    taken of the first sixteen only."""

    step_bytes, piece = 2, 8

    def __init__(self, isa: Isa, instance: KernelInstance) -> None:
        super().__init__(isa, instance)
        self.b_vectors = -(-self.used // 2)
        self.free, self.registers = 0, REGISTERS - self.rows * self.b_vectors
        self.long = "fp16fml" in isa.features
        """This says whether there are products of float16 that are float32."""

    # ---- float32 sums, on the stack

    @property
    def sums(self) -> int:
        return self.rows * self.used

    def accumulator(self, m: int, v: int) -> int:
        """A sum passes through this register on its way to and from the stack."""
        return REGISTERS - 1

    def start_tile(self) -> None:
        self.reserve_stack(self.sums)
        super().start_tile()
        for part in range(self.registers, REGISTERS):
            self.emit(f"movi v{part}.4s, #0")

    def begun(self, m: int, v: int) -> None:
        self.spill(self.accumulator(m, v), m * self.used + v)

    def steps_in(self, lasting: Sequence[int], passing: Sequence[int], most: int = 1) -> Steps[int]:
        element = self.accumulator(0, 0)
        others = [register for register in lasting if register != element]
        return Steps(self, self.instance.epilogue.steps, others, passing, [element], self.sums, most)

    # ---- blocks

    def walk_in_blocks(self, segment: Segment, blocks: int) -> None:
        most = self.isa.half_terms
        if blocks:
            self.immediate(BLOCKS_OF_TERMS, blocks)
            self.emit(f"{BLOCK}:")
            self.walk_segment(replace(segment, length=most))
            self.add_blocks()
            self.move_by_terms(most)
            self.count_down(BLOCKS_OF_TERMS, BLOCK)
        self.walk_segment(replace(segment, length=segment.length - blocks * most))
        self.move_by_terms(-blocks * most)

    def move_by_terms(self, terms: int) -> None:
        self.advance(A, A, terms * self.instance.a_k)
        self.advance(B, B, terms * self.instance.b_row)

    def add_blocks(self) -> None:
        total, wide, one = range(3)
        if self.long:
            self.emit(f"movi v{one}.8h, #{ONE >> 8}, lsl #8")
        for m in range(self.rows):
            for v in range(self.used):
                part, second = self.part(m, v // 2), "2" if v % 2 else ""
                self.reload(total, m * self.used + v)
                if self.long:
                    self.emit(f"fmlal{second} v{total}.4s, v{part}.4h, v{one}.4h")
                else:
                    self.emit(f"fcvtl{second} v{wide}.4s, v{part}.{'8h' if second else '4h'}")
                    self.emit(f"fadd v{total}.4s, v{total}.4s, v{wide}.4s")
                self.spill(total, m * self.used + v)
        for part in range(self.registers, REGISTERS):
            self.emit(f"movi v{part}.4s, #0")

    def part(self, m: int, v: int) -> int:
        """The sum of a block of row m's eight lanes."""
        return self.registers + m * self.b_vectors + v

    def bytes_of_b(self, v: int) -> int:
        return HALF_VECTOR if 2 * v + 1 == self.used else VECTOR

    def multiply(self, m: int, v: int, b: int, a: tuple[int, int]) -> None:
        register, lane = a
        self.emit(f"fmla v{self.part(m, v)}.8h, v{b}.8h, v{register}.h[{lane}]")


class NeonLongDepthwise(NeonHalves, NeonKernel):
    """Emits one kernel instance of layout dw: products of eight halves each, in float32."""

    operand_lanes, arrangement = 8, "8h"

    def multiply_vectors(self, m: int, v: int, x: int, tap: int) -> None:
        for second, vector in (("", 2 * v), ("2", 2 * v + 1)):
            if vector < self.used:
                self.emit(f"fmlal{second} v{self.accumulator(m, vector)}.4s, v{x}.4h, v{tap}.4h")


def emitter(isa: Isa, instance: KernelInstance) -> NeonHalves:
    """Depthwise kernels are short of loads, not of multipliers, and sum in float32."""
    return (NeonLongDepthwise if instance.kernel.layout == DEPTHWISE else NeonBlocks)(isa, instance)


NEONFP16 = replace(
    NEONHALVES,
    name="neonfp16",
    features=frozenset({"neon", "fullfp16"}),
    engine=ByElementOfHalves(),
    emitter=NeonBlocks,
    cpus=(Cpu("llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-n1", "neoverse-n1"),),
    loop=PeakLoop(("fmla {c}.8h, {a}.8h, {b}.8h",), 8, 24, NEON_LOOP, "fmla"),
    epilogue_registers=1,
    most_rows=len(ROWS) - 1,
    layouts=(ROW, PANEL),
    groups=(),
    multipliers=(),
    lhs=("f16",),
    rhs=("f16",),
    half_sums=HalfSums(TERMS, sum_cost=6.0, part_cost=0.5),
    widening=0,
)
"""Eight products are summed in float16, blocks of them in float32 (fmla, fcvtl). What adding a block takes is
llvm-mca's, of Neoverse N1: 3 cycles for a vector of float32 and 0.25 for one of float16, over all tiles."""
NEONFHM = replace(
    NEONFP16,
    name="neonfhm",
    features=frozenset({"neon", "fp16fml"}),
    emitter=emitter,
    cpus=(Cpu("llvm -mtriple=aarch64-linux-gnu -mattr=+fp16fml", "max"),),
    layouts=(ROW, PANEL, DEPTHWISE),
    groups=NEONHALVES.groups,
    multipliers=NEONHALVES.multipliers,
    half_sums=HalfSums(TERMS_LONG, sum_cost=2.0, part_cost=1.1),
)
"""Eight products are summed in float16, blocks of them in float32 (fmla, fmlal). What adding a block takes is
llvm-mca's, of Neoverse V1: 0.5 cycles for a vector of float32 and 0.28 for one of float16, of which each has
four multiplications."""
