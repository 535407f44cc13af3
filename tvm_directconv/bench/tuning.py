"""Tuning against TVM's own: this project's knob spaces and MetaSchedule's default CPU space, equal trials.

MetaSchedule gets the layer as TVM imports it from ONNX (NCHW, OIHW) or in NHWC, its default design space
("post-order-apply") and evolutionary search, its own builder and way of timing, on the CPUs that time ours.
Only its limit of 30 seconds for building a trial, and for timing it, is lifted: imports that take many of
them count as building, and beside other load every trial may fail by it. What each found is then timed in the
same rounds as any benchmark's contestants, after its answer was checked.
"""

from __future__ import annotations

import functools
import json
import math
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import tvm
from tvm import te, topi

from relay_strategies.strategies.records import Records
from relay_strategies.tuning.result import TuningResult
from relay_strategies.tuning.tune import tune
from tvm_directconv.errors import BenchmarkError
from tvm_directconv.files import write_atomically
from tvm_directconv.measure.cpus import choose_cpus
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import CompileTarget, require_host, resolve_target
from tvm_directconv.text import TextTable

from .contestants import CannotSolve, Contestant, Prepared, Variant
from .contestants.ours import Ours
from .figures import mean_of_known
from .harness import AnyTarget, bench_layers
from .layout_changes import to_layout
from .problems import LayerProblem
from .results import LayerResult, merge

TRIALS, BATCH = 64, 16
POPULATION = 512
"""Candidates in a generation of MetaSchedule's search: its default."""
LAYERS = (
    Conv2dWorkload(1, 224, 224, 3, 64, (7, 7), (2, 2), (3, 3, 3, 3)),
    Conv2dWorkload(1, 56, 56, 64, 256, (1, 1)),
    Conv2dWorkload(1, 56, 56, 256, 128, (1, 1), (2, 2)),
    Conv2dWorkload(1, 28, 28, 128, 128, (3, 3), padding=(1, 1, 1, 1)),
    Conv2dWorkload(1, 14, 14, 1024, 256, (1, 1)),
    Conv2dWorkload(1, 7, 7, 512, 512, (3, 3), padding=(1, 1, 1, 1)),
)
"""These are layers of ResNet-50, one of each kind."""
TUNED, PEER, DEFAULT = "ours-tuned", "metaschedule", "tvm-default"
PEER_SECONDS = 600
"""A trial of MetaSchedule's may take this long to be built, and to be timed."""


@dataclass(frozen=True)
class Search:
    """A finished search: seconds per call of each trial in order (None: it failed), and how long it took."""

    trials: tuple[float | None, ...]
    seconds: float

    @property
    def curve(self) -> list[float]:
        """The best seconds per call up to each trial; infinity before the first that succeeded."""
        return list(accumulate((math.inf if t is None else t for t in self.trials), min))


@dataclass(frozen=True)
class TuningBenchmark:
    """Layers tuned both ways: ``searches`` by layer and contestant, what was ``tuned`` here by layer, and all
    ``timed`` afterwards, in turns."""

    timed: LayerResult
    searches: dict[str, dict[str, Search]] = field(default_factory=dict)
    tuned: dict[str, TuningResult] = field(default_factory=dict)

    def speedup(self, peer: str = PEER) -> float:
        """Return the geometric mean over layers of the peer's time over ours, tuned."""
        mean = mean_of_known(c.time_ratio(peer, TUNED) for c in self.timed.comparisons)
        if mean is None:
            raise BenchmarkError(f"'{peer}' was timed on no layer: the table says why")
        return mean

    def seconds_per_trial(self, contestant: str) -> float:
        """Return the mean over all layers, building and everything else included."""
        searches = [by_name[contestant] for by_name in self.searches.values()]
        return sum(s.seconds for s in searches) / max(1, sum(len(s.trials) for s in searches))

    def to_json(self, path: str | Path | None = None) -> str:
        """Return what was searched and timed, as JSON text, also written to ``path`` if given."""
        searches = {
            layer: {name: {"seconds": s.seconds, "trials": s.trials} for name, s in by_name.items()}
            for layer, by_name in self.searches.items()
        }
        summary = {
            "speedup": self.speedup(),
            "seconds_per_trial": {name: self.seconds_per_trial(name) for name in (TUNED, PEER)},
        }
        record = {"summary": summary, "searches": searches, "timed": json.loads(self.timed.to_json())}
        text = json.dumps(record, indent=1)
        if path is not None:
            write_atomically(Path(path), text.encode())
        return text

    def table(self) -> TextTable:
        """Return the benchmark's table, with what the searches took below."""
        table = self.timed.table()
        ours, peer = self.seconds_per_trial(TUNED), self.seconds_per_trial(PEER)
        lines = [
            f"{TUNED} is {self.speedup():.2f} times as fast as {PEER}, geometric mean of layers",
            f"seconds per trial: {TUNED} {ours:.2f}, {PEER} {peer:.2f}, {peer / ours:.1f} times as many",
        ]
        table.caption = "\n".join([*lines, str(table.caption or "")])
        return table


