"""Tiles of the input and of products multiplied by Winograd's matrices, as LLVM IR on vectors of channels.

    input:  dst[p * slab + c] = (B^T d B)[p]
            with d[i, j] = src[(row + i) * row_step + (col + j) * pixel + c], zero outside the image
    output: dst[i * row_step + j * pixel + c] = steps(bias[c] + (A^T m A)[i, j]) for i < rows and j < columns
            with m[p] = src[p * slab + c]

where p = i * size + j counts a tile's points, and c < channels. Vectors of channels are taken one after the
other: columns of the tile are transformed first, then rows, and what is in between lies on the stack. Whole
tiles have nothing to test; at the image's borders, elements outside are read from zeros and written to a
place that nobody reads, so that there are no branches.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from intrinsics.emit.ir import IrLines
from intrinsics.emit.vectors import VectorOperations
from intrinsics.epilogue import CODES, TileEpilogue, parse_codes
from intrinsics.isa import ISAS
from intrinsics.registry import PACKINGS

from .cook_toom import FILTERINGS, Filtering
from .linear import Arithmetic, multiply

INPUT, OUTPUT = "winograd_input_", "winograd_output_"


@dataclass(frozen=True)
class TileRoutine(ABC):
    """One routine; the contract is the module's. Elements are float32, distances in elements."""

    outputs: int
    taps: int
    channels: int
    slab: int
    pixel: int
    row_step: int
    isa: str

    prefix: ClassVar[str]

    @property
    def name(self) -> str:
        geometry = f"m{self.outputs}x{self.taps}_c{self.channels}_s{self.slab}_p{self.pixel}_r{self.row_step}"
        return f"{self.prefix}f32_{self.isa}__{geometry}"

    @cached_property
    def filtering(self) -> Filtering:
        return FILTERINGS[self.outputs, self.taps]

    @abstractmethod
    def llvm_ir(self) -> str:
        """LLVM IR of the routine under its name."""


GEOMETRY = r"f32_([a-z0-9]+)__m(\d+)x(\d+)_c(\d+)_s(\d+)_p(\d+)_r(\d+)"


@dataclass(frozen=True)
class InputTransform(TileRoutine):
    """Transform of an image of ``height`` rows; ``row_step`` is whole pixels."""

    height: int

    prefix = INPUT

    @property
    def name(self) -> str:
        return f"{super().name}_h{self.height}"

    @staticmethod
    def parse(name: str) -> InputTransform:
        """The routine a name stands for; the inverse of ``name``."""
        match = _matched(INPUT + GEOMETRY + r"_h(\d+)", name)
        outputs, taps, channels, slab, pixel, row_step, height = map(int, match.groups()[1:])
        return InputTransform(outputs, taps, channels, slab, pixel, row_step, match[1], height)

    def llvm_ir(self) -> str:
        """LLVM IR of ``i32 name(ptr dst, ptr src, i64 row, i64 col)``."""
        return _InputEmitter(self).text()


@dataclass(frozen=True)
class OutputTransform(TileRoutine):
    """Transform of products, with the epilogue of a convolution, whose residual lies as its output does."""

    epilogue: TileEpilogue = field(default_factory=TileEpilogue)

    prefix = OUTPUT

    @property
    def name(self) -> str:
        flags = ["bias"] * self.epilogue.bias + [step.code for step in self.epilogue.steps]
        return "_".join([super().name, *flags])

    @staticmethod
    def parse(name: str) -> OutputTransform:
        """The routine a name stands for; the inverse of ``name``."""
        match = _matched(OUTPUT + GEOMETRY + f"(_bias)?({CODES})", name)
        outputs, taps, channels, slab, pixel, row_step = map(int, match.groups()[1:7])
        epilogue = TileEpilogue(match[8] is not None, steps=parse_codes(match[9] or ""))
        return OutputTransform(outputs, taps, channels, slab, pixel, row_step, match[1], epilogue)

    def llvm_ir(self) -> str:
        """LLVM IR of ``i32 name(ptr dst, ptr src, ptr bias, ptr residual, i64 rows, i64 columns)``."""
        return _OutputEmitter(self).text()


def _matched(pattern: str, name: str) -> re.Match[str]:
    match = re.fullmatch(pattern, name)
    if not match or (int(match[2]), int(match[3])) not in FILTERINGS:
        raise ValueError(f"'{name}' is not the name of a transform of tiles")
    return match


class _Products(Arithmetic[str]):
    """Constants rounded to float32, on LLVM's vectors."""

    def __init__(self, operations: VectorOperations) -> None:
        self._operations = operations

    def add(self, a: str, b: str) -> str:
        return self._operations.add(a, b)

    def subtract(self, a: str, b: str) -> str:
        return self._operations.subtract(a, b)

    def scale(self, factor: Fraction, a: str) -> str:
        return self._operations.multiply(a, float(factor))

    def multiply_add(self, factor: Fraction, a: str, b: str) -> str:
        return self._operations.multiply_add(a, float(factor), b)


