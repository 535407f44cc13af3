"""What every algorithm offers: a plan of a workload, which computes, schedules, packs and costs itself.

An ``Algorithm`` says which workloads it takes and in which layouts; ``plan`` gives the one object that has
all of the rest. The knobs of a plan are the algorithm's own frozen dataclass; without any, its analytical
model chooses them.
"""

from __future__ import annotations

import abc
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import numpy as np
from tvm import te, tirx
from tvm.s_tir import Schedule

from intrinsics.isa import Isa
from intrinsics.microkernel import DEPTHWISE, ROW
from tvm_directconv.errors import AlgorithmError
from tvm_directconv.model.cost import Cost
from tvm_directconv.model.knobs import KnobSpace
from tvm_directconv.model.tiling import peak_cycles
from tvm_directconv.problem.element_types import FLOAT32, ROUNDOFF
from tvm_directconv.problem.storage import WHOLE
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import CompileTarget, Machine

from .accuracy import EXACT
from .lowering import Expansions, Workspace, called_kernels, lower
from .packing import pack_filter, te_pack_filter
from .parts import te_frames, te_part

Knobs = TypeVar("Knobs")


class Plan(abc.ABC):
    """One workload, in layouts its algorithm takes, and all that has been decided about it.

    Functions take, in order: data, packed filter, then bias (OC,) and residual if the workload's epilogue has
    them, then the output; all float32, or in half precision of the workload's types, but for bias. Of a
    quantized workload: data, packed filter, int32 bias table,
    float32 scale (OC,) unless sums are stored as they are, output.
    """

    workload: Conv2dWorkload

    @abc.abstractmethod
    def compute(self) -> tirx.PrimFunc:
        """The convolution in TE, unscheduled."""

    @abc.abstractmethod
    def schedule(self, func: tirx.PrimFunc) -> tirx.PrimFunc:
        """``compute``'s function scheduled."""

    @property
    @abc.abstractmethod
    def workspace_bytes(self) -> int:
        """What one thread allocates beyond input, output and packed filter."""

    @property
    @abc.abstractmethod
    def packed_filter_shape(self) -> tuple[int, ...]: ...

    @property
    def packed_filter_bytes(self) -> int:
        return self.workload.element_bytes * math.prod(self.packed_filter_shape)

    @abc.abstractmethod
    def pack(self, weights: np.ndarray) -> np.ndarray:
        """The filter, in the workload's layout, as the function takes it: of ``packed_filter_shape``."""

    @abc.abstractmethod
    def pack_func(self) -> tirx.PrimFunc | None:
        """``pack`` as a PrimFunc (filter, packed), for filters known only at run time; None where filters are
        packed at compile time alone."""

    def bias_table(self, weights: np.ndarray, bias: np.ndarray | None) -> np.ndarray:
        """The int32 operand that sums of a quantized workload start from, of a filter less its zero point and
        int32 bias (OC,)."""
        raise AlgorithmError(f"sums of this plan start from no table: {self.workload}")

    @abc.abstractmethod
    def cost(self) -> Cost | None:
        """Estimated cycles of one call on one core; None where there is no estimate."""

    @abc.abstractmethod
    def describe(self) -> Mapping[str, Any]:
        """The knobs in use and what the model thought, for reports; JSON's types only."""

    @property
    def figures(self) -> Mapping[str, float]:
        """What else the model says of it, for reports: ``peak_cycles`` are those of the multiply-adds at the
        instruction set's rate; of kernels of tiles, ``tile_products`` are those issued, and
        ``full_tile_products`` as many as full tiles would take."""
        return {}

    @property
    def relative_error(self) -> float | None:
        """Bound of an output's error relative to the sum of its terms' magnitudes: 0 where sums are exact,
        None where nothing is known. Each pixel counts as the largest of its channel within ``error_reach`` of
        it."""
        return None

    @property
    def error_reach(self) -> int:
        """Pixels around one in whose errors it has a share, though the definition multiplies it there by
        nothing."""
        return 0

    @property
    def sums_in_order(self) -> bool:
        """Whether every sum goes over the taps in order, in each over the channels in order, whatever the
        tiles are. Results of such plans have the same bits on every target with fused multiply-adds."""
        return False

    def implement(self, name: str, cost: Cost | None) -> Conv2dImplementation:
        """The plan carried out, with the estimate that is to be reported."""
        func = self.schedule(self.compute())
        return self.implemented(name, cost, func, _families(func), self.workspace_bytes)

    def implemented(
        self,
        name: str,
        cost: Cost | None,
        func: tirx.PrimFunc,
        kernels: tuple[str, ...],
        workspace_bytes: int,
    ) -> Conv2dImplementation:
        """Make an implementation of a function that computes the layer among other things, and calls
        ``kernels`` for it."""
        quantized = self.workload.quantized is not None
        return Conv2dImplementation(
            name=name,
            workload=self.workload,
            prim_func=func,
            packed_filter_shape=self.packed_filter_shape,
            workspace_bytes=workspace_bytes,
            tile=self.describe(),
            kernels=kernels,
            cost=cost,
            estimates={},
            figures=self.figures,
            pack=self.pack,
            pack_prim_func=None if quantized else self.pack_func(),
            bias_table=self.bias_table if quantized else None,
            relative_error=self.relative_error,
            plan=self,
        )


