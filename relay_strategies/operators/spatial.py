"""Operators on maps of one, two or three dimensions: what each computes, and the same on images."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tvm import relax


class SpatialKind(enum.Enum):
    """How an operator computes a result from the elements that a window sees."""

    CONVOLUTION = enum.auto()
    TRANSPOSED = enum.auto()
    MAXIMUM = enum.auto()
    AVERAGE = enum.auto()
    ADAPTIVE_AVERAGE = enum.auto()


@dataclass(frozen=True)
class Spatial:
    """An operator of that ``kind`` on maps of so many ``dimensions``. Kernels are of two; passes make two of
    others."""

    kind: SpatialKind
    dimensions: int


OF_IMAGES: dict[SpatialKind, Callable[..., Any]] = {
    SpatialKind.CONVOLUTION: relax.op.nn.conv2d,
    SpatialKind.MAXIMUM: relax.op.nn.max_pool2d,
    SpatialKind.AVERAGE: relax.op.nn.avg_pool2d,
    SpatialKind.ADAPTIVE_AVERAGE: relax.op.nn.adaptive_avg_pool2d,
}
"""These make the operators of two dimensions."""
