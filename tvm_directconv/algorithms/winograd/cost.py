"""What Winograd's algorithm is estimated to take."""

from __future__ import annotations

import math
from collections import defaultdict
from functools import lru_cache

from intrinsics.isa import Isa
from intrinsics.microkernel import ROW
from intrinsics.winograd.cook_toom import Filtering
from intrinsics.winograd.linear import operations
from tvm_directconv.model.cost import FLOAT_BYTES, Cost, level_holding, traffic_cycles
from tvm_directconv.model.tiling import RowTiles, tile_heights
from tvm_directconv.targets.target import Machine

from .geometry import WinogradGeometry

FETCHED = 0.35
"""Fetching panels ahead takes this share of one miss after the other, as many at once as there can be. It was
found with filters of 36 MB, read from memory for four tiles."""
HIDDEN_CALLS = 0.7
"""Share of a call that passes while the one before still computes: they are of one routine, with no taps to
skip and no epilogue. It was fitted on 108 layers of 17 networks, as a Zen 3 runs them."""


def winograd_cost(g: WinogradGeometry, machine: Machine) -> Cost:
    """The products' tiles with operands in L1; transforms; lines of the filter, of workspace and of both maps
    from where they lie; and reading each routine's instructions for the first time in a call."""
    blocks, rest = divmod(g.all_tiles, g.tiles)
    rows = blocks * _products(g, machine, g.tiles) + (_products(g, machine, rest) if rest else 0.0)
    arithmetic = g.workload.groups * g.points * rows
    routines = 2 + len(tile_heights(g.tiles, g.most_rows))
    return Cost(
        arithmetic,
        packing=_transforms(g, machine),
        traffic=_traffic(g, machine) + _filter_traffic(g, machine, arithmetic),
        overhead=machine.costs.first_call_cycles * routines,
    )


def _products(g: WinogradGeometry, machine: Machine, tiles: int) -> float:
    """One point's product of so many tiles by all panels of a group."""
    padded = g.panels * g.nr
    calls = g.panels * sum(count for _, count in tile_heights(tiles, g.most_rows, g.isa.tile_rows))
    row = RowTiles(g.isa, ROW, g.group_in, g.nr, g.most_rows, FLOAT_BYTES * g.depth)
    return row.cycles(machine, tiles, padded) - HIDDEN_CALLS * machine.costs.call_cycles * calls


def _transforms(g: WinogradGeometry, machine: Machine) -> float:
    into, out = transform_cycles(g.isa, machine, g.filtering)
    vectors_in, vectors_out = (-(-channels // g.isa.lanes) for channels in (g.group_in, g.group_out))
    calls = (1 - HIDDEN_CALLS) * machine.costs.call_cycles * (g.parts + g.turns)
    return g.all_tiles * g.workload.groups * (g.parts * vectors_in * into + vectors_out * out + calls)


def transform_cycles(isa: Isa, machine: Machine, f: Filtering) -> tuple[float, float]:
    """Cycles of a vector of channels of an input tile, and of an output tile: what is computed, and beside it
    what is loaded and stored, to the stack and back what lacks a register between columns and rows."""
    costs, outputs = machine.costs, f.outputs
    to_points, from_points = _operations(f)

    def cycles(computed: int, loaded: int, between: int, stored: int) -> float:
        spilled = 2 * between if between + f.size > isa.vector_registers else 0
        return computed / machine.fma_per_cycle + (loaded + spilled + stored) / costs.loads_per_cycle

    size, points = f.size, f.size**2
    return (
        cycles(2 * size * to_points, points, points, points),
        cycles((size + outputs) * from_points, points, outputs * size, outputs**2),
    )


@lru_cache
def _operations(f: Filtering) -> tuple[int, int]:
    """Count the operations of a column or row of the input's transform, and of the output's."""
    return operations(f.input), operations(f.output)


def _traffic(g: WinogradGeometry, machine: Machine) -> float:
    """Panels of the filter are read from L2 by every micro-kernel where L1 does not hold them; transformed
    tiles are written and read again for every turn of panels, and a point's of them for every panel; products
    are written and read once."""
    w, costs = g.workload, machine.costs
    filter_bytes = FLOAT_BYTES * math.prod(g.packed_filter_shape)
    panel = FLOAT_BYTES * g.group_in * g.nr
    slab = FLOAT_BYTES * g.tiles * g.depth
    whole, products = g.transformed.bytes, g.products.bytes
    turns = w.groups * g.blocks * g.turns
    tiles = sum(count for _, count in tile_heights(g.tiles, g.most_rows))
    maps = [FLOAT_BYTES * math.prod(shape) for shape in (w.input_shape, w.output_shape)]
    streamed: defaultdict[int, float] = defaultdict(float)
    streamed[level_holding(machine, whole + products)] += whole * (g.pieces + turns) + 2 * products * turns
    streamed[level_holding(machine, slab + panel)] += slab * g.points * w.groups * g.blocks * g.panels
    streamed[level_holding(machine, panel, costs.panel_share_of_l2)] += filter_bytes * g.blocks * tiles
    streamed[level_holding(machine, sum(maps))] += maps[0] * g.parts + maps[1]
    streamed.pop(1, None)
    return costs.streamed_traffic * traffic_cycles(machine, streamed)


def _filter_traffic(g: WinogradGeometry, machine: Machine, arithmetic: float) -> float:
    """The filter is read once for each block of tiles, a panel fetched while the one before is multiplied:
    what takes longer than that is waited for."""
    w, costs = g.workload, machine.costs
    filter_bytes = FLOAT_BYTES * math.prod(g.packed_filter_shape)
    level = level_holding(machine, filter_bytes + FLOAT_BYTES * math.prod(w.input_shape))
    if level == 1:
        return 0.0
    exposed = traffic_cycles(machine, {level: float(filter_bytes * g.blocks)})
    fetched = FETCHED * exposed / costs.exposed_traffic
    return max(costs.streamed_traffic * exposed, fetched - arithmetic)
