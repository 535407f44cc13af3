"""Types of tensors' elements: their sizes, what rounding to them costs, and what micro-kernels call them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import ml_dtypes
import numpy as np
import tvm_ffi

FLOAT32 = "float32"
HALVES = ("bfloat16", "float16")
"""Half precision: float32's first 16 bits, and IEEE's binary16."""
FLOATS = {FLOAT32: "f32", "bfloat16": "bf16", "float16": "f16"}
"""Types of floats, and what micro-kernels' names call them."""
ROUNDOFF = {FLOAT32: 2.0**-24, "bfloat16": 2.0**-8, "float16": 2.0**-11}
"""Rounding a number to nearest changes it by at most this share of it, within the type's normal numbers."""
_BFLOAT16 = np.dtype(ml_dtypes.bfloat16)


def numpy_type(dtype: str) -> np.dtype:
    """Return numpy's type of that name; bfloat16 is that of ml_dtypes."""
    return _BFLOAT16 if dtype == "bfloat16" else np.dtype(dtype)


def element_bytes(dtype: str) -> int:
    """Return how many bytes an element takes, one of a vector type ("float32x4") all its lanes'."""
    return tvm_ffi.dtype(dtype).itemsize


def tensor_bytes(shape: Iterable[Any], dtype: Any) -> int:
    """Return how many bytes the elements of a tensor take; extents may be TVM's constants."""
    return math.prod(map(int, shape)) * element_bytes(str(dtype))


def rounded(array: np.ndarray, dtype: str) -> np.ndarray:
    """Return the numbers rounded to nearest, ties to even; what is too large becomes infinite."""
    with np.errstate(over="ignore", invalid="ignore"):
        return array.astype(numpy_type(dtype), copy=False)
