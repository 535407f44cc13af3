"""How full a matrix unit's tiles are: the multiplications that strips issue, beside those that they need.

A tile of the input is multiplied whole if any of its pixels visits a tap. What is empty are its rows behind
the last pixel and those of pixels whose tap lies outside the image, the channels left over from 64 bytes, and
the columns behind the last output channel.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from tvm_directconv.model.tiling import channel_blocks
from tvm_directconv.problem.taps import Axis

from .geometry import StripGeometry, taps_inside

TILE_BYTES = 64
"""A row of a tile of the input has so many bytes of channels."""


@dataclass(frozen=True)
class TileProducts:
    """Multiplications of tiles: those ``issued``, and how many full ones it takes (``needed``)."""

    issued: int
    needed: float

    @property
    def full(self) -> float:
        """The share of the tiles' elements that count."""
        return self.needed / self.issued


class TileCounts(NamedTuple):
    """Tiles of pixels, counted once for each tap that any of their pixels visits: all of these, and those
    that are copied before they are loaded, since not all of their pixels do or lie at equal distances."""

    visited: int
    copied: int


def tile_products(g: StripGeometry) -> TileProducts | None:
    """Return what the strips of a geometry multiply, None where kernels are not of tiles. Where channels
    leave tiles part empty and kernels go on with the next tap's, the number issued is an estimate."""
    w, isa = g.workload, g.isa
    if isa.tile_rows == 1:
        return None
    taps = w.kernel[0] * w.kernel[1]
    needed = w.batch * w.out_height * w.out_width * w.out_channels * g.group_in * taps * taps_inside(w)
    needed *= w.element_bytes / (TILE_BYTES * isa.tile_rows * isa.lanes)
    issued = sum(
        times * -(-channels // isa.lanes) * tile_counts(g, channels).visited
        for channels, times in channel_blocks(g.group_out, g.nr)
    )
    return TileProducts(g.batch * g.groups * issued * tile_steps(g), needed)


def tile_steps(g: StripGeometry) -> int:
    """Return the multiplications for one tap: channels in parts of 64 bytes, and terms of the filter."""
    terms = getattr(g, "terms", 1)
    return terms * -(-g.group_in * g.workload.element_bytes // TILE_BYTES)


def tiles_inside(g: StripGeometry) -> float:
    """Return the share of all taps of all tiles of pixels that any pixel visits: what kernels of tiles skip
    are the others alone."""
    channels = min(g.nr, g.group_out)
    tiles = sum(len(_starts(g, pixels, channels)) for pixels in _runs(g))
    return tile_counts(g, channels).visited / (g.workload.kernel[0] * g.workload.kernel[1] * tiles)


@lru_cache(maxsize=4096)
def tile_counts(g: StripGeometry, channels: int) -> TileCounts:
    """Return the tiles of pixels of an image, for a block of so many channels."""
    rows, columns = Axis.of(g.workload, 0), Axis.of(g.workload, 1)
    if g.tile.bordered:
        of_runs = [len(_starts(g, pixels, channels)) for pixels in _runs(g)]
        return TileCounts(rows.taps * columns.taps * sum(of_runs), 0)
    if g.flattened:
        counts = [_counts(g, channels, np.ones((1, pixels), bool)) for pixels in _runs(g)]
    elif g.across:
        counts = []
        for first in range(0, g.rows, g.tile.rows):
            of_rows = _visits(rows, range(first, min(first + g.tile.rows, g.rows)))
            both = of_rows[:, None, :, None] & _visits(columns, range(g.strip))[None, :, None, :]
            counts.append(_counts(g, channels, both.reshape(rows.taps * columns.taps, -1)))
    else:
        of_row = _counts(g, channels, _visits(columns, range(g.strip)))
        visits = int(_visits(rows, range(g.rows)).sum())
        counts = [TileCounts(of_row.visited * visits, of_row.copied * visits)]
    return TileCounts(*map(sum, zip(*counts, strict=True)))


def _visits(axis: Axis, positions: range) -> np.ndarray:
    """Whether a tap (row) is inside the image at a position (column)."""
    ranges = np.array([axis.taps_at(position) for position in positions])
    taps = np.arange(axis.taps)[:, None]
    visits: np.ndarray = (taps >= ranges[:, 0]) & (taps < ranges[:, 1])
    return visits


def _counts(g: StripGeometry, channels: int, visits: np.ndarray) -> TileCounts:
    """Count the tiles of a run of pixels (columns of ``visits``), over all taps (its rows)."""
    starts = _starts(g, visits.shape[1], channels)
    sizes = np.diff([*starts, visits.shape[1]])
    inside = np.add.reduceat(visits.astype(int), starts, axis=1)
    in_place = (inside == sizes) & (sizes == g.isa.tile_rows)
    if g.across and g.row_jump:
        in_place &= np.array(starts) // g.strip == (np.array(starts) + sizes - 1) // g.strip
    visited = inside > 0
    return TileCounts(int(visited.sum()), int((visited & ~in_place).sum()))


def _starts(g: StripGeometry, pixels: int, channels: int) -> list[int]:
    """The first pixels of the tiles of a run."""
    kernels = g.covered(pixels, channels)
    return [x for tile in kernels for x in range(tile.x, tile.x + g.tile_height(tile), g.isa.tile_rows)]


def _runs(g: StripGeometry) -> list[int]:
    """The lengths of the runs of pixels that tiles cover."""
    pixels = g.pixels if g.flattened else g.rows * g.strip
    return [min(g.run, pixels - start) for start in range(0, pixels, g.run)]
