"""Matrices in flat buffers, and the rows of them that a kernel computes at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tvm import tirx
from tvm.tirx.script.builder import ir as T

from tvm_directconv.model.tiling import tile_heights
from tvm_directconv.problem.extents import is_open

from .builder import Expr, kept
from .matrix_views import View


@dataclass(frozen=True)
class Matrix:
    """A matrix in a flat buffer: element (i, j) is at ``start + i * row + j * column``."""

    buffer: tirx.Buffer
    start: Expr
    row: int
    column: int

    def at(self, i: Expr, j: Expr) -> Expr:
        """The place of an element."""
        return self.start + i * self.row + j * self.column

    @property
    def transposed(self) -> Matrix:
        """Rows and columns exchanged."""
        return Matrix(self.buffer, self.start, self.column, self.row)

    def moved(self, i: Expr, j: Expr) -> Matrix:
        """The part that begins at an element."""
        return Matrix(self.buffer, self.at(i, j), self.row, self.column)


@dataclass(frozen=True)
class Rows:
    """The rows of a block, of which there are ``most`` or, where their number is open, ``count``."""

    most: int
    count: Expr

    def heights(self, most: int, unit: int) -> list[tuple[int, Expr]]:
        """Return heights of tiles, ``most`` at most, that cover the rows, and how many there are of each: a
        whole block has those of ``tile_heights``; less is covered by the first of them, and what is left by
        powers of two."""
        whole = tile_heights(self.most, most, unit)
        if isinstance(self.count, int):
            return whole
        is_whole, highest = T.Bind(self.count == self.most), whole[0][0]
        zero = tirx.const(0, "int32")
        counts = {height: T.Select(is_whole, tirx.const(times, "int32"), zero) for height, times in whole}
        counts[highest] = T.Select(
            is_whole, tirx.const(whole[0][1], "int32"), T.floordiv(self.count, highest)
        )
        left = T.Bind(T.Select(is_whole, zero, T.floormod(self.count, highest)))
        for power in range((highest - 1).bit_length())[::-1]:
            height = 1 << power
            times = T.floormod(T.floordiv(left, height), 2)
            counts[height] = counts[height] + times if height in counts else times
        return list(counts.items())


@dataclass(frozen=True)
class Panel:
    """The workspace of products: a panel in float32, and where products are of half precision, the bits of
    the left operand's rows and of a panel."""

    floats: tirx.Buffer
    halves: tirx.Buffer | None

    @staticmethod
    def allocate(floats: int, halves: int) -> Panel:
        """Allocate that many elements of each type, for each thread."""
        panel = T.alloc_buffer((floats,), "float32", scope="local")
        return Panel(panel, T.alloc_buffer((halves,), "uint16", scope="local") if halves else None)


def open_heights(rows: int, most: int) -> Iterator[tuple[int, int]]:
    """Cover rows, whose number is open, by tiles of ``most`` rows, and what is left by those of powers of
    two: yield each height with its count."""
    yield most, rows // most
    height = 1 << most.bit_length() >> 1
    while height:
        if height < most:
            yield height, rows % most // height % 2
        height //= 2


def matrix_of(view: View, buffer: tirx.Buffer, number: Expr) -> Matrix:
    """Matrix ``number`` of a stack."""
    *stack, _, _ = view.shape
    *distances, row, column = view.strides
    place = view.offset + place_in_stack(stack, distances, number)
    return Matrix(
        buffer, kept(place) if is_open([*view.shape, *view.strides]) else T.Bind(place), row, column
    )


def place_in_stack(stack: Sequence[int], strides: Sequence[int], number: Expr) -> Expr:
    """Elements from the first matrix of a stack to that one."""
    place: Expr = tirx.const(0, "int32")
    inner = math.prod(stack)
    for extent, stride in zip(stack, strides, strict=True):
        inner //= extent
        if stride:
            place = place + number // inner % extent * stride
    return place
