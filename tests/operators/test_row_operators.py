"""Normalization of rows, reductions along axes, and softmax along any: kernels against float64."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from operator_support import draw, isas, run
from support import assert_matches, runnable_target

from tvm_directconv.errors import WorkloadError
from tvm_directconv.operators.axis_reductions import (
    accumulate_along,
    first_place,
    reduce_axes,
)
from tvm_directconv.operators.normalization import (
    GroupNormalization,
    RowNormalization,
    l2_norm,
    normalize_groups,
    normalize_rows,
)
from tvm_directconv.operators.softmax import softmax

LENGTHS = st.sampled_from([1, 2, 3, 7, 8, 9, 16, 31, 33, 64, 100, 131])
PARAMETERS = st.sampled_from([(), ("scale",), ("shift",), ("scale", "shift")])


def normalized(what: RowNormalization, data: np.ndarray, parameters: dict[str, np.ndarray]) -> np.ndarray:
    """The definition in float64."""
    rows = data.reshape(what.rows, what.row).astype(np.float64)
    distances = rows - rows.mean(1, keepdims=True) if what.centered else rows
    squares = distances**2
    spread = np.sqrt(squares.mean(1, keepdims=True) + what.epsilon)
    wide = {name: values.reshape(-1) for name, values in parameters.items()}
    if what.channels:
        run_length = what.row // what.channels
        wide = {
            name: np.tile(values.repeat(run_length).reshape(what.groups, -1), (what.rows // what.groups, 1))
            for name, values in wide.items()
        }
    return (distances / spread * wide.get("scale", 1) + wide.get("shift", 0)).reshape(data.shape)


def check(isa: str, what: RowNormalization, offset: float = 0.0) -> None:
    target = runnable_target(isa)
    data = draw(*what.shape, scale=3) + np.float32(offset)
    parameters = {name: draw(*shape, seed=7) for name, shape in what.parameters.items()}
    got = run(normalize_rows(what, target), [data, *parameters.values()], what.shape, target, what)
    assert_matches(got, normalized(what, data, parameters), what, tolerance=1e-5 * max(1.0, offset))


@isas
@settings(max_examples=6)
@given(length=LENGTHS, parameters=PARAMETERS, centered=st.booleans())
def test_rows(isa: str, length: int, parameters: tuple[str, ...], centered: bool) -> None:
    given = dict.fromkeys(parameters, (length,))
    check(isa, RowNormalization((3, 5, length), length, 1e-5, **given, centered=centered))


@isas
@pytest.mark.parametrize(
    "what",
    [
        RowNormalization((2, 3, 4, 5), 20, 1e-5, (4, 5), (4, 5)),
        RowNormalization((2, 6, 7, 5), 105, 1e-5, (6,), (6,), channels=3, groups=2),
        RowNormalization((2, 6, 3, 3), 9, 1e-5, (6,), None, channels=1, groups=6),
    ],
    ids=["two axes", "groups", "instances"],
)
def test_kinds(isa: str, what: RowNormalization) -> None:
    check(isa, what)


@isas
@pytest.mark.parametrize(
    "what",
    [
        GroupNormalization((2, 5, 31, 12), 3, 1e-5),
        GroupNormalization((1, 4, 4, 37), 37, 1e-5, shifted=False),
        GroupNormalization((3, 7, 40), 1, 1e-5, scaled=False, shifted=False),
    ],
    ids=["groups", "instances", "all"],
)
def test_groups_of_channels_last(isa: str, what: GroupNormalization) -> None:
    target, data = runnable_target(isa), draw(*what.shape, scale=3) + np.float32(2)
    scale, shift = draw(what.channels, seed=1), draw(what.channels, seed=2)
    groups = data.reshape(what.shape[0], what.pixels, what.groups, -1).astype(np.float64)
    distances = groups - groups.mean((1, 3), keepdims=True)
    want = distances / np.sqrt((distances**2).mean((1, 3), keepdims=True) + what.epsilon)
    want = want.reshape(what.shape) * (scale if what.scaled else 1) + (shift if what.shifted else 0)
    inputs = [data, *([scale] if what.scaled else []), *([shift] if what.shifted else [])]
    assert_matches(run(normalize_groups(what, target), inputs, what.shape, target, what), want, what)


def test_rows_far_from_zero_do_not_cancel() -> None:
    check("portable", RowNormalization((4, 96), 96, 1e-6), offset=1000.0)


def test_special_rows() -> None:
    """A row of zeros stays one where its length is limited; a NaN stays in its row."""
    target = runnable_target("portable")
    data = draw(3, 9)
    data[0] = 0
    data[1, 4] = math.nan
    got = run(l2_norm((3, 9), 1, 1e-12, target), [data], (3, 9), target, "rows")
    assert (got[0] == 0).all() and np.isnan(got[1]).all() and np.isfinite(got[2]).all()


@pytest.mark.parametrize(
    "arguments",
    [((2, 6), 5, 1e-5), ((2, 6), 0, 1e-5), ((2, 6), 6, -1.0), ((2, 6), 6, 1e-5, (5,))],
)
def test_rows_that_do_not_fit_are_refused(arguments: tuple) -> None:
    with pytest.raises(WorkloadError):
        RowNormalization(*arguments)


REDUCTIONS = {"sum": np.sum, "mean": np.mean, "max": np.max, "min": np.min}
SHAPES = [
    ((37,), (0, 1)),
    ((3, 5, 21), (2, 3)),
    ((3, 5, 21), (1, 3)),
    ((3, 19, 21), (1, 2)),
    ((4, 2, 3, 7), (1, 3)),
]


@isas
@pytest.mark.parametrize("kind", REDUCTIONS)
def test_reductions(isa: str, kind: str) -> None:
    target = runnable_target(isa)
    for shape, (first, last) in SHAPES:
        axes, data = tuple(range(first, last)), draw(*shape)
        kept = tuple(1 if axis in axes else extent for axis, extent in enumerate(shape))
        got = run(reduce_axes(shape, (first, last), kept, kind, target), [data], kept, target, shape)
        assert_matches(
            got, REDUCTIONS[kind](data.astype(np.float64), axis=axes, keepdims=True), (kind, shape)
        )


def test_a_reduction_to_one_number() -> None:
    target, data = runnable_target("portable"), draw(3, 11)
    for kind, reduction in REDUCTIONS.items():
        got = run(reduce_axes((3, 11), (0, 2), (), kind, target), [data], (), target, kind)
        assert_matches(got, reduction(data.astype(np.float64), axis=None, keepdims=False), kind)


def test_extremes_of_not_a_number_and_infinities() -> None:
    target, data = runnable_target("portable"), np.full((3, 11), -math.inf, np.float32)
    data[0, 10], data[1, :10] = math.nan, math.inf
    for kind, want in (("max", [math.nan, math.inf, -math.inf]), ("min", [math.nan, -math.inf, -math.inf])):
        got = run(reduce_axes((3, 11), (1, 2), (3,), kind, target), [data], (3,), target, kind)
        np.testing.assert_array_equal(got, want)


@isas
@pytest.mark.parametrize(
    ("shape", "axis"), [((2, 9, 5), 1), ((13, 21), 0), ((2, 3, 4, 41), 1), ((1, 7, 1, 3), 1), ((2, 6, 13), 2)]
)
def test_softmax_and_l2_norm_along_an_axis(isa: str, shape: tuple[int, ...], axis: int) -> None:
    target, data = runnable_target(isa), draw(*shape, scale=20)
    exponentials = np.exp(data.astype(np.float64) - data.max(axis, keepdims=True))
    got = run(softmax(shape, target, axis=axis), [data], shape, target, shape)
    assert_matches(got, exponentials / exponentials.sum(axis, keepdims=True), shape)
    norm = np.sqrt((data.astype(np.float64) ** 2).sum(axis, keepdims=True))
    got = run(l2_norm(shape, axis, 30.0, target), [data], shape, target, shape)
    assert_matches(got, data / np.maximum(norm, 30.0), shape)


@isas
@pytest.mark.parametrize(("shape", "axis"), [((2, 9, 5), 1), ((13, 21), 0), ((1, 7, 1, 35), 1)])
@pytest.mark.parametrize("exclusive", [False, True])
def test_running_sums_and_products(isa: str, shape: tuple[int, ...], axis: int, exclusive: bool) -> None:
    target, data = runnable_target(isa), draw(*shape)
    for kind, function, first in (("cumsum", np.cumsum, 0.0), ("cumprod", np.cumprod, 1.0)):
        wanted = function(data.astype(np.float64), axis=axis)
        if exclusive:
            before = np.delete(wanted, -1, axis)
            wanted = np.insert(before, 0, first, axis)
        got = run(accumulate_along(shape, axis, kind, exclusive, target), [data], shape, target, shape)
        assert_matches(got, wanted, shape)


@isas
@settings(max_examples=8)
@given(data=st.data(), length=LENGTHS, inner=st.sampled_from([1, 1, 3, 16, 37]), largest=st.booleans())
def test_first_places(isa: str, data: st.DataObject, length: int, inner: int, largest: bool) -> None:
    """Of extremes that are there several times the first, and NaN before all of them."""
    target, shape, result = runnable_target(isa), (5, length, inner), (5, 1, inner)
    values = np.round(draw(*shape, scale=2)).astype(np.float32)
    values[1, data.draw(st.integers(0, length - 1))] = math.nan
    values[2] = -math.inf if largest else math.inf
    got = run(first_place(shape, 1, result, largest, target), [values], result, target, shape, "int64")
    want = (np.argmax if largest else np.argmin)(values, axis=1, keepdims=True)
    assert np.array_equal(got, want), (shape, largest)
