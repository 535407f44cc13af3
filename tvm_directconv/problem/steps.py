"""The steps of an epilogue computed: on TVM's expressions, where kernels are defined, and on numpy arrays.

A step says what it does once, over four operations (``intrinsics.epilogue``); here are those of two kinds of
values. Graph passes have a third, over Relax expressions.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from tvm import tirx

from intrinsics.epilogue import Operations, Step


class _TeOperations(Operations[tirx.Expr]):
    """On scalars of TE and TIR, whose extremes are their second operand where either is a NaN."""

    def __init__(self, dtype: str) -> None:
        self._dtype = dtype

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


class _NumpyOperations(Operations[np.ndarray]):
    """On arrays; constants take the array's type."""

    def maximum(self, a: np.ndarray, b: np.ndarray | float) -> np.ndarray:
        return np.maximum(a, _of_type(a, b))

    def minimum(self, a: np.ndarray, b: np.ndarray | float) -> np.ndarray:
        return np.minimum(a, _of_type(a, b))

    def add(self, a: np.ndarray, b: np.ndarray | float) -> np.ndarray:
        return np.add(a, _of_type(a, b))

    def multiply(self, a: np.ndarray, b: np.ndarray | float) -> np.ndarray:
        return np.multiply(a, _of_type(a, b))


def te_steps(steps: Iterable[Step], value: tirx.Expr, dtype: str = "float32") -> tirx.Expr:
    """``value``, an expression of ``dtype``, after ``steps``."""
    operations = _TeOperations(dtype)
    for step in steps:
        value = step.apply(value, operations)
    return value


def numpy_steps(steps: Iterable[Step], array: np.ndarray) -> np.ndarray:
    """``array`` after ``steps``, element by element and in the array's type."""
    operations = _NumpyOperations()
    for step in steps:
        array = step.apply(array, operations)
    return array


def _of_type(array: np.ndarray, value: np.ndarray | float) -> np.ndarray:
    return np.asarray(value, array.dtype)