class _TransformEmitter(IrLines):
    """What both have in common: whole tiles and ones at a border, each by vectors of channels, and of a
    vector of channels first a loop over columns, then one over rows."""

    parameters: str

    def __init__(self, routine: TileRoutine) -> None:
        super().__init__()
        self.routine, self.size = routine, routine.filtering.size
        self.lanes = ISAS[routine.isa].lanes
        self.vector, self.mask = f"<{self.lanes} x float>", f"<{self.lanes} x i1>"
        self.whole, self.tail = divmod(routine.channels, self.lanes)
        self.products = _Products(VectorOperations(self.value, self.lanes))
        self.block = "entry"
        """The block that lines are being written to."""

    def text(self) -> str:
        self.line(f"%zeros = alloca {self.vector}")
        self.line(f"store {self.vector} zeroinitializer, ptr %zeros")
        self.line(f"%nowhere = alloca {self.vector}")
        self.line(f"%between = alloca [{self.size**2} x {self.vector}]")
        inside = self.begin()
        if self.whole:
            self.line(f"br i1 {inside}, label %whole, label %border")
            self.begin_block("whole")
            self.loop(self.whole, lambda vector: self.channels(vector, border=False, tail=False))
            self.line("br label %rest")
            self.begin_block("border")
            self.loop(self.whole, lambda vector: self.channels(vector, border=True, tail=False))
            self.line("br label %rest")
            self.begin_block("rest")
        if self.tail:
            # As whole vectors at a border: one that is a part is not worth code of its own inside.
            self.channels(str(self.whole), border=True, tail=True)
        body = "\n".join(self.lines)
        signature = f"define i32 @{self.routine.name}({self.parameters}) alwaysinline"
        return f"{signature} {{\nentry:\n{body}\n  ret i32 0\n}}\n{self.declarations()}"

    @abstractmethod
    def begin(self) -> str:
        """What does not depend on the channel; gives whether the tile is inside."""

    @abstractmethod
    def channels(self, vector: str, border: bool, tail: bool) -> None:
        """One vector of channels, of that number."""

    def begin_block(self, label: str) -> None:
        self.line(f"{label}:")
        self.block = label

    def loop(self, count: int, body: Callable[[str], None]) -> None:
        """``body`` of every index below ``count``. Unrolled, a transform would not fit the registers."""
        label, before, index = self.label("loop"), self.block, f"%{self.label('i')}"
        self.line(f"br label %{label}")
        self.begin_block(label)
        place = len(self.lines)
        body(index)
        following = self.value(f"add i64 {index}, 1")
        self.lines.insert(place, f"  {index} = phi i64 [ 0, %{before} ], [ {following}, %{self.block} ]")
        more = self.value(f"icmp ne i64 {following}, {count}")
        self.line(f"br i1 {more}, label %{label}, label %{label}.end, !llvm.loop !0")
        self.begin_block(f"{label}.end")

    def at(self, pointer: str, *terms: tuple[str, int]) -> str:
        """An address so many elements, of indices by their distances, from a pointer."""
        for index, distance in terms:
            pointer = self.address(pointer, self.value(f"mul i64 {index}, {distance}"))
        return pointer

    def keep(self, column: str, values: list[str]) -> None:
        """A column's values, in their rows."""
        for i, value in enumerate(values):
            address = self.at("%between", (column, self.lanes))
            address = self.address(address, i * self.size * self.lanes)
            self.line(f"store {self.vector} {value}, ptr {address}")

    def kept(self, row: str) -> list[str]:
        first = self.at("%between", (row, self.size * self.lanes))
        addresses = (self.address(first, j * self.lanes) for j in range(self.size))
        return [self.value(f"load {self.vector}, ptr {address}") for address in addresses]

    def load(self, address: str, tail: bool) -> str:
        if not tail:
            return self.value(f"load {self.vector}, ptr {address}, align 4")
        return self.value(
            f"call {self.vector} @llvm.masked.load.v{self.lanes}f32.p0(ptr align 4 {address}, {self.mask} "
            f"{self.tail_mask}, {self.vector} zeroinitializer)"
        )

    def store(self, vector: str, address: str, tail: bool) -> None:
        if not tail:
            self.line(f"store {self.vector} {vector}, ptr {address}, align 4")
            return
        self.line(
            f"call void @llvm.masked.store.v{self.lanes}f32.p0({self.vector} {vector}, "
            f"ptr align 4 {address}, {self.mask} {self.tail_mask})"
        )

    def chosen(self, conditions: Sequence[str], address: str, otherwise: str) -> str:
        """The address, or another one where it is outside."""
        for condition in conditions:
            address = self.value(f"select i1 {condition}, ptr {address}, ptr {otherwise}")
        return address

    def all(self, conditions: Sequence[str]) -> str:
        found = "true"
        for condition in conditions:
            found = self.value(f"and i1 {found}, {condition}")
        return found

    @property
    def tail_mask(self) -> str:
        return f"<{', '.join(f'i1 {int(lane < self.tail)}' for lane in range(self.lanes))}>"

    def declarations(self) -> str:
        lanes, vector, mask = self.lanes, self.vector, self.mask
        return (
            f"declare {vector} @llvm.fmuladd.v{lanes}f32({vector}, {vector}, {vector})\n"
            f"declare {vector} @llvm.masked.load.v{lanes}f32.p0(ptr, {mask}, {vector})\n"
            f"declare void @llvm.masked.store.v{lanes}f32.p0({vector}, ptr, {mask})\n"
            '!0 = distinct !{!0, !1}\n!1 = !{!"llvm.loop.unroll.disable"}\n'
        )


