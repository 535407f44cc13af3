"""The loops of Winograd's algorithm around its routines: a piece of work is a block of tiles for some output
channels of a group."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tvm import sym, tirx

from intrinsics.microkernel import ROW, KernelInstance, MicroKernel, Segment, TileEpilogue
from intrinsics.winograd.routines import InputTransform, OutputTransform
from tvm_directconv.model.tiling import cover_row

from ..branches import but_last, loop
from ..epilogue import Operands, kernel_call
from ..strips.calls import MOST_FETCHING
from .geometry import WinogradGeometry


@dataclass(frozen=True)
class Tile:
    """The tile of some index: its image, and its first output pixel."""

    image: tirx.Expr
    row: tirx.Expr
    column: tirx.Expr


@dataclass(frozen=True)
class WinogradCalls:
    """What is done for the ``index``-th piece: groups, in them parts of their channels, in them blocks of
    tiles."""

    g: WinogradGeometry
    operands: Operands
    index: tirx.Expr

    @cached_property
    def group(self) -> tirx.Expr:
        return tirx.floordiv(self.index, self.g.parts * self.g.blocks)

    @cached_property
    def panel(self) -> tirx.Expr:
        """The piece's first panel of the group."""
        return tirx.floormod(tirx.floordiv(self.index, self.g.blocks), self.g.parts) * self.g.sharing

    @cached_property
    def block(self) -> tirx.Expr:
        return tirx.floormod(self.index, self.g.blocks)

    @cached_property
    def count(self) -> tirx.Expr:
        """Tiles of the block."""
        return tirx.min(self.g.tiles, self.g.all_tiles - self.block * self.g.tiles)

    def statement(self) -> tirx.Stmt:
        """The input transformed; then, some panels after the other, products and their transformation."""
        g = self.g
        panels = tirx.min(g.sharing, g.panels - self.panel)
        times = tirx.floordiv(panels + g.together - 1, g.together)

        def some(turn: tirx.Expr) -> tirx.Stmt:
            first = self.panel + turn * g.together
            return tirx.SeqStmt([self._products(first), self._outputs(first)])

        return tirx.SeqStmt([loop(self.count, self._input), loop(times, some)])

    def _tile(self, within: tirx.Expr) -> Tile:
        g = self.g
        tile = self.block * g.tiles + within
        row = tirx.floordiv(tile, g.tile_columns)
        return Tile(
            tirx.floordiv(row, g.tile_rows),
            tirx.floormod(row, g.tile_rows) * g.outputs,
            tirx.floormod(tile, g.tile_columns) * g.outputs,
        )

    # ---- transforms

    def _input(self, within: tirx.Expr) -> tirx.Stmt:
        g, w = self.g, self.g.workload
        first, pixel = w.data_slice
        routine = InputTransform(
            g.outputs, g.filtering.taps, g.group_in, g.transformed_slab, pixel, w.width * pixel, g.isa.name,
            w.height,
        )  # fmt: skip
        tile = self._tile(within)
        image = tile.image * (w.height * w.width * pixel) + first + self.group * g.group_in
        pointers = [
            g.transformed.buffer.access_ptr("w", offset=within * g.depth),
            self.operands.data.access_ptr("r", offset=image),
        ]
        at = [tirx.Cast("int64", p - b) for p, b in zip((tile.row, tile.column), w.padding, strict=False)]
        return tirx.Evaluate(tirx.call_extern("int32", routine.name, *pointers, *at))

    def _outputs(self, first: tirx.Expr) -> tirx.Stmt:
        """Transform the products of the panels from the ``first`` on."""
        g = self.g
        rest = g.group_out % g.width

        def of(channels: int) -> tirx.Stmt:
            return loop(self.count, lambda within: self._output(within, first, channels))

        return but_last(tirx.floordiv(first, g.together), g.turns, g.width, rest, of)

    def _output(self, within: tirx.Expr, first: tirx.Expr, channels: int) -> tirx.Stmt:
        g, w, operands = self.g, self.g.workload, self.operands
        offset, pixel = w.out_slice
        routine = OutputTransform(
            g.outputs, g.filtering.taps, channels, g.products_slab, pixel, w.out_width * pixel, g.isa.name,
            w.epilogue.of_pass(True, True),
        )  # fmt: skip
        tile = self._tile(within)
        channel = self.group * g.group_out + first * g.nr
        at = ((tile.image * w.out_height + tile.row) * w.out_width + tile.column) * pixel + offset + channel
        dst = operands.output.access_ptr("w", offset=at)
        pointers = [dst, g.products.buffer.access_ptr("r", offset=within * g.width)]
        pointers.append(dst if operands.bias is None else operands.bias.access_ptr("r", offset=channel))
        pointers.append(dst if operands.last is None else operands.last.access_ptr("r", offset=at))
        extents = [tirx.Cast("int64", e) for e in (w.out_height - tile.row, w.out_width - tile.column)]
        return tirx.Evaluate(tirx.call_extern("int32", routine.name, *pointers, *extents))

    # ---- products

    def _products(self, first: tirx.Expr) -> tirx.Stmt:
        """Multiply for every point: panels from the ``first`` on, by all tiles of the block."""
        g = self.g
        count = tirx.min(g.together, tirx.min(g.panels, self.panel + g.sharing) - first)

        def of_point(point: tirx.Expr) -> tirx.Stmt:
            return loop(count, lambda panel: self._panel(point, first, panel))

        return loop(g.points, of_point)

    def _panel(self, point: tirx.Expr, first: tirx.Expr, panel: tirx.Expr) -> tirx.Stmt:
        """All tiles of the block by one panel."""
        g = self.g
        rest = g.all_tiles % g.tiles
        of = lambda tiles: self._rows(point, first, panel, tiles)  # noqa: E731
        return but_last(self.block, g.blocks, g.tiles, rest, of)

    def _rows(self, point: tirx.Expr, first: tirx.Expr, panel: tirx.Expr, tiles: int) -> tirx.Stmt:
        g = self.g
        runs: dict[int, list[int]] = {}
        for tile in cover_row(tiles, g.most_rows):
            runs.setdefault(tile.mr, []).append(tile.x)
        calls = [
            loop(len(at), lambda t, mr=mr, x=at[0]: self._multiply(mr, x + t * mr, point, first, panel))  # type: ignore[misc]
            for mr, at in runs.items()
        ]
        return calls[0] if len(calls) == 1 else tirx.SeqStmt(calls)

    def _multiply(
        self, mr: int, row: tirx.Expr, point: tirx.Expr, first: tirx.Expr, panel: tirx.Expr
    ) -> tirx.Stmt:
        g = self.g
        instance = KernelInstance(
            MicroKernel(mr, g.nr, ROW, g.isa.name),
            g.nr,
            a_row=g.depth,
            a_step=0,
            b_row=g.nr,
            b_step=0,
            c_row=g.width,
            segments=(Segment(0, mr, 0, 0, g.group_in),),
            epilogue=TileEpilogue(),
            prefetch=self.calls_fetching,
        )
        simplify = sym.Analyzer().simplify
        a = simplify(point * g.transformed_slab + row * g.depth)
        c = simplify(point * g.products_slab + row * g.width + panel * g.nr)
        turn, elements = tirx.floordiv(first, g.together), g.group_in * g.nr
        number = ((self.group * g.turns + turn) * g.points + point) * g.together + panel
        b = self.operands.packed, simplify(number * elements)
        # Each call fetches as far into the next panel as its tiles are into the block.
        ahead = simplify((number + 1) * elements + row * (elements // g.tiles)) if instance.prefetch else None
        zero = tirx.IntImm("int32", 0)
        into = self.operands._replace(output=g.products.buffer, bias=None, last=None)
        return kernel_call(instance.name, into, c, (g.transformed.buffer, a), b, (zero, zero), ahead=ahead)

    @property
    def calls_fetching(self) -> int:
        """Number of calls on a panel, a power of two, that share in fetching the next; one alone would wait
        for it as for its own."""
        g = self.g
        calls = min(MOST_FETCHING, len(cover_row(g.tiles, g.most_rows)))
        return 1 << (calls.bit_length() - 1) if calls > 1 else 0
