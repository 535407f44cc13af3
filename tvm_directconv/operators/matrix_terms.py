"""What is added to products of matrices, or multiplies them: masks, position biases, temperatures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tvm.tirx.script.builder import ir as T

from .builder import Expr, load, shuffle, splat
from .matrices import Matrix
from .matrix_tiles import load_part
from .matrix_views import View

ADD, MULTIPLY = "add", "multiply"


@dataclass(frozen=True)
class Term:
    """``kind`` is ADD or MULTIPLY, ``view`` a tensor as a stack of matrices of the product's shape."""

    kind: str
    view: View


def after_terms(
    value: Expr,
    scale: float,
    terms: Sequence[Term],
    matrices: Sequence[Matrix],
    place: tuple[Expr, Expr],
    used: int,
) -> Expr:
    """Elements of a product from (row, column) on, of which ``used`` count, scaled and after all terms."""
    lanes = value.ty.dtype.lanes
    if scale != 1.0:
        value = value * splat(T.float32(scale), lanes)
    for term, matrix in zip(terms, matrices, strict=True):
        other = _elements(matrix, *place, used, lanes)
        value = value + other if term.kind == ADD else value * other
    return value


def _elements(matrix: Matrix, row: Expr, column: Expr, used: int, lanes: int) -> Expr:
    """``lanes`` elements of a row, of which ``used`` are there."""
    start = matrix.at(row, column)
    if matrix.column == 0:
        return splat(load(matrix.buffer, start, 1), lanes)
    if matrix.column == 1:
        return load_part(matrix.buffer, start, used, lanes)
    elements = [load(matrix.buffer, start + lane * matrix.column, 1) for lane in range(used)]
    return shuffle([*elements, splat(0.0, lanes)], [min(lane, used) for lane in range(lanes)])
