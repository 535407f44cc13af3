"""AVX2 + FMA spelling of the x86 micro-kernel: tails through a mask kept in a vector register."""

from __future__ import annotations

from intrinsics.engines import Broadcast
from intrinsics.instruction_set import Cpu, Isa
from intrinsics.microkernel import DEPTHWISE
from intrinsics.peak_loop import PeakLoop

from .floats import X86Kernel
from .peak import YMM
from .registers import SCRATCH, A


class Avx2Kernel(X86Kernel):
    """Emits one kernel instance."""

    @property
    def free_registers(self) -> list[str]:
        free = super().free_registers
        return free[:-1] if self.tail else free

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

    def with_memory(self, instruction: str, memory: str, register: str, target: str, v: int) -> None:
        if self.is_tail(v):
            Avx2Kernel.load(self, self.operand(2), memory, v)
            memory = self.operand(2)
        self.emit(f"{instruction} {memory}, {register}, {target}")

    @property
    def table_bytes(self) -> int:  # type: ignore[override]
        return self.isa.vector_bytes

    def copy(self, operand: str, register: str) -> None:
        self.emit(f"vmovaps {operand}, {register}")

    def fma_memory(self, memory: str, operand: str, accumulator: str, v: int) -> None:
        if self.is_tail(v):
            self.load(self.broadcast, memory, v)
            memory = self.broadcast
        self.emit(f"vfmadd231ps {memory}, {operand}, {accumulator}")

    def load_twice(self, register: str, at: int, v: int) -> None:
        half, memory = "%xmm" + register.removeprefix("%ymm"), f"{at}(%{A})"
        if self.is_tail(v):
            self.emit(f"{'vmovss' if self.tail == 2 else 'vmovsd'} {memory}, {half}")
            if self.tail == 6:
                self.emit(f"vinsertps $0x20, {at + 8}(%{A}), {half}, {half}")
            memory = half
        self.emit(f"vpmovzxdq {memory}, {register}")
        self.emit(f"vmovsldup {register}, {register}")

    def spread_part(self, part: int, pixel: str, register: str) -> None:
        self.emit(f"vperm2f128 ${0x11 * part}, {pixel}, {pixel}, {register}")

    def fma_broadcast(self, memory: str, operand: str, accumulator: str) -> None:
        raise AssertionError("AVX2 lacks a broadcasting FMA")


AVX2 = Isa(
    name="avx2",
    arch="x86_64",
    features=frozenset({"avx2", "fma"}),
    vector_bits=256,
    vector_registers=16,
    engine=Broadcast(mask_in_register=True),
    emitter=Avx2Kernel,
    cpus=(Cpu("llvm -mtriple=x86_64-linux-gnu -mattr=+avx2,+fma"),),
    loop=PeakLoop(("vfmadd213ps {b}, {a}, {c}",), 8, 12, YMM, r"vfmadd\d+ps"),
    epilogue_registers=2,
    groups=(2, 4, 8),
    multipliers=(2,),
)
