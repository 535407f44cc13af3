"""AVX-512 spelling of the 8-bit micro-kernel: VNNI's sums of four products."""

from __future__ import annotations

from .avx512 import Avx512Kernel
from .isa import AVX512VNNI
from .x86 import C
from .x86_int8 import X86BytesKernel


class Avx512VnniKernel(X86BytesKernel, Avx512Kernel):
    """vpdpbusd; depthwise taps by vpdpwssd, whose second product is by the filter's upper word, zero."""

    isa = AVX512VNNI
    integer_suffix = "32"

    def multiply(self, m: int, v: int) -> None:
        self.emit(f"vpdpbusd {self.operand(v)}, {self.broadcast}, {self.accumulator(m, v)}")

    def multiply_own(self, memory: str, m: int, v: int) -> None:
        masked = "{%k1}{z}" if self.is_tail(v) else ""
        extend = "vpmovzxbd" if self.kernel.lhs == "u8" else "vpmovsxbd"
        self.emit(f"{extend} {memory}, {self.broadcast}{masked}")
        self.emit(f"vpdpwssd {self.operand(v)}, {self.broadcast}, {self.accumulator(m, v)}")

    def scale(self, memory: str, register: str, v: int) -> None:
        self.emit(f"vmulps {memory}, {register}, {register}{self.mask(v)}")

    def store_bytes(self, register: str, offset: int, v: int) -> None:
        self.emit(f"vpmovdb {register}, {offset}(%{C}){self.mask(v)}")
