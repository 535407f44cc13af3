"""Strips of rows whose width is open. Rows of typical width have the tiles of a fixed one."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tvm import sym, tirx

from intrinsics.microkernel import OPEN, KernelInstance, MicroKernel
from tvm_directconv.errors import AlgorithmError
from tvm_directconv.model.tiling import RowTile
from tvm_directconv.problem.extents import given_to_tvm, typical
from tvm_directconv.problem.taps import Axis

from ..branches import but_last, either, loop
from ..epilogue import Operands, kernel_call
from ..lowering import called_in_parallel
from ..open_columns import ZERO, Cover, OpenColumns, first_column, heights
from .byte_calls import ByteStripCalls
from .byte_geometry import ByteStripGeometry
from .calls import StripCalls
from .geometry import StripGeometry, SumAxes

KEPT = 6
"""How many numbers ``begin`` keeps."""


@dataclass(frozen=True)
class OpenRowCalls(StripCalls):
    """One strip of an open width: calls at columns known at run time, with the taps of ``columns``."""

    columns: Axis | None = None
    """A row of some width, in whose positions instances are made; None: one of the geometry's own width."""
    row: tirx.Buffer | None = None
    """What ``begin`` keeps, which TVM's simplifier would else write out in each call."""

    def _columns(self) -> Axis:
        return super()._columns() if self.columns is None else self.columns

    def _first_column(self, x: int | tirx.Expr) -> int | tirx.Expr:
        return super()._first_column(x) if self.columns is None else first_column(self.columns, x)

    def begin(self) -> list[tirx.Stmt]:
        """Keep where the row begins, for all of its tiles: offsets in A, B, C and the bias, and how many
        filter rows are visited."""
        g, at = self.g, self.at
        group, within = at.block // g.group_blocks, at.block % g.group_blocks * g.nr
        out_channel = group * g.group_out + within
        in_channel = within if g.depthwise else group * g.group_in
        first_tap, taps, a, c = self.place(1, 0, ZERO, 0)
        b = (
            at.block * math.prod(g.packed_filter_shape[1:])
            + first_tap * g.workload.kernel[1] * g.tap_elements
        )
        a = a + g.source.channel_offset(in_channel)
        c = c + g.result.channel_offset(out_channel)
        values = (a, b, c, out_channel, taps, given_to_tvm(self._step()))
        return [tirx.BufferStore(self.row, value, [place]) for place, value in enumerate(values)]

    def _call(self, instance: KernelInstance, x: int, index: tirx.Expr, pixels: int) -> tirx.Stmt:
        return self._call_at(instance, x + index * pixels if pixels else x, x)

    def _call_at(self, instance: KernelInstance, x: int | tirx.Expr, place: int) -> tirx.Stmt:
        """The call at column ``x``, which has the taps, and the bias, of the one at ``place``."""
        g = self.g
        a, b, c, channel, taps, step = (tirx.BufferLoad(self.row, [number]) for number in range(KEPT))
        a, c = a + self._column_of(x, place) * g.source.pixel, c + x * g.result.pixel
        data, packed, extra = (self.input, a), (self.operands.packed, b), self.extra(channel, c, place)
        ahead = sym.Analyzer().simplify(self.ahead(x)) if instance.prefetch else None
        of_rows = step if instance.a_step is OPEN else None
        return kernel_call(instance.name, self.operands, c, data, packed, extra, taps, ahead, of_rows)

    def _column_of(self, x: int | tirx.Expr, place: int) -> int | tirx.Expr:
        """The first column of data at ``x``, as many steps behind that at ``place`` of a row of its own."""
        if self.columns is not None:
            return self._first_column(x)
        return self._first_column(place) + (x - place) * self.g.workload.strides[1]

    def tile(self, height: int, place: int, x: int | tirx.Expr, channels: int) -> tirx.Stmt:
        """The call of a tile at column ``x``, which has the taps of the one at ``place`` of ``columns``."""
        vectors = -(-channels // self.g.isa.lanes)
        kernel = MicroKernel(height, vectors * self.g.isa.lanes, self.g.layout, self.g.isa.name, self.g.types)
        instance = self.instance(kernel, RowTile(place, height), channels)
        return self._call_at(instance, x, place)


@dataclass(frozen=True)
class OpenByteRowCalls(OpenRowCalls, ByteStripCalls):
    """One strip of bytes of an open width."""

    g: ByteStripGeometry


def open_rows(g: StripGeometry, fixed: StripGeometry, func: tirx.PrimFunc) -> tirx.PrimFunc:
    """The function of strips whose width is open; ``fixed`` has the typical width in its place."""
    if g.isa.tile_rows > 1:
        raise AlgorithmError(f"kernels of {g.isa.name} take no open width")
    of_bytes = isinstance(g, ByteStripGeometry)
    open_calls: type[OpenRowCalls] = OpenByteRowCalls if of_bytes else OpenRowCalls
    w, operands, data = g.workload, Operands.of(g.workload, func), func.params[0]
    if g.passes > 1 or g.across:
        raise AlgorithmError("strips of open width are of one pass, and of one row each")
    rows, blocks = typical(g.tile.rows), g.blocks
    width, row_blocks = tirx.Var("outputs", "int32"), given_to_tvm(-(-w.out_height // rows))
    task = tirx.Var("task", "int32")
    block, rest = tirx.floormod(task, blocks), tirx.floordiv(task, blocks)
    image, first = tirx.floordiv(rest, row_blocks), tirx.floormod(rest, row_blocks) * rows
    vectors = -(-min(g.nr, g.group_out) // g.isa.lanes)
    most = g.most_rows(vectors)
    usual_width = fixed.workload.out_width
    near = range(-(-2 * usual_width // 3), 3 * usual_width // 2 + 1)
    columns = OpenColumns.of(w, heights(most), vectors, near)
    kept = tirx.decl_buffer((KEPT,), "int32", "row")

    def of_row(row: tirx.Expr) -> tirx.Stmt:
        at = SumAxes(image, row, block, ZERO, ZERO)

        def of(wide: Axis) -> OpenRowCalls:
            return open_calls(g, operands, data, at, 0, ZERO, columns=wide, row=kept)

        def of_channels(channels: int) -> tirx.Stmt:
            def tile(cover: Cover, place: int, x: int | tirx.Expr) -> tirx.Stmt:
                return of(cover.columns).tile(cover.height, place, x, channels)

            usual = open_calls(fixed, operands, data, at, 0, ZERO, row=kept).calls(fixed.strip, channels)
            is_typical = tirx.EQ(given_to_tvm(w.width), fixed.workload.width)
            covers = either(is_typical, usual, columns.calls(tile))
            return tirx.SeqStmt([*of(columns.wide).begin(), covers])

        group = tirx.floormod(block, g.group_blocks)
        return but_last(group, g.group_blocks, g.nr, g.group_out % g.nr, of_channels)

    def in_image(index: tirx.Expr) -> tirx.Stmt:
        row = first + index
        return either(row < given_to_tvm(w.out_height), of_row(row))

    rows_of_task = columns.choosing(width, loop(rows, in_image), kept)
    body = tirx.SeqStmt([tirx.Bind(width, given_to_tvm(w.out_width)), rows_of_task])
    tasks = given_to_tvm(w.batch * -(-w.out_height // rows) * blocks)
    return called_in_parallel(func, tirx.For(task, 0, tasks, tirx.ForKind.PARALLEL, body), ())
