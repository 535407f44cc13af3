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

from dataclasses import asdict, dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from tvm import sym, te, tirx
from tvm.s_tir import Schedule

from ..errors import AlgorithmError
from ..intrinsics.isa import Isa, best_isa
from ..intrinsics.microkernel import (
    DEPTHWISE,
    ROW,
    KernelInstance,
    MicroKernel,
    Segment,
    TileEpilogue,
)
from ..intrinsics.tensorize import Strip
from ..lowering import lower_strips
from ..target import CompileTarget, Machine
from ..tiling import RowTile, best_nr, cover_row
from ..workload import Conv2dWorkload
from .base import pack_filter

NAME = "direct_nhwc"
WORKSPACE_BYTES = 0


@dataclass(frozen=True)
class Tile:
    """The knobs: ``nr`` output channels per block; ``strip`` output pixels per strip; ``rows`` strips per
    cache block, walked for one channel block before the next channel block."""

    nr: int
    strip: int
    rows: int


def applies(workload: Conv2dWorkload) -> bool:
    """Whether this algorithm computes the workload: everything in NHWC."""
    return workload.data_layout == "NHWC"


def compute(workload: Conv2dWorkload, target: CompileTarget, tile: Tile | None = None) -> tirx.PrimFunc:
    """The convolution in TE, unscheduled: (data, packed filter[, bias][, residual], output).

    ``tile`` None asks the analytical model, here and in the functions below.
    """
    return _te_conv2d(plan_strips(workload, target, tile))


def schedule(
    func: tirx.PrimFunc, workload: Conv2dWorkload, target: CompileTarget, tile: Tile | None = None
) -> tirx.PrimFunc:
    """Schedule and tensorize ``compute``'s function, and lower its strips to micro-kernel calls."""
    plan = plan_strips(workload, target, tile)
    return lower_strips(tensorized(func, plan).mod, plan.expand)


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


def pack(workload: Conv2dWorkload, shape: tuple[int, ...], weights: np.ndarray) -> np.ndarray:
    """Pack the filter into blocks of nr output channels, [blocks, KH, KW, IC / groups, nr]."""
    return pack_filter(workload, shape, weights)


def describe(workload: Conv2dWorkload, target: CompileTarget, tile: Tile | None = None) -> dict[str, Any]:
    """The tile parameters in use, for reports."""
    return asdict(plan_strips(workload, target, tile).tile)


