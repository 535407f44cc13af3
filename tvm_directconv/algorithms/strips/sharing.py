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
from collections.abc import Callable, Sequence
from dataclasses import replace

from .geometry import StripGeometry, Tile
from .plan import StripPlan

THREADS = (2, 4, 8)
PARTS = (1, 2, 3, 4, 6, 8, 14, 16)
"""Rows are cut in about so many blocks."""
SLACK = 1.005
"""One thread may be estimated to take this much longer; measured, it does not."""
ALIKE = 0.02
"""Differences between threads up to this share of a layer count as none."""
NEARLY_ALIKE = 0.1
"""Differences up to this share count as none where larger blocks make up for them."""
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
    height, _ = g.heights(g.pixels, min(g.nr, g.group_out))[0]
    whole = math.ceil(math.ceil(g.pixels / height) / parts) * height
    return [replace(g.tile, strip=strip) for strip in (whole, math.ceil(g.pixels / parts))]


def blocks_of(extent: int, most: int) -> list[int]:
    """Return blocks of ``most``, but for the last."""
    return [min(most, extent - start) for start in range(0, extent, most)]


def alike_blocks(extent: int, most: int) -> list[int]:
    """Return blocks of ``most`` at most whose sizes differ by one, as few as can be, but an even number."""
    count = math.ceil(extent / most)
    count += count % 2 if 1 < count < extent else 0
    return [(at + 1) * extent // count - at * extent // count for at in range(count)]


def even_rows(
    height: int,
    choices: Sequence[int],
    channels: Sequence[int],
    images: int = 1,
    cut: Callable[[int, int], list[int]] = blocks_of,
) -> int:
    """Return that of the ``choices`` of rows by which threads share an output best, the largest of those
    about equal; within each block of rows are blocks of so many ``channels``. ``cut`` gives the blocks of so
    many rows at most."""

    def uneven(rows: int) -> float:
        blocks = cut(height, rows) * images
        return _mean_excess(blocks, channels, lambda threads: len(blocks) < threads)

    return min(choices, key=lambda rows: (uneven(rows) // NEARLY_ALIKE, -rows))


def _uneven(g: StripGeometry) -> float:
    """Return by how much the slowest thread's time exceeds an even share."""
    w = g.workload
    activations = w.element_bytes * math.prod(w.input_shape) + w.out_bytes * math.prod(w.output_shape)
    by_rows = activations > w.element_bytes * math.prod(g.packed_filter_shape)
    outer, inner = _pieces(g)
    along = by_rows != g.panels_first
    return _mean_excess(outer, inner, lambda threads: len(outer) < threads if along else len(outer) > 1)


def _mean_excess(outer: Sequence[int], inner: Sequence[int], across: Callable[[int], bool]) -> float:
    """Return by how much the slowest thread's time exceeds an even share, ``across`` what runs should be cut
    along included: a mean over ``THREADS``, of which few count most."""
    shares = _largest_shares(outer, inner, THREADS)
    excess = [share * n - 1 + MISMATCH * across(n) for share, n in zip(shares, THREADS, strict=True)]
    weights = [1 / threads for threads in THREADS]
    return sum(map(operator.mul, weights, excess)) / sum(weights)


def _pieces(g: StripGeometry) -> tuple[list[int], list[int]]:
    """Return the sizes of the blocks that the parallel loop goes over, those of its outer loop and those
    within each: blocks of rows (or pixels) of all images and blocks of channels, the latter outside where
    panels go first."""
    unit = g.strip if g.flattened else 1
    extent = g.pixels if g.flattened else g.workload.out_height
    rows = blocks_of(extent, g.tile.rows * unit) * g.batch
    channels = blocks_of(g.group_out, g.nr) * g.groups
    return (channels, rows) if g.panels_first else (rows, channels)


def busiest(outer: Sequence[int], inner: Sequence[int], threads: int) -> float:
    """Return the largest share of the multiply-adds that one of so many threads is given, of pieces that are
    blocks of ``outer`` and, within each, blocks of ``inner``: rows and channels, or the other way round."""
    return _largest_shares(outer, inner, (threads,))[0]


def _largest_shares(outer: Sequence[int], inner: Sequence[int], threads: Sequence[int]) -> list[float]:
    """Return ``busiest`` for each number of threads."""
    of_outer = [0, *itertools.accumulate(outer)]
    of_inner = [0, *itertools.accumulate(inner)]
    pieces, work = len(outer) * len(inner), of_outer[-1] * of_inner[-1]

    def done(first: int) -> int:
        """Return the work of the first pieces."""
        block, part = divmod(first, len(inner))
        whole = of_outer[block] * of_inner[-1]
        return whole + (outer[block] * of_inner[part] if part else 0)

    def largest(run: int) -> int:
        """Return the most work of a run of so many pieces."""
        ends = [done(first) for first in range(0, pieces, run)] + [work]
        return max(map(operator.sub, ends[1:], ends))

    return [largest(math.ceil(pieces / count)) / work for count in threads]


def busiest_of(g: StripGeometry, threads: int) -> float:
    """Return ``busiest`` of a convolution by strips."""
    return busiest(*_pieces(g), threads)
