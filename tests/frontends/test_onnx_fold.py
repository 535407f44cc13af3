"""Shapes are folded before anything else: what follows from them is a constant, what does not is named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import onnx.reference
import pytest
from graph_support import draw, network, node
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, helper, numpy_helper
from reference import run_onnx_runtime
from tvm import relax

import tvm_directconv as directconv
from relay_strategies.frontends.onnx import fold
from relay_strategies.frontends.onnx.fold import MOST_ELEMENTS
from relay_strategies.frontends.onnx.importer import walk_model
from relay_strategies.frontends.onnx.walk import Walk
from tvm_directconv.errors import DirectConvError, ModelError, UnsupportedOperatorError

X = {"x": (2, 6, 4, 5)}


def ints(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int64)


def scalar(number: int) -> np.ndarray:
    return np.array(number, np.int64)


def left(model: ModelProto) -> Counter[str]:
    """The operators that are left of a model when its shapes are folded."""
    return Counter(node.op_type for node in walk_model(model).nodes)


def assert_same(model: ModelProto, made: Walk) -> None:
    """What is left of the graph means what the model says, by ONNX's reference implementation."""
    x = draw(*X["x"])
    want = onnx.reference.ReferenceEvaluator(model).run(None, {"x": x})
    got = directconv.compile(made.module, cache=False).run([x])
    products = any(node.op_type == "MatMul" for node in made.nodes)  # kernels add these up in another order
    for one, other in zip(got, want, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6 if products else 0)


def shuffled() -> ModelProto:
    """Channels between groups: their number is looked up, divided and put into a shape."""
    nodes = [
        node("Shape", "x", "s"),
        node("Gather", "s one", "c"),
        node("Div", "c two", "half"),
        node("Unsqueeze", "half front", "u"),
        node("Concat", "first pair u last", "wide", axis=0),
        node("Reshape", "x wide", "r"),
        node("Transpose", "r", "t", perm=[0, 2, 1, 3, 4]),
        node("Reshape", "t s", "y"),
    ]
    weights = {"one": scalar(1), "two": scalar(2), "front": ints(0), "first": ints(2), "pair": ints(2)}
    return network(nodes, X, {"y": X["x"]}, weights | {"last": ints(4, 5)})


def expanded() -> ModelProto:
    """A dimension of -1 stands for that of the tensor: Where chooses between two shapes."""
    nodes = [
        node("ConstantOfShape", "rank", "ones", value=numpy_helper.from_array(ints(1))),
        node("Mul", "ones minus", "kept"),
        node("Equal", "wanted kept", "is_kept"),
        node("Shape", "x", "s"),
        node("Where", "is_kept s wanted", "target"),
        node("Expand", "row target", "wide"),
        node("Add", "x wide", "y"),
    ]
    weights = {"rank": ints(4), "minus": ints(-1), "wanted": ints(-1, 6, -1, 5), "row": draw(1, 1, 1, 5)}
    return network(nodes, X, {"y": X["x"]}, weights)


def positions() -> ModelProto:
    """Distances between the places of a row, of which a bias is looked up."""
    nodes = [
        node("Shape", "x", "s"),
        node("Gather", "s three", "n"),
        node("Range", "zero n one", "r"),
        node("Unsqueeze", "r front", "row"),
        node("Transpose", "row", "column"),
        node("Sub", "row column", "d"),
        node("Abs", "d", "a"),
        node("Gather", "table a", "bias"),
        node("MatMul", "x bias", "y"),
    ]
    weights = {"three": scalar(3), "zero": scalar(0), "one": scalar(1), "front": ints(0), "table": draw(5)}
    return network(nodes, X, {"y": X["x"]}, weights)


def masked() -> ModelProto:
    """Some elements of a constant are found, counted and written over."""
    nodes = [
        node("NonZero", "flags", "z"),
        node("Transpose", "z", "places"),
        node("Shape", "places", "s"),
        node("Gather", "s first", "n"),
        node("Expand", "hundred n", "values"),
        node("ScatterND", "zeros places values", "mask"),
        node("Add", "x mask", "y"),
    ]
    weights = {"flags": np.array([0, 1, 0, 1, 1], np.float32), "first": ints(0)}
    weights |= {"hundred": np.array([100], np.float32), "zeros": np.zeros(5, np.float32)}
    return network(nodes, X, {"y": X["x"]}, weights)


