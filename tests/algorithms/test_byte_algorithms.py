"""Quantized convolutions by every algorithm that computes them: exact, on any shape and all zero points."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import tvm
from byte_support import arguments, draw_operands, quantized, reference, types
from covers import some_each
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import BYTE_TARGETS, Compiled, peak_workspace_bytes, runnable_target
from test_direct_nhwc import workloads

from relay_strategies.compiler.layer import build_conv2d
from tvm_directconv.algorithms import BYTE_ALGORITHMS
from tvm_directconv.algorithms.byte_packing import activation_zeros, complemented
from tvm_directconv.errors import InputError, WorkloadError
from tvm_directconv.problem.quantized_types import QuantizedTypes, filter_range
from tvm_directconv.problem.taps import visited_taps
from tvm_directconv.problem.workload import Conv2dWorkload, Epilogue
from tvm_directconv.targets.target import CompileTarget

FULL = Epilogue(bias=True, low=0.0)
SHAPES = [
    Conv2dWorkload(1, 14, 14, 32, 64, (3, 3), padding=(1, 1, 1, 1), epilogue=FULL),
    Conv2dWorkload(2, 9, 9, 40, 40, (3, 2), (2, 3), (1, 0, 2, 1), (2, 1)),
    Conv2dWorkload(2, 9, 9, 20, 41, (1, 1), epilogue=FULL),
    Conv2dWorkload(1, 30, 31, 3, 35, (7, 7), (2, 2), (3, 3, 3, 3), epilogue=FULL),
    Conv2dWorkload(2, 7, 7, 64, 128, (3, 3), padding=(1, 1, 1, 1), groups=4),
    Conv2dWorkload(1, 4, 4, 3, 5, (3, 3), (3, 3), (9, 9, 9, 9), epilogue=Epilogue(bias=True)),
    Conv2dWorkload(1, 13, 12, 17, 19, (1, 5), (1, 2), (0, 2, 0, 1), filter_layout="HWIO"),
    Conv2dWorkload(1, 8, 8, 24, 24, (3, 3), padding=(1, 1, 1, 1), groups=24, epilogue=FULL),
    Conv2dWorkload(1, 9, 8, 24, 37, (3, 3), padding=(1, 1, 1, 1), epilogue=Epilogue(True, True, 0.0)),
]


def run(name: str, workload: Conv2dWorkload, target: CompileTarget, seed: int = 0) -> None:
    operands = draw_operands(workload, seed)
    func, arrays = arguments(BYTE_ALGORITHMS[name], workload, target, operands)
    module = Compiled({"conv2d": func}, target)
    tensors = [tvm.runtime.tensor(array) for array in arrays]
    module["conv2d"](*tensors)
    np.testing.assert_array_equal(tensors[-1].numpy(), reference(workload, operands), str(workload))


@pytest.mark.parametrize("isa", BYTE_TARGETS)
@pytest.mark.parametrize("name", BYTE_ALGORITHMS)
@settings(max_examples=8, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(data=st.data())
def test_any_shape(name: str, isa: str, data: st.DataObject) -> None:
    target = runnable_target(isa)
    workload = quantized(data.draw(workloads()), *data.draw(types()))
    if BYTE_ALGORITHMS[name].applies(workload):
        run(name, workload, target, data.draw(st.integers(0, 9)))


def test_complements_keep_sums_of_all_pairs_within_16_bits() -> None:
    """All pairs of weights, and activations of both types at all corners."""
    one, other = np.meshgrid(*[np.arange(-127, 128, dtype=np.int16)] * 2)
    weights = np.stack([one.ravel(), other.ravel()], 1)[..., None, None]
    flipped = complemented(weights)[:, :, 0, 0]
    signed = np.where(flipped, -weights[..., 0, 0], weights[..., 0, 0]).astype(np.int64)
    for dtype, corners in (("uint8", (0, 1, 255)), ("int8", (-128, 0, 127))):
        workload = quantized(Conv2dWorkload(1, 1, 1, 2, len(weights), (1, 1)), dtype, QuantizedTypes())
        zeros = activation_zeros(workload, 5, weights)[..., 0, 0]
        masks = np.where(flipped, 255, 0) ^ (128 if dtype == "int8" else 0)
        for data in itertools.product(corners, repeat=2):
            sums = ((np.array(data) & 255) ^ masks) * signed
            assert np.iinfo(np.int16).min <= sums.sum(1).min() and sums.sum(1).max() <= np.iinfo(np.int16).max
            exact = ((np.array(data) - 5) * weights[..., 0, 0].astype(np.int64)).sum(1)
            np.testing.assert_array_equal((sums - zeros * weights[..., 0, 0]).sum(1), exact)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "isa"), some_each([*BYTE_ALGORITHMS], [*BYTE_TARGETS], 4))
def test_allocates_what_it_states(name: str, isa: str, tmp_path: Path) -> None:
    target, algorithm = runnable_target(isa), BYTE_ALGORITHMS[name]
    cases = [quantized(shape, "uint8", QuantizedTypes("uint8", 7, 9)) for shape in SHAPES]
    taken = [workload for workload in cases if algorithm.applies(workload)]
    assert all(w.is_depthwise or w.kernel == (1, 1) for w in cases if w not in taken)
    given = {
        f"conv2d{number}": arguments(algorithm, workload, target, draw_operands(workload))
        for number, workload in enumerate(taken)
    }
    compiled = Compiled({function: func for function, (func, _) in given.items()}, target)
    for workload, (function, (_, arrays)) in zip(taken, given.items(), strict=True):
        stated = algorithm.plan(workload, target).workspace_bytes
        assert peak_workspace_bytes(compiled, function, arrays, tmp_path) == stated, str(workload)
        assert name != "direct_nhwc" or stated == 0


def test_a_layer_called_on_arrays() -> None:
    workload = quantized(SHAPES[0], "int8", QuantizedTypes("int8", -3, 5))
    layer = build_conv2d(workload, "llvm -mcpu=native")
    given = draw_operands(workload)
    given = replace(given, weights=np.clip(given.weights, -100, 100))
    zero = np.arange(workload.out_channels) % 3
    stored = given.weights + zero[:, None, None, None]
    got = layer(given.data, stored, given.bias, scale=given.scale, filter_zero=zero)
    np.testing.assert_array_equal(got, reference(workload, given))
    added = quantized(SHAPES[-1], "uint8", QuantizedTypes("uint8", 7, 5))
    more = draw_operands(added)
    summed = build_conv2d(added)(
        more.data, more.weights.astype(np.int8), more.bias, more.residual, more.scale
    )
    np.testing.assert_array_equal(summed, reference(added, more))
    with pytest.raises(InputError, match="data must be int8"):
        layer(given.data.astype(np.uint8), stored, given.bias, scale=given.scale)
    with pytest.raises(InputError, match="scale is missing"):
        layer(given.data, stored, given.bias)
    with pytest.raises(InputError, match="the filter holds -300 to 306, beyond"):
        layer(given.data, 3 * stored, given.bias, scale=given.scale)
    with pytest.raises(InputError, match="the filter less its zero point holds 65436 to"):
        layer(given.data, given.weights.astype(np.int64) + 65536, given.bias, scale=given.scale)
    for wrong in (0.5, zero[1:]):
        with pytest.raises(InputError, match="filter_zero must be an integer, or 64 of them"):
            layer(given.data, stored, given.bias, scale=given.scale, filter_zero=wrong)


def test_sums_beyond_32_bits_are_refused() -> None:
    workload = Conv2dWorkload(
        1, 70, 70, 64, 1, (64, 64), dtype="uint8", quantized=QuantizedTypes(data_zero=255)
    )
    layer = build_conv2d(workload, "llvm -mcpu=native")
    weights = np.full(workload.filter_shape, 127, np.int8)
    with pytest.raises(WorkloadError, match="channel 0 may reach 1[0-9]{10}, beyond int32"):
        layer(np.zeros(workload.input_shape, np.uint8), weights)


@pytest.mark.parametrize(
    ("low", "high", "want"),
    [
        (-64, 64, ("int8", 64)),
        (-127, 3, ("int8", 127)),
        (-128, 127, ("int8", 128)),
        (0, 128, ("uint8", 128)),
        (-1, 128, ("int9", 128)),
        (-255, 254, ("int9", 128)),
        (-1, 255, ("int10", 128)),
    ],
)
def test_filters_say_their_range(low: int, high: int, want: tuple[str, int]) -> None:
    assert filter_range(np.array([low, 0, high])) == want


def test_visited_taps_of_a_border() -> None:
    workload = Conv2dWorkload(1, 8, 5, 1, 1, (3, 5), padding=(1, 4, 1, 0), dilation=(1, 2))
    rows, columns = visited_taps(workload, 0), visited_taps(workload, 1)
    assert (rows.starts, rows.ranges) == ((0, 1, 7), ((1, 3), (0, 3), (0, 2)))
    for x in range(workload.out_width):
        first, last = columns.ranges[columns.run_of(x)]
        assert [tap for tap in range(5) if 0 <= x - 4 + 2 * tap < 5] == list(range(first, last))


@pytest.mark.parametrize(
    ("dtype", "types", "message"),
    [
        ("uint8", None, "dtype 'uint8' needs a quantization"),
        ("float32", QuantizedTypes(), "dtype 'float32' takes no quantization"),
        ("int8", QuantizedTypes(data_zero=128), "zero point 128 is outside of int8"),
    ],
)
def test_impossible_types_are_refused(dtype: str, types: QuantizedTypes | None, message: str) -> None:
    with pytest.raises(WorkloadError, match=message):
        Conv2dWorkload(1, 4, 4, 1, 1, (1, 1), dtype=dtype, quantized=types)


def test_impossible_quantizations_are_refused() -> None:
    for options, message in (
        ({"out_dtype": "int16"}, "out_dtype 'int16' is not one of"),
        ({"out_dtype": "uint8", "out_zero": -1}, "zero point -1 is outside of uint8"),
        ({"out_dtype": "float32", "out_zero": 3}, "float32 outputs do not have a zero point"),
        ({"filter_dtype": "int4"}, "filter_dtype 'int4' is not one of"),
    ):
        with pytest.raises(WorkloadError, match=message):
            QuantizedTypes(**options)  # type: ignore[arg-type]
    with pytest.raises(WorkloadError, match="a residual is added to 8 bits"):
        quantized(SHAPES[0], "uint8", QuantizedTypes()).with_epilogue(Epilogue(residual=True))
    with pytest.raises(WorkloadError, match="sums are not clipped"):
        quantized(SHAPES[0], "uint8", QuantizedTypes()).with_epilogue(Epilogue(high=math.pi))


@given(data=st.data())
def test_descriptors_parse_back(data: st.DataObject) -> None:
    workload = quantized(data.draw(workloads()), *data.draw(types()))
    assert Conv2dWorkload.parse(str(workload)) == workload
