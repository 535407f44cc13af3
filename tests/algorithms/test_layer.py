"""One layer in other layouts than its algorithm's: operands are changed at its edges; and how it is timed."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pytest
from byte_support import draw_operands, quantized, reference

from relay_strategies.compiler.layer import build_conv2d
from relay_strategies.strategies.candidates import LayerSpace
from relay_strategies.strategies.limits import Limits
from tvm_directconv.algorithms.accuracy import FAST
from tvm_directconv.bench.layout_changes import from_layout, to_layout
from tvm_directconv.errors import InputError, TuningError
from tvm_directconv.measure.timing import calls_within, seconds_per_call, time_calls
from tvm_directconv.problem.quantized_types import QuantizedTypes
from tvm_directconv.problem.workload import Conv2dWorkload

SHAPE = Conv2dWorkload(1, 9, 7, 24, 20, (3, 3), padding=(1, 1, 1, 1))


@pytest.mark.slow
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


@pytest.mark.parametrize("algorithm", ["direct_nhwc", "winograd_nhwc_2x2"])
def test_knobs_that_are_given_are_used_and_the_others_are_the_models(algorithm: str) -> None:
    own = build_conv2d(SHAPE, algorithm=algorithm)
    space = LayerSpace(SHAPE, own.target, Limits(accuracy=FAST)).space_of
    points = [asdict(candidate.knobs) for candidate in space if candidate.algorithm == algorithm]
    set_by_model = {name: own.implementation.tile[name] for name in points[0]}
    changes = [dict(point.items() - set_by_model.items()) for point in points]
    [(name, value)] = next(change for change in changes if len(change) == 1).items()
    layer = build_conv2d(SHAPE, algorithm=algorithm, knobs={name: value})
    assert dict(layer.implementation.tile) == {**own.implementation.tile, name: value}
    rng = np.random.default_rng(0)
    operands = (rng.standard_normal(shape, np.float32) for shape in (SHAPE.input_shape, SHAPE.filter_shape))
    data, weights = operands
    np.testing.assert_allclose(layer(data, weights), own(data, weights), rtol=1e-3, atol=1e-3)
    assert "ret" in layer.assembly()


@pytest.mark.parametrize(
    ("algorithm", "knobs", "message"),
    [
        ("auto", {"nr": 16}, "name it by algorithm="),
        ("direct_nhwc", {"width": 16}, "does not have a knob 'width': it has nr, "),
        ("direct_nhwc", {"nr": 17}, "is not a schedule of n1_ih9iw7_ic24_oc20"),
    ],
)
def test_knobs_that_are_none_are_named(algorithm: str, knobs: dict[str, int], message: str) -> None:
    with pytest.raises(TuningError, match=message):
        build_conv2d(SHAPE, algorithm=algorithm, knobs=knobs)


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
