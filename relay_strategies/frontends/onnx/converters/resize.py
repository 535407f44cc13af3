"""Resize and Upsample, axis by axis, from constant tables of positions and weights.

Scales, sizes and regions are constants, so what each position of a result is made of is one as well: a
position of the data (nearest), or the weighted sum of a few (linear, cubic). Sizes and positions are computed
in float32, operation by operation as ONNX Runtime does: 10 times the float32 next to 1.3 is 13 in float32 and
less in float64 (docs/numerics.md). An axis is resized by as many gathers as there are weights; an axis of
many weights, of an antialiased reduction, is a product with their matrix. Relax's own resize2d, one kernel
for both axes of a map, is taken where it means the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from tvm import relax

from relay_strategies.relax.graph import dtype_of, make_constant

from .node import Converter, Node

MOST_TAPS = 4
"""An axis of more weights per position, after those of zero are dropped, becomes a matrix product."""
TIE = 1e-6
"""A position so close to the middle between two places counts as the middle, as in ONNX Runtime."""
ROUNDINGS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "round_prefer_floor": lambda x: np.ceil(x - 0.5 - TIE),
    "round_prefer_ceil": lambda x: np.floor(x + 0.5 + TIE),
    "floor": np.floor,
    "ceil": np.ceil,
}


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


def _resize(node: Node) -> relax.Expr:
    """Resize of opsets from 11 on."""
    coordinates = node.text("coordinate_transformation_mode", "half_pixel")
    if coordinates not in COORDINATES:
        raise node.error(f"coordinate_transformation_mode '{coordinates}' is none of ONNX's")
    outside = float(node.attributes.get("extrapolation_value", 0.0)) if coordinates == CROPPED else None
    axes = _placed(node, _axes_of_resize(node, coordinates), coordinates)
    rounding = node.text("nearest_mode", "round_prefer_floor")
    return resized(node, axes, node.text("mode", "nearest"), rounding, outside)


def _upsample(node: Node) -> relax.Expr:
    """Upsample, and Resize of opset 10: positions are multiples of the scale.

    A reduction takes the next position, as ONNX Runtime does; the standard of then does not say.
    """
    scales = node.attributes.get("scales") if len(node.inputs) < 2 else node.array(1)
    shape, mode = node.shape(), node.text("mode", "nearest")
    if scales is None or len(scales) != len(shape):
        raise node.error(f"scales are to be one per axis of {shape}")
    given = [_scaled(node, axis, shape[axis], scale) for axis, scale in enumerate(scales)]
    axes = _placed(node, given, "asymmetric")
    if mode == "nearest":
        axes = [replace(axis, positions=np.ceil(axis.positions)) if axis.scale < 1 else axis for axis in axes]
    return resized(node, axes, "linear" if mode == "bilinear" else mode, "floor")


@dataclass(frozen=True)
class _Given:
    """What a node says of one axis; ``start`` and ``end`` are the part of the data that is resized.

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


def _axes_of_resize(node: Node, coordinates: str) -> list[_Given]:
    shape = node.shape()
    chosen = [int(axis) for axis in node.attributes.get("axes", range(len(shape)))]
    if any(not -len(shape) <= axis < len(shape) for axis in chosen):
        raise node.error(f"axes {chosen} are none of {len(shape)} axes")
    chosen = [axis % len(shape) for axis in chosen]
    scales, sizes = node.array(2), node.array(3)
    regions = (
        node.array(1) if coordinates == CROPPED else np.repeat(np.array([0, 1], np.float32), len(chosen))
    )
    if regions is None or regions.size != 2 * len(chosen):
        raise node.error(f"roi is to have {2 * len(chosen)} numbers")
    starts, ends = np.split(regions.astype(np.float32), 2)
    if scales is not None and scales.size:
        if scales.size != len(chosen) or (sizes is not None and sizes.size):
            raise node.error(f"scales are to be {len(chosen)} numbers, and stand without sizes")
        given = zip(chosen, scales, starts, ends, strict=True)
        return [_scaled(node, axis, shape[axis], *rest) for axis, *rest in given]
    if sizes is None or sizes.size != len(chosen):
        raise node.error(f"sizes are to be {len(chosen)} numbers")
    policy = node.text("keep_aspect_ratio_policy", "stretch")
    if policy not in POLICIES:
        raise node.error(f"keep_aspect_ratio_policy '{policy}' is none of ONNX's")
    wanted, factors = resulting_sizes([shape[axis] for axis in chosen], sizes.tolist(), policy)
    if any(size < 1 for size in wanted):
        raise node.error(f"sizes {wanted} are not all positive")
    of_sizes = zip(chosen, wanted, factors, starts, ends, strict=True)
    return [_Given(axis, shape[axis], *rest) for axis, *rest in of_sizes]


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


