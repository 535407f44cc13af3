"""Tiles of the input and of products multiplied by Winograd's matrices, as LLVM IR on vectors of channels.

    input:  dst[p * slab + c] = (B^T d B)[p]
            with d[i, j] = src[(row + i) * row_step + (col + j) * pixel + c], zero outside the image
    output: dst[i * row_step + j * pixel + c] = steps(bias[c] + (A^T m A)[i, j]) for i < rows and j < columns
            with m[p] = src[p * slab + c]

where p = i * size + j counts a tile's points, and c < channels. Vectors of channels are taken one after the
other: columns of the tile are transformed first, then rows. What does not fit the registers in between LLVM
keeps on the stack. Routines of tiles that lie inside the image have nothing to test; at its borders, elements
outside are read from zeros and written to a place that nobody reads, so that there are no branches.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
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
    channels: int
    slab: int
    pixel: int
    row_step: int
    isa: str

    prefix: ClassVar[str]

    @property
    def name(self) -> str:
        geometry = f"m{self.outputs}_c{self.channels}_s{self.slab}_p{self.pixel}_r{self.row_step}"
        return f"{self.prefix}f32_{self.isa}__{geometry}"

    @cached_property
    def filtering(self) -> Filtering:
        return FILTERINGS[self.outputs]

    @abstractmethod
    def llvm_ir(self) -> str:
        """LLVM IR of the routine under its name."""


GEOMETRY = r"f32_([a-z0-9]+)__m(\d+)_c(\d+)_s(\d+)_p(\d+)_r(\d+)"


@dataclass(frozen=True)
class InputTransform(TileRoutine):
    """Of an image of ``height`` rows; ``row_step`` is whole pixels."""

    height: int

    prefix = INPUT

    @property
    def name(self) -> str:
        return f"{super().name}_h{self.height}"

    @staticmethod
    def parse(name: str) -> InputTransform:
        """The routine a name stands for; the inverse of ``name``."""
        match = _matched(INPUT + GEOMETRY + r"_h(\d+)", name)
        outputs, channels, slab, pixel, row_step, height = map(int, match.groups()[1:])
        return InputTransform(outputs, channels, slab, pixel, row_step, match[1], height)

    def llvm_ir(self) -> str:
        """LLVM IR of ``i32 name(ptr dst, ptr src, i64 row, i64 col)``."""
        return _InputEmitter(self).text()


@dataclass(frozen=True)
class OutputTransform(TileRoutine):
    """With the epilogue of a convolution, whose residual lies as its output does."""

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
        outputs, channels, slab, pixel, row_step = map(int, match.groups()[1:6])
        epilogue = TileEpilogue(match[7] is not None, steps=parse_codes(match[8] or ""))
        return OutputTransform(outputs, channels, slab, pixel, row_step, match[1], epilogue)

    def llvm_ir(self) -> str:
        """LLVM IR of ``i32 name(ptr dst, ptr src, ptr bias, ptr residual, i64 rows, i64 columns)``."""
        return _OutputEmitter(self).text()


def _matched(pattern: str, name: str) -> re.Match[str]:
    match = re.fullmatch(pattern, name)
    if not match or int(match[2]) not in FILTERINGS:
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


class _Emitter(IrLines):
    """What both have in common: whole tiles and ones at a border, each by vectors of channels."""

    parameters: str

    def __init__(self, routine: TileRoutine) -> None:
        super().__init__()
        self.routine, self.size = routine, routine.filtering.size
        self.lanes = ISAS[routine.isa].lanes
        self.vector, self.mask = f"<{self.lanes} x float>", f"<{self.lanes} x i1>"
        self.whole, self.tail = divmod(routine.channels, self.lanes)
        self.products = _Products(VectorOperations(self.value, self.lanes))

    def text(self) -> str:
        self.line(f"%zeros = alloca {self.vector}")
        self.line(f"store {self.vector} zeroinitializer, ptr %zeros")
        self.line(f"%nowhere = alloca {self.vector}")
        inside = self.begin()
        if self.whole:
            self.line(f"br i1 {inside}, label %whole, label %border")
            self.looped("whole", border=False)
            self.looped("border", border=True)
            self.line("rest:")
        if self.tail:
            # As whole vectors at a border: one that is a part is not worth code of its own inside.
            self.channels_at(str(self.whole * self.lanes), border=True, tail=True)
        body = "\n".join(self.lines)
        signature = f"define i32 @{self.routine.name}({self.parameters}) alwaysinline"
        return f"{signature} {{\nentry:\n{body}\n  ret i32 0\n}}\n{self.declarations()}"

    def looped(self, label: str, border: bool) -> None:
        """All whole vectors of channels."""
        at, following = f"%{label}.at", f"%{label}.next"
        self.line(f"{label}:")
        self.line(f"br label %{label}.loop")
        self.line(f"{label}.loop:")
        self.line(f"{at} = phi i64 [ 0, %{label} ], [ {following}, %{label}.loop ]")
        self.channels_at(at, border=border, tail=False)
        self.line(f"{following} = add i64 {at}, {self.lanes}")
        more = self.value(f"icmp ne i64 {following}, {self.whole * self.lanes}")
        self.line(f"br i1 {more}, label %{label}.loop, label %rest")

    @abstractmethod
    def begin(self) -> str:
        """What does not depend on the channel; gives whether the tile is inside."""

    @abstractmethod
    def channels_at(self, at: str, border: bool, tail: bool) -> None:
        """One vector of channels, from ``at`` on."""

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

    def within(self, extents: list[tuple[str, int]]) -> str:
        """Whether each number is at least the other."""
        found = "true"
        for number, least in extents:
            test = self.value(f"icmp sge i64 {number}, {least}")
            found = self.value(f"and i1 {found}, {test}")
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
        )


class _InputEmitter(_Emitter):
    routine: InputTransform
    parameters = "ptr %dst, ptr %src, i64 %row, i64 %col"

    def begin(self) -> str:
        r = self.routine
        width = r.row_step // r.pixel
        offset = self.value(f"mul i64 %row, {r.row_step}")
        offset = self.value(f"add i64 {offset}, {self.value(f'mul i64 %col, {r.pixel}')}")
        self.origin = self.address("%src", offset)
        below = self.value(f"sub i64 {r.height - self.size}, %row")
        right = self.value(f"sub i64 {width - self.size}, %col")
        inside = self.within([("%row", 0), ("%col", 0), (below, 0), (right, 0)])
        self.rows, self.columns = ([self.inside(at, i, most) for i in range(self.size)]
                                   for at, most in (("%row", r.height), ("%col", width)))  # fmt: skip
        return inside

    def inside(self, at: str, index: int, extent: int) -> str:
        """Whether a row or column of the tile is one of the image's."""
        return self.value(f"icmp ult i64 {self.value(f'add i64 {at}, {index}')}, {extent}")

    def channels_at(self, at: str, border: bool, tail: bool) -> None:
        r, matrix = self.routine, self.routine.filtering.input
        src, dst = self.address(self.origin, at), self.address("%dst", at)
        columns = []
        for j in range(self.size):
            column = []
            for i in range(self.size):
                address = self.address(src, i * r.row_step + j * r.pixel)
                if border:
                    valid = self.value(f"and i1 {self.rows[i]}, {self.columns[j]}")
                    address = self.value(f"select i1 {valid}, ptr {address}, ptr %zeros")
                column.append(self.load(address, tail))
            columns.append(multiply(matrix, column, self.products))
        for i in range(self.size):
            points = multiply(matrix, [column[i] for column in columns], self.products)
            for j, point in enumerate(points):
                self.store(point, self.address(dst, (i * self.size + j) * r.slab), tail)


