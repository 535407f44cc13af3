"""8-bit layers whose batch, height and width are open: one function, exact at any size."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import tvm
from byte_support import draw_operands, quantized, reference
from covers import some_each
from hypothesis import given, settings
from hypothesis import strategies as st
from support import BYTE_TARGETS, runnable_target
from test_open_layers import ALL, LAYERS

from intrinsics.registry import ISAS
from tvm_directconv.algorithms import BYTE_ALGORITHMS
from tvm_directconv.algorithms.base import KernelPlan
from tvm_directconv.algorithms.direct_nhwc import DirectNhwc
from tvm_directconv.problem.open_sizes import OpenSizes
from tvm_directconv.problem.quantized_types import QuantizedTypes
from tvm_directconv.problem.taps import with_scales
from tvm_directconv.problem.workload import Conv2dWorkload, Epilogue
from tvm_directconv.runtime.size_values import evaluated

ALGORITHM = BYTE_ALGORITHMS[DirectNhwc.name]
BYTES = {
    name: quantized(
        replace(workload, epilogue=Epilogue(bias=True, residual=True, low=0.0)),
        "uint8",
        QuantizedTypes("uint8", 7, 9),
    )
    for name, (algorithm, workload, names) in LAYERS.items()
    if (algorithm, names) == (DirectNhwc.name, ALL)
}
"""Layers of typical sizes, with zero points that padding stands for."""
TARGETS = [isa for isa in BYTE_TARGETS if ISAS[isa].tile_rows == 1]


@functools.cache
def _opened(name: str, isa: str) -> tuple[Any, KernelPlan[Any], tuple[str, ...]]:
    """Return the function of a layer of open sizes, its plan, and the conditions it holds under."""
    workload, target = BYTES[name], runnable_target(isa)
    fixed = ALGORITHM.plan(workload, target)
    sizes = OpenSizes("int32")
    dims = {size: sizes.dimension(size, getattr(workload, size)) for size in ALL}
    plan = ALGORITHM.plan(replace(workload, **dims), target, fixed.knobs)
    function = plan.schedule(plan.compute()).with_attr("global_symbol", "layer")
    return tvm.compile(function, target.tvm_target)["layer"], plan, tuple(map(str, sizes.assumptions))


def _check(name: str, isa: str, workload: Conv2dWorkload) -> None:
    function, plan, _ = _opened(name, isa)
    operands = draw_operands(workload)
    table = with_scales(plan.bias_table(operands.weights, operands.bias), operands.scale)
    arrays = (
        operands.data,
        plan.pack(operands.weights),
        table,
        operands.residual,
        np.full(workload.output_shape, 77, workload.out_dtype),
    )
    tensors = [tvm.runtime.tensor(np.ascontiguousarray(array)) for array in arrays]
    function(*tensors)
    np.testing.assert_array_equal(tensors[-1].numpy(), reference(workload, operands), str(workload))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "isa"), some_each([*BYTES], TARGETS, 4))
@settings(max_examples=2, deadline=None)
@given(st.data())
def test_one_function_is_exact_at_every_size(name: str, isa: str, data: st.DataObject) -> None:
    workload, (_, _, conditions) = BYTES[name], _opened(name, isa)
    _check(name, isa, workload)
    least = workload.kernel[0] * workload.dilation[0]
    ranges = {"batch": (1, 4), "height": (least, 40), "width": (1, 70)}
    drawn = {size: data.draw(st.integers(*ranges[size]), size) for size in ALL}
    if all(evaluated(condition, drawn) for condition in conditions):
        _check(name, isa, replace(workload, **drawn))
    assert all(condition.startswith("not (") and " < " in condition for condition in conditions), conditions
