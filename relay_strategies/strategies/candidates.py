"""What a layer may be run as: every algorithm that takes it, with all its knobs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

from tvm import tirx

from tvm_directconv.algorithms import ALGORITHMS, BYTE_ALGORITHMS, Algorithm
from tvm_directconv.algorithms.accuracy import PORTABLE, allows
from tvm_directconv.errors import AlgorithmError, TuningError, nearest
from tvm_directconv.model.cost import Cost
from tvm_directconv.model.knobs import KnobSpace
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import CompileTarget

from .config_space import ConfigEntity, ConfigSpace, space_of_points
from .limits import NO_LIMITS, Limits
from .strategy import conv2d_strategy
from .templates import Template


@dataclass(frozen=True)
class Candidate:
    """One way to run a layer: an algorithm and its knobs."""

    algorithm: str
    knobs: Any

    def as_dict(self) -> dict[str, Any]:
        """Return it in JSON's types only."""
        of_template = isinstance(self.knobs, ConfigEntity)
        return {"algorithm": self.algorithm, "knobs": self.knobs.knobs if of_template else asdict(self.knobs)}


@dataclass(frozen=True)
class LayerSpace:
    """Everything there is to choose for one workload in its own layouts on one target.

    ``limits`` leave out what takes more, and what is not as exact.
    """

    workload: Conv2dWorkload
    target: CompileTarget
    limits: Limits = NO_LIMITS

    @cached_property
    def algorithms(self) -> dict[str, Algorithm[Any]]:
        """The algorithms that take the workload in its own layouts."""
        w = self.workload
        known: Mapping[str, Algorithm[Any]] = BYTE_ALGORITHMS if w.quantized else ALGORITHMS
        own = (w.data_layout, w.out_layout)
        return {
            name: algorithm
            for name, algorithm in known.items()
            if algorithm.layouts(w, self.target) == own
            and algorithm.applies(w)
            and allows(self.limits.accuracy, algorithm.accuracy(w, self.target))
            and algorithm.knob_spaces(w, self.target)
        }

    @cached_property
    def templates(self) -> dict[str, Template]:
        """The users' templates that take the workload in its own layouts. Tuners of templates draw from
        their spaces, which are too large to list, and others leave them alone."""
        w, own = self.workload, (self.workload.data_layout, self.workload.out_layout)
        offered = (i.algorithm for i in conv2d_strategy(w, self.target).implementations)
        found = (each for each in offered if isinstance(each, Template))
        return {each.name: each for each in found if each.layouts(w, self.target) == own}

    def config_space(self, algorithm: str) -> ConfigSpace:
        """Return the knobs of an algorithm or a template, with its name as AutoTVM's ConfigSpace has them.
        Raises TuningError for one that has none here."""
        if algorithm in self.templates:
            return self.templates[algorithm].config_space(self.workload, self.target)
        points = [asdict(c.knobs) for c in self.space_of if c.algorithm == algorithm]
        if not points:
            names = [*self.templates, *self.algorithms]
            raise TuningError(
                f"'{algorithm}' does not have knobs for {self.workload}{nearest(algorithm, names)}; those "
                f"that do are {', '.join(names)}"
            )
        return space_of_points(points)

    @cached_property
    def spaces(self) -> dict[str, KnobSpace]:
        """The spaces of knobs by name, one for each algorithm and micro-kernel."""
        found = (a.knob_spaces(self.workload, self.target) for a in self.algorithms.values())
        return {space.name: space for group in found for space in group}

    @cached_property
    def space_of(self) -> dict[Candidate, KnobSpace]:
        """Everything there is to choose, whatever it takes, each with the first space that has it."""
        found: dict[Candidate, KnobSpace] = {}
        for space in self.spaces.values():
            for knobs in space.points():
                found.setdefault(Candidate(space.algorithm, knobs), space)
        return found

    @cached_property
    def candidates(self) -> list[Candidate]:
        """All candidates within the budget, by estimated cycles, cheapest first. Raises TuningError where
        there are none."""
        if not self.space_of:
            raise TuningError(f"nothing to tune: no algorithm with knobs takes {self.workload} as it is")
        within = [candidate for candidate in self.space_of if self.allowed(candidate)]
        if not within:
            least = min(map(self._needs, self.space_of))
            reason = self.limits.refusal(*least)
            raise TuningError(f"nothing to tune: what takes least {reason}; {self.workload}")
        return sorted(within, key=lambda candidate: self.cost(candidate).total)

    @cached_property
    def analytical(self) -> Candidate:
        """Return what is used where no records are: the strategy's choice with the analytical model's knobs.

        Where no such choice is within the budget, it is the cheapest candidate by estimate.
        """
        strategy = conv2d_strategy(self.workload, self.target)
        own = [i for i in strategy.implementations if i.name in self.algorithms]
        try:
            chosen = replace(strategy, implementations=own).select(
                self.workload, self.target, limits=self.limits
            )
        except AlgorithmError:
            return self.candidates[0]
        return Candidate(chosen.name, self.analytical_knobs(chosen.name))

    def analytical_knobs(self, algorithm: str) -> Any:
        """Return an algorithm's knobs as its model sets them; None where it does not have such."""
        spaces = (space for space in self.spaces.values() if space.algorithm == algorithm)
        return next((space.analytical for space in spaces if space.analytical is not None), None)

    def allowed(self, candidate: Candidate) -> bool:
        """Return whether it is within the limits."""
        if self.limits.accuracy == PORTABLE and not self.plan(candidate).sums_in_order:
            return False
        if self.limits.workspace_bytes is None and self.limits.filter_bytes is None:
            return True
        return not self.limits.refusal(*self._needs(candidate))

    def _needs(self, candidate: Candidate) -> tuple[int, int]:
        """Return the bytes of workspace, and of the packed filter."""
        plan = self.plan(candidate)
        return plan.workspace_bytes, plan.packed_filter_bytes

    def plan(self, candidate: Candidate) -> Any:
        """Return what a candidate stands for, a KernelPlan or a template's."""
        if candidate.algorithm in self.templates:
            return self.templates[candidate.algorithm].plan(self.workload, self.target, candidate.knobs)
        return self.algorithms[candidate.algorithm].plan(self.workload, self.target, candidate.knobs)

    def cost(self, candidate: Candidate) -> Cost:
        """Return the analytical estimate."""
        return self.plan(candidate).cost()

    def workspace_bytes(self, candidate: Candidate) -> int:
        return self.plan(candidate).workspace_bytes

    def computed(self, candidate: Candidate) -> tirx.PrimFunc:
        """Return the unscheduled function of a candidate, from which its operands are known."""
        return self.plan(candidate).compute()

    def scheduled(self, candidate: Candidate) -> tirx.PrimFunc:
        """Return the function a candidate stands for, lowered to micro-kernel calls."""
        plan = self.plan(candidate)
        return plan.schedule(plan.compute())

    def candidate_from(self, record: Mapping[str, Any]) -> Candidate:
        """Return the candidate that ``Candidate.as_dict`` told of; TuningError for what is none here."""
        try:
            if record["algorithm"] in self.templates:
                space = self.config_space(record["algorithm"])
                return Candidate(record["algorithm"], space.point(record["knobs"]))
            for each in self.spaces.values():
                if each.algorithm == record["algorithm"]:
                    decisions = each.decisions(each.make(**record["knobs"]))
                    if decisions is not None:  # the space's own values: a record's 2.0 equals 2
                        return Candidate(each.algorithm, each.knobs(decisions))
        except (KeyError, TypeError, ValueError) as error:
            raise TuningError(f"'{json.dumps(dict(record))[:200]}' is not a schedule: {error}") from None
        raise TuningError(f"'{json.dumps(dict(record))[:200]}' is not a schedule of {self.workload}")
