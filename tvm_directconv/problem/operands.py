"""Random operands of a convolution, to time it with: values do not matter there, only types and shapes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .element_types import rounded
from .quantized_types import RANGES
from .workload import Conv2dWorkload

SCALE = 1e-3


class Operands(NamedTuple):
    """Operands in the workload's layouts and types; None for those that it does not have. Of quantized
    workloads the weights are int64 less their zero point, ``bias`` is int32, ``scale`` float32 (OC,)."""

    data: np.ndarray
    weights: np.ndarray
    bias: np.ndarray | None
    residual: np.ndarray | None
    scale: np.ndarray | None


def random_operands(workload: Conv2dWorkload, seed: int = 0) -> Operands:
    """Floats ~ N(0, 1), integers of all their range, filters of half of int8's."""
    w, rng = workload, np.random.default_rng(seed)
    if w.quantized is None:
        data, weights = (
            rounded(rng.standard_normal(s, np.float32), w.dtype) for s in (w.input_shape, w.filter_shape)
        )
        bias = rng.standard_normal(w.bias_shape, np.float32) if w.epilogue.bias else None
        residual = None
        if w.epilogue.residual:
            residual = rounded(rng.standard_normal(w.output_shape, np.float32), w.out_dtype)
        return Operands(data, weights, bias, residual, None)
    low, high = RANGES[w.dtype]
    integers = rng.integers(low, high + 1, w.input_shape).astype(w.dtype)
    filters = rng.integers(0 if w.quantized.filter_dtype == "uint8" else -64, 64, w.filter_shape)
    sums = rng.integers(-1000, 1000, w.out_channels).astype(np.int32) if w.epilogue.bias else None
    scale = None if w.out_dtype == "int32" else np.full(w.out_channels, SCALE, np.float32)
    residual = None
    if w.epilogue.residual:
        low, high = RANGES[w.out_dtype]
        residual = rng.integers(low, high + 1, w.output_shape).astype(w.out_dtype)
    return Operands(integers, filters, sums, residual, scale)
