"""Boxes that detectors keep, in results of one size: the rest behind those that were found is zero."""

from __future__ import annotations

import math

import numpy as np
from tvm import relax

from relay_strategies.relax.graph import make_constant

from .builder import Builder
from .finding import cleared, collected, suppressed
from .indexing import gather_elements, top_k
from .movement import stack


def left_of_all_classes(
    b: Builder, corners: relax.Expr, scores: relax.Expr, most: int, overlap: float, least: float
) -> tuple[relax.Expr, relax.Expr]:
    """Return image, class and box, int64 (images * classes * boxes, 3), of what non-maximum suppression
    leaves of corners (images, boxes, 4) with scores (images, classes, boxes), and their number (1,)."""
    images, classes, boxes = b.shape_of(scores)
    chosen, counts = suppressed(b, corners, scores, most, overlap, least)
    total = b.emit(relax.op.sum(counts, 0, keepdims=True))
    rows = b.emit(collected(b, chosen, counts, classes, images * classes * boxes))
    places = make_constant(np.arange(images * classes * boxes).reshape(-1, 1))
    return cleared(b, rows, b.emit(relax.op.less(places, total))), total


def left_by_image(
    b: Builder, corners: relax.Expr, scores: relax.Expr, most: int, overlap: float, least: float
) -> tuple[relax.Expr, relax.Expr, relax.Expr]:
    """Return class and box, int64 (images, classes * boxes, 2), their scores, and how many each image has
    (images,), of what ``left_of_all_classes`` finds."""
    _, classes, boxes = b.shape_of(scores)
    chosen, found, is_left = _by_image(b, corners, scores, most, overlap, least)
    kept = b.shape_of(chosen)[2]
    behind = b.cast(b.emit(relax.op.logical_not(is_left)), "int32")
    order = b.emit(relax.op.argsort(behind, 1, dtype="int64"))
    kinds = b.emit(relax.op.floor_divide(order, relax.const(kept, "int64")))
    numbers = b.emit(gather_elements(b, _flat(b, chosen), order, 1))
    pairs = b.emit(stack(b, [kinds, numbers], 2))
    found = b.emit(gather_elements(b, found, order, 1))
    counts = b.emit(relax.op.sum(b.cast(is_left, "int64"), [1]))
    places = np.arange(classes * kept).reshape(1, -1)
    is_first = b.emit(relax.op.less(make_constant(places), b.emit(relax.op.expand_dims(counts, 1))))
    pairs = cleared(b, pairs, b.emit(relax.op.expand_dims(is_first, 2)))
    missing = classes * (boxes - kept)
    return _longer(b, pairs, missing), _longer(b, cleared(b, found, is_first), missing), counts


def best_of_all_classes(
    b: Builder,
    corners: relax.Expr,
    scores: relax.Expr,
    of_class: int,
    most: int,
    overlap: float,
    least: float,
) -> tuple[relax.Expr, relax.Expr, relax.Expr, relax.Expr]:
    """Return boxes (images, most, 4), classes and scores (images, most), from the highest score on, and their
    number (images,), all float32 but for int32 numbers, of what is left of each class, ``of_class`` at most,
    of those with a score of at least ``least``."""
    images, classes, _ = b.shape_of(scores)
    below = float(np.nextafter(np.float32(least), np.float32(-np.inf)))
    chosen, found, is_left = _by_image(b, corners, scores, of_class, overlap, below)
    kept = b.shape_of(chosen)[2]
    size = classes * kept
    found = b.emit(relax.op.where(is_left, found, relax.const(-np.inf, "float32")))
    best, order = top_k(b, found, min(most, size), 1, largest=True)
    numbers = b.emit(gather_elements(b, _flat(b, chosen), order, 1))
    is_kept = b.emit(relax.op.greater(best, relax.const(-np.inf, "float32")))
    wide = b.emit(relax.op.expand_dims(numbers, 2))
    wide = b.emit(relax.op.broadcast_to(wide, (images, min(most, size), 4)))
    boxes = b.emit(gather_elements(b, corners, wide, 1))
    kinds = b.cast(b.emit(relax.op.floor_divide(order, relax.const(kept, "int64"))), "float32")
    boxes = cleared(b, boxes, b.emit(relax.op.expand_dims(is_kept, 2)))
    kinds, best = cleared(b, kinds, is_kept), cleared(b, best, is_kept)
    counts = b.emit(relax.op.sum(b.cast(is_kept, "int32"), [1]))
    longer = [_longer(b, part, most - size) for part in (boxes, kinds, best)]
    return longer[0], longer[1], longer[2], counts


def _longer(b: Builder, data: relax.Expr, more: int) -> relax.Expr:
    """Return ``data`` with so many zeros behind its second axis."""
    widths = [0, 0, 0, max(more, 0), *[0] * (2 * len(b.shape_of(data)) - 4)]
    return data if more <= 0 else b.emit(relax.op.nn.pad(data, widths))


def _by_image(
    b: Builder, corners: relax.Expr, scores: relax.Expr, most: int, overlap: float, least: float
) -> tuple[relax.Expr, relax.Expr, relax.Expr]:
    """Return the boxes left (images, classes, most), what is behind them being inside, their scores (images,
    classes * most), and which are there, of the same shape."""
    images, classes, _ = b.shape_of(scores)
    chosen, counts = suppressed(b, corners, scores, most, overlap, least)
    kept = b.shape_of(chosen)[1]
    places = make_constant(np.arange(kept).reshape(1, -1))
    is_left = b.emit(relax.op.less(places, b.emit(relax.op.expand_dims(counts, 1))))
    chosen = b.emit(relax.op.reshape(cleared(b, chosen, is_left), (images, classes, kept)))
    found = b.emit(gather_elements(b, scores, chosen, 2))
    flat = (images, classes * kept)
    return chosen, b.emit(relax.op.reshape(found, flat)), b.emit(relax.op.reshape(is_left, flat))


def _flat(b: Builder, data: relax.Expr) -> relax.Expr:
    images, *rest = b.shape_of(data)
    return b.emit(relax.op.reshape(data, (images, math.prod(rest))))
