"""Operators of quantized networks against their definitions in numpy, for both 8-bit types and all extremes.

Results are compared to the bit, where a product is rounded to the nearest integer: whether it is rounded to
float32 before, or both in one instruction, is the machine's. A sum of several products is the same integer as
the exact sum's, except within float32's rounding of a tie.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import tvm
from hypothesis import given, settings
from hypothesis import strategies as st
from operator_support import CHANNELS, SIZES, isas, onnx_runtime, run
from support import allocated_bytes, runnable_target
from test_pooling import pools

from tvm_directconv import operators
from tvm_directconv.errors import WorkloadError
from tvm_directconv.operators import Pool2d, QuantizedType
from tvm_directconv.operators.quantized_type import integer_accumulator

EXAMPLES = settings(max_examples=20)
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
    smallest, largest = result.bounds(low, high)
    return np.clip(integers, smallest, largest).astype(result.dtype)


def assert_product(
    got: np.ndarray,
    integers: np.ndarray,
    scale: np.ndarray | np.float32,
    result: QuantizedType,
    what: object,
    low: float = -math.inf,
    high: float = math.inf,
) -> None:
    """``got`` is ``integers * scale`` rounded, in units of the result's scale; ``scale`` is float32."""
    exact = integers * np.asarray(scale, np.float64)
    at_once = rounded(exact, result, low, high)
    in_steps = rounded(exact.astype(np.float32), result, low, high)
    assert got.dtype == result.dtype
    wrong = (got != at_once) & (got != in_steps)
    assert not wrong.any(), f"{what}: {got[wrong][:5]} are not roundings of {exact[wrong][:5]}"


@isas
@EXAMPLES
@given(last=CHANNELS, rows=SIZES, result=quantizations(), scale=st.sampled_from([1.0, 100.0, 1e30]))
def test_quantize_is_onnx_to_the_bit(
    isa: str, last: int, rows: int, result: QuantizedType, scale: float
) -> None:
    target, shape = runnable_target(isa), (rows, last)
    data = np.random.default_rng(last).standard_normal(shape, np.float32) * np.float32(scale)
    steps = np.arange(-300, 300, dtype=np.float32).repeat(2)[: data.size] / 2  # many ties
    data.reshape(-1)[: steps.size : 2] = steps[::2] * np.float32(result.scale)
    data.reshape(-1)[-1] = math.inf
    data.reshape(-1)[0] = -math.inf
    want = np.clip(np.rint(data / np.float32(result.scale)) + result.zero_point, *_range(result))
    got = run(operators.quantize(shape, result, target), [data], shape, target, result, result.dtype)
    np.testing.assert_array_equal(got, want.astype(result.dtype))


@isas
@EXAMPLES
@given(shape=st.tuples(SIZES, CHANNELS), source=quantizations())
def test_dequantize_is_onnx_to_the_bit(isa: str, shape: tuple[int, int], source: QuantizedType) -> None:
    target, data = runnable_target(isa), numbers(shape, source)
    want = centered(data, source).astype(np.float32) * np.float32(source.scale)
    got = run(operators.dequantize(shape, source, target), [data], shape, target, source)
    np.testing.assert_array_equal(got, want)


@isas
@EXAMPLES
@given(rows=SIZES, channels=CHANNELS, dtype=DTYPES, seed=st.integers(0, 9))
def test_per_channel(isa: str, rows: int, channels: int, dtype: str, seed: int) -> None:
    target, rng = runnable_target(isa), np.random.default_rng(seed)
    least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
    scale = rng.choice(np.array([0.25, 0.01, 3.0, 0.5], np.float32), channels)
    zero = rng.integers(least, most + 1, channels).astype(np.int32)
    data = (rng.integers(-600, 600, (rows, channels)) / 2).astype(np.float32) * scale
    func = operators.quantize_channels(data.shape, dtype, target)
    got = run(func, [data, scale, zero], data.shape, target, dtype, dtype)
    np.testing.assert_array_equal(got, np.clip(np.rint(data / scale) + zero, least, most).astype(dtype))
    func = operators.dequantize_channels(data.shape, dtype, target)
    back = run(func, [got, scale, zero], data.shape, target, dtype)
    np.testing.assert_array_equal(back, (got.astype(np.int32) - zero).astype(np.float32) * scale)


