"""Filters packed in other blocks of channels, for an instruction set whose own are not in a library.

Packed filters are [blocks, KH, KW, IC, nr], or [blocks, KH, KW, steps, nr, group] where kernels multiply
groups of input channels at once, zero beyond the channels that there are. Those of bytes may have masks,
[blocks, KH, KW, steps, 2 * nr, group]: behind the weights of a step as many bytes that their activations are
xored with (docs/quantization.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

RANKS = (5, 6)
"""The ranks of packed filters."""
LARGEST_SUM = 128
"""Two weights of one sign are at most this together, for 255 times their sum to fit 16 bits."""
COMPLEMENT = 255
"""The mask of an activation whose weight is multiplied as its negative."""


class Masks(NamedTuple):
    """The masks of a filter of bytes: what all of the filter's ``outputs`` and ``inputs``, its channels, have
    beside complements, 128 where activations are signed and else 0."""

    moved: int
    outputs: int
    inputs: int


def exceed(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return which pairs of int8 weights, times unsigned bytes, may not fit 16 bits together: unless they are
    of different signs, or at most ``LARGEST_SUM``."""
    wide, others = one.astype(np.int16), other.astype(np.int16)
    return (wide * others > 0) & (abs(wide + others) > LARGEST_SUM)


def remade(
    packed: np.ndarray, shape: Sequence[int], source: Masks | None = None, wanted: Masks | None = None
) -> np.ndarray:
    """Return a packed filter, which has the masks ``source`` if any, in another such shape, with the masks
    ``wanted`` if any; channels that only one of the shapes has are zero."""
    plain = packed if source is None else unmasked(packed, source)
    return repacked(plain, shape) if wanted is None else _masked(repacked(plain, halved(shape)), wanted)


def masks_of(packed: np.ndarray) -> Masks | None:
    """Return the masks that a packed filter has as it seems: None for one that cannot have any."""
    if not may_have_masks(packed.shape, packed.itemsize):
        return None
    _, masks = _halves(packed)
    for moved in (0, COMPLEMENT // 2 + 1):
        if np.isin(masks, (0, moved, COMPLEMENT ^ moved)).all():
            places = np.nonzero(masks) if moved else ((np.zeros(1, int),) * 6)
            outputs, inputs = (int(each.max(initial=0)) + 1 for each in _channels(places, masks.shape))
            return Masks(moved, outputs, inputs)
    return None


def may_have_masks(shape: Sequence[int], item_bytes: int) -> bool:
    """Return whether a packed filter of this shape may have masks: pairs of weights have to lie together."""
    return len(shape) == max(RANKS) and item_bytes == 1 and not (shape[-2] % 2 or shape[-1] % 2)


def halved(shape: Sequence[int]) -> tuple[int, ...]:
    """Return the shape of the weights of a packed filter that has masks."""
    return (*shape[:-2], shape[-2] // 2, shape[-1])


def unmasked(packed: np.ndarray, masks: Masks) -> np.ndarray:
    """Return the weights of a packed filter that has masks."""
    weights, found = _halves(packed)
    signed = weights.view(np.int8)
    return np.where(found ^ masks.moved == COMPLEMENT, -signed, signed).view(packed.dtype)


def _masked(packed: np.ndarray, masks: Masks) -> np.ndarray:
    weights, flipped = packed.view(np.int8), np.zeros(packed.shape, bool)
    flipped[..., 1::2] = exceed(weights[..., 0::2], weights[..., 1::2])
    xored = (flipped * np.uint8(COMPLEMENT)) ^ np.uint8(masks.moved)
    if masks.moved:
        outputs, inputs = _channels(np.indices(packed.shape, np.int32, sparse=True), packed.shape)
        xored = np.where((outputs < masks.outputs) & (inputs < masks.inputs), xored, np.uint8(0))
    parts = np.where(flipped, -weights, weights).view(packed.dtype), xored.view(packed.dtype)
    return np.concatenate(parts, axis=-2)


def _halves(packed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The weights of a packed filter, and what may be their masks."""
    weights, masks = np.split(packed, 2, axis=-2)
    return weights, masks.view(np.uint8)


def _channels(places: Sequence[np.ndarray], shape: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """The output and the input channels of places in a packed filter."""
    blocks, _, _, steps, lanes, members = places
    return blocks * shape[4] + lanes, steps * shape[5] + members


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
