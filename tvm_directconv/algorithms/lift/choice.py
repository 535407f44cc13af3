"""The analytical choice: of points that are likely to be good, the one that the model calls the cheapest.

Likely are tiles that the output is whole multiples of, or nearly, a few windows and filters for each thread,
and chunks only where there are too few windows to go round.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import product
from typing import Any

from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.gpu_machine import GpuMachine

from .cost import cost
from .geometry import VECTORS, extents, geometry, is_channelwise
from .knobs import KERNEL, LOAD, LOCAL, STORE, LiftKnobs

OF_TILE = (1, 2, 4, 7, 8, 14, 16)
OF_THREAD = (1, 2, 4, 7, 8)
PARTS = (1, 2, 4, 8, 16, 32)
OF_GROUP = (8, 16, 32, 64, 128)
"""Rows or columns of windows in a tile, filters or windows of a thread, chunks, and filters of a workgroup that are
tried, and what is next to them of the divisors."""


@lru_cache(maxsize=1024)
def analytical(workload: Conv2dWorkload, machine: GpuMachine) -> LiftKnobs:
    """Return the point to use where none has been measured."""
    sizes = ((knobs, geometry(workload, knobs, machine)) for knobs in likely(workload))
    scored = ((cost(workload, knobs, g, machine).total, knobs) for knobs, g in sizes if g is not None)
    return min(scored, key=lambda pair: pair[0])[1]


def likely(w: Conv2dWorkload) -> Iterator[LiftKnobs]:
    """Yield points that are worth an estimate, one that no limit excludes among them; some violate
    constraints."""
    channels, (kh, kw) = w.in_channels // w.groups, w.kernel
    apart = is_channelwise(w)
    count = w.out_channels if apart else w.out_channels // w.groups
    shared = apart and w.out_channels > w.groups
    vectors = [v for v in VECTORS if not shared and (count if apart else channels) % v == 0] or [1]
    terms = kh * kw * channels
    tiles = list(product(_near(w.out_height, OF_TILE), _near(w.out_width, OF_TILE)))
    for (rows, columns), pad in product(tiles, (KERNEL, LOAD)):
        of_tile = _tile(w, rows, columns)
        for own_h, own_w in product(_divisors(rows, OF_THREAD[:3]), _divisors(columns, OF_THREAD)):
            for vector in vectors[-1:]:
                for filters, chunks in product(_divisors(count, OF_GROUP), PARTS if not apart else (1,)):
                    if terms % (chunks * (1 if apart else vector)):
                        continue
                    for own in _divisors(filters, (*OF_THREAD, vector) if apart else OF_THREAD):
                        yield LiftKnobs(
                            **of_tile,
                            filters=filters,
                            filter_threads=filters // own,
                            windows_h=own_h,
                            windows_w=own_w,
                            chunk=terms // chunks,
                            vector=vector,
                            pad=pad,
                            sum=LOCAL,
                            crop=STORE,
                        )


def _tile(w: Conv2dWorkload, rows: int, columns: int) -> dict[str, Any]:
    """θ and the least ρ of a tile of so many windows."""
    (span_h, _), (span_w, _) = extents(w)
    stride_h, stride_w = w.strides
    return {
        "tile_h": (rows - 1) * stride_h + span_h,
        "tile_w": (columns - 1) * stride_w + span_w,
        "pad_h": -w.out_height % rows * stride_h,
        "pad_w": -w.out_width % columns * stride_w,
    }


def _near(extent: int, wanted: Iterable[int]) -> list[int]:
    return sorted({min(extent, size) for size in wanted})


def _divisors(number: int, wanted: Iterable[int]) -> list[int]:
    """The largest divisor up to each size."""
    return sorted({max(d for d in range(1, min(number, size) + 1) if number % d == 0) for size in wanted})
