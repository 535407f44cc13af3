"""Maps sampled at points, on and beyond them, against the definition in float64."""

from __future__ import annotations

import math

import numpy as np
import pytest
from operator_support import isas, run
from support import runnable_target

from tvm_directconv.errors import WorkloadError
from tvm_directconv.operators.sampling import PADDINGS, grid_sample

CASES = {
    "several images": ((2, 3, 7, 9), (5, 11)),
    "one element": ((1, 1, 1, 1), (1, 1)),
    "one column": ((3, 5, 6, 1), (1, 7)),
    "one row": ((1, 2, 1, 8), (13, 1)),
    "attention": ((2, 8, 10, 10), (30, 4)),
}


def by_definition(data: np.ndarray, grid: np.ndarray, padding: str, align_corners: bool) -> np.ndarray:
    batch, channels, height, width = data.shape
    result = np.zeros((batch, channels, *grid.shape[2:]))
    for image, row, column in np.ndindex(batch, *grid.shape[2:]):
        place = []
        for position, size in zip(
            grid[image, ::-1, row, column].astype(np.float64), (height, width), strict=True
        ):
            exact = (position + 1) / 2 * (size - 1) if align_corners else ((position + 1) * size - 1) / 2
            place.append(min(max(exact, 0), size - 1) if padding == "border" else exact)
        upper, left = (math.floor(exact) for exact in place)
        for y, x in ((upper, left), (upper, left + 1), (upper + 1, left), (upper + 1, left + 1)):
            if 0 <= y < height and 0 <= x < width:
                share = (1 - abs(place[0] - y)) * (1 - abs(place[1] - x))
                result[image, :, row, column] += share * data[image, :, y, x]
    return result


@isas
@pytest.mark.parametrize("align_corners", [False, True])
@pytest.mark.parametrize("padding", PADDINGS)
def test_bilinear(isa: str, padding: str, align_corners: bool) -> None:
    rng, target = np.random.default_rng(3), runnable_target(isa)
    for name, (shape, points) in CASES.items():
        data = rng.standard_normal(shape).astype(np.float32)
        grid = rng.uniform(-1.4, 1.4, (shape[0], 2, *points)).astype(np.float32)
        far = np.array([-1, 1, 50, -1e30], np.float32)[: grid.size]
        grid.flat[: far.size] = far
        kernel = grid_sample(shape, points, padding, align_corners, target)
        result = run(kernel, [data, grid], (*shape[:2], *points), target, name)
        np.testing.assert_allclose(
            result, by_definition(data, grid, padding, align_corners), rtol=1e-5, atol=1e-5, err_msg=name
        )


def test_what_is_no_number_is_beyond_the_map() -> None:
    target = runnable_target("portable")
    grid = np.full((1, 2, 1, 9), np.nan, np.float32)
    data = np.ones((1, 2, 4, 4), np.float32)
    kernel = grid_sample(data.shape, (1, 9), "zeros", False, target)
    assert not run(kernel, [data, grid], (1, 2, 1, 9), target, "NaN").any()


@pytest.mark.parametrize("value", [np.inf, np.nan])
def test_nothing_is_taken_of_elements_beyond_the_map(value: float) -> None:
    """The nearest one is read in their place, and of it nothing comes to the result."""
    target = runnable_target("portable")
    data, grid = np.full((1, 1, 2, 2), value, np.float32), np.full((1, 2, 1, 9), 5, np.float32)
    kernel = grid_sample(data.shape, (1, 9), "zeros", True, target)
    assert not run(kernel, [data, grid], (1, 1, 1, 9), target, "far").any()


def test_other_paddings_are_refused() -> None:
    with pytest.raises(WorkloadError, match="zeros or border, not reflection"):
        grid_sample((1, 1, 2, 2), (1, 1), "reflection", False, runnable_target("portable"))
