"""The calls a block of algorithm B stands for: packing routines and micro-kernels, exact at every edge.

Which routines these are depends on where the block is: at an edge of the image or of the output, in the first
or last pass over the output, in the last block of channels. Wherever that takes a test of loop variables, the
common case is tested for last.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from tvm import sym, tirx

from intrinsics.microkernel import PANEL, KernelInstance, MicroKernel, Segment
from intrinsics.packing.panels import PanelPacking
from tvm_directconv.problem.taps import Axis

from ..branches import choose, either
from ..epilogue import Operands, kernel_call
from ..lowering import Block
from .geometry import PackedGeometry, PanelAxes, SumAxes

Item = TypeVar("Item")


@dataclass(frozen=True)
class PackedPanel:
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
class TapPasses:
    """Some of the passes over a tile, of which there is one for each filter tap and block of channels."""

    first: bool
    last: bool
    columns: Sequence[int]
    depths: Sequence[int]


def pack(g: PackedGeometry, block: Block) -> tirx.Stmt | None:
    """The calls that pack a block of the input."""
    return _BlockCalls(g, block, PanelAxes(*block.starts("C"))).statement()


def multiply(g: PackedGeometry, block: Block) -> tirx.Stmt | None:
    """The calls that multiply a packed block by a block of the filter."""
    return _BlockCalls(g, block, PanelAxes(*block.starts("A")), SumAxes(*block.starts("C"))).statement()


class _BlockCalls:
    """Panels to pack, or, where there are ``sums``, tiles to compute, of one block of pixels."""

    def __init__(
        self, g: PackedGeometry, block: Block, panel: PanelAxes, sums: SumAxes | None = None
    ) -> None:
        self.g, self.input, self.at, self.sums = g, block.input, panel, sums
        self.operands = Operands.of(g.workload, block.func)
        self.simplify = sym.Analyzer().simplify

    def statement(self) -> tirx.Stmt | None:
        """The first pass over a tile begins with the bias, and the last ends with the rest of the epilogue,
        so that both are made whether or not their tap lies inside the image."""
        g, (taps_h, taps_w) = self.g, self.g.workload.kernel
        count = taps_h * taps_w * g.in_blocks
        depths = [min(g.c_ib, g.group_in - i * g.c_ib) for i in range(g.in_blocks)]

        def at(kh: int, kw: int, channel: int) -> tirx.Expr:
            here = (self.at.filter_row, kh), (self.at.filter_column, kw), (self.at.channel, channel)
            return tirx.all(*(tirx.EQ(index, value) for index, value in here))

        if count == 1:
            stmt = self._of_passes(TapPasses(True, True, [0], depths))
        else:
            middle = self._of_passes(TapPasses(False, False, range(taps_w), depths)) if count > 2 else None
            last = self._of_passes(TapPasses(False, True, [taps_w - 1], depths[-1:]))
            stmt = either(at(taps_h - 1, taps_w - 1, (g.in_blocks - 1) * g.c_ib), last, middle)
            stmt = either(at(0, 0, 0), self._of_passes(TapPasses(True, False, [0], depths[:1])), stmt)
        return stmt if stmt is None or g.loop_lines == g.lines else either(self.at.line < g.lines, stmt)

    def _of_passes(self, passes: TapPasses) -> tirx.Stmt | None:
        """All panels of the block, for one of the passes' columns and depths."""
        g = self.g

        def of_column(panels: tuple[PackedPanel, ...]) -> tirx.Stmt | None:
            at = self.at.channel // g.c_ib
            return choose(at, passes.depths, lambda depth: self._of_panels(passes, panels, depth))

        def of_line(line: int) -> tirx.Stmt | None:
            blocks = [
                tuple(self._panels(passes, line, w_block, column) for column in passes.columns)
                for w_block in range(g.w_blocks)
            ]
            column = self.at.filter_column
            return choose(self.at.w_block, blocks, lambda columns: choose(column, columns, of_column))

        stmt = of_line(0)
        if g.flattened and g.out_width % g.w_ob:
            stmt = either(tirx.EQ(self.at.line, g.lines - 1), of_line(g.lines - 1), stmt)
        if self._row_inside is None or (self.sums is not None and (passes.first or passes.last)):
            return stmt
        return either(self._row_inside, stmt)

    def _panels(self, passes: TapPasses, line: int, w_block: int, column: int) -> tuple[PackedPanel, ...]:
        """The panels of a block of pixels at a filter column. But for the first and last pass, of which every
        pixel is part, rows outside the image are left out."""
        g, columns = self.g, Axis.of(self.g.workload, 1)
        panels = []
        for start in range(0, g.w_ob, g.knobs.mr):
            x = (line if g.flattened else w_block) * g.w_ob + start
            rows = min(g.knobs.mr, g.w_ob - start, g.out_width - x)
            if rows <= 0:
                break
            first, last = 0, rows
            if not g.flattened:
                first, last = columns.positions_at(column, x, rows)
                first = min(rows, first)
                last = max(first, last)
            if passes.first or passes.last:
                panels.append(PackedPanel(0, rows, first, last))
            else:
                panels.append(PackedPanel(first, last - first, 0, last - first))
        return tuple(panels)

    def _of_panels(self, passes: TapPasses, panels: tuple[PackedPanel, ...], depth: int) -> tirx.Stmt | None:
        """Panels of ``depth`` channels packed, or multiplied by all panels of a block of the filter."""
        sums, g = self.sums, self.g
        if sums is None:
            return sequence(
                panels, lambda panel, index: self._pack(panel, index, depth) if panel.inside else None
            )
        nr, each = g.knobs.nr, g.block_filters
        widths = [min(nr, g.group_out - b * nr) for b in range(g.filters)]
        filters = [tuple(widths[b : b + each]) for b in range(0, g.filters, each)]

        def of_filter(channels: int, b: tirx.Expr) -> tirx.Stmt | None:
            def tile(panel: PackedPanel, index: tirx.Expr) -> tirx.Stmt | None:
                needed = panel.inside or passes.first or passes.last
                return self._tile(passes, panel, index, depth, sums.filter + b, channels) if needed else None

            return sequence(panels, tile)

        return choose(sums.filter // each, filters, lambda widths: sequence(widths, of_filter))

    def _pack(self, panel: PackedPanel, index: tirx.Expr, depth: int) -> tirx.Stmt:
        g, w = self.g, self.g.workload
        stride, dilation = w.strides[1], w.dilation[1]
        routine = PanelPacking(
            panel.rows, depth, stride * w.data_slice[1], panel.first, panel.last, g.isa.name
        )
        x = self._pixel(panel, index) + panel.first
        if g.flattened:
            pixel = self.at.line * g.w_ob + x
        else:
            column = x * stride + self.at.filter_column * dilation - w.padding[1]
            pixel = (self.at.image * w.height + self._input_row) * w.width + column
        first, between = w.data_slice
        source = pixel * between + first + self.at.group * g.group_in + self.at.channel
        pointers = [
            g.workspace.buffer.access_ptr("w", offset=self._slot(index, depth)),
            self.input.access_ptr("r", offset=self.simplify(source)),
        ]
        return tirx.Evaluate(tirx.call_extern("int32", routine.name, *pointers))

    def _tile(
        self,
        passes: TapPasses,
        panel: PackedPanel,
        index: tirx.Expr,
        depth: int,
        filter_panel: tirx.Expr,
        channels: int,
    ) -> tirx.Stmt:
        """Panel ``index`` by one panel of the filter."""
        g, w, at = self.g, self.g.workload, self.at
        lanes, nr = g.isa.lanes, g.knobs.nr
        instance = KernelInstance(
            MicroKernel(panel.rows, -(-channels // lanes) * lanes, PANEL, g.isa.name),
            channels,
            a_row=1,
            a_step=0,
            b_row=nr,
            b_step=0,
            c_row=w.out_slice[1],
            segments=(Segment(0, panel.rows, 0, 0, depth),) if panel.inside else (),
            epilogue=w.epilogue.of_pass(passes.first, passes.last),
            a_k=panel.rows,
            accumulate=not passes.first,
            prefetch=self._calls_fetching if panel.inside else 0,
        )
        line = at.line if g.flattened else at.image * w.out_height + at.line
        width = g.w_ob if g.flattened else g.out_width
        channel = at.group * g.group_out + filter_panel * nr
        first, between = w.out_slice
        c = self.simplify((line * width + self._pixel(panel, index)) * between + first + channel)
        tap = at.filter_row * w.kernel[1] + at.filter_column
        of_panel = math.prod(g.packed_filter_shape[1:])
        within = (tap * g.group_in + at.channel) * nr
        source = self.simplify((at.group * g.filters + filter_panel) * of_panel + within)
        # As far into the next panel's part as the call's pixels are into the block.
        following = (at.group * g.filters + (filter_panel + 1) % g.filters) * of_panel + within
        ahead = self.simplify(following + index * (depth * nr // g.panels)) if instance.prefetch else None
        a = g.workspace.buffer, self._slot(index, depth)
        taps = 1 if self._row_inside is None else self._row_inside
        packed = self.operands.packed, source
        return kernel_call(instance.name, self.operands, c, a, packed, (channel, c), taps, ahead)

    @cached_property
    def _calls_fetching(self) -> int:
        """Number of calls on a panel of the filter, a power of two, that share in fetching the next one's
        part. One alone fetches nothing: it would wait for the next as for its own."""
        g = self.g
        return 1 << (g.panels.bit_length() - 1) if g.panels > 1 and g.filters > 1 else 0

    def _pixel(self, panel: PackedPanel, index: tirx.Expr) -> tirx.Expr:
        """The panel's first output pixel, in its line."""
        return self.at.w_block * self.g.w_ob + index * self.g.knobs.mr + panel.start

    def _slot(self, index: tirx.Expr, depth: int) -> tirx.Expr:
        """Offset of a panel in the workspace."""
        return self.simplify(index * (self.g.knobs.mr * depth))

    @property
    def _input_row(self) -> tirx.Expr:
        w = self.g.workload
        return self.at.line * w.strides[0] + self.at.filter_row * w.dilation[0] - w.padding[0]

    @cached_property
    def _row_inside(self) -> tirx.Expr | None:
        """Whether the filter's row lies inside the image; None where all do."""
        rows = Axis.of(self.g.workload, 0)
        return None if rows.all_inside else tirx.all(self._input_row >= 0, self._input_row < rows.size)


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
