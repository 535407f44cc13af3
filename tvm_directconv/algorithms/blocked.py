"""blocked: direct convolution on activations in blocks of channels; zero workspace.

Zhang, Franchetti and Low, "High Performance Zero-Memory Overhead Direct Convolutions", algorithm 3 and
section 4: activations in N, C/c, H, W, c (TVM's NCHW16c), the filter in OC/nr, IC/c, KH, KW, c, nr, so that
what the inner loops touch is contiguous; loops over blocks of output channels (in parallel), blocks of input
channels, output rows, tiles of a row, filter taps, channels. Output and input have one layout, so that a
network converts at its edges only, and its first layer reads the image in the layout it comes in.

The paper keeps partial sums in the output while it walks blocks of input channels. Here the micro-kernel
walks as many blocks as fit the cache with the tile in registers, and only layers beyond that take several
passes over the output (``c_ib``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import lru_cache
from typing import Any

from tvm import tirx

from intrinsics.isa import Isa, best_isa
from intrinsics.microkernel import ROW
from tvm_directconv.errors import AlgorithmError
from tvm_directconv.model.cost import Cost
from tvm_directconv.model.knobs import KnobSpace
from tvm_directconv.model.tiling import PANEL_OF_L2, best_nr
from tvm_directconv.problem.workload import Conv2dWorkload, channel_block
from tvm_directconv.targets.target import CompileTarget, Machine

from .base import pack_filter, pack_filter_func
from .lowering import lower
from .strips.plan import StripPlan, Tile, flattens
from .strips.schedule import strip_spaces, te_conv2d, tensorized

NAME = "blocked"
PLEVEL = 10
BLOCK = 16
"""Channels per block: a multiple of every instruction set's lanes; wide tiles store to several blocks."""


def network_layout(target: CompileTarget) -> str:
    """The blocked layout activations have between the layers of a network."""
    return f"NCHW{BLOCK}c"


def layouts(workload: Conv2dWorkload, target: CompileTarget) -> tuple[str, str]:
    """Blocked in and out; an input of less than a block of channels is read as it is."""
    if channel_block(workload.out_layout):
        return workload.data_layout, workload.out_layout
    blocked = network_layout(target)
    few = workload.in_channels < BLOCK and not workload.is_depthwise
    return (workload.data_layout if few else blocked), blocked


def applies(workload: Conv2dWorkload) -> bool:
    """Blocked out, anything in; groups that are whole blocks, or several of which make one.

    A depthwise layer's input has to be blocked, or NHWC.
    """
    w = workload
    block = channel_block(w.out_layout)
    if not block or block % BLOCK or w.quantized:
        return False
    if w.is_depthwise:
        return w.data_layout in (w.out_layout, "NHWC")
    in_block = channel_block(w.data_layout)
    return _fits(w.out_channels // w.groups, block, w.groups) and (
        not in_block or (in_block == block and _fits(w.in_channels // w.groups, block, w.groups))
    )


def _fits(channels: int, block: int, groups: int) -> bool:
    return groups == 1 or channels % block == 0 or block % channels == 0


def compute(workload: Conv2dWorkload, target: CompileTarget, knobs: Tile | None = None) -> tirx.PrimFunc:
    """The convolution in TE, unscheduled: (data, packed filter[, bias][, residual], output).

    ``knobs`` None asks the analytical model, here and in the functions below.
    """
    return te_conv2d(plan_strips(workload, target, knobs))


def schedule(
    func: tirx.PrimFunc, workload: Conv2dWorkload, target: CompileTarget, knobs: Tile | None = None
) -> tirx.PrimFunc:
    """Schedule and tensorize ``compute``'s function, and lower its strips to micro-kernel calls."""
    plan = plan_strips(workload, target, knobs)
    return lower(tensorized(func, plan).mod, plan.expand)


pack = pack_filter
pack_func = pack_filter_func


def workspace_bytes(workload: Conv2dWorkload, target: CompileTarget, knobs: Tile | None = None) -> int:
    """Nothing, whatever the workload."""
    return 0


def cost(workload: Conv2dWorkload, target: CompileTarget, knobs: Tile | None = None) -> Cost:
    """As of direct_nhwc's strips, with every row in one cache block."""
    return plan_strips(workload, target, knobs).cost(target.machine)


def describe(workload: Conv2dWorkload, target: CompileTarget, knobs: Tile | None = None) -> Mapping[str, Any]:
    """The tile parameters in use, for reports."""
    return asdict(plan_strips(workload, target, knobs).tile)


def knob_spaces(workload: Conv2dWorkload, target: CompileTarget) -> list[KnobSpace]:
    """What a tuner may choose, by micro-kernel; passes over input channels are whole blocks."""
    plan = plan_strips(workload, target)
    block = channel_block(workload.out_layout)
    return [
        replace(space, valid=lambda tile: tile.c_ib % plan.in_block == 0)
        for space in strip_spaces(plan, NAME, block)
    ]


@lru_cache(maxsize=1024)
def plan_strips(workload: Conv2dWorkload, target: CompileTarget, knobs: Tile | None = None) -> StripPlan:
    if not applies(workload):
        raise AlgorithmError(
            f"{NAME} needs a blocked output such as NCHW{BLOCK}c, and groups that fit its blocks; the "
            f"workload is {workload}"
        )
    isa = best_isa(target.features)
    return StripPlan(workload, isa, knobs or choose_tile(workload, isa, target.machine))


def choose_tile(workload: Conv2dWorkload, isa: Isa, machine: Machine) -> Tile:
    """Kernel width by the tiling model; all rows for one block of output channels before the next; as many
    input channels in a pass as keep a panel two vectors wide in L2."""
    w = workload
    block = channel_block(w.out_layout)
    reused = w.batch * w.out_height * w.out_width > 1
    flat = flattens(w)
    pixels = w.height * w.width
    strip, rows = (pixels, 1) if flat else (w.out_width, w.out_height)
    if w.is_depthwise:
        return Tile(block, w.out_width, w.out_height)
    taps, group_in = w.kernel[0] * w.kernel[1], w.in_channels // w.groups
    room = PANEL_OF_L2 * machine.cache(2).size_bytes
    most = int(room / (4 * taps * 2 * isa.lanes)) // block * block
    passes = -(-group_in // max(block, most)) if reused else 1
    c_ib = 0 if passes == 1 else -(-group_in // passes // block) * block
    steps = taps * (c_ib or group_in)
    group_out = w.out_channels // w.groups
    nr = best_nr(isa, machine, strip, group_out, ROW, steps, reused=reused, block=block)
    prefetch = reused and not c_ib and nr < group_out and 8 * steps * nr <= machine.cache(2).size_bytes
    return Tile(nr, strip, rows, prefetch, c_ib)
