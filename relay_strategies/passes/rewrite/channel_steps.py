"""Elementwise operators with a constant for each channel, as steps of the layer whose result they take.

Like activations they are known by what they compute at a few points, here of every channel: products, sums,
and PReLU, which is Relax's operator or written out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from tvm import relax

from intrinsics.epilogue import ChannelScale, ChannelShift, PerChannel, PRelu
from relay_strategies.relax.epilogue_steps import FLOAT
from relay_strategies.relax.graph import Graph, constant, dtype_of, operator_name, shape_of

from .activations import Activations, Values, is_sum_or_product

POSITIVE = [*(1.37 * 2.0 ** np.arange(-30, -2)), 0.5, 1.0, 2.0, 3.0, 1e4]
POINTS = np.array([*(-x for x in POSITIVE[::-1]), 0.0, *POSITIVE], np.float32)
"""Inputs that tell products from other functions. They are dense about zero: a function with a threshold,
however small, is not a product next to it."""
MINUS_ONE, ZERO, ONE = (int(np.searchsorted(POINTS, value)) for value in (-1, 0, 1))
"""These are their places among the points."""
TOLERANCE = 1e-6


class ChannelStep(NamedTuple):
    """A kind of step, its constants (C,), and the variables of the operators that compute it, in order; the
    last holds the result."""

    kind: type[PerChannel]
    constants: np.ndarray
    variables: tuple[relax.Var, ...]


def channel_step_after(graph: Graph, activations: Activations, var: relax.Var) -> ChannelStep | None:
    """The step with a constant for each channel, the last axis, that is all that ``var`` is used for."""
    shape = shape_of(var)
    if not shape or dtype_of(var) != FLOAT:
        return None
    points = np.repeat(POINTS[:, None], shape[-1], axis=1)
    for values, variables in activations.functions(var, points, shape[-1]):
        alone = is_sum_or_product(graph, variables)
        for kind, (constants, step) in KINDS.items():
            found = constants(values)
            if not alone and kind is not PRelu:
                continue
            with np.errstate(all="ignore"):
                wanted = step(points, found)
                alike = np.all(np.abs(values - wanted) <= TOLERANCE * np.abs(wanted))
            if alike and np.all(np.isfinite(found)):
                return ChannelStep(kind, found.astype(np.float32), variables)
    return _prelu(graph, var, shape)


def _prelu(graph: Graph, var: relax.Var, shape: tuple[int, ...]) -> ChannelStep | None:
    """Return the step that Relax's own operator is."""
    following = graph.only_consumer(var)
    call = None if following is None else graph.definition[following]
    if following is None or call is None or operator_name(call) != "relax.nn.prelu" or call.args[0] != var:
        return None
    slopes = constant(call.args[1])
    if slopes is None or int(call.attrs.axis) % len(shape) != len(shape) - 1:
        return None
    return ChannelStep(PRelu, np.broadcast_to(slopes.reshape(-1), shape[-1:]), (following,))


Constants = Callable[[Values], np.ndarray]
Computed = Callable[[np.ndarray, np.ndarray], np.ndarray]
KINDS: dict[type[PerChannel], tuple[Constants, Computed]] = {
    ChannelScale: (lambda values: values[ONE], lambda x, constants: x * constants),
    ChannelShift: (lambda values: values[ZERO], lambda x, constants: x + constants),
    PRelu: (
        lambda values: -values[MINUS_ONE],
        lambda x, constants: np.maximum(x, 0) + np.minimum(x, 0) * constants,
    ),
}
"""These find the constants of a kind of step from a few of its values, and compute the step with them."""
