"""The algorithm ``lift`` as strategies, tuners and reports know it; for GPU targets alone."""

from __future__ import annotations

from typing import Any

from tvm_directconv.algorithms.base import Planner
from tvm_directconv.errors import AlgorithmError
from tvm_directconv.problem.element_types import FLOAT32
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.gpu import GpuTarget

from .choice import analytical
from .knobs import LiftKnobs
from .plan import LiftPlan
from .space import LiftSpace


class Lift(Planner[LiftKnobs]):
    """Direct convolution on GPUs: any kernel, strides, padding, dilation, channels and groups."""

    name = "lift"
    needs = "NHWC data in float32 or float16, and a GPU target"

    def layouts(self, workload: Conv2dWorkload, target: Any) -> tuple[str, str]:
        return "NHWC", "NHWC"

    def applies(self, workload: Conv2dWorkload) -> bool:
        in_place = workload.data_layout == workload.out_layout == "NHWC"
        return in_place and workload.dtype in (FLOAT32, "float16")

    def make_plan(self, workload: Conv2dWorkload, target: Any, knobs: LiftKnobs | None) -> LiftPlan:
        """``plan`` of a workload that the algorithm takes. Raises ParameterError for knobs that violate a
        constraint."""
        if not isinstance(target, GpuTarget):
            raise AlgorithmError(f"{self.name} needs {self.needs}; the target is {target}")
        if knobs is None:
            return LiftPlan(workload, target, analytical(workload, target.machine))
        LiftSpace(workload, target.machine).check(knobs)
        return LiftPlan(workload, target, knobs)

    def space(self, workload: Conv2dWorkload, target: GpuTarget) -> LiftSpace:
        """Return all points of a workload on a target."""
        return LiftSpace(workload, target.machine)
