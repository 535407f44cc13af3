"""Results as large as what a model finds, against ONNX Runtime: where much, little and nothing is found."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from graph_support import draw, node
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper
from reference import run_onnx_runtime

import tvm_directconv as directconv
from tvm_directconv.errors import InputError, UnsupportedOperatorError

WEIGHTS = {
    **{f"i{value}": np.array(value, np.int64) for value in (0, 1, 2, 5)},
    **{f"v{value}": np.array([value], np.int64) for value in (-1, 0, 1, 2, 3, 4, 20)},
    "most": np.array([2**63 - 1], np.int64),
    "zero": np.float32(0),
    "overlap": np.array([0.5], np.float32),
    "least": np.array([0.3], np.float32),
    "ends": np.array([0, 1], np.float32),
    "matrix": draw(6, 5),
    "filter": draw(4, 3, 3, 3),
}
Dims = Sequence[int | str]


def network(
    nodes: Sequence[NodeProto], inputs: dict[str, Dims], outputs: dict[str, int], opset: int = 17
) -> ModelProto:
    """A model of float inputs; ``outputs`` have types, and sizes that nobody declares."""
    read = {name for each in nodes for name in each.input}
    read |= {name for each in nodes for a in each.attribute for inner in a.g.node for name in inner.input}
    graph = helper.make_graph(
        list(nodes),
        "network",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, dims) for name, dims in inputs.items()],
        [helper.make_tensor_value_info(name, kind, None) for name, kind in outputs.items()],
        [numpy_helper.from_array(array, name) for name, array in WEIGHTS.items() if name in read],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)


def right(
    model: ModelProto, inputs: Sequence[dict[str, np.ndarray]], typical: dict[str, int] | None = None
) -> directconv.CompiledModel:
    """Compile a model once, and compare all results at each of the inputs."""
    compiled = directconv.compile(model, typical=typical, cache=False)
    for number, given in enumerate(inputs):
        wanted = run_onnx_runtime(model, given)
        for name, result, expected in zip(compiled.output_names, compiled.run(given), wanted, strict=True):
            assert result.shape == expected.shape, (name, number)
            np.testing.assert_allclose(result, expected, 1e-4, 1e-5, err_msg=f"{name} {number}")
    assert len(compiled.sizes) == 1
    return compiled


FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64
SELECTIONS = [
    node("Greater", "x zero", "above"),
    node("NonZero", "above", "places"),
    node("Transpose", "places", "rows", perm=[1, 0]),
    node("GatherND", "x rows", "values"),
    node("Mul", "values values", "squares"),
    # As many as are known when it runs: computed on, sorted, cut, filled up and repeated.
    node("Shape", "values", "count"),
    node("Min", "count v20", "few"),
    node("TopK", "values few", "largest order"),
    node("Sub", "v20 few", "missing"),
    node("Concat", "v0 missing", "pads", axis=0),
    node("Pad", "largest pads zero", "filled"),
    node("Div", "count v2", "half"),
    node("Slice", "values v0 half", "first"),
    node("Concat", "v2 count", "twice", axis=0),
    node("Expand", "values twice", "repeated"),
    node("ReduceSum", "repeated", "sums", keepdims=0),
    node("Squeeze", "count", "number"),
    node("Range", "i0 number i1", "numbers"),
    node("Compress", "x picked", "picked_rows", axis=1),
    node("Compress", "x picked", "picked_all"),
    node("Slice", "x v0 v1 v0", "some"),
    node("ReduceMax", "some", "highest", axes=[0, 2], keepdims=0),
    node("Greater", "highest zero", "picked"),
    # Products and convolutions of as many as there are.
    node("Slice", "rows v0 v1 v1", "image"),
    node("Squeeze", "image v1", "images"),
    node("Gather", "x images", "taken", axis=0),
    node("MatMul", "taken matrix", "product"),
    node("Softmax", "product", "weights", axis=-1),
]


def test_selections() -> None:
    outputs = dict.fromkeys(
        ("squares", "filled", "first", "sums", "picked_rows", "picked_all", "product", "weights"), FLOAT
    )
    outputs |= dict.fromkeys(("places", "order", "numbers"), INT64)
    model = network(SELECTIONS, {"x": ("n", 3, 6)}, outputs)
    inputs = [draw(4, 3, 6), draw(1, 3, 6) - 5, draw(7, 3, 6) + 5, draw(2, 3, 6) - 0.3]
    compiled = right(model, [{"x": each} for each in inputs])
    assert dict(zip(compiled.output_names, compiled.outputs, strict=True))["filled"].shape == (20,)


GIVEN = [
    node("Slice", "x v0 k", "first"),
    node("Concat", "k v1 v1", "wide", axis=0),
    node("Expand", "line wide", "spread"),
    node("Concat", "v2 k", "times", axis=0),
    node("Tile", "line times", "tiled"),
    node("ConstantOfShape", "wide", "nothing"),
    node("TopK", "line k", "largest order"),
    node("Squeeze", "k", "number"),
    node("Range", "i1 number i2", "numbers"),
    node("OneHot", "order number ends", "places", axis=1),
    # Maps of the size that is given, as masks are brought back to that of an image.
    node("Shape", "x", "of_x"),
    node("Slice", "of_x v0 v2", "fixed"),
    node("Cast", "side", "sides", to=TensorProto.INT64),
    node("Concat", "fixed sides", "sizes", axis=0),
    node("Resize", "x - - sizes", "map", mode="linear"),
]


def test_inputs_that_are_sizes() -> None:
    outputs = dict.fromkeys(("first", "spread", "tiled", "nothing", "largest", "places", "map"), FLOAT)
    model = network(GIVEN, {"x": ("n", 3, 9, 7), "line": (1, 6), "side": (2,)}, outputs | {"numbers": INT64})
    model.graph.input.append(helper.make_tensor_value_info("k", INT64, [1]))
    inputs = [
        {"x": draw(n, 3, 9, 7), "line": draw(1, 6), "side": np.float32(side), "k": np.array([k])}
        for n, side, k in ((1, (13, 21), 2), (3, (5, 3), 5), (2, (9, 30), 1))
    ]
    compiled = right(model, inputs)
    with pytest.raises(InputError, match="a size is not within 0 and"):
        compiled.run(inputs[0] | {"k": np.array([-1])})


def boxes(batch: int, classes: int, count: int, centered: bool, seed: int) -> dict[str, np.ndarray]:
    """Boxes of which many overlap, with scores of which some are equal."""
    rng = np.random.default_rng(seed)
    corners = rng.random((batch, count, 4), np.float32)
    corners[..., 2:] = 0.3 * corners[..., 2:] + (0 if centered else corners[..., :2])
    if not centered:  # opposite corners, whichever
        flipped = rng.random((batch, count)) < 0.3
        corners[flipped] = corners[flipped][:, [2, 3, 0, 1]]
    return {"b": corners, "s": np.round(rng.random((batch, classes, count)), 2).astype(np.float32)}


SUPPRESSIONS = {
    "few": (1, 2, 50, False, "b s v20 overlap least"),
    "centers": (2, 1, 83, True, "b s v20 overlap least"),
    "all scores": (1, 5, 400, False, "b s most overlap"),
    "nothing else": (2, 2, 33, False, "b s most"),
    "none": (1, 2, 20, False, "b s"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SUPPRESSIONS)
def test_suppression(name: str) -> None:
    batch, classes, count, centered, operands = SUPPRESSIONS[name]
    nodes = [
        node("NonMaxSuppression", operands, "chosen", center_point_box=int(centered)),
        node("Gather", "chosen v2", "column", axis=1),
        node("Squeeze", "column v1", "which"),
        node("Slice", "b v0 v1 v0", "image"),
        node("Squeeze", "image v0", "corners"),
        node("Gather", "corners which", "found", axis=0),
    ]
    inputs = {"b": ("n", count, 4), "s": ("n", classes, count)}
    model = network(nodes, inputs, {"chosen": INT64, "found": FLOAT})
    drawn = [boxes(images, classes, count, centered, seed) for seed, images in enumerate((batch, batch + 1))]
    right(model, [*drawn, {**drawn[0], "s": drawn[0]["s"] * 0}])


def detector(most: int = 300) -> ModelProto:
    """A network with anchors of any height and width, and the end of a detector: what is left of the boxes
    above a score, or nothing where none is."""
    otherwise = helper.make_graph(
        [
            node("Unsqueeze", "kept_boxes v0", "one"),
            node("Reshape", "kept_scores v1_1_1", "scores_of_one"),
            node("NonMaxSuppression", "one scores_of_one most overlap", "triples"),
            node("Gather", "triples v2", "last", axis=1),
            node("Squeeze", "last v1", "chosen"),
        ],
        "otherwise",
        [],
        [helper.make_tensor_value_info("chosen", INT64, None)],
    )
    nothing = helper.make_graph(
        [helper.make_node("Constant", [], ["none"], value=numpy_helper.from_array(np.zeros(0, np.int64)))],
        "nothing",
        [],
        [helper.make_tensor_value_info("none", INT64, [0])],
    )
    nodes = [
        node("Conv", "x filter", "map", pads=[1, 1, 1, 1], strides=[2, 2]),
        node("Transpose", "map", "last_channels", perm=[0, 2, 3, 1]),
        node("Reshape", "last_channels fours", "corners"),
        node("ReduceMax", "corners", "scores", axes=[-1], keepdims=0),
        node("Greater", "scores least", "enough"),
        node("NonZero", "enough", "where"),
        node("Squeeze", "where v0", "places"),
        node("Gather", "corners places", "kept_boxes", axis=0),
        node("Gather", "scores places", "kept_scores", axis=0),
        node("Size", "kept_boxes", "size"),
        node("Equal", "size i0", "is_empty"),
        helper.make_node("If", ["is_empty"], ["kept"], then_branch=nothing, else_branch=otherwise),
        node("Gather", "kept_boxes kept", "y", axis=0),
        node("Gather", "kept_scores kept", "z", axis=0),
    ]
    return network(nodes, {"x": ("n", 3, "h", "w")}, {"y": FLOAT, "z": FLOAT})


WEIGHTS |= {"fours": np.array([-1, 4]), "v1_1_1": np.array([1, 1, -1])}
IMAGES = [draw(1, 3, 32, 32) * 3, draw(1, 3, 45, 67) * 3, draw(2, 3, 33, 32) * 3, draw(1, 3, 32, 64) * 0]


def test_a_detector(tmp_path: Path) -> None:
    """Whole, of any size, and found nothing; from a library, by requests, and in its own memory, too."""
    model = detector()
    compiled = right(model, [{"x": image} for image in IMAGES], {"h": 32, "w": 32})
    assert [info.shape[1:] for info in compiled.outputs] == [(4,), ()]
    compiled.export_library(tmp_path / "detector.so")
    loaded = directconv.load(tmp_path / "detector.so")
    for image in IMAGES:
        for each in (loaded.run(image), compiled.request().run(image), loaded.submit(image).result()):
            for result, wanted in zip(each, compiled.run(image), strict=True):
                np.testing.assert_array_equal(result, wanted)
    assert compiled.memory(n=1, h=64, w=64) > compiled.memory(n=1, h=32, w=32) > 0
    assert any(call.name == "suppression" for call in compiled.profile(IMAGES[0], rounds=1).calls)


def test_sizes_that_are_none() -> None:
    """A size that a model computes is checked when it runs."""
    nodes = [
        node("ReduceSum", "x", "sum", keepdims=0),
        node("Cast", "sum", "count", to=INT64),
        node("Reshape", "count v_1", "size"),
        node("ConstantOfShape", "size", "y"),
    ]
    model = network(nodes, {"x": (3,)}, {"y": FLOAT})
    compiled = directconv.compile(model, cache=False)
    assert compiled.run(np.float32([1, 2, 4]))[0].shape == (7,)
    with pytest.raises(InputError, match=r"node '.*' \(ConstantOfShape\): a size is not within 0 and"):
        compiled.run(np.float32([-1, 0, 0]))


WEIGHTS |= {"v_1": np.array([-1])}


def test_targets_that_take_numbers_refuse_them() -> None:
    model = network([node("NonZero", "x", "y")], {"x": (3, 4)}, {"y": INT64})
    with pytest.raises(UnsupportedOperatorError, match="tvm_directconv.split"):
        directconv.compile(model, "opencl -device=mali -model=g72")
