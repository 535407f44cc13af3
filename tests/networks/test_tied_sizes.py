"""Models that need dimensions to be multiples, or equal to others, are compiled once for all such sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pytest
from graph_support import draw, network, node
from onnx import ModelProto, TensorProto
from reference import run_onnx_runtime
from support import assert_matches

import tvm_directconv as directconv
from tvm_directconv.errors import InputError

Shape = tuple[int | str, ...]


class Case(NamedTuple):
    """A model with its ``typical`` sizes, ``tied`` as its conditions say; shapes that it takes, one that is
    compiled when it comes, and one that no runtime takes."""

    model: ModelProto
    typical: Mapping[str, int]
    tied: Sequence[str]
    taken: Sequence[Sequence[Shape]]
    alone: Sequence[Shape] | None
    refused: Sequence[Shape] | None


def encoder_and_decoder() -> Case:
    """Maps are halved twice and doubled again, and joined with what they were."""
    nodes = [
        node("Conv", "x w0", "a", pads=[1, 1, 1, 1]),
        node("MaxPool", "a", "b", kernel_shape=[2, 2], strides=[2, 2]),
        node("Conv", "b w1", "c", pads=[1, 1, 1, 1]),
        node("Conv", "c w2", "d", strides=[2, 2]),
        node("Conv", "d w1", "e", pads=[1, 1, 1, 1]),
        node("ConvTranspose", "e u", "f", strides=[2, 2]),
        node("Concat", "f c", "g", axis=1),
        node("ConvTranspose", "g v", "h", strides=[2, 2]),
        node("Add", "h a", "y"),
    ]
    weights = {
        "w0": draw(8, 3, 3, 3),
        "w1": draw(8, 8, 3, 3),
        "w2": draw(8, 8, 2, 2),
        "u": draw(8, 8, 2, 2),
        "v": draw(16, 8, 2, 2),
    }
    made = network(nodes, {"x": ("n", 3, "h", "w")}, {"y": ("n", 8, "p", "q")}, weights)
    taken = [[(n, 3, h, w)] for n, h, w in ((1, 32, 48), (2, 52, 36), (3, 64, 24))]
    return Case(
        made,
        {"h": 32, "w": 48},
        ["h % 4 == 0", "w % 4 == 0"],
        taken,
        None,
        [(1, 3, 34, 48)],
    )


def windows() -> Case:
    """Maps are taken apart into windows of 7 by 7, by sizes that are computed of their shape."""
    nodes = [
        node("Conv", "x w", "a", pads=[1, 1, 1, 1]),
        node("Shape", "a", "shape"),
        node("Split", "shape", "n c h w_", num_outputs=4),
        node("Div", "h side", "rows"),
        node("Div", "w_ side", "columns"),
        node("Concat", "n c rows side columns side", "parts", axis=0),
        node("Reshape", "a parts", "b"),
        node("Transpose", "b", "c_", perm=[0, 2, 4, 3, 5, 1]),
        node("Reshape", "c_ window", "d"),
        node("Softmax", "d", "e", axis=-1),
        node("ReduceMean", "e axis", "y", keepdims=0),
    ]
    weights = {
        "w": draw(8, 8, 3, 3),
        "side": np.array([7], np.int64),
        "window": np.array([-1, 49, 8], np.int64),
        "axis": np.array([1], np.int64),
    }
    made = network(nodes, {"x": ("n", 8, "h", "w")}, {"y": ("m", 8)}, weights, opset=18)
    taken = [[(n, 8, h, w)] for n, h, w in ((1, 28, 28), (2, 35, 14), (1, 77, 49))]
    return Case(made, {"h": 28, "w": 28}, ["h % 7 == 0", "w % 7 == 0"], taken, None, [(1, 8, 30, 28)])


def two_inputs() -> Case:
    """Two inputs are added, whose dimensions have other names. One that is broadcast is another program."""
    nodes = [node("Conv", "x w", "a", pads=[1, 1, 1, 1]), node("Add", "a z", "y")]
    shapes = {"x": ("n", 8, "h", "w"), "z": ("m", 8, "p", "q")}
    made = network(nodes, shapes, {"y": ("a", 8, "b", "c")}, {"w": draw(8, 8, 3, 3)})
    typical = {"h": 20, "w": 24, "p": 20, "q": 24}
    taken = [[(n, 8, h, w)] * 2 for n, h, w in ((1, 20, 24), (3, 31, 17))]
    return Case(made, typical, [], taken, [(2, 8, 20, 24), (1, 8, 20, 24)], [(1, 8, 20, 24), (1, 8, 21, 24)])


def with_a_rest() -> Case:
    """What typical sizes leave of a division stays: 33 of 4 leaves 1."""
    nodes = [
        node("Conv", "x w", "a", strides=[2, 2], pads=[1, 1, 1, 1]),
        node("Conv", "a w", "b", strides=[2, 2], pads=[1, 1, 1, 1]),
        node("ConvTranspose", "b u", "c", strides=[2, 2], pads=[1, 1, 1, 1]),
        node("Add", "a c", "y"),
    ]
    weights = {"w": draw(8, 8, 3, 3), "u": draw(8, 8, 3, 3)}
    made = network(nodes, {"x": ("n", 8, "h", "w")}, {"y": ("n", 8, "p", "q")}, weights)
    taken = [[(n, 8, h, w)] for n, h, w in ((1, 33, 33), (2, 45, 21))]
    return Case(
        made, {"h": 33, "w": 33}, ["h % 4 == 1", "w % 4 == 1"], taken, [(1, 8, 34, 33)], [(1, 8, 35, 33)]
    )


def anchors() -> Case:
    """A detector's ends: maps of two strides, one doubled onto the other, side by side, less the places of
    their pixels, which are counted in floats."""
    nodes = [
        node("Conv", "x w3", "a", strides=[2, 2], pads=[1, 1, 1, 1]),
        node("MaxPool", "a", "p", kernel_shape=[5, 5], pads=[2, 2, 2, 2]),
        node("Conv", "p w8", "b", strides=[2, 2], pads=[1, 1, 1, 1]),
        node("Resize", "b", "u", coordinate_transformation_mode="asymmetric", nearest_mode="floor"),
        node("Concat", "u a", "c", axis=1),
        node("Conv", "c w1", "d"),
    ]
    nodes[3].input[:] = ["b", "", "scales"]
    for name in "db":
        nodes += [
            node("Shape", name, f"{name}_shape"),
            node("Gather", f"{name}_shape three", f"{name}_width"),
            node("Cast", f"{name}_width", f"{name}_end", to=TensorProto.FLOAT),
            node("Range", f"nought {name}_end unit", f"{name}_places"),
            node("Add", f"{name}_places half", f"{name}_centres"),
            node("Sub", f"{name} {name}_centres", f"{name}_moved"),
            node("Reshape", f"{name}_moved flat", f"{name}_flat"),
        ]
    nodes += [node("Concat", "d_flat b_flat", "y", axis=2)]
    weights = {"w3": draw(8, 3, 3, 3), "w8": draw(8, 8, 3, 3), "w1": draw(8, 16, 1, 1)}
    weights |= {name: np.float32(value) for name, value in (("nought", 0), ("unit", 1), ("half", 0.5))}
    weights |= {"scales": np.array([1, 1, 2, 2], np.float32), "flat": np.array([0, 8, -1], np.int64)}
    weights |= {"three": np.array(3, np.int64)}
    made = network(nodes, {"x": ("n", 3, "h", "w")}, {"y": ("n", 8, "p")}, weights)
    taken = [[(n, 3, h, w)] for n, h, w in ((1, 16, 24), (2, 36, 20), (1, 80, 64))]
    return Case(made, {"h": 16, "w": 24}, ["h % 4 == 0", "w % 4 == 0"], taken, None, [(1, 3, 18, 24)])


CASES = {
    "anchors": anchors,
    "an encoder and a decoder": encoder_and_decoder,
    "windows": windows,
    "two inputs": two_inputs,
    "with a rest": with_a_rest,
}


def feeds(model: ModelProto, shapes: Sequence[Shape]) -> dict[str, np.ndarray]:
    values = model.graph.input[: len(shapes)]
    return {value.name: draw(*map(int, shape)) for value, shape in zip(values, shapes, strict=True)}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_tied_sizes(name: str) -> None:
    case = CASES[name]()
    model = directconv.compile(case.model, typical=case.typical, cache=False)
    (size,) = model.sizes
    assert size.is_open and [text for text in size.conditions if "%" in text] == list(case.tied)
    for shapes in [*case.taken, *([case.alone] if case.alone else [])]:
        given = feeds(case.model, shapes)
        (expected,) = run_onnx_runtime(case.model, given)
        (result,) = model.run(given)
        assert_matches(result, expected, f"{shapes}")
        assert len(model.sizes) == 1 + (shapes is case.alone)
    if case.refused:
        with pytest.raises(
            InputError, match=r"it is compiled for .* where .*, and cannot be compiled for it"
        ):
            model.run(feeds(case.model, case.refused))
    for info in model.outputs:
        assert all("_" not in str(dim) for dim in info.shape), info


def test_dimensions_that_a_table_fixes() -> None:
    """A model that declares its map open adds a table of positions to it: the batch alone is open."""
    nodes = [
        node("Conv", "x w", "a", strides=[4, 4]),
        node("Reshape", "a flat", "b"),
        node("Transpose", "b", "c", perm=[0, 2, 1]),
        node("Add", "c table", "y"),
    ]
    weights = {"w": draw(8, 3, 4, 4), "flat": np.array([0, 8, -1]), "table": draw(1, 48, 8)}
    made = network(nodes, {"x": ("n", 3, "h", "w")}, {"y": ("n", "p", 8)}, weights)
    model = directconv.compile(made, typical={"h": 24, "w": 32}, cache=False)
    assert model.sizes[0].typical == {"n": 1}
    for shape in ((1, 3, 24, 32), (5, 3, 24, 32), (2, 3, 32, 27)):  # the last has as many positions
        given = {"x": draw(*shape)}
        assert_matches(model.run(given)[0], run_onnx_runtime(made, given)[0], f"{shape}")
    assert len(model.sizes) == 2
    with pytest.raises(InputError, match=r"where x: float32\[n, 3, 24, 32\], and cannot be compiled for it"):
        model.run({"x": draw(1, 3, 40, 40)})


@pytest.mark.parametrize("opset", [11, 13])
def test_an_axis_that_is_pooled_to_one_element_is_squeezed(opset: int) -> None:
    """Other lengths are compiled alone, or no runtime takes them."""
    squeeze = node("Squeeze", "p", "q", axes=[-1]) if opset < 13 else node("Squeeze", "p last", "q")
    nodes = [node("MaxPool", "x", "p", kernel_shape=[4], strides=[4]), squeeze, node("Gemm", "q w", "y")]
    weights = {"w": draw(3, 5)} | ({"last": np.array([-1], np.int64)} if opset >= 13 else {})
    made = network(nodes, {"x": ("n", 3, "l")}, {"y": ("n", 5)}, weights, opset=opset)
    model = directconv.compile(made, typical={"l": 5}, cache=False)
    assert model.sizes[0].is_open
    for shape in ((2, 3, 5), (3, 3, 7)):
        x = draw(*shape)
        assert_matches(model.run(x)[0], run_onnx_runtime(made, {"x": x})[0], shape)
    assert len(model.sizes) == 1
    with pytest.raises(InputError, match=r"'Squeeze:q' \(Squeeze\): .* must be 1"):
        model.run(draw(1, 3, 9))
