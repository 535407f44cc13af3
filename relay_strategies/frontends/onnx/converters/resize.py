"""Resize and Upsample: where ONNX has the positions of a result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

import numpy as np
from tvm import relax

from relay_strategies.functional.coordinates import (
    COORDINATES,
    CROPPED,
    POLICIES,
    Axis,
    Extent,
    resulting_sizes,
    scaled_size,
)
from relay_strategies.functional.resizing import ROUNDINGS, resize, resize_open
from relay_strategies.relax.graph import ints
from tvm_directconv.problem.extents import is_open, typical
from tvm_directconv.problem.open_sizes import active_sizes

from .node import Converter, Node

MOST_PARTS = 64
"""Scales of open sizes are ratios of numbers, of which the second one is at most this."""
MOST_SCALED = 1 << 16
"""Open sizes by scales that make no whole numbers are below this."""


def _resize(node: Node) -> relax.Expr:
    """Resize of opsets from 11 on."""
    coordinates = node.text("coordinate_transformation_mode", "half_pixel")
    if coordinates not in COORDINATES:
        raise node.error(f"coordinate_transformation_mode '{coordinates}' is none of ONNX's")
    nearest = node.text("nearest_mode", "round_prefer_floor")
    if nearest not in ROUNDINGS:
        raise node.error(f"nearest_mode '{nearest}' is none of ONNX's")
    opened = _open_results(node, coordinates)
    if opened is not None:
        return resize_open(
            node,
            node.data(),
            opened[0],
            node.text("mode", "nearest"),
            coordinates,
            scales=opened[1],
            rounding=nearest,
            sharpness=node.number("cubic_coeff_a", -0.75),
            exclude_outside=bool(node.integer("exclude_outside", 0)),
        )
    outside = node.number("extrapolation_value", 0.0) if coordinates == CROPPED else None
    axes = _placed(node, _axes_of_resize(node, coordinates), coordinates)
    return resize(
        node,
        node.data(),
        axes,
        node.text("mode", "nearest"),
        rounding=nearest,
        outside=outside,
        sharpness=node.number("cubic_coeff_a", -0.75),
        antialias=bool(node.integer("antialias", 0)),
        exclude_outside=bool(node.integer("exclude_outside", 0)),
    )


def _upsample(node: Node) -> relax.Expr:
    """Upsample, and Resize of opset 10: positions are multiples of the scale.

    A reduction takes the next position, as ONNX Runtime does; the standard of then does not say.
    """
    scales = node.attributes.get("scales") if len(node.inputs) < 2 else node.array(1)
    shape, mode = node.shape(), node.text("mode", "nearest")
    if scales is None or len(scales) != len(shape):
        raise node.error(f"scales are to be one per axis of {shape}")
    if is_open(shape):
        wanted, inexact = _open_sizes(node, dict(enumerate(scales)))
        if mode == "nearest" and any(scale < 1 for scale in scales):
            raise node.refusal("open sizes are not reduced to the nearest by Upsample")
        linear = "linear" if mode == "bilinear" else mode
        return resize_open(node, node.data(), wanted, linear, "asymmetric", scales=inexact, rounding="floor")
    given = [_scaled(node, axis, shape[axis], scale) for axis, scale in enumerate(scales)]
    axes = _placed(node, given, "asymmetric")
    if mode == "nearest":
        axes = [replace(axis, positions=np.ceil(axis.positions)) if axis.scale < 1 else axis for axis in axes]
    return resize(node, node.data(), axes, "linear" if mode == "bilinear" else mode, rounding="floor")


def _open_results(node: Node, coordinates: str) -> tuple[dict[int, int], dict[int, float]] | None:
    """Return the results of axes by number where open ones change, or are said to, and the scales that are
    not the ratios of the sizes; None for any others."""
    shape, given, scales = node.shape(), node.input(3), node.input(2)
    chosen = [axis % len(shape) for axis in node.ints("axes", range(len(shape)))]
    changes, inexact = is_open([shape[axis] for axis in chosen]), dict[int, float]()
    if isinstance(given, relax.ShapeExpr):
        results = dict(zip(chosen, ints(given.values), strict=True))
    elif given is not None and changes:
        results = dict(zip(chosen, np.ravel(np.asarray(node.array(3))).tolist(), strict=True))
    elif given is None and scales is not None and changes:
        by = dict(zip(chosen, np.ravel(np.asarray(node.array(2))).tolist(), strict=True))
        if all(by[axis] == 1 for axis in chosen if is_open([shape[axis]])):
            return None
        results, inexact = _open_sizes(node, by)
    else:
        return None
    reduces = node.integer("antialias", 0) and any(size < shape[axis] for axis, size in results.items())
    if coordinates == CROPPED or node.text("keep_aspect_ratio_policy", "stretch") != "stretch" or reduces:
        raise node.refusal("open sizes are neither cropped, nor kept in proportion, nor reduced by antialias")
    return results, inexact


def _open_sizes(node: Node, scales: Mapping[int, float]) -> tuple[dict[int, int], dict[int, float]]:
    """Return the new sizes of axes by their scales, and the scales that are not the ratios of the sizes.

    A scale is a ratio of small numbers. Open sizes are multiples of the denominator if the typical one is;
    else results are rounded down, up to the first size of which float32 rounds the product up.
    """
    shape, sizes = node.shape(), active_sizes()
    results, inexact = dict[int, int](), dict[int, float]()
    for axis, scale in scales.items():
        size, ratio = shape[axis], Fraction(scale).limit_denominator(MOST_PARTS)
        results[axis] = size * ratio.numerator // ratio.denominator
        if not is_open([size]):
            results[axis] = scaled_size(size, scale)
        elif ratio <= 0 or np.float32(float(ratio)) != np.float32(scale):
            raise node.refusal(f"open sizes by a scale of {scale} are not supported")
        elif sizes is not None and typical(size) % ratio.denominator == 0:
            sizes.demand([(size, size // ratio.denominator * ratio.denominator)])
        else:
            whole = np.arange(MOST_SCALED)
            rounded = whole * ratio.numerator // ratio.denominator
            other = np.flatnonzero((np.float32(whole) * np.float32(scale)).astype(np.int64) != rounded)
            if size > int(other[0] if other.size else MOST_SCALED) - 1:
                raise node.refusal(f"a size of {size} by a scale of {scale} is not supported")
        if results[axis] * ratio.denominator != size * ratio.numerator:
            inexact[axis] = scale
    return results, inexact


def _axes_of_resize(node: Node, coordinates: str) -> list[Extent]:
    shape = node.shape()
    chosen = node.ints("axes", range(len(shape)))
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
    return [Extent(axis, shape[axis], *rest) for axis, *rest in of_sizes]


def _scaled(node: Node, axis: int, size: int, scale: float, start: float = 0.0, end: float = 1.0) -> Extent:
    result = size if scale == 1 else scaled_size(size, scale)
    if not 0 < scale < np.inf or result < 1:
        raise node.error(f"scale {scale} leaves nothing of axis {axis} of {size}")
    return Extent(axis, size, result, *np.array([scale, start, end], np.float32))


def _placed(node: Node, given: list[Extent], coordinates: str) -> list[Axis]:
    """The axes with their positions.

    Data that keeps all its sizes is copied whatever the scales, and so is an antialiased axis that keeps its
    size: ONNX Runtime, OpenVINO and PyTorch agree on that. Regions are cropped nonetheless.
    """
    kept = [axis.result == axis.size for axis in given]
    antialias = bool(node.integer("antialias", 0))
    axes = []
    for axis, keeps_size in zip(given, kept, strict=True):
        if is_open([axis.size]) and keeps_size and axis.scale == 1 and (axis.start, axis.end) == (0, 1):
            continue
        copied = axis.scale == 1 or all(kept) or (antialias and keeps_size)
        copied = copied and (coordinates != CROPPED or (axis.start, axis.end) == (0, 1))
        positions = axis.places if copied else COORDINATES[coordinates](axis)
        axes.append(Axis(axis.axis, axis.size, float(axis.scale), positions.astype(np.float64)))
    return axes


CONVERTERS: dict[str, Converter] = {
    "Resize": lambda node: _resize(node) if node.opset >= 11 else _upsample(node),
    "Upsample": _upsample,
}
