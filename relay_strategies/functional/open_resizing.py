"""Resize of open sizes, axis by axis: positions and weights are computed when a model runs, by the formulas of
coordinates.py, and elements are gathered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from tvm import relax

from relay_strategies.relax.graph import dtype_of
from tvm_directconv.problem.extents import given_to_tvm

from .builder import Builder
from .coordinates import COORDINATES, Extent

PLACED = ("half_pixel", "pytorch_half_pixel", "asymmetric", "tf_half_pixel_for_nn")
"""Coordinates whose formulas take positions and the scale alone."""


class Traced(np.lib.mixins.NDArrayOperatorsMixin):
    """A vector of floats that is computed when a model runs; numpy's functions of it emit Relax's operators of
    the same names."""

    def __init__(self, b: Builder, expr: relax.Expr) -> None:
        self.b, self.expr = b, b.emit(expr)

    def __array_ufunc__(self, function: np.ufunc, method: str, *operands: Any) -> Traced:
        dtype = dtype_of(self.expr)
        given = [each.expr if isinstance(each, Traced) else self.b.cast(each, dtype) for each in operands]
        return Traced(self.b, getattr(relax.op, function.__name__)(*given))

    def cast(self, dtype: str) -> Traced:
        """Return the vector in another type."""
        return Traced(self.b, self.b.cast(self.expr, dtype))


class OpenAxis(Extent):
    """An axis of sizes that may be open, resized by ``scale``."""

    def __init__(self, b: Builder, axis: int, size: int, result: int, scale: float | None) -> None:
        """``scale`` is None for the ratio of the sizes."""
        of_sizes = [Traced(b, b.cast(each, "float32")) for each in (result, size)]
        by: Any = of_sizes[0] / of_sizes[1] if scale is None else np.float32(scale)
        super().__init__(axis, size, result, by, np.float32(0), np.float32(1))
        object.__setattr__(self, "builder", b)

    @property
    def places(self) -> Any:
        b: Builder = self.builder  # type: ignore[attr-defined]
        return Traced(b, b.cast(relax.op.arange(0, given_to_tvm(self.result), 1, "int64"), "float32"))


def resized(
    b: Builder,
    data: relax.Expr,
    axis: OpenAxis,
    coordinates: str,
    rounding: Callable[[Any], Any] | None,
) -> relax.Expr:
    """Return ``data`` with an axis resized, by ``coordinates`` of ``PLACED``: to the nearest places by a
    ``rounding`` of positions, or for None linearly, of floats."""
    exact = COORDINATES[coordinates](axis)
    positions = (exact if isinstance(exact, Traced) else Traced(b, b.cast(exact, "float32"))).cast("float64")

    def taken(places: Traced) -> relax.Expr:
        return b.emit(relax.op.take(data, places.cast("int64").expr, axis.axis, mode="clip"))

    if rounding is not None:
        return taken(rounding(positions))
    low = np.floor(positions)
    column = relax.ShapeExpr([given_to_tvm(axis.result), *[1] * (len(b.shape_of(data)) - axis.axis - 1)])
    weight = Traced(b, relax.op.reshape((positions - low).cast(dtype_of(data)).expr, column))
    first, second = (Traced(b, taken(each)) for each in (low, low + 1))
    return (first * (1 - weight) + second * weight).expr
