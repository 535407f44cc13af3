"""Lift's convolution in TE: padded input, views of it by windows and chunks, partial sums, sums, epilogue.

What the paper calls views are stages here, which the schedule keeps in registers: nothing is copied but by
kernels that say so. Sums are float32, whatever the operands are.
"""

from __future__ import annotations

from tvm import te, tirx

from tvm_directconv.algorithms.epilogue import cast, finished
from tvm_directconv.problem.element_types import FLOAT32
from tvm_directconv.problem.workload import Conv2dWorkload

from .geometry import Geometry, is_channelwise
from .knobs import LiftKnobs

PADDED, WINDOW, WEIGHTS, PARTIAL, SUMS, OUTPUT = "padded", "window", "weights", "partial", "sums", "epilogue"
"""The stages by name; ``SUMS`` is there where windows are in several chunks."""


def packed_filter_shape(workload: Conv2dWorkload, knobs: LiftKnobs, g: Geometry) -> tuple[int, ...]:
    """Return the filter's shape as threads read it at once: neighbouring threads neighbouring vectors. The
    axes are workgroups' filters, steps, a thread's filters, chunks, threads' filters, the vector."""
    groups = workload.out_channels // knobs.filters
    return groups, g.steps, g.thread_filters, g.chunks, knobs.filter_threads, knobs.vector


def compute(workload: Conv2dWorkload, knobs: LiftKnobs, g: Geometry) -> tirx.PrimFunc:
    """Return the function (data, packed filter[, bias][, residual], output) of a float workload in NHWC."""
    w, kind = workload, workload.dtype
    data = te.placeholder(w.input_shape, kind, name="data")
    packed = te.placeholder(packed_filter_shape(w, knobs, g), kind, name="filter")
    padded = _padded(w, data, g)
    make = _channels_apart if is_channelwise(w) else _channels_summed
    partial = make(w, knobs, g, padded, packed)
    if g.chunks == 1:
        return finished(w, data, packed, lambda n, y, x, m: partial[n, y, x, m, 0])
    part = te.reduce_axis((0, g.chunks), "part")
    sums = te.compute(
        (w.batch, g.grid_h, g.grid_w, w.out_channels),
        lambda n, y, x, m: te.sum(partial[n, y, x, m, part], axis=part),
        name=SUMS,
    )
    return finished(w, data, packed, lambda n, y, x, m: sums[n, y, x, m])


def _padded(w: Conv2dWorkload, data: te.Tensor, g: Geometry) -> te.Tensor:
    """The input between zeros, [N, H, W x C]: a row is contiguous, so that vectors may cross pixels."""
    (top, left, _, _), channels = w.padding, w.in_channels

    def element(n: tirx.Var, y: tirx.Var, at: tirx.Var) -> tirx.Expr:
        rows = tirx.all(y >= top, y < top + w.height)
        inside = tirx.all(rows, at >= left * channels, at < (left + w.width) * channels)
        value = data[n, y - top, at // channels - left, at % channels]
        return tirx.if_then_else(inside, value, tirx.const(0.0, w.dtype))

    return te.compute((w.batch, g.padded_h, g.padded_w * channels), element, name=PADDED)


def _channels_summed(
    w: Conv2dWorkload, knobs: LiftKnobs, g: Geometry, padded: te.Tensor, packed: te.Tensor
) -> te.Tensor:
    """Partial sums [N, rows, pixels, filters, chunks] of windows whose terms run over channels, too."""
    vectors, per_group, per_thread = g.row // knobs.vector, w.out_channels // w.groups, g.thread_filters

    def vector_of(c: tirx.Var, j: tirx.Var) -> tirx.Expr:
        """Index of a window's vector that is chunk c's at step j (section 4.2.2)."""
        return c + g.chunks * j if knobs.coalesce else c * g.steps + j

    def term(n: tirx.Var, y: tirx.Var, x: tirx.Var, group: tirx.Var, *of_chunk: tirx.Var) -> tirx.Expr:
        c, j, lane = of_chunk
        at = vector_of(c, j)
        row, offset = at // vectors, at % vectors * knobs.vector + lane
        taps = row * (w.kernel[1] if g.row > w.in_channels // w.groups else 1)  # whole rows of taps, or each
        first = group * (w.in_channels // w.groups) + _pixel(w, y, x, taps, offset)[1]
        return cast(padded[n, _pixel(w, y, x, taps, offset)[0], first], w.dtype, FLOAT32)

    shape = (w.batch, g.grid_h, g.grid_w, w.groups, g.chunks, g.steps, knobs.vector)
    window = te.compute(shape, term, name=WINDOW)

    def weight(m: tirx.Var, c: tirx.Var, j: tirx.Var, lane: tirx.Var) -> tirx.Expr:
        within = m % knobs.filters
        value = packed[m // knobs.filters, j, within % per_thread, c, within // per_thread, lane]
        return cast(value, w.dtype, FLOAT32)

    weights = te.compute((w.out_channels, g.chunks, g.steps, knobs.vector), weight, name=WEIGHTS)
    j, lane = te.reduce_axis((0, g.steps), "j"), te.reduce_axis((0, knobs.vector), "lane")
    return te.compute(
        (w.batch, g.grid_h, g.grid_w, w.out_channels, g.chunks),
        lambda n, y, x, m, c: te.sum(
            window[n, y, x, m // per_group if w.groups > 1 else 0, c, j, lane] * weights[m, c, j, lane],
            axis=[j, lane],
        ),
        name=PARTIAL,
    )


def _channels_apart(
    w: Conv2dWorkload, knobs: LiftKnobs, g: Geometry, padded: te.Tensor, packed: te.Tensor
) -> te.Tensor:
    """The same of windows of one channel each, whose vectors are of neighbouring channels."""
    per_group, per_thread = w.out_channels // w.groups, knobs.filters // knobs.filter_threads

    def term(n: tirx.Var, y: tirx.Var, x: tirx.Var, m: tirx.Var, tap: tirx.Var) -> tirx.Expr:
        row, at = _pixel(w, y, x, tap, m // per_group)
        return cast(padded[n, row, at], w.dtype, FLOAT32)

    window = te.compute((w.batch, g.grid_h, g.grid_w, w.out_channels, g.steps), term, name=WINDOW)

    def weight(m: tirx.Var, tap: tirx.Var) -> tirx.Expr:
        within = m % knobs.filters
        part = within % per_thread
        at = (m // knobs.filters, tap, part // knobs.vector, 0, within // per_thread, part % knobs.vector)
        return cast(packed[at], w.dtype, FLOAT32)

    weights = te.compute((w.out_channels, g.steps), weight, name=WEIGHTS)
    tap = te.reduce_axis((0, g.steps), "tap")
    return te.compute(
        (w.batch, g.grid_h, g.grid_w, w.out_channels, 1),
        lambda n, y, x, m, _: te.sum(window[n, y, x, m, tap] * weights[m, tap], axis=tap),
        name=PARTIAL,
    )


def _pixel(
    w: Conv2dWorkload, y: tirx.Expr, x: tirx.Expr, tap: tirx.Expr, offset: tirx.Expr
) -> tuple[tirx.Expr, tirx.Expr]:
    """Row of the padded input, and place in it, of what is ``offset`` behind a tap of the window (y, x)."""
    kw = w.kernel[1]
    row = y * w.strides[0] + tap // kw * w.dilation[0]
    return row, (x * w.strides[1] + tap % kw * w.dilation[1]) * w.in_channels + offset
