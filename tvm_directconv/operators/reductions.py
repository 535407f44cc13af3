"""What pooling does with the values of a window: maximum, mean, and mean of quantized values.

Windows and their placement are ``pooling``'s and ``global_pooling``'s; here is the arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tvm import tirx
from tvm.tirx.script.builder import ir as T

from intrinsics.epilogue import Step

from .builder import Expr, least_value, splat, vector_type
from .expressions import maximum
from .quantized_type import QuantizedType, ratio, saturated


class Reduction:
    """How many values become one: widened, combined from the identity on, finished."""

    dtype = "float32"
    """The result is of this type."""
    accumulator = "float32"
    identity: float = 0.0

    def combine(self, a: Expr, b: Expr) -> Expr:
        return a + b

    def widened(self, value: Expr, width: int) -> Expr:
        """A vector in the accumulator's dtype."""
        return T.cast(value, vector_type(self.accumulator, width))

    def finishing(self, taps: Expr, counted: Expr) -> Callable[[Expr, int], Expr]:
        """The map from a reduced vector and its width to the result.

        ``taps`` values were reduced, ``counted`` is the divisor; both are known now or TIR expressions.
        """
        return lambda value, width: value


class Maximum(Reduction):
    """Of values of any dtype; none of them gives the least, and one that is a NaN gives NaN."""

    def __init__(self, dtype: str) -> None:
        self.dtype = self.accumulator = dtype
        self.identity = least_value(dtype)

    def combine(self, a: Expr, b: Expr) -> Expr:
        return maximum(a, b) if self.dtype == "float32" else T.max(a, b)


class Mean(Reduction):
    """Of float32 values."""

    def finishing(self, taps: Expr, counted: Expr) -> Callable[[Expr, int], Expr]:
        if isinstance(counted, int):
            divisor: Expr = float(max(1, counted))
        else:
            divisor = T.Bind(T.cast(T.max(counted, 1), "float32"))
        return lambda value, width: value / splat(divisor, width)


class QuantizedMean(Reduction):
    """Sums of integers; the zero point is taken off once, times the taps there were."""

    def __init__(
        self, source: QuantizedType, result: QuantizedType, accumulator: str, steps: Sequence[Step]
    ) -> None:
        self.source, self.result, self.dtype, self.accumulator = source, result, result.dtype, accumulator
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
