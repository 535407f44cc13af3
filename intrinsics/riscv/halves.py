"""RISC-V Vector micro-kernels of half precision, summed in float32.

float16 is multiplied by instructions that widen (``vfwmacc``, of Zvfh): a product is exact and added with
one rounding. bfloat16 needs no more than V: its bits are the upper ones of a float32, so that operands are
widened by shifts as they are loaded.
"""

from __future__ import annotations

import abc
from dataclasses import replace

from intrinsics.instruction_set import Cpu
from intrinsics.peak_loop import PeakLoop

from .peak import RVV_NARROW_LOOP
from .registers import B_AT, SCRATCH, C
from .rvv import QEMU, RVV, RvvKernel

BF16_ROUNDING, BF16_NOT_A_NUMBER = 0x7FFF, 0x7FC00000
"""One less than half of what bfloat16 does not hold, and float32's bits of what is not a number."""


class RvvHalves(RvvKernel):
    """The beginning and the end of tiles of half precision."""

    element_bytes = 2

    def load_result(self, register: int, pointer: str, m: int, v: int) -> None:
        if self.kernel.destination == "f32":
            super().load_result(register, pointer, m, v)
            return
        self.emit(f"vle16.v v0, {self.address(pointer, 2 * self.result_at(pointer, m, v))}")
        self.widen(register, 0)

    def store_result(self, register: int, m: int, v: int) -> None:
        if self.kernel.destination == "f32":
            super().store_result(register, m, v)
            return
        narrow = self.narrowed(register)
        self.emit(f"vse16.v v{narrow}, {self.address(C, 2 * self.result_at(C, m, v))}")

    @abc.abstractmethod
    def widen(self, register: int, halves: int) -> None:
        """Make float32 of a vector of halves, in another group."""

    @abc.abstractmethod
    def narrowed(self, register: int) -> int:
        """Round float32 to nearest even, in the groups before the accumulators; what is not a number stays
        none. Return the register of the halves."""


class RvvFloat16(RvvHalves):
    """Emits one kernel instance. While taps are walked, elements have 16 bits."""

    def walk_taps(self) -> None:
        self.set_bits(16)
        super().walk_taps()
        self.set_bits(32)

    def load_b(self, turn: int) -> None:
        self.emit(f"vle16.v v{self.b_register(turn)}, ({B_AT})")

    def load_scalar(self, element: str, at: int, pointer: str) -> None:
        self.emit(f"flh {element}, {at}({pointer})")

    def multiply(self, accumulator: int, element: str, b: int) -> None:
        self.emit(f"vfwmacc.vf v{accumulator}, {element}, v{b}")

    def load_pixel(self, register: int, a: int) -> None:
        self.emit(f"vle16.v v{register}, {self.address(self.a, 2 * a)}")

    def load_tap(self, register: int, b: int, v: int) -> None:
        self.emit(f"vle16.v v{register}, {self.address(self.b, 2 * b)}")

    def multiply_vectors(self, accumulator: int, pixel: int, tap: int) -> None:
        self.emit(f"vfwmacc.vv v{accumulator}, v{pixel}, v{tap}")

    def widen(self, register: int, halves: int) -> None:
        self.set_bits(16)
        self.emit(f"vfwcvt.f.f.v v{register}, v{halves}")
        self.set_bits(32)

    def narrowed(self, register: int) -> int:
        self.set_bits(16)
        self.emit(f"vfncvt.f.f.w v0, v{register}")
        self.set_bits(32)
        return 0


class RvvBfloat16(RvvHalves):
    """Emits one kernel instance, whose products are those of float32."""

    def load_b(self, turn: int) -> None:
        """The halves wait in the upper registers of the group, which is widened in place."""
        self.emit(f"vle16.v v{self.halves_register(turn)}, ({B_AT})")

    def halves_register(self, turn: int) -> int:
        return turn * self.group + self.group // 2 if self.group > 1 else 1

    def b_register(self, turn: int) -> int:
        return turn * self.group if self.group > 1 else 0

    def finish_b(self, turn: int) -> None:
        self.widen(self.b_register(turn), self.halves_register(turn))

    def load_scalar(self, element: str, at: int, pointer: str) -> None:
        self.emit(f"lhu {SCRATCH}, {at}({pointer})")
        self.emit(f"slli {SCRATCH}, {SCRATCH}, 16")
        self.emit(f"fmv.w.x {element}, {SCRATCH}")

    def pixel(self, turn: int) -> int:
        """The register behind is of what has not been widened."""
        return 0

    def load_pixel(self, register: int, a: int) -> None:
        self.emit(f"vle16.v v1, {self.address(self.a, 2 * a)}")
        self.widen(register, 1)

    def load_tap(self, register: int, b: int, v: int) -> None:
        self.emit(f"vle16.v v1, {self.address(self.b, 2 * b)}")
        self.widen(register, 1)

    def widen(self, register: int, halves: int) -> None:
        self.emit(f"vzext.vf2 v{register}, v{halves}")
        self.emit(f"vsll.vi v{register}, v{register}, 16")

    def narrowed(self, register: int) -> int:
        x, rounded = f"v{register}", f"v{self.residual}"
        self.emit(f"vsrl.vi {rounded}, {x}, 16")
        self.emit(f"vand.vi {rounded}, {rounded}, 1")
        self.immediate(SCRATCH, BF16_ROUNDING)
        self.emit(f"vadd.vx {rounded}, {rounded}, {SCRATCH}")
        self.emit(f"vmfne.vv v0, {x}, {x}")
        self.emit(f"vadd.vv {rounded}, {rounded}, {x}")
        self.immediate(SCRATCH, BF16_NOT_A_NUMBER)
        self.emit(f"vmerge.vxm {rounded}, {rounded}, {SCRATCH}, v0")
        self.set_bits(16)
        self.emit(f"vnsrl.wi {rounded}, {rounded}, 16")
        self.set_bits(32)
        return self.residual


RVVFP16 = replace(
    RVV,
    name="rvvfp16",
    features=frozenset({"v", "zvfh"}),
    emitter=RvvFloat16,
    cpus=(
        Cpu(
            "llvm -mtriple=riscv64-linux-gnu -mattr=+v,+zvfh",
            f"{QEMU[0]},Zfh=true",
            tuple(f"{model},Zfh=true" for model in QEMU[1:]),
        ),
    ),
    loop=PeakLoop(("vfwmacc.vv {c}, {a}, {b}",), 16, 6, RVV_NARROW_LOOP, "vfwmacc"),
    lhs=("f16",),
    rhs=("f16",),
)
"""float16 is multiplied and added to float32 (vfwmacc)."""
RVVBF16 = replace(
    RVV,
    name="rvvbf16",
    emitter=RvvBfloat16,
    lhs=("bf16",),
    rhs=("bf16",),
    widening=2,
)
"""bfloat16 is made float32 by shifts (vzext, vsll), which CPUs of V alone have."""
