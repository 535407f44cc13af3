"""AVX-512 spelling of the 8-bit micro-kernels: VNNI's sums of four products, and what is before it."""

from __future__ import annotations

from intrinsics.isa import AVX512MADDUBS, AVX512MADDWD, AVX512VNNI

from .avx512 import Avx512Kernel
from .bytes import MaddubsKernel, MaddwdKernel, X86BytesKernel
from .floats import C


class Avx512BytesKernel(X86BytesKernel, Avx512Kernel):
    """Masked loads, and a store that narrows."""

    integer_suffix = "32"

    def multiply_own(self, memory: str, m: int, v: int) -> None:
        masked = "{%k1}{z}" if self.is_tail(v) else ""
        extend = "vpmovzxbd" if self.kernel.lhs == "u8" else "vpmovsxbd"
        self.emit(f"{extend} {memory}, {self.broadcast}{masked}")
        self.multiply_words(self.operand(v), self.accumulator(m, v))

    def multiply_words(self, operand: str, accumulator: str) -> None:
        """Add the products of the broadcast's low words and the operand's, whose upper words are zero."""
        self.emit(f"vpmaddwd {operand}, {self.broadcast}, {self.broadcast}")
        self.emit(f"vpaddd {self.broadcast}, {accumulator}, {accumulator}")

    def scale(self, memory: str, register: str, v: int) -> None:
        self.emit(f"vmulps {memory}, {register}, {register}{self.mask(v)}")

    @property
    def store_saturates(self) -> bool:  # type: ignore[override]
        # Unsigned lanes saturate right even where the conversion to integers overflowed.
        return self.kernel.destination == "u8" and self.instance.epilogue.high == 255 - self.instance.zero

    def store_bytes(self, register: str, offset: int, v: int) -> None:
        narrow = "vpmovusdb" if self.store_saturates else "vpmovdb"
        self.emit(f"{narrow} {register}, {offset}(%{C}){self.mask(v)}")


class Avx512VnniKernel(Avx512BytesKernel):
    """vpdpbusd, and vpdpwssd for depthwise taps."""

    isa = AVX512VNNI

    def multiply(self, m: int, v: int) -> None:
        self.emit(f"vpdpbusd {self.operand(v)}, {self.broadcast}, {self.accumulator(m, v)}")

    def multiply_words(self, operand: str, accumulator: str) -> None:
        self.emit(f"vpdpwssd {operand}, {self.broadcast}, {accumulator}")


class Avx512MaddubsKernel(MaddubsKernel, Avx512BytesKernel):
    isa = AVX512MADDUBS


class Avx512MaddwdKernel(MaddwdKernel, Avx512BytesKernel):
    isa = AVX512MADDWD
