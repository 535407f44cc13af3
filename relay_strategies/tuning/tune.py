"""tune: one layer, or the distinct layers of a network, by measurement, here or on boards.

MetaSchedule's task scheduler gives trials to the layer where they promise most, weighted by its share of the
network's time; its XGBoost model ranks candidates. At the end, the fastest and the analytical choice are
timed again in turns, and the winner of that is what ``compile(tuning=...)`` uses.
"""

from __future__ import annotations

import logging
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import tvm
from tvm.ir.utils import derived_object
from tvm.s_tir import meta_schedule as ms
from tvm.s_tir.meta_schedule.measure_callback import PyMeasureCallback

from tvm_directconv.errors import TuningError, WorkloadError
from tvm_directconv.target import CompileTarget, require_host, resolve_target
from tvm_directconv.workload import Conv2dWorkload

from .candidates import Candidate, LayerSpace
from .measure import Board, make_builder, make_runner, share_cpus
from .records import Records, bare, make_record, similar
from .result import LayerTuning, TuningResult
from .search import BATCH, Search, cost_model, seconds_of

TRIALS_PER_LAYER = 32
FINALISTS, FINAL_ROUNDS = 3, 5

OnProgress = Callable[["Status"], None]


class Status:
    """How a run stands, for progress displays: by layer, trials and the best seconds so far."""

    def __init__(self, layers: Mapping[Conv2dWorkload, int], trials: int) -> None:
        self.layers = dict(layers)
        self.total = trials
        self.trials: Counter[Conv2dWorkload] = Counter()
        self.best: dict[Conv2dWorkload, float] = {}
        self.phase = "searching"

    @property
    def done(self) -> int:
        return sum(self.trials.values())

    def add(self, workload: Conv2dWorkload, seconds: float | None) -> None:
        self.trials[workload] += 1
        if seconds is not None:
            self.best[workload] = min(seconds, self.best.get(workload, seconds))


def tune(
    model_or_workload: Any,
    target: str | Mapping[str, Any] | tvm.target.Target | CompileTarget = "llvm -mcpu=native",
    trials: int | None = None,
    records: str | Path | None = None,
    *,
    max_workspace_bytes: int | None = None,
    threads: int = 1,
    tracker: str | None = None,
    key: str | None = None,
    layout: str = "NHWC",
    seed: int = 0,
    on_progress: OnProgress | None = None,
) -> TuningResult:
    """Measure schedules of a layer, or of a network's layers, and say what that gains.

    ``model_or_workload`` is a Conv2dWorkload, a descriptor, or what ``compile`` takes. ``trials`` bounds the
    measurements of all layers together; by default 32 for each. ``records`` is a file that measurements are
    appended to, and that earlier ones are taken from: an interrupted run goes on where it was. With
    ``tracker`` ("host:port") and ``key``, boards of a TVM RPC tracker measure, else this host, with
    ``threads``. Algorithms are those that run in the layers' own layouts, within ``max_workspace_bytes``.

    Raises TuningError for records, trackers and budgets that do not work, TargetError for a target this host
    cannot run without boards.
    """
    resolved = resolve_target(target)
    if (tracker is None) != (key is None):
        raise TuningError("boards are given by both tracker='host:port' and key='...'")
    board = None if tracker is None or key is None else Board.parse(tracker, key)
    if board is None:
        require_host(resolved)
    if trials is not None and trials < 1:
        raise TuningError(f"at least one trial is needed, not {trials}")
    layers = tuned_layers(model_or_workload, resolved, layout)
    store = Records.load(records)
    run = _Run(resolved, layers, store, board, threads, max_workspace_bytes, seed, on_progress)
    return run.result(trials if trials is not None else TRIALS_PER_LAYER * len(layers))


def tuned_layers(source: Any, target: CompileTarget, layout: str = "NHWC") -> dict[Conv2dWorkload, int]:
    """The distinct workloads to tune, and how often each occurs."""
    if isinstance(source, Conv2dWorkload):
        return {bare(source): 1}
    if isinstance(source, str) and not Path(source).exists():
        try:
            return {bare(Conv2dWorkload.parse(source)): 1}
        except WorkloadError:
            if "_ih" in source:
                raise
    from tvm_directconv import zoo

    from ..compiler import compile as compile_model

    named = isinstance(source, str) and not source.endswith((".onnx", ".relay")) and not Path(source).exists()
    report = compile_model(zoo.load_model(source) if named else source, target, layout=layout).report()
    found = Counter(bare(Conv2dWorkload.parse(layer.workload)) for layer in report.layers)
    if not found:
        raise TuningError("the model has no convolutions and no dense layers to tune")
    return dict(found)


