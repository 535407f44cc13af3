"""Steps of epilogues in VSX, whose multiply-adds add to their target or multiply it."""

from __future__ import annotations

from collections.abc import Iterable

from intrinsics.emit.short_vectors import ShortVectors
from intrinsics.emit.steps import Help
from intrinsics.epilogue import EXPONENT_BITS

from .registers import SCRATCH, VECTOR_BYTES

OPERATIONS = {
    "maximum": "xvmaxsp",
    "minimum": "xvminsp",
    "add": "xvaddsp",
    "multiply": "xvmulsp",
    "divide": "xvdivsp",
}
"""Operations of epilogue steps are spelled so. The extremes of a NaN and a number are the number."""


ALTIVEC = 32
"""Altivec's registers are the vector registers from this one on."""
RED_ZONE = 288
"""Functions may keep so many bytes beyond the stack pointer."""


class PowerSteps(ShortVectors):
    """What VSX and MMA kernels emit for steps. At least four registers hold no accumulator when taps are
    walked: the first is a residual's, the second a mask's."""

    @property
    def residual(self) -> int:
        return self.free

    def arithmetic(self, kind: str, target: int, a: int, b: int) -> None:
        self.emit(f"{OPERATIONS[kind]} {target}, {a}, {b}")

    def power_of_two(self, target: int, exponent: int, help: Help[int]) -> None:
        # Shifts have half of the registers only, which spare ones are of; the amount is taken modulo 32.
        amount, value = help.spares
        self.emit(f"vspltisw {amount - ALTIVEC}, {EXPONENT_BITS - 32}")
        self.copy(value, exponent)
        self.emit(f"vslw {value - ALTIVEC}, {value - ALTIVEC}, {amount - ALTIVEC}")
        self.copy(target, value)

    def multiply_add(self, target: int, a: int, b: int, c: int, help: Help[int]) -> None:
        """``target = a * b + c``; one instruction adds to its target, the other multiplies it."""
        if target == b:
            a, b = b, a
        if target == a and target != c:
            self.emit(f"xvmaddmsp {target}, {b}, {c}")
            return
        self.copy(target, c)
        self.emit(f"xvmaddasp {target}, {a}, {b}")

    def extreme(self, kind: str, target: int, a: int, b: int) -> None:
        mask, larger, smaller = self.free + 1, *((b, a) if kind == "maximum" else (a, b))
        self.emit(f"xvcmpgtsp {mask}, {larger}, {smaller}")
        self.emit(f"xxsel {target}, {a}, {b}, {mask}")

    def spares(self, kinds: set[str]) -> int:
        return 2 if "power_of_two" in kinds else 0

    def copy(self, target: int, source: int) -> None:
        if target != source:
            self.emit(f"xxlor {target}, {source}, {source}")

    def clear(self, registers: Iterable[int]) -> None:
        for register in registers:
            self.emit(f"xxlxor {register}, {register}, {register}")

    def reserve_stack(self, vectors: int) -> None:
        self.emit(f"addi 1, 1, -{vectors * VECTOR_BYTES + RED_ZONE}")

    def release_stack(self, vectors: int) -> None:
        self.emit(f"addi 1, 1, {vectors * VECTOR_BYTES + RED_ZONE}")

    def spill(self, register: int, index: int) -> None:
        self.emit(f"li {SCRATCH}, {index * VECTOR_BYTES}")
        self.emit(f"stxvw4x {register}, 1, {SCRATCH}")

    def reload(self, register: int, index: int) -> None:
        self.emit(f"li {SCRATCH}, {index * VECTOR_BYTES}")
        self.emit(f"lxvw4x {register}, 1, {SCRATCH}")
