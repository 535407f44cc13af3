"""Design spaces for MetaSchedule: knobs as sampled decisions on a module that stands for the layer.

A schedule here holds decisions only: one annotation names the space (algorithm and micro-kernel), one for
each knob has its sampled value. Padding, packed layouts and tensor intrinsics follow from the knobs, and are
made from them where a candidate is built (measure.py); so traces replay whatever a decision changes, and
records outlive changes of schedules and generated code.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property

import tvm
from tvm import te, tirx
from tvm.s_tir import Schedule
from tvm.s_tir import meta_schedule as ms

from relay_strategies.strategies.candidates import Candidate, LayerSpace
from relay_strategies.strategies.limits import Limits
from tvm_directconv.algorithms.accuracy import FAST
from tvm_directconv.errors import TuningError
from tvm_directconv.model.knobs import KnobSpace
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import resolve_target

PREFIX = "directconv."
SPACE, WORKLOAD, TARGET = PREFIX + "space", PREFIX + "workload", PREFIX + "target"


@dataclass(frozen=True)
class Designs:
    """MetaSchedule's view of a layer's space."""

    space: LayerSpace

    @cached_property
    def module(self) -> tvm.IRModule:
        """The module that stands for the layer, which its attributes name; it is decided on and not built."""
        data = te.placeholder((1,), name="data")
        func = te.create_prim_func([data, te.compute((1,), lambda i: data[i], name="layer")])
        named = {WORKLOAD: str(self.space.workload), TARGET: str(self.space.target)}
        return tvm.IRModule({"main": func.with_attrs({"global_symbol": "main", **named})})

    def designs(self) -> list[Schedule]:
        """Return one schedule for each space, its decisions sampled."""
        return [self._design(space) for space in self.space.spaces.values()]

    def schedule(self, candidate: Candidate) -> Schedule:
        """Return the schedule whose decisions are the candidate's."""
        space = self.space.space_of.get(candidate)
        if space is None:
            raise TuningError(f"{candidate} is in no space of {self.space.workload}")
        return self._design(space, space.decisions(candidate.knobs))

    def _design(self, space: KnobSpace, decisions: Mapping[str, int] | None = None) -> Schedule:
        schedule = Schedule(self.module)
        root = schedule.get_sblock("root")
        schedule.annotate(root, SPACE, space.name)
        for name, values in space.choices.items():
            every = list(range(len(values)))
            decision = None if decisions is None else decisions[name]
            chosen = schedule.sample_categorical(every, [1 / len(every)] * len(every), decision)
            schedule.annotate(root, PREFIX + name, chosen)
        return schedule

    def candidate_of(self, module: tvm.IRModule) -> Candidate:
        """Return what a schedule's module stands for."""
        annotations = module["main"].body.block.annotations
        space = self.space.spaces[str(annotations[SPACE])]
        decisions = {name: int(annotations[PREFIX + name]) for name in space.choices}
        return Candidate(space.algorithm, space.knobs(decisions))

    def arguments(self, candidate: Candidate) -> list[ms.arg_info.ArgInfo]:
        """Return types and shapes of the operands of a candidate's function, for a runner to allocate."""
        return arguments_of(self.space.computed(candidate))


def arguments_of(func: tirx.PrimFunc) -> list[ms.arg_info.ArgInfo]:
    """Return types and shapes of a function's operands, for a runner to allocate."""
    return [ms.arg_info.TensorInfo(str(p.dtype), [int(extent) for extent in p.shape]) for p in func.params]


def is_design(module: tvm.IRModule) -> bool:
    """Return whether a module is a schedule's that holds decisions only."""
    attributes = module["main"].attrs
    return attributes is not None and WORKLOAD in attributes


def designs_of(module: tvm.IRModule) -> Designs:
    """Return the designs that a schedule's module is one of."""
    attributes = module["main"].attrs
    return _named(str(attributes[WORKLOAD]), str(attributes[TARGET]))


@cache
def _named(workload: str, target: str) -> Designs:
    return Designs(LayerSpace(Conv2dWorkload.parse(workload), resolve_target(target), Limits(accuracy=FAST)))
