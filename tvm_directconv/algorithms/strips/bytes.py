"""Strips of 8-bit convolutions: rows of output pixels, channels in groups, sums that start from a table.

The filter is packed [blocks, KH, KW * terms, groups, nr, group]: kernels multiply ``group`` channels at once,
and a filter of more than 8 bits is the sum of ``terms`` beside each other as further columns. The bias
operand is the int32 table of ``quantization.bias_table``, a row for each set of taps that an output pixel
visits; scales are float32, one per output channel.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from tvm import te, tirx

from intrinsics.isa import Isa, best_isa
from intrinsics.microkernel import KernelInstance, MicroKernel, Segment, TileEpilogue
from intrinsics.tensorize import ByteStrip
from tvm_directconv.errors import InputError
from tvm_directconv.model.tiling import RowTile
from tvm_directconv.problem.quantization import (
    RANGES,
    SHORT,
    TERMS,
    QuantizedTypes,
    Taps,
    bias_table,
    visited_taps,
)
from tvm_directconv.problem.workload import Conv2dWorkload, index, nhwc

from .calls import StripPart
from .plan import StripPlan
from .schedule import unravel

ONE_RUN = Taps((0,), ((0, 0),))
"""Where all positions start from the same bias."""


@dataclass(frozen=True)
class ByteStripPlan(StripPlan):
    """Geometry of the strips of one 8-bit workload, and their expansion into kernel calls."""

    @cached_property
    def quantized(self) -> QuantizedTypes:
        assert self.workload.quantized is not None
        return self.workload.quantized

    @cached_property
    def group(self) -> int:
        return 1 if self.depthwise else self.isa.channels_per_multiply

    @cached_property
    def terms(self) -> int:
        """Filters that are summed, since 8 bits do not hold the one there is."""
        dtype = self.quantized.filter_dtype
        return 1 if SHORT.get(dtype) in self.isa.rhs else TERMS[dtype]

    @cached_property
    def filter_dtype(self) -> str:
        """Of the packed filter."""
        return self.quantized.filter_dtype if self.terms == 1 else "int8"

    @property
    def types(self) -> str:  # type: ignore[override]
        types = self.quantized.out_dtype, self.workload.dtype, self.filter_dtype
        return "_".join(SHORT[dtype] for dtype in types)

    @property
    def step_bytes(self) -> int:  # type: ignore[override]
        return self.group

    @property
    def filter_row(self) -> int:
        return self.nr * self.group

    @property
    def channel_groups(self) -> int:
        return -(-self.group_in // self.group)

    @property
    def tap_elements(self) -> int:
        return self.terms * self.channel_groups * self.filter_row

    @property
    def channel_steps(self) -> int:
        return self.terms * self.channel_groups

    @property
    def packed_filter_shape(self) -> tuple[int, ...]:
        kh, kw = self.workload.kernel
        if self.depthwise:
            return (self.blocks, kh, kw * self.terms, self.nr)
        return (self.blocks, kh, kw * self.terms, self.channel_groups, self.nr, self.group)

    @property
    def strip_intrinsic(self) -> ByteStrip:
        w = self.workload
        groups = 0 if self.depthwise else self.channel_groups
        return ByteStrip(
            self.strip,
            self.nr,
            *w.kernel,
            groups,
            self.group,
            w.strides[1],
            *w.dilation,
            self.terms,
            self.filter_dtype,
        )

    @cached_property
    def moved(self) -> int:
        """What kernels add to the input's elements."""
        return 0 if self.depthwise else self.isa.lhs_offset(SHORT[self.workload.dtype])

    @cached_property
    def zero(self) -> int:
        """The input's zero point as kernels multiply it."""
        return self.quantized.data_zero + self.moved

    @cached_property
    def runs(self) -> tuple[Taps, Taps]:
        """Rows and columns of the output that start from the same bias."""
        if not self.zero:
            return ONE_RUN, ONE_RUN
        return visited_taps(self.workload, 0), visited_taps(self.workload, 1)

    @property
    def table_shape(self) -> tuple[int, int]:
        """Of the bias operand."""
        return len(self.runs[0].starts) * len(self.runs[1].starts), self.workload.out_channels

    def table(self, weights: np.ndarray, bias: np.ndarray | None) -> np.ndarray:
        """The bias operand of a filter in the workload's layout, its zero point taken off."""
        runs = self.runs
        if not self.zero:
            taps = Taps((0,), ((0, self.workload.kernel[0]),)), Taps((0,), ((0, self.workload.kernel[1]),))
            runs = taps
        oihw = weights.transpose([self.workload.filter_layout.index(axis) for axis in "OIHW"])
        return bias_table(self.workload, self.zero, oihw, bias, runs)

    def part(self, *at: Any) -> StripPart:
        return ByteStripPart(self, *at)


