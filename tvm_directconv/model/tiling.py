"""The analytical model of kernel choice: the micro-kernel tiles that cover an output row, and their cost.

A step of a kernel (one multiply-accumulate of every accumulator) is bound by the FMA units, the load ports,
or the latency of the FMA chain, whichever is slowest; entering and leaving a tile costs a constant and its
stores. All these numbers are the machine's. Rows of any width are covered exactly by tiles of at most two
heights.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from intrinsics.isa import Isa
from intrinsics.microkernel import DEPTHWISE, MicroKernel
from tvm_directconv.targets.target import Machine

from .blocking import way_bytes


@dataclass(frozen=True)
class RowTile:
    """A tile covers ``mr`` output pixels from column ``x`` on."""

    x: int
    mr: int


def tile_heights(width: int, most: int, unit: int = 1) -> list[tuple[int, int]]:
    """Cover ``width`` pixels by as few tiles as can be, of at most two heights that differ by one ``unit``,
    and what is left of the last: return each height with its count, the taller first."""
    unit = unit if unit <= most else 1
    units = -(-width // unit)
    count = -(-units // (most // unit))
    small, larger = divmod(units, count)
    taller, others = ((small + 1) * unit, larger), (small * unit, count - larger)
    height, times = others if others[1] else taller
    last = height - (units * unit - width)
    shortened = [(height, times)] if last == height else [(height, times - 1), (last, 1)]
    runs = [taller, *shortened] if others[1] else shortened
    return [(mr, times) for mr, times in runs if times]


def cover_row(width: int, most: int, unit: int = 1) -> list[RowTile]:
    """Return the tiles of ``tile_heights`` side by side."""
    tiles, x = [], 0
    for mr, count in tile_heights(width, most, unit):
        for _ in range(count):
            tiles.append(RowTile(x, mr))
            x += mr
    return tiles


def cover_rows(pixels: int, strip: int, following: Callable[[int], int], most: int) -> list[RowTile]:
    """Return tiles of so many pixels in rows of ``strip`` behind each other, each of ``most`` rows at most.
    ``following`` says which row of a tile follows another one at a row's end."""
    tiles, x = [], 0
    while x < pixels:
        mr, place = 0, 0
        while x + mr < pixels and place < most:
            mr += 1
            place = following(place) if (x + mr) % strip == 0 else place + 1
        tiles.append(RowTile(x, mr))
        x += mr
    return tiles


def step_cycles(isa: Isa, machine: Machine, kernel: MicroKernel, pixel_bytes: int = 0) -> float:
    """Return the cycles of one multiply-accumulate of the whole tile, with operands in L1: of pixels
    ``pixel_bytes`` apart, those that it can keep."""
    costs = machine.costs
    loads = isa.loads_per_step(kernel)
    often = machine.fma_per_cycle * machine.rate(isa.name)
    issued = isa.instructions_per_step(kernel) / often
    issued += isa.widening * loads / machine.fma_per_cycle
    if isa.half_sums is not None and kernel.layout != DEPTHWISE:
        sums, parts = kernel.mr * kernel.nr // isa.lanes, isa.multiplications_per_step(kernel)
        issued += isa.half_sums.multiplications(sums, parts) / often
    cycles = max(issued, loads / costs.loads_per_cycle, costs.fma_latency)
    # A tile's load takes all of a line at once.
    by_lines = pixel_bytes == 0 or isa.tile_rows > 1
    evicted = 0 if by_lines else max(0, kernel.mr - pixels_kept(machine, pixel_bytes))
    if evicted and len(machine.caches) > 1:
        cycles += evicted * machine.cache(2).latency_cycles / costs.broadcast_misses_in_flight
    return cycles


def peak_cycles(isa: Isa, machine: Machine, layout: str, products: float) -> float:
    """Return the cycles of so many multiply-adds at the rate of the instruction set on the machine, with
    nothing beside them."""
    # Some instructions multiply two or four rows at once.
    kernel = MicroKernel(4 * isa.tile_rows, 2 * isa.lanes, layout, isa.name)
    of_step = kernel.mr * kernel.nr * isa.channels_per_step(layout)
    issued = isa.multiplications_per_step(kernel) * isa.instructions_per_multiply
    return products / of_step * issued / (machine.fma_per_cycle * machine.rate(isa.name))


