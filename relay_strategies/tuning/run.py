"""One run of a tuner: MetaSchedule's scheduler over the layers, and the comparison at its end."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import tvm
import tvm_ffi
from tvm.ir.utils import derived_object
from tvm.s_tir import Schedule
from tvm.s_tir import meta_schedule as ms
from tvm.s_tir.meta_schedule.measure_callback import PyMeasureCallback

from relay_strategies.strategies.candidates import Candidate, LayerSpace
from relay_strategies.strategies.limits import Limits
from relay_strategies.strategies.record_files import Record
from relay_strategies.strategies.records import Records
from tvm_directconv.errors import TuningError
from tvm_directconv.measure.cpus import choose_cpus
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import CompileTarget

from .designs import Designs
from .history import finalists, make_record, similar
from .measure import Board, make_builder, make_runner
from .result import TuningResult, layer_tuning
from .search import BATCH, Budget, Search, cost_model, seconds_of
from .status import OnProgress, Status

FINAL_ROUNDS, QUIET_ROUNDS = 9, 5
"""The comparison at the end has so many rounds, of which the quieter ones count."""

# What ends a run within a callback has to come through TVM's scheduler as what it is.
tvm_ffi.register_error(KeyboardInterrupt)
tvm_ffi.register_error(TuningError)


class Run:
    """One call of ``tune``; what is built lies in ``folder``."""

    def __init__(
        self,
        target: CompileTarget,
        layers: Mapping[Conv2dWorkload, int],
        store: Records,
        board: Board | None,
        threads: int,
        limits: Limits,
        seed: int,
        on_progress: OnProgress | None,
        folder: str,
    ) -> None:
        self.target, self.store, self.threads, self.seed = target, store, threads, seed
        self.spaces = {w: LayerSpace(w, target, limits) for w in layers}
        self.designs = {w: Designs(space) for w, space in self.spaces.items()}
        self.layers, self.on_progress = layers, on_progress
        self.folder = folder
        self.builder = make_builder(target, Path(folder))
        timing = choose_cpus(threads) if board is None else ()
        self.runner = make_runner(board, threads, timing, as_in_network=True)
        self.final: dict[Conv2dWorkload, list[Record]] = {}
        self.failures = 0
        self.interrupted = False

    def result(self, trials: int) -> TuningResult:
        known = {w: self.store.measured(space, self.threads) for w, space in self.spaces.items()}
        # A layer known well from other runs does not leave the others without trials.
        share = -(-trials // len(self.layers))
        left = trials - sum(min(share, len(measured)) for measured in known.values())
        self.status = Status(self.layers, max(left, 0))
        try:
            if left > 0:
                self._search(left, known)
            self._final()
        except KeyboardInterrupt:
            self.interrupted = True
        finally:
            self.builder.pool.shutdown()
            self.runner.pool.shutdown()
        return TuningResult(
            str(self.target),
            self.threads,
            tuple(
                layer_tuning(
                    self.spaces[w], self.store, self.threads, self.final.get(w), count, self.status.trials[w]
                )
                for w, count in self.layers.items()
            ),
            tuple(self.store.skipped),
            self.store.foreign(self.target),
            self.interrupted,
        )

    def _search(self, trials: int, known: Mapping[Conv2dWorkload, Mapping[Candidate, float | None]]) -> None:
        tasks, weights, budget = [], [], Budget(trials)
        for workload, space in self.spaces.items():
            first = [space.analytical, *similar(space, self.store)]
            with without_tensor_intrinsics():
                context = ms.TuneContext(
                    mod=self.designs[workload].module,
                    target=self.target.tvm_target,
                    space_generator=ms.space_generator.ScheduleFn(
                        self._designs_of(workload), sch_rules=[], postprocs=[], mutator_probs={}
                    ),
                    search_strategy=Search(space, known[workload], budget, first, self.seed),
                    task_name=str(workload),
                    num_threads=1,
                    rand_state=self.seed + 1,
                    logger=quiet_logger(),
                )
            tasks.append(context)
            weights.append(float(self.layers[workload]))
        for workload, seconds in known.items():
            for value in seconds.values():
                if value is not None:
                    self.status.best[workload] = min(value, self.status.best.get(workload, value))
        with without_notebook_tables():
            ms.tune.tune_tasks(
                tasks=tasks,
                task_weights=weights,
                work_dir=self.folder,
                max_trials_global=trials,
                # Every layer gets a batch before any gets a second.
                num_trials_per_iter=max(1, min(BATCH, trials // len(tasks))),
                builder=self.builder,
                runner=self.runner,
                database=ms.database.MemoryDatabase(),
                cost_model=cost_model(),
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
        """Time the fastest of each layer and the analytical choice in turns."""
        for number, space in enumerate(self.spaces.values()):
            self.status.phase = f"comparing the best, layer {number + 1} of {len(self.spaces)}"
            if self.on_progress is not None:
                self.on_progress(self.status)
            known = self.store.measured(space, self.threads)
            built = self._built(self.designs[space.workload], finalists(space, known))
            taken = self._in_turns(self.designs[space.workload], built)
            records = [
                make_record(space, candidate, self.threads, seconds, final=True)
                for candidate, seconds in taken.items()
                if seconds
            ]
            self.final[space.workload] = records
            self.store.append(records)

    def _in_turns(self, designs: Designs, built: Mapping[Candidate, str]) -> dict[Candidate, list[float]]:
        """Return seconds of each, of the rounds that took least: other work slows all of a round."""
        rounds: list[dict[Candidate, float]] = []
        for _ in range(FINAL_ROUNDS):
            timed = ((c, self._timed(designs, c, artifact)) for c, artifact in built.items())
            rounds.append({candidate: seconds for candidate, seconds in timed if seconds is not None})
        complete = sorted((r for r in rounds if len(r) == len(built)), key=lambda r: sum(r.values()))
        kept = complete[:QUIET_ROUNDS] if len(complete) >= QUIET_ROUNDS else rounds
        return {candidate: [r[candidate] for r in kept if candidate in r] for candidate in built}

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


@derived_object
class Recorder(PyMeasureCallback):
    """Writes measurements down before anything else happens with them.

    Raises TuningError where a whole batch and more failed in a row, before that is written: then it is not
    the candidates that are wrong.
    """

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
        pairs = zip(builder_results, runner_results, strict=True)
        errors = [_last_line(built.error_msg or ran.error_msg) for built, ran in pairs]
        self.run.failures = self.run.failures + len(errors) if all(errors) else 0
        if self.run.failures >= BATCH:
            raise TuningError(f"{self.run.failures} candidates in a row failed, the last with: {errors[-1]}")
        for candidate, ran, error in zip(measure_candidates, runner_results, errors, strict=True):
            seconds = None if error else [float(s) for s in ran.run_secs]
            self.run.keep(designs.space, designs.candidate_of(candidate.sch.mod), seconds, error)


def _last_line(error: str | None) -> str | None:
    return None if error is None else (str(error).strip().splitlines() or ["no reason was given"])[-1]


@contextmanager
def without_tensor_intrinsics(*kinds: str) -> Iterator[None]:
    """Keep TuneContext from importing TVM's own tensor intrinsics of these ``kinds``, as "cuda", or any: many
    seconds of parsing what no schedule here uses."""
    package = "tvm.s_tir.tensor_intrin"
    names = [f"{package}.{kind}" for kind in kinds] or [package]
    absent = [name for name in names if name not in sys.modules]
    sys.modules.update({name: ModuleType(name) for name in absent})
    try:
        yield
    finally:
        for name in absent:
            del sys.modules[name]


@contextmanager
def without_notebook_tables() -> Iterator[None]:
    """Keep MetaSchedule from printing a table after each batch in notebooks, which needs pandas."""
    name = "s_tir.meta_schedule.using_ipython"
    original = tvm.get_global_func(name)
    tvm.register_global_func(name, lambda: False, override=True)
    try:
        yield
    finally:
        tvm.register_global_func(name, original, override=True)


def quiet_logger() -> logging.Logger:
    """Return a logger that tells errors only, in place of MetaSchedule's tables."""
    logger = logging.getLogger("tvm_directconv.tuning")
    logger.setLevel(logging.ERROR)
    return logger