@pytest.mark.parametrize("dtype", ["uint8", "int8"])
def test_quantize_and_dequantize_follow_onnx_runtime(dtype: str) -> None:
    target, scale, zero = runnable_target("portable"), np.array(0.037, np.float32), np.array(5, dtype)
    data = np.random.default_rng(0).standard_normal((7, 61), np.float32) * np.float32(4)
    quantization = QuantizedType(float(scale), 5, dtype)
    func = operators.quantize(data.shape, quantization, target)
    got = run(func, [data], data.shape, target, dtype, dtype)
    np.testing.assert_array_equal(got, onnx_runtime("QuantizeLinear", [data, scale, zero]))
    func = operators.dequantize(data.shape, quantization, target)
    back = run(func, [got], data.shape, target, dtype)
    np.testing.assert_array_equal(back, onnx_runtime("DequantizeLinear", [got, scale, zero]))


@isas
@EXAMPLES
@given(
    shape=st.tuples(SIZES, CHANNELS),
    source=quantizations(),
    result=quantizations(),
    low=st.sampled_from([-math.inf, 0.0, -1.0]),
    high=st.sampled_from([math.inf, 6.0]),
)
def test_requantize(
    isa: str, shape: tuple[int, int], source: QuantizedType, result: QuantizedType, low: float, high: float
) -> None:
    target, data = runnable_target(isa), numbers(shape, source)
    func = operators.requantize(shape, source, result, target, low=low, high=high)
    got = run(func, [data], shape, target, (source, result, low, high), result.dtype)
    scale = np.float32(source.scale) / np.float32(result.scale)
    assert_product(got, centered(data, source), scale, result, (source, result), low, high)


@isas
@pytest.mark.parametrize("source_dtype", ["uint8", "int8"])
@pytest.mark.parametrize("result_dtype", ["uint8", "int8"])
def test_requantize_every_number(isa: str, source_dtype: str, result_dtype: str) -> None:
    """All 256 values through ratios that overflow, vanish, tie and pass; the product is rounded once."""
    target, ends = runnable_target(isa), np.iinfo(source_dtype)
    data = np.arange(ends.min, ends.max + 1).astype(source_dtype)
    for scale in (1.0, 0.5, 2.0**-9, 3.0, 200.0, 1e6, 0.7853):
        for zero in (ends.min, ends.max, 3):
            source = QuantizedType(scale, zero, source_dtype)
            result = QuantizedType(1.0, int(np.iinfo(result_dtype).max) - 120, result_dtype)
            func = operators.requantize(data.shape, source, result, target)
            got = run(func, [data], data.shape, target, source, result_dtype)
            exact = centered(data, source) * source.scale
            np.testing.assert_array_equal(got, rounded(exact, result, -math.inf, math.inf), str(source))


@isas
@EXAMPLES
@given(
    shape=st.tuples(SIZES, SIZES, CHANNELS),
    sources=st.lists(quantizations(), min_size=1, max_size=4),
    result=quantizations(),
    low=st.sampled_from([-math.inf, 0.0]),
    high=st.sampled_from([math.inf, 6.0]),
)
def test_add(
    isa: str,
    shape: tuple[int, int, int],
    sources: list[QuantizedType],
    result: QuantizedType,
    low: float,
    high: float,
) -> None:
    target = runnable_target(isa)
    data = [numbers(shape, source, seed) for seed, source in enumerate(sources)]
    func = operators.quantized_add(shape, sources, result, target, low=low, high=high)
    got = run(func, data, shape, target, (sources, result), result.dtype)
    terms = np.stack([real(values, source) for values, source in zip(data, sources, strict=True)])
    exact, size = terms.sum(0) / result.scale, np.abs(terms).sum(0) / result.scale
    ratios = [source.scale / result.scale for source in sources]
    if sum(ratios) <= 4:
        size += sum(ratio * abs(source.zero_point) for ratio, source in zip(ratios, sources, strict=True))
    slack = 0 if all(math.frexp(ratio)[0] == 0.5 for ratio in ratios) else SLACK * size
    first, last = (rounded(exact + side, result, low, high) for side in (-slack, slack))
    wrong = (got < first) | (got > last)
    assert got.dtype == result.dtype
    assert not wrong.any(), f"{sources} {result}: {got[wrong][:5]} are not roundings of {exact[wrong][:5]}"


def test_halves_round_to_even() -> None:
    """(a + b) / 2 of all pairs: every other sum is a tie."""
    target = runnable_target("portable")
    one, two = QuantizedType(1.0, 0, "uint8"), QuantizedType(2.0, 0, "uint8")
    first, second = (grid.astype(np.uint8).reshape(-1) for grid in np.mgrid[:256, :256])
    func = operators.quantized_add(first.shape, [one, one], two, target)
    got = run(func, [first, second], first.shape, target, "halves", "uint8")
    np.testing.assert_array_equal(got, np.rint((first.astype(float) + second) / 2))


# Pooling


def mean_scale(source: QuantizedType, result: QuantizedType, counted: np.ndarray) -> np.ndarray:
    """In float32 all the way, as ONNX Runtime's kernels have it."""
    return np.float32(source.scale) / (np.float32(result.scale) * counted.astype(np.float32))


