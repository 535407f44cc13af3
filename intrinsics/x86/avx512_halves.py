"""AVX-512 spelling of the kernels of half precision: widened to float32, and multiplied as bfloat16.

``vdpbf16ps`` multiplies pairs of channels: in each lane it adds the second's product to the sum, rounds it,
then the first's (Intel's SDM). It takes denormal numbers for zeros, and so does the instruction that narrows.
An odd channel that is left is loaded alone: what follows it in memory may be another row's infinity, or no
number, which zeros of the filter would not take away.
"""

from __future__ import annotations

from dataclasses import replace

from intrinsics.engines import Broadcast
from intrinsics.instruction_set import Cpu
from intrinsics.microkernel import HALVES, PANEL, ROW
from intrinsics.peak_loop import PeakLoop

from .avx512 import AVX512, Avx512Kernel
from .halves import X86HalvesKernel
from .peak import ZMM
from .registers import COUNTER, A


class Avx512HalvesKernel(X86HalvesKernel, Avx512Kernel):
    """Masked loads, and stores that narrow."""

    mask_clobbers = ("k1", "k2", "k3")

    def load_input(self, register: str, memory: str, v: int) -> None:
        self.widen(memory, register, "{%k1}{z}" if self.is_tail(v) else "")

    def load_twice(self, register: str, at: int, v: int) -> None:
        low = self.narrower(register)
        self.widen(f"{at}(%{A})", low, "{%k2}{z}" if self.is_tail(v) else "")
        self.emit(f"vpmovzxdq {low}, {register}")
        self.emit(f"vmovsldup {register}, {register}")

    def store_float16(self, register: str, memory: str, v: int) -> None:
        self.emit(f"vcvtps2ph $0, {register}, {memory}{self.mask(v)}")

    def store_bfloat16(self, register: str, memory: str, v: int) -> None:
        rounded = self.operand(2)
        self.emit(f"vcmpunordps {register}, {register}, %k3")
        self.add_rounding(register, rounded)
        self.emit(f"vpsrld $16, {rounded}, {rounded}")
        self.emit(f"vpternlogd $255, {rounded}, {rounded}, {rounded}{{%k3}}")
        self.emit(f"vpmovdw {rounded}, {memory}{self.mask(v)}")


class Avx512NarrowingKernel(Avx512HalvesKernel):
    """Results are rounded to bfloat16 by one instruction."""

    def store_bfloat16(self, register: str, memory: str, v: int) -> None:
        narrow = self.narrower(self.operand(2))
        self.emit(f"vcvtneps2bf16 {register}, {narrow}")
        self.emit(f"vmovdqu16 {narrow}, {memory}{self.mask(v)}")


class Avx512Bf16Kernel(Avx512NarrowingKernel):
    """vdpbf16ps, on pairs of channels."""

    def load_filter(self, memory: str, register: str) -> None:
        self.emit(f"vmovups {memory}, {register}")

    def broadcast_channels(self, memory: str, channels: int) -> None:
        if channels == self.group:
            self.emit(f"vpbroadcastd {memory}, {self.broadcast}")
            return
        # A single channel is the last, behind all loops: what counts them is free.
        counter = f"%e{COUNTER[1:]}"
        self.emit(f"movzwl {memory}, {counter}")
        self.emit(f"vpbroadcastd {counter}, {self.broadcast}")

    def multiply(self, m: int, v: int) -> None:
        self.emit(f"vdpbf16ps {self.operand(v)}, {self.broadcast}, {self.accumulator(m, v)}")


AVX512HALVES = replace(
    AVX512,
    name="avx512halves",
    features=AVX512.features | {"avx512bw"},
    engine=Broadcast(),
    emitter=Avx512HalvesKernel,
    cpus=(Cpu("llvm -mtriple=x86_64-linux-gnu -mcpu=skylake-avx512"),),
    epilogue_registers=2,
    lhs=HALVES,
    rhs=HALVES,
    widening=1,
)
"""Half precision is computed as float32, between conversions."""
AVX512BF16HALVES = replace(
    AVX512HALVES,
    name="avx512bf16halves",
    features=AVX512HALVES.features | {"avx512bf16"},
    emitter=Avx512NarrowingKernel,
    cpus=(Cpu("llvm -mtriple=x86_64-linux-gnu -mcpu=cooperlake"),),
    lhs=("bf16",),
    rhs=("bf16",),
)
"""The instruction set for depthwise layers, which have many results for each product, and for CPUs whose
vdpbf16ps is slow."""
AVX512BF16 = replace(
    AVX512BF16HALVES,
    name="avx512bf16",
    emitter=Avx512Bf16Kernel,
    loop=PeakLoop(("vdpbf16ps {b}, {a}, {c}",), 32, 24, ZMM, "vdpbf16ps"),
    layouts=(ROW, PANEL),
    groups=(),
    multipliers=(),
    channels_per_multiply=2,
    widening=0,
)
"""Each lane sums two products of bfloat16."""
