"""Operators in TE where TVM has none, or one by a formula that cancels: what is small keeps its digits.

On CPUs ``default_schedule`` makes vector code of ``log1p`` and ``expm1`` (``vector_calls``); the languages of
GPUs have both.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from tvm import te, tirx, topi

from intrinsics.epilogue import Softplus, Step
from tvm_directconv.problem.steps import te_steps

from .builder import Expr
from .definitions import by_element, extreme


def expm1_call(value: Expr) -> Expr:
    """``e^value - 1`` by the C library's name, which ``vector_calls`` knows."""
    dtype = str(value.ty)
    return tirx.call_pure_extern(dtype, "expm1f" if dtype == "float32" else "expm1", value)


def log1p(data: te.Tensor) -> te.Tensor:
    """``log(1 + x)`` of every element."""
    return by_element("log1p", data, tirx.log1p)


def expm1(data: te.Tensor) -> te.Tensor:
    """``e^x - 1`` of every element."""
    return by_element("expm1", data, expm1_call)


def atanh(data: te.Tensor) -> te.Tensor:
    """The inverse hyperbolic tangent, ``log1p(2 |x| / (1 - |x|)) / 2`` with the sign of x."""

    def function(x: Expr) -> Expr:
        size, zero = tirx.abs(x), tirx.const(0, x.ty)
        half = tirx.log1p((size + size) / (tirx.const(1, x.ty) - size)) * tirx.const(0.5, x.ty)
        return tirx.Select(x > zero, half, tirx.Select(x < zero, zero - half, x))

    return by_element("atanh", data, function)


def stepped(data: te.Tensor, step: Step) -> te.Tensor:
    """A step of an epilogue of every element, computed in float32."""

    def function(x: Expr) -> Expr:
        return tirx.Cast(data.dtype, te_steps([step], tirx.Cast("float32", x)))

    return by_element(step.name, data, function)


def softplus(data: te.Tensor, beta: float, threshold: float) -> te.Tensor:
    """``log(1 + e^(beta x)) / beta``, and x itself where ``beta x`` is above the threshold."""

    def function(x: Expr) -> Expr:
        scaled = tirx.Cast("float32", x) * tirx.const(beta, "float32")
        grown = te_steps([Softplus()], scaled) * tirx.const(1 / beta, "float32")
        above = scaled > tirx.const(threshold, "float32")
        return tirx.Select(above, x, tirx.Cast(data.dtype, grown))

    return by_element("softplus", data, function)


def log_sum_exp(data: te.Tensor, axes: Sequence[int] | None, keepdims: bool) -> te.Tensor:
    """``log(sum(exp(x)))`` along ``axes``, or of all elements where they are None (``softmax.py``)."""
    kept = list(range(len(data.shape))) if axes is None else [axis % len(data.shape) for axis in axes]
    largest, logarithm = _largest_and_logarithm(data, kept)
    result = topi.add(largest, logarithm)
    return result if keepdims else topi.squeeze(result, kept)


def log_softmax(data: te.Tensor, axis: int) -> te.Tensor:
    """``x - log(sum(exp(x)))`` along ``axis``."""
    largest, logarithm = _largest_and_logarithm(data, [axis % len(data.shape)])
    return topi.subtract(topi.subtract(data, largest), logarithm)


def _largest_and_logarithm(data: te.Tensor, axes: list[int]) -> tuple[te.Tensor, te.Tensor]:
    largest = extreme(data, axes, True, largest=True)
    one, zero = tirx.const(1, data.dtype), tirx.const(0, data.dtype)

    def at_most(index: Sequence[tirx.Var]) -> Expr:
        return largest(*(0 if axis in axes else i for axis, i in enumerate(index)))

    def less(*index: tirx.Var) -> Expr:
        x = data(*index)
        return tirx.Select(x == at_most(index), zero, tirx.exp(x - at_most(index)))

    def equal(*index: tirx.Var) -> Expr:
        return tirx.Select(data(*index) == at_most(index), one, zero)

    rest, ties = (
        topi.sum(te.compute(data.shape, element, name=element.__name__), axes, keepdims=True)
        for element in (less, equal)
    )
    return largest, log1p(topi.add(rest, topi.subtract(ties, one)))


def layer_norm(
    data: te.Tensor, scale: te.Tensor, shift: te.Tensor, axes: Sequence[int], epsilon: float
) -> te.Tensor:
    """``(x - mean) / sqrt(variance + epsilon) * scale + shift`` by the statistics along ``axes``."""
    rank = len(data.shape)
    axes = [axis % rank for axis in axes]
    shape = [data.shape[axis] if axis in axes else 1 for axis in range(rank)]
    return _scaled(_normalized(data, axes, epsilon), scale, shift, shape)


def group_norm(
    data: te.Tensor,
    scale: te.Tensor,
    shift: te.Tensor,
    groups: int,
    channel: int,
    axes: Sequence[int],
    epsilon: float,
) -> te.Tensor:
    """The same by the statistics along ``axes`` of each of so many groups of channels; ``scale`` and
    ``shift`` are per channel."""
    rank, shape = len(data.shape), list(data.shape)
    channel %= rank
    split = [*shape[:channel], groups, shape[channel] // groups, *shape[channel + 1 :]]
    along = [channel + 1, *(axis + (axis > channel) for axis in (axis % rank for axis in axes))]
    normalized = topi.reshape(_normalized(topi.reshape(data, split), along, epsilon), shape)
    per_channel = [shape[axis] if axis == channel else 1 for axis in range(rank)]
    return _scaled(normalized, scale, shift, per_channel)


def _normalized(data: te.Tensor, axes: Sequence[int], epsilon: float) -> te.Tensor:
    """Variances are of the squared distances to the mean."""
    share = tirx.const(1 / math.prod(int(data.shape[axis]) for axis in axes), data.dtype)
    mean = topi.multiply(topi.sum(data, axes, keepdims=True), share)
    distance = topi.subtract(data, mean)
    variance = topi.multiply(topi.sum(topi.multiply(distance, distance), axes, keepdims=True), share)
    return topi.multiply(distance, topi.rsqrt(topi.add(variance, tirx.const(epsilon, data.dtype))))


def _scaled(data: te.Tensor, scale: te.Tensor, shift: te.Tensor, shape: Sequence[Expr]) -> te.Tensor:
    return topi.add(topi.multiply(data, topi.reshape(scale, shape)), topi.reshape(shift, shape))
