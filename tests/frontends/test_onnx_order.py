"""Nodes in any order: ONNX wants them as they can be computed, what conversions to float16 write is not."""

from __future__ import annotations

import numpy as np
import pytest
from graph_cases import IMAGE, MAP
from graph_support import draw, network, node
from onnx import ModelProto, TensorProto, helper
from reference import run_onnx_runtime

import tvm_directconv as directconv
from relay_strategies.frontends.onnx.importer import import_model
from relay_strategies.frontends.onnx.order import in_order
from tvm_directconv.errors import ModelError

WEIGHTS = {"w": draw(16, 8, 3, 3), "b": draw(16)}


def model_of(*places: int) -> ModelProto:
    nodes = [
        node("Relu", "x", "r"),
        node("Conv", "r w b", "c", pads=[1, 1, 1, 1]),
        node("Sigmoid", "c", "s"),
        node("Mul", "s c", "y"),
    ]
    return network([nodes[place] for place in places], IMAGE, MAP, WEIGHTS)


def test_nodes_after_those_that_read_them() -> None:
    model = model_of(3, 1, 0, 2)
    before = model.SerializeToString()
    given = {"x": draw(*IMAGE["x"])}
    (result,) = directconv.compile(model).run(given)
    assert model.SerializeToString() == before, "the caller's model stays as it is"
    np.testing.assert_allclose(result, run_onnx_runtime(model, given)[0], rtol=1e-4, atol=1e-5)


def test_an_ordered_model_is_not_copied() -> None:
    model = model_of(0, 1, 2, 3)
    assert in_order(model) is model


def test_nodes_that_inner_graphs_read() -> None:
    """A branch reads a tensor of the graph around it, which a later node makes, and its own in any order."""
    branch = helper.make_graph(
        [node("Neg", "inner", "z"), node("Add", "r r", "inner")],
        "branch",
        [],
        [helper.make_tensor_value_info("z", TensorProto.FLOAT, None)],
    )
    nodes = [node("If", "k", "y", then_branch=branch, else_branch=branch), node("Relu", "x", "r")]
    model = network(nodes, IMAGE, {"y": IMAGE["x"]}, {"k": np.array(True)})
    image = draw(*IMAGE["x"])
    (result,) = directconv.compile(model).run([image])
    np.testing.assert_array_equal(result, -2 * np.maximum(image, 0))


def test_nodes_that_wait_for_each_other() -> None:
    nodes = [node("Add", "x q", "p"), node("Relu", "p", "q"), node("Relu", "q", "y")]
    with pytest.raises(ModelError, match="node 'Add:p'.*waits for its own result"):
        import_model(network(nodes, IMAGE, {"y": IMAGE["x"]}))