class _OutputEmitter(_Emitter):
    routine: OutputTransform
    parameters = "ptr %dst, ptr %src, ptr %bias, ptr %residual, i64 %rows, i64 %columns"

    def begin(self) -> str:
        outputs = self.routine.outputs
        self.rows, self.columns = (
            [self.value(f"icmp sgt i64 {extent}, {i}") for i in range(outputs)]
            for extent in ("%rows", "%columns")
        )
        return self.within([("%rows", outputs), ("%columns", outputs)])

    def channels_at(self, at: str, border: bool, tail: bool) -> None:
        r, matrix = self.routine, self.routine.filtering.output
        src, dst = self.address("%src", at), self.address("%dst", at)
        bias = self.load(self.address("%bias", at), tail) if r.epilogue.bias else ""
        residual = self.address("%residual", at) if r.epilogue.residual else ""
        columns = []
        for j in range(self.size):
            points = [
                self.load(self.address(src, (i * self.size + j) * r.slab), tail) for i in range(self.size)
            ]
            columns.append(multiply(matrix, points, self.products))
        for i in range(r.outputs):
            sums = multiply(matrix, [column[i] for column in columns], self.products)
            for j, total in enumerate(sums):
                offset = i * r.row_step + j * r.pixel
                valid = self.value(f"and i1 {self.rows[i]}, {self.columns[j]}") if border else ""
                total = self.products.add(total, bias) if bias else total
                term = self.load(self.chosen(valid, residual, offset, "%zeros"), tail) if residual else ""
                operations = VectorOperations(self.value, self.lanes, term)
                for step in r.epilogue.steps:
                    total = step.apply(total, operations)
                self.store(total, self.chosen(valid, dst, offset, "%nowhere"), tail)

    def chosen(self, valid: str, pointer: str, offset: int, otherwise: str) -> str:
        """The element's address, or another one where it is outside."""
        address = self.address(pointer, offset)
        return self.value(f"select i1 {valid}, ptr {address}, ptr {otherwise}") if valid else address


PACKINGS[INPUT] = lambda name: InputTransform.parse(name).llvm_ir()
PACKINGS[OUTPUT] = lambda name: OutputTransform.parse(name).llvm_ir()
