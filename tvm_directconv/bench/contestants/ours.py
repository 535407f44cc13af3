"""The project itself: called as its users call it, and each of its algorithms alone.

``ours`` is asked in the layouts of the workload (NHWC in the networks' layers) and chooses the algorithm. A
contestant with an algorithm's name runs it in the layouts it takes: that is its time inside a network which
keeps them. What it costs more between NHWC neighbours, the changes of layout at its edges, is timed apart and
goes into the facts. ``ours-f32`` runs in float32 what the others run in 8 bits: what quantizing gains.
``ours-bf16`` and ``ours-f16`` run in half precision what the others run in float32, and ``ours-standard`` and
``ours-fast`` may take algorithms that round more.
"""

from __future__ import annotations

import functools
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import tvm

from relay_strategies.compiler.compiler import compile as compile_model
from relay_strategies.compiler.layer import Conv2dLayer, LayoutChange, build_conv2d, layout_changes
from relay_strategies.strategies.records import Records
from relay_strategies.strategies.strategy import AUTO, implement_conv2d
from tvm_directconv.algorithms.accuracy import ACCURACIES, EXACT, PORTABLE
from tvm_directconv.bench.layout_changes import from_layout, to_layout
from tvm_directconv.bench.problems import LayerProblem, NetworkProblem, OpenProblem
from tvm_directconv.bench.quantized_problems import Problem, QuantizedLayerProblem, QuantizedNetworkProblem
from tvm_directconv.errors import AlgorithmError, DirectConvError
from tvm_directconv.measure.timing import seconds_per_call, time_calls
from tvm_directconv.problem.element_types import FLOAT32, FLOATS, rounded
from tvm_directconv.problem.workload import Conv2dWorkload, Epilogue
from tvm_directconv.runtime.compiled_model import CompiledModel
from tvm_directconv.targets.target import CompileTarget, require_host

from .base import CannotSolve, Contestant, Prepared, Setting, Variant, in_precision

AnyLayer = LayerProblem | QuantizedLayerProblem

LAYOUT_BATCHES, LAYOUT_BATCH_SECONDS = 3, 2e-3
"""A change of layout is timed in so many batches of at least that length."""


class Ours(Contestant):
    name = "ours"
    reads_tflite = True
    algorithm = AUTO
    records: Records | None = None
    """Tuning records, used for the layers that they know."""
    precision = FLOAT32
    accuracy = EXACT

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self._opened: dict[tuple[Any, ...], CompiledModel] = {}

    def available(self) -> str | None:
        try:
            require_host(self.setting.target)
        except DirectConvError as error:
            return str(error)
        return None

    def solves(self, problem: Problem) -> Problem:
        return in_precision(problem, self.precision)

    def prepare_layer(self, problem: LayerProblem) -> Prepared:
        return self._layer(problem)

    def prepare_quantized_layer(self, problem: QuantizedLayerProblem) -> Prepared:
        return self._layer(problem)

    def _layer(self, problem: AnyLayer) -> Prepared:
        workload = problem.workload
        if self.precision != FLOAT32:
            workload = replace(workload, dtype=self.precision)
        layer = build_conv2d(workload, self.setting.target, tuning=self.records, accuracy=self.accuracy)
        assert isinstance(layer, Conv2dLayer)  # contestants are of CPUs
        return _prepared(problem, layer)

    def prepare_network(self, problem: NetworkProblem) -> Prepared:
        compiled = self._compiled(problem)
        compiled.set_inputs(problem.inputs)
        layers = Counter(layer.kind for layer in compiled.report().layers)
        facts: dict[str, str | float] = {
            "layers": ", ".join(f"{count} {kind}" for kind, count in layers.items())
        }
        if isinstance(problem, OpenProblem):
            facts["first run, ms"] = round(1e3 * seconds_per_call(compiled.invoke, 1), 3)
        return Prepared(compiled.invoke, compiled.get_outputs, facts=facts)

    def _compiled(self, problem: NetworkProblem) -> CompiledModel:
        """The network compiled; of open sizes once for all."""
        if not isinstance(problem, OpenProblem):
            return self._compile(problem)
        key = str(problem.source), tuple(problem.typical.items())
        if key not in self._opened:
            self._opened = {key: self._compile(problem, typical=problem.typical)}
        return self._opened[key]

    def _compile(self, problem: NetworkProblem, **sizes: Any) -> CompiledModel:
        return compile_model(
            problem.source,
            self.setting.target,
            algorithm=self.algorithm,
            precision=self.precision,
            accuracy=self.accuracy,
            cache=False,  # a user's own networks are not to make room for these
            **sizes,
        )


