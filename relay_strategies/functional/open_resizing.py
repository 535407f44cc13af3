"""Resize of open sizes, axis by axis: positions and weights are computed when a model runs, by the formulas
of coordinates.py, and elements are gathered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from tvm import relax

from relay_strategies.relax.graph import dtype_of
from tvm_directconv.problem.extents import given_to_tvm

from .builder import Builder
from .coordinates import COORDINATES, TIE, Extent

PLACED = ("half_pixel", "pytorch_half_pixel", "asymmetric")
"""Coordinates whose formulas take positions and the scale alone, and that leave data of the same size as it
is."""


ROUNDED: dict[str, Callable[[Any], Any]] = {
    "round_prefer_floor": lambda beyond: beyond > np.float32(0.5 + TIE),
    "round_prefer_ceil": lambda beyond: beyond >= np.float32(0.5 - TIE),
    "floor": lambda beyond: beyond >= 1,
    "ceil": lambda beyond: beyond > 0,
}
"""Whether the nearest place is the one behind a position, by what the position is beyond the one before it,
which float32 has without rounding."""


class Traced(np.lib.mixins.NDArrayOperatorsMixin):
    """A tensor of float32 that is computed when a model runs; numpy's functions of it emit Relax's operators
    of the same names."""

    def __init__(self, b: Builder, expr: relax.Expr) -> None:
        self.b, self.expr = b, b.cast(expr, "float32")

    def __array_ufunc__(self, function: np.ufunc, method: str, *operands: Any) -> Traced:
        given = [each.expr if isinstance(each, Traced) else self.b.cast(each, "float32") for each in operands]
        return Traced(self.b, getattr(relax.op, function.__name__)(*given))


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
        return Traced(b, relax.op.arange(0, given_to_tvm(self.result), 1, "int64"))


def resized(
    b: Builder, data: relax.Expr, axis: OpenAxis, coordinates: str, rounding: str | None
) -> relax.Expr:
    """Return ``data`` with an axis resized, by ``coordinates`` of ``PLACED``: to the nearest places by a
    ``rounding`` of positions, or for None linearly, of floats."""
    placed = COORDINATES[coordinates](axis)
    positions = placed if isinstance(placed, Traced) else Traced(b, b.cast(placed, "float32"))
    low = np.floor(positions)
    beyond = positions - low

    def taken(places: Traced) -> relax.Expr:
        return b.emit(relax.op.take(data, b.cast(places.expr, "int64"), axis.axis, mode="clip"))

    if rounding is not None:
        return taken(low + ROUNDED[rounding](beyond))
    column = relax.ShapeExpr([given_to_tvm(axis.result), *[1] * (len(b.shape_of(data)) - axis.axis - 1)])
    parts = []
    for places, weight in ((low, 1 - beyond), (low + 1, beyond)):
        factor = b.emit(relax.op.reshape(b.cast(weight.expr, dtype_of(data)), column))
        parts.append(b.emit(relax.op.multiply(taken(places), factor)))
    return b.emit(relax.op.add(*parts))
