"""Operators that move elements and compute nothing: padding, slices, and blocks of pixels as channels."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from tvm import relax

from relay_strategies.relax.graph import constant, dtype_of, make_constant
from relay_strategies.relax.movement_calls import slice_call
from tvm_directconv.errors import DataDependentError
from tvm_directconv.problem.extents import given_to_tvm, is_open, larger, smaller, surely_less

from .builder import Builder

BEYOND = 2**31 - 1
"""Axes have fewer elements."""
FEW = 64
"""Elements around an axis of which there may be fewer."""
MIRRORS = ("edge", "reflect", "symmetric", "wrap")
"""What padding repeats, by numpy's names."""


def pad(
    b: Builder, data: relax.Expr, pairs: Sequence[tuple[int, int]], mode: str = "constant", value: float = 0
) -> relax.Expr:
    """Return ``data`` with so many elements before and after each axis, which are cut off where negative.

    ``mode`` is "constant", of one ``value``, or one of ``MIRRORS``, which are a gather per axis.
    """
    data, pairs = _open_pads(b, data, pairs, mode, value)
    shape = b.shape_of(data)
    cut = [axis for axis, pair in enumerate(pairs) if min(pair) < 0]
    if cut:
        begin = [max(0, -pairs[axis][0]) for axis in cut]
        end = [shape[axis] + min(0, pairs[axis][1]) for axis in cut]
        if any(last <= first for first, last in zip(begin, end, strict=True)):
            raise b.error(f"pads {[list(pair) for pair in pairs]} leave nothing of shape {shape}")
        data = b.emit(relax.op.strided_slice(data, cut, begin, end))
    widths = [(max(0, before), max(0, after)) for before, after in pairs]
    if not any(map(any, widths)):
        return data
    if mode == "constant":
        return relax.op.nn.pad(data, [width for pair in widths for width in pair], mode, value)
    for axis, (size, pair) in enumerate(zip(b.shape_of(data), widths, strict=True)):
        if any(pair) and is_open([size]):
            data = _mirrored(b, data, axis, size, pair, mode)
        elif any(pair):
            table = np.pad(np.arange(size), pair, mode=mode)  # type: ignore[call-overload]
            data = b.take(data, table, axis)
    return data


def _open_pads(
    b: Builder, data: relax.Expr, pairs: Sequence[tuple[int, int]], mode: str, value: float
) -> tuple[relax.Expr, Sequence[tuple[int, int]]]:
    """Return ``data`` with as many elements added as are not known, and what is left to add or cut off."""
    rest = list(pairs)
    opened = {axis: pair for axis, pair in enumerate(pairs) if is_open(pair)}
    few = _few_pads(b, data, opened, value) if opened and mode == "constant" else None
    if few is not None:
        return few, [(0, 0) if axis in opened else pair for axis, pair in enumerate(pairs)]
    for axis, pair in opened.items():
        if mode != "constant":
            data, rest[axis] = _repeated(b, data, axis, pair, mode), (0, 0)
            continue
        if any(surely_less(amount, 0) for amount in pair):
            raise b.refusal(f"pads {list(pair)} of axis {axis} have to be numbers")
        shape, dtype, parts = list(b.shape_of(data)), dtype_of(data), [data]
        for place, amount in ((0, pair[0]), (2, pair[1])):
            added = relax.ShapeExpr([*shape[:axis], larger(amount, 0), *shape[axis + 1 :]])
            parts.insert(place, b.emit(relax.op.full(added, relax.const(value, dtype), dtype)))
        data, rest[axis] = b.emit(relax.op.concat(parts, axis)), (0, 0)
    return data, rest


def _few_pads(
    b: Builder, data: relax.Expr, pairs: Mapping[int, tuple[int, int]], value: float
) -> relax.Expr | None:
    """Return ``data`` with few elements added, in pairs by axis: the most that there may be, of which some
    are cut off again, so that what may be none is never a part by itself. None where there may be many."""
    sizes, widths, begins, ends = list(b.shape_of(data)), [], [], []
    for axis, (before, after) in pairs.items():
        first, last = _bound(before), _bound(after)
        if first is None or last is None:
            return None
        widths.append((first, last))
        begins.append(first - before)
        ends.append(first + sizes[axis] + after)
    by_axis = dict(zip(pairs, widths, strict=True))
    flat = [width for axis in range(len(sizes)) for width in by_axis.get(axis, (0, 0))]
    wide = b.emit(relax.op.nn.pad(data, flat, "constant", value))
    cut = b.emit(slice_call(wide, list(pairs), begins, ends))
    # TVM's own sizes are not always as simple as they are, and have to equal others.
    dims = [size + sum(pairs.get(axis, (0, 0))) for axis, size in enumerate(sizes)]
    return b.emit(relax.op.reshape(cut, relax.ShapeExpr(dims)))


