"""The operations that elementwise steps are formulas over: one text is a step's meaning everywhere.

Numpy, TE, Relax and every instruction set have them; all other functions are made of these. Powers of two are
made of a float's own bits: a number that is added to ``EXPONENT_ZERO`` is rounded to an integer, whose low
bits are then an exponent that has only to be shifted to its place.
"""

from __future__ import annotations

import abc
import math
from typing import Generic, TypeVar

Value = TypeVar("Value")
INFINITY = math.inf
EXPONENT_BITS = 23
"""A float's exponent begins at this bit, above the bits of its fraction."""
EXPONENT_ZERO = 1.5 * 2**23 + 127
"""Floats are one apart beside this one, whose low bits are the exponent of 1."""


class Operations(abc.ABC, Generic[Value]):
    """What steps are made of; operands are values, or floats for constants.

    Where the first operand of an extreme is a NaN, so is the result: what is computed from an element that is
    a NaN stays one.
    """

    @abc.abstractmethod
    def maximum(self, a: Value, b: Value | float) -> Value: ...

    @abc.abstractmethod
    def minimum(self, a: Value, b: Value | float) -> Value: ...

    @abc.abstractmethod
    def add(self, a: Value, b: Value | float) -> Value: ...

    @abc.abstractmethod
    def multiply(self, a: Value, b: Value | float) -> Value: ...

    @abc.abstractmethod
    def multiply_add(self, a: Value, b: Value | float, c: Value | float) -> Value:
        """``a * b + c``, rounded once where the instruction set has that, else twice."""

    @abc.abstractmethod
    def divide(self, a: Value, b: Value) -> Value: ...

    @abc.abstractmethod
    def power_of_two(self, a: Value) -> Value:
        """``2 ** (a - EXPONENT_ZERO)`` of a float32 that has been rounded by adding it, from -127, which
        gives 0, to 128, which gives infinity. What it makes of a NaN is some number."""

    def channel(self, at: int) -> Value:
        """The constant of the element's channel that lies so many elements behind its bias."""
        raise ValueError("there are no constants of channels here")

    def add_channel(self, a: Value, at: int) -> Value:
        """The sum with that constant."""
        return self.add(a, self.channel(at))

    def multiply_channel(self, a: Value, at: int) -> Value:
        """The product with that constant."""
        return self.multiply(a, self.channel(at))

    def add_residual(self, a: Value) -> Value:
        """The sum with the residual's element."""
        raise ValueError("there is no residual to add here")
