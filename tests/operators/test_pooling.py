"""Pooling against its float64 definition and ONNX Runtime."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from operator_support import CHANNELS, SIZES, draw, isas, onnx_runtime, run
from support import assert_matches, runnable_target

from tvm_directconv import operators
from tvm_directconv.operators import Pool2d
from tvm_directconv.targets.target import CompileTarget


@st.composite
def pools(draw_from: st.DrawFn) -> Pool2d:
    """Pooling layers whose windows fit and whose padding is below the kernel, as ONNX asks."""
    kernel = draw_from(st.tuples(st.integers(1, 5), st.integers(1, 5)))
    dilation = draw_from(st.tuples(st.integers(1, 2), st.integers(1, 2)))
    top, left, bottom, right = (draw_from(st.integers(0, min(3, kernel[axis % 2] - 1))) for axis in range(4))
    reach = [(kernel[axis] - 1) * dilation[axis] + 1 for axis in range(2)]
    room = [max(1, reach[0] - top - bottom), max(1, reach[1] - left - right)]
    height, width = (draw_from(st.integers(smallest, smallest + 14)) for smallest in room)
    return Pool2d(
        draw_from(st.integers(1, 2)),
        height,
        width,
        draw_from(CHANNELS),
        kernel,
        draw_from(st.tuples(st.integers(1, 3), st.integers(1, 3))),
        (top, left, bottom, right),
        dilation,
        ceil_mode=draw_from(st.booleans()),
        count_include_pad=draw_from(st.booleans()),
    )


def reference_pool(pool: Pool2d, data: np.ndarray, average: bool) -> np.ndarray:
    """Every window from its definition, in float64."""
    output = np.empty(pool.output_shape)
    top, left, bottom, right = pool.padding
    for y, x in np.ndindex(pool.out_height, pool.out_width):
        rows = [y * pool.strides[0] - top + k * pool.dilation[0] for k in range(pool.kernel[0])]
        columns = [x * pool.strides[1] - left + k * pool.dilation[1] for k in range(pool.kernel[1])]
        inside = np.ix_(
            range(pool.batch),
            [row for row in rows if 0 <= row < pool.height],
            [column for column in columns if 0 <= column < pool.width],
            range(pool.channels),
        )
        window = data[inside].astype(np.float64)
        if not average:
            output[:, y, x] = window.max((1, 2), initial=-math.inf)
            continue
        counted = window.shape[1] * window.shape[2]
        if pool.count_include_pad:
            counted = sum(row < pool.height + bottom for row in rows) * sum(
                column < pool.width + right for column in columns
            )
        output[:, y, x] = window.sum((1, 2)) / max(counted, 1)
    return output


def check_pool(pool: Pool2d, target: CompileTarget, average: bool) -> np.ndarray:
    data = draw(*pool.input_shape)
    func = (operators.avg_pool2d if average else operators.max_pool2d)(pool, target)
    got, want = run(func, [data], pool.output_shape, target, pool), reference_pool(pool, data, average)
    empty = np.isinf(want)
    assert (got[empty] == want[empty]).all(), f"{pool}: windows without taps"
    assert_matches(np.where(empty, 0, got), np.where(empty, 0, want), pool)
    return got


@isas
@pytest.mark.parametrize("average", [False, True], ids=["max", "avg"])
@settings(max_examples=8)
@given(pool=pools())
def test_pooling(isa: str, average: bool, pool: Pool2d) -> None:
    check_pool(pool, runnable_target(isa), average)


@pytest.mark.slow
@pytest.mark.parametrize("average", [False, True], ids=["max", "avg"])
@settings(max_examples=8)
@given(pool=pools())
def test_pooling_follows_onnx_runtime(average: bool, pool: Pool2d) -> None:
    got = check_pool(pool, runnable_target("portable"), average)
    attributes: dict[str, Any] = {
        "kernel_shape": pool.kernel,
        "strides": pool.strides,
        "pads": pool.padding,
        "dilations": pool.dilation,
        "ceil_mode": int(pool.ceil_mode),
    }
    if average:
        attributes["count_include_pad"] = int(pool.count_include_pad)
    data = draw(*pool.input_shape).transpose(0, 3, 1, 2)
    name = "AveragePool" if average else "MaxPool"
    want = onnx_runtime(name, [np.ascontiguousarray(data)], **attributes).transpose(0, 2, 3, 1)
    taken = np.isfinite(got) & np.isfinite(want)  # libraries differ on windows without taps
    assert got.shape == want.shape, f"{pool}: shape {got.shape}, ONNX Runtime's {want.shape}"
    assert_matches(np.where(taken, got, 0), np.where(taken, want, 0), pool)


@pytest.mark.slow
@isas
@pytest.mark.parametrize(
    "pool",
    [
        Pool2d(1, 27, 27, 192, (3, 3), padding=(1, 1, 1, 1)),
        Pool2d(1, 56, 56, 64, (3, 3), (2, 2), (1, 1, 1, 1)),
        Pool2d(1, 15, 15, 64, (15, 15), padding=(7, 7, 7, 7)),
        Pool2d(2, 40, 3, 5, (21, 3), (4, 1), (10, 1, 10, 1)),
        Pool2d(1, 3, 60, 7, (1, 24), padding=(0, 12, 0, 11)),
        Pool2d(1, 224, 224, 3, (2, 2), (2, 2)),
        Pool2d(2, 7, 6, 20, (9, 40), (40, 40), ceil_mode=True),
    ],
    ids=str,
)
def test_pooling_of_real_and_extreme_layers(isa: str, pool: Pool2d) -> None:
    for average in (False, True):
        check_pool(pool, runnable_target(isa), average)


@isas
@settings(max_examples=8)
@given(shape=st.tuples(st.integers(1, 2), SIZES, SIZES, CHANNELS))
def test_global_pooling(isa: str, shape: tuple[int, int, int, int]) -> None:
    target, data = runnable_target(isa), draw(*shape)
    output = (shape[0], 1, 1, shape[3])
    mean = run(operators.global_avg_pool2d(shape, target), [data], output, target, shape)
    assert_matches(mean, data.astype(np.float64).mean((1, 2), keepdims=True), shape)
    largest = run(operators.global_max_pool2d(shape, target), [data], output, target, shape)
    assert (largest == data.max((1, 2), keepdims=True)).all(), shape


def test_mean_of_large_maps_stays_exact() -> None:
    target, shape = runnable_target("portable"), (1, 300, 300, 2)
    data = draw(*shape) + np.float32(1000)
    got = run(operators.global_avg_pool2d(shape, target), [data], (1, 1, 1, 2), target, shape)
    assert_matches(got, data.astype(np.float64).mean((1, 2), keepdims=True), shape, tolerance=1e-6)
