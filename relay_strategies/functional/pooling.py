"""Pools: windows that slide over a map, and those that cover it once."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence

import numpy as np
from tvm import relax

from relay_strategies.relax.graph import dtype_of, make_constant
from tvm_directconv.operators import definitions
from tvm_directconv.problem.extents import is_open

from .builder import Builder
from .convolution import LETTERS, check_windows
from .indexing import checked_indices
from .movement import pad


def pool(
    b: Builder,
    data: relax.Expr,
    kind: str,
    window: Sequence[int],
    *,
    strides: Sequence[int],
    padding: Sequence[int],
    dilations: Sequence[int] | None = None,
    layout: str = "",
    ceil_mode: bool = False,
    count_include_pad: bool = False,
) -> relax.Expr:
    """Return the "max" or "avg" of windows of a map; ``padding`` is that in front along each axis, then that
    behind. Averages count the padding with ``count_include_pad``."""
    rank = len(window)
    dilations, layout = dilations or [1] * rank, layout or f"NC{LETTERS[rank]}"
    sizes = [b.shape_of(data)[layout.index(letter)] for letter in LETTERS[rank]]
    check_windows(b, sizes, window, padding, dilations)
    if ceil_mode and is_open(sizes) and not count_include_pad:
        padding, ceil_mode = rounded_up(window, strides, padding, dilations)
    counted = {"count_include_pad": count_include_pad} if kind == "avg" else {}
    operator = getattr(relax.op.nn, f"{kind}_pool{rank}d")
    return operator(data, window, strides, padding, dilations, ceil_mode=ceil_mode, layout=layout, **counted)


def rounded_up(
    window: Sequence[int], strides: Sequence[int], padding: Sequence[int], dilations: Sequence[int]
) -> tuple[Sequence[int], bool]:
    """Return the padding with which windows are as many rounded down as they are rounded up by ``padding``,
    whatever the sizes, and whether they are rounded up still: with the padding as it is, where a last one may
    begin in it, which is then left out."""
    behind = padding[len(window) :]
    spans = [(count - 1) * apart + 1 for count, apart in zip(window, dilations, strict=True)]
    if any(span - more < stride for span, more, stride in zip(spans, behind, strides, strict=True)):
        return padding, True
    added = [more + stride - 1 for more, stride in zip(behind, strides, strict=True)]
    return [*padding[: len(window)], *added], False


def window_positions(
    b: Builder,
    data: relax.Expr,
    window: Sequence[int],
    *,
    strides: Sequence[int],
    dilations: Sequence[int],
    before: Sequence[int],
    results: Sequence[int],
    distances: Sequence[int],
) -> relax.Expr:
    """Emit where the largest element of each window is: the sum of its coordinates times ``distances``."""
    if dtype_of(data) == "bfloat16":  # of which TVM does not know NaN
        data = b.cast(data, "float32")
    return b.builder.emit_te(
        definitions.window_positions, data, window, strides, dilations, before, list(results), list(distances)
    )


def adaptive_pool(
    b: Builder, data: relax.Expr, kind: str, cells: Sequence[int], layout: str = ""
) -> relax.Expr:
    """Return the "max" or "avg" of as many windows along each axis of a map as there are ``cells``, which
    overlap where they do not divide it."""
    rank = len(cells)
    layout = layout or f"NC{LETTERS[rank]}"
    axes = [layout.index(letter) for letter in LETTERS[rank]]
    sizes = [b.shape_of(data)[axis] for axis in axes]
    if is_open(sizes) and set(cells) == {1}:
        return (relax.op.mean if kind == "avg" else relax.op.max)(data, axes, keepdims=True)
    if all(size % count == 0 for size, count in zip(sizes, cells, strict=True)):
        window = [size // count for size, count in zip(sizes, cells, strict=True)]
        return pool(b, data, kind, window, strides=window, padding=[0] * (2 * rank), layout=layout)
    if kind == "avg":
        return getattr(relax.op.nn, f"adaptive_avg_pool{rank}d")(data, list(cells), layout)
    for axis, size, count in zip(axes, sizes, cells, strict=True):
        data = _uneven_maximum(b, data, axis, size, count)
    return data


def _uneven_maximum(b: Builder, data: relax.Expr, axis: int, size: int, count: int) -> relax.Expr:
    """Return the maxima of ``count`` windows along an axis.

    All are gathered as long as the longest; shorter ones have their last element several times.
    """
    places = _window_places(size, count)
    longest = places.shape[1]
    taken = b.take(data, places.reshape(-1), axis)
    shape = b.shape_of(data)
    apart = b.emit(relax.op.reshape(taken, [*shape[:axis], count, longest, *shape[axis + 1 :]]))
    return b.emit(relax.op.max(apart, axis + 1))


def _window_places(size: int, count: int) -> np.ndarray:
    """The places of ``count`` windows along an axis, a row each; shorter ones repeat their last."""
    first = np.arange(count) * size // count
    last = -(-(np.arange(count) + 1) * size // count) - 1
    return np.minimum(first[:, None] + np.arange(int((last - first).max()) + 1), last[:, None])


def adaptive_maxima(b: Builder, data: relax.Expr, cells: Sequence[int]) -> tuple[relax.Expr, relax.Expr]:
    """Emit the maxima of ``adaptive_pool`` of maps (N, C, ...), and their positions in each map, int64."""
    batch, channels, *sizes = b.shape_of(data)
    rank = len(cells)
    places = [_window_places(size, count) for size, count in zip(sizes, cells, strict=True)]
    for axis, each in enumerate(places, start=2):
        data = b.take(data, each.reshape(-1), axis)
    apart = b.emit(relax.op.reshape(data, [batch, channels, *(n for each in places for n in each.shape)]))
    order = [0, 1, *range(2, 2 + 2 * rank, 2), *range(3, 2 + 2 * rank, 2)]
    windows = b.emit(relax.op.permute_dims(apart, order))
    windows = b.emit(relax.op.reshape(windows, [batch, channels, *cells, -1]))
    rest = b.cast(b.emit(relax.op.argmax(windows, -1)), "int64")
    position = b.cast(0, "int64")
    distance, axis = 1, rank
    for each, size in zip(reversed(places), reversed(sizes), strict=True):
        axis -= 1
        longest = b.cast(each.shape[1], "int64")
        shape = [-1 if place == axis else 1 for place in range(rank)]
        first = make_constant(each[:, 0].reshape(shape).astype(np.int64))
        place = b.emit(relax.op.add(b.emit(relax.op.floor_mod(rest, longest)), first))
        scaled = b.emit(relax.op.multiply(place, b.cast(distance, "int64")))
        position = b.emit(relax.op.add(position, scaled))
        rest, distance = b.emit(relax.op.floor_divide(rest, longest)), distance * size
    return b.emit(relax.op.max(windows, -1)), position


def power_pool(
    b: Builder,
    data: relax.Expr,
    power: float,
    window: Sequence[int],
    *,
    strides: Sequence[int],
    padding: Sequence[int],
    dilations: Sequence[int],
    ceil_mode: bool = False,
) -> relax.Expr:
    """Return the norm of order ``power`` of windows: the mean of powers times their number, of data padded
    with as many zeros as the windows need."""
    rank, kind, shape = len(window), dtype_of(data), b.shape_of(data)
    widths = [0, 0, 0, 0]
    for axis in range(rank):
        reach = dilations[axis] * (window[axis] - 1) + 1
        rest = shape[2 + axis] + padding[axis] + padding[rank + axis] - reach
        # A last window that begins inside the padded data, and ends outside.
        partial = -rest % strides[axis] if ceil_mode else 0
        starts_inside = rest + partial < shape[2 + axis] + padding[axis]
        widths += [padding[axis], padding[rank + axis] + (partial if starts_inside else 0)]
    powers = b.emit(relax.op.power(b.emit(relax.op.abs(data)), relax.const(power, kind)))
    if any(widths):
        powers = b.emit(relax.op.nn.pad(powers, widths))
    none = [0] * (2 * rank)
    mean = b.emit(pool(b, powers, "avg", window, strides=strides, padding=none, dilations=dilations))
    total = b.emit(relax.op.multiply(mean, relax.const(float(operator.index(math.prod(window))), kind)))
    return relax.op.power(total, relax.const(1 / power, kind))


def max_unpool(
    b: Builder,
    data: relax.Expr,
    places: relax.Expr,
    pooled: Sequence[int],
    wanted: Sequence[int] | None = None,
) -> relax.Expr:
    """Return maps of shape ``pooled`` with ``data`` at ``places``, zero elsewhere; zeros follow behind along
    each axis where ``wanted`` is a larger shape."""
    wanted = list(pooled) if wanted is None else [int(size) for size in wanted]
    if len(wanted) != len(pooled) or any(w < p for w, p in zip(wanted, pooled, strict=True)):
        raise b.refusal(f"an output_shape {wanted} that is smaller than {list(pooled)}")
    count, cells = math.prod(b.shape_of(data)), math.prod(pooled)
    rows = b.emit(relax.op.reshape(checked_indices(b, places, [cells]), (count, 1)))
    updates = b.emit(relax.op.reshape(data, (count,)))
    zeros = b.emit(relax.op.zeros((cells,), dtype_of(data)))
    whole = b.emit(relax.op.reshape(b.emit(relax.op.scatter_nd(zeros, rows, updates)), list(pooled)))
    return pad(b, whole, [(0, more - size) for more, size in zip(wanted, pooled, strict=True)])
