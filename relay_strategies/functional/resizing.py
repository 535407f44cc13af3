"""Resize, axis by axis, from constant tables of positions and weights.

What each position of a result is made of is known: a position of the data (nearest), or the weighted sum of
a few (linear, cubic). An axis is resized by as many gathers as there are weights; an axis of many weights, of
an antialiased reduction, is a product with their matrix. Relax's own resize2d, one kernel for both axes of a
map, is taken where it means the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from tvm import relax

from relay_strategies.relax.graph import dtype_of, make_constant
from tvm_directconv.problem.extents import given_to_tvm

from .builder import Builder
from .coordinates import COORDINATES, TIE, Axis, Extent
from .open_resizing import PLACED, OpenAxis, resized

MOST_TAPS = 4
"""An axis of more weights per position, after those of zero are dropped, becomes a matrix product."""
ROUNDINGS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "round_prefer_floor": lambda x: np.ceil(x - 0.5 - TIE),
    "round_prefer_ceil": lambda x: np.floor(x + 0.5 + TIE),
    "floor": np.floor,
    "ceil": np.ceil,
}


@dataclass(frozen=True)
class _Weights:
    """How the weights of linear and cubic resizing follow from distances: see ``resize``."""

    mode: str
    sharpness: float
    antialias: bool
    exclude_outside: bool


def resize(
    b: Builder,
    data: relax.Expr,
    axes: Sequence[Axis],
    mode: str,
    *,
    rounding: str = "round_prefer_floor",
    outside: float | None = None,
    sharpness: float = -0.75,
    antialias: bool = False,
    exclude_outside: bool = False,
) -> relax.Expr:
    """Return ``data`` with ``axes`` resized by ``mode``: nearest, linear or cubic.

    ``rounding`` is that of nearest positions; positions beyond the data have the value ``outside``, if any.
    ``sharpness`` is the coefficient a of cubic weights; ``antialias`` stretches weights by the scale of a
    reduction; ``exclude_outside`` gives no weight to what is outside.
    """
    if mode not in ("nearest", "linear", "cubic"):
        raise b.error(f"mode '{mode}' is none of nearest, linear and cubic")
    if mode == "nearest" and outside is None:
        axes = [replace(axis, positions=_nearest(axis, rounding)) for axis in axes]
    axes = [axis for axis in axes if not np.array_equal(axis.positions, np.arange(axis.size))]
    dtype = dtype_of(data)
    if not axes:
        return data
    weights = _Weights(mode, sharpness, antialias, exclude_outside)
    whole = _by_resize2d(b, data, axes, weights) if outside is None else None
    if whole is not None:
        return whole
    # A product or a sum needs floats, and numbers between integers are rounded in the end.
    computed = dtype if dtype in ("float32", "float64") or mode == "nearest" else "float32"
    result = data if computed == dtype else b.emit(relax.op.astype(data, computed))
    for axis in axes:
        if mode == "nearest":
            result = b.take(result, _nearest(axis, rounding), axis.axis)
        else:
            result = _weighted(b, result, *_weights(weights, axis), axis)
        if outside is not None:
            result = _extrapolated(b, result, axis, outside)
    return result if computed == dtype else _as_integers(b, result, dtype)


def resize_open(
    b: Builder,
    data: relax.Expr,
    results: Mapping[int, int],
    mode: str,
    coordinates: str,
    *,
    scales: Mapping[int, float] | None = None,
    rounding: str = "round_prefer_floor",
    sharpness: float = -0.75,
    exclude_outside: bool = False,
) -> relax.Expr:
    """Return ``data`` with axes resized to ``results``, of which any may be open, and so may sizes.

    Positions are where ``scales`` put them, of other axes the ratio of the sizes. Maps (N, C, H, W) are
    resized by Relax's operator where it has the same positions, others by gathers. Raises
    UnsupportedOperatorError for what neither has.
    """
    shape = b.shape_of(data)
    results = {axis: size for axis, size in results.items() if size != shape[axis]}
    if not results:
        return data
    by_sizes = not scales or results.keys().isdisjoint(scales)
    repeated = by_sizes and all(size % shape[axis] == 0 for axis, size in results.items())
    if mode == "nearest":
        # A multiple of the size repeats what it is made of, by any formula that rounds to the nearest.
        known = repeated and (
            (coordinates, rounding) in (("asymmetric", "floor"), ("tf_half_pixel_for_nn", "floor"))
            or (coordinates == "half_pixel" and rounding.startswith("round"))
        )
    else:
        known = by_sizes and (coordinates in CONTINUOUS or coordinates == "pytorch_half_pixel")
    if known and len(shape) == 4 and dtype_of(data) == "float32" and results.keys() <= {2, 3}:
        placed = {"nearest": "asymmetric"}.get(mode, coordinates.removeprefix("pytorch_"))
        sizes = [results.get(axis, shape[axis]) for axis in (2, 3)]
        return _resize2d(data, sizes, mode, placed, sharpness, exclude_outside)
    computed = mode == "nearest" or (mode == "linear" and dtype_of(data) in ("float32", "float64"))
    if not computed or coordinates not in PLACED:
        raise b.refusal(f"resizing open sizes by '{mode}', '{coordinates}', '{rounding}' is not supported")
    for axis, size in results.items():
        opened = OpenAxis(b, axis, shape[axis], size, (scales or {}).get(axis))
        data = resized(b, data, opened, coordinates, rounding if mode == "nearest" else None)
    return data


def _resize2d(
    data: relax.Expr,
    sizes: Sequence[int],
    mode: str,
    coordinates: str,
    sharpness: float,
    exclude_outside: bool,
) -> relax.Expr:
    return relax.op.image.resize2d(
        data,
        relax.ShapeExpr(list(map(given_to_tvm, sizes))),
        layout="NCHW",
        method="nearest_neighbor" if mode == "nearest" else mode,
        coordinate_transformation_mode=coordinates,
        rounding_method="floor" if mode == "nearest" else "",
        cubic_alpha=sharpness,
        cubic_exclude=int(exclude_outside),
    )


def _nearest(axis: Axis, rounding: str) -> np.ndarray:
    """The places of the data that are nearest to the positions."""
    return np.clip(ROUNDINGS[rounding](axis.positions), 0, axis.size - 1)


def _by_resize2d(b: Builder, data: relax.Expr, axes: Sequence[Axis], weights: _Weights) -> relax.Expr | None:
    """Relax's operator for maps of float32, where one of its coordinates gives the same positions."""
    shape, sizes = b.shape_of(data), {axis.axis: axis.result for axis in axes}
    if len(shape) != 4 or dtype_of(data) != "float32" or weights.antialias:
        return None
    if not sizes or not sizes.keys() <= {2, 3} or min(sizes.values()) == 1:
        return None
    if weights.mode == "nearest":
        chosen = "asymmetric" if all(map(is_repeated, axes)) else None
    else:
        chosen = next((name for name in CONTINUOUS if all(_is_placed(axis, name) for axis in axes)), None)
    if chosen is None:
        return None
    wanted = [sizes.get(axis, shape[axis]) for axis in (2, 3)]
    return _resize2d(data, wanted, weights.mode, chosen, weights.sharpness, weights.exclude_outside)


