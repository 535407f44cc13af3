"""Blocks of algorithm B: their geometry, what they cost, and how they are expanded into calls."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property

from tvm import tirx
from tvm.s_tir import SBlock

from intrinsics.isa import Isa
from intrinsics.microkernel import PANEL, MicroKernel
from tvm_directconv.algorithms.branches import either as either
from tvm_directconv.algorithms.lowering import Workspace
from tvm_directconv.algorithms.strips.plan import flattens, taps_inside
from tvm_directconv.model.cost import FLOAT_BYTES, STREAMED, Cost, level_holding, traffic_cycles
from tvm_directconv.model.tiling import tile_cycles
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import Machine

from .calls import Expansion

SUM_CYCLES, SUM_CALL_CYCLES = 0.6, 20.0
"""Per vector of partial sums loaded and stored again, and per call, so far as the sum itself does not hide
it; measured: 23 to 50 for 28 vectors, and 5 % more for three tiles of 5x64 than for one of 14x32."""
PACKING_CALL_CYCLES = 15
"""Of packing a panel, whatever its size; measured on panels of 3 channels."""
HIDDEN_PACKING = 0.25
"""Share of a panel's packing that runs beside the micro-kernel before it, in the first panel of a block."""
STREAMED_PANELS = 0.2
"""Share of a transfer of filter panels that is waited for, relative to others: they come in the order of
their addresses, and prefetching finds them. Each begins with half a latency."""


@dataclass(frozen=True)
class Blocks:
    """The knobs: micro-kernels of ``mr`` output pixels by ``nr`` output channels; blocks of ``w_ob`` pixels
    of a row, ``c_ib`` input channels and ``c_ob`` output channels; ``rows`` output rows that go through all
    blocks of input channels before the next rows do, and through all of a thread's work together."""

    mr: int
    nr: int
    w_ob: int
    c_ib: int
    c_ob: int
    rows: int


