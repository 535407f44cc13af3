"""AVX2 spelling of the kernels of half precision: tails by pieces, since AVX2 cannot mask halves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from intrinsics.engines import Broadcast
from intrinsics.instruction_set import Cpu
from intrinsics.microkernel import HALVES

from .avx2 import AVX2, Avx2Kernel
from .halves import HALF_BYTES, X86HalvesKernel
from .registers import A
from .steps import is_memory

UPPER_HALVES = tuple((2 * half + 1 << 24) + (2 * half << 16) + 0x8080 for half in range(8))
"""``vpshufb`` by these makes eight halves, in both lanes, the upper halves of as many numbers."""
ALL_ONES = (1 << 32) - 1
LOADS = {4: "vmovq", 2: "vmovd"}
INSERTS = {2: "vpinsrd", 1: "vpinsrw"}
STORES = {2: "vpextrd", 1: "vpextrw"}


class Avx2HalvesKernel(X86HalvesKernel, Avx2Kernel):
    """Loads and stores of at most eight halves."""

    mask_persists = False

    @property
    def free_registers(self) -> list[str]:
        """Masks are of float32: of the bias, and of what is stored as such. Where results are narrowed, steps
        may have their register."""
        free = super(Avx2Kernel, self).free_registers
        return free[:-1] if self.tail and not self.narrows else free

    def load_input(self, register: str, memory: str, v: int) -> None:
        self.load_some(register, memory, self.tail if self.is_tail(v) else self.isa.lanes)

    def widen(self, source: str, register: str, mask: str = "") -> None:
        """Widen bfloat16 in memory, by one shuffle of what is loaded to both lanes."""
        if self.kernel.lhs == "f16" or not is_memory(source):
            super().widen(source, register, mask)
            return
        self.emit(f"vbroadcasti128 {source}, {register}")
        self.emit(f"vpshufb {self.in_memory(UPPER_HALVES)}, {register}, {register}")

    def load_some(self, register: str, memory: str, count: int) -> None:
        """Load ``count`` halves, widened; the others are zero."""
        if count == self.isa.lanes:
            self.widen(memory, register)
            return
        low = self.narrower(register)
        if count == 1:
            self.emit(f"vpxor {low}, {low}, {low}")
        for at, piece in pieces(count):
            source = moved(memory, at)
            if at or piece == 1:
                self.emit(f"{INSERTS[piece]} ${at // piece}, {source}, {low}, {low}")
            else:
                self.emit(f"{LOADS[piece]} {source}, {low}")
        self.widen(low, register)

    def load_twice(self, register: str, at: int, v: int) -> None:
        count = self.tail if self.is_tail(v) else self.isa.lanes
        self.load_some(register, f"{at}(%{A})", count // 2)
        self.emit(f"vpmovzxdq {self.narrower(register)}, {register}")
        self.emit(f"vmovsldup {register}, {register}")

    def with_memory(self, instruction: str, memory: str, register: str, target: str, v: int) -> None:
        """A tail's mask is made where it is used, if steps or narrowing have the register of masks."""
        if not (self.narrows and self.is_tail(v)):
            super().with_memory(instruction, memory, register, target, v)
            return
        loaded = self.operand(2)
        lanes = tuple(ALL_ONES if lane < self.tail else 0 for lane in range(self.isa.lanes))
        self.copy(self.in_memory(lanes), loaded)
        self.emit(f"vmaskmovps {memory}, {loaded}, {loaded}")
        self.emit(f"{instruction} {loaded}, {register}, {target}")

    def store_float16(self, register: str, memory: str, v: int) -> None:
        if not self.is_tail(v):
            self.emit(f"vcvtps2ph $0, {register}, {memory}")
            return
        low = self.narrower(register)
        self.emit(f"vcvtps2ph $0, {register}, {low}")
        self.store_pieces(low, memory)

    def store_bfloat16(self, register: str, memory: str, v: int) -> None:
        rounded, none = self.operand(2), self.operand(3)
        self.emit(f"vcmpunordps {register}, {register}, {none}")
        self.add_rounding(register, rounded)
        self.emit(f"vpor {none}, {rounded}, {rounded}")
        self.emit(f"vpsrld $16, {rounded}, {rounded}")
        low, high = self.narrower(rounded), self.narrower(none)
        self.emit(f"vextracti128 $1, {rounded}, {high}")
        self.emit(f"vpackusdw {high}, {low}, {low}")
        if self.is_tail(v):
            self.store_pieces(low, memory)
        else:
            self.emit(f"vmovdqu {low}, {memory}")

    def store_pieces(self, low: str, memory: str) -> None:
        for at, piece in pieces(self.tail):
            if piece == 4:
                self.emit(f"vmovq {low}, {moved(memory, at)}")
            else:
                self.emit(f"{STORES[piece]} ${at // piece}, {low}, {moved(memory, at)}")


def pieces(count: int) -> Iterator[tuple[int, int]]:
    """Yield where each piece of at most seven halves begins, and how many it has."""
    at = 0
    for piece in (4, 2, 1):
        if count & piece:
            yield at, piece
            at += piece


def moved(memory: str, halves: int) -> str:
    """Memory so many halves further on."""
    offset, _, base = memory.partition("(")
    return f"{int(offset) + halves * HALF_BYTES}({base}"


AVX2HALVES = replace(
    AVX2,
    name="avx2halves",
    features=AVX2.features | {"f16c"},
    engine=Broadcast(),
    emitter=Avx2HalvesKernel,
    cpus=(Cpu("llvm -mtriple=x86_64-linux-gnu -mattr=+avx2,+fma,+f16c"),),
    lhs=HALVES,
    rhs=HALVES,
    widening=1,
)
"""Half precision is computed as float32, between conversions."""
