"""A layer's operands in small integers, and its output, which no order of sums can round."""

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


def reference_output(w: Conv2dWorkload, data: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the convolution of such operands in NHWC and OIHW as its definition has it, tap by tap."""
    top, left, bottom, right = w.padding
    padded = np.pad(data.astype(np.float32), ((0, 0), (top, bottom), (left, right), (0, 0)))
    group_in, group_out = w.in_channels // w.groups, w.out_channels // w.groups
    grouped = padded.reshape(*padded.shape[:3], w.groups, 1, group_in)
    # (groups, group_in, group_out) of each tap: one product of matrices for each group
    filters = weights.astype(np.float32).reshape(w.groups, group_out, group_in, *w.kernel)
    output = np.zeros((w.batch, w.out_height, w.out_width, w.groups, 1, group_out), np.float32)
    for kh in range(w.kernel[0]):
        for kw in range(w.kernel[1]):
            y, x = kh * w.dilation[0], kw * w.dilation[1]
            rows = slice(y, y + (w.out_height - 1) * w.strides[0] + 1, w.strides[0])
            columns = slice(x, x + (w.out_width - 1) * w.strides[1] + 1, w.strides[1])
            taps = filters[..., kh, kw].transpose(0, 2, 1)
            if w.groups == 1:  # one large product in place of one for each window
                output[:, :, :, 0, 0] += padded[:, rows, columns] @ taps[0]
            else:
                output += grouped[:, rows, columns] @ taps
    return output.reshape(w.output_shape)


def wrong_share(got: np.ndarray, want: np.ndarray, dtype: str) -> float:
    """Return the share of elements that are not ``want`` rounded to their type; NaN is wrong."""
    expected = want.astype(numpy_type(dtype)).astype(np.float32)
    right = np.abs(got.astype(np.float32) - expected) <= 2 * ROUNDOFF[dtype] * np.abs(expected)
    return 1.0 - float(right.mean())
