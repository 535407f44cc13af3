"""Means of regions of maps (He et al., "Mask R-CNN", 2017, section 3): boxes to small maps of one size.

Where a sample of a box lies is found once for all channels, which are vectors side by side in memory.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tvm import tirx
from tvm.tirx.script.builder import ir as T

from .builder import FLOAT_BYTES, Expr, build_operator, load, over_once, real, splat, store

if TYPE_CHECKING:
    from tvm_directconv.targets.target import CompileTarget

BOX = 5
"""A box is the number of its image, left, top, right and bottom."""
NEIGHBOURS = 4


def roi_align(
    shape: tuple[int, ...],
    count: int,
    size: tuple[int, int],
    scale: float,
    samples: int,
    is_aligned: bool,
    target: CompileTarget,
) -> tirx.PrimFunc:
    """Build the PrimFunc (data, NHWC of ``shape``, boxes (count, 5), output (count, *size, C)), in float32.

    Each of a box's cells is the mean of ``samples`` by ``samples`` points, as many as cover it if that is
    not positive, of the map interpolated bilinearly; a point further than 1 outside the map counts as 0, and
    a cell without points is 0. Boxes are multiplied by ``scale``; they are at least one pixel large unless
    ``is_aligned``.
    """
    _, height, width, channels = shape
    with build_operator("roi_align", target) as operator:
        shapes = {"data": shape, "boxes": (count, BOX), "output": (count, *size, channels)}
        data, boxes, output = operator.arguments(shapes)
        points = max(1, samples) ** 2
        traffic = FLOAT_BYTES * NEIGHBOURS * points * count * math.prod(size) * channels
        with operator.outer_loop(count * size[0], traffic) as task:
            box, row = T.Bind(task // size[0]), T.Bind(task % size[0])
            image = T.Bind(T.cast(boxes[box * BOX], "int32"))
            sides = []
            for axis, cells in ((1, size[0]), (0, size[1])):
                first, last = (T.Bind(boxes[box * BOX + at + axis] * T.float32(scale)) for at in (1, 3))
                extent = last - first if is_aligned else T.max(last - first, T.float32(1))
                cell = T.Bind(extent / T.float32(cells))
                grid = T.int32(samples) if samples > 0 else T.cast(T.ceil(cell), "int32")
                sides.append((first, cell, T.Bind(grid)))
            (top, tall, rows), (left, wide, columns) = sides
            share = T.Bind(T.float32(1) / T.cast(rows * columns, "float32"))
            with T.serial(0, size[1]) as column:
                start = T.Bind((task * size[1] + column) * channels)
                over_once(operator, channels, lambda at, spans: _zero(output, start + at, spans))
                with T.serial(0, rows) as down, T.serial(0, columns) as along:
                    y = T.Bind(top + _at(row, tall, down, rows))
                    x = T.Bind(left + _at(column, wide, along, columns))
                    inside = tirx.all(
                        y >= T.float32(-1), y <= real(height), x >= T.float32(-1), x <= real(width)
                    )
                    with T.If(inside), T.Then():
                        corners = []
                        for below, high in _neighbours(y, height):
                            for beside, part in _neighbours(x, width):
                                place = ((image * height + below) * width + beside) * channels
                                corners.append((T.Bind(place), T.Bind(high * part * share)))

                        def add(at: Expr, spans: list[tuple[int, int]]) -> None:
                            for offset, lanes in spans:
                                total = load(output, start + at + offset, lanes)
                                for place, weight in corners:
                                    term = load(data, place + at + offset, lanes)
                                    total = total + term * splat(weight, lanes)
                                store(output, start + at + offset, lanes, total)

                        over_once(operator, channels, add)
    assert operator.prim_func is not None
    return operator.prim_func


def _zero(output: tirx.Buffer, start: Expr, spans: list[tuple[int, int]]) -> None:
    for offset, lanes in spans:
        store(output, start + offset, lanes, splat(T.float32(0), lanes))


def _at(cell: Expr, extent: Expr, number: Expr, count: Expr) -> Expr:
    """Return where a cell's point of that number lies, of ``count`` evenly spread ones."""
    part = (T.cast(number, "float32") + T.float32(0.5)) / T.cast(count, "float32")
    return (T.cast(cell, "float32") + part) * extent


def _neighbours(place: Expr, size: int) -> Iterator[tuple[Expr, Expr]]:
    """Both elements that a point lies between along one axis, and how much of each it has."""
    inside = T.Bind(T.min(T.max(place, T.float32(0)), real(size - 1)))
    lower = T.Bind(T.cast(inside, "int32"))
    beyond = T.Bind(inside - T.cast(lower, "float32"))
    yield lower, T.Bind(T.float32(1) - beyond)
    yield T.Bind(T.min(lower + 1, size - 1)), beyond
