"""Steps of epilogues in VSX, whose multiply-adds add to their target or multiply it."""

from __future__ import annotations

import abc
from collections.abc import Sequence

from intrinsics.emit.asm import AsmBody
from intrinsics.emit.steps import EXTREMES, OF_CHANNELS, Help, StepEmitter
from intrinsics.epilogue import EXPONENT_BITS
from intrinsics.microkernel import KernelInstance

from .registers import BIAS, LANES, RESIDUAL, SCRATCH, VECTOR_BYTES

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


class PowerSteps(StepEmitter[int]):
    """What VSX and MMA kernels emit for steps."""

    emit: AsmBody
    instance: KernelInstance

    @property
    @abc.abstractmethod
    def free(self) -> int:
        """The first of at least four registers that hold no accumulator when taps are walked: it is a
        residual's, the second a mask's."""

    @abc.abstractmethod
    def load_channels(self, register: int, pointer: str, at: int, v: int) -> None:
        """Vector ``v`` of 32-bit channels, ``at`` bytes from ``pointer``, with one more register's help;
        lanes beyond the tail's hold anything."""

    @abc.abstractmethod
    def result_at(self, pointer: str, m: int, v: int) -> int:
        """Elements from a pointer to C, or to what lies as C does, to row m's vector v."""

    def load_result(self, register: int, pointer: str, m: int, v: int) -> None:
        """Row m's vector ``v`` of what lies as C does, as float32."""
        self.load_channels(register, pointer, 4 * self.result_at(pointer, m, v), v)

    def operate(self, kind: str, target: int, operands: Sequence[int], help: Help[int]) -> None:
        """An operation of a step, whose extremes keep a NaN of the first operand."""
        if kind in EXTREMES:
            self.extreme(kind, target, *operands)
        elif kind == "add_residual":
            m, v = help.place
            self.load_result(self.free, RESIDUAL, m, v)
            self.emit(f"xvaddsp {target}, {operands[0]}, {self.free}")
        elif kind in OF_CHANNELS:
            _, v = help.place
            self.load_channels(self.free, BIAS, 4 * (help.at + v * LANES), v)
            self.emit(f"{OPERATIONS[OF_CHANNELS[kind]]} {target}, {operands[0]}, {self.free}")
        elif kind == "power_of_two":
            # Shifts have half of the registers only, which spare ones are of; the amount is taken modulo 32.
            amount, value = help.spares
            self.emit(f"vspltisw {amount - ALTIVEC}, {EXPONENT_BITS - 32}")
            self.copy(value, operands[0])
            self.emit(f"vslw {value - ALTIVEC}, {value - ALTIVEC}, {amount - ALTIVEC}")
            self.copy(target, value)
        elif kind == "multiply_add":
            self.multiply_add(target, *operands)
        else:
            self.emit(f"{OPERATIONS[kind]} {target}, {operands[0]}, {operands[1]}")

    def multiply_add(self, target: int, a: int, b: int, c: int) -> None:
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
