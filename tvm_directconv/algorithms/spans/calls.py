"""The micro-kernel calls that cover a block of rows: lines where all taps are inside, single rows beside."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tvm import sym, tirx

from intrinsics.microkernel import DEPTHWISE, OPEN, KernelInstance, Lines, MicroKernel, Segment
from tvm_directconv.model.tiling import RowTile, cover_row
from tvm_directconv.problem.extents import given_to_tvm, is_open
from tvm_directconv.problem.taps import Axis

from ..branches import but_last, loop
from ..epilogue import Operands, kernel_call
from ..lowering import Block
from .geometry import SpanGeometry, packed_elements

ZERO = tirx.IntImm("int32", 0)


Inside = tuple[tirx.Expr, tirx.Expr, tirx.Expr]
"""The input row that is read first, the filter row that it meets, and how many filter rows are visited."""


Pixel = tuple[tirx.Expr, "int | tirx.Expr", "int | tirx.Expr"]
"""Row and column of an output, and the column of the input that its first tap, or the first inside, is at."""


@dataclass(frozen=True)
class Run:
    """Equal neighbouring tiles of a row."""

    first: RowTile
    count: int
    segments: tuple[Segment, ...]


@dataclass(frozen=True)
class SpanCalls:
    """One block of output rows of image ``image`` and channel block ``block``: from ``row`` up to ``end``, or
    as many as blocks have."""

    g: SpanGeometry
    operands: Operands
    input: tirx.Buffer
    image: tirx.Expr
    row: tirx.Expr
    block: tirx.Expr
    end: tirx.Expr | None = None

    def calls(self, channels: int) -> tirx.Stmt:
        """Calls covering ``channels`` channels of the block, which may reach beyond the image's last row.

        Rows with all taps inside are taken by lines, as many as there are; then come the others.
        """
        g, w, lines = self.g, self.g.workload, self.g.tile.lines
        end = tirx.min(self.row + g.tile.rows, w.out_height) if self.end is None else self.end
        if lines == 1:
            return loop(end - self.row, lambda y: self._row(self.row + y, channels))
        first, last = g.inside
        begin = tirx.min(tirx.max(self.row, first), end)
        times = tirx.floordiv(tirx.max(0, tirx.min(last, end) - begin), lines)
        behind = begin + times * lines
        above = begin - self.row

        def single(index: tirx.Expr) -> tirx.Stmt:
            y = tirx.Select(index < above, self.row + index, behind + index - above)
            return self._row(y, channels)

        return tirx.SeqStmt(
            [
                loop(times, lambda index: self._lines(begin + index * lines, channels)),
                loop(above + end - behind, single),
            ]
        )

    def _lines(self, y: tirx.Expr, channels: int) -> tirx.Stmt:
        """Several output rows from ``y`` on, whose taps are all inside the image."""
        w, tile = self.g.workload, self.g.tile
        input_row = y * w.strides[0] - w.padding[0]
        inside = input_row, ZERO, tirx.IntImm("int32", 1)
        return self._tiles(tile.width, self._lines_of(tile.lines), y, inside, channels)

    def _lines_of(self, count: int) -> Lines:
        """Return so many output rows; of an open width, they lie a number of the kernel's steps apart in
        A."""
        w = self.g.workload
        if count == 1:
            return Lines()
        if is_open([w.width]):
            return Lines(count, w.strides[0] // w.dilation[0], OPEN, w.kernel[0])
        pixels = w.strides[0] * w.width * w.data_slice[1]
        return Lines(count, pixels, w.out_width * w.out_slice[1], w.kernel[0])

    def _row(self, y: tirx.Expr, channels: int) -> tirx.Stmt:
        """One output row, wherever it is."""
        rows = Axis.of(self.g.workload, 0)
        origin = y * rows.stride - rows.before
        if rows.all_inside:
            inside = origin, ZERO, tirx.IntImm("int32", rows.taps)
        else:
            first = tirx.max(0, -tirx.floordiv(origin, rows.dilation))
            last = tirx.min(rows.taps, tirx.floordiv(rows.size - 1 - origin, rows.dilation) + 1)
            # Where no tap is inside, nothing is read, and the row only has to be a valid address.
            row = tirx.max(0, tirx.min(origin + first * rows.dilation, rows.size - 1))
            inside = row, first, tirx.max(0, last - first)
        return self._tiles(self.g.tile.single, Lines(), y, inside, channels)

    def _tiles(
        self,
        most: int,
        lines: Lines,
        y: tirx.Expr,
        inside: Inside,
        channels: int,
    ) -> tirx.Stmt:
        """All tiles of a row, and in each all vectors of channels. ``inside`` is the input row that is read
        first, the filter row that it meets, and how many are visited."""
        calls = []
        for run in self._runs(most):

            def of_tile(index: tirx.Expr, run: Run = run) -> tirx.Stmt:
                moved = index * run.first.mr
                column = self._column(run.first.x) + moved * self.g.workload.strides[1]
                return self.of_tile(run, lines, (y, run.first.x + moved, column), inside, channels)

            calls.append(loop(run.count, of_tile))
        return tirx.SeqStmt(calls) if len(calls) > 1 else calls[0]

    def of_tile(self, run: Run, lines: Lines, at: Pixel, inside: Inside, channels: int) -> tirx.Stmt:
        """All vectors of channels of a tile that is like those of a run."""
        lanes = self._lanes
        vectors, rest = divmod(channels, lanes)
        found = []
        if vectors:
            whole = self._instance(run, lines, lanes)
            found.append(loop(vectors, lambda v: self._call(whole, at, inside, v * lanes)))
        if rest:
            tail = self._instance(run, lines, rest)
            found.append(self._call(tail, at, inside, tirx.IntImm("int32", vectors * lanes)))
        return tirx.SeqStmt(found) if len(found) > 1 else found[0]

    @property
    def _lanes(self) -> int:
        """The most channels of a call."""
        return self.g.isa.lanes * self.g.isa.span_vectors

    def _runs(self, most: int) -> Iterator[Run]:
        """The tiles of a row, equal neighbours together."""
        run: Run | None = None
        for tile in cover_row(self.g.workload.out_width, most):
            segments = self._segments(tile)
            # What one tile reads is as far from what its neighbour reads as the pixels are.
            between = (tile.x - run.first.x) * self.g.workload.strides[1] if run else 0
            if (
                run
                and (run.first.mr, run.segments) == (tile.mr, segments)
                and self._column(tile.x) - self._column(run.first.x) == between
            ):
                run = Run(run.first, run.count + 1, segments)
                continue
            if run:
                yield run
            run = Run(tile, 1, segments)
        assert run is not None
        yield run

    def _segments(self, tile: RowTile) -> tuple[Segment, ...]:
        """The taps inside the image, of the filter's columns from left to right."""
        g, w, columns = self.g, self.g.workload, self._columns()
        segments = []
        for kw in range(w.kernel[1]):
            first, last = columns.positions_at(kw, tile.x, tile.mr)
            column = tile.x * columns.stride - columns.before + kw * columns.dilation
            if first < last:
                a = (column - self._column(tile.x)) * w.data_slice[1]
                segments.append(Segment(first, last, a, kw * g.tap_elements, g.group_in))
        return tuple(segments)

    def _columns(self) -> Axis:
        """The columns in whose positions tiles are."""
        return Axis.of(self.g.workload, 1)

    def _column(self, x: int) -> int:
        """The input column that a tile's A pointer stands at: its first tap's, or the image's edge."""
        w = self.g.workload
        return max(0, min(x * w.strides[1] - w.padding[1], w.width - 1))

    def _instance(self, run: Run, lines: Lines, channels: int) -> KernelInstance:
        g, w = self.g, self.g.workload
        return KernelInstance(
            MicroKernel(lines.count * run.first.mr, self._lanes, DEPTHWISE, g.isa.name, g.types),
            channels,
            a_row=w.strides[1] * w.data_slice[1],
            a_step=OPEN if is_open([w.width]) else self._step(),
            b_row=g.tile.nr,
            b_step=w.kernel[1] * g.tap_elements,
            c_row=w.out_slice[1],
            segments=run.segments,
            epilogue=w.epilogue.of_pass(True, True),
            group=g.group_out,
            lines=lines,
        )

    def _call(
        self,
        instance: KernelInstance,
        at: Pixel,
        inside: Inside,
        lane: tirx.Expr,
    ) -> tirx.Stmt:
        g, w = self.g, self.g.workload
        simplify = sym.Analyzer().simplify
        (y, x, column), (input_row, first_tap, taps) = at, inside
        channel = self.block * g.tile.nr + lane
        first, between = w.data_slice
        a = ((self.image * w.height + input_row) * w.width + column) * between + first
        a = a + self.block * g.input_channel(g.tile.nr) + g.input_channel(lane)
        first, between = w.out_slice
        c = ((self.image * w.out_height + y) * w.out_width + x) * between + first + channel
        b = self.block * packed_elements(g) + first_tap * instance.b_step + lane
        a, b, c = simplify(a), simplify(b), simplify(c)
        place = self.operands.packed, b
        step = given_to_tvm(self._step()) if instance.a_step is OPEN else None
        line = given_to_tvm(w.out_width * w.out_slice[1]) if instance.lines.c is OPEN else None
        extra = channel, c
        return kernel_call(
            instance.name, self.operands, c, (self.input, a), place, extra, taps, step=step, line=line
        )

    def _step(self) -> int:
        """Elements of the input from one filter row to the next."""
        w = self.g.workload
        return w.dilation[0] * w.width * w.data_slice[1]


def expand(g: SpanGeometry, block: Block) -> tirx.Stmt:
    """Kernel calls for a block of rows; tails where the extents leave any."""
    image, row, at, *_ = block.starts("C")
    calls = SpanCalls(g, Operands.of(g.workload, block.func), block.input, image, row, at)
    whole = g.tile.nr
    return but_last(at, g.blocks, whole, g.workload.out_channels % whole, calls.calls)
