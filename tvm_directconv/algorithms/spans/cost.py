"""What a convolution whose lanes span groups is estimated to take."""

from __future__ import annotations

import math

from intrinsics.isa import Isa
from tvm_directconv.model.blocking import way_bytes
from tvm_directconv.model.cost import Cost, level_holding, traffic_cycles
from tvm_directconv.model.tiling import tile_heights
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import Machine

from ..strips.geometry import pixels_read, taps_inside
from .geometry import SpanGeometry, taps_fit

CALL_CYCLES = 6
"""A kernel takes this many cycles beside its multiply-adds and stores: calls for one vector of channels after
the other overlap. It was found with 3x3 layers of 14x14 to 56x56 pixels."""
LOADED = 1.2
"""Depthwise kernels that load an operand from L1 for every multiply-add take this many times the cycles of
the multiply-adds. Beside kernels that keep their taps in registers 1.2 to 1.4 times were measured, of 3x3 and
5x5 layers on an AMD EPYC of Zen 4, 2026-11-23."""
WINDOW = 224
"""A core looks so many instructions ahead: chains of sums of shorter kernels overlap. Cores of today reorder
about as many (AMD publication 56665, 2.10: 256 of Zen 3)."""
STREAM_LINES = 2
"""Prefetching does without so many lines at the beginning of each run of channels."""
KEPT = 0.75
"""L1 keeps what fills no more of it than this."""


def span_cost(g: SpanGeometry, machine: Machine) -> Cost:
    """Every tile with operands in L1, less the taps outside the image; beside it the input's rows, read again
    for every tile of lines unless L1 keeps them, the filter, read again for every tile of pixels, and the
    output; and reading each micro-kernel's instructions for the first time in a call."""
    w, tile = g.workload, g.tile
    tiles = {(tile.lines, width) for width, _ in tile_heights(w.out_width, tile.width)}
    tiles |= {(1, width) for width, _ in tile_heights(w.out_width, tile.single)}
    overhead = machine.costs.first_call_cycles * len(tiles)
    return Cost(_arithmetic(g, machine), traffic=_traffic(g, machine), overhead=overhead)


