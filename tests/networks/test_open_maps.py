"""Pools and resizes of open height and width, against ONNX Runtime at sizes of every parity."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from graph_support import draw, network, node
from onnx import ModelProto
from reference import run_onnx_runtime
from support import assert_matches

import tvm_directconv as directconv

SHAPES = ((1, 8, 32, 48), (2, 8, 47, 33), (1, 8, 13, 14), (1, 8, 100, 15))


LARGE = ((1, 8, 32, 48), (2, 8, 47, 61), (1, 8, 61, 46), (1, 8, 102, 75))
"""Those that leave whole tiles where maps have become small."""


def right_at_any_size(made: ModelProto, shapes: tuple[tuple[int, ...], ...] = SHAPES, **options: Any) -> None:
    """Compile a model once, and compare it at each of the shapes; it is to assume nothing but bounds."""
    model = directconv.compile(made, typical={"h": 32, "w": 48}, cache=False, **options)
    assert not [text for text in model.sizes[0].conditions if "% " in text.partition("<=")[0] or "==" in text]
    names = [value.name for value in made.graph.output]
    for shape in shapes:
        image = draw(*shape)
        expected = run_onnx_runtime(made, {"x": image})
        for name, result, wanted in zip(names, model.run(image), expected, strict=True):
            assert_matches(result, wanted, f"{name} {shape}")
    assert len(model.sizes) == 1


def test_maps_in_blocks_of_channels() -> None:
    """Layouts change where a map's size is an expression, too."""
    nodes = [node("Conv", "x w", "a", strides=[2, 2]), node("Conv", "a v", "b"), node("Sigmoid", "b", "y")]
    weights = {"w": draw(16, 8, 3, 3), "v": draw(16, 16, 1, 1)}
    made = network(nodes, {"x": ("n", 8, "h", "w")}, {"y": ("n", 16, "p", "q")}, weights)
    right_at_any_size(made, LARGE, layout="blocked")


POOLS: dict[str, dict[str, Any]] = {
    "MaxPool:halves": {"kernel_shape": [2, 2], "strides": [2, 2]},
    "MaxPool:padded": {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]},
    "MaxPool:rounded_up": {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1},
    "MaxPool:padded_and_rounded_up": {
        "kernel_shape": [3, 3],
        "strides": [2, 2],
        "pads": [1, 1, 1, 1],
        "ceil_mode": 1,
    },
    "MaxPool:of_5": {"kernel_shape": [5, 5], "strides": [1, 1], "pads": [2, 2, 2, 2]},
    "MaxPool:of_9": {"kernel_shape": [9, 9], "strides": [3, 3], "pads": [4, 4, 4, 4]},
    "AveragePool:padded": {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]},
    "AveragePool:uneven": {
        "kernel_shape": [2, 3],
        "strides": [1, 2],
        "pads": [1, 0, 0, 1],
        "count_include_pad": 1,
    },
}


@pytest.mark.slow
def test_pools() -> None:
    nodes = [node("Conv", "x w", "a", pads=[1, 1, 1, 1])]
    nodes += [node(name.split(":")[0], "a", name, **attributes) for name, attributes in POOLS.items()]
    outputs = {name: ("n", 8, f"h{number}", f"w{number}") for number, name in enumerate(POOLS)}
    right_at_any_size(network(nodes, {"x": ("n", 8, "h", "w")}, outputs, {"w": draw(8, 8, 3, 3)}))


