"""Convolutions in half precision by every algorithm that computes them: within the error that plans state."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
import tvm
from half_support import assert_within_bound, half_function, half_operands
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import peak_workspace_bytes, run_together
from test_direct_nhwc import ODD_SHAPES, workloads

from intrinsics.epilogue import Residual, parse_step
from relay_strategies.compiler.layer import build_conv2d
from relay_strategies.strategies.candidates import LayerSpace
from tvm_directconv.algorithms import ALGORITHMS
from tvm_directconv.algorithms.accuracy import EXACT
from tvm_directconv.errors import InputError, WorkloadError
from tvm_directconv.problem.element_types import HALVES, ROUNDOFF, rounded
from tvm_directconv.problem.operands import random_operands
from tvm_directconv.problem.storage import Storage
from tvm_directconv.problem.workload import Conv2dWorkload, Epilogue
from tvm_directconv.targets.target import resolve_target

TARGET = resolve_target("llvm -mcpu=native")
NAMES = ("direct_nhwc", "bordered_nhwc", "im2col_gemm")
BASE = Conv2dWorkload(1, 9, 9, 24, 40, (3, 3), padding=(1, 1, 1, 1))
SILU = Epilogue(bias=True, steps=[parse_step("silu"), Residual(), parse_step("relu")])
SHAPES = [
    *(replace(shape, data_layout="NHWC", out_layout="NHWC") for shape in ODD_SHAPES),
    replace(BASE, groups=4, in_channels=28),
    replace(BASE, epilogue=SILU),
]


def in_both(shape: Conv2dWorkload) -> Iterator[Conv2dWorkload]:
    """The shape in both types, with a result of the same type and in float32."""
    for dtype, to_float32 in itertools.product(HALVES, (False, True)):
        yield replace(shape, dtype=dtype, to_float32=to_float32)


def check(name: str, cases: list[Conv2dWorkload]) -> None:
    algorithm = ALGORITHMS[name]
    arrays = [half_operands(workload, seed) for seed, workload in enumerate(cases)]
    made = [
        half_function(algorithm, workload, TARGET, given)
        for workload, given in zip(cases, arrays, strict=True)
    ]
    functions, operands = zip(*made, strict=True)
    for workload, operated, got in zip(cases, arrays, run_together(functions, operands, TARGET), strict=True):
        bound = algorithm.plan(workload, TARGET).relative_error
        # Activations are off by some units in the last place of float32, too.
        assert_within_bound(got, workload, operated, bound + 1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_odd_shapes(name: str) -> None:
    cases = [half for number, shape in enumerate(SHAPES) for half in list(in_both(shape))[number % 4 :: 4]]
    check(name, [case for case in cases if ALGORITHMS[name].applies(case)])


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=12, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(data=st.data())
def test_any_shape(name: str, data: st.DataObject) -> None:
    shape = replace(data.draw(workloads()), data_layout="NHWC", out_layout="NHWC")
    workload = data.draw(st.sampled_from(list(in_both(shape))))
    if ALGORITHMS[name].applies(workload):
        check(name, [workload])


@pytest.mark.parametrize("dtype", HALVES)
def test_parts_of_tensors(dtype: str) -> None:
    workload = replace(BASE, dtype=dtype, storage=Storage((8, 40), (4, 50)), epilogue=Epilogue(bias=True))
    whole = workload.of_whole_tensors()
    arrays = half_operands(whole)
    func, given = half_function(ALGORITHMS["direct_nhwc"], workload, TARGET, arrays)
    stored = np.ones(workload.stored_input_shape, given[0].dtype)
    stored[..., 8:32] = given[0]
    given[0] = stored
    (got,) = run_together([func], [given], TARGET)
    assert np.isnan(got[..., :4]).all() and np.isnan(got[..., 44:]).all()
    assert_within_bound(got[..., 4:44], whole, arrays, 2 * ROUNDOFF[dtype])


def test_filters_known_at_run_time_are_packed_alike() -> None:
    for name, groups in itertools.product(NAMES, (1, 4)):
        workload = replace(BASE, groups=groups, in_channels=28, dtype="float16", filter_layout="HWIO")
        plan = ALGORITHMS[name].plan(workload, TARGET)
        weights = half_operands(workload)[1]
        packed = np.empty(plan.packed_filter_shape, np.float16)
        (got,) = run_together([plan.pack_func()], [[weights, packed]], TARGET)
        np.testing.assert_array_equal(got, plan.pack(weights))


def test_everything_a_tuner_may_choose_builds() -> None:
    workload = replace(BASE, dtype="bfloat16", height=5, width=5)
    space = LayerSpace(workload, TARGET)
    of_tiles = ALGORITHMS["bordered_nhwc"].accuracy(workload, TARGET) == EXACT
    assert set(space.algorithms) == set(NAMES) - (set() if of_tiles else {"bordered_nhwc"})
    assert all(getattr(candidate.knobs, "c_ib", 0) == 0 for candidate in space.candidates)
    chosen = [next(knobs.points()) for knobs in list(space.spaces.values())[::3]]
    arrays = half_operands(workload)
    made = [
        half_function(ALGORITHMS[of.algorithm], workload, TARGET, arrays, knobs)
        for of, knobs in zip(list(space.spaces.values())[::3], chosen, strict=True)
    ]
    functions, operands = zip(*made, strict=True)
    for got in run_together(functions, operands, TARGET):
        assert_within_bound(got, workload, arrays, 2 * ROUNDOFF["bfloat16"])


@pytest.mark.parametrize("name", NAMES)
def test_allocates_what_it_states(name: str, tmp_path: Path) -> None:
    workload = replace(BASE, dtype="bfloat16")
    func, arrays = half_function(ALGORITHMS[name], workload, TARGET, half_operands(workload))
    executable = tvm.compile(func.with_attr("global_symbol", "conv2d"), target=TARGET.tvm_target)
    stated = ALGORITHMS[name].plan(workload, TARGET).workspace_bytes
    assert peak_workspace_bytes(executable, "conv2d", arrays, tmp_path) == stated
    assert name != "direct_nhwc" or stated == 0


def test_a_layer_called_on_arrays() -> None:
    workload = replace(
        BASE, dtype="bfloat16", data_layout="NCHW", out_layout="NCHW", epilogue=Epilogue(bias=True)
    )
    layer = build_conv2d(str(workload))
    data, weights, bias, _, _ = random_operands(workload)
    got = layer(data, weights, bias)
    assert got.dtype == ml_dtypes.bfloat16
    assert layer.implementation.relative_error == pytest.approx(ROUNDOFF["bfloat16"], rel=0.01)
    assert_within_bound(got, workload, (data, weights, bias, None), layer.implementation.relative_error)
    with pytest.raises(InputError, match="data must be bfloat16"):
        layer(data.astype(np.float32), weights, bias)


def test_what_is_too_large_for_float16_is_infinite() -> None:
    workload = Conv2dWorkload(1, 1, 2, 1, 1, (1, 1), dtype="float16")
    data = np.array([60000, 1], np.float16).reshape(workload.input_shape)
    weights = rounded(np.full(workload.filter_shape, 2.0), "float16")
    assert build_conv2d(workload)(data, weights).ravel().tolist() == [math.inf, 2.0]
    exact = build_conv2d(replace(workload, to_float32=True))
    sums_in_half = any("avx512fp16" in kernel for kernel in exact.implementation.kernels)
    assert exact(data, weights).ravel().tolist() == [math.inf if sums_in_half else 120000.0, 2.0]


@pytest.mark.parametrize("workload", list(in_both(BASE)), ids=str)
def test_descriptors_parse_back(workload: Conv2dWorkload) -> None:
    assert Conv2dWorkload.parse(str(workload)) == workload
    assert (workload.element_bytes, workload.out_bytes) == (2, 4 if workload.to_float32 else 2)


def test_only_half_precision_ends_in_float32() -> None:
    with pytest.raises(WorkloadError, match="to_float32 is of half precision, and the dtype is 'float32'"):
        replace(BASE, to_float32=True)
