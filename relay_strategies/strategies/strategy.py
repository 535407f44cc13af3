"""Operator strategies, as TVM's Relay had them: which implementations a target offers, and which one to use.

A strategy function maps (workload, target) to an OpStrategy, a list of OpImplementations. Functions are
registered per target key; the first of the target's keys that has one decides, else ``generic``. Users add
their own implementation from outside the package:

    @conv2d_strategy.register("x86", override=True)
    def mine(workload, target):
        strategy = conv2d_strategy_generic(workload, target)
        strategy.add_implementation(my_compute, my_schedule, name="mine", plevel=20)
        return strategy
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tvm_directconv.algorithms.accuracy import BY_NAME, EXACT, PORTABLE, allows
from tvm_directconv.algorithms.base import Conv2dImplementation, Plan, Planner
from tvm_directconv.errors import AlgorithmError, nearest
from tvm_directconv.model.cost import Cost, copy_cycles
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.gpu import GpuTarget
from tvm_directconv.targets.target import CompileTarget

from .limits import NO_LIMITS, Limits
from .operands import check_function
from .target_functions import TargetFunctions
from .templates import TEMPLATES, Template
from .user_functions import Compute, FunctionAlgorithm, ScheduleFunction

AUTO = "auto"
"""The algorithm name that leaves the choice to priority levels, and among equals to estimated cost."""

TIE = 1.02
"""Estimates closer than this say nothing: the model is off by more."""

LAYOUT_GAIN = 0.9
"""Changes of layout are estimated as those of what lies in no cache, and others take less: what saves them is
taken where it is estimated to be faster by a tenth."""


@dataclass(frozen=True)
class OpImplementation:
    """One way to compute and schedule an operator. Of those of highest ``plevel`` the cheapest is used."""

    algorithm: Planner[Any] | FunctionAlgorithm | Template
    plevel: int

    @property
    def name(self) -> str:
        return self.algorithm.name

    def native(self, workload: Conv2dWorkload, target: CompileTarget) -> Conv2dWorkload:
        """The workload in the layouts this implementation runs it in."""
        algorithm = self.algorithm
        if isinstance(algorithm, FunctionAlgorithm):
            return workload.in_layouts(*algorithm.layouts_of(workload, target))
        return workload.in_layouts(*algorithm.layouts(workload, target))

    def plan(self, workload: Conv2dWorkload, target: CompileTarget, knobs: Any = None) -> Plan:
        """The workload in those layouts, with ``knobs`` or those that the algorithm's model chooses."""
        return self.algorithm.plan(self.native(workload, target), target, knobs)

    def accuracy(self, workload: Conv2dWorkload, target: CompileTarget) -> str:
        """Return how exact its results are; functions of a user's are taken to be as the definition."""
        if isinstance(self.algorithm, FunctionAlgorithm | Template):
            return EXACT
        return self.algorithm.accuracy(self.native(workload, target), target)

    def is_as_exact(self, asked: str, workload: Conv2dWorkload, target: CompileTarget) -> bool:
        """Return whether it may be chosen where that accuracy is asked for."""
        if not allows(asked, self.accuracy(workload, target)):
            return False
        return asked != PORTABLE or self.plan(workload, target).sums_in_order

    def filter_bytes(self, workload: Conv2dWorkload, target: CompileTarget) -> int:
        """Return the bytes of the packed filter."""
        return self.plan(workload, target).packed_filter_bytes

    def refusal(self, workload: Conv2dWorkload, target: CompileTarget, limits: Limits) -> str:
        """Why no choice within the limits takes it; "" where one may."""
        if not self.is_as_exact(limits.accuracy, workload, target):
            offered = self.accuracy(workload, target)
            return "used only by name" if offered == BY_NAME else f"for accuracy {offered}"
        needs = self.workspace(workload, target), self.filter_bytes(workload, target)
        return limits.refusal(*needs) if limits != Limits(accuracy=limits.accuracy) else ""

    def workspace(self, workload: Conv2dWorkload, target: CompileTarget) -> int:
        """Return the bytes beyond input, output and packed filter: the algorithm's, and those of copies in
        its own layouts."""
        plan = self.plan(workload, target)
        return plan.workspace_bytes + sum(layout_copies(workload, plan.workload).values())

    def estimate(self, workload: Conv2dWorkload, target: Any, knobs: Any = None) -> Cost | None:
        """Return the estimated cycles, changes of layout on CPUs included; None ranks behind any estimate."""
        plan = self.plan(workload, target, knobs)
        cost = plan.cost()
        copies = layout_copies(workload, plan.workload).values()
        if cost is None or not copies or isinstance(target, GpuTarget):
            return cost
        return replace(cost, layout=copy_cycles(target.machine, copies))

    def build(
        self, workload: Conv2dWorkload, target: CompileTarget, knobs: Any = None
    ) -> Conv2dImplementation:
        """The workload, computed and scheduled, in the layouts of ``native``."""
        plan = self.plan(workload, target, knobs)
        built = plan.implement(self.name, self.estimate(workload, target, knobs))
        check_function(self.name, "schedule", built.prim_func, built.workload, packs=True)
        return built