def split() -> ModelProto:
    """Both halves of a vector of sizes are used."""
    nodes = [
        node("Shape", "x", "s"),
        node("Split", "s", "outer inner", axis=0),
        node("ReduceProd", "inner", "p", keepdims=1),
        node("Concat", "outer p", "flat", axis=0),
        node("Reshape", "x flat", "y"),
    ]
    return network(nodes, X, {"y": (2, 6, 20)})


def branch(name: str, nodes: list[NodeProto], result: str) -> GraphProto:
    value = helper.make_tensor_value_info(result, TensorProto.FLOAT, None)
    constant = numpy_helper.from_array(ints(0), "axes")
    return helper.make_graph(nodes, name, [], [value], [constant])


def conditional(rank: int, nested: bool = False) -> ModelProto:
    """A Squeeze of what may have one element, as exporters write it; both branches use the same names.

    Where the rank is 4, the branch that is not taken has an operator that is not supported.
    """
    then = [node("Unsqueeze", "x axes", "u"), node("Squeeze", "u axes", "b")]
    if nested:
        inner = branch("inner", [node("Mul", "u u", "m")], "m")
        other = branch("other", [node("Neg", "u", "m")], "m")
        then.append(node("If", "is", "b2", then_branch=inner, else_branch=other))
    else_nodes = [node("Relu", "x", "b")] if rank < 4 else [node("RandomNormalLike", "x", "b")]
    taken, untaken = branch("then", then, "b2" if nested else "b"), branch("else", else_nodes, "b")
    nodes = [
        node("Shape", "x", "s"),
        node("Size", "s", "n"),
        node("Equal", "n rank", "is"),
        node("If", "is", "y", then_branch=taken, else_branch=untaken),
    ]
    shape = (1, *X["x"]) if nested else X["x"]
    return network(nodes, X, {"y": shape}, {"rank": scalar(rank)})


def loop(turns: int, condition: str = "", scanned: bool = True, goes_on: str = "c") -> ModelProto:
    """x plus the number of each turn, which a scan also collects, doubled."""
    nodes = [
        node("Cast", "i", "f", to=TensorProto.FLOAT),
        node("Add", "v f", "w"),
        node("Identity", goes_on, "on"),
        node("Add", "w w", "z"),
    ]
    state = helper.make_tensor_value_info("v", TensorProto.FLOAT, None)
    number = helper.make_tensor_value_info("i", TensorProto.INT64, [])
    flags = [helper.make_tensor_value_info(name, TensorProto.BOOL, []) for name in ("c", "on")]
    results = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ("w", "z")]
    body = helper.make_graph(
        nodes if scanned else nodes[:3],
        "body",
        [number, flags[0], state],
        [flags[1], *results[: 1 + scanned]],
    )
    made = helper.make_node("Loop", ["turns", condition, "x"], ["y", "all"][: 1 + scanned], body=body)
    outputs = {"y": X["x"]} | ({"all": (turns, *X["x"])} if scanned else {})
    weights = {"turns": scalar(turns), "yes": np.array(True), "no": np.array(False)}
    return network([made], X, outputs, weights)


FOLDED: dict[str, tuple[ModelProto, dict[str, int]]] = {
    "shuffled": (shuffled(), {"Reshape": 2, "Transpose": 1}),
    "expanded": (expanded(), {"Add": 1}),
    "positions": (positions(), {"MatMul": 1}),
    "masked": (masked(), {"Add": 1}),
    "split": (split(), {"Reshape": 1}),
    "branch taken": (conditional(4), {"Unsqueeze": 1, "Squeeze": 1, "Identity": 1}),
    "branch not taken": (conditional(3), {"Relu": 1, "Identity": 1}),
    "turns": (loop(3, "yes", scanned=False), {"Add": 3, "Identity": 1}),
    "turns of a true condition": (loop(2, "yes", scanned=False, goes_on="yes"), {"Add": 2, "Identity": 1}),
    "no turns": (loop(0, scanned=False), {"Identity": 1}),
    "branch in a branch": (
        conditional(4, nested=True),
        {"Unsqueeze": 1, "Squeeze": 1, "Mul": 1, "Identity": 2},
    ),
}


