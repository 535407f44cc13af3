"""Models that do not compile as a whole, in two parts: together they give what ONNX Runtime does."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from click.testing import CliRunner
from onnx import ModelProto, TensorProto, helper, numpy_helper
from reference import run_by_name

import tvm_directconv as directconv
from tvm_directconv.cli.group import commands
from tvm_directconv.errors import ModelError, UnsupportedOperatorError

RNG = np.random.default_rng(7)
X = RNG.standard_normal((1, 3, 9, 11), np.float32)


def network(text: str, inputs: str = "float[1,3,9,11] x", functions: str = "") -> ModelProto:
    """A model of a convolution ``y`` to 5 channels, and what ``text`` computes from it."""
    results, _, body = text.partition("=>")
    graph = f"""<ir_version: 8, opset_import: ["" : 17, "local" : 1, "nobody" : 1]>
        net ({inputs}) => {results} {{
            y = Conv <pads = [1, 1, 1, 1]> (x, w)
            {body}
        }}{functions}"""
    model = onnx.parser.parse_model(graph)
    for name, values in WEIGHTS.items():
        model.graph.initializer.append(numpy_helper.from_array(values, name))
    return model


WEIGHTS = {
    "w": RNG.standard_normal((5, 3, 3, 3), np.float32),
    "zero": np.float32(0),
    "boxes_shape": np.array([1, -1, 4]),
    "most": np.array([7]),
    "iou": np.array([0.4], np.float32),
    "score": np.array([0.1], np.float32),
    "three": np.array(3),
    "two": np.array(2),
    "yes": np.array(True),
}
MODELS: dict[str, Callable[[], ModelProto]] = {
    "positive values": lambda: network(
        """(int64[4,N] places, float[1,5,9,11] y, float[1,5,9,11] z) =>
        p = Relu (y)  above = Greater (p, zero)  places = NonZero (above)  z = Neg (p)"""
    ),
    "boxes": lambda: network(
        """(int64[N,3] chosen, float[1,M,4] boxes) =>
        boxes = Reshape (y_four, boxes_shape)
        y_four = Slice (y, zero_i, four_i, one_i)
        zero_i = Constant <value_ints = [0]> ()  four_i = Constant <value_ints = [4]> ()
        one_i = Constant <value_ints = [1]> ()  two_i = Constant <value_ints = [2]> ()
        t = Transpose <perm = [0, 2, 1]> (boxes)
        s = Slice (t, zero_i, one_i, one_i)
        chosen = NonMaxSuppression (boxes, s, most, iou, score)"""
    ),
    "a size from data, reused": lambda: network(
        """(float[N] values, float[K] short) =>
        above = Greater (y, zero)
        places = NonZero (above)
        rows = Transpose (places)
        values = GatherND (y, rows)
        count = Shape (values)
        flat = Flatten <axis = 0> (y)
        one = Squeeze (flat)
        half = Div (count, two)
        start = Constant <value_ints = [0]> ()
        short = Slice (one, start, half)"""
    ),
    "an input for the rest alone": lambda: network(
        """(float[N] kept, float[1,5,1,1] m) =>
        m = GlobalAveragePool (y)  flat = Flatten <axis = 0> (m)  row = Squeeze (flat)
        kept = Compress <axis = 0> (row, which)""",
        "float[1,3,9,11] x, bool[5] which",
    ),
    "a branch of both": lambda: network(
        """(int64[1,N] found) =>
        m = ReduceMax <keepdims = 0> (y)
        enough = Greater (m, zero)
        found = If (enough) <
            then_branch = a () => (int64[1,N] r) { q = Relu (y) f = Flatten <axis = 0> (q) s = Squeeze (f)
                r = NonZero (s) },
            else_branch = b () => (int64[1,N] r) { f = Flatten <axis = 0> (y) s = Squeeze (f)
                r = NonZero (s) }
        >"""
    ),
    "nodes of functions": lambda: network(
        "(int64[4,N] places) => p = local.positive (y)  places = NonZero (p)",
        functions="""<domain: "local", opset_import: ["" : 17]>
        positive (a) => (b) { b = Relu (a) }""",
    ),
}


def inputs_of(model: ModelProto) -> dict[str, np.ndarray]:
    drawn = {"x": X, "which": np.array([True, False, True, True, False])}
    return {value.name: drawn[value.name] for value in model.graph.input}


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_both_parts_compute_what_the_whole_does(name: str) -> None:
    model = MODELS[name]()
    first, rest = directconv.split(model)
    assert rest is not None
    for part in (first, rest):
        onnx.checker.check_model(part, full_check=True)
    assert any(node.op_type == "Conv" for node in first.graph.node)
    assert not any(node.op_type == "Conv" for node in rest.graph.node)
    inputs = inputs_of(model)
    compiled = directconv.compile(first, cache=False)
    found = dict(
        zip(compiled.output_names, compiled.run([inputs[n] for n in compiled.input_names]), strict=True)
    )
    assert {value.name for value in rest.graph.input} <= {*found, *inputs}
    found |= run_by_name(rest, found | inputs)
    whole = directconv.compile(model, cache=False)
    found_whole = dict(zip(whole.output_names, whole.run(inputs), strict=True))
    for output, wanted in run_by_name(model, inputs).items():
        for each in (found, found_whole):
            np.testing.assert_allclose(each[output], wanted, rtol=1e-4, atol=1e-5)


def test_results_that_are_left_out_are_none() -> None:
    model = network(
        """(int64[4,N] kept, float[1,5,9,11] z) =>
        p, first_mask = Dropout (y)  places = NonZero (p)
        kept, rest_mask = Dropout (places_f)  z = Neg (p)"""
    )
    nodes = list(model.graph.node)
    cast = helper.make_node("Cast", ["places"], ["places_f"], to=TensorProto.FLOAT)
    back = helper.make_node("Cast", ["kept_f"], ["kept"], to=TensorProto.INT64)
    nodes[1].output[1] = nodes[3].output[1] = ""
    nodes[3].output[0] = "kept_f"
    del model.graph.node[:]
    model.graph.node.extend([*nodes[:3], cast, nodes[3], back, nodes[4]])
    first, rest = directconv.split(model)
    assert rest is not None and [n.op_type for n in rest.graph.node] == ["NonZero", "Cast", "Dropout", "Cast"]
    assert [value.name for value in first.graph.output] == ["p", "z"]


def test_what_compiles_is_not_cut() -> None:
    model = network("(float[1,5,9,11] z) => z = Relu (y)")
    first, rest = directconv.split(model)
    assert first == model and rest is None


def test_the_model_stays_as_it_is() -> None:
    model = MODELS["positive values"]()
    before = model.SerializeToString(deterministic=True)
    directconv.split(model)
    assert model.SerializeToString(deterministic=True) == before


def test_shapes_are_fixed() -> None:
    model = network("(int64[4,N] places) => p = Relu (y)  places = NonZero (p)", "float[B,3,H,11] x")
    with pytest.raises(ModelError, match="shapes"):
        directconv.split(model)
    with pytest.raises(ModelError, match="'image', which is not an input"):
        directconv.split(model, shapes={"image": (2, 3, 8, 11)})
    first, _ = directconv.split(model, shapes={"x": (2, 3, 8, 11)})
    assert directconv.compile(first, cache=False).run([RNG.standard_normal((2, 3, 8, 11), np.float32)])


def test_a_shape_of_an_operator_that_nobody_knows() -> None:
    """What follows is of no known type, and the operator is what is refused."""
    model = network("(float[1,5,9,11] z) => s = nobody.Odd (y)  z = Reshape (y, s)")
    with pytest.raises(UnsupportedOperatorError, match="Odd"):
        directconv.compile(model, cache=False)


def test_operators_that_nobody_knows() -> None:
    first, rest = directconv.split(network("(float[1,5,9,11] z) => p = Relu (y)  z = nobody.Odd (p)"))
    assert rest is not None and [node.op_type for node in rest.graph.node] == ["Odd"]
    assert [value.name for value in first.graph.output] == [value.name for value in rest.graph.input] == ["p"]


def test_a_model_that_begins_so_is_refused() -> None:
    model = network("(float[1,5,9,11] z) => z = Relu (y)")
    model.graph.node[0].domain = "nobody"
    with pytest.raises(UnsupportedOperatorError, match="nobody::Conv"):
        directconv.split(model)


def test_the_command(tmp_path: Path) -> None:
    path, first, rest = (tmp_path / f"{name}.onnx" for name in ("model", "first", "rest"))
    onnx.save(MODELS["positive values"](), path)
    arguments = ["split", str(path), str(first), str(rest)]
    result = CliRunner().invoke(commands, arguments)
    assert result.exit_code == 0 and f"{first}: 4 nodes, 1 inputs, 3 outputs" in result.output.replace(
        "\n", ""
    )
    directconv.compile(first, cache=False)
    parts = json.loads(CliRunner().invoke(commands, [*arguments, "--json"]).output)["parts"]
    assert [part["file"] for part in parts] == [str(first), str(rest)] and parts[1]["outputs"] == ["places"]
    content = path.read_bytes()
    result = CliRunner().invoke(commands, ["split", str(path), str(first), str(path)])
    assert result.exit_code == 2 and "three files" in result.output and path.read_bytes() == content


def test_long_vectors_that_the_importer_knows_are_constants() -> None:
    """A shape of so many numbers would overflow the stack of TVM's own passes."""
    count = 60_000
    shapes = [numpy_helper.from_array(np.array([count]), "count")]
    nodes = [
        helper.make_node(
            "ConstantOfShape",
            ["count"],
            [f"c{i}"],
            value=helper.make_tensor("v", TensorProto.INT64, [1], [i]),
        )
        for i in range(2)
    ]
    nodes += [
        helper.make_node("Concat", ["c0", "c1"], ["c"], axis=0),
        helper.make_node("Add", ["x", "c"], ["y"]),
    ]
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes,
        "levels",
        [value("x", TensorProto.INT64, [2 * count])],
        [value("y", TensorProto.INT64, [2 * count])],
        shapes,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    x = RNG.integers(0, 9, 2 * count)
    (y,) = directconv.compile(model, cache=False).run([x])
    assert np.array_equal(y, x + np.repeat([0, 1], count))
