"""Any algorithm on any workload it takes, against the float64 reference: in the layouts it runs in."""

from __future__ import annotations

from typing import Any

import numpy as np
import tvm
from layouts import from_layout, to_layout
from support import assert_matches, operands, reference_conv2d

from tvm_directconv.algorithms.base import Algorithm
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import CompileTarget


def build(
    algorithm: Algorithm, workload: Conv2dWorkload, target: CompileTarget, knobs: Any = None
) -> tuple[tvm.runtime.Executable, tuple[int, ...]]:
    """The compiled function ``conv2d`` of a workload in layouts the algorithm takes, and the shape it wants
    the filter in."""
    func = algorithm.compute(workload, target, knobs)
    shape = tuple(int(extent) for extent in func.params[1].shape)
    scheduled = algorithm.schedule(func, workload, target, knobs).with_attr("global_symbol", "conv2d")
    return tvm.compile(tvm.IRModule({"conv2d": scheduled}), target=target.tvm_target), shape


def run(
    algorithm: Algorithm,
    workload: Conv2dWorkload,
    target: CompileTarget,
    nhwc: tuple[np.ndarray | None, ...],
    knobs: Any = None,
) -> np.ndarray:
    """The output in NHWC, for operands in NHWC."""
    data, weights, bias, residual = nhwc
    assert data is not None and weights is not None
    executable, shape = build(algorithm, workload, target, knobs)
    given = [
        to_layout(data, workload.data_layout),
        algorithm.pack(workload, shape, weights),
        bias,
        None if residual is None else to_layout(residual, workload.out_layout),
        np.full(workload.output_shape, np.nan, np.float32),
    ]
    tensors = [tvm.runtime.tensor(array) for array in given if array is not None]
    executable.mod["conv2d"](*tensors)
    return from_layout(tensors[-1].numpy(), workload.out_layout, workload.out_channels)


def check(algorithm: Algorithm, workload: Conv2dWorkload, target: CompileTarget, knobs: Any = None) -> None:
    """The algorithm on random operands against the reference."""
    nhwc = workload.in_layouts("NHWC")
    arrays = operands(nhwc)
    got = run(algorithm, workload, target, arrays, knobs)
    assert_matches(got, reference_conv2d(nhwc, *arrays), f"{algorithm.NAME} {target} {knobs} {workload}")
