"""Bilinear resizing of maps, NHWC or, with one channel to an image, NCHW.

Both directions are interpolated apart: a row of the data once along the columns, however many rows of the
result are made of it, and then pairs of these rows. Where a map is enlarged, which is what networks do, the
first direction is little work, and the second is whole vectors of (W, C), whatever number of channels there
are. Columns are cut in tiles, of which two rows fit a stack slot.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tvm import tirx
from tvm.tirx.script.builder import ir as T

from tvm_directconv.errors import WorkloadError
from tvm_directconv.problem.extents import given_to_tvm, is_open, typical

from .builder import FLOAT_BYTES, STACK_BYTES, Expr, Operator, build_operator, kept, load, splat, store

if TYPE_CHECKING:
    from tvm_directconv.targets.target import CompileTarget

ROWS = 2
"""Rows that a row of the result is made of."""
MOST_VECTORS = 16
"""A tile has at most this many, for all of them are written out."""


@dataclass(frozen=True)
class Line:
    """One axis that is resized: where in ``size`` positions of the data the ``result`` ones lie, ``scale``
    apart, the first at ``start``. Beyond the ends are the first and the last of the data."""

    size: int
    result: int
    scale: Expr | float
    start: Expr | float

    @staticmethod
    def of(size: int, result: int, coordinates: str) -> Line:
        """Return the line by ONNX's ``coordinate_transformation_mode``; raise WorkloadError for modes not
        known here."""
        scale = _ratio(size, result)
        if coordinates == "half_pixel" or (coordinates == "pytorch_half_pixel" and result > 1):
            return Line(size, result, scale, scale * 0.5 - 0.5)
        if coordinates == "asymmetric":
            return Line(size, result, scale, 0.0)
        if coordinates in ("align_corners", "pytorch_half_pixel"):
            return Line(size, result, _ratio(size - 1, result - 1) if result > 1 else 0.0, 0.0)
        raise WorkloadError(f"resize: no coordinates '{coordinates}'")

    def neighbours(self, position: Expr) -> tuple[Expr, Expr, Expr]:
        """The positions of the data around one of the result, and the weight of the second."""
        scale, start = (T.float32(x) if isinstance(x, float) else x for x in (self.scale, self.start))
        if is_open([self.size, self.result]):  # TVM fails to bound floats of what open numbers bound
            position = kept(position)
        exact = T.Bind(T.cast(position, "float32") * scale + start)
        lower = T.Bind(T.floor(exact))
        first = T.Bind(T.cast(lower, "int32"))
        pair = [T.Bind(T.max(0, T.min(place, self.size - 1))) for place in (first, first + 1)]
        return pair[0], pair[1], T.Bind(exact - lower)


def _ratio(size: int, result: int) -> Expr | float:
    """What is between two positions of the result."""
    if not is_open([size, result]):
        return size / result
    return T.cast(given_to_tvm(size), "float32") / T.cast(given_to_tvm(result), "float32")


def resize2d(
    shape: tuple[int, ...], result: tuple[int, ...], layout: str, coordinates: str, target: CompileTarget
) -> tirx.PrimFunc:
    """PrimFunc (data of ``shape``, output of shape ``result``), both float32 in ``layout``, NHWC or NCHW:
    bilinear interpolation of rows and columns.

    ``coordinates`` is ONNX's half_pixel, pytorch_half_pixel, align_corners or asymmetric. Positions are
    computed in float32. Raises WorkloadError for others, and for other layouts.
    """
    if layout == "NHWC":
        (batch, height, width, channels), size = shape, result[1:3]
    elif layout == "NCHW":
        batch, channels, size = shape[0] * shape[1], 1, result[2:]
        height, width = shape[2:]
    else:
        raise WorkloadError(f"resize2d: maps are NHWC or NCHW, not {layout}")
    rows, columns = Line.of(height, size[0], coordinates), Line.of(width, size[1], coordinates)
    with build_operator("resize2d", target) as operator:
        data, output = operator.arguments({"data": shape, "output": result})
        room = min(STACK_BYTES // (FLOAT_BYTES * ROWS * operator.lanes), MOST_VECTORS)
        # Of an open width, rows may be as short as a quarter of the typical one.
        most = -(-typical(columns.result) // (4 if is_open([columns.result]) else 1))
        across = min(max(1, room * operator.lanes // channels), most)
        # Equal tiles, the last of which may reach back.
        across = -(-typical(columns.result) // -(-typical(columns.result) // across))
        if columns.result < across:
            raise WorkloadError(f"resize2d: {columns.result} columns are less than a tile of {across}")
        tiles = -(-columns.result // across)
        traffic = FLOAT_BYTES * (math.prod(shape) + math.prod(result))
        with operator.outer_loop(batch * tiles, traffic) as task:
            image = T.Bind(task // tiles)
            column = T.Bind(T.min(task % tiles * across, columns.result - across))
            one = _Tile(operator, rows, columns, channels, data, output, image, column, across)
            if across * channels <= room * operator.lanes:
                one.emit(0, operator.spans(channels), operator.spans(across * channels))
            else:
                operator.blocks(channels, room, lambda at, spans: one.emit(at, spans, spans))
    return operator.prim_func


@dataclass(frozen=True)
class _Tile:
    """All rows of ``across`` columns of the result, from ``column`` on."""

    operator: Operator
    rows: Line
    columns: Line
    channels: int
    data: tirx.Buffer
    output: tirx.Buffer
    image: Expr
    column: Expr
    across: int

    def emit(self, channel: Expr, pixel: list[tuple[int, int]], tile: list[tuple[int, int]]) -> None:
        """Emit the channels from ``channel`` on: ``pixel`` are the vectors of one pixel, ``tile`` those of
        all, which begin with the first's."""
        first = pixel[0][0]
        room = tile[-1][0] + tile[-1][1] - first
        kept = self.operator.accumulators(ROWS, room)
        columns = self._columns()
        done = T.alloc_buffer((1,), "int32", layout=None)
        T.buffer_store(done, 0, [0])
        with T.serial(0, self.rows.result) as row:
            upper, lower, weight = self.rows.neighbours(row)
            # Of rows that no result is made of, none is interpolated.
            with T.serial(T.max(done[0], upper), lower + 1) as source:
                self._row(kept, source, source % ROWS * room - first, channel, pixel, columns)
            T.buffer_store(done, lower + 1, [0])
            above, below = T.Bind(upper % ROWS * room - first), T.Bind(lower % ROWS * room - first)
            place = (self.image * self.rows.result + row) * self.columns.result + self.column
            start = T.Bind(place * self.channels + channel)
            for offset, width in tile:
                value = _between(kept, above + offset, below + offset, weight, width)
                store(self.output, start + offset, width, value)

    def _columns(self) -> list[tirx.Buffer]:
        """The columns of the data left and right of the tile's, and the weights of the latter."""
        kinds = ("int32", "int32", "float32")
        found = [self.operator.accumulators(self.across, 1, kind) for kind in kinds]
        with T.serial(0, self.across) as number:
            for buffer, value in zip(found, self.columns.neighbours(self.column + number), strict=True):
                T.buffer_store(buffer, value, [number])
        return found

    def _row(
        self,
        kept: tirx.Buffer,
        source: Expr,
        place: Expr,
        channel: Expr,
        pixel: list[tuple[int, int]],
        columns: list[tirx.Buffer],
    ) -> None:
        """A row of the data, interpolated along its columns."""
        row = T.Bind((self.image * self.rows.size + source) * self.columns.size)
        left, right, weights = columns
        with T.serial(0, self.across) as number:
            start, end = ((row + at[number]) * self.channels + channel for at in (left, right))
            start, end, weight = T.Bind(start), T.Bind(end), T.Bind(weights[number])
            for offset, width in pixel:
                value = _between(self.data, start + offset, end + offset, weight, width)
                store(kept, place + number * self.channels + offset, width, value)


def _between(buffer: tirx.Buffer, first: Expr, second: Expr, weight: Expr, width: int) -> Expr:
    one, other = T.Bind(load(buffer, first, width)), T.Bind(load(buffer, second, width))
    return one + (other - one) * splat(weight, width)
