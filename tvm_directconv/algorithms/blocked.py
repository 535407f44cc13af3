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

from dataclasses import dataclass, replace

from intrinsics.isa import Isa, best_isa
from intrinsics.microkernel import ROW
from tvm_directconv.model.knobs import KnobSpace
from tvm_directconv.model.tiling import RowTiles
from tvm_directconv.problem.element_types import FLOAT32
from tvm_directconv.problem.workload import Conv2dWorkload, channel_block
from tvm_directconv.targets.target import CompileTarget, Machine

from .base import Algorithm
from .layer_geometry import flattens
from .strips.geometry import Tile
from .strips.knobs import strip_spaces
from .strips.plan import StripPlan

BLOCK = 16
"""Channels per block: a multiple of every instruction set's lanes; wide tiles store to several blocks."""
LAYOUT = f"NCHW{BLOCK}c"
"""The blocked layout activations have between the layers of a network."""


@dataclass(frozen=True)
class BlockedPlan(StripPlan):
    """Strips over blocked activations, with every row in one cache block."""

    def knob_spaces(self, algorithm: str) -> list[KnobSpace]:
        """Passes over input channels are whole blocks."""
        spaces = strip_spaces(self.geometry, algorithm, channel_block(self.workload.out_layout))
        in_block = self.geometry.in_block
        return [replace(space, valid=lambda tile: tile.c_ib % in_block == 0) for space in spaces]


class Blocked(Algorithm[Tile]):
    """Blocked out, anything in; groups that are whole blocks, or several of which make one.

    A depthwise layer's input has to be blocked, or NHWC.
    """

    name = "blocked"
    needs = f"a blocked output such as {LAYOUT} in floats, and groups that fit its blocks"

    def layouts(self, workload: Conv2dWorkload, target: CompileTarget) -> tuple[str, str]:
        """Blocked in and out; an input of less than a block of channels is read as it is."""
        if channel_block(workload.out_layout):
            return workload.data_layout, workload.out_layout
        few = workload.in_channels < BLOCK and not workload.is_depthwise
        return (workload.data_layout if few else LAYOUT), LAYOUT

    def applies(self, workload: Conv2dWorkload) -> bool:
        w = workload
        block = channel_block(w.out_layout)
        if not block or block % BLOCK or w.dtype != FLOAT32:
            return False
        if w.is_depthwise:
            return w.data_layout in (w.out_layout, "NHWC")
        in_block = channel_block(w.data_layout)
        return _fits(w.out_channels // w.groups, block, w.groups) and (
            not in_block or (in_block == block and _fits(w.in_channels // w.groups, block, w.groups))
        )

    def make_plan(self, workload: Conv2dWorkload, target: CompileTarget, knobs: Tile | None) -> BlockedPlan:
        isa = best_isa(target)
        tile = knobs or choose_tile(workload, isa, target.machine)
        return BlockedPlan(workload, isa, target.machine, tile)


ALGORITHMS = (Blocked(),)


def _fits(channels: int, block: int, groups: int) -> bool:
    return groups == 1 or channels % block == 0 or block % channels == 0


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
    room = machine.costs.panel_share_of_l2 * machine.cache(2).size_bytes
    most = int(room / (4 * taps * 2 * isa.lanes)) // block * block
    passes = -(-group_in // max(block, most)) if reused else 1
    c_ib = 0 if passes == 1 else -(-group_in // passes // block) * block
    steps = taps * (c_ib or group_in)
    group_out = w.out_channels // w.groups
    nr = RowTiles(isa, ROW, steps).best(machine, strip, group_out, reused=reused, block=block).nr
    prefetch = reused and not c_ib and nr < group_out and 8 * steps * nr <= machine.cache(2).size_bytes
    return Tile(nr, strip, rows, prefetch, c_ib)