@pytest.mark.parametrize("name", FOLDED)
def test_what_follows_from_shapes_is_constant(name: str) -> None:
    model, wanted = FOLDED[name]
    made = walk_model(model)
    assert Counter(n.op_type for n in made.nodes) == wanted
    blocks = made.module["main"].body.blocks
    assert all(isinstance(block, relax.DataflowBlock) for block in blocks), "fusion looks at these alone"
    assert_same(model, made)


@pytest.mark.parametrize("condition", ["", "yes"])
@pytest.mark.parametrize("declared", [True, False], ids=["declared", "of no shape"])
def test_what_turns_make_is_stacked(condition: str, declared: bool) -> None:
    """ONNX's reference implementation puts the parts one behind the other."""
    model, x = loop(3, condition), draw(*X["x"])
    for output in () if declared else model.graph.output:
        output.type.tensor_type.ClearField("shape")
    results = zip(directconv.compile(model).run([x]), run_onnx_runtime(model, {"x": x}), strict=True)
    for result, wanted in results:
        np.testing.assert_allclose(result, wanted, rtol=1e-6)


@pytest.mark.parametrize("options", [{"condition": "no"}, {"goes_on": "no"}, {"turns": 4000}])
def test_loops_that_may_end_early_or_are_too_long_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(UnsupportedOperatorError, match="Loop"):
        walk_model(loop(**{"turns": 2, **options}))


def test_a_long_chain_takes_one_walk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each link's shape is known when the one before it is: no inference of the whole graph per link."""
    nodes, last = [], "x"
    for i in range(40):
        nodes += [node("Shape", last, f"s{i}"), node("Gather", f"s{i} order", f"o{i}")]
        nodes += [node("Reshape", f"{last} o{i}", f"y{i}")]
        last = f"y{i}"
    asked = []
    infer = onnx.shape_inference.infer_shapes

    def counted(model: ModelProto, *arguments: object, **options: object) -> ModelProto:
        asked.append(model)
        return infer(model, *arguments, **options)

    monkeypatch.setattr(onnx.shape_inference, "infer_shapes", counted)
    weights = {"order": ints(3, 2, 1, 0)}
    assert left(network(nodes, X, {last: X["x"]}, weights)) == {"Reshape": 40}
    assert len(asked) < 8


def test_layers_keep_their_names_and_quantization_stays() -> None:
    nodes = [
        node("DequantizeLinear", "q scale zero", "w"),
        node("Conv", "x w", "c"),
        node("Shape", "x", "s"),
        node("Gather", "s one", "n"),
        node("Cast", "n", "f", to=TensorProto.FLOAT),
        node("Mul", "c f", "y"),
    ]
    weights = {"q": np.ones((3, 6, 1, 1), np.int8), "scale": np.float32(0.5), "zero": np.int8(0)}
    arrays = {name: np.asarray(value) for name, value in weights.items()} | {"one": scalar(1)}
    made = walk_model(network(nodes, X, {"y": (2, 3, 4, 5)}, arrays))
    assert [n.name for n in made.nodes] == ["DequantizeLinear:w", "Conv:c", "Mul:y"]


# ---- bounds


def grown(kind: str, size: int) -> ModelProto:
    """A constant of a few bytes from which many are made."""
    operands = {"Expand": "one size", "Tile": "one size", "Range": "zero size unit"}[kind]
    small = {"one": np.ones(1, np.int64), "size": ints(size), "zero": scalar(0), "unit": scalar(1)}
    if kind == "Range":
        small["size"] = scalar(size)
    used = {name: small[name] for name in operands.split()}
    nodes = [node(kind, operands, "big"), node("Cast", "big", "f", to=TensorProto.FLOAT)]
    nodes += [node("ReduceSum", "f", "total", keepdims=0), node("Add", "x total", "y")]
    return network(nodes, X, {"y": X["x"]}, used)


