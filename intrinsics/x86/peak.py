"""Loops of independent multiplications on x86, in vectors of 512 or of 256 bits."""

from __future__ import annotations

from dataclasses import dataclass

from intrinsics.peak_loop import LoopForm


@dataclass(frozen=True)
class X86Loop(LoopForm):
    """``width`` is "zmm" or "ymm"."""

    width: str

    end = ("decq $0", "jnz 1b")
    others = ("rax", "cc")

    def register(self, index: int) -> str:
        return f"%{self.width}{index}"

    def fill(self, register: str, bits: int) -> list[str]:
        low = "%xmm" + register.removeprefix(f"%{self.width}")
        return [f"movl $$0x{bits:08x}, %eax", f"vmovd %eax, {low}", f"vbroadcastss {low}, {register}"]

    def clobbers(self, accumulators: int) -> list[str]:
        return [f"{self.width}{index}" for index in range(accumulators + 3)]


ZMM, YMM = X86Loop("zmm"), X86Loop("ymm")