@dataclass(frozen=True)
class KernelPlan(Plan, Generic[Knobs]):
    """A plan by micro-kernels of one instruction set, cut up by ``knobs`` for a machine's caches."""

    workload: Conv2dWorkload
    isa: Isa
    machine: Machine
    knobs: Knobs

    # ---- the function

    def compute(self) -> tirx.PrimFunc:
        w = self.workload
        data = te.placeholder(w.stored_input_shape, w.dtype, name="data")
        if w.storage.data_part is None and w.storage.frames is None:
            return self.stages(data, data, w)
        read = te_frames(w, data) if w.storage.frames else te_part(w, data)
        return self.stages(data, read, w)

    @abc.abstractmethod
    def stages(self, data: te.Tensor, source: te.Tensor, outer: Conv2dWorkload) -> tirx.PrimFunc:
        """The function of ``compute``, which reads ``source``, made of the operand ``data``; the other
        operands are those of ``outer``, whose output pixels are the plan's in the same order."""

    def schedule(self, func: tirx.PrimFunc) -> tirx.PrimFunc:
        """``compute``'s function scheduled, tensorized and lowered to micro-kernel calls."""
        schedule = Schedule(func)
        self.tensorize(schedule)
        return lower(schedule.mod, self.expansions, self.workspaces)

    @abc.abstractmethod
    def tensorize(self, sch: Schedule) -> None:
        """Give the stages their loops, and hand what is inside to the intrinsics of ``expansions``."""

    @property
    @abc.abstractmethod
    def expansions(self) -> Expansions:
        """What each tensorized block becomes."""

    def implement_as(self, typical: Plan, name: str, cost: Cost | None) -> Conv2dImplementation:
        """The plan, of open sizes, carried out; what is reported is what the same knobs make of ``typical``
        ones. Its filter may be packed in blocks of its own."""
        func = self.schedule(self.compute())
        made = typical.implemented(name, cost, func, _families(func), self.workspace_bytes)
        made = replace(made, packed_filter_shape=self.packed_filter_shape, pack=self.pack, plan=self)
        if made.bias_table is not None:
            return replace(made, bias_table=self.bias_table)
        return replace(made, pack_prim_func=self.pack_func())

    # ---- memory

    @property
    def workspaces(self) -> Sequence[Workspace]:
        """What each thread allocates."""
        return ()

    @property
    def workspace_bytes(self) -> int:
        return sum(workspace.bytes for workspace in self.workspaces)

    @property
    def copies_input(self) -> bool:
        """Whether all of the input is copied before the first kernel, so that what is made of it needs no
        memory of its own."""
        return False

    # ---- the filter

    def pack(self, weights: np.ndarray) -> np.ndarray:
        """Blocks of nr output channels; plans that read another order have their own, and ``te_pack`` with
        it."""
        return pack_filter(self.workload, self.packed_filter_shape, weights)

    def te_pack(self, source: te.Tensor) -> te.Tensor:
        """``pack`` in TE, of float filters."""
        return te_pack_filter(self.workload, self.packed_filter_shape, source)

    def pack_func(self) -> tirx.PrimFunc:
        source = te.placeholder(self.workload.filter_shape, self.workload.dtype, name="filter")
        return te.create_prim_func([source, self.te_pack(source)])

    # ---- what is known of it

    @abc.abstractmethod
    def cost(self) -> Cost: ...

    @property
    def figures(self) -> Mapping[str, float]:
        layout = DEPTHWISE if self.workload.is_depthwise else ROW
        return {"peak_cycles": peak_cycles(self.isa, self.machine, layout, self.workload.flops / 2)}

    def describe(self) -> Mapping[str, Any]:
        return asdict(self.knobs)  # type: ignore[call-overload]

    @abc.abstractmethod
    def knob_spaces(self, algorithm: str) -> list[KnobSpace]:
        """The knobs a tuner may choose, one space for each micro-kernel, these knobs among them."""

    @property
    def relative_error(self) -> float:
        """Relative error of the instruction set's sums, in any order. Sums of integers are exact. Half
        precision is rounded once more as it is stored."""
        w = self.workload
        if w.quantized:
            return 0.0
        terms = w.kernel[0] * w.kernel[1] * w.in_channels // w.groups
        layout = DEPTHWISE if w.is_depthwise else ROW
        summed = self.isa.sum_error(terms + w.epilogue.bias + w.epilogue.residual, layout)
        return summed if w.out_dtype == FLOAT32 else summed + (1 + summed) * ROUNDOFF[w.out_dtype]

    @property
    def sums_in_order(self) -> bool:
        """Whether there is one order alone: one tap, or one channel. Sums of other types than float32 are
        exact, or those of an instruction set."""
        w = self.workload
        return w.kernel == (1, 1) or w.in_channels == w.groups or w.dtype != FLOAT32


