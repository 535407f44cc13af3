"""Attention: softmax(scale * query @ key + terms) @ value, a block of rows at a time.

The scores of a block are a workspace that stays in L2 (Dao et al., "FlashAttention", 2022, keep them in a
GPU's own memory; here a row of scores is kept whole, so that softmax needs no second look). Micro-kernels
write them, softmax goes over each row in place without dividing by its sum, micro-kernels multiply them by
the values, and what they stored is divided. Operands, terms and output are views, as those of ``matmul``,
and products may be of half precision in the same way: softmax is computed in float32, of sums in float32, and
what it gives is rounded before it is multiplied.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tvm import tirx
from tvm.tirx.script.builder import ir as T

from tvm_directconv.errors import WorkloadError
from tvm_directconv.problem.extents import given_to_tvm, is_open, typical

from .builder import (
    FLOAT_BYTES,
    ROW_LANES,
    VECTORS,
    Expr,
    Operator,
    build_operator,
    kept,
    load,
    over_once,
    rounded_alone,
    shuffle,
    splat,
    store,
)
from .expressions import exp_of_distance
from .matmul import MULTIPLIES_PER_BYTE, TASKS, equal_blocks, of_block, with_kernels
from .matrices import Matrix, Panel, Rows, matrix_of
from .matrix_terms import Term, after_terms
from .matrix_tiles import HALF_BYTES, ProductTiles
from .matrix_views import View
from .open_length import STEPS, OpenLength
from .row_program import reduced

if TYPE_CHECKING:
    from tvm_directconv.targets.target import CompileTarget

SCORES_SHARE_OF_L2 = 0.5
"""The scores of a block fill no more than this share of L2, unless a tile's do."""
LEAST_KEYS = VECTORS * ROW_LANES
"""A chunk of keys, whose number is open, has a multiple of so many, which softmax sums at a time."""
LEAST_TILES = 4
"""A block has so many tiles of rows at least where threads could share more of them."""


@dataclass(frozen=True)
class Attention:
    """Views of shapes (stack..., rows, depth), (stack..., depth, length), (stack..., length, width) and
    (stack..., rows, width), whose columns or rows lie side by side; the terms are applied in order. Where it
    is ``guarded``, rows whose scores are all -infinity give zeros."""

    query: View
    key: View
    value: View
    output: View
    scale: float = 1.0
    terms: tuple[Term, ...] = ()
    guarded: bool = False

    def __post_init__(self) -> None:
        *stack, rows, depth = self.query.shape
        length, width = self.value.shape[-2:]
        shapes = {
            self.key: (*stack, depth, length),
            self.value: (*stack, length, width),
            self.output: (*stack, rows, width),
        }
        shapes |= {term.view: (*stack, rows, length) for term in self.terms}
        for view, shape in shapes.items():
            if view.shape != shape:
                raise WorkloadError(f"attention of a query {self.query.shape} has no {view.shape}: {shape}")
        if 1 not in (*self.output.strides[-2:], rows, width):
            raise WorkloadError("neither rows nor columns of attention's result lie side by side")

    @property
    def is_transposed(self) -> bool:
        """Whether rows of the output lie side by side, not columns: where channels attend to each other."""
        return self.output.strides[-1] != 1 and self.output.shape[-1] != 1

    @property
    def stack(self) -> tuple[int, ...]:
        return self.query.shape[:-2]

    @property
    def multiplies(self) -> int:
        """Multiply-adds of both products."""
        *_, rows, depth = self.query.shape
        length, width = self.value.shape[-2:]
        return math.prod(self.stack) * rows * length * (depth + width)


def attention(what: Attention, target: CompileTarget, half: str = "") -> tirx.PrimFunc:
    """PrimFunc (query, key, value, terms..., output), the tensors of the views; products are of numbers
    rounded to ``half``, if that is a type, and rows of queries lie side by side.

    A row whose scores hold NaN or +infinity gives NaN as the formula does, and so does one of nothing but
    -infinity unless that is guarded against.
    """
    return with_kernels(_Emitter(what, target, half).function(target, "attention"))


