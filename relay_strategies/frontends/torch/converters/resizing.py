"""Interpolation of maps, by the tables of positions and weights that ONNX's Resize is made of.

PyTorch computes positions from the scale that a user gives, and from the sizes where sizes are given; with
aligned corners from the sizes always. With antialiasing, aligned corners change the scale alone: positions
are those of half pixels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from tvm import relax

from relay_strategies.frontends.onnx.converters.indexing import CONVERTERS as ONNX
from relay_strategies.frontends.onnx.converters.resize import Axis, resized

from .node import Converter, Node


def _interpolation(mode: str, rounding: str = "floor", antialias: bool = False) -> Converter:
    def convert(node: Node) -> relax.Expr:
        wanted = node.result_shape[2:]
        corners = bool(node.arguments.get("align_corners", False))
        axes = [
            Axis(place + 2, size, result, scale)
            for place, (size, result, scale) in enumerate(
                zip(node.shape_of_map(), wanted, _scales(node, wanted, corners, antialias), strict=True)
            )
        ]
        coordinates = "align_corners" if corners and not antialias else "half_pixel"
        if mode == "nearest":
            coordinates = "asymmetric" if rounding == "floor" else "half_pixel"
        attributes = {"antialias": int(antialias), "exclude_outside": int(antialias)}
        if antialias and mode == "cubic":
            attributes["cubic_coeff_a"] = -0.5  # type: ignore[assignment]
        source = node.arguments["self" if "self" in node.arguments else "input"]
        about = node.as_onnx("Resize", [source], attributes)
        return resized(
            about, axes, mode, coordinates, "floor" if rounding == "floor" else "round_prefer_ceil"
        )

    return convert


def _grid_sample(node: Node) -> relax.Expr:
    """Values at positions that are computed; Relax wants the two coordinates in front of the map."""
    if len(node.shape("input")) != 4:
        raise node.refusal("only maps of rows and columns are sampled")
    grid = node.emit(relax.op.permute_dims(node.tensor("grid"), [0, 3, 1, 2]))
    return relax.op.image.grid_sample(
        node.tensor("input"),
        grid,
        method=("bilinear", "nearest", "bicubic")[int(node["interpolation_mode"])],
        layout="NCHW",
        padding_mode=("zeros", "border", "reflection")[int(node["padding_mode"])],
        align_corners=bool(node["align_corners"]),
    )


def _roi_align(node: Node) -> relax.Expr:
    """Means of boxes, each (image, left, top, right, bottom), which are two operands of ONNX's."""
    boxes = node.tensor("rois")
    images, corners = (
        node.emit(relax.op.strided_slice(boxes, [1], [low], [high])) for low, high in ((0, 1), (1, 5))
    )
    images = node.emit(relax.op.reshape(node.cast(images, "int64"), (-1,)))
    attributes = {
        "output_height": int(node["pooled_height"]),
        "output_width": int(node["pooled_width"]),
        "spatial_scale": float(node["spatial_scale"]),
        "sampling_ratio": max(0, int(node["sampling_ratio"])),
        "coordinate_transformation_mode": b"half_pixel" if node["aligned"] else b"output_half_pixel",
    }
    about = node.as_onnx("RoiAlign", [node.tensor("input"), corners, images], attributes)
    return ONNX["RoiAlign"](about)


def _scales(node: Node, wanted: Sequence[int], corners: bool, antialias: bool) -> list[float]:
    sizes = list(zip(node.shape_of_map(), wanted, strict=True))
    if corners and antialias:
        return [_between_corners(size, result) for size, result in sizes]
    by_size = [result / size for size, result in sizes]
    given = node.arguments.get("scale_factors")
    if given is None:
        given = [node.arguments.get(f"scales_{letter}") for letter in "dhw"[3 - len(wanted) :]]
        given = [node.arguments.get("scales")] if len(wanted) == 1 else given
    if corners or not given or any(scale is None for scale in given):
        return by_size
    return [float(scale) for scale in given]


def _between_corners(size: int, result: int) -> float:
    """The distance of the result's corners over that of the data's; one corner alone is at the data's first
    position, which an infinite scale says."""
    return (result - 1) / (size - 1) if min(size, result) > 1 else math.inf


CONVERTERS: dict[str, Converter] = {
    f"{name}.{overload}": converter
    for names, converter in (
        (("upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d"), _interpolation("nearest")),
        (
            ("_upsample_nearest_exact1d", "_upsample_nearest_exact2d", "_upsample_nearest_exact3d"),
            _interpolation("nearest", "half"),
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
