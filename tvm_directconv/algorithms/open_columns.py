"""Rows of open width covered by tiles: which, is decided when the function runs.

A row is covered by tiles of one width, called height as in kernels' names. The first ones may miss taps at
the left border and the last ones at the right one, counted from the row's end; those between have all taps,
and the last of them moves back to where the right ones begin, so that some pixels may be computed twice, to
the same bits. Of several heights the one is taken that is estimated to cost least at that width.

The taps that a border tile has are the same at every width that is large enough. They are found on a row of
some such width, for every number of columns that the stride may leave over at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from tvm import tirx
from tvm.s_tir import SBlock, SBlockRealize

from tvm_directconv.errors import AlgorithmError
from tvm_directconv.problem.extents import given_to_tvm
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

    def between(self, outputs: tirx.Expr) -> tirx.Expr:
        """Tiles between these, of a row of so many outputs."""
        rest = outputs - (self.lefts + self.rights) * self.height
        return tirx.max(ZERO, tirx.floordiv(rest + self.height - 1, self.height))

    def fits(self, outputs: tirx.Expr) -> tirx.Expr:
        """Whether every tile lies in the row, and has taps as it is to have."""
        h = self.height
        none_between = outputs <= (self.lefts + self.rights) * h
        return tirx.all(
            outputs >= self.lefts * h + self.right,
            outputs >= self.rights * h + self.left,
            tirx.any(none_between, outputs >= (self.rights + 1) * h + self.left),
        )

    def cost(self, outputs: tirx.Expr, vectors: int) -> tirx.Expr:
        """What a row costs, in sums of one step."""
        each = max(LATENCY, self.height * vectors) + OVERHEAD
        return tirx.Select(self.fits(outputs), self.tiles(outputs) * each, tirx.IntImm("int32", BEYOND))

    def tiles(self, outputs: tirx.Expr) -> tirx.Expr:
        """All tiles of a row of so many outputs."""
        return self.between(outputs) + self.lefts + self.rights

    def calls(self, tile: Tile, outputs: tirx.Expr) -> tirx.Stmt:
        """The calls that cover a row."""
        h, last = self.height, self.columns.outputs
        parts = [tile(self, i * h, i * h) for i in range(self.lefts)]
        begin, end = self.lefts * h, outputs - (self.rights + 1) * h

        def middle(index: tirx.Expr) -> tirx.Stmt:
            return tile(self, self.left, tirx.min(index * h + begin, end))

        parts.append(loop(self.between(outputs), middle))
        for i in reversed(range(self.rights)):
            parts.append(tile(self, last - (i + 1) * h, outputs - (i + 1) * h))
        return parts[0] if len(parts) == 1 else tirx.SeqStmt(parts)


@dataclass(frozen=True)
class Single(Cover):
    """A row that is one tile, of ``height`` pixels: ``columns`` are that row."""

    def fits(self, outputs: tirx.Expr) -> tirx.Expr:
        return tirx.EQ(outputs, self.height)

    def tiles(self, outputs: tirx.Expr) -> tirx.Expr:
        return tirx.IntImm("int32", 1)

    def calls(self, tile: Tile, outputs: tirx.Expr) -> tirx.Stmt:
        return tile(self, 0, 0)


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


def first_column(columns: Axis, x: int | tirx.Expr) -> int | tirx.Expr:
    """Return the input column that the first tap of output ``x`` is at, or of those inside the image: one on
    the right is, as borders are narrower than rows."""
    column = x * columns.stride - columns.before
    return max(0, column) if isinstance(column, int) else tirx.max(ZERO, column)


@dataclass(frozen=True)
class OpenColumns:
    """The columns of a workload of open width, and the covers of its rows: for each number of columns that
    the stride may leave over of the padding, those of several heights."""

    workload: Conv2dWorkload
    covers: Sequence[Sequence[Cover]]

    @staticmethod
    def of(workload: Conv2dWorkload, heights: Sequence[int], singles: Sequence[int] = ()) -> OpenColumns:
        """Find the covers by tiles of these heights, and of rows of ``singles`` pixels by one tile. Raises
        AlgorithmError for a width that is less, at typical sizes, than the borders'."""
        columns, after = Axis.of(workload, 1), workload.padding[3]
        wide = 4 * max(heights) + 4 * columns.taps * columns.dilation
        covers: list[list[Cover]] = []
        # Columns beyond those that the padding reaches are read by no tap: rows are covered alike.
        for over in range(min(columns.stride, after + 1)):
            rows = [row_of(columns, after, outputs, over) for outputs in (wide, *singles)]
            alone = [Single(row.outputs, row) for row in rows[1:] if row.size > 0]
            covers.append([*(Cover(height, rows[0]) for height in heights), *alone])
        if any(workload.out_width < cover.left + cover.right for cover, *_ in covers):
            raise AlgorithmError(f"rows narrower than their borders have tiles of their own: {workload}")
        return OpenColumns(workload, covers)

    @property
    def _over(self) -> tirx.Expr:
        """Columns that the stride leaves over, of those that tell covers apart."""
        w, most = self.workload, len(self.covers) - 1
        reach = (w.kernel[1] - 1) * w.dilation[1] + 1
        over = given_to_tvm((w.width + w.padding[1] + w.padding[3] - reach) % w.strides[1])
        return tirx.min(over, most) if most else ZERO

    @cached_property
    def choice(self) -> tirx.Buffer:
        """The number of the cover that is taken, what that costs, and what another one does. In a variable
        TVM's simplifier would write all of it at each test."""
        return tirx.decl_buffer((3,), "int32", "choice")

    @property
    def wide(self) -> Axis:
        """Return some wide row."""
        return self.covers[0][0].columns

    def choosing(self, outputs: tirx.Expr, vectors: int, body: tirx.Stmt, *kept: tirx.Buffer) -> tirx.Stmt:
        """Choose the cover for rows of ``outputs``, by tiles so many vectors wide, before ``body``, which
        ``kept`` buffers are allocated for."""
        number, least, cost = (tirx.BufferLoad(self.choice, [at]) for at in range(3))
        stmts: list[tirx.Stmt] = [
            tirx.BufferStore(self.choice, tirx.IntImm("int32", value), [at])
            for at, value in ((0, 0), (1, BEYOND))
        ]
        for index, (over, cover) in enumerate(self._all):
            of_it = tirx.EQ(self._over, over)
            stmts += [
                tirx.BufferStore(self.choice, tirx.Select(of_it, cover.cost(outputs, vectors), BEYOND), [2]),
                tirx.BufferStore(self.choice, tirx.Select(cost < least, index, number), [0]),
                tirx.BufferStore(self.choice, tirx.min(cost, least), [1]),
            ]
        stmt = tirx.SeqStmt([*stmts, body])
        block = SBlock([], [], [], "choice", stmt, None, [self.choice, *kept], [], {})
        return SBlockRealize([], tirx.IntImm("bool", 1), block)

    @property
    def _all(self) -> list[tuple[int, Cover]]:
        return [(over, cover) for over, covers in enumerate(self.covers) for cover in covers]

    def calls(self, tile: Tile, outputs: tirx.Expr) -> tirx.Stmt:
        """The calls that cover a row of ``outputs`` by the cover that was chosen."""
        number = tirx.BufferLoad(self.choice, [0])
        stmt: tirx.Stmt | None = None
        for index, (_, cover) in reversed(list(enumerate(self._all))):
            stmt = either(tirx.EQ(number, index), cover.calls(tile, outputs), stmt)
        assert stmt is not None
        return stmt
