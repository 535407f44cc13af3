"""RNN, GRU and LSTM: what they become. What all of their attributes mean is in ``test_onnx_operators``."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from graph_support import draw, inputs_of, network, node
from reference import run_onnx_runtime
from support import assert_matches

import tvm_directconv as directconv
from relay_strategies.frontends.onnx.importer import import_model
from relay_strategies.passes.rewrite.unroll_recurrences import UnrollRecurrences

SIZE, HIDDEN, BATCH = 6, 16, 2
GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
CASES = [("RNN", {}), ("GRU", {}), ("GRU", {"linear_before_reset": 1}), ("LSTM", {})]


def layer(kind: str, steps: int, attributes: dict[str, int]) -> onnx.ModelProto:
    """A layer of two directions, with all of its biases and results."""
    directions, outputs = 2, "y yh yc" if kind == "LSTM" else "y yh"
    weights = {
        "w": draw(directions, GATES[kind] * HIDDEN, SIZE),
        "r": draw(directions, GATES[kind] * HIDDEN, HIDDEN, seed=1),
        "b": draw(directions, 2 * GATES[kind] * HIDDEN, seed=2),
    }
    options = {"hidden_size": HIDDEN, "direction": "bidirectional", **attributes}
    last = (directions, BATCH, HIDDEN)
    shapes = dict(zip(outputs.split(), [(steps, *last), last, last], strict=False))
    return network([node(kind, "x w r b", outputs, **options)], {"x": (steps, BATCH, SIZE)}, shapes, weights)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "attributes"), CASES)
def test_a_direction_is_one_kernel(kind: str, attributes: dict[str, int]) -> None:
    """However many steps it has: beside it there is the product of all steps' data."""
    kernels = {}
    for steps in (4, 7):
        model = layer(kind, steps, attributes)
        compiled = directconv.compile(model, "llvm -mcpu=native", cache=False)
        inputs = inputs_of(model)
        for got, want in zip(
            compiled.run(list(inputs.values())), run_onnx_runtime(model, inputs), strict=True
        ):
            assert_matches(got, want.astype(np.float64), f"{kind}, {steps} steps")
        report = compiled.report()
        assert [layer.kind for layer in report.layers] == ["dense"] * 2
        kernels[steps] = dict(report.other_kernels)
        assert kernels[steps][kind.lower()] == 2
    assert kernels[4] == kernels[7]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "attributes"), CASES)
def test_steps_are_written_out_where_there_is_no_kernel(kind: str, attributes: dict[str, int]) -> None:
    """The pass for GPUs gives what the kernel gives."""
    model = layer(kind, 3, attributes)
    inputs = list(inputs_of(model).values())
    want = directconv.compile(model, "llvm -mcpu=native", cache=False).run(inputs)
    module = UnrollRecurrences(import_model(model))
    assert "call_dps_packed" not in module.script()
    for got, wanted in zip(directconv.compile(module, "llvm -mcpu=native").run(inputs), want, strict=True):
        assert_matches(got, wanted.astype(np.float64), kind)


def test_a_recurrent_matrix_is_in_a_library_once(tmp_path: Path) -> None:
    hidden, steps = 256, 8
    weights = {"w": draw(1, 4 * hidden, SIZE), "r": draw(1, 4 * hidden, hidden, seed=1)}
    shapes = {"x": (steps, 1, SIZE)}, {"y": (steps, 1, 1, hidden)}
    model = network([node("LSTM", "x w r", "y", hidden_size=hidden)], *shapes, weights)
    path = tmp_path / "lstm.so"
    directconv.compile(model, "llvm -mcpu=native", cache=False).export_library(path)
    assert path.stat().st_size < 2 * weights["r"].nbytes


@pytest.mark.parametrize("precision", ["bfloat16", "float16"])
def test_states_may_be_of_half_precision(precision: str) -> None:
    weights = {"w": draw(2, 4 * HIDDEN, SIZE), "r": draw(2, 4 * HIDDEN, HIDDEN, seed=1)}
    options = {"hidden_size": HIDDEN, "direction": "bidirectional"}
    shapes = {"x": (5, BATCH, SIZE)}, {"y": (5, 2, BATCH, HIDDEN)}
    model = network([node("LSTM", "x w r", "y", **options)], *shapes, weights)
    inputs = inputs_of(model)
    half = directconv.compile(model, "llvm -mcpu=native", precision=precision, cache=False)
    wanted = run_onnx_runtime(model, inputs)[0].astype(np.float64)
    assert_matches(half.run(list(inputs.values()))[0], wanted, precision, tolerance=1e-2)
