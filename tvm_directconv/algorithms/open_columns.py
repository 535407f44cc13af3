"""Rows of open width covered by tiles: which, is decided when the function runs.

Tiles are of one width each, called height as in kernels' names. Those at the left border and those at the
right one, which may miss taps, are of two heights that go with the row's width (``row_choice.py``); those
between are the tallest, and the last of them moves back to where the right ones begin, so that some pixels
may be computed twice, to the same bits. So each height is compiled for both ends, and the tallest for what is
between. Rows that no two ends cover, and those of about typical widths, are one tile.

The taps that a border tile has are the same at every width that is large enough. They are found on a row of
some such width, for every number of columns that the stride may leave over at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from tvm import tirx
from tvm.s_tir import SBlock, SBlockRealize

from tvm_directconv.errors import AlgorithmError
from tvm_directconv.problem.extents import given_to_tvm, typical
from tvm_directconv.problem.taps import Axis
from tvm_directconv.problem.workload import Conv2dWorkload

from .branches import either, in_turn, loop
from .row_choice import BITS, RowChoice, choice_of

ZERO = tirx.IntImm("int32", 0)
SHARE = 0.6
"""A height is about such a share of the next: rows of two to four tiles cost 1.06 of exact ones."""
CHOICE = ("ends", "outputs", "over", "first", "last", "begin", "end", "between")
"""What is kept of a row: what the table has of it, its outputs, columns that the stride leaves over, the
numbers of the heights on the left and on the right, where tiles on the left end and those on the right begin,
and how many are between."""
Tile = Callable[["Cover", int, "int | tirx.Expr"], tirx.Stmt]
"""A function of a cover, of a place in its wide row, and of a column. It returns the call of a tile of the
cover's height at that column, with the taps of the place."""


