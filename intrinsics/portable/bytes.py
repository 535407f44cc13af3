"""The micro-kernel of 8-bit integers in plain LLVM vectors, for any LLVM target.

One channel at a time: both operands are widened to 32 bits before they are multiplied, from which LLVM makes
what a target has for products of 16 bits (pmaddwd, smlal by element).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from intrinsics.emit.byte_tile import scales_behind_bias, steps_behind_scale
from intrinsics.emit.vectors import splat
from intrinsics.epilogue import Step
from intrinsics.instruction_set import Cpu, Isa
from intrinsics.microkernel import DEPTHWISE, KernelInstance, Segment

from .floats import LANES, PORTABLE, PortableKernel

VECTOR = f"<{LANES} x i32>"
FLOATS = f"<{LANES} x float>"
NARROW = f"<{LANES} x i8>"
INTEGERS_FROM, INTEGERS_FROM_BITS = 1.5 * 2**23, 0x4B400000
"""Floats are one apart beside this one: adding it rounds to even, into the low bits."""


class PortableBytesKernel(PortableKernel):
    """Emits one kernel instance as an LLVM IR function of its ``parameters``."""

    element = "i8"
    vector = VECTOR

    def __init__(self, isa: Isa, instance: KernelInstance) -> None:
        super().__init__(isa, instance)
        _, *operands = instance.kernel.types.split("_")
        self.extend_a, self.extend_b = ("zext" if kind == "u8" else "sext" for kind in operands)

    def start(self, m: int, v: int) -> str:
        if not self.instance.epilogue.bias:
            return "zeroinitializer"
        return self.load_lanes(VECTOR, "%bias", self.instance.bias_offset(m) + v * LANES, v)

    def step(self, segment: Segment, a: str, a_offset: int, b: str, b_offset: int) -> None:
        depthwise = self.instance.kernel.layout == DEPTHWISE
        # Rows of B are as wide as the tile: all of a vector may be read.
        operands = [
            self.widened(self.extend_b, self.value(f"load {NARROW}, ptr {self.address(b, at)}, align 1"))
            for at in range(b_offset, b_offset + self.used * LANES, LANES)
        ]
        for m in range(segment.first, segment.last):
            at = a_offset + m * self.instance.a_row
            shared = None if depthwise else self.splat(a, at)
            for v, operand in enumerate(operands):
                x = shared or self.widened(self.extend_a, self.load_lanes(NARROW, a, at + v * LANES, v))
                product = self.value(f"mul {VECTOR} {x}, {operand}")
                old = self.value(f"load {VECTOR}, ptr %acc.{m}.{v}")
                new = self.value(f"add {VECTOR} {old}, {product}")
                self.line(f"store {VECTOR} {new}, ptr %acc.{m}.{v}")

    def widened(self, extend: str, narrow: str) -> str:
        return self.value(f"{extend} {NARROW} {narrow} to {VECTOR}")

    def splat(self, pointer: str, offset: int) -> str:
        scalar = self.value(f"load i8, ptr {self.address(pointer, offset)}, align 1")
        wide = self.value(f"{self.extend_a} i8 {scalar} to i32")
        first = self.value(f"insertelement {VECTOR} poison, i32 {wide}, i64 0")
        return self.value(f"shufflevector {VECTOR} {first}, {VECTOR} poison, <{LANES} x i32> zeroinitializer")

    def finish_tile(self) -> None:
        destination = self.instance.kernel.destination
        behind = scales_behind_bias(self.instance)
        for m in range(self.rows):
            for v in range(self.used):
                at = self.instance.c_offset(m, v * LANES)
                x = self.value(f"load {VECTOR}, ptr %acc.{m}.{v}")
                if destination == "i32":
                    self.store_lanes(VECTOR, x, at, v)
                    continue
                x = self.value(f"sitofp {VECTOR} {x} to {FLOATS}")
                pointer, first = ("%residual", 0) if behind is None else ("%bias", behind)
                scale = self.load_lanes(FLOATS, pointer, first + v * LANES, v)
                x = self.value(f"fmul {FLOATS} {x}, {scale}")
                x = self.after_steps(x, "" if behind is None else self.residual(at, v))
                if destination == "f32":
                    self.store_lanes(FLOATS, x, at, v)
                    continue
                # LLVM's roundeven is a call of libm on targets without such an instruction.
                x = self.value(f"fadd {FLOATS} {x}, {splat(INTEGERS_FROM, LANES)}")
                x = self.value(f"bitcast {FLOATS} {x} to {VECTOR}")
                zero = ", ".join([f"i32 {self.instance.zero - INTEGERS_FROM_BITS}"] * LANES)
                x = self.value(f"add {VECTOR} {x}, <{zero}>")
                self.store_lanes(NARROW, self.value(f"trunc {VECTOR} {x} to {NARROW}"), at, v)

    @property
    def steps_taken(self) -> Sequence[Step]:
        return steps_behind_scale(self.instance)

    def residual(self, at: int, v: int) -> str:
        """Vector ``v`` of the residual, of bytes of C's type, as floats."""
        sign = self.instance.kernel.destination[0]
        wide = self.widened("zext" if sign == "u" else "sext", self.load_lanes(NARROW, "%residual", at, v))
        return self.value(f"sitofp {VECTOR} {wide} to {FLOATS}")

    # ---- vectors that end with the channels

    def load_lanes(self, vector: str, pointer: str, offset: int, v: int) -> str:
        """Vector ``v`` of channels, ``offset`` of its elements from the pointer; absent ones are zero.
        Elements are loaded one by one, since LLVM masks bytes only where the target does."""
        element = vector.split()[-1][:-1]
        if not self.is_tail(v):
            return self.value(f"load {vector}, ptr {self.address(pointer, offset, element)}, align 1")
        result = "zeroinitializer"
        for lane in range(self.tail):
            one = self.value(f"load {element}, ptr {self.address(pointer, offset + lane, element)}, align 1")
            result = self.value(f"insertelement {vector} {result}, {element} {one}, i64 {lane}")
        return result

    def store_lanes(self, vector: str, value: str, offset: int, v: int) -> None:
        element = vector.split()[-1][:-1]
        if not self.is_tail(v):
            self.line(f"store {vector} {value}, ptr {self.address('%c', offset, element)}, align 1")
            return
        for lane in range(self.tail):
            one = self.value(f"extractelement {vector} {value}, i64 {lane}")
            self.line(f"store {element} {one}, ptr {self.address('%c', offset + lane, element)}, align 1")

    @staticmethod
    def declarations() -> str:
        return ""


PORTABLEBYTES = replace(
    PORTABLE,
    name="portablebytes",
    emitter=PortableBytesKernel,
    cpus=(Cpu("llvm"), Cpu("llvm -mtriple=powerpc64le-linux-gnu -mcpu=pwr8", "power8")),
    epilogue_registers=1,
    lhs=("u8", "s8"),
    rhs=("s8", "u8"),
)
"""Bytes are multiplied as LLVM does it; tests emulate a CPU without other kernels of bytes."""
