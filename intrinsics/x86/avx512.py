"""AVX-512 spelling of the x86 micro-kernel: mask registers for tails, broadcasts inside the FMA."""

from __future__ import annotations

from intrinsics.isa import AVX512

from .floats import SCRATCH, X86Kernel


class Avx512Kernel(X86Kernel):
    isa = AVX512
    mask_clobbers = ("k1",)

    def prepare_mask(self) -> None:
        if self.tail:
            self.emit(f"mov ${(1 << self.tail) - 1}, %{SCRATCH}d")
            self.emit(f"kmovw %{SCRATCH}d, %k1")

    def zero(self, register: str) -> None:
        self.emit(f"vpxord {register}, {register}, {register}")

    def broadcast_general(self, xmm: str, register: str) -> None:
        self.emit(f"vpbroadcastd %{SCRATCH}d, {register}")

    def load(self, register: str, memory: str, v: int) -> None:
        self.emit(f"vmovups {memory}, {register}{'{%k1}{z}' if self.is_tail(v) else ''}")

    def store(self, register: str, memory: str, v: int) -> None:
        self.emit(f"vmovups {register}, {memory}{self.mask(v)}")

    def add_memory(self, memory: str, register: str, v: int) -> None:
        self.emit(f"vaddps {memory}, {register}, {register}{self.mask(v)}")

    def fma_memory(self, memory: str, operand: str, accumulator: str, v: int) -> None:
        self.emit(f"vfmadd231ps {memory}, {operand}, {accumulator}{self.mask(v)}")

    def fma_broadcast(self, memory: str, operand: str, accumulator: str) -> None:
        self.emit(f"vfmadd231ps {memory}{{1to16}}, {operand}, {accumulator}")

    def mask(self, v: int) -> str:
        return "{%k1}" if self.is_tail(v) else ""