@lru_cache(maxsize=1024)
def plan_strips(workload: Conv2dWorkload, target: CompileTarget, tile: Tile | None = None) -> StripPlan:
    if not applies(workload):
        raise AlgorithmError(f"{NAME} needs NHWC data; the workload is {workload}")
    isa = best_isa(target.features)
    return StripPlan(workload, isa, tile or choose_tile(workload, isa, target.machine))


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
    flat = _flattens(w)
    width = pixels if flat else w.out_width
    nr = best_nr(isa, machine, width, group_out, layout, reduction)
    if w.is_depthwise:
        return Tile(nr, w.out_width, 1)

    l2 = machine.caches[1].size_bytes
    panel = 4 * reduction * nr
    room = max(l2 // 2 - panel, l2 // 8)
    if flat:
        mr = cover_row(pixels, isa.largest_mr(nr, layout))[0].mr
        tiles = -(-pixels // mr)
        per_strip = max(1, min(tiles, room // (4 * mr * w.in_channels)))
        strips = -(-tiles // per_strip)
        return Tile(nr, -(-tiles // strips) * mr, 1)
    row_bytes = 4 * w.strides[0] * w.width * w.in_channels
    rows = max(1, min(w.out_height, room // row_bytes))
    blocks = -(-w.out_height // rows)
    return Tile(nr, w.out_width, -(-w.out_height // blocks))


# ---- how a strip is computed


@dataclass(frozen=True)
class StripPlan:
    """Geometry of the strips of one workload, and their expansion into kernel calls."""

    workload: Conv2dWorkload
    isa: Isa
    tile: Tile

    @cached_property
    def flattened(self) -> bool:
        return _flattens(self.workload)

    @cached_property
    def depthwise(self) -> bool:
        return self.workload.is_depthwise

    @property
    def nr(self) -> int:
        return self.tile.nr

    @property
    def strip(self) -> int:
        return self.tile.strip

    @property
    def batch(self) -> int:
        return 1 if self.flattened else self.workload.batch

    @property
    def pixels(self) -> int:
        return self.workload.batch * self.workload.height * self.workload.width

    @property
    def rows(self) -> int:
        """Strips that hold output; ``out_height`` rounds them up to whole row blocks."""
        return -(-self.pixels // self.strip) if self.flattened else self.workload.out_height

    @property
    def out_height(self) -> int:
        return -(-self.rows // self.tile.rows) * self.tile.rows

    @property
    def groups(self) -> int:
        return 1 if self.depthwise else self.workload.groups

    @property
    def group_in(self) -> int:
        return self.workload.in_channels // self.workload.groups

    @property
    def group_out(self) -> int:
        return self.workload.out_channels // self.groups

    @property
    def group_blocks(self) -> int:
        return -(-self.group_out // self.nr)

    @property
    def blocks(self) -> int:
        return self.groups * self.group_blocks

    @property
    def packed_filter_shape(self) -> tuple[int, ...]:
        taps = (self.blocks, *self.workload.kernel)
        return (*taps, self.nr) if self.depthwise else (*taps, self.group_in, self.nr)

    @property
    def strip_intrinsic(self) -> Strip:
        w = self.workload
        channels = 0 if self.depthwise else self.group_in
        return Strip(self.strip, self.nr, *w.kernel, channels, w.strides[1], *w.dilation)

    def expand(self, func: tirx.PrimFunc, n: tirx.Expr, y: tirx.Expr, block: tirx.Expr) -> tirx.Stmt:
        """Kernel calls for strip ``y`` of channel block ``block``; tails where the extents leave any."""
        tail_channels = self.group_out % self.nr
        short = self.pixels % self.strip if self.flattened else 0

        def of_width(width: int) -> tirx.Stmt:
            full = self._calls(func, n, y, block, width, min(self.nr, self.group_out))
            if not tail_channels or self.group_out < self.nr:
                return full
            tail = self._calls(func, n, y, block, width, tail_channels)
            is_tail = tirx.EQ(block % self.group_blocks, self.group_blocks - 1)
            return tirx.IfThenElse(is_tail, tail, full)

        stmt = of_width(self.strip)
        if short and self.rows == 1:
            stmt = of_width(short)
        elif short:
            stmt = tirx.IfThenElse(tirx.EQ(y, self.rows - 1), of_width(short), stmt)
        if self.out_height > self.rows:
            stmt = tirx.IfThenElse(y < self.rows, stmt, None)
        return stmt

    def _calls(
        self,
        func: tirx.PrimFunc,
        n: tirx.Expr,
        y: tirx.Expr,
        block: tirx.Expr,
        width: int,
        channels: int,
    ) -> tirx.Stmt:
        """Calls covering ``width`` pixels by ``channels`` channels; equal neighbours become a loop."""
        vectors = -(-channels // self.isa.lanes)
        layout = DEPTHWISE if self.depthwise else ROW
        most = self.isa.largest_mr(vectors * self.isa.lanes, layout)
        runs: list[tuple[KernelInstance, RowTile, int]] = []
        for tile in cover_row(width, most):
            kernel = MicroKernel(tile.mr, vectors * self.isa.lanes, layout, self.isa.name)
            instance = self._instance(kernel, tile, channels)
            if (
                runs
                and runs[-1][0] == instance
                and self._first_column(tile.x)
                == self._first_column(runs[-1][1].x) + (tile.x - runs[-1][1].x) * self.workload.strides[1]
            ):
                runs[-1] = (instance, runs[-1][1], runs[-1][2] + 1)
            else:
                runs.append((instance, tile, 1))
        calls = []
        for instance, tile, count in runs:
            index = tirx.Var("t", "int32")
            moved = index * tile.mr if count > 1 else tirx.IntImm("int32", 0)
            call = self._call(func, instance, n, y, block, tile.x, moved)
            calls.append(tirx.For(index, 0, count, tirx.ForKind.SERIAL, call) if count > 1 else call)
        return calls[0] if len(calls) == 1 else tirx.SeqStmt(calls)

    def _instance(self, kernel: MicroKernel, tile: RowTile, channels: int) -> KernelInstance:
        """The kernel for one tile of a row: its segments are the taps inside the image, per column."""
        w = self.workload
        epilogue = TileEpilogue(w.epilogue.bias, w.epilogue.residual, w.epilogue.low, w.epilogue.high)
        taps_w = w.kernel[1] * (1 if self.depthwise else self.group_in)
        return KernelInstance(
            kernel,
            channels,
            a_row=w.strides[1] * w.in_channels,
            a_step=w.dilation[0] * w.width * w.in_channels,
            b_row=self.nr,
            b_step=taps_w * self.nr,
            c_row=w.out_channels,
            segments=self._segments(kernel.mr, tile.x),
            epilogue=epilogue,
        )

    def _segments(self, mr: int, x: int) -> tuple[Segment, ...]:
        w = self.workload
        stride, dilation, left = w.strides[1], w.dilation[1], w.padding[1]
        columns = self.pixels if self.flattened else w.width
        length = 1 if self.depthwise else self.group_in
        segments: list[Segment] = []
        for kw in range(w.kernel[1]):
            column = x * stride - left + kw * dilation
            first = max(0, -(column // stride))
            last = min(mr, (columns - 1 - column) // stride + 1)
            if first >= last:
                continue
            a = (column - self._first_column(x)) * w.in_channels
            before = segments[-1] if segments else None
            # Neighbouring taps on the same rows are one run when channels leave no gap between them.
            if (
                before
                and not self.depthwise
                and (before.first, before.last, before.a + before.length) == (first, last, a)
            ):
                segments[-1] = replace(before, length=before.length + length)
            else:
                segments.append(Segment(first, last, a, kw * length * self.nr, length))
        return tuple(segments)

    def _first_column(self, x: int) -> int:
        """The input column a tile's A pointer stands at: its first tap's, or the image's edge."""
        column = x * self.workload.strides[1] - self.workload.padding[1]
        return max(0, min(column, self.workload.width - 1)) if not self.flattened else column

    def _call(
        self,
        func: tirx.PrimFunc,
        instance: KernelInstance,
        n: tirx.Expr,
        y: tirx.Expr,
        block: tirx.Expr,
        x: int,
        moved: tirx.Expr,
    ) -> tirx.Stmt:
        w = self.workload
        data, packed, *extra, output = func.params
        first_tap, taps, row = self._rows_inside(y)
        group, within = block // self.group_blocks, block % self.group_blocks * self.nr
        input_pixels = y * self.strip if self.flattened else (n * w.height + row) * w.width
        output_pixels = y * self.strip if self.flattened else (n * w.out_height + y) * w.out_width
        in_channel = within if self.depthwise else group * self.group_in
        out_channel = group * self.group_out + within
        column = self._first_column(x) + moved * w.strides[1]
        simplify = sym.Analyzer().simplify
        a = simplify((input_pixels + column) * w.in_channels + in_channel)
        c = simplify((output_pixels + x + moved) * w.out_channels + out_channel)
        panel = instance.b_step * w.kernel[0]
        b = simplify(block * panel + first_tap * instance.b_step)
        pointers = [
            output.access_ptr("w", offset=c),
            data.access_ptr("r", offset=a),
            packed.access_ptr("r", offset=b),
        ]
        for used, offset in ((w.epilogue.bias, out_channel), (w.epilogue.residual, c)):
            # An operand the epilogue lacks is never read; any pointer will do.
            pointers.append(extra.pop(0).access_ptr("r", offset=offset) if used else pointers[0])
        return tirx.Evaluate(tirx.call_extern("int32", instance.name, *pointers, tirx.Cast("int64", taps)))

    def _rows_inside(self, y: tirx.Expr) -> tuple[tirx.Expr, tirx.Expr, tirx.Expr]:
        """(first filter row inside the image, how many are, the input row it reads), for output row y."""
        w = self.workload
        (taps, _), (stride, _), (dilation, _), (top, _, _, _) = w.kernel, w.strides, w.dilation, w.padding
        lowest = (w.out_height - 1) * stride - top + (taps - 1) * dilation
        zero, all_taps = tirx.IntImm("int32", 0), tirx.IntImm("int32", taps)
        if top == 0 and lowest < w.height:
            return zero, all_taps, y * stride
        origin = y * stride - top
        first = tirx.max(zero, -tirx.floordiv(origin, dilation))
        last = tirx.min(all_taps, tirx.floordiv(w.height - 1 - origin, dilation) + 1)
        # Where no tap is inside, nothing is read, and the row only has to be a valid address.
        row = tirx.max(zero, tirx.min(origin + first * dilation, w.height - 1))
        return first, tirx.max(zero, last - first), row


def _flattens(workload: Conv2dWorkload) -> bool:
    """1x1, stride 1, no padding: each output pixel needs its own input pixel alone."""
    w = workload
    return w.kernel == (1, 1) and w.strides == (1, 1) and w.padding == (0, 0, 0, 0)


def _unravel(index: tirx.Expr, shape: tuple[int, ...]) -> list[tirx.Expr]:
    coordinates: list[tirx.Expr] = []
    for extent in reversed(shape):
        coordinates.insert(0, index % extent)
        index = index // extent
    return coordinates