@isas
@settings(max_examples=20)
@given(pool=pools(), dtype=DTYPES)
def test_max_pooling_is_exact(isa: str, pool: Pool2d, dtype: str) -> None:
    target, quantization = runnable_target(isa), QuantizedType(1.0, 0, dtype)
    data = numbers(pool.input_shape, quantization)
    got = run(operators.max_pool2d(pool, target, dtype=dtype), [data], pool.output_shape, target, pool, dtype)
    np.testing.assert_array_equal(got, _windows(pool, data, quantization)[0], str(pool))


@isas
@settings(max_examples=20)
@given(pool=pools(), source=quantizations(), result=quantizations())
def test_average_pooling(isa: str, pool: Pool2d, source: QuantizedType, result: QuantizedType) -> None:
    target, data = runnable_target(isa), numbers(pool.input_shape, source)
    func = operators.quantized_avg_pool2d(pool, source, result, target)
    got = run(func, [data], pool.output_shape, target, (pool, source, result), result.dtype)
    _, sums, counted = _windows(pool, data, source)
    assert_product(got, sums, mean_scale(source, result, counted), result, (pool, source, result))


@isas
@pytest.mark.parametrize(
    "pool",
    [
        Pool2d(1, 28, 28, 192, (3, 3), padding=(1, 1, 1, 1)),
        Pool2d(1, 15, 15, 67, (15, 15), padding=(7, 7, 7, 7)),
        Pool2d(2, 40, 3, 5, (21, 3), (4, 1), (10, 1, 10, 1), count_include_pad=True),
        Pool2d(1, 3, 60, 130, (1, 24), padding=(0, 12, 0, 11)),
    ],
    ids=str,
)
def test_pooling_of_real_and_extreme_layers(isa: str, pool: Pool2d) -> None:
    """The largest sums there can be: every value at the far end from the zero point."""
    target, result = runnable_target(isa), QuantizedType(0.5, -128, "int8")
    for source, value in ((QuantizedType(0.25, 255, "uint8"), 0), (QuantizedType(0.25, -128, "int8"), 127)):
        data = np.full(pool.input_shape, value, source.dtype)
        func = operators.quantized_avg_pool2d(pool, source, result, target)
        got = run(func, [data], pool.output_shape, target, pool, result.dtype)
        _, sums, counted = _windows(pool, data, source)
        assert_product(got, sums, mean_scale(source, result, counted), result, (pool, source))


@isas
@EXAMPLES
@given(
    shape=st.tuples(st.integers(1, 2), SIZES, SIZES | st.just(150), CHANNELS),
    source=quantizations(),
    result=quantizations(),
)
def test_global_pooling(
    isa: str, shape: tuple[int, int, int, int], source: QuantizedType, result: QuantizedType
) -> None:
    target, data, output = runnable_target(isa), numbers(shape, source), (shape[0], 1, 1, shape[3])
    func = operators.global_max_pool2d(shape, target, dtype=source.dtype)
    got = run(func, [data], output, target, shape, source.dtype)
    np.testing.assert_array_equal(got, data.max((1, 2), keepdims=True), str(shape))
    func = operators.quantized_global_avg_pool2d(shape, source, result, target)
    got = run(func, [data], output, target, (shape, source, result), result.dtype)
    sums, pixels = centered(data, source).sum((1, 2), keepdims=True), np.array(shape[1] * shape[2])
    assert_product(got, sums, mean_scale(source, result, pixels), result, (shape, source, result))


def test_sums_leave_16_bits_only_where_they_fit() -> None:
    assert integer_accumulator(128) == "int16"
    assert integer_accumulator(129) == "int32"
    with pytest.raises(WorkloadError, match="9000000 8-bit integers may leave int32"):
        integer_accumulator(9_000_000)


# Moving data


