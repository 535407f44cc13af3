"""Activations between NHWC and the layouts that contestants take, in numpy."""

from __future__ import annotations

import numpy as np

from tvm_directconv.problem.workload import channel_block


def to_layout(nhwc: np.ndarray, layout: str) -> np.ndarray:
    """Return an NHWC array in another layout; lanes of a blocked one beyond the channels become zero."""
    block = channel_block(layout)
    if not block:
        return nhwc if layout == "NHWC" else np.ascontiguousarray(nhwc.transpose(0, 3, 1, 2))
    batch, height, width, channels = nhwc.shape
    padded = np.pad(nhwc, ((0, 0), (0, 0), (0, 0), (0, -channels % block)))
    return np.ascontiguousarray(padded.reshape(batch, height, width, -1, block).transpose(0, 3, 1, 2, 4))


def from_layout(array: np.ndarray, layout: str, channels: int) -> np.ndarray:
    """Return an array of that many channels in NHWC: the inverse of ``to_layout``."""
    if not channel_block(layout):
        return array if layout == "NHWC" else array.transpose(0, 2, 3, 1)
    batch, _, height, width, _ = array.shape
    return array.transpose(0, 2, 3, 1, 4).reshape(batch, height, width, -1)[..., :channels]
