"""TE and s_tir schedule of a convolution by strips, in any layout: for direct_nhwc and blocked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tvm import te, tirx
from tvm.s_tir import Schedule

from tvm_directconv.model.knobs import KnobSpace, divisions, with_choice
from tvm_directconv.model.tiling import MAX_VECTORS, cover_row
from tvm_directconv.problem.workload import Conv2dWorkload, index, nhwc

from .plan import StripPlan, Tile

LEAST_PASS = 32
"""Input channels of a pass: with fewer, partial sums cost more than a smaller panel gains."""


def te_conv2d(plan: StripPlan) -> tirx.PrimFunc:
    """The convolution in TE: (data, packed filter[, bias][, residual], output)."""
    data = te.placeholder(plan.workload.input_shape, plan.workload.dtype, name="data")
    return te_strips(plan, data, data, plan.workload)


def te_strips(plan: StripPlan, data: te.Tensor, source: te.Tensor, outer: Conv2dWorkload) -> tirx.PrimFunc:
    """Stages view (the input as padded or flattened NHWC), for a blocked input filter_view, conv (per
    strip), epilogue.

    ``source`` is what the plan's convolution reads, ``data`` what the function takes; bias, residual and
    output are those of ``outer``, whose pixels are the plan's in the same order.
    """
    w, g = plan.workload, plan
    packed = te.placeholder(g.packed_filter_shape, w.dtype, name="packed_filter")
    bias = te.placeholder((w.out_channels,), w.dtype, name="bias")
    residual = te.placeholder(outer.output_shape, w.dtype, name="residual")
    (stride_h, stride_w), (dilation_h, dilation_w) = w.strides, w.dilation
    top, left, _, _ = w.padding
    zero = tirx.const(0, w.dtype)

    def padded(n: tirx.Var, y: tirx.Var, x: tirx.Var, c: tirx.Var) -> tirx.Expr:
        if g.flattened:
            pixel = y * g.strip + x
            inside = tirx.all(pixel < g.pixels, c < w.in_channels)
            images = w.batch // g.batch
            image, row, column = unravel(pixel, (images, w.height, w.width))
            value = source(*index(w.data_layout, n * images + image, row, column, c))
        else:
            inside = tirx.all(y >= top, y < w.height + top, x >= left, x < w.width + left, c < w.in_channels)
            value = source(*index(w.data_layout, n, y - top, x - left, c))
        return tirx.if_then_else(inside, value, zero)

    view_height = (g.out_height - 1) * stride_h + (w.kernel[0] - 1) * dilation_h + 1
    view_width = (g.strip - 1) * stride_w + (w.kernel[1] - 1) * dilation_w + 1
    view_channels = (
        g.blocks * g.nr if g.depthwise else (g.groups - 1) * g.group_in + g.passes * g.pass_channels
    )
    view = te.compute((g.batch, view_height, view_width, view_channels), padded, name="view")

    filters = packed
    if g.in_blocks > 1:
        shape = (g.blocks, *w.kernel, g.passes * g.pass_channels, g.nr)
        filters = te.compute(
            shape,
            lambda b, h, v, c, i: packed[b, c // g.in_block, h, v, c % g.in_block, i],
            name="filter_view",
        )

    kh = te.reduce_axis((0, w.kernel[0]), name="kh")
    kw = te.reduce_axis((0, w.kernel[1]), name="kw")
    ic = te.reduce_axis((0, g.passes * g.pass_channels), name="ic")

    def product(n: tirx.Var, y: tirx.Var, b: tirx.Var, x: tirx.Var, i: tirx.Var) -> tirx.Expr:
        row, column = y * stride_h + kh * dilation_h, x * stride_w + kw * dilation_w
        if g.depthwise:
            return te.sum(view[n, row, column, b * g.nr + i] * filters[b, kh, kw, i], axis=[kh, kw])
        channel = b // g.group_blocks * g.group_in + ic
        return te.sum(view[n, row, column, channel] * filters[b, kh, kw, ic, i], axis=[kh, kw, ic])

    conv = te.compute((g.batch, g.out_height, g.blocks, g.strip, g.nr), product, name="conv")

    def finished(*at: tirx.Var) -> tirx.Expr:
        n, y, x, oc = nhwc(outer.out_layout, *at)
        group, within = oc // g.group_out, oc % g.group_out
        block, lane = group * g.group_blocks + within // g.nr, within % g.nr
        if g.flattened:
            images = outer.batch // g.batch
            pixel = (n % images * outer.out_height + y) * outer.out_width + x
            value = conv[n // images, pixel // g.strip, block, pixel % g.strip, lane]
        else:
            value = conv[n, y, block, x, lane]
        value = value + bias[oc] if w.epilogue.bias else value
        value = value + residual(*at) if w.epilogue.residual else value
        value = tirx.max(value, tirx.const(w.epilogue.low, w.dtype))
        return tirx.min(value, tirx.const(w.epilogue.high, w.dtype))

    output = te.compute(outer.output_shape, finished, name="epilogue")
    extra = [t for t, used in ((bias, w.epilogue.bias), (residual, w.epilogue.residual)) if used]
    return te.create_prim_func([data, packed, *extra, output])


def tensorized(func: tirx.PrimFunc, plan: StripPlan) -> Schedule:
    """Loops n, row block, channel block, pass over input channels, row; the strip inside goes to
    micro-kernels. Threads share the first three."""
    sch = Schedule(func)
    conv = sch.get_sblock("conv")
    n, y, block, x, i, *reduced = sch.get_loops(conv)
    row_block, row = sch.split(y, [None, plan.tile.rows])
    if plan.passes > 1:
        kh, kw, ic = reduced
        part, ic = sch.split(ic, [None, plan.pass_channels])
        sch.reorder(n, row_block, block, part, row, x, i, kh, kw, ic)
    else:
        part = x
        sch.reorder(n, row_block, block, row, x)
    sch.parallel(sch.fuse(n, row_block, block))
    sch.decompose_reduction(conv, part)
    sch.tensorize(x, plan.strip_intrinsic.register())
    return sch


def unravel(index: tirx.Expr, shape: Sequence[int]) -> list[tirx.Expr]:
    """Coordinates of the ``index``-th element of a tensor of that shape."""
    coordinates: list[tirx.Expr] = []
    for extent in reversed(shape):
        coordinates.insert(0, index % extent)
        index = index // extent
    return coordinates


def strip_spaces(plan: StripPlan, algorithm: str, block: int = 1) -> list[KnobSpace]:
    """Knobs of strips: for every width of micro-kernels that is whole vectors (and whole blocks of channels,
    or lies in one) some heights that cut a row in one tile more or less; inside, the strip where pixels have
    no rows, rows per cache block, prefetching, and passes over input channels.

    ``plan`` has the analytical choice, which is among them.
    """
    w, isa, chosen = plan.workload, plan.isa, plan.tile
    widest = min(MAX_VECTORS, -(-plan.group_out // isa.lanes))
    width = plan.pixels if plan.flattened else w.out_width
    one_pass = plan.depthwise or w.quantized or plan.group_in < 2 * LEAST_PASS
    passes = (0,) if one_pass else (0, *(c for c in divisions(plan.group_in, (2, 4)) if c % LEAST_PASS == 0))
    spaces = []
    for vectors in range(1, widest + 1):
        nr = vectors * isa.lanes
        if (nr % block and block % nr) or (plan.depthwise and block > 1 and nr != block):
            continue
        most = replace(plan, tile=replace(chosen, nr=nr, mr=0)).most_rows(vectors)
        heights = _heights(width, most)
        for mr in heights:
            strips = divisions(-(-width // mr)) if plan.flattened else ()
            choices = {
                "strip": tuple(mr * tiles for tiles in strips) or (w.out_width,),
                "rows": (1,) if plan.flattened else divisions(w.out_height),
                "prefetch": (False,) if nr >= plan.group_out else (False, True),
                "c_ib": passes,
            }
            # Narrower tiles of the last channels may then be higher.
            fixed = {"nr": nr, "mr": 0 if mr == heights[-1] else mr}
            spaces.append(KnobSpace(algorithm, f"{mr}x{nr}", Tile, fixed, choices))
    nr = min(chosen.nr, -(-plan.group_out // isa.lanes) * isa.lanes)
    mr = chosen.mr or cover_row(min(width, plan.strip), plan.most_rows(nr // isa.lanes))[0].mr
    return with_choice(spaces, algorithm, f"{mr}x{nr}", chosen)


def _heights(width: int, most: int) -> list[int]:
    """Heights of tiles that cover a row of ``width`` in as few as possible, in one more, and in two more,
    lowest first; none where no tile fits the registers."""
    fewest = -(-width // most) if most else width + 1
    return sorted({-(-width // count) for count in range(fewest, fewest + 3) if count <= width})