def _scaled(node: Node, axis: int, size: int, scale: float, start: float = 0.0, end: float = 1.0) -> _Given:
    if not 0 < scale < np.inf or scaled_size(size, scale) < 1:
        raise node.error(f"scale {scale} leaves nothing of axis {axis} of {size}")
    return _Given(axis, size, scaled_size(size, scale), *np.array([scale, start, end], np.float32))


def _placed(node: Node, given: list[_Given], coordinates: str) -> list[Axis]:
    """The axes with their positions.

    Data that keeps all its sizes is copied whatever the scales, and so is an antialiased axis that keeps its
    size: ONNX Runtime, OpenVINO and PyTorch agree on that. Regions are cropped nonetheless.
    """
    kept = [axis.result == axis.size for axis in given]
    antialias = bool(node.attributes.get("antialias", 0))
    axes = []
    for axis, keeps_size in zip(given, kept, strict=True):
        copied = axis.scale == 1 or all(kept) or (antialias and keeps_size)
        copied = copied and (coordinates != CROPPED or (axis.start, axis.end) == (0, 1))
        positions = axis.places if copied else COORDINATES[coordinates](axis)
        axes.append(Axis(axis.axis, axis.size, float(axis.scale), positions.astype(np.float64)))
    return axes


def resized(
    node: Node, axes: list[Axis], mode: str, rounding: str, outside: float | None = None
) -> relax.Expr:
    """The node's data with ``axes`` resized; positions beyond the data have the value ``outside``, if any."""
    if mode not in ("nearest", "linear", "cubic"):
        raise node.error(f"mode '{mode}' is none of ONNX's")
    if rounding not in ROUNDINGS:
        raise node.error(f"nearest_mode '{rounding}' is none of ONNX's")
    if mode == "nearest" and outside is None:
        axes = [replace(axis, positions=_nearest(axis, rounding)) for axis in axes]
    axes = [axis for axis in axes if not np.array_equal(axis.positions, np.arange(axis.size))]
    data, dtype = node.data(), dtype_of(node.data())
    if not axes:
        return data
    whole = _by_resize2d(node, axes, mode) if outside is None else None
    if whole is not None:
        return whole
    # A product or a sum needs floats, and numbers between integers are rounded in the end.
    computed = dtype if dtype in ("float32", "float64") or mode == "nearest" else "float32"
    result = data if computed == dtype else node.emit(relax.op.astype(data, computed))
    for axis in axes:
        if mode == "nearest":
            result = node.emit(taken(result, _nearest(axis, rounding), axis.axis))
        else:
            result = _weighted(node, result, *_weights(node, axis, mode), axis)
        if outside is not None:
            result = _extrapolated(node, result, axis, outside)
    return result if computed == dtype else _as_integers(node, result, dtype)


def _nearest(axis: Axis, rounding: str) -> np.ndarray:
    """The places of the data that are nearest to the positions."""
    return np.clip(ROUNDINGS[rounding](axis.positions), 0, axis.size - 1)


