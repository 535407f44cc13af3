"""Operator strategies, as TVM's Relay had them: which implementations a target offers, and which one to use.

A strategy function maps (workload, target) to an OpStrategy, a list of OpImplementations. Functions are
registered per target key; the first of the target's keys that has one decides, else ``generic``. Users add
their own implementation from outside the package:

    @conv2d_strategy.register("x86", override=True)
    def mine(workload, target):
        strategy = conv2d_strategy_x86(workload, target)
        strategy.add_implementation(my_compute, my_schedule, name="mine", plevel=20)
        return strategy
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from tvm import tirx

from tvm_directconv.algorithms.base import Conv2dImplementation, pack_filter_func
from tvm_directconv.errors import AlgorithmError, nearest
from tvm_directconv.lowering import called_kernels
from tvm_directconv.target import CompileTarget
from tvm_directconv.workload import Conv2dWorkload

AUTO = "auto"
"""The algorithm name that leaves the choice to priority levels."""

Compute = Callable[[Conv2dWorkload, CompileTarget], tirx.PrimFunc]
"""Unscheduled PrimFunc (data, filter[, bias][, residual], output) of a workload."""
ScheduleFunction = Callable[[tirx.PrimFunc, Conv2dWorkload, CompileTarget], tirx.PrimFunc]
"""Its scheduled form."""
Pack = Callable[[Conv2dWorkload, tuple[int, ...], np.ndarray], np.ndarray]
"""(workload, packed shape, filter) -> packed filter."""
Describe = Callable[[Conv2dWorkload, CompileTarget], Mapping[str, Any]]


@dataclass(frozen=True)
class OpImplementation:
    """One way to compute and schedule an operator. The applicable one of highest ``plevel`` is used.

    ``pack`` None: the filter is taken in the workload's own layout, unpacked. ``workspace_bytes`` is what
    the schedule allocates beyond input, output and packed filter.
    """

    compute: Compute
    schedule: ScheduleFunction
    name: str
    plevel: int
    pack: Pack | None = None
    describe: Describe | None = None
    workspace_bytes: int = 0

    def build(self, workload: Conv2dWorkload, target: CompileTarget) -> Conv2dImplementation:
        """The workload, computed and scheduled."""
        func = self.compute(workload, target)
        shape = tuple(int(extent) for extent in func.params[1].shape)
        scheduled = self.schedule(func, workload, target)
        pack = self.pack
        return Conv2dImplementation(
            name=self.name,
            workload=workload,
            prim_func=scheduled,
            packed_filter_shape=shape,
            workspace_bytes=self.workspace_bytes,
            tile=self.describe(workload, target) if self.describe else {},
            kernels=tuple(dict.fromkeys(n.partition("__")[0] for n in called_kernels(scheduled.body))),
            pack=(lambda weights: weights) if pack is None else (lambda w: pack(workload, shape, w)),
            pack_prim_func=None if pack is None else pack_filter_func(workload, shape),
        )


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

    def select(self, workload: Conv2dWorkload, algorithm: str = AUTO) -> OpImplementation:
        """The one named ``algorithm``, or the one of highest priority."""
        names = [implementation.name for implementation in self.implementations]
        if algorithm == AUTO:
            if not names:
                raise AlgorithmError(f"no algorithm applies to {workload}")
            return max(self.implementations, key=lambda implementation: implementation.plevel)
        for implementation in self.implementations:
            if implementation.name == algorithm:
                return implementation
        raise AlgorithmError(
            f"algorithm '{algorithm}' is unknown or does not apply to {workload}"
            f"{nearest(algorithm, names)}; available: {', '.join([AUTO, *names])}"
        )


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
    workload: Conv2dWorkload, target: CompileTarget, algorithm: str = AUTO
) -> Conv2dImplementation:
    """The workload by the named algorithm, or by the one the target's strategy prefers."""
    return conv2d_strategy(workload, target).select(workload, algorithm).build(workload, target)
