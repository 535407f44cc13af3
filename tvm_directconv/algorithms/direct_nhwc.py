"""direct_nhwc: direct convolution on NHWC without packing the input; zero workspace.

Algorithm A of Barrachina et al., "High performance and energy efficient direct convolutions" (section 4.1):
NHWC in and out, the filter packed in blocks of nr output channels, kernels reading rows of the input in
place, the KH and KW loops inside the kernel. The paper leaves stride and padding out. Here stride and
dilation only change the distance of rows and taps, and padding is never materialized: border tiles call
kernels that skip the taps outside the image. A depthwise convolution is the same schedule with kernels that
read their own channel.

Work is cut in *strips*, one output row by nr channels. A 1x1 convolution without stride or padding has no
rows: its N*H*W pixels are cut in strips of a width of our choosing.
"""

from __future__ import annotations

import math
from dataclasses import asdict
from functools import lru_cache
from typing import Any

import numpy as np
from tvm import tirx

from intrinsics.isa import Isa, best_isa
from intrinsics.microkernel import DEPTHWISE, ROW
from tvm_directconv.errors import AlgorithmError
from tvm_directconv.model.cost import Cost
from tvm_directconv.model.knobs import KnobSpace
from tvm_directconv.model.tiling import cover_row, pixels_kept, widths
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import CompileTarget, Machine

from .base import pack_filter, pack_filter_func
from .lowering import lower
from .strips.bytes import ByteStripPlan, byte_isa, pack_byte_filter, te_byte_conv2d
from .strips.plan import StripPlan, Tile, flattens, pixels_read
from .strips.schedule import strip_spaces, te_conv2d, tensorized

NAME = "direct_nhwc"
PLEVEL = 10
PIECES = 8
"""That rows are cut in for threads to share where there is one block of channels: no panel is read twice."""


def layouts(workload: Conv2dWorkload, target: CompileTarget) -> tuple[str, str]:
    """NHWC in and out."""
    return "NHWC", "NHWC"


def applies(workload: Conv2dWorkload) -> bool:
    """Whether this algorithm computes the workload: everything in NHWC."""
    return workload.data_layout == workload.out_layout == "NHWC"


def compute(workload: Conv2dWorkload, target: CompileTarget, knobs: Tile | None = None) -> tirx.PrimFunc:
    """The convolution in TE, unscheduled: (data, packed filter[, bias][, residual], output).

    ``knobs`` None asks the analytical model, here and in the functions below.
    """
    plan = plan_strips(workload, target, knobs)
    return te_byte_conv2d(plan) if isinstance(plan, ByteStripPlan) else te_conv2d(plan)


def schedule(
    func: tirx.PrimFunc, workload: Conv2dWorkload, target: CompileTarget, knobs: Tile | None = None
) -> tirx.PrimFunc:
    """Schedule and tensorize ``compute``'s function, and lower its strips to micro-kernel calls."""
    plan = plan_strips(workload, target, knobs)
    return lower(tensorized(func, plan).mod, plan.expand)


def pack(workload: Conv2dWorkload, packed_shape: tuple[int, ...], weights: np.ndarray) -> np.ndarray:
    """The filter in blocks of nr output channels; of bytes, also in groups of input channels."""
    packing = pack_byte_filter if workload.quantized else pack_filter
    return packing(workload, packed_shape, weights)


pack_func = pack_filter_func


def bias_table(
    workload: Conv2dWorkload,
    target: CompileTarget,
    weights: np.ndarray,
    bias: np.ndarray | None,
    knobs: Tile | None = None,
) -> np.ndarray:
    """The third operand of a quantized workload's function."""
    plan = plan_strips(workload, target, knobs)
    assert isinstance(plan, ByteStripPlan)
    return plan.table(weights, bias)


def workspace_bytes(workload: Conv2dWorkload, target: CompileTarget, knobs: Tile | None = None) -> int:
    """Nothing, whatever the workload."""
    return 0


