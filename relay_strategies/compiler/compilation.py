"""Compilation: the sizes of one model, each imported, lowered and compiled, linked to one executable."""

from __future__ import annotations

import json
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import tvm
from tvm import relax, tirx

from relay_strategies.c_export.launches import Weights
from relay_strategies.frontends.declared import Shape, shapes_text
from relay_strategies.passes import finish_passes, kernel_passes
from relay_strategies.passes.lower.layer_report import LayerReport
from relay_strategies.passes.lower.lower_conv2d import LAYERS
from relay_strategies.passes.lower.plan_memory import ARENA
from relay_strategies.passes.lower.schedule_default import REDUCES
from relay_strategies.passes.lower.share_constants import ShareConstants
from relay_strategies.relax.graph import bindings, dtype_of, operator_name, shape_of
from relay_strategies.relax.inner_functions import taken_apart
from relay_strategies.relax.kernels import KERNEL_CALLS, is_scheduled
from relay_strategies.relax.outputs import changed_inputs, complex_tensors, result_names, result_types
from relay_strategies.relax.parameters import tensor_params
from tvm_directconv.errors import AlgorithmError, DirectConvError, ModelError, last_line, let_through
from tvm_directconv.log import LOG
from tvm_directconv.problem.extents import Extent
from tvm_directconv.problem.open_sizes import OpenSizes
from tvm_directconv.problem.size_text import text_of
from tvm_directconv.runtime.metadata import BASELINE, Metadata, Size, TensorInfo
from tvm_directconv.runtime.size_values import evaluated, with_computed
from tvm_directconv.targets.target import CompileTarget

from .inner import with_parts
from .kernel_calls import KernelCall, kernel_calls, kernel_kind
from .library.linked_parts import Parts
from .library.pieces import runs_without_tvm
from .library.plan import Plan, calls_of
from .library.program import KernelCode, Part, Program
from .report import Report
from .sizes import Bounds, ShapeSpec, described, relax_names
from .source import Source
from .stages import Graph, Lowered


class Kept(NamedTuple):
    """A size's kernels and their calls, before anything is planned, and the open dimensions that hold in
    them."""

    module: tvm.IRModule
    opened: OpenSizes


KeptSizes = dict[tuple[str, tuple[TensorInfo, ...]], Kept]
_KEPT: ContextVar[KeptSizes | None] = ContextVar("kept", default=None)


@contextmanager
def keeping_lowered() -> Iterator[KeptSizes]:
    """Keep what the sizes of one model are lowered to: for its export to C, which would lower them again, and
    for proofs of its kernels. Yields them by the target and the sizes' inputs."""
    kept: KeptSizes = {}
    token = _KEPT.set(kept)
    try:
        yield kept
    finally:
        _KEPT.reset(token)


def kept_lowered(size: Size, target: CompileTarget) -> Kept | None:
    """Return what a size was lowered to while that is kept."""
    return (_KEPT.get() or {}).get((str(target), size.inputs))


