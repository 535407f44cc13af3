"""AArch64 Neon micro-kernels of half precision for every Armv8 CPU: operands are widened to float32 as they
are loaded (shll, fcvtl), and results rounded as they are stored.

What stores, residuals and depthwise kernels of all half precision on AArch64 have in common stands here, too.
"""

from __future__ import annotations

from dataclasses import replace

from intrinsics.instruction_set import Isa
from intrinsics.microkernel import KernelInstance

from .neon import NEON, NeonKernel
from .neon_base import C, NeonBase

HALF_VECTOR = 8
"""Four halves have this many bytes."""


class NeonHalves(NeonBase):
    """The beginning and the end of tiles of half precision, whose sums are float32."""

    element_bytes = 2

    def __init__(self, isa: Isa, instance: KernelInstance) -> None:
        super().__init__(isa, instance)
        self.half = self.kernel.lhs
        self.by_integers = self.half == "bf16" and "bf16" not in isa.features
        """This says whether bfloat16 is rounded without an instruction for it."""
        if self.by_integers and self.kernel.destination == "bf16":
            self.helpers = (self.free + 3,)

    def load_result(self, register: int, pointer: str, m: int, v: int) -> None:
        if self.kernel.destination == "f32":
            super().load_result(register, pointer, m, v)
            return
        self.load_bytes(register, pointer, 2 * self.result_at(pointer, m, v), 2 * self.channels(v))
        self.widen(register)

    def store_result(self, register: int, m: int, v: int) -> None:
        if self.kernel.destination == "f32":
            super().store_result(register, m, v)
            return
        self.narrow(register)
        self.store_bytes(register, C, 2 * self.result_at(C, m, v), 2 * self.channels(v))

    def widen(self, register: int) -> None:
        """The vector's low halves to float32."""
        if self.half == "bf16":
            self.emit(f"shll v{register}.4s, v{register}.4h, #16")
        else:
            self.emit(f"fcvtl v{register}.4s, v{register}.4h")

    def narrow(self, register: int) -> None:
        """Float32 to the vector's low halves, rounded to nearest even; what is not a number stays none."""
        x = f"v{register}"
        if not self.by_integers:
            self.emit(f"{'bf' if self.half == 'bf16' else 'f'}cvtn {x}.4h, {x}.4s")
            return
        number, addend = (f"v{helper}" for helper in (self.residual, *self.helpers))
        self.emit(f"fcmeq {number}.4s, {x}.4s, {x}.4s")
        self.emit(f"xtn {number}.4h, {number}.4s")
        # One less than a half is added if the result's last bit, now the sign, is zero.
        self.emit(f"shl {addend}.4s, {x}.4s, #15")
        self.emit(f"cmge {addend}.4s, {addend}.4s, #0")
        self.emit(f"raddhn {x}.4h, {x}.4s, {addend}.4s")
        self.emit(f"orn {x}.8b, {x}.8b, {number}.8b")


class NeonWidened(NeonHalves, NeonKernel):
    """Emits one kernel instance."""

    step_bytes, b_bytes = 2, HALF_VECTOR

    def prepare(self, register: int) -> None:
        self.widen(register)

    def prepare_b(self, register: int) -> None:
        self.widen(register)

    def load_operand(self, register: int, pointer: str, at: int, lanes: int) -> None:
        super().load_operand(register, pointer, at, lanes)
        self.widen(register)


NEONHALVES = replace(
    NEON,
    name="neonhalves",
    emitter=NeonWidened,
    epilogue_registers=2,
    lhs=("bf16", "f16"),
    rhs=("bf16", "f16"),
    widening=1,
)
"""Halves are multiplied and summed as float32 (shll or fcvtl, fmla)."""
