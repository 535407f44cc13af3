"""TE and s_tir schedule of SConv's macro-kernel."""

from __future__ import annotations

from tvm import te, tirx
from tvm.s_tir import Schedule

from tvm_directconv.problem.workload import Conv2dWorkload

from ..epilogue import finished
from ..lowering import FOLDED, fold_initialization
from .geometry import FILTER_PANEL, INPUT_PANEL, FilterAxes, SconvGeometry, SumAxes, WindowAxes


def te_tiles(g: SconvGeometry, data: te.Tensor, source: te.Tensor, outer: Conv2dWorkload) -> tirx.PrimFunc:
    """Stages view (every window, by output pixel), panel (tiles of windows), filter_view (the filter by
    tiles), filter_panel where filters are packed at run time, conv, epilogue.

    ``source`` is what the convolution reads, ``data`` what the function takes; bias, residual and output are
    those of ``outer``, whose pixels are the geometry's in the same order.
    """
    w, k = g.workload, g.knobs
    packed = te.placeholder(g.packed_filter_shape, w.dtype, name="packed_filter")
    view = _windows(g, source)
    windows = te.compute(g.window_axes, lambda *at: view[at], name=INPUT_PANEL)
    filters = _filters(g, packed)
    if k.pack_filters_at_run_time:
        from_view = filters
        filters = te.compute(g.filter_axes, lambda *at: from_view[at], name=FILTER_PANEL)
    depth = te.reduce_axis((0, g.window_axes.channel), name="ic")
    rh, rw = (te.reduce_axis((0, e), name=name) for e, name in zip(w.kernel, ("kh", "kw"), strict=True))

    def product(*sum_at: tirx.Var) -> tirx.Expr:
        at = SumAxes(*sum_at)
        filter_at = FilterAxes(at.group, at.filters, depth, rh, rw, at.filter)
        window_at = WindowAxes(at.image, at.group, at.windows, depth, rh, rw, at.window)
        return te.sum(filters(*filter_at) * windows(*window_at), axis=[depth, rh, rw])

    conv = te.compute(g.sums, product, name="conv")

    def sum_of(n: tirx.Expr, y: tirx.Expr, x: tirx.Expr, oc: tirx.Expr) -> tirx.Expr:
        group, within, pixel = oc // g.group_out, oc % g.group_out, y * outer.out_width + x
        tiles = within // k.n_f, pixel // k.n_win
        return conv(*SumAxes(n, group, *tiles, within % k.n_f, pixel % k.n_win))

    return finished(outer, data, packed, sum_of)


def _windows(g: SconvGeometry, source: te.Tensor) -> te.Tensor:
    """Every window by output pixel, zero outside the image and beyond the pixels and channels there are."""
    w = g.workload
    top, left, _, _ = w.padding

    def element(*window_at: tirx.Var) -> tirx.Expr:
        at = WindowAxes(*window_at)
        pixel = at.windows * g.knobs.n_win + at.window
        y = pixel // w.out_width * w.strides[0] + at.row * w.dilation[0] - top
        x = pixel % w.out_width * w.strides[1] + at.column * w.dilation[1] - left
        inside = [pixel < g.windows, at.channel < g.group_in, y >= 0, y < w.height, x >= 0, x < w.width]
        value = source[at.image, at.group * g.group_in + at.channel, y, x]
        return tirx.if_then_else(tirx.all(*inside), value, tirx.const(0, w.dtype))

    return te.compute(g.window_axes, element, name="view", attrs=FOLDED)


def _filters(g: SconvGeometry, packed: te.Tensor) -> te.Tensor:
    """The filter by tiles, zero beyond the filters and channels there are."""
    n_f = g.knobs.n_f

    def element(*filter_at: tirx.Var) -> tirx.Expr:
        at = FilterAxes(*filter_at)
        inside = tirx.all(at.filters * n_f + at.filter < g.group_out, at.channel < g.group_in)
        if g.knobs.pack_filters_at_run_time:
            oc = at.group * g.group_out + at.filters * n_f + at.filter
            value = packed[oc, at.channel, at.row, at.column]
        else:
            value = packed[at.group * g.filters + at.filters, at.channel, at.row, at.column, at.filter]
        return tirx.if_then_else(inside, value, tirx.const(0, g.workload.dtype))

    return te.compute(g.filter_axes, element, name="filter_view", attrs=FOLDED)


def tensorize(sch: Schedule, g: SconvGeometry) -> None:
    """The five layers; packing and the outer product inside them go to generated routines."""
    k = g.knobs
    conv, panel = sch.get_sblock("conv"), sch.get_sblock(INPUT_PANEL)
    n, group, f, t, m, j, ic, kh, kw = sch.get_loops(conv)
    input_set, t = sch.split(t, [None, k.input_set])
    filter_set, f = sch.split(f, [None, k.filter_set])
    channel_set, ic = sch.split(ic, [None, k.n_c])
    stationary, moving = (t, f) if g.stationary_input else (f, t)
    sch.reorder(n, group, input_set, channel_set, filter_set, stationary, moving, m, j, ic, kh, kw)
    sch.compute_at(panel, t if g.stationary_input else channel_set, preserve_unit_loops=True)
    packing = [(panel, g.pack_windows)]
    if k.pack_filters_at_run_time:
        filters = sch.get_sblock(FILTER_PANEL)
        sch.compute_at(filters, filter_set if g.stationary_input else f, preserve_unit_loops=True)
        packing.append((filters, g.pack_filters))
    sch.parallel(sch.fuse(n, group, input_set))
    fold_initialization(sch, conv, channel_set)
    sch.tensorize(m, g.outer_product.register())
    for block, intrinsic in packing:
        sch.tensorize(sch.get_loops(block)[-4], intrinsic.register())
