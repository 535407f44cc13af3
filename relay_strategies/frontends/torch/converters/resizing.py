"""Interpolation of maps, by tables of positions and weights.

PyTorch multiplies by the reciprocal of the scale that a user gives, or else by the ratio of the sizes, in the
type that it computes the data in; with aligned corners by the ratio of the distances between them. With
antialiasing, aligned corners change that factor alone: positions are those of half pixels.
Source: aten/src/ATen/native/UpSample.h and cpu/UpSampleKernel.cpp.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from tvm import relax

from relay_strategies.functional.coordinates import Axis
from relay_strategies.functional.regions import roi_align
from relay_strategies.functional.resizing import resize, resize_open
from relay_strategies.relax.graph import dtype_of
from tvm_directconv.problem.extents import is_open

from .node import Converter, Node

SMALL = 128
"""PyTorch has a kernel of its own for maps of at most so many rows and columns together."""
TWICE = 2
"""The enlargement at which that kernel repeats elements; it copies an axis that keeps its size. Both
ignore the scale."""


def _opened(node: Node, mode: str, coordinates: str, **options: Any) -> relax.Expr | None:
    """Return maps resized where sizes are open; None where they are numbers."""
    sizes, results = node.shape_of_map(), node.result_shape[2:]
    if not is_open([*sizes, *results]):
        return None
    scales = [scale or 0 for scale in _scales(node)]
    for size, result, scale in zip(sizes, results, scales, strict=True):
        # A scale by itself says where results are, but for a whole one, which is the ratio of the sizes.
        if scale and not (float(scale).is_integer() and result == size * int(scale)):
            raise node.refusal(f"open sizes by a scale of {scale} are not supported")
        if mode == "nearest" and result % size != 0:  # float32 decides which place is the nearest
            raise node.refusal("only multiples of open sizes are resized to the nearest")
    return resize_open(node, _data(node), dict(enumerate(results, start=2)), mode, coordinates, **options)


def _nearest(exact: bool) -> Converter:
    def convert(node: Node) -> relax.Expr:
        how = ("half_pixel", "round_prefer_ceil") if exact else ("asymmetric", "floor")
        opened = _opened(node, "nearest", how[0], rounding=how[1])
        if opened is not None:
            return opened
        axes, results = [], node.result_shape[2:]
        is_small = len(results) == 2 and sum(results) <= SMALL
        for axis, size, result, step in _spans(node):
            places = np.arange(result).astype(step.dtype)
            positions = (places + step.dtype.type(0.5)) * step if exact else places * step
            if is_small and not exact and result in (size, TWICE * size):
                positions = places // (result // size)
            axes.append(Axis(axis, size, result / size, positions.astype(np.float32)))
        return resize(node, _data(node), axes, "nearest", rounding="floor")

    return convert


def _interpolation(mode: str, antialias: bool = False) -> Converter:
    def convert(node: Node) -> relax.Expr:
        corners, axes = bool(node.arguments.get("align_corners", False)), []
        if antialias and is_open([*node.shape_of_map(), *node.result_shape]):
            raise node.refusal("open sizes are not reduced by antialias")
        opened = _opened(node, mode, "align_corners" if corners else "half_pixel")
        if opened is not None:
            return opened
        for axis, size, result, step in _spans(node):
            places, half = np.arange(result).astype(step.dtype), step.dtype.type(0.5)
            positions = places * step if corners and not antialias else (places + half) * step - half
            if result == size and (mode == "linear" or antialias):
                positions = places
            axes.append(Axis(axis, size, 1 / float(step) if step else math.inf, positions))
        return resize(
            node,
            _data(node),
            axes,
            mode,
            sharpness=-0.5 if antialias else -0.75,
            antialias=antialias,
            exclude_outside=antialias,
        )

    return convert


def _data(node: Node) -> relax.Expr:
    return node.tensor("self" if "self" in node.arguments else "input")


def _spans(node: Node) -> list[tuple[int, int, int, np.floating]]:
    """Each resized axis, its size, the result's, and how far apart the result's places are in the data."""
    real = np.float64 if dtype_of(_data(node)) == "float64" else np.float32
    sizes, results = node.shape_of_map(), node.result_shape[2:]
    spans = []
    for axis, (size, result, scale) in enumerate(zip(sizes, results, _scales(node), strict=True), start=2):
        step = real(1 / scale) if scale else real(size) / real(result)
        if node.arguments.get("align_corners", False):
            step = real(size - 1) / real(result - 1) if result > 1 else real(0)
        spans.append((axis, size, result, step))
    return spans


def _scales(node: Node) -> list[float | None]:
    """The scale that is given for each axis of maps, if any."""
    rank = len(node.shape_of_map())
    names = ["scales"] if rank == 1 else [f"scales_{letter}" for letter in "dhw"[3 - rank :]]
    return node.arguments.get("scale_factors") or [node.arguments.get(name) for name in names]


def _grid_sample(node: Node) -> relax.Expr:
    """Values at positions that are computed; Relax wants the two coordinates in front of the map."""
    if len(node.shape("input")) != 4:
        raise node.refusal("only maps of rows and columns are sampled")
    # Positions of 16 bits are coarser than elements are apart.
    wide = node.dtype if node.dtype == "float64" else "float32"
    grid = node.emit(relax.op.permute_dims(node.cast(node.tensor("grid"), wide), [0, 3, 1, 2]))
    sampled = relax.op.image.grid_sample(
        node.cast(node.tensor("input"), wide),
        grid,
        method=("bilinear", "nearest", "bicubic")[int(node["interpolation_mode"])],
        layout="NCHW",
        padding_mode=("zeros", "border", "reflection")[int(node["padding_mode"])],
        align_corners=bool(node["align_corners"]),
    )
    return node.cast(sampled, node.dtype)


def _roi_align(node: Node) -> relax.Expr:
    """Means of boxes, each (image, left, top, right, bottom), of which the image is an operand of its own."""
    boxes = node.tensor("rois")
    images, corners = (
        node.emit(relax.op.strided_slice(boxes, [1], [low], [high])) for low, high in ((0, 1), (1, 5))
    )
    images = node.emit(relax.op.reshape(node.cast(images, "int64"), (-1,)))
    return roi_align(
        node,
        node.tensor("input"),
        corners,
        images,
        size=(int(node["pooled_height"]), int(node["pooled_width"])),
        scale=float(node["spatial_scale"]),
        samples=max(0, int(node["sampling_ratio"])),
        half_pixel=bool(node["aligned"]),
    )


CONVERTERS: dict[str, Converter] = {
    f"{name}.{overload}": converter
    for names, converter in (
        (("upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d"), _nearest(exact=False)),
        (
            ("_upsample_nearest_exact1d", "_upsample_nearest_exact2d", "_upsample_nearest_exact3d"),
            _nearest(exact=True),
        ),
        (("upsample_linear1d", "upsample_bilinear2d", "upsample_trilinear3d"), _interpolation("linear")),
        (("upsample_bicubic2d",), _interpolation("cubic")),
        (("_upsample_bilinear2d_aa",), _interpolation("linear", antialias=True)),
        (("_upsample_bicubic2d_aa",), _interpolation("cubic", antialias=True)),
    )
    for name in names
    for overload in ("vec", "default")
}
CONVERTERS["grid_sampler_2d.default"] = _grid_sample
CONVERTERS["roi_align.default"] = _roi_align
