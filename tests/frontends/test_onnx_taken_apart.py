"""What of a model is read, and as what: constants of all forms, what no result follows from, outputs."""

from __future__ import annotations

import numpy as np
import pytest
import tvm_ffi
from graph_support import network, node
from onnx import TensorProto, helper, numpy_helper
from test_importer import convolution

import tvm_directconv as directconv
from relay_strategies.frontends.onnx.importer import import_model
from tvm_directconv.errors import ModelError


def test_constants_may_be_sparse() -> None:
    """Files hold the elements that are not 0, by their places in all and along each axis."""
    vector, matrix = (
        helper.make_sparse_tensor(
            numpy_helper.from_array(np.array([0.5, 2], np.float32), name),
            numpy_helper.from_array(np.array(places), "places"),
            shape,
        )
        for name, places, shape in (("b", [3, 1], [16]), ("w", [[1, 2], [0, 7]], [8, 16]))
    )
    given = network(
        [node("Constant", "", "w", sparse_value=matrix), node("Gemm", "x w b", "y")],
        {"x": (2, 8)},
        {"y": (2, 16)},
    )
    given.graph.sparse_initializer.append(vector)
    weights, bias = np.zeros((8, 16), np.float32), np.zeros(16, np.float32)
    weights[1, 2], weights[0, 7], bias[3], bias[1] = 0.5, 2, 0.5, 2
    dense = network([node("Gemm", "x w b", "y")], {"x": (2, 8)}, {"y": (2, 16)}, {"w": weights, "b": bias})
    assert tvm_ffi.structural_equal(import_model(given), import_model(dense))
    given.graph.sparse_initializer[0].indices.CopyFrom(numpy_helper.from_array(np.array([-1, 16])))
    with pytest.raises(ModelError, match="tensor 'b': "):
        import_model(given)


def test_what_no_result_follows_from_may_be_anything() -> None:
    model = convolution()
    words = helper.make_tensor("words", TensorProto.STRING, [1], [b"cat"])
    bits = helper.make_tensor("bits", TensorProto.FLOAT8E4M3FN, [2], [1, 2])
    model.graph.initializer.extend([words, bits])
    model.graph.input.append(helper.make_tensor_value_info("words", TensorProto.STRING, [1]))
    model.graph.node.extend([node("NonZero", "y", "places"), node("StringNormalizer", "words", "others")])
    assert tvm_ffi.structural_equal(import_model(model), import_model(convolution()))


def test_initializers_of_old_models_are_inputs_too() -> None:
    model = convolution()
    model.ir_version = 3
    for tensor in model.graph.initializer:
        model.graph.input.append(helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims))
    assert list(import_model(model)["main"].attrs["input_names"]) == ["x"]


def test_outputs_that_are_listed_twice_are_two() -> None:
    model = convolution()
    (name,) = (value.name for value in model.graph.output)
    model.graph.output.append(model.graph.output[0])
    compiled = directconv.compile(model)
    assert compiled.output_names == (name, f"{name}/2")
    shape = [dim.dim_value for dim in model.graph.input[0].type.tensor_type.shape.dim]
    first, second = compiled.run(np.ones(shape, np.float32))
    np.testing.assert_array_equal(first, second)
