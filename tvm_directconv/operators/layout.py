"""Layout changes as batched matrix transpositions: NCHW <-> NHWC and the channel shuffle of grouped networks.

All three turn ``batch`` matrices of ``rows x columns`` around. Square tiles are transposed in registers by
shuffles of vector pairs, log2(tile) steps; matrices with at most four rows or columns (the 3 channels of an
image, the groups of a shuffle) are interleaved or de-interleaved whole vectors at a time.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tvm import te, tirx
from tvm.s_tir import Schedule
from tvm.tirx.script.builder import ir as T

from tvm_directconv.errors import WorkloadError
from tvm_directconv.problem.extents import is_open, typical
from tvm_directconv.problem.workload import channel_block, data_shape, index, nhwc

from .builder import Expr, build_operator, held, load, shuffle, store

if TYPE_CHECKING:
    from tvm_directconv.targets.target import CompileTarget

MAX_INTERLEAVED = 4
"""A matrix of up to this many rows or columns is interleaved instead of tiled."""
LINES = 4
"""Tiles of each row that are read at a time where rows lie further apart than those of the result: a line by
itself is neither fetched ahead nor found again."""
MANY_MATRICES = 16
"""Least number of matrices that are the parallel loop; of fewer, the parallel loop is inside each."""


def nchw_to_nhwc(
    shape: tuple[int, int, int, int], target: CompileTarget, *, dtype: str = "float32"
) -> tirx.PrimFunc:
    """PrimFunc (data NCHW of ``shape``, output NHWC), both of ``dtype``."""
    batch, channels, height, width = shape
    output = (batch, height, width, channels)
    return transpose(shape, output, (batch, channels, height * width), target, dtype, "nchw_to_nhwc")


def nhwc_to_nchw(
    shape: tuple[int, int, int, int], target: CompileTarget, *, dtype: str = "float32"
) -> tirx.PrimFunc:
    """PrimFunc (data NHWC of ``shape``, output NCHW), both of ``dtype``."""
    batch, height, width, channels = shape
    output = (batch, channels, height, width)
    return transpose(shape, output, (batch, height * width, channels), target, dtype, "nhwc_to_nchw")


def change_layout(
    shape: tuple[int, int, int, int], source: str, result: str, target: CompileTarget, dtype: str = "float32"
) -> tirx.PrimFunc:
    """PrimFunc (data, output) from one layout to another, of an activation that is ``shape`` in NHWC.

    Layouts are NHWC, NCHW and blocked ones, such as NCHW16c; lanes beyond the channels become zero.
    """
    batch, height, width, channels = shape
    name = f"{source}_to_{result}".lower()
    if (source, result) == ("NHWC", "NCHW"):
        return nhwc_to_nchw(shape, target, dtype=dtype)
    if (source, result) == ("NCHW", "NHWC"):
        return nchw_to_nhwc((batch, channels, height, width), target, dtype=dtype)
    block = channel_block(source) or channel_block(result)
    whole = channels % block == 0
    if whole and "NCHW" in (source, result):
        # Each block is an image of its own.
        pixels = (batch * channels // block, block, height * width)
        matrices = pixels if source == "NCHW" else (pixels[0], pixels[2], pixels[1])
        shapes = data_shape(source, *shape), data_shape(result, *shape)
        return transpose(*shapes, matrices, target, dtype, name)
    return _copy_by_blocks(shape, source, result, dtype, name)


def _copy_by_blocks(shape: tuple[int, ...], source: str, result: str, dtype: str, name: str) -> tirx.PrimFunc:
    """A copy whose innermost loop is a block's lanes, or as many as divide the channels."""
    channels = shape[3]
    data = te.placeholder(data_shape(source, *shape), dtype, name="data")

    def element(*at: tirx.Var) -> tirx.Expr:
        n, y, x, c = nhwc(result, *at)
        value = data(*index(source, n, y, x, c))
        if channel_block(result) and channels % channel_block(result):
            return tirx.if_then_else(c < channels, value, tirx.const(0, dtype))
        return value

    output = te.compute(data_shape(result, *shape), element, name="output")
    schedule = Schedule(te.create_prim_func([data, output]).with_attr("global_symbol", name))
    *outer, last = schedule.get_loops(schedule.get_sblock("output"))
    if not channel_block(result):
        block = channel_block(source)
        whole = block if channels % block == 0 else math.gcd(channels, block)
        if result == "NCHW":
            schedule.parallel(schedule.fuse(*outer[:2]))
            return schedule.mod["main"]
        last = schedule.split(last, [None, whole])[1]
    schedule.parallel(schedule.fuse(*outer[:2]))
    if not channel_block(result) or channels % channel_block(result) == 0:
        schedule.vectorize(last)
    return schedule.mod["main"]