class _InputEmitter(_TransformEmitter):
    routine: InputTransform
    parameters = "ptr %dst, ptr %src, i64 %row, i64 %col"

    def begin(self) -> str:
        r = self.routine
        self.origin = self.at("%src", ("%row", r.row_step), ("%col", r.pixel))
        self.rows = [self.inside(f"add i64 %row, {i}", r.height) for i in range(self.size)]
        left = self.inside("add i64 %col, 0", self.width)
        right = self.inside(f"add i64 %col, {self.size - 1}", self.width)
        return self.all([*self.rows, left, right])

    @property
    def width(self) -> int:
        return self.routine.row_step // self.routine.pixel

    def inside(self, place: str, extent: int) -> str:
        """Whether a row or column of the tile is one of the image's."""
        return self.value(f"icmp ult i64 {self.value(place)}, {extent}")

    def channels(self, vector: str, border: bool, tail: bool) -> None:
        r, matrix = self.routine, self.routine.filtering.input
        src, dst = (self.at(pointer, (vector, self.lanes)) for pointer in (self.origin, "%dst"))

        def column(j: str) -> None:
            first, values = self.at(src, (j, r.pixel)), []
            inside = self.inside(f"add i64 %col, {j}", self.width) if border else ""
            for i in range(self.size):
                address = self.address(first, i * r.row_step)
                outside = [inside, self.rows[i]] if border else []
                values.append(self.load(self.chosen(outside, address, "%zeros"), tail))
            self.keep(j, multiply(matrix, values, self.products))

        def row(i: str) -> None:
            first = self.at(dst, (i, self.size * r.slab))
            for j, point in enumerate(multiply(matrix, self.kept(i), self.products)):
                self.store(point, self.address(first, j * r.slab), tail)

        self.loop(self.size, column)
        self.loop(self.size, row)


class _OutputEmitter(_TransformEmitter):
    routine: OutputTransform
    parameters = "ptr %dst, ptr %src, ptr %bias, ptr %residual, i64 %rows, i64 %columns"

    def begin(self) -> str:
        outputs = self.routine.outputs
        self.columns = [self.value(f"icmp sgt i64 %columns, {j}") for j in range(outputs)]
        return self.all([self.columns[-1], self.value(f"icmp sge i64 %rows, {outputs}")])

    def channels(self, vector: str, border: bool, tail: bool) -> None:
        r, matrix = self.routine, self.routine.filtering.output
        src, dst, bias, residual = (
            self.at(f"%{name}", (vector, self.lanes)) for name in ("src", "dst", "bias", "residual")
        )
        start = self.load(bias, tail) if r.epilogue.bias else ""

        def constant(at: int) -> str:
            return self.load(self.address(bias, at), tail)

        def column(j: str) -> None:
            first = self.at(src, (j, r.slab))
            addresses = [self.address(first, i * self.size * r.slab) for i in range(self.size)]
            points = [self.load(address, tail) for address in addresses]
            self.keep(j, multiply(matrix, points, self.products))

        def row(i: str) -> None:
            firsts = [self.at(pointer, (i, r.row_step)) for pointer in (dst, residual)]
            inside = self.value(f"icmp slt i64 {i}, %rows") if border else ""
            for j, total in enumerate(multiply(matrix, self.kept(i), self.products)):
                outside = [inside, self.columns[j]] if border else []
                into, term = (self.address(first, j * r.pixel) for first in firsts)
                total = self.products.add(total, start) if start else total
                added = self.load(self.chosen(outside, term, "%zeros"), tail) if r.epilogue.residual else ""
                operations = VectorOperations(self.value, self.lanes, added, constant)
                for step in r.epilogue.steps:
                    total = step.apply(total, operations)
                self.store(total, self.chosen(outside, into, "%nowhere"), tail)

        self.loop(self.size, column)
        self.loop(r.outputs, row)


PACKINGS[INPUT] = lambda name: InputTransform.parse(name).llvm_ir()
PACKINGS[OUTPUT] = lambda name: OutputTransform.parse(name).llvm_ir()
