"""compile: an ONNX network, Relax module or Relay model in, a ExecutableModel out."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import tvm

from relay_strategies.frontends.declared import Given, Shape, shapes_text
from relay_strategies.frontends.parameters import ParamsSource
from relay_strategies.frontends.torch.models import onnx_of
from relay_strategies.passes import call_passes, finish_passes
from relay_strategies.passes.lower.layer_kernels import Tuned, keeping_implementations
from relay_strategies.passes.rows.choice import FASTEST, MEMORIES
from relay_strategies.relax.epilogue_steps import FLOAT
from relay_strategies.strategies import strategy
from relay_strategies.strategies.common_filters import CommonFilters
from relay_strategies.strategies.limits import Limits
from relay_strategies.strategies.records import Records
from tvm_directconv.algorithms import blocked
from tvm_directconv.algorithms.accuracy import EXACT
from tvm_directconv.cache import Files
from tvm_directconv.errors import (
    AlgorithmError,
    DirectConvError,
    ModelError,
    WorkloadError,
    last_line,
)
from tvm_directconv.locks import one_at_a_time
from tvm_directconv.log import LOG
from tvm_directconv.problem.extents import typical
from tvm_directconv.problem.open_sizes import OpenSizes
from tvm_directconv.problem.ties import Affine
from tvm_directconv.runtime.metadata import BASELINE, Size
from tvm_directconv.targets.gpu import GpuTarget, resolve_any_target
from tvm_directconv.targets.target import CompileTarget

from .arguments import (
    check_algorithms,
    check_combination,
    check_memory,
    check_open_sizes,
    check_options,
    check_peak,
    check_portable,
    check_sizes,
    known_records,
    peak_of,
)
from .as_c import Lowering
from .compilation import Clock, Compilation, keeping_lowered, kept_lowered, lower
from .content import Key, key_of, label_of
from .device.compiler import compile_for_device
from .fallback.compiler import check_fallback, compile_in_parts, with_ways_out
from .layer_options import LayerOptions
from .library.linked_parts import Parts
from .library.linking import has_linking_room
from .library.program import KernelCode
from .model.deviations import Compared
from .model.executable_model import ExecutableModel
from .model.loading import taken
from .model.thread_count import check_threads
from .sizes import Bounds, ShapeSpec, may_be_empty
from .source import ModelInput, Source, is_onnx, onnx_model, read_source
from .stored import CacheSlot, Stored
from .verification import prove_kernels, prove_layers

if TYPE_CHECKING:
    from .source import AnyModel

__all__ = ["ExecutableModel", "compile"]

Result = TypeVar("Result")
LAYOUT = "NHWC"


@one_at_a_time
def compile(
    model: AnyModel,
    target: str | Mapping[str, Any] | tvm.target.Target | CompileTarget | GpuTarget = "llvm -mcpu=native",
    *,
    algorithm: str | Mapping[str, str] = strategy.AUTO,
    precision: str | Mapping[str, str] = FLOAT,
    layout: str = LAYOUT,
    accuracy: str = EXACT,
    max_workspace_bytes: int | None = None,
    max_filter_bytes: int | None = None,
    memory: str = FASTEST,
    max_memory_bytes: int | None = None,
    tuning: str | os.PathLike[str] | Records | None = None,
    params: ParamsSource | None = None,
    shapes: Given | Sequence[Given] | None = None,
    batch: int | Sequence[int] | None = None,
    on_demand: bool = False,
    typical: Mapping[str, int] | None = None,
    sizes: Bounds | None = None,
    max_tensor_bytes: int | None = None,
    data_folder: str | os.PathLike[str] | None = None,
    on_phase: Callable[[str], None] | None = None,
    example_inputs: Any = None,
    cache: bool = True,
    threads: int | None = None,
    fallback: str | None = None,
    verify: bool = False,
) -> ExecutableModel:
    """Return what ``tvm_directconv.compile`` does, whose arguments and errors these are (warm.py); the cache
    is looked into by the compiler's own key."""
    check_fallback(fallback)
    limits = Limits(max_workspace_bytes, max_filter_bytes, accuracy)
    check_options(algorithm, precision, layout, limits, max_tensor_bytes)
    check_threads(threads)
    check_sizes(shapes, batch)
    check_open_sizes(typical, sizes)
    shapes = shapes[0] if isinstance(shapes, Sequence) and len(shapes) == 1 else shapes
    given = ModelInput(onnx_of(model) or model, example_inputs, params, max_tensor_bytes, data_folder, shapes)
    wanted = ShapeSpec(shapes, batch, on_demand, typical, sizes)
    resolved = resolve_any_target(target)
    check_combination(resolved, threads, verify, on_demand, fallback)
    check_algorithms(algorithm, resolved)
    check_portable(accuracy, precision, resolved)
    check_memory(memory, max_memory_bytes, resolved)
    layout = blocked.LAYOUT if layout == "blocked" else layout
    options = LayerOptions(algorithm, precision, limits, layout, known_records(tuning), memory)
    if isinstance(resolved, GpuTarget):
        return compile_for_device(given, wanted, resolved, options, on_phase)
    job = _Job(given, wanted, resolved, options, on_phase)
    try:
        job, compiled = job.within(max_memory_bytes, cache, verify)
    except (ModelError, WorkloadError) as error:
        if isinstance(error, AlgorithmError) or not is_onnx(given.model):
            raise
        if fallback is None:
            raise with_ways_out(error) from error.__cause__
        parted = job.in_parts(error, cache)
        parted.threads = threads
        return parted
    check_peak(compiled, max_memory_bytes)
    compiled.lowering, compiled.threads, compiled.compared = job.lowering(), threads, job.reference()
    return compiled


