"""A convolution by its definition, written with numpy alone, so that no kernel is its own judge; and operands
in small integers, whose output no order of sums can round."""

from __future__ import annotations

import numpy as np

from tvm_directconv.problem.element_types import ROUNDOFF, numpy_type, rounded
from tvm_directconv.problem.workload import Conv2dWorkload

MOST = 4
"""Operands are at most that large: sums of up to a million products are exact in float32, in any order."""


def drawn_operands(workload: Conv2dWorkload) -> tuple[np.ndarray, np.ndarray]:
    """Return data and filter of integers, in the workload's layouts and type."""
    rng = np.random.default_rng(0)
    shapes = workload.input_shape, workload.filter_shape
    data, weights = (rng.integers(-MOST, MOST + 1, shape).astype(np.float32) for shape in shapes)
    return rounded(data, workload.dtype), rounded(weights, workload.dtype)


def reference_convolution(
    workload: Conv2dWorkload, data: np.ndarray, weights: np.ndarray, dtype: type[np.floating] = np.float64
) -> np.ndarray:
    """Convolve by definition, tap by tap: NHWC data and OIHW weights to an NHWC result of that type."""
    w = workload
    top, left, bottom, right = w.padding
    padded = np.pad(data.astype(dtype), ((0, 0), (top, bottom), (left, right), (0, 0)))
    groups, group_in, group_out = w.groups, w.in_channels // w.groups, w.out_channels // w.groups
    pixels = w.batch * w.out_height * w.out_width
    taps = weights.astype(dtype).reshape(groups, group_out, group_in, *w.kernel)
    output = np.zeros((groups, pixels, group_out), dtype)
    for row in range(w.kernel[0]):
        for column in range(w.kernel[1]):
            rows = slice(row * w.dilation[0], None, w.strides[0])
            columns = slice(column * w.dilation[1], None, w.strides[1])
            window = padded[:, rows, columns][:, : w.out_height, : w.out_width]
            by_group = np.moveaxis(window.reshape(pixels, groups, group_in), 1, 0)
            output += np.ascontiguousarray(by_group) @ taps[..., row, column].transpose(0, 2, 1)
    return np.moveaxis(output, 0, 1).reshape(w.batch, w.out_height, w.out_width, w.out_channels)


def wrong_share(got: np.ndarray, want: np.ndarray, dtype: str) -> float:
    """Return the share of elements that are not ``want`` rounded to their type; NaN is wrong."""
    expected = want.astype(numpy_type(dtype)).astype(np.float32)
    right = np.abs(got.astype(np.float32) - expected) <= 2 * ROUNDOFF[dtype] * np.abs(expected)
    return 1.0 - float(right.mean())
