"""Any algorithm on any workload it takes, against the float64 reference: in the layouts it runs in."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import tvm
from layouts import from_layout, to_layout
from support import TOLERANCE, Compiled, assert_matches, operands, reference_conv2d
from tvm import tirx

from tvm_directconv.algorithms import ALGORITHMS
from tvm_directconv.algorithms.accuracy import STANDARD, allows
from tvm_directconv.algorithms.base import Algorithm, KernelPlan
from tvm_directconv.algorithms.winograd.algorithm import Winograd
from tvm_directconv.problem.storage import WHOLE
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import CompileTarget

NAMES = [pytest.param(name, marks=pytest.mark.slow) if name.endswith("6x6") else name for name in ALGORITHMS]
"""All algorithms. The largest routines, of one that is used only by name, take LLVM longest."""
AMPLIFIED = 2e-4
"""The tolerance of algorithms that are used only by name."""


def lowered(plan: KernelPlan[Any]) -> tirx.PrimFunc:
    """The plan's function, scheduled and lowered to kernel calls."""
    return plan.schedule(plan.compute())


def build(
    algorithm: Algorithm[Any], workload: Conv2dWorkload, target: CompileTarget, knobs: Any = None
) -> tuple[Compiled, KernelPlan[Any]]:
    """The compiled function ``conv2d`` of a workload in layouts the algorithm takes, and its plan."""
    plan = algorithm.plan(workload, target, knobs)
    return Compiled({"conv2d": lowered(plan)}, target), plan


def arguments(plan: KernelPlan[Any], nhwc: tuple[np.ndarray | None, ...]) -> list[np.ndarray]:
    """What the plan's function takes, for operands in NHWC; the output last, NaN so that gaps are seen."""
    workload, (data, weights, bias, residual) = plan.workload, nhwc
    assert data is not None and weights is not None
    given = [
        to_layout(data, workload.data_layout),
        plan.pack(weights),
        bias,
        None if residual is None else to_layout(residual, workload.out_layout),
        np.full(workload.output_shape, np.nan, np.float32),
    ]
    return [array for array in given if array is not None]


def run(
    algorithm: Algorithm[Any],
    workload: Conv2dWorkload,
    target: CompileTarget,
    nhwc: tuple[np.ndarray | None, ...],
    knobs: Any = None,
) -> np.ndarray:
    """The output in NHWC, for operands in NHWC."""
    executable, plan = build(algorithm, workload, target, knobs)
    tensors = [tvm.runtime.tensor(array) for array in arguments(plan, nhwc)]
    executable["conv2d"](*tensors)
    return from_layout(tensors[-1].numpy(), workload.out_layout, workload.out_channels)


def check(
    algorithm: Algorithm[Any], workload: Conv2dWorkload, target: CompileTarget, knobs: Any = None
) -> None:
    """The algorithm on random operands against the reference."""
    nhwc = workload.in_layouts("NHWC")
    arrays = operands(nhwc)
    got, tolerance = (
        run(algorithm, workload, target, arrays, knobs),
        tolerance_of(algorithm, workload, target),
    )
    want = reference_conv2d(nhwc, *arrays)
    assert_matches(got, want, f"{algorithm.name} {target} {knobs} {workload}", tolerance)


def tolerance_of(algorithm: Algorithm[Any], workload: Conv2dWorkload, target: CompileTarget) -> float:
    """What results may be off: more for what is used only where fast is asked for, or by name."""
    return TOLERANCE if allows(STANDARD, algorithm.accuracy(workload, target)) else AMPLIFIED


def fitted(algorithm: Algorithm[Any], workload: Conv2dWorkload) -> Conv2dWorkload:
    """The workload; for algorithms of plain convolutions of one size alone the one that is most like it."""
    if not isinstance(algorithm, Winograd) or workload.storage != WHOLE:
        return workload
    top, left, bottom, right = workload.padding
    taps = algorithm.taps
    enough = (max(side, taps // 2) for side in (top, left, bottom, right))
    fits = workload.height + top + bottom >= taps and workload.width + left + right >= taps
    plain = {"kernel": (taps, taps), "strides": (1, 1), "dilation": (1, 1)}
    return replace(workload, **plain, padding=workload.padding if fits else tuple(enough))
