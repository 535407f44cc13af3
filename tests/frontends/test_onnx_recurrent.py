"""RNN, GRU and LSTM, whose steps are written out: what the steps become. What they compute is in
``test_onnx_operators``."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from graph_support import draw, inputs_of, network, node
from reference import run_onnx_runtime
from support import assert_matches

import tvm_directconv as directconv

SIZE, HIDDEN, BATCH = 6, 16, 2
GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
CASES = [("RNN", {}, 1), ("GRU", {}, 2), ("GRU", {"linear_before_reset": 1}, 1), ("LSTM", {}, 1)]


@pytest.mark.parametrize(("kind", "attributes", "products"), CASES)
def test_steps_share_kernels_and_weights(kind: str, attributes: dict[str, int], products: int) -> None:
    """A step is products with constant matrices, packed once for all steps, and no kernel of its own."""
    compiled, directions = {}, 2
    for steps in (4, 7):
        weights = {
            "w": draw(directions, GATES[kind] * HIDDEN, SIZE),
            "r": draw(directions, GATES[kind] * HIDDEN, HIDDEN, seed=1),
            "b": draw(directions, 2 * GATES[kind] * HIDDEN, seed=2),
        }
        options = {"hidden_size": HIDDEN, "direction": "bidirectional", **attributes}
        model = network(
            [node(kind, "x w r b", "y", **options)],
            {"x": (steps, BATCH, SIZE)},
            {"y": (steps, directions, BATCH, HIDDEN)},
            weights,
        )
        compiled[steps] = directconv.compile(model, "llvm -mcpu=native", cache=False)
        inputs = inputs_of(model)
        (result,) = compiled[steps].run(list(inputs.values()))
        assert_matches(
            result, run_onnx_runtime(model, inputs)[0].astype(np.float64), f"{kind}, {steps} steps"
        )
    reports = {steps: model.report() for steps, model in compiled.items()}
    for steps, report in reports.items():
        assert [layer.kind for layer in report.layers] == ["dense"] * directions * (1 + steps * products)
    few, many = (len(dict(report.other_kernels)) for report in reports.values())
    assert few == many
    assert len({layer.function for layer in reports[7].layers}) <= 1 + 2 * products


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
