"""x86 micro-kernels of half precision: operands widened to float32 as they are loaded, results narrowed as
they are stored.

What a CPU uses that cannot multiply numbers of half precision, and depthwise kernels of all. bfloat16 is
widened by a shift, and rounded by arithmetic on its bits; float16 has instructions for both (F16C).
"""

from __future__ import annotations

import abc
import struct

from intrinsics.microkernel import HALVES

from .floats import X86Kernel

ROUNDING = struct.unpack("<f", struct.pack("<I", 0x7FFF))[0]
"""The float whose bits, added to those of another, round it to bfloat16, ties to odd."""
HALF_BYTES = 2


class X86HalvesKernel(X86Kernel):
    """Emits one kernel instance. The third and fourth register that accumulators leave free are where
    residuals are widened and results narrowed."""

    element_bytes = HALF_BYTES
    multiplies_memory = False

    @property
    def narrows(self) -> bool:
        """Whether results are of half precision."""
        return self.kernel.destination in HALVES

    @property
    def beside_taps(self) -> int:
        """One is where taps that no register holds are widened."""
        return self.of_input + (self.instance.group > 1)

    def tap_operand(self, b: int, v: int) -> str:
        register = self.free_registers[self.of_input]
        self.load_filter(self.tap_at(b, v), register)
        return register

    def load_filter(self, memory: str, register: str) -> None:
        self.widen(memory, register)

    def widen(self, source: str, register: str, mask: str = "") -> None:
        """Fill a register with float32, of as many halves in memory or in a narrower register."""
        if self.kernel.lhs == "f16":
            self.emit(f"vcvtph2ps {source}, {register}{mask}")
        else:
            self.emit(f"vpmovzxwd {source}, {register}{mask}")
            self.emit(f"vpslld $16, {register}, {register}")

    def broadcast_channels(self, memory: str, channels: int) -> None:
        register = self.broadcast
        if self.kernel.lhs == "f16":
            narrow = self.narrower(register)
            self.emit(f"vpbroadcastw {memory}, {narrow}")
            self.emit(f"vcvtph2ps {narrow}, {register}")
        else:
            self.emit(f"vpbroadcastw {memory}, {register}")
            self.emit(f"vpslld $16, {register}, {register}")

    def fma_memory(self, memory: str, operand: str, accumulator: str, v: int) -> None:
        self.load_input(self.broadcast, memory, v)
        self.emit(f"vfmadd231ps {self.broadcast}, {operand}, {accumulator}")

    def add_memory(self, memory: str, register: str, target: str, v: int) -> None:
        if not self.narrows:
            super().add_memory(memory, register, target, v)
            return
        self.load_input(self.operand(2), memory, v)
        self.emit(f"vaddps {self.operand(2)}, {register}, {target}")

    def registers_of_steps(self) -> tuple[list[str], list[str]]:
        if not self.narrows:
            return super().registers_of_steps()
        free = self.free_registers
        return [*free[:2], *free[4:]], free[3:4] if self.loads_in_steps else free[2:4]

    def store_result(self, register: str, memory: str, v: int) -> None:
        if not self.narrows:
            self.store(register, memory, v)
        elif self.kernel.destination == "f16":
            self.store_float16(register, memory, v)
        else:
            self.store_bfloat16(register, memory, v)

    def add_rounding(self, register: str, target: str) -> None:
        """Bits of float32 and what makes their upper half those of the nearest bfloat16, ties to even. The
        lower half is to be left out."""
        self.emit(f"vpslld $15, {register}, {target}")
        self.emit(f"vpsrld $31, {target}, {target}")
        self.emit(f"vpaddd {register}, {target}, {target}")
        self.emit(f"vpaddd {self.repeated(self.in_memory(ROUNDING))}, {target}, {target}")

    def narrower(self, register: str) -> str:
        """The lower half of a register."""
        return {"zmm": "%ymm", "ymm": "%xmm"}[self.register_class] + register[4:]

    @abc.abstractmethod
    def store_float16(self, register: str, memory: str, v: int) -> None:
        """Store vector ``v``, rounded to nearest even."""

    @abc.abstractmethod
    def store_bfloat16(self, register: str, memory: str, v: int) -> None:
        """Store vector ``v``, rounded to nearest even; what is not a number stays none."""
