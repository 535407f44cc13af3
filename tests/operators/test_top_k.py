"""Places of the largest few: against a stable sort, ties, zeros and infinities among the numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from operator_support import draw, isas, run
from support import runnable_target

from tvm_directconv.operators.top_k import pays, top_k


def check(isa: str, data: np.ndarray, axis: int, count: int, largest: bool) -> None:
    target, what = runnable_target(isa), (data.shape, axis, count, largest)
    shape = (*data.shape[:axis], count, *data.shape[axis + 1 :])
    got = run(top_k(data.shape, axis, count, largest, target), [data], shape, target, what, "int64")
    order = np.argsort(-data if largest else data, axis, kind="stable")
    np.testing.assert_array_equal(got, np.take(order, range(count), axis), str(what))


@isas
@settings(max_examples=8)
@given(
    length=st.sampled_from([4, 17, 64, 67, 300, 1001]),
    count=st.sampled_from([1, 2, 3, 7, 50]),
    axis=st.sampled_from([0, 1, 2]),
    largest=st.booleans(),
    levels=st.sampled_from([3.0, 1e6]),
)
def test_places_are_those_of_a_stable_sort(
    isa: str, length: int, count: int, axis: int, largest: bool, levels: float
) -> None:
    shape = [2, 3, 2]
    shape[axis] = length
    data = np.round(draw(*shape, seed=length) * levels).astype(np.float32)  # few levels: ties
    check(isa, data, axis, min(count, length), largest)


@pytest.mark.parametrize("largest", [True, False])
def test_zeros_are_equal_and_infinities_are_numbers(largest: bool) -> None:
    data = draw(1, 90)
    data[0, 3:40:2] = [0.0, -0.0, *([0.0] * 15), np.inf, -np.inf]
    check("portable", data, 1, 60, largest)


def test_few_of_many_are_found_by_a_heap() -> None:
    assert pays(8400, 300) and pays(4, 1)
    assert not pays(8400, 3000) and not pays(100_000, 2000) and not pays(10, 0)
