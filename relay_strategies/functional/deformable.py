"""Deformable convolution, whose taps lie where a second input says, between the pixels.

Zhu et al., "Deformable ConvNets v2", 2019. Every tap is the mean of the four pixels around it by its distance
from them; one outside the map is zero. The taps of all windows are gathered, then multiplied by the filter as
matrices, so the product has this library's kernels and the gathering TVM's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from tvm import relax

from relay_strategies.relax.graph import dtype_of, make_constant

from .builder import Builder


@dataclass(frozen=True)
class _Taps:
    """Rows and columns in the map, as floats, of (batch, offset groups, taps of the filter, windows)."""

    rows: relax.Expr
    columns: relax.Expr
    shape: tuple[int, int, int, int]


def deformable_convolution(
    b: Builder,
    data: relax.Expr,
    weight: relax.Expr,
    offsets: relax.Expr,
    bias: relax.Expr | None = None,
    mask: relax.Expr | None = None,
    *,
    strides: Sequence[int] = (1, 1),
    padding: Sequence[int] = (0, 0),
    dilations: Sequence[int] = (1, 1),
    groups: int = 1,
    offset_groups: int = 1,
) -> relax.Expr:
    """Return the convolution of a map (N, C, H, W) whose taps are moved by ``offsets`` and weighted by
    ``mask``; ``padding`` is that above and left of the map."""
    shape, filters = b.shape_of(data), b.shape_of(weight)
    if len(shape) != 4:
        raise b.refusal("only over inputs of two spatial dimensions it is supported")
    batch, channels = shape[:2]
    if channels != filters[1] * groups or channels % offset_groups or filters[0] % groups:
        raise b.error(f"filters of shape {filters} do not fit data of shape {shape} in {groups} groups")
    height, width = b.shape_of(offsets)[2:]
    axes = [*zip(filters[2:], (height, width), strides, padding, dilations, strict=True)]
    taps = _taps(b, offsets, batch, offset_groups, axes)
    count, windows = taps.shape[2:]
    gathered = _interpolated(b, data, taps, channels // offset_groups)
    if mask is not None:
        spread = b.emit(relax.op.reshape(mask, (batch, offset_groups, 1, count * windows)))
        gathered = b.emit(relax.op.multiply(gathered, spread))
    depth = filters[1] * count
    gathered = b.emit(relax.op.reshape(gathered, (batch, groups, depth, windows)))
    matrices = b.emit(relax.op.reshape(weight, (1, groups, filters[0] // groups, depth)))
    product = b.emit(relax.op.matmul(matrices, gathered))
    result = b.emit(relax.op.reshape(product, (batch, filters[0], height, width)))
    if bias is None:
        return result
    return relax.op.add(result, b.emit(relax.op.reshape(bias, (1, filters[0], 1, 1))))


def _taps(
    b: Builder, offsets: relax.Expr, batch: int, offset_groups: int, axes: Sequence[tuple[int, ...]]
) -> _Taps:
    """Return where the taps are: those of a plain convolution, and the offsets added.

    ``axes`` has the taps, windows, stride, padding and dilation of rows and columns.
    """
    (kernel_height, height, *_), (kernel_width, width, *_) = axes
    count, places = kernel_height * kernel_width, height * width
    wanted = (batch, 2 * offset_groups * count, height, width)
    if b.shape_of(offsets) != wanted:
        raise b.error(f"the offsets have shape {b.shape_of(offsets)}, not {wanted}")
    moves = b.emit(relax.op.reshape(offsets, (batch, offset_groups, count, 2, places)))
    grids = []
    for axis, (taps, windows, stride, before, dilation) in enumerate(axes):
        along = np.arange(taps)[:, None] * dilation + np.arange(windows)[None, :] * stride - before
        grid = along[:, None, :, None] if axis == 0 else along[None, :, None, :]
        plain = np.broadcast_to(grid, (kernel_height, kernel_width, height, width))
        given = b.emit(relax.op.strided_slice(moves, [3], [axis], [axis + 1]))
        given = b.emit(relax.op.reshape(given, (batch, offset_groups, count, places)))
        base = make_constant(np.array(plain.reshape(1, 1, count, places), np.dtype(dtype_of(given))))
        grids.append(b.emit(relax.op.add(given, base)))
    return _Taps(grids[0], grids[1], (batch, offset_groups, count, places))


def _interpolated(b: Builder, data: relax.Expr, taps: _Taps, channels: int) -> relax.Expr:
    """The map's values at ``taps``: (batch, offset groups, channels of each, taps x windows)."""
    height, width = b.shape_of(data)[2:]
    batch, groups, count, windows = taps.shape
    flat = b.emit(relax.op.reshape(data, (batch, groups, channels, height * width)))
    low = [b.emit(relax.op.floor(grid)) for grid in (taps.rows, taps.columns)]
    high_share = [
        b.emit(relax.op.subtract(grid, floor))
        for grid, floor in zip((taps.rows, taps.columns), low, strict=True)
    ]
    total: relax.Expr | None = None
    for corner in ((0, 0), (0, 1), (1, 0), (1, 1)):
        index, share = _corner(b, (height, width), low, high_share, corner)
        index = b.emit(relax.op.reshape(index, (batch, groups, 1, count * windows)))
        index = b.emit(relax.op.broadcast_to(index, (batch, groups, channels, count * windows)))
        share = b.emit(relax.op.reshape(share, (batch, groups, 1, count * windows)))
        part = b.emit(relax.op.multiply(b.emit(relax.op.gather_elements(flat, index, 3)), share))
        total = part if total is None else b.emit(relax.op.add(total, part))
    assert total is not None, "there are four corners"
    return total


def _corner(
    b: Builder,
    extents: tuple[int, int],
    low: list[relax.Expr],
    high_share: list[relax.Expr],
    corner: tuple[int, int],
) -> tuple[relax.Expr, relax.Expr]:
    """Return the index in a flat map, and the share of the mean, of one of the four pixels around each tap.

    A pixel outside, or at NaN, has the share 0 and the index of another.
    """
    kind = dtype_of(low[0])
    zero, one = (relax.const(value, kind) for value in (0, 1))
    places, shares = [], []
    valid: relax.Expr | None = None
    for axis, extent in enumerate(extents):
        place = b.emit(relax.op.add(low[axis], one)) if corner[axis] else low[axis]
        share = high_share[axis] if corner[axis] else b.emit(relax.op.subtract(one, high_share[axis]))
        for condition in (
            relax.op.greater_equal(place, zero),
            relax.op.less(place, relax.const(extent, kind)),
        ):
            inside = b.emit(condition)
            valid = inside if valid is None else b.emit(relax.op.logical_and(valid, inside))
        places.append(place)
        shares.append(share)
    row, column = (
        b.emit(relax.op.astype(b.emit(relax.op.where(valid, place, zero)), "int32")) for place in places
    )
    index = b.emit(relax.op.multiply(row, relax.const(extents[1], "int32")))
    share = b.emit(relax.op.multiply(*shares))
    return b.emit(relax.op.add(index, column)), b.emit(relax.op.where(valid, share, zero))
