"""Layers whose batch, height and width are open: one function, equal to the bit to that of each size by
itself."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import tvm
from hypothesis import given, settings
from hypothesis import strategies as st

from tvm_directconv.algorithms import ALGORITHMS
from tvm_directconv.algorithms.base import KernelPlan
from tvm_directconv.problem.open_sizes import OpenSizes
from tvm_directconv.problem.workload import Conv2dWorkload, Epilogue
from tvm_directconv.runtime.size_values import evaluated
from tvm_directconv.targets.target import resolve_target

HOST = resolve_target("llvm -mcpu=native")
ALL = ("batch", "height", "width")
FEW = ("batch", "height")
LAYERS = {
    "3x3": ("direct_nhwc", Conv2dWorkload(1, 14, 30, 24, 40, (3, 3), padding=(1, 1, 1, 1)), ALL),
    "stride 2, asymmetric": (
        "direct_nhwc",
        Conv2dWorkload(2, 15, 31, 5, 33, (3, 5), strides=(2, 2), padding=(1, 2, 0, 1)),
        ALL,
    ),
    "stride 3, dilation 2": (
        "direct_nhwc",
        Conv2dWorkload(1, 20, 34, 8, 16, (3, 3), strides=(3, 3), padding=(2, 2, 2, 2), dilation=(2, 2)),
        ALL,
    ),
    "groups": ("direct_nhwc", Conv2dWorkload(1, 9, 17, 96, 96, (3, 3), padding=(1, 1, 1, 1), groups=2), ALL),
    "1x1": ("direct_nhwc", Conv2dWorkload(1, 7, 9, 32, 48, (1, 1)), ALL),
    "1x1, stride 2": ("direct_nhwc", Conv2dWorkload(1, 8, 12, 32, 48, (1, 1), strides=(2, 2)), ALL),
    "rows of a dense layer": ("direct_nhwc", Conv2dWorkload(1, 1, 3, 64, 100, (1, 1)), ("width",)),
    "depthwise": (
        "direct_nhwc",
        Conv2dWorkload(1, 13, 21, 40, 40, (3, 3), padding=(1, 1, 1, 1), groups=40),
        ALL,
    ),
    "depthwise, stride 2": (
        "direct_nhwc",
        Conv2dWorkload(1, 13, 21, 24, 24, (5, 5), strides=(2, 2), padding=(2, 2, 2, 2), groups=24),
        ALL,
    ),
    "depthwise, rows narrower than borders": (
        "direct_nhwc",
        Conv2dWorkload(1, 3, 3, 40, 40, (7, 7), padding=(3, 3, 3, 3), groups=40),
        ALL,
    ),
    "groups of 2": (
        "direct_nhwc",
        Conv2dWorkload(1, 12, 20, 32, 32, (3, 3), padding=(1, 1, 1, 1), groups=16),
        FEW,
    ),
    "packed": ("packed_nhwc", Conv2dWorkload(1, 14, 14, 24, 40, (3, 3), padding=(1, 1, 1, 1)), FEW),
    "blocked": (
        "blocked",
        Conv2dWorkload(1, 14, 14, 24, 40, (3, 3), padding=(1, 1, 1, 1), data_layout="NCHW16c"),
        ("batch",),
    ),
    "sconv": (
        "sconv",
        Conv2dWorkload(1, 14, 14, 24, 40, (3, 3), padding=(1, 1, 1, 1), data_layout="NCHW"),
        ("batch",),
    ),
}
"""The algorithm, the workload of typical sizes, and the sizes that are open."""


def _function(plan: KernelPlan[Any]) -> Any:
    function = plan.schedule(plan.compute()).with_attr("global_symbol", "layer")
    return tvm.compile(function, HOST.tvm_target)["layer"]


@functools.cache
def _opened(name: str) -> tuple[Any, KernelPlan[Any], tuple[str, ...]]:
    """The function of a layer of open sizes, its plan, and the conditions it holds under."""
    algorithm, workload, names = LAYERS[name]
    workload = replace(workload, epilogue=Epilogue(bias=True, residual=True, low=0))
    fixed = ALGORITHMS[algorithm].plan(workload, HOST)
    sizes = OpenSizes("int32")
    dims = {size: sizes.dimension(size, getattr(workload, size)) for size in names}
    plan = ALGORITHMS[algorithm].plan(replace(workload, **dims), HOST, fixed.knobs)
    return _function(plan), plan, tuple(map(str, sizes.assumptions))


@pytest.mark.parametrize("name", LAYERS)
@settings(max_examples=3, deadline=None)
@given(st.data())
def test_one_function_is_that_of_every_size(name: str, data: st.DataObject) -> None:
    function, plan, conditions = _opened(name)
    algorithm, workload, names = LAYERS[name]
    least = {"batch": 1, "height": 1, "width": 1}
    most = {"batch": 4, "height": 40, "width": 70}
    drawn = {size: data.draw(st.integers(least[size], most[size]), size) for size in names}
    if not all(evaluated(condition, drawn) for condition in conditions):
        return
    workload = replace(workload, epilogue=Epilogue(bias=True, residual=True, low=0), **drawn)
    own = ALGORITHMS[algorithm].plan(workload, HOST)
    rng = np.random.default_rng(5)
    image, weights, bias, residual = (
        rng.standard_normal(shape, np.float32)
        for shape in (workload.input_shape, workload.filter_shape, workload.bias_shape, workload.output_shape)
    )
    results = []
    for run, packing in ((function, plan), (_function(own), own)):
        arrays = (image, packing.pack(weights), bias, residual, np.full(workload.output_shape, np.nan, "f"))
        operands = [tvm.runtime.tensor(np.ascontiguousarray(array, np.float32)) for array in arrays]
        run(*operands)
        results.append(operands[-1].numpy())
    np.testing.assert_array_equal(*results)


@pytest.mark.parametrize("name", [name for name, (_, _, names) in LAYERS.items() if names != ("width",)])
def test_what_is_assumed_are_bounds(name: str) -> None:
    """Sizes above some that TVM cannot index, and below some that a border takes, have functions of their
    own."""
    _, _, conditions = _opened(name)
    assert all(condition.startswith("not (") and (" < " in condition) for condition in conditions), conditions
