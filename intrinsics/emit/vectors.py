"""What epilogue steps are made of, on LLVM's vectors of float32."""

from __future__ import annotations

import struct
from collections.abc import Callable

from intrinsics.epilogue import EXPONENT_BITS, Operations


class VectorOperations(Operations[str]):
    """What epilogue steps are made of, on names of LLVM's vectors of ``lanes`` float32.

    ``value`` writes an instruction and returns its name; ``residual`` is the vector of that name, and
    ``channel`` loads the vector of channels' constants so many elements behind the bias.
    """

    def __init__(
        self,
        value: Callable[[str], str],
        lanes: int,
        residual: str = "",
        channel: Callable[[int], str] | None = None,
    ) -> None:
        self._value, self._lanes, self._residual, self._channel = value, lanes, residual, channel
        self._vector, self._integers = f"<{lanes} x float>", f"<{lanes} x i32>"

    def maximum(self, a: str, b: str | float) -> str:
        return self._other_if("olt", a, self._operand(b))

    def minimum(self, a: str, b: str | float) -> str:
        return self._other_if("ogt", a, self._operand(b))

    def add(self, a: str, b: str | float) -> str:
        return self._value(f"fadd {self._vector} {a}, {self._operand(b)}")

    def subtract(self, a: str, b: str | float) -> str:
        return self._value(f"fsub {self._vector} {a}, {self._operand(b)}")

    def multiply(self, a: str, b: str | float) -> str:
        return self._value(f"fmul {self._vector} {a}, {self._operand(b)}")

    def multiply_add(self, a: str, b: str | float, c: str | float) -> str:
        vectors = ", ".join(f"{self._vector} {self._operand(value)}" for value in (a, b, c))
        return self._value(f"call {self._vector} @llvm.fmuladd.v{self._lanes}f32({vectors})")

    def divide(self, a: str, b: str) -> str:
        return self._value(f"fdiv {self._vector} {a}, {b}")

    def power_of_two(self, a: str) -> str:
        bits = self._value(f"bitcast {self._vector} {a} to {self._integers}")
        places = ", ".join([f"i32 {EXPONENT_BITS}"] * self._lanes)
        shifted = self._value(f"shl {self._integers} {bits}, <{places}>")
        return self._value(f"bitcast {self._integers} {shifted} to {self._vector}")

    def channel(self, at: int) -> str:
        return super().channel(at) if self._channel is None else self._channel(at)

    def add_residual(self, a: str) -> str:
        return self._value(f"fadd {self._vector} {a}, {self._residual}")

    def _other_if(self, comparison: str, a: str, b: str) -> str:
        """``b`` where ``a`` compares so to it, ``a`` elsewhere, and where one of them is a NaN."""
        chosen = self._value(f"fcmp {comparison} {self._vector} {a}, {b}")
        return self._value(f"select <{self._lanes} x i1> {chosen}, {self._vector} {b}, {self._vector} {a}")

    def _operand(self, value: str | float) -> str:
        return value if isinstance(value, str) else splat(value, self._lanes)


def splat(value: float, lanes: int) -> str:
    """An LLVM vector constant; fp32 constants are written as the hexadecimal of their double."""
    bits = struct.unpack(">Q", struct.pack(">d", struct.unpack("<f", struct.pack("<f", value))[0]))[0]
    return f"<{', '.join([f'float 0x{bits:016X}'] * lanes)}>"
