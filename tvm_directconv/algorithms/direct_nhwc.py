"""direct_nhwc: direct convolution on NHWC without packing the input; zero workspace.

Algorithm A of Barrachina et al., "Reformulating the direct convolution for high-performance deep learning
inference on ARM processors" (section 4.1): NHWC in and out, the filter packed in blocks of nr output
channels, kernels reading rows of the input in place, the KH and KW loops inside the kernel. The paper leaves
stride and padding out. Here stride and dilation only change the distance of rows and taps, and padding is
never materialized: border tiles call kernels that skip the taps outside the image. A depthwise convolution is
the same schedule with kernels that read their own channel.

Work is cut in *strips*, one output row by nr channels. A 1x1 convolution without stride or padding is not
bound to rows: its N*H*W pixels are cut in strips of a width of our choosing.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from intrinsics.isa import Isa
from intrinsics.microkernel import DEPTHWISE, ROW
from tvm_directconv.model.tiling import RowTiles, pixels_kept, tile_heights
from tvm_directconv.problem.extents import is_open
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import CompileTarget, Machine

from .base import Algorithm
from .byte_packing import kernel_isa
from .layer_geometry import flattens
from .open_columns import narrow_rows
from .spans.geometry import SpanTile, spans
from .spans.open_rows import open_tile
from .spans.plan import SpanPlan, choose_spans
from .strips.geometry import Strides, Tile, can_cross, pixels_read
from .strips.plan import StripPlan, strip_plan
from .strips.sharing import evenly_shared

OPEN_TILES = 4
"""A strip has at least so many tiles, where the number of pixels is open."""
PIECES = 8
"""Rows are cut in so many, for threads to share, where there is one block of channels: no panel is read
twice."""


class DirectNhwc(Algorithm[Any]):
    """Everything in NHWC, floats of both precisions and bytes."""

    name = "direct_nhwc"
    needs = "NHWC data"
    of_bytes = True
    of_parts = True
    of_frames = True

    def layouts(self, workload: Conv2dWorkload, target: CompileTarget) -> tuple[str, str]:
        return "NHWC", "NHWC"

    def applies(self, workload: Conv2dWorkload) -> bool:
        return workload.data_layout == workload.out_layout == "NHWC"

    def make_plan(
        self, workload: Conv2dWorkload, target: CompileTarget, knobs: Tile | SpanTile | None
    ) -> StripPlan | SpanPlan:
        isa = kernel_isa(workload, target, DEPTHWISE if workload.is_depthwise else ROW)
        of_spans = isa if workload.quantized else kernel_isa(workload, target, DEPTHWISE)
        if workload.storage.frames is not None:
            # Their channels are in one pass, as the taps that see a frame are not the same for all images.
            tile = knobs if isinstance(knobs, Tile) else choose_tile(workload, isa, target.machine)
            return strip_plan(workload, isa, target.machine, replace(tile, c_ib=0))
        if isinstance(knobs, SpanTile):
            if is_open([workload.width]):
                knobs = open_tile(workload, of_spans, knobs)
            return SpanPlan(workload, of_spans, target.machine, knobs)
        if knobs is not None or not spans(workload, of_spans):
            tile = knobs or choose_tile(workload, isa, target.machine)
            if flattens(workload) and is_open(workload.sizes[1:]):
                tile = replace(tile, strip=open_strip(workload, isa, tile))
            elif is_open([workload.width]):
                nr = open_nr(workload, isa, tile.nr)
                tile = replace(tile, nr=nr, strip=workload.out_width, c_ib=0, across=False)
            return strip_plan(workload, isa, target.machine, tile)
        plan = choose_spans(workload, of_spans, target.machine)
        if workload.is_depthwise:
            return plan
        tile = choose_tile(workload, isa, target.machine)
        strips = strip_plan(workload, isa, target.machine, tile)
        return plan if plan.cost().total < strips.cost().total else strips


ALGORITHMS = (DirectNhwc(),)


def choose_tile(
    workload: Conv2dWorkload,
    isa: Isa,
    machine: Machine,
    bordered: bool = False,
    stored: Strides | None = None,
    nr: int = 0,
) -> Tile:
    """The micro-kernel of the least estimated cost, the narrowest of equals; heights are as many pixels as
    registers allow, or as L1 can keep. ``bordered`` says that the workload's input is a copy made for it, and
    ``stored`` where its elements lie, if the workload does not. Tiles have ``nr`` channels, 0 for any number.
    """
    w = workload
    layout = DEPTHWISE if w.is_depthwise else ROW
    group_out = w.out_channels if w.is_depthwise else w.out_channels // w.groups
    group = isa.channels_per_step(layout)
    steps = w.kernel[0] * w.kernel[1] * (1 if w.is_depthwise else -(-w.in_channels // w.groups // group))
    step_bytes = w.element_bytes * isa.filter_row(1, layout)
    # The estimate says what panels cost that are streamed from beyond L2.
    wide = [nr] if nr else RowTiles(isa, layout, steps).widths(machine, group_out, reused=False)
    kept = pixels_kept(machine, w.element_bytes * w.strides[1] * w.in_channels)
    tallest = w.is_depthwise or isa.tile_rows > 1 or isa.largest_mr(isa.lanes, layout) <= kept
    tiles = [
        replace(
            cache_blocks_of(w, isa, machine, channels, mr, steps * step_bytes * channels, whole),
            across=across,
            bordered=bordered,
        )
        for channels in wide
        for mr in ((0,) if tallest else (0, kept))
        for whole in (False, True)
        for across in ((False, True) if can_cross(w, isa) else (False,))
    ]
    plans = (strip_plan(w, isa, machine, tile, stored) for tile in tiles)
    best = min(plans, key=lambda plan: plan.cost().total)
    return best.knobs if w.is_depthwise else evenly_shared(best)


def open_nr(workload: Conv2dWorkload, isa: Isa, nr: int) -> int:
    """Return the channels of a tile of an open width: fewer where registers hold no narrow row of so many."""
    layout, needed = DEPTHWISE if workload.is_depthwise else ROW, narrow_rows(workload)
    fewer = range(nr - isa.lanes, 0, -isa.lanes)
    return next((n for n in (nr, *fewer) if isa.largest_mr(n, layout) >= needed), nr)


def open_strip(workload: Conv2dWorkload, isa: Isa, tile: Tile) -> int:
    """The pixels of a strip where their number is open: whole tiles, and several, for of one pixel at typical
    sizes there may be many."""
    most = isa.largest_mr(tile.nr, ROW)
    most = min(most, tile.mr or most)
    return most * max(OPEN_TILES, -(-tile.strip // most))


def cache_blocks_of(
    workload: Conv2dWorkload, isa: Isa, machine: Machine, nr: int, mr: int, panel_bytes: int, whole: bool
) -> Tile:
    """Block sizes such that a block of input rows and one filter panel share L2: the panel is read from
    there, and the block once per channel block. Or the ``whole`` input in one block, so that the filter is
    read once."""
    w = workload
    if w.is_depthwise:
        return Tile(nr, w.out_width, 1)
    l2 = machine.cache(2).size_bytes
    room = math.inf if whole else max(l2 // 2 - panel_bytes, l2 // 8)
    # In a network a filter comes from memory.
    reused = w.batch * w.out_height * w.out_width > 1
    group_out = w.out_channels // w.groups
    prefetch = reused and nr < group_out and panel_bytes <= l2
    least_blocks = PIECES if nr >= w.out_channels else 1
    if flattens(w):
        pixels = w.batch * w.height * w.width
        height = tile_heights(pixels, mr or isa.largest_mr(nr, ROW), isa.tile_rows)[0][0]
        tiles = -(-pixels // height)
        per_strip = max(1, int(min(tiles, room / (w.element_bytes * height * w.in_channels))))
        strips = min(tiles, max(least_blocks, -(-tiles // per_strip)))
        return Tile(nr, -(-tiles // strips) * height, 1, prefetch, mr=mr)
    row_bytes = w.element_bytes * w.strides[0] * w.width * w.in_channels * pixels_read(w)
    rows = max(1, int(min(w.out_height, room / row_bytes)))
    blocks = min(w.out_height, max(least_blocks, -(-w.out_height // rows)))
    return Tile(nr, w.out_width, -(-w.out_height // blocks), prefetch, mr=mr)
