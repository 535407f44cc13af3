"""DeformConv: a convolution whose taps lie where a second input says, between the pixels.

Zhu et al., "Deformable ConvNets v2", 2019. Every tap is the mean of the four pixels around it by its distance
from them; one outside the map is zero. The taps of all windows are gathered, then multiplied by the filter as
matrices, so the product has this library's kernels and the gathering TVM's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from tvm import relax

from relay_strategies.relax.graph import dtype_of, make_constant

from .node import Converter, Node


@dataclass(frozen=True)
class _Taps:
    """Of (batch, offset groups, taps of the filter, windows): rows and columns in the map, as floats."""

    rows: relax.Expr
    columns: relax.Expr
    shape: tuple[int, int, int, int]


def _deform_conv(node: Node) -> relax.Expr:
    data, weight = node.shape(0), node.shape(1)
    if len(data) != 4:
        raise node.refusal("only over inputs of two spatial dimensions it is supported")
    groups, offset_groups = (int(node.attributes.get(name, 1)) for name in ("group", "offset_group"))
    batch, channels = data[:2]
    if channels != weight[1] * groups or channels % offset_groups or weight[0] % groups:
        raise node.error(f"filters of shape {weight} do not fit data of shape {data} in {groups} groups")
    height, width = node.shape(2)[2:]
    taps = _taps(node, offset_groups, (height, width))
    count, windows = taps.shape[2:]
    gathered = _interpolated(node, taps, channels // offset_groups)
    if node.input(4) is not None:
        mask = node.emit(relax.op.reshape(node.data(4), (batch, offset_groups, 1, count * windows)))
        gathered = node.emit(relax.op.multiply(gathered, mask))
    depth = weight[1] * count
    gathered = node.emit(relax.op.reshape(gathered, (batch, groups, depth, windows)))
    filters = node.emit(relax.op.reshape(node.data(1), (1, groups, weight[0] // groups, depth)))
    product = node.emit(relax.op.matmul(filters, gathered))
    result = node.emit(relax.op.reshape(product, (batch, weight[0], height, width)))
    if node.input(3) is None:
        return result
    return relax.op.add(result, node.emit(relax.op.reshape(node.data(3), (1, weight[0], 1, 1))))


def _taps(node: Node, offset_groups: int, windows: tuple[int, int]) -> _Taps:
    """Where the taps are: those of a plain convolution, and the offsets added."""
    kernel, batch = node.shape(1)[2:], node.shape()[0]
    strides, dilations = (
        [int(v) for v in node.attributes.get(name, [1, 1])] for name in ("strides", "dilations")
    )
    pads = [int(pad) for pad in node.attributes.get("pads", [0] * 4)]
    count, places = kernel[0] * kernel[1], windows[0] * windows[1]
    wanted = (batch, 2 * offset_groups * count, *windows)
    if node.shape(2) != wanted:
        raise node.error(f"the offsets have shape {node.shape(2)}, not {wanted}")
    offsets = node.emit(relax.op.reshape(node.data(2), (batch, offset_groups, count, 2, places)))
    grids = []
    for axis in range(2):
        tap = np.arange(kernel[axis])[:, None] * dilations[axis]
        start = np.arange(windows[axis])[None, :] * strides[axis] - pads[axis]
        along = tap + start
        shape = (kernel[0], kernel[1], windows[0], windows[1])
        grid = along[:, None, :, None] if axis == 0 else along[None, :, None, :]
        plain = np.broadcast_to(grid, shape).reshape(1, 1, count, places)
        given = node.emit(relax.op.strided_slice(offsets, [3], [axis], [axis + 1]))
        given = node.emit(relax.op.reshape(given, (batch, offset_groups, count, places)))
        base = make_constant(np.ascontiguousarray(plain, np.dtype(dtype_of(given))))
        grids.append(node.emit(relax.op.add(given, base)))
    return _Taps(grids[0], grids[1], (batch, offset_groups, count, places))


def _interpolated(node: Node, taps: _Taps, channels: int) -> relax.Expr:
    """The map's values at ``taps``: (batch, offset groups, channels of each, taps x windows)."""
    height, width = node.shape()[2:]
    batch, groups, count, windows = taps.shape
    flat = node.emit(relax.op.reshape(node.data(), (batch, groups, channels, height * width)))
    low = [node.emit(relax.op.floor(grid)) for grid in (taps.rows, taps.columns)]
    high_share = [
        node.emit(relax.op.subtract(grid, floor))
        for grid, floor in zip((taps.rows, taps.columns), low, strict=True)
    ]
    total: relax.Expr | None = None
    for corner in ((0, 0), (0, 1), (1, 0), (1, 1)):
        index, share = _corner(node, low, high_share, corner)
        index = node.emit(relax.op.reshape(index, (batch, groups, 1, count * windows)))
        index = node.emit(relax.op.broadcast_to(index, (batch, groups, channels, count * windows)))
        share = node.emit(relax.op.reshape(share, (batch, groups, 1, count * windows)))
        part = node.emit(relax.op.multiply(node.emit(relax.op.gather_elements(flat, index, 3)), share))
        total = part if total is None else node.emit(relax.op.add(total, part))
    assert total is not None, "there are four corners"
    return total


def _corner(
    node: Node, low: list[relax.Expr], high_share: list[relax.Expr], corner: tuple[int, int]
) -> tuple[relax.Expr, relax.Expr]:
    """Of one of the four pixels around each tap, its index in a flat map and its share of the mean.

    A pixel outside, or at NaN, has the share 0 and the index of another.
    """
    kind, extents = dtype_of(low[0]), node.shape()[2:]
    zero, one = (relax.const(value, kind) for value in (0, 1))
    places, shares = [], []
    valid: relax.Expr | None = None
    for axis, extent in enumerate(extents):
        place = node.emit(relax.op.add(low[axis], one)) if corner[axis] else low[axis]
        share = high_share[axis] if corner[axis] else node.emit(relax.op.subtract(one, high_share[axis]))
        for condition in (
            relax.op.greater_equal(place, zero),
            relax.op.less(place, relax.const(extent, kind)),
        ):
            inside = node.emit(condition)
            valid = inside if valid is None else node.emit(relax.op.logical_and(valid, inside))
        places.append(place)
        shares.append(share)
    row, column = (
        node.emit(relax.op.astype(node.emit(relax.op.where(valid, place, zero)), "int32")) for place in places
    )
    index = node.emit(relax.op.multiply(row, relax.const(extents[1], "int32")))
    share = node.emit(relax.op.multiply(*shares))
    return node.emit(relax.op.add(index, column)), node.emit(relax.op.where(valid, share, zero))


CONVERTERS: dict[str, Converter] = {"DeformConv": _deform_conv}
