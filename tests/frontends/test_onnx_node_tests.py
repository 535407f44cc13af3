"""ONNX's tests of its operators, all of the installed onnx: each agrees, or is excluded with its reason."""

from __future__ import annotations

import re

import numpy as np
import pytest
from onnx_node_cases import DIFFERING, DRAWN, batches, failures, node_cases, reason_excluded
from onnx_support import by_onnxruntime

from relay_strategies import onnx_backend
from tvm_directconv.errors import DirectConvError

TOGETHER = 40
"""Compiling so many tests as one model takes a tenth of the time that they take one by one."""
COMPARED = [name for name in node_cases() if name not in DIFFERING and not DRAWN.search(name)]
INCLUDED = [name for name in COMPARED if reason_excluded(name) is None]
EXCLUDED = [name for name in node_cases() if reason_excluded(name) is not None]
BY_OPERATOR = {node_cases()[name].model.graph.node[0].op_type: name for name in reversed(INCLUDED)}
QUICK = [*BY_OPERATOR.values(), *(name for name in INCLUDED if re.search(r"quanti|qlinear|integer", name))]
"""One test per operator, and all of quantization."""
LEAST_INCLUDED = 1000
"""Tests of operators in onnx 1.16, the oldest supported; guards against an empty loop."""


def _check(names: list[str]) -> None:
    wrong = failures(names)
    assert not wrong, "\n".join(f"{name}: {why[:500]}" for name, why in wrong.items())


@pytest.mark.parametrize("names", [pytest.param(b, id=i) for i, b in batches(QUICK, TOGETHER).items()])
def test_every_operator_agrees(names: list[str]) -> None:
    _check(names)


@pytest.mark.slow
@pytest.mark.parametrize("names", [pytest.param(b, id=i) for i, b in batches(INCLUDED, TOGETHER).items()])
def test_all_agree(names: list[str]) -> None:
    _check(names)


@pytest.mark.parametrize("name", DIFFERING)
def test_where_the_evaluator_differs_onnxruntime_agrees(name: str) -> None:
    model = node_cases()[name].model
    arrays = node_cases()[name].data_sets[0][0]
    names = [value.name for value in model.graph.input]
    (wanted,) = by_onnxruntime(model, dict(zip(names, arrays, strict=True))).values()
    (found,) = onnx_backend.run_model(model, arrays)
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)
    assert failures([name]), "it agrees, and no longer needs excluding"


def test_the_excluded_are_refused() -> None:
    """By errors of ours; what is refused no longer needs no excluding."""
    assert len(INCLUDED) >= LEAST_INCLUDED
    wrong = {}
    for name in EXCLUDED:
        try:
            wrong[name] = failures([name]).get(name, "it agrees, and no longer needs excluding")
        except DirectConvError:
            continue
        except Exception as error:
            wrong[name] = f"{type(error).__name__}: {error}"
    assert not wrong, "\n".join(f"{name}: {why[:500]}" for name, why in wrong.items())