def _by_resize2d(node: Node, axes: list[Axis], mode: str) -> relax.Expr | None:
    """Relax's operator for maps of float32, where one of its coordinates gives the same positions."""
    shape, sizes = node.shape(), {axis.axis: axis.result for axis in axes}
    if len(shape) != 4 or dtype_of(node.data()) != "float32" or node.attributes.get("antialias", 0):
        return None
    if not sizes or not sizes.keys() <= {2, 3} or min(sizes.values()) == 1:
        return None
    if mode == "nearest":
        chosen = "asymmetric" if all(map(is_repeated, axes)) else None
    else:
        chosen = next((name for name in CONTINUOUS if all(_is_placed(axis, name) for axis in axes)), None)
    if chosen is None:
        return None
    return relax.op.image.resize2d(
        node.data(),
        relax.ShapeExpr([sizes.get(axis, shape[axis]) for axis in (2, 3)]),
        layout="NCHW",
        method="nearest_neighbor" if mode == "nearest" else mode,
        coordinate_transformation_mode=chosen,
        rounding_method="floor" if mode == "nearest" else "",
        cubic_alpha=float(node.attributes.get("cubic_coeff_a", -0.75)),
        cubic_exclude=int(node.attributes.get("exclude_outside", 0)),
    )


CONTINUOUS = ("half_pixel", "asymmetric", "align_corners")
"""Coordinates of Relax's operator, which computes them from the sizes."""


def _is_placed(axis: Axis, coordinates: str) -> bool:
    """Whether the coordinates give the positions but for what float32 rounds."""
    scale = np.float32(axis.result) / np.float32(axis.size)
    given = _Given(axis.axis, axis.size, axis.result, *np.array([scale, 0, 1], np.float32))
    by_size = COORDINATES[coordinates](given)
    return bool(np.abs(by_size - axis.positions).max() <= 2 * np.finfo(np.float32).eps * axis.size)


def is_repeated(axis: Axis) -> bool:
    """Whether every place of the data stands as often as any other, in order."""
    repeated = np.arange(axis.result) * axis.size // axis.result
    return axis.result % axis.size == 0 and np.array_equal(axis.positions, repeated)


# ---- where a position of the result is in the data


def _half_pixel(axis: _Given) -> np.ndarray:
    return (axis.places + HALF) / axis.scale - HALF


def _half_pixel_symmetric(axis: _Given) -> np.ndarray:
    """The centers of result and data meet, whatever of the result is lost to rounding."""
    size, one = np.float32(axis.size), np.float32(1)
    offset = size / np.float32(2) * (one - np.float32(axis.result) / (axis.scale * size))
    exact = np.float64(offset) + (axis.places.astype(np.float64) + 0.5) / np.float64(axis.scale) - 0.5
    return exact.astype(np.float32)


def _align_corners(axis: _Given) -> np.ndarray:
    return axis.places * axis.last / max(axis.last_place, np.float32(1))


def _tf_crop_and_resize(axis: _Given) -> np.ndarray:
    if axis.result == 1:
        return np.full(1, 0.5 * np.float64(axis.start + axis.end) * np.float64(axis.last), np.float32)
    return axis.start * axis.last + axis.places * (axis.end - axis.start) * axis.last / axis.last_place


HALF = np.float32(0.5)
CROPPED = "tf_crop_and_resize"
COORDINATES: dict[str, Callable[[_Given], np.ndarray]] = {
    "half_pixel": _half_pixel,
    "half_pixel_symmetric": _half_pixel_symmetric,
    "pytorch_half_pixel": lambda axis: _half_pixel(axis) if axis.result > 1 else np.zeros(1, np.float32),
    "asymmetric": lambda axis: axis.places / axis.scale,
    "tf_half_pixel_for_nn": lambda axis: (axis.places + HALF) / axis.scale,
    "align_corners": _align_corners,
    CROPPED: _tf_crop_and_resize,
}
"""By ONNX's name, the positions of an axis in float32, each operation and their order as in ONNX Runtime."""


# ---- what a position of the result is made of


