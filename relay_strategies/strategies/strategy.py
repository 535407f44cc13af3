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

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from tvm import tirx

from tvm_directconv.algorithms.base import Algorithm, Conv2dImplementation
from tvm_directconv.algorithms.lowering import called_kernels
from tvm_directconv.errors import AlgorithmError, nearest
from tvm_directconv.model.cost import Cost, copy_cycles
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import CompileTarget

AUTO = "auto"
"""The algorithm name that leaves the choice to priority levels, and among equals to estimated cost."""

TIE = 1.02
"""Estimates closer than this say nothing: the model is off by more."""

Compute = Callable[[Conv2dWorkload, CompileTarget], tirx.PrimFunc]
"""Unscheduled PrimFunc (data, filter[, bias][, residual], output) of a workload."""
ScheduleFunction = Callable[[tirx.PrimFunc, Conv2dWorkload, CompileTarget], tirx.PrimFunc]
"""Its scheduled form."""
Pack = Callable[[Conv2dWorkload, tuple[int, ...], np.ndarray], np.ndarray]
"""(workload, packed shape, filter) -> packed filter."""
PackFunc = Callable[[Conv2dWorkload, tuple[int, ...]], tirx.PrimFunc]
"""(workload, packed shape) -> PrimFunc (filter, packed)."""
BiasTable = Callable[[Conv2dWorkload, CompileTarget, np.ndarray, np.ndarray | None], np.ndarray]
"""(quantized workload, target, filter less its zero point, int32 bias or None) -> what sums start from."""
Describe = Callable[[Conv2dWorkload, CompileTarget], Mapping[str, Any]]


@dataclass(frozen=True)
class OpImplementation:
    """One way to compute and schedule an operator. Of those of highest ``plevel`` the cheapest is used.

    ``layouts`` says in which (data_layout, out_layout) it runs a workload, None: in the workload's own; the
    functions get it in these. ``pack`` None: the filter is taken in the workload's own layout, unpacked.
    ``workspace_bytes`` is what the schedule allocates beyond input, output and packed filter, or a function
    saying so. ``cost`` estimates the cycles of a call; None ranks behind any estimate.
    """

    compute: Compute
    schedule: ScheduleFunction
    name: str
    plevel: int
    pack: Pack | None = None
    pack_func: PackFunc | None = None
    describe: Describe | None = None
    workspace_bytes: int | Callable[[Conv2dWorkload, CompileTarget], int] = 0
    layouts: Callable[[Conv2dWorkload, CompileTarget], tuple[str, str]] | None = None
    cost: Callable[[Conv2dWorkload, CompileTarget], Cost] | None = None
    bias_table: BiasTable | None = None

    def native(self, workload: Conv2dWorkload, target: CompileTarget) -> Conv2dWorkload:
        """The workload in the layouts this implementation runs it in."""
        return workload.in_layouts(*self.layouts(workload, target)) if self.layouts else workload

    def workspace(self, workload: Conv2dWorkload, target: CompileTarget) -> int:
        """Bytes beyond input, output and packed filter: the algorithm's, and copies in its own layouts."""
        native = self.native(workload, target)
        own = self.workspace_bytes
        own = own if isinstance(own, int) else own(native, target)
        return own + sum(layout_copies(workload, native).values())

    def estimate(self, workload: Conv2dWorkload, target: CompileTarget) -> Cost | None:
        """Estimated cycles, changes of layout included."""
        if self.cost is None:
            return None
        native = self.native(workload, target)
        copies = layout_copies(workload, native).values()
        return replace(self.cost(native, target), layout=copy_cycles(target.machine, copies))

    def build(
        self, workload: Conv2dWorkload, target: CompileTarget, knobs: Any = None
    ) -> Conv2dImplementation:
        """The workload, computed and scheduled, in the layouts of ``native``. ``knobs``, in place of what its
        model chooses, are handed to all of the implementation's functions."""
        if knobs is not None:
            return self._with(knobs).build(workload, target)
        native = self.native(workload, target)
        func = self.compute(native, target)
        shape = tuple(int(extent) for extent in func.params[1].shape)
        scheduled = self.schedule(func, native, target)
        own = self.workspace_bytes
        pack, bias_table = self.pack, self.bias_table
        return Conv2dImplementation(
            name=self.name,
            workload=native,
            prim_func=scheduled,
            packed_filter_shape=shape,
            workspace_bytes=own if isinstance(own, int) else own(native, target),
            tile=self.describe(native, target) if self.describe else {},
            kernels=tuple(dict.fromkeys(n.partition("__")[0] for n in called_kernels(scheduled.body))),
            cost=self.estimate(workload, target),
            estimates={},
            pack=(lambda weights: weights) if pack is None else (lambda w: pack(native, shape, w)),
            pack_prim_func=None
            if self.pack_func is None or native.quantized
            else self.pack_func(native, shape),
            bias_table=None
            if bias_table is None or native.quantized is None
            else (lambda weights, bias: bias_table(native, target, weights, bias)),
        )

    def _with(self, knobs: Any) -> OpImplementation:
        names = ("compute", "schedule", "describe", "workspace_bytes", "cost", "bias_table")
        functions = {name: getattr(self, name) for name in names}
        bound: dict[str, Any] = {
            n: functools.partial(f, knobs=knobs) for n, f in functions.items() if callable(f)
        }
        return replace(self, **bound)