def _bound(amount: int) -> int | None:
    """The most that a number of elements to add is, where that is few; None where it may be negative."""
    if not is_open([amount]):
        return amount if amount >= 0 else None
    if not surely_less(-1, amount):
        return None
    return next((most for most in range(FEW + 1) if surely_less(amount, most + 1)), None)


def _repeated(b: Builder, data: relax.Expr, axis: int, pair: tuple[int, int], mode: str) -> relax.Expr:
    """Return ``data`` with elements repeated around an axis, of which an open number are: a gather at places
    that are computed when the model runs. Where fewer are there than are repeated, that is refused."""
    size, (before, after) = b.shape_of(data)[axis], pair
    places = b.emit(open_range(0 - before, size + after, 1, "int64"))
    last, zero = b.cast(size - 1, "int64"), b.cast(0, "int64")
    if mode == "edge":
        places = b.emit(relax.op.minimum(b.emit(relax.op.maximum(places, zero)), last))
    elif mode == "wrap":
        places = b.emit(relax.op.floor_mod(places, b.cast(size, "int64")))
    else:
        shared = 1 if mode == "reflect" else 0  # whether the outermost element is not repeated itself
        if any(amount > size - shared for amount in pair):
            raise b.refusal(f"mode '{mode}' repeats {list(pair)} elements of an axis of {size}")
        before_first = b.emit(relax.op.subtract(b.cast(shared - 1, "int64"), places))
        places = b.emit(relax.op.where(b.emit(relax.op.less(places, zero)), before_first, places))
        behind = b.emit(relax.op.subtract(b.cast(2 * size - 1 - shared, "int64"), places))
        places = b.emit(relax.op.where(b.emit(relax.op.greater(places, last)), behind, places))
    return b.emit(relax.op.take(data, places, axis, mode="clip"))


def _mirrored(
    b: Builder, data: relax.Expr, axis: int, size: int, pair: tuple[int, int], mode: str
) -> relax.Expr:
    """Return ``data`` with elements repeated around an open axis: parts of its first and last ones."""
    reach = max(pair) + 1
    if size < reach:
        raise b.refusal(f"mode '{mode}' repeats {max(pair)} elements of an axis of {size}")
    first, last = (b.emit(slice_call(data, [axis], [start], [start + reach])) for start in (0, size - reach))
    table = np.pad(np.arange(reach), pair, mode=mode)  # type: ignore[call-overload]
    sources = (last, first) if mode == "wrap" else (first, last)
    places = table[: pair[0]], table[pair[0] + reach :]
    around = [b.take(part, at, axis) if at.size else None for part, at in zip(sources, places, strict=True)]
    parts = [around[0], data, around[1]]
    return b.emit(relax.op.concat([part for part in parts if part is not None], axis))


def slices(
    b: Builder,
    data: relax.Expr,
    axes: Sequence[int],
    starts: Sequence[int | None],
    ends: Sequence[int | None],
    steps: Sequence[int],
) -> relax.Expr:
    """Return a part of ``data``, whose bounds mean what those of Python's slices do.

    Raises UnsupportedOperatorError where nothing is left.
    """
    shape = b.shape_of(data)
    if len(set(axes)) < len(axes):
        raise b.error(f"axes {list(axes)} are not each one of its own")
    data, axes, starts, ends, steps = _open_slices(b, data, axes, starts, ends, steps)
    chosen: dict[int, range] = {}
    for axis, first, last, step in zip(axes, starts, ends, steps, strict=True):
        chosen[axis] = range(shape[axis])[slice(first, last, step)]
        if not chosen[axis]:
            raise b.refusal(f"nothing is left of axis {axis}, which is {shape[axis]}")
    for axis, places in chosen.items():
        if places.step < 0:  # Relax counts an end of -1 from the end; positions say what is meant.
            data = b.take(data, np.array(places), axis)
    forward = {axis: places for axis, places in chosen.items() if places.step > 0}
    if not forward:
        return data
    bounds = [(places[0], places[-1] + 1, places.step) for places in forward.values()]
    return relax.op.strided_slice(data, list(forward), *map(list, zip(*bounds, strict=True)))


