"""Steps that add, multiply and take extremes: clips, what is made of them, scales, and the residual."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from .operations import INFINITY, Operations, Value
from .step import Step

UNITS_FROM = 1.5 * 2**23
"""Floats are one apart beside this one: adding it rounds to even."""


@dataclass(frozen=True)
class Clip(Step):
    """``min(max(x, low), high)``; ReLU is ``low=0``."""

    low: float = -INFINITY
    high: float = INFINITY

    name = "clip"

    def __post_init__(self) -> None:
        super().__post_init__()
        if math.isnan(self.low) or math.isnan(self.high) or self.low > self.high:
            raise ValueError(f"epilogue clip range [{self.low}, {self.high}] is empty")

    def apply(self, x: Value, op: Operations[Value]) -> Value:
        x = x if self.low == -INFINITY else op.maximum(x, self.low)
        return x if self.high == INFINITY else op.minimum(x, self.high)

    def __str__(self) -> str:
        return "relu" if self == Clip(low=0.0) else self.text

    def after(self, step: Step) -> Step | None:
        if not isinstance(step, Clip):
            return None
        return Clip(*(min(max(bound, self.low), self.high) for bound in (step.low, step.high)))


@dataclass(frozen=True)
class Residual(Step):
    """``x + residual``, the element of another tensor of the output's shape and layout."""

    name = "residual"

    def apply(self, x: Value, op: Operations[Value]) -> Value:
        return op.add_residual(x)

    @classmethod
    def fitted(cls, at: Callable[[float], float]) -> None:
        """Return None: the residual is another tensor, and not a function of the element."""


@dataclass(frozen=True)
class Finite(Step):
    """A step whose constants are numbers; infinities would make NaN of zeros."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not all(map(math.isfinite, self.constants)):
            raise ValueError(f"the constants of epilogue step {self.text} are not all finite")


@dataclass(frozen=True)
class Scale(Finite):
    """``x * factor``."""

    factor: float

    name = "scale"

    def apply(self, x: Value, op: Operations[Value]) -> Value:
        return op.multiply(x, self.factor)

    @classmethod
    def fitted(cls, at: Callable[[float], float]) -> Scale:
        return Scale(at(1.0))


@dataclass(frozen=True)
class Shift(Finite):
    """``x + term``."""

    term: float

    name = "shift"

    def apply(self, x: Value, op: Operations[Value]) -> Value:
        return op.add(x, self.term)

    @classmethod
    def fitted(cls, at: Callable[[float], float]) -> Shift:
        return Shift(at(0.0))


@dataclass(frozen=True)
class Round(Step):
    """The nearest integer, the even one of two, of what lies within 2^22."""

    name = "round"

    def apply(self, x: Value, op: Operations[Value]) -> Value:
        return op.add(op.add(x, UNITS_FROM), -UNITS_FROM)

    @classmethod
    def fitted(cls, at: Callable[[float], float]) -> None:
        """Return None: only quantization rounds, whose values are known to lie within 2^22."""


@dataclass(frozen=True)
class HardSigmoid(Finite):
    """``clip(alpha * x + beta, 0, 1)``; the constants are ONNX's."""

    alpha: float = 0.2
    beta: float = 0.5

    name = "hardsigmoid"

    def apply(self, x: Value, op: Operations[Value]) -> Value:
        return Clip(0.0, 1.0).apply(op.multiply_add(x, self.alpha, self.beta), op)

    @classmethod
    def fitted(cls, at: Callable[[float], float]) -> HardSigmoid | None:
        beta = at(0.0)
        alpha = (at(0.25) - beta) / 0.25
        return HardSigmoid(alpha, beta) if alpha else None


@dataclass(frozen=True)
class HardSwish(Finite):
    """``x * clip(alpha * x + beta, 0, 1)``; the constants are ONNX's. Minus infinity times 0 is NaN."""

    alpha: float = 1 / 6
    beta: float = 0.5

    name = "hardswish"

    def apply(self, x: Value, op: Operations[Value]) -> Value:
        return op.multiply(x, HardSigmoid(self.alpha, self.beta).apply(x, op))

    @classmethod
    def fitted(cls, at: Callable[[float], float]) -> HardSwish | None:
        """Return the step by the slopes beside 0, which are beta and a little of alpha."""
        right, left = at(0.25) / 0.25, at(-0.25) / -0.25
        return HardSwish((right - left) / 0.5, (right + left) / 2) if right != left else None


@dataclass(frozen=True)
class LeakyRelu(Finite):
    """``x`` where positive, ``slope * x`` elsewhere."""

    slope: float

    name = "leakyrelu"

    def apply(self, x: Value, op: Operations[Value]) -> Value:
        if self.slope == 0:
            return op.maximum(x, 0.0)
        if 0 < self.slope <= 1:
            return op.maximum(x, op.multiply(x, self.slope))
        if self.slope > 1:
            return op.minimum(x, op.multiply(x, self.slope))
        return op.multiply_add(op.minimum(x, 0.0), self.slope, op.maximum(x, 0.0))

    @classmethod
    def fitted(cls, at: Callable[[float], float]) -> LeakyRelu:
        return LeakyRelu(0.0 - at(-1.0))
