"""Attention to a number of keys that stays open: products and softmax by chunks of keys.

A chunk has a fixed number of keys, ``keys``, a multiple of those that softmax sums at a time, so that
micro-kernels are those of a fixed length; a block's scores lie chunk by chunk, each a matrix of its own. Of
what is left behind the last whole chunk, scores are computed by panels, at the end by panels of a vector, and
the sum with the values goes on by ``STEPS`` keys at a time: keys that are not there have weight zero.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tvm import tirx
from tvm.tirx.script.builder import ir as T

from tvm_directconv.problem.extents import given_to_tvm

from .builder import ROW_LANES, VECTORS, Expr, Operator, kept, load, pieces, rounded_alone, splat, store
from .expressions import exp_of_distance
from .matrices import Matrix, Panel, Rows
from .matrix_terms import Term, after_terms
from .matrix_tiles import ProductTiles
from .row_program import reduced

STEPS = ROW_LANES
"""What is left of the keys is multiplied by so many at a time."""


@dataclass(frozen=True)
class OpenLength:
    """Attention of blocks of ``block`` rows to ``length`` keys, by chunks of ``keys``.

    ``scoring`` are the tiles of scores of a chunk, ``weighing`` those of their sums with a chunk's values.
    """

    length: int
    keys: int
    block: int
    scoring: ProductTiles
    weighing: ProductTiles

    @property
    def row(self) -> int:
        """Elements from one row of a chunk's scores to the next."""
        return -(-self.keys // STEPS) * STEPS

    @property
    def score_elements(self) -> int:
        """The scores of a block."""
        return -(-self.length // self.keys) * self.block * self.row

    @property
    def panel_elements(self) -> int:
        """Elements of the panel that both products share."""
        return max(self.scoring.panel_elements, self.row * self.weighing.nr)

    def _chunk(self, scores: tirx.Buffer, first: Expr) -> Matrix:
        """The scores of the chunk that begins with that key."""
        return Matrix(scores, T.floordiv(first, self.keys) * (self.block * self.row), self.row, 1)

    def _each_chunk(self, emit: Callable[[Expr, Expr], None]) -> None:
        """Emit a loop over all chunks; ``emit`` is given the first key of one and how many it has."""
        with T.serial(0, -(-self.length // self.keys)) as number:
            first = kept(number * self.keys)
            emit(first, kept(T.min(self.keys, given_to_tvm(self.length) - first)))

    def score(
        self, query: Matrix, key: Matrix, scores: tirx.Buffer, panel: Panel, rows: Rows, scale: float
    ) -> None:
        """Emit the scores of some rows."""
        tiles, nr, lanes = self.scoring, self.scoring.nr, self.scoring.isa.lanes

        def of_chunk(first: Expr, keys: Expr) -> None:
            def of_panel(column: Expr, columns: int, used: Expr | None) -> None:
                right, made = key.moved(0, first + column), self._chunk(scores, first).moved(0, column)
                tiles.multiply_columns(query, right, made, panel, rows, columns, scale, used)

            with T.serial(0, T.floordiv(keys, nr)) as number:
                of_panel(T.Bind(number * nr), nr, None)
            done = T.Bind(keys - T.floormod(keys, nr))
            with T.serial(0, T.floordiv(keys - done + (lanes - 1), lanes)) as number:
                column = T.Bind(done + number * lanes)
                of_panel(column, lanes, T.min(lanes, keys - column))

        self._each_chunk(of_chunk)

    def softmax(
        self,
        operator: Operator,
        scores: tirx.Buffer,
        factors: tirx.Buffer,
        terms: Sequence[Term],
        matrices: Sequence[Matrix],
        rows: Rows,
        scale: float,
        guarded: bool,
    ) -> None:
        """Replace scores by exponentials, and store what a row's have to be multiplied by."""
        lanes, count = ROW_LANES, VECTORS
        with T.serial(0, rows.count) as row:
            largest, sums = (operator.accumulators(count, lanes) for _ in range(2))
            for number in range(count):
                store(largest, number * lanes, lanes, splat(-math.inf, lanes))
                store(sums, number * lanes, lanes, splat(0.0, lanes))

            def prepare(at: Expr, column: Expr, width: int, slot: int) -> None:
                value = load(scores, at, width)
                if matrices:
                    value = after_terms(value, scale, terms, matrices, (row, column), width)
                    value = T.Bind(rounded_alone(value))
                    store(scores, at, width, value)
                store(largest, slot * lanes, width, T.max(load(largest, slot * lanes, width), value))

            def exponentiate(at: Expr, slot: int) -> None:
                value = T.Bind(exp_of_distance(load(scores, at, lanes) - maximum))
                store(scores, at, lanes, value)
                store(sums, slot * lanes, lanes, load(sums, slot * lanes, lanes) + value)

            self._scores_of(scores, row, prepare)
            maximum = reduced(largest, count, lanes, T.max)
            if guarded:
                maximum = T.Bind(T.Select(maximum > -math.inf, maximum, T.float32(0)))

            self._vectors_of(scores, row, exponentiate)
            total = reduced(sums, count, lanes, lambda a, b: a + b)
            factor = T.float32(1) / total
            # What is guarded against sums to zero, and stays it.
            store(factors, row, 1, T.Select(total > 0, factor, total) if guarded else factor)

    def _scores_of(self, scores: tirx.Buffer, row: Expr, emit: Callable[..., None]) -> None:
        """Emit what is done to the scores of a row, ``VECTORS`` vectors at a time, at the end one by one;
        those behind them, up to whole groups of ``STEPS``, become -infinity."""
        lanes, count = ROW_LANES, VECTORS

        def of_chunk(first: Expr, keys: Expr) -> None:
            base, size = T.Bind(self._chunk(scores, first).start + row * self.row), count * lanes
            with T.serial(0, T.floordiv(keys, size)) as block:
                for slot in range(count):
                    start = block * size + slot * lanes
                    emit(base + start, first + start, lanes, slot)
            done = T.Bind(keys - T.floormod(keys, size))
            with T.serial(0, T.floordiv(keys - done, lanes)) as number:
                start = done + number * lanes
                emit(base + start, first + start, lanes, 0)
            with T.serial(0, T.floormod(keys, lanes)) as element:
                start = keys - 1 - element
                emit(base + start, first + start, 1, 0)
            with T.serial(0, T.floormod(-keys, STEPS)) as beyond:
                store(scores, base + keys + beyond, 1, T.float32(-math.inf))

        self._each_chunk(of_chunk)

    def _vectors_of(self, scores: tirx.Buffer, row: Expr, emit: Callable[[Expr, int], None]) -> None:
        """Emit what is done to the vectors of a row, ``VECTORS`` at a time, whole groups of ``STEPS``. Each
        belongs to the same sum as in a row of fixed length."""
        lanes, count = ROW_LANES, VECTORS

        def of_chunk(first: Expr, keys: Expr) -> None:
            base = T.Bind(self._chunk(scores, first).start + row * self.row)
            vectors = T.Bind(T.floordiv(keys + (STEPS - 1), STEPS))
            with T.serial(0, T.floordiv(vectors, count)) as block:
                for slot in range(count):
                    emit(base + (block * count + slot) * lanes, slot)
            done = T.Bind(vectors - T.floormod(vectors, count))
            for slot in range(count - 1):
                with T.serial(0, T.min(1, T.max(0, vectors - done - slot))) as one:
                    emit(base + (done + slot + one) * lanes, slot)

        self._each_chunk(of_chunk)

    def weigh(self, scores: tirx.Buffer, value: Matrix, output: Matrix, panel: Panel, rows: Rows) -> None:
        """Emit the sums of values, which columns of the output lie side by side."""
        tiles = self.weighing
        lanes, step = tiles.isa.lanes, STEPS

        def of_panel(column: Expr, columns: int) -> None:
            made, width = output.moved(0, column), tiles.width(columns)
            with T.serial(0, rows.count) as row:
                for offset, size in pieces(columns, lanes):
                    store(made.buffer, made.at(row, offset), size, splat(0.0, size))

            def of_chunk(first: Expr, keys: Expr) -> None:
                weights = self._chunk(scores, first)
                tiles.pack(panel.floats, value.moved(first, column), keys, columns)
                with T.serial(0, T.floordiv(keys, self.keys)):
                    tiles.multiply_packed(weights, panel, made, rows, columns, self.keys)
                left = T.Bind(T.floormod(keys, self.keys))
                with T.serial(0, T.floormod(-left, step) * (width // lanes)) as number:
                    store(panel.floats, left * width + number * lanes, lanes, splat(0.0, lanes))
                with T.serial(0, T.floordiv(left + (step - 1), step)) as number:
                    at = T.Bind(number * step)
                    part = weights.moved(0, at)
                    tiles.multiply_packed(part, panel, made, rows, columns, step, at * width)

            self._each_chunk(of_chunk)

        whole, rest = divmod(tiles.columns, tiles.nr)
        if whole:
            with T.serial(0, whole) as number:
                of_panel(T.Bind(number * tiles.nr), tiles.nr)
        if rest:
            of_panel(whole * tiles.nr, rest)
