"""Partitions of models of which nodes do not compile: each node once, parts in order, the same answer."""

from __future__ import annotations

import itertools

import numpy as np
import onnx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from relay_strategies.frontends.onnx.partition import NO_LAYER, Partition, partition
from tvm_directconv.problem.open_sizes import OpenSizes

SHAPE = (1, 2, 3, 3)
RNG = np.random.default_rng(5)
FILTER = RNG.standard_normal((2, 2, 3, 3), np.float32) / 4
EXAMPLES = 60
OPSET = 17


def found(model: ModelProto) -> Partition:
    shapes = {v.name: tuple(d.dim_value for d in v.type.tensor_type.shape.dim) for v in model.graph.input}
    return partition(model, lambda _: (OpenSizes(), shapes))


def model_of(nodes: list[NodeProto], outputs: list[str]) -> ModelProto:
    value = [helper.make_tensor_value_info(name, TensorProto.FLOAT, SHAPE) for name in ("x", *outputs)]
    weights = [numpy_helper.from_array(FILTER, "w"), numpy_helper.from_array(np.array(1), "one")]
    graph = helper.make_graph(nodes, "g", value[:1], value[1:], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)


def layer(source: str, result: str) -> list[NodeProto]:
    return [helper.make_node("Conv", [source, "w"], [result], f"{result}_conv", pads=[1] * 4)]


def sum_of(a: str, b: str, result: str) -> list[NodeProto]:
    return [helper.make_node("Add", [a, b], [result])]


def of_sequence(a: str, b: str, result: str) -> list[NodeProto]:
    """The second of a sequence of two tensors, which does not compile, nor does the sequence."""
    make = helper.make_node("SequenceConstruct", [a, b], [f"{result}_sequence"])
    return [make, helper.make_node("SequenceAt", [f"{result}_sequence", "one"], [result])]


def of_size(a: str, b: str, result: str) -> list[NodeProto]:
    """A tensor in a shape that is computed of another's, which compiles."""
    shape = helper.make_node("Shape", [b], [f"{result}_shape"])
    return [shape, helper.make_node("Reshape", [a, f"{result}_shape"], [result])]


@st.composite
def models(draw: st.DrawFn) -> ModelProto:
    """A graph of layers, sums, reshapes and sequences in any order, with several outputs."""
    nodes: list[NodeProto] = []
    values = ["x"]
    for number in range(draw(st.integers(1, 12))):
        a, b = draw(st.sampled_from(values)), draw(st.sampled_from(values))
        kind = draw(st.sampled_from([layer, sum_of, of_sequence, of_size]))
        nodes += layer(a, f"v{number}") if kind is layer else kind(a, b, f"v{number}")
        values.append(f"v{number}")
    outputs = draw(st.lists(st.sampled_from(values[1:]), min_size=1, max_size=3, unique=True))
    return model_of(nodes, outputs)


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(models())
def test_any_graph(model: ModelProto) -> None:
    result = found(model)
    placed = [index for part in result.parts for index in part.nodes]
    assert len(placed) == len(set(placed))
    assert {part.compiles for part in result.parts if set(part.nodes) & result.reasons.keys()} <= {False}
    kinds = [part.compiles for part in result.parts]
    assert all(a != b for a, b in itertools.pairwise(kinds)), "neighbours of one kind are one part"
    x = np.random.default_rng(0).standard_normal(SHAPE, np.float32)
    values = {"x": x}
    for part in result.parts:  # none reads what a later one makes: they are convex
        proto = result.proto(part)
        onnx.checker.check_model(onnx.shape_inference.infer_shapes(proto)) if part.compiles else None
        answers = ReferenceEvaluator(proto).run(None, {name: values[name] for name in part.inputs})
        values |= dict(zip(part.outputs, answers, strict=True))
    for value, expected in zip(
        model.graph.output, ReferenceEvaluator(model).run(None, {"x": x}), strict=True
    ):
        np.testing.assert_allclose(values[value.name], expected, rtol=1e-4, atol=1e-4)


def test_many_reasons_of_several_kinds_are_found_by_one_walk() -> None:
    nodes = [
        *layer("x", "a"),
        helper.make_node("Det", ["a"], ["det"], "det"),
        helper.make_node("Nothing", ["a"], ["odd"], "odd", domain="nobody"),
        helper.make_node("Cast", ["a"], ["text"], "text", to=TensorProto.STRING),
        *layer("a", "b"),
    ]
    model = model_of(nodes, ["b"])
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in ("det", "odd", "text"))
    model.opset_import.append(helper.make_opsetid("nobody", 1))
    result = found(model)
    assert sorted(result.reasons) == [1, 2, 3]
    assert (
        "Det" in result.reasons[1]
        and "nobody::Nothing" in result.reasons[2]
        and "STRING" in result.reasons[3]
    )
    assert [part.compiles for part in result.parts] == [True, False]
    assert result.parts[0].nodes == (0, 4)


def test_what_hangs_together_with_no_layer_stays() -> None:
    model = model_of([*layer("x", "a"), *of_sequence("a", "x", "b"), *sum_of("b", "b", "c")], ["c"])
    result = found(model)
    assert [part.compiles for part in result.parts] == [True, False]
    assert result.reasons[3] == NO_LAYER


@pytest.mark.parametrize("inner", ["y = Add (v, a)", "y = Relu (a)"])
def test_a_loop_that_stays_reads_what_is_around_it(inner: str) -> None:
    model = onnx.parser.parse_model(
        f"""<ir_version: 8, opset_import: ["" : {OPSET}]>
        g (float[1,2,3,3] x, bool go) => (float[1,2,3,3] z) {{
            a = Conv <pads = [1, 1, 1, 1]> (x, w)
            b = Loop ( , go, a) <body = turns
                (int64 i, bool c, float[1,2,3,3] v) => (bool d, float[1,2,3,3] y)
                {{ d = Identity (c)  {inner} }}>
            z = Conv <pads = [1, 1, 1, 1]> (b, w)
        }}"""
    )
    model.graph.initializer.append(numpy_helper.from_array(FILTER, "w"))
    result = found(model)
    assert [(part.compiles, part.inputs) for part in result.parts] == [
        (True, ("x",)),
        (False, ("a", "go")),
        (True, ("b",)),
    ]
    assert "it never ends" in result.reasons[1]
