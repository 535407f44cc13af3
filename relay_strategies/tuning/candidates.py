"""Design spaces for MetaSchedule: an algorithm's knobs as sampled decisions on the layer's plain definition.

A schedule of MetaSchedule here holds decisions only: one annotation names the space (algorithm and
micro-kernel), one for each knob has its sampled value. Padding, packed layouts and tensor intrinsics follow
from the knobs, and are made from them where a candidate is built (measure.py); so traces replay whatever a
decision changes, and records outlive changes of schedules and generated code.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import tvm
from tvm import te, tirx
from tvm.s_tir import Schedule
from tvm.s_tir import meta_schedule as ms

from tvm_directconv.algorithms import ALGORITHMS, BYTE_ALGORITHMS, Algorithm
from tvm_directconv.cost import Cost
from tvm_directconv.errors import TuningError
from tvm_directconv.knobs import KnobSpace
from tvm_directconv.target import CompileTarget, resolve_target
from tvm_directconv.workload import Conv2dWorkload, index

from ..strategy import conv2d_strategy

PREFIX = "directconv."
SPACE, WORKLOAD, TARGET = PREFIX + "space", PREFIX + "workload", PREFIX + "target"


@dataclass(frozen=True)
class Candidate:
    """One way to run a layer: an algorithm and its knobs."""

    algorithm: str
    knobs: Any

    def as_dict(self) -> dict[str, Any]:
        """JSON's types only."""
        return {"algorithm": self.algorithm, "knobs": asdict(self.knobs)}


@dataclass(frozen=True)
class LayerSpace:
    """Everything a tuner may choose for one workload in its own layouts on one target.

    ``max_workspace_bytes`` leaves out what takes more; None: nothing.
    """

    workload: Conv2dWorkload
    target: CompileTarget
    max_workspace_bytes: int | None = None

    @cached_property
    def algorithms(self) -> dict[str, Algorithm]:
        """Those that take the workload in its own layouts."""
        w = self.workload
        known: Mapping[str, Algorithm] = BYTE_ALGORITHMS if w.quantized else ALGORITHMS
        own = (w.data_layout, w.out_layout)
        return {
            name: algorithm
            for name, algorithm in known.items()
            if algorithm.layouts(w, self.target) == own and algorithm.applies(w)
        }

    @cached_property
    def spaces(self) -> dict[str, KnobSpace]:
        """By name: one for each algorithm and micro-kernel."""
        found = (a.knob_spaces(self.workload, self.target) for a in self.algorithms.values())
        return {space.name: space for group in found for space in group}

    @cached_property
    def candidates(self) -> list[Candidate]:
        """All of them, by estimated cycles, cheapest first."""
        known = [Candidate(s.algorithm, knobs) for s in self.spaces.values() for knobs in s.points()]
        within = [c for c in dict.fromkeys(known) if self.allowed(c)]
        if not within:
            raise TuningError(f"nothing to tune within {self.max_workspace_bytes} bytes: {self.workload}")
        return sorted(within, key=lambda candidate: self.cost(candidate).total)

    @cached_property
    def analytical(self) -> Candidate:
        """What is used untuned: the strategy's choice with the analytical model's knobs."""
        strategy = conv2d_strategy(self.workload, self.target)
        own = [i for i in strategy.implementations if i.name in self.algorithms]
        chosen = replace(strategy, implementations=own).select(
            self.workload, self.target, max_workspace_bytes=self.max_workspace_bytes
        )
        known = (s for s in self.spaces.values() if s.algorithm == chosen.name and s.analytical is not None)
        return Candidate(chosen.name, next(known).analytical)

    def allowed(self, candidate: Candidate) -> bool:
        """Whether its workspace is within the budget."""
        budget = self.max_workspace_bytes
        return budget is None or self.workspace_bytes(candidate) <= budget

    def cost(self, candidate: Candidate) -> Cost:
        """The analytical estimate."""
        return self._of(candidate).cost(self.workload, self.target, candidate.knobs)

    def workspace_bytes(self, candidate: Candidate) -> int:
        return self._of(candidate).workspace_bytes(self.workload, self.target, candidate.knobs)

    def scheduled(self, candidate: Candidate) -> tirx.PrimFunc:
        """The function a candidate stands for, lowered to micro-kernel calls."""
        algorithm, w = self._of(candidate), self.workload
        func = algorithm.compute(w, self.target, candidate.knobs)
        return algorithm.schedule(func, w, self.target, candidate.knobs)

    def arguments(self, candidate: Candidate) -> list[ms.arg_info.ArgInfo]:
        """Types and shapes of that function's operands, for a runner to allocate."""
        func = self._of(candidate).compute(self.workload, self.target, candidate.knobs)
        return [
            ms.arg_info.TensorInfo(str(p.dtype), [int(extent) for extent in p.shape]) for p in func.params
        ]

    def candidate_from(self, record: Mapping[str, Any]) -> Candidate:
        """The inverse of ``Candidate.as_dict``; TuningError for what is no candidate of this layer."""
        try:
            knobs = record["knobs"]
            for space in self.spaces.values():
                if space.algorithm == record["algorithm"]:
                    candidate = Candidate(space.algorithm, space.make(**knobs))
                    self.workspace_bytes(candidate)
                    return candidate
        except (KeyError, TypeError, ValueError) as error:
            raise TuningError(f"'{json.dumps(dict(record))[:200]}' is no schedule: {error}") from None
        raise TuningError(f"algorithm '{record['algorithm']}' does not apply to {self.workload}")

    def _of(self, candidate: Candidate) -> Algorithm:
        return self.algorithms[candidate.algorithm]

    # ---- MetaSchedule's view

    @cached_property
    def module(self) -> tvm.IRModule:
        """The layer's definition, on which schedules decide."""
        func = _definition(self.workload).with_attr("global_symbol", "main")
        func = func.with_attr(WORKLOAD, str(self.workload)).with_attr(TARGET, str(self.target))
        return tvm.IRModule({"main": func})

    def designs(self) -> list[Schedule]:
        """One schedule for each space, its decisions sampled."""
        return [self._design(space) for space in self.spaces.values()]

    def schedule(self, candidate: Candidate) -> Schedule:
        """The schedule whose decisions are the candidate's."""
        for space in self.spaces.values():
            decisions = space.decisions(candidate.knobs)
            if decisions is not None and space.algorithm == candidate.algorithm:
                return self._design(space, decisions)
        raise TuningError(f"{candidate} is in no space of {self.workload}")

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
        """What a schedule's module stands for."""
        annotations = module["main"].body.block.annotations
        space = self.spaces[str(annotations[SPACE])]
        decisions = {name: int(annotations[PREFIX + name]) for name in space.choices}
        return Candidate(space.algorithm, space.knobs(decisions))


