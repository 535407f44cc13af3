"""packed_nhwc: direct convolution on NHWC that packs a small block of the input; a workspace of that block.

Algorithm B of Barrachina et al., "High performance and energy efficient direct convolutions" (section 4.2):
NHWC in and out; inside the loop over filter columns a block of w_ob pixels by c_ib channels is packed in
micro-panels of mr pixels, which micro-kernels of a matrix product read with unit stride. Their output tile is
loaded, updated and stored in every pass, of which each filter tap makes one per block of input channels.
Stride, dilation and padding are the packing's affair; taps wholly outside the image are skipped.

Loops, from the outside: rows in parallel, blocks of c_ob, blocks of c_ib, rows, blocks of w_ob, kh, kw; here
the block is packed; panels of the filter, panels of the block.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any

from tvm import te, tirx
from tvm.s_tir import Schedule

from intrinsics.isa import Isa, best_isa
from intrinsics.microkernel import PANEL
from intrinsics.tensorize import Intrinsic
from tvm_directconv.algorithms.base import pack_filter, pack_filter_func
from tvm_directconv.algorithms.lowering import lower
from tvm_directconv.algorithms.strips.plan import flattens
from tvm_directconv.errors import AlgorithmError
from tvm_directconv.model.blocking import cache_blocks
from tvm_directconv.model.cost import FLOAT_BYTES, Cost
from tvm_directconv.model.knobs import KnobSpace, divisions, with_choice
from tvm_directconv.model.tiling import MAX_VECTORS, PANEL_OF_L2, cover_row
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import CompileTarget, Machine

from .plan import Blocks, PackedPlan

NAME = "packed_nhwc"
PLEVEL = 10
NEAR = 1.01
"""Estimates closer than this count as equal; measured, narrow tiles and small blocks then rather win."""
PIECES = 8
"""Of parallel work, to leave if there can be so many."""
PIECE_CYCLES = 50_000
"""Next to which allocating the workspace and beginning a piece are little."""
SHARING_ROWS = 8
"""Rows a block of the filter is worth fetching for; more gained nothing."""


@dataclass(frozen=True)
class PackPanels(Intrinsic):
    """``C[p, k, m] = A[(p * M + m) * stride, k]``: pixels of ``k`` channels become ``panels`` micro-panels of
    ``m`` each."""

    panels: int
    k: int
    m: int
    stride: int

    kind = "pack_panels"

    def loops(self) -> Mapping[str, tuple[str, int]]:
        return {"p": ("S", self.panels), "k": ("S", self.k), "m": ("S", self.m)}

    def operands(self) -> Mapping[str, tuple[int, ...]]:
        pixels = (self.panels * self.m - 1) * self.stride + 1
        return {"A": (pixels, self.k), "C": (self.panels, self.k, self.m)}

    def statement(self, v: Mapping[str, str]) -> str:
        x = f"({v['p']} * {self.m} + {v['m']}) * {self.stride}"
        return f"C[{v['p']}, {v['k']}, {v['m']}] = A[{x}, {v['k']}]"


@dataclass(frozen=True)
class PanelGemm(Intrinsic):
    """``C[b, p, m, n] += sum_k A[p, k, m] * B[b, k, n]``: ``panels`` micro-panels by ``filters`` of the
    filter's."""

    filters: int
    panels: int
    m: int
    n: int
    k: int

    kind = "panel_gemm"

    def loops(self) -> Mapping[str, tuple[str, int]]:
        axes = {"b": ("S", self.filters), "p": ("S", self.panels)}
        return axes | {"m": ("S", self.m), "n": ("S", self.n), "k": ("R", self.k)}

    def operands(self) -> Mapping[str, tuple[int, ...]]:
        return {
            "A": (self.panels, self.k, self.m),
            "B": (self.filters, self.k, self.n),
            "C": (self.filters, self.panels, self.m, self.n),
        }

    def statement(self, v: Mapping[str, str]) -> str:
        c = f"C[{v['b']}, {v['p']}, {v['m']}, {v['n']}]"
        a, b = f"A[{v['p']}, {v['k']}, {v['m']}]", f"B[{v['b']}, {v['k']}, {v['n']}]"
        return f"{c} = {c} + {a} * {b}"


def layouts(workload: Conv2dWorkload, target: CompileTarget) -> tuple[str, str]:
    """NHWC in and out."""
    return "NHWC", "NHWC"


