"""Attention: scaled dot products of heads, with masks, a window, a bound, and rotary embeddings.

Query, key and value are of heads: (batch, heads, tokens, elements).
"""

from __future__ import annotations

import operator
from collections.abc import Sequence

import numpy as np
from tvm import relax

from relay_strategies.relax.graph import dtype_of, make_constant

from .builder import Builder
from .indexing import gather


def attention(
    b: Builder,
    query: relax.Expr,
    key: relax.Expr,
    value: relax.Expr,
    scale: float,
    biases: Sequence[relax.Expr | None] = (),
    cap: float = 0.0,
) -> relax.Expr:
    """Return scaled dot products of heads, bounded by ``cap`` if it is not 0, plus ``biases``: (B, S, D)."""

    def number(value: float) -> relax.Expr:
        return relax.const(value, dtype_of(query))

    transposed = b.emit(relax.op.permute_dims(key, [0, 1, 3, 2]))
    scores = b.emit(relax.op.multiply(b.emit(relax.op.matmul(query, transposed)), number(scale)))
    if cap:
        bounded = b.emit(relax.op.tanh(b.emit(relax.op.divide(scores, number(cap)))))
        scores = b.emit(relax.op.multiply(bounded, number(cap)))
    for bias in biases:
        scores = scores if bias is None else b.emit(relax.op.add(scores, bias))
    result = b.emit(relax.op.matmul(b.emit(relax.op.nn.softmax(scores, axis=3)), value))
    return joined_heads(b, result)


def split_heads(b: Builder, data: relax.Expr, heads: int) -> relax.Expr:
    """Emit (B, S, heads x D) as (B, heads, S, D)."""
    batch, length, _ = b.shape_of(data)
    apart = b.emit(relax.op.reshape(data, (batch, length, heads, -1)))
    return b.emit(relax.op.permute_dims(apart, [0, 2, 1, 3]))


def joined_heads(b: Builder, data: relax.Expr) -> relax.Expr:
    """Return (B, heads, S, D) as (B, S, heads x D)."""
    batch, _, length, _ = b.shape_of(data)
    return relax.op.reshape(b.emit(relax.op.permute_dims(data, [0, 2, 1, 3])), (batch, length, -1))


def repeated_heads(b: Builder, data: relax.Expr, times: int) -> relax.Expr:
    """Emit heads of which each stands for so many, one after another."""
    batch, heads, length, width = b.shape_of(data)
    wide = b.emit(relax.op.expand_dims(data, 2))
    wide = b.emit(relax.op.broadcast_to(wide, (batch, heads, times, length, width)))
    return b.emit(relax.op.reshape(wide, (batch, heads * times, length, width)))


def hide(b: Builder, kept: relax.Expr, value: float, dtype: str) -> relax.Expr:
    """Emit what is added to scores: 0 for tokens that are kept, ``value`` for others."""
    return b.emit(relax.op.where(kept, relax.const(0, dtype), relax.const(value, dtype)))


def hide_later(length: int, before: int, dtype: str, window: int = -1) -> relax.Expr:
    """Return what hides the tokens after each of ``length``, which follow ``before`` others, and those that
    lie ``window`` or more before it."""
    before, length = operator.index(before), operator.index(length)  # a table of numbers
    back = (before + np.arange(length))[:, None] - np.arange(before + length)
    hidden = (back < 0) | (back >= window if window > 0 else False)
    return make_constant(np.where(hidden, -np.inf, 0).astype(dtype))


def rotate(
    b: Builder,
    data: relax.Expr,
    places: relax.Expr,
    cosines: relax.Expr,
    sines: relax.Expr,
    interleaved: bool,
) -> relax.Expr:
    """Emit heads (B, heads, S, D) turned at ``places`` (B or 1, S) by angles of the tables [places, pairs].

    A pair is two neighbours if ``interleaved``, else an element of the first half and its like of the second.
    Elements behind all pairs stay.
    """
    _, _, length, width = b.shape_of(data)
    pairs = b.shape_of(cosines)[1]
    found = (b.emit(gather(b, table, places, 0)) for table in (cosines, sines))
    cos, sin = (b.emit(relax.op.reshape(angles, (-1, 1, length, pairs))) for angles in found)
    order = np.arange(2 * pairs)
    order = np.concatenate([order[::2], order[1::2]]) if interleaved else order
    first, second = (b.take(data, half, 3) for half in np.split(order, 2))

    def product(one: relax.Expr, other: relax.Expr) -> relax.Expr:
        return b.emit(relax.op.multiply(one, other))

    parts = [
        b.emit(relax.op.subtract(product(first, cos), product(second, sin))),
        b.emit(relax.op.add(product(second, cos), product(first, sin))),
    ]
    turned = b.emit(relax.op.concat(parts, 3))
    if interleaved:
        turned = b.take(turned, np.argsort(order), 3)
    if width == 2 * pairs:
        return turned
    rest = b.take(data, np.arange(2 * pairs, width), 3)
    return b.emit(relax.op.concat([turned, rest], 3))
