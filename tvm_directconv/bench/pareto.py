"""Time against workspace, per layer: which algorithms are worth their memory.

Barrachina et al. and SConv both weigh speed against the memory an algorithm takes beyond its operands. An
algorithm is Pareto-optimal on a layer when no other is at least as fast with at most its workspace, and
better in one of the two. Times and workspace include the changes of layout between neighbours in the
workload's own layouts.

On GPUs there is one algorithm and its points are what is weighed, as ``tune`` recorded them (section 7.2 of
Mogers et al.).
"""

from __future__ import annotations

import json
import os
import statistics
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import onnx
import tvm

from relay_strategies.compiler.layer import Conv2dLayer
from relay_strategies.strategies.record_files import Record
from relay_strategies.strategies.records import Records, recorded_workload
from relay_strategies.strategies.strategy import conv2d_strategy
from tvm_directconv.errors import ModelError, TuningError
from tvm_directconv.files import write_atomically
from tvm_directconv.locks import one_at_a_time
from tvm_directconv.measure.timing import time_calls
from tvm_directconv.problem.operands import random_operands
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.runtime.words import target_label
from tvm_directconv.targets.gpu import GpuTarget, is_gpu_target, resolve_gpu_target
from tvm_directconv.targets.target import CompileTarget, require_host, resolve_target
from tvm_directconv.text import Tabular, TextTable, bytes_label, layer_label
from tvm_directconv.zoo import layers_of

ROUNDS = 5
BATCH_SECONDS = 0.005
MOST_ROWS = 16
"""The table shows the optimal ones alone of a layer that has more points."""
SECONDS, CYCLES = "seconds", "cycles"


@dataclass(frozen=True)
class Point:
    """One algorithm on one layer: ``time`` in the report's unit, ``workspace_bytes`` beyond the operands."""

    algorithm: str
    time: float
    workspace_bytes: int
    optimal: bool = False
    knobs: dict[str, Any] | None = None
    """Parameters of the point, where it is one of many points of an algorithm."""


@dataclass(frozen=True)
class ParetoLayer:
    """The algorithms of one layer, those of least workspace first. ``count``: its occurrences."""

    workload: Conv2dWorkload
    points: tuple[Point, ...]
    count: int = 1

    @property
    def optimal(self) -> tuple[Point, ...]:
        return tuple(point for point in self.points if point.optimal)


@dataclass(frozen=True)
class ParetoReport(Tabular):
    """The algorithms of all layers; ``unit`` is "seconds" where times were measured, else "cycles"."""

    target: str
    unit: str
    layers: tuple[ParetoLayer, ...]

    def to_json(self, path: str | Path | None = None) -> str:
        """Return the report as JSON text, also written to ``path`` if given."""
        layers = [asdict(layer) | {"workload": str(layer.workload)} for layer in self.layers]
        text = json.dumps({"target": self.target, "unit": self.unit, "layers": layers}, indent=1)
        if path is not None:
            write_atomically(Path(path), text.encode())
        return text

    def rows(self) -> list[dict[str, Any]]:
        """Return each point of each layer; ``time`` is in the report's unit."""
        return [
            {"layer": str(layer.workload), "count": layer.count, **asdict(point)}
            for layer in self.layers
            for point in layer.points
        ]

    def table(self) -> TextTable:
        """Return one row per layer and algorithm; optimal ones are marked."""
        measured = self.unit == SECONDS
        columns = ("layer", "algorithm", "us" if measured else "estimated cycles", "workspace", "optimal")
        table = TextTable(
            f"time against workspace for {target_label(self.target)}", columns, (*columns[:2], "optimal")
        )
        for layer in self.layers:
            shown = layer.points if len(layer.points) <= MOST_ROWS else layer.optimal
            for number, point in enumerate(shown):
                table.add_row(
                    "" if number else layer_label(layer.workload),
                    point.algorithm,
                    f"{point.time * 1e6:.1f}" if measured else f"{point.time:.0f}",
                    bytes_label(point.workspace_bytes),
                    "*" if point.optimal else "",
                )
            table.add_section()
        bought = sum(len(layer.optimal) > 1 for layer in self.layers)
        table.caption = (
            f"workspace buys time on {bought} of {len(self.layers)} layers: those with several marked"
        )
        return table


