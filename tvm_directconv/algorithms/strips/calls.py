"""The micro-kernel calls that cover one strip: exact tiles, the taps inside the image, operands' addresses.

Padding, tails and odd widths end here; micro-kernels see none of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tvm import sym, tirx

from intrinsics.microkernel import DEPTHWISE, ROW, KernelInstance, MicroKernel, Segment, TileEpilogue
from tvm_directconv.model.tiling import RowTile, cover_row

if TYPE_CHECKING:
    from .plan import StripPlan


@dataclass(frozen=True)
class StripPart:
    """One strip in one pass: the kernel calls that cover it."""

    plan: StripPlan
    func: tirx.PrimFunc
    n: tirx.Expr
    y: tirx.Expr
    block: tirx.Expr
    index: int
    channel: tirx.Expr | None

    def calls(self, width: int, channels: int) -> tirx.Stmt:
        """Calls covering ``width`` pixels by ``channels`` channels; equal neighbours become a loop."""
        plan = self.plan
        vectors = -(-channels // plan.isa.lanes)
        layout = DEPTHWISE if plan.depthwise else ROW
        most = plan.most_rows(vectors)
        runs: list[tuple[KernelInstance, RowTile, int]] = []
        for tile in cover_row(width, most):
            kernel = MicroKernel(tile.mr, vectors * plan.isa.lanes, layout, plan.isa.name, plan.types)
            instance = self._instance(kernel, tile, channels)
            if (
                runs
                and runs[-1][0] == instance
                and self._same_bias(tile, runs[-1][1])
                and self._first_column(tile.x)
                == self._first_column(runs[-1][1].x) + (tile.x - runs[-1][1].x) * plan.workload.strides[1]
            ):
                runs[-1] = (instance, runs[-1][1], runs[-1][2] + 1)
            else:
                runs.append((instance, tile, 1))
        calls = []
        for instance, tile, count in runs:
            index = tirx.Var("t", "int32")
            moved = index * tile.mr if count > 1 else tirx.IntImm("int32", 0)
            call = self._call(instance, tile.x, moved)
            calls.append(tirx.For(index, 0, count, tirx.ForKind.SERIAL, call) if count > 1 else call)
        return calls[0] if len(calls) == 1 else tirx.SeqStmt(calls)

    def _instance(self, kernel: MicroKernel, tile: RowTile, channels: int) -> KernelInstance:
        """The kernel for one tile of a row: its segments are the taps inside the image, per column."""
        plan, w = self.plan, self.plan.workload
        first, last = self.index == 0, self.index == plan.passes - 1
        e = w.epilogue
        epilogue = TileEpilogue(
            e.bias and first,
            e.residual and last,
            e.low if last else -math.inf,
            e.high if last else math.inf,
        )
        in_pass = min(plan.pass_channels, plan.group_in - self.index * plan.pass_channels)
        blocks, tail = (1, 0) if plan.depthwise else divmod(in_pass, plan.in_block)
        if plan.in_blocks == 1 and not plan.depthwise:
            blocks, tail = 1, 0
        length = 1 if plan.depthwise else min(plan.in_block, in_pass)
        taps = w.kernel[1] * plan.tap_elements
        several = blocks > 1 or tail > 0
        segments = self._segments(kernel.mr, tile.x, length)
        rest = self._segments(kernel.mr, tile.x, tail) if tail else ()
        if not blocks:
            segments, rest, blocks, several = rest, (), 1, False
        spread = w.out_layout != "NHWC" and kernel.nr > plan.result.block
        return KernelInstance(
            kernel,
            channels,
            a_row=w.strides[1] * plan.source.pixel,
            a_step=w.dilation[0] * plan.source.row,
            b_row=plan.filter_row,
            b_step=taps,
            c_row=plan.result.pixel,
            segments=segments,
            epilogue=epilogue,
            prefetch=math.prod(plan.packed_filter_shape[1:]) if plan.tile.prefetch else 0,
            a_k=1 if plan.depthwise else plan.source.channel,
            accumulate=not first,
            blocks=blocks,
            a_block=plan.source.block_step if several else 0,
            b_block=w.kernel[0] * taps if several else 0,
            tail_segments=rest,
            c_block=(plan.result.block, plan.result.block_step) if spread else (0, 0),
        )

    def _same_bias(self, tile: RowTile, other: RowTile) -> bool:
        """Whether two tiles of one instance also have their bias at the same place."""
        return True

    def _segments(self, mr: int, x: int, length: int) -> tuple[Segment, ...]:
        plan, w = self.plan, self.plan.workload
        stride, dilation, left = w.strides[1], w.dilation[1], w.padding[1]
        columns = plan.pixels if plan.flattened else w.width
        contiguous = not plan.depthwise and plan.source.channel == 1
        segments: list[Segment] = []
        for kw in range(w.kernel[1]):
            column = x * stride - left + kw * dilation
            first = max(0, -(column // stride))
            last = min(mr, (columns - 1 - column) // stride + 1)
            if first >= last:
                continue
            a = (column - self._first_column(x)) * plan.source.pixel
            b = kw * plan.tap_elements
            before = segments[-1] if segments else None
            # Neighbouring taps on the same rows are one run when channels leave no gap between them.
            if (
                before
                and contiguous
                and (before.first, before.last) == (first, last)
                and (before.a + before.length, before.b + before.length * plan.nr) == (a, b)
            ):
                segments[-1] = replace(before, length=before.length + length)
            else:
                segments.append(Segment(first, last, a, b, length))
        return tuple(segments)

    def _first_column(self, x: int) -> int:
        """The input column a tile's A pointer stands at: its first tap's, or the image's edge."""
        w = self.plan.workload
        column = x * w.strides[1] - w.padding[1]
        return max(0, min(column, w.width - 1)) if not self.plan.flattened else column

    def _call(self, instance: KernelInstance, x: int, moved: tirx.Expr) -> tirx.Stmt:
        plan, w, y = self.plan, self.plan.workload, self.y
        _, packed, *extra, output = self.func.params
        first_tap, taps, row = self._rows_inside()
        group, within = self.block // plan.group_blocks, self.block % plan.group_blocks * plan.nr
        in_channel = within if plan.depthwise else group * plan.group_in
        out_channel = group * plan.group_out + within
        column = self._first_column(x) + moved * w.strides[1]
        source, result = plan.source, plan.result
        simplify = sym.Analyzer().simplify
        if plan.flattened:
            a = self.n * source.image + (y * plan.strip + column) * source.pixel
            c = self.n * result.image + (y * plan.strip + x + moved) * result.pixel
        else:
            a = self.n * source.image + row * source.row + column * source.pixel
            c = self.n * result.image + y * result.row + (x + moved) * result.pixel
        b = self.block * math.prod(plan.packed_filter_shape[1:]) + first_tap * instance.b_step
        if plan.passes > 1:
            start = self.index * plan.pass_channels if self.channel is None else self.channel
            in_channel = in_channel + start
            taps_of_row = w.kernel[0] * w.kernel[1] if plan.in_blocks > 1 else 1
            b = b + start * taps_of_row * plan.nr
        a, c = (
            simplify(a + source.channel_offset(in_channel)),
            simplify(c + result.channel_offset(out_channel)),
        )
        pointers = [
            output.access_ptr("w", offset=c),
            plan.data(self.func).access_ptr("r", offset=a),
            packed.access_ptr("r", offset=simplify(b)),
        ]
        for operand, offset in self._extra_operands(list(extra), out_channel, c, x):
            # An operand the epilogue lacks is never read; any pointer will do.
            pointers.append(operand.access_ptr("r", offset=offset) if operand is not None else pointers[0])
        return tirx.Evaluate(tirx.call_extern("int32", instance.name, *pointers, tirx.Cast("int64", taps)))

    def _extra_operands(
        self, extra: list[tirx.Buffer], channel: tirx.Expr, at: tirx.Expr, x: int
    ) -> Iterable[tuple[tirx.Buffer | None, tirx.Expr]]:
        """The kernel's fourth and fifth operand, None where there is none, and the offset in each, of a tile
        at column ``x`` that stores ``channel`` on at offset ``at``."""
        e = self.plan.workload.epilogue
        for used, offset in ((e.bias, channel), (e.residual, at)):
            yield (extra.pop(0) if used else None), offset

    def _rows_inside(self) -> tuple[tirx.Expr, tirx.Expr, tirx.Expr]:
        """(first filter row inside the image, how many are, the input row it reads)."""
        w, y = self.plan.workload, self.y
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
