"""The kernels of a network's layers: what is chosen for each, each made once, and the record of it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, replace
from typing import Any

from tvm.ir import GlobalVar
from tvm.tirx import PrimFunc

from relay_strategies.relax.graph import Rewriter
from relay_strategies.relax.kernels import scheduled
from relay_strategies.strategies import strategy
from relay_strategies.strategies.limits import Limits
from tvm_directconv.algorithms import ALGORITHMS
from tvm_directconv.algorithms.base import Conv2dImplementation, KernelPlan, Plan
from tvm_directconv.algorithms.chains.calls import chain_function
from tvm_directconv.algorithms.chains.geometry import Chain
from tvm_directconv.algorithms.direct_nhwc import DirectNhwc
from tvm_directconv.errors import AlgorithmError, let_through
from tvm_directconv.problem.extents import is_open, typical
from tvm_directconv.problem.open_sizes import OpenSizes, active_sizes
from tvm_directconv.problem.storage import WHOLE
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.gpu import GpuTarget
from tvm_directconv.targets.target import CompileTarget

from .by_name import ByName, Words
from .layer_report import layer_report

SIZES = ("batch", "height", "width")
"""These fields of a workload may be open."""
LAYER = "layer "
"""Errors of layers begin with it, and the layer's name."""
MOST_SHOWN = 3
"""The largest number of layers that an error names, of those that an algorithm does not take."""

Tuned = Callable[[Conv2dWorkload, CompileTarget, Limits], tuple[str, Any] | None]
"""A function that returns the algorithm and knobs that are known to be fastest, or None for a layer that is
not known."""

OnKernel = Callable[[str, PrimFunc], None]
"""A function that is called with the name and the code of each kernel."""

_KEPT: ContextVar[list[Conv2dImplementation | Chain] | None] = ContextVar("implementations", default=None)


@contextmanager
def keeping_implementations() -> Iterator[list[Conv2dImplementation | Chain]]:
    """Keep what layers are computed by while a model is lowered, each once, for proofs of it."""
    kept: list[Conv2dImplementation | Chain] = []
    token = _KEPT.set(kept)
    try:
        yield kept
    finally:
        _KEPT.reset(token)


def _keep(implemented: Conv2dImplementation | Chain) -> None:
    kept = _KEPT.get()
    if kept is not None:
        kept.append(implemented)


