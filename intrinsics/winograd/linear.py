"""Multiplication of vectors by a small constant matrix, with the sums that rows or columns share made once.

Rows of opposite points are equal in even places and opposite in odd ones: their products are E + O and E - O.
Columns of such points are equal in even rows and opposite in odd ones, which need their sum and difference.
"""

from __future__ import annotations

import abc
import itertools
from collections.abc import Sequence
from fractions import Fraction
from typing import Generic, NamedTuple, TypeVar

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
    for twins in _twins(matrix):
        terms = list(zip(matrix[twins.first], twins.signs, vector, strict=True))
        even = [(c, x) for c, sign, x in terms if sign > 0]
        odd = [(c, x) for c, sign, x in terms if c and sign < 0]
        # One of the odd terms need not be scaled before the whole is.
        factor = odd[-1][0]
        total, rest = sum_of(even, op), sum_of([(c / factor, x) for c, x in odd], op)
        products[twins.first] = _plus(factor, rest, total, op)
        products[twins.second] = _plus(-factor, rest, total, op)
    for row, coefficients in enumerate(matrix):
        if row not in products:
            products[row] = sum_of(list(zip(coefficients, vector, strict=True)), op)
    return [products[row] for row in range(len(matrix))]


class _Twins(NamedTuple):
    """Two lines, rows or columns, that agree but for some signs: -1 where the second's are others."""

    first: int
    second: int
    signs: tuple[int, ...]


def _by_columns(
    matrix: Matrix, vector: Sequence[Value], pairs: Sequence[_Twins], op: Arithmetic[Value]
) -> list[Value]:
    sums = {twins.first: op.add(vector[twins.first], vector[twins.second]) for twins in pairs}
    differences = {twins.first: op.subtract(vector[twins.first], vector[twins.second]) for twins in pairs}
    twin_of = {twins.first: twins for twins in pairs}
    second = {twins.second for twins in pairs}
    rows = []
    for number, row in enumerate(matrix):
        terms = []
        for at, coefficient in enumerate(row):
            if at in twin_of:
                either = sums if twin_of[at].signs[number] > 0 else differences
                terms.append((coefficient, either[at]))
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


def _twins(lines: Sequence[Sequence[Fraction]]) -> list[_Twins]:
    """Lines that differ from another in some signs and agree in others."""
    found: list[_Twins] = []
    for first, second in itertools.combinations(range(len(lines)), 2):
        line, other = lines[first], lines[second]
        signs = tuple(1 if a == b else -1 for a, b in zip(line, other, strict=True))
        both = {sign for sign, a in zip(signs, line, strict=True) if a} == {1, -1}
        same = all(abs(a) == abs(b) for a, b in zip(line, other, strict=True))
        taken = {at for twins in found for at in (twins.first, twins.second)}
        if same and both and not {first, second} & taken:
            found.append(_Twins(first, second, signs))
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