def layout_copies(workload: Conv2dWorkload, native: Conv2dWorkload) -> dict[str, int]:
    """Return the bytes of the copies ("data", "residual", "output") that it takes to run ``native`` instead
    of the same convolution ``workload``."""
    copies = {}
    if workload.data_layout != native.data_layout:
        copies["data"] = native.element_bytes * math.prod(native.input_shape)
    if workload.out_layout != native.out_layout:
        copies["output"] = native.out_bytes * math.prod(native.output_shape)
        if workload.epilogue.residual:
            copies["residual"] = copies["output"]
    return copies


@dataclass
class OpStrategy:
    """The implementations a target offers for one workload."""

    implementations: list[OpImplementation] = field(default_factory=list)

    def add_implementation(
        self,
        compute: Compute,
        schedule: ScheduleFunction,
        name: str,
        plevel: int = 10,
        **details: Any,
    ) -> None:
        """Add functions of a user's; ``details`` are FunctionAlgorithm's remaining fields.

        Raises AlgorithmError for a name that is taken: by it layers say what computes them.
        """
        self._add(FunctionAlgorithm(compute, schedule, name, **details), plevel)

    def add_template(self, template: Template) -> None:
        """Add a user's template. Raises AlgorithmError for a name that is taken."""
        self._add(template, template.plevel)

    def _add(self, algorithm: FunctionAlgorithm | Template, plevel: int) -> None:
        if algorithm.name in (AUTO, *(implementation.name for implementation in self.implementations)):
            raise AlgorithmError(
                f"the strategy has an algorithm '{algorithm.name}' already; give yours another name"
            )
        self.implementations.append(OpImplementation(algorithm, plevel))

    def add_algorithm(self, algorithm: Planner[Any], workload: Conv2dWorkload, target: Any) -> None:
        """Add one of this library's algorithms if it applies to the workload."""
        implementation = OpImplementation(algorithm, algorithm.plevel)
        if algorithm.takes(implementation.native(workload, target)):
            self.implementations.append(implementation)

    def estimates(
        self, workload: Conv2dWorkload, target: CompileTarget, accuracy: str | None = EXACT
    ) -> dict[str, float]:
        """Total estimated cycles of each implementation that has an estimate, and may be chosen where
        ``accuracy`` is asked for; of all with None."""
        asked = [
            i for i in self.implementations if accuracy is None or i.is_as_exact(accuracy, workload, target)
        ]
        costs = {i.name: i.estimate(workload, target) for i in asked}
        return {name: cost.total for name, cost in costs.items() if cost is not None}

    def compared(
        self,
        chosen: Conv2dImplementation,
        workload: Conv2dWorkload,
        target: CompileTarget,
        limits: Limits = NO_LIMITS,
    ) -> Conv2dImplementation:
        """Return the choice for the workload with the estimates of all implementations that are exact enough,
        and why some were not to be chosen."""
        others = (i for i in self.implementations if i.name != chosen.name)
        refusals = {i.name: i.refusal(workload, target, limits) for i in others}
        return replace(
            chosen,
            estimates=self.estimates(workload, target, limits.accuracy),
            refusals={name: reason for name, reason in refusals.items() if reason},
        )

    def select(
        self,
        workload: Conv2dWorkload,
        target: CompileTarget,
        algorithm: str = AUTO,
        limits: Limits = NO_LIMITS,
    ) -> OpImplementation:
        """Return the implementation named ``algorithm``, or choose one.

        The choice is among those of the highest priority within the limits: of those whose estimates are
        within ``TIE`` of the cheapest, the one with the least workspace.

        Raises AlgorithmError when there is none, saying what the least would be.
        """
        names = [implementation.name for implementation in self.implementations]
        if algorithm != AUTO and algorithm not in names:
            raise AlgorithmError(
                f"algorithm '{algorithm}' is unknown or does not apply to {workload}"
                f"{nearest(algorithm, names)}; available: {', '.join([AUTO, *names])}"
            )
        candidates = [c for c in self.implementations if algorithm in (AUTO, c.name)]
        if algorithm == AUTO:
            candidates = [c for c in candidates if c.is_as_exact(limits.accuracy, workload, target)]
        if not candidates:
            raise AlgorithmError(f"no algorithm applies to {workload}")
        for what, most, needed in (
            ("workspace", limits.workspace_bytes, OpImplementation.workspace),
            ("packed filter", limits.filter_bytes, OpImplementation.filter_bytes),
        ):
            if most is not None:
                needs = {c.name: needed(c, workload, target) for c in candidates}
                candidates = _within_budget(candidates, needs, what, most, workload)
        if len(candidates) == 1:
            return candidates[0]
        level = max(candidate.plevel for candidate in candidates)
        best = [candidate for candidate in candidates if candidate.plevel == level]
        totals = [_total(candidate.estimate(workload, target)) for candidate in best]
        near = [c for c, total in zip(best, totals, strict=True) if total <= TIE * min(totals)]
        # Of equals, the first.
        return min(near, key=lambda candidate: candidate.workspace(workload, target))

    def gains_by(
        self,
        edges: Conv2dWorkload,
        offered: Conv2dWorkload,
        target: CompileTarget,
        algorithm: str = AUTO,
        limits: Limits = NO_LIMITS,
    ) -> bool:
        """Return whether an implementation that takes a layout of ``edges``, which ``offered`` does not have,
        is the cheapest by more than ``LAYOUT_GAIN``: changes to the layouts of ``offered`` count for all
        others. If an algorithm is named, return whether that one takes such a layout."""

        def takes(implementation: OpImplementation) -> bool:
            native = implementation.native(edges, target)
            sides = (
                (native.data_layout, edges.data_layout, offered.data_layout),
                (native.out_layout, edges.out_layout, offered.out_layout),
            )
            changes_none = all(taken in (edge, plain) for taken, edge, plain in sides)
            return changes_none and any(taken == edge != plain for taken, edge, plain in sides)

        if algorithm != AUTO:
            return any(takes(each) for each in self.implementations if each.name == algorithm)
        best = self.select(edges, target, limits=limits)
        if not takes(best):
            return False
        other = self.select(offered, target, limits=limits)
        costs = (_total(each.estimate(edges, target)) for each in (best, other))
        return next(costs) < LAYOUT_GAIN * next(costs)


