"""Activations: operators that together compute an elementwise function of one tensor, as epilogues' steps.

Exporters write a SiLU, a GELU or a HardSwish in many ways: the order of operands, how constants are grouped,
division or multiplication. So a function is known by what it computes: the operators are evaluated at a few
points, and the step that gives the same numbers takes their place. A step's class has the constants that it
would have by a few of them (``Step.fitted``).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from tvm import relax

from intrinsics.epilogue import STEPS, ChannelShift, Clip, Residual, Scale, Shift, Step
from relay_strategies.operators.evaluation import element_by_element
from relay_strategies.relax.arithmetic_calls import ADD, MULTIPLY, NEGATE, SUBTRACT
from relay_strategies.relax.epilogue_steps import FLOAT, step_of
from relay_strategies.relax.graph import Graph, dtype_of, operator_name, shape_of
from relay_strategies.relax.scales import LARGEST_SHIFT
from tvm_directconv.problem.steps import numpy_steps

MOST_OPERATORS = 16
"""The largest number of operators of an activation."""
SMALL = 1.37 * 2.0 ** np.arange(-17, -4)
POSITIVE = np.concatenate([SMALL, np.arange(1, 160) / 16, [0.01, 10.5, 12, 16, 20, 30, 100, 1e4, 1e8]])
POINTS = np.sort(np.concatenate([-POSITIVE, [0.0], POSITIVE]))
"""The small ones are beside thresholds, as of what is zero below them."""
SUMS_AND_PRODUCTS = (ADD, SUBTRACT, MULTIPLY, NEGATE)
ENDS_IN_SUM = (Residual, Shift, ChannelShift, Clip)
"""These steps end in a sum or an extreme."""
LARGEST = 1e30
"""Functions of larger values are none that a step has constants for."""
TOLERANCE = 1e-5
"""Values may differ by this part of a value, of the largest of all, or of 1, whichever is the least: some
write 1.4142 for the square root of 2."""

Values = np.ndarray
"""A function's values at ``POINTS``."""


@dataclass(frozen=True)
class Activation:
    """Steps, and the variables of the operators that compute them, in order; the last holds the result."""

    steps: tuple[Step, ...]
    variables: tuple[relax.Var, ...]