def bench_tuning(
    layers: Sequence[Conv2dWorkload | str] = LAYERS,
    target: AnyTarget = "llvm -mcpu=native",
    trials: int = TRIALS,
    threads: int = 1,
    rounds: int = 7,
    *,
    layout: str = "NCHW",
    quick: bool = False,
    seed: int = 0,
    progress: bool | None = None,
) -> TuningBenchmark:
    """Tune layers both ways with so many trials each, then time what was found.

    ``layers`` are float32 workloads in NHWC, or their descriptors; ``layout`` is what MetaSchedule gets them
    in, NCHW as networks come or NHWC. ``rounds``, ``quick`` and ``progress`` as of ``bench_layers``. Raises
    BenchmarkError for layers that are not taken, TuningError, TargetError.
    """
    resolved = resolve_target(target)
    require_host(resolved)
    searches: dict[str, dict[str, Search]] = {}
    results: list[LayerResult] = []
    found_here: dict[str, TuningResult] = {}
    for given in layers:
        w = Conv2dWorkload.parse(given) if isinstance(given, str) else given
        if w.quantized or w.groups != 1 or w.dilation != (1, 1) or w.data_layout != "NHWC":
            raise BenchmarkError(f"{w}: MetaSchedule is compared on plain float32 layers in NHWC")
        ours, tuned = tune_ours(w, resolved, trials, threads, seed)
        peer, found = tune_with_metaschedule(w, resolved, trials, threads, layout, seed)
        searches[str(w)], found_here[str(w)] = {TUNED: ours, PEER: peer}, tuned
        team = (Ours, tuned_contestant(tuned), searched_contestant(found, layout), DEFAULT)
        results.append(bench_layers([w], resolved, threads, rounds, team, quick=quick, progress=progress))
    return TuningBenchmark(merge(results), searches, found_here)


def tune_ours(
    workload: Conv2dWorkload, target: CompileTarget, trials: int, threads: int = 1, seed: int = 0
) -> tuple[Search, TuningResult]:
    """Search a layer by this project's ``tune``, with no records from before."""
    start = time.perf_counter()
    result = tune(workload, target, trials, threads=threads, seed=seed)
    seconds = time.perf_counter() - start
    records = [record for record in result.layers[0].records if not record.final]
    return Search(tuple(record.median for record in records), seconds), result


