"""AutoTVM's tuners of one task: by a cost model, by a genetic algorithm, by chance, and in order.

    tuner = XGBTuner(task)
    tuner.tune(n_trial=100, early_stopping=50, callbacks=[log_to_file("log.jsonl")])

Each chooses the configurations of the next batch; what is the same of all, ``Tuner`` does. XGBTuner's model
is MetaSchedule's (``config_model.py``).
"""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING

from relay_strategies.strategies.config_space import ConfigEntity
from tvm_directconv.errors import TuningError
from tvm_directconv.locks import one_at_a_time

from .callbacks import Callback
from .measure_option import MeasureOption, MeasureResult, measure_option
from .task import MeasureInput, Task
from .tune import check_installed

if TYPE_CHECKING:
    from .config_model import ConfigModel

BATCH = 16


class Tuner:
    """Chooses configurations of a task until all trials are made; no point is measured twice.

    ``best_config``, ``best_flops`` and ``best_measure_pair`` (input, result) tell what was found, None and 0
    before anything ran.
    """

    def __init__(self, task: Task, seed: int = 0) -> None:
        self.task, self.space = task, task.config_space
        self.random = random.Random(seed)
        self.visited: dict[int, float] = {}
        """Operations a second by the number of the point, 0 where it failed."""
        self.best_config: ConfigEntity | None = None
        self.best_flops, self.best_iter, self.threads = 0.0, 0, 1
        self.best_measure_pair: tuple[MeasureInput, MeasureResult] | None = None

    def next_batch(self, batch_size: int) -> list[int]:
        """Return the numbers of up to so many points that were not visited; none where all were."""
        raise NotImplementedError

    def update(self, inputs: Sequence[MeasureInput], results: Sequence[MeasureResult]) -> None:
        """Learn from measurements, which ``visited`` has."""

    @one_at_a_time
    def tune(
        self,
        n_trial: int,
        measure_option: MeasureOption = measure_option(),  # noqa: B008  # it is a tuple
        early_stopping: int | None = None,
        callbacks: Sequence[Callback] = (),
        si_prefix: str = "G",
    ) -> None:
        """Measure up to ``n_trial`` configurations, in batches; end when as many as ``early_stopping`` in a
        row were not faster than the best. ``callbacks`` are called with (tuner, inputs, results) after each
        batch. ``si_prefix`` is accepted for programs written for AutoTVM.

        Raises TuningError for options and packages that do not work and where nothing of a first batch ran,
        TargetError for a target that this host cannot run.
        """
        if n_trial < 1 or (early_stopping is not None and early_stopping < 1):
            raise TuningError(f"n_trial and early_stopping are at least 1, got {n_trial}, {early_stopping}")
        check_installed()
        from .task_measure import measuring

        self.threads, done = measure_option.runner.threads, 0
        with measuring(self.task, measure_option) as measurer:
            while done < n_trial:
                wanted = min(BATCH, n_trial - done)
                configs = [self.space.get(index) for index in self.next_batch(wanted)]
                if not configs:
                    return
                inputs = [MeasureInput(self.task.target, self.task, config) for config in configs]
                results = measurer.measure(configs)
                self._note(inputs, results, done)
                self.update(inputs, results)
                done += len(configs)
                for callback in callbacks:
                    callback(self, inputs, results)
                if self.best_config is None and done >= BATCH:
                    raise TuningError(f"{done} configurations failed, the last with: {results[-1].error}")
                if early_stopping is not None and done - self.best_iter >= early_stopping:
                    return

    def _note(self, inputs: Sequence[MeasureInput], results: Sequence[MeasureResult], done: int) -> None:
        for at, (given, result) in enumerate(zip(inputs, results, strict=True), start=done + 1):
            flops = self.task.flop / statistics.median(result.costs) if result.costs else 0.0
            self.visited[given.config.index] = flops
            if flops > self.best_flops:
                self.best_flops, self.best_iter, self.best_config = flops, at, given.config
                self.best_measure_pair = given, result

    def unvisited(self, count: int) -> list[int]:
        """Return up to so many points, drawn by chance, that were not visited."""
        points = self.space.indices()
        if len(points) > 4 * (len(self.visited) + count):
            found: dict[int, None] = {}
            while len(found) < count:
                index = points[self.random.randrange(len(points))]
                if index not in self.visited:
                    found[index] = None
            return list(found)
        left = [index for index in points if index not in self.visited]
        return self.random.sample(left, min(count, len(left)))