def layout_copies(workload: Conv2dWorkload, native: Conv2dWorkload) -> dict[str, int]:
    """Bytes of the copies ("data", "residual", "output") that running ``native`` in place of the same
    convolution ``workload`` takes."""
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
        """Add one; ``details`` are OpImplementation's remaining fields."""
        self.implementations.append(OpImplementation(compute, schedule, name, plevel, **details))

    def add_algorithm(self, algorithm: Algorithm, workload: Conv2dWorkload, target: CompileTarget) -> None:
        """Add one of this library's algorithms if it applies to the workload."""
        native = workload.in_layouts(*algorithm.layouts(workload, target))
        if algorithm.applies(native):
            self.add_implementation(
                algorithm.compute,
                algorithm.schedule,
                algorithm.NAME,
                algorithm.PLEVEL,
                pack=algorithm.pack,
                pack_func=algorithm.pack_func,
                describe=algorithm.describe,
                workspace_bytes=algorithm.workspace_bytes,
                layouts=algorithm.layouts,
                cost=algorithm.cost,
                bias_table=getattr(algorithm, "bias_table", None),
            )

    def estimates(self, workload: Conv2dWorkload, target: CompileTarget) -> dict[str, float]:
        """Total estimated cycles of each implementation that has an estimate."""
        costs = {i.name: i.estimate(workload, target) for i in self.implementations}
        return {name: cost.total for name, cost in costs.items() if cost is not None}

    def select(
        self,
        workload: Conv2dWorkload,
        target: CompileTarget,
        algorithm: str = AUTO,
        max_workspace_bytes: int | None = None,
    ) -> OpImplementation:
        """The one named ``algorithm``; or of those within the budget and of highest priority, the cheapest
        by estimate, and of those that are no worse than that by ``TIE``, the one with least workspace.

        Raises AlgorithmError when there is none, saying what the least workspace would be.
        """
        names = [implementation.name for implementation in self.implementations]
        if algorithm != AUTO and algorithm not in names:
            raise AlgorithmError(
                f"algorithm '{algorithm}' is unknown or does not apply to {workload}"
                f"{nearest(algorithm, names)}; available: {', '.join([AUTO, *names])}"
            )
        candidates = [c for c in self.implementations if algorithm in (AUTO, c.name)]
        if not candidates:
            raise AlgorithmError(f"no algorithm applies to {workload}")
        if max_workspace_bytes is not None:
            needs = {c.name: c.workspace(workload, target) for c in candidates}
            candidates = [c for c in candidates if needs[c.name] <= max_workspace_bytes]
            if not candidates:
                least = min(needs, key=lambda name: needs[name])
                raise AlgorithmError(
                    f"no more than {max_workspace_bytes} bytes of workspace are allowed, and {least} "
                    f"takes {needs[least]}, changes of layout included, for {workload}"
                )
        if len(candidates) == 1:
            return candidates[0]
        level = max(candidate.plevel for candidate in candidates)
        best = [candidate for candidate in candidates if candidate.plevel == level]
        totals = [_total(candidate.estimate(workload, target)) for candidate in best]
        near = [c for c, total in zip(best, totals, strict=True) if total <= TIE * min(totals)]
        # Of equals, the first.
        return min(near, key=lambda candidate: candidate.workspace(workload, target))


def _total(cost: Cost | None) -> float:
    return math.inf if cost is None else cost.total


StrategyFunction = Callable[[Conv2dWorkload, CompileTarget], OpStrategy]


class GenericStrategy:
    """A strategy function chosen by the target's keys, ``generic`` when none of them has one."""

    def __init__(self, operator: str) -> None:
        self.operator = operator
        self.functions: dict[str, StrategyFunction] = {}

    def register(self, key: str, *, override: bool = False) -> Callable[[StrategyFunction], StrategyFunction]:
        """Decorator: use the function for targets that have ``key``."""

        def decorate(function: StrategyFunction) -> StrategyFunction:
            if key in self.functions and not override:
                raise ValueError(
                    f"{self.operator} already has a strategy for '{key}'; pass override=True to replace it"
                )
            self.functions[key] = function
            return function

        return decorate

    def __call__(self, workload: Conv2dWorkload, target: CompileTarget) -> OpStrategy:
        key = next((key for key in target.keys if key in self.functions), "generic")
        return self.functions[key](workload, target)


conv2d_strategy = GenericStrategy("conv2d")
"""The strategy of 2-D convolutions; dense layers are 1x1 convolutions."""


def implement_conv2d(
    workload: Conv2dWorkload,
    target: CompileTarget,
    algorithm: str = AUTO,
    max_workspace_bytes: int | None = None,
    knobs: Any = None,
) -> Conv2dImplementation:
    """The workload by the named algorithm, or by the one the target's strategy prefers, with ``knobs`` or
    those of its model. The result's workload says in which layouts it runs."""
    strategy = conv2d_strategy(workload, target)
    selected = strategy.select(workload, target, algorithm, max_workspace_bytes)
    chosen = selected.build(workload, target, knobs)
    return replace(chosen, estimates=strategy.estimates(workload, target))
