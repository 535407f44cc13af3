"""AVX2 + FMA spelling of the x86 micro-kernel: tails through a mask kept in a vector register."""

from __future__ import annotations

from intrinsics.isa import AVX2
from intrinsics.microkernel import DEPTHWISE

from .floats import SCRATCH, X86Kernel


class Avx2Kernel(X86Kernel):
    isa = AVX2

    @property
    def mask_persists(self) -> bool:  # type: ignore[override]
        return self.kernel.layout == DEPTHWISE

    def prepare_mask(self) -> None:
        if not self.tail:
            return
        # The first `tail` bytes all ones, sign-extended to as many 32-bit lanes.
        xmm = "%xmm" + self.mask.removeprefix("%ymm")
        self.emit(f"mov ${(1 << (8 * self.tail)) - 1}, %{SCRATCH}")
        self.emit(f"vmovq %{SCRATCH}, {xmm}")
        self.emit(f"vpmovsxbd {xmm}, {self.mask}")

    @property
    def mask(self) -> str:
        """The last register: a depthwise kernel reserves it, other kernels fill it once it is free."""
        return self.register(self.isa.vector_registers - 1)

    def zero(self, register: str) -> None:
        self.emit(f"vxorps {register}, {register}, {register}")

    def broadcast_general(self, xmm: str, register: str) -> None:
        self.emit(f"vmovd %{SCRATCH}d, {xmm}")
        self.emit(f"vbroadcastss {xmm}, {register}")

    def load(self, register: str, memory: str, v: int) -> None:
        if self.is_tail(v):
            self.emit(f"vmaskmovps {memory}, {self.mask}, {register}")
        else:
            self.emit(f"vmovups {memory}, {register}")

    def store(self, register: str, memory: str, v: int) -> None:
        if self.is_tail(v):
            self.emit(f"vmaskmovps {register}, {self.mask}, {memory}")
        else:
            self.emit(f"vmovups {register}, {memory}")

    def add_memory(self, memory: str, register: str, v: int) -> None:
        if self.is_tail(v):
            self.load(self.operand(2), memory, v)
            memory = self.operand(2)
        self.emit(f"vaddps {memory}, {register}, {register}")

    def fma_memory(self, memory: str, operand: str, accumulator: str, v: int) -> None:
        if self.is_tail(v):
            self.load(self.broadcast, memory, v)
            memory = self.broadcast
        self.emit(f"vfmadd231ps {memory}, {operand}, {accumulator}")

    def fma_broadcast(self, memory: str, operand: str, accumulator: str) -> None:
        raise AssertionError("AVX2 has no broadcasting FMA")
