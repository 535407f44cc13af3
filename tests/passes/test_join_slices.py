"""What networks compute of a tensor and of its parts put together again, they compute once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from graph_support import draw, operators
from relax_numpy import evaluate, function
from tvm import relax

from relay_strategies import passes

op = relax.op
SHAPE = (2, 3, 8)


def _joined(emit: Any, x: Any) -> Any:
    parts = [emit(op.strided_slice(x, [2], [begin], [end])) for begin, end in ((0, 3), (3, 8))]
    return emit(op.concat(parts, 2))


def _twice(emit: Any, x: Any, y: Any) -> Any:
    return emit(op.multiply(emit(op.add(x, y)), emit(op.add(_joined(emit, x), y))))


def _chain(emit: Any, x: Any, y: Any) -> Any:
    first, second = (emit(op.exp(emit(op.add(a, y)))) for a in (x, _joined(emit, x)))
    return emit(op.subtract(first, second))


def _other_attributes(emit: Any, x: Any, y: Any) -> Any:
    means = [emit(op.mean(a, axis, keepdims=True)) for a, axis in ((x, 1), (_joined(emit, x), 2))]
    return emit(op.multiply(emit(op.add(means[0], means[1])), y))


def _other_order(emit: Any, x: Any, y: Any) -> Any:
    return emit(op.multiply(emit(op.subtract(x, y)), emit(op.subtract(y, _joined(emit, x)))))


@pytest.mark.parametrize(
    ("build", "left"),
    [
        (_twice, {"add": 1, "multiply": 1}),
        (_chain, {"add": 1, "exp": 1, "subtract": 1}),
        (_other_attributes, {"mean": 2, "add": 1, "multiply": 1}),
        (_other_order, {"subtract": 2, "multiply": 1}),
    ],
)
def test_equal_operators_are_computed_once(build: Any, left: dict[str, int]) -> None:
    module = function(build, SHAPE, SHAPE)
    joined = passes.JoinSlices(module)
    assert operators(joined) == left
    inputs = [draw(*SHAPE, seed=seed) for seed in (1, 2)]
    np.testing.assert_allclose(evaluate(joined, inputs), evaluate(module, inputs), rtol=1e-12)
