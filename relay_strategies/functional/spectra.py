"""Discrete Fourier transforms of one axis and of frames, as matrix products and convolutions in float32.

Complex numbers are a last axis of two, real and imaginary part. A transform of up to ``DIRECT`` elements is
one product with the transform's matrix. A longer one of n1 x n2 elements is n2 transforms of n1, factors, and
n1 transforms of n2 (Cooley and Tukey, 1965); a longer one of a prime length is a circular convolution of a
power of two (Bluestein, 1970). Matrices and factors are computed in float64, from angles that are reduced
exactly.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from tvm import relax

from relay_strategies.relax.graph import constant, dtype_of, make_constant
from tvm_directconv.problem.extents import is_open

from .builder import Builder
from .movement import pad
from .open_spectra import open_to_real, open_transform

DIRECT, DIRECT_PRIME = 192, 512
"""The longest transforms that are one product: of any length, and of one that is prime."""
LONGEST_FRAME = 1024
"""The longest frame whose transform is a convolution."""


def dft(
    b: Builder,
    data: relax.Expr,
    axis: int,
    length: int | None = None,
    *,
    inverse: bool = False,
    onesided: bool = False,
    scale: float | None = None,
    by_size: bool | None = None,
) -> relax.Expr:
    """Return the transform of (..., 1 or 2) along an axis, of floats in their own type.

    The axis is cut, or padded by zeros, to ``length`` elements first, by default as many as it has.
    ``onesided`` keeps the first n // 2 + 1 results; inverse, it takes as many, of a signal that is real, and
    returns that signal as (..., length, 1). ``scale`` is what results are multiplied by, by default 1, and
    1 / n where ``inverse``, or, where that is given, ``by_size``. Raises ModelError where there are no such
    elements.
    """
    shape, dtype = b.shape_of(data), dtype_of(data)
    if len(shape) < 2 or shape[-1] not in (1, 2) or not 0 <= axis < len(shape) - 1:
        raise b.error(f"data of shape {shape} do not have signals (..., 1 or 2) along axis {axis}")
    to_real = inverse and onesided
    if length is None:
        length = 2 * (shape[axis] - 1) if to_real else shape[axis]
    opened, last = is_open([length]), len(shape) - 1
    if not opened:
        if length < 1:
            raise b.error(f"it transforms {length} elements")
        length = int(length)
    kept = length // 2 + 1 if to_real else length
    data = b.cast(data, "float32")
    if shape[axis] != kept:
        data = b.emit(pad(b, data, [(0, kept - size if a == axis else 0) for a, size in enumerate(shape)]))
    order = [a for a in range(last) if a != axis]
    if axis != last - 1:
        data = b.emit(relax.op.permute_dims(data, [*order, axis, last]))
    outer = [shape[a] for a in order]
    rows = b.emit(relax.op.reshape(data, (math.prod(outer), kept, shape[-1])))
    is_mean = (inverse and scale is None) if by_size is None else by_size
    factor = 1.0 if scale is None else scale
    bins = length // 2 + 1 if onesided else length
    if opened and to_real:
        result = open_to_real(b, rows, length, is_mean, factor)
    elif opened:
        result = open_transform(b, rows, 1 if inverse else -1, bins, is_mean, factor)
    else:
        factor = factor / length if is_mean else factor
        sign = 1 if inverse else -1
        result = _to_real(b, rows, length, factor) if to_real else _transform(b, rows, sign, bins, factor)
    result = b.emit(relax.op.reshape(result, (*outer, *b.shape_of(result)[1:])))
    if axis != last - 1:
        result = b.emit(relax.op.permute_dims(result, [*range(axis), last - 1, *range(axis, last - 1), last]))
    return b.cast(result, dtype)


def stft(
    b: Builder,
    signal: relax.Expr,
    step: int,
    length: int,
    window: relax.Expr | None = None,
    onesided: bool = True,
) -> relax.Expr:
    """Return the transforms (N, frames, bins, 2) of the frames of ``length`` elements, each multiplied by
    ``window``, that begin at every ``step``-th of a signal (N, size, 1 or 2).

    A constant window is part of the filter of a convolution, whose signal may be of any size.
    """
    shape, dtype = b.shape_of(signal), dtype_of(signal)
    if len(shape) != 3 or shape[2] not in (1, 2):
        raise b.error(f"a signal of shape {shape} is not (batch, size, 1 or 2)")
    if step < 1 or length < 1 or shape[1] < length:
        raise b.error(f"frames of {length} elements, {step} apart, are none of a signal of {shape[1]}")
    weights = np.ones(length) if window is None else constant(window)
    if tuple(b.shape_of(window) if window is not None else (length,)) != (length,):
        raise b.error(f"its window is not one of {length} elements")
    bins = length // 2 + 1 if onesided else length
    opened = is_open([shape[1]])
    if opened and weights is None:
        raise b.refusal("the window of a signal of an open size has to be a constant")
    computed = b.cast(signal, "float32")
    if weights is not None and (opened or length <= LONGEST_FRAME):
        basis = _matrix(length, shape[2], -1, bins).reshape(length, shape[2], 2 * bins)
        filters = np.ascontiguousarray((basis * weights.reshape(-1, 1, 1)).transpose(2, 1, 0))
        images = b.emit(relax.op.permute_dims(computed, [0, 2, 1]))
        found = b.emit_layer(
            relax.op.nn.conv1d(images, make_constant(filters.astype(np.float32)), step, data_layout="NCW")
        )
        found = b.emit(relax.op.permute_dims(found, [0, 2, 1]))
        result = b.emit(relax.op.reshape(found, (*b.shape_of(found)[:2], bins, 2)))
        return b.cast(result, dtype)
    count = (shape[1] - length) // step + 1
    places = np.arange(count)[:, None] * step + np.arange(length)
    frames = b.take(computed, places, 1)
    if window is not None:
        columns = b.cast(b.emit(relax.op.reshape(window, (length, 1))), "float32")
        frames = b.emit(relax.op.multiply(frames, columns))
    return b.cast(dft(b, frames, 2, onesided=onesided), dtype)


def _transform(b: Builder, rows: relax.Expr, sign: int, bins: int, factor: float = 1.0) -> relax.Expr:
    """Return the first ``bins`` of the transform of (rows, n, 1 or 2) as (rows, bins, 2): the sums of the
    elements by exp(sign 2 pi i j k / n), times a factor."""
    _, size, parts = b.shape_of(rows)
    first = _divisor(size)
    if size <= (DIRECT if first > 1 else DIRECT_PRIME):
        return _product(b, rows, factor * _matrix(size, parts, sign, bins), (bins, 2))
    whole = _prime(b, rows, sign, factor) if first == 1 else _composite(b, rows, first, sign, factor)
    return whole if bins == size else b.emit(relax.op.strided_slice(whole, [1], [0], [bins]))


def _composite(b: Builder, rows: relax.Expr, first: int, sign: int, factor: float) -> relax.Expr:
    """Return the transform of n1 x n2 elements, ``first`` being n1."""
    count, size, parts = b.shape_of(rows)
    second = size // first
    split = b.emit(relax.op.reshape(rows, (count, first, second, parts)))
    split = b.emit(relax.op.permute_dims(split, [0, 2, 1, 3]))
    split = b.emit(relax.op.reshape(split, (count * second, first, parts)))
    inner = _transform(b, split, sign, first)
    inner = b.emit(relax.op.reshape(inner, (count, second, first, 2)))
    turned = _roots(np.outer(np.arange(second), np.arange(first)), size, sign)
    inner = _times(b, inner, factor * turned)
    inner = b.emit(relax.op.permute_dims(inner, [0, 2, 1, 3]))
    inner = b.emit(relax.op.reshape(inner, (count * first, second, 2)))
    outer = _transform(b, inner, sign, second)
    outer = b.emit(relax.op.reshape(outer, (count, first, second, 2)))
    outer = b.emit(relax.op.permute_dims(outer, [0, 2, 1, 3]))
    return b.emit(relax.op.reshape(outer, (count, size, 2)))


def _prime(b: Builder, rows: relax.Expr, sign: int, factor: float) -> relax.Expr:
    """Return the transform of a length without divisors: since 2 j k = j^2 + k^2 - (k - j)^2, a convolution
    with a chirp, which transforms of a power of two compute."""
    _, size, parts = b.shape_of(rows)
    padded = 1 << (2 * size - 2).bit_length()
    squares = np.arange(size, dtype=object) ** 2 % (2 * size)
    chirp = _roots(squares.astype(np.int64), 2 * size, sign)
    around = np.zeros(padded, complex)
    around[:size] = chirp.conj()
    around[padded - size + 1 :] = chirp.conj()[:0:-1]
    if parts == 1:
        rows = b.emit(pad(b, rows, [(0, 0), (0, 0), (0, 1)]))
    data = _times(b, rows, chirp)
    data = b.emit(pad(b, data, [(0, 0), (0, padded - size), (0, 0)]))
    product = _times(b, _transform(b, data, -1, padded), np.fft.fft(around) / padded)
    found = _transform(b, product, 1, padded)
    return _times(b, b.emit(relax.op.strided_slice(found, [1], [0], [size])), factor * chirp)


def _to_real(b: Builder, rows: relax.Expr, size: int, factor: float) -> relax.Expr:
    """Return the real signal (rows, n, 1) of which (rows, n // 2 + 1, 1 or 2) are the first results; the
    imaginary parts of the first, and of the one in the middle, are taken for zero."""
    bins, parts = size // 2 + 1, b.shape_of(rows)[2]
    counts = np.full(bins, 2.0)
    counts[0] = 1
    if size % 2 == 0:
        counts[-1] = 1
    if size <= DIRECT:
        angles = _roots(np.outer(np.arange(bins), np.arange(size)), size, 1) * counts[:, None]
        table = np.stack([angles.real, -angles.imag * (counts == 2)[:, None]], 1)[:, :parts]
        return _product(b, rows, factor * table.reshape(bins * parts, size), (size, 1))
    if parts == 1:
        rows = b.emit(pad(b, rows, [(0, 0), (0, 0), (0, 1)]))
    mask = np.stack([np.ones(bins), counts == 2], 1)
    half = b.emit(relax.op.multiply(rows, make_constant(mask.astype(np.float32))))
    mirrored = b.take(half, np.arange((size - 1) // 2, 0, -1), 1)
    conjugate = make_constant(np.array([1, -1], np.float32))
    mirrored = b.emit(relax.op.multiply(mirrored, conjugate))
    whole = _transform(b, b.emit(relax.op.concat([half, mirrored], 1)), 1, size, factor)
    return b.emit(relax.op.strided_slice(whole, [2], [0], [1]))


def _product(b: Builder, rows: relax.Expr, table: np.ndarray, shape: Sequence[int]) -> relax.Expr:
    """Emit (rows, n, parts) by a matrix, as (rows, *shape)."""
    count, size, parts = b.shape_of(rows)
    flat = b.emit(relax.op.reshape(rows, (count, size * parts)))
    weights = make_constant(np.ascontiguousarray(table.astype(np.float32)))
    found = b.emit_layer(relax.op.matmul(flat, weights))
    return b.emit(relax.op.reshape(found, (count, *shape)))


def _times(b: Builder, data: relax.Expr, table: np.ndarray) -> relax.Expr:
    """Emit complex data by complex constants."""
    same = np.stack([table.real, table.real], -1).astype(np.float32)
    other = np.stack([-table.imag, table.imag], -1).astype(np.float32)
    swapped = b.emit(relax.op.flip(data, len(b.shape_of(data)) - 1))
    one = b.emit(relax.op.multiply(data, make_constant(same)))
    return b.emit(relax.op.add(one, b.emit(relax.op.multiply(swapped, make_constant(other)))))


def _matrix(size: int, parts: int, sign: int, bins: int) -> np.ndarray:
    """The real matrix (size x parts, bins x 2) of a transform of real or complex elements."""
    roots = _roots(np.outer(np.arange(size), np.arange(bins)), size, sign)
    real = np.stack([roots.real, roots.imag], -1)
    imaginary = np.stack([-roots.imag, roots.real], -1)
    return np.stack([real, imaginary][:parts], 1).reshape(size * parts, bins * 2)


def _roots(numbers: np.ndarray, size: int, sign: int) -> np.ndarray:
    """exp(sign 2 pi i number / size), within a rounding of float64; exact where an angle is a right one."""
    eighths = 8 * (numbers % size)
    octant, rest = np.divmod(eighths, size)
    angles = np.where(octant % 2, size - rest, rest) * (math.pi / 4 / size)
    cosines, sines = np.cos(angles), np.sin(angles)
    quarter = (octant + 1) // 2 % 4
    signs = np.where(octant % 2, -1, 1)
    base = cosines + 1j * signs * sines
    turns = np.array([1, 1j, -1, -1j])[quarter]
    found = base * turns
    return found if sign > 0 else found.conj()


def _divisor(size: int) -> int:
    """The largest divisor up to the square root."""
    return next(n for n in range(math.isqrt(size), 0, -1) if size % n == 0)