def channel_shuffle(
    shape: tuple[int, ...], groups: int, target: CompileTarget, *, dtype: str = "float32"
) -> tirx.PrimFunc:
    """PrimFunc (data, output), both of ``shape`` and ``dtype`` with channels last.

    Channel ``g * (C / groups) + i`` of the input becomes channel ``i * groups + g`` of the output.
    """
    if groups < 1 or shape[-1] % groups:
        raise WorkloadError(f"channel_shuffle: {shape[-1]} channels cannot be split into {groups} groups")
    matrices = (math.prod(shape[:-1]), groups, shape[-1] // groups)
    return transpose(shape, shape, matrices, target, dtype, "channel_shuffle")


def transpose(
    input_shape: tuple[int, ...],
    output_shape: tuple[int, ...],
    matrices: tuple[int, int, int],
    target: CompileTarget,
    dtype: str = "float32",
    name: str = "transpose",
) -> tirx.PrimFunc:
    """PrimFunc (data of ``input_shape``, output of ``output_shape``), both of ``dtype``, that transposes
    ``matrices``: so many, one behind the other, of so many rows and columns."""
    batch, rows, columns = matrices
    with build_operator(name, target, dtype) as operator:
        data, output = operator.arguments({"data": input_shape, "output": output_shape})
        traffic = 2 * operator.element_bytes * batch * rows * columns

        def matrix(number: Expr, loop: Callable[[int], Any]) -> None:
            base = T.Bind(number * (rows * columns))
            _Matrix(data, output, base, rows, columns, operator.lanes, loop).transpose()

        if typical(batch) >= MANY_MATRICES:
            with operator.outer_loop(batch, traffic) as number:
                matrix(number, lambda extent: T.serial(0, extent))
        else:
            with T.serial(0, batch) as number:
                matrix(number, lambda extent: operator.outer_loop(extent, traffic // batch))
    return operator.prim_func


@dataclass(frozen=True)
class _Matrix:
    """One matrix to turn around: ``rows x columns`` at ``base`` of both buffers, ``loop`` over its blocks."""

    data: tirx.Buffer
    output: tirx.Buffer
    base: Expr
    rows: int
    columns: int
    lanes: int
    loop: Callable[[int], Any]

    def transpose(self) -> None:
        if _is_few(self.rows):
            width = _within(self.lanes, self.columns)
            _cover(self.columns, width, lambda column: self._interleave(column, width), self.loop)
        elif _is_few(self.columns):
            width = _within(self.lanes, self.rows)
            _cover(self.rows, width, lambda row: self._deinterleave(row, width), self.loop)
        else:
            size = 1 << _within(self.lanes, self.rows, self.columns).bit_length() - 1
            if is_open([self.columns]):
                _cover(self.columns, size, lambda column: self._tiles(column, size, 1), self.loop)
                return
            lines = LINES if typical(self.columns) > typical(self.rows) else 1
            tiles = self.columns // size
            panels, left = divmod(tiles, lines)
            if panels:
                with self.loop(panels) as panel:
                    self._tiles(panel * (lines * size), size, lines)
            if left:
                self._tiles(panels * lines * size, size, left)
            if self.columns % size:
                self._tiles(self.columns - size, size, 1)

    def _interleave(self, column: Expr, width: int) -> None:
        """``width`` columns of all rows: one run of ``width * rows`` elements of the output."""
        starts = [self.base + column + row * self.columns for row in range(self.rows)]
        vectors = [T.Bind(load(self.data, start, width)) for start in starts]
        for number in range(self.rows):
            elements = range(number * width, (number + 1) * width)
            lanes = [(element % self.rows) * width + element // self.rows for element in elements]
            start = self.base + column * self.rows + number * width
            store(self.output, start, width, _pick(vectors, lanes))

    def _deinterleave(self, row: Expr, width: int) -> None:
        """``width`` rows of all columns: one run of ``width * columns`` elements of the input."""
        start = self.base + row * self.columns
        vectors = [T.Bind(load(self.data, start + n * width, width)) for n in range(self.columns)]
        for column in range(self.columns):
            lanes = [lane * self.columns + column for lane in range(width)]
            start = self.base + row + column * self.rows
            store(self.output, start, width, _pick(vectors, lanes))

    def _tiles(self, first: Expr, size: int, count: int) -> None:
        """``count`` times ``size`` columns of all rows, by square tiles. After a tile come the next rows of
        the same columns: they extend the same rows of the output."""

        def tile(row: Expr, column: Expr) -> None:
            start = self.base + row * self.columns + column
            rows = [T.Bind(load(self.data, start + r * self.columns, size)) for r in range(size)]
            start = self.base + column * self.rows + row
            for c, vector in enumerate(_transposed(rows)):
                store(self.output, start + c * self.rows, size, vector)

        def beside_each_other(row: Expr) -> None:
            with T.serial(0, count) as number:
                tile(row, first + number * size)

        emit = beside_each_other if count > 1 else lambda row: tile(row, first)
        _cover(self.rows, size, emit, lambda extent: T.serial(0, extent))


def _is_few(extent: int) -> bool:
    """Return whether so many vectors are interleaved at once; a number that is open may be any."""
    return not is_open([extent]) and extent <= MAX_INTERLEAVED


def _within(lanes: int, *extents: int) -> int:
    """Return ``lanes``, or the least of extents where that is smaller; of open ones what is typical, which
    they are assumed to reach."""
    width = min(lanes, *map(typical, extents))
    reached = [extent >= width for extent in extents]  # an assumption of those that are open
    assert all(reached)
    return width


def _transposed(tile: list[Expr]) -> list[Expr]:
    """A square tile of a power of two: at each distance, pairs of rows swap their off-diagonal blocks."""
    size = len(tile)
    distance = size // 2
    while distance:
        swapped = list(tile)
        for row in (r for r in range(size) if not r & distance):
            pair = [tile[row], tile[row + distance]]
            lanes = range(size)
            upper = [i if not i & distance else size + i - distance for i in lanes]
            lower = [i + distance if not i & distance else size + i for i in lanes]
            swapped[row] = held(shuffle(pair, upper))
            swapped[row + distance] = held(shuffle(pair, lower))
        tile, distance = swapped, distance // 2
    return tile


def _pick(vectors: list[Expr], lanes: list[int]) -> Expr:
    """Lanes of the concatenated vectors; a single vector or scalars need no shuffle."""
    if len(vectors) == 1:
        return vectors[0]
    return vectors[lanes[0]] if len(lanes) == 1 else shuffle(vectors, lanes)


def _cover(extent: int, step: int, emit: Callable[[Expr], None], loop: Callable[[int], Any]) -> None:
    """``emit`` at every multiple of ``step`` in ``loop``, and at ``extent - step`` if that leaves a rest."""
    if is_open([extent]):
        with loop(-(-extent // step)) as block:
            emit(T.min(block * step, extent - step))
        return
    with loop(extent // step) as block:
        emit(block * step)
    if extent % step:
        emit(extent - step)
