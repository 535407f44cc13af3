"""Inputs that are bound to values: branches are decided by them, shapes follow from them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from cli_support import fail, succeed
from graph_support import SEQUENCES, draw, network, node, two_rates
from onnx import ModelProto, TensorProto, helper
from reference import run_onnx_runtime

import tvm_directconv as directconv
from tvm_directconv.errors import ModelError

TARGET = "llvm -mcpu=native"


def reshaped(kind: int = TensorProto.INT64, dims: list[Any] | None = None) -> ModelProto:
    model = network([node("Reshape", "x shape", "y")], {"x": (1, 512)}, {"y": ("a", "b")})
    model.graph.input.append(helper.make_tensor_value_info("shape", kind, dims or ["n"]))
    return model


@pytest.mark.parametrize("rate", SEQUENCES)
def test_an_input_decides_between_branches(rate: int) -> None:
    """The values tell entries of the cache apart, and the model that is given stays as it is."""
    model = two_rates()
    x = draw(1, SEQUENCES[rate])
    compiled = directconv.compile(model, TARGET, params={"sr": rate}, shapes={"x": x.shape})
    assert [value.name for value in compiled.inputs] == ["x"]
    (want,) = run_onnx_runtime(two_rates(), {"x": x, "sr": np.array(rate)})
    np.testing.assert_allclose(compiled(x), want, rtol=1e-5, atol=1e-5)
    assert model.SerializeToString() == two_rates().SerializeToString()


def test_shapes_follow_from_it() -> None:
    compiled = directconv.compile(reshaped(), TARGET, params={"shape": np.array([8, 64])})
    assert compiled.outputs[0].shape == (8, 64)


@pytest.mark.parametrize(
    ("model", "params", "message"),
    [
        (two_rates(), {"rate": 1}, "'rate', no input of the model"),
        (two_rates(), {"sr": 0.5}, "input is of int64, which does not hold it"),
        (two_rates(), {"sr": [1, 2]}, r"\[2\].*the input has shape \[\]"),
        (two_rates(), {"sr": "fast"}, "not an array of numbers"),
        (reshaped(TensorProto.STRING), {"shape": 1}, "not a tensor of numbers"),
        (reshaped(dims=[3]), {"shape": [8, 64]}, r"the input has shape \[3\]"),
        (two_rates(), {}, "input that decides between branches may be given by params="),
        (reshaped(dims=[2]), {}, "is known when the model runs"),
    ],
)
def test_what_does_not_fit_is_refused(model: ModelProto, params: Any, message: str) -> None:
    shapes = {value.name: (1, 512) for value in model.graph.input if value.type.tensor_type.shape.dim[1:]}
    with pytest.raises(ModelError, match=message):
        directconv.compile(model, TARGET, params=params, shapes=shapes)


def test_the_command_line_takes_numbers(tmp_path: Path) -> None:
    path, made = tmp_path / "rates.onnx", tmp_path / "rates.so"
    onnx.save(two_rates(), path)
    succeed("compile", str(path), "--shapes", "x=1x256", "--params", "sr=8000", "-o", str(made))
    assert [value.shape for value in directconv.load(made).inputs] == [(1, 256)]
    assert "neither a file nor NAME=NUMBER" in fail("run", str(path), "--params", "sr=fast", status=2)
    both = ("--params", "sr=1", "--params", str(path))
    assert "one file, or NAME=NUMBER once for each" in fail("run", str(path), *both, status=2)
