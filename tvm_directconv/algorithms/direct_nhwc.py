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

from dataclasses import asdict
from functools import lru_cache
from typing import Any

from tvm import te, tirx
from tvm.s_tir import Schedule

from ..cost import Cost
from ..errors import AlgorithmError
from ..intrinsics.isa import Isa, best_isa
from ..intrinsics.microkernel import (
    DEPTHWISE,
    ROW,
)
from ..lowering import lower
from ..target import CompileTarget, Machine
from ..tiling import best_nr, cover_row
from ..workload import Conv2dWorkload
from .base import pack_filter, pack_filter_func
from .strips import StripPlan, Tile, flattens

NAME = "direct_nhwc"
PLEVEL = 10


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
    return _te_conv2d(plan_strips(workload, target, knobs))


def schedule(
    func: tirx.PrimFunc, workload: Conv2dWorkload, target: CompileTarget, knobs: Tile | None = None
) -> tirx.PrimFunc:
    """Schedule and tensorize ``compute``'s function, and lower its strips to micro-kernel calls."""
    plan = plan_strips(workload, target, knobs)
    return lower(tensorized(func, plan).mod, plan.expand)


def tensorized(func: tirx.PrimFunc, plan: StripPlan) -> Schedule:
    """Loops n, row block, channel block, row; the strip inside goes to micro-kernels."""
    sch = Schedule(func)
    conv = sch.get_sblock("conv")
    n, y, block, x, *_ = sch.get_loops(conv)
    row_block, row = sch.split(y, [None, plan.tile.rows])
    sch.reorder(n, row_block, block, row, x)
    sch.parallel(sch.fuse(n, row_block, block))
    sch.decompose_reduction(conv, x)
    sch.tensorize(x, plan.strip_intrinsic.register())
    return sch


pack = pack_filter
pack_func = pack_filter_func


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


@lru_cache(maxsize=1024)
def plan_strips(workload: Conv2dWorkload, target: CompileTarget, knobs: Tile | None = None) -> StripPlan:
    if not applies(workload):
        raise AlgorithmError(f"{NAME} needs NHWC data; the workload is {workload}")
    isa = best_isa(target.features)
    return StripPlan(workload, isa, knobs or choose_tile(workload, isa, target.machine))


# ---- the computation


