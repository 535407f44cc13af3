"""One run of a tuner: MetaSchedule's scheduler over the layers, and the comparison at its end."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Callable, Mapping

from tvm.ir.utils import derived_object
from tvm.s_tir import Schedule
from tvm.s_tir import meta_schedule as ms
from tvm.s_tir.meta_schedule.measure_callback import PyMeasureCallback

from tvm_directconv.target import CompileTarget
from tvm_directconv.workload import Conv2dWorkload

from .candidates import Candidate, LayerSpace
from .designs import Designs
from .measure import Board, make_builder, make_runner, share_cpus
from .records import Records, make_record, similar
from .result import LayerTuning, TuningResult
from .search import BATCH, Search, cost_model, seconds_of
from .tune import OnProgress, Status

FINALISTS, FINAL_ROUNDS = 3, 5


class Run:
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
        self.designs = {w: Designs(space) for w, space in self.spaces.items()}
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
                    mod=self.designs[workload].module,
                    target=self.target.tvm_target,
                    space_generator=ms.space_generator.ScheduleFn(
                        self._designs_of(workload), sch_rules=[], postprocs=[], mutator_probs={}
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
                    Recorder(self, list(self.designs.values())),
                    ms.measure_callback.UpdateCostModel(),
                    ms.measure_callback.RemoveBuildArtifact(),
                ],
            )

    def _designs_of(self, workload: Conv2dWorkload) -> Callable[[Schedule], list[Schedule]]:
        return lambda schedule: self.designs[workload].designs()

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
            built = self._built(self.designs[space.workload], finalists)
            for _ in range(FINAL_ROUNDS):
                for candidate, artifact in built.items():
                    seconds = self._timed(self.designs[space.workload], candidate, artifact)
                    if seconds is not None:
                        taken[candidate].append(seconds)
            records = [
                make_record(space, candidate, self.threads, seconds, final=True)
                for candidate, seconds in taken.items()
                if seconds
            ]
            self.store.append(records)

    def _built(self, designs: Designs, candidates: list[Candidate]) -> dict[Candidate, str]:
        inputs = [
            ms.builder.BuilderInput(designs.schedule(c).mod, self.target.tvm_target) for c in candidates
        ]
        results = self.builder.build(inputs)
        pairs = zip(candidates, results, strict=True)
        return {c: str(result.artifact_path) for c, result in pairs if result.error_msg is None}

    def _timed(self, designs: Designs, candidate: Candidate, artifact: str) -> float | None:
        given = ms.runner.RunnerInput(artifact, "cpu", designs.arguments(candidate))
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

    def __init__(self, run: Run, designs: list[Designs]) -> None:
        super().__init__()
        self.run, self.designs = run, designs

    def apply(
        self,
        task_scheduler: ms.TaskScheduler,
        task_id: int,
        measure_candidates: list[ms.MeasureCandidate],
        builder_results: list[ms.builder.BuilderResult],
        runner_results: list[ms.runner.RunnerResult],
    ) -> None:
        designs = self.designs[task_id]
        for candidate, built, ran in zip(measure_candidates, builder_results, runner_results, strict=True):
            error = built.error_msg or ran.error_msg
            seconds = None if error or not ran.run_secs else [float(s) for s in ran.run_secs]
            text = None if error is None else str(error).strip().splitlines()[-1]
            self.run.keep(designs.space, designs.candidate_of(candidate.sch.mod), seconds, text)


def _quiet() -> logging.Logger:
    logger = logging.getLogger("tvm_directconv.tuning")
    logger.setLevel(logging.ERROR)
    return logger
