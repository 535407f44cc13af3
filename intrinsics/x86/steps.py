"""Steps of epilogues in x86: constants are operands in memory where registers are short.

They lie among the code, behind a jump, where they are addressed from: no linker takes part.
"""

from __future__ import annotations

import abc
import struct
from collections.abc import Sequence
from functools import cached_property

from intrinsics.emit.asm import AsmBody
from intrinsics.emit.steps import EXTREMES, OF_CHANNELS, Help, StepEmitter
from intrinsics.epilogue import EXPONENT_BITS
from intrinsics.instruction_set import Isa
from intrinsics.microkernel import CACHE_LINE_BYTES

from .registers import BIAS, COUNTER, RESIDUAL

OPERATIONS = {
    "maximum": "vmaxps",
    "minimum": "vminps",
    "add": "vaddps",
    "multiply": "vmulps",
    "divide": "vdivps",
}
"""Operations of epilogue steps are spelled so. The extremes of a NaN and a number are the last
operand."""
RED_ZONE = 128
"""Functions may keep so many bytes beyond the stack pointer."""
TABLE, TABLE_END = 7, 8
"""Labels of constants in memory, which lie among the code."""


class X86Steps(StepEmitter[str]):
    """What x86 kernels emit for steps; AVX2 and AVX-512 spell constants in memory differently."""

    takes_memory = True
    emit: AsmBody
    isa: Isa
    table_bytes = 4
    """A constant in memory takes so many bytes."""

    @cached_property
    def table(self) -> list[float | tuple[int, ...]]:
        """The constants that are operands in memory: a number for all lanes, or the bits of each."""
        return []

    def emit_table(self) -> None:
        """The constants, behind all code."""
        if self.table:
            self.emit(f"jmp {TABLE_END}f")
            self.emit(".p2align 5")
            self.emit(f"{TABLE}:")
            for value in self.table:
                if isinstance(value, tuple):
                    self.emit(f".long {', '.join(map(str, value))}")
                else:
                    self.emit(f".fill {self.table_bytes // 4}, 4, {float_bits(value)}")
            self.emit(f"{TABLE_END}:")

    def operate(self, kind: str, target: str, operands: Sequence[str], help: Help[str]) -> None:
        if kind == "add_residual":
            m, v = help.place
            self.add_memory(self.result_at(RESIDUAL, m, v), operands[0], target, v)
        elif kind in OF_CHANNELS:
            m, v = help.place
            memory = f"{4 * help.at + v * self.isa.vector_bytes}(%{BIAS})"
            self.with_memory(OPERATIONS[OF_CHANNELS[kind]], memory, operands[0], target, v)
        elif kind == "power_of_two":
            self.emit(f"vpslld ${EXPONENT_BITS}, {operands[0]}, {target}")
        elif kind == "multiply_add":
            self.multiply_add(target, *operands)
        elif kind in EXTREMES:
            self.emit(f"{OPERATIONS[kind]} {operands[0]}, {operands[1]}, {target}")
        else:
            self.emit(f"{OPERATIONS[kind]} {self.repeated(operands[1])}, {operands[0]}, {target}")

    def multiply_add(self, target: str, a: str, b: str, c: str) -> None:
        """``target = a * b + c``, of which ``b`` or ``c`` may be in memory."""
        if target == b:
            a, b = b, a
        if target == a and target != c:
            form, last, middle = ("132", b, c) if is_memory(b) else ("213", c, b)
            self.emit(f"vfmadd{form}ps {self.repeated(last)}, {middle}, {target}")
            return
        if target != c:
            self.copy(c, target)
        self.emit(f"vfmadd231ps {self.repeated(b)}, {a}, {target}")

    def in_memory(self, value: float | tuple[int, ...]) -> str:
        if value not in self.table:
            self.table.append(value)
        return f"{TABLE}f+{self.table.index(value) * self.table_bytes}(%rip)"

    def constant_again(self, value: float, register: str) -> None:
        self.copy(self.in_memory(value), register)

    def reserve_stack(self, vectors: int) -> None:
        """The stack pointer as it was is kept behind the vectors."""
        self.emit(f"mov %rsp, %{COUNTER}")
        self.emit(f"sub ${(vectors + 1) * self.isa.vector_bytes + RED_ZONE}, %rsp")
        self.emit(f"and $-{CACHE_LINE_BYTES}, %rsp")
        self.emit(f"mov %{COUNTER}, {vectors * self.isa.vector_bytes}(%rsp)")

    def release_stack(self, vectors: int) -> None:
        self.emit(f"mov {vectors * self.isa.vector_bytes}(%rsp), %rsp")

    def spill(self, register: str, index: int) -> None:
        self.emit(f"vmovaps {register}, {index * self.isa.vector_bytes}(%rsp)")

    def reload(self, register: str, index: int) -> None:
        self.emit(f"vmovaps {index * self.isa.vector_bytes}(%rsp), {register}")

    # ---- what the instruction sets spell differently

    def add_memory(self, memory: str, register: str, target: str, v: int) -> None:
        """``target = register + memory``, of vector ``v`` of what lies as C does."""
        self.with_memory("vaddps", memory, register, target, v)

    @abc.abstractmethod
    def with_memory(self, instruction: str, memory: str, register: str, target: str, v: int) -> None:
        """``target = register (instruction) memory`` in float32, of vector ``v``."""

    @abc.abstractmethod
    def result_at(self, pointer: str, m: int, v: int) -> str:
        """The address of row m's vector v in C or the residual, whichever the pointer is of."""

    def repeated(self, operand: str) -> str:
        """An operand of all lanes, which may be a constant in memory."""
        return operand

    @abc.abstractmethod
    def copy(self, operand: str, register: str) -> None:
        """Fill a register with such an operand."""


def is_memory(operand: str) -> bool:
    return operand.endswith(")")


def float_bits(value: float) -> int:
    return int(struct.unpack("<I", struct.pack("<f", value))[0])
