"""What a layer may be run as on a GPU: the points of ``lift``, which are too many to list.

Beside candidates.py, which has the CPUs' spaces; records and tuners ask either the same.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tvm_directconv.algorithms.lift.knobs import LiftKnobs
from tvm_directconv.algorithms.lift.plan import LiftPlan
from tvm_directconv.algorithms.lift.space import LiftSpace
from tvm_directconv.errors import ParameterError, TuningError
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.gpu import GpuTarget
from tvm_directconv.targets.target import CompileTarget

from .candidates import Candidate, LayerSpace
from .gpu import LIFT
from .limits import NO_LIMITS, Limits


@dataclass(frozen=True)
class DeviceSpace:
    """Everything that ``lift`` may do with one workload on one GPU target, within ``limits``."""

    workload: Conv2dWorkload
    target: GpuTarget
    limits: Limits = NO_LIMITS

    @cached_property
    def points(self) -> LiftSpace:
        return LIFT.space(self.workload, self.target)

    @cached_property
    def analytical(self) -> Candidate:
        """Return what is used where no records are, whatever it takes."""
        return Candidate(LIFT.name, LIFT.make_plan(self.workload, self.target, None).knobs)

    def analytical_knobs(self, algorithm: str) -> LiftKnobs | None:
        """Return what the model sets an algorithm's knobs to, None where it has none."""
        return self.analytical.knobs if algorithm == LIFT.name else None

    def allowed(self, candidate: Candidate) -> bool:
        """Return whether it is within the limits."""
        return not self.refusal(candidate)

    def refusal(self, candidate: Candidate) -> str:
        """Return which limit it is beyond, "" where none."""
        plan = self.plan(candidate)
        return self.limits.refusal(plan.workspace_bytes, plan.packed_filter_bytes)

    def plan(self, candidate: Candidate) -> LiftPlan:
        """Return what a candidate stands for; it satisfies the constraints."""
        return LiftPlan(self.workload, self.target, candidate.knobs)

    def workspace_bytes(self, candidate: Candidate) -> int:
        return self.plan(candidate).workspace_bytes

    def candidate_from(self, record: Mapping[str, Any]) -> Candidate:
        """Return the candidate that ``Candidate.as_dict`` told of; TuningError for what is none here."""
        text, given = json.dumps(dict(record))[:200], record["knobs"]
        if record["algorithm"] != LIFT.name or not LIFT.takes(self.workload):
            raise TuningError(f"'{text}' is not a schedule of {self.workload}")
        types: Mapping[str, str] = LiftKnobs.__annotations__
        if {name: type(value).__name__ for name, value in given.items()} != types:
            raise TuningError(f"'{text}' does not have the parameters of {LIFT.name}")
        knobs = LiftKnobs(**given)
        try:
            self.points.check(knobs)
        except ParameterError as error:
            raise TuningError(str(error)) from None
        return Candidate(LIFT.name, knobs)


AnySpace = LayerSpace | DeviceSpace


def space_of_layer(
    workload: Conv2dWorkload, target: CompileTarget | GpuTarget, limits: Limits = NO_LIMITS
) -> AnySpace:
    """Return everything there is to choose for a workload in its own layouts on a CPU or a GPU."""
    if isinstance(target, GpuTarget):
        return DeviceSpace(workload, target, limits)
    return LayerSpace(workload, target, limits)
