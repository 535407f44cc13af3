"""Reductions: how many values become one, in windows of pools and along axes.

Windows, lines and their placement belong to ``pooling`` and ``row_program``; here is the arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from tvm import tirx
from tvm.tirx.script.builder import ir as T

from intrinsics.epilogue import Step

from .builder import Expr, least_value, splat, vector_type
from .expressions import maximum, minimum
from .quantized_type import QuantizedType, ratio, saturated


class Reduction:
    """A reduction of many values to one: widened, combined from the identity on, finished. This one sums."""

    dtype = "float32"
    """The result is of this type."""
    accumulator = "float32"
    partial = "float32"
    """A portion of the values is combined in this type, before it is widened to the accumulator's."""
    identity: float = 0.0
    idempotent = False
    """A value that is combined twice changes nothing."""

    def combine(self, a: Expr, b: Expr) -> Expr:
        return a + b

    def widened(self, value: Expr, width: int) -> Expr:
        """Cast a vector to the accumulator's dtype."""
        return T.cast(value, vector_type(self.accumulator, width))

    def finishing(self, taps: Expr, counted: Expr) -> Callable[[Expr, int], Expr]:
        """Return the map from a reduced vector and its width to the result.

        ``taps`` values were reduced, ``counted`` is the divisor; both are known now or TIR expressions.
        """
        return lambda value, width: value


SUM = Reduction()


class Product(Reduction):
    """The product of float32 values."""

    identity = 1.0

    def combine(self, a: Expr, b: Expr) -> Expr:
        return a * b


class Maximum(Reduction):
    """The maximum of values of any dtype: the least for no values, NaN if one is NaN."""

    idempotent = True

    def __init__(self, dtype: str = "float32") -> None:
        self.dtype = self.accumulator = self.partial = dtype
        self.identity = least_value(dtype)

    def combine(self, a: Expr, b: Expr) -> Expr:
        return maximum(a, b) if self.dtype == "float32" else T.max(a, b)


class Minimum(Reduction):
    """The minimum of float32 values, and NaN if one is NaN."""

    idempotent = True
    identity = math.inf

    def combine(self, a: Expr, b: Expr) -> Expr:
        return minimum(a, b)


class Largest(Reduction):
    """The maximum of float32 values in fewer instructions than ``Maximum``, which may ignore NaN."""

    idempotent = True
    identity = -math.inf

    def combine(self, a: Expr, b: Expr) -> Expr:
        return T.max(a, b)


class FirstPlace(Reduction):
    """The least of some places along a line; ``length`` if there are none."""

    dtype = accumulator = partial = "int32"
    idempotent = True

    def __init__(self, length: int) -> None:
        self.identity = length

    def combine(self, a: Expr, b: Expr) -> Expr:
        return T.min(a, b)


class Mean(Reduction):
    """The mean of float32 values."""

    def finishing(self, taps: Expr, counted: Expr) -> Callable[[Expr, int], Expr]:
        if isinstance(counted, int):
            divisor: Expr = float(max(1, counted))
        else:
            divisor = T.Bind(T.cast(T.max(counted, 1), "float32"))
        return lambda value, width: value / splat(divisor, width)


class QuantizedMean(Reduction):
    """The mean of quantized values: their sum, less the zero point times the number of taps, is scaled."""

    def __init__(
        self,
        source: QuantizedType,
        result: QuantizedType,
        accumulator: str,
        steps: Sequence[Step],
        partial: str = "",
    ) -> None:
        self.source, self.result, self.dtype, self.accumulator = source, result, result.dtype, accumulator
        self.partial = partial or accumulator
        self.steps, self.identity = steps, 0

    def finishing(self, taps: Expr, counted: Expr) -> Callable[[Expr, int], Expr]:
        zeros = taps * self.source.zero_point
        if isinstance(counted, int):
            zeros = tirx.const(zeros, self.accumulator)
            scale = T.float32(ratio(self.source.scale, self.result.scale, max(1, counted)))
        else:
            zeros = T.Bind(T.cast(zeros, self.accumulator))
            divisor = T.float32(self.result.scale) * T.cast(T.max(counted, 1), "float32")
            scale = T.Bind(T.float32(self.source.scale) / divisor)
        reach = ratio(self.source.scale, self.result.scale) * self.source.reach

        def finish(value: Expr, width: int) -> Expr:
            wide = T.cast(T.cast(value - zeros, vector_type("int32", width)), vector_type("float32", width))
            return saturated(wide * scale, width, reach, self.result, self.steps)

        return finish
