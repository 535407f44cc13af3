"""What vector instructions compute of their sources' elements."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .rounding import fused_flushed, of_bfloat16

Array = np.ndarray
INDEFINITE = -(1 << 31)
"""What is no integer of 32 bits is converted to this."""


def to_integers(x: Array) -> Array:
    rounded = np.rint(x.astype(np.float64))
    fits = (rounded >= INDEFINITE) & (rounded <= -INDEFINITE - 1)
    return np.where(fits, rounded, INDEFINITE).astype(np.int32)


def sums(products: Array, per: int) -> Array:
    return products.reshape(-1, per).sum(axis=1)


def pairs_saturated(unsigned: Array, signed: Array) -> Array:
    products = unsigned.view(np.uint8).astype(np.int32) * signed
    return np.clip(sums(products, 2), -(1 << 15), (1 << 15) - 1).astype(np.int16)


def dot_bytes(old: Array, unsigned: Array, signed: Array) -> Array:
    return old + sums(unsigned.view(np.uint8).astype(np.int32) * signed, 4).astype(np.int32)


def words(a: Array, b: Array) -> Array:
    return sums(a.astype(np.int32) * b, 2).astype(np.int32)


def dot_bfloat16(old: Array, a: Array, b: Array) -> Array:
    """Two multiply-adds, the odd elements' first, each rounded by itself (Intel's SDM, VDPBF16PS)."""
    a, b = of_bfloat16(a), of_bfloat16(b)
    return fused_flushed(a[::2], b[::2], fused_flushed(a[1::2], b[1::2], old))


def packed(low: Array, high: Array, kind: str) -> Array:
    """Both sources saturated to the type, of 128 bits."""
    ends = np.iinfo(kind)
    return np.clip(np.concatenate([low, high]), ends.min, ends.max).astype(kind)


def widened(kind: str) -> Callable[[Array], Array]:
    return lambda x: x.astype(kind)


def saturated(kind: str) -> Callable[[Array], Array]:
    ends = np.iinfo(kind)
    return lambda x: np.clip(x, ends.min, ends.max).astype(kind)


def permuted(select: int, x: Array) -> Array:
    lanes = [select >> 2 * i & 3 for i in range(4)]
    return x.reshape(-1, 4)[:, lanes].reshape(-1)


def parts_permuted(select: int, a: Array, b: Array) -> Array:
    parts = (a.reshape(-1, 4), b.reshape(-1, 4))
    return np.concatenate([parts[i // 2][select >> 2 * i & 3] for i in range(4)])


def halves_permuted(select: int, a: Array, b: Array) -> Array:
    halves = [*a.reshape(2, 4), *b.reshape(2, 4)]
    assert not select & 0x88
    return np.concatenate([halves[select & 3], halves[select >> 4 & 3]])


def ternary(table: int, a: Array, b: Array) -> Array:
    assert table == 0xFF, "ones, whatever the sources are"
    return np.full_like(a, 0xFFFFFFFF)


def narrowed(rounding: int, x: Array) -> Array:
    assert not rounding & 7, "to nearest even"
    return x.astype(np.float16)


def shuffled(x: Array, places: Array) -> Array:
    """Bytes of each part of 16, by places in it; 0 where the place has its highest bit."""
    parts, at = x.reshape(-1, 16), places.reshape(-1, 16)
    return np.where(at < 128, np.take_along_axis(parts, at & 15, 1), 0).astype(np.uint8).reshape(-1)
