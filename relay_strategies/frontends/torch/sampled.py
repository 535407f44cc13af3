"""Volumes read at the places of a grid, written as lookups; maps have an operator of their own."""

from __future__ import annotations

import itertools

import torch
from torch import Tensor

NEAREST = 1
ZEROS, REFLECTION = 0, 2
"""PyTorch's numbers of ways to interpolate, and of what is read outside: others are linear, and borders."""


def grid_sample_3d(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """Return a volume [N, C, D, H, W] at the places [N, d, h, w, 3] of a grid, whose last axis has x, y and z
    from -1 to 1, as [N, C, d, h, w]."""
    batch, channels, *sizes = input.shape
    along = [
        _inside(_place(grid[..., 2 - axis], size, align_corners), size, padding_mode, align_corners)
        for axis, size in enumerate(sizes)
    ]
    data = input.reshape(batch, channels, -1)
    if interpolation_mode == NEAREST:
        return _read(data, [place.round() for place in along], sizes)
    lows = [place.floor() for place in along]
    result = torch.zeros((), dtype=input.dtype)
    for corner in itertools.product((0, 1), repeat=3):
        weight = torch.ones((), dtype=input.dtype)
        for place, low, high in zip(along, lows, corner, strict=True):
            weight = weight * (place - low if high else 1 - (place - low))
        read = _read(data, [low + high for low, high in zip(lows, corner, strict=True)], sizes)
        result = result + read * weight.unsqueeze(1)
    return result


def _read(data: Tensor, places: list[Tensor], sizes: list[int]) -> Tensor:
    """Return the elements at whole places; 0 outside."""
    there, index = torch.ones((), dtype=torch.bool), torch.zeros((), dtype=torch.int64)
    for place, size in zip(places, sizes, strict=True):
        there = there & (place >= 0) & (place <= size - 1)
        index = index * size + place.clamp(0, size - 1).to(torch.int64)
    batch, channels, _ = data.shape
    flat = index.reshape(batch, 1, -1).expand(batch, channels, index[0].numel())
    read = data.gather(2, flat).reshape(batch, channels, *index.shape[1:])
    return torch.where(there.unsqueeze(1), read, 0)


def _place(coordinate: Tensor, size: int, align_corners: bool) -> Tensor:
    """Return where a coordinate from -1 to 1 is, in elements: between the middles of the outermost, or their
    edges."""
    return (coordinate + 1) / 2 * (size - 1) if align_corners else ((coordinate + 1) * size - 1) / 2


def _inside(place: Tensor, size: int, padding_mode: int, align_corners: bool) -> Tensor:
    if padding_mode == ZEROS:
        return place
    if padding_mode == REFLECTION:
        low, span = (0.0, size - 1) if align_corners else (-0.5, size)
        if not span:
            return torch.zeros_like(place)
        distance = (place - low).abs()
        turns = (distance / span).floor()
        rest = distance - turns * span
        place = torch.where(turns % 2 == 0, rest, span - rest) + low
    return place.clamp(0, size - 1)
