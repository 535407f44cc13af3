"""Quantized convolutions: operands with many extremes, and the exact reference in integers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st
from support import reference_conv2d

from intrinsics.epilogue import Clip, Residual, Round, Scale, Shift
from tvm_directconv.algorithms.base import Algorithm
from tvm_directconv.problem.quantized_types import RANGES, QuantizedTypes
from tvm_directconv.problem.steps import numpy_steps
from tvm_directconv.problem.taps import with_scales
from tvm_directconv.problem.workload import Conv2dWorkload, Epilogue
from tvm_directconv.targets.target import CompileTarget

FILTER_RANGES = {"int8": (-128, 127), "uint8": (0, 255), "int9": (-256, 254), "int10": (-255, 255)}
SUM = (Clip(-90.0, 130.0), Round(), Scale(0.75), Residual(), Shift(-3.0), Scale(0.625))
"""The steps of a sum with a residual."""
OUT_DTYPES = ("int32", "float32", "uint8", "int8")


@dataclass(frozen=True)
class Operands:
    """Operands of one quantized workload: ``weights`` are less their zero point; ``scale`` is None for int32
    outputs, and ``residual`` where there is none."""

    data: np.ndarray
    weights: np.ndarray
    bias: np.ndarray | None
    scale: np.ndarray | None
    residual: np.ndarray | None = None


def quantized(workload: Conv2dWorkload, dtype: str, types: QuantizedTypes) -> Conv2dWorkload:
    """The convolution on 8-bit data; an epilogue keeps what quantized ones may have."""
    e = workload.epilogue
    clips = types.out_dtype != "int32"
    epilogue = Epilogue(bias=e.bias, low=e.low, high=e.high) if clips else Epilogue(bias=e.bias)
    if e.residual and types.out_dtype in RANGES:
        epilogue = Epilogue(bias=e.bias, low=e.low, high=e.high, steps=SUM)
    return replace(workload, dtype=dtype, quantized=types, epilogue=epilogue)


@st.composite
def types(draw: Any) -> tuple[str, QuantizedTypes]:
    """(the input's dtype, types), zero points at both ends among them."""
    dtype = draw(st.sampled_from(("uint8", "int8")))
    out = draw(st.sampled_from(OUT_DTYPES))
    filter_dtype = draw(st.sampled_from(("int8", "int8", "uint8", "int9", "int10")))
    largest = draw(st.sampled_from((64, 127, 128))) if filter_dtype == "int8" else 128

    def zero(of: str) -> int:
        low, high = RANGES[of]
        return draw(st.sampled_from((0, low, high)) | st.integers(low, high))

    return dtype, QuantizedTypes(out, zero(dtype), zero(out) if out in RANGES else 0, filter_dtype, largest)


def draw_operands(workload: Conv2dWorkload, seed: int = 0) -> Operands:
    """Random, two fifths of them the extremes of their types."""
    rng, q = np.random.default_rng(seed), workload.quantized
    assert q is not None

    def extreme(shape: tuple[int, ...], low: int, high: int) -> np.ndarray:
        values = rng.integers(low, high + 1, shape)
        return np.where(rng.random(shape) < 0.4, rng.choice([low, high], shape), values)

    low, high = FILTER_RANGES[q.filter_dtype]
    if q.filter_dtype == "int8":
        low, high = -q.largest_weight, min(q.largest_weight, 127)
    weights = extreme(workload.filter_shape, low, high)
    bias = None
    if workload.epilogue.bias:
        bias = rng.integers(-5000, 5000, workload.out_channels).astype(np.int32)
    scale = rng.uniform(1e-4, 4e-3, workload.out_channels).astype(np.float32)
    data = extreme(workload.input_shape, *RANGES[workload.dtype]).astype(workload.dtype)
    residual = None
    if workload.epilogue.residual:
        residual = extreme(workload.output_shape, *RANGES[q.out_dtype]).astype(q.out_dtype)
    return Operands(data, weights, bias, None if q.out_dtype == "int32" else scale, residual)


def reference(workload: Conv2dWorkload, given: Operands) -> np.ndarray:
    """The output by its definition; sums below 2^53 are exact in float64."""
    w, q = workload, workload.quantized
    assert q is not None
    plain = replace(w, dtype="float32", quantized=None, epilogue=Epilogue(bias=w.epilogue.bias))
    shifted = given.data.astype(np.float64) - q.data_zero
    total = reference_conv2d(plain, shifted, given.weights, given.bias, None)
    assert np.abs(total).max() < 2**31
    if q.out_dtype == "int32":
        return total.astype(np.int32)
    scaled = total.astype(np.int32).astype(np.float32) * given.scale
    added = None if given.residual is None else given.residual.astype(np.float32)
    clipped = numpy_steps(w.epilogue.steps, scaled, added)
    if q.out_dtype == "float32":
        return clipped
    return np.clip(np.rint(clipped) + q.out_zero, *RANGES[q.out_dtype]).astype(q.out_dtype)


def arguments(
    algorithm: Algorithm[Any],
    workload: Conv2dWorkload,
    target: CompileTarget,
    given: Operands,
    knobs: Any = None,
) -> tuple[Any, list[np.ndarray]]:
    """(the scheduled function, its arguments, the output last)."""
    plan = algorithm.plan(workload, target, knobs)
    table, last = plan.bias_table(given.weights, given.bias), given.scale
    if given.residual is not None and given.scale is not None:
        table, last = with_scales(table, given.scale), given.residual
    arrays = [
        given.data,
        plan.pack(given.weights),
        table,
        last,
        np.full(workload.output_shape, 77, workload.out_dtype),
    ]
    return plan.schedule(plan.compute()), [array for array in arrays if array is not None]
