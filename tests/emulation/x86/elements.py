"""The arithmetic that the table of x86's instructions is evaluated with here: numpy's, on arrays of elements.

The table is that of the proofs (``intrinsics.verification.x86_table``), so that what an instruction means is
written once: proofs evaluate it on terms, and this on numbers, as a CPU does.
"""

from __future__ import annotations

import numpy as np

from .rounding import fused, fused_flushed, of_bfloat16, to_bfloat16

Array = np.ndarray
Pair = tuple[Array, Array]
INDEFINITE = -(1 << 31)
"""What is no integer of 32 bits is converted to this."""
FLOATS = {"": "f4", "h": "f2"}


class NumpyArithmetic:
    """Elements are arrays of unsigned integers, their bits; integers are arrays of int64."""

    # ---- floating point

    def fma(self, a: Array, b: Array, c: Array, kind: str = "") -> Array:
        of = FLOATS[kind]
        return fused(a.view(of), b.view(of), c.view(of)).view(a.dtype)

    def add(self, a: Array, b: Array, kind: str = "") -> Array:
        return (a.view(FLOATS[kind]) + b.view(FLOATS[kind])).view(a.dtype)

    def multiply(self, a: Array, b: Array, kind: str = "") -> Array:
        return (a.view(FLOATS[kind]) * b.view(FLOATS[kind])).view(a.dtype)

    def divide(self, a: Array, b: Array) -> Array:
        return (a.view("f4") / b.view("f4")).view("u4")

    def greater(self, a: Array, b: Array) -> Array:
        return np.where(a.view("f4") > b.view("f4"), a, b)

    def less(self, a: Array, b: Array) -> Array:
        return np.where(a.view("f4") < b.view("f4"), a, b)

    def of_integer(self, x: Array) -> Array:
        return x.astype(np.int32).astype("f4").view("u4")

    def to_integer(self, a: Array) -> Array:
        rounded = np.rint(a.view("f4").astype(np.float64))
        fits = (rounded >= INDEFINITE) & (rounded <= -INDEFINITE - 1)
        return np.where(fits, rounded, INDEFINITE).astype(np.int64)

    def of_half(self, a: Array) -> Array:
        return a.view("f2").astype("f4").view("u4")

    def to_half(self, a: Array) -> Array:
        return a.view("f4").astype("f2").view("u2")

    def to_half_rounding(self, a: Array, rounding: int) -> Array:
        assert not rounding & 7, "to nearest even"
        return self.to_half(a)

    def to_bfloat16_flushed(self, a: Array) -> Array:
        return to_bfloat16(a.view("f4"))

    def dot_bfloat16(self, old: Array, a: Pair, b: Pair) -> Array:
        """Two multiply-adds, the odd elements' first, each rounded by itself (Intel's SDM, VDPBF16PS)."""
        (a0, a1), (b0, b1) = (tuple(map(of_bfloat16, pair)) for pair in (a, b))
        return fused_flushed(a0, b0, fused_flushed(a1, b1, old.view("f4"))).view("u4")

    # ---- bits

    def exclusive_or(self, a: Array, b: Array) -> Array:
        return a ^ b

    def both(self, a: Array, b: Array) -> Array:
        return a & b

    def either(self, a: Array, b: Array) -> Array:
        return a | b

    def shift_left(self, a: Array, places: int, size: int) -> Array:
        return a << places

    def shift_right(self, a: Array, places: int, size: int) -> Array:
        return a >> places

    def shift_right_signed(self, a: Array, places: int, size: int) -> Array:
        return (a.view(f"i{size}") >> places).view(a.dtype)

    def zero_extended(self, a: Array, size: int, to: int) -> Array:
        return a.astype(f"u{to}")

    def sign_extended(self, a: Array, to: int) -> Array:
        return a.view("i1").astype(f"i{to}").view(f"u{to}")

    def low_half(self, a: Array) -> Array:
        return a.astype("u2")

    # ---- integers

    def signed(self, a: Array, bits: int) -> Array:
        return np.ascontiguousarray(a).view(f"i{bits // 8}").astype(np.int64)

    def unsigned(self, a: Array, bits: int) -> Array:
        return a.astype(np.int64)

    def plus(self, a: Array, b: Array) -> Array:
        return a + b

    def minus(self, a: Array, b: Array) -> Array:
        return a - b

    def times(self, a: Array, b: Array) -> Array:
        return a * b

    def magnitude(self, a: Array) -> Array:
        return np.abs(self.signed(a, 8)).astype("u1")

    def with_sign(self, b: Array, a: Array) -> Array:
        return (self.signed(b, 8) * np.sign(self.signed(a, 8))).astype("u1")

    def wrapped(self, x: Array, bits: int) -> Array:
        return x.astype(f"u{bits // 8}")

    def saturated(self, x: Array, bits: int, signed: bool = True) -> Array:
        ends = np.iinfo(f"{'i' if signed else 'u'}{bits // 8}")
        return np.clip(x, ends.min, ends.max).astype(f"u{bits // 8}")


def ternary(table: int, a: Array) -> Array:
    assert table == 0xFF, "ones, whatever the sources are"
    return np.full_like(a, 0xFFFFFFFF)


def shuffled(x: Array, places: Array) -> Array:
    """Bytes of each part of 16, by places in it; 0 where the place has its highest bit."""
    parts, at = x.reshape(-1, 16), places.reshape(-1, 16)
    return np.where(at < 128, np.take_along_axis(parts, at & 15, 1), 0).astype(np.uint8).reshape(-1)
