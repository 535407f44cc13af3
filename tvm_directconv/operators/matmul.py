"""Stacks of matrix products of two computed operands, by the convolutions' micro-kernels.

Products with a constant matrix are 1x1 convolutions and no concern of this file. Operands and the result are
views (``matrix_views``): what was only permuted, reshaped, sliced or repeated is read and written where it
is. The loops, outermost first: matrices of the stack and blocks of their rows (in parallel), panels of
columns, passes over the depth, tiles of rows (``matrix_tiles``). Its workspace is one panel for each thread.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from tvm import tirx
from tvm.tirx.script.builder import ir as T

from tvm_directconv.algorithms.lowering import attach_kernels
from tvm_directconv.problem.element_types import FLOAT32
from tvm_directconv.problem.extents import is_open, typical

from .builder import FLOAT_BYTES, Expr, Operator, build_operator, load, over_once, store
from .matrices import Matrix, Panel, matrix_of
from .matrix_product import MatrixProduct
from .matrix_terms import after_terms
from .matrix_tiles import ProductTiles
from .open_product import open_product

if TYPE_CHECKING:
    from tvm_directconv.targets.target import CompileTarget

ROWS_SHARE_OF_L2 = 0.5
"""A block of rows of the left operand fills no more than this share of L2: every panel reads it again."""
LEAST_TILES = 4
"""A block has so many tiles of rows at least, for packing a panel to be worth it."""
TASKS = 16
"""Small stacks are cut into blocks of rows until there are so many, for threads to share."""
MULTIPLIES_PER_BYTE = 8
"""Multiply-adds that take as long as copying a byte, for the decision to run in parallel."""


def matmul(product: MatrixProduct, target: CompileTarget, half: str = "") -> tirx.PrimFunc:
    """PrimFunc (left, right, terms..., output), the tensors of the product's views; of operands rounded to
    ``half``, if that is a type, and the left one's columns lie side by side."""
    operands = ("left", "right")
    if product.is_transposed:
        product, operands = product.transposed(), operands[::-1]
    left, right, output = product.left, product.right, product.output
    *stack, rows, columns = output.shape
    traffic = product.multiplies // MULTIPLIES_PER_BYTE
    if is_open([columns, left.shape[-1], *(view.strides[-2] for view in (left, right, output))]):
        typically = map(typical, (rows, columns, left.shape[-1], target, "", left.strides[-2]))
        tiles = ProductTiles(*typically)
        block = equal_blocks(rows, block_of_rows(tiles, math.prod(stack), target), tiles.most_rows(tiles.nr))
        return with_kernels(open_product(product, target, operands, tiles, block, traffic))
    half = half if left.strides[-1] == 1 else ""
    tiles = ProductTiles(rows, columns, left.shape[-1], target, half, left.strides[-2])
    block = block_of_rows(tiles, math.prod(stack), target)
    blocks, rest = -(-rows // block), rows % block
    views = dict(zip(operands, (left, right), strict=True))
    views |= {f"term{i}": term.view for i, term in enumerate(product.terms)} | {"output": output}
    with build_operator("matmul", target) as operator:
        # The parameters keep their order, whatever the product's is.
        tensors = {key: view.tensor for key, view in views.items()}
        given = {key: tensors.pop(key) for key in ("left", "right")} | tensors
        buffers = dict(zip(given, operator.arguments(given), strict=True))
        with operator.outer_loop(math.prod(stack) * blocks, traffic) as task:
            panel = Panel.allocate(tiles.panel_elements, tiles.half_elements(block))
            results = _results(tiles, buffers["output"], product, block)
            number, row = T.Bind(task // blocks), T.Bind(task % blocks * block)

            def of_rows(count: int) -> None:
                a, b, *terms, made = (matrix_of(view, buffers[key], number) for key, view in views.items())
                made = made.moved(row, 0)
                sums = made if results is None else Matrix(results, 0, columns, 1)
                at_once, after = (1.0, product.scale) if terms else (product.scale, 1.0)
                tiles.multiply(a.moved(row, 0), b, sums, panel, count, at_once)
                if terms or results is not None:
                    others = [term.moved(row, 0) for term in terms]

                    def finished(value: Expr, place: tuple[Expr, Expr], width: int) -> Expr:
                        return after_terms(value, after, product.terms, others, place, width)

                    _finish(operator, sums, made, (count, columns), finished)

            of_block(task % blocks, blocks, block, rest, of_rows)
    return with_kernels(operator.prim_func)


def halves_taken(product: MatrixProduct, target: CompileTarget, half: str) -> tuple[int, ...]:
    """The operands, by number, that may be stored in half precision, the output behind the others."""
    swapped = product.is_transposed
    product = product.transposed() if swapped else product
    *_, rows, columns = product.output.shape
    if not half or product.left.strides[-1] != 1:
        return ()
    tiles = ProductTiles(rows, columns, product.left.shape[-1], target, half)
    right = [0 if swapped else 1] if tiles.takes_half(*product.right.strides[-2:]) else []
    return (1 if swapped else 0, *right, *range(2, 3 + len(product.terms)))


def _results(
    tiles: ProductTiles, output: tirx.Buffer, product: MatrixProduct, block: int
) -> tirx.Buffer | None:
    """A block's sums, where the output is in half precision and micro-kernels cannot round what it gets."""
    if str(output.dtype) == FLOAT32 or (tiles.stores_halves and not product.terms):
        return None
    return T.alloc_buffer((block * tiles.columns,), FLOAT32, scope="local")


def _finish(
    operator: Operator,
    sums: Matrix,
    output: Matrix,
    sizes: tuple[int, int],
    finished: Callable[[Expr, tuple[Expr, Expr], int], Expr],
) -> None:
    """Stores what a block's sums become, which may be where they are."""
    rows, columns = sizes
    with T.serial(0, rows) as row:

        def finish(start: Expr, spans: list[tuple[int, int]]) -> None:
            for offset, width in spans:
                place = (row, start + offset)
                value = load(sums.buffer, sums.at(*place), width)
                store(output.buffer, output.at(*place), width, finished(value, place, width))

        over_once(operator, columns, finish)


def block_of_rows(tiles: ProductTiles, stack: int, target: CompileTarget) -> int:
    """How many rows a task has: few enough for L2 and for threads to have their share, blocks of equal size
    and of whole tiles."""
    tile = tiles.most_rows(tiles.nr)
    room = int(ROWS_SHARE_OF_L2 * target.machine.cache(2).size_bytes) // (FLOAT_BYTES * tiles.depth)
    shared = -(-typical(tiles.rows) * typical(stack) // TASKS)
    most = max(LEAST_TILES * tile, min(room, shared))
    return equal_blocks(tiles.rows, most, tile)


def equal_blocks(rows: int, most: int, tile: int) -> int:
    """How many rows blocks of equal size and of whole tiles have, ``most`` at most; of open rows, a tile at
    least."""
    if is_open([rows]):
        return max(tile, equal_blocks(typical(rows), most, tile))
    blocks = -(-rows // most)
    each = -(-rows // blocks)
    return rows if blocks == 1 else min(rows, -(-each // tile) * tile)


def of_block(index: Expr, count: int, block: int, rest: int, emit: Callable[[int], None]) -> None:
    """Emit the code of a block, of which the last has ``rest`` rows where that is not 0."""
    if is_open([rest]):
        whole = count - -(-rest // block)
        with T.serial(0, T.cast(index < whole, "int32")):
            emit(block)
        with T.serial(0, T.cast(index >= whole, "int32")):
            emit(rest)
    elif not rest:
        emit(block)
    elif count == 1:
        emit(rest)
    else:
        # Loops of one trip or none: TVM hoists branches out of loops and doubles them (see branches.py).
        with T.serial(0, T.cast(index < count - 1, "int32")):
            emit(block)
        with T.serial(0, T.cast(index == count - 1, "int32")):
            emit(rest)


def with_kernels(function: tirx.PrimFunc | None) -> tirx.PrimFunc:
    """The finished function with the micro-kernels it calls."""
    assert function is not None
    return function.with_body(attach_kernels(function.body))
