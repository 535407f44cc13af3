"""Implementations that users add: their own compute and schedule functions in the place of an algorithm."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from tvm import tirx

from tvm_directconv.algorithms.base import Plan
from tvm_directconv.errors import AlgorithmError, DirectConvError, last_line, let_through
from tvm_directconv.model.cost import Cost
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import CompileTarget

from .around import as_layer, joined, oihw, oihw_function, plain_workload, table_of
from .operands import check_function, check_given, check_packing

Compute = Callable[[Conv2dWorkload, CompileTarget], tirx.PrimFunc]
"""The unscheduled PrimFunc (data, filter, output) of a plain workload, or of one with all operands that it
has (``fused``); others are an AlgorithmError (``operands.py``)."""
ScheduleFunction = Callable[[tirx.PrimFunc, Conv2dWorkload, CompileTarget], tirx.PrimFunc]
"""The scheduled form of the PrimFunc that ``Compute`` returns, which it is given."""
Pack = Callable[[Conv2dWorkload, tuple[int, ...], np.ndarray], np.ndarray]
"""(workload, packed shape, filter) -> packed filter."""
PackFunc = Callable[[Conv2dWorkload, tuple[int, ...]], tirx.PrimFunc]
"""(workload, packed shape) -> PrimFunc (filter, packed)."""
BiasTable = Callable[[Conv2dWorkload, CompileTarget, np.ndarray, np.ndarray | None], np.ndarray]
"""(quantized workload, target, filter less its zero point, int32 bias or None) -> what sums start from."""
OfWorkload = Callable[[Conv2dWorkload, CompileTarget], Any]


PLAIN_LAYOUTS = "NHWC", "NHWC"


def call_users(what: str, given: object, function: Callable[..., Any], *arguments: Any) -> Any:
    """Return what a user's function makes of a workload. Raises AlgorithmError for errors of its own."""
    try:
        return function(*arguments)
    except DirectConvError:
        raise
    except Exception as error:
        let_through(error)
        raise AlgorithmError(
            f"{what} raises {type(error).__name__}, {last_line(error)}; it is given {given}"
        ) from error


@dataclass(frozen=True)
class FunctionAlgorithm:
    """A user's functions. They get a plain convolution: NHWC, its filter OIHW, and neither bias nor residual,
    activation or requantization, which are computed around them (``around.py``). With ``fused`` they get the
    layer as it is, in its own layouts, and compute all of it.

    The remaining ones may be left out. ``layouts`` says in which (data_layout, out_layout) it runs a workload
    instead. ``pack`` None: the filter is taken unpacked. ``workspace_bytes`` is what the schedule allocates
    beyond input, output and packed filter, or a function saying so. ``cost`` estimates the cycles of a call;
    ``describe`` tells the parameters for reports.
    """

    compute: Compute
    schedule: ScheduleFunction
    name: str
    pack: Pack | None = None
    pack_func: PackFunc | None = None
    describe: OfWorkload | None = None
    workspace_bytes: int | OfWorkload = 0
    layouts: OfWorkload | None = None
    cost: OfWorkload | None = None
    bias_table: BiasTable | None = None
    fused: bool = False

    def plan(self, workload: Conv2dWorkload, target: CompileTarget, knobs: Any = None) -> Plan:
        return FunctionPlan(workload, target, self)

    def layouts_of(self, workload: Conv2dWorkload, target: CompileTarget) -> tuple[str, str]:
        """Return the layouts that a workload is run in."""
        if self.layouts is not None:
            data, out = self.layouts(workload, target)
            return data, out
        return (workload.data_layout, workload.out_layout) if self.fused else PLAIN_LAYOUTS


@dataclass(frozen=True)
class FunctionPlan(Plan):
    """One workload by a user's functions."""

    workload: Conv2dWorkload
    target: CompileTarget
    functions: FunctionAlgorithm

    @cached_property
    def given(self) -> Conv2dWorkload:
        """The workload that the functions get."""
        return self.workload if self.functions.fused else plain_workload(self.workload)

    @cached_property
    def _computed(self) -> tirx.PrimFunc:
        return self._checked("compute", self.functions.compute, self.given, self.target)

    @cached_property
    def _layer(self) -> tuple[tirx.PrimFunc, int]:
        """The whole layer's function, and the bytes that it holds between its parts."""
        schedule = self.functions.schedule
        func = self._checked("schedule", schedule, self._computed, self.given, self.target)
        return (func, 0) if self.functions.fused else as_layer(func, self.workload)

    def _checked(self, what: str, function: Callable[..., Any], *arguments: Any) -> tirx.PrimFunc:
        """Call a user's function, and check the operands of what it returns."""
        name, functions = self.functions.name, self.functions
        func = call_users(f"{what} of implementation '{name}'", self.given, function, *arguments)
        packs = functions.pack is not None or functions.pack_func is not None
        check_function(name, what, func, self.given, packs=packs, plain=not functions.fused)
        return func

    def compute(self) -> tirx.PrimFunc:
        return self._computed

    def schedule(self, func: tirx.PrimFunc) -> tirx.PrimFunc:
        return self._layer[0]

    @property
    def workspace_bytes(self) -> int:
        stated = self.functions.workspace_bytes
        own = stated if isinstance(stated, int) else int(stated(self.given, self.target))
        return own + self._layer[1]

    @property
    def packed_filter_shape(self) -> tuple[int, ...]:
        return tuple(int(extent) for extent in self._computed.params[1].shape)

    def pack(self, weights: np.ndarray) -> np.ndarray:
        functions, param = self.functions, self._computed.params[1]
        packed = weights if functions.fused else oihw(self.workload, weights)
        if functions.pack is not None:
            packed = functions.pack(self.given, self.packed_filter_shape, packed)
        elif self.given.quantized is not None and not functions.fused:
            packed = packed.astype(str(param.dtype), copy=False)
        if packed is not weights:
            check_given(functions.name, "packed filter", packed, param, self.workload)
        return packed

    def pack_func(self) -> tirx.PrimFunc | None:
        functions = self.functions
        first = None if functions.fused else oihw_function(self.workload)
        if functions.pack_func is None:
            return first if functions.pack is None else None
        second = functions.pack_func(self.given, self.packed_filter_shape)
        check_packing(functions.name, second, self._computed.params[1], self.given)
        return second if first is None else joined([first, second])

    def bias_table(self, weights: np.ndarray, bias: np.ndarray | None) -> np.ndarray:
        functions = self.functions
        if not functions.fused:
            return table_of(self.workload, weights, bias)
        if functions.bias_table is None:
            return super().bias_table(weights, bias)
        made = functions.bias_table(self.workload, self.target, weights, bias)
        if not self.workload.epilogue.residual:  # scales come behind it else
            check_given(functions.name, "bias table", made, self._computed.params[2], self.workload)
        return made

    def cost(self) -> Cost | None:
        estimate = self.functions.cost
        return None if estimate is None else estimate(self.workload, self.target)

    def describe(self) -> Mapping[str, Any]:
        tell = self.functions.describe
        return {} if tell is None else tell(self.workload, self.target)
