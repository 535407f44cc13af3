"""AVX-512 spelling of the x86 micro-kernel: mask registers for tails, broadcasts inside the FMA."""

from __future__ import annotations

from intrinsics.engines import Broadcast
from intrinsics.instruction_set import Cpu, Isa
from intrinsics.peak_loop import PeakLoop

from .column_walk import PART
from .floats import X86Kernel
from .peak import ZMM
from .registers import SCRATCH, A
from .steps import is_memory


class Avx512Kernel(X86Kernel):
    """Emits one kernel instance."""

    mask_clobbers: tuple[str, ...] = ("k1", "k2")

    def prepare_mask(self) -> None:
        if self.tail:
            self.emit(f"mov ${(1 << self.tail) - 1}, %{SCRATCH}d")
            self.emit(f"kmovw %{SCRATCH}d, %k1")
        if self.tail and self.instance.multiplier > 1:
            self.emit(f"mov ${(1 << self.tail // 2) - 1}, %{SCRATCH}d")
            self.emit(f"kmovw %{SCRATCH}d, %k2")

    def zero(self, register: str) -> None:
        self.emit(f"vpxord {register}, {register}, {register}")

    def broadcast_general(self, xmm: str, register: str) -> None:
        self.emit(f"vpbroadcastd %{SCRATCH}d, {register}")

    def load(self, register: str, memory: str, v: int) -> None:
        self.emit(f"vmovups {memory}, {register}{'{%k1}{z}' if self.is_tail(v) else ''}")

    def store(self, register: str, memory: str, v: int) -> None:
        self.emit(f"vmovups {register}, {memory}{self.mask(v)}")

    def with_memory(self, instruction: str, memory: str, register: str, target: str, v: int) -> None:
        self.emit(f"{instruction} {memory}, {register}, {target}{self.mask(v)}")

    def repeated(self, operand: str) -> str:
        return f"{operand}{{1to16}}" if is_memory(operand) else operand

    def copy(self, operand: str, register: str) -> None:
        self.emit(f"{'vbroadcastss' if is_memory(operand) else 'vmovaps'} {operand}, {register}")

    def fma_memory(self, memory: str, operand: str, accumulator: str, v: int) -> None:
        self.emit(f"vfmadd231ps {memory}, {operand}, {accumulator}{self.mask(v)}")

    def load_twice(self, register: str, at: int, v: int) -> None:
        self.emit(f"vpmovzxdq {at}(%{A}), {register}{'{%k2}{z}' if self.is_tail(v) else ''}")
        self.emit(f"vmovsldup {register}, {register}")

    def spread_part(self, part: int, pixel: str, register: str) -> None:
        parts = self.instance.group // PART
        select = sum((at // parts * parts + part) << 2 * at for at in range(self.isa.lanes // PART))
        self.emit(f"vshuff32x4 ${select}, {pixel}, {pixel}, {register}")

    def fma_broadcast(self, memory: str, operand: str, accumulator: str) -> None:
        self.emit(f"vfmadd231ps {memory}{{1to16}}, {operand}, {accumulator}")

    def mask(self, v: int) -> str:
        return "{%k1}" if self.is_tail(v) else ""


AVX512 = Isa(
    name="avx512",
    arch="x86_64",
    features=frozenset({"avx512f", "avx512vl", "avx512dq"}),
    vector_bits=512,
    vector_registers=32,
    engine=Broadcast(folds=True),
    emitter=Avx512Kernel,
    cpus=(Cpu("llvm -mtriple=x86_64-linux-gnu -mcpu=skylake-avx512"),),
    loop=PeakLoop(("vfmadd213ps {b}, {a}, {c}",), 16, 24, ZMM, r"vfmadd\d+ps"),
    groups=(2, 4, 8, 16),
    multipliers=(2,),
)
