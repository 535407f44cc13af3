"""Models that ONNX does not allow, though its checker lets them pass: each is one error naming the node."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import onnx
import onnx.reference
import pytest
from graph_cases import IMAGE, MAP
from graph_support import draw, network, node
from onnx import ModelProto, TensorProto, helper, numpy_helper

import tvm_directconv as directconv
from relay_strategies.frontends.onnx.importer import import_model
from tvm_directconv.errors import ModelError, UnsupportedOperatorError

WEIGHTS = {"w": draw(16, 8, 3, 3), "b": draw(16)}


def convolution(**attributes: object) -> ModelProto:
    attributes = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]} | attributes
    return network([node("Conv", "x w b", "y", **attributes)], IMAGE, MAP, WEIGHTS)


def pool(kind: str = "MaxPool", **attributes: object) -> ModelProto:
    return network([node(kind, "x", "y", **attributes)], IMAGE, {"y": (1, 8, 7, 7)}, opset=11)


def changed(change: Callable[[ModelProto], object], model: ModelProto | None = None) -> ModelProto:
    model = convolution() if model is None else model
    change(model)
    return model


def with_bias(*shape: int) -> ModelProto:
    weights = WEIGHTS | {"b": draw(*shape)}
    return network([node("Conv", "x w b", "y", pads=[1, 1, 1, 1])], IMAGE, MAP, weights)


def two_nodes(first: str, second: str) -> ModelProto:
    return network([node("Relu", "x", first), node("Relu", "x", second)], IMAGE, {"y": IMAGE["x"]})


def filled(shape: np.ndarray) -> ModelProto:
    nodes = [node("ConstantOfShape", "s", "c"), node("Add", "x c", "y")]
    return network(nodes, IMAGE, {"y": IMAGE["x"]}, {"s": shape})


INVALID = {
    "unknown auto_pad": (convolution(auto_pad="FOO"), "Conv:y.*auto_pad 'FOO'"),
    "auto_pad of a pool": (pool(kernel_shape=[2, 2], auto_pad="same"), "MaxPool:y.*auto_pad 'same'"),
    "auto_pad that is no text": (convolution(auto_pad=b"\xff\xfe"), "Conv:y.*'auto_pad' is not UTF-8"),
    "kernel_shape against weights": (
        convolution(kernel_shape=[5, 5], pads=[2, 2, 2, 2]),
        r"Conv:y.*kernel_shape \[5, 5\]",
    ),
    "bias of rank 0": (with_bias(), r"Conv:y.*bias has shape \[\]"),
    "bias of rank 2": (with_bias(1, 16), r"Conv:y.*bias has shape \[1, 16\]"),
    "bias of another length": (with_bias(8), r"Conv:y.*bias has shape \[8\]"),
    "strides of 0": (convolution(strides=[0, 1]), "Conv:y.*strides|[Ss]tride"),
    "pads of a pool": (pool(kernel_shape=[2, 2], strides=[2, 2], pads=[2, 0, 0, 0]), r"MaxPool:y"),
    "pool larger than its data": (pool(kernel_shape=[15, 2]), "MaxPool:y.*does not fit|MaxPool"),
    "axis of 2^40": (
        network([node("Softmax", "x", "y", axis=2**40)], IMAGE, {"y": IMAGE["x"]}),
        "Softmax:y.*'axis' is 1099511627776",
    ),
    "a flag of 2": (
        network([node("ReduceMax", "x", "y", axes=[1], keepdims=2)], IMAGE, {"y": (1, 1, 14, 14)}),
        "ReduceMax:y.*'keepdims' is 2",
    ),
    "two results of one name": (two_nodes("y", "y"), "two results of nodes are named 'y'"),
    "a result named as an input": (two_nodes("x", "y"), "named 'x'"),
    "truth of a float": (
        network([node("Where", "x x x", "y")], IMAGE, {"y": IMAGE["x"]}),
        r"Where:y.*input 0 is a tensor\(float\)",
    ),
    "a sum of two types": (
        network([node("Add", "x i", "y")], IMAGE, {"y": IMAGE["x"]}, {"i": np.array([1])}),
        r"Add:y.*input 1 is a tensor\(int64\)",
    ),
    "no outputs": (changed(lambda model: model.graph.ClearField("output")), "does not have outputs"),
    "two initializers of one name": (
        changed(lambda model: model.graph.initializer.append(numpy_helper.from_array(draw(16), "b"))),
        "two initializers are named 'b'",
    ),
    "a node without inputs": (
        changed(lambda model: model.graph.node[0].ClearField("input")),
        r"Conv:y.*0 inputs, and takes 2 to 3",
    ),
    "a node without outputs": (
        changed(lambda model: model.graph.node.append(helper.make_node("Relu", ["x"], [], "r"))),
        "'r'.*0 outputs, and makes 1",
    ),
    "a required input left out": (
        changed(lambda model: model.graph.node[0].input.__setitem__(1, "")),
        "Conv:y.*input 1 is left out",
    ),
    "a fill of negative size": (filled(np.array([-1])), "ConstantOfShape:c.*negative"),
    "a fill of no number": (filled(np.array([np.nan], np.float32)), "ConstantOfShape:c.*vector of int64"),
    "a fill without end": (filled(np.array([2**40, 2**20])), "ConstantOfShape:c.*at most"),
    "a split of other sizes": (
        network(
            [node("Split", "x s", "y z", axis=1)],
            IMAGE,
            {"y": (1, 3, 14, 14), "z": (1, 3, 14, 14)},
            {"s": np.array([3, 3])},
        ),
        "Split",
    ),
}


@pytest.mark.parametrize("name", INVALID)
def test_invalid_models_are_refused(name: str) -> None:
    model, message = INVALID[name]
    with pytest.raises(ModelError, match=message):
        import_model(model)


def test_functions_that_call_themselves() -> None:
    calls = [helper.make_node("g", ["a"], ["b"], domain="own")]
    back = [helper.make_node("f", ["a"], ["b"], domain="own")]
    opsets = [helper.make_opsetid("", 13), helper.make_opsetid("own", 1)]
    functions = [
        helper.make_function("own", name, ["a"], ["b"], body, opsets)
        for name, body in (("f", calls), ("g", back))
    ]
    model = network([node("f", "x", "y", domain="own")], IMAGE, {"y": IMAGE["x"]})
    model.functions.extend(functions)
    model.opset_import.append(helper.make_opsetid("own", 1))
    with pytest.raises(ModelError, match="'own::f' calls itself"):
        import_model(model)


def test_indices_that_nothing_uses_are_dropped() -> None:
    nodes = [node("MaxPool", "x", "p i", kernel_shape=[2, 2]), node("Relu", "p", "y")]
    bound = import_model(network(nodes, IMAGE, {"y": (1, 8, 13, 13)}))
    assert "window_positions" not in str(bound), "what they are computed by"
    model = network(nodes[:1], IMAGE, {"p": (1, 8, 13, 13)})
    model.graph.output.append(helper.make_tensor_value_info("i", TensorProto.INT64, [1, 8, 13, 13]))
    assert "window_positions" in str(import_model(model))


def test_outputs_without_a_shape_get_theirs() -> None:
    for type_proto in (onnx.TypeProto(), helper.make_tensor_type_proto(TensorProto.FLOAT, None)):
        model = convolution()
        model.graph.output[0].type.CopyFrom(type_proto)
        (result,) = import_model(model)["main"].body.blocks[-1].bindings[-1].var.ty.shape.values[1:2]
        assert int(result) == 16


def test_parts_and_slopes_of_maps_compile() -> None:
    """One part is the whole; a slope per pixel, or per column alone, is no slope per channel."""
    weights = {"w": draw(8, 8, 1, 1), "s": draw(8, 14, 14), "t": draw(14), "k": np.array([8])}
    nodes = [
        node("Conv", "x w", "c"),
        node("Split", "c k", "d", axis=1),
        node("PRelu", "d s", "e"),
        node("PRelu", "e t", "y"),
    ]
    model = network(nodes, IMAGE, {"y": (1, 8, 14, 14)}, weights)
    image = draw(*IMAGE["x"])
    (result,) = directconv.compile(model).run([image])
    reference = onnx.reference.ReferenceEvaluator(model).run(None, {"x": image})[0]
    np.testing.assert_allclose(result, reference, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("shape", "scale", "message"),
    [
        ((1, 2, 4, 4), -1e38, "Resize:z.*has shape"),
        ((1, 2, 4, 4), 1e38, "Resize:z.*has shape"),
        ((1, 2, 2**62, 4), 2.0, "max_tensor_bytes"),
    ],
)
def test_dimensions_that_overflow_are_refused_before_onnx_slices_them(
    shape: tuple[int, ...], scale: float, message: str
) -> None:
    """Its inference of shapes would end the process."""
    weights = {"scales": np.array([1, 1, scale, 2], np.float32)} | {
        name: np.array([value]) for name, value in (("start", 1), ("end", 5), ("axis", 2))
    }
    nodes = [node("Resize", "x - scales", "z", mode="nearest"), node("Slice", "z start end axis", "y")]
    with pytest.raises(ModelError, match=message):
        directconv.compile(network(nodes, {"x": shape}, {"y": (1, 2, 4, 8)}, weights))


@pytest.mark.parametrize("domain, remedied", [("com.microsoft", True), ("another.domain", False)])
def test_an_operator_of_an_optimizer_names_itself_and_what_to_compile_instead(
    domain: str, remedied: bool
) -> None:
    model = convolution()
    model.graph.node[0].op_type, model.graph.node[0].domain = "SparseAttention", domain
    model.opset_import.append(helper.make_opsetid(domain, 1))
    with pytest.raises(UnsupportedOperatorError, match=f"{domain}::SparseAttention") as error:
        import_model(model)
    assert ("from before them" in str(error.value)) == remedied
