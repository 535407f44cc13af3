"""The input written out as a matrix, and the filter as the other one, in TE."""

from __future__ import annotations

from tvm import te, tirx

from tvm_directconv.problem.workload import Conv2dWorkload

from ..lowering import FOLDED, MATRIX
from ..packing import tap
from ..strips.geometry import unravel

LOWERED, MATRIX_VIEW = "lowered", "matrix_view"


def lowered(workload: Conv2dWorkload, data: te.Tensor) -> te.Tensor:
    """Every window written out: [N, OH, OW, group, KH, KW, channel] in NHWC, [N, IC, KH, KW, OH, OW] in
    NCHW."""
    w = workload
    (stride_h, stride_w), (dilation_h, dilation_w), (top, left, _, _) = w.strides, w.dilation, w.padding
    group_in = w.in_channels // w.groups
    output = w.out_height, w.out_width
    zero = tirx.const(w.quantized.data_zero if w.quantized else 0, w.dtype)

    def element(
        n: tirx.Expr, oy: tirx.Expr, ox: tirx.Expr, c: tirx.Expr, kh: tirx.Expr, kw: tirx.Expr
    ) -> tirx.Expr:
        y, x = oy * stride_h + kh * dilation_h - top, ox * stride_w + kw * dilation_w - left
        at = (n, y, x, c) if w.data_layout == "NHWC" else (n, c, y, x)
        inside = tirx.all(y >= 0, y < w.height, x >= 0, x < w.width)
        return tirx.if_then_else(inside, data[at], zero)

    if w.data_layout == "NHWC":
        return te.compute(
            (w.batch, *output, w.groups, *w.kernel, group_in),
            lambda n, y, x, g, kh, kw, c: element(n, y, x, g * group_in + c, kh, kw),
            name=LOWERED,
            attrs=MATRIX,
        )
    return te.compute(
        (w.batch, w.in_channels, *w.kernel, *output),
        lambda n, c, kh, kw, y, x: element(n, y, x, c, kh, kw),
        name=LOWERED,
        attrs=MATRIX,
    )


def matrix_view(workload: Conv2dWorkload, source: te.Tensor, shape: tuple[int, ...]) -> te.Tensor:
    """The lowered input, or the input of a 1x1 layer, as the product of that input shape reads it."""
    extents = [int(extent) for extent in source.shape]
    pixels = 3 if workload.data_layout == "NHWC" else 1

    def element(*at: tirx.Expr) -> tirx.Expr:
        if workload.data_layout == "NHWC":
            _, _, pixel, k = at
            index = [*unravel(pixel, extents[:pixels]), *unravel(k, extents[pixels:])]
        else:
            n, k, _, pixel = at
            index = [n, *unravel(k, extents[1:-2]), *unravel(pixel, extents[-2:])]
        return source(*index)

    return te.compute(shape, element, name=MATRIX_VIEW, attrs=FOLDED)


def filter_matrix_view(workload: Conv2dWorkload, source: te.Tensor, shape: tuple[int, ...]) -> te.Tensor:
    """A filter in the workload's layout as [OC, K, 1, 1], K in the lowered matrix's order."""
    (kh, kw), group_in = workload.kernel, workload.in_channels // workload.groups

    def element(oc: tirx.Var, k: tirx.Var, a: tirx.Var, b: tirx.Var) -> tirx.Expr:
        if workload.data_layout == "NHWC":
            return tap(workload, source, O=oc, H=k // (group_in * kw), W=k // group_in % kw, I=k % group_in)
        return tap(workload, source, O=oc, I=k // (kh * kw), H=k // kw % kh, W=k % kw)

    return te.compute(shape, element, name="filter_matrix")
