"""AVX512-FP16 spelling of the kernels of half precision: 32 products of float16 at once, summed in float16
over a block of terms and then in float32.

There are registers for sums of blocks alone; those of float32 are on the stack while taps are walked. How far
sums are off by that, at most, is ``Isa.sum_error``: about as much as operands rounded to bfloat16 are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from intrinsics.emit.blocks_of_terms import BLOCK, BlocksOfTerms
from intrinsics.emit.steps import SIDE_BY_SIDE, Steps
from intrinsics.engines import Broadcast, Tile
from intrinsics.epilogue import Step
from intrinsics.instruction_set import Cpu, HalfSums, Isa
from intrinsics.microkernel import PANEL, ROW, KernelInstance, Segment
from intrinsics.peak_loop import PeakLoop

from .avx512_halves import AVX512HALVES, Avx512HalvesKernel
from .peak import ZMM
from .registers import A, B

TERMS = 64
"""Products summed in float16."""
BLOCKS_OF_TERMS = "r14"
"""This register counts the blocks of a long segment."""


@dataclass(frozen=True)
class BroadcastOfHalves(Broadcast):
    """Multiplication by broadcasts to vectors of 16-bit lanes, each of which spans two of the tile's."""

    def accumulator_registers(self, tile: Tile) -> int:
        return super().accumulator_registers(_wide(tile))

    def operand_registers(self, tile: Tile) -> int:
        return super().operand_registers(_wide(tile))

    def loads_per_step(self, tile: Tile) -> float:
        return super().loads_per_step(_wide(tile))

    def multiplications_per_step(self, tile: Tile) -> int:
        return super().multiplications_per_step(_wide(tile))


def _wide(tile: Tile) -> Tile:
    return replace(tile, vectors=-(-tile.vectors // 2), lanes=2 * tile.lanes)


class Avx512Fp16Kernel(BlocksOfTerms, Avx512HalvesKernel):
    """Emits one kernel instance. Sums of blocks are in the last registers."""

    def __init__(self, isa: Isa, instance: KernelInstance) -> None:
        super().__init__(isa, instance)
        self.free, self.b_vectors = 0, -(-self.used // 2)
        self.parts = isa.vector_registers - self.kernel.mr * self.b_vectors

    @property
    def block_clobbers(self) -> tuple[str, ...]:
        return (*super().block_clobbers, BLOCKS_OF_TERMS)

    # ---- float32 sums, on the stack

    def accumulator(self, m: int, v: int) -> str:
        """A sum passes through this register on its way to and from the stack."""
        return self.register(self.isa.vector_registers - 1)

    def start_tile(self) -> None:
        self.reserve_stack(len(self.places))
        # The stack pointer as it was takes the beginning of the vector behind the sums.
        self.keep_step(len(self.places) * self.isa.vector_bytes + 8)
        for index, (m, v) in enumerate(self.places):
            self.begin_sum(self.accumulator(m, v), m, v)
            self.spill(self.accumulator(m, v), index)
        self.begin_parts()

    def steps_in(self, steps: Sequence[Step], lasting: Sequence[str], passing: Sequence[str]) -> Steps[str]:
        element = self.accumulator(0, 0)
        others = [register for register in lasting if register != element]
        return Steps(self, steps, others, passing, [element], len(self.places), SIDE_BY_SIDE)

    # ---- blocks

    def walk_in_blocks(self, segment: Segment, blocks: int) -> None:
        most, instance = self.isa.half_terms, self.instance
        if blocks:
            self.immediate(BLOCKS_OF_TERMS, blocks)
            self.emit(f"{BLOCK}:")
            a_at, b_at = self.a_at, self.b_at
            self.walk_segment(replace(segment, length=most))
            self.add_blocks()
            self.advance(A, A, most * instance.a_k - (self.a_at - a_at))
            self.advance(B, B, most * instance.b_row - (self.b_at - b_at))
            self.count_down(BLOCKS_OF_TERMS, BLOCK)
            walked = blocks * most
            self.a_at, self.b_at = a_at + walked * instance.a_k, b_at + walked * instance.b_row
            a, b = segment.a + walked * instance.a_k, segment.b + walked * instance.b_row
            segment = replace(segment, a=a, b=b, length=segment.length - walked)
        self.walk_segment(segment)

    def add_blocks(self) -> None:
        wide = self.register(0)
        for index, (m, v) in enumerate(self.places):
            half = self.narrower(self.part(m, v // 2))
            if v % 2:
                half = self.narrower(wide)
                self.emit(f"vextracti64x4 $1, {self.part(m, v // 2)}, {half}")
            self.emit(f"vcvtph2psx {half}, {wide}")
            self.emit(f"vaddps {index * self.isa.vector_bytes}(%rsp), {wide}, {wide}")
            self.spill(wide, index)
        self.begin_parts()

    def begin_parts(self) -> None:
        for index in range(self.parts, self.isa.vector_registers):
            self.zero(self.register(index))

    def part(self, m: int, w: int) -> str:
        """The sum of a block of row m's 32 lanes."""
        return self.register(self.parts + m * self.b_vectors + w)

    def instructions_per_step(self, segment: Segment) -> int:
        rows = segment.last - segment.first
        return self.b_vectors + rows * (self.b_vectors + 1)

    def step(self, segment: Segment, k: int) -> None:
        b = (segment.b - self.b_at + k * self.instance.b_row) * self.element_bytes
        for w in range(self.b_vectors):
            offset, register = b + w * self.isa.vector_bytes, self.register(w)
            # An odd vector is half a register: rows of B may not be wider.
            whole = 2 * w + 1 < self.used
            self.emit(f"vmovups {offset}(%{B}), {register if whole else self.narrower(register)}")
        a, broadcast = segment.a - self.a_at + k * self.instance.a_k, self.register(self.b_vectors)
        for m in range(segment.first, segment.last):
            self.emit(f"vpbroadcastw {(a + m * self.instance.a_row) * self.element_bytes}(%{A}), {broadcast}")
            for w in range(self.b_vectors):
                self.emit(f"vfmadd231ph {broadcast}, {self.register(w)}, {self.part(m, w)}")


AVX512FP16 = replace(
    AVX512HALVES,
    name="avx512fp16",
    features=AVX512HALVES.features | {"avx512fp16"},
    engine=BroadcastOfHalves(),
    emitter=Avx512Fp16Kernel,
    cpus=(Cpu("llvm -mtriple=x86_64-linux-gnu -mcpu=sapphirerapids"),),
    loop=PeakLoop(("vfmadd231ph {b}, {a}, {c}",), 32, 24, ZMM, "vfmadd231ph"),
    layouts=(ROW, PANEL),
    groups=(),
    multipliers=(),
    lhs=("f16",),
    rhs=("f16",),
    half_sums=HalfSums(TERMS, sum_cost=3.0),
    widening=0,
)
"""Products are summed in float16, blocks of them in float32. What adding a block takes is the reciprocal
throughput in llvm-mca's model of Sapphire Rapids: 1.5 cycles for a vector of float32."""
