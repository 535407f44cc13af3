"""(De)quantization calls read and written: scales, zero points and the axis they vary along."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from tvm import relax

from .graph import constant, make_constant, operator_name, shape_of

DEQUANTIZE = "relax.dequantize"
QUANTIZE = "relax.quantize"
BYTES = ("uint8", "int8")
"""Convolutions of these types have kernels."""


@dataclass(frozen=True, eq=False)
class Parameters:
    """``real = scale * (stored - zero_point)``, both constant vectors of one element or one per channel.

    ``axis`` is where the channels are, None for one scale and zero point.
    """

    scale: np.ndarray
    zero_point: np.ndarray
    axis: int | None = None

    def equals(self, other: Parameters) -> bool:
        return (
            self.axis == other.axis
            and np.array_equal(self.scale, other.scale)
            and np.array_equal(self.zero_point, other.zero_point)
        )

    @property
    def keeps_order(self) -> bool:
        """Whether larger integers stand for larger numbers: no scale is negative or zero."""
        return bool(np.all(self.scale > 0))

    def dequantize(self, data: relax.Expr) -> relax.Expr:
        """The float32 numbers that ``data`` stands for."""
        return relax.op.dequantize(data, *self._constants(str(data.ty.dtype)), **self._axis())

    def quantize(self, data: relax.Expr, dtype: str) -> relax.Expr:
        return relax.op.quantize(data, *self._constants(dtype), **self._axis(), out_dtype=dtype)

    def _constants(self, dtype: str) -> tuple[relax.Expr, relax.Expr]:
        shape = () if self.axis is None else (-1,)
        scale = np.asarray(self.scale, np.float32)
        return make_constant(scale.reshape(shape)), make_constant(
            np.asarray(self.zero_point, dtype).reshape(shape)
        )

    def _axis(self) -> dict[str, int]:
        return {"axis": 0 if self.axis is None else self.axis}


def parameters_of(call: relax.Call) -> Parameters | None:
    """The constants of a (de)quantization; None where they are known at run time only."""
    scale, zero_point = (constant(argument) for argument in call.args[1:3])
    if scale is None or zero_point is None:
        return None
    axis = channel_axis(call)
    size = 1 if axis is None else max(scale.size, zero_point.size)
    vectors = [np.broadcast_to(v.reshape(-1), [size]) for v in (scale, zero_point)]
    return Parameters(vectors[0], vectors[1].astype(np.int64), axis)


def channel_axis(call: relax.Call) -> int | None:
    """The axis along which a (de)quantization's scale or zero point varies, None for one of each."""
    vectors = (shape_of(argument) for argument in call.args[1:3])
    if all(shape is not None and np.prod(shape) == 1 for shape in vectors):
        return None
    return int(call.attrs.axis) % len(shape_of(call.args[0]) or (0,))


def single_parameters(call: relax.Call) -> Parameters | None:
    """The constants of a (de)quantization that has one scale; None for several, and where they are known at
    run time only."""
    return None if channel_axis(call) is not None else parameters_of(call)


def quantized_to_bytes(value: relax.Expr) -> Parameters | None:
    """Return what the results of a quantization to 8 bits stand for, where it has one scale that is known."""
    if operator_name(value) != QUANTIZE or str(value.attrs.out_dtype) not in BYTES:
        return None
    return single_parameters(value)