def _te_conv2d(plan: StripPlan) -> tirx.PrimFunc:
    """Stages view (padded or flattened input), conv (per strip), epilogue."""
    w, g = plan.workload, plan
    data = te.placeholder(w.input_shape, w.dtype, name="data")
    packed = te.placeholder(g.packed_filter_shape, w.dtype, name="packed_filter")
    bias = te.placeholder((w.out_channels,), w.dtype, name="bias")
    residual = te.placeholder(w.output_shape, w.dtype, name="residual")
    (stride_h, stride_w), (dilation_h, dilation_w) = w.strides, w.dilation
    top, left, _, _ = w.padding
    zero = tirx.const(0, w.dtype)

    def padded(n: tirx.Var, y: tirx.Var, x: tirx.Var, c: tirx.Var) -> tirx.Expr:
        if g.flattened:
            pixel = y * g.strip + x
            inside = tirx.all(pixel < g.pixels, c < w.in_channels)
            value = data(*_unravel(pixel, w.input_shape[:3]), c)
        else:
            inside = tirx.all(y >= top, y < w.height + top, x >= left, x < w.width + left, c < w.in_channels)
            value = data(n, y - top, x - left, c)
        return tirx.if_then_else(inside, value, zero)

    view_height = (g.out_height - 1) * stride_h + (w.kernel[0] - 1) * dilation_h + 1
    view_width = (g.strip - 1) * stride_w + (w.kernel[1] - 1) * dilation_w + 1
    view_channels = g.blocks * g.nr if g.depthwise else w.in_channels
    view = te.compute((g.batch, view_height, view_width, view_channels), padded, name="view")

    kh = te.reduce_axis((0, w.kernel[0]), name="kh")
    kw = te.reduce_axis((0, w.kernel[1]), name="kw")
    ic = te.reduce_axis((0, g.group_in), name="ic")

    def product(n: tirx.Var, y: tirx.Var, b: tirx.Var, x: tirx.Var, i: tirx.Var) -> tirx.Expr:
        row, column = y * stride_h + kh * dilation_h, x * stride_w + kw * dilation_w
        if g.depthwise:
            return te.sum(view[n, row, column, b * g.nr + i] * packed[b, kh, kw, i], axis=[kh, kw])
        channel = b // g.group_blocks * g.group_in + ic
        return te.sum(view[n, row, column, channel] * packed[b, kh, kw, ic, i], axis=[kh, kw, ic])

    conv = te.compute((g.batch, g.out_height, g.blocks, g.strip, g.nr), product, name="conv")

    def finished(n: tirx.Var, y: tirx.Var, x: tirx.Var, oc: tirx.Var) -> tirx.Expr:
        group, within = oc // g.group_out, oc % g.group_out
        block, lane = group * g.group_blocks + within // g.nr, within % g.nr
        if g.flattened:
            _, height, width, _ = w.output_shape
            pixel = (n * height + y) * width + x
            value = conv[0, pixel // g.strip, block, pixel % g.strip, lane]
        else:
            value = conv[n, y, block, x, lane]
        value = value + bias[oc] if w.epilogue.bias else value
        value = value + residual[n, y, x, oc] if w.epilogue.residual else value
        value = tirx.max(value, tirx.const(w.epilogue.low, w.dtype))
        return tirx.min(value, tirx.const(w.epilogue.high, w.dtype))

    output = te.compute(w.output_shape, finished, name="epilogue")
    extra = [t for t, used in ((bias, w.epilogue.bias), (residual, w.epilogue.residual)) if used]
    return te.create_prim_func([data, packed, *extra, output])


# ---- what the analytical model chooses


def choose_tile(workload: Conv2dWorkload, isa: Isa, machine: Machine) -> Tile:
    """Kernel width by the tiling model; block sizes such that a block of input rows and one filter panel
    share L2, so that the panel is read from there, and the block once per channel block."""
    w = workload
    layout = DEPTHWISE if w.is_depthwise else ROW
    group_out = w.out_channels if w.is_depthwise else w.out_channels // w.groups
    reduction = w.kernel[0] * w.kernel[1] * (1 if w.is_depthwise else w.in_channels // w.groups)
    pixels = w.batch * w.height * w.width
    flat = flattens(w)
    reused = w.batch * w.out_height * w.out_width > 1
    width = pixels if flat else w.out_width
    nr = best_nr(isa, machine, width, group_out, layout, reduction, reused=reused)
    if w.is_depthwise:
        return Tile(nr, w.out_width, 1)

    l2 = machine.cache(2).size_bytes
    panel = 4 * reduction * nr
    room = max(l2 // 2 - panel, l2 // 8)
    # In a network a filter comes from memory. Two panels that do not fit L2 would evict each other.
    prefetch = reused and nr < group_out and 2 * panel <= l2
    if flat:
        mr = cover_row(pixels, isa.largest_mr(nr, layout))[0].mr
        tiles = -(-pixels // mr)
        per_strip = max(1, min(tiles, room // (4 * mr * w.in_channels)))
        strips = -(-tiles // per_strip)
        return Tile(nr, -(-tiles // strips) * mr, 1, prefetch)
    row_bytes = 4 * w.strides[0] * w.width * w.in_channels
    rows = max(1, min(w.out_height, room // row_bytes))
    blocks = -(-w.out_height // rows)
    return Tile(nr, w.out_width, -(-w.out_height // blocks), prefetch)


def _unravel(index: tirx.Expr, shape: tuple[int, ...]) -> list[tirx.Expr]:
    coordinates: list[tirx.Expr] = []
    for extent in reversed(shape):
        coordinates.insert(0, index % extent)
        index = index // extent
    return coordinates