CONTINUOUS = ("half_pixel", "asymmetric", "align_corners")
"""Coordinates of Relax's operator, which computes them from the sizes."""


def _is_placed(axis: Axis, coordinates: str) -> bool:
    """Whether the coordinates give the positions but for what float32 rounds."""
    scale = np.float32(axis.result) / np.float32(axis.size)
    given = Extent(axis.axis, axis.size, axis.result, *np.array([scale, 0, 1], np.float32))
    by_size = COORDINATES[coordinates](given)
    return bool(np.abs(by_size - axis.positions).max() <= 2 * np.finfo(np.float32).eps * axis.size)


def is_repeated(axis: Axis) -> bool:
    """Whether every place of the data stands as often as any other, in order."""
    repeated = np.arange(axis.result) * axis.size // axis.result
    return axis.result % axis.size == 0 and np.array_equal(axis.positions, repeated)


# ---- what a position of the result is made of


def _weights(by: _Weights, axis: Axis) -> tuple[np.ndarray, np.ndarray]:
    """Per position of the result, the positions of the data and their weights, both (result, taps)."""
    positions, sharpness = axis.positions, by.sharpness

    def kernel(distance: np.ndarray) -> np.ndarray:
        x = np.abs(distance)
        if by.mode == "linear":
            return np.clip(1 - x, 0, None)
        near = ((sharpness + 2) * x - (sharpness + 3)) * x * x + 1
        far = ((sharpness * x - 5 * sharpness) * x + 8 * sharpness) * x - 4 * sharpness
        return np.where(x <= 1, near, np.where(x < 2, far, 0.0))

    stretch = min(axis.scale, 1.0) if by.antialias else 1.0
    reach = (1 if by.mode == "linear" else 2) / stretch
    # Between this many positions before the next lower one, and as many after, lie all weights.
    first = int(np.floor(-reach)) + 1
    base = np.floor(positions)
    base = np.where(base == positions, base - 1, base).astype(np.int64)
    taps = base[:, None] + np.arange(first, 2 - first)
    weights = kernel((taps - positions[:, None]) * stretch)
    if by.antialias:
        weights /= weights.sum(axis=1, keepdims=True)
    if by.exclude_outside:
        weights = np.where((taps < 0) | (taps >= axis.size), 0.0, weights)
        total = weights.sum(axis=1, keepdims=True)
        weights /= np.where(total == 0, 1.0, total)
    return np.clip(taps, 0, axis.size - 1), weights


