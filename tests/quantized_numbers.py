"""What tests of 8-bit operators share: drawn quantizations and numbers, and their meaning in numpy.

A product is rounded to the nearest integer to the bit: whether it is rounded to float32 before, or both in
one instruction, is the machine's. A sum of several products is the same integer as the exact sum's, except
within float32's rounding of a tie.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from intrinsics.epilogue import Clip
from tvm_directconv.operators import Pool2d, QuantizedType

DTYPES = st.sampled_from(["uint8", "int8"])
SLACK = 2.0**-21
"""Rounding of a sum of a few float32 products, relative to the sum of their magnitudes."""


@st.composite
def quantizations(draw: st.DrawFn) -> QuantizedType:
    """Scales of real networks, powers of two (whose results are ties) and zero points at both ends."""
    dtype = draw(DTYPES)
    least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
    zero = draw(st.sampled_from([least, most, 0, least + 128]) | st.integers(least, most))
    scale = draw(st.sampled_from([2.0**-6, 2.0**-5, 1.0, 2.0]) | st.floats(1e-4, 8.0))
    return QuantizedType(scale, zero, dtype)


def numbers(shape: Sequence[int], quantization: QuantizedType, seed: int = 0) -> np.ndarray:
    """Seeded values, a quarter of them the least and the largest there are."""
    rng = np.random.default_rng([seed, *shape])
    least, most = quantization.smallest, quantization.largest
    values = rng.integers(least, most + 1, shape)
    ends = rng.choice([least, most, quantization.zero_point], shape)
    return np.where(rng.random(shape) < 0.25, ends, values).astype(quantization.dtype)


def centered(values: np.ndarray, quantization: QuantizedType) -> np.ndarray:
    return values.astype(np.int64) - quantization.zero_point


def real(values: np.ndarray, quantization: QuantizedType) -> np.ndarray:
    """The real numbers, exactly."""
    return centered(values, quantization) * quantization.scale


def rounded(exact: np.ndarray, result: QuantizedType, low: float, high: float) -> np.ndarray:
    """``exact`` in units of the result's scale, as integers of the result."""
    integers = np.rint(exact) + result.zero_point
    smallest, largest = result.bounds(Clip(low, high))
    return np.clip(integers, smallest, largest).astype(result.dtype)


def assert_product(
    got: np.ndarray,
    integers: np.ndarray,
    scale: np.ndarray | np.float32,
    result: QuantizedType,
    what: object,
    low: float = -math.inf,
    high: float = math.inf,
    in_turn: np.ndarray | None = None,
) -> None:
    """``got`` is ``integers * scale`` rounded, in units of the result's scale; ``scale`` is float32. Or it is
    ``in_turn`` rounded, the same in float32 where that is computed in another order."""
    exact = integers * np.asarray(scale, np.float64)
    at_once = rounded(exact, result, low, high)
    in_steps = rounded(exact.astype(np.float32), result, low, high)
    assert got.dtype == result.dtype
    wrong = (got != at_once) & (got != in_steps)
    if in_turn is not None:
        wrong &= got != rounded(in_turn, result, low, high)
    assert not wrong.any(), f"{what}: {got[wrong][:5]} are not roundings of {exact[wrong][:5]}"


def assert_sum(
    got: np.ndarray,
    data: Sequence[np.ndarray],
    sources: Sequence[QuantizedType],
    result: QuantizedType,
    low: float,
    high: float,
) -> None:
    """``got`` is the rounding of the exact sum, or, scales being no powers of two, of a number next to it."""
    ratios = [source.scale / result.scale for source in sources]
    terms = np.stack([real(values, source) for values, source in zip(data, sources, strict=True)])
    exact, size = terms.sum(0) / result.scale, np.abs(terms).sum(0) / result.scale
    size += sum(ratio * abs(source.zero_point) for ratio, source in zip(ratios, sources, strict=True))
    slack = 0 if all(math.frexp(ratio)[0] == 0.5 for ratio in ratios) else SLACK * size
    first, last = (rounded(exact + side, result, low, high) for side in (-slack, slack))
    wrong = (got < first) | (got > last)
    assert got.dtype == result.dtype
    assert not wrong.any(), f"{sources} {result}: {got[wrong][:5]} are not roundings of {exact[wrong][:5]}"


def mean_scale(source: QuantizedType, result: QuantizedType, counted: np.ndarray) -> np.ndarray:
    """In float32 all the way, as ONNX Runtime's kernels have it."""
    return np.float32(source.scale) / (np.float32(result.scale) * counted.astype(np.float32))


def window_sums(
    pool: Pool2d, data: np.ndarray, quantization: QuantizedType
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Maximum, sum of centered values and divisor of every window, from ONNX's definition."""
    top, left, bottom, right = pool.padding
    largest = np.empty(pool.output_shape, data.dtype)
    sums, counted = np.empty(pool.output_shape), np.empty(pool.output_shape)
    for y, x in np.ndindex(pool.out_height, pool.out_width):
        rows = [y * pool.strides[0] - top + k * pool.dilation[0] for k in range(pool.kernel[0])]
        columns = [x * pool.strides[1] - left + k * pool.dilation[1] for k in range(pool.kernel[1])]
        inside = np.ix_(
            range(pool.batch),
            [row for row in rows if 0 <= row < pool.height],
            [column for column in columns if 0 <= column < pool.width],
            range(pool.channels),
        )
        window = data[inside]
        largest[:, y, x] = window.max((1, 2), initial=quantization.smallest)
        sums[:, y, x] = centered(window, quantization).sum((1, 2))
        count = window.shape[1] * window.shape[2]
        if pool.count_include_pad:
            in_rows = sum(row < pool.height + bottom for row in rows)
            count = in_rows * sum(column < pool.width + right for column in columns)
        counted[:, y, x] = max(count, 1)
    return largest, sums, counted


def normalized(
    data: np.ndarray, source: QuantizedType, size: int, alpha: float, beta: float, bias: float
) -> np.ndarray:
    """ONNX's LRN of the real numbers, channels last."""
    values, channels = real(data, source), data.shape[-1]
    squares = values**2
    window = [squares[..., max(0, c - (size - 1) // 2) : c + size // 2 + 1].sum(-1) for c in range(channels)]
    return values / (bias + alpha / size * np.stack(window, -1)) ** beta
