"""Workloads: validation, derived shapes, and descriptor strings that parse back."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_direct_nhwc import workloads

from tvm_directconv.errors import WorkloadError
from tvm_directconv.problem.quantized_types import QuantizedTypes
from tvm_directconv.problem.storage import Storage
from tvm_directconv.problem.workload import Conv2dWorkload, Epilogue

RESNET = Conv2dWorkload(1, 56, 56, 64, 128, (3, 3), (2, 2), (1, 1, 1, 1))


@given(workloads())
def test_descriptor_parses_back(workload: Conv2dWorkload) -> None:
    assert Conv2dWorkload.parse(str(workload)) == workload


@given(st.floats(width=32, allow_nan=False), st.floats(width=32, allow_nan=False), st.booleans())
def test_epilogue_parses_back(low: float, high: float, bias: bool) -> None:
    epilogue = Epilogue(bias, not bias, min(low, high), max(low, high))
    assert Epilogue.parse(str(epilogue)) == epilogue


def test_parts_of_tensors() -> None:
    part = replace(RESNET, storage=Storage((3, 70), (0, 200)))
    assert str(part).endswith("_NHWC@3of70-NHWC@0of200_OIHW")
    stored = (part.storage, Storage(out_part=(0, 200)), Storage(data_part=(3, 70)))
    for workload in (replace(RESNET, storage=each) for each in stored):
        assert Conv2dWorkload.parse(str(workload)) == workload != RESNET
        assert workload.of_whole_tensors() == RESNET
    assert part.stored_input_shape == (1, 56, 56, 70) and part.input_shape == RESNET.input_shape
    assert part.stored_output_shape == (1, 28, 28, 200) and part.output_shape == RESNET.output_shape
    assert part.in_layouts("NCHW", "NHWC") == replace(
        RESNET, data_layout="NCHW", out_layout="NHWC", storage=Storage(out_part=(0, 200))
    )


def test_shapes_and_flops() -> None:
    assert RESNET.output_shape == (1, 28, 28, 128)
    assert RESNET.filter_shape == (128, 64, 3, 3)
    assert RESNET.flops == 2 * 28 * 28 * 128 * 64 * 9
    assert str(RESNET) == "n1_ih56iw56_ic64_oc128_k3x3_s2x2_p1x1x1x1_d1x1_g1_float32_NHWC_OIHW"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"batch": 0}, "batch must be at least 1"),
        ({"height": -1}, "height must be at least 1"),
        ({"kernel": 3}, "kernel must have 2 numbers, got 3"),
        ({"kernel": (3,)}, "kernel must have 2 numbers"),
        ({"kernel": (0, 3)}, "kernel must be at least 1"),
        ({"padding": (1, 1)}, "padding must have 4 numbers"),
        ({"padding": (0, 0, -1, 0)}, "padding must not be negative"),
        ({"groups": 3}, "in_channels 64 is not a multiple of groups 3"),
        ({"kernel": (70, 3)}, "does not fit the padded input 58 x 58"),
        ({"batch": 2**20}, "the input .* has more than 2147483647 elements"),
        ({"dtype": "float64"}, "dtype 'float64' is not one of"),
        ({"storage": Storage((1, 64))}, "64 channels from 1 on are not a part of 64"),
        ({"storage": Storage(None, (-1, 256))}, "128 channels from -1 on are not a part of 256"),
        ({"storage": Storage((0, 99)), "data_layout": "NCHW"}, "only floats in NHWC"),
        ({"storage": Storage(None, (0, 128)), "epilogue": Epilogue(residual=True)}, "takes no residual"),
        ({"data_layout": "NCWH"}, "data_layout 'NCWH' is not one of"),
        ({"data_layout": None}, "data_layout 'None' is not one of"),
        ({"height": 8.5}, "height must be an integer, got 8.5"),
        ({"batch": "1"}, "batch must be an integer, got '1'"),
        ({"kernel": (3.7, 3)}, "kernel must be an integer, got 3.7"),
    ],
)
def test_invalid_workloads_say_what_is_wrong(change: dict, message: str) -> None:
    with pytest.raises(WorkloadError, match=message):
        replace(RESNET, **change)


def test_integers_and_types_of_numpy_are_those_of_python() -> None:
    extents = {"batch": np.int32(1), "groups": np.uint8(1), "kernel": np.array([3, 3])}
    workload = replace(RESNET, **extents, dtype=np.dtype("float32"))
    assert workload == RESNET and type(workload.batch) is type(workload.kernel[0]) is int
    assert type(workload.dtype) is str
    types = QuantizedTypes("uint8", np.uint8(3), out_zero=np.uint8(5))
    assert [type(zero) for zero in (types.data_zero, types.out_zero)] == [int, int]
    assert types.stored(Epilogue(), 8).steps == QuantizedTypes("uint8", 3, 5).stored(Epilogue(), 8).steps
    with pytest.raises(WorkloadError, match=r"data_zero must be an integer, got 3\.5"):
        QuantizedTypes("uint8", 3.5)  # type: ignore[arg-type]
    with pytest.raises(WorkloadError, match="largest_weight is from 1 to 128, got 1000"):
        QuantizedTypes(largest_weight=1000)


@pytest.mark.parametrize("text", ["", "n1", "resnet50", str(RESNET) + "_swish", str(RESNET)[:-3]])
def test_malformed_descriptors_are_refused(text: str) -> None:
    with pytest.raises(WorkloadError):
        Conv2dWorkload.parse(text)


def test_empty_clip_range_is_refused() -> None:
    with pytest.raises(WorkloadError, match="empty"):
        Epilogue(low=1.0, high=0.0)
    with pytest.raises(WorkloadError, match="empty"):
        Epilogue(low=math.nan)
