"""Convolutions of one and three dimensions, and transposed ones, as the 2-D ones they are computed by.

Shapes are (N, C, spatial...); paddings are those in front along each axis, then those behind. What graph
passes do (``SplitTransposed``, ``Expand1d``, ``Fold3d``) is said here in numbers alone.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from .columns import columns_that_pay
from .phases import Window, windows
from .workload import Conv2dWorkload

Extents = Sequence[int]


def convolutions(
    data: Extents,
    weight: Extents,
    strides: Extents,
    padding: Extents,
    dilation: Extents,
    groups: int,
) -> list[Conv2dWorkload]:
    """Return the convolutions that a convolution of ``data`` with ``weight`` (O, I, taps...) is computed
    by."""
    batch, channels, *sizes = data
    outputs, inputs, *taps = weight

    def plane(count: int, size: Extents, depth: int, *axes: int) -> Conv2dWorkload:
        """Return the workload of images whose rows and columns are these axes; -1 is one of a single
        position."""
        pads = [0 if axis < 0 else padding[axis + end * len(sizes)] for end in (0, 1) for axis in axes]
        kernel, step, apart = (
            (1 if axes[0] < 0 else values[axes[0]], 1 if axes[1] < 0 else values[axes[1]])
            for values in (taps, strides, dilation)
        )
        top, left, bottom, right = pads
        return Conv2dWorkload(
            batch=count,
            height=size[0],
            width=size[1],
            in_channels=channels * depth,
            out_channels=outputs,
            kernel=kernel,
            strides=step,
            padding=(top, left, bottom, right),
            dilation=apart,
            groups=groups,
        )

    if len(sizes) == 1:
        return [plane(batch, (1, sizes[0]), 1, -1, 0)]
    if len(sizes) == 2:
        return [plane(batch, sizes, 1, 0, 1)]
    depth, height, width = sizes
    if taps[1:] == [1, 1] and list(strides[1:]) == [1, 1] and not any((*padding[1:3], *padding[4:])):
        return [plane(batch, (depth, height * width), 1, 0, -1)]
    reached = (taps[0] - 1) * dilation[0] + 1
    frames = (depth + padding[0] + padding[3] - reached) // strides[0] + 1
    if groups > 1 and inputs == 1:
        return [plane(batch * frames, (height, width), 1, 1, 2)] * taps[0]
    return [plane(batch * frames, (height, width), taps[0], 1, 2)]


def transposed(
    data: Extents,
    weight: Extents,
    size: Extents,
    strides: Extents,
    before: Extents,
    dilation: Extents,
    groups: int,
) -> list[Conv2dWorkload]:
    """Return the convolutions that a transposed convolution of ``data`` with ``weight`` (I, O, taps...) is
    computed by.

    ``size`` is the result's, ``before`` what is cut off in front of it.
    """
    if len(size) == 2 and groups == 1:
        columns = columns_that_pay(data, weight, size, strides, before, dilation)
        if columns is not None:
            filters = (columns.shape[1], data[1], 1, 1)
            return convolutions(data, filters, (1, 1), (0, 0, 0, 0), (1, 1), 1)
    axes = zip(weight[2:], strides, dilation, before, size, strict=True)
    positions = [-(-extent // stride) for extent, stride in zip(size, strides, strict=True)]
    found = []
    for seen in itertools.product(*(windows(*along) for along in axes)):
        found.extend(_phase(data, weight, seen, positions, groups))
    return found


def _phase(
    data: Extents, weight: Extents, seen: Sequence[Window], positions: Extents, groups: int
) -> list[Conv2dWorkload]:
    around = list(zip(seen, data[2:], positions, strict=True))
    spans = [window.inside(extent, count) for window, extent, count in around]
    if None in spans:
        return []
    padding = [window.padding(extent, count) for window, extent, count in around]
    held = math.prod(len(window.phases) for window in seen)
    return convolutions(
        [*data[:2], *(span[1] - span[0] for span in spans if span is not None)],
        [held * weight[1] * groups, data[1] // groups, *(window.count for window in seen)],
        [1] * len(seen),
        [pad[0] for pad in padding] + [pad[1] for pad in padding],
        [window.dilation for window in seen],
        groups,
    )