def _families(func: tirx.PrimFunc) -> tuple[str, ...]:
    """Return the names of the micro-kernels that a function calls, without what follows their tiles."""
    families = (name.partition("__")[0] for name in called_kernels(func.body))
    return tuple(dict.fromkeys(name for name in families if "_" in name))


class Planner(abc.ABC, Generic[Knobs]):
    """One way to compute convolutions, on whatever kind of target: what strategies ask of it."""

    name: ClassVar[str]
    needs: ClassVar[str]
    """What a workload must have, as an error tells it."""
    plevel: ClassVar[int] = 10
    """Priority of the algorithm; among equals the estimated cost decides."""
    amplifies: ClassVar[bool] = False
    """Whether its roundings count for more than those of sums of products as the definition has them."""
    of_parts: ClassVar[bool] = False
    """Whether it reads and writes parts of tensors in place."""
    of_frames: ClassVar[bool] = False
    """Whether it reads frames of videos in place."""

    def accuracy(self, workload: Conv2dWorkload, target: CompileTarget) -> str:
        """How exact its results are, of a workload in the layouts it runs in (``accuracy.py``)."""
        return EXACT

    @abc.abstractmethod
    def layouts(self, workload: Conv2dWorkload, target: Any) -> tuple[str, str]:
        """(data_layout, out_layout) to run the workload in: its own where the algorithm takes them."""

    @abc.abstractmethod
    def applies(self, workload: Conv2dWorkload) -> bool:
        """Whether the algorithm computes the workload, in the layouts that it has."""

    def takes(self, workload: Conv2dWorkload) -> bool:
        """Whether it computes the workload, parts of tensors included."""
        if workload.storage.frames is not None and not self.of_frames:
            return False
        return (self.of_parts or workload.storage == WHOLE) and self.applies(workload)

    def plan(self, workload: Conv2dWorkload, target: Any, knobs: Knobs | None = None) -> Plan:
        """The workload, in layouts the algorithm takes, with ``knobs`` or those its model chooses.

        Raises AlgorithmError for a workload it does not take.
        """
        return _planned(self, workload, target, knobs)

    @abc.abstractmethod
    def make_plan(self, workload: Conv2dWorkload, target: Any, knobs: Knobs | None) -> Plan:
        """``plan`` of a workload that the algorithm takes."""


class Algorithm(Planner[Knobs]):
    """One way to compute convolutions by micro-kernels, on CPUs."""

    of_bytes: ClassVar[bool] = False
    """Whether it computes quantized workloads."""

    if TYPE_CHECKING:

        def plan(
            self, workload: Conv2dWorkload, target: CompileTarget, knobs: Knobs | None = None
        ) -> KernelPlan[Any]: ...

    @abc.abstractmethod
    def make_plan(
        self, workload: Conv2dWorkload, target: CompileTarget, knobs: Knobs | None
    ) -> KernelPlan[Any]:
        """``plan`` of a workload that the algorithm takes."""

    def knob_spaces(self, workload: Conv2dWorkload, target: CompileTarget) -> list[KnobSpace]:
        """The knobs a tuner may choose, one space for each micro-kernel, the analytical choice among them;
        no space where another algorithm's are the same schedules."""
        return self.plan(workload, target).knob_spaces(self.name)


@lru_cache(maxsize=2048)
def _planned(algorithm: Planner[Any], workload: Conv2dWorkload, target: Any, knobs: Any) -> Plan:
    if not algorithm.takes(workload):
        raise AlgorithmError(f"{algorithm.name} needs {algorithm.needs}; the workload is {workload}")
    return algorithm.make_plan(workload, target, knobs)


@dataclass(frozen=True)
class Conv2dImplementation:
    """One way to run one workload on one target, ready for ``tvm.compile``. ``workload`` is in the layouts
    it runs in, which may differ from those asked for.

    ``prim_func`` takes the operands of a ``Plan``'s function; ``workspace_bytes`` is what it allocates beyond
    these. ``tile`` are the knobs, ``kernels`` the micro-kernels' names. ``cost`` is the estimate that "auto"
    compares, changes of layout included; ``estimates`` are the total cycles of every implementation there
    was, by name, filled in where one was chosen, as is why others were not to be (``refusals``); ``figures``
    are those of the ``plan`` that it carries out, of open sizes those of the plan of typical ones. ``pack``
    turns the filter, in the workload's layout, into the one ``prim_func`` reads, ``pack_prim_func`` does so
    at run time, and of a quantized workload ``bias_table`` makes the third operand of (filter less its zero
    point, int32 bias or None).
    """

    name: str
    workload: Conv2dWorkload
    prim_func: tirx.PrimFunc
    packed_filter_shape: tuple[int, ...]
    workspace_bytes: int
    tile: Mapping[str, Any]
    kernels: tuple[str, ...]
    cost: Cost | None
    estimates: Mapping[str, float]
    pack: Callable[[np.ndarray], np.ndarray]
    pack_prim_func: tirx.PrimFunc | None
    bias_table: Callable[[np.ndarray, np.ndarray | None], np.ndarray] | None = None
    relative_error: float | None = None
    figures: Mapping[str, float] = field(default_factory=dict)
    refusals: Mapping[str, str] = field(default_factory=dict)
    plan: Plan | None = None
