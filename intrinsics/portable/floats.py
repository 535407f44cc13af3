"""The micro-kernel in plain LLVM vectors, for any LLVM target: no inline asm, no ISA assumed.

Accumulators are allocas of vector type, which LLVM's SROA turns into registers; loops are explicit. What it
lacks beside the asm kernels is only their control of registers and encoding.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from intrinsics.emit.asm import LINE, STEP, declared
from intrinsics.emit.column_walk import InputRow, input_rows
from intrinsics.emit.vectors import VectorOperations
from intrinsics.engines import Broadcast
from intrinsics.epilogue import Step
from intrinsics.instruction_set import ANY_ARCH, Cpu, Isa
from intrinsics.microkernel import DEPTHWISE, OPEN, KernelInstance, Segment

LANES = 4
VECTOR = f"<{LANES} x float>"
UNROLL_INSTRUCTIONS = 64
"""A segment of at most this many multiply-adds is unrolled whole."""


class PortableKernel:
    """Emits one kernel instance as an LLVM IR function of its ``parameters``."""

    element, element_bytes = "float", 4
    """A's and B's elements are of this type of LLVM's, and take so many bytes."""
    vector = VECTOR
    """An accumulator is of this type of LLVM's."""

    def __init__(self, isa: Isa, instance: KernelInstance) -> None:
        self.instance = instance
        self.rows = instance.kernel.mr
        self.used = -(-instance.channels // LANES)
        self.tail = instance.channels % LANES
        self.lines: list[str] = []
        self.fresh = 0

    def llvm_ir(self) -> str:
        for m in range(self.rows):
            for v in range(self.used):
                self.line(f"%acc.{m}.{v} = alloca {self.vector}")
        for name, kind in (("a.at", "ptr"), ("b.at", "ptr"), ("h.left", "i64"), ("q", "i64")):
            self.line(f"%{name} = alloca {kind}")
        for v in range(self.used):
            for m in range(self.rows):
                self.line(f"store {self.vector} {self.start(m, v)}, ptr %acc.{m}.{v}")
        self.walk_taps()
        self.finish_tile()
        body = "\n".join(f"  {line}" if not line.endswith(":") else line for line in self.lines)
        parameters = ", ".join(map(declared, self.instance.parameters))
        return (
            f"define i32 @{self.instance.name}({parameters}) alwaysinline "
            f"{{\nentry:\n{body}\n  ret i32 0\n}}\n{self.declarations()}"
        )

    def start(self, m: int, v: int) -> str:
        """What an accumulator starts from: C, the bias, or zero."""
        if self.instance.accumulate:
            return self.load_channels("%c", self.result_at(m, v), v)
        if not self.instance.epilogue.bias:
            return "zeroinitializer"
        return (
            self.splat("%bias", m) if self.instance.bias_by_row else self.load_channels("%bias", v * LANES, v)
        )

    def walk_taps(self) -> None:
        """The blocks one after the other, the tail as a last one; each begins where it must, since a border
        row does not move the pointers by whole blocks."""
        instance = self.instance
        if not instance.segments and not instance.tail_segments:
            return
        if instance.lines.taps:
            for row in input_rows(instance):
                a = "%a"
                if row.steps:
                    a = self.address("%a", self.value(f"mul i64 %{STEP}, {row.steps}"))
                self.walk_row(row, a, "%b")
            return
        self.line("%some = icmp sgt i64 %taps_h, 0")
        self.line("br i1 %some, label %blocks, label %done")
        self.line("blocks:")
        if instance.segments and instance.blocks == 1:
            self.walk_block(instance.segments, "%a", "%b")
        elif instance.segments:
            loop, after = self.label("block"), self.label("blocks.end")
            self.line("store i64 0, ptr %q")
            self.line(f"br label %{loop}")
            self.line(f"{loop}:")
            q = self.value("load i64, ptr %q")
            a = self.address("%a", self.value(f"mul i64 {q}, {instance.a_block}"))
            b = self.address("%b", self.value(f"mul i64 {q}, {instance.b_block}"))
            self.walk_block(instance.segments, a, b)
            following = self.value(f"add i64 {q}, 1")
            self.line(f"store i64 {following}, ptr %q")
            more = self.value(f"icmp slt i64 {following}, {instance.blocks}")
            self.line(f"br i1 {more}, label %{loop}, label %{after}")
            self.line(f"{after}:")
        if instance.tail_segments:
            a = self.address("%a", instance.blocks * instance.a_block)
            b = self.address("%b", instance.blocks * instance.b_block)
            self.walk_block(instance.tail_segments, a, b)
        self.line("br label %done")
        self.line("done:")

    def walk_block(self, segments: tuple[Segment, ...], a: str, b: str) -> None:
        """All filter rows of a block whose operands begin at ``a`` and ``b``; there is at least one row."""
        taps, after = self.label("taps"), self.label("taps.end")
        self.line(f"store ptr {a}, ptr %a.at")
        self.line(f"store ptr {b}, ptr %b.at")
        self.line("store i64 %taps_h, ptr %h.left")
        self.line(f"br label %{taps}")
        self.line(f"{taps}:")
        if self.by_columns:
            (row,) = input_rows(self.instance)
            self.walk_row(row, self.value("load ptr, ptr %a.at"), self.value("load ptr, ptr %b.at"))
            segments = ()
        for segment in segments:
            self.walk_segment(segment)
        self.bump("%a.at", f"%{STEP}" if self.instance.a_step is OPEN else self.instance.a_step)
        self.bump("%b.at", self.instance.b_step)
        more = self.count_down("%h.left", 1)
        self.line(f"br i1 {more}, label %{taps}, label %{after}")
        self.line(f"{after}:")

    @property
    def by_columns(self) -> bool:
        """Whether every pixel of an input row is loaded once."""
        return self.instance.kernel.layout == DEPTHWISE and "8" not in self.instance.kernel.lhs

    def walk_row(self, row: InputRow, a: str, b: str) -> None:
        """The multiply-adds of one row of the input, whose taps LLVM keeps in registers if it can."""
        taps = {(at, v): self.load_filter(b, at + v * LANES) for at in row.taps for v in range(self.used)}
        for column, v in itertools.product(row.columns, range(self.used)):
            group = self.instance.group if self.instance.multiplier == 1 else 1
            if self.instance.multiplier == 1:
                pixel = self.load_channels(a, column.a + v * LANES, v)
            else:
                pixel = self.load_twice(a, column.a + v * LANES // 2, v)
            for product in column.products:
                select = ", ".join(f"i32 {lane // group * group + product.k}" for lane in range(LANES))
                x = pixel
                if group > 1:
                    x = self.value(
                        f"shufflevector {VECTOR} {pixel}, {VECTOR} poison, <{LANES} x i32> <{select}>"
                    )
                accumulator = f"%acc.{product.m}.{v}"
                old = self.value(f"load {VECTOR}, ptr {accumulator}")
                new = self.call("fmuladd", x, taps[product.b, v], old)
                self.line(f"store {VECTOR} {new}, ptr {accumulator}")

    def load_twice(self, pointer: str, offset: int, v: int) -> str:
        """Vector ``v`` of channels for two lanes each; the tail's is of one channel."""
        if self.is_tail(v):
            return self.splat(pointer, offset)
        half = self.value(f"load <2 x float>, ptr {self.address(pointer, offset)}, align 4")
        select = ", ".join(f"i32 {lane // 2}" for lane in range(LANES))
        return self.value(f"shufflevector <2 x float> {half}, <2 x float> poison, <{LANES} x i32> <{select}>")

    def walk_segment(self, segment: Segment) -> None:
        """Each segment starts from the tap row's pointers, which stay as they are."""
        a, b = self.value("load ptr, ptr %a.at"), self.value("load ptr, ptr %b.at")
        steps = segment.length
        if steps * (segment.last - segment.first) * self.used <= UNROLL_INSTRUCTIONS:
            for i in range(steps):
                offset = segment.b + i * self.instance.b_row
                self.step(segment, a, segment.a + i * self.instance.a_k, b, offset)
            return
        before, loop, after = (self.label(n) for n in ("before", "loop", "after"))
        self.line(f"br label %{before}")
        self.line(f"{before}:")
        self.line(f"br label %{loop}")
        self.line(f"{loop}:")
        k = f"%{self.label('k')}"
        self.line(f"{k} = phi i64 [ 0, %{before} ], [ {k}.next, %{loop} ]")
        row = self.value(f"mul i64 {k}, {self.instance.b_row}")
        column = self.value(f"mul i64 {k}, {self.instance.a_k}")
        a, b = self.address(a, column), self.address(b, row)
        self.step(segment, a, segment.a, b, segment.b)
        self.line(f"{k}.next = add i64 {k}, 1")
        more = self.value(f"icmp ne i64 {k}.next, {steps}")
        self.line(f"br i1 {more}, label %{loop}, label %{after}")
        self.line(f"{after}:")

    def step(self, segment: Segment, a: str, a_offset: int, b: str, b_offset: int) -> None:
        operands = [self.load_filter(b, b_offset + v * LANES) for v in range(self.used)]
        for m in range(segment.first, segment.last):
            offset = a_offset + m * self.instance.a_row
            shared = None if self.instance.kernel.layout == DEPTHWISE else self.splat(a, offset)
            for v, operand in enumerate(operands):
                x = shared or self.load_channels(a, offset + v * LANES, v)
                old = self.value(f"load {VECTOR}, ptr %acc.{m}.{v}")
                new = self.call("fmuladd", x, operand, old)
                self.line(f"store {VECTOR} {new}, ptr %acc.{m}.{v}")

    def finish_tile(self) -> None:
        residual = self.instance.epilogue.residual
        for m in range(self.rows):
            for v in range(self.used):
                offset = self.result_at(m, v)
                x = self.value(f"load {VECTOR}, ptr %acc.{m}.{v}")
                term = self.load_channels("%residual", offset, v) if residual else ""
                self.store_channels(self.after_steps(x, term, v), "%c", offset, v)

    def result_at(self, m: int, v: int) -> int | str:
        """Elements from C, and from the residual, to row m's vector v."""
        offset, line = self.instance.c_offset(m, v * LANES), m // self.instance.width
        if self.instance.lines.c is not OPEN or not line:
            return offset
        return self.value(f"add i64 {self.value(f'mul i64 %{LINE}, {line}')}, {offset}")

    @property
    def steps_taken(self) -> Sequence[Step]:
        """What ``after_steps`` does."""
        return self.instance.epilogue.steps

    def after_steps(self, x: str, residual: str = "", v: int = 0) -> str:
        """What the epilogue's steps make of vector ``v`` of a row; one of them may add the residual's."""

        def channel(at: int) -> str:
            return self.load_channels("%bias", at + v * LANES, v)

        operations = VectorOperations(self.value, LANES, residual, channel)
        for step in self.steps_taken:
            x = step.apply(x, operations)
        return x

    # ---- small pieces of LLVM IR

    def line(self, text: str) -> None:
        self.lines.append(text)

    def value(self, text: str) -> str:
        self.fresh += 1
        self.line(f"%v{self.fresh} = {text}")
        return f"%v{self.fresh}"

    def call(self, intrinsic: str, *vectors: str) -> str:
        arguments = ", ".join(f"{VECTOR} {vector}" for vector in vectors)
        return self.value(f"call {VECTOR} @llvm.{intrinsic}.v{LANES}f32({arguments})")

    def label(self, kind: str) -> str:
        self.fresh += 1
        return f"{kind}{self.fresh}"

    def address(self, pointer: str, offset: int | str, element: str = "") -> str:
        return self.value(f"getelementptr {element or self.element}, ptr {pointer}, i64 {offset}")

    def further(self, offset: int | str, elements: int) -> int | str:
        """An offset so many elements further on."""
        if isinstance(offset, int):
            return offset + elements
        return self.value(f"add i64 {offset}, {elements}")

    def bump(self, variable: str, elements: int | str) -> None:
        old = self.value(f"load ptr, ptr {variable}")
        self.line(f"store ptr {self.address(old, elements)}, ptr {variable}")

    def count_down(self, variable: str, by: int) -> str:
        old = self.value(f"load i64, ptr {variable}")
        new = self.value(f"sub i64 {old}, {by}")
        self.line(f"store i64 {new}, ptr {variable}")
        return self.value(f"icmp sgt i64 {new}, 0")

    def splat(self, pointer: str, offset: int) -> str:
        scalar = self.value(f"load float, ptr {self.address(pointer, offset)}, align 4")
        first = self.value(f"insertelement {VECTOR} poison, float {scalar}, i64 0")
        return self.value(f"shufflevector {VECTOR} {first}, {VECTOR} poison, <{LANES} x i32> zeroinitializer")

    def load_filter(self, pointer: str, offset: int) -> str:
        """A vector of B, whose rows are as wide as the tile: all of it may be read."""
        return self.value(f"load {VECTOR}, ptr {self.address(pointer, offset)}, align 4")

    def load_channels(self, pointer: str, offset: int | str, v: int) -> str:
        """Vector ``v`` of a row of channels; absent channels of the tail read as zero."""
        address = self.address(pointer, offset)
        if not self.is_tail(v):
            return self.value(f"load {VECTOR}, ptr {address}, align 4")
        return self.value(
            f"call {VECTOR} @llvm.masked.load.v{LANES}f32.p0(ptr align 4 {address}, {self.mask}, "
            f"{VECTOR} zeroinitializer)"
        )

    def store_channels(self, value: str, pointer: str, offset: int | str, v: int) -> None:
        address = self.address(pointer, offset)
        if not self.is_tail(v):
            self.line(f"store {VECTOR} {value}, ptr {address}, align 4")
            return
        arguments = f"{VECTOR} {value}, ptr align 4 {address}, {self.mask}"
        self.line(f"call void @llvm.masked.store.v{LANES}f32.p0({arguments})")

    def is_tail(self, v: int) -> bool:
        return bool(self.tail) and v == self.used - 1

    @property
    def mask(self) -> str:
        lanes = ", ".join(f"i1 {int(lane < self.tail)}" for lane in range(LANES))
        return f"<{LANES} x i1> <{lanes}>"

    @staticmethod
    def declarations() -> str:
        three = ", ".join([VECTOR] * 3)
        mask = f"<{LANES} x i1>"
        return (
            f"declare {VECTOR} @llvm.fmuladd.v{LANES}f32({three})\n"
            f"declare {VECTOR} @llvm.masked.load.v{LANES}f32.p0(ptr, {mask}, {VECTOR})\n"
            f"declare void @llvm.masked.store.v{LANES}f32.p0({VECTOR}, ptr, {mask})\n"
        )


PORTABLE = Isa(
    name="portable",
    arch=ANY_ARCH,
    features=frozenset(),
    vector_bits=32 * LANES,
    vector_registers=16,
    engine=Broadcast(),
    emitter=PortableKernel,
    cpus=(Cpu("llvm"),),
    groups=(2, 4),
    multipliers=(2,),
)
"""Kernels are LLVM vectors without inline asm, for every target, of which the poorest has 16 registers. LLVM
masks by constants, which cost no register."""
