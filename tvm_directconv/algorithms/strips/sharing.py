"""How threads share the strips of a convolution, and the block sizes that let them share it evenly.

TVM gives each thread one run of the parallel loop's pieces, all runs of the same number of pieces but the
last, and neither the number of threads nor which are idle is known when a network is compiled. So a layer's
row blocks and channel blocks are cut such that two, four and eight threads get about the same work. Where
activations outweigh the filter a run is to be one of whole rows: what the thread wrote of the layer before is
then in its own caches, and reading what another thread wrote takes longer than the arithmetic of a small
layer. Where the filter outweighs them a run is to be one of channels, and no thread reads all of the filter.
"""

from __future__ import annotations

import itertools
import math
import operator
from dataclasses import replace

from tvm_directconv.model.tiling import tile_heights

from .geometry import StripGeometry, Tile
from .plan import StripPlan

THREADS = (2, 4, 8)
PARTS = (1, 2, 3, 4, 6, 8, 14, 16)
"""Rows are cut in about so many blocks."""
SLACK = 1.005
"""One thread may be estimated to take this much longer; measured, it does not."""
ALIKE = 0.02
"""Differences between threads up to this share of a layer count as none."""
MISMATCH = 0.2
"""Runs cut across what they should be are taken to cost this share of a layer."""


def evenly_shared(plan: StripPlan) -> Tile:
    """Return the tile of the plan with other block sizes, those that threads share best; of equals, what one
    thread is estimated to be fastest with."""
    most = SLACK * plan.cost().total
    tiles = dict.fromkeys((plan.knobs, *(tile for parts in PARTS for tile in _cuts(plan.geometry, parts))))
    plans = [replace(plan, knobs=tile) for tile in tiles]
    cheap = [each for each in plans if each.cost().total <= most]
    return min(cheap, key=lambda each: (_uneven(each.geometry) // ALIKE, each.cost().total)).knobs


def _cuts(g: StripGeometry, parts: int) -> list[Tile]:
    """Return tiles whose row blocks are so many; where strips are of our choosing, of whole micro-kernels and
    of equal lengths."""
    if not g.flattened:
        return [replace(g.tile, rows=math.ceil(g.workload.out_height / parts))]
    vectors = math.ceil(min(g.nr, g.group_out) / g.isa.lanes)
    height = tile_heights(g.pixels, g.most_rows(vectors))[0][0]
    whole = math.ceil(math.ceil(g.pixels / height) / parts) * height
    return [replace(g.tile, strip=strip) for strip in (whole, math.ceil(g.pixels / parts))]


def _uneven(g: StripGeometry) -> float:
    """Return by how much the slowest thread's time exceeds an even share: a mean over ``THREADS``, of which
    few count most."""
    w = g.workload
    activations = w.element_bytes * math.prod(w.input_shape) + w.out_bytes * math.prod(w.output_shape)
    by_rows = activations > w.element_bytes * math.prod(g.packed_filter_shape)
    row_blocks = g.batch * (g.out_height // g.tile.rows)

    def excess(threads: int) -> float:
        across = row_blocks < threads if by_rows else row_blocks > 1
        return busiest(g, threads) * threads - 1 + MISMATCH * across

    weights = [1 / threads for threads in THREADS]
    return sum(map(operator.mul, weights, map(excess, THREADS))) / sum(weights)


def busiest(g: StripGeometry, threads: int) -> float:
    """Return the largest share of the multiply-adds that one of so many threads is given."""
    unit = g.strip if g.flattened else 1
    extent = g.pixels if g.flattened else g.workload.out_height
    step = g.tile.rows * unit
    rows = [min(step, extent - start) for start in range(0, extent, step)] * g.batch
    of_group = [min(g.nr, g.group_out - start) for start in range(0, g.group_out, g.nr)]
    channels = of_group * g.groups
    of_rows = [0, *itertools.accumulate(rows)]
    of_channels = [0, *itertools.accumulate(channels)]

    def done(pieces: int) -> int:
        """Return the work of the first pieces."""
        block, channel = divmod(min(pieces, len(rows) * len(channels)), len(channels))
        whole = of_rows[block] * of_channels[-1]
        return whole + (rows[block] * of_channels[channel] if channel else 0)

    run = -(-len(rows) * len(channels) // threads)
    shares = [done(run * (thread + 1)) - done(run * thread) for thread in range(threads)]
    return max(shares) / (of_rows[-1] * of_channels[-1])