def block_widths(workload: Conv2dWorkload, isa: Isa) -> tuple[int, ...]:
    """Channels of a block: all, or powers of two of them."""
    whole = -(-workload.out_channels // isa.lanes) * isa.lanes
    return (*(nr for nr in (16, 32, 64, 128, 256) if nr < whole and nr % isa.lanes == 0), whole)


def _lines_of(g: SpanGeometry) -> tuple[int, int]:
    """How many times lines are computed together, and rows alone, of an image."""
    tile, (first, last), height = g.tile, g.inside, g.workload.out_height
    if tile.lines == 1:
        return 0, height
    blocks = ((max(first, y), min(last, y + tile.rows)) for y in range(0, height, tile.rows))
    times = sum(max(0, end - begin) // tile.lines for begin, end in blocks)
    return times, height - times * tile.lines


def _arithmetic(g: SpanGeometry, machine: Machine) -> float:
    w = g.workload
    times, alone = _lines_of(g)
    vectors = -(-w.out_channels // g.isa.lanes)

    def row(lines: int, most: int) -> float:
        return sum(n * tile_cycles(g, machine, lines, width) for width, n in tile_heights(w.out_width, most))

    inside = taps_inside(w) if not times else 1.0
    lines, rows = row(g.tile.lines, g.tile.width), inside * row(1, g.tile.single)
    return w.batch * vectors * (times * lines + alone * rows)


def tile_cycles(g: SpanGeometry, machine: Machine, lines: int, width: int) -> float:
    """The cycles of one call: of the multiply-adds, of the loads, or of the longest chain of sums."""
    w, costs = g.workload, machine.costs
    (kh, kw), steps = w.kernel, w.kernel[0] * w.kernel[1] * g.group_in
    products = lines * width * steps
    columns = min((width - 1) * w.strides[1] + (kw - 1) * w.dilation[1] + 1, width * kw)
    rows = (lines - 1) * w.strides[0] + kh if lines > 1 else kh
    loads: float
    fits = taps_fit(w, g.isa, lines, width)
    if fits:
        loads = rows * columns + steps
    elif g.group_in == 1 and lines == 1:
        loads = steps + products
    else:
        loads = rows * columns + products
    slower = LOADED if g.group_in == 1 and not fits else 1
    permuted = rows * columns * (g.group_in / 2 if g.group_in > 1 else g.group_out - 1)
    cycles = max(
        (slower * products + g.isa.widening * loads) / machine.fma_per_cycle + permuted / 2,
        loads / costs.loads_per_cycle,
        steps * costs.fma_latency * min(1.0, (products + loads) / WINDOW),
    )
    return cycles + CALL_CYCLES + (lines * width) / 2


def _traffic(g: SpanGeometry, machine: Machine) -> float:
    """The input and output pass once, as streams where pixels are read whole. Of the input, rows that lines
    share with those before are read again unless L1 keeps them; and where L1 does not even keep what a tile
    of pixels works on, every tile reads all that it needs, its filter too."""
    w, tile, costs = g.workload, g.tile, machine.costs
    of_input = w.element_bytes * w.batch * w.height * w.width * w.in_channels * pixels_read(w)
    of_output = w.out_bytes * w.batch * w.out_height * w.out_width * w.out_channels
    home = level_holding(machine, of_input + of_output)
    nr, kh, stride, lines = min(tile.nr, w.out_channels), w.kernel[0], w.strides[0], tile.lines
    of_filter = w.element_bytes * nr * kh * w.kernel[1] * g.group_in
    rows_read = kh + (lines - 1) * stride
    columns = (tile.width - 1) * w.strides[1] + w.kernel[1]
    of_tile = of_filter + w.element_bytes * nr * rows_read * columns
    of_rows = of_filter + w.element_bytes * nr * rows_read * w.width
    if level_holding(machine, of_rows, KEPT) == 1:
        again = 0.0
    elif level_holding(machine, of_tile, KEPT) == 1:
        again = max(0.0, rows_read / (lines * stride) - 1) * of_input
    else:
        tiles = w.batch * -(-w.out_width // tile.width) * (w.out_height / lines)
        again = max(0.0, g.blocks * tiles * of_tile - of_input)
    once = traffic_cycles(machine, {home: of_input + of_output} if home > 1 else {})
    waited = traffic_cycles(machine, {max(2, home): again})
    if nr >= w.out_channels:
        once *= costs.streamed_traffic
    else:
        waited += once * min(1.0, STREAM_LINES * machine.cache(1).line_bytes / (w.element_bytes * nr))
    # Nothing hides lines of L3 that are not a stream of whole pixels.
    return once + (waited / costs.exposed_traffic if home > 2 else waited) + _evictions(g, machine)


def _evictions(g: SpanGeometry, machine: Machine) -> float:
    """Pixels that lie a whole way of a cache apart, as 1024 channels of float32 do in L1, share few sets. The
    tile's pixels then evict each other, and every load of a vector waits for the level that keeps them."""
    w, tile, costs = g.workload, g.tile, machine.costs
    pixel_bytes = w.element_bytes * w.in_channels
    rows_read = w.kernel[0] + (tile.lines - 1) * w.strides[0]
    columns = min(w.width, (tile.width - 1) * w.strides[1] + w.kernel[1])
    level = 1
    while level <= len(machine.caches):
        cache = machine.cache(level)
        sets = way_bytes(cache) // max(math.gcd(pixel_bytes, way_bytes(cache)), cache.line_bytes)
        if rows_read * columns <= KEPT * sets * cache.ways:
            break
        level += 1
    if level == 1 or level > len(machine.caches):
        return 0.0
    times, alone = _lines_of(g)
    # Without registers for taps, a line's pixels are loaded for each.
    in_place = g.group_in == 1 and not taps_fit(w, g.isa, 1, tile.single)
    of_line = tile.single * w.kernel[1] if in_place else columns
    loads = times * rows_read * columns + alone * w.kernel[0] * of_line * taps_inside(w)
    vectors = -(-w.out_channels // g.isa.lanes)
    tiles = -(-w.out_width // tile.width)
    in_flight = costs.misses_in_flight if level == 2 else costs.broadcast_misses_in_flight
    wait = machine.cache(level).latency_cycles / in_flight
    return w.batch * vectors * tiles * loads * wait
