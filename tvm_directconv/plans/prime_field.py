"""Numbers modulo a prime, on which functions are evaluated to see whether they are the same.

What a plan computes of one output is a polynomial of degree two in the elements of data and filter, if what
epilogues do to a sum is taken for functions of which nothing is known. Two such polynomials that differ are
equal at a point drawn from a field of p elements with a probability of at most 2 / p (Schwartz, "Fast
probabilistic algorithms for verification of polynomial identities", JACM 1980). Here p is 2^31 - 1, and every
number stands for ``DRAWS`` of them at points drawn apart, the first axis of all arrays.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from intrinsics.epilogue import Operations

PRIME = 2**31 - 1
DRAWS = 2
"""Different polynomials are taken for equal once in 2^60 times."""
UNKNOWN = -1
"""Stands for what memory holds before anything is stored."""
HALF_BITS = 16
LARGEST_DENOMINATOR = 1 << 12
INFINITE = 1_000_000_007
"""Stands for infinity, with which nothing is computed."""


def drawn(generator: np.random.Generator, *shape: int) -> np.ndarray:
    """Return random numbers [DRAWS, *shape]."""
    return generator.integers(0, PRIME, (DRAWS, *shape))


def residue(value: float | Fraction) -> int:
    """Return the number that a rational stands for."""
    exact = Fraction(value)
    return exact.numerator * pow(exact.denominator, -1, PRIME) % PRIME


def constant(value: float) -> int:
    """Return the number that a float32 stands for: the rational of a small denominator that rounds to it, so
    that sums with rounded coefficients can be compared with those of a rational function."""
    if not np.isfinite(value):
        return INFINITE if value > 0 else PRIME - INFINITE
    near = Fraction(value).limit_denominator(LARGEST_DENOMINATOR)
    return residue(near if np.float32(float(near)) == np.float32(value) else Fraction(value))


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the matrix product [..., m, n] of [..., m, k] and [..., k, n].

    Halves of 16 bits are multiplied in float64, exactly for k up to 2^21.
    """
    mask, m, n = (1 << HALF_BITS) - 1, a.shape[-2], b.shape[-1]
    left = np.concatenate([a >> HALF_BITS, a & mask], axis=-2).astype(np.float64)
    right = np.concatenate([b >> HALF_BITS, b & mask], axis=-1).astype(np.float64)
    sums = (left @ right).astype(np.int64) % PRIME
    high, low = sums[..., :m, :n], sums[..., m:, n:]
    middle = (sums[..., :m, n:] + sums[..., m:, :n]) % PRIME
    return ((((high << HALF_BITS) + middle) % PRIME << HALF_BITS) + low) % PRIME


def _constant(value: float) -> int:
    """Return what stands for a float32, which no number of the field is."""
    return int(np.float32(value).view(np.uint32)) + PRIME


class Uninterpreted(Operations[np.ndarray]):
    """Operations of epilogues on numbers, as functions of which nothing is known: drawn bits, mixed with
    those of the operands.

    Args:
        keys: Odd numbers of 64 bits [DRAWS, 2], by which the functions are drawn.
        arithmetic: Whether sums and products are those of the field all the same.
    """

    def __init__(self, keys: np.ndarray, arithmetic: bool = False) -> None:
        self.keys, self.arithmetic = keys, arithmetic

    @staticmethod
    def drawn(generator: np.random.Generator, arithmetic: bool = False) -> Uninterpreted:
        bits = generator.integers(0, 2**63, (DRAWS, 2), np.uint64)
        return Uninterpreted(2 * bits + np.uint64(1), arithmetic)

    def of(self, name: str, *operands: np.ndarray | float) -> np.ndarray:
        """Return the function of that name of some operands; floats stand for constants."""
        shape = np.broadcast_shapes(*(np.shape(x) for x in operands))
        keys = self.keys.reshape(DRAWS, 2, *[1] * (len(shape) - 1))
        mixed = np.full(shape, int.from_bytes(name.encode()[:8], "big"), np.uint64) ^ keys[:, 0]
        for operand in operands:
            bits = _constant(operand) if isinstance(operand, float) else operand
            mixed = (mixed ^ np.asarray(bits).astype(np.uint64)) * keys[:, 1]
            mixed ^= mixed >> np.uint64(29)
        return (mixed % np.uint64(PRIME)).astype(np.int64)

    def _operand(self, value: np.ndarray | float) -> np.ndarray | float:
        """Return a constant as a number of the field, where that has arithmetic."""
        return np.array(constant(value)) if self.arithmetic and isinstance(value, float) else value

    def maximum(self, a: np.ndarray, b: np.ndarray | float) -> np.ndarray:
        return self.of("max", a, self._operand(b))

    def minimum(self, a: np.ndarray, b: np.ndarray | float) -> np.ndarray:
        return self.of("min", a, self._operand(b))

    def add(self, a: np.ndarray, b: np.ndarray | float) -> np.ndarray:
        return (a + self._operand(b)) % PRIME if self.arithmetic else self.of("add", a, b)

    def multiply(self, a: np.ndarray, b: np.ndarray | float) -> np.ndarray:
        return a * self._operand(b) % PRIME if self.arithmetic else self.of("mul", a, b)

    def multiply_add(self, a: np.ndarray, b: np.ndarray | float, c: np.ndarray | float) -> np.ndarray:
        return self.add(self.multiply(a, b), c) if self.arithmetic else self.of("muladd", a, b, c)

    def divide(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return self.of("div", a, b)

    def power_of_two(self, a: np.ndarray) -> np.ndarray:
        return self.of("exp2", a)
