"""Winograd's algorithm in TE, and its filter transformed: what the routines compute."""

from __future__ import annotations

import numpy as np
from tvm import te, tirx

from intrinsics.winograd.cook_toom import Matrix
from tvm_directconv.problem.element_types import FLOAT32
from tvm_directconv.problem.workload import Conv2dWorkload

from ..epilogue import finished
from ..packing import as_oihw, tap
from .geometry import WinogradGeometry

FLOAT64 = "float64"


def te_winograd(
    g: WinogradGeometry, source: te.Tensor, data: te.Tensor, outer: Conv2dWorkload
) -> tirx.PrimFunc:
    """Stages transformed [tile, point row, point column, IC], products (a sum over channels for each point),
    epilogue."""
    w, m, size, (top, left, *_) = g.workload, g.outputs, g.filtering.size, g.workload.padding
    packed = te.placeholder(g.packed_filter_shape, w.dtype, name="packed_filter")
    i, j = (te.reduce_axis((0, size), name=name) for name in "ij")
    per_image = g.tile_rows * g.tile_columns

    def element(tile: tirx.Var, p: tirx.Var, q: tirx.Var, c: tirx.Var) -> tirx.Expr:
        y = tile % per_image // g.tile_columns * m + i - top
        x = tile % g.tile_columns * m + j - left
        inside = tirx.all(y >= 0, y < w.height, x >= 0, x < w.width)
        value = tirx.if_then_else(inside, source(tile // per_image, y, x, c), tirx.const(0, FLOAT32))
        both = _coefficient(g.filtering.input, p, i, FLOAT32) * _coefficient(g.filtering.input, q, j, FLOAT32)
        return te.sum(both * value, axis=[i, j])

    transformed = te.compute((g.all_tiles, size, size, w.in_channels), element, name="transformed")
    ic = te.reduce_axis((0, g.group_in), name="ic")

    def product(tile: tirx.Var, p: tirx.Var, q: tirx.Var, oc: tirx.Var) -> tirx.Expr:
        group, within = oc // g.group_out, oc % g.group_out
        turn, panel, lane = within // g.width, within % g.width // g.nr, within % g.nr
        multiplied = packed[group, turn, p * size + q, panel, ic, lane]
        return te.sum(transformed[tile, p, q, group * g.group_in + ic] * multiplied, axis=[ic])

    products = te.compute((g.all_tiles, size, size, w.out_channels), product, name="products")
    p, q = (te.reduce_axis((0, size), name=name) for name in "pq")

    def output(n: tirx.Var, y: tirx.Var, x: tirx.Var, oc: tirx.Var) -> tirx.Expr:
        tile = (n * g.tile_rows + y // m) * g.tile_columns + x // m
        rows = _coefficient(g.filtering.output, y % m, p, FLOAT32)
        columns = _coefficient(g.filtering.output, x % m, q, FLOAT32)
        return te.sum(rows * columns * products[tile, p, q, oc], axis=[p, q])

    sums = te.compute((w.batch, w.out_height, w.out_width, w.out_channels), output, name="conv")
    return finished(outer, data, packed, lambda *at: sums(*at))


def pack(g: WinogradGeometry, weights: np.ndarray) -> np.ndarray:
    """A filter in the workload's layout transformed in float64, rounded once, and packed, zero beyond OC."""
    matrix = np.array([[float(c) for c in row] for row in g.filtering.filter])
    oihw = as_oihw(g.workload, weights).astype(FLOAT64)
    points = oihw.reshape(-1, g.filtering.taps**2) @ np.kron(matrix, matrix).T
    padded = np.zeros((g.workload.groups, g.turns * g.width, g.group_in, g.points), FLOAT32)
    padded[:, : g.group_out] = points.reshape(g.workload.groups, g.group_out, g.group_in, g.points)
    split = padded.reshape(g.workload.groups, g.turns, g.together, g.nr, g.group_in, g.points)
    return np.ascontiguousarray(split.transpose(0, 1, 5, 2, 4, 3))


def te_pack(g: WinogradGeometry, source: te.Tensor) -> te.Tensor:
    """``pack`` in TE."""
    size = g.filtering.size
    h, v = (te.reduce_axis((0, g.filtering.taps), name=name) for name in "hv")

    def element(*at: tirx.Var) -> tirx.Expr:
        group, turn, point, panel, ic, lane = at
        within = turn * g.width + panel * g.nr + lane
        weight = tap(g.workload, source, O=group * g.group_out + within, I=ic, H=h, W=v)
        weight = tirx.if_then_else(within < g.group_out, weight, tirx.const(0, FLOAT32))
        rows = _coefficient(g.filtering.filter, point // size, h, FLOAT64)
        columns = _coefficient(g.filtering.filter, point % size, v, FLOAT64)
        return te.sum(rows * columns * tirx.Cast(FLOAT64, weight), axis=[h, v])

    exact = te.compute(g.packed_filter_shape, element, name="transformed_filter")
    return te.compute(g.packed_filter_shape, lambda *at: tirx.Cast(FLOAT32, exact(*at)), name="packed_filter")


def _coefficient(matrix: Matrix, row: tirx.Expr, column: tirx.Expr, dtype: str) -> tirx.Expr:
    """An element of a constant matrix."""
    flat = [float(c) for line in matrix for c in line]
    at, found = row * len(matrix[0]) + column, tirx.const(0.0, dtype)
    for value in dict.fromkeys(flat):
        places = [tirx.EQ(at, place) for place, other in enumerate(flat) if value and other == value]
        found = tirx.Select(tirx.any(*places), tirx.const(value, dtype), found) if places else found
    return found
