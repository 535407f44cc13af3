"""Configurations of a task built and timed by MetaSchedule's builder and runners.

They are scheduled in this process, which has the templates; others compile and time what comes of that.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import tvm
from tvm.s_tir import meta_schedule as ms

from relay_strategies.strategies.config_space import ConfigEntity
from tvm_directconv.errors import last_line, let_through
from tvm_directconv.measure.cpus import choose_cpus
from tvm_directconv.targets.target import require_host
from tvm_directconv.temporary import temporary_folder

from .designs import arguments_of
from .measure import Board, make_builder, make_runner
from .measure_option import MeasureErrorNo, MeasureOption, MeasureResult, RPCRunner
from .task import Task

Outcome = tuple[tuple[float, ...], int, str]
"""Seconds, what the measurement ended with, and why."""


class Measurer:
    """Builds and times configurations of one task, in ``folder``."""

    def __init__(self, task: Task, option: MeasureOption, folder: str) -> None:
        builder, runner = option
        board = Board(runner.host, runner.port, runner.key) if isinstance(runner, RPCRunner) else None
        if board is None:
            require_host(task.target)
        self.task = task
        self.builder = make_builder(task.target, Path(folder), builder.n_parallel, builder.timeout)
        config = ms.runner.EvaluatorConfig(runner.number, runner.repeat, runner.min_repeat_ms)
        cpus = choose_cpus(runner.threads) if board is None else ()
        flush = runner.enable_cpu_cache_flush
        self.runner = make_runner(board, runner.threads, cpus, flush, runner.timeout, config)

    def measure(self, configs: Sequence[ConfigEntity]) -> list[MeasureResult]:
        """Return the result of each configuration, in order."""
        begun = time.time()
        scheduled = [self._scheduled(config) for config in configs]
        target = self.task.target.tvm_target
        modules = [each for each in scheduled if isinstance(each, tvm.IRModule)]
        # All are built before any is timed.
        built = self.builder.build([ms.builder.BuilderInput(each, target) for each in modules])
        timed = map(self._timed, modules, built)
        outcomes = [next(timed) if isinstance(each, tvm.IRModule) else each for each in scheduled]
        ended = time.time()
        spent = (ended - begun) / max(1, len(configs))
        return [MeasureResult(costs, number, spent, ended, error) for costs, number, error in outcomes]

    def _scheduled(self, config: ConfigEntity) -> tvm.IRModule | Outcome:
        """Return the module of a configuration, or the error of one that its template or TVM refuses."""
        try:
            return tvm.IRModule({"main": self.task.instantiate(config)})
        except Exception as error:  # schedules raise whatever came up
            let_through(error)
            return (), MeasureErrorNo.INSTANTIATION_ERROR, last_line(error)

    def _timed(self, module: tvm.IRModule, built: ms.builder.BuilderResult) -> Outcome:
        if built.error_msg is not None:
            return (), MeasureErrorNo.COMPILE_HOST, _line(built.error_msg)
        given = ms.runner.RunnerInput(str(built.artifact_path), "cpu", arguments_of(module["main"]))
        (future,) = self.runner.run([given])
        ran = future.result()
        if ran.error_msg is not None:
            return (), MeasureErrorNo.RUNTIME_DEVICE, _line(ran.error_msg)
        return tuple(map(float, ran.run_secs)), MeasureErrorNo.NO_ERROR, ""


def _line(error: object) -> str:
    return (str(error).strip().splitlines() or ["no reason was given"])[-1]


@contextmanager
def measuring(task: Task, option: MeasureOption) -> Iterator[Measurer]:
    """Give a measurer of the task, whose processes end with the block."""
    with temporary_folder("directconv-tuning-") as folder:
        measurer = Measurer(task, option, folder)
        try:
            yield measurer
        finally:
            measurer.builder.pool.shutdown()
            measurer.runner.pool.shutdown()
