"""Pooling of regions: boxes on a map, each of which becomes a small map of its own."""

from __future__ import annotations

from tvm import relax

from relay_strategies.relax.graph import dtype_of

from .builder import Builder
from .indexing import checked_indices


def roi_align(
    b: Builder,
    data: relax.Expr,
    corners: relax.Expr,
    images: relax.Expr,
    size: tuple[int, int],
    scale: float,
    samples: int,
    half_pixel: bool,
) -> relax.Expr:
    """Return the means of boxes, (count, channels, *size), of ``corners`` (left, top, right, bottom) times
    ``scale`` on the maps ``images``. ``samples`` of 0 are as many as a box is large.

    Half a pixel is taken off boxes that are scaled already; TVM's converter takes it off before. Where
    samples are as many as a box is large, one without an area has none, and TVM's kernel writes nothing: it
    is 0.
    """
    kind = dtype_of(corners)
    boxes = b.emit(relax.op.multiply(corners, relax.const(scale, kind)))
    if half_pixel:
        boxes = b.emit(relax.op.subtract(boxes, relax.const(0.5, kind)))
    numbers = b.emit(relax.op.astype(checked_indices(b, images, b.shape_of(data)[:1]), kind))
    rows = b.emit(relax.op.concat([b.emit(relax.op.expand_dims(numbers, 1)), boxes], 1))
    pooled = relax.op.vision.roi_align(data, rows, size, 1.0, samples, aligned=half_pixel, mode="avg")
    if not half_pixel or samples > 0:
        return pooled
    opposite = (b.emit(relax.op.strided_slice(boxes, [1], [first], [first + 2])) for first in (2, 0))
    extents = b.emit(relax.op.subtract(*opposite))
    smaller = b.emit(relax.op.reshape(b.emit(relax.op.min(extents, 1)), (-1, 1, 1, 1)))
    has_area = b.emit(relax.op.greater(smaller, relax.const(0, kind)))
    return relax.op.where(has_area, b.emit(pooled), relax.const(0, dtype_of(data)))
