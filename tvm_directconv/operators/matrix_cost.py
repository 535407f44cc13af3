"""What products of computed matrices, and attention, are estimated to take: the model by which a precision is
chosen. Multiplications are those of convolutions' kernels (``model/tiling.py``); beside them panels are
packed, operands rounded, and scores exponentiated."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from intrinsics.microkernel import ROW
from tvm_directconv.model.cost import cast_cycles
from tvm_directconv.model.tiling import RowTiles
from tvm_directconv.problem.extents import typical

from .attention import Attention, attention_tiles
from .matmul import block_of_rows
from .matrix_product import MatrixProduct
from .matrix_tiles import ProductTiles

if TYPE_CHECKING:
    from tvm_directconv.targets.target import CompileTarget

SOFTMAX_INSTRUCTIONS = 24
"""A vector of scores takes so many: its maximum, the exponential's polynomial, the sum, loads and stores."""


def product_cycles(product: MatrixProduct, target: CompileTarget, half: str = "") -> float:
    """Return the cycles on one core of a stack of products, of operands rounded to ``half`` if that is a
    type and the left one's columns lie side by side."""
    product = product.transposed() if product.is_transposed else product
    *stack, rows, columns = typical(product.output.shape)
    half = half if product.left.strides[-1] == 1 else ""
    sizes = (rows, columns, product.left.shape[-1], target, half, product.left.strides[-2])
    tiles = ProductTiles(*map(typical, sizes))
    blocks = -(-rows // block_of_rows(tiles, math.prod(stack), target))
    return math.prod(stack) * blocks * _tiles_cycles(tiles, rows / blocks, target)


def attention_cycles(what: Attention, target: CompileTarget, half: str = "") -> float:
    """Return the cycles on one core of both products, as above, and of what is between them."""
    *stack, rows, _ = typical(what.query.shape)
    length = typical(what.value.shape[-2])
    block, *both = attention_tiles(what, target, half)
    blocks, machine = -(-rows // block), target.machine
    lanes = max(1, machine.vector_bits // 32)
    softmax = rows * -(-length // lanes) * (SOFTMAX_INSTRUCTIONS + len(what.terms)) / machine.fma_per_cycle
    products = sum(blocks * _tiles_cycles(tiles, rows / blocks, target) for tiles in both)
    return math.prod(stack) * (softmax + products)


def _tiles_cycles(tiles: ProductTiles, rows: float, target: CompileTarget) -> float:
    """Return the cycles of one block of so many rows: its tiles, its panels packed, and what is rounded."""
    machine, isa = target.machine, tiles.isa
    # A matrix unit's tiles are multiplied whole.
    steps = isa.tile_rows * -(-tiles.depth // (tiles.group * isa.tile_rows))
    height = max(1, round(rows))
    row = RowTiles(isa, ROW, steps, tiles.nr, tiles.highest, tiles.row_bytes)
    multiplied = row.cycles(machine, height, tiles.columns)
    vectors = tiles.depth * -(-tiles.columns // isa.lanes)
    packed = vectors * machine.costs.packing_vector_cycles
    if tiles.half:
        packed += cast_cycles(machine, vectors * isa.lanes, tiles.half)
        packed += cast_cycles(machine, height * tiles.depth, tiles.half)
    return multiplied + packed
