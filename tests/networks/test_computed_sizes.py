"""Sizes that follow from those of an image by floats, as detectors fit images into a square: one compilation,
and the very sizes that ONNX Runtime computes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from graph_support import draw, network, node
from onnx import ModelProto, NodeProto
from reference import run_onnx_runtime
from support import assert_matches

import tvm_directconv as directconv
from tvm_directconv.errors import InputError, ModelError

FLOAT, DOUBLE, INT64 = 1, 11, 7
LEAST, MOST, MULTIPLE = 24, 45, 8
WEIGHTS = {
    **{name: np.array([value]) for name, value in {"v0": 0, "v2": 2, "v4": 4}.items()},
    **{f"axis{axis}": np.array(axis) for axis in (2, 3)},
    **{"least": np.float32(LEAST), "most": np.float32(MOST), "by": np.float32(MULTIPLE)},
    **{"zeros": np.zeros(2, np.int64), "filter": draw(4, 3, 3, 3), "head": draw(4, 4, 1, 1)},
    **{"fours": np.array([1, -1, 4]), "rows": np.array([1, 1, -1]), "most_left": np.array([7])},
    **{"overlap": np.float32([0.4]), "threshold": np.float32([0.1]), "last": np.array([-1])},
}
SIZES = ((30, 40), (37, 23), (31, 130), (61, 61), (24, 24), (150, 151), (29, 29), (41, 82))


def fitted(data: str, result: str, kind: int) -> list[NodeProto]:
    """Resize images so that the short side is ``LEAST``, or the long one ``MOST``, as torchvision's detectors
    do; the scale is computed in float32, and multiplied in ``kind``."""
    nodes = [
        node("Shape", data, "shape"),
        node("Slice", "shape v2 v4", "sides"),
        node("Slice", "shape v0 v2", "others"),
        node("ReduceMin", "sides", "short", keepdims=0),
        node("ReduceMax", "sides", "long", keepdims=0),
        node("Cast", "short", "short_", to=FLOAT),
        node("Cast", "long", "long_", to=FLOAT),
        node("Reciprocal", "short_", "of_short"),
        node("Mul", "of_short least", "to_least"),
        node("Div", "most long_", "to_most"),
        node("Min", "to_least to_most", "scale"),
        node("Cast", "scale", "scale_", to=kind),
    ]
    for axis in (2, 3):
        nodes += [
            node("Gather", f"shape axis{axis}", f"size{axis}"),
            node("Cast", f"size{axis}", f"float{axis}", to=kind),
            node("Mul", f"float{axis} scale_", f"scaled{axis}"),
            node("Floor", f"scaled{axis}", f"floor{axis}"),
            node("Unsqueeze", f"floor{axis} v0", f"one{axis}"),
        ]
    return [
        *nodes,
        node("Concat", "one2 one3", "floats", axis=0),
        node("Cast", "floats", "integers", to=INT64),
        node("Concat", "others integers", "whole", axis=0),
        node("Resize", f"{data} - - whole", result, mode="linear"),
    ]


def padded(data: str, result: str) -> list[NodeProto]:
    """Pad maps to multiples, by floats."""
    nodes, lacks = [node("Shape", data, f"{result}/shape")], []
    for axis in (2, 3):
        own = f"{result}/{axis}"
        nodes += [
            node("Gather", f"{result}/shape axis{axis}", f"{own}/size"),
            node("Cast", f"{own}/size", f"{own}/float", to=FLOAT),
            node("Div", f"{own}/float by", f"{own}/parts"),
            node("Ceil", f"{own}/parts", f"{own}/steps"),
            node("Mul", f"{own}/steps by", f"{own}/filled"),
            node("Cast", f"{own}/filled", f"{own}/most", to=INT64),
            node("Sub", f"{own}/most {own}/size", f"{own}/lack"),
            node("Unsqueeze", f"{own}/lack v0", f"{own}/after"),
        ]
        lacks.append(f"{own}/after")
    nodes.append(node("Concat", " ".join(["zeros", "zeros", "zeros", *lacks]), f"{result}/pads", axis=0))
    return [*nodes, node("Pad", f"{data} {result}/pads", result)]


def detector(kind: int) -> ModelProto:
    """Images that are fitted and padded, maps of two scales that are added, and the boxes that are left of
    overlapping ones, in the image's own size."""
    nodes = [
        *fitted("x", "fitted", kind),
        *padded("fitted", "filled"),
        node("Conv", "filled filter", "fine", strides=[2, 2], pads=[1, 1, 1, 1]),
        node("MaxPool", "fine", "coarse", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]),
        node("Conv", "coarse head", "lateral"),
        node("Shape", "fine", "fine_shape"),
        node("Resize", "lateral - - fine_shape", "again", mode="nearest", nearest_mode="floor"),
        node("Add", "fine again", "map"),
        node("Transpose", "map", "rows_of_boxes", perm=[0, 2, 3, 1]),
        node("Reshape", "rows_of_boxes fours", "boxes"),
        node("ReduceMax", "boxes", "best", axes=[-1], keepdims=0),
        node("Reshape", "best rows", "scores"),
        node("NonMaxSuppression", "boxes scores most_left overlap threshold", "triples"),
        node("Gather", "triples v2", "places", axis=1),
        node("Squeeze", "places last", "chosen"),
        node("Squeeze", "boxes v0", "all_boxes"),
        node("Gather", "all_boxes chosen", "kept"),
        node("Shape", "fitted", "fitted_shape"),
        node("Gather", "fitted_shape axis2", "height"),
        node("Cast", "height", "height_", to=FLOAT),
        node("Cast", "size2", "own_height", to=FLOAT),
        node("Div", "own_height height_", "back"),
        node("Mul", "kept back", "y"),
    ]
    outputs = {"y": ("found", 4), "fitted": (1, 3, "fh", "fw")}
    return network(nodes, {"x": (1, 3, "h", "w")}, outputs, WEIGHTS)


