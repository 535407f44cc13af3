"""How full a matrix unit's tiles are: the multiplications that strips issue, beside those that they need.

A tile of the input is multiplied whole if any of its pixels visits a tap. What is empty are its rows behind
the last pixel and those of pixels whose tap lies outside the image, the channels left over from 64 bytes, and
the columns behind the last output channel.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from intrinsics.isa import Isa
from tvm_directconv.model.tiling import RowTile, channel_blocks
from tvm_directconv.problem.taps import Axis

from .across import taps_of
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
        times * -(-channels // isa.lanes) * _tiles_visited(g, channels)
        for channels, times in channel_blocks(g.group_out, g.nr)
    )
    return TileProducts(g.batch * g.groups * issued * _steps(g), needed)


def _steps(g: StripGeometry) -> int:
    """Multiplications for one tap: channels in parts of 64 bytes, and terms of the filter."""
    terms = getattr(g, "terms", 1)
    return terms * -(-g.group_in * g.workload.element_bytes // TILE_BYTES)


@lru_cache(maxsize=4096)
def tiles_inside(g: StripGeometry) -> float:
    """Return the share of all taps of all tiles of pixels that any pixel visits: what kernels of tiles skip
    are the others alone."""
    taps = g.workload.kernel[0] * g.workload.kernel[1]
    channels = min(g.nr, g.group_out)
    return _tiles_visited(g, channels) / (
        taps * sum(_tiles(g.isa, g.covered(*run)) for run in _runs(g, channels))
    )


@lru_cache(maxsize=4096)
def _tiles_visited(g: StripGeometry, channels: int) -> int:
    """Taps of tiles of pixels, of an image by a block of so many channels, that any pixel visits."""
    if g.flattened:
        return sum(_tiles(g.isa, g.covered(*run)) for run in _runs(g, channels))
    columns = Axis.of(g.workload, 1)
    of_columns = _visits(columns, range(columns.outputs))
    if not g.across:
        row = _tile_taps(g.isa, g.covered(g.strip, channels), of_columns)
        return row * int(_visits(Axis.of(g.workload, 0), range(g.rows)).sum())
    visited = 0
    for first in range(0, g.rows, g.tile.rows):
        of_rows = _visits(Axis.of(g.workload, 0), range(first, first + len(taps_of(g, first))))
        both = of_rows[:, None, :, None] & of_columns[None, :, None, :]
        both = both.reshape(-1, of_rows.shape[1] * g.strip)
        visited += _tile_taps(g.isa, g.covered(both.shape[1], channels), both)
    return visited


def _visits(axis: Axis, positions: range) -> np.ndarray:
    """Whether a tap (row) is inside the image at a position (column)."""
    ranges = np.array([axis.taps_at(position) for position in positions])
    taps = np.arange(axis.taps)[:, None]
    visits: np.ndarray = (taps >= ranges[:, 0]) & (taps < ranges[:, 1])
    return visits


def _tile_taps(isa: Isa, tiles: list[RowTile], visits: np.ndarray) -> int:
    """Of tiles side by side, those that have a pixel inside, over all taps (rows of ``visits``)."""
    starts = [x for tile in tiles for x in range(tile.x, tile.x + tile.mr, isa.tile_rows)]
    return int(np.logical_or.reduceat(visits, starts, axis=1).sum())


def _tiles(isa: Isa, tiles: list[RowTile]) -> int:
    return sum(-(-tile.mr // isa.tile_rows) for tile in tiles)


def _runs(g: StripGeometry, channels: int) -> Iterator[tuple[int, int]]:
    """Runs of pixels that tiles cover one after the other, each with the channels."""
    unit, pixels = g.run, g.pixels if g.flattened else g.rows * g.strip
    yield from ((min(unit, pixels - start), channels) for start in range(0, pixels, unit))
