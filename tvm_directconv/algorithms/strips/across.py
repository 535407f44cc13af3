"""The micro-kernel calls that cover a block of rows by tiles of pixels behind each other, across row ends.

Tiles of a matrix unit have their rows whether or not there are pixels for them: of rows of 14 pixels each by
itself, tiles of 16 are seven eighths full, and of 7 less than half. The pixels of a block of rows fill all
but the last. Which of a tile's pixels visit which taps differs from tile to tile, until as many pixels have
passed as are whole rows: then the same kernels come again, but at the image's edges.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tvm import tirx

from intrinsics.microkernel import KernelInstance, MicroKernel, Segment
from tvm_directconv.model.tiling import RowTile
from tvm_directconv.problem.taps import Axis, Taps

from ..branches import but_last, choose
from ..epilogue import Operands
from ..lowering import Block
from .byte_calls import ByteStripCalls
from .calls import StripCalls
from .geometry import StripGeometry, SumAxes


@dataclass(frozen=True)
class AcrossCalls(StripCalls):
    """A block of rows: the kernel calls that cover it. Pixels are counted from its first on."""

    first: int = 0
    """An output row from which on rows visit the taps that those of the block do."""

    def period(self, tiles: Sequence[RowTile]) -> int:
        columns = [tile.x % self.g.strip for tile in tiles]
        return columns.index(columns[0], 1) if columns[0] in columns[1:] else len(tiles)

    def follows(self, before: RowTile, tile: RowTile) -> bool:
        return (tile.x - before.x) % self.g.strip == 0 and self.same_bias(tile, before)

    def instance(self, kernel: MicroKernel, tile: RowTile, channels: int) -> KernelInstance:
        strip, jump = self.g.strip, self.g.row_jump
        ends = range(strip - tile.x % strip, tile.mr, strip) if jump else ()
        jumps = tuple((m, number * jump) for number, m in enumerate(ends, 1))
        return replace(super().instance(kernel, tile, channels), a_rows=jumps)

    def taps(self, mr: int, x: int) -> Iterator[Segment]:
        """The taps of all filter rows; of one where all pixels visit all of them, which kernels repeat."""
        g = self.g
        rows, columns = Axis.of(g.workload, 0), Axis.of(g.workload, 1)
        pixels = [divmod(pixel, g.strip) for pixel in range(x, x + mr)]
        for kh in range(1 if self.repeats(mr, x) else rows.taps):
            of_rows = {y: rows.positions_at(kh, self.first + y, 1) == (0, 1) for y, _ in pixels}
            for kw in range(columns.taps):
                begin, end = columns.positions_at(kw, 0, g.strip)
                inside = [m for m, (y, column) in enumerate(pixels) if of_rows[y] and begin <= column < end]
                if not inside:
                    continue
                a = (kh * rows.dilation - rows.before) * g.source.row
                a += (kw * columns.dilation - columns.before) * g.source.pixel
                b = (kh * columns.taps + kw) * g.tap_elements
                skipped = set(range(inside[0], inside[-1])) - set(inside)
                yield Segment(inside[0], inside[-1] + 1, a, b, 0, tuple(sorted(skipped)))

    def repeats(self, mr: int, x: int) -> bool:
        """Whether all pixels of a tile visit all filter rows."""
        rows, strip = Axis.of(self.g.workload, 0), self.g.strip
        lines = range(self.first + x // strip, self.first + (x + mr - 1) // strip + 1)
        return all(rows.taps_at(line) == (0, rows.taps) for line in lines)

    def place(
        self, mr: int, x: int, index: tirx.Expr, pixels: int
    ) -> tuple[tirx.Expr | int, tirx.Expr | int, tirx.Expr, tirx.Expr]:
        g, at = self.g, self.at
        rows, columns = g.workload.strides
        y, column = divmod(x, g.strip)
        row = (at.row + y + index * (pixels // g.strip)) * rows
        a = at.image * g.source.image + row * g.source.row + column * columns * g.source.pixel
        c = at.image * g.result.image + at.row * g.result.row + (x + index * pixels) * g.result.pixel
        return 0, g.workload.kernel[0] if self.repeats(mr, x) else 1, a, c


@dataclass(frozen=True)
class AcrossByteCalls(ByteStripCalls, AcrossCalls):
    """A block of rows of bytes."""

    def run(self, x: int) -> int:
        rows, columns = self.g.runs
        assert isinstance(rows, Taps) and isinstance(columns, Taps)
        y, column = divmod(x, self.g.strip)
        return rows.run_of(self.first + y) * len(columns.starts) + columns.run_of(column)

    def extra(self, channel: tirx.Expr, at: tirx.Expr, x: int) -> tuple[tirx.Expr, tirx.Expr]:
        return self.of_run(self.run(x), channel, at)


def expand_across(g: StripGeometry, block: Block, of: type[AcrossCalls]) -> tirx.Stmt | None:
    """Kernel calls for a block of rows: those blocks whose rows visit the same taps have the same."""
    at = SumAxes(*block.starts("C"))
    operands = Operands.of(g.workload, block.func)
    taps = [taps_of(g, first) for first in range(0, g.rows, g.tile.rows)]

    def of_taps(same: tuple[tuple[int, int], ...]) -> tirx.Stmt:
        first = taps.index(same) * g.tile.rows
        calls = of(g, operands, block.input, at, 0, tirx.IntImm("int32", 0), first=first)
        width, blocks = len(same) * g.strip, (g.group_blocks, g.nr, g.group_out % g.nr)
        return but_last(at.block % g.group_blocks, *blocks, lambda channels: calls.calls(width, channels))

    return choose(at.row // g.tile.rows, taps, of_taps)


def taps_of(g: StripGeometry, first: int) -> tuple[tuple[int, int], ...]:
    """The filter rows that each row of the block visits which begins at that row."""
    rows = Axis.of(g.workload, 0)
    return tuple(rows.taps_at(y) for y in range(first, min(first + g.tile.rows, g.rows)))