def pixels_kept(machine: Machine, pixel_bytes: int) -> int:
    """Return of how many pixels, ``pixel_bytes`` apart, L1 keeps the line in use while the filter passes by.

    Pixels a whole way apart (1024 channels of float32 where ways have 4 KB) share one set.
    """
    cache = machine.cache(1)
    way = way_bytes(cache)
    sets = way // max(math.gcd(pixel_bytes, way), cache.line_bytes)
    return max(1, cache.ways - machine.costs.ways_passing) * sets


def tile_cycles(isa: Isa, machine: Machine, kernel: MicroKernel, steps: int, pixel_bytes: int = 0) -> float:
    """Return the cycles of one kernel call of ``steps`` steps."""
    vectors = kernel.mr * kernel.nr // isa.lanes
    step = step_cycles(isa, machine, kernel, pixel_bytes)
    return steps * step + 2 * vectors + machine.costs.call_cycles


@dataclass(frozen=True)
class RowTiles:
    """The tiles that rows of output are computed by: kernels of ``isa`` on A in that ``layout``, of ``steps``
    steps each. Blocks have ``nr`` channels. Tiles are as tall as registers allow, or at most ``mr``.
    Neighbours' pixels are ``pixel_bytes`` apart, 0 if L1 keeps all of them."""

    isa: Isa
    layout: str
    steps: int
    nr: int = 0
    mr: int = 0
    pixel_bytes: int = 0

    def cycles(self, machine: Machine, width: int, channels: int) -> float:
        """Return the cycles of one output row of ``width`` pixels by ``channels`` channels."""
        isa, total = self.isa, 0.0
        for block, count in channel_blocks(channels, self.nr):
            lanes = -(-block // isa.lanes) * isa.lanes
            most = isa.largest_mr(lanes, self.layout)
            for height, times in tile_heights(width, min(most, self.mr or most), isa.tile_rows):
                kernel = MicroKernel(height, lanes, self.layout, isa.name)
                total += count * times * tile_cycles(isa, machine, kernel, self.steps, self.pixel_bytes)
        return total

    def widths(
        self, machine: Machine, channels: int, *, reused: bool, block: int = 1, step_bytes: int = 4
    ) -> list[int]:
        """Return the block widths there are kernels for, in whole vectors.

        Where a filter panel is ``reused`` by several rows or tiles, widths whose panel would fill L2, at
        ``step_bytes`` for each step of a channel, are left out. Tiles that store to channels in blocks of
        ``block`` must begin and end with one, or lie in it.
        """
        widest, lanes = channels, self.isa.lanes
        if reused:
            room = int(machine.costs.panel_share_of_l2 * machine.cache(2).size_bytes)
            widest = max(1, min(channels, room // (step_bytes * self.steps * lanes) * lanes))
        wanted = self.isa.widths(widest)
        known = (nr for nr in range(lanes, wanted.stop, lanes) if nr % block == 0 or block % nr == 0)
        fitting = [nr for nr in known if self.isa.largest_mr(nr, self.layout)]
        return [nr for nr in fitting if nr in wanted] or fitting[-1:]

    def best(self, machine: Machine, width: int, channels: int, **limits: Any) -> RowTiles:
        """Return the tiles that cover a row in the fewest cycles, the narrowest of equals: the block width
        ``nr`` within the ``limits`` of ``widths``; and the height ``mr``, 0 for what registers allow, or as
        many pixels as L1 keeps, where that is faster."""
        heights = [0, pixels_kept(machine, self.pixel_bytes)] if self.pixel_bytes else [0]
        found = (
            replace(self, nr=nr, mr=mr)
            for nr, mr in itertools.product(self.widths(machine, channels, **limits), heights)
        )
        return min(found, key=lambda tiles: (tiles.cycles(machine, width, channels), tiles.nr, tiles.mr))


def channel_blocks(channels: int, nr: int) -> Iterator[tuple[int, int]]:
    """Yield (channels in the block, how many such blocks): full blocks, then the tail."""
    if channels // nr:
        yield nr, channels // nr
    if channels % nr:
        yield channels % nr, 1
