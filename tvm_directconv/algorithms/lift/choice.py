"""The analytical choice: of points that are likely to be good, the one that the model calls the cheapest.

Parameters that work together are chosen together, group by group, the others as they were chosen last, until
nothing changes; from several beginnings, since the best of one group depends on the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import product
from typing import Any

from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.gpu_machine import GpuMachine

from .cost import cost
from .geometry import VECTORS, extents, geometry, is_channelwise
from .knobs import KERNEL, LOAD, LiftKnobs

ROWS, COLUMNS = (1, 2, 4), (1, 2, 4, 7, 8)
"""Windows of a thread, down and along."""
THREADS = (1, 2, 4, 7, 8)
"""Threads of a tile's windows to try, down and along."""
FILTERS = (1, 2, 3, 4, 6, 8, 16, 32, 48, 64)
"""Filters of a thread to try."""
MORE = (1, 2, 4, 8, 16, 32)
"""Threads over filters, and over chunks."""
ROUNDS = 4
BEGINNINGS = (1, 8)
"""Threads over filters of the points to begin with; all limits allow the first."""


@lru_cache(maxsize=4096)
def analytical(workload: Conv2dWorkload, machine: GpuMachine) -> LiftKnobs:
    """Return the point to use where none has been measured."""

    def estimate(knobs: LiftKnobs) -> float:
        sizes = geometry(workload, knobs, machine)
        return math.inf if sizes is None else cost(workload, knobs, sizes, machine).total

    best = min(
        (_descended(workload, beginning, estimate) for beginning in _beginnings(workload)),
        key=estimate,
    )
    assert estimate(best) < math.inf, f"no point of {workload} on {machine.name}"
    return best


def _descended(w: Conv2dWorkload, knobs: LiftKnobs, estimate: Callable[[LiftKnobs], float]) -> LiftKnobs:
    for _ in range(ROUNDS):
        before = knobs
        for neighbours in (_by_sums, _by_threads, _by_padding):
            knobs = min([knobs, *neighbours(w, knobs)], key=estimate)
        if knobs == before:
            break
    return knobs


def _beginnings(w: Conv2dWorkload) -> Iterator[LiftKnobs]:
    terms = w.kernel[0] * w.kernel[1] * w.in_channels // w.groups
    for threads in BEGINNINGS:
        if _filters(w) % threads == 0:
            tile = tiled(w, (1, 1), (1, 1))
            yield LiftKnobs(**tile, filters=threads, filter_threads=threads, chunk=terms, vector=1, pad=LOAD)


def tiled(w: Conv2dWorkload, own: tuple[int, int], threads: tuple[int, int]) -> dict[str, Any]:
    """Return θ, the least ρ, and σ of tiles of so many windows for each of so many threads."""
    (span_h, _), (span_w, _) = extents(w)
    rows, columns = own[0] * threads[0], own[1] * threads[1]
    stride_h, stride_w = w.strides
    return {
        "tile_h": (rows - 1) * stride_h + span_h,
        "tile_w": (columns - 1) * stride_w + span_w,
        "pad_h": -w.out_height % rows * stride_h,
        "pad_w": -w.out_width % columns * stride_w,
        "windows_h": own[0],
        "windows_w": own[1],
    }


def _by_sums(w: Conv2dWorkload, knobs: LiftKnobs) -> Iterator[LiftKnobs]:
    """The sums of a thread: its windows and its filters, and the vectors that they are multiplied by."""
    (down, along), count = _threads(w, knobs), _filters(w)
    for own_h, own_w, own, vector in product(ROWS, COLUMNS, FILTERS, VECTORS):
        filters = own * knobs.filter_threads * (vector if is_channelwise(w) else 1)
        if own_h * down <= w.out_height and own_w * along <= w.out_width and count % filters == 0:
            tile = tiled(w, (own_h, own_w), (down, along))
            yield replace(knobs, **tile, filters=filters, vector=vector)


def _by_threads(w: Conv2dWorkload, knobs: LiftKnobs) -> Iterator[LiftKnobs]:
    """The threads of a workgroup, over windows, filters and chunks."""
    terms, own = w.kernel[0] * w.kernel[1] * w.in_channels // w.groups, knobs.filters // knobs.filter_threads
    windows = (knobs.windows_h, knobs.windows_w)
    for down, along, threads, chunks in product(THREADS, THREADS, MORE, MORE):
        inside = windows[0] * down <= w.out_height and windows[1] * along <= w.out_width
        if inside and _filters(w) % (own * threads) == 0 and terms % chunks == 0:
            tile = tiled(w, windows, (down, along))
            yield replace(knobs, **tile, filters=own * threads, filter_threads=threads, chunk=terms // chunks)


def _threads(w: Conv2dWorkload, knobs: LiftKnobs) -> tuple[int, int]:
    """The threads over a tile's windows, down and along."""
    (span_h, _), (span_w, _) = extents(w)
    rows = (knobs.tile_h - span_h) // w.strides[0] + 1
    columns = (knobs.tile_w - span_w) // w.strides[1] + 1
    return rows // knobs.windows_h, columns // knobs.windows_w


def _by_padding(w: Conv2dWorkload, knobs: LiftKnobs) -> Iterator[LiftKnobs]:
    """Yield the knobs with each way of padding the input."""
    for pad in (KERNEL, LOAD):
        yield replace(knobs, pad=pad)


def _filters(w: Conv2dWorkload) -> int:
    return w.out_channels if is_channelwise(w) else w.out_channels // w.groups
