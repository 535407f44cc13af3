"""Bilinear resizing against its float64 definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from operator_support import CHANNELS, SIZES, draw, isas, run
from support import assert_matches, runnable_target

from tvm_directconv import operators
from tvm_directconv.errors import WorkloadError

COORDINATES = ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric")


def matrix(size: int, result: int, coordinates: str) -> np.ndarray:
    """(result, size): the weights that each position of a result gives those of the data."""
    places = np.arange(result, dtype=float)
    if coordinates == "asymmetric":
        places *= size / result
    elif coordinates == "align_corners":
        places *= (size - 1) / max(1, result - 1)
    elif coordinates == "half_pixel" or result > 1:
        places = (places + 0.5) * size / result - 0.5
    places = np.clip(places, 0, size - 1)
    return np.clip(1 - np.abs(places[:, None] - np.arange(size)), 0, None)


@isas
@settings(max_examples=12)
@given(
    sizes=st.tuples(SIZES, SIZES),
    results=st.tuples(st.integers(1, 30), st.sampled_from([1, 2, 5, 9, 30, 140])),
    batch=st.integers(1, 2),
    channels=CHANNELS,
    coordinates=st.sampled_from(COORDINATES),
    layout=st.sampled_from(["NHWC", "NCHW"]),
)
def test_resize2d(
    isa: str,
    sizes: tuple[int, int],
    results: tuple[int, int],
    batch: int,
    channels: int,
    coordinates: str,
    layout: str,
) -> None:
    target, what = runnable_target(isa), (sizes, results, batch, channels, coordinates, layout)
    data = draw(batch, channels, *sizes)
    rows, columns = (matrix(s, r, coordinates) for s, r in zip(sizes, results, strict=True))
    want = np.einsum("yh,nchw,xw->ncyx", rows, data.astype(np.float64), columns)
    if layout == "NHWC":
        data, want = (np.ascontiguousarray(array.transpose(0, 2, 3, 1)) for array in (data, want))
    func = operators.resize2d(data.shape, want.shape, layout, coordinates, target)
    assert_matches(run(func, [data], want.shape, target, what), want, what)


def test_what_it_does_not_know() -> None:
    target = runnable_target("portable")
    with pytest.raises(WorkloadError, match="no coordinates 'tf_crop_and_resize'"):
        operators.resize2d((1, 2, 2, 1), (1, 4, 4, 1), "NHWC", "tf_crop_and_resize", target)
    with pytest.raises(WorkloadError, match="not CHWN"):
        operators.resize2d((1, 2, 2, 1), (1, 4, 4, 1), "CHWN", "half_pixel", target)
