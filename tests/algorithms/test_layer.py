"""One layer in other layouts than its algorithm's: operands are changed at its edges; and how it is timed."""

from __future__ import annotations

import numpy as np
import pytest
from byte_support import draw_operands, quantized, reference

from relay_strategies.compiler.layer import build_conv2d
from tvm_directconv.bench.layout_changes import from_layout, to_layout
from tvm_directconv.errors import InputError
from tvm_directconv.measure.timing import calls_within, seconds_per_call, time_calls
from tvm_directconv.problem.quantized_types import QuantizedTypes
from tvm_directconv.problem.workload import Conv2dWorkload

SHAPE = Conv2dWorkload(1, 9, 7, 24, 20, (3, 3), padding=(1, 1, 1, 1))


@pytest.mark.parametrize("out_dtype", ["uint8", "int32", "float32"])
@pytest.mark.parametrize("layout", ["NCHW", "NCHW16c"])
def test_bytes_in_other_layouts(layout: str, out_dtype: str) -> None:
    workload = quantized(SHAPE, "uint8", QuantizedTypes(out_dtype, 7))
    given = draw_operands(workload)
    layer = build_conv2d(workload.in_layouts(layout), algorithm="direct_nhwc")
    output = layer(to_layout(given.data, layout), given.weights, given.bias, scale=given.scale)
    assert layer.workspace_bytes > 0 and output.dtype == np.dtype(out_dtype)
    got = from_layout(output, layout, workload.out_channels)
    np.testing.assert_array_equal(got, reference(workload, given))


def test_calls_are_timed_in_batches() -> None:
    calls: list[None] = []
    timing = time_calls(lambda: calls.append(None), batches=3, batch_seconds=0)
    assert len(calls) == 1 + 1 + 3 and 0 < timing.best <= timing.median
    assert seconds_per_call(lambda: calls.append(None), 10) > 0 and len(calls) == 15
    assert calls_within(1.0, 0.3) == 4 and calls_within(0.0, 0.3, least=2) == 2


def test_a_layer_is_timed_at_least_once() -> None:
    for wrong in (0, -1, 2.5):
        with pytest.raises(InputError, match="not a number of timings"):
            build_conv2d(SHAPE).time(wrong)  # type: ignore[arg-type]
