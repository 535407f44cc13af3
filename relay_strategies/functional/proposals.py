"""Regions that a network proposes to look at (Ren et al., "Faster R-CNN", 2015), as Relay has them.

A box is (left, top, right, bottom) in pixels, of which the last is inside.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from tvm import relax

from relay_strategies.relax.graph import make_constant

from .builder import Builder
from .finding import suppressed
from .indexing import gather_elements, top_k


@dataclass(frozen=True)
class Proposals:
    """What is proposed: ``anchors`` (anchors, 4) at the first pixel, of which others are ``step`` apart; the
    ``most`` that are left of the ``looked_at`` best, all for 0, where two share ``overlap`` of their union.

    A box with a side below ``least_side`` times an image's scale has the score -1. With ``adds`` deltas are
    added to edges.
    """

    anchors: np.ndarray
    step: int
    overlap: float
    looked_at: int
    most: int
    least_side: float
    adds: bool


def anchors_of(scales: Sequence[float], ratios: Sequence[float], side: int) -> np.ndarray:
    """Return the anchors (ratios * scales, 4) around a square of ``side`` pixels, rounded as in the paper's
    code."""
    middle, boxes = (side - 1) / 2, []
    for ratio in ratios:
        across = math.floor(math.sqrt(side * side // ratio) + 0.5)
        down = math.floor(across * ratio + 0.5)
        for scale in scales:
            halves = np.array([across * scale - 1, down * scale - 1]) / 2
            boxes.append([*(middle - halves), *(middle + halves)])
    return np.array(boxes)


def proposals(
    b: Builder, scores: relax.Expr, deltas: relax.Expr, images: relax.Expr, wanted: Proposals
) -> relax.Expr:
    """Return image and box (N * most, 5), float32, again and again from the best on where fewer are left.

    ``scores`` are (N, anchors, H, W), ``deltas`` (N, 4 * anchors, H, W), ``images`` height, width and scale
    (N, 3).
    """
    count, kinds, height, width = b.shape_of(scores)
    total = height * width * kinds
    pixels = np.stack(np.meshgrid(np.arange(width), np.arange(height)), -1)[:, :, None]
    places = np.broadcast_to(pixels, (height, width, kinds, 2)).reshape(1, total, 2)
    anchors = np.tile(places * wanted.step, 2) + np.tile(wanted.anchors, (height * width, 1))
    moves = b.emit(relax.op.reshape(deltas, (count, kinds, 4, height, width)))
    moves = b.emit(relax.op.permute_dims(moves, [0, 3, 4, 1, 2]))
    moves = b.emit(relax.op.reshape(moves, (count, total, 4)))
    found = b.emit(relax.op.reshape(b.emit(relax.op.permute_dims(scores, [0, 2, 3, 1])), (count, total)))
    sides = b.emit(relax.op.strided_slice(images, [1], [0], [2]))
    sides = b.emit(relax.op.expand_dims(b.take(sides, np.array([1, 0]), 1), 1))  # width and height
    last = _less(b, sides, 1)
    low, high = (
        b.emit(relax.op.maximum(b.emit(relax.op.minimum(part, last)), relax.const(0, "float32")))
        for part in _moved(b, anchors.astype(np.float32), moves, wanted.adds)
    )
    cells = b.emit(relax.op.trunc(b.emit(relax.op.divide(sides, relax.const(wanted.step, "float32")))))
    is_outside = b.emit(relax.op.greater_equal(make_constant(places.astype(np.float32)), cells))
    scale = b.emit(relax.op.expand_dims(b.emit(relax.op.strided_slice(images, [1], [2], [3])), 1))
    least = b.emit(relax.op.multiply(scale, relax.const(wanted.least_side, "float32")))
    is_small = b.emit(relax.op.less(_less(b, b.emit(relax.op.subtract(high, low)), -1), least))
    refused = b.emit(relax.op.concat([is_outside, is_small], 2))
    found = b.emit(relax.op.where(_any(b, refused), relax.const(-1, "float32"), found))
    grown = b.emit(relax.op.multiply(least, relax.const(0.5, "float32")))
    small = b.cast(b.emit(relax.op.expand_dims(_any(b, is_small), 2)), "float32")
    grown = b.emit(relax.op.multiply(small, grown))
    boxes = [b.emit(relax.op.subtract(low, grown)), b.emit(relax.op.add(high, grown))]
    return _filled(b, found, b.emit(relax.op.concat(boxes, 2)), wanted)


def _less(b: Builder, data: relax.Expr, number: float) -> relax.Expr:
    return b.emit(relax.op.subtract(data, relax.const(number, "float32")))


def _any(b: Builder, truths: relax.Expr) -> relax.Expr:
    """Whether any along the last axis is true."""
    highest = b.emit(relax.op.max(b.cast(truths, "int32"), [-1]))
    return b.emit(relax.op.greater(highest, relax.const(0, "int32")))


def _moved(b: Builder, anchors: np.ndarray, moves: relax.Expr, adds: bool) -> list[relax.Expr]:
    """Return the first and last corners (N, boxes, 2) of anchors that are moved by shares of their sides and
    stretched, or whose corners are moved."""
    first, second = (b.emit(relax.op.strided_slice(moves, [2], [at], [at + 2])) for at in (0, 2))
    low, high = (np.ascontiguousarray(anchors[:, :, at : at + 2]) for at in (0, 2))
    if adds:
        return [
            b.emit(relax.op.add(make_constant(low), first)),
            b.emit(relax.op.add(make_constant(high), second)),
        ]
    sides = high - low + 1
    middle = b.emit(relax.op.multiply(first, make_constant(sides)))
    middle = b.emit(relax.op.add(middle, make_constant(low + (sides - 1) / 2)))
    stretched = b.emit(relax.op.multiply(b.emit(relax.op.exp(second)), make_constant(sides)))
    half = b.emit(relax.op.multiply(_less(b, stretched, 1), relax.const(0.5, "float32")))
    return [b.emit(relax.op.subtract(middle, half)), b.emit(relax.op.add(middle, half))]


def _filled(b: Builder, scores: relax.Expr, boxes: relax.Expr, wanted: Proposals) -> relax.Expr:
    """Return image and box (N * most, 5) of the best boxes that are left, which repeat where they are few."""
    count, total = b.shape_of(scores)
    looked_at = min(wanted.looked_at, total) if wanted.looked_at > 0 else total
    best, order = (b.emit(part) for part in top_k(b, scores, looked_at, 1, largest=True))
    boxes = _rows(b, boxes, order)
    # The last pixel is inside.
    whole = b.emit(relax.op.add(boxes, make_constant(np.array([0, 0, 1, 1], np.float32))))
    one_class = b.emit(relax.op.expand_dims(best, 1))
    chosen, counts = suppressed(b, whole, one_class, wanted.most, wanted.overlap, None)
    places = make_constant(np.tile(np.arange(wanted.most), (count, 1)))
    around = b.emit(relax.op.floor_mod(places, b.emit(relax.op.expand_dims(counts, 1))))
    numbers = b.emit(gather_elements(b, chosen, around, 1))
    kept = b.emit(relax.op.reshape(_rows(b, boxes, numbers), (count * wanted.most, 4)))
    image = np.repeat(np.arange(count, dtype=np.float32), wanted.most).reshape(-1, 1)
    return b.emit(relax.op.concat([make_constant(image), kept], 1))


def _rows(b: Builder, boxes: relax.Expr, numbers: relax.Expr) -> relax.Expr:
    """Return the boxes (N, count, 4) of these numbers (N, count)."""
    wide = b.emit(relax.op.expand_dims(numbers, 2))
    wide = b.emit(relax.op.broadcast_to(wide, (*b.shape_of(numbers), 4)))
    return b.emit(gather_elements(b, boxes, wide, 1))
