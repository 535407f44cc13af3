"""Maps sampled at points that are computed: deformable attention, optical flow, spatial transformers.

A vector of points at a time: which four elements of a map each lies between, and how much it has of them, is
found once for all channels. The elements themselves are anywhere, and are read one by one.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tvm import tirx
from tvm.tirx.script.builder import ir as T

from tvm_directconv.errors import WorkloadError

from .builder import FLOAT_BYTES, Expr, Operator, build_operator, load, real, splat, store, vector_type

if TYPE_CHECKING:
    from tvm_directconv.targets.target import CompileTarget

NEIGHBOURS = 4
"""The elements around a point: left and right above it, left and right below."""
PADDINGS = ("zeros", "border")


def grid_sample(
    shape: tuple[int, ...], points: tuple[int, ...], padding: str, align_corners: bool, target: CompileTarget
) -> tirx.PrimFunc:
    """PrimFunc (data, NCHW of ``shape``, grid, [N, 2, H', W'] with ``points`` (H', W'), output, [N, C, H',
    W']), all float32: bilinear interpolation where the grid's x and y, of -1 to 1, are on the map.

    -1 and 1 are the centres of the corner elements with ``align_corners``, else their outer edges. Beyond
    the map, and for a NaN, ``padding`` has "zeros" or the "border". Raises WorkloadError for other ones.
    """
    if padding not in PADDINGS:
        raise WorkloadError(f"grid_sample: beyond the map are {' or '.join(PADDINGS)}, not {padding}")
    batch, channels, height, width = shape
    count = math.prod(points)
    with build_operator("grid_sample", target) as operator:
        shapes = {"data": shape, "grid": (batch, 2, *points), "output": (batch, channels, *points)}
        data, grid, output = operator.arguments(shapes)
        lanes = min(operator.lanes, count)
        strips = -(-count // lanes)
        traffic = FLOAT_BYTES * NEIGHBOURS * batch * channels * count
        with operator.outer_loop(batch * strips, traffic) as task:
            image = T.Bind(task // strips)
            first = T.Bind(T.min(task % strips * lanes, count - lanes))  # the last strip may reach back
            x, y = (load(grid, (image * 2 + axis) * count + first, lanes) for axis in range(2))
            columns = _along(x, width, padding, align_corners, lanes)
            rows = _along(y, height, padding, align_corners, lanes)
            places, weights = _corners(operator, rows, columns, width, lanes)
            none = splat(T.float32(0), lanes)
            with T.serial(0, channels) as channel:
                plane = T.Bind(image * channels + channel)
                total: Expr | None = None
                for number in range(NEIGHBOURS):
                    at = load(places, number * lanes, lanes) + splat(plane * (height * width), lanes, "int32")
                    share = load(weights, number * lanes, lanes)
                    # Beyond the map the nearest element is read, and may be NaN.
                    term = T.Select(share != none, data[at] * share, none)
                    total = term if total is None else total + term
                store(output, plane * count + first, lanes, total)
    assert operator.prim_func is not None
    return operator.prim_func


def _along(
    position: Expr, size: int, padding: str, align_corners: bool, lanes: int
) -> list[tuple[Expr, Expr]]:
    """Both neighbours along one axis, as indices of the map, and how much of each a point has."""

    def of(value: float) -> Expr:
        return splat(real(value), lanes)

    scale, start = (size - 1, size - 1) if align_corners else (size, size - 1)
    least, most = (0, size - 1) if padding == "border" else (-1, size)
    exact = position * (of(scale) * of(0.5)) + of(start) * of(0.5)
    # The first of two is taken where they compare: NaN becomes the limit.
    exact = T.Bind(T.max(T.min(exact, of(most)), of(least)))
    lower = T.Bind(T.floor(exact))
    beyond = T.Bind(exact - lower)
    pairs = []
    for place, share in ((lower, of(1) - beyond), (lower + of(1), beyond)):
        inside = T.bitwise_and(place >= of(0), place <= of(size - 1))
        index = T.cast(T.max(T.min(place, of(size - 1)), of(0)), vector_type("int32", lanes))
        pairs.append((T.Bind(index), T.Bind(T.Select(inside, share, of(0)))))
    return pairs


def _corners(
    operator: Operator,
    rows: list[tuple[Expr, Expr]],
    columns: list[tuple[Expr, Expr]],
    width: int,
    lanes: int,
) -> tuple[tirx.Buffer, tirx.Buffer]:
    """Indices in a plane, and weights, of the four neighbours, a vector of each."""
    places, weights = (
        operator.accumulators(NEIGHBOURS, lanes, "int32"),
        operator.accumulators(NEIGHBOURS, lanes),
    )
    corners = [(row, column) for row in rows for column in columns]
    for number, ((row, high), (column, wide)) in enumerate(corners):
        store(places, number * lanes, lanes, row * splat(width, lanes, "int32") + column)
        store(weights, number * lanes, lanes, high * wide)
    return places, weights
