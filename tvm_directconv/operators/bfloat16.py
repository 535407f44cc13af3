"""Casts between float32 and bfloat16, which is float32's upper half, on the numbers' bits.

TVM's own legalization of bfloat16 gets vectors and expressions on bits wrong where they share a kernel with
it, and rounds some NaNs up, to zero.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tvm import tirx
from tvm.tirx.script.builder import ir as T

from .builder import Expr, splat, vector_type
from .elementwise import elementwise

if TYPE_CHECKING:
    from tvm_directconv.targets.target import CompileTarget

BFLOAT16 = "bfloat16"
_QUIET_NAN = 0x7FC0
_INFINITY = 0x7F80_0000


def from_bfloat16(shape: tuple[int, ...], target: CompileTarget) -> tirx.PrimFunc:
    """PrimFunc (bfloat16, output float32), both of ``shape``: the same numbers."""

    def function(upper: Expr) -> Expr:
        width = upper.ty.dtype.lanes
        bits = T.shift_left(T.cast(upper, vector_type("uint32", width)), splat(16, width, "uint32"))
        return T.reinterpret(vector_type("float32", width), bits)

    return elementwise(function, shape, 1, target, dtypes=[BFLOAT16, "float32"], name="from_bfloat16")


def to_bfloat16(shape: tuple[int, ...], target: CompileTarget) -> tirx.PrimFunc:
    """PrimFunc (float32, output bfloat16), both of ``shape``: rounded to nearest, ties to even."""

    def function(number: Expr) -> Expr:
        width = number.ty.dtype.lanes

        def const(value: int) -> Expr:
            return splat(value, width, "uint32")

        bits = T.Bind(T.reinterpret(vector_type("uint32", width), number))
        odd = T.bitwise_and(T.shift_right(bits, const(16)), const(1))
        rounded = T.shift_right(bits + const(0x7FFF) + odd, const(16))
        is_nan = T.bitwise_and(bits, const(0x7FFF_FFFF)) > const(_INFINITY)
        return T.cast(T.Select(is_nan, const(_QUIET_NAN), rounded), vector_type("uint16", width))

    return elementwise(function, shape, 1, target, dtypes=["float32", BFLOAT16], name="to_bfloat16")