@one_at_a_time
def pareto(
    model: str | Path | onnx.ModelProto | Conv2dWorkload,
    target: str | dict | tvm.target.Target | CompileTarget | GpuTarget = "llvm -mcpu=native",
    estimate: bool = False,
    records: str | os.PathLike[str] | None = None,
) -> ParetoReport:
    """Time every applicable algorithm on a layer, or on each different convolution of a network.

    Args:
        model: A workload or its descriptor, an ONNX file or model, or the name of one of the zoo's networks.
            Layers are taken without epilogues, quantized ones with what they store.
        target: A target, as of ``compile``.
        estimate: Whether the cost model is asked instead of the clock, which also serves targets that this
            host cannot run.
        records: A file of ``tune``'s records, of a GPU, whose points are weighed; nothing is measured then.

    Returns:
        Each algorithm's time and workspace, which print as a table. Times are medians of interleaved rounds;
        TVM_NUM_THREADS says on how many threads.

    Raises:
        ModelError: The model cannot be read.
        WorkloadError: The workload is not valid.
        TuningError: The records cannot be read.
        TargetError: The target is unknown, or this host cannot run its code.

    Examples:
        >>> import tvm_directconv as directconv
        >>> workload = directconv.Conv2dWorkload(1, 14, 14, 32, 32, kernel=(3, 3))
        >>> report = directconv.pareto(workload, estimate=True)
        >>> {point.algorithm: point.workspace_bytes for point in report.layers[0].points}["direct_nhwc"]
        0
    """
    if is_gpu_target(target):
        return _recorded(model, resolve_gpu_target(target), estimate, records)
    if records is not None:
        raise TuningError("records are weighed for GPUs; the algorithms of a CPU are measured here")
    resolved = resolve_target(target)
    if not estimate:
        require_host(resolved)
    points = _estimated if estimate else _measured
    layers = tuple(
        ParetoLayer(workload, mark_optimal(points(workload, resolved)), count)
        for workload, count in layers_of(model)
    )
    if not layers:
        raise ModelError("the model does not contain convolutions to weigh")
    return ParetoReport(str(resolved), CYCLES if estimate else SECONDS, layers)


def mark_optimal(points: Sequence[Point]) -> tuple[Point, ...]:
    """Return the points by workspace and time, those that no other dominates marked."""
    ordered = sorted(points, key=lambda point: (point.workspace_bytes, point.time))
    marked: list[Point] = []
    fastest = float("inf")
    for point in ordered:
        marked.append(replace(point, optimal=point.time < fastest))
        fastest = min(fastest, point.time)
    return tuple(marked)


def _recorded(
    model: Any, target: GpuTarget, estimate: bool, records: str | os.PathLike[str] | None
) -> ParetoReport:
    """The points of each layer, the last measurement of each, those of comparisons in turns before others."""
    if records is None or estimate:
        raise TuningError("for GPUs the records of 'tune' are weighed: name their file (--records)")
    measured: dict[str, dict[str, Record]] = {}
    for record in sorted(Records.load(records, must_exist=True).of(target), key=lambda r: r.final):
        if record.seconds:
            measured.setdefault(record.workload, {})[json.dumps(record.knobs, sort_keys=True)] = record
    layers = []
    for workload, count in layers_of(model):
        in_records = recorded_workload(workload.in_layouts("NHWC", "NHWC"))
        found = measured.get(str(in_records), {}).values()
        points = [Point(r.algorithm, r.median, r.workspace_bytes, knobs=r.knobs) for r in found]
        if points:
            layers.append(ParetoLayer(in_records, mark_optimal(points), count))
    if not layers:
        raise TuningError(f"'{records}' does not contain times of these layers for {target}")
    return ParetoReport(str(target), SECONDS, tuple(layers))


def _estimated(workload: Conv2dWorkload, target: CompileTarget) -> list[Point]:
    points = []
    for implementation in conv2d_strategy(workload, target).implementations:
        cost = implementation.estimate(workload, target)
        if cost is not None:
            workspace = implementation.workspace(workload, target)
            points.append(Point(implementation.name, cost.total, workspace))
    return points


def _measured(workload: Conv2dWorkload, target: CompileTarget) -> list[Point]:
    operands = random_operands(workload)
    layers: dict[str, Conv2dLayer] = {}
    calls: dict[str, Callable[[], None]] = {}
    for implementation in conv2d_strategy(workload, target).implementations:
        layer = Conv2dLayer(workload, target, implementation.build(workload, target))
        layers[implementation.name] = layer
        calls[implementation.name] = layer.bind(*operands)[0]
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(ROUNDS):
        for name, call in calls.items():
            times[name].append(time_calls(call, 1, BATCH_SECONDS).median)
    return [
        Point(name, statistics.median(taken), layers[name].workspace_bytes) for name, taken in times.items()
    ]