@pytest.mark.parametrize("kind", [FLOAT, DOUBLE], ids=["float32", "float64"])
def test_a_detector_that_fits_images(kind: int, tmp_path: Path) -> None:
    """Compiled once, it has ONNX Runtime's answers for any image, also where floats make a pixel less than
    the exact product; so has its library."""
    model = detector(kind)
    compiled = directconv.compile(model, typical={"h": 30, "w": 40}, cache=False)
    (size,) = compiled.sizes
    compiled.export_library(tmp_path / "detector.so")
    loaded = directconv.load(tmp_path / "detector.so")
    heights = []
    for h, w in SIZES:
        image = draw(1, 3, h, w)
        expected = run_onnx_runtime(model, {"x": image})
        for each in (compiled, loaded):
            for result, wanted in zip(each.run(image), expected, strict=True):
                assert_matches(result, wanted, f"{h} x {w}", 1e-4)
        values = size.values({"x": image.shape})
        assert (values["computed"], values["computed1"]) == expected[1].shape[2:]
        heights.append(values["computed"])
    assert len(compiled.sizes) == len(loaded.sizes) == 1
    if kind == FLOAT:
        assert heights[SIZES.index((61, 61))] == LEAST - 1
    assert [info.shape for info in compiled.outputs][1] == (1, 3, "fh", "fw")
    assert compiled.memory(h=300, w=300) == compiled.memory(h=600, w=600) > 0
    with pytest.raises(InputError, match="computed"):
        compiled.memory(h=1, w=5000)


def test_computed_sizes_have_conditions(tmp_path: Path) -> None:
    """What is assumed of them is checked by what they are at an image's size; C is not given them."""
    nodes = [
        *fitted("x", "fitted", FLOAT),
        node("MaxPool", "fitted", "half", kernel_shape=[2, 2], strides=[2, 2]),
        node("Resize", "half - twice", "again", mode="nearest", nearest_mode="floor"),
        node("Add", "fitted again", "y"),
    ]
    weights = {**WEIGHTS, "twice": np.float32([1, 1, 2, 2])}
    model = network(nodes, {"x": (1, 3, "h", "w")}, {"y": (1, 3, "a", "b")}, weights)
    compiled = directconv.compile(model, typical={"h": 48, "w": 72}, cache=False)
    assert {"computed % 2 == 0", "computed1 % 2 == 0"} <= set(compiled.sizes[0].conditions)
    for number, (h, w) in enumerate(((48, 72), (100, 150), (31, 43))):
        image = draw(1, 3, h, w)
        fits = not compiled.sizes[0].broken({"x": image.shape})
        assert fits == (number < 2)
        if fits:
            (expected,) = run_onnx_runtime(model, {"x": image})
            assert_matches(compiled.run(image)[0], expected, f"{h} x {w}", 1e-4)
    with pytest.raises(ModelError, match="computed in floats are not exported to C: computed = whole"):
        compiled.export_c(tmp_path)
