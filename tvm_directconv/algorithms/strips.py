"""Strips of a convolution, and their expansion into micro-kernel calls.

A strip is one row of output pixels by nr channels. Its plan knows which exact tiles cover it, which taps of
each tile lie inside the image, and where its operands start; padding, tails and odd widths end here, and
micro-kernels see none of it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

from tvm import sym, tirx
from tvm.s_tir import SBlock

from ..cost import FLOAT_BYTES, Cost, level_holding, traffic_cycles
from ..intrinsics.isa import Isa
from ..intrinsics.microkernel import DEPTHWISE, ROW, KernelInstance, MicroKernel, Segment, TileEpilogue
from ..intrinsics.tensorize import Strip
from ..target import Machine
from ..tiling import RowTile, cover_row, row_cycles
from ..workload import Conv2dWorkload


@dataclass(frozen=True)
class Tile:
    """The knobs: ``nr`` output channels per block; ``strip`` output pixels per strip; ``rows`` strips per
    cache block, walked for one channel block before the next channel block; whether kernels ``prefetch``
    the next channel block's filter panel while they use this one's."""

    nr: int
    strip: int
    rows: int
    prefetch: bool = False


@dataclass(frozen=True)
class StripPlan:
    """Geometry of the strips of one workload, and their expansion into kernel calls."""

    workload: Conv2dWorkload
    isa: Isa
    tile: Tile

    @cached_property
    def flattened(self) -> bool:
        return flattens(self.workload)

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

    def expand(self, func: tirx.PrimFunc, strip: SBlock) -> tirx.Stmt:
        """Kernel calls for a strip; tails where the extents leave any."""
        n, y, block = (strip.writes[0].region[axis].min for axis in range(3))
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

    def cost(self, machine: Machine) -> Cost:
        """Every strip's tiles with operands in L1, and beside it the traffic of row blocks and panels.

        A panel is read from where it lies once per row block, and stays in L2 for the rows of the block; the
        block's input rows are read once per panel, from L2 where they fit it beside the panel.
        """
        w = self.workload
        layout = DEPTHWISE if self.depthwise else ROW
        steps = w.kernel[0] * w.kernel[1] * (1 if self.depthwise else self.group_in)
        rows = self.batch * self.rows
        width = min(self.strip, self.pixels) if self.flattened else w.out_width
        row = row_cycles(self.isa, machine, width, self.group_out, self.nr, layout, steps)
        last = self.pixels % self.strip if self.flattened else 0
        arithmetic = self.groups * rows * row
        if last and rows > 1:
            short = row_cycles(self.isa, machine, last, self.group_out, self.nr, layout, steps)
            arithmetic += self.groups * (short - row)
        filter_bytes = FLOAT_BYTES * math.prod(self.packed_filter_shape)
        panel_bytes = filter_bytes / self.blocks
        row_blocks = -(-rows // self.tile.rows)
        input_bytes = FLOAT_BYTES * math.prod(w.input_shape)
        output_bytes = FLOAT_BYTES * math.prod(w.output_shape)
        block_bytes = input_bytes / row_blocks
        tiles = -(
            -width // self.isa.largest_mr(min(self.nr, _rounded(self.group_out, self.isa.lanes)), layout)
        )
        moved: dict[int, float] = {}
        for level, size in (
            (level_holding(machine, filter_bytes + input_bytes), filter_bytes * row_blocks),
            (level_holding(machine, block_bytes + panel_bytes), block_bytes * row_blocks * self.blocks),
            (level_holding(machine, panel_bytes), panel_bytes * self.blocks * rows * tiles),
            (level_holding(machine, output_bytes), output_bytes),
        ):
            if level > 1:
                moved[level] = moved.get(level, 0.0) + size
        return Cost(arithmetic, traffic=traffic_cycles(machine, moved))

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
            prefetch=math.prod(self.packed_filter_shape[1:]) if self.tile.prefetch else 0,
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


def _rounded(channels: int, lanes: int) -> int:
    return -(-channels // lanes) * lanes


def flattens(workload: Conv2dWorkload) -> bool:
    """1x1, stride 1, no padding: each output pixel needs its own input pixel alone."""
    w = workload
    return w.kernel == (1, 1) and w.strides == (1, 1) and w.padding == (0, 0, 0, 0)
