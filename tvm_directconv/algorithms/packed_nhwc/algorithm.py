"""packed_nhwc: direct convolution on NHWC that packs a small block of the input; a workspace of that block.

Algorithm B of Barrachina et al., "Reformulating the direct convolution for high-performance deep learning
inference on ARM processors" (section 4.2): NHWC in and out; inside the loop over filter columns a block of
w_ob pixels by c_ib channels is packed in micro-panels of mr pixels, which micro-kernels of a matrix product
read with unit stride. Their output tile is loaded, updated and stored in every pass, of which each filter tap
makes one per block of input channels. Stride, dilation and padding are the packing's affair; taps wholly
outside the image are skipped.

Loops, from the outside: rows in parallel, blocks of c_ob, blocks of c_ib, rows, blocks of w_ob, kh, kw; here
the block is packed; panels of the filter, panels of the block.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace
from functools import cached_property

from tvm import te, tirx
from tvm.s_tir import Schedule

from intrinsics.isa import Isa, best_isa
from intrinsics.microkernel import PANEL, MicroKernel
from tvm_directconv.model.blocking import cache_blocks
from tvm_directconv.model.cost import FLOAT_BYTES, Cost
from tvm_directconv.model.knobs import KnobSpace, divisions, with_choice
from tvm_directconv.model.tiling import tile_heights
from tvm_directconv.problem.element_types import FLOAT32
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import CompileTarget, Machine

from ..base import Algorithm, KernelPlan
from ..layer_geometry import flattens
from ..lowering import Expansions, Workspace
from . import calls
from .compute import te_packed, tensorize
from .cost import packed_cost
from .geometry import Blocks, PackedGeometry

NEAR = 1.02
"""Estimates closer than this count as equal: then tiles decide that load least, and small workspaces."""
PIECES = 8
"""Pieces of parallel work to leave, if there can be so many."""
SHARING_ROWS = 8
"""Rows that a block of the filter is worth fetching for; more gained nothing."""


@dataclass(frozen=True)
class PackedPlan(KernelPlan[Blocks]):
    """A convolution by packed blocks. Its workspace is min(w_ob, OW) x min(c_ib, IC) elements per thread
    (Barrachina et al., section 5.5), where IC are a group's channels, and OW all pixels of a 1x1 convolution
    whose rows are one."""

    @cached_property
    def geometry(self) -> PackedGeometry:
        return PackedGeometry(self.workload, self.isa, self.knobs)

    def stages(self, data: te.Tensor, source: te.Tensor, outer: Conv2dWorkload) -> tirx.PrimFunc:
        return te_packed(self.geometry, data, source, outer)

    def tensorize(self, sch: Schedule) -> None:
        tensorize(sch, self.geometry)

    @property
    def expansions(self) -> Expansions:
        g = self.geometry
        return {
            g.pack_panels: lambda block: calls.pack(g, block),
            g.panel_gemm: lambda block: calls.multiply(g, block),
        }

    @property
    def workspaces(self) -> list[Workspace]:
        return [self.geometry.workspace]

    @property
    def packed_filter_shape(self) -> tuple[int, ...]:
        return self.geometry.packed_filter_shape

    @property
    def sums_in_order(self) -> bool:
        return super().sums_in_order or self.geometry.in_blocks == 1

    def cost(self) -> Cost:
        return self._cost

    @cached_property
    def _cost(self) -> Cost:
        return packed_cost(self.geometry, self.machine)

    def knob_spaces(self, algorithm: str) -> list[KnobSpace]:
        """Blocks of whole tiles, of about equal size, whose packed input fits L2."""
        g, isa = self.geometry, self.isa
        spaces = []
        for vectors in range(1, min(isa.most_vectors, -(-g.group_out // isa.lanes)) + 1):
            nr = vectors * isa.lanes
            mr = min(isa.largest_mr(nr, PANEL), g.out_width)
            if not mr:
                continue
            tiles, panels = -(-g.out_width // mr), -(-g.group_out // nr)
            choices = {
                "w_ob": tuple(min(g.out_width, mr * count) for count in divisions(tiles)),
                "c_ib": divisions(g.group_in, (1, 2, 4, 8, 16)),
                "c_ob": tuple(nr * count for count in divisions(panels, (1, 2, 4, 8))),
                "rows": divisions(g.lines, (1, 2, 4, 8, 16, 32)),
            }
            fixed = {"mr": mr, "nr": nr}
            valid = functools.partial(_fits, self.machine.cache(2).size_bytes)
            spaces.append(KnobSpace(algorithm, f"{mr}x{nr}", Blocks, fixed, choices, valid))
        return with_choice(spaces, algorithm, f"{self.knobs.mr}x{self.knobs.nr}", self.knobs)


def _fits(l2: int, knobs: Blocks) -> bool:
    return FLOAT_BYTES * knobs.w_ob * knobs.c_ib <= l2


class PackedNhwc(Algorithm[Blocks]):
    """Everything in NHWC but depthwise layers: without a sum over channels, packing costs what it saves."""

    name = "packed_nhwc"
    of_parts = True
    needs = "NHWC data and does no depthwise layers"

    def layouts(self, workload: Conv2dWorkload, target: CompileTarget) -> tuple[str, str]:
        return "NHWC", "NHWC"

    def applies(self, workload: Conv2dWorkload) -> bool:
        w = workload
        return w.dtype == FLOAT32 and w.data_layout == w.out_layout == "NHWC" and not w.is_depthwise

    def make_plan(self, workload: Conv2dWorkload, target: CompileTarget, knobs: Blocks | None) -> PackedPlan:
        isa = best_isa(target)
        blocks = knobs or choose_blocks(workload, isa, target.machine)
        return PackedPlan(workload, isa, target.machine, blocks)


ALGORITHMS = (PackedNhwc(),)


# ---- what the analytical model chooses


def choose_blocks(workload: Conv2dWorkload, isa: Isa, machine: Machine) -> Blocks:
    """Choose blocks: of the kernels' widths, and for each of several sizes of blocks within those of the
    cache model, what is estimated to take the fewest cycles; of those near it the one whose kernel loads
    least for a multiply-add, 8x12 on Neon as in the paper, with the smallest workspace."""
    w = workload
    group_in, group_out = w.in_channels // w.groups, w.out_channels // w.groups
    width = w.batch * w.height * w.width if flattens(w) else w.out_width
    plans = []
    for nr in isa.widths(group_out):
        most = isa.largest_mr(nr, PANEL)
        if not most:
            continue
        model = cache_blocks(machine, min(most, width), nr)
        # Whole squares of the packing's, and blocks of about the same size.
        in_blocks = -(-group_in // (max(model.c_ib // isa.lanes, 1) * isa.lanes))
        c_ib = min(group_in, -(-group_in // in_blocks // isa.lanes) * isa.lanes)
        for w_ob in block_widths(width, most, model.w_ob):
            mr = tile_heights(w_ob, most)[0][0]
            for c_ob in block_filters(w, machine, c_ib, nr, model.c_ob or group_out):
                knobs = Blocks(mr, nr, w_ob, c_ib, c_ob, 1)
                plans.append(PackedPlan(w, isa, machine, knobs))
    estimates = [(plan.cost().total, plan) for plan in plans]
    least = min(cycles for cycles, _ in estimates)
    near = [(cycles, plan) for cycles, plan in estimates if cycles <= NEAR * least]
    cycles, best = min(near, key=lambda near: (_loads(near[1]), near[1].geometry.workspace.elements, near[0]))
    # A layer all of whose taps lie outside the image is estimated at nothing.
    return replace(best.knobs, rows=rows_together(best, max(1.0, cycles)))


def _loads(plan: PackedPlan) -> float:
    """The loads of the kernel for each of its multiplications, in hundredths."""
    kernel = MicroKernel(plan.knobs.mr, plan.knobs.nr, PANEL, plan.isa.name)
    return round(plan.isa.loads_per_step(kernel) / plan.isa.multiplications_per_step(kernel), 2)


def block_widths(width: int, most: int, model: int) -> list[int]:
    """One tile, two, four, ... up to the model's block, and the whole width where that is no more."""
    widths = {min(width, most << doublings) for doublings in range(model.bit_length())}
    return sorted(extent for extent in widths if extent <= max(model, most))


def block_filters(workload: Conv2dWorkload, machine: Machine, c_ib: int, nr: int, model: int) -> set[int]:
    """The model's c_ob, and what of it keeps the filter's block in L2 for all rows."""
    group_out = workload.out_channels // workload.groups
    panel = FLOAT_BYTES * workload.kernel[0] * workload.kernel[1] * c_ib * nr
    in_l2 = max(1, int(machine.costs.panel_share_of_l2 * machine.cache(2).size_bytes) // panel) * nr
    return {min(extent, model, -(-group_out // nr) * nr) for extent in (in_l2, model)}


def rows_together(plan: PackedPlan, cycles: float) -> int:
    """Rows of one piece of parallel work: enough to share a block of the filter where several take turns,
    and to be worth a thread's while; but not so many that too few pieces are left."""
    g = plan.geometry
    pieces = g.batch * g.workload.groups * (g.loop_filters // g.block_filters)
    shared = SHARING_ROWS if g.in_blocks > 1 or g.block_filters < g.filters else 1
    rows = max(shared, math.ceil(plan.machine.costs.least_parallel_cycles * g.lines * pieces / cycles))
    rows = max(1, min(rows, g.lines * pieces // PIECES, g.lines))
    return -(-g.lines // -(-g.lines // rows))
