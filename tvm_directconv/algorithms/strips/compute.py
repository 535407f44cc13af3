"""TE and s_tir schedule of a convolution by strips: of float32 in any layout, of other types in NHWC."""

from __future__ import annotations

from collections.abc import Callable

from tvm import te, tirx
from tvm.s_tir import Schedule

from intrinsics.tensorize import type_of_sums
from tvm_directconv.problem.taps import Axis
from tvm_directconv.problem.workload import Conv2dWorkload, index

from ..epilogue import finished, requantized
from ..lowering import FOLDED, fold_initialization
from .byte_geometry import ByteStripGeometry, run_index
from .geometry import FilterAxes, StripGeometry, SumAxes, unravel
from .grouped_geometry import GroupedStripGeometry


def te_strips(g: StripGeometry, data: te.Tensor, source: te.Tensor, outer: Conv2dWorkload) -> tirx.PrimFunc:
    """Stages view (the input as padded or flattened NHWC), for a blocked input filter_view, conv (per strip),
    epilogue.

    ``source`` is what the convolution reads, ``data`` what the function takes; bias, residual and output are
    those of ``outer``, whose pixels are the geometry's in the same order.
    """
    w = g.workload
    packed = te.placeholder(g.packed_filter_shape, w.dtype, name="packed_filter")
    channels = g.passes * g.pass_channels
    view = _view(g, source, channels, lambda value: value, w.dtype)
    filters = packed
    if g.in_blocks > 1:
        filters = te.compute(
            FilterAxes(g.blocks, *w.kernel, channels, g.nr),
            lambda b, h, v, c, i: packed[b, c // g.in_block, h, v, c % g.in_block, i],
            name="filter_view",
            attrs=FOLDED,
        )
    kh, kw = (te.reduce_axis((0, e), name=name) for e, name in zip(w.kernel, ("kh", "kw"), strict=True))
    ic = te.reduce_axis((0, channels), name="ic")

    def product(*sum_at: tirx.Var) -> tirx.Expr:
        at = SumAxes(*sum_at)
        pixel = at.row * w.strides[0] + kh * w.dilation[0], at.pixel * w.strides[1] + kw * w.dilation[1]
        if g.depthwise:
            channel = at.block * g.nr + at.lane
            return te.sum(view(at.image, *pixel, channel) * filters[at.block, kh, kw, at.lane], axis=[kh, kw])
        channel = at.block // g.group_blocks * g.group_in + ic
        tap = filters(*FilterAxes(at.block, kh, kw, ic, at.lane))
        return te.sum(view(at.image, *pixel, channel) * tap, axis=[kh, kw, ic])

    conv = te.compute(g.sums, product, name="conv")
    return finished(outer, data, packed, lambda *at: conv(*_sum_of(g, outer, *at)))


def te_byte_strips(
    g: ByteStripGeometry, data: te.Tensor, source: te.Tensor, outer: Conv2dWorkload
) -> tirx.PrimFunc:
    """``te_strips`` for bytes, whose sums start from a table."""
    packed = te.placeholder(g.packed_filter_shape, g.filter_dtype, name="packed_filter")
    table = te.placeholder(g.table_shape, "int32", name="bias")
    conv = _grouped_sums(g, source, packed)
    rows, columns = g.runs

    def total(n: tirx.Expr, y: tirx.Expr, x: tirx.Expr, oc: tirx.Expr) -> tirx.Expr:
        run = tirx.IntImm("int32", 0)
        if not g.flattened:
            row = run_index(rows, Axis.of(g.workload, 0), y)
            run = row * len(columns.ranges) + run_index(columns, Axis.of(g.workload, 1), x)
        return conv(*_sum_of(g, outer, n, y, x, oc)) + table[run, oc]

    return requantized(outer, data, packed, table, total)


def te_half_strips(
    g: GroupedStripGeometry, data: te.Tensor, source: te.Tensor, outer: Conv2dWorkload
) -> tirx.PrimFunc:
    """``te_strips`` for half precision."""
    packed = te.placeholder(g.packed_filter_shape, g.filter_dtype, name="packed_filter")
    conv = _grouped_sums(g, source, packed)
    return finished(outer, data, packed, lambda *at: conv(*_sum_of(g, outer, *at)))


def _grouped_sums(g: GroupedStripGeometry, source: te.Tensor, packed: te.Tensor) -> te.Tensor:
    """Stages view, in the type of sums, as kernels multiply it, and conv, over channels in groups."""
    w, kind = g.workload, type_of_sums(g.filter_dtype)

    def multiplied(value: tirx.Expr) -> tirx.Expr:
        return tirx.Cast(kind, value) + g.moved if w.quantized else tirx.Cast(kind, value)

    view = _view(g, source, g.channel_groups * g.group, multiplied, kind)
    kh = te.reduce_axis((0, w.kernel[0]), name="kh")
    kw = te.reduce_axis((0, w.kernel[1] * g.terms), name="kw")
    ko = te.reduce_axis((0, g.channel_groups), name="ko")
    ki = te.reduce_axis((0, g.group), name="ki")

    def product(*sum_at: tirx.Var) -> tirx.Expr:
        at = SumAxes(*sum_at)
        column = at.pixel * w.strides[1] + kw // g.terms * w.dilation[1]
        pixel = at.row * w.strides[0] + kh * w.dilation[0], column
        if g.depthwise:
            value = view(at.image, *pixel, at.block * g.nr + at.lane)
            tap = tirx.Cast(kind, packed[at.block, kh, kw, at.lane])
            return te.sum(value * tap, axis=[kh, kw])
        channel = at.block // g.group_blocks * g.group_in + ko * g.group + ki
        tap = tirx.Cast(kind, packed[at.block, kh, kw, ko, at.lane, ki])
        return te.sum(view(at.image, *pixel, channel) * tap, axis=[kh, kw, ko, ki])

    return te.compute(g.sums, product, name="conv")


def _view(
    g: StripGeometry,
    source: te.Tensor,
    channels: int,
    convert: Callable[[tirx.Expr], tirx.Expr],
    dtype: str,
) -> te.Tensor:
    """The input as strips see it, [N, H, W, C]: padded, or its pixels in rows of a strip; with ``channels``
    of a group, beyond which there are zeros."""
    w = g.workload
    top, left, _, _ = w.padding

    def element(n: tirx.Var, y: tirx.Var, x: tirx.Var, c: tirx.Var) -> tirx.Expr:
        if g.flattened:
            pixel = y * g.strip + x
            images = w.batch // g.batch
            image, row, column = unravel(pixel, (images, w.height, w.width))
            image, inside = n * images + image, [pixel < g.pixels]
        else:
            image, row, column = n, y - top, x - left
            inside = [y >= top, y < w.height + top, x >= left, x < w.width + left]
        value = convert(source(*index(w.data_layout, image, row, column, c)))
        return tirx.if_then_else(tirx.all(*inside, c < w.in_channels), value, tirx.const(0, dtype))

    height = (g.out_height - 1) * w.strides[0] + (w.kernel[0] - 1) * w.dilation[0] + 1
    width = (g.strip - 1) * w.strides[1] + (w.kernel[1] - 1) * w.dilation[1] + 1
    extent = g.blocks * g.nr if g.depthwise else (g.groups - 1) * g.group_in + channels
    return te.compute((g.batch, height, width, extent), element, name="view", attrs=FOLDED)


def _sum_of(
    g: StripGeometry, outer: Conv2dWorkload, n: tirx.Expr, y: tirx.Expr, x: tirx.Expr, oc: tirx.Expr
) -> SumAxes:
    """Return where the sum of an output pixel and channel of ``outer`` is."""
    group, within = oc // g.group_out, oc % g.group_out
    block, lane = group * g.group_blocks + within // g.nr, within % g.nr
    if not g.flattened:
        return SumAxes(n, y, block, x, lane)
    images = outer.batch // g.batch
    pixel = (n % images * outer.out_height + y) * outer.out_width + x
    return SumAxes(n // images, pixel // g.strip, block, pixel % g.strip, lane)


def tensorize(sch: Schedule, g: StripGeometry) -> None:
    """Loops n, row block, channel block, of which n is the last where panels go first; then pass over input
    channels, row; the strip inside, or all of the row block, goes to micro-kernels. Threads share the first
    three."""
    conv = sch.get_sblock("conv")
    n, y, block, x, i, *reduced = sch.get_loops(conv)
    row_block, row = sch.split(y, [None, g.tile.rows])
    if g.passes > 1:
        kh, kw, ic = reduced
        part, ic = sch.split(ic, [None, g.pass_channels])
        sch.reorder(n, row_block, block, part, row, x, i, kh, kw, ic)
    else:
        part = row if g.across else x
        sch.reorder(n, row_block, block, row, x)
    if g.panels_first:
        sch.reorder(row_block, block, n)
        sch.parallel(sch.fuse(row_block, block, n))
    else:
        sch.parallel(sch.fuse(n, row_block, block))
    fold_initialization(sch, conv, part)
    sch.tensorize(row if g.across else x, g.intrinsic.register())
