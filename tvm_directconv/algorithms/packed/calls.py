"""The calls a block of algorithm B stands for: packing routines and micro-kernels, exact at every edge."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from tvm import sym, tirx
from tvm.s_tir import SBlock

from intrinsics.microkernel import PANEL, KernelInstance, MicroKernel, Segment, TileEpilogue
from intrinsics.packing.panels import PanelPacking
from tvm_directconv.algorithms.branches import choose, either

if TYPE_CHECKING:
    from .plan import PackedPlan

Item = TypeVar("Item")


@dataclass(frozen=True)
class Panel:
    """One micro-panel at a filter column: ``rows`` output pixels, the ``start``-th of a tile's and those
    after it; of these, from ``first`` to ``last`` lie inside the image."""

    start: int
    rows: int
    first: int
    last: int

    @property
    def inside(self) -> bool:
        return self.first < self.last


@dataclass(frozen=True)
class Pass:
    """Some of the passes over a tile, of which there is one for each filter tap and block of channels."""

    first: bool
    last: bool
    columns: Sequence[int]
    depths: Sequence[int]


class Expansion:
    """The calls one tensorized block stands for: panels to pack, or tiles to compute, of one block of pixels.

    Which routines these are depends on where the block is: at an edge of the image or of the output, in the
    first or last pass over the output, in the last block of channels. Wherever that takes a test of loop
    variables, the common case is tested for last.
    """

    def __init__(self, plan: PackedPlan, func: tirx.PrimFunc, block: SBlock) -> None:
        self.plan, self.func = plan, func
        self.packs = block.name_hint.startswith("panel")
        panel = block.writes[0] if self.packs else block.reads[1]
        starts = [axis.min for axis in panel.region]
        self.n, self.y, self.w_block, self.kh, self.kw, self.group, _, self.channel, _ = starts
        if not self.packs:
            self.filter = block.writes[0].region[4].min
        self.simplify = sym.Analyzer().simplify

    def statement(self) -> tirx.Stmt:
        """The first pass over a tile begins with the bias, and the last ends with the rest of the epilogue,
        so that both are made whether or not their tap lies inside the image."""
        plan, (taps_h, taps_w) = self.plan, self.plan.workload.kernel
        count = taps_h * taps_w * plan.in_blocks
        depths = [min(plan.c_ib, plan.group_in - i * plan.c_ib) for i in range(plan.in_blocks)]

        def at(kh: int, kw: int, channel: int) -> tirx.Expr:
            return tirx.all(tirx.EQ(self.kh, kh), tirx.EQ(self.kw, kw), tirx.EQ(self.channel, channel))

        if count == 1:
            stmt = self.of_pass(Pass(True, True, [0], depths))
        else:
            middle = self.of_pass(Pass(False, False, range(taps_w), depths)) if count > 2 else None
            last = self.of_pass(Pass(False, True, [taps_w - 1], depths[-1:]))
            stmt = either(at(taps_h - 1, taps_w - 1, (plan.in_blocks - 1) * plan.c_ib), last, middle)
            stmt = either(at(0, 0, 0), self.of_pass(Pass(True, False, [0], depths[:1])), stmt)
        return either(self.y < plan.lines, stmt) if plan.loop_lines > plan.lines else stmt

    def of_pass(self, passes: Pass) -> tirx.Stmt | None:
        """All panels of the block, for one of the pass's columns and depths."""
        plan = self.plan
        nr, each = plan.knobs.nr, plan.block_filters
        widths = [min(nr, plan.group_out - b * nr) for b in range(plan.filters)]
        filters = [tuple(widths[b : b + each]) for b in range(0, plan.filters, each)]

        def of_column(panels: tuple[Panel, ...]) -> tirx.Stmt | None:
            return choose(self.channel // plan.c_ib, passes.depths, lambda depth: of_depth(panels, depth))

        def of_depth(panels: tuple[Panel, ...], depth: int) -> tirx.Stmt | None:
            if self.packs:
                return sequence(
                    panels,
                    lambda panel, index: self.pack_call(panel, index, depth) if panel.inside else None,
                )
            return choose(
                self.filter // plan.block_filters, filters, lambda widths: tiles(panels, depth, widths)
            )

        def tiles(panels: tuple[Panel, ...], depth: int, widths: tuple[int, ...]) -> tirx.Stmt | None:
            def tile(panel: Panel, index: tirx.Expr, b: tirx.Expr, channels: int) -> tirx.Stmt | None:
                needed = panel.inside or passes.first or passes.last
                return self.tile_call(passes, panel, index, depth, b, channels) if needed else None

            return sequence(
                widths,
                lambda channels, b: sequence(panels, lambda panel, index: tile(panel, index, b, channels)),
            )

        def of_line(line: int) -> tirx.Stmt | None:
            blocks = [
                tuple(self.panels(passes, line, w_block, column) for column in passes.columns)
                for w_block in range(plan.w_blocks)
            ]
            return choose(self.w_block, blocks, lambda columns: choose(self.kw, columns, of_column))

        stmt = of_line(0)
        if plan.flattened and plan.out_width % plan.w_ob:
            stmt = either(tirx.EQ(self.y, plan.lines - 1), of_line(plan.lines - 1), stmt)
        if self.row_inside is None or (not self.packs and (passes.first or passes.last)):
            return stmt
        return either(self.row_inside, stmt)

    def panels(self, passes: Pass, line: int, w_block: int, column: int) -> tuple[Panel, ...]:
        """The panels of a block of pixels at a filter column. But for the first and last pass, of which every
        pixel is part, rows outside the image are left out."""
        plan, w = self.plan, self.plan.workload
        panels = []
        for start in range(0, plan.w_ob, plan.knobs.mr):
            x = (line if plan.flattened else w_block) * plan.w_ob + start
            rows = min(plan.knobs.mr, plan.w_ob - start, plan.out_width - x)
            if rows <= 0:
                break
            first, last = 0, rows
            if not plan.flattened:
                stride, at = w.strides[1], x * w.strides[1] + column * w.dilation[1] - w.padding[1]
                first = min(rows, max(0, -(at // stride)))
                last = max(first, min(rows, (w.width - 1 - at) // stride + 1))
            if passes.first or passes.last:
                panels.append(Panel(0, rows, first, last))
            else:
                panels.append(Panel(first, last - first, 0, last - first))
        return tuple(panels)

    def pack_call(self, panel: Panel, index: tirx.Expr, depth: int) -> tirx.Stmt:
        plan, w = self.plan, self.plan.workload
        stride, dilation = w.strides[1], w.dilation[1]
        routine = PanelPacking(
            panel.rows, depth, stride * w.in_channels, panel.first, panel.last, plan.isa.name
        )
        x = self.pixel(panel, index) + panel.first
        if plan.flattened:
            pixel = self.y * plan.w_ob + x
        else:
            column = x * stride + self.kw * dilation - w.padding[1]
            pixel = (self.n * w.height + self.input_row()) * w.width + column
        source = pixel * w.in_channels + self.group * plan.group_in + self.channel
        pointers = [
            self.panel_pointer("w", index, depth),
            self.func.params[0].access_ptr("r", offset=self.simplify(source)),
        ]
        return tirx.Evaluate(tirx.call_extern("int32", routine.name, *pointers))

    def tile_call(
        self, passes: Pass, panel: Panel, index: tirx.Expr, depth: int, b: tirx.Expr, channels: int
    ) -> tirx.Stmt:
        """Panel ``index`` by the block's ``b``-th panel of the filter."""
        plan, w = self.plan, self.plan.workload
        lanes, nr = plan.isa.lanes, plan.knobs.nr
        panel_elements = math.prod(plan.packed_filter_shape[1:])
        instance = KernelInstance(
            MicroKernel(panel.rows, -(-channels // lanes) * lanes, PANEL, plan.isa.name),
            channels,
            a_row=1,
            a_step=0,
            b_row=nr,
            b_step=0,
            c_row=w.out_channels,
            segments=(Segment(0, panel.rows, 0, 0, depth),) if panel.inside else (),
            epilogue=TileEpilogue(
                w.epilogue.bias and passes.first,
                w.epilogue.residual and passes.last,
                w.epilogue.low if passes.last else -math.inf,
                w.epilogue.high if passes.last else math.inf,
            ),
            a_k=panel.rows,
            accumulate=not passes.first,
        )
        _, packed, *extra, output = self.func.params
        line = self.y if plan.flattened else self.n * w.out_height + self.y
        width = plan.w_ob if plan.flattened else plan.out_width
        filter_panel = self.filter + b
        channel = self.group * plan.group_out + filter_panel * nr
        c = self.simplify((line * width + self.pixel(panel, index)) * w.out_channels + channel)
        tap = self.kh * w.kernel[1] + self.kw
        source = (self.group * plan.filters + filter_panel) * panel_elements
        source = self.simplify(source + (tap * plan.group_in + self.channel) * nr)
        pointers = [
            output.access_ptr("w", offset=c),
            self.panel_pointer("r", index, depth),
            packed.access_ptr("r", offset=source),
        ]
        for used, offset in ((w.epilogue.bias, channel), (w.epilogue.residual, c)):
            # An operand the epilogue lacks is never read; any pointer will do.
            pointers.append(extra.pop(0).access_ptr("r", offset=offset) if used else pointers[0])
        taps = tirx.IntImm("int64", 1) if self.row_inside is None else tirx.Cast("int64", self.row_inside)
        return tirx.Evaluate(tirx.call_extern("int32", instance.name, *pointers, taps))

    def pixel(self, panel: Panel, index: tirx.Expr) -> tirx.Expr:
        """The panel's first output pixel, in its line."""
        return self.w_block * self.plan.w_ob + index * self.plan.knobs.mr + panel.start

    def panel_pointer(self, access: str, index: tirx.Expr, depth: int) -> tirx.Expr:
        offset = self.simplify(index * (self.plan.knobs.mr * depth))
        return self.plan.workspace.buffer.access_ptr(access, offset=offset)

    def input_row(self) -> tirx.Expr:
        w = self.plan.workload
        return self.y * w.strides[0] + self.kh * w.dilation[0] - w.padding[0]

    @cached_property
    def row_inside(self) -> tirx.Expr | None:
        """Whether the filter's row lies inside the image; None where all do."""
        w = self.plan.workload
        lowest = (w.out_height - 1) * w.strides[0] + (w.kernel[0] - 1) * w.dilation[0] - w.padding[0]
        if w.padding[0] == 0 and lowest < w.height:
            return None
        row = self.input_row()
        return tirx.all(row >= 0, row < w.height)


def sequence(items: Sequence[Item], make: Callable[[Item, tirx.Expr], tirx.Stmt | None]) -> tirx.Stmt | None:
    """What ``make`` makes of each item and its index; equal neighbours become a loop."""
    stmts, start = [], 0
    for item, run in itertools.groupby(items):
        count = len(list(run))
        if count == 1:
            stmt = make(item, tirx.IntImm("int32", start))
        else:
            index = tirx.Var("index", "int32")
            stmt = make(item, start + index)
            stmt = None if stmt is None else tirx.For(index, 0, count, tirx.ForKind.SERIAL, stmt)
        stmts += [] if stmt is None else [stmt]
        start += count
    return None if not stmts else stmts[0] if len(stmts) == 1 else tirx.SeqStmt(stmts)