def _open_slices(
    b: Builder, data: relax.Expr, axes: Sequence[int], *bounds: Sequence[Any]
) -> tuple[Any, ...]:
    """Return ``data`` sliced along axes that are open or whose bounds are, and the ``axes`` and ``bounds``,
    which are starts, ends and steps, of those that are left."""
    shape, opened, rest = b.shape_of(data), [], []
    for axis, start, end, step in zip(axes, *bounds, strict=True):
        if step == -1 and is_open([shape[axis]]) and _is_all(start, end):
            data = b.emit(relax.op.flip(data, axis))
        elif step > 0 and is_open([shape[axis], start, end]):
            opened.append((axis, *_open_bounds(b, shape[axis], start, end, axis), step))
        else:
            rest.append((axis, start, end, step))
    if opened:
        data = b.emit(slice_call(data, *map(list, zip(*opened, strict=True))))
    return (data, *(zip(*rest, strict=True) if rest else ((), (), (), ())))


def _is_all(start: int | None, end: int | None) -> bool:
    """Whether bounds of a slice backwards are an axis's last element and its first."""
    first = start is None or (not is_open([start]) and (start == -1 or start >= BEYOND))
    return first and (end is None or (not is_open([end]) and end <= -BEYOND))


def _open_bounds(b: Builder, size: int, first: int | None, last: int | None, axis: int) -> tuple[int, int]:
    """Return the bounds of a slice as places inside of an axis, of which any may be open."""

    def inside(place: Any) -> Any:
        place = place if place >= 0 else size + place
        try:
            return 0 if place < 0 else size if place > size else place
        except DataDependentError:
            return smaller(larger(place, 0), size)

    # Exporters write the largest integer for the end.
    to_end = last is None or (not is_open([last]) and last >= BEYOND)
    begin, end = (0 if first is None else inside(first)), (size if to_end else inside(last))
    try:
        is_empty = end <= begin
    except DataDependentError:  # it is empty where it is
        return begin, larger(begin, end)
    if is_empty:
        raise b.refusal(f"nothing is left of axis {axis}, which is {size}")
    return begin, end


def select(b: Builder, data: relax.Expr, place: int, axis: int) -> relax.Expr:
    """Emit the part of ``data`` at a place of an axis, without the axis."""
    if (array := constant(data)) is not None:
        return make_constant(np.array(array.take(place, axis)))
    shape = b.shape_of(data)
    part = b.emit(relax.op.strided_slice(data, [axis], [place], [place + 1]))
    return b.emit(relax.op.reshape(part, [*shape[:axis], *shape[axis + 1 :]]))


def tile(b: Builder, data: relax.Expr, times: Sequence[int]) -> relax.Expr:
    """Return ``data`` so many times along each axis, to which axes of 1 are added in front."""
    if not is_open(times):
        return relax.op.tile(data, list(times))
    shape = b.shape_of(data)
    shape = (*[1] * (len(times) - len(shape)), *shape)
    # An open number of times is an axis of its own, which is broadcast.
    apart = b.emit(relax.op.reshape(data, relax.ShapeExpr([part for size in shape for part in (1, size)])))
    wide = [part for pair in zip(times, shape, strict=True) for part in pair]
    spread = b.emit(relax.op.broadcast_to(apart, relax.ShapeExpr(wide)))
    sizes = [count * size for count, size in zip(times, shape, strict=True)]
    return relax.op.reshape(spread, relax.ShapeExpr(sizes))


def zeros(b: Builder, shape: Sequence[int], dtype: str) -> relax.Expr:
    """Return zeros, a constant unless the shape is open."""
    return (
        b.emit(relax.op.zeros(relax.ShapeExpr(list(shape)), dtype))
        if is_open(shape)
        else make_constant(np.zeros(shape, dtype))
    )


def open_range(start: int, end: int, step: int, dtype: str) -> relax.Expr:
    """Return the integers from ``start`` to before ``end``, of which some are open sizes."""
    last = start + open_range_length(start, end, step) * step
    return relax.op.arange(*map(given_to_tvm, (start, last, step)), dtype)


def open_range_length(start: int, end: int, step: int) -> int:
    """Return how many integers a range has."""
    whole = end - start + step - 1 if step > 0 else start - end - step - 1
    count = whole // abs(step)
    return 0 if count < 0 else count


def stack(b: Builder, tensors: Sequence[relax.Expr], axis: int) -> relax.Expr:
    """Return tensors side by side along a new axis."""
    return relax.op.concat([b.emit(relax.op.expand_dims(tensor, axis)) for tensor in tensors], axis)


