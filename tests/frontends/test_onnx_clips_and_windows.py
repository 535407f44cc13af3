"""Clips by bounds of one element keep their data's shape, and windows that do not fit are named."""

from __future__ import annotations

import numpy as np
import pytest
from graph_support import draw, network, node
from onnx import helper, numpy_helper

import tvm_directconv as directconv
from tvm_directconv.errors import ModelError


@pytest.mark.parametrize("shape", [(), (1,), (2, 3)])
@pytest.mark.parametrize("dtype", ["float32", "int32"])
@pytest.mark.parametrize("constant", [True, False])
def test_a_clip_has_the_shape_of_its_data(shape: tuple[int, ...], dtype: str, constant: bool) -> None:
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    bounds = {"low": np.full(1, -2, dtype), "high": np.full(1, 3, dtype)}
    given = [helper.make_tensor_value_info(name, kind, (1,)) for name in bounds]
    graph = helper.make_graph(
        [node("Clip", "x low high", "y")],
        "g",
        [helper.make_tensor_value_info("x", kind, shape), *([] if constant else given)],
        [helper.make_tensor_value_info("y", kind, None)],
        [numpy_helper.from_array(array, name) for name, array in bounds.items()] if constant else [],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    x = (draw(*shape) * 9).astype(dtype).reshape(shape)
    (y,) = directconv.compile(model, cache=False).run({"x": x, **({} if constant else bounds)})
    assert y.shape == shape
    np.testing.assert_array_equal(y, np.clip(x, np.asarray(-2, dtype), np.asarray(3, dtype)))


@pytest.mark.parametrize("constant", [True, False])
def test_a_bound_that_is_nan_bounds_nothing(constant: bool) -> None:
    bounds = {"low": np.float32(np.nan), "high": np.float32(0.5)}
    kind = helper.np_dtype_to_tensor_dtype(np.dtype("float32"))
    inputs = {"x": (4,), **({} if constant else {"low": (), "high": ()})}
    graph = helper.make_graph(
        [node("Clip", "x low high", "y")],
        "g",
        [helper.make_tensor_value_info(name, kind, shape) for name, shape in inputs.items()],
        [helper.make_tensor_value_info("y", kind, None)],
        [numpy_helper.from_array(np.asarray(a), name) for name, a in bounds.items()] if constant else [],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    x = np.array([-2, 0.25, 3, np.nan], np.float32)
    (y,) = directconv.compile(model, cache=False).run({"x": x, **({} if constant else bounds)})
    np.testing.assert_array_equal(y, np.array([-2, 0.25, 0.5, np.nan], np.float32))


def test_a_bound_of_several_elements_is_refused() -> None:
    bounds = {"low": np.zeros(3, np.float32), "high": np.float32(1)}
    model = network([node("Clip", "x low high", "y")], {"x": (2, 3)}, {"y": (2, 3)}, bounds)
    with pytest.raises(
        ModelError, match="'Clip:y' [(]Clip[)].*its bound min is to be a scalar, not of shape"
    ):
        directconv.compile(model, cache=False)


@pytest.mark.parametrize("behind", ["", "ReduceMean", "GlobalAveragePool", "Flatten", "Relu"])
@pytest.mark.parametrize(
    ("kind", "taps", "result"),
    [
        *(("AveragePool", [5, 5], [1, 3, 0, 3]), ("AveragePool", [9, 3], [1, 3, -4, 5])),
        *(("MaxPool", [2, 8], [1, 3, 3, 0]), ("LpPool", [5, 8], [1, 3, 0, 0])),
        *(("Conv", [5, 2], [1, 2, 0, 6]), ("Conv", [1, 9], [1, 2, 4, -1])),
    ],
)
def test_windows_larger_than_their_data_are_named(
    kind: str, taps: list[int], result: list[int], behind: str
) -> None:
    inputs = "x w" if kind == "Conv" else "x"
    nodes = [node(kind, inputs, "p" if behind else "y", kernel_shape=taps)]
    nodes += [node(behind, "p", "y")] if behind else []
    constants = {"w": draw(2, 3, *taps)} if kind == "Conv" else {}
    model = network(nodes, {"x": (1, 3, 4, 7)}, {"y": ()}, constants)
    model.graph.output[0].type.tensor_type.ClearField("shape")
    reason = rf"\({kind}\): a window of .*{taps[0]}, {taps[1]}.* and data of shape .*4, 7.* do not fit"
    with pytest.raises(
        ModelError, match=rf"{reason}.* the result would be of shape .*{result[2]}, {result[3]}"
    ):
        directconv.compile(model, cache=False)
