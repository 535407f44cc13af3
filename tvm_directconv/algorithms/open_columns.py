"""Rows of open width covered by tiles: which, is decided when the function runs.

A row is covered by tiles of one width, called height as in kernels' names. The first ones may miss taps at
the left border and the last ones at the right one, counted from the row's end; those between have all taps,
and the last of them moves back to where the right ones begin, so that some pixels may be computed twice, to
the same bits. Of several heights the one is taken that is estimated to cost least at that width.

The taps that a border tile has are the same at every width that is large enough. They are found on a row of
some such width, for every number of columns that the stride may leave over at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from tvm import tirx
from tvm.s_tir import SBlock, SBlockRealize

from tvm_directconv.errors import AlgorithmError
from tvm_directconv.problem.extents import given_to_tvm, typical
from tvm_directconv.problem.taps import Axis
from tvm_directconv.problem.workload import Conv2dWorkload

from .branches import either, loop

ZERO = tirx.IntImm("int32", 0)
BEYOND = 1 << 30
"""This is more than any row costs."""
LATENCY = 8
"""A tile of fewer sums than this takes about as long as one of so many: they wait for each other."""
OVERHEAD = 3
"""A call takes as long as so many sums of one step."""
CHOICE = ("outputs", "over", "number", "between", "least", "last", "tiles", "cost", "cover")
"""What is kept of a row: its outputs, columns that the stride leaves over, the cover that is taken (``cover``
numbers it together with these columns), its tiles between those at the borders, what it costs, and where the
last of these tiles begins; of a cover that is looked at, its tiles between and its cost."""
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
        """Tiles that cover those on the left."""
        return -(-self.left // self.height)

    @property
    def rights(self) -> int:
        """Tiles that cover those on the right."""
        return -(-self.right // self.height)

    @property
    def least(self) -> int:
        """The fewest outputs of a row that has the tiles at the borders."""
        return max(self.lefts * self.height + self.right, self.rights * self.height + self.left)

    @property
    def beside(self) -> int:
        """The outputs of the tiles at the borders, behind which others come in between."""
        return (self.lefts + self.rights) * self.height

    @property
    def least_between(self) -> int:
        """The fewest outputs of a row with a tile in between."""
        return (self.rights + 1) * self.height + self.left


@dataclass(frozen=True)
class Single(Cover):
    """A row that is one tile, of ``height`` pixels: ``columns`` are that row."""


def heights(most: int, share: float = 0.75) -> list[int]:
    """The heights that rows are covered by, each about a ``share`` of the one before: any length of a row is
    nearly a multiple of one of them."""
    found = [most]
    while found[-1] > 1:
        found.append(max(1, min(found[-1] - 1, round(found[-1] * share))))
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
    """The columns of a workload of open width, and the covers of its rows: for each number of columns that
    the stride may leave over of the padding, those of several heights, and those by one tile."""

    workload: Conv2dWorkload
    covers: Sequence[Sequence[Cover]]
    singles: Sequence[Sequence[Single]]

    @staticmethod
    def of(workload: Conv2dWorkload, heights: Sequence[int], singles: Sequence[int] = ()) -> OpenColumns:
        """Find the covers by tiles of these heights, and by one tile of rows of ``singles`` pixels and of
        those narrower than the borders. Raises AlgorithmError for a width that is less, at typical sizes,
        than borders wider than a tile."""
        rows = wide_rows(workload, 4 * max(heights))
        borders = borders_of(workload)
        if borders <= max(heights) + 1:
            singles = sorted({*range(1, borders), *singles})
        elif workload.out_width < borders:
            raise AlgorithmError(f"rows narrower than their borders have tiles of their own: {workload}")
        covers: list[list[Cover]] = []
        alone: list[list[Single]] = []
        # Columns beyond those that the padding reaches are read by no tap: rows are covered alike.
        for over, row in enumerate(rows):
            covers.append([Cover(height, row) for height in heights])
            narrow = (row_of(row, workload.padding[3], outputs, over) for outputs in singles)
            alone.append([Single(row.outputs, row) for row in narrow if row.size > 0])
        return OpenColumns(workload, covers, alone)

    @property
    def _over(self) -> tirx.Expr:
        """Columns that the stride leaves over, of those that tell covers apart."""
        w, most = self.workload, len(self.covers) - 1
        reach = (w.kernel[1] - 1) * w.dilation[1] + 1
        over = given_to_tvm((w.width + w.padding[1] + w.padding[3] - reach) % w.strides[1])
        return tirx.min(over, most) if most else ZERO

    @cached_property
    def choice(self) -> tirx.Buffer:
        """What is known of a row, and the cover that is taken (``CHOICE``). In variables TVM's simplifier
        would write all of it at each use."""
        return tirx.decl_buffer((len(CHOICE),), "int32", "choice")

    def _kept(self, name: str) -> tirx.Expr:
        return tirx.BufferLoad(self.choice, [CHOICE.index(name)])

    def _keep(self, name: str, value: tirx.Expr | int) -> tirx.Stmt:
        value = tirx.IntImm("int32", value) if isinstance(value, int) else value
        return tirx.BufferStore(self.choice, value, [CHOICE.index(name)])

    def _by_over(self, numbers: Sequence[int]) -> tirx.Expr | int:
        """The one of these numbers for the columns that are left over."""
        first, *others = numbers
        value: tirx.Expr | int = first
        for over, number in enumerate(others, 1):
            if number != first:
                value = tirx.Select(tirx.EQ(self._kept("over"), over), number, value)
        return value

    @property
    def wide(self) -> Axis:
        """Return some wide row."""
        return self.covers[0][0].columns

    def choosing(self, outputs: tirx.Expr, vectors: int, body: tirx.Stmt, *kept: tirx.Buffer) -> tirx.Stmt:
        """Choose the cover for rows of ``outputs``, by tiles so many vectors wide, before ``body``, which
        ``kept`` buffers are allocated for."""
        keep, of = self._keep, self._kept
        stmts = [keep("outputs", outputs), keep("over", self._over), keep("number", 0), keep("least", BEYOND)]
        for number, covers in enumerate(zip(*self.covers, strict=True)):
            stmts += self._considered(number, covers, vectors)
        if any(self.singles):
            stmts += self._considered_alone(vectors)
        stmts += [keep("cover", of("number") * len(self.covers) + of("over")), body]
        block = SBlock([], [], [], "choice", tirx.SeqStmt(stmts), None, [self.choice, *kept], [], {})
        return SBlockRealize([], tirx.IntImm("bool", 1), block)

    def _considered(self, number: int, covers: Sequence[Cover], vectors: int) -> list[tirx.Stmt]:
        """Take tiles of one height, if they cost less than what was looked at before."""
        keep, of, width, by_over = self._keep, self._kept, self._kept("outputs"), self._by_over
        h = covers[0].height
        fits = width >= by_over([cover.least for cover in covers])
        beside, least = by_over([c.beside for c in covers]), by_over([c.least_between for c in covers])
        if any(cover.least_between > max(cover.least, cover.beside + 1) for cover in covers):
            fits = tirx.all(fits, tirx.any(width <= beside, width >= least))
        tiles = of("tiles") + by_over([cover.lefts + cover.rights for cover in covers])
        cost = tiles * (max(LATENCY, h * vectors) + OVERHEAD)
        less = of("cost") < of("least")
        return [
            keep("tiles", tirx.truncdiv(tirx.max(ZERO, width - beside + (h - 1)), h)),
            keep("cost", tirx.Select(fits, cost, BEYOND)),
            keep("number", tirx.Select(less, number, of("number"))),
            keep("between", tirx.Select(less, of("tiles"), of("between"))),
            keep("least", tirx.min(of("cost"), of("least"))),
        ]

    def _considered_alone(self, vectors: int) -> list[tirx.Stmt]:
        """Take the one tile that has the row's width, if it costs less than what was looked at before."""
        keep, of, width = self._keep, self._kept, self._kept("outputs")
        cost = tirx.max(width * vectors, LATENCY) + OVERHEAD
        least = self._by_over([singles[0].height if singles else BEYOND for singles in self.singles])
        # Heights follow each other, with one gap at most, behind those of rows narrower than their borders.
        tall = sorted({single.height for singles in self.singles for single in singles})
        ends = [height for height in tall if height + 1 not in tall]
        begins = [height for height in tall if height - 1 not in tall]
        inside = [tirx.all(width >= first, width <= last) for first, last in zip(begins, ends, strict=True)]
        less = tirx.all(width >= least, tirx.any(*inside), cost < of("least"))
        return [keep("number", tirx.Select(less, len(self.covers[0]) + width, of("number")))]

    def calls(self, tile: Tile) -> tirx.Stmt:
        """The calls that cover a row by the cover that was chosen: one test for each, none inside another,
        which TVM's analyzer would take along."""
        made: list[tirx.Stmt] = []
        for number, covers in enumerate(zip(*self.covers, strict=True)):
            made += self._of_height(number, covers, tile)
        for over, singles in enumerate(self.singles):
            for single in singles:
                made.append(either(self._is(len(self.covers[0]) + single.height, over), tile(single, 0, 0)))
        return tirx.SeqStmt(made)

    def _is(self, number: int, over: int | None = None) -> tirx.Expr:
        """Whether the cover of that number was chosen, and so many columns are left over."""
        if over is None:
            return tirx.EQ(self._kept("number"), number)
        return tirx.EQ(self._kept("cover"), number * len(self.covers) + over)

    def _of_height(self, number: int, covers: Sequence[Cover], tile: Tile) -> Iterator[tirx.Stmt]:
        """The tiles of one height: only those on the right depend on the columns that are left over."""
        cover, h, width, last = covers[0], covers[0].height, self._kept("outputs"), self._kept("last")
        begin = cover.lefts * h

        def middle(index: tirx.Expr) -> tirx.Stmt:
            return tile(cover, cover.left, tirx.min(index * h + begin, last))

        end = self._keep("last", width - self._by_over([(each.rights + 1) * h for each in covers]))
        parts = [end, *(tile(cover, i * h, i * h) for i in range(cover.lefts))]
        yield either(self._is(number), tirx.SeqStmt([*parts, loop(self._kept("between"), middle)]))
        for over, each in enumerate(covers):
            behind = [
                tile(each, each.columns.outputs - (i + 1) * h, width - (i + 1) * h)
                for i in reversed(range(each.rights))
            ]
            if behind:
                yield either(self._is(number, over), behind[0] if len(behind) == 1 else tirx.SeqStmt(behind))
