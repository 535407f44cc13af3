"""Half-precision convolutions: operands that the type holds, and what an output may be off by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from support import operands, reference_conv2d
from tvm import tirx

from tvm_directconv.algorithms.base import Algorithm
from tvm_directconv.problem.element_types import numpy_type, rounded
from tvm_directconv.problem.workload import Conv2dWorkload, Epilogue
from tvm_directconv.targets.target import CompileTarget

LEAST = 2.0**-24
"""Numbers of float16 below its normal ones are this far apart."""

Arrays = Sequence[np.ndarray | None]


def half_operands(workload: Conv2dWorkload, seed: int = 0) -> Arrays:
    """(data, weights, bias, residual) in the workload's types."""
    data, weights, bias, residual = operands(workload, seed)
    assert data is not None and weights is not None
    residual = None if residual is None else rounded(residual, workload.out_dtype)
    return rounded(data, workload.dtype), rounded(weights, workload.dtype), bias, residual


def half_function(
    algorithm: Algorithm[Any],
    workload: Conv2dWorkload,
    target: CompileTarget,
    arrays: Arrays,
    knobs: Any = None,
) -> tuple[tirx.PrimFunc, list[np.ndarray]]:
    """(the scheduled function, its arguments, the output last)."""
    plan = algorithm.plan(workload, target, knobs)
    data, weights, *extra = arrays
    output = np.full(workload.stored_output_shape, np.nan, numpy_type(workload.out_dtype))
    given = [data, plan.pack(weights), *extra, output]
    return plan.schedule(plan.compute()), [array for array in given if array is not None]


def assert_within_bound(got: np.ndarray, workload: Conv2dWorkload, arrays: Arrays, bound: float) -> None:
    """No output is off by more than ``bound`` times the sum of its terms' magnitudes; steps change no
    difference for the larger."""
    wide = [None if array is None else array.astype(np.float64) for array in arrays]
    wanted = reference_conv2d(workload, *wide)  # type: ignore[arg-type]
    epilogue = Epilogue(bias=workload.epilogue.bias, residual=workload.epilogue.residual)
    terms = reference_conv2d(
        replace(workload, epilogue=epilogue),
        *(None if array is None else np.abs(array) for array in wide),  # type: ignore[arg-type]
    )
    assert got.dtype == numpy_type(workload.out_dtype)
    error = np.abs(got.astype(np.float64) - wanted) - LEAST
    worst = float((error / np.maximum(terms, LEAST)).max())
    assert worst <= bound, f"{workload}: off by {worst:.2e} of the terms, and {bound:.2e} is stated"
