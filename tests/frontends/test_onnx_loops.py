"""Loops and scans of a known number of turns, written out; and why others are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from graph_support import draw, network
from onnx import ModelProto, NodeProto, TensorProto, helper
from reference import run_onnx_runtime

import tvm_directconv as directconv
from relay_strategies.frontends.onnx.importer import walk_model
from tvm_directconv.errors import UnsupportedOperatorError

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def node(kind: str, inputs: str, outputs: str, **attributes: Any) -> NodeProto:
    return helper.make_node(kind, inputs.split(), outputs.split(), **attributes)


def scan(opset: int = 17, **attributes: Any) -> ModelProto:
    """A recurrence over two sequences: each state, and what it makes of the sequences' sum."""
    nodes = [
        node("MatMul", "s w", "m"),
        node("Add", "m p", "a"),
        node("Tanh", "a", "new"),
        node("Add", "p q", "sum"),
        node("Mul", "new sum", "z"),
        node("Identity", "new", "kept"),
    ]
    values = {
        name: helper.make_tensor_value_info(name, FLOAT, [2, 4])
        for name in ("s", "p", "q", "new", "z", "kept")
    }
    body = helper.make_graph(
        nodes, "body", [values[n] for n in "spq"], [values[n] for n in ("new", "z", "kept")]
    )
    axes = attributes.get("scan_input_axes", [0, 0])
    shapes = {"s0": (2, 4)} | {name: (2, 4) for name in "xy"}
    for name, axis in zip("xy", axes, strict=True):
        shapes[name] = tuple(np.insert((2, 4), axis, 5).tolist())
    out = [tuple(np.insert((2, 4), axis, 5).tolist()) for axis in attributes.get("scan_output_axes", [0, 0])]
    made = node("Scan", "s0 x y", "last z all", num_scan_inputs=2, body=body, **attributes)
    outputs = {"last": (2, 4), "z": out[0], "all": out[1]}
    return network([made], shapes, outputs, {"w": draw(4, 4)}, opset=opset)


@pytest.mark.parametrize(
    "attributes",
    [
        {},
        {"scan_input_axes": [1, 0], "scan_input_directions": [0, 1]},
        {"scan_output_axes": [1, 2], "scan_output_directions": [1, 0], "opset": 11},
    ],
    ids=["forward", "other axes", "outputs"],
)
def test_a_scan_is_its_turns(attributes: dict[str, Any]) -> None:
    model = scan(**attributes)
    given = {v.name: draw(*(d.dim_value for d in v.type.tensor_type.shape.dim)) for v in model.graph.input}
    results = zip(directconv.compile(model).run(given), run_onnx_runtime(model, given), strict=True)
    for result, wanted in results:
        np.testing.assert_allclose(result, wanted, rtol=1e-5, atol=1e-6)


def loop(most: str = "three", start: str = "", goes_on: str = "c") -> ModelProto:
    """x, doubled in each turn."""
    flags = [helper.make_tensor_value_info(name, BOOL, []) for name in ("c", "on")]
    values = [helper.make_tensor_value_info(name, FLOAT, [3]) for name in "vw"]
    number = helper.make_tensor_value_info("i", INT64, [])
    nodes = [
        node("Add", "v v", "w"),
        node("ReduceSum", "w", "sum", keepdims=0),
        node("Less", "sum bound", "small"),
        node("Identity", goes_on, "on"),
    ]
    body = helper.make_graph(nodes, "body", [number, flags[0], values[0]], [flags[1], values[1]])
    made = helper.make_node("Loop", [most, start, "x"], ["y"], "turning", body=body)
    weights = {"three": np.array(3), "many": np.array(5000), "bound": np.float32(9), "no": np.array(False)}
    first = [node("Cast", "x", "ints", to=INT64), node("ReduceMax", "ints", "some", keepdims=0)]
    first.append(node("Cast", "some", "true", to=BOOL))
    return network([*first, made], {"x": (3,)}, {"y": (3,)}, weights)


def test_a_loop_that_does_not_start_hands_on_what_it_got() -> None:
    x = draw(3)
    (result,) = directconv.compile(loop(start="no")).run([x])
    np.testing.assert_array_equal(result, x)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"most": "some"}, "the number of its turns, 'some', is known at run time only"),
        ({"most": "", "start": "true"}, "turns until its condition is false"),
        ({"start": "true"}, "its condition, 'true', is known at run time only"),
        ({"goes_on": "small"}, "may end early, by the condition 'on'"),
        ({"most": "many"}, "its 5000 turns have more than"),
    ],
)
def test_a_refused_loop_says_why(options: dict[str, Any], why: str) -> None:
    with pytest.raises(UnsupportedOperatorError, match=rf"'turning' \(Loop\): .*{why}.*constant value"):
        walk_model(loop(**options))
