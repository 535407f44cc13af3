"""Activations between NHWC and other layouts, in numpy."""

from __future__ import annotations

import numpy as np

from tvm_directconv.problem.workload import channel_block


def to_layout(nhwc: np.ndarray, layout: str) -> np.ndarray:
    """An NHWC array in another layout; lanes beyond the channels are NaN, so that reading one is seen."""
    block = channel_block(layout)
    if layout == "NHWC":
        return nhwc
    if layout == "NCHW":
        return np.ascontiguousarray(nhwc.transpose(0, 3, 1, 2))
    n, h, w, channels = nhwc.shape
    padded = np.full((n, h, w, -(-channels // block) * block), np.nan, nhwc.dtype)
    padded[..., :channels] = nhwc
    return np.ascontiguousarray(padded.reshape(n, h, w, -1, block).transpose(0, 3, 1, 2, 4))


def from_layout(array: np.ndarray, layout: str, channels: int) -> np.ndarray:
    """The inverse of ``to_layout``, for an array of that many channels."""
    if layout == "NHWC":
        return array
    if layout == "NCHW":
        return array.transpose(0, 2, 3, 1)
    n, _, h, w, _ = array.shape
    return array.transpose(0, 2, 3, 1, 4).reshape(n, h, w, -1)[..., :channels]