@dataclass(frozen=True)
class ByteStripPart(StripPart):
    """One strip: the kernel calls that cover it."""

    plan: ByteStripPlan

    def _instance(self, kernel: MicroKernel, tile: RowTile, channels: int) -> KernelInstance:
        plan, e, q = self.plan, self.plan.workload.epilogue, self.plan.quantized
        low, high = q.stored_bounds(e.low, e.high)
        runs = [(x, self._column_run(tile.x + x)) for x in range(tile.mr)]
        changes = [(x, run) for x, run in runs if x == 0 or run != runs[x - 1][1]]
        base = changes[0][1]
        offsets = tuple((x, (run - base) * plan.workload.out_channels) for x, run in changes)
        plain = super()._instance(kernel, tile, channels)
        return replace(
            plain,
            epilogue=TileEpilogue(bias=True, low=low, high=high),
            bias_rows=offsets if len(offsets) > 1 else (),
            zero=q.out_zero,
        )

    def _segments(self, mr: int, x: int, length: int) -> tuple[Segment, ...]:
        segments = super()._segments(mr, x, length)
        if self.plan.terms == 1:
            return segments
        distance = self.plan.channel_groups * self.plan.filter_row
        return tuple(replace(s, b=s.b + term * distance) for s in segments for term in range(self.plan.terms))

    def _column_run(self, x: int) -> int:
        return 0 if self.plan.flattened else self.plan.runs[1].run_of(x)

    def _same_bias(self, tile: RowTile, other: RowTile) -> bool:
        return self._column_run(tile.x) == self._column_run(other.x)

    def _extra_operands(
        self, extra: list[tirx.Buffer], channel: tirx.Expr, at: tirx.Expr, x: int
    ) -> Iterable[tuple[tirx.Buffer | None, tirx.Expr]]:
        rows, columns = self.plan.runs
        row = tirx.IntImm("int32", 0) if self.plan.flattened else run_index(rows, self.y)
        run = row * len(columns.starts) + self._column_run(x)
        yield extra[0], run * self.plan.workload.out_channels + channel
        yield (extra[1] if len(extra) > 1 else None), channel


def byte_isa(workload: Conv2dWorkload, features: frozenset[str], layout: str) -> Isa:
    """The instruction set of the kernels. A filter beyond int8 is a sum of int8 filters, unless it is
    unsigned, and there are kernels as good for that."""
    q, lhs = workload.quantized, SHORT[workload.dtype]
    assert q is not None
    signed = best_isa(features, lhs, "s8", layout, q.largest_weight)
    if q.filter_dtype != "uint8":
        return signed
    unsigned = best_isa(features, lhs, "u8", layout, q.largest_weight)
    return unsigned if unsigned.features >= signed.features else signed


def run_index(taps: Taps, position: tirx.Expr) -> tirx.Expr:
    """The run that a position is in, as an expression."""
    index: tirx.Expr = tirx.IntImm("int32", 0)
    for start in taps.starts[1:]:
        index = index + tirx.Cast("int32", position >= start)
    return index


def te_byte_conv2d(plan: ByteStripPlan) -> tirx.PrimFunc:
    """The convolution in TE: (data, packed filter, int32 bias table[, float32 scale], output).

    Stages view (the input as kernels multiply it, in int32, padded or flattened), conv (per strip), epilogue.
    """
    w = plan.workload
    data = te.placeholder(w.input_shape, w.dtype, name="data")
    return te_byte_strips(plan, data, data, w)


