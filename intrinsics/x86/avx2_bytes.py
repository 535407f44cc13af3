"""AVX2 spelling of the 8-bit micro-kernels, and AVX-VNNI's: tails by pieces, since bytes have no masks."""

from __future__ import annotations

from intrinsics.isa import AVX2MADDUBS, AVX2MADDWD, AVXVNNI

from .avx2 import Avx2Kernel
from .bytes import MaddubsKernel, MaddwdKernel, X86BytesKernel
from .floats import C


class Avx2BytesKernel(X86BytesKernel, Avx2Kernel):
    """Loads and stores of at most eight bytes."""

    def multiply_own(self, memory: str, m: int, v: int) -> None:
        register = self.broadcast
        xmm = "%xmm" + register[4:]
        offset, base = memory.split("(")
        if self.is_tail(v):
            # Byte by byte: a whole vector might reach beyond the tensor.
            self.emit(f"vpxor {xmm}, {xmm}, {xmm}")
            for i in range(self.tail):
                self.emit(f"vpinsrb ${i}, {int(offset) + i}({base}, {xmm}, {xmm}")
            memory = xmm
        self.emit(f"vpmov{'z' if self.kernel.lhs == 'u8' else 's'}xbd {memory}, {register}")
        self.emit(f"vpmaddwd {self.operand(v)}, {register}, {register}")
        self.emit(f"vpaddd {register}, {self.accumulator(m, v)}, {self.accumulator(m, v)}")

    def scale(self, memory: str, register: str, v: int) -> None:
        if self.is_tail(v):
            self.load(self.operand(3), memory, v)
            memory = self.operand(3)
        self.emit(f"vmulps {memory}, {register}, {register}")

    def store_bytes(self, register: str, offset: int, v: int) -> None:
        xmm, upper = "%xmm" + register[4:], "%xmm" + self.operand(3)[4:]
        self.emit(f"vextracti128 $1, {register}, {upper}")
        self.emit(f"vpackssdw {upper}, {xmm}, {xmm}")
        self.emit(f"vpack{'us' if self.kernel.destination == 'u8' else 'ss'}wb {xmm}, {xmm}, {xmm}")
        if not self.is_tail(v):
            self.emit(f"vmovq {xmm}, {offset}(%{C})")
            return
        at = 0
        for piece, store in ((4, "vmovd"), (2, "vpextrw"), (1, "vpextrb")):
            if self.tail & piece:
                index = "" if piece == 4 else f"${at // piece}, "
                self.emit(f"{store} {index}{xmm}, {offset + at}(%{C})")
                at += piece


class AvxVnniKernel(Avx2BytesKernel):
    """vpdpbusd in its VEX encoding."""

    isa = AVXVNNI

    def multiply(self, m: int, v: int) -> None:
        self.emit(f"{{vex}} vpdpbusd {self.operand(v)}, {self.broadcast}, {self.accumulator(m, v)}")


class Avx2MaddubsKernel(MaddubsKernel, Avx2BytesKernel):
    isa = AVX2MADDUBS


class Avx2MaddwdKernel(MaddwdKernel, Avx2BytesKernel):
    isa = AVX2MADDWD