class LayerKernels:
    """The kernels of one module, by workload and algorithm, and the record of the layers that call them."""

    def __init__(
        self,
        target: CompileTarget | GpuTarget,
        algorithm: Words,
        limits: Limits,
        tuning: Tuned | None = None,
        on_kernel: OnKernel | None = None,
        common: Tuned | None = None,
    ) -> None:
        self.target: Any = target
        self._tuning, self._on_kernel, self._common = tuning, on_kernel, common
        self._tuned: set[Conv2dWorkload] = set()
        self._by_name = ByName(algorithm, strategy.AUTO)
        self._limits = limits
        self._known: dict[tuple[Conv2dWorkload, str], tuple[Conv2dImplementation, GlobalVar]] = {}
        self._plans: dict[Conv2dWorkload, Plan | None] = {}
        self._chains: dict[tuple[Chain, int], tuple[list[Conv2dImplementation], GlobalVar]] = {}
        self.layers: list[dict[str, Any]] = []

    def get(
        self, rewriter: Rewriter, name: str, workload: Conv2dWorkload
    ) -> tuple[Conv2dImplementation, GlobalVar]:
        key = workload, self._by_name.of(name)
        if key not in self._known:
            with self.errors_of(name, workload):
                chosen = self._implement(workload, key[1])
            _keep(chosen)
            self._known[key] = chosen, self._add(rewriter, chosen.prim_func, _kernel_name(chosen))
        return self._known[key]

    @contextmanager
    def errors_of(self, name: str, workload: Conv2dWorkload) -> Iterator[None]:
        """Have errors of a layer's algorithm name the layer, and the strategy that offered it."""
        try:
            yield
        except AlgorithmError as error:
            if str(error).startswith(LAYER):
                raise
            asked = strategy.conv2d_strategy.asked(workload.at_typical_sizes(), self.target)
            by = f"{asked.operator}_strategy of '{asked.key_of(self.target)}'"
            raise AlgorithmError(f"{LAYER}'{name}', by {by}: {error}") from error

    def _implement(self, workload: Conv2dWorkload, algorithm: str) -> Conv2dImplementation:
        """Implement a workload by the algorithm chosen for whole tensors, in place if that takes its
        storage."""
        if is_open(workload.sizes):
            return self._implement_open(workload, algorithm)
        offers, selected, native, knobs = self._select(workload, algorithm)
        chosen = selected.build(native, self.target, knobs)
        return offers.compared(chosen, workload.of_whole_tensors(), self.target, self._limits)

    def _select(
        self, workload: Conv2dWorkload, algorithm: str
    ) -> tuple[strategy.OpStrategy, strategy.OpImplementation, Conv2dWorkload, Any]:
        """Return what is offered, what is chosen of it for whole tensors, the workload that it computes, in
        place if it takes its storage, and its knobs."""
        whole = workload.of_whole_tensors()
        name, knobs = self._choice(workload, algorithm)
        offers = strategy.conv2d_strategy(whole, self.target)
        selected = offers.select(whole, self.target, name, self._limits)
        if workload.storage == WHOLE or not _takes(selected.name, workload):
            return offers, selected, whole, knobs
        return offers, selected, workload, ALGORITHMS[selected.name].plan(whole, self.target, knobs).knobs

    def _implement_open(self, workload: Conv2dWorkload, algorithm: str) -> Conv2dImplementation:
        """Implement a workload of open sizes by what is chosen at typical ones; by direct_nhwc, where that
        takes a choice of its own and leaves sizes open that the other does not."""
        try:
            return self._opened(workload, algorithm)
        except Exception as error:  # TVM's schedules raise whatever came up
            let_through(error)
            if algorithm != strategy.AUTO:
                raise AlgorithmError(f"{algorithm} does not leave sizes open: {workload}") from error
            return self._opened(workload, DirectNhwc.name)

    def _opened(self, workload: Conv2dWorkload, algorithm: str) -> Conv2dImplementation:
        """Return what is chosen at typical sizes, by the same knobs, for the sizes of an open workload: for
        all of them, unless it is the algorithm that is asked for, or direct_nhwc. Raises AlgorithmError."""
        fixed = workload.at_typical_sizes()
        offers, selected, taken, knobs = self._select(fixed, algorithm)
        chosen = selected.plan(taken, self.target, knobs)
        if not isinstance(chosen, KernelPlan):
            raise AlgorithmError(f"functions of one's own compute fixed sizes: {selected.name}, {workload}")
        inside, outside = OpenSizes("int32"), active_sizes()
        assert outside is not None
        meant = {
            name: extent for name, extent in zip(SIZES, workload.sizes, strict=True) if is_open([extent])
        }
        dims = [
            inside.dimension(name, typical(extent)) if name in meant else extent
            for name, extent in zip(SIZES, workload.sizes, strict=True)
        ]
        native = chosen.workload.of_sizes((dims[0], dims[1], dims[2]))
        opened = ALGORITHMS[selected.name].plan(native, self.target, chosen.knobs)
        cost = selected.estimate(taken, self.target, knobs)
        implementation = opened.implement_as(chosen, selected.name, cost)
        if inside.restricting and selected.name not in (algorithm, DirectNhwc.name):
            raise AlgorithmError(f"{selected.name} does not leave all sizes open: {workload}")
        outside.assume(inside, meant)
        implementation = offers.compared(implementation, fixed.of_whole_tensors(), self.target, self._limits)
        return replace(implementation, workload=chosen.workload.of_sizes(workload.sizes))

    def plan(self, name: str, workload: Conv2dWorkload) -> Plan | None:
        """Return how the layer of that name is computed by itself, where that is left open, and without
        changes of layout and parts of tensors."""
        if is_open(workload.sizes[1:]) or workload.storage != WHOLE:
            return None
        if self._by_name.of(name) != strategy.AUTO:
            return None
        workload = workload.at_typical_sizes()
        if workload not in self._plans:
            self._plans[workload] = self._plan(name, workload)
        return self._plans[workload]

    def _plan(self, name: str, workload: Conv2dWorkload) -> Plan | None:
        algorithm, knobs = self._choice(workload, strategy.AUTO)
        with self.errors_of(name, workload):
            offers = strategy.conv2d_strategy(workload, self.target)
            selected = offers.select(workload, self.target, algorithm, self._limits)
            plan = selected.plan(workload, self.target, knobs)
        return plan if plan.workload == workload else None

    def allows(self, chain: Chain) -> bool:
        """Return whether a chain is within the limits."""
        filters = (part.packed_filter_bytes for part in chain.parts)
        return not self._limits.refusal(chain.workspace_bytes, max(filters))

    def get_chain(
        self, rewriter: Rewriter, chain: Chain, batch: int
    ) -> tuple[list[Conv2dImplementation], GlobalVar]:
        """The layers of a chain, and the kernel that computes all of them; where ``batch`` is open, the chain
        was chosen at typical sizes."""
        if (chain, batch) not in self._chains:
            inside = OpenSizes("int32")
            images = inside.dimension("batch", typical(batch)) if is_open([batch]) else batch
            opened = chain.of_batch(images)
            function = chain_function(opened)
            _keep(chain)
            if (outside := active_sizes()) is not None:
                outside.assume(inside, {"batch": batch})
            layers = [
                strategy.conv2d_strategy(part.workload, self.target).compared(
                    part.implemented(
                        DirectNhwc.name, part.cost(), function.prim_func, kernels, chain.workspace_bytes
                    ),
                    part.workload,
                    self.target,
                    self._limits,
                )
                for part, kernels in zip(chain.parts, function.kernels, strict=True)
            ]
            layers = [replace(each, workload=replace(each.workload, batch=batch)) for each in layers]
            kernel = self._add(rewriter, function.prim_func, _chain_name(chain))
            self._chains[chain, batch] = layers, kernel
        return self._chains[chain, batch]

    def _add(self, rewriter: Rewriter, kernel: PrimFunc, name: str) -> GlobalVar:
        kernel = scheduled(kernel)
        function = rewriter.add_function(kernel, name)
        if self._on_kernel is not None:
            self._on_kernel(function.name_hint, kernel)
        return function

    def _choice(self, workload: Conv2dWorkload, algorithm: str) -> tuple[str, Any]:
        """The algorithm and the knobs that tuning knows for a layer that leaves them open, else those by
        which it shares its filter, else the algorithm asked for and knobs of its own."""
        found = self._tuned_choice(workload, algorithm)
        if found[1] is None and self._common is not None and algorithm == strategy.AUTO:
            return self._common(workload.of_whole_tensors(), self.target, self._limits) or found
        return found

    def _tuned_choice(self, workload: Conv2dWorkload, algorithm: str) -> tuple[str, Any]:
        """``_choice`` of a layer by itself."""
        if self._tuning is not None and algorithm == strategy.AUTO:
            found = self._tuning(workload.of_whole_tensors(), self.target, self._limits)
            if found is not None:
                self._tuned.add(workload)
                return found
        return algorithm, None

    def prefers(self, name: str, edges: Conv2dWorkload, offered: Conv2dWorkload) -> bool:
        """Return whether a layer is computed between ``edges``, in other layouts than it is ``offered`` in,
        rather than between changes of layout. Tuning knows layers as they are offered, and a limit of
        workspace is one of what is needed between those layouts."""
        edges, offered = edges.at_typical_sizes(), offered.at_typical_sizes()
        algorithm, knobs = self._tuned_choice(offered, self._by_name.of(name))
        if knobs is not None or self._limits.workspace_bytes is not None:
            return False
        with self.errors_of(name, edges):
            offers = strategy.conv2d_strategy(edges, self.target)
            return offers.gains_by(edges, offered, self.target, algorithm, self._limits)

    def takes_parts(self, name: str, workload: Conv2dWorkload) -> bool:
        """Return whether the algorithm chosen for the layer of that name takes the storage of its
        workload."""
        workload, algorithm = workload.at_typical_sizes(), self._by_name.of(name)
        whole = workload.of_whole_tensors()
        with self.errors_of(name, whole):
            offers = strategy.conv2d_strategy(whole, self.target)
            selected = offers.select(whole, self.target, self._choice(whole, algorithm)[0], self._limits)
        return _takes(selected.name, workload)

    def wanted(self, name: str) -> str:
        """The algorithm that is asked for, for the layer of that name."""
        return self._by_name.of(name)

    def check_names(self) -> None:
        self._by_name.check("algorithm")

    def check_taken(self, layers: Iterable[tuple[str, Conv2dWorkload]]) -> None:
        """Raise AlgorithmError where layers, each by name and in any layouts, are to be computed by an
        algorithm that does not take them. It names the first, and says how to leave them to the choice."""
        refused: dict[str, dict[str, Conv2dWorkload]] = {}
        for name, given in layers:
            workload = given.at_typical_sizes()
            wanted = self.wanted(name)
            if wanted not in (strategy.AUTO, *self._offered(workload)):
                refused.setdefault(wanted, {})[name] = workload
        for algorithm, found in refused.items():
            shown = dict(itertools.islice(found.items(), MOST_SHOWN))
            told = ", ".join(f"'{name}' ({workload})" for name, workload in shown.items())
            more = f" and {len(found) - len(shown)} more" if len(found) > len(shown) else ""
            takers = ", ".join(self._offered(next(iter(shown.values()))))
            raise AlgorithmError(
                f"algorithm '{algorithm}' is unknown or does not apply to {told}{more}; the first is taken "
                f"by {takers}; to leave layers to the choice, give their names or patterns of them: "
                f"algorithm={self._by_name.but(shown, strategy.AUTO)}"
            )

    def _offered(self, workload: Conv2dWorkload) -> list[str]:
        """The names of what the target's strategy has for a layer."""
        offers = strategy.conv2d_strategy(workload, self.target)
        return [implementation.name for implementation in offers.implementations]

    def record(
        self,
        name: str,
        kind: str,
        workload: Conv2dWorkload,
        chosen: tuple[Conv2dImplementation, GlobalVar],
        *,
        dequantized: str = "",
        chain: Mapping[str, Any] | None = None,
    ) -> None:
        """Keep what was chosen for a layer, at typical sizes where they are open, and the chain that it is or
        might be part of."""
        workload, (implementation, kernel) = workload.at_typical_sizes(), chosen
        implementation = replace(implementation, workload=implementation.workload.at_typical_sizes())
        copied = sum(strategy.layout_copies(workload, implementation.workload).values())
        report = layer_report(name, kind, kernel.name_hint, implementation, copied)
        asked = str(workload.of_whole_tensors())
        report = replace(report, asked=asked, dequantized=dequantized, chain=chain or {})
        if self._tuning is not None:
            report = replace(report, tuned=workload in self._tuned)
        self.layers.append(asdict(report))


def _takes(algorithm: str, workload: Conv2dWorkload) -> bool:
    """Return whether an algorithm of this library has that name, and takes the workload."""
    return algorithm in ALGORITHMS and ALGORITHMS[algorithm].takes(workload)


def _kernel_name(chosen: Conv2dImplementation) -> str:
    w = chosen.workload
    text = (
        f"{chosen.name}_{w.in_channels}x{w.height}x{w.width}_{w.out_channels}"
        f"_k{w.kernel[0]}x{w.kernel[1]}_s{w.strides[0]}x{w.strides[1]}"
    )
    parts = ["bias"] if w.epilogue.bias else []
    return "_".join([text, *parts, *(step.name for step in w.epilogue.steps)])


def _chain_name(chain: Chain) -> str:
    w, of_middle = chain.parts[0].workload, chain.middle.workload
    channels = "_".join(str(part.workload.out_channels) for part in chain.parts)
    kernel, strides = ("x".join(map(str, pair)) for pair in (of_middle.kernel, of_middle.strides))
    return f"chain_{w.in_channels}x{w.height}x{w.width}_{channels}_k{kernel}_s{strides}"
