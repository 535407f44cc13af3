"""The micro-kernel of half precision in plain LLVM vectors, for any LLVM target.

Operands are widened to float32 as they are loaded and results rounded as they are stored, by arithmetic on
their bits: LLVM calls functions of a runtime library for conversions that a target lacks instructions for.
"""

from __future__ import annotations

from dataclasses import replace

from intrinsics.emit.vectors import splat
from intrinsics.instruction_set import Isa
from intrinsics.microkernel import KernelInstance

from .floats import LANES, PORTABLE, VECTOR, PortableKernel

INTEGERS = f"<{LANES} x i32>"
NARROW = f"<{LANES} x i16>"
SIGN, INFINITY = 0x80000000, 0x7F800000
"""Bits of float32."""
F16_SCALE = 2.0**112
"""The bits of a float16 at the place of float32's are that much smaller."""
F16_OVERFLOWS, F16_NORMAL = 0x47800000, 0x38800000
"""Bits of the least float32 magnitudes that are too large for float16, and normal in it."""
F16_DENORMALS = 0x3F000000
"""One half: a magnitude is rounded to float16's least denormal as it is added."""


class PortableHalvesKernel(PortableKernel):
    """Emits one kernel instance as an LLVM IR function of its ``parameters``."""

    element, element_bytes = "i16", 2

    def __init__(self, isa: Isa, instance: KernelInstance) -> None:
        super().__init__(isa, instance)
        self.half = instance.kernel.lhs
        self.stored = "float" if instance.kernel.destination == "f32" else "i16"

    def type_of(self, pointer: str) -> str:
        """LLVM's type of the elements behind a pointer."""
        return {"%bias": "float", "%c": self.stored, "%residual": self.stored}.get(pointer, "i16")

    # ---- loads

    def load_filter(self, pointer: str, offset: int) -> str:
        return self.widened(self.value(f"load {NARROW}, ptr {self.address(pointer, offset)}, align 2"))

    def splat(self, pointer: str, offset: int) -> str:
        kind = self.type_of(pointer)
        vector = f"<{LANES} x {kind}>"
        scalar = self.value(f"load {kind}, ptr {self.address(pointer, offset, kind)}, align 2")
        first = self.value(f"insertelement {vector} poison, {kind} {scalar}, i64 0")
        x = self.value(f"shufflevector {vector} {first}, {vector} poison, <{LANES} x i32> zeroinitializer")
        return x if kind == "float" else self.widened(x)

    def load_channels(self, pointer: str, offset: int | str, v: int) -> str:
        kind = self.type_of(pointer)
        x = self.load_lanes(f"<{LANES} x {kind}>", kind, pointer, offset, v)
        return x if kind == "float" else self.widened(x)

    def load_twice(self, pointer: str, offset: int, v: int) -> str:
        if self.is_tail(v):
            return self.splat(pointer, offset)
        half = self.value(f"load <2 x i16>, ptr {self.address(pointer, offset)}, align 2")
        select = ", ".join(f"i32 {lane // 2}" for lane in range(LANES))
        return self.widened(
            self.value(f"shufflevector <2 x i16> {half}, <2 x i16> poison, <{LANES} x i32> <{select}>")
        )

    def load_lanes(self, vector: str, kind: str, pointer: str, offset: int | str, v: int) -> str:
        """Vector ``v`` of channels; absent ones are zero. Elements are loaded one by one, since
        LLVM masks halves only where the target does."""
        if not self.is_tail(v):
            return self.value(f"load {vector}, ptr {self.address(pointer, offset, kind)}, align 2")
        result = "zeroinitializer"
        for lane in range(self.tail):
            at = self.address(pointer, self.further(offset, lane), kind)
            one = self.value(f"load {kind}, ptr {at}, align 2")
            result = self.value(f"insertelement {vector} {result}, {kind} {one}, i64 {lane}")
        return result

    def store_channels(self, value: str, pointer: str, offset: int | str, v: int) -> None:
        kind = self.type_of(pointer)
        vector = f"<{LANES} x {kind}>"
        value = value if kind == "float" else self.narrowed(value)
        if not self.is_tail(v):
            self.line(f"store {vector} {value}, ptr {self.address(pointer, offset, kind)}, align 2")
            return
        for lane in range(self.tail):
            one = self.value(f"extractelement {vector} {value}, i64 {lane}")
            at = self.address(pointer, self.further(offset, lane), kind)
            self.line(f"store {kind} {one}, ptr {at}, align 2")

    # ---- conversions

    def widened(self, x: str) -> str:
        bits = self.value(f"zext {NARROW} {x} to {INTEGERS}")
        if self.half == "bf16":
            return self.as_floats(self.integers("shl", bits, 16))
        magnitude = self.integers("shl", self.integers("and", bits, 0x7FFF), 13)
        sign = self.integers("shl", self.integers("and", bits, 0x8000), 16)
        scaled = self.value(f"fmul {VECTOR} {self.as_floats(magnitude)}, {splat(F16_SCALE, LANES)}")
        finite = self.as_integers(scaled)
        endless = self.integers("or", finite, INFINITY)
        magnitude = self.where("uge", magnitude, 0x7C00 << 13, endless, finite)
        return self.as_floats(self.integers("or", magnitude, sign))

    def narrowed(self, x: str) -> str:
        """Rounded to nearest, ties to even; what is not a number stays none."""
        bits = self.as_integers(x)
        sign = self.integers("and", bits, SIGN)
        magnitude = self.integers("xor", bits, sign)
        if self.half == "bf16":
            rounded = self.integers("lshr", self.rounded(magnitude, 16), 16)
            not_a_number = self.integers("or", self.integers("lshr", magnitude, 16), 0x40)
            small = self.where("ugt", magnitude, INFINITY, not_a_number, rounded)
        else:
            small = self.f16_of(magnitude)
        small = self.integers("or", small, self.integers("lshr", sign, 16))
        return self.value(f"trunc {INTEGERS} {small} to {NARROW}")

    def f16_of(self, magnitude: str) -> str:
        rebased = self.integers("sub", self.rounded(magnitude, 13), F16_NORMAL - (1 << 23))
        normal = self.integers("lshr", rebased, 13)
        placed = self.value(f"fadd {VECTOR} {self.as_floats(magnitude)}, {splat(0.5, LANES)}")
        denormal = self.integers("sub", self.as_integers(placed), F16_DENORMALS)
        finite = self.where("ult", magnitude, F16_NORMAL, denormal, normal)
        endless = self.where("ugt", magnitude, INFINITY, constant(0x7E00), constant(0x7C00))
        return self.where("uge", magnitude, F16_OVERFLOWS, endless, finite)

    def rounded(self, magnitude: str, places: int) -> str:
        """Round: add one half of what the lowest ``places`` bits do not hold, or just less if that is
        even."""
        odd = self.integers("and", self.integers("lshr", magnitude, places), 1)
        return self.integers("add", self.integers("add", magnitude, (1 << places - 1) - 1), odd)

    def integers(self, operation: str, a: str, b: str | int) -> str:
        return self.value(f"{operation} {INTEGERS} {a}, {b if isinstance(b, str) else constant(b)}")

    def where(self, comparison: str, a: str, b: int, then: str, otherwise: str) -> str:
        """Lanes of ``then`` where a compares so to b, unsigned, and of ``otherwise`` elsewhere."""
        chosen = self.value(f"icmp {comparison} {INTEGERS} {a}, {constant(b)}")
        return self.value(f"select <{LANES} x i1> {chosen}, {INTEGERS} {then}, {INTEGERS} {otherwise}")

    def as_floats(self, x: str) -> str:
        return self.value(f"bitcast {INTEGERS} {x} to {VECTOR}")

    def as_integers(self, x: str) -> str:
        return self.value(f"bitcast {VECTOR} {x} to {INTEGERS}")


def constant(value: int) -> str:
    return f"<{', '.join([f'i32 {value}'] * LANES)}>"


PORTABLEHALVES = replace(
    PORTABLE,
    name="portablehalves",
    emitter=PortableHalvesKernel,
    lhs=("bf16", "f16"),
    rhs=("bf16", "f16"),
    widening=4,
)
"""Half precision is computed as float32, between conversions."""