def split(b: Builder, data: relax.Expr, sizes: Sequence[int], axis: int) -> list[relax.Expr]:
    """Emit parts of ``sizes`` along an axis; those of no elements are constants."""
    if len(sizes) == 1:
        return [data]
    if is_open(sizes):
        bounds = [0, *itertools.accumulate(sizes)]
        return [b.emit(slice_call(data, [axis], [low], [high])) for low, high in itertools.pairwise(bounds)]
    ends = np.cumsum(sizes)[:-1].tolist()
    if 0 in sizes:
        shape = list(b.shape_of(data))
        full = iter(split(b, data, [size for size in sizes if size], axis))
        empty = make_constant(np.zeros([*shape[:axis], 0, *shape[axis + 1 :]], dtype_of(data)))
        return [next(full) if size else empty for size in sizes]
    if (array := constant(data)) is not None:
        return [make_constant(np.array(part)) for part in np.split(array, ends, axis)]
    parts = b.emit(relax.op.split(data, ends, axis))
    return [b.emit(relax.TupleGetItem(parts, number)) for number in range(len(sizes))]


def space_to_batch(
    b: Builder, data: relax.Expr, blocks: Sequence[int], pads: Sequence[tuple[int, int]], value: float = 0
) -> relax.Expr:
    """Return (N, ..., C), padded, whose blocks of pixels became images: the first pixels of all blocks are
    the first image."""
    count = len(blocks)
    rest = [(0, 0)] * (len(b.shape_of(data)) - 1 - count)
    data = b.emit(pad(b, data, [(0, 0), *pads, *rest], value=value))
    batch, *shape = b.shape_of(data)
    cells = [extent // block for extent, block in zip(shape, blocks, strict=False)]
    split = [part for pair in zip(cells, blocks, strict=True) for part in pair]
    behind = range(1 + 2 * count, 1 + 2 * count + len(rest))
    order = [*range(2, 1 + 2 * count, 2), 0, *range(1, 1 + 2 * count, 2), *behind]
    moved = b.emit(relax.op.reshape(data, (batch, *split, *shape[count:])))
    moved = b.emit(relax.op.permute_dims(moved, order))
    return relax.op.reshape(moved, (batch * math.prod(blocks), *cells, *shape[count:]))


def batch_to_space(
    b: Builder, data: relax.Expr, blocks: Sequence[int], crops: Sequence[tuple[int, int]]
) -> relax.Expr:
    """Return (N, ..., C) whose images became blocks of pixels, cropped; see ``space_to_batch``."""
    count = len(blocks)
    images, *shape = b.shape_of(data)
    batch, cells, rest = images // math.prod(blocks), shape[:count], shape[count:]
    split = b.emit(relax.op.reshape(data, (*blocks, batch, *cells, *rest)))
    pairs = [axis for i in range(count) for axis in (count + 1 + i, i)]
    behind = range(2 * count + 1, 2 * count + 1 + len(rest))
    moved = b.emit(relax.op.permute_dims(split, [count, *pairs, *behind]))
    extents = [cell * block for cell, block in zip(cells, blocks, strict=True)]
    whole = b.emit(relax.op.reshape(moved, (batch, *extents, *rest)))
    return pad(b, whole, [(0, 0), *((-first, -last) for first, last in crops), *[(0, 0)] * len(rest)])


def depth_to_space(b: Builder, data: relax.Expr, block: int, mode: str = "DCR") -> relax.Expr:
    """Return a map (..., C, H, W) whose channels became blocks of pixels.

    A pixel's number in its block counts first among the channels ("DCR") or last ("CRD").
    """
    *batch, channels, height, width = b.shape_of(data)
    if block < 1 or channels % (block * block):
        raise b.error(f"{channels} channels cannot be split into {block}x{block} blocks")
    count, outer = math.prod(batch), channels // (block * block)
    pixels = (block, block, outer) if mode == "DCR" else (outer, block, block)
    order = [0, 3, 4, 1, 5, 2] if mode == "DCR" else [0, 1, 4, 2, 5, 3]
    split = b.emit(relax.op.reshape(data, (count, *pixels, height, width)))
    moved = b.emit(relax.op.permute_dims(split, order))
    return relax.op.reshape(moved, (*batch, outer, height * block, width * block))


def space_to_depth(b: Builder, data: relax.Expr, block: int, mode: str = "DCR") -> relax.Expr:
    """Return a map (..., C, H, W) whose blocks of pixels became channels; see ``depth_to_space``."""
    *batch, channels, height, width = shape = b.shape_of(data)
    if block < 1 or height % block or width % block:
        raise b.error(f"blocks of {block} do not divide a map of shape {shape}")
    rows, columns = height // block, width // block
    split = b.emit(relax.op.reshape(data, (math.prod(batch), channels, rows, block, columns, block)))
    order = [0, 3, 5, 1, 2, 4] if mode == "DCR" else [0, 1, 3, 5, 2, 4]
    moved = b.emit(relax.op.permute_dims(split, order))
    return relax.op.reshape(moved, (*batch, channels * block * block, rows, columns))
