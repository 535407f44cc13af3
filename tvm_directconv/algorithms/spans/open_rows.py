"""Spans of rows whose width is open. Rows of typical width have the tiles of a fixed one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tvm import tirx

from intrinsics.isa import Isa
from intrinsics.microkernel import DEPTHWISE, OPEN, KernelInstance, Lines
from tvm_directconv.model.tiling import RowTile
from tvm_directconv.problem.extents import given_to_tvm
from tvm_directconv.problem.taps import Axis
from tvm_directconv.problem.workload import Conv2dWorkload

from ..branches import but_last, either
from ..epilogue import Operands, kernel_call
from ..lowering import called_in_parallel
from ..open_columns import Cover, OpenColumns, first_column, heights, narrow_rows
from .calls import Inside, Pixel, Run, SpanCalls
from .geometry import SpanGeometry, SpanTile, packed_elements


@dataclass(frozen=True)
class OpenSpanCalls(SpanCalls):
    """A block of rows of an open width; ``fixed`` is the same block of rows of typical width."""

    fixed: SpanCalls | None = None
    chosen: Mapping[int, OpenColumns] = field(default_factory=dict)
    """The covers of rows, by the most pixels of a tile."""
    kept: tirx.Buffer | None = None
    """What ``begin`` keeps, which TVM's simplifier would else write out in each call."""
    columns: Axis | None = None
    """A row of some width, in whose positions instances are made."""

    def begin(self, y: tirx.Expr, inside: Inside) -> list[tirx.Stmt]:
        """Keep where row ``y`` begins, for all of its tiles: offsets in A, B, C and the bias, and how many
        filter rows are visited."""
        g, w, (input_row, first_tap, taps) = self.g, self.g.workload, inside
        channel = self.block * g.tile.nr
        first, between = w.data_slice
        a = (self.image * w.height + input_row) * w.width * between + first
        a = a + self.block * g.input_channel(g.tile.nr)
        b = self.block * packed_elements(g) + first_tap * w.kernel[1] * g.tap_elements
        first, between = w.out_slice
        c = (self.image * w.out_height + y) * w.out_width * between + first + channel
        values = (a, b, c, channel, taps)
        return [tirx.BufferStore(self.kept, value, [place]) for place, value in enumerate(values)]

    def _call(self, instance: KernelInstance, at: Pixel, inside: Inside, lane: tirx.Expr) -> tirx.Stmt:
        g, w, (_, x, column) = self.g, self.g.workload, at
        a, b, c, channel, taps = (tirx.BufferLoad(self.kept, [place]) for place in range(5))
        a = a + column * w.data_slice[1] + g.input_channel(lane)
        b, c = b + lane, c + x * w.out_slice[1] + lane
        step = given_to_tvm(self._step())
        line = given_to_tvm(w.out_width * w.out_slice[1]) if instance.lines.c is OPEN else None
        data, packed, extra = (self.input, a), (self.operands.packed, b), (channel + lane, c)
        return kernel_call(instance.name, self.operands, c, data, packed, extra, taps, step=step, line=line)

    def _tiles(self, most: int, lines: Lines, y: tirx.Expr, inside: Inside, channels: int) -> tirx.Stmt:
        assert self.fixed is not None
        w, typical = self.g.workload, self.fixed.g.workload

        def tile(cover: Cover, place: int, x: int | tirx.Expr) -> tirx.Stmt:
            at = replace(self, columns=cover.columns)
            first = RowTile(place, cover.height)
            return at.of_tile(
                Run(first, 1, at._segments(first)), lines, (y, x, at._column(x)), inside, channels
            )

        covered = self.chosen[most].calls(tile)
        usual = self.fixed._tiles(most, self.fixed._lines_of(lines.count), y, inside, channels)
        covered = tirx.SeqStmt([*self.begin(y, inside), covered])
        return either(tirx.EQ(given_to_tvm(w.width), typical.width), usual, covered)

    def _columns(self) -> Axis:
        assert self.columns is not None
        return self.columns

    def _column(self, x: int | tirx.Expr) -> int | tirx.Expr:
        return first_column(self._columns(), x)


def open_rows(g: SpanGeometry, fixed: SpanGeometry, func: tirx.PrimFunc) -> tirx.PrimFunc:
    """The function of spans whose width is open; ``fixed`` has the typical width in its place."""
    w, operands, data = g.workload, Operands.of(g.workload, func), func.params[0]
    row_blocks = -(-w.out_height // g.tile.rows)
    task, blocks = tirx.Var("task", "int32"), g.blocks
    block, rest = tirx.floormod(task, blocks), tirx.floordiv(task, blocks)
    image = tirx.floordiv(rest, given_to_tvm(row_blocks))
    row = tirx.floormod(rest, given_to_tvm(row_blocks)) * g.tile.rows
    usual = SpanCalls(fixed, operands, data, image, row, block)
    chosen = {
        most: OpenColumns.of(w, heights(_tallest(g, most, lines)), 1)
        for most, lines in ((g.tile.single, 1), (g.tile.width, g.tile.lines))
    }
    kept = tirx.decl_buffer((5,), "int32", "row")
    calls = OpenSpanCalls(g, operands, data, image, row, block, fixed=usual, chosen=chosen, kept=kept)
    body = but_last(block, blocks, g.tile.nr, w.out_channels % g.tile.nr, calls.calls)
    for place, columns in enumerate(chosen.values()):
        body = columns.choosing(given_to_tvm(w.out_width), body, *([] if place else [kept]))
    tasks = given_to_tvm(w.batch * row_blocks * blocks)
    return called_in_parallel(func, tirx.For(task, 0, tasks, tirx.ForKind.PARALLEL, body), ())


def _tallest(g: SpanGeometry, pixels: int, lines: int) -> int:
    """Return the width of the widest tiles: ``pixels``, or where rows are narrower than their borders at
    typical sizes, one that has a tile for each of these, as far as registers allow."""
    needed = narrow_rows(g.workload)
    return max(pixels, min(needed, g.isa.largest_mr(g.isa.lanes, DEPTHWISE) // lines))


def open_tile(workload: Conv2dWorkload, isa: Isa, tile: SpanTile) -> SpanTile:
    """Return the tile for an open width: of one line where several leave no registers for narrow rows."""
    if isa.largest_mr(isa.lanes, DEPTHWISE) // tile.lines >= narrow_rows(workload):
        return tile
    return replace(tile, lines=1, width=tile.single)
