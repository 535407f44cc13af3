"""Operators whose results gather several elements of the data: running products, overlapping blocks."""

from __future__ import annotations

import numpy as np
from tvm import relax

from relay_strategies.relax.graph import dtype_of, make_constant

from .node import Converter, Node


def _cum_prod(node: Node) -> relax.Expr:
    shape, given = node.shape(), node.array(1)
    if given is None or given.size != 1:
        raise node.error("axis is to be one number")
    axis = int(given.reshape(()))
    if not -len(shape) <= axis < len(shape):
        raise node.error(f"axis {axis} is none of {len(shape)} axes")
    exclusive, reverse = (bool(node.attributes.get(name, 0)) for name in ("exclusive", "reverse"))
    data = node.emit(relax.op.flip(node.data(), axis)) if reverse else node.data()
    product = node.emit(relax.op.cumprod(data, axis % len(shape), dtype_of(data), exclusive))
    return relax.op.flip(product, axis) if reverse else product


def _col2im(node: Node) -> relax.Expr:
    """Each element of a column is added to its place in the padded image, which is then cropped."""
    sizes, blocks = node.array(1), node.array(2)
    if sizes is None or blocks is None or sizes.ndim != 1 or sizes.shape != blocks.shape or not sizes.size:
        raise node.error("image_shape and block_shape are to be as many numbers as an image has axes")
    rank = len(sizes)
    image, block = [int(s) for s in sizes], [int(b) for b in blocks]
    dilations, strides = (
        [int(v) for v in node.attributes.get(name, [1] * rank)] for name in ("dilations", "strides")
    )
    pads = [int(pad) for pad in node.attributes.get("pads", [0] * (2 * rank))]
    padded = [size + pads[a] + pads[rank + a] for a, size in enumerate(image)]
    positions = []
    for axis in range(rank):
        starts = np.arange(0, padded[axis] - dilations[axis] * (block[axis] - 1), strides[axis])
        positions.append(np.arange(block[axis])[:, None] * dilations[axis] + starts)
    shape, count = node.shape(), int(np.prod(block))
    columns = int(np.prod([p.shape[1] for p in positions]))
    if len(shape) != 3 or shape[1] % count or shape[2] != columns:
        raise node.error(f"data of shape {shape} are no {columns} columns of blocks {block}")
    batch, channels = shape[0], shape[1] // count
    # (block axes, column axes) -> where in the padded image.
    places = np.zeros((1, 1), np.int64)
    for axis in range(rank):
        wide = places[:, None, :, None] * padded[axis] + positions[axis][None, :, None, :]
        places = wide.reshape(wide.shape[0] * wide.shape[1], -1)
    data = node.emit(relax.op.reshape(node.data(), (batch * channels, count * columns)))
    updates = node.emit(relax.op.permute_dims(data))
    total = int(np.prod(padded))
    zeros = node.emit(relax.op.zeros((total, batch * channels), dtype_of(data)))
    indices = make_constant(np.ascontiguousarray(places.reshape(-1, 1)))
    summed = node.emit(relax.op.scatter_nd(zeros, indices, updates, "add"))
    whole = node.emit(relax.op.permute_dims(summed))
    whole = node.emit(relax.op.reshape(whole, (batch, channels, *padded)))
    if not any(pads):
        return whole
    ends = [pads[axis] + image[axis] for axis in range(rank)]
    return relax.op.strided_slice(whole, list(range(2, 2 + rank)), pads[:rank], ends)


CONVERTERS: dict[str, Converter] = {"Col2Im": _col2im, "CumProd": _cum_prod}
