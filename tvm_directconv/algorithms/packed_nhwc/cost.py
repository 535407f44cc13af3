"""What the blocks of algorithm B are estimated to take."""

from __future__ import annotations

import math
from collections import Counter, defaultdict

from intrinsics.isa import Isa
from intrinsics.microkernel import PANEL, MicroKernel
from tvm_directconv.model.cost import FLOAT_BYTES, Cost, level_holding, traffic_cycles
from tvm_directconv.model.tiling import tile_cycles
from tvm_directconv.targets.target import Machine

from ..strips.geometry import taps_inside
from .geometry import PackedGeometry


def packed_cost(g: PackedGeometry, machine: Machine) -> Cost:
    """Tiles as in one pass, and beside it every further pass's load and store of them; packing; all of these
    less the taps outside the image; lines of the filter, of partial sums and of the input from where they
    lie."""
    tiles = _tiles(g)
    arithmetic, overhead = _kernels(g, machine, tiles)
    inside = taps_inside(g.workload)
    packing = inside * _packing(g, machine, tiles)
    return Cost(inside * arithmetic, packing, _traffic(g, machine), inside * overhead)


def _kernels(g: PackedGeometry, machine: Machine, tiles: Counter[int]) -> tuple[float, float]:
    """(cycles of micro-kernels, cycles of their partial sums)."""
    w, nr, lanes, costs = g.workload, g.knobs.nr, g.isa.lanes, machine.costs
    widths = Counter(min(nr, g.group_out - i * nr) for i in range(g.filters))
    arithmetic = overhead = 0.0
    for rows, count in tiles.items():
        for channels, times in widths.items():
            kernel = MicroKernel(rows, -(-channels // lanes) * lanes, PANEL, g.isa.name)
            calls = w.groups * count * times
            arithmetic += calls * tile_cycles(g.isa, machine, kernel, g.taps * g.group_in)
            sums = costs.partial_sum_call_cycles + costs.partial_sum_cycles * rows * kernel.nr / lanes
            overhead += calls * (g.taps * g.in_blocks - 1) * sums
    return arithmetic, overhead


def _packing(g: PackedGeometry, machine: Machine, tiles: Counter[int]) -> float:
    w, costs = g.workload, machine.costs
    c_blocks = g.loop_filters // g.block_filters
    elements = sum(rows * count for rows, count in tiles.items()) * g.taps * w.in_channels
    panels = sum(tiles.values()) * g.taps * g.in_blocks * w.groups
    packing = c_blocks * (elements * packing_cycles(g.isa, machine) + panels * costs.packing_call_cycles)
    return packing * (1 - costs.hidden_packing / g.panels)


def _traffic(g: PackedGeometry, machine: Machine) -> float:
    w, nr, costs = g.workload, g.knobs.nr, machine.costs
    c_blocks = g.loop_filters // g.block_filters
    c_ob = min(g.group_out, g.block_filters * nr)
    visits = g.batch * g.lines * g.w_blocks * w.groups * g.in_blocks * c_blocks
    filter_bytes = FLOAT_BYTES * g.taps * g.c_ib * c_ob
    input_bytes, output_bytes = (FLOAT_BYTES * math.prod(s) for s in (w.input_shape, w.output_shape))
    a_bytes, c_bytes = (FLOAT_BYTES * g.w_ob * extent for extent in (g.c_ib, c_ob))
    of_panel = FLOAT_BYTES * g.c_ib * nr
    moved: defaultdict[int, float] = defaultdict(float)
    filter_level = level_holding(machine, filter_bytes + a_bytes + c_bytes)
    # L3 is shared: prefetching does not hide what its bandwidth limits, least of all beside busy neighbours.
    panels = costs.streamed_panels if filter_level <= 2 else 1.0
    moved[filter_level] += panels * visits * filter_bytes
    all_filters = FLOAT_BYTES * math.prod(g.packed_filter_shape)
    moved[level_holding(machine, all_filters + input_bytes)] += costs.streamed_traffic * all_filters
    moved[level_holding(machine, a_bytes + c_bytes + of_panel)] += 2 * visits * g.taps * c_bytes
    moved[level_holding(machine, input_bytes)] += c_blocks * input_bytes
    moved[level_holding(machine, output_bytes)] += g.in_blocks * output_bytes
    moved.pop(1, None)
    starts = 0.0
    if 1 < filter_level <= len(machine.caches):
        starts = visits * g.taps * g.block_filters * machine.cache(filter_level).latency_cycles / 2
    return traffic_cycles(machine, moved) + starts


def _tiles(g: PackedGeometry) -> Counter[int]:
    """Heights of the tiles of all lines, and how many there are of each."""
    tiles: Counter[int] = Counter()
    repeated = 1 if g.flattened else g.batch * g.lines
    blocks, last = divmod(g.out_width, g.w_ob)
    for width, count in ((g.w_ob, blocks), (last, 1)):
        whole, rest = divmod(width, g.knobs.mr)
        tiles[g.knobs.mr] += repeated * count * whole
        tiles[rest] += repeated * count
    del tiles[0]
    return tiles


def packing_cycles(isa: Isa, machine: Machine) -> float:
    """Cycles per element packed."""
    return machine.costs.packing_element_cycles + machine.costs.packing_vector_cycles / isa.lanes
