"""Loops and branches that are decided when a model runs, and sequences, against ONNX Runtime."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graph_support import draw
from graph_support import node as named_node
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper
from reference import run_onnx_runtime

import tvm_directconv as directconv
from tvm_directconv.errors import ModelError, UnsupportedOperatorError

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
RNG = np.random.default_rng(3)
CONSTANTS: dict[str, Any] = {
    "w": draw(8, 8),
    "keys": draw(8, 8, seed=1),
    "values": draw(8, 8, seed=2),
    "words": draw(8, 8, seed=3) * 5,
    "half": np.float32(0.5),
    "limit": np.float32(2),
    "i0": np.int64(0),
    "last": np.int64(-1),
    "v0": np.array([0]),
    "v_1": np.array([-1]),
    "far": np.array([1 << 40]),
    "end": np.array([3]),
    "as_column": np.array([-1, 1]),
    "filter": draw(4, 4, 3, 3),
}
Given = dict[str, np.ndarray]


def node(kind: str, inputs: str, outputs: str, **attributes: Any) -> NodeProto:
    return named_node(kind, inputs, outputs, **attributes)


def value(text: str) -> ValueInfoProto:
    """A value by "name type rank", or a sequence by "name sequence"."""
    name, kind, *rank = text.split()
    if kind == "sequence":
        tensor = helper.make_tensor_type_proto(FLOAT, None)
        return helper.make_value_info(name, helper.make_sequence_type_proto(tensor))
    shape = [None] * int(rank[0]) if rank else None
    return helper.make_tensor_value_info(name, {"float": FLOAT, "int": INT64, "bool": BOOL}[kind], shape)


def graph(nodes: Sequence[NodeProto], inputs: Iterable[str], outputs: Iterable[str]) -> GraphProto:
    return helper.make_graph(list(nodes), "inner", list(map(value, inputs)), list(map(value, outputs)))


def loop(
    operands: str, results: str, nodes: Sequence[NodeProto], carried: Sequence[str], made: Sequence[str]
) -> NodeProto:
    """A loop whose body reads turn ``i`` and condition ``c``, and makes the condition ``go``: ``c``, unless
    its nodes do."""
    if not any("go" in each.output for each in nodes):
        nodes = [*nodes, node("Identity", "c", "go")]
    body = graph(nodes, ["i int 0", "c bool 0", *carried], ["go bool 0", *made])
    names = ["" if name == "-" else name for name in operands.split()]
    return helper.make_node("Loop", names, results.split(), results.split()[0], body=body)


def model(nodes: Sequence[NodeProto], inputs: dict[str, Any], outputs: Iterable[str]) -> ModelProto:
    """A model of ``inputs``: shapes of floats, or types of scalars."""
    values = [
        helper.make_tensor_value_info(name, what, [])
        if isinstance(what, int)
        else helper.make_tensor_value_info(name, INT64 if name == "token" else FLOAT, what)
        for name, what in inputs.items()
    ]
    read = {name for each in nodes for name in _reads(each)}
    constants = [numpy_helper.from_array(np.asarray(v), k) for k, v in CONSTANTS.items() if k in read]
    made = helper.make_graph(list(nodes), "g", values, list(map(value, outputs)), constants)
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def _reads(of: NodeProto) -> Iterable[str]:
    yield from of.input
    for attribute in of.attribute:
        for inner in attribute.g.node:
            yield from _reads(inner)


STEP = [node("MatMul", "s w", "p"), node("Tanh", "p", "t"), node("Add", "t x", "s2")]
SMALL = [
    node("ReduceSum", "s2", "sum", keepdims=0),
    node("Abs", "sum", "size"),
    node("Less", "size limit", "go"),
]
DECODER = [
    node("Gather", "words word", "e", axis=0),
    node("MatMul", "e keys", "k1"),
    node("MatMul", "e values", "val1"),
    node("Concat", "k k1", "k2", axis=0),
    node("Concat", "val val1", "val2", axis=0),
    node("Transpose", "k2", "kt", perm=[1, 0]),
    node("MatMul", "e kt", "scores"),
    node("Softmax", "scores", "weights", axis=-1),
    node("MatMul", "weights val2", "o"),
    node("MatMul", "o w", "logits"),
    node("ArgMax", "logits", "word2", axis=1, keepdims=0),
    node("Equal", "word2 end", "ends"),
    node("Squeeze", "ends v0", "ended"),
    node("Not", "ended", "go"),
    node("Squeeze", "word2 v0", "said"),
]
SELECTED = [
    node("Gather", "x i", "row", axis=0),
    node("Greater", "row half", "above"),
    node("NonZero", "above", "where"),
    node("Squeeze", "where v0", "places"),
    node("Gather", "row places", "kept", axis=0),
    node("SequenceInsert", "seq kept", "seq2"),
]
ROWS = [
    node("Gather", "x i", "row", axis=0),
    node("MatMul", "row w", "made"),
    node("SequenceInsert", "seq made", "seq2"),
]
COUNT = [
    node("Shape", "x", "shape"),
    node("Gather", "shape i0", "n", axis=0),
    helper.make_node("SequenceEmpty", [], ["none"]),
]
TWICE = graph([node("Concat", "x x", "xx", axis=0), node("MatMul", "xx w", "r1")], [], ["r1 float 2"])
ONCE = graph([node("Relu", "x", "r2")], [], ["r2 float 2"])
INNER = helper.make_node(
    "Loop",
    ["i", "", "s"],
    ["s4"],
    "inside",
    body=graph(
        [node("MatMul", "v w", "pv"), node("Add", "pv x", "v2"), node("Identity", "d", "on")],
        ["j int 0", "d bool 0", "v float 2"],
        ["on bool 0", "v2 float 2"],
    ),
)
X = {"x": ("n", 8), "m": INT64}


def given(*sizes: Any, **others: Any) -> Given:
    return {"x": draw(*sizes)} | {name: np.asarray(each) for name, each in others.items()}


CASES: dict[str, tuple[ModelProto, list[Given]]] = {
    "a number of turns, or until a condition is false": (
        model(
            [
                node("Relu", "x", "a"),
                loop(
                    "m start a",
                    "y rows",
                    [*STEP, *SMALL, node("ReduceMax", "s2", "high", keepdims=1)],
                    ["s float 2"],
                    ["s2 float 2", "high float 2"],
                ),
                node("Sqrt", "a", "b"),  # in memory that was the loop's, which may have taken no turn
                node("MatMul", "b w", "d"),
                node("Add", "d y", "z"),
            ],
            {**X, "start": BOOL},
            ["z float", "rows float"],
        ),
        [
            given(n, 8, m=m, start=start)
            for n, m, start in ((3, 5, True), (1, 1, True), (2, 9, False), (7, 99, True))
        ],
    ),
    "growing tensors, and loops in loops": (
        model(
            [
                loop(
                    "m - x",
                    "y",
                    [
                        node("Slice", "s v_1 far v0", "end_of"),
                        node("MatMul", "end_of w", "p"),
                        node("Concat", "s p", "s2", axis=0),
                    ],
                    ["s float 2"],
                    ["s2 float 2"],
                ),
                node("MatMul", "y w", "z"),
                loop("m - x", "u", [INNER, node("Tanh", "s4", "s5")], ["s float 2"], ["s5 float 2"]),
            ],
            X,
            ["z float", "u float"],
        ),
        [given(n, 8, m=m) for n, m in ((2, 3), (5, 0), (1, 20))],
    ),
    "a decoder": (
        model(
            [
                loop(
                    "m - token x x",
                    "word_of k_of v_of text",
                    DECODER,
                    ["word int 1", "k float 2", "val float 2"],
                    ["word2 int 1", "k2 float 2", "val2 float 2", "said int 0"],
                )
            ],
            {**X, "token": (1,)},
            ["k_of float", "v_of float", "text int"],
        ),
        [given(n, 8, m=m, token=[t]) for n, m, t in ((2, 5, 1), (1, 20, 6), (6, 1, 4), (3, 9, 7))],
    ),
    "branches of other sizes": (
        model(
            [
                node("ReduceSum", "x", "sum", keepdims=0),
                node("Greater", "sum limit", "is_large"),
                helper.make_node("If", ["is_large"], ["y"], then_branch=TWICE, else_branch=ONCE),
                node("MatMul", "y w", "z"),
            ],
            {"x": ("n", 8)},
            ["z float"],
        ),
        [given(2, 8), {"x": draw(3, 8) + 5}, {"x": draw(1, 8) - 5}],
    ),
    "layers in a loop, of any height and width": (
        model(
            [
                loop(
                    "m - x",
                    "y",
                    [
                        node("Conv", "s filter", "p", pads=[1, 1, 1, 1]),
                        node("Add", "p x", "q"),
                        node("Tanh", "q", "s2"),
                    ],
                    ["s float 4"],
                    ["s2 float 4"],
                )
            ],
            {"x": ("n", 4, "h", "w"), "m": INT64},
            ["y float"],
        ),
        [given(1, 4, 64, 64, m=3), given(2, 4, 33, 47, m=1), given(1, 4, 70, 51, m=0)],
    ),
    "a sequence of rows": (
        model(
            [
                *COUNT,
                loop("n - none", "all", ROWS, ["seq sequence"], ["seq2 sequence"]),
                node("ConcatFromSequence", "all", "stacked", axis=1, new_axis=1),
                node("ConcatFromSequence", "all", "joined", axis=0),
                node("SequenceLength", "all", "length"),
                node("SequenceAt", "all last", "final"),
            ],
            {"x": ("n", "k", 8)},
            ["stacked float", "joined float", "length int", "final float"],
        ),
        [given(3, 2, 8), given(1, 1, 8), given(5, 7, 8)],
    ),
    "a sequence of parts of several sizes": (
        model(
            [
                *COUNT,
                loop("n - none", "all", SELECTED, ["seq sequence"], ["seq2 sequence"]),
                node("ConcatFromSequence", "all", "joined", axis=0),
                node("SequenceLength", "all", "length"),
                node("SequenceAt", "all m", "one"),
            ],
            {"x": ("n", "k"), "m": INT64},
            ["joined float", "length int", "one float"],
        ),
        [
            {"x": RNG.random((n, k), np.float32), "m": np.array(m)}
            for n, k, m in ((3, 2, 0), (1, 1, 0), (5, 70, -1))
        ],
    ),
    "a sequence that is known": (
        model(
            [
                node("MatMul", "x w", "p"),
                node("SplitToSequence", "x", "parts", axis=1, keepdims=0),
                node("SequenceAt", "parts last", "column"),
                node("Reshape", "column as_column", "column2"),
                node("SequenceConstruct", "x p", "two"),
                node("SequenceInsert", "two column2 i0", "three"),
                node("SequenceErase", "three i0", "again"),
                node("SequenceAt", "again m", "one"),
                node("ConcatFromSequence", "three", "wide", axis=1),
            ],
            X,
            ["one float", "wide float"],
        ),
        [given(n, 8, m=m) for n, m in ((3, 0), (1, 1), (5, -1))],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_model(name: str) -> None:
    """Compile once, and compare at several sizes and numbers of turns."""
    proto, inputs = CASES[name]
    compiled = directconv.compile(proto, cache=False)
    for number, each in enumerate(inputs):
        wanted = run_onnx_runtime(proto, each)
        for output, result, expected in zip(compiled.output_names, compiled.run(each), wanted, strict=True):
            assert result.shape == expected.shape or not expected.size, (output, number)
            np.testing.assert_allclose(
                result.reshape(-1), expected.reshape(-1), 1e-4, 1e-5, err_msg=f"{output} {number}"
            )
    assert len(compiled.sizes) == 1


@pytest.mark.parametrize("backward", [0, 1])
def test_a_scan_of_an_open_length(backward: int) -> None:
    nodes = [
        node("MatMul", "s w", "p"),
        node("Add", "p part", "q"),
        node("Tanh", "q", "s2"),
        node("Mul", "s2 half", "o"),
    ]
    made = helper.make_node(
        "Scan",
        ["h", "x"],
        ["final", "y"],
        body=graph(nodes, ["s float 2", "part float 2"], ["s2 float 2", "o float 2"]),
        num_scan_inputs=1,
        scan_input_axes=[backward],
        scan_input_directions=[backward],
        scan_output_axes=[backward],
        scan_output_directions=[backward],
    )
    shape = ("n", "t", 8) if backward else ("t", "n", 8)
    proto = model([made], {"h": ("n", 8), "x": shape}, ["final float", "y float"])
    compiled = directconv.compile(proto, cache=False)
    assert compiled.outputs[1].shape == shape
    for n, t in ((2, 3), (1, 1), (3, 17)):
        each = {"h": draw(n, 8), "x": draw(*((n, t, 8) if backward else (t, n, 8)))}
        for result, expected in zip(compiled.run(each), run_onnx_runtime(proto, each), strict=True):
            np.testing.assert_allclose(result, expected, 1e-4, 1e-5)
    assert len(compiled.sizes) == 1


def test_all_that_a_model_does(tmp_path: Path) -> None:
    """From a library, by requests, of fixed sizes; in C it is refused."""
    proto, inputs = CASES["growing tensors, and loops in loops"]
    compiled = directconv.compile(proto, cache=False)
    compiled.export_library(tmp_path / "loops.so")
    loaded = directconv.load(tmp_path / "loops.so")
    fixed = directconv.compile(proto, batch=(1, 2), cache=False)
    for each in inputs:
        wanted = compiled.run(each)
        others = [loaded.run(each), compiled.request().run(each), loaded.submit(each).result()]
        if len(each["x"]) < 3:
            for result, expected in zip(fixed.run(each), wanted, strict=True):
                np.testing.assert_allclose(result, expected, 1e-4, 1e-5)
        for results in others:
            for result, expected in zip(results, wanted, strict=True):
                np.testing.assert_array_equal(result, expected)
    assert compiled.memory(n=400) > compiled.memory(n=4) > 0
    assert len(compiled.report().layers) == 3
    assert compiled.profile(inputs[0], rounds=1).calls
    with pytest.raises(ModelError, match="decides when it runs"):
        compiled.export_c(tmp_path)


GROWS = [node("SequenceInsert", "seq x", "seq2"), node("SequenceLength", "seq", "long")]
REFUSED = {
    "it hands on .*, of which a turn makes": [
        loop("m - x", "y", [node("Unsqueeze", "s v0", "s2")], ["s float"], ["s2 float"])
    ],
    "reads the sequence that a loop adds to": [
        *COUNT,
        loop("m - none", "all y", GROWS, ["seq sequence"], ["seq2 sequence", "long int 0"]),
    ],
    "does more to a sequence": [
        *COUNT,
        loop(
            "m - none", "all", [node("SequenceConstruct", "x", "seq2")], ["seq sequence"], ["seq2 sequence"]
        ),
        node("SequenceAt", "all i0", "y"),
    ],
    "it never ends": [loop("- - x", "y", STEP, ["s float"], ["s2 float"])],
}


@pytest.mark.parametrize("why", REFUSED)
def test_a_refused_loop_says_why(why: str) -> None:
    with pytest.raises(UnsupportedOperatorError, match=why):
        directconv.compile(model(REFUSED[why], X, ["y float"]), cache=False)