class Compilation:
    """The sizes of one model, compiled one after the other into one program."""

    def __init__(
        self,
        source: Source,
        target: CompileTarget,
        passes: Sequence[tvm.transform.Pass],
        on_phase: Callable[[str], None] | None,
        wanted: int,
        grows: bool,
        most_workspace: int | None = None,
        code: KernelCode | None = None,
        bounds: Bounds | None = None,
        instruction_set: str = BASELINE,
        beside: Compilation | None = None,
    ) -> None:
        """``wanted`` is the number of sizes to come; more may follow where the model ``grows``. No call may
        allocate more bytes than ``most_workspace``. ``code`` makes the kernels' machine code, which is else
        made when they first run. ``bounds`` are those of open dimensions, which inputs have to keep.
        ``beside`` is of another instruction set of the same model, whose constants and kernels it shares."""
        self._bounds = {name: (int(least), int(most)) for name, (least, most) in (bounds or {}).items()}
        self._source: Source | None = source
        self._declared = {**source.inputs, **source.outputs}
        self._inputs, self._target, self._passes = source.inputs, target, passes
        self._on_phase, self.grows = on_phase, grows
        self._to_come, self._most_workspace = wanted, most_workspace
        self._instruction_set, self._sizes = instruction_set, tuple[Size, ...]()
        if beside is None:
            self._program, self._constants = Program(target, code=code), dict[Any, Any]()
            self._plan = Plan({}, Weights()) if runs_without_tvm(target) else None
        else:
            self._program = beside._program.beside(target, f"_{instruction_set}", code)
            self._constants = beside._constants
            self._plan = beside._plan and Plan({}, beside._plan.weights)
        self._shares = grows or wanted > 1 or beside is not None or instruction_set != BASELINE

    def add(
        self, shapes: Mapping[str, Shape], clock: Clock | None = None, opened: OpenSizes | None = None
    ) -> None:
        """Compile one more size, or nothing: what raises leaves all as it was. Of ``opened`` dimensions,
        ``shapes`` have extents, and the size stands for many."""
        clock = clock or Clock(self._on_phase, f" of {shapes_text(shapes)}")
        constants = dict(self._constants)
        shared = constants if self._shares else None
        opening = opened or OpenSizes()
        with opening.active():
            lowered = lower(lambda: self._imported(shapes), self._target, self._passes, clock, shared)
            _check_workspace(lowered.calls, self._most_workspace)
            with clock.phase("code"):
                planned = _planned_bytes(lowered.module["main"])
                program = self._program.adding(lowered.module)
            plan = self._planned(lowered, program.parts[-1])
        facts = (*lowered.counts, planned, lowered.calls)
        report = Report(str(self._target), lowered.layers, *facts, dict(clock.seconds))
        size = Size(lowered.inputs, lowered.outputs, report, program.parts[-1].function)
        if lowered.arena:
            values = {} if opened is None else opened.typical_dimensions
            values = with_computed(values, opening.computations)
            report = replace(report, activation_bytes=evaluated(lowered.arena, values))
            size = replace(size, described=report)
        if opened is not None:
            size = replace(
                size,
                typical=opened.typical_dimensions,
                conditions=opened.conditions,
                formulas=opened.computations,
                arena=lowered.arena,
            )
        self._program, self._constants, self._sizes = program, constants, (*self._sizes, size)
        self._plan = plan
        if (kept := _KEPT.get()) is not None:
            kept[str(self._target), size.inputs] = Kept(lowered.unplanned, opening)

    def _planned(self, lowered: Lowered, part: Part) -> Plan | None:
        """The plan with one more size; None where TVM has to run it."""
        if self._plan is None:
            return None
        try:
            calls = calls_of(lowered.unplanned, part.symbols, self._plan.weights)
        except ModelError as error:
            LOG.info("the model is run by TVM: %s", error)
            return None
        return Plan({**self._plan.sizes, part.function: calls}, self._plan.weights)

    def _imported(self, shapes: Mapping[str, Shape]) -> tvm.IRModule:
        assert self._source is not None
        module = self._source.module(shapes)
        self._to_come -= 1
        if not self._to_come and not self.grows:
            self._source = None  # its memory is that of what follows
        return module

    def grow(self, source: Source) -> None:
        """Have further sizes follow, of the model in ``source``."""
        self._source, self.grows = source, True

    def grown(
        self, shapes: Mapping[str, Shape], before: Sequence[Size] = ()
    ) -> tuple[relax.VMExecutable, Metadata]:
        """Compile one more size, and those ``before`` it that came from the cache; return what ``linked``
        does. Raises what ``compile`` does."""
        (size,) = ShapeSpec(shapes).sizes(self._inputs)
        for wanted in (*(known.shapes for known in before), size):
            if wanted not in [known.shapes for known in self._sizes]:  # linking it may have been interrupted
                self.add(wanted)
        return self.linked()

    def linked(self) -> tuple[relax.VMExecutable, Metadata]:
        """Return all sizes so far as one executable, and what it says of itself."""
        metadata = self._metadata()
        with Clock(None).phase("code"):
            return self.parts().executable(), metadata

    def parts(self) -> Parts:
        """Return what ``linked`` makes an executable of."""
        return Parts(self._program.parts, (self._metadata(),), (self._plan,), self._target)

    def _metadata(self) -> Metadata:
        infos = described(self._sizes, self._declared, self.grows)
        name = self._instruction_set
        return Metadata(str(self._target), *infos, self._sizes, self.grows, self._bounds, name)


class Clock:
    """Seconds per phase, and the announcement of each, with a remark."""

    def __init__(self, on_phase: Callable[[str], None] | None, remark: str = "") -> None:
        self.seconds: dict[str, float] = {}
        self._announce, self._remark = on_phase, remark

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        if self._announce is not None and name not in self.seconds:
            self._announce(name + self._remark)
        start = time.perf_counter()
        try:
            # Constants that are folded and steps that are tried may be infinite or NaN, silently.
            with np.errstate(all="ignore"):
                yield
        except DirectConvError:
            raise
        except Exception as error:  # TVM's passes and its code generator raise whatever came up
            let_through(error)
            raise ModelError(
                f"TVM cannot compile the network, in phase '{name}': {last_line(error)}"
            ) from error
        seconds = time.perf_counter() - start
        LOG.info("phase '%s'%s took %.3f s", name, self._remark, seconds)
        self.seconds[name] = self.seconds.get(name, 0.0) + seconds


