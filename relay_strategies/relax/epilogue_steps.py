"""Steps of an epilogue among Relax's operators: recognised, written, and kept by composites.

A step of ``intrinsics.epilogue`` is a call of one operator of this project (``functions.STEP``), or of those
of Relax's in ``RECOGNISERS``; graph passes ask ``step_of`` and hand on what they get, so that none of them
knows a step by name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tvm import relax

from intrinsics.epilogue import Clip, Operations, PerChannel, Residual, Step, parse_step

from .composite import Emit
from .functions import STEP, step_in, stepped
from .graph import dtype_of, operator_name, scalar, shape_of

FLOAT = "float32"
"""Steps are of float32 tensors."""
ATTRIBUTE = "steps"
"""A composite that ends in steps holds their texts in this attribute."""

Found = tuple[relax.Expr, Step]
"""A tensor and the step that is done to it."""


def step_of(call: relax.Expr | None) -> Found | None:
    """The step that an operator call is, and the tensor it is done to; None for any other expression."""
    recognise = RECOGNISERS.get(operator_name(call))
    found = None if call is None or recognise is None else recognise(call)
    return found if found is not None and dtype_of(found[0]) == FLOAT else None


def extreme_of(call: relax.Expr | None) -> tuple[relax.Expr, Clip] | None:
    """The clip that a maximum or minimum with one constant is, in units of the tensor, which may be of bytes,
    and the tensor; None for any other expression."""
    found = _bound(call) if operator_name(call) in EXTREMES else None
    return None if found is None or not isinstance(found[1], Clip) else (found[0], found[1])


def _clip(call: relax.Call) -> Found | None:
    low, high = (number_of(argument) for argument in call.args[1:3])
    return None if low is None or high is None else (call.args[0], _clipping(low, high))


def _bound(call: relax.Call) -> Found | None:
    """The maximum or minimum of a tensor and a constant, in either order."""
    first, second = call.args
    for data, other in ((first, second), (second, first)):
        bound, shape = number_of(other), shape_of(data)
        if bound is None or shape is None or len(shape) < len(shape_of(other) or ()):
            continue
        return data, Clip(low=bound) if operator_name(call) == "relax.maximum" else Clip(high=bound)
    return None


def _clipping(low: float, high: float) -> Clip:
    """Return what ``min(max(x, low), high)`` is where the bounds may be in the wrong order."""
    return Clip(min(low, high), high)


EXTREMES = ("relax.maximum", "relax.minimum")
RECOGNISERS: dict[str, Callable[[relax.Call], Found | None]] = {
    "relax.nn.relu": lambda call: (call.args[0], Clip(low=0.0)),
    "relax.clip": _clip,
    STEP: lambda call: (call.args[0], step_in(call)),
    **dict.fromkeys(EXTREMES, _bound),
}
"""These find the step that a call of an operator is."""


class _RelaxOperations(Operations[relax.Expr]):
    """Write the operations of steps that take another tensor as calls of Relax's operators."""

    def __init__(
        self, emit: Emit, residual: relax.Expr | None, channel: Callable[[int], relax.Expr] | None
    ) -> None:
        self.emit, self._residual, self._channel = emit, residual, channel

    def maximum(self, a: relax.Expr, b: relax.Expr | float) -> relax.Expr:
        return self.emit(relax.op.maximum(a, _operand(b)))

    def minimum(self, a: relax.Expr, b: relax.Expr | float) -> relax.Expr:
        return self.emit(relax.op.minimum(a, _operand(b)))

    def add(self, a: relax.Expr, b: relax.Expr | float) -> relax.Expr:
        return self.emit(relax.op.add(a, _operand(b)))

    def multiply(self, a: relax.Expr, b: relax.Expr | float) -> relax.Expr:
        return self.emit(relax.op.multiply(a, _operand(b)))

    def multiply_add(self, a: relax.Expr, b: relax.Expr | float, c: relax.Expr | float) -> relax.Expr:
        return self.add(self.multiply(a, b), c)

    def divide(self, a: relax.Expr, b: relax.Expr) -> relax.Expr:
        return self.emit(relax.op.divide(a, b))

    def power_of_two(self, a: relax.Expr) -> relax.Expr:
        raise ValueError("Relax lacks operators on the bits of floats")

    def channel(self, at: int) -> relax.Expr:
        return super().channel(at) if self._channel is None else self._channel(at)

    def add_residual(self, a: relax.Expr) -> relax.Expr:
        if self._residual is None:
            return super().add_residual(a)
        return self.emit(relax.op.add(a, self._residual))


def apply_steps(
    emit: Emit,
    steps: Iterable[Step],
    data: relax.Expr,
    residual: relax.Expr | None = None,
    channel: Callable[[int], relax.Expr] | None = None,
) -> relax.Expr:
    """``data`` after ``steps``, their operators emitted; one of them may add the residual, and ``channel``
    gives the constants (C,) so many elements behind the bias."""
    operations = _RelaxOperations(emit, residual, channel)
    for step in steps:
        reads = isinstance(step, Residual | PerChannel)
        data = step.apply(data, operations) if reads else emit(stepped(data, step))
    return data


def steps_attribute(steps: Iterable[Step]) -> dict[str, list[str]]:
    """The attribute of a composite that ends in ``steps``; nothing where there are none."""
    texts = [str(step) for step in steps]
    return {ATTRIBUTE: texts} if texts else {}


def steps_of(attributes: Mapping[str, Any]) -> tuple[Step, ...]:
    """The steps that a composite with these attributes ends in."""
    return tuple(parse_step(str(text)) for text in attributes.get(ATTRIBUTE, ()))


def _operand(value: relax.Expr | float) -> relax.Expr:
    return relax.const(value, FLOAT) if isinstance(value, float) else value


def number_of(expr: relax.Expr) -> float | None:
    """A constant's only element, or the number of an attribute; None for what is none."""
    value = getattr(expr, "value", None)
    number = float(value) if isinstance(value, int | float) else scalar(expr)
    return None if number is None or math.isnan(number) else number
