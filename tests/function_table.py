"""Functions of one element, of angles and those whose naive formulas cancel or overflow: their exact values,
and how far from them this library's results may be, whatever way a network comes in."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from graph_support import node
from onnx import NodeProto

LEAST = 1e-36
"""Nothing is promised of results that are smaller, but that they are as near as numbers of this size are."""
SELU = 1.67326319217681884765625, 1.05070102214813232421875
Exact = Callable[[np.ndarray], np.ndarray]


def softplus(x: np.ndarray) -> np.ndarray:
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def elu(x: np.ndarray, alpha: float = 1.0) -> np.ndarray:
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


@dataclass(frozen=True)
class Function:
    """A function of float64, how many units in the last place of its value results may be away, and its ONNX
    operator, if it has one."""

    exact: Exact
    most: float
    onnx: str = ""
    attributes: Mapping[str, float] = field(default_factory=dict)

    def nodes(self, source: str, result: str) -> list[NodeProto]:
        return [node(self.onnx, source, result, **self.attributes)]


FUNCTIONS = {
    "log1p": Function(np.log1p, 3),
    "expm1": Function(np.expm1, 2),
    "softplus": Function(softplus, 4, "Softplus"),
    "log_sigmoid": Function(lambda x: -softplus(-x), 4),
    "mish": Function(lambda x: np.maximum(x, -1e30) * np.tanh(softplus(x)), 4.5, "Mish"),
    "elu": Function(elu, 2, "Elu"),
    "elu(0.5)": Function(lambda x: elu(x, 0.5), 2, "Elu", {"alpha": 0.5}),
    "selu": Function(lambda x: SELU[1] * elu(x, SELU[0]), 3, "Selu"),
    "celu(2)": Function(lambda x: np.where(x > 0, x, 2 * elu(x / 2)), 2, "Celu", {"alpha": 2.0}),
    "atanh": Function(np.arctanh, 4, "Atanh"),
    "asinh": Function(np.arcsinh, 3, "Asinh"),
    "acosh": Function(np.arccosh, 3, "Acosh"),
    "sinh": Function(np.sinh, 3, "Sinh"),
    "cosh": Function(np.cosh, 3, "Cosh"),
    "tanh": Function(np.tanh, 6, "Tanh"),
    "sin": Function(np.sin, 2, "Sin"),
    "cos": Function(np.cos, 2, "Cos"),
    "tan": Function(np.tan, 4, "Tan"),
    "asin": Function(np.arcsin, 3, "Asin"),
    "acos": Function(np.arccos, 3, "Acos"),
    "atan": Function(np.arctan, 3, "Atan"),
    "log_add_exp": Function(lambda x: np.logaddexp(x, 0), 4),
    "log_sum_exp": Function(lambda x: np.logaddexp(x, 0), 4),
    "log_softmax": Function(lambda x: -softplus(-x), 4),
}
"""Of two numbers, x and 0, are the last three; the last is that of x."""


def every_magnitude(step: int = 60013) -> np.ndarray:
    """Numbers of both signs and all exponents, denormal ones too, denser where functions bend, and infinities
    and NaN; an odd number of them."""
    bits = np.arange(0, 0x7F800000, step, dtype=np.uint32)
    both = np.concatenate([bits, bits | np.uint32(1 << 31)]).view(np.float32)
    bent = np.linspace(-110, 110, 20002, dtype=np.float32)
    return np.concatenate([both, bent, np.array([math.inf, -math.inf, math.nan], np.float32)])


def assert_exact(name: str, x: np.ndarray, got: np.ndarray, function: Function | None = None) -> None:
    """Raises AssertionError unless ``got`` is the function of ``x``, element by element."""
    function = FUNCTIONS[name] if function is None else function
    with np.errstate(all="ignore"):
        want = function.exact(x.astype(np.float64))
        single = want.astype(np.float32)
        unit = np.maximum(np.spacing(np.abs(single)).astype(np.float64), LEAST / function.most)
        # The largest numbers may become infinite a rounding early or late.
        apart = np.abs(got.astype(np.float64) - want) / unit
        same = (got == single) | (np.isnan(got) & np.isnan(single))
    apart = np.where(same, 0, np.where(np.isnan(apart), np.inf, apart))
    worst = int(np.argmax(apart))
    assert apart[worst] <= function.most, f"{name}({x[worst]!r}) = {got[worst]!r}, not {want[worst]!r}"


def in_pairs(x: np.ndarray) -> np.ndarray:
    """Rows of each number and 0."""
    return np.stack([x, np.zeros_like(x)], 1)


def of_onnx() -> Sequence[str]:
    return [name for name, function in FUNCTIONS.items() if function.onnx]