def lower(
    imported: Callable[[], tvm.IRModule],
    target: CompileTarget,
    passes: Sequence[tvm.transform.Pass],
    clock: Clock,
    constants: dict[Any, Any] | None = None,
    finish: Sequence[tvm.transform.Pass] | None = None,
) -> Lowered:
    """Import a model in one size and take it through all passes, in the end those to ``finish`` with, by
    default for the virtual machine; its constants become those of ``constants`` where these are equal. Raises
    what ``compile`` does."""
    sharing = [] if constants is None else [ShareConstants(constants)]
    with clock.phase("import"):
        module, inner = taken_apart(imported())
    if finish is not None:  # the hosts of these passes have no inner functions
        inner = {}
    # What runs when the model says so is compiled as the model itself is.
    parts = {
        name: (what, [lower(partial(_itself, own), target, passes, clock, constants) for own in what.modules])
        for name, what in inner.items()
    }
    graph = graph_of(partial(_itself, module), target.tvm_target, [*passes, *sharing], clock)
    layers = graph.layers
    _warn_of_convolutions(graph.module["main"])
    with target.tvm_target, clock.phase("kernels"):
        unplanned = tvm.transform.Sequential(kernel_passes(target))(graph.module)
        counts = _other_kernels(unplanned, {layer.function for layer in layers})
        calls = kernel_calls(unplanned, layers)
        module = tvm.transform.Sequential(finish_passes() if finish is None else finish)(unplanned)
    arena = str(module["main"].attrs.get(ARENA, ""))
    lowered = Lowered(module, graph.inputs, graph.outputs, layers, counts, calls, unplanned, arena)
    return with_parts(lowered, parts) if parts else lowered


def _itself(module: tvm.IRModule) -> tvm.IRModule:
    return module


def graph_of(
    imported: Callable[[], tvm.IRModule],
    target: tvm.target.Target,
    passes: Sequence[tvm.transform.Pass],
    clock: Clock,
) -> Graph:
    """Import a model in one size and take it through graph passes. Inputs and outputs have the model's own
    names where the importer kept them. Raises what ``compile`` does."""
    with clock.phase("import"):
        module = imported()
    named = zip(relax_names(module["main"]), tensor_params(module["main"]), strict=True)
    pairs = complex_tensors(module["main"])
    inputs = tuple(replace(_info(name, param.ty, "input"), is_complex=name in pairs) for name, param in named)
    with target, clock.phase("graph"):
        module = tvm.transform.Sequential(passes)(module)
    results = zip(result_names(module["main"]), result_types(module["main"]), strict=True)
    changed = changed_inputs(module["main"])
    infos = (_info(name, ty, "output") for name, ty in results)
    outputs = tuple(
        replace(info, changes=changed.get(info.name, ""), is_complex=info.name in pairs) for info in infos
    )
    layers = tuple(map(LayerReport.from_fields, json.loads(str(module.attrs[LAYERS]))))
    return Graph(module.without_attr(LAYERS), inputs, outputs, layers)


def _info(name: str, ty: tvm.ir.Type, kind: str) -> TensorInfo:
    var = relax.Var(name, ty)
    shape = shape_of(var)
    if shape is None:
        raise ModelError(f"{kind} '{name}' ({ty}) does not have a static tensor shape")
    dims = tuple(text_of(dim.sizes.outward(dim)) if isinstance(dim, Extent) else dim for dim in shape)
    return TensorInfo(name, dims, dtype_of(var))


def _check_workspace(calls: Sequence[KernelCall], most: int | None) -> None:
    """Layers keep to ``most``, or none could be chosen for them; for other operators there is one kernel."""
    for call in calls:
        if most is not None and call.workspace_bytes > most:
            raise AlgorithmError(
                f"kernel '{call.kernel}', which computes {call.result}, allocates {call.workspace_bytes} "
                f"bytes, and no other takes its place: max_workspace_bytes={most} is too little"
            )


def _calls(main: relax.Function, *operators: str) -> Iterator[relax.Call]:
    values = (binding.value for binding in bindings(main.body))
    return (value for value in values if operator_name(value) in operators)


def _other_kernels(
    module: tvm.IRModule, layer_functions: set[str]
) -> tuple[dict[str, int], dict[str, int], dict[str, int]]:
    """Count the calls of kernels other than layers, by name: all, TVM's own kernels without a schedule, and
    reductions by the default schedule."""
    others: Counter[str] = Counter()
    defaults: Counter[str] = Counter()
    reductions: Counter[str] = Counter()
    for call in _calls(module["main"], *KERNEL_CALLS):
        name = call.args[0].name_hint
        if name in layer_functions:
            continue
        kind = kernel_kind(name)
        others[kind] += 1
        function = module[call.args[0]]
        if "conv2d" in name or not is_scheduled(function):
            defaults[kind] += 1
        elif function.attrs.get(REDUCES, False):
            reductions[kind] += 1
    return dict(others), dict(defaults), dict(reductions)


def _warn_of_convolutions(main: relax.Function) -> None:
    """A convolution that is still one is computed by TVM's own loops, which are far from this library's."""
    for call in _calls(main, "relax.nn.conv2d"):
        name = f" '{call.span.source_name.name}'" if call.span else ""
        warnings.warn(
            f"convolution{name} of {dtype_of(call.args[0])} runs by TVM's default kernel, which is slow: the "
            "algorithms of this library compute float32, and 8 bits with constant filters",
            stacklevel=5,
        )


def _planned_bytes(main: relax.Function) -> int:
    """Return the bytes of the storages StaticPlanBlockMemory has laid intermediate results into."""
    storages = _calls(main, "relax.vm.alloc_storage")
    sizes = [call.args[0].values[0] for call in storages if isinstance(call.args[0], relax.ShapeExpr)]
    return sum(int(size) for size in sizes if isinstance(size, tirx.IntImm))
