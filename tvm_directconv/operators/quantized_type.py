"""Arithmetic of 8-bit quantized tensors, as vector expressions that the operators of this folder share.

A quantized tensor stands for the real numbers ``scale * (q - zero_point)``: ONNX's QuantizeLinear and
DequantizeLinear. An operator between quantized tensors computes its result in units of the output's scale,
rounds to the nearest integer (ties to even), adds the zero point and saturates. It does so in one pass: 8-bit
vectors are widened in registers, and no float tensor is ever stored.

Rounding adds 1.5 * 2^23, which leaves the integer in the low bits of the sum. The narrowing steps then work
on 16-bit lanes, half as many instructions as on 32-bit ones, and are written as the clamps that compilers
turn into saturating packs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from tvm import tirx
from tvm.tirx.script.builder import ir as T

from intrinsics.epilogue import Clip, Step, joined
from tvm_directconv.errors import WorkloadError
from tvm_directconv.problem.steps import te_steps

from .builder import Expr, vector_type

DTYPES = ("uint8", "int8")
_ROUND = 12582912.0
"""1.5 * 2^23: a float this large lacks digits below one, and its low 16 bits are zero."""


@dataclass(frozen=True)
class QuantizedType:
    """Real numbers as 8-bit integers: ``scale * (q - zero_point)`` with q of ``dtype``, uint8 or int8.

    ``scale`` is rounded to float32. Raises WorkloadError for parameters that are none.
    """

    scale: float
    zero_point: int
    dtype: str

    def __post_init__(self) -> None:
        if self.dtype not in DTYPES:
            raise WorkloadError(f"quantized dtype must be one of {', '.join(DTYPES)}, got '{self.dtype}'")
        scale = float(np.float32(self.scale))
        if not (math.isfinite(scale) and scale > 0):
            raise WorkloadError(f"quantization scale must be a positive float32, got {self.scale}")
        if not self.smallest <= self.zero_point <= self.largest:
            raise WorkloadError(f"zero point {self.zero_point} is not in the range of {self.dtype}")
        object.__setattr__(self, "scale", scale)
        object.__setattr__(self, "zero_point", int(self.zero_point))

    @property
    def smallest(self) -> int:
        return int(np.iinfo(self.dtype).min)

    @property
    def largest(self) -> int:
        return int(np.iinfo(self.dtype).max)

    @property
    def reach(self) -> int:
        """Largest ``|q - zero_point|``."""
        return max(self.largest - self.zero_point, self.zero_point - self.smallest)

    def quantized(self, value: float) -> int:
        """The integer that stands for a real number, infinities included; float32, as in ONNX."""
        number = np.rint(np.float32(value) / np.float32(self.scale))
        return int(np.clip(number + np.float32(self.zero_point), self.smallest, self.largest))

    def bounds(self, clip: Clip) -> tuple[int, int]:
        """Range of the integers after a clip of real numbers: quantizing keeps order, so both commute."""
        return self.quantized(clip.low), self.quantized(clip.high)


def check_dtype(name: str, dtype: str) -> None:
    """Raise WorkloadError, for the operator ``name``, unless ``dtype`` is one of 8 bits."""
    if dtype not in DTYPES:
        raise WorkloadError(f"{name}: dtype must be one of {', '.join(DTYPES)}, got '{dtype}'")


def ratio(numerator: float, *denominators: float) -> float:
    """Quotient of scales, rounded to float32 at every step as kernels of ONNX Runtime compute theirs."""
    divisor = np.float32(1)
    for denominator in denominators:
        divisor = divisor * np.float32(denominator)
    return float(np.float32(numerator) / divisor)


def integer_accumulator(count: int) -> str:
    """The narrowest dtype that holds the sum of ``count`` 8-bit integers, less as many zero points.

    Raises WorkloadError where int32 does not.
    """
    if count * 255 > np.iinfo("int32").max:
        raise WorkloadError(f"the sum of {count} 8-bit integers may leave int32")
    return "int16" if count * 255 <= np.iinfo("int16").max else "int32"


def centered(value: Expr, quantization: QuantizedType, width: int) -> Expr:
    """``q - zero_point`` of a vector of 8-bit values, as float32."""
    wide = T.cast(value, vector_type("int32", width))
    if quantization.zero_point:
        wide = wide - quantization.zero_point
    return T.cast(wide, vector_type("float32", width))


def last_clip(steps: Sequence[Step]) -> tuple[tuple[Step, ...], Clip]:
    """``steps`` without the clip at their end, and that; one without bounds where there is none."""
    *others, last = joined(steps) or (Clip(),)
    return (tuple(others), last) if isinstance(last, Clip) else ((*others, last), Clip())


def saturated(
    value: Expr, width: int, reach: float, result: QuantizedType, steps: Sequence[Step] = ()
) -> Expr:
    """8-bit integers nearest to ``value``, a float32 vector in units of ``result.scale``.

    ``reach`` bounds ``|value|`` as far as it is known (infinity where it is not). ``steps`` are of real
    numbers; a clip at their end costs nothing.
    """
    steps, clip = last_clip(steps)
    if steps:
        value = te_steps(steps, value * T.float32(result.scale)) * T.float32(ratio(1.0, result.scale))
        reach = math.inf
    zero = result.zero_point
    smallest, largest = result.bounds(clip)
    known = reach + abs(zero) + 1 <= np.iinfo("int16").max
    if not known:
        value = te_steps([Clip(smallest - zero, largest - zero)], value)
    bits = T.reinterpret(vector_type("int32", width), value + T.float32(_ROUND))
    number = T.cast(bits, vector_type("int16", width))
    if zero:
        number = number + tirx.const(zero, "int16")
    number = T.max(number, tirx.const(smallest, "int16"))
    number = T.min(number, tirx.const(largest, "int16"))
    return T.cast(number, vector_type(result.dtype, width))