@dataclass(frozen=True)
class _Job:
    """One network to compile for a CPU: the model, its sizes, the target, and how layers are computed."""

    given: ModelInput
    sizes: ShapeSpec
    target: CompileTarget
    options: LayerOptions
    on_phase: Callable[[str], None] | None
    instruction_set: str = BASELINE
    beside: list[Compilation] | None = None
    """Compilations for other instruction sets, among which this one's belongs."""
    kernels: Files | None = None
    """The place of kernels' machine code, for a model that is not kept itself."""
    common: Tuned | None = None
    """The choice by which filters are those of other instruction sets."""

    def key(self) -> Key | None:
        """Return what names the compiled model in the cache."""
        options = self.options.options, self.sizes.options
        return key_of(self.given, self.target, self.options.records, options)

    def within(self, most_memory: int | None, cache: bool, verify: bool) -> tuple[_Job, ExecutableModel]:
        """Return the model, and its job: the first that takes at most so many bytes, from what is asked for
        to the least, or that with the least."""
        for memory in MEMORIES[MEMORIES.index(self.options.memory) :]:
            job = replace(self, options=replace(self.options, memory=memory))
            made = job.verified(cache) if verify else job.found(cache)
            if most_memory is None or peak_of(made) <= most_memory:
                break
        return job, made

    def found(self, cache: bool) -> ExecutableModel:
        """Return the model, from the cache or for it where that is allowed."""
        slot = CacheSlot.of(self.key, self.target) if cache else None
        return self._in_sets(slot) if self.target.dispatch else self.compiled(slot)

    def set_jobs(self) -> dict[str, _Job]:
        """Return the job for each instruction set of the target, the best last."""
        targets = self.target.instruction_sets
        common = CommonFilters(targets).choice if len(targets) > 1 else None
        return {
            name: replace(self, target=target, instruction_set=name, common=common)
            for name, target in reversed(targets.items())
        }

    def lowering(self) -> Lowering:
        """Return how the model is lowered again."""
        return Lowering(self.target, {name: job.lowered for name, job in self.set_jobs().items()})

    def _in_sets(self, slot: CacheSlot | None) -> ExecutableModel:
        """Return the model in all instruction sets of the target; this host's best one runs."""
        found = None if slot is None else slot.find()
        if found is None:
            beside: list[Compilation] = []
            kernels = None if slot is None else slot.cache.kernels
            for job in self.set_jobs().values():
                replace(job, beside=beside, kernels=kernels).compiled(None)
            parts = Parts.of_sets([each.parts() for each in beside], self.target)
            facts = self._facts([size.shapes for size in parts.sets[-1].sizes])
            found = None if slot is None else slot.keep(parts, label_of(self.given.model), facts)
        if found is None:
            return ExecutableModel(parts.executable(), taken(parts.sets))
        return ExecutableModel(found.executable, found.metadata)

    def verified(self, cache: bool) -> ExecutableModel:
        """Return the model compiled anew, whose kernels and layers are proven; proofs may come from the
        cache."""
        with keeping_lowered() as kept, keeping_implementations() as layers:
            compiled = self.found(cache=False)
        modules = [lowered.module for lowered in kept.values()]
        proofs = prove_kernels(modules, cache, self.on_phase)
        compiled.verifications = (*proofs, *prove_layers(layers, cache, self.on_phase))
        return compiled

    def in_parts(self, refused: DirectConvError, cache: bool) -> ExecutableModel:
        """Return the ONNX model, ``refused`` as a whole, compiled in parts."""
        options, limits = self.options, self.options.limits
        part = functools.partial(
            compile,
            target=self.target,
            algorithm=options.algorithm,
            precision=options.precision,
            layout="blocked" if options.layout == blocked.LAYOUT else options.layout,
            accuracy=limits.accuracy,
            max_workspace_bytes=limits.workspace_bytes,
            max_filter_bytes=limits.filter_bytes,
            memory=options.memory,
            tuning=options.records,
            max_tensor_bytes=self.given.max_tensor_bytes,
            on_phase=self.on_phase,
            cache=cache,
        )
        proto = onnx_model(self.given, keeps=True)
        most = self.given.max_tensor_bytes
        return compile_in_parts(proto, self.sizes, str(self.target), part, most, refused)

    def lowered(self, size: Size, use: Callable[[tvm.IRModule], Result]) -> Result:
        """Return what ``use`` makes of one size of the model, lowered again unless it was kept: ready for the
        virtual machine, or with nothing planned where it goes by rows or is of open dimensions, which are
        active then."""
        unplanned = size.is_open or self.options.memory != FASTEST
        finish = call_passes() if unplanned else finish_passes()
        if (kept := kept_lowered(size, self.target)) is not None:
            with kept.opened.active(), self.target.tvm_target:
                return use(tvm.transform.Sequential(finish)(kept.module))
        passes = self.options.passes(self.target, common=self.common)

        def again(source: Source, shapes: Mapping[str, Shape]) -> Result:
            made = lower(lambda: source.module(shapes), self.target, passes, Clock(None), finish=finish)
            return use(made.module)

        def of_open(source: Source, opened: OpenSizes, shapes: Mapping[str, Shape]) -> Result:
            with opened.active():
                return again(source, shapes)

        source = read_source(self.given, keeps=size.is_open)
        return self._tied(source, of_open) if size.is_open else again(source, size.shapes)

    def reference(self) -> Compared | None:
        """Return what deviations compare with, which is compiled when it is asked for; None for a model that
        is exact. The reference is the whole network: nothing else is kept for it."""
        if self.options == self.options.exact():
            return None
        alone = replace(self, sizes=replace(self.sizes, on_demand=False), on_phase=None)
        exact = replace(alone, options=self.options.exact())
        return Compared(alone.compared, exact.compared)

    def compared(self, expose_layers: bool) -> ExecutableModel:
        """Return the model compiled without the cache, to be compared with another."""
        return self.compiled(None, expose_layers)

    def compiled(self, slot: CacheSlot | None, expose_layers: bool = False) -> ExecutableModel:
        """Return the model from its ``slot`` of the cache, or compile it and put it there.

        Where dimensions stay open, what cannot be compiled for all sizes is compiled for typical ones, and
        for others when inputs ask for them.
        """
        clock, on_demand = Clock(self.on_phase), self.sizes.on_demand
        with clock.phase("import"):
            found = None if slot is None else slot.find()
            if found is not None and not found.metadata.grows:
                return ExecutableModel(found.executable, found.metadata)
            source = read_source(self.given, keeps=on_demand or found is not None)
            opened = self.sizes.opened(source.inputs, {}, source.typical)
            wanted = [] if opened else self.sizes.sizes(source.inputs)
        if opened is None or found is not None:
            return self._compiled(slot, expose_layers, clock, found, source, wanted)
        try:
            return self._tied(
                source,
                lambda source, opened, shapes: self._compiled(
                    slot, expose_layers, clock, None, source, [shapes], opened
                ),
            )
        except DirectConvError as error:
            LOG.info("the model is compiled for each size by itself: %s", last_line(error))
        source = read_source(self.given, keeps=True)
        fixed = {name: typical(shape) for name, shape in opened[1].items()}
        again = replace(self, sizes=replace(self.sizes, shapes=fixed, typical=None, on_demand=True))
        guesses = self.sizes.guesses(source.inputs, source.typical)
        try:
            return again._compiled(slot, expose_layers, Clock(self.on_phase), None, source, [fixed])
        except ModelError as error:
            if not guesses:
                raise
            if (next_sizes := self.sizes.guessed_again(guesses)) is not None:
                with suppress(ModelError):
                    return replace(self, sizes=next_sizes).compiled(slot, expose_layers)
            sizes = ", ".join(f"'{name}': {size}" for name, size in guesses.items())
            wrong = f"{error}; sizes were guessed: say what they are by typical={{{sizes}}}"
            raise ModelError(wrong) from error

    def _tied(
        self, source: Source, make: Callable[[Source, OpenSizes, Mapping[str, Shape]], Result]
    ) -> Result:
        """Return what ``make`` makes of the model with its dimensions open, tied where sizes have to be
        equal. Raises what that does where no ties are found."""
        ties: Mapping[str, Affine] = {}
        while True:
            wanted = self.sizes.opened(source.inputs, ties, source.typical)
            assert wanted is not None
            opened, shapes = wanted
            try:
                return make(source, opened, shapes)
            except DirectConvError as error:
                if not opened.found or opened.found == opened.ties:
                    raise
                LOG.info("dimensions are tied: %s", last_line(error))
                source, ties = read_source(self.given, keeps=True), opened.found

    def _compiled(
        self,
        slot: CacheSlot | None,
        expose_layers: bool,
        clock: Clock,
        found: Stored | None,
        source: Source,
        wanted: Sequence[Mapping[str, Shape]],
        opened: OpenSizes | None = None,
    ) -> ExecutableModel:
        """``compiled`` of a source in the sizes ``wanted``, the only one with ``opened`` dimensions, that was
        ``found`` in the cache or not."""
        on_demand = self.sizes.on_demand
        with ExitStack() as stack:
            code, start = None, None
            kernels = self.kernels if slot is None else slot.cache.kernels
            is_kept = slot is not None and slot.cache.writable()
            if kernels is not None and not on_demand and (is_kept or has_linking_room()):
                code = stack.enter_context(KernelCode(self.target, kernels))
                # Kernels of further sizes, and of instruction sets beside others, get other names.
                start = code.start if len(wanted) == 1 and not self.beside else None
            passes = self.options.passes(self.target, expose_layers, start, self.common)
            most = self.options.limits.workspace_bytes
            compilation = Compilation(
                source,
                self.target,
                passes,
                self.on_phase,
                len(wanted),
                on_demand or found is not None,
                most,
                code,
                self.sizes.bounds,
                self.instruction_set,
                self.beside[-1] if self.beside else None,
            )
            del source  # the compilation lets go of it when it has imported it
            if found is None:
                compilation.add(wanted[0], clock, opened)
                for size in wanted[1:]:
                    compilation.add(size)
                if opened is not None and (opened.restricting or may_be_empty(wanted[0])):
                    compilation.grow(read_source(self.given, keeps=True))
                if self.beside is not None:
                    self.beside.append(compilation)
                if slot is not None:
                    found = slot.keep(compilation.parts(), label_of(self.given.model), self._facts(wanted))
            if found is None and code is not None and not has_linking_room():
                return self._compiled(
                    None, expose_layers, clock, None, read_source(self.given, keeps=on_demand), wanted, opened
                )
            if found is None:
                return ExecutableModel(
                    *compilation.linked(), compilation.grown if compilation.grows else None
                )
        grown = functools.partial(compilation.grown, before=found.metadata.sizes)
        return ExecutableModel(found.executable, found.metadata, grown if compilation.grows else None)

    def _facts(self, wanted: Sequence[Mapping[str, Shape]]) -> dict[str, str]:
        """Return what the cache's list tells people of the model."""
        sizes = "; ".join(map(shapes_text, wanted)) + ("; others on demand" if self.sizes.on_demand else "")
        return {"sizes": sizes, "options": self.options.words}
