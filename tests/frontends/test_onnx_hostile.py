"""Models that onnx's own code, or a reader here, hangs or crashes on are refused before, or kept from it."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import onnx
import pytest
from fuzz.hostile import nested_branches
from graph_support import draw, network
from onnx import ModelProto, TensorProto, helper

import tvm_directconv as directconv
from relay_strategies.frontends.onnx.reading import read
from tvm_directconv import zoo
from tvm_directconv.errors import ModelError
from tvm_directconv.other_files import MOST_FIELDS, names_other_files
from tvm_directconv.zoo.inference import infer_shapes

NO_EQUATIONS = (
    "...i...->i",
    "...i...",
    "i.->i",
    "i..->i",
    "....i->i",
    "i>",
    "-",
    "i1->i",
    "ij->ij->i",
    "é->é",
)


def of_one(kind: str, outputs: str = "y", opset: int = 17, **attributes: Any) -> ModelProto:
    """A model of one operator of two inputs."""
    names = outputs.split()
    graph = helper.make_graph(
        [helper.make_node(kind, ["x", "i"], names, "it", **attributes)],
        "g",
        [
            helper.make_tensor_value_info("x", TensorProto.FLOAT, [3, 3]),
            helper.make_tensor_value_info("i", TensorProto.INT64, [1, 1]),
        ],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in names],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


HOSTILE = {
    **{equation: of_one("Einsum", equation=equation) for equation in NO_EQUATIONS},
    "batch_dims": of_one("GatherND", batch_dims=-7),
    "num_outputs": of_one("Split", "a b c", 18, num_outputs=2),
}


@pytest.mark.parametrize("model", HOSTILE.values(), ids=HOSTILE)
def test_what_onnx_does_not_come_back_from_is_refused(model: ModelProto) -> None:
    inner = network([], {"x": (3, 3)}, {"y": (3, 3)}, {"c": np.array(True)})
    inner.graph.node.append(
        helper.make_node("If", ["c"], ["y"], then_branch=model.graph, else_branch=model.graph)
    )
    function = ModelProto()
    function.CopyFrom(inner)
    del function.graph.node[:]
    function.graph.node.append(helper.make_node("f", ["x"], ["y"], domain="own"))
    opsets = [helper.make_opsetid("", 11)]
    function.functions.append(
        helper.make_function("own", "f", ["x", "i"], ["y"], list(model.graph.node), opsets)
    )
    for given in (model, inner, function):
        with pytest.raises(ModelError, match=r"node 'it' \((Einsum|GatherND|Split)\): "):
            directconv.compile(given, cache=False)
        with pytest.raises(ModelError, match="'it'"):
            infer_shapes(given)
    with pytest.raises(ModelError, match="'it'"):
        zoo.layers_of(model)
    with pytest.raises(ModelError, match="'it'"):
        directconv.split(model)


@pytest.mark.parametrize("equation", ["ij, jk -> ik", "...ij,...jk->...ik", "i...->...", "ij,jk", "ii->i"])
def test_equations_of_the_standard_are_none_of_these(equation: str) -> None:
    arrays = [draw(3, 3, seed=seed) for seed in range(1 + equation.count(","))]
    want = np.einsum(equation, *arrays)
    names = [f"x{number}" for number in range(len(arrays))]
    model = network(
        [helper.make_node("Einsum", names, ["y"], equation=equation)],
        dict.fromkeys(names, (3, 3)),
        {"y": want.shape},
    )
    np.testing.assert_allclose(directconv.compile(model, cache=False).run(arrays)[0], want, 1e-5, 1e-6)


def test_operands_of_unknown_type_or_extent_end_no_process() -> None:
    untyped = helper.make_model(
        helper.make_graph(
            [
                helper.make_node("Unknown", [], ["u"], domain="own"),
                helper.make_node("EyeLike", ["u"], ["y"]),
                helper.make_node("Relu", ["x"], ["z"]),
            ],
            "g",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, [3])],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        ),
        opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("own", 1)],
        ir_version=8,
    )
    inferred = infer_shapes(untyped)
    assert [value.name for value in inferred.graph.value_info] == ["z"]
    assert not untyped.graph.value_info
    open_extent = of_one("GatherND")
    open_extent.graph.input[1].type.tensor_type.shape.dim[1].dim_value = -1
    assert infer_shapes(open_extent).graph.output[0].name == "y"
    negative = of_one("GatherND")
    negative.graph.initializer.add(name="i", dims=[-1], data_type=TensorProto.INT64)
    with pytest.raises(ModelError, match="'i' has shape"):
        infer_shapes(negative)


class Counted(io.BytesIO):
    reads = 0

    def read(self, *arguments: Any) -> bytes:
        self.reads += 1
        return super().read(*arguments)


@pytest.mark.parametrize("start", [b"", b"\x08", b"\x3a", b"\x3a\x04\x2a"])
@pytest.mark.parametrize("byte", [b"\xff", b"\x80"])
def test_a_number_ends_after_ten_bytes(start: bytes, byte: bytes) -> None:
    data = start + byte * (1 << 20)
    file = Counted(data)
    assert names_other_files(file) and file.reads < 100
    with pytest.raises(ModelError, match="not an ONNX model"):
        directconv.compile(data)


def test_fields_without_number_are_not_read_one_by_one() -> None:
    file = Counted(b"\x08\x01" * (1 << 20))
    assert names_other_files(file) and file.reads < 4 * MOST_FIELDS


def test_graphs_nested_too_deeply_are_refused() -> None:
    deep = nested_branches(300)
    with pytest.raises(ModelError, match="the model has graphs nested more than 31 levels deep"):
        directconv.compile(deep)
    with pytest.raises(ModelError, match="nested more than 31"):
        directconv.split(deep)
    with pytest.raises(ModelError, match="its graphs are nested too deeply"):
        directconv.compile(nested_branches(60).SerializeToString())
    whole = nested_branches(30)
    assert read(whole) is whole and onnx.ModelProto.FromString(whole.SerializeToString()) == whole
