"""Steps made of exponentials and quotients: sigmoid, SiLU, tanh, both GELUs, Mish, ELU, softplus.

``exp`` reduces its argument as S. Moshier's Cephes library does: ``x = n * ln 2 + rest`` with ln 2 in two
parts, of which the first has so few bits that its products are exact whether or not they are fused with a
sum. The polynomials of e^rest and of the logarithm, and the rational functions of tanh and of the normal
distribution, are minimax fits (iteratively reweighted least squares in float64, Lawson's algorithm), whose
errors stand beside them; ``docs/numerics.md`` has those of the steps. Arguments are kept where the exponent's
bits hold n: from -127, which makes exactly zero, to 128, which makes infinity.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .operations import EXPONENT_ZERO, Operations, Value
from .piecewise import Finite, Scale
from .step import Step

LOG2_E = 1.4426950408889634
LN2_HIGH = 0.693359375
"""This is ln 2 to ten bits."""
LN2_LOW = -2.12194440e-4
EXP_ZERO, EXP_FINITE, EXP_INFINITE = -88.0, 88.0, 88.7
"""Arguments from which on exp gives 0, a number, and infinity, a little early."""
EXP = (1.38824654e-3, 8.36668889e-3, 4.16672078e-2, 1.66665418e-1, 0.49999998, 1.0)
"""(e^r - 1) / r for r up to half of ln 2 either way, highest power first; relative error 1.4e-8."""
LOG1P = (0.28024464846, 0.27999138832, 0.40021699667, 0.66666412354, 2.0)
"""log((1 + s) / (1 - s)) / s for s up to a third, powers of s^2, highest first; error 1e-9."""
TANH_MOST = 8.999939
"""The quotient that is tanh is 1 here, fused or not."""
TANH_ABOVE = (1.3419833244654455e-8, 2.0661271264543757e-5, 3.4989966079592705e-3, 0.13383980095386505, 1.0)
TANH_BELOW = (7.804733854754886e-7, 3.2910390291363e-4, 2.5890208780765533e-2, 0.4671730101108551, 1.0)
"""tanh(x) / x, powers of x^2, highest first; relative error 2.2e-8 up to 9."""
NORMAL_MOST = 5.3
"""The quotient that is the normal distribution less a half is one half here, fused or not."""
NORMAL_ABOVE = (
    2.405078092238e-8,
    6.379021215252578e-6,
    1.6032847634050995e-4,
    4.627957474440336e-3,
    3.2935190945863724e-2,
    0.3989422619342804,
)
NORMAL_BELOW = (
    1.2371792763588019e-6,
    7.135039049899206e-5,
    1.8365377327427268e-3,
    2.8138484805822372e-2,
    0.2492225170135498,
    1.0,
)
"""(Phi(x) - 1/2) / x, powers of x^2, highest first; the error of Phi is 4.1e-9 up to 5.3."""
GELU_TANH = (0.0713548162726, 1.5957691216)
"""2 * sqrt(2 / pi) * (x + 0.044715 * x^3), powers of x^2, highest first."""
GELU_TANH_LEAST, GELU_TANH_MOST = -10.06, 10.0
"""Bounds of x where that polynomial is about -88.7, and within ``EXP_FINITE``."""
MISH_MOST = 40.0
"""tanh(softplus(x)) rounds to 1 long before."""
DIGITS = 6
"""Decimal digits that a constant of single precision has."""


@dataclass(frozen=True)
class Sigmoid(Step):
    """``1 / (1 + exp(-x))``."""

    name = "sigmoid"

    def apply(self, x: Value, op: Operations[Value]) -> Value:
        e = _exp(op.minimum(op.maximum(x, EXP_ZERO), EXP_FINITE), op)
        return op.divide(e, op.add(e, 1.0))


@dataclass(frozen=True)
class Silu(Finite):
    """``x * sigmoid(alpha * x)``, the limit 0 at the infinity where that is; alpha is not 0."""

    alpha: float = 1.0

    name = "silu"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.alpha == 0:
            raise ValueError("epilogue step silu with alpha 0 is scale(0.5)")

    def apply(self, x: Value, op: Operations[Value]) -> Value:
        if self.alpha != 1:
            # x * sigmoid(alpha * x) is silu(alpha * x) / alpha.
            return Scale(1 / self.alpha).apply(Silu().apply(op.multiply(x, self.alpha), op), op)
        least = op.maximum(x, -EXP_INFINITE)
        return op.divide(least, _one_and_exp_of_minus(op.minimum(least, EXP_FINITE), op))

    @classmethod
    def fitted(cls, at: Callable[[float], float]) -> Silu | None:
        """Return the step by the value at 1, which is the sigmoid of alpha."""
        at_one = at(1.0)
        alpha = round(math.log(at_one / (1 - at_one)), DIGITS) if 0 < at_one < 1 else 0.0
        return Silu(alpha) if alpha else None


@dataclass(frozen=True)
class Tanh(Step):
    """Hyperbolic tangent."""

    name = "tanh"

    def apply(self, x: Value, op: Operations[Value]) -> Value:
        x = op.minimum(op.maximum(x, -TANH_MOST), TANH_MOST)
        return _odd_quotient(x, TANH_ABOVE, TANH_BELOW, op)


@dataclass(frozen=True)
class Gelu(Step):
    """``0.5 * x * (1 + erf(x / sqrt(2)))``, which is x times the normal distribution."""

    name = "gelu"

    def apply(self, x: Value, op: Operations[Value]) -> Value:
        least = op.maximum(x, -NORMAL_MOST)
        half = _odd_quotient(op.minimum(least, NORMAL_MOST), NORMAL_ABOVE, NORMAL_BELOW, op)
        return op.multiply(op.add(half, 0.5), least)


@dataclass(frozen=True)
class GeluTanh(Step):
    """``0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))``, x times the sigmoid of twice that."""

    name = "gelutanh"

    def apply(self, x: Value, op: Operations[Value]) -> Value:
        least = op.maximum(x, GELU_TANH_LEAST)
        bounded = op.minimum(least, GELU_TANH_MOST)
        argument = op.multiply(_polynomial(op.multiply(bounded, bounded), GELU_TANH, op), bounded)
        return op.divide(least, _one_and_exp_of_minus(argument, op))


@dataclass(frozen=True)
class Mish(Step):
    """``x * tanh(softplus(x))``; with w = e^x * (e^x + 2), that is x * w / (w + 2)."""

    name = "mish"

    def apply(self, x: Value, op: Operations[Value]) -> Value:
        least = op.maximum(x, EXP_ZERO)
        e = _exp(op.minimum(least, MISH_MOST), op)
        w = op.multiply(op.add(e, 2.0), e)
        return op.multiply(op.divide(w, op.add(w, 2.0)), least)


@dataclass(frozen=True)
class Elu(Finite):
    """``x`` where positive, ``alpha * (exp(x) - 1)`` elsewhere."""

    alpha: float = 1.0

    name = "elu"

    def apply(self, x: Value, op: Operations[Value]) -> Value:
        rest, power = _reduced(op.maximum(op.minimum(x, 0.0), EXP_ZERO), op, 1)
        grown = op.multiply(_polynomial(rest, EXP, op), rest)
        less_one = op.multiply_add(grown, power, op.add(power, -1.0))
        return op.multiply_add(less_one, self.alpha, op.maximum(x, 0.0))

    @classmethod
    def fitted(cls, at: Callable[[float], float]) -> Elu:
        return Elu(at(-1.0) / math.expm1(-1.0))


@dataclass(frozen=True)
class Softplus(Step):
    """``log(1 + exp(x))``, which is ``max(x, 0) + log(1 + exp(-|x|))``."""

    name = "softplus"

    def apply(self, x: Value, op: Operations[Value]) -> Value:
        e = _exp(op.maximum(op.minimum(x, op.multiply(x, -1.0)), EXP_ZERO), op)
        s = op.divide(e, op.add(e, 2.0))
        logarithm = _polynomial(op.multiply(s, s), LOG1P, op)
        return op.multiply_add(logarithm, s, op.maximum(x, 0.0))


def _reduced(x: Value, op: Operations[Value], sign: int) -> tuple[Value, Value]:
    """(r, p) with ``exp(sign * x) = exp(sign * r) * p`` and p a power of two, for x within bounds."""
    shifted = op.multiply_add(x, sign * LOG2_E, EXPONENT_ZERO)
    whole = op.add(shifted, -EXPONENT_ZERO)
    power = op.power_of_two(shifted)
    rest = op.multiply_add(whole, -sign * LN2_HIGH, x)
    return op.multiply_add(whole, -sign * LN2_LOW, rest), power


def _exp(x: Value, op: Operations[Value]) -> Value:
    rest, power = _reduced(x, op, 1)
    return op.multiply(_polynomial(rest, (*EXP, 1.0), op), power)


def _one_and_exp_of_minus(x: Value, op: Operations[Value]) -> Value:
    """``1 + exp(-x)``."""
    rest, power = _reduced(x, op, -1)
    signs = [1.0 if at % 2 == 0 else -1.0 for at in range(len(EXP), -1, -1)]
    powers = [sign * c for sign, c in zip(signs, (*EXP, 1.0), strict=True)]
    return op.multiply_add(_polynomial(rest, powers, op), power, 1.0)


def _odd_quotient(x: Value, above: Sequence[float], below: Sequence[float], op: Operations[Value]) -> Value:
    """``x * above(x^2) / below(x^2)``."""
    square = op.multiply(x, x)
    numerator = op.multiply(_polynomial(square, above, op), x)
    return op.divide(numerator, _polynomial(square, below, op))


def _polynomial(x: Value, coefficients: Sequence[float], op: Operations[Value]) -> Value:
    """Horner's scheme, highest power first, of degree 1 at least."""
    first, second, *others = coefficients
    value = op.multiply_add(x, first, second)
    for coefficient in others:
        value = op.multiply_add(value, x, coefficient)
    return value