def applies(workload: Conv2dWorkload) -> bool:
    """Everything in NHWC but depthwise layers: without a sum over channels, packing costs what it saves."""
    w = workload
    return not w.quantized and w.data_layout == w.out_layout == "NHWC" and not w.is_depthwise


def compute(workload: Conv2dWorkload, target: CompileTarget, knobs: Blocks | None = None) -> tirx.PrimFunc:
    """The convolution in TE, unscheduled: (data, packed filter[, bias][, residual], output).

    Stages view (the input padded, by groups), panel (micro-panels per filter tap), filter_view (the filter
    rounded up to whole blocks), conv, epilogue. ``knobs`` None asks the analytical model, here and in the
    functions below.
    """
    plan = plan_blocks(workload, target, knobs)
    w, k = workload, plan.knobs
    data = te.placeholder(w.input_shape, w.dtype, name="data")
    packed = te.placeholder(plan.packed_filter_shape, w.dtype, name="packed_filter")
    bias = te.placeholder((w.out_channels,), w.dtype, name="bias")
    residual = te.placeholder(w.output_shape, w.dtype, name="residual")
    (stride_h, stride_w), (dilation_h, dilation_w) = w.strides, w.dilation
    top, left, _, _ = w.padding
    zero = tirx.const(0, w.dtype)
    depth, columns = plan.in_blocks * plan.c_ib, plan.panels * k.mr

    def padded(n: tirx.Var, y: tirx.Var, g: tirx.Var, x: tirx.Var, c: tirx.Var) -> tirx.Expr:
        if plan.flattened:
            pixel = y * plan.w_ob + x
            inside = pixel < plan.out_width
            image, y, x = pixel // (w.height * w.width), pixel // w.width % w.height, pixel % w.width
        else:
            image, y, x = n, y - top, x - left
            inside = tirx.all(y >= 0, y < w.height, x >= 0, x < w.width)
        value = data(image, y, x, g * plan.group_in + c)
        return tirx.if_then_else(tirx.all(inside, c < plan.group_in), value, zero)

    height = (plan.loop_lines - 1) * stride_h + (w.kernel[0] - 1) * dilation_h + 1
    width = ((plan.w_blocks - 1) * plan.w_ob + columns - 1) * stride_w + (w.kernel[1] - 1) * dilation_w + 1
    view = te.compute((plan.batch, height, w.groups, width, depth), padded, name="view")

    def micro_panel(
        n: tirx.Var, y: tirx.Var, xo: tirx.Var, kh: tirx.Var, kw: tirx.Var, g: tirx.Var, p: tirx.Var,
        c: tirx.Var, m: tirx.Var,
    ) -> tirx.Expr:  # fmt: skip
        x = xo * plan.w_ob + p * k.mr + m
        return view[n, y * stride_h + kh * dilation_h, g, x * stride_w + kw * dilation_w, c]

    panel_shape = (plan.batch, plan.loop_lines, plan.w_blocks, *w.kernel, w.groups, plan.panels, depth, k.mr)
    panel = te.compute(panel_shape, micro_panel, name="panel")

    def rounded(g: tirx.Var, kh: tirx.Var, kw: tirx.Var, b: tirx.Var, c: tirx.Var, i: tirx.Var) -> tirx.Expr:
        inside = tirx.all(b < plan.filters, c < plan.group_in)
        return tirx.if_then_else(inside, packed[g * plan.filters + b, kh, kw, c, i], zero)

    filter_shape = (w.groups, *w.kernel, plan.loop_filters, depth, k.nr)
    filters = te.compute(filter_shape, rounded, name="filter_view")

    rh = te.reduce_axis((0, w.kernel[0]), name="kh")
    rw = te.reduce_axis((0, w.kernel[1]), name="kw")
    rc = te.reduce_axis((0, depth), name="ic")
    conv = te.compute(
        (plan.batch, plan.loop_lines, w.groups, plan.w_blocks, plan.loop_filters, plan.panels, k.mr, k.nr),
        lambda n, y, g, xo, b, p, m, i: te.sum(
            panel[n, y, xo, rh, rw, g, p, rc, m] * filters[g, rh, rw, b, rc, i], axis=[rh, rw, rc]
        ),
        name="conv",
    )

    def finished(n: tirx.Var, y: tirx.Var, x: tirx.Var, oc: tirx.Var) -> tirx.Expr:
        at = (n, y, x, oc)
        if plan.flattened:
            pixel = (n * w.out_height + y) * w.out_width + x
            n, y, x = tirx.IntImm("int32", 0), pixel // plan.w_ob, pixel % plan.w_ob
        group, within = oc // plan.group_out, oc % plan.group_out
        xo, xi = x // plan.w_ob, x % plan.w_ob
        value = conv[n, y, group, xo, within // k.nr, xi // k.mr, xi % k.mr, within % k.nr]
        value = value + bias[oc] if w.epilogue.bias else value
        value = value + residual(*at) if w.epilogue.residual else value
        value = tirx.max(value, tirx.const(w.epilogue.low, w.dtype))
        return tirx.min(value, tirx.const(w.epilogue.high, w.dtype))

    output = te.compute(w.output_shape, finished, name="epilogue")
    extra = [t for t, used in ((bias, w.epilogue.bias), (residual, w.epilogue.residual)) if used]
    return te.create_prim_func([data, packed, *extra, output])


def schedule(
    func: tirx.PrimFunc, workload: Conv2dWorkload, target: CompileTarget, knobs: Blocks | None = None
) -> tirx.PrimFunc:
    """Schedule and tensorize ``compute``'s function, and lower it to packing and micro-kernel calls."""
    plan = plan_blocks(workload, target, knobs)
    k = plan.knobs
    sch = Schedule(func)
    conv, panel = sch.get_sblock("conv"), sch.get_sblock("panel")
    n, y, g, xo, b, p, m, i, kh, kw, ic = sch.get_loops(conv)
    chunk, row = sch.split(y, [None, plan.rows])
    c_ob, b = sch.split(b, [None, plan.block_filters])
    c_ib, ic = sch.split(ic, [None, plan.c_ib])
    sch.reorder(n, chunk, g, c_ob, c_ib, row, xo, kh, kw, b, p, m, i, ic)
    sch.compute_at(panel, kw, preserve_unit_loops=True)
    sch.parallel(sch.fuse(n, chunk, g, c_ob))
    sch.decompose_reduction(conv, c_ib)
    sch.tensorize(b, PanelGemm(plan.block_filters, plan.panels, k.mr, k.nr, plan.c_ib).register())
    stride = workload.strides[1]
    sch.tensorize(sch.get_loops(panel)[-3], PackPanels(plan.panels, plan.c_ib, k.mr, stride).register())
    return lower(sch.mod, plan.expand, [plan.workspace])


pack = pack_filter
pack_func = pack_filter_func


def workspace_bytes(workload: Conv2dWorkload, target: CompileTarget, knobs: Blocks | None = None) -> int:
    """min(w_ob, OW) x min(c_ib, IC) elements per thread (Barrachina et al., section 5.5), where IC are a
    group's channels, and OW all pixels of a 1x1 convolution whose rows are one."""
    return plan_blocks(workload, target, knobs).workspace.bytes


def cost(workload: Conv2dWorkload, target: CompileTarget, knobs: Blocks | None = None) -> Cost:
    """Tiles, packing, partial sums, and lines from beyond L1, of the blocks in use."""
    return plan_blocks(workload, target, knobs).cost(target.machine)


def describe(
    workload: Conv2dWorkload, target: CompileTarget, knobs: Blocks | None = None
) -> Mapping[str, Any]:
    """The blocks in use, for reports."""
    return asdict(plan_blocks(workload, target, knobs).knobs)


def knob_spaces(workload: Conv2dWorkload, target: CompileTarget) -> list[KnobSpace]:
    """What a tuner may choose, by micro-kernel: blocks of whole tiles, of about equal size, whose packed
    input fits L2."""
    plan = plan_blocks(workload, target)
    isa, l2 = plan.isa, target.machine.cache(2).size_bytes
    spaces = []
    for vectors in range(1, min(MAX_VECTORS, -(-plan.group_out // isa.lanes)) + 1):
        nr = vectors * isa.lanes
        mr = min(isa.largest_mr(nr, PANEL), plan.out_width)
        if not mr:
            continue
        tiles, panels = -(-plan.out_width // mr), -(-plan.group_out // nr)
        choices = {
            "w_ob": tuple(min(plan.out_width, mr * count) for count in divisions(tiles)),
            "c_ib": divisions(plan.group_in, (1, 2, 4, 8, 16)),
            "c_ob": tuple(nr * count for count in divisions(panels, (1, 2, 4, 8))),
            "rows": divisions(plan.lines, (1, 2, 4, 8, 16, 32)),
        }
        fixed = {"mr": mr, "nr": nr}
        valid = functools.partial(_fits, l2)
        spaces.append(KnobSpace(NAME, f"{mr}x{nr}", Blocks, fixed, choices, valid))
    chosen = plan.knobs
    return with_choice(spaces, NAME, f"{chosen.mr}x{chosen.nr}", chosen)


def _fits(l2: int, knobs: Blocks) -> bool:
    return FLOAT_BYTES * knobs.w_ob * knobs.c_ib <= l2


@lru_cache(maxsize=1024)
def plan_blocks(workload: Conv2dWorkload, target: CompileTarget, knobs: Blocks | None = None) -> PackedPlan:
    if not applies(workload):
        raise AlgorithmError(
            f"{NAME} needs NHWC data and does no depthwise layers; the workload is {workload}"
        )
    isa = best_isa(target.features)
    return PackedPlan(workload, isa, knobs or choose_blocks(workload, isa, target.machine))


# ---- what the analytical model chooses


def choose_blocks(workload: Conv2dWorkload, isa: Isa, machine: Machine) -> Blocks:
    """Of the kernels' widths, and for each of several sizes of blocks within those of the cache model, what
    is estimated to take the fewest cycles; of those near it, the narrowest, with the smallest workspace."""
    w = workload
    group_in, group_out = w.in_channels // w.groups, w.out_channels // w.groups
    width = w.batch * w.height * w.width if flattens(w) else w.out_width
    plans = []
    for vectors in range(1, min(MAX_VECTORS, -(-group_out // isa.lanes)) + 1):
        nr = vectors * isa.lanes
        most = isa.largest_mr(nr, PANEL)
        if not most:
            continue
        model = cache_blocks(machine, min(most, width), nr)
        # Whole squares of the packing's, and blocks of about the same size.
        in_blocks = -(-group_in // (max(model.c_ib // isa.lanes, 1) * isa.lanes))
        c_ib = min(group_in, -(-group_in // in_blocks // isa.lanes) * isa.lanes)
        for w_ob in block_widths(width, most, model.w_ob):
            mr = cover_row(w_ob, most)[0].mr
            for c_ob in block_filters(w, machine, c_ib, nr, model.c_ob or group_out):
                knobs = Blocks(mr, nr, w_ob, c_ib, c_ob, 1)
                plans.append(PackedPlan(w, isa, knobs))
    cycles = {plan: plan.cost(machine).total for plan in plans}
    near = [plan for plan in plans if cycles[plan] <= NEAR * min(cycles.values())]
    best = min(near, key=lambda plan: (plan.knobs.nr, plan.workspace.elements, cycles[plan]))
    # A layer all of whose taps lie outside the image is estimated at nothing.
    return replace(best.knobs, rows=rows_together(best, max(1.0, cycles[best])))


def block_widths(width: int, most: int, model: int) -> list[int]:
    """One tile, two, four, ... up to the model's block, and the whole width where that is no more."""
    widths = {min(width, most << doublings) for doublings in range(model.bit_length())}
    return sorted(extent for extent in widths if extent <= max(model, most))


def block_filters(workload: Conv2dWorkload, machine: Machine, c_ib: int, nr: int, model: int) -> set[int]:
    """The model's c_ob, and what of it keeps the filter's block in L2 for all rows."""
    group_out = workload.out_channels // workload.groups
    panel = FLOAT_BYTES * workload.kernel[0] * workload.kernel[1] * c_ib * nr
    in_l2 = max(1, int(PANEL_OF_L2 * machine.cache(2).size_bytes) // panel) * nr
    return {min(extent, model, -(-group_out // nr) * nr) for extent in (in_l2, model)}


def rows_together(plan: PackedPlan, cycles: float) -> int:
    """Rows of one piece of parallel work: enough to share a block of the filter where several take turns,
    and to be worth a thread's while; but not so many that too few pieces are left."""
    pieces = plan.batch * plan.workload.groups * (plan.loop_filters // plan.block_filters)
    shared = SHARING_ROWS if plan.in_blocks > 1 or plan.block_filters < plan.filters else 1
    rows = max(shared, math.ceil(PIECE_CYCLES * plan.lines * pieces / cycles))
    rows = max(1, min(rows, plan.lines * pieces // PIECES, plan.lines))
    return -(-plan.lines // -(-plan.lines // rows))
