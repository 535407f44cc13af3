"""Clips in all their spellings: ReLU, ReLU6, clip, maximum and minimum with a constant."""

from __future__ import annotations

import math

import tvm
from tvm import relax

from relay_strategies.relax.graph import Rewriter, operator_name, scalar

INFINITY = math.inf
CLIPS = ("relax.nn.relu", "relax.nn.relu6", "relax.clip", "relax.maximum", "relax.minimum")


def clip(rewriter: Rewriter, data: relax.Expr, low: float, high: float) -> relax.Expr:
    """``data`` clipped to [low, high], merged with a clip that made it; a ReLU where that is what it is."""
    if low == -INFINITY and high == INFINITY:
        return data
    before = clip_bounds(rewriter.produced(data, *CLIPS))
    if before is not None:
        source, inner_low, inner_high = before
        bounds = [min(max(bound, low), high) for bound in (inner_low, inner_high)]
        return clip(rewriter, source, *bounds) if bounds != [inner_low, inner_high] else data
    if (low, high) == (0.0, INFINITY):
        return relax.op.nn.relu(data)
    return relax.op.clip(data, tvm.tirx.const(low, "float32"), tvm.tirx.const(high, "float32"))


def clip_bounds(call: relax.Expr | None) -> tuple[relax.Expr, float, float] | None:
    """(data, low, high) of a call that clips by constants."""
    if call is None:
        return None
    name = operator_name(call)
    if name == "relax.nn.relu":
        return call.args[0], 0.0, INFINITY
    if name == "relax.nn.relu6":
        return call.args[0], 0.0, 6.0
    if name == "relax.clip":
        low, high = (_number(argument) for argument in call.args[1:3])
        return None if low is None or high is None else (call.args[0], low, high)
    if name in ("relax.maximum", "relax.minimum"):
        first, second = call.args
        bound = scalar(second)
        data = first
        if bound is None:
            bound, data = scalar(first), second
        if bound is None or math.isnan(bound):
            return None
        return (data, bound, INFINITY) if name == "relax.maximum" else (data, -INFINITY, bound)
    return None


def _number(expr: relax.Expr) -> float | None:
    value = getattr(expr, "value", None)
    return float(value) if isinstance(value, int | float) else scalar(expr)
