"""Einsum of two tensors as a matrix product, which has kernels; TVM's is the loops of its definition."""

from __future__ import annotations

import math
import string
from collections.abc import Sequence

from tvm import relax

from relay_strategies.relax.graph import dtype_of

from .node import Converter, Node


def _einsum(node: Node) -> relax.Expr:
    """What is no matrix product is left to TVM: other numbers of tensors, diagonals, broadcast extents."""
    terms = _terms(node.text("equation", ""), [len(node.shape(index)) for index in range(len(node.inputs))])
    if terms is None or "float" not in dtype_of(node.data()):
        return node.by_tvm(node.inputs)
    *operands, result = terms
    extents: dict[str, int] = {}
    for index, letters in enumerate(operands):
        for letter, extent in zip(letters, node.shape(index), strict=True):
            if extents.setdefault(letter, extent) != extent:
                return node.by_tvm(node.inputs)
    shared = set(operands[0]) & set(operands[1])
    summed = [letter for letter in operands[0] if letter in shared and letter not in result]
    batch = [letter for letter in result if letter in shared]
    rows, columns = ([letter for letter in result if letter in set(own) - shared] for own in operands)
    if not summed or not (rows or columns):
        return node.by_tvm(node.inputs)

    factors = [_only(node, index, letters, shared | set(result)) for index, letters in enumerate(operands)]
    if _of(columns, result) < _of(rows, result):  # the product's axes are then in the result's order
        factors, rows, columns = factors[::-1], columns, rows

    def factor(of: tuple[relax.Expr, str], *groups: list[str]) -> relax.Expr:
        """A stack of matrices, whose rows and columns are groups of axes."""
        value = _in_order(node, *of, [*batch, *(letter for group in groups for letter in group)])
        matrix = [math.prod(extents[letter] for letter in group) for group in groups]
        return _reshaped(node, value, [*(extents[letter] for letter in batch), *matrix])

    first, second = factor(factors[0], rows, summed), factor(factors[1], summed, columns)
    axes = "".join([*batch, *rows, *columns])
    product = _reshaped(node, node.emit(relax.op.matmul(first, second)), [extents[letter] for letter in axes])
    return _in_order(node, product, axes, result)


def _terms(equation: str, ranks: Sequence[int]) -> tuple[str, str, str] | None:
    """Return the letters of two tensors and their result, ellipses written out; None for other equations."""
    given, arrow, result = equation.replace(" ", "").partition("->")
    terms = given.split(",")
    if not arrow or len(terms) != 2 or len(ranks) != 2 or ("..." in given) != ("..." in result):
        return None
    unused = [letter for letter in string.ascii_letters if letter not in equation]
    lengths = {rank - len(term) + 3 for term, rank in zip(terms, ranks, strict=True) if "..." in term}
    if len(lengths) > 1 or any(not 0 <= length <= len(unused) for length in lengths):
        return None
    ellipsis = "".join(unused[: lengths.pop()]) if lengths else ""
    first, second, result = (term.replace("...", ellipsis) for term in (*terms, result))
    plain = all(term.isalpha() and len(set(term)) == len(term) for term in (first, second))
    known = len(set(result)) == len(result) and set(result) <= {*first, *second}
    return (first, second, result) if plain and known and (len(first), len(second)) == tuple(ranks) else None


def _only(node: Node, index: int, letters: str, kept: set[str]) -> tuple[relax.Expr, str]:
    """Return an operand summed over the axes that nothing else has, and the letters of the others."""
    alone = [axis for axis, letter in enumerate(letters) if letter not in kept]
    data = node.emit(relax.op.sum(node.data(index), alone)) if alone else node.data(index)
    return data, "".join(letter for letter in letters if letter in kept)


def _of(letters: Sequence[str], result: str) -> int:
    """Return where the first of ``letters`` is in the result."""
    return min((result.index(letter) for letter in letters), default=len(result))


def _in_order(node: Node, value: relax.Expr, letters: str, wanted: Sequence[str]) -> relax.Expr:
    axes = [letters.index(letter) for letter in wanted]
    return value if axes == sorted(axes) else node.emit(relax.op.permute_dims(value, axes))


def _reshaped(node: Node, value: relax.Expr, shape: Sequence[int]) -> relax.Expr:
    return node.emit(relax.op.reshape(value, shape))


CONVERTERS: dict[str, Converter] = {"Einsum": _einsum}