@dataclass(frozen=True)
class Cover:
    """Rows covered by tiles of one height; ``columns`` are a wide row, in which borders are found."""

    height: int
    columns: Axis

    @property
    def left(self) -> int:
        """Outputs that miss taps at the left border."""
        return -(-self.columns.before // self.columns.stride)

    @property
    def right(self) -> int:
        """Outputs that miss taps at the right border."""
        c = self.columns
        inside = (c.size - 1 + c.before - (c.taps - 1) * c.dilation) // c.stride + 1
        return max(0, c.outputs - inside)

    @property
    def lefts(self) -> int:
        """Tiles that cover those on the left: at least one, for rows begin with it."""
        return max(1, -(-self.left // self.height))

    @property
    def rights(self) -> int:
        """Tiles that cover those on the right: at least one, for rows may end in it."""
        return max(1, -(-self.right // self.height))

    @property
    def ahead(self) -> int:
        """Outputs of the tiles on the left."""
        return self.lefts * self.height

    @property
    def behind(self) -> int:
        """Outputs of the tiles on the right."""
        return self.rights * self.height


@dataclass(frozen=True)
class Single(Cover):
    """A row that is one tile, of ``height`` pixels: ``columns`` are that row."""


def heights(most: int) -> list[int]:
    """The heights of tiles at the ends of rows, each about ``SHARE`` of the one before: whatever whole tiles
    leave over is nearly one of them."""
    found = [most]
    while found[-1] > 1:
        found.append(max(1, min(found[-1] - 1, round(found[-1] * SHARE))))
    return found


def row_of(columns: Axis, after: int, outputs: int, over: int) -> Axis:
    """Return a row of so many outputs with the borders of ``columns``, which has ``after`` positions of
    padding behind, of which the stride leaves ``over`` columns."""
    last = (outputs - 1) * columns.stride - columns.before + (columns.taps - 1) * columns.dilation
    return replace(columns, size=last + 1 - (after - over), outputs=outputs)


def wide_rows(workload: Conv2dWorkload, outputs: int) -> list[Axis]:
    """Rows of a workload's columns with more than so many outputs, for each number of columns that the stride
    may leave over of the padding."""
    columns, after = Axis.of(workload, 1), workload.padding[3]
    wide = outputs + 4 * columns.taps * columns.dilation
    return [row_of(columns, after, wide, over) for over in range(min(columns.stride, after + 1))]


def columns_over(workload: Conv2dWorkload) -> tirx.Expr:
    """Return how many columns the stride leaves over, at most those of the padding."""
    w, most = workload, min(workload.strides[1] - 1, workload.padding[3])
    reach = (w.kernel[1] - 1) * w.dilation[1] + 1
    over = given_to_tvm((w.width + w.padding[1] + w.padding[3] - reach) % w.strides[1])
    return tirx.min(over, most) if most else ZERO


def borders_of(workload: Conv2dWorkload) -> int:
    """Return the outputs of a row whose taps are partly beside the image."""
    return max(cover.left + cover.right for cover in (Cover(1, row) for row in wide_rows(workload, 4)))


def narrow_rows(workload: Conv2dWorkload) -> int:
    """Return the outputs of the widest row narrower than its borders, which one tile computes; 0 where those
    of typical sizes are wider."""
    borders = borders_of(workload)
    return borders - 1 if typical(workload.out_width) < borders else 0


def first_column(columns: Axis, x: int | tirx.Expr) -> int | tirx.Expr:
    """Return the input column that the first tap of output ``x`` is at, or of those inside the image. Outputs
    at columns known at run time begin inside of it: those that miss taps on the left are counted from 0."""
    column = x * columns.stride - columns.before
    return max(0, column) if isinstance(column, int) else column


@dataclass(frozen=True)
class OpenColumns:
    """The covers of rows of open width: for each number of columns that the stride may leave over of the
    padding, those of several heights, and those by one tile."""

    over: tirx.Expr
    """Columns that the stride leaves over, of those that tell covers apart."""
    covers: Sequence[Sequence[Cover]]
    singles: Sequence[Sequence[Single]]
    choose: RowChoice
    """The choice of them for each row."""

    @staticmethod
    def of(
        workload: Conv2dWorkload, heights: Sequence[int], vectors: int, singles: Iterable[int] = ()
    ) -> OpenColumns:
        """Find the covers by tiles of these heights, the tallest first and 1 at last, so many vectors wide,
        and by one tile of rows of ``singles`` pixels and of those that no two ends cover. Raises
        AlgorithmError for a width that is less, at typical sizes, than borders wider than a tile."""
        most, borders = heights[0], borders_of(workload)
        rows = wide_rows(workload, 4 * most)
        if borders > most + 1 and workload.out_width < borders:
            raise AlgorithmError(f"rows narrower than their borders have tiles of their own: {workload}")
        covers = [[Cover(height, row) for height in heights] for row in rows]
        rights = tuple(each[0].right for each in covers)
        near = tuple(each for each in singles if 0 < each <= most)
        choose = choice_of(tuple(heights), vectors, covers[0][0].left, rights, near)
        alone: list[list[Single]] = []
        # Columns beyond those that the padding reaches are read by no tap: rows are covered alike.
        for over, row in enumerate(rows):
            narrow = (row_of(row, workload.padding[3], outputs, over) for outputs in choose.singles)
            alone.append([Single(row.outputs, row) for row in narrow if row.size > 0])
        return OpenColumns(columns_over(workload), covers, alone, choose)

    @staticmethod
    def of_pixels(heights: Sequence[int], vectors: int) -> OpenColumns:
        """Return the covers of rows of pixels without borders, by tiles of these heights."""
        row = Axis(size=heights[0], outputs=heights[0], taps=1, stride=1, dilation=1, before=0)
        choose = choice_of(tuple(heights), vectors, 0, (0,), ())
        return OpenColumns(ZERO, [[Cover(height, row) for height in heights]], [[]], choose)

    @cached_property
    def choice(self) -> tirx.Buffer:
        """What is known of a row, and the tiles that are taken (``CHOICE``). In variables TVM's simplifier
        would write all of it at each use."""
        return tirx.decl_buffer((len(CHOICE),), "int32", "choice")

    def _kept(self, name: str) -> tirx.Expr:
        return tirx.BufferLoad(self.choice, [CHOICE.index(name)])

    def _keep(self, name: str, value: tirx.Expr | int) -> tirx.Stmt:
        value = tirx.IntImm("int32", value) if isinstance(value, int) else value
        return tirx.BufferStore(self.choice, value, [CHOICE.index(name)])

    @property
    def wide(self) -> Axis:
        """Return some wide row."""
        return self.covers[0][0].columns

    def choosing(self, outputs: tirx.Expr, body: tirx.Stmt, *kept: tirx.Buffer) -> tirx.Stmt:
        """Choose the tiles for rows of ``outputs`` before ``body``, which ``kept`` buffers are allocated
        for."""
        keep, of, tallest = self._keep, self._kept, self.covers[0][0].height
        stmts = [keep("outputs", outputs), keep("over", self.over)]
        place = self.choice.access_ptr("w")
        found = tirx.call_extern("int32", self.choose.name, place, of("outputs"), of("over"))
        stmts.append(tirx.Evaluate(found))

        def field(number: int) -> tirx.Expr:
            return tirx.bitwise_and(tirx.shift_right(of("ends"), number * BITS), (1 << BITS) - 1)

        stmts += [keep("first", field(0)), keep("last", field(1)), keep("begin", field(2))]
        stmts.append(keep("end", of("outputs") - field(3)))
        between = tirx.truncdiv(tirx.max(ZERO, of("end") - of("begin") + (tallest - 1)), tallest)
        stmts += [keep("between", tirx.Select(tirx.EQ(of("first"), 0), between, ZERO)), body]
        block = SBlock([], [], [], "choice", tirx.SeqStmt(stmts), None, [self.choice, *kept], [], {})
        return SBlockRealize([], tirx.IntImm("bool", 1), block)

    def calls(self, tile: Tile) -> tirx.Stmt:
        """The calls that cover a row by the tiles that were chosen: one test for each, none inside another,
        which TVM's analyzer would take along."""
        tallest, h = self.covers[0][0], self.covers[0][0].height
        of, last = self._kept, self._kept("end") - h

        def between(index: tirx.Expr) -> tirx.Stmt:
            return tile(tallest, tallest.left, tirx.min(index * h + of("begin"), last))

        def step(index: tirx.Expr) -> tirx.Stmt:
            smallest = self.covers[0][-1]
            return tile(smallest, smallest.left, index + of("begin"))

        made = [loop(of("between"), between)]
        if self.choose.has_steps:
            by_steps = tirx.EQ(of("first"), self.choose.none - 1)
            made.append(either(by_steps, loop(tirx.max(ZERO, of("end") - of("begin")), step)))
        for number, covers in enumerate(zip(*self.covers, strict=True)):
            made += self._ends(number, covers, tile)
        for over, singles in enumerate(self.singles):
            for single in singles:
                chosen = tirx.EQ(of("first"), self.choose.none + single.height)
                made.append(either(self._with_over(chosen, over), tile(single, 0, 0)))
        return tirx.SeqStmt(made)

    def _with_over(self, condition: tirx.Expr, over: int) -> tirx.Expr:
        """A condition, and that so many columns are left over."""
        several = len(self.covers) > 1
        return tirx.all(condition, tirx.EQ(self._kept("over"), over)) if several else condition

    def _ends(self, number: int, covers: Sequence[Cover], tile: Tile) -> Iterator[tirx.Stmt]:
        """The tiles of one height at both ends: only those on the right depend on the columns that are left
        over."""
        cover, h, width = covers[0], covers[0].height, self._kept("outputs")
        first, last = (tirx.EQ(self._kept(end), number) for end in ("first", "last"))
        if not any(each.left + each.right for each in covers):
            ends = tirx.Cast("int32", first) + tirx.Cast("int32", last)
            skipped = tirx.Cast("int32", tirx.Not(first))
            yield loop(ends, lambda index: tile(cover, 0, (index + skipped) * (width - h)))
            return
        yield either(first, in_turn([tile(cover, i * h, i * h) for i in range(cover.lefts)]))
        for over, each in enumerate(covers):
            places = [(i + 1) * h for i in reversed(range(each.rights))]
            behind = [tile(each, each.columns.outputs - place, width - place) for place in places]
            yield either(self._with_over(last, over), in_turn(behind))