class OursFixed(Ours):
    """An open network compiled for each size alone."""

    name = "ours-fixed"

    def _compiled(self, problem: NetworkProblem) -> CompiledModel:
        return self._compile(problem, shapes={name: array.shape for name, array in problem.inputs.items()})


class OursFloat(Ours):
    """The network, or the layer, before it was quantized."""

    name = "ours-f32"

    def solves(self, problem: Problem) -> Problem:
        if isinstance(problem, QuantizedLayerProblem):
            floats = replace(problem.workload, dtype="float32", quantized=None, epilogue=Epilogue())
            return LayerProblem(floats)
        if isinstance(problem, QuantizedNetworkProblem) and problem.original is not None:
            return problem.original
        raise CannotSolve("no float32 form of it is known, or there is no other")


class OursBy(Ours):
    """One algorithm, on operands in its own layouts; fact ``layout_seconds``: what NHWC edges add."""

    def _layer(self, problem: AnyLayer) -> Prepared:
        workload, target = problem.workload, self.setting.target
        try:
            chosen = implement_conv2d(workload, target, self.algorithm)
        except AlgorithmError:
            raise CannotSolve("does not take the layer") from None
        layer = Conv2dLayer(chosen.workload, target, chosen)
        return _prepared(problem, layer, layout_seconds=layout_seconds(workload, chosen.workload, target))


IN_HALF = tuple(
    Variant(f"{Ours.name}-{short}", Ours, {"precision": precision})
    for precision, short in FLOATS.items()
    if precision != FLOAT32
)


LESS_EXACT = tuple(
    Variant(f"{Ours.name}-{word}", Ours, {"accuracy": word})
    for word in ACCURACIES
    if word not in (PORTABLE, EXACT)
)


def by_algorithm(algorithm: str) -> Variant:
    """Return the contestant of that algorithm."""
    return Variant(algorithm, OursBy, {"algorithm": algorithm})


def layout_seconds(workload: Conv2dWorkload, native: Conv2dWorkload, target: CompileTarget) -> float:
    """Return the seconds that changes from the layouts of ``workload`` to those of ``native``, and back, take
    in a call."""
    return sum(_change_seconds(change, target) for change in layout_changes(workload, native).values())


@functools.lru_cache(maxsize=512)
def _change_seconds(change: LayoutChange, target: CompileTarget) -> float:
    func = change.func(target).with_attr("global_symbol", "change")
    copy = tvm.compile(tvm.IRModule({"change": func}), target=target.tvm_target).mod["change"]
    given, changed = change.empty(change.source), change.empty(change.result)
    return time_calls(lambda: copy(given, changed), LAYOUT_BATCHES, LAYOUT_BATCH_SECONDS).median


def _prepared(problem: AnyLayer, layer: Conv2dLayer, **facts: float) -> Prepared:
    """Bind the layer to the problem's operands, in the layer's layouts."""
    w = layer.workload
    weights = problem.filter.transpose(["OIHW".index(axis) for axis in w.filter_layout])
    extra = (problem.bias, None, problem.scale) if isinstance(problem, QuantizedLayerProblem) else ()
    data = to_layout(problem.data, w.data_layout)
    if w.is_half:
        data, weights = rounded(data, w.dtype), rounded(weights, w.dtype)
    run, output = layer.bind(data, np.ascontiguousarray(weights), *extra)
    known: dict[str, str | int | float] = {
        "algorithm": layer.implementation.name,
        "layouts": f"{layer.implementation.workload.data_layout} {layer.implementation.workload.out_layout}",
        "kernels": ", ".join(layer.implementation.kernels),
        "workspace_bytes": layer.workspace_bytes,
    }
    return Prepared(
        run, lambda: [from_layout(output.numpy(), w.out_layout, w.out_channels)], facts=known | facts
    )