def _within_budget(
    candidates: list[OpImplementation],
    needs: Mapping[str, int],
    what: str,
    budget: int,
    workload: Conv2dWorkload,
) -> list[OpImplementation]:
    least = min(needs, key=lambda name: needs[name])
    if needs[least] > budget:
        changes = ", changes of layout included," if what == "workspace" else ""
        raise AlgorithmError(
            f"no more than {budget} bytes of {what} are allowed, and {least} "
            f"takes {needs[least]}{changes} for {workload}"
        )
    return [c for c in candidates if needs[c.name] <= budget]


def _total(cost: Cost | None) -> float:
    return math.inf if cost is None else cost.total


StrategyFunction = Callable[[Conv2dWorkload, Any], OpStrategy]
"""A function of a workload and a resolved target, a CPU's or a GPU's."""


class GenericStrategy(TargetFunctions[StrategyFunction]):
    """The strategy of convolutions. Those that it has ``kinds`` for, which cover a part of them, are the
    kind's where that has a function for the target."""

    def __init__(
        self, operator: str, covers: Callable[[Conv2dWorkload], bool] = lambda workload: True
    ) -> None:
        super().__init__(operator)
        self.covers = covers
        self.kinds: list[GenericStrategy] = []

    def __call__(self, workload: Conv2dWorkload, target: Any) -> OpStrategy:
        """Return what the target's function offers for a workload, and the templates registered for it."""
        strategy = self.asked(workload, target).function_of(target)(workload, target)
        for kind in (self, *self.kinds):
            for template in TEMPLATES.get(kind.operator, {}).values():
                if kind.covers(workload) and template.offered(workload, target):
                    strategy.add_template(template)
        return strategy

    def asked(self, workload: Conv2dWorkload, target: Any) -> GenericStrategy:
        """Return the strategy whose function decides: a kind's, or this one."""
        return next((kind for kind in self.kinds if kind.has(target) and kind.covers(workload)), self)


conv2d_strategy = GenericStrategy("conv2d")
"""The strategy of 2-D convolutions; dense layers are 1x1 convolutions."""


def implement_conv2d(
    workload: Conv2dWorkload,
    target: CompileTarget,
    algorithm: str = AUTO,
    limits: Limits = NO_LIMITS,
    knobs: Any = None,
) -> Conv2dImplementation:
    """The workload by the named algorithm, or by the one the target's strategy prefers, with ``knobs`` or
    those of its model. The result's workload says in which layouts it runs."""
    strategy = conv2d_strategy(workload, target)
    selected = strategy.select(workload, target, algorithm, limits)
    chosen = selected.build(workload, target, knobs)
    return strategy.compared(chosen, workload, target, limits)