@pytest.mark.parametrize("kind", ["Expand", "Tile", "Range"])
def test_large_tensors_are_not_folded(kind: str) -> None:
    assert left(grown(kind, MOST_ELEMENTS)) == {"Add": 1}
    assert left(grown(kind, MOST_ELEMENTS + 1))[kind] == 1


def test_nor_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many nodes there are, their constants take a bounded time and memory together."""
    monkeypatch.setattr(fold, "MOST_IN_ALL", 1000)
    count = 100
    nodes = [node("Expand", "one size", f"e{i}") for i in range(count)]
    nodes += [node("Sum", " ".join(f"e{i}" for i in range(count)), "sum"), node("Add", "x sum", "y")]
    weights = {"one": np.ones(1, np.float32), "size": ints(2, 6, 4, 5)}
    assert left(network(nodes, X, {"y": X["x"]}, weights))["Expand"] > count - 20


def test_work_out_of_proportion_is_left_alone() -> None:
    """Three short vectors, and a sum over all triples of their elements."""
    nodes = [node("Einsum", "v v v", "e", equation="a,b,c->"), node("Add", "x e", "y")]
    model = network(nodes, X, {"y": X["x"]}, {"v": np.ones(1000, np.float32)})
    assert left(model)["Einsum"] == 1


def test_what_cannot_be_computed_is_no_crash() -> None:
    """Operands that an operator does not allow: one error, whoever finds it."""
    nodes = [node("Concat", "a a", "b", axis=7), node("Reshape", "x b", "y")]
    with pytest.raises(ModelError):
        walk_model(network(nodes, X, {"y": X["x"]}, {"a": ints(1)}))
    nodes = [node("Reshape", "a b", "c"), node("Add", "x c", "y")]
    with pytest.raises(ModelError):
        walk_model(network(nodes, X, {"y": X["x"]}, {"a": draw(5), "b": ints(7)}))


EXTREMES = (-(2**63), -1, 0, 2**31, 2**63 - 1)
EXTREME_OPERANDS: dict[str, Callable[[int], dict[str, np.ndarray]]] = {
    "Reshape": lambda v: {"c": draw(4), "n": ints(v)},
    "Expand": lambda v: {"c": draw(4), "n": ints(v)},
    "Tile": lambda v: {"c": draw(4), "n": ints(v)},
    "ConstantOfShape": lambda v: {"n": ints(v)},
    "Unsqueeze": lambda v: {"c": draw(4), "n": ints(v)},
    "Pad": lambda v: {"c": draw(4), "n": ints(v, v)},
    "Slice": lambda v: {"c": draw(4), "n": ints(0), "m": ints(v), "a": ints(0), "t": ints(v)},
    "TopK": lambda v: {"c": draw(4), "n": ints(v)},
    "OneHot": lambda v: {"c": ints(1, 2), "n": scalar(v), "v": draw(2)},
    "Range": lambda v: {"c": scalar(0), "n": scalar(v), "t": scalar(0)},
    "Gather": lambda v: {"c": draw(4), "n": ints(v)},
    "GatherND": lambda v: {"c": draw(4, 4), "n": np.array([[v, v]])},
    "ScatterND": lambda v: {"c": draw(4), "n": np.array([[v]]), "u": draw(1)},
    "Div": lambda v: {"c": ints(v), "n": ints(0)},
    "Mod": lambda v: {"c": ints(v), "n": ints(0)},
}
"""What no network computes of its shapes, and files may hold."""


@pytest.mark.parametrize("value", EXTREMES)
@pytest.mark.parametrize("kind", EXTREME_OPERANDS)
def test_extreme_operands_are_one_error_or_none(kind: str, value: int) -> None:
    constants = EXTREME_OPERANDS[kind](value)
    results = "big places" if kind == "TopK" else "big"
    nodes = [node(kind, " ".join(constants), results), node("Cast", "big", "f", to=TensorProto.FLOAT)]
    nodes += [node("ReduceSum", "f", "total", keepdims=0), node("Add", "x total", "y")]
    try:
        walk_model(network(nodes, X, {"y": X["x"]}, constants))
    except ModelError as error:
        assert str(error)


# ---- what remains dynamic


def test_symbolic_dimensions_are_named_together() -> None:
    shapes = {"x": ("n", 8), "z": ("n", 8, "w")}
    model = network([node("Identity", "x", "y"), node("Identity", "z", "u")], shapes, {"y": ("n", 8)})
    message = r"input 'x': dimension 0 'n'; input 'z': dimension 0 'n' and dimension 2 'w' are symbolic.*"
    with pytest.raises(ModelError, match=message + r"shapes=\{'x': \(\.\.\.\), 'z': \(\.\.\.\)\}"):
        directconv.compile(model, on_demand=True)


@pytest.mark.parametrize("count", [1, 20])
def test_shapes_that_follow_from_values_are_named(count: int) -> None:
    nodes = [node("NonZero", "x", f"z{i}") for i in range(count)]
    nodes.append(node("Concat", " ".join(f"z{i}" for i in range(count)), "z", axis=1))
    nodes.append(node("Shape", "z", "y"))
    model = network(nodes, X, {})
    model.graph.output.append(helper.make_tensor_value_info("y", TensorProto.INT64, [2]))
    with pytest.raises(
        UnsupportedOperatorError, match=r"dimension 1 of 'z0' \(node 'NonZero:z0', NonZero\)"
    ) as e:
        directconv.compile(model, "opencl -device=mali -model=g72")
    assert ("and 12 more" in str(e.value)) == (count == 20) and "tvm_directconv.split" in str(e.value)


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        (np.float32([0, 1e30, 1e-30]), "has 1e[+]60 elements; at most 16777216"),
        (np.array([0, 1e300, 1e-300]), "has inf elements; at most"),
        (np.float32([0, np.inf, 1]), "has inf elements; at most"),
        (np.float32([0, 1, np.nan]), "has an undefined number of elements"),
        (np.float32([0, 1, 0]), "delta not 0"),
        (np.array([0, 2**63 - 1, 1]), "at most 16777216"),
    ],
)
def test_ranges_without_end_are_refused(numbers: np.ndarray, message: str) -> None:
    with pytest.raises(DirectConvError, match=f"'r' .Range.*{message}"):
        directconv.compile(_range(numbers))


@pytest.mark.parametrize(
    ("numbers", "count"),
    [
        (np.array([-(2**63), 2**63 - 1, 2**62]), 4),
        (np.array([-(2**31), 2**31 - 1, 2**30], np.int32), 4),
        (np.array([5, 0, -2]), 3),
        (np.float32([0, 0.3, 0.1]), 4),  # the float32 next to 0.3 over that next to 0.1 is more than 3
        (np.float32([0, 5, -1]), 0),
    ],
)
def test_ranges_are_counted_as_onnxruntime_counts(numbers: np.ndarray, count: int) -> None:
    (found,) = directconv.compile(_range(numbers)).run(np.zeros(1, np.float32))
    wanted = numbers[0].item() + np.arange(count) * numbers[2].item()
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


def _range(numbers: np.ndarray) -> onnx.ModelProto:
    names = ("start", "limit", "delta")
    nodes = [
        helper.make_node("Range", names, ["r"], "r"),
        helper.make_node("Cast", ["r"], ["c"], to=TensorProto.FLOAT),
        helper.make_node("Add", ["c", "x"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes,
        "ranges",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(number, name) for number, name in zip(numbers, names, strict=True)],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def test_initializers_that_are_listed_as_inputs_are_not_inputs() -> None:
    """Not even where nothing reads them any more: the shape of a constant, as old exporters write weights."""
    model = network(
        [
            node("ConstantOfShape", "shape", "ones", value=numpy_helper.from_array(np.ones(1, np.float32))),
            node("Add", "x ones", "y"),
        ],
        {"x": (2, 3)},
        {"y": (2, 3)},
        {"shape": np.array([2, 3])},
    )
    model.graph.input.append(helper.make_tensor_value_info("shape", TensorProto.INT64, [2]))
    x = draw(2, 3)
    compiled = directconv.compile(model)
    assert [info.name for info in compiled.inputs] == ["x"]
    np.testing.assert_array_equal(compiled.run(x)[0], x + 1)