class _Run:
    """One call of ``tune``."""

    def __init__(
        self,
        target: CompileTarget,
        layers: Mapping[Conv2dWorkload, int],
        store: Records,
        board: Board | None,
        threads: int,
        budget: int | None,
        seed: int,
        on_progress: OnProgress | None,
    ) -> None:
        self.target, self.store, self.threads, self.seed = target, store, threads, seed
        self.spaces = {w: LayerSpace(w, target, budget) for w in layers}
        self.layers, self.on_progress = layers, on_progress
        timing, building = share_cpus(threads, board is None)
        self.builder = make_builder(target, building)
        self.runner = make_runner(board, threads, timing)
        self.interrupted = False

    def result(self, trials: int) -> TuningResult:
        self.status = Status(self.layers, trials)
        try:
            self._search(trials)
            self._final()
        except KeyboardInterrupt:
            self.interrupted = True
        return TuningResult(
            str(self.target),
            self.threads,
            tuple(self._layer(w, count) for w, count in self.layers.items()),
            tuple(self.store.skipped),
            self.store.foreign(self.target),
            self.interrupted,
        )

    def _search(self, trials: int) -> None:
        tasks, weights, known = [], [], {}
        for workload, space in self.spaces.items():
            known[workload] = self.store.measured(space, self.threads)
            first = [space.analytical, *similar(space, self.store)]
            tasks.append(
                ms.TuneContext(
                    mod=space.module,
                    target=self.target.tvm_target,
                    space_generator=ms.space_generator.ScheduleFn(
                        lambda _, space=space: space.designs(), sch_rules=[], postprocs=[], mutator_probs={}
                    ),
                    search_strategy=Search(space, known[workload], first, self.seed),
                    task_name=str(workload),
                    num_threads=1,
                    rand_state=self.seed + 1,
                    logger=_quiet(),
                )
            )
            weights.append(float(self.layers[workload]))
        for workload, seconds in known.items():
            for value in seconds.values():
                if value is not None:
                    self.status.best[workload] = min(value, self.status.best.get(workload, value))
        model = cost_model()
        with tempfile.TemporaryDirectory() as folder:
            ms.tune.tune_tasks(
                tasks=tasks,
                task_weights=weights,
                work_dir=folder,
                max_trials_global=trials,
                num_trials_per_iter=min(BATCH, max(1, trials)),
                builder=self.builder,
                runner=self.runner,
                database=ms.database.MemoryDatabase(),
                cost_model=model,
                measure_callbacks=[
                    Recorder(self, list(self.spaces.values())),
                    ms.measure_callback.UpdateCostModel(),
                    ms.measure_callback.RemoveBuildArtifact(),
                ],
            )

    def keep(
        self, space: LayerSpace, candidate: Candidate, seconds: list[float] | None, error: str | None
    ) -> None:
        """Record one measurement."""
        record = make_record(space, candidate, self.threads, seconds, error)
        self.store.append([record])
        self.status.add(space.workload, record.median if seconds else None)
        if self.on_progress is not None:
            self.on_progress(self.status)

    def _final(self) -> None:
        """The fastest of each layer and the analytical choice, timed in turns."""
        for number, space in enumerate(self.spaces.values()):
            self.status.phase = f"comparing the best, layer {number + 1} of {len(self.spaces)}"
            if self.on_progress is not None:
                self.on_progress(self.status)
            known = self.store.measured(space, self.threads)
            timed = sorted((s, i) for i, s in enumerate(known.values()) if s is not None)
            fastest = [list(known)[index] for _, index in timed[:FINALISTS]]
            finalists = list(dict.fromkeys([space.analytical, *fastest]))
            taken: dict[Candidate, list[float]] = {candidate: [] for candidate in finalists}
            built = self._built(space, finalists)
            for _ in range(FINAL_ROUNDS):
                for candidate, artifact in built.items():
                    seconds = self._timed(space, candidate, artifact)
                    if seconds is not None:
                        taken[candidate].append(seconds)
            records = [
                make_record(space, candidate, self.threads, seconds, final=True)
                for candidate, seconds in taken.items()
                if seconds
            ]
            self.store.append(records)

    def _built(self, space: LayerSpace, candidates: list[Candidate]) -> dict[Candidate, str]:
        inputs = [ms.builder.BuilderInput(space.schedule(c).mod, self.target.tvm_target) for c in candidates]
        results = self.builder.build(inputs)
        pairs = zip(candidates, results, strict=True)
        return {c: str(result.artifact_path) for c, result in pairs if result.error_msg is None}

    def _timed(self, space: LayerSpace, candidate: Candidate, artifact: str) -> float | None:
        given = ms.runner.RunnerInput(artifact, "cpu", space.arguments(candidate))
        (future,) = self.runner.run([given])
        return seconds_of(future.result())

    def _layer(self, workload: Conv2dWorkload, count: int) -> LayerTuning:
        space = self.spaces[workload]
        own = [
            r for r in self.store.of(self.target, self.threads) if r.workload == str(workload) and r.seconds
        ]
        final = [record for record in own if record.final]
        analytical = [
            r
            for r in final or own
            if r.algorithm == space.analytical.algorithm
            and space.candidate_from({"algorithm": r.algorithm, "knobs": r.knobs}) == space.analytical
        ]
        best = min(final or own, key=lambda record: record.median, default=None)
        return LayerTuning(
            str(workload),
            count,
            workload.flops,
            self.status.trials[workload],
            analytical[-1] if analytical else None,
            best,
            tuple(own),
        )


@derived_object
class Recorder(PyMeasureCallback):
    """Writes every measurement down before anything else happens with it."""

    def __init__(self, run: _Run, spaces: list[LayerSpace]) -> None:
        super().__init__()
        self.run, self.spaces = run, spaces

    def apply(
        self,
        task_scheduler: ms.TaskScheduler,
        task_id: int,
        measure_candidates: list[ms.MeasureCandidate],
        builder_results: list[ms.builder.BuilderResult],
        runner_results: list[ms.runner.RunnerResult],
    ) -> None:
        space = self.spaces[task_id]
        for candidate, built, ran in zip(measure_candidates, builder_results, runner_results, strict=True):
            error = built.error_msg or ran.error_msg
            seconds = None if error or not ran.run_secs else [float(s) for s in ran.run_secs]
            text = None if error is None else str(error).strip().splitlines()[-1]
            self.run.keep(space, space.candidate_of(candidate.sch.mod), seconds, text)


def _quiet() -> logging.Logger:
    logger = logging.getLogger("tvm_directconv.tuning")
    logger.setLevel(logging.ERROR)
    return logger
