"""Multiplication of vectors by a small constant matrix, with the sums that rows or columns share made once.

Rows of opposite points are equal in even places and opposite in odd ones: their products are E + O and E - O.
Columns of such points are equal in even rows and opposite in odd ones, which need their sum and difference.
"""

from __future__ import annotations

import abc
from collections.abc import Sequence
from fractions import Fraction
from typing import Generic, TypeVar

from .cook_toom import Matrix

Value = TypeVar("Value")
Terms = Sequence[tuple[Fraction, Value]]


class Arithmetic(abc.ABC, Generic[Value]):
    """What products are made of."""

    @abc.abstractmethod
    def add(self, a: Value, b: Value) -> Value: ...

    @abc.abstractmethod
    def subtract(self, a: Value, b: Value) -> Value: ...

    @abc.abstractmethod
    def scale(self, factor: Fraction, a: Value) -> Value: ...

    @abc.abstractmethod
    def multiply_add(self, factor: Fraction, a: Value, b: Value) -> Value:
        """``factor * a + b``."""


def multiply(matrix: Matrix, vector: Sequence[Value], op: Arithmetic[Value]) -> list[Value]:
    """The matrix times the vector."""
    pairs = _twins(list(zip(*matrix, strict=True)))
    if pairs:
        return _by_columns(matrix, vector, pairs, op)
    products: dict[int, Value] = {}
    for row, (other, _) in _twins(matrix).items():
        even, odd = (
            [(c, x) for c, d, x in zip(matrix[row], matrix[other], vector, strict=True) if c and d == sign * c]
            for sign in (1, -1)
        )
        # One of the odd terms need not be scaled before the whole is.
        factor = odd[-1][0]
        total, rest = sum_of(even, op), sum_of([(c / factor, x) for c, x in odd], op)
        products[row], products[other] = (
            _plus(sign * factor, rest, total, op) for sign in (Fraction(1), Fraction(-1))
        )
    for row, coefficients in enumerate(matrix):
        if row not in products:
            products[row] = sum_of(list(zip(coefficients, vector, strict=True)), op)
    return [products[row] for row in range(len(matrix))]


def _by_columns(
    matrix: Matrix, vector: Sequence[Value], pairs: dict[int, tuple[int, tuple[int, ...]]], op: Arithmetic[Value]
) -> list[Value]:
    either = {at: (op.add(vector[at], vector[b]), op.subtract(vector[at], vector[b])) for at, (b, _) in pairs.items()}
    second = {other for other, _ in pairs.values()}
    rows = []
    for number, row in enumerate(matrix):
        terms = []
        for at, coefficient in enumerate(row):
            if at in pairs:
                terms.append((coefficient, either[at][pairs[at][1][number] < 0]))
            elif at not in second:
                terms.append((coefficient, vector[at]))
        rows.append(sum_of(terms, op))
    return rows


def sum_of(terms: Terms[Value], op: Arithmetic[Value]) -> Value:
    """The terms' sum, begun with one that needs no product if there is one."""
    ordered = sorted(((c, x) for c, x in terms if c), key=lambda term: (term[0] != 1, abs(term[0]) == 1))
    (factor, first), *others = ordered
    total = first if factor == 1 else op.scale(factor, first)
    for coefficient, x in others:
        total = _plus(coefficient, x, total, op)
    return total


def _plus(coefficient: Fraction, x: Value, total: Value, op: Arithmetic[Value]) -> Value:
    if coefficient == 1:
        return op.add(total, x)
    return op.subtract(total, x) if coefficient == -1 else op.multiply_add(coefficient, x, total)


def _twins(lines: Sequence[Sequence[Fraction]]) -> dict[int, tuple[int, tuple[int, ...]]]:
    """Lines (rows or columns) that differ from another in some signs alone, and agree in others: the other,
    and each place's sign."""
    found: dict[int, tuple[int, tuple[int, ...]]] = {}
    taken: set[int] = set()
    for first, line in enumerate(lines):
        for second in range(first + 1, len(lines)):
            other = lines[second]
            signs = tuple(1 if a == b else -1 for a, b in zip(line, other, strict=True))
            kinds = {sign for sign, a in zip(signs, line, strict=True) if a}
            same = all(abs(a) == abs(b) for a, b in zip(line, other, strict=True))
            if same and len(kinds) == 2 and not {first, second} & taken:
                found[first] = second, signs
                taken |= {first, second}
    return found


class _Counting(Arithmetic[None]):
    """Counts, of values that nobody needs."""

    def __init__(self) -> None:
        self.count = 0

    def add(self, a: None, b: None) -> None:
        self.count += 1

    def subtract(self, a: None, b: None) -> None:
        self.count += 1

    def scale(self, factor: Fraction, a: None) -> None:
        self.count += 1

    def multiply_add(self, factor: Fraction, a: None, b: None) -> None:
        self.count += 1


def operations(matrix: Matrix) -> int:
    """How many sums, products and multiply-adds the matrix times a vector takes."""
    counting = _Counting()
    multiply(matrix, [None] * len(matrix[0]), counting)
    return counting.count