def _weighted(b: Builder, data: relax.Expr, taps: np.ndarray, weights: np.ndarray, axis: Axis) -> relax.Expr:
    used = np.flatnonzero(np.any(weights != 0, axis=0))
    if len(used) > MOST_TAPS:
        return _by_matrix(b, data, taps, weights, axis)
    rank, dtype = len(data.ty.shape), dtype_of(data)
    total: relax.Expr | None = None
    for tap in used:
        part = b.take(data, taps[:, tap], axis.axis)
        column = weights[:, tap].astype(dtype).reshape(-1, *[1] * (rank - axis.axis - 1))
        part = b.emit(relax.op.multiply(part, make_constant(column)))
        total = part if total is None else b.emit(relax.op.add(total, part))
    if total is None:  # weights that sum up to nothing
        total = b.emit(relax.op.multiply(b.take(data, taps[:, 0], axis.axis), relax.const(0, dtype)))
    return total


def _by_matrix(b: Builder, data: relax.Expr, taps: np.ndarray, weights: np.ndarray, axis: Axis) -> relax.Expr:
    matrix = np.zeros((axis.size, axis.result))
    np.add.at(matrix, (taps, np.arange(axis.result)[:, None]), weights)
    order = list(range(len(data.ty.shape)))
    order[axis.axis], order[-1] = order[-1], order[axis.axis]
    swapped = b.emit(relax.op.permute_dims(data, order))
    product = b.emit(relax.op.matmul(swapped, make_constant(matrix.astype(dtype_of(data)))))
    return b.emit(relax.op.permute_dims(product, order))


def _extrapolated(b: Builder, data: relax.Expr, axis: Axis, value: float) -> relax.Expr:
    """``data`` with ``value`` at positions that are outside."""
    outside = (axis.positions < 0) | (axis.positions > axis.size - 1)
    if not outside.any():
        return data
    mask = outside.reshape(-1, *[1] * (len(data.ty.shape) - axis.axis - 1))
    return b.emit(relax.op.where(make_constant(mask), relax.const(value, dtype_of(data)), data))


def _as_integers(b: Builder, data: relax.Expr, dtype: str) -> relax.Expr:
    """``data`` in the type that it had; integers are rounded to the nearest that the type has."""
    if np.issubdtype(np.dtype(dtype), np.integer):
        limits = np.iinfo(dtype)
        data = b.emit(relax.op.round(data))
        data = b.emit(relax.op.clip(data, float(limits.min), float(limits.max)))
    return relax.op.astype(data, dtype)
