"""Resize and Upsample, axis by axis, from constant tables of positions and weights.

Scales, sizes and regions are constants, so what each position of a result is made of is one as well: a
position of the data (nearest), or the weighted sum of a few (linear, cubic). The tables are ONNX's definition
in float64, as its reference implementation computes it. An axis is resized by as many gathers as there are
weights; an axis of many weights, of an antialiased reduction, is a product with their matrix. Relax's own
resize2d, one kernel for both axes of a map, is taken where it means the same: it knows sizes and no scales.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from tvm import relax

from relay_strategies.relax.graph import dtype_of, make_constant

from .node import Converter, Node

MOST_TAPS = 4
"""An axis of more weights per position, after those of zero are dropped, becomes a matrix product."""
NEAREST: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "round_prefer_floor": lambda x: np.ceil(x - 0.5),
    "round_prefer_ceil": lambda x: np.floor(x + 0.5),
    "floor": np.floor,
    "ceil": np.ceil,
}


@dataclass(frozen=True)
class Axis:
    """One axis that changes: ``scale`` as given, and the part of the data that ``start`` and ``end`` name."""

    axis: int
    size: int
    result: int
    scale: float
    start: float = 0.0
    end: float = 1.0

    @property
    def width(self) -> float:
        """The new size before it was rounded down, which coordinates are computed from."""
        return self.scale * self.size

    @property
    def is_same(self) -> bool:
        whole = self.result == self.size and np.isclose(self.scale, 1.0)
        return bool(whole and (self.start, self.end) == (0.0, 1.0))


def _resize(node: Node) -> relax.Expr:
    """Resize of opsets from 11 on."""
    mode, coordinates = (
        node.text("mode", "nearest"),
        node.text("coordinate_transformation_mode", "half_pixel"),
    )
    axes = _axes_of_resize(node, coordinates)
    return resized(node, axes, mode, coordinates, node.text("nearest_mode", "round_prefer_floor"))


def _upsample(node: Node) -> relax.Expr:
    """Upsample, and Resize of opset 10: positions are multiples of the scale.

    A reduction takes the next position, as ONNX Runtime does; the standard of then does not say.
    """
    scales = node.attributes.get("scales") if len(node.inputs) < 2 else node.array(1)
    shape = node.shape()
    if scales is None or len(scales) != len(shape):
        raise node.error(f"scales are to be one per axis of {shape}")
    axes = [_axis(node, axis, shape[axis], float(scale)) for axis, scale in enumerate(scales)]
    rounding = "floor" if all(axis.scale >= 1 for axis in axes) else "ceil"
    mode = node.text("mode", "nearest")
    return resized(node, axes, "linear" if mode == "bilinear" else mode, "asymmetric", rounding)


def _axes_of_resize(node: Node, coordinates: str) -> list[Axis]:
    shape = node.shape()
    chosen = [int(axis) for axis in node.attributes.get("axes", range(len(shape)))]
    if any(not -len(shape) <= axis < len(shape) for axis in chosen):
        raise node.error(f"axes {chosen} are none of {len(shape)} axes")
    chosen = [axis % len(shape) for axis in chosen]
    scales, sizes = node.array(2), node.array(3)
    regions = node.array(1) if coordinates == "tf_crop_and_resize" else None
    starts, ends = [0.0] * len(chosen), [1.0] * len(chosen)
    if coordinates == "tf_crop_and_resize":
        if regions is None or regions.size != 2 * len(chosen):
            raise node.error(f"roi is to have {2 * len(chosen)} numbers")
        starts, ends = regions[: len(chosen)].tolist(), regions[len(chosen) :].tolist()
    if scales is not None and scales.size:
        if scales.size != len(chosen) or (sizes is not None and sizes.size):
            raise node.error(f"scales are to be {len(chosen)} numbers, and stand without sizes")
        given = zip(chosen, scales.tolist(), starts, ends, strict=True)
        return [_axis(node, axis, shape[axis], *rest) for axis, *rest in given]
    if sizes is None or sizes.size != len(chosen):
        raise node.error(f"sizes are to be {len(chosen)} numbers")
    wanted = [int(size) for size in sizes]
    factors = [size / shape[axis] for size, axis in zip(wanted, chosen, strict=True)]
    policy = node.text("keep_aspect_ratio_policy", "stretch")
    if policy != "stretch":
        if policy not in ("not_larger", "not_smaller"):
            raise node.error(f"keep_aspect_ratio_policy '{policy}' is none of ONNX's")
        factor = min(factors) if policy == "not_larger" else max(factors)
        factors = [factor] * len(chosen)
        wanted = [int(factor * shape[axis] + 0.5) for axis in chosen]
    if any(size < 1 for size in wanted):
        raise node.error(f"sizes {wanted} are not all positive")
    given_sizes = zip(chosen, wanted, factors, starts, ends, strict=True)
    return [Axis(axis, shape[axis], *rest) for axis, *rest in given_sizes]  # type: ignore[arg-type]


def _axis(node: Node, axis: int, size: int, scale: float, start: float = 0.0, end: float = 1.0) -> Axis:
    """An axis of a given scale; its new size is rounded down."""
    if not 0 < scale < np.inf or int(size * scale) < 1:
        raise node.error(f"scale {scale} leaves nothing of axis {axis} of {size}")
    return Axis(axis, size, int(size * scale), scale, start, end)


def resized(node: Node, axes: list[Axis], mode: str, coordinates: str, rounding: str) -> relax.Expr:
    if coordinates not in COORDINATES:
        raise node.error(f"coordinate_transformation_mode '{coordinates}' is none of ONNX's")
    if mode not in ("nearest", "linear", "cubic"):
        raise node.error(f"mode '{mode}' is none of ONNX's")
    if rounding not in NEAREST:
        raise node.error(f"nearest_mode '{rounding}' is none of ONNX's")
    whole = _by_resize2d(node, axes, mode, coordinates, rounding)
    if whole is not None:
        return whole
    data, dtype = node.data(), dtype_of(node.data())
    # A product or a sum needs floats, and numbers between integers are rounded in the end.
    computed = dtype if dtype in ("float32", "float64") or mode == "nearest" else "float32"
    result = data if computed == dtype else node.emit(relax.op.astype(data, computed))
    for axis in axes:
        if axis.is_same:
            continue
        positions = COORDINATES[coordinates](axis)
        if mode == "nearest":
            result = node.emit(_taken(result, NEAREST[rounding](positions), axis))
        else:
            result = _weighted(node, result, *_weights(node, positions, axis, mode), axis)
        if coordinates == "tf_crop_and_resize":
            result = _extrapolated(node, result, positions, axis)
    return result if computed == dtype else _as_integers(node, result, dtype)


def _by_resize2d(
    node: Node, axes: list[Axis], mode: str, coordinates: str, rounding: str
) -> relax.Expr | None:
    """Relax's operator for maps of float32 whose new size is the scale's, not rounded."""
    shape, changed = node.shape(), [axis for axis in axes if not axis.is_same]
    if len(shape) != 4 or dtype_of(node.data()) != "float32" or node.attributes.get("antialias", 0):
        return None
    sizes = {axis.axis: axis for axis in changed}
    if not sizes or not sizes.keys() <= {2, 3} or coordinates == "tf_crop_and_resize":
        return None
    if any(axis.result == 1 or not np.isclose(axis.width, axis.result, 1e-6) for axis in changed):
        return None
    if mode == "nearest":
        for axis in changed:
            positions = NEAREST[rounding](COORDINATES[coordinates](axis))
            repeated = np.arange(axis.result) * axis.size // axis.result
            if axis.result % axis.size or not np.array_equal(np.clip(positions, 0, axis.size - 1), repeated):
                return None
        coordinates = "asymmetric"
    return relax.op.image.resize2d(
        node.data(),
        relax.ShapeExpr([sizes[a].result if a in sizes else shape[a] for a in (2, 3)]),
        layout="NCHW",
        method="nearest_neighbor" if mode == "nearest" else mode,
        coordinate_transformation_mode=coordinates.removesuffix("_symmetric"),
        rounding_method="floor" if mode == "nearest" else "",
        cubic_alpha=float(node.attributes.get("cubic_coeff_a", -0.75)),
        cubic_exclude=int(node.attributes.get("exclude_outside", 0)),
    )


# ---- where a position of the result is in the data


def _half_pixel(axis: Axis) -> np.ndarray:
    return (np.arange(axis.result) + 0.5) / axis.scale - 0.5


def _half_pixel_symmetric(axis: Axis) -> np.ndarray:
    """The centers of result and data meet, whatever of the result is lost to rounding."""
    return axis.size / 2 * (1 - axis.result / axis.width) + _half_pixel(axis)


def _pytorch_half_pixel(axis: Axis) -> np.ndarray:
    return np.zeros(axis.result) if np.isclose(axis.width, 1) else _half_pixel(axis)


def _asymmetric(axis: Axis) -> np.ndarray:
    return np.arange(axis.result) / axis.scale


def _align_corners(axis: Axis) -> np.ndarray:
    if np.isclose(axis.width, 1):
        return np.zeros(axis.result)
    return np.arange(axis.result) * (axis.size - 1) / (axis.width - 1)


def _tf_crop_and_resize(axis: Axis) -> np.ndarray:
    last = axis.size - 1
    if np.isclose(axis.width, 1):
        return np.full(axis.result, 0.5 * (axis.start + axis.end) * last)
    step = (axis.end - axis.start) * last / (axis.width - 1)
    return axis.start * last + np.arange(axis.result) * step


COORDINATES: dict[str, Callable[[Axis], np.ndarray]] = {
    "half_pixel": _half_pixel,
    "half_pixel_symmetric": _half_pixel_symmetric,
    "pytorch_half_pixel": _pytorch_half_pixel,
    "asymmetric": _asymmetric,
    "align_corners": _align_corners,
    "tf_crop_and_resize": _tf_crop_and_resize,
}


# ---- what a position of the result is made of


def _weights(node: Node, positions: np.ndarray, axis: Axis, mode: str) -> tuple[np.ndarray, np.ndarray]:
    """Per position of the result, the positions of the data and their weights, both (result, taps)."""
    sharpness = float(node.attributes.get("cubic_coeff_a", -0.75))

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


def _taken(data: relax.Expr, positions: np.ndarray, axis: Axis) -> relax.Expr:
    table = np.clip(positions, 0, axis.size - 1).astype(np.int32)
    return relax.op.take(data, make_constant(table), axis.axis, mode="clip")


def _weighted(node: Node, data: relax.Expr, taps: np.ndarray, weights: np.ndarray, axis: Axis) -> relax.Expr:
    used = np.flatnonzero(np.any(weights != 0, axis=0))
    if len(used) > MOST_TAPS:
        return _by_matrix(node, data, taps, weights, axis)
    rank, dtype = len(data.ty.shape), dtype_of(data)
    total: relax.Expr | None = None
    for tap in used:
        part = node.emit(_taken(data, taps[:, tap], axis))
        column = weights[:, tap].astype(dtype).reshape(-1, *[1] * (rank - axis.axis - 1))
        part = node.emit(relax.op.multiply(part, make_constant(column)))
        total = part if total is None else node.emit(relax.op.add(total, part))
    if total is None:  # weights that sum up to nothing
        total = node.emit(relax.op.multiply(_taken(data, taps[:, 0], axis), relax.const(0, dtype)))
    return total


def _by_matrix(node: Node, data: relax.Expr, taps: np.ndarray, weights: np.ndarray, axis: Axis) -> relax.Expr:
    matrix = np.zeros((axis.size, axis.result))
    np.add.at(matrix, (taps, np.arange(axis.result)[:, None]), weights)
    order = list(range(len(data.ty.shape)))
    order[axis.axis], order[-1] = order[-1], order[axis.axis]
    swapped = node.emit(relax.op.permute_dims(data, order))
    product = node.emit(relax.op.matmul(swapped, make_constant(matrix.astype(dtype_of(data)))))
    return node.emit(relax.op.permute_dims(product, order))


def _extrapolated(node: Node, data: relax.Expr, positions: np.ndarray, axis: Axis) -> relax.Expr:
    """``data`` with the attribute's value where positions are outside."""
    outside = (positions < 0) | (positions > axis.size - 1)
    if not outside.any():
        return data
    mask = outside.reshape(-1, *[1] * (len(data.ty.shape) - axis.axis - 1))
    value = relax.const(float(node.attributes.get("extrapolation_value", 0.0)), dtype_of(data))
    return node.emit(relax.op.where(make_constant(mask), value, data))


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
