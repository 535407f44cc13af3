"""Benchmarks of single operators: what is drawn, and that the command times it."""

from __future__ import annotations

import json

import numpy as np
import onnxruntime
import pytest
from cli_support import fail, succeed

from tvm_directconv.bench.drawn_operators import draw_operators
from tvm_directconv.bench.operator_models import LEAST, MOST
from tvm_directconv.bench.operator_rules import DRAWN


def test_each_operator_is_drawn_as_onnx_has_it() -> None:
    """Two drawings of each run in ONNX Runtime, and are the same from the same seed."""
    drawn = list(draw_operators(2 * len(DRAWN), seed=5))
    assert [each.label for each in drawn] == [each.label for each in draw_operators(2 * len(DRAWN), seed=5)]
    assert [each.label for each in drawn] != [each.label for each in draw_operators(2 * len(DRAWN), seed=6)]
    for each in drawn:
        session = onnxruntime.InferenceSession(each.model().SerializeToString())
        results = session.run(None, each.inputs)
        assert all(np.isfinite(result).all() for result in results if result.dtype == np.float32), each.label


def test_tensors_are_of_the_sizes_that_are_drawn_for() -> None:
    sizes = [array.size for each in draw_operators(100, only=("Relu",)) for array in each.inputs.values()]
    assert LEAST / 2 <= min(sizes) < 2**16 and 2**18 < max(sizes) <= 2 * MOST


@pytest.mark.slow
def test_the_command_times_operators_of_names() -> None:
    options = "--operators", "2", "--quick", "--contestants", "ours,onnxruntime", "--json"
    record = json.loads(succeed("bench", "TopK", "Softmax", *options))
    problems = [comparison["problem"] for comparison in record["comparisons"]]
    assert {problem.split()[0] for problem in problems} == {"TopK", "Softmax"}
    for comparison in record["comparisons"]:
        assert not any(each["refused"] for each in comparison["measurements"])


def test_the_command_names_what_it_does_not_take() -> None:
    assert "no operator 'Twist' is drawn" in fail("bench", "Twist", "--operators", "2")
    assert "--layers does not apply" in fail("bench", "--operators", "2", "--layers", status=2)
