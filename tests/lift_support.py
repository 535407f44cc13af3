"""Points of ``lift`` computed on the OpenCL device at hand, several to one program."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import tvm
from support import assert_matches, operands, reference_conv2d

from tvm_directconv.algorithms.lift.knobs import LiftKnobs
from tvm_directconv.algorithms.lift.plan import LiftPlan
from tvm_directconv.devices.cuda import program_for
from tvm_directconv.devices.device_program import DeviceProgram
from tvm_directconv.devices.opencl import choose_device, opencl, queue_of
from tvm_directconv.devices.source import DeviceKernels, lower_kernels
from tvm_directconv.problem.element_types import numpy_type, rounded
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.gpu import resolve_gpu_target

POCL = resolve_gpu_target("opencl -machine=pocl")
MALI = resolve_gpu_target("opencl -device=mali -model=g72")
HALF_TOLERANCE = 2e-3


def build_nothing() -> None:
    """Build a program that does nothing for the device at hand. Raises what its compiler refuses that for."""
    queue = queue_of(choose_device())
    opencl().Program(queue.context, "kernel void nothing(void) {}").build()


def lowered(plans: Iterable[LiftPlan]) -> DeviceKernels:
    """Kernels of all plans in one source; functions are called by number."""
    plans = list(plans)
    functions = {
        f"layer{number}": plan.schedule(plan.compute()).with_attr("global_symbol", f"layer{number}")
        for number, plan in enumerate(plans)
    }
    return lower_kernels(tvm.IRModule(functions), plans[0].target.tvm_target)


def check_computed(plans: Iterable[LiftPlan]) -> None:
    """Each plan's result against the definition, and its kernels and bytes against what is launched."""
    plans = list(plans)
    kernels = lowered(plans)
    program = program_for(kernels)
    for number, plan in enumerate(plans):
        what = f"{plan.workload} {plan.knobs}"
        function = kernels.functions[f"layer{number}"]
        assert len(function.launches) == len(plan.kernels), what
        assert function.workspace_bytes == plan.workspace_bytes, what
        assert_matches(*computed(program, f"layer{number}", plan), what, tolerance(plan.workload))


def computed(program: DeviceProgram, function: str, plan: LiftPlan) -> tuple[np.ndarray, np.ndarray]:
    """What the device computes, where the output was NaN before, and what is right."""
    w = plan.workload
    data, weights, bias, residual = operands(w)
    data, weights = rounded(data, w.dtype), rounded(weights, w.dtype)
    residual = None if residual is None else rounded(residual, w.out_dtype)
    given = [array for array in (data, plan.pack(weights), bias, residual) if array is not None]
    unwritten = np.full(w.output_shape, np.nan, numpy_type(w.out_dtype))
    arrays, _ = program.call(function, [*given, unwritten])
    return arrays[-1].astype(np.float32), reference_conv2d(w, data, weights, bias, residual)


def tolerance(workload: Conv2dWorkload) -> float:
    return HALF_TOLERANCE if workload.is_half else 1e-5


def plan_of(descriptor: str, knobs: LiftKnobs, target=POCL) -> LiftPlan:
    return LiftPlan(Conv2dWorkload.parse(descriptor), target, knobs)