class Activations:
    """The activations of one function."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._places = {var: place for place, (var, _) in enumerate(graph.bindings)}

    def after(self, var: relax.Var) -> Activation | None:
        """The shortest activation that is all that ``var`` is used for; None where there is none."""
        following = self._graph.only_consumer(var)
        found = None if following is None else step_of(self._graph.definition[following])
        if found is not None and found[0] == var and following is not None:
            return Activation((found[1],), (following,))
        best = None
        for result, variables in self.functions(var, POINTS):
            steps = steps_of_values(result)
            if not steps or not self._rounds_like(steps, var, variables):
                continue
            if len(steps) == 1:
                return Activation(steps, variables)
            # What follows may take the scale off again.
            best = Activation(steps, variables) if best is None else best
        return best

    def _rounds_like(self, steps: tuple[Step, ...], var: relax.Var, variables: tuple[relax.Var, ...]) -> bool:
        """Whether float32 makes the same of the operators as of the steps, up to rounding. Sums and products
        with constants are steps one by one: no sum or product of two of them is the same."""
        if isinstance(steps[0], Scale | Shift):
            return is_sum_or_product(self._graph, variables)
        if len(variables) == 1:
            return True
        found = self.functions(var, POINTS.astype(np.float32))
        return _agree(steps, next(values for values, passed in found if passed == variables))

    def functions(
        self, var: relax.Var, points: np.ndarray, channels: int = 0
    ) -> Iterator[tuple[Values, tuple[relax.Var, ...]]]:
        """The functions, element by element, that are all that ``var`` is used for, the shortest first: their
        values where it is ``points``, and the variables of their operators. With ``channels``, the extent of
        the last axis of tensor and points, constants may have an element for each channel."""
        values: dict[relax.Expr, np.ndarray] = {var: points}
        passed: list[relax.Var] = []
        places = self._consumers(var)
        while places and len(passed) < MOST_OPERATORS:
            following = self._graph.bindings[places[0]][0]
            result = self._value(following, values, shape_of(var), channels)
            if result is None or result.shape != points.shape:
                return
            values[following] = result
            passed.append(following)
            if len(places) == 1 and dtype_of(following) == FLOAT:
                yield result, tuple(passed)
            consumers = self._consumers(following)
            if not consumers:
                return
            places = sorted({*places[1:], *consumers})

    def _consumers(self, var: relax.Var) -> list[int]:
        """The places of what uses ``var``; none where it is used by anything but bindings."""
        users = self._graph.consumers.get(var, [])
        return sorted({self._places[user] for user in users}) if len(users) == self._graph.uses[var] else []

    def _value(
        self,
        var: relax.Var,
        values: dict[relax.Expr, np.ndarray],
        shape: tuple[int, ...] | None,
        channels: int,
    ) -> np.ndarray | None:
        """Return what ``var`` is where others have ``values``; None where these do not tell."""
        call = self._graph.definition[var]
        if not isinstance(call, relax.Call) or shape_of(var) != shape or shape is None:
            return None
        return element_by_element(call, values, len(shape), channels)


def takes_shift(steps: Sequence[Step], shift: Sequence[Step] | np.ndarray) -> bool:
    """Whether a shift, that of a step or of channels, may follow these steps. Behind a product a kernel
    rounds both as one, which shows where the shift is large; other steps may follow always."""
    terms = shift if isinstance(shift, np.ndarray) else [s.term for s in shift if isinstance(s, Shift)]
    return not steps or isinstance(steps[-1], ENDS_IN_SUM) or bool(np.all(np.abs(terms) <= LARGEST_SHIFT))


def is_sum_or_product(graph: Graph, variables: tuple[relax.Var, ...]) -> bool:
    """Whether these are the result of one operator, a sum or a product."""
    first, *rest = variables
    return not rest and operator_name(graph.definition[first]) in SUMS_AND_PRODUCTS


_KNOWN: dict[bytes, tuple[Step, ...]] = {}


def steps_of_values(values: Values) -> tuple[Step, ...]:
    """The steps that have these values at ``POINTS``; none where none have."""
    key = values.astype(np.float64).tobytes()
    if key not in _KNOWN:
        _KNOWN[key] = _found(values)
    return _KNOWN[key]


def _found(values: Values) -> tuple[Step, ...]:
    if not (np.any(values) and np.all(np.abs(values) < LARGEST)):
        return ()
    slope = values[-1] / POINTS[-1]
    if _close(slope * POINTS, values):
        known = (Scale(_at(values, 1.0)), Shift(_at(values, 0.0)))
        return next(((step,) for step in known if _agree([step], values)), ())
    scaled = [] if slope in (0.0, 1.0) or not math.isfinite(1 / slope) else [Scale(slope)]
    for after in ([], scaled):
        wanted = values / slope if after else values
        if not np.all(np.abs(wanted) < LARGEST):
            break
        for kind in STEPS.values():
            step = kind.fitted(functools.partial(_at, wanted))
            if step is not None and _agree([step], wanted):
                return (step, *after)
        if not scaled:
            break
    return ()


def _agree(steps: Sequence[Step], values: Values) -> bool:
    """Sums and products with constants to the bit: a small constant is one all the same."""
    with np.errstate(all="ignore"):
        got = numpy_steps(steps, POINTS)
    if isinstance(steps[0], Scale | Shift):
        return np.array_equal(got, values)
    return _close(got, values)


def _close(got: Values, values: Values) -> bool:
    size = np.maximum(min(1.0, np.abs(values).max()), np.abs(values))
    return bool(np.all(np.abs(got - values) <= TOLERANCE * size))


def _at(values: Values, point: float) -> float:
    return float(values[np.searchsorted(POINTS, point)])
