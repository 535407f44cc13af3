"""Pooling and normalization of quantized tensors against their definitions in numpy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from operator_support import CHANNELS, SIZES, isas, run
from quantized_numbers import (
    DTYPES,
    assert_product,
    centered,
    mean_scale,
    normalized,
    numbers,
    quantizations,
    window_sums,
)
from support import runnable_target
from test_pooling import pools

from tvm_directconv import operators
from tvm_directconv.errors import WorkloadError
from tvm_directconv.operators import Pool2d, QuantizedType
from tvm_directconv.operators.quantized_type import integer_accumulator

EXAMPLES = settings(max_examples=10)


@pytest.mark.slow
@isas
@settings(max_examples=10)
@given(pool=pools(), dtype=DTYPES)
def test_max_pooling_is_exact(isa: str, pool: Pool2d, dtype: str) -> None:
    target, quantization = runnable_target(isa), QuantizedType(1.0, 0, dtype)
    data = numbers(pool.input_shape, quantization)
    got = run(operators.max_pool2d(pool, target, dtype=dtype), [data], pool.output_shape, target, pool, dtype)
    np.testing.assert_array_equal(got, window_sums(pool, data, quantization)[0], str(pool))


@pytest.mark.slow
@isas
@settings(max_examples=10)
@given(pool=pools(), source=quantizations(), result=quantizations())
def test_average_pooling(isa: str, pool: Pool2d, source: QuantizedType, result: QuantizedType) -> None:
    target, data = runnable_target(isa), numbers(pool.input_shape, source)
    func = operators.quantized_avg_pool2d(pool, source, result, target)
    got = run(func, [data], pool.output_shape, target, (pool, source, result), result.dtype)
    _, sums, counted = window_sums(pool, data, source)
    assert_product(got, sums, mean_scale(source, result, counted), result, (pool, source, result))


@pytest.mark.slow
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
        _, sums, counted = window_sums(pool, data, source)
        assert_product(got, sums, mean_scale(source, result, counted), result, (pool, source))


@pytest.mark.slow
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


@isas
@settings(max_examples=5)
@given(
    shape=st.tuples(SIZES, CHANNELS),
    size=st.integers(1, 9),
    beta=st.sampled_from([0.75, 0.5, 0.6]),
    source=quantizations(),
    result=quantizations(),
)
def test_normalization(
    isa: str, shape: tuple[int, int], size: int, beta: float, source: QuantizedType, result: QuantizedType
) -> None:
    target, data = runnable_target(isa), numbers(shape, source)
    func = operators.lrn(shape, size, target, alpha=0.1, beta=beta, source=source, result=result)
    got = run(func, [data], shape, target, (source, result), result.dtype)
    exact = normalized(data, source, size, 0.1, beta, 1.0) / result.scale + result.zero_point
    # The power is good to some units in the last place, so that more than ties may fall either way.
    slack = 0.5 + 2.0**-18 * np.abs(exact - result.zero_point)
    off = np.abs(got - np.clip(exact, result.smallest, result.largest))
    assert (off <= slack).all(), f"{shape} {size} {source} {result}: off by {off.max()}"
