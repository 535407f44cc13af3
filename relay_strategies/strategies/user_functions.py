"""Implementations that users add: their own compute and schedule functions in the place of an algorithm."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from tvm import tirx

from tvm_directconv.algorithms.base import Plan
from tvm_directconv.model.cost import Cost
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import CompileTarget

from .operands import check_function, check_given

Compute = Callable[[Conv2dWorkload, CompileTarget], tirx.PrimFunc]
"""The unscheduled PrimFunc (data, filter[, bias][, residual], output) of a workload, with all operands that
the workload has; others are an AlgorithmError (``operands.py``)."""
ScheduleFunction = Callable[[tirx.PrimFunc, Conv2dWorkload, CompileTarget], tirx.PrimFunc]
"""The scheduled form of the PrimFunc that ``Compute`` returns."""
Pack = Callable[[Conv2dWorkload, tuple[int, ...], np.ndarray], np.ndarray]
"""(workload, packed shape, filter) -> packed filter."""
PackFunc = Callable[[Conv2dWorkload, tuple[int, ...]], tirx.PrimFunc]
"""(workload, packed shape) -> PrimFunc (filter, packed)."""
BiasTable = Callable[[Conv2dWorkload, CompileTarget, np.ndarray, np.ndarray | None], np.ndarray]
"""(quantized workload, target, filter less its zero point, int32 bias or None) -> what sums start from."""
OfWorkload = Callable[[Conv2dWorkload, CompileTarget], Any]


def _own_layouts(workload: Conv2dWorkload, target: CompileTarget) -> tuple[str, str]:
    return workload.data_layout, workload.out_layout


@dataclass(frozen=True)
class FunctionAlgorithm:
    """A user's functions. The remaining ones may be left out:

    ``layouts`` says in which (data_layout, out_layout) it runs a workload, by default its own; the other
    functions get it in these. ``pack`` None: the filter is taken in the workload's own layout, unpacked.
    ``workspace_bytes`` is what the schedule allocates beyond input, output and packed filter, or a function
    saying so. ``cost`` estimates the cycles of a call; ``describe`` tells the parameters for reports.
    """

    compute: Compute
    schedule: ScheduleFunction
    name: str
    pack: Pack | None = None
    pack_func: PackFunc | None = None
    describe: OfWorkload | None = None
    workspace_bytes: int | OfWorkload = 0
    layouts: OfWorkload = _own_layouts
    cost: OfWorkload | None = None
    bias_table: BiasTable | None = None

    def plan(self, workload: Conv2dWorkload, target: CompileTarget, knobs: Any = None) -> Plan:
        return FunctionPlan(workload, target, self)


@dataclass(frozen=True)
class FunctionPlan(Plan):
    """One workload by a user's functions."""

    workload: Conv2dWorkload
    target: CompileTarget
    functions: FunctionAlgorithm

    @cached_property
    def _computed(self) -> tirx.PrimFunc:
        return self._checked("compute", self.functions.compute(self.workload, self.target))

    def _checked(self, what: str, func: tirx.PrimFunc) -> tirx.PrimFunc:
        packs = self.functions.pack is not None or self.functions.pack_func is not None
        check_function(self.functions.name, what, func, self.workload, packs=packs)
        return func

    def compute(self) -> tirx.PrimFunc:
        return self._computed

    def schedule(self, func: tirx.PrimFunc) -> tirx.PrimFunc:
        return self._checked("schedule", self.functions.schedule(func, self.workload, self.target))

    @property
    def workspace_bytes(self) -> int:
        stated = self.functions.workspace_bytes
        return stated if isinstance(stated, int) else int(stated(self.workload, self.target))

    @property
    def packed_filter_shape(self) -> tuple[int, ...]:
        return tuple(int(extent) for extent in self._computed.params[1].shape)

    def pack(self, weights: np.ndarray) -> np.ndarray:
        pack = self.functions.pack
        if pack is None:
            return weights
        packed = pack(self.workload, self.packed_filter_shape, weights)
        check_given(self.functions.name, "packed filter", packed, self._computed.params[1], self.workload)
        return packed

    def pack_func(self) -> tirx.PrimFunc | None:
        make = self.functions.pack_func
        return None if make is None else make(self.workload, self.packed_filter_shape)

    def bias_table(self, weights: np.ndarray, bias: np.ndarray | None) -> np.ndarray:
        table = self.functions.bias_table
        if table is None:
            return super().bias_table(weights, bias)
        made = table(self.workload, self.target, weights, bias)
        if not self.workload.epilogue.residual:  # scales come behind it else
            check_given(self.functions.name, "bias table", made, self._computed.params[2], self.workload)
        return made

    def cost(self) -> Cost | None:
        estimate = self.functions.cost
        return None if estimate is None else estimate(self.workload, self.target)

    def describe(self) -> Mapping[str, Any]:
        tell = self.functions.describe
        return {} if tell is None else tell(self.workload, self.target)