@dataclass(frozen=True)
class PackedPlan:
    """One workload cut in blocks.

    A 1x1 convolution without stride or padding has no rows: its N * H * W pixels are cut in lines of w_ob.
    """

    workload: Conv2dWorkload
    isa: Isa
    knobs: Blocks

    # ---- extents, those of the loops rounded up to whole blocks

    @cached_property
    def flattened(self) -> bool:
        return flattens(self.workload)

    @property
    def batch(self) -> int:
        return 1 if self.flattened else self.workload.batch

    @property
    def out_width(self) -> int:
        """Pixels that blocks of w_ob are cut from."""
        w = self.workload
        return w.batch * w.height * w.width if self.flattened else w.out_width

    @property
    def w_ob(self) -> int:
        return min(self.knobs.w_ob, self.out_width)

    @property
    def w_blocks(self) -> int:
        """Per line."""
        return 1 if self.flattened else -(-self.out_width // self.w_ob)

    @property
    def lines(self) -> int:
        return -(-self.out_width // self.w_ob) if self.flattened else self.workload.out_height

    @property
    def rows(self) -> int:
        return min(self.knobs.rows, self.lines)

    @property
    def loop_lines(self) -> int:
        return -(-self.lines // self.rows) * self.rows

    @property
    def panels(self) -> int:
        """Micro-panels per block of pixels."""
        return -(-self.w_ob // self.knobs.mr)

    @property
    def group_in(self) -> int:
        return self.workload.in_channels // self.workload.groups

    @property
    def group_out(self) -> int:
        return self.workload.out_channels // self.workload.groups

    @property
    def c_ib(self) -> int:
        return min(self.knobs.c_ib, self.group_in)

    @property
    def in_blocks(self) -> int:
        return -(-self.group_in // self.c_ib)

    @property
    def filters(self) -> int:
        """Micro-panels of the filter, per group."""
        return -(-self.group_out // self.knobs.nr)

    @property
    def block_filters(self) -> int:
        """Micro-panels of the filter per block of c_ob."""
        return min(self.filters, max(1, self.knobs.c_ob // self.knobs.nr))

    @property
    def loop_filters(self) -> int:
        return -(-self.filters // self.block_filters) * self.block_filters

    @property
    def packed_filter_shape(self) -> tuple[int, ...]:
        """[OC / nr, KH, KW, IC / groups, nr]."""
        w = self.workload
        return w.groups * self.filters, *w.kernel, self.group_in, self.knobs.nr

    @cached_property
    def workspace(self) -> Workspace:
        """The packed block: w_ob x c_ib elements, none of them padding."""
        return Workspace("panel", self.w_ob * self.c_ib)

    def expand(self, func: tirx.PrimFunc, block: SBlock) -> tirx.Stmt:
        """Calls for one tensorized block: panels to pack, or tiles to compute."""
        return Expansion(self, func, block).statement()

    def cost(self, machine: Machine) -> Cost:
        """Tiles as in one pass, and beside it every further pass's load and store of them; packing; all of
        these less the taps outside the image; lines of the filter, of partial sums and of the input from
        where they lie."""
        w, k, lanes = self.workload, self.knobs, self.isa.lanes
        taps = w.kernel[0] * w.kernel[1]
        passes = taps * self.in_blocks
        c_blocks = self.loop_filters // self.block_filters
        tiles = self._tiles()
        widths = Counter(min(k.nr, self.group_out - i * k.nr) for i in range(self.filters))

        arithmetic = overhead = 0.0
        for rows, count in tiles.items():
            for channels, times in widths.items():
                kernel = MicroKernel(rows, -(-channels // lanes) * lanes, PANEL, self.isa.name)
                calls = w.groups * count * times
                arithmetic += calls * tile_cycles(self.isa, machine, kernel, taps * self.group_in)
                sums = SUM_CALL_CYCLES + SUM_CYCLES * rows * kernel.nr / lanes
                overhead += calls * (passes - 1) * sums
        elements = sum(rows * count for rows, count in tiles.items()) * taps * w.in_channels
        panels = sum(tiles.values()) * passes * w.groups
        packing = c_blocks * (elements * packing_cycles(self.isa) + panels * PACKING_CALL_CYCLES)
        packing *= 1 - HIDDEN_PACKING / self.panels

        c_ob = min(self.group_out, self.block_filters * k.nr)
        visits = self.batch * self.lines * self.w_blocks * w.groups * self.in_blocks * c_blocks
        filter_bytes = FLOAT_BYTES * taps * self.c_ib * c_ob
        input_bytes, output_bytes = (FLOAT_BYTES * math.prod(s) for s in (w.input_shape, w.output_shape))
        a_bytes, c_bytes = (FLOAT_BYTES * self.w_ob * extent for extent in (self.c_ib, c_ob))
        of_panel = FLOAT_BYTES * self.c_ib * k.nr
        moved: defaultdict[int, float] = defaultdict(float)
        filter_level = level_holding(machine, filter_bytes + a_bytes + c_bytes)
        moved[filter_level] += STREAMED_PANELS * visits * filter_bytes
        all_filters = FLOAT_BYTES * math.prod(self.packed_filter_shape)
        moved[level_holding(machine, all_filters + input_bytes)] += STREAMED * all_filters
        moved[level_holding(machine, a_bytes + c_bytes + of_panel)] += 2 * visits * taps * c_bytes
        moved[level_holding(machine, input_bytes)] += c_blocks * input_bytes
        moved[level_holding(machine, output_bytes)] += self.in_blocks * output_bytes
        moved.pop(1, None)
        starts = 0.0
        if 1 < filter_level <= len(machine.caches):
            latency = machine.cache(filter_level).latency_cycles
            starts = visits * taps * self.block_filters * latency / 2
        inside = taps_inside(w)
        traffic = traffic_cycles(machine, moved) + starts
        return Cost(inside * arithmetic, inside * packing, traffic, inside * overhead)

    def _tiles(self) -> Counter[int]:
        """Heights of the tiles of all lines, and how many there are of each."""
        tiles: Counter[int] = Counter()
        repeated = 1 if self.flattened else self.batch * self.lines
        for start in range(0, self.out_width, self.w_ob):
            whole, rest = divmod(min(self.w_ob, self.out_width - start), self.knobs.mr)
            tiles[self.knobs.mr] += repeated * whole
            tiles[rest] += repeated
        del tiles[0]
        return tiles


def packing_cycles(isa: Isa) -> float:
    """Cycles per element packed; measured on panels of 6 to 16 rows from L1, on 16, 8 and 4 lanes."""
    return 0.05 + 0.85 / isa.lanes