def _weights(node: Node, axis: Axis, mode: str) -> tuple[np.ndarray, np.ndarray]:
    """Per position of the result, the positions of the data and their weights, both (result, taps)."""
    positions, sharpness = axis.positions, float(node.attributes.get("cubic_coeff_a", -0.75))

    def kernel(distance: np.ndarray) -> np.ndarray:
        x = np.abs(distance)
        if mode == "linear":
            return np.clip(1 - x, 0, None)
        near = ((sharpness + 2) * x - (sharpness + 3)) * x * x + 1
        far = ((sharpness * x - 5 * sharpness) * x + 8 * sharpness) * x - 4 * sharpness
        return np.where(x <= 1, near, np.where(x < 2, far, 0.0))

    antialias = bool(node.attributes.get("antialias", 0))
    stretch = min(axis.scale, 1.0) if antialias else 1.0
    reach = (1 if mode == "linear" else 2) / stretch
    # Between this many positions before the next lower one, and as many after, lie all weights.
    first = int(np.floor(-reach)) + 1
    base = np.floor(positions)
    base = np.where(base == positions, base - 1, base).astype(np.int64)
    taps = base[:, None] + np.arange(first, 2 - first)
    weights = kernel((taps - positions[:, None]) * stretch)
    if antialias:
        weights /= weights.sum(axis=1, keepdims=True)
    if node.attributes.get("exclude_outside", 0):
        weights = np.where((taps < 0) | (taps >= axis.size), 0.0, weights)
        total = weights.sum(axis=1, keepdims=True)
        weights /= np.where(total == 0, 1.0, total)
    return np.clip(taps, 0, axis.size - 1), weights


def taken(data: relax.Expr, positions: np.ndarray, axis: int) -> relax.Expr:
    """The places of ``data`` at whole ``positions`` of an axis; those beyond its ends are at its ends."""
    last = int(data.ty.shape[axis]) - 1
    return relax.op.take(data, make_constant(np.clip(positions, 0, last).astype(np.int32)), axis, mode="clip")


def _weighted(node: Node, data: relax.Expr, taps: np.ndarray, weights: np.ndarray, axis: Axis) -> relax.Expr:
    used = np.flatnonzero(np.any(weights != 0, axis=0))
    if len(used) > MOST_TAPS:
        return _by_matrix(node, data, taps, weights, axis)
    rank, dtype = len(data.ty.shape), dtype_of(data)
    total: relax.Expr | None = None
    for tap in used:
        part = node.emit(taken(data, taps[:, tap], axis.axis))
        column = weights[:, tap].astype(dtype).reshape(-1, *[1] * (rank - axis.axis - 1))
        part = node.emit(relax.op.multiply(part, make_constant(column)))
        total = part if total is None else node.emit(relax.op.add(total, part))
    if total is None:  # weights that sum up to nothing
        total = node.emit(relax.op.multiply(taken(data, taps[:, 0], axis.axis), relax.const(0, dtype)))
    return total


def _by_matrix(node: Node, data: relax.Expr, taps: np.ndarray, weights: np.ndarray, axis: Axis) -> relax.Expr:
    matrix = np.zeros((axis.size, axis.result))
    np.add.at(matrix, (taps, np.arange(axis.result)[:, None]), weights)
    order = list(range(len(data.ty.shape)))
    order[axis.axis], order[-1] = order[-1], order[axis.axis]
    swapped = node.emit(relax.op.permute_dims(data, order))
    product = node.emit(relax.op.matmul(swapped, make_constant(matrix.astype(dtype_of(data)))))
    return node.emit(relax.op.permute_dims(product, order))


def _extrapolated(node: Node, data: relax.Expr, axis: Axis, value: float) -> relax.Expr:
    """``data`` with ``value`` at positions that are outside."""
    outside = (axis.positions < 0) | (axis.positions > axis.size - 1)
    if not outside.any():
        return data
    mask = outside.reshape(-1, *[1] * (len(data.ty.shape) - axis.axis - 1))
    return node.emit(relax.op.where(make_constant(mask), relax.const(value, dtype_of(data)), data))


def _as_integers(node: Node, data: relax.Expr, dtype: str) -> relax.Expr:
    """``data`` in the type that it had; integers are rounded to the nearest that the type has."""
    if np.issubdtype(np.dtype(dtype), np.integer):
        limits = np.iinfo(dtype)
        data = node.emit(relax.op.round(data))
        data = node.emit(relax.op.clip(data, float(limits.min), float(limits.max)))
    return relax.op.astype(data, dtype)


def _resize_of_any_opset(node: Node) -> relax.Expr:
    return _resize(node) if node.opset >= 11 else _upsample(node)


CONVERTERS: dict[str, Converter] = {"Resize": _resize_of_any_opset, "Upsample": _upsample}
