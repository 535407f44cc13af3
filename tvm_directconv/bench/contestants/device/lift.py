"""``lift``: at the point that its model chooses, or at the best that ``tune`` recorded."""

from __future__ import annotations

import numpy as np

from relay_strategies.strategies.gpu import LIFT as ALGORITHM
from relay_strategies.strategies.records import Records, recorded_workload
from tvm_directconv.algorithms.lift.knobs import LiftKnobs
from tvm_directconv.bench.contestants.base import CannotSolve, Prepared
from tvm_directconv.bench.problems import LayerProblem
from tvm_directconv.devices.source import lower_kernels
from tvm_directconv.problem.workload import Conv2dWorkload

from .base import BYTES_OF, DeviceContestant, by_events, memory_facts, output_shape

LIFT, TUNED = "lift", "lift-tuned"


class Lift(DeviceContestant):
    name = LIFT

    def prepare_layer(self, problem: LayerProblem) -> Prepared:
        workload = recorded_workload(problem.workload.in_layouts("NHWC", "NHWC"))
        plan = ALGORITHM.make_plan(workload, self.target, self.point(workload))
        packed = plan.pack(problem.filter)
        program = self.program(lower_kernels(plan.schedule(plan.compute()), self.target.tvm_target))
        shape = output_shape(workload)
        buffers, launches = program.load("main", [problem.data, packed, np.full(shape, np.nan, np.float32)])
        facts = memory_facts(problem, plan.workspace_bytes, packed.nbytes)
        facts |= {BYTES_OF + name: size for name, size in plan.written_bytes.items()}
        facts["point"] = " ".join(f"{name}={value}" for name, value in plan.describe().items())
        return by_events(
            launches, plan.kernels, lambda: [program.download(buffers[-1], shape, np.float32)], facts
        )

    def point(self, workload: Conv2dWorkload) -> LiftKnobs | None:
        """Return the point to run; None for the model's choice."""
        return None


class TunedLift(Lift):
    name = TUNED

    def available(self) -> str | None:
        return super().available() or (None if self.records else "no records of tune are given")

    def point(self, workload: Conv2dWorkload) -> LiftKnobs:
        assert self.records is not None
        found = Records.load(self.records, must_exist=True).choice(workload, self.target)
        if found is None:
            raise CannotSolve("no records of this layer")
        return found[1]