class RandomTuner(Tuner):
    """Measures points as they are drawn by chance."""

    def next_batch(self, batch_size: int) -> list[int]:
        return self.unvisited(batch_size)


class GridSearchTuner(Tuner):
    """Measures points in the order of their numbers."""

    def next_batch(self, batch_size: int) -> list[int]:
        left = (index for index in self.space.indices() if index not in self.visited)
        return list(islice(left, batch_size))


class GATuner(Tuner):
    """Breeds points: two of the fastest become parents, chosen by their speed, whose knobs a child has at
    random.

    Args:
        task: The task to tune.
        pop_size: How many of the fastest may be parents.
        mutation_prob: The probability with which each knob of a child is changed.
        seed: What chance is drawn from.
    """

    def __init__(self, task: Task, pop_size: int = 100, mutation_prob: float = 0.1, seed: int = 0) -> None:
        super().__init__(task, seed)
        self.pop_size, self.mutation_prob = pop_size, mutation_prob

    def next_batch(self, batch_size: int) -> list[int]:
        parents = sorted((i for i, flops in self.visited.items() if flops), key=lambda i: -self.visited[i])
        parents = parents[: self.pop_size]
        if len(self.visited) < min(self.pop_size, BATCH) or len(parents) < 2:
            return self.unvisited(batch_size)
        children: dict[int, None] = {}
        for _ in range(8 * batch_size):
            child = self._child(parents)
            if len(children) < batch_size and child not in self.visited and self.space.is_index_valid(child):
                children[child] = None
        others = (index for index in self.unvisited(batch_size) if index not in children)
        return [*children, *islice(others, batch_size - len(children))]

    def _child(self, parents: Sequence[int]) -> int:
        chosen = self.random.choices(parents, [self.visited[index] for index in parents], k=2)
        pairs = zip(*map(self.space.places, chosen), strict=True)
        return self.space.index_of(
            [
                self.random.randrange(length)
                if self.random.random() < self.mutation_prob
                else self.random.choice(pair)
                for pair, length in zip(pairs, self.space.dims, strict=True)
            ]
        )


class XGBTuner(Tuner):
    """Measures what MetaSchedule's XGBoost model ranks first; a share by chance.

    Args:
        task: The task to tune.
        plan_size: How many times the points of a batch are ranked, half of them one knob away from the
            fastest.
        seed: What chance is drawn from.
    """

    def __init__(self, task: Task, plan_size: int = 64, seed: int = 0) -> None:
        super().__init__(task, seed)
        self.plan_size = plan_size
        self._model: ConfigModel | None = None

    def next_batch(self, batch_size: int) -> list[int]:
        if self._model is None or not self._model.trained:
            return self.unvisited(batch_size)
        drawn = self.unvisited(self.plan_size * batch_size)
        pool = list(dict.fromkeys([*self._neighbours(self.plan_size * batch_size // 2), *drawn]))
        scores = self._model.predict([self.space.get(index) for index in pool])
        ranked = sorted(zip(scores, pool, strict=True), reverse=True)
        chance = math.ceil(BY_CHANCE * batch_size) if batch_size > 1 else 0
        best = [index for _, index in ranked[: batch_size - chance]]
        others = (index for index in drawn if index not in best)
        return [*best, *islice(others, batch_size - len(best))]

    def _neighbours(self, most: int) -> list[int]:
        """Return points that differ in one knob from the fastest."""
        fastest = sorted(self.visited, key=lambda index: -self.visited[index])[:BATCH]
        found: dict[int, None] = {}
        for index in fastest:
            places = self.space.places(index)
            for knob, length in enumerate(self.space.dims):
                for place in range(length):
                    near = self.space.index_of([*places[:knob], place, *places[knob + 1 :]])
                    if near not in self.visited and self.space.is_index_valid(near):
                        found[near] = None
        return self.random.sample(list(found), min(most, len(found)))

    def update(self, inputs: Sequence[MeasureInput], results: Sequence[MeasureResult]) -> None:
        if self._model is None:
            from .config_model import ConfigModel

            self._model = ConfigModel(self.task)
        self._model.update([given.config for given in inputs], [result.costs for result in results])


BY_CHANCE = 0.1
"""Share of a batch of XGBTuner's that is drawn by chance."""
