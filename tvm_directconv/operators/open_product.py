"""Products of computed matrices whose columns or depth are open.

Sums of a block of rows and a panel of columns are a workspace, so that micro-kernels, whose rows lie a fixed
distance apart, need not know how long the rows of the matrices are. The depth goes by chunks of a fixed
number of steps, and what is left behind the last whole one by ``STEPS``, with zeros for what is not there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tvm import tirx
from tvm.tirx.script.builder import ir as T

from tvm_directconv.problem.extents import given_to_tvm

from .builder import Expr, build_operator, kept, load, splat, store
from .matrices import Matrix, Panel, Rows, matrix_of
from .matrix_product import MatrixProduct
from .matrix_terms import after_terms
from .matrix_tiles import ProductTiles
from .open_length import STEPS

if TYPE_CHECKING:
    from tvm_directconv.targets.target import CompileTarget


def open_product(
    product: MatrixProduct,
    target: CompileTarget,
    operands: tuple[str, str],
    tiles: ProductTiles,
    block: int,
    traffic: float,
) -> tirx.PrimFunc | None:
    """Return ``matmul``'s function of a product, not transposed, of operands with these names, by blocks of
    so many rows."""
    left, right, output = product.left, product.right, product.output
    *stack, rows, _ = output.shape
    emitter = _Block(product, tiles, block)
    views = dict(zip(operands, (left, right), strict=True))
    views |= {f"term{i}": term.view for i, term in enumerate(product.terms)} | {"output": output}
    with build_operator("matmul", target) as operator:
        tensors = {key: view.tensor for key, view in views.items()}
        given = {key: tensors.pop(key) for key in ("left", "right")} | tensors
        buffers = dict(zip(given, operator.arguments(given), strict=True))
        blocks = -(-rows // emitter.block)
        with operator.outer_loop(math.prod(stack) * blocks, traffic) as task:
            number, first = kept(task // blocks), kept(task % blocks * emitter.block)
            a, b, *terms, made = (matrix_of(view, buffers[key], number) for key, view in views.items())
            count = kept(T.min(emitter.block, given_to_tvm(rows) - first))
            matrices = a.moved(first, 0), b, made.moved(first, 0), [term.moved(first, 0) for term in terms]
            emitter.emit(Rows(emitter.block, count), *matrices)
    return operator.prim_func


@dataclass(frozen=True)
class _Block:
    """A block of rows: all of its panels of columns, each pass by pass over the depth."""

    product: MatrixProduct
    tiles: ProductTiles
    block: int

    @property
    def steps(self) -> int:
        """The steps of a whole chunk of the depth."""
        return self.tiles.pass_depth

    @property
    def row(self) -> int:
        """Elements from a row of a chunk of the left operand to the next."""
        return -(-self.steps // STEPS) * STEPS

    def emit(self, rows: Rows, left: Matrix, right: Matrix, output: Matrix, terms: list[Matrix]) -> None:
        """Emit the block."""
        tiles = self.tiles
        depth, columns = map(given_to_tvm, (self.product.left.shape[-1], self.product.output.shape[-1]))
        panel = Panel.allocate(self.row * tiles.nr, 0)
        sums = Matrix(T.alloc_buffer((self.block * tiles.nr,), "float32", scope="local"), 0, tiles.nr, 1)
        part = Matrix(T.alloc_buffer((self.block * self.row,), "float32", scope="local"), 0, self.row, 1)
        with T.serial(0, T.floordiv(columns + (tiles.nr - 1), tiles.nr)) as number:
            column = kept(number * tiles.nr)
            used = kept(T.min(tiles.nr, columns - column))
            vectors = tiles.nr // tiles.isa.lanes
            with T.serial(0, rows.count) as i, T.serial(0, vectors) as j:
                at = sums.at(i, j * tiles.isa.lanes)
                store(sums.buffer, at, tiles.isa.lanes, splat(0.0, tiles.isa.lanes))
            with T.serial(0, T.floordiv(depth + (self.steps - 1), self.steps)) as chunk:
                start = kept(chunk * self.steps)
                steps = kept(T.min(self.steps, depth - start))
                self._copy(left.moved(0, start), part, rows, steps)
                tiles.pack(panel.floats, right.moved(start, column), steps, tiles.nr, used)
                self._multiply(part, panel, sums, rows, steps)
            self._finish(sums, output.moved(0, column), terms, rows, column, used)

    def _copy(self, left: Matrix, part: Matrix, rows: Rows, steps: Expr) -> None:
        """Copy a chunk of the left operand, zeros behind it."""
        lanes = self.tiles.isa.lanes if left.column == 1 else 1
        with T.serial(0, rows.count) as i:
            with T.serial(0, T.floordiv(steps, lanes)) as k:
                place = (i, k * lanes)
                store(part.buffer, part.at(*place), lanes, load(left.buffer, left.at(*place), lanes))
            if lanes > 1:
                with T.serial(0, T.floormod(steps, lanes)) as k:
                    place = (i, steps - 1 - k)
                    store(part.buffer, part.at(*place), 1, load(left.buffer, left.at(*place), 1))
            with T.serial(0, T.floormod(-steps, STEPS)) as k:
                store(part.buffer, part.at(i, steps + k), 1, T.float32(0))

    def _multiply(self, part: Matrix, panel: Panel, sums: Matrix, rows: Rows, steps: Expr) -> None:
        tiles, lanes = self.tiles, self.tiles.isa.lanes
        with T.serial(0, T.floordiv(steps, self.steps)):
            tiles.multiply_packed(part, panel, sums, rows, tiles.nr, self.steps)
        left = T.Bind(T.floormod(steps, self.steps))
        with T.serial(0, T.floormod(-left, STEPS) * (tiles.nr // lanes)) as number:
            store(panel.floats, left * tiles.nr + number * lanes, lanes, splat(0.0, lanes))
        with T.serial(0, T.floordiv(left + (STEPS - 1), STEPS)) as number:
            at = T.Bind(number * STEPS)
            tiles.multiply_packed(part.moved(0, at), panel, sums, rows, tiles.nr, STEPS, at * tiles.nr)

    def _finish(
        self, sums: Matrix, output: Matrix, terms: list[Matrix], rows: Rows, column: Expr, used: Expr
    ) -> None:
        """Store what sums become."""
        lanes = self.tiles.isa.lanes

        def of_elements(i: Expr, j: Expr, width: int) -> None:
            value = load(sums.buffer, sums.at(i, j), width)
            value = after_terms(value, self.product.scale, self.product.terms, terms, (i, column + j), width)
            store(output.buffer, output.at(i, j), width, value)

        with T.serial(0, rows.count) as i:
            with T.serial(0, T.floordiv(used, lanes)) as j:
                of_elements(i, j * lanes, lanes)
            with T.serial(0, T.floormod(used, lanes)) as j:
                of_elements(i, used - 1 - j, 1)