def space_of(module: tvm.IRModule) -> LayerSpace:
    """The space that a schedule's module was made in."""
    attributes = module["main"].attrs
    workload = Conv2dWorkload.parse(str(attributes[WORKLOAD]))
    return LayerSpace(workload, resolve_target(str(attributes[TARGET])))


def unmeasured(space: LayerSpace, measured: Mapping[Candidate, Any]) -> Iterator[Candidate]:
    """Candidates without a measurement, cheapest estimate first."""
    return (candidate for candidate in space.candidates if candidate not in measured)


def _definition(workload: Conv2dWorkload) -> tirx.PrimFunc:
    """The bare convolution in TE, (data, filter, output), from which MetaSchedule knows the layer."""
    w = workload
    data = te.placeholder(w.input_shape, w.dtype, name="data")
    weights = te.placeholder(w.filter_shape, "int8" if w.quantized else w.dtype, name="filter")
    total = "int32" if w.quantized else w.dtype
    top, left, _, _ = w.padding
    group_in, group_out = w.in_channels // w.groups, w.out_channels // w.groups
    ic, kh, kw = (te.reduce_axis((0, extent)) for extent in (group_in, *w.kernel))

    def product(n: tirx.Var, y: tirx.Var, x: tirx.Var, oc: tirx.Var) -> tirx.Expr:
        row = y * w.strides[0] + kh * w.dilation[0] - top
        column = x * w.strides[1] + kw * w.dilation[1] - left
        channel = oc // group_out * group_in + ic
        inside = tirx.all(row >= 0, row < w.height, column >= 0, column < w.width)
        value = tirx.Cast(total, data(*index(w.data_layout, n, row, column, channel)))
        at = {"O": oc, "I": ic, "H": kh, "W": kw}
        tap = tirx.Cast(total, weights(*(at[axis] for axis in w.filter_layout)))
        return te.sum(tirx.if_then_else(inside, value * tap, tirx.const(0, total)), axis=[ic, kh, kw])

    shape = (w.batch, w.out_height, w.out_width, w.out_channels)
    return te.create_prim_func([data, weights, te.compute(shape, product, name="conv")])
