"""TE and s_tir schedule of algorithm B."""

from __future__ import annotations

from tvm import te, tirx
from tvm.s_tir import Schedule

from tvm_directconv.problem.workload import Conv2dWorkload

from ..epilogue import finished
from ..lowering import FOLDED, fold_initialization
from .geometry import PackedGeometry, PanelAxes, SumAxes


def te_packed(g: PackedGeometry, data: te.Tensor, source: te.Tensor, outer: Conv2dWorkload) -> tirx.PrimFunc:
    """Stages view (the input by micro-panels), panel (these packed), filter_view (the filter
    rounded up to whole blocks), conv, epilogue."""
    w = g.workload
    packed = te.placeholder(g.packed_filter_shape, w.dtype, name="packed_filter")
    view, filters = _view(g, source), _filters(g, packed)

    panel = te.compute(g.panel, lambda *at: view[at], name="panel")
    rh, rw = (te.reduce_axis((0, e), name=name) for e, name in zip(w.kernel, ("kh", "kw"), strict=True))
    rc = te.reduce_axis((0, g.depth), name="ic")

    def product(*sum_at: tirx.Var) -> tirx.Expr:
        at = SumAxes(*sum_at)
        pixel = panel(*PanelAxes(at.image, at.line, at.w_block, rh, rw, at.group, at.panel, rc, at.pixel))
        return te.sum(pixel * filters[at.group, rh, rw, at.filter, rc, at.lane], axis=[rh, rw, rc])

    conv = te.compute(g.sums, product, name="conv")

    def sum_of(n: tirx.Expr, y: tirx.Expr, x: tirx.Expr, oc: tirx.Expr) -> tirx.Expr:
        if g.flattened:
            pixel = (n * w.out_height + y) * w.out_width + x
            n, y, x = tirx.IntImm("int32", 0), pixel // g.w_ob, pixel % g.w_ob
        group, within = oc // g.group_out, oc % g.group_out
        mr, nr, xo, xi = g.knobs.mr, g.knobs.nr, x // g.w_ob, x % g.w_ob
        return conv(*SumAxes(n, y, group, xo, within // nr, xi // mr, xi % mr, within % nr))

    return finished(outer, data, packed, sum_of)


def _view(g: PackedGeometry, source: te.Tensor) -> te.Tensor:
    """What micro-panels hold, zero outside the image and beyond a group's channels."""
    w = g.workload
    top, left, _, _ = w.padding

    def element(*panel_at: tirx.Var) -> tirx.Expr:
        at = PanelAxes(*panel_at)
        pixel = at.w_block * g.w_ob + at.panel * g.knobs.mr + at.pixel
        if g.flattened:
            pixel = at.line * g.w_ob + pixel
            inside = pixel < g.out_width
            image, y, x = pixel // (w.height * w.width), pixel // w.width % w.height, pixel % w.width
        else:
            image = at.image
            y = at.line * w.strides[0] + at.filter_row * w.dilation[0] - top
            x = pixel * w.strides[1] + at.filter_column * w.dilation[1] - left
            inside = tirx.all(y >= 0, y < w.height, x >= 0, x < w.width)
        value = source(image, y, x, at.group * g.group_in + at.channel)
        return tirx.if_then_else(tirx.all(inside, at.channel < g.group_in), value, tirx.const(0, w.dtype))

    return te.compute(g.panel, element, name="view", attrs=FOLDED)


def _filters(g: PackedGeometry, packed: te.Tensor) -> te.Tensor:
    """The filter [group, KH, KW, micro-panel, channel, lane], zero beyond what there is."""

    def element(
        group: tirx.Var, kh: tirx.Var, kw: tirx.Var, b: tirx.Var, c: tirx.Var, i: tirx.Var
    ) -> tirx.Expr:
        inside = tirx.all(b < g.filters, c < g.group_in)
        value = packed[group * g.filters + b, kh, kw, c, i]
        return tirx.if_then_else(inside, value, tirx.const(0, g.workload.dtype))

    shape = (g.workload.groups, *g.workload.kernel, g.loop_filters, g.depth, g.knobs.nr)
    return te.compute(shape, element, name="filter_view", attrs=FOLDED)


def tensorize(sch: Schedule, g: PackedGeometry) -> None:
    """The loops of the module's docstring; packing and the product inside them go to generated routines."""
    conv, panel = sch.get_sblock("conv"), sch.get_sblock("panel")
    n, y, group, xo, b, p, m, i, kh, kw, ic = sch.get_loops(conv)
    chunk, row = sch.split(y, [None, g.rows])
    c_ob, b = sch.split(b, [None, g.block_filters])
    c_ib, ic = sch.split(ic, [None, g.c_ib])
    sch.reorder(n, chunk, group, c_ob, c_ib, row, xo, kh, kw, b, p, m, i, ic)
    sch.compute_at(panel, kw, preserve_unit_loops=True)
    sch.parallel(sch.fuse(n, chunk, group, c_ob))
    fold_initialization(sch, conv, c_ib)
    sch.tensorize(b, g.panel_gemm.register())
    sch.tensorize(sch.get_loops(panel)[-3], g.pack_panels.register())
