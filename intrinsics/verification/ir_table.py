"""The operations of LLVM IR on elements of vectors, and what arithmetic on bits stands for conversions.

An entry gets elements, and their bytes. ``fmuladd`` is a multiply-add, of one rounding or of two as LLVM
likes. The conversions are those of emitted code (``portable``): what they compute is what is said here of
all float16, and of float32 as far as tests draw them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Element = Any


def _integer(operation: str) -> Callable[..., Element]:
    def compute(op: Any, a: Element, b: Element, size: int) -> Element:
        bits = 8 * size
        return op.wrapped(getattr(op, operation)(op.signed(a, bits), op.signed(b, bits)), bits)

    return compute


BINARY: dict[str, Callable[..., Element]] = {
    "fadd": lambda op, a, b, size: op.add(a, b),
    "fmul": lambda op, a, b, size: op.multiply(a, b),
    "fdiv": lambda op, a, b, size: op.divide(a, b),
    "add": _integer("plus"),
    "sub": _integer("minus"),
    "mul": _integer("times"),
    "and": lambda op, a, b, size: op.both(a, b, size),
    "or": lambda op, a, b, size: op.either(a, b, size),
    "xor": lambda op, a, b, size: op.exclusive_or(a, b, size),
}
"""Operations on two elements."""
SHIFTS: dict[str, Callable[..., Element]] = {
    "shl": lambda op, a, places, size: op.shift_left(a, places, size),
    "lshr": lambda op, a, places, size: op.shift_right(a, places, size),
}
"""Operations whose second operand is a number of places, the same for all elements."""
CASTS: dict[str, Callable[..., Element]] = {
    "zext": lambda op, a, size, to: op.zero_extended(a, size, to),
    "sext": lambda op, a, size, to: op.sign_extended(a, to, size),
    "trunc": lambda op, a, size, to: op.lower_part(a, size, to),
    "sitofp": lambda op, a, size, to: op.of_integer(op.signed(a, 32)),
    "bitcast": lambda op, a, size, to: a,
}
"""Operations on one element that make one of another type."""
COMPARISONS: dict[tuple[str, str], Callable[..., Element]] = {
    ("fcmp", "olt"): lambda op, a, b: op.is_greater(b, a),
    ("fcmp", "ogt"): lambda op, a, b: op.is_greater(a, b),
    ("icmp", "ult"): lambda op, a, b: op.is_below(a, b),
    ("icmp", "ugt"): lambda op, a, b: op.is_below(b, a),
    ("icmp", "uge"): lambda op, a, b: op.is_not_below(a, b),
}
"""Comparisons of two elements."""

SIGN, INFINITY = 0x80000000, 0x7F800000
SCALE = 0x77800000
"""float32's bits of 2**112."""
OVERFLOWS, NORMAL, HALF = 0x47800000, 0x38800000, 0x3F000000


def float_of_half(op: Any, x: Element) -> Element:
    """Return a float16 as float32."""
    constant, bits = op.constant, op.zero_extended(x, 2, 4)
    magnitude = op.shift_left(op.both(bits, constant(0x7FFF), 4), 13, 4)
    sign = op.shift_left(op.both(bits, constant(0x8000), 4), 16, 4)
    finite = op.multiply(magnitude, constant(SCALE))
    endless = op.either(finite, constant(INFINITY), 4)
    is_endless = op.is_not_below(magnitude, constant(0x7C00 << 13))
    return op.either(op.other_where(is_endless, finite, endless), sign, 4)


def half_of_float(op: Any, x: Element) -> Element:
    """Return the float16 nearest to a float32."""
    constant, magnitude, sign = op.constant, *_parts(op, x)
    sub, below = BINARY["sub"], op.is_below
    rebased = sub(op, _rounded(op, magnitude, 13), constant(NORMAL - (1 << 23)), 4)
    normal = op.shift_right(rebased, 13, 4)
    denormal = sub(op, op.add(magnitude, constant(HALF)), constant(HALF), 4)
    finite = op.other_where(below(magnitude, constant(NORMAL)), normal, denormal)
    is_nan = below(constant(INFINITY), magnitude)
    endless = op.other_where(is_nan, constant(0x7C00), constant(0x7E00))
    small = op.other_where(op.is_not_below(magnitude, constant(OVERFLOWS)), finite, endless)
    return op.lower_part(op.either(small, op.shift_right(sign, 16, 4), 4), 4, 2)


def bfloat16_of_float(op: Any, x: Element) -> Element:
    """Return the bfloat16 nearest to a float32."""
    constant, magnitude, sign = op.constant, *_parts(op, x)
    rounded = op.shift_right(_rounded(op, magnitude, 16), 16, 4)
    not_a_number = op.either(op.shift_right(magnitude, 16, 4), constant(0x40), 4)
    small = op.other_where(op.is_below(constant(INFINITY), magnitude), rounded, not_a_number)
    return op.lower_part(op.either(small, op.shift_right(sign, 16, 4), 4), 4, 2)


def _parts(op: Any, x: Element) -> tuple[Element, Element]:
    """A float32 without its sign, and that."""
    sign = op.both(x, op.constant(SIGN), 4)
    return op.exclusive_or(x, sign, 4), sign


def _rounded(op: Any, magnitude: Element, places: int) -> Element:
    """What the lowest bits are to be cut off of, to be rounded to even."""
    add, constant = BINARY["add"], op.constant
    odd = op.both(op.shift_right(magnitude, places, 4), constant(1), 4)
    return add(op, add(op, magnitude, constant((1 << places - 1) - 1), 4), odd, 4)