def halves_taken(what: Attention, target: CompileTarget, half: str) -> tuple[int, ...]:
    """The operands, by number, that may be stored in half precision, the output behind the others."""
    emitter = _Emitter(what, target, half)
    # Terms, and behind them the output.
    taken = [0, *range(3, 4 + len(what.terms))] if emitter.half else []
    taken += [1] if emitter.scoring.takes_half(*what.key.strides[-2:]) else []
    weighing = emitter._weighing(emitter.block)
    taken += [2] if weighing.takes_half(*what.value.strides[-2:]) else []
    return tuple(taken)


def workspace_bytes(what: Attention, target: CompileTarget, half: str = "") -> int:
    """What each thread allocates beside the operands: a block's scores, its rows' factors, and a panel."""
    emitter = _Emitter(what, target, half)
    return FLOAT_BYTES * emitter.workspace_elements + HALF_BYTES * emitter.half_elements


def attention_tiles(
    what: Attention, target: CompileTarget, half: str = ""
) -> tuple[int, ProductTiles, ProductTiles]:
    """How many rows a task has, and the tiles of both products of so many."""
    emitter = _Emitter(what, target, half)
    return emitter.block, emitter.scoring, emitter._weighing(emitter.block)


class _Emitter:
    def __init__(self, what: Attention, target: CompileTarget, half: str) -> None:
        self.what = what
        (self.rows, depth), (self.length, self.width) = what.query.shape[-2:], what.value.shape[-2:]
        opened = is_open([self.rows, self.length])
        if is_open([depth, self.width]) or (opened and what.is_transposed):
            raise WorkloadError("attention has rows and keys alone that are open")
        # Of channels that attend to each other, what is multiplied has neither rows nor columns in order.
        in_order = what.query.strides[-1] == 1 and not what.is_transposed and not opened
        self.half = half if in_order else ""
        self.row = -(-typical(self.length) // ROW_LANES) * ROW_LANES
        """A row of scores has room for whole vectors, of as many lanes on every target."""
        self.target, self.open = target, None
        query_row = what.query.strides[-2]
        self.copies_query, self.depth = is_open([query_row]), depth
        keys = typical(self.length)
        self.scoring = ProductTiles(self.rows, keys, depth, target, self.half, typical(query_row))
        self.block = self._block(target)
        if is_open([self.length]):
            keys = max(LEAST_KEYS, ProductTiles(self.block, self.width, keys, target).pass_depth)
            keys = keys // LEAST_KEYS * LEAST_KEYS
            row = -(-keys // STEPS) * STEPS
            scoring = ProductTiles(self.rows, keys, depth, target, "", typical(query_row))
            weighing = ProductTiles(self.block, self.width, keys, target, "", row)
            self.open = OpenLength(self.length, keys, self.block, scoring, weighing)

    def _weighing(self, rows: int) -> ProductTiles:
        """The tiles of the second product, of a block of so many rows."""
        if self.open is not None:
            return self.open.weighing
        if self.what.is_transposed:
            return ProductTiles(self.width, rows, self.length, self.target, self.half)
        return ProductTiles(rows, self.width, self.length, self.target, self.half, self.row)

    def _block(self, target: CompileTarget) -> int:
        """How many rows a task has: blocks of equal size and of whole tiles, whose scores fit L2."""
        tile = self.scoring.most_rows(self.scoring.nr)
        room = int(SCORES_SHARE_OF_L2 * target.machine.cache(2).size_bytes) // (FLOAT_BYTES * self.row)
        rows = typical(self.rows) * typical(math.prod(self.what.stack))
        shared = max(LEAST_TILES * tile, -(-rows // TASKS))
        most = max(tile, min(room, shared))
        return equal_blocks(self.rows, most, tile)

    @property
    def panel_elements(self) -> int:
        """Elements of the panel that both products share."""
        if self.open is not None:
            return self.open.panel_elements
        return max(tiles.panel_elements for tiles in self._all_tiles)

    @property
    def half_elements(self) -> int:
        return max(tiles.half_elements(self.block) for tiles in self._all_tiles) if self.half else 0

    @property
    def _all_tiles(self) -> list[ProductTiles]:
        rest = self.rows % self.block
        blocks = [self.block, *([rest] if is_open([rest]) or rest else [])]
        return [self.scoring, *map(self._weighing, blocks)]

    @property
    def workspace_elements(self) -> int:
        own = self.block + self.panel_elements + self.result_elements
        return self.score_elements + own + self.query_elements

    @property
    def query_elements(self) -> int:
        """Elements of a block of queries that are copied, as rows of them lie an open distance apart."""
        return self.block * self.depth if self.copies_query else 0

    @property
    def score_elements(self) -> int:
        return self.block * self.row if self.open is None else self.open.score_elements

    @property
    def result_elements(self) -> int:
        """Elements of a block's sums, where what is stored of them may be in half precision, or rows of the
        result lie an open distance apart."""
        return self.block * self.width if self.half or is_open([self.what.output.strides[-2]]) else 0

    def function(self, target: CompileTarget, name: str) -> tirx.PrimFunc | None:
        what = self.what
        blocks, rest = -(-self.rows // self.block), self.rows % self.block
        with build_operator(name, target) as operator:
            views = {"query": what.query, "key": what.key, "value": what.value}
            views |= {f"term{i}": term.view for i, term in enumerate(what.terms)} | {"output": what.output}
            buffers = operator.arguments({key: view.tensor for key, view in views.items()})
            traffic = what.multiplies // MULTIPLIES_PER_BYTE
            with operator.outer_loop(math.prod(what.stack) * blocks, traffic) as task:
                scores = T.alloc_buffer((given_to_tvm(self.score_elements),), "float32", scope="local")
                factors = T.alloc_buffer((self.block,), "float32", scope="local")
                panel = Panel.allocate(self.panel_elements, self.half_elements)
                results, copied = (
                    T.alloc_buffer((elements,), "float32", scope="local") if elements else None
                    for elements in (self.result_elements, self.query_elements)
                )
                number, row = T.Bind(task // blocks), T.Bind(task % blocks * self.block)
                if is_open([blocks]):
                    number, row = kept(number), kept(row)

                def of_rows(rows: Rows) -> None:
                    count = rows.count
                    some: Any = count if isinstance(count, int) else rows
                    query, key, value, *terms, output = (
                        matrix_of(view, buffer, number)
                        for view, buffer in zip(views.values(), buffers, strict=True)
                    )
                    made = Matrix(scores, 0, self.row, 1)
                    query = query.moved(row, 0)
                    if copied is not None:
                        query = _copied_rows(operator, query, copied, count, self.depth)
                    # With terms, softmax multiplies on its way.
                    scale = 1.0 if terms else what.scale
                    terms, output = [term.moved(row, 0) for term in terms], output.moved(row, 0)
                    if self.open is not None:
                        self.open.score(query, key, scores, panel, rows, scale)
                        facts = what.terms, terms, rows, what.scale, what.guarded
                        self.open.softmax(operator, scores, factors, *facts)
                        sums = output if results is None else Matrix(results, 0, self.width, 1)
                        self.open.weigh(scores, value, sums, panel, rows)
                        _scale_rows(operator, sums, factors, count, self.width, output)
                        return
                    self.scoring.multiply(query, key, made, panel, some, scale)
                    self._softmax(operator, scores, factors, terms, count)
                    if what.is_transposed:
                        # A factor belongs to a column of what is multiplied, so that scores take it.
                        _scale_rows(operator, made, factors, count, self.length)
                        factor, given, result = made.transposed, value.transposed, output.transposed
                        self._weighing(rows.most).multiply(given, factor, result, panel, self.width)
                    else:
                        sums = output if results is None else Matrix(results, 0, self.width, 1)
                        self._weighing(rows.most).multiply(made, value, sums, panel, some)
                        _scale_rows(operator, sums, factors, count, self.width, output)

                if is_open([self.rows]):
                    rows = T.min(self.block, given_to_tvm(self.rows) - row)
                    of_rows(Rows(self.block, kept(rows)))
                else:
                    of_block(task % blocks, blocks, self.block, rest, lambda some: of_rows(Rows(some, some)))
        return operator.prim_func

    def _softmax(
        self,
        operator: Operator,
        scores: tirx.Buffer,
        factors: tirx.Buffer,
        terms: list[Matrix],
        rows: int,
    ) -> None:
        """Replace scores by exponentials, and store what a row's have to be multiplied by."""
        lanes = ROW_LANES
        whole = self.length // lanes * lanes
        count = min(VECTORS, self.row // lanes)
        with T.serial(0, rows) as row:
            base = T.Bind(row * self.row)
            largest, sums = (operator.accumulators(count, lanes) for _ in range(2))
            for number in range(count):
                store(largest, number * lanes, lanes, splat(-math.inf, lanes))
                store(sums, number * lanes, lanes, splat(0.0, lanes))

            def keep_largest(slot: int, value: Expr) -> None:
                old = load(largest, slot * lanes, lanes)
                store(largest, slot * lanes, lanes, T.max(old, value))

            def prepare(start: Expr, spans: list[tuple[int, int]]) -> None:
                for slot, (offset, _) in enumerate(spans):
                    at = base + start + offset
                    value = T.Bind(
                        self._after_terms(load(scores, at, lanes), terms, (row, start + offset), lanes)
                    )
                    if terms:
                        store(scores, at, lanes, value)
                    keep_largest(slot, value)

            operator.blocks(whole, count, prepare, lanes)
            if whole < self.length:
                left = self.length - whole
                value = self._after_terms(load(scores, base + whole, lanes), terms, (row, whole), left)
                # What is beyond the row becomes nothing: exp(-infinity).
                there = [lane if lane < left else lanes for lane in range(lanes)]
                value = T.Bind(shuffle([value, splat(-math.inf, lanes)], there))
                store(scores, base + whole, lanes, value)
                keep_largest(0, value)
            maximum = reduced(largest, count, lanes, T.max)
            if self.what.guarded:
                maximum = T.Bind(T.Select(maximum > -math.inf, maximum, T.float32(0)))

            def exponentiate(start: Expr, spans: list[tuple[int, int]]) -> None:
                for slot, (offset, _) in enumerate(spans):
                    at = base + start + offset
                    value = T.Bind(exp_of_distance(load(scores, at, lanes) - maximum))
                    store(scores, at, lanes, value)
                    store(sums, slot * lanes, lanes, load(sums, slot * lanes, lanes) + value)

            operator.blocks(self.row, count, exponentiate, lanes)
            total = reduced(sums, count, lanes, lambda a, b: a + b)
            factor = T.float32(1) / total
            # What is guarded against sums to zero, and stays it.
            store(factors, row, 1, T.Select(total > 0, factor, total) if self.what.guarded else factor)

    def _after_terms(self, value: Expr, terms: list[Matrix], place: tuple[Expr, Expr], used: int) -> Expr:
        if not terms:
            return value
        return rounded_alone(after_terms(value, self.what.scale, self.what.terms, terms, place, used))


def _copied_rows(operator: Operator, given: Matrix, into: tirx.Buffer, rows: int, width: int) -> Matrix:
    """Copy rows that lie an open distance apart to where it is fixed."""
    made = Matrix(into, 0, width, 1)
    with T.serial(0, rows) as row:

        def copy(start: Expr, spans: list[tuple[int, int]]) -> None:
            for offset, lanes in spans:
                store(
                    into,
                    made.at(row, start + offset),
                    lanes,
                    load(given.buffer, given.at(row, start + offset), lanes),
                )

        over_once(operator, width, copy)
    return made


def _scale_rows(
    operator: Operator,
    given: Matrix,
    factors: tirx.Buffer,
    rows: int,
    width: int,
    output: Matrix | None = None,
) -> None:
    """Multiply each row by its factor, in place unless there is another ``output``."""
    made = output or given
    with T.serial(0, rows) as row:
        factor = T.Bind(load(factors, row, 1))

        def scale(start: Expr, spans: list[tuple[int, int]]) -> None:
            for offset, lanes in spans:
                value = load(given.buffer, given.at(row, start + offset), lanes) * splat(factor, lanes)
                store(made.buffer, made.at(row, start + offset), lanes, value)

        over_once(operator, width, scale)
