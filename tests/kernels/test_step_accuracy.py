"""How far steps are from what they stand for, over all of float32; docs/numerics.md has these bounds."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from intrinsics.epilogue import (
    STEPS,
    ChannelScale,
    ChannelShift,
    Clip,
    Gelu,
    LeakyRelu,
    PRelu,
    Residual,
    Round,
    Scale,
    Shift,
    Silu,
    Step,
    parse_step,
)
from tvm_directconv.problem.steps import NumpyOperations, numpy_steps

NUMERICS = Path(__file__).parents[2] / "docs" / "numerics.md"
LEAST = 1e-36
"""Nothing is promised of what is smaller: exponentials below 2^-126.5 are zero."""


def sigmoid(x: np.ndarray) -> np.ndarray:
    return np.where(x > 0, 1 / (1 + np.exp(-np.abs(x))), np.exp(-np.abs(x)) / (1 + np.exp(-np.abs(x))))


def softplus(x: np.ndarray) -> np.ndarray:
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def normal(x: np.ndarray) -> np.ndarray:
    return np.array([0.5 * math.erfc(-value / math.sqrt(2)) for value in x])


ALPHA = np.float64(np.float32(1 / 6))
FUNCTIONS: dict[str, tuple[Callable[[np.ndarray], np.ndarray], float, str]] = {
    "hardsigmoid": (lambda x: np.clip(np.float64(np.float32(0.2)) * x + 0.5, 0, 1), 1.0, "1"),
    "hardswish": (lambda x: x * np.clip(ALPHA * x + 0.5, 0, 1), 1.5, "x"),
    "sigmoid": (sigmoid, 2.5, "the result"),
    "silu": (lambda x: x * sigmoid(x), 2.5, "the result"),
    "tanh": (np.tanh, 6.0, "the result"),
    "gelu": (lambda x: x * normal(x), 3.0, "x"),
    "gelutanh": (lambda x: x * sigmoid(2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)), 2.0, "x"),
    "mish": (lambda x: x * np.tanh(softplus(x)), 4.5, "the result"),
    "elu": (lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))), 2.0, "the result"),
    "softplus": (softplus, 4.0, "the result"),
}
"""By a step's name: what it stands for, how many units in the last place it may be away, and of what."""


class Fused(NumpyOperations):
    """With products that are not rounded before they are added to."""

    def multiply_add(self, a: np.ndarray, b: np.ndarray | float, c: np.ndarray | float) -> np.ndarray:
        wide, term = (np.asarray(value, np.float32).astype(np.float64) for value in (b, c))
        return (a.astype(np.float64) * wide + term).astype(np.float32)


def every_magnitude() -> np.ndarray:
    """Numbers of both signs and all exponents, denormal ones too, and denser where functions bend."""
    bits = np.arange(0, 0x7F800000, 60013, dtype=np.uint32)
    both = np.concatenate([bits, bits | np.uint32(1 << 31)]).view(np.float32)
    return np.concatenate([both, np.linspace(-100, 100, 50001, dtype=np.float32)])


@pytest.mark.parametrize("operations", [NumpyOperations(None), Fused(None)], ids=["apart", "fused"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_steps_are_as_exact_as_is_said(name: str, operations: NumpyOperations) -> None:
    function, most, of = FUNCTIONS[name]
    x = every_magnitude()
    with np.errstate(all="ignore"):
        got, want = STEPS[name]().apply(x, operations).astype(np.float64), function(x.astype(np.float64))
        unit = {"x": x, "1": np.ones_like(x), "the result": want.astype(np.float32)}[of]
        apart = np.abs(got - want) / np.maximum(np.spacing(np.abs(unit)).astype(np.float64), LEAST / most)
    worst = int(np.nanargmax(apart))
    assert not np.isnan(got).any()
    assert apart[worst] <= most, f"{name}({x[worst]!r}) = {got[worst]!r}, not {want[worst]!r}"


def test_the_page_says_these_bounds() -> None:
    page = NUMERICS.read_text()
    for name, (_, most, of) in FUNCTIONS.items():
        assert f"| `{name}` | {most:g} | {of} |" in page


@pytest.mark.parametrize(
    ("step", "at_infinities"),
    [
        (STEPS["hardsigmoid"](), (0, 1)),
        (STEPS["hardswish"](), (math.nan, math.inf)),
        (STEPS["sigmoid"](), (0, 1)),
        (STEPS["silu"](), (0, math.inf)),
        (Silu(-1.5), (-math.inf, 0)),
        (STEPS["tanh"](), (-1, 1)),
        (Gelu(), (0, math.inf)),
        (STEPS["gelutanh"](), (0, math.inf)),
        (STEPS["mish"](), (0, math.inf)),
        (STEPS["elu"](), (-1, math.inf)),
        (STEPS["softplus"](), (0, math.inf)),
        (LeakyRelu(0.1), (-math.inf, math.inf)),
        (LeakyRelu(-2.0), (math.inf, math.inf)),
        (LeakyRelu(3.0), (-math.inf, math.inf)),
        (LeakyRelu(0.0), (0, math.inf)),
        (Clip(-1.0, 6.0), (-1, 6)),
        (Scale(-2.0), (math.inf, -math.inf)),
        (Shift(1.0), (-math.inf, math.inf)),
    ],
    ids=lambda value: str(value) if isinstance(value, Step) else "",
)
def test_infinities_and_nan(step: Step, at_infinities: tuple[float, float]) -> None:
    with np.errstate(all="ignore"):
        got = numpy_steps([step], np.array([-math.inf, math.inf, math.nan], np.float32))
    np.testing.assert_array_equal(got, np.array([*at_infinities, math.nan], np.float32))


def test_every_step_is_here() -> None:
    exact = (Clip, LeakyRelu, Residual, Round, Scale, Shift, ChannelScale, ChannelShift, PRelu)
    others = {kind.name for kind in exact}
    assert set(STEPS) == set(FUNCTIONS) | others


@pytest.mark.parametrize("text", ["scale(inf)", "leakyrelu(nan)", "silu(0)"])
def test_constants_that_make_no_function_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="finite|alpha 0"):
        parse_step(text)