RESIZES: dict[str, tuple[dict[str, Any], list[float] | None]] = {
    "repeated": ({"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}, [1, 1, 2, 3]),
    "nearest": ({"coordinate_transformation_mode": "half_pixel"}, [1, 1, 2, 2]),
    "linear": ({"mode": "linear", "coordinate_transformation_mode": "half_pixel"}, [1, 1, 2, 2]),
    "corners": ({"mode": "linear", "coordinate_transformation_mode": "align_corners"}, [1, 1, 2, 3]),
    "columns": ({"mode": "linear", "coordinate_transformation_mode": "asymmetric"}, [1, 1, 1, 4]),
    "cubic": ({"mode": "cubic", "coordinate_transformation_mode": "half_pixel"}, [1, 1, 2, 2]),
    "to another's, nearest": (
        {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"},
        None,
    ),
    "to another's, linear": ({"mode": "linear", "coordinate_transformation_mode": "half_pixel"}, None),
}


@pytest.mark.slow
def test_resizes() -> None:
    """By scales, and to the size of another map as pyramids of features do."""
    nodes = [
        node("Conv", "x w", "a", pads=[1, 1, 1, 1], strides=[2, 2]),
        node("Shape", "a", "small"),
        node("Shape", "x", "large"),
        node("Slice", "small zero two", "channels"),
        node("Slice", "large two end", "extents"),
        node("Concat", "channels extents", "sizes", axis=0),
    ]
    places = {"zero": [0], "two": [2], "end": [2**31 - 1]}
    weights = {name: np.array(value, np.int64) for name, value in places.items()} | {"w": draw(8, 8, 3, 3)}
    outputs: dict[str, tuple[int | str, ...]] = {}
    for number, (attributes, scales) in enumerate(RESIZES.values()):
        name = f"y{number}"
        outputs[name] = ("n", 8, f"h{number}", f"w{number}")
        if scales is not None:
            weights[f"s{number}"] = np.array(scales, np.float32)
        operands = ["a", "", "", "sizes"] if scales is None else ["a", "", f"s{number}"]
        resize = node("Resize", "a", name, **attributes)
        resize.input[:] = operands
        nodes.append(resize)
    made = network(nodes, {"x": ("n", 8, "h", "w")}, outputs, weights, opset=18)
    right_at_any_size(made, (*SHAPES[:2], (1, 8, 25, 64)))


FRACTIONS: dict[str, tuple[dict[str, Any], list[float]]] = {
    f"{mode}, {coordinates}, {rounding}, by {scale}": (
        {"mode": mode, "coordinate_transformation_mode": coordinates, "nearest_mode": rounding},
        [1, 1, scale],
    )
    for mode, coordinates, rounding in (
        ("nearest", "half_pixel", "round_prefer_floor"),
        ("nearest", "half_pixel", "round_prefer_ceil"),
        ("nearest", "asymmetric", "floor"),
        ("nearest", "pytorch_half_pixel", "ceil"),
        ("linear", "half_pixel", "floor"),
        ("linear", "asymmetric", "floor"),
    )
    for scale in (1.7, 0.6, "y", 12)
}
"""By a scale, to the size of another, or to a number."""


def test_rows_of_any_size_are_resized_to_any_size() -> None:
    weights, nodes = {"one": np.array([1, 1], np.int64)}, [node("Shape", "t", "st")]
    nodes.append(node("Concat", "one st", "sizes_y", axis=0))
    for number, (attributes, (*_, scale)) in enumerate(FRACTIONS.values()):
        operands = ["x", "", "", f"sizes_{scale}"] if scale in ("y", 12) else ["x", "", f"scales_{scale}"]
        resize = node("Resize", "x", f"y{number}", **attributes)
        resize.input[:] = operands
        nodes.append(resize)
    weights |= {f"scales_{by}": np.array([1, 1, by], np.float32) for by in (1.7, 0.6)}
    weights["sizes_12"] = np.array([1, 1, 12], np.int64)
    inputs = {"x": (1, 1, "n"), "t": ("m",)}
    outputs = {f"y{number}": (1, 1, f"m{number}") for number in range(len(FRACTIONS))}
    made = network(nodes, inputs, outputs, weights, opset=18)
    model = directconv.compile(made, typical={"n": 17, "m": 29}, cache=False)
    for sizes in ((17, 29), (26, 28), (36, 21), (38, 12), (12, 100), (13, 13), (101, 37)):
        given = {"x": draw(1, 1, sizes[0]), "t": draw(sizes[1])}
        expected = run_onnx_runtime(made, given)
        for name, result, wanted in zip(FRACTIONS, model.run(given), expected, strict=True):
            assert_matches(result, wanted, f"{name} {sizes}")
    assert len(model.sizes) == 1


def _padded_equally(result: str, data: str, kernel: int, stride: int, clip: bool) -> list[Any]:
    """A convolution whose output is the input's size over the stride, rounded up, as PyTorch's exporters
    write it: floats of sizes, by axis, and a Pad."""
    nodes, before, after = [node("Shape", data, f"{result}/shape")], [], []
    for axis in (2, 3):
        own = f"{result}/{axis}"
        least = "" if clip else " zero"
        nodes += [
            node("Gather", f"{result}/shape axis{axis}", f"{own}/size"),
            node("Cast", f"{own}/size", f"{own}/float", to=1),
            node("Div", f"{own}/float by{stride}", f"{own}/parts"),
            node("Ceil", f"{own}/parts", f"{own}/steps"),
            node("Sub", f"{own}/steps one", f"{own}/last"),
            node("Mul", f"{own}/last by{stride}", f"{own}/begin"),
            node("Add", f"{own}/begin by{kernel}", f"{own}/end"),
            node("Sub", f"{own}/end {own}/float", f"{own}/lack"),
            node("Relu" if clip else "Clip", f"{own}/lack{least}", f"{own}/all"),
            node("Mul", f"{own}/all half", f"{own}/middle"),
            node("Cast", f"{own}/middle", f"{own}/first", to=7),
            node("Cast", f"{own}/first", f"{own}/in_floats", to=1),
            node("Sub", f"{own}/all {own}/in_floats", f"{own}/rest"),
            node("Cast", f"{own}/rest", f"{own}/second", to=7),
            node("Unsqueeze", f"{own}/first none", f"{own}/before"),
            node("Unsqueeze", f"{own}/second none", f"{own}/after"),
        ]
        before.append(f"{own}/before")
        after.append(f"{own}/after")
    pads = " ".join(["none", "none", *before, "none", "none", *after])
    nodes.append(node("Concat", pads, f"{result}/pads", axis=0))
    nodes.append(node("Pad", f"{data} {result}/pads", f"{result}/padded"))
    nodes.append(node("Conv", f"{result}/padded w{kernel}", result, strides=[stride] * 2))
    return nodes


@pytest.mark.slow
def test_padding_by_floats_of_sizes() -> None:
    """Networks converted from TensorFlow, of any parity of each of their maps."""
    nodes = [
        *_padded_equally("a", "x", 3, 2, False),
        node("Relu", "a", "b"),
        *_padded_equally("c", "b", 5, 2, True),
        node("Relu", "c", "d"),
        *_padded_equally("y", "d", 3, 3, False),
    ]
    numbers = {"one": 1.0, "half": 0.5, "zero": 0.0, "by2": 2.0, "by3": 3.0, "by5": 5.0}
    weights = {name: np.float32(value) for name, value in numbers.items()}
    weights |= {f"axis{axis}": np.array(axis) for axis in (2, 3)} | {"none": np.array([0])}
    weights |= {f"w{kernel}": draw(8, 8, kernel, kernel) for kernel in (3, 5)}
    right_at_any_size(network(nodes, {"x": ("n", 8, "h", "w")}, {"y": ("n", 8, "h_", "w_")}, weights), LARGE)


@pytest.mark.slow
def test_padding_to_equal_sizes_by_the_operator() -> None:
    halves = {"kernel_shape": [2, 2], "strides": [2, 2]}
    nodes = [
        node("Conv", "x w", "a", strides=[2, 2], auto_pad="SAME_UPPER"),
        node("Relu", "a", "b"),
        node("Conv", "b w", "c", strides=[2, 2], auto_pad="SAME_LOWER"),
        node("MaxPool", "a", "d", kernel_shape=[3, 3], strides=[2, 2], auto_pad="SAME_UPPER"),
        node("AveragePool", "d", "e", kernel_shape=[3, 3], strides=[2, 2], auto_pad="SAME_UPPER"),
        node("AveragePool", "d", "f", auto_pad="SAME_LOWER", count_include_pad=1, **halves),
    ]
    outputs = {name: ("n", 8, f"h{name}", f"w{name}") for name in "cdef"}
    right_at_any_size(network(nodes, {"x": ("n", 8, "h", "w")}, outputs, {"w": draw(8, 8, 3, 3)}), LARGE)


def test_a_size_is_taken_from_a_vector_of_floats() -> None:
    """All sizes at once are cast and halved, and one of them is then the number of rows."""
    nodes = [
        node("Shape", "x", "shape"),
        node("Cast", "shape", "floats", to=1),
        node("Mul", "floats half", "halves"),
        node("Gather", "halves axis", "half_rows"),
        node("Ceil", "half_rows", "whole"),
        node("Cast", "whole", "rows", to=7),
        node("Unsqueeze", "rows first", "end"),
        node("Slice", "x first end axis2", "y"),
    ]
    numbers = {"first": [0], "axis2": [2]}
    weights = {name: np.array(value) for name, value in numbers.items()}
    weights |= {"half": np.float32(0.5), "axis": np.array(2)}
    right_at_any_size(network(nodes, {"x": ("n", 8, "h", "w")}, {"y": ("n", 8, "h_", "w")}, weights))


@pytest.mark.slow
def test_attention_between_channels() -> None:
    """What no kernel is found for is taken apart, over the model's own sizes."""
    nodes = [
        node("Conv", "x w", "map"),
        node("Reshape", "map flat", "columns"),
        node("Transpose", "columns", "tokens", perm=[0, 2, 1]),
        node("MatMul", "tokens u", "projected"),
        node("Reshape", "projected heads", "split"),
        node("Transpose", "split", "parts", perm=[2, 0, 3, 4, 1]),
        *(node("Gather", f"parts place{at}", name, axis=0) for at, name in enumerate("qkv")),
        *(node("LpNormalization", name, f"{name}1", axis=-1, p=2) for name in "qk"),
        node("Transpose", "k1", "turned", perm=[0, 1, 3, 2]),
        node("MatMul", "q1 turned", "products"),
        node("Softmax", "products", "shares", axis=-1),
        node("MatMul", "shares v", "mixed"),
        node("Transpose", "mixed", "back", perm=[0, 3, 1, 2]),
        node("Reshape", "back merged", "y"),
    ]
    weights = {
        "w": draw(48, 8, 1, 1),
        "u": draw(48, 144),
        "flat": np.array([0, 48, -1]),
        "heads": np.array([0, -1, 3, 4, 12]),
        "merged": np.array([0, -1, 48]),
        **{f"place{at}": np.array(at) for at in range(3)},
    }
    right_at_any_size(network(nodes, {"x": ("n", 8, "h", "w")}, {"y": ("n", "r", 48)}, weights))


def test_what_computes_with_the_sizes_of_maps() -> None:
    """Points of -1 to 1 are on the whole map, boxes beside it are of nothing, whatever its size."""
    nodes = [
        node("Conv", "x w", "a", pads=[1, 1, 1, 1]),
        node("GridSample", "a grid", "sampled", mode="linear", padding_mode="border"),
        node("RoiAlign", "a boxes images", "regions", output_height=3, output_width=3, sampling_ratio=2),
    ]
    weights = {"w": draw(8, 8, 3, 3), "images": np.array([0, 0, 0])}
    weights |= {"boxes": np.array([[0, 0, 9, 7], [20, 9, 60, 70], [-9, 2, 99, 12]], np.float32)}
    inputs = {"x": (1, 8, "h", "w"), "grid": (1, "p", "q", 2)}
    outputs: dict[str, tuple[int | str, ...]] = {"sampled": (1, 8, "p", "q"), "regions": (3, 8, 3, 3)}
    made = network(nodes, inputs, outputs, weights, opset=20)
    model = directconv.compile(made, typical={"h": 32, "w": 48, "p": 8, "q": 8}, cache=False)
    for height, width, rows in ((32, 48, 8), (11, 90, 5), (73, 31, 17)):
        given = {"x": draw(1, 8, height, width), "grid": draw(1, rows, 9, 2)}
        for result, wanted in zip(model.run(given), run_onnx_runtime(made, given), strict=True):
            assert_matches(result, wanted, f"{height} {width}")
    assert len(model.sizes) == 1


def test_mirrors_up_to_multiples() -> None:
    """A map is padded to a multiple of 8 by its own elements, as many as its shape says."""
    nodes = [
        node("Conv", "x w", "a", pads=[1, 1, 1, 1]),
        node("Shape", "a", "shape", start=2),
        node("Neg", "shape", "less"),
        node("Mod", "less eight", "lack"),
        node("Concat", "none lack", "pads", axis=0),
        *(node("Pad", "a pads", mode, mode=mode) for mode in ("reflect", "edge", "wrap")),
    ]
    weights = {"w": draw(8, 8, 3, 3), "eight": np.array([8]), "none": np.zeros(6, np.int64)}
    outputs: dict[str, tuple[int | str, ...]] = {
        name: ("n", 8, f"h_{name}", f"w_{name}") for name in ("reflect", "edge", "wrap")
    }
    made = network(nodes, {"x": ("n", 8, "h", "w")}, outputs, weights, opset=19)
    right_at_any_size(made, LARGE)


def test_windows_of_padded_maps() -> None:
    """A map is padded to windows of 7 by 7, by what is missing, and cut to what it was."""
    nodes = [
        node("Conv", "x w", "a", strides=[2, 2], pads=[1, 1, 1, 1]),
        node("Transpose", "a", "b", perm=[0, 2, 3, 1]),
        node("Shape", "b", "shape"),
        node("Split", "shape", "n h w_ c", num_outputs=4),
        *(node("Mod", f"{name} seven", f"{name}_rest") for name in ("h", "w_")),
        *(node("Sub", f"seven {name}_rest", f"{name}_more") for name in ("h", "w_")),
        *(node("Mod", f"{name}_more seven", f"{name}_lack") for name in ("h", "w_")),
        node("Concat", "none none none none none h_lack w__lack none", "pads", axis=0),
        node("Pad", "b pads", "wide"),
        *(node("Add", f"{name} {name}_lack", f"{name}_wide") for name in ("h", "w_")),
        *(node("Div", f"{name}_wide seven", f"{name}_count") for name in ("h", "w_")),
        node("Concat", "n h_count seven w__count seven c", "apart", axis=0),
        node("Reshape", "wide apart", "windows"),
        node("Softmax", "windows", "shares", axis=2),
        node("Concat", "n h_wide w__wide c", "joined", axis=0),
        node("Reshape", "shares joined", "back"),
        node("Slice", "back none h one", "rows"),
        node("Slice", "rows none w_ two", "cut"),
        node("Add", "cut b", "y"),
    ]
    numbers = {"seven": 7, "none": 0, "one": 1, "two": 2}
    weights = {name: np.array([value]) for name, value in numbers.items()} | {"w": draw(8, 8, 3, 3)}
    made = network(nodes, {"x": ("n", 8, "h", "w")}, {"y": ("n", "p", "q", 8)}, weights, opset=18)
    right_at_any_size(made, LARGE)


@pytest.mark.slow
def test_rows_narrower_than_their_borders() -> None:
    """Dilated layers miss taps beside the image at every pixel; of 11 columns, which tiles of 12 compute."""
    far: dict[str, Any] = {"dilations": [6, 6], "pads": [6, 6, 6, 6]}
    nodes = [
        node("Conv", "x w", "a", pads=[1, 1, 1, 1], strides=[2, 2]),
        node("Conv", "a w", "b", **far),
        node("Conv", "a v", "c", group=8, **far),
        node("Add", "b c", "y"),
    ]
    weights = {"w": draw(8, 8, 3, 3), "v": draw(8, 1, 3, 3)}
    made = network(nodes, {"x": ("n", 8, "h", "w")}, {"y": ("n", 8, "p", "q")}, weights)
    right_at_any_size(made, (*LARGE, (1, 8, 61, 21)))


@pytest.mark.slow
def test_axes_are_split_repeated_and_turned() -> None:
    nodes = [
        node("Shape", "x", "width", start=3),
        node("Shape", "x", "images", end=1),
        node("Div", "width two", "half"),
        node("Sub", "width half", "rest"),
        node("Concat", "half rest", "parts", axis=0),
        node("Split", "x parts", "left right", axis=3),
        node("Split", "x", "upper lower", axis=2, num_outputs=2),
        node("Concat", "one one one images", "times", axis=0),
        node("Tile", "left times", "tiled"),
        node("Slice", "x last none columns last", "turned"),
        *(node("Relu", name, f"{name}_") for name in ("right", "upper", "lower", "tiled", "turned")),
    ]
    numbers = {"one": 1, "two": 2, "last": -1, "none": -(2**63), "columns": 3}
    weights = {name: np.array([value]) for name, value in numbers.items()}
    outputs: dict[str, tuple[int | str, ...]] = {
        f"{name}_": ("n", 8, f"h_{name}", f"w_{name}")
        for name in ("right", "upper", "lower", "tiled", "turned")
    }
    right_at_any_size(network(nodes, {"x": ("n", 8, "h", "w")}, outputs, weights, opset=18))


@pytest.mark.slow
def test_a_map_is_halved_and_added_to_one_that_was() -> None:
    """Both are as large where the whole map is a multiple of eight, which the model says."""
    halving: dict[str, Any] = {"strides": [2, 2], "pads": [1, 1, 1, 1]}
    nodes = [
        node("Conv", "x w", "m0", **halving),
        *(node("Conv", f"m{at} v", f"m{at + 1}", **halving) for at in range(3)),
        *(node("Resize", f"m{at} none by{at}", f"r{at}", mode="nearest") for at in (1, 2, 3)),
        node("Sum", "m0 r1 r2 r3", "sum"),
        node("Conv", "sum v", "strided", **halving),
        node("Add", "strided m1", "both"),
        node("Conv", "both v", "y", pads=[1, 1, 1, 1]),
    ]
    weights = {"w": draw(16, 8, 3, 3), "v": draw(16, 16, 3, 3), "none": np.zeros(0, np.float32)}
    weights |= {f"by{at}": np.array([1, 1, 2**at, 2**at], np.float32) for at in (1, 2, 3)}
    made = network(nodes, {"x": ("n", 8, "h", "w")}, {"y": ("n", 16, "p", "q")}, weights)
    model = directconv.compile(made, typical={"h": 32, "w": 48}, cache=False)
    assert model.sizes[0].is_open
    for shape in ((1, 8, 32, 48), (2, 8, 48, 32), (1, 8, 16, 64)):
        image = draw(*shape)
        assert_matches(model.run(image)[0], run_onnx_runtime(made, {"x": image})[0], shape)
    assert len(model.sizes) == 1
