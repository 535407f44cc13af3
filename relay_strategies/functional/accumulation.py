"""Operators whose results gather several elements of the data: running products, overlapping blocks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from tvm import relax

from relay_strategies.relax.graph import dtype_of, make_constant
from tvm_directconv.problem.columns import MOST_TAPS
from tvm_directconv.problem.element_types import FLOAT32

from .builder import Builder


def running_product(
    b: Builder, data: relax.Expr, axis: int, exclusive: bool = False, reverse: bool = False
) -> relax.Expr:
    """Return the products of the elements up to each along an axis, or of those from it on if ``reverse``;
    the element itself is left out if ``exclusive``."""
    turned = b.emit(relax.op.flip(data, axis)) if reverse else data
    product = b.emit(relax.op.cumprod(turned, axis, dtype_of(data), exclusive))
    return relax.op.flip(product, axis) if reverse else product


def columns_to_image(
    b: Builder,
    data: relax.Expr,
    image: Sequence[int],
    block: Sequence[int],
    *,
    strides: Sequence[int],
    padding: Sequence[int],
    dilations: Sequence[int],
) -> relax.Expr:
    """Return the image (N, C, *image) of columns (N, C x block, columns), whose elements add up where blocks
    overlap: in float32 and two dimensions the transposed convolution that takes each to a tap of its own;
    else each is added to its place in the padded image, which is then cropped."""
    rank, pads = len(image), padding
    padded = [size + pads[a] + pads[rank + a] for a, size in enumerate(image)]
    positions = []
    for axis in range(rank):
        starts = np.arange(0, padded[axis] - dilations[axis] * (block[axis] - 1), strides[axis])
        positions.append(np.arange(block[axis])[:, None] * dilations[axis] + starts)
    shape, count = b.shape_of(data), int(np.prod(block))
    columns = int(np.prod([p.shape[1] for p in positions]))
    if len(shape) != 3 or shape[1] % count or shape[2] != columns:
        raise b.error(f"data of shape {shape} are no {columns} columns of blocks {block}")
    batch, channels = shape[0], shape[1] // count
    if rank == 2 and dtype_of(data) == FLOAT32 and count <= MOST_TAPS:
        apart = [p.shape[1] for p in positions]
        maps = b.emit(relax.op.reshape(data, (batch, channels * count, *apart)))
        over = [size - int(p.max()) - 1 for size, p in zip(padded, positions, strict=True)]
        taps = np.tile(np.eye(count, dtype=FLOAT32).reshape(count, 1, *block), (channels, 1, 1, 1))
        return relax.op.nn.conv2d_transpose(
            maps, make_constant(taps), [*strides], [*padding], over, [*dilations], channels
        )
    # (block axes, column axes) -> where in the padded image.
    places = np.zeros((1, 1), np.int64)
    for axis in range(rank):
        wide = places[:, None, :, None] * padded[axis] + positions[axis][None, :, None, :]
        places = wide.reshape(wide.shape[0] * wide.shape[1], -1)
    data = b.emit(relax.op.reshape(data, (batch * channels, count * columns)))
    updates = b.emit(relax.op.permute_dims(data))
    total = int(np.prod(padded))
    zeros = b.emit(relax.op.zeros((total, batch * channels), dtype_of(data)))
    indices = make_constant(np.ascontiguousarray(places.reshape(-1, 1)))
    summed = b.emit(relax.op.scatter_nd(zeros, indices, updates, "add"))
    whole = b.emit(relax.op.permute_dims(summed))
    whole = b.emit(relax.op.reshape(whole, (batch, channels, *padded)))
    if not any(pads):
        return whole
    ends = [pads[axis] + image[axis] for axis in range(rank)]
    return relax.op.strided_slice(whole, list(range(2, 2 + rank)), pads[:rank], ends)
