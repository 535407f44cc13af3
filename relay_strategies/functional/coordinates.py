"""Positions of a resized axis in its data, by ONNX's names for the formulas.

Sizes and positions are computed in float32, operation by operation as ONNX Runtime does: 10 times the float32
next to 1.3 is 13 in float32 and less in float64 (docs/numerics.md).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Axis:
    """One axis that is resized.

    ``positions`` are the places in its ``size`` places of the data, fractions included, that those of the
    result stand at; an antialiased reduction stretches its weights by ``scale``.
    """

    axis: int
    size: int
    scale: float
    positions: np.ndarray

    @property
    def result(self) -> int:
        return len(self.positions)


@dataclass(frozen=True)
class Extent:
    """One axis that is resized by ``scale``; ``start`` and ``end`` are the part of the data that is.

    Its properties are what positions are computed from, all of them float32.
    """

    axis: int
    size: int
    result: int
    scale: np.float32
    start: np.float32
    end: np.float32

    @property
    def places(self) -> np.ndarray:
        return np.arange(self.result).astype(np.float32)

    @property
    def last(self) -> np.float32:
        return np.float32(self.size) - np.float32(1)

    @property
    def last_place(self) -> np.float32:
        return np.float32(self.result) - np.float32(1)


def scaled_size(size: int, scale: float) -> int:
    """The new size of an axis by a scale: the product in float32, rounded down."""
    with np.errstate(over="ignore"):
        return int(min(np.float32(size) * np.float32(scale), LARGEST))


LARGEST = 2.0**62
"""Sizes beyond it, and infinite ones, are this one, which no tensor has."""
POLICIES = ("stretch", "not_larger", "not_smaller")


def resulting_sizes(
    shape: Sequence[int], sizes: Sequence[int], policy: str
) -> tuple[list[int], list[np.float32]]:
    """The new sizes of axes and their scales, by one of ``POLICIES``, ONNX's ``keep_aspect_ratio_policy``."""
    old = np.asarray(shape, np.float32)
    factors = np.asarray(sizes, np.float32) / old
    if policy == "stretch":
        return [int(size) for size in sizes], list(factors)
    factor = factors.min() if policy == "not_larger" else factors.max()
    return [int(size) for size in np.floor((factor * old).astype(np.float64) + 0.5)], [factor] * len(old)


def _half_pixel(axis: Extent) -> np.ndarray:
    return (axis.places + HALF) / axis.scale - HALF


def _half_pixel_symmetric(axis: Extent) -> np.ndarray:
    """The centers of result and data meet, whatever of the result is lost to rounding."""
    size, one = np.float32(axis.size), np.float32(1)
    offset = size / np.float32(2) * (one - np.float32(axis.result) / (axis.scale * size))
    exact = np.float64(offset) + (axis.places.astype(np.float64) + 0.5) / np.float64(axis.scale) - 0.5
    return exact.astype(np.float32)


def _align_corners(axis: Extent) -> np.ndarray:
    return axis.places * axis.last / max(axis.last_place, np.float32(1))


def _tf_crop_and_resize(axis: Extent) -> np.ndarray:
    if axis.result == 1:
        return np.full(1, 0.5 * np.float64(axis.start + axis.end) * np.float64(axis.last), np.float32)
    return axis.start * axis.last + axis.places * (axis.end - axis.start) * axis.last / axis.last_place


HALF = np.float32(0.5)
TIE = 1e-6
"""A position so close to the middle between two places counts as the middle, as in ONNX Runtime."""
CROPPED = "tf_crop_and_resize"
COORDINATES: dict[str, Callable[[Extent], np.ndarray]] = {
    "half_pixel": _half_pixel,
    "half_pixel_symmetric": _half_pixel_symmetric,
    "pytorch_half_pixel": lambda axis: _half_pixel(axis) if axis.result > 1 else np.zeros(1, np.float32),
    "asymmetric": lambda axis: axis.places / axis.scale,
    "tf_half_pixel_for_nn": lambda axis: (axis.places + HALF) / axis.scale,
    "align_corners": _align_corners,
    CROPPED: _tf_crop_and_resize,
}
"""Positions of an axis in float32 by ONNX's name; operations and their order are those of ONNX Runtime."""