def cost(workload: Conv2dWorkload, target: CompileTarget, knobs: Tile | None = None) -> Cost:
    """Tiles of whole rows; filter panels from L2 once per row block, the input once per channel block."""
    plan = plan_strips(workload, target, knobs)
    return plan.cost(target.machine)


def describe(workload: Conv2dWorkload, target: CompileTarget, knobs: Tile | None = None) -> dict[str, Any]:
    """The tile parameters in use, for reports."""
    return asdict(plan_strips(workload, target, knobs).tile)


def knob_spaces(workload: Conv2dWorkload, target: CompileTarget) -> list[KnobSpace]:
    """What a tuner may choose, by micro-kernel."""
    return strip_spaces(plan_strips(workload, target), NAME)


@lru_cache(maxsize=1024)
def plan_strips(workload: Conv2dWorkload, target: CompileTarget, knobs: Tile | None = None) -> StripPlan:
    if not applies(workload):
        raise AlgorithmError(f"{NAME} needs NHWC data; the workload is {workload}")
    if workload.quantized is None:
        isa = best_isa(target.features)
        return StripPlan(workload, isa, knobs or choose_tile(workload, isa, target.machine))
    isa = byte_isa(workload, target.features, DEPTHWISE if workload.is_depthwise else ROW)
    return ByteStripPlan(workload, isa, knobs or choose_tile(workload, isa, target.machine))


# ---- what the analytical model chooses


def choose_tile(workload: Conv2dWorkload, isa: Isa, machine: Machine) -> Tile:
    """The micro-kernel of the least estimated cost, the narrowest of equals; heights are as many pixels as
    registers allow, or as L1 can keep."""
    w = workload
    layout = DEPTHWISE if w.is_depthwise else ROW
    group_out = w.out_channels if w.is_depthwise else w.out_channels // w.groups
    group = isa.channels_per_step(layout)
    steps = w.kernel[0] * w.kernel[1] * (1 if w.is_depthwise else -(-w.in_channels // w.groups // group))
    step_bytes = w.element_bytes * group
    reused = w.batch * w.out_height * w.out_width > 1
    wide = widths(isa, machine, group_out, layout, steps, reused=reused, step_bytes=step_bytes)
    kept = pixels_kept(machine, w.element_bytes * w.strides[1] * w.in_channels)
    tiles = [
        cache_blocks_of(w, isa, machine, nr, mr, steps * step_bytes * nr, whole)
        for nr in wide
        for mr in ((0,) if w.is_depthwise or isa.largest_mr(isa.lanes, layout) <= kept else (0, kept))
        for whole in (False, True)
    ]
    plan = StripPlan if w.quantized is None else ByteStripPlan
    return min(tiles, key=lambda tile: plan(w, isa, tile).cost(machine).total)


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
    # In a network a filter comes from memory. Two panels that do not fit L2 would evict each other.
    reused = w.batch * w.out_height * w.out_width > 1
    group_out = w.out_channels // w.groups
    prefetch = reused and nr < group_out and 2 * panel_bytes <= l2
    least_blocks = PIECES if nr >= w.out_channels else 1
    if flattens(w):
        pixels = w.batch * w.height * w.width
        height = cover_row(pixels, mr or isa.largest_mr(nr, ROW))[0].mr
        tiles = -(-pixels // height)
        per_strip = max(1, int(min(tiles, room / (w.element_bytes * height * w.in_channels))))
        strips = min(tiles, max(least_blocks, -(-tiles // per_strip)))
        return Tile(nr, -(-tiles // strips) * height, 1, prefetch, mr=mr)
    row_bytes = w.element_bytes * w.strides[0] * w.width * w.in_channels * pixels_read(w)
    rows = max(1, int(min(w.out_height, room / row_bytes)))
    blocks = min(w.out_height, max(least_blocks, -(-w.out_height // rows)))
    return Tile(nr, w.out_width, -(-w.out_height // blocks), prefetch, mr=mr)
