"""The matrices of minimal filtering, by Cook and Toom's construction, in exact fractions.

F(m, r) computes m outputs of a filter of r taps by m + r - 1 products, ``A^T [(G g) * (B^T d)]``; two
dimensions nest it, ``A^T [(G g G^T) * (B^T d B)] A`` (Winograd, "Arithmetic Complexity of Computations";
Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks", CVPR 2016). Filters and tiles are
polynomials that are evaluated at m + r - 2 points and at infinity.

The points decide what rounding does, and small ones beside their reciprocals do best (Barabasz, Anderson,
Soodhalter and Gregg, "Error Analysis and Improving the Accuracy of Winograd Convolution for Deep Neural
Networks", ACM TOMS 2020). Those of F(4, 3) are of the form 0, -1/c, -c, c, 1/c (Alam, Anderson, Barabasz and
Gregg, "Winograd Convolution for Deep Neural Networks: Efficient Point Selection", ACM TECS 2022): with 3/2
they amplify roundings a sixth as much as 0, 1, -1, 2, -2 do, and half as much as 0, 1, -1, 1/2, -2. Opposites
share half of their sums (``linear.py``). Those of F(2, 5) are the same, the best of all fractions of numbers
up to 8; an input is then transformed as that of F(4, 3) is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

Matrix = tuple[tuple[Fraction, ...], ...]


@dataclass(frozen=True)
class Filtering:
    """F(outputs, taps): of ``outputs`` + ``taps`` - 1 points, infinity the last."""

    outputs: int
    taps: int
    points: tuple[Fraction, ...]

    @property
    def size(self) -> int:
        """Rows and columns of a tile of the input, and of what is multiplied."""
        return self.outputs + self.taps - 1

    @cached_property
    def input(self) -> Matrix:
        """B^T: a row for each point, of the polynomial that is zero at all others; the last row's at all."""
        rows = [_with_roots([other for other in self.points if other != point]) for point in self.points]
        return _matrix([*rows, _with_roots(self.points)], self.size)

    @cached_property
    def filter(self) -> Matrix:
        """G: the filter's polynomial at each point, over what the input's row is there; its last tap."""
        rows = []
        for point in self.points:
            scale = Fraction(1)
            for other in self.points:
                scale *= point - other if other != point else 1
            rows.append([point**power / scale for power in range(self.taps)])
        return _matrix([*rows, [0] * (self.taps - 1) + [1]], self.taps)

    @cached_property
    def output(self) -> Matrix:
        """A^T: powers of the points; infinity counts in the highest."""
        powers = range(self.outputs)
        return _matrix(
            [[*(p**power for p in self.points), int(power == powers[-1])] for power in powers], self.size
        )

    @cached_property
    def amplification(self) -> float:
        """How large the terms of an output can be in two dimensions, relative to the largest element of the
        input's tile times the sum of the filter's magnitudes."""
        sums = [sum(map(abs, row)) for row in self.input]
        along = max(
            sum(abs(row[at] * self.filter[at][tap]) * sums[at] for at in range(self.size))
            for row in self.output
            for tap in range(self.taps)
        )
        return float(along**2)

    @cached_property
    def roundings(self) -> int:
        """How often a term is rounded in the transforms of both dimensions: coefficients, products and sums;
        the filter once."""
        longest = (max(sum(c != 0 for c in row) for row in matrix) for matrix in (self.input, self.output))
        return 1 + 2 * sum(terms + 1 for terms in longest)


def _with_roots(roots: Sequence[Fraction]) -> list[Fraction]:
    """The coefficients, lowest first, of the monic polynomial that is zero there."""
    coefficients = [Fraction(1)]
    for root in roots:
        shifted, kept = [Fraction(0), *coefficients], [*coefficients, Fraction(0)]
        coefficients = [high - root * low for high, low in zip(shifted, kept, strict=True)]
    return coefficients


def _matrix(rows: Sequence[Sequence[Fraction | int]], width: int) -> Matrix:
    return tuple(tuple(map(Fraction, (*row, *[0] * (width - len(row))))) for row in rows)


def _filtering(outputs: int, taps: int, *positive: str) -> Filtering:
    """Make the filtering of the points 0, these, and their opposites."""
    pairs = (sign * Fraction(point) for point in positive for sign in (1, -1))
    return Filtering(outputs, taps, (Fraction(0), *pairs))


FILTERINGS = {
    (2, 3): _filtering(2, 3, "1"),
    (4, 3): _filtering(4, 3, "2/3", "3/2"),
    (6, 3): _filtering(6, 3, "1", "1/2", "2"),
    (2, 5): _filtering(2, 5, "2/3", "3/2"),
}
"""Filterings by the outputs and the filter's taps along a dimension."""
