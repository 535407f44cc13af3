"""Pools and resizes of open height and width, against ONNX Runtime at sizes of every parity."""

from __future__ import annotations

from typing import Any

import numpy as np
from graph_support import draw, network, node
from onnx import ModelProto
from reference import run_onnx_runtime
from support import assert_matches

import tvm_directconv as directconv

SHAPES = ((1, 8, 32, 48), (2, 8, 47, 33), (1, 8, 13, 14), (1, 8, 100, 15))


def right_at_any_size(made: ModelProto, shapes: tuple[tuple[int, ...], ...] = SHAPES) -> None:
    """Compile a model once, and compare it at each of the shapes; it is to assume nothing but bounds."""
    model = directconv.compile(made, typical={"h": 32, "w": 48}, cache=False)
    assert not [text for text in model.sizes[0].conditions if "%" in text or "==" in text]
    names = [value.name for value in made.graph.output]
    for shape in shapes:
        image = draw(*shape)
        expected = run_onnx_runtime(made, {"x": image})
        for name, result, wanted in zip(names, model.run(image), expected, strict=True):
            assert_matches(result, wanted, f"{name} {shape}")
    assert len(model.sizes) == 1


POOLS: dict[str, dict[str, Any]] = {
    "MaxPool:halves": {"kernel_shape": [2, 2], "strides": [2, 2]},
    "MaxPool:padded": {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]},
    "MaxPool:rounded_up": {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1},
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
