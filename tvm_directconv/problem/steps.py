"""The steps of an epilogue computed: on TVM's expressions, where kernels are defined, and on numpy arrays.

A step says what it does once, over a few operations (``intrinsics.epilogue``); here are those of two kinds of
values. Graph passes have a third, over Relax expressions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from tvm import tirx
from tvm.tirx.script.builder import ir as T

from intrinsics.epilogue import EXPONENT_BITS, EXPONENT_ZERO, Operations, Step


class _TeOperations(Operations[tirx.Expr]):
    """Operations on scalars and vectors of TE and TIR. ``tirx.max`` and ``tirx.min`` return their second
    operand if either is a NaN."""

    def __init__(
        self, dtype: str, residual: tirx.Expr | None, channel: Callable[[int], tirx.Expr] | None
    ) -> None:
        self._dtype, self._residual, self._channel = dtype, residual, channel

    def _operand(self, value: tirx.Expr | float) -> tirx.Expr:
        return tirx.const(value, self._dtype) if isinstance(value, float) else value

    def maximum(self, a: tirx.Expr, b: tirx.Expr | float) -> tirx.Expr:
        return tirx.max(self._operand(b), a)

    def minimum(self, a: tirx.Expr, b: tirx.Expr | float) -> tirx.Expr:
        return tirx.min(self._operand(b), a)

    def add(self, a: tirx.Expr, b: tirx.Expr | float) -> tirx.Expr:
        return a + self._operand(b)

    def multiply(self, a: tirx.Expr, b: tirx.Expr | float) -> tirx.Expr:
        return a * self._operand(b)

    def multiply_add(self, a: tirx.Expr, b: tirx.Expr | float, c: tirx.Expr | float) -> tirx.Expr:
        return a * self._operand(b) + self._operand(c)

    def divide(self, a: tirx.Expr, b: tirx.Expr) -> tirx.Expr:
        return a / b

    def power_of_two(self, a: tirx.Expr) -> tirx.Expr:
        lanes = a.ty.dtype.lanes
        integers, floats = ("int32", "float32") if lanes == 1 else (f"int32x{lanes}", f"float32x{lanes}")
        return T.reinterpret(floats, T.shift_left(T.reinterpret(integers, a), EXPONENT_BITS))

    def channel(self, at: int) -> tirx.Expr:
        return super().channel(at) if self._channel is None else self._channel(at)

    def add_residual(self, a: tirx.Expr) -> tirx.Expr:
        return super().add_residual(a) if self._residual is None else a + self._residual


class NumpyOperations(Operations[np.ndarray]):
    """Operations on arrays; constants take the array's type.

    Products are rounded before they are added to. Types other than float32 do not use the bits of a number:
    values that are rounded by an addition are rounded less, and powers of two are computed as powers.
    """

    def __init__(
        self, residual: np.ndarray | None = None, channel: Callable[[int], np.ndarray] | None = None
    ) -> None:
        self._residual, self._channel = residual, channel

    def maximum(self, a: np.ndarray, b: np.ndarray | float) -> np.ndarray:
        return np.maximum(a, _of_type(a, b))

    def minimum(self, a: np.ndarray, b: np.ndarray | float) -> np.ndarray:
        return np.minimum(a, _of_type(a, b))

    def add(self, a: np.ndarray, b: np.ndarray | float) -> np.ndarray:
        return np.add(a, _of_type(a, b))

    def multiply(self, a: np.ndarray, b: np.ndarray | float) -> np.ndarray:
        return np.multiply(a, _of_type(a, b))

    def multiply_add(self, a: np.ndarray, b: np.ndarray | float, c: np.ndarray | float) -> np.ndarray:
        return self.add(self.multiply(a, b), c)

    def divide(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.divide(a, b)

    def power_of_two(self, a: np.ndarray) -> np.ndarray:
        if a.dtype != np.float32:
            return np.exp2(np.subtract(a, _of_type(a, EXPONENT_ZERO)))
        bits = np.ascontiguousarray(a).view(np.uint32) << np.uint32(EXPONENT_BITS)
        return np.asarray(bits, np.uint32).view(np.float32).reshape(a.shape)

    def channel(self, at: int) -> np.ndarray:
        return super().channel(at) if self._channel is None else self._channel(at)

    def add_residual(self, a: np.ndarray) -> np.ndarray:
        return super().add_residual(a) if self._residual is None else np.add(a, self._residual)


def te_steps(
    steps: Iterable[Step],
    value: tirx.Expr,
    dtype: str = "float32",
    residual: tirx.Expr | None = None,
    channel: Callable[[int], tirx.Expr] | None = None,
) -> tirx.Expr:
    """Return ``value``, an expression of ``dtype``, after ``steps``; one of them may add the residual's
    element, and ``channel`` gives the constant so many elements behind the bias of the value's channel."""
    operations = _TeOperations(dtype, residual, channel)
    for step in steps:
        value = step.apply(value, operations)
    return value


def numpy_steps(
    steps: Iterable[Step],
    array: np.ndarray,
    residual: np.ndarray | None = None,
    channel: Callable[[int], np.ndarray] | None = None,
) -> np.ndarray:
    """Return ``array`` after ``steps``, element by element and in the array's type; the residual is of its
    shape, ``channel`` gives the constants so many elements behind the bias."""
    operations = NumpyOperations(residual, channel)
    for step in steps:
        array = step.apply(array, operations)
    return array


def _of_type(array: np.ndarray, value: np.ndarray | float) -> np.ndarray:
    return np.asarray(value, array.dtype)
