"""The benchmark itself: contestants set up, checked against the reference, then timed in interleaved rounds.

Machines are shared and clocks wander, so no contestant is timed alone: each round measures the FMA peak and
then gives every contestant a short block, in an order that rotates from round to round; figures are medians
over rounds and ratios within rounds. A contestant whose answer is wrong is not timed at all.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import onnx
import tvm

from .. import zoo
from ..errors import BenchmarkError, ModelError
from ..target import CompileTarget, require_host, resolve_target
from ..workload import Conv2dWorkload
from .contestants import (
    FOR_LAYERS,
    FOR_NETWORKS,
    CannotSolve,
    Contestant,
    Prepared,
    Setting,
    make_contestants,
)
from .host import choose_cpus, describe_host, run_pinned, stay_on_first
from .peak import FmaPeak
from .problems import LayerProblem, NetworkProblem, Problem, random_inputs, relative_error
from .progress import Reporter
from .results import Comparison, LayerResult, Measurement, NetworkResult

AnyTarget: TypeAlias = "str | dict | tvm.target.Target | CompileTarget"
AnyContestant: TypeAlias = "str | type[Contestant]"

# A call this slow, and this many times slower than the fastest contestant's, is timed once after its check:
# more rounds of TVM's default pipeline (seconds per image) would only let the machine drift.
SLOW_SECONDS = 0.25
SLOW_FACTOR = 10


@dataclass(frozen=True)
class Effort:
    """How long to measure: rounds, and in each at least so many seconds and calls per contestant."""

    rounds: int
    block_seconds: float
    least_calls: int


QUICK_LAYERS = Effort(rounds=3, block_seconds=0.005, least_calls=1)
QUICK_NETWORKS = Effort(rounds=3, block_seconds=0.02, least_calls=3)


def bench_layers(
    layers: Sequence[Conv2dWorkload | str],
    target: AnyTarget = "llvm -mcpu=native",
    threads: int = 1,
    rounds: int = 7,
    contestants: Sequence[AnyContestant] = FOR_LAYERS,
    *,
    quick: bool = False,
    progress: bool | None = None,
) -> LayerResult:
    """Time single convolutions, given as workloads, descriptor strings or names of zoo networks.

    Layers that several networks share are timed once. ``quick`` takes few, short rounds. ``progress`` shows a
    bar on stderr (default: if that is a terminal). Raises BenchmarkError, TargetError, WorkloadError or
    ModelError on bad input; a contestant that is absent, unable or wrong is reported in the result instead.
    """
    effort = QUICK_LAYERS if quick else Effort(rounds, block_seconds=0.02, least_calls=2)
    problems = [LayerProblem(workload, counts) for workload, counts in _layer_counts(layers).items()]
    return LayerResult(*_benchmark(problems, target, threads, effort, contestants, progress))


def bench_network(
    network: str | Path | onnx.ModelProto,
    target: AnyTarget = "llvm -mcpu=native",
    threads: int = 1,
    rounds: int = 7,
    contestants: Sequence[AnyContestant] = FOR_NETWORKS,
    *,
    quick: bool = False,
    progress: bool | None = None,
) -> NetworkResult:
    """Time a whole network: a zoo name (seeded random weights), the path of an ONNX file, or a model.

    FLOPS count the convolutions only. A slow contestant (TVM's default) is called twice in all, and its
    measurement says so. Otherwise as ``bench_layers``.
    """
    effort = QUICK_NETWORKS if quick else Effort(rounds, block_seconds=0.1, least_calls=3)
    problem = _network_problem(network)
    return NetworkResult(*_benchmark([problem], target, threads, effort, contestants, progress))


def _layer_counts(layers: Sequence[Conv2dWorkload | str]) -> dict[Conv2dWorkload, dict[str, int]]:
    if isinstance(layers, str | Conv2dWorkload):
        layers = [layers]
    counts: dict[Conv2dWorkload, dict[str, int]] = {}
    for entry in layers:
        if isinstance(entry, Conv2dWorkload):
            counts.setdefault(entry, {})
        elif "_ih" in entry:
            counts.setdefault(Conv2dWorkload.parse(entry), {})
        else:
            for workload, count in zoo.layers(entry):
                counts.setdefault(workload, {})[zoo.full_name(entry)] = count
    if not counts:
        raise BenchmarkError("no layers to benchmark")
    return counts


def _network_problem(network: str | Path | onnx.ModelProto) -> NetworkProblem:
    if isinstance(network, onnx.ModelProto):
        name, model = network.graph.name or "model", network
        layers = zoo.convolution_layers(model)
    elif isinstance(network, Path) or network.endswith(".onnx"):
        try:
            model = onnx.load(network)
        except Exception as error:
            raise ModelError(f"{network}: cannot be read as an ONNX model ({error})") from None
        name, layers = Path(network).stem, zoo.convolution_layers(model)
    else:
        name, model, layers = zoo.full_name(network), zoo.load_model(network), zoo.layers(network)
    flops = sum(workload.flops * count for workload, count in layers)
    return NetworkProblem(name, model, random_inputs(name, model), flops)


def _benchmark(
    problems: Sequence[Problem],
    target: AnyTarget,
    threads: int,
    effort: Effort,
    contestants: Sequence[AnyContestant],
    progress: bool | None,
) -> tuple[str, int, tuple[int, ...], str, dict[str, str | float], tuple[Comparison, ...]]:
    """The fields of a Result, in order."""
    if effort.rounds < 1:
        raise BenchmarkError(f"{effort.rounds} rounds: give at least 1")
    resolved = resolve_target(target)
    require_host(resolved)
    cpus = choose_cpus(threads)
    team = make_contestants(contestants, Setting(resolved, threads))
    host = describe_host()

    def work(interrupted: threading.Event) -> tuple[str, tuple[Comparison, ...]]:
        peak = FmaPeak(resolved)
        comparisons = []
        try:
            with Reporter(len(problems) * (len(team) + effort.rounds), progress) as reporter:
                for problem in problems:
                    entries = _check(problem, team, cpus, reporter)
                    peaks = _time(entries, effort, lambda: threads * peak.measure(), reporter, interrupted)
                    comparisons.append(
                        Comparison(
                            problem.name,
                            problem.flops,
                            tuple(peaks),
                            tuple(entry.measurement() for entry in entries),
                            dict(problem.models),
                        )
                    )
        finally:
            for contestant in team:
                contestant.close()
        return peak.instruction, tuple(comparisons)

    instruction, comparisons = run_pinned(cpus, work)
    return str(resolved), threads, cpus, instruction, host, comparisons


@dataclass
class _Entry:
    """A contestant on one problem, on its way to a Measurement."""

    name: str
    prepared: Prepared | None = None
    refused: str | None = None
    error: float | None = None
    preparation_seconds: float | None = None
    call_seconds: float = math.inf
    slow: bool = False
    seconds: list[float | None] = field(default_factory=list)

    def measurement(self) -> Measurement:
        return Measurement(
            self.name,
            tuple(self.seconds),
            self.refused,
            self.error,
            self.preparation_seconds,
            "slow: timed once, after one call to check it" if self.slow else "",
            dict(self.prepared.facts) if self.prepared else {},
        )


def _check(
    problem: Problem, team: Sequence[Contestant], cpus: tuple[int, ...], reporter: Reporter
) -> list[_Entry]:
    """Every contestant prepared and its answer compared; those that fail carry the reason instead."""
    references = problem.references
    entries = []
    for contestant in team:
        reporter.say(f"{problem.name}: checking {contestant.name}")
        entry = _Entry(contestant.name, refused=contestant.available())
        entries.append(entry)
        if entry.refused is None:
            try:
                start = time.perf_counter()
                prepared = contestant.prepare(problem)
                entry.preparation_seconds = time.perf_counter() - start
                entry.call_seconds = prepared.seconds_per_call(1)
                entry.error = relative_error(prepared.outputs(), references)
            except (CannotSolve, *contestant.failures) as error:
                entry.refused = _reason(error)
            else:
                if entry.error <= problem.tolerance:
                    entry.prepared = prepared
                else:
                    entry.refused = (
                        f"wrong result: off by {entry.error:.1e} of the largest output, "
                        f"{problem.tolerance:.0e} allowed"
                    )
        reporter.step()
    # Thread pools may move their caller when they start.
    stay_on_first(cpus)
    return entries


def _time(
    entries: Sequence[_Entry],
    effort: Effort,
    measure_peak: Callable[[], float],
    reporter: Reporter,
    interrupted: threading.Event,
) -> list[float]:
    """The rounds; fills the entries' seconds and returns the peaks."""
    ready = [entry for entry in entries if entry.prepared is not None]
    for entry in ready:
        if entry.call_seconds < SLOW_SECONDS:
            # The first call included one-time work: thread pools, page faults, lazy compilation.
            entry.call_seconds = entry.prepared.seconds_per_call(1)
    fastest = min((entry.call_seconds for entry in ready), default=0.0)
    peaks = []
    for number in range(effort.rounds):
        reporter.say(f"round {number + 1} of {effort.rounds}")
        peaks.append(measure_peak())
        first = number % max(len(ready), 1)
        for entry in ready[first:] + ready[:first]:
            if interrupted.is_set():
                raise KeyboardInterrupt
            entry.slow = entry.call_seconds > max(SLOW_SECONDS, SLOW_FACTOR * fastest)
            entry.seconds.append(_block(entry, effort, number))
        reporter.step()
    return peaks


def _block(entry: _Entry, effort: Effort, number: int) -> float | None:
    assert entry.prepared is not None
    if entry.slow:
        return entry.prepared.seconds_per_call(1) if number == 0 else None
    # One untimed call brings back the caches and threads that the others took.
    entry.prepared.run()
    calls = math.ceil(effort.block_seconds / max(entry.call_seconds, 1e-7))
    return entry.prepared.seconds_per_call(max(calls, effort.least_calls))


def _reason(error: Exception) -> str:
    lines = str(error).strip().splitlines() or [""]
    return lines[0] if isinstance(error, CannotSolve) else f"{type(error).__name__}: {lines[0]}"