def tune_with_metaschedule(
    workload: Conv2dWorkload,
    target: CompileTarget,
    trials: int,
    threads: int = 1,
    layout: str = "NCHW",
    seed: int = 0,
) -> tuple[Search, tvm.IRModule | None]:
    """Search a layer in MetaSchedule's own space.

    Returns the search, and the best it found: a module of (data, filter, output), in that layout with the
    filter as OIHW, or as HWIO in NHWC; None where no trial succeeded.
    """
    from tvm.s_tir import meta_schedule as ms

    from relay_strategies.tuning.measure import make_runner
    from relay_strategies.tuning.run import (
        quiet_logger,
        without_notebook_tables,
        without_tensor_intrinsics,
    )
    from relay_strategies.tuning.search import seconds_of

    # Their import takes many seconds, and is not a part of tuning; those of GPUs take a minute in a notebook.
    with without_tensor_intrinsics("cuda", "rocm"):
        import tvm.s_tir.tensor_intrin

    module = tvm.IRModule({"main": definition(workload, layout)})
    limited = tvm.target.Target({**dict(target.tvm_target.export()), "num-cores": threads})
    trace = _trace_type()()
    context = ms.TuneContext(
        mod=module,
        target=limited,
        space_generator="post-order-apply",
        search_strategy=ms.search_strategy.EvolutionarySearch(population_size=POPULATION),
        task_name="main",
        rand_state=seed + 1,
        num_threads="physical",
        logger=quiet_logger(),
    )
    database = ms.database.MemoryDatabase()
    with tempfile.TemporaryDirectory() as folder, without_notebook_tables():
        start = time.perf_counter()
        ms.tune.tune_tasks(
            tasks=[context.clone()],
            task_weights=[1.0],
            work_dir=folder,
            max_trials_global=trials,
            num_trials_per_iter=min(BATCH, trials),
            builder=ms.builder.LocalBuilder(max_workers=context.num_threads, timeout_sec=PEER_SECONDS),
            runner=make_runner(None, threads, choose_cpus(threads), seconds=PEER_SECONDS),
            database=database,
            measure_callbacks=[trace, *ms.measure_callback.MeasureCallback.create("default")],
        )
        seconds = time.perf_counter() - start
    found = ms.tir_integration.compile_tir(database, module, limited)
    search = Search(tuple(seconds_of(result) for result in trace.results), seconds)
    return search, None if found is None else found.mod


def definition(workload: Conv2dWorkload, layout: str) -> tvm.tirx.PrimFunc:
    """Return the layer as TVM's operators define it: (data, filter, output)."""
    w = workload.in_layouts(layout)
    data = te.placeholder(w.input_shape, w.dtype, name="data")
    oihw = (w.out_channels, w.in_channels, *w.kernel)
    shape = oihw if layout == "NCHW" else (*w.kernel, w.in_channels, w.out_channels)
    weights = te.placeholder(shape, w.dtype, name="filter")
    operator = topi.nn.conv2d_nchw if layout == "NCHW" else topi.nn.conv2d_nhwc
    output = operator(data, weights, w.strides, w.padding, w.dilation)
    return te.create_prim_func([data, weights, output]).with_attr("global_symbol", "main")


def tuned_contestant(tuned: TuningResult) -> Variant:
    """Return the contestant that is this project with what a tuning run found for a layer."""
    best = [layer.best for layer in tuned.layers if layer.best is not None]
    return Variant(TUNED, Ours, {"records": Records(records=best)})


class MetaSchedule(Contestant):
    """What MetaSchedule ``found`` for a layer in that ``layout``, if anything."""

    name = PEER
    found: tvm.IRModule | None = None
    layout = "NCHW"

    def prepare_layer(self, problem: LayerProblem) -> Prepared:
        if self.found is None:
            raise CannotSolve("none of its trials succeeded")
        nchw = self.layout == "NCHW"
        w = problem.workload.in_layouts(self.layout)
        weights = problem.filter if nchw else problem.filter.transpose(2, 3, 1, 0)
        output = tvm.runtime.tensor(np.empty(w.output_shape, w.dtype))
        given = [
            tvm.runtime.tensor(np.ascontiguousarray(each))
            for each in (to_layout(problem.data, self.layout), weights)
        ]
        compiled = tvm.compile(self.found, target=self.setting.target.tvm_target)
        run = functools.partial(compiled.mod["main"], *given, output)
        order = (0, 2, 3, 1) if nchw else (0, 1, 2, 3)
        return Prepared(run, lambda: [output.numpy().transpose(order)], facts={"layout": self.layout})


def searched_contestant(found: tvm.IRModule | None, layout: str) -> Variant:
    """Return the contestant that is what MetaSchedule found for a layer."""
    return Variant(PEER, MetaSchedule, {"found": found, "layout": layout})


def _trace_type() -> Any:
    """Make the class of a callback that keeps all results in order: here, since MetaSchedule is slow to
    import."""
    from tvm.ir.utils import derived_object
    from tvm.s_tir.meta_schedule.measure_callback import PyMeasureCallback

    @derived_object
    class Trace(PyMeasureCallback):
        def __init__(self) -> None:
            super().__init__()
            self.results: list[Any] = []

        def apply(self, scheduler: Any, task: int, candidates: Any, built: Any, ran: Any) -> None:
            self.results += list(ran)

    return Trace
