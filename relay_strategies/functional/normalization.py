"""Normalizations: less a mean and over a deviation, each with a scale and a bias where they are given."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from tvm import relax

from relay_strategies.relax.graph import dtype_of, make_constant

from .builder import Builder


def parameters(
    b: Builder, given: Sequence[relax.Expr | None], shape: Sequence[int], dtype: str
) -> list[relax.Expr]:
    """Return scale, bias and what follows in a type: ones and zeros in turn where one is left out."""
    return [
        make_constant(np.full(shape, 1 - number % 2).astype(dtype)) if value is None else b.cast(value, dtype)
        for number, value in enumerate(given)
    ]


def layer_norm(
    b: Builder,
    data: relax.Expr,
    scale: relax.Expr | None,
    bias: relax.Expr | None,
    axes: Sequence[int],
    epsilon: float,
    dtype: str = "float32",
) -> relax.Expr:
    """Return ``data`` normalized over ``axes``, computed in a type, in its own."""
    shape = [b.shape_of(data)[axis] for axis in axes]
    operands = b.cast(data, dtype), *parameters(b, (scale, bias), shape, dtype)
    return b.cast(relax.op.nn.layer_norm(*operands, list(axes), epsilon), dtype_of(data))


def group_norm(
    b: Builder,
    data: relax.Expr,
    scale: relax.Expr | None,
    bias: relax.Expr | None,
    groups: int,
    epsilon: float,
    dtype: str = "float32",
) -> relax.Expr:
    """Return maps (N, C, ...) normalized by groups of channels, computed in a type, in its own."""
    shape = b.shape_of(data)
    axes = list(range(2, len(shape)))
    if not axes:
        raise b.refusal("group normalization needs a map")
    dtype = "float32" if dtype == "bfloat16" else dtype  # which Relax's operator does not take
    operands = b.cast(data, dtype), *parameters(b, (scale, bias), shape[1:2], dtype)
    return b.cast(relax.op.nn.group_norm(*operands, groups, 1, axes, epsilon), dtype_of(data))


def own_statistics(
    b: Builder,
    data: relax.Expr,
    scale: relax.Expr | None,
    bias: relax.Expr | None,
    epsilon: float,
    dtype: str = "float32",
) -> tuple[relax.Expr, relax.Expr, relax.Expr]:
    """Return maps (N, C, ...) normalized by the mean and variance of each channel, computed in a type, in
    their own; then the mean and the variance, (1, C, 1, ...)."""
    shape, wide = b.shape_of(data), b.cast(data, dtype)
    axes = [axis for axis in range(len(shape)) if axis != 1]
    mean = b.emit(relax.op.mean(wide, axes, keepdims=True))
    centred = b.emit(relax.op.subtract(wide, mean))
    variance = b.emit(relax.op.mean(b.emit(relax.op.multiply(centred, centred)), axes, keepdims=True))
    factor = inverse_root(b, variance, epsilon)
    per_channel = [-1 if axis == 1 else 1 for axis in range(len(shape))]
    if scale is not None:
        factor = b.emit(relax.op.multiply(factor, _reshaped(b, b.cast(scale, dtype), per_channel)))
    result = b.emit(relax.op.multiply(centred, factor))
    if bias is not None:
        result = b.emit(relax.op.add(result, _reshaped(b, b.cast(bias, dtype), per_channel)))
    return b.cast(result, dtype_of(data)), mean, variance


def _reshaped(b: Builder, value: relax.Expr, shape: Sequence[int]) -> relax.Expr:
    return b.emit(relax.op.reshape(value, shape))


def rms_norm(
    b: Builder, data: relax.Expr, scale: relax.Expr, axes: Sequence[int], epsilon: float
) -> relax.Expr:
    """Return ``data`` over the root of its mean square along ``axes``, times a scale, computed in float32."""
    wide = b.cast(data, "float32")
    mean = b.emit(relax.op.mean(b.emit(relax.op.multiply(wide, wide)), list(axes), keepdims=True))
    normalized = b.emit(relax.op.multiply(wide, inverse_root(b, mean, epsilon)))
    return b.cast(relax.op.multiply(normalized, b.cast(scale, "float32")), dtype_of(data))


def local_response_norm(
    b: Builder, data: relax.Expr, size: int, alpha: float, beta: float, bias: float
) -> relax.Expr:
    """Return maps (N, C, ...) over ``(bias + alpha * mean(data^2 over size channels))^beta``, as passes look
    for it. Its size is to be odd."""
    batch, channels, *sizes = b.shape_of(data)
    if size < 1 or size % 2 == 0:
        raise b.refusal(f"an even size or none, {size}, is not supported; odd ones are")
    square = b.emit(relax.op.multiply(data, data))
    deep = b.emit(relax.op.reshape(square, (batch, 1, channels, *(sizes if len(sizes) == 2 else (-1, 1)))))
    half = size // 2
    padding = (half, 0, 0, half, 0, 0)
    mean = b.emit(relax.op.nn.avg_pool3d(deep, (size, 1, 1), padding=padding, count_include_pad=True))
    flat = b.emit(relax.op.reshape(mean, (batch, channels, *sizes)))
    scaled = b.emit(relax.op.multiply(flat, relax.const(alpha, "float32")))
    base = b.emit(relax.op.add(scaled, relax.const(bias, "float32")))
    return relax.op.divide(data, b.emit(relax.op.power(base, relax.const(beta, "float32"))))


def inverse_root(b: Builder, data: relax.Expr, epsilon: float) -> relax.Expr:
    """Emit ``1 / sqrt(data + epsilon)``."""
    return b.emit(relax.op.rsqrt(b.emit(relax.op.add(data, b.cast(epsilon, dtype_of(data))))))
