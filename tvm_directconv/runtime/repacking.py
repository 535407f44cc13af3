"""Filters packed in other blocks of channels, for an instruction set whose own are not in a library.

Packed filters are [blocks, KH, KW, IC, nr], or [blocks, KH, KW, steps, nr, group] where kernels multiply
groups of input channels at once, zero beyond the channels that there are.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

RANKS = (5, 6)
"""The ranks of packed filters."""


def repacked(packed: np.ndarray, shape: Sequence[int]) -> np.ndarray:
    """Return a packed filter in another such shape; channels that only one of the shapes has are zero."""
    group, items = _grouped(packed.shape)[-1], packed.itemsize * _grouped(packed.shape)[-1]
    if group == _grouped(shape)[-1] > 1 and items in (2, 4, 8):  # groups stay together
        whole = packed.view(f"u{items}").reshape(packed.shape[:-1])
        return repacked(whole, shape[:-1]).view(packed.dtype).reshape(shape)
    blocks, rows, columns, steps, width, group = _grouped(packed.shape)
    channels = packed.reshape(blocks, rows, columns, steps, width, group).transpose(1, 2, 0, 4, 3, 5)
    plain = channels.reshape(rows, columns, blocks * width, steps * group)
    new_blocks, _, _, new_steps, new_width, new_group = _grouped(shape)
    padded = np.zeros((rows, columns, new_blocks * new_width, new_steps * new_group), packed.dtype)
    outputs, inputs = (min(a, b) for a, b in zip(plain.shape[2:], padded.shape[2:], strict=True))
    padded[:, :, :outputs, :inputs] = plain[:, :, :outputs, :inputs]
    split = padded.reshape(rows, columns, new_blocks, new_width, new_steps, new_group)
    return np.ascontiguousarray(split.transpose(2, 0, 1, 4, 3, 5)).reshape(shape)


def may_be_repacked(shape: Sequence[int], other: Sequence[int]) -> bool:
    """Return whether two shapes of packed filters may be of one filter."""
    if len(shape) not in RANKS or len(other) not in RANKS:
        return False
    one, two = _grouped(shape), _grouped(other)
    # Each is padded by less than a block of outputs, and a group of inputs.
    outputs = abs(one[0] * one[4] - two[0] * two[4]) < max(one[4], two[4])
    inputs = abs(one[3] * one[5] - two[3] * two[5]) < max(one[5], two[5])
    return one[1:3] == two[1:3] and outputs and inputs


def _grouped(shape: Sequence[int]) -> tuple[int, ...]:
    """A shape of a packed filter with its group."""
    return (*shape, 1) if len(shape) == min(RANKS) else tuple(shape)
