"""Einsum as matrix products, which have kernels; TVM's is the loops of its definition."""

from __future__ import annotations

import math
import string
from collections.abc import Mapping, Sequence

from tvm import relax

from relay_strategies.relax.graph import dtype_of

from .builder import Builder


def einsum(b: Builder, equation: str, tensors: Sequence[relax.Expr]) -> relax.Expr | None:
    """Return the sum of products that an equation names; tensors are multiplied two by two, in order.

    Return None for equations of one tensor, diagonals, broadcast extents and tensors of integers.
    """
    shapes = [b.shape_of(tensor) for tensor in tensors]
    terms = _terms(equation, [len(shape) for shape in shapes])
    if terms is None or "float" not in dtype_of(tensors[0]):
        return None
    operands, result = terms
    extents: dict[str, int] = {}
    for letters, shape in zip(operands, shapes, strict=True):
        for letter, extent in zip(letters, shape, strict=True):
            if extents.setdefault(letter, extent) != extent:
                return None
    value, letters = tensors[0], operands[0]
    for index, other in enumerate(operands[1:], 1):
        needed = set(result).union(*operands[index + 1 :])
        last = index == len(operands) - 1
        wanted = result if last else "".join(x for x in dict.fromkeys(letters + other) if x in needed)
        value = _product(b, extents, [(value, letters), (tensors[index], other)], wanted)
        letters = wanted
    return value


def _product(
    b: Builder, extents: Mapping[str, int], operands: Sequence[tuple[relax.Expr, str]], result: str
) -> relax.Expr:
    """Two tensors, whose axes have letters, as the stack of matrix products that makes those of the result;
    where nothing is summed, or rows and columns are lacking, their elements' products, summed."""
    shared = set(operands[0][1]) & set(operands[1][1])
    factors = [_only(b, value, letters, shared | set(result)) for value, letters in operands]
    summed = [letter for letter in factors[0][1] if letter in shared and letter not in result]
    batch = [letter for letter in result if letter in shared]
    rows, columns = ([x for x in result if x in set(letters) - shared] for _, letters in operands)
    if not summed or not (rows or columns):
        axes = [*result, *summed]
        first, second = (_spread(b, *factor, axes) for factor in factors)
        product = b.emit(relax.op.multiply(first, second))
        behind = list(range(len(result), len(axes)))
        return b.emit(relax.op.sum(product, behind)) if behind else product
    if _of(columns, result) < _of(rows, result):  # the product's axes are then in the result's order
        factors, rows, columns = factors[::-1], columns, rows

    def factor(of: tuple[relax.Expr, str], *groups: list[str]) -> relax.Expr:
        """A stack of matrices, whose rows and columns are groups of axes."""
        value = _in_order(b, *of, [*batch, *(letter for group in groups for letter in group)])
        matrix = [math.prod(extents[letter] for letter in group) for group in groups]
        return _reshaped(b, value, [*(extents[letter] for letter in batch), *matrix])

    first, second = factor(factors[0], rows, summed), factor(factors[1], summed, columns)
    axes = [*batch, *rows, *columns]
    product = _reshaped(b, b.emit(relax.op.matmul(first, second)), [extents[letter] for letter in axes])
    return _in_order(b, product, "".join(axes), result)


def _terms(equation: str, ranks: Sequence[int]) -> tuple[list[str], str] | None:
    """Return the letters of several tensors and of their result, ellipses written out; None for other
    equations."""
    given, arrow, result = equation.replace(" ", "").partition("->")
    terms = given.split(",")
    if not arrow or len(terms) < 2 or len(terms) != len(ranks) or ("..." in given) != ("..." in result):
        return None
    unused = [letter for letter in string.ascii_letters if letter not in equation]
    lengths = {rank - len(term) + 3 for term, rank in zip(terms, ranks, strict=True) if "..." in term}
    if len(lengths) > 1 or any(not 0 <= length <= len(unused) for length in lengths):
        return None
    ellipsis = "".join(unused[: lengths.pop()]) if lengths else ""
    *operands, result = (term.replace("...", ellipsis) for term in (*terms, result))
    letters = set().union(*operands)
    plain = all(
        all(letter.isalpha() for letter in term) and len(set(term)) == len(term)
        for term in (*operands, result)
    )
    known = set(result) <= letters and [*map(len, operands)] == list(ranks)
    return (operands, result) if plain and known else None


def _only(b: Builder, value: relax.Expr, letters: str, kept: set[str]) -> tuple[relax.Expr, str]:
    """Return an operand summed over the axes that nothing else has, and the letters of the others."""
    alone = [axis for axis, letter in enumerate(letters) if letter not in kept]
    data = b.emit(relax.op.sum(value, alone)) if alone else value
    return data, "".join(letter for letter in letters if letter in kept)


def _spread(b: Builder, value: relax.Expr, letters: str, axes: Sequence[str]) -> relax.Expr:
    """Return an operand whose axes are in the order of ``axes``, those that it lacks of one element."""
    value = _in_order(b, value, letters, [letter for letter in axes if letter in letters])
    lacking = [axis for axis, letter in enumerate(axes) if letter not in letters]
    return b.emit(relax.op.expand_dims(value, lacking)) if lacking else value


def _of(letters: Sequence[str], result: str) -> int:
    """Return where the first of ``letters`` is in the result."""
    return min((result.index(letter) for letter in letters), default=len(result))


def _in_order(b: Builder, value: relax.Expr, letters: str, wanted: Sequence[str]) -> relax.Expr:
    axes = [letters.index(letter) for letter in wanted]
    return value if axes == sorted(axes) else b.emit(relax.op.permute_dims(value, axes))


def _reshaped(b: Builder, value: relax.Expr, shape: Sequence[int]) -> relax.Expr:
    return b.emit(relax.op.reshape(value, shape))