@isas
@EXAMPLES
@given(
    rows=st.integers(1, 40),
    channels=st.lists(CHANNELS, min_size=1, max_size=4),
    result=quantizations(),
    others=st.lists(quantizations(), min_size=4, max_size=4),
    same=st.lists(st.booleans(), min_size=4, max_size=4),
    low=st.sampled_from([-math.inf, 0.0]),
)
def test_concat(
    isa: str,
    rows: int,
    channels: list[int],
    result: QuantizedType,
    others: list[QuantizedType],
    same: list[bool],
    low: float,
) -> None:
    target = runnable_target(isa)
    sources = [result if kept else other for kept, other in zip(same, others, strict=True)][: len(channels)]
    shapes, output = [(rows, count) for count in channels], (rows, sum(channels))
    pairs = enumerate(zip(shapes, sources, strict=True))
    data = [numbers(shape, source, seed) for seed, (shape, source) in pairs]
    func = operators.quantized_concat(shapes, 1, sources, result, target, low=low)
    got = run(func, data, output, target, (shapes, sources, result), result.dtype)
    first = 0
    for values, source in zip(data, sources, strict=True):
        part = got[:, first : first + values.shape[1]]
        scale = np.float32(source.scale) / np.float32(result.scale)
        assert_product(part, centered(values, source), scale, result, (shapes, sources, result), low)
        first += values.shape[1]
    copies = [values.astype("int8") for values in data]
    func = operators.concat(shapes, 1, target, dtype="int8")
    np.testing.assert_array_equal(
        run(func, copies, output, target, shapes, "int8"), np.concatenate(copies, 1)
    )


@isas
@EXAMPLES
@given(
    batch=st.sampled_from([1, 2, 17]),
    height=st.integers(1, 9),
    width=st.integers(1, 9),
    channels=CHANNELS,
    dtype=DTYPES,
)
def test_layouts(isa: str, batch: int, height: int, width: int, channels: int, dtype: str) -> None:
    target, shape = runnable_target(isa), (batch, height, width, channels)
    data = numbers(shape, QuantizedType(1.0, 0, dtype))
    moved = np.ascontiguousarray(data.transpose(0, 3, 1, 2))
    to_nchw = operators.nhwc_to_nchw(shape, target, dtype=dtype)
    np.testing.assert_array_equal(run(to_nchw, [data], moved.shape, target, shape, dtype), moved)
    to_nhwc = operators.nchw_to_nhwc(moved.shape, target, dtype=dtype)
    np.testing.assert_array_equal(run(to_nhwc, [moved], shape, target, shape, dtype), data)


@isas
@EXAMPLES
@given(pixels=st.sampled_from([1, 3, 40]), groups=st.integers(1, 9), each=st.integers(1, 70), dtype=DTYPES)
def test_channel_shuffle(isa: str, pixels: int, groups: int, each: int, dtype: str) -> None:
    target, shape = runnable_target(isa), (pixels, groups * each)
    data = numbers(shape, QuantizedType(1.0, 0, dtype))
    func = operators.channel_shuffle(shape, groups, target, dtype=dtype)
    got = run(func, [data], shape, target, (shape, groups), dtype)
    np.testing.assert_array_equal(got, data.reshape(pixels, groups, each).swapaxes(1, 2).reshape(shape))


@pytest.mark.parametrize(
    ("scale", "zero", "dtype", "message"),
    [
        (0.0, 0, "uint8", "scale must be a positive float32"),
        (math.nan, 0, "uint8", "scale must be a positive float32"),
        (1e-60, 0, "int8", "scale must be a positive float32"),
        (1.0, -1, "uint8", "zero point -1 is no uint8"),
        (1.0, 128, "int8", "zero point 128 is no int8"),
        (1.0, 0, "int32", "must be one of uint8, int8, got 'int32'"),
    ],
)
def test_parameters_that_are_none_are_refused(scale: float, zero: int, dtype: str, message: str) -> None:
    with pytest.raises(WorkloadError, match=message):
        QuantizedType(scale, zero, dtype)


def test_nothing_is_stored_in_between(tmp_path: Path) -> None:
    """One pass: no operator asks for workspace."""
    target, a = runnable_target("portable"), QuantizedType(0.1, 3, "uint8")
    b, pool = QuantizedType(0.07, -5, "int8"), Pool2d(1, 20, 20, 200, (3, 3), padding=(1, 1, 1, 1))
    shape = pool.input_shape
    cases = {
        "add": (operators.quantized_add(shape, [a, a], b, target), [shape, shape], shape),
        "pool": (operators.quantized_avg_pool2d(pool, a, b, target), [shape], shape),
        "global": (operators.quantized_global_avg_pool2d(shape, a, b, target), [shape], (1, 1, 1, 200)),
        "concat": (
            operators.quantized_concat([shape, shape], 3, [a, a], b, target),
            [shape] * 2,
            (1, 20, 20, 400),
        ),
    }
    named = {name: func.with_attr("global_symbol", name) for name, (func, _, _) in cases.items()}
    executable = tvm.compile(tvm.IRModule(named), target.tvm_target)
    for name, (_, inputs, output) in cases.items():
        arrays = [np.zeros(each, np.uint8) for each in inputs]
        assert allocated_bytes(executable, name, [*arrays, np.zeros(output, np.int8)], tmp_path) == 0, name


def _range(quantization: QuantizedType) -> tuple[int, int]:
    return quantization.smallest, quantization.largest


def _windows(
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