def te_byte_strips(
    plan: ByteStripPlan, data: te.Tensor, source: te.Tensor, outer: Conv2dWorkload
) -> tirx.PrimFunc:
    """``strip_schedule.te_strips`` for bytes."""
    w, g, q = plan.workload, plan, plan.quantized
    packed = te.placeholder(g.packed_filter_shape, g.filter_dtype, name="packed_filter")
    table = te.placeholder(g.table_shape, "int32", name="bias")
    scale = te.placeholder((w.out_channels,), "float32", name="scale")
    (stride_h, stride_w), (dilation_h, dilation_w) = w.strides, w.dilation
    top, left, _, _ = w.padding
    zero = tirx.const(0, "int32")

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
        return tirx.if_then_else(inside, tirx.Cast("int32", value) + g.moved, zero)

    padded_channels = g.channel_groups * g.group
    view_height = (g.out_height - 1) * stride_h + (w.kernel[0] - 1) * dilation_h + 1
    view_width = (g.strip - 1) * stride_w + (w.kernel[1] - 1) * dilation_w + 1
    view_channels = g.blocks * g.nr if g.depthwise else (g.groups - 1) * g.group_in + padded_channels
    view = te.compute((g.batch, view_height, view_width, view_channels), padded, name="view")

    kh = te.reduce_axis((0, w.kernel[0]), name="kh")
    kw = te.reduce_axis((0, w.kernel[1] * g.terms), name="kw")
    ko = te.reduce_axis((0, g.channel_groups), name="ko")
    ki = te.reduce_axis((0, g.group), name="ki")

    def product(n: tirx.Var, y: tirx.Var, b: tirx.Var, x: tirx.Var, i: tirx.Var) -> tirx.Expr:
        row, column = y * stride_h + kh * dilation_h, x * stride_w + kw // g.terms * dilation_w
        if g.depthwise:
            value, tap = view[n, row, column, b * g.nr + i], packed[b, kh, kw, i]
            return te.sum(value * tirx.Cast("int32", tap), axis=[kh, kw])
        channel = b // g.group_blocks * g.group_in + ko * g.group + ki
        tap = packed[b, kh, kw, ko, i, ki]
        return te.sum(view[n, row, column, channel] * tirx.Cast("int32", tap), axis=[kh, kw, ko, ki])

    conv = te.compute((g.batch, g.out_height, g.blocks, g.strip, g.nr), product, name="conv")
    rows, columns = g.runs

    def finished(*at: tirx.Var) -> tirx.Expr:
        n, y, x, oc = nhwc(outer.out_layout, *at)
        group, within = oc // g.group_out, oc % g.group_out
        block, lane = group * g.group_blocks + within // g.nr, within % g.nr
        if g.flattened:
            images = outer.batch // g.batch
            pixel = (n % images * outer.out_height + y) * outer.out_width + x
            total = conv[n // images, pixel // g.strip, block, pixel % g.strip, lane] + table[0, oc]
        else:
            run = run_index(rows, y) * len(columns.starts) + run_index(columns, x)
            total = conv[n, y, block, x, lane] + table[run, oc]
        return te_requantized(w, total, scale, oc)

    output = te.compute(outer.output_shape, finished, name="epilogue")
    extra = [] if q.out_dtype == "int32" else [scale]
    return te.create_prim_func([data, packed, table, *extra, output])


def te_requantized(
    workload: Conv2dWorkload, total: tirx.Expr, scale: te.Tensor, channel: tirx.Expr
) -> tirx.Expr:
    """What is stored of an int32 sum."""
    q, e = workload.quantized, workload.epilogue
    assert q is not None
    if q.out_dtype == "int32":
        return total
    value = tirx.Cast("float32", total) * scale[channel]
    value = tirx.max(value, tirx.const(e.low, "float32"))
    value = tirx.min(value, tirx.const(e.high, "float32"))
    if q.out_dtype == "float32":
        return value
    low, high = (tirx.const(float(bound), "float32") for bound in RANGES[q.out_dtype])
    rounded = tirx.nearbyint(value) + tirx.const(float(q.out_zero), "float32")
    return tirx.Cast(q.out_dtype, tirx.max(tirx.min(rounded, high), low))


def pack_byte_filter(
    workload: Conv2dWorkload, packed_shape: tuple[int, ...], weights: np.ndarray
) -> np.ndarray:
    """A filter in the workload's layout, integers with its zero point taken off, in ByteStripPlan's packed
    layout; InputError where its terms cannot hold it."""
    w, types = workload, workload.quantized
    assert types is not None
    blocks, _, columns, *_ = packed_shape
    steps, nr, group = packed_shape[3:] if len(packed_shape) == 6 else (1, packed_shape[3], 1)
    count = columns // w.kernel[1]
    dtype = "uint8" if count == 1 and types.filter_dtype == "uint8" else "int8"
    least, most = RANGES[dtype]
    if count == 1 and dtype == "int8":
        least, most = max(least, -types.largest_weight), min(most, types.largest_weight)
    groups = 1 if w.is_depthwise else w.groups
    per_group = w.out_channels // groups
    padded = np.zeros((groups, blocks // groups * nr, steps * group, *w.kernel, count), dtype)
    left = weights.transpose([w.filter_layout.index(axis) for axis in "OIHW"])
    left = left.reshape(groups, per_group, *left.shape[1:])
    for term in range(count):
        held = left if term == count - 1 else np.clip(left, least, most)
        if held.min() < least or held.max() > most:
            raise InputError(
                f"the filter holds {weights.min()} to {weights.max()}, beyond what is said of {w}"
            )
        padded[:, :per_group, : left.shape[2], ..., term] = held
        left = left if term == count - 1 else left - held
    split = padded.reshape(blocks, nr, steps, group, *w.kernel, count)
    return np.ascontiguousarray(split.transpose(0, 4, 5, 6, 2, 1, 3).reshape(packed_shape))
