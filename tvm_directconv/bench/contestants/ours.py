"""This project: called as its users call it, and each of its algorithms alone.

``ours`` is asked in the layouts of the workload (NHWC in the networks' layers) and chooses the algorithm. A
contestant with an algorithm's name runs it in the layouts it takes: that is its time inside a network which
keeps them. What it costs more between NHWC neighbours, the changes of layout at its edges, is timed apart and
goes into the facts. ``ours-f32`` runs in float32 what the others run in 8 bits: what quantizing gains.
"""

from __future__ import annotations

import functools
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import tvm

from tvm_directconv.bench.problems import LayerProblem, NetworkProblem, Problem, from_layout, to_layout
from tvm_directconv.bench.quantized_problems import QuantizedLayerProblem, QuantizedNetworkProblem
from tvm_directconv.errors import AlgorithmError, DirectConvError
from tvm_directconv.operators.layout import change_layout
from tvm_directconv.problem.workload import Conv2dWorkload, Epilogue, data_shape
from tvm_directconv.targets.target import CompileTarget, require_host

from .base import CannotSolve, Contestant, Prepared

if TYPE_CHECKING:
    from relay_strategies.compiler.layer import Conv2dLayer
    from relay_strategies.strategies.records import Records

AUTO = "auto"
AnyLayer: TypeAlias = "LayerProblem | QuantizedLayerProblem"

LAYOUT_REPEATS, LAYOUT_BATCH_MS = 3, 2.0
"""Batches of a change of layout timed, and the least length of one."""


class Ours(Contestant):
    name = "ours"
    # A defect of ours must end the benchmark; only errors meant for users become a line in the
    # table.
    failures = (DirectConvError,)
    records: Records | None = None
    """Of tuning, to use."""

    def available(self) -> str | None:
        try:
            require_host(self.setting.target)
        except DirectConvError as error:
            return str(error)
        return None

    def prepare_layer(self, problem: LayerProblem) -> Prepared:
        return _prepared(problem, self._build(problem.workload))

    def prepare_quantized_layer(self, problem: QuantizedLayerProblem) -> Prepared:
        return _prepared(problem, self._build(problem.workload))

    def _build(self, workload: Conv2dWorkload) -> Conv2dLayer:
        from tvm_directconv import build_conv2d

        return build_conv2d(workload, self.setting.target, tuning=self.records)

    def prepare_network(self, problem: NetworkProblem) -> Prepared:
        return self._compiled(problem, AUTO)

    def _compiled(self, problem: NetworkProblem, algorithm: str) -> Prepared:
        from tvm_directconv import compile as compile_model

        compiled = compile_model(problem.model, target=self.setting.target, algorithm=algorithm)
        compiled.set_inputs(problem.inputs)
        layers = Counter(layer.kind for layer in compiled.report().layers)
        facts = {"layers": ", ".join(f"{count} {kind}" for kind, count in layers.items())}
        return Prepared(compiled.invoke, compiled.get_outputs, facts=facts)


class OursFloat(Ours):
    """The network, or the layer, before it was quantized."""

    name = "ours-f32"

    def solves(self, problem: Problem) -> Problem:
        if isinstance(problem, QuantizedLayerProblem):
            bare = replace(problem.workload, dtype="float32", quantized=None, epilogue=Epilogue())
            return LayerProblem(bare)
        if isinstance(problem, QuantizedNetworkProblem) and problem.original is not None:
            return problem.original
        raise CannotSolve("no float32 form of it is known, or there is no other")


class OursBy(Ours):
    """One algorithm, on operands in its own layouts; fact ``layout_seconds``: what NHWC edges add."""

    def prepare_layer(self, problem: LayerProblem) -> Prepared:
        return self._layer(problem)

    def prepare_quantized_layer(self, problem: QuantizedLayerProblem) -> Prepared:
        return self._layer(problem)

    def _layer(self, problem: AnyLayer) -> Prepared:
        from relay_strategies.compiler.layer import Conv2dLayer
        from relay_strategies.strategies.strategy import implement_conv2d

        target = self.setting.target
        try:
            chosen = implement_conv2d(problem.workload, target, self.name)
        except AlgorithmError:
            raise CannotSolve("does not take the layer") from None
        layer = Conv2dLayer(chosen.workload, target, chosen)
        return _prepared(
            problem, layer, layout_seconds=layout_seconds(problem.workload, chosen.workload, target)
        )

    def prepare_network(self, problem: NetworkProblem) -> Prepared:
        return self._compiled(problem, self.name)


def by_algorithm(algorithm: str) -> type[OursBy]:
    """The contestant of that algorithm."""
    return type(f"OursBy_{algorithm}", (OursBy,), {"name": algorithm})


def layout_seconds(workload: Conv2dWorkload, native: Conv2dWorkload, target: CompileTarget) -> float:
    """Seconds that changes from the layouts of ``workload`` to those of ``native``, and back, take a call
    of a layer without residual."""
    image = (workload.batch, workload.height, workload.width, workload.in_channels)
    result = (workload.batch, workload.out_height, workload.out_width, workload.out_channels)
    changes = [
        (image, workload.data_layout, native.data_layout, workload.dtype),
        (result, native.out_layout, workload.out_layout, workload.out_dtype),
    ]
    return sum(_change_seconds(*change, target) for change in changes if change[1] != change[2])


@functools.lru_cache(maxsize=512)
def _change_seconds(
    shape: tuple[int, int, int, int], source: str, result: str, dtype: str, target: CompileTarget
) -> float:
    from relay_strategies.compiler.layer import time_calls

    func = change_layout(shape, source, result, target).with_attr("global_symbol", "change")
    change = tvm.compile(tvm.IRModule({"change": func}), target=target.tvm_target).mod["change"]
    given, changed = (
        tvm.runtime.tensor(np.zeros(data_shape(layout, *shape), dtype)) for layout in (source, result)
    )
    return time_calls(lambda: change(given, changed), LAYOUT_REPEATS, LAYOUT_BATCH_MS).median


def _prepared(problem: AnyLayer, layer: Conv2dLayer, **facts: float) -> Prepared:
    """The layer bound to the problem's operands, in the layer's layouts."""
    w = layer.workload
    weights = problem.filter.transpose(["OIHW".index(axis) for axis in w.filter_layout])
    extra = (problem.bias, None, problem.scale) if isinstance(problem, QuantizedLayerProblem) else ()
    run, output = layer.bind(to_layout(problem.data, w.data_layout), np.ascontiguousarray(weights), *extra)
    known: dict[str, str | int | float] = {
        "algorithm": layer.implementation.name,
        "layouts": f"{layer.implementation.workload.data_layout} {layer.implementation.workload.out_layout}",
        "kernels": ", ".join(layer.implementation.kernels),
        "workspace_bytes": layer.workspace_bytes,
    }
    return Prepared(
        run, lambda: [from_layout(output.numpy(), w.out_layout, w.out_channels)], facts=known | facts
    )
