"""Search for the candidates to measure: MetaSchedule's XGBoost model over knobs and the analytical estimate.

The spaces are small enough to list, so that nothing is sampled twice and a resumed search goes on exactly
where it was. The first batch has the analytical choice, the best of similar layers' records, and by estimate
the best of every algorithm and of the micro-kernels; later ones what the model predicts to be fastest, and a
few by chance.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np
import tvm
from tvm.ir.utils import derived_object
from tvm.s_tir import meta_schedule as ms
from tvm.s_tir.meta_schedule.feature_extractor import PyFeatureExtractor
from tvm.s_tir.meta_schedule.search_strategy import MeasureCandidate, PySearchStrategy

from relay_strategies.strategies.candidates import Candidate, LayerSpace
from tvm_directconv.algorithms import ALGORITHMS

from .designs import Designs, designs_of

BATCH = 16
BY_CHANCE = 0.15
"""Share of a batch that the model thinks little of."""
WARM_UP = 12
"""Measurements made before the model is asked."""
PREDICTED = 96
"""The model is asked about so many candidates, cheapest estimates first, and as many drawn at random."""
PATIENCE, LEAST_GAIN = 32, 0.005
"""A search ends when so many measurements in a row gained less than that share of the time."""
KNOB_FEATURES = 12
"""Rows of all algorithms are of one length: so many knobs, zeros where an algorithm has fewer."""


def features(space: LayerSpace, candidate: Candidate) -> np.ndarray:
    """Return one row: which algorithm, logarithms of estimated cycles by cause and of workspace, knobs."""
    cost = space.cost(candidate)
    cycles = [math.log2(1 + value) for value in (cost.total, *asdict(cost).values())]
    which = [float(candidate.algorithm == name) for name in ALGORITHMS]
    numbers = [_number(value) for value in asdict(candidate.knobs).values()]
    numbers = (numbers + [0.0] * KNOB_FEATURES)[:KNOB_FEATURES]
    row = [*which, *cycles, math.log2(1 + space.workspace_bytes(candidate)), *numbers]
    return np.array([row], np.float32)


def _number(value: object) -> float:
    if isinstance(value, str):
        return float(sum(value.encode()) % 97)
    return math.log2(1 + value) if isinstance(value, int) else float(bool(value))


@derived_object
class KnobFeatures(PyFeatureExtractor):
    """The ``features`` of MetaSchedule's candidates."""

    def extract_from(
        self, context: ms.TuneContext, candidates: list[MeasureCandidate]
    ) -> list[tvm.runtime.Tensor]:
        rows = []
        for candidate in candidates:
            designs = designs_of(candidate.sch.mod)
            row = features(designs.space, designs.candidate_of(candidate.sch.mod))
            rows.append(tvm.runtime.tensor(row))
        return rows


def cost_model() -> ms.cost_model.XGBModel:
    """Return MetaSchedule's XGBoost model on these features."""
    return ms.cost_model.XGBModel(
        extractor=KnobFeatures(), num_warmup_samples=WARM_UP, num_tuning_cores=1, tree_method="hist"
    )


@dataclass
class Budget:
    """Trials that the layers of a run have left together."""

    trials: int


@derived_object
class Search(PySearchStrategy):
    """The candidates of one layer, in batches, as long as the ``budget`` lasts.

    ``known`` are earlier measurements, in seconds, None for those that failed; they are not repeated.
    ``first`` goes before all others.
    """

    def __init__(
        self,
        space: LayerSpace,
        known: Mapping[Candidate, float | None],
        budget: Budget,
        first: Sequence[Candidate] = (),
        seed: int = 0,
    ) -> None:
        super().__init__()
        self.space, self.first, self.budget = space, list(first), budget
        self.measured: dict[Candidate, float | None] = {}
        self.designs = Designs(space)
        self.random = random.Random(f"{seed} {space.workload}")
        self.batch = 0
        self.context: ms.TuneContext | None = None
        self.model: ms.CostModel | None = None
        self.best = math.inf
        self.since_gain = 0
        for candidate, seconds in known.items():
            self._note(candidate, seconds)

    def _initialize_with_tune_context(self, context: ms.TuneContext) -> None:
        self.context = context

    def pre_tuning(
        self,
        max_trials: int,
        num_trials_per_iter: int,
        design_spaces: list[tvm.s_tir.Schedule],
        database: ms.Database | None = None,
        cost_model: ms.CostModel | None = None,
    ) -> None:
        self.batch, self.model = num_trials_per_iter, cost_model

    def post_tuning(self) -> None:
        pass

    def clone(self) -> Search:
        return Search(self.space, self.measured, self.budget, self.first)

    def generate_measure_candidates(self) -> list[MeasureCandidate] | None:
        count = min(self.batch, self.budget.trials)
        if count <= 0 or self.since_gain >= PATIENCE:
            return None
        chosen = self._next(count)
        self.budget.trials -= len(chosen)
        return [self._candidate(c) for c in chosen] or None

    def notify_runner_results(
        self, measure_candidates: list[MeasureCandidate], results: list[ms.runner.RunnerResult]
    ) -> None:
        for candidate, result in zip(measure_candidates, results, strict=True):
            self._note(self.designs.candidate_of(candidate.sch.mod), seconds_of(result))

    def _note(self, candidate: Candidate, seconds: float | None) -> None:
        self.measured[candidate] = seconds
        gained = seconds is not None and seconds < (1 - LEAST_GAIN) * self.best
        self.since_gain = 0 if gained else self.since_gain + 1
        self.best = min(self.best, seconds or math.inf)

    def _candidate(self, candidate: Candidate) -> MeasureCandidate:
        return MeasureCandidate(self.designs.schedule(candidate), self.designs.arguments(candidate))

    def _next(self, count: int) -> list[Candidate]:
        left = [c for c in self.space.candidates if c not in self.measured]
        if len(self.measured) < BATCH:
            return [c for c in self._opening() if c not in self.measured][:count]
        some = left[:PREDICTED] + self.random.sample(left[PREDICTED:], min(PREDICTED, len(left[PREDICTED:])))
        by_chance = round(BY_CHANCE * count)
        best = self._ranked(some)[: count - by_chance]
        rest = [c for c in left if c not in set(best)]
        return best + self.random.sample(rest, min(by_chance, len(rest)))

    def _opening(self) -> Iterable[Candidate]:
        """Order candidates before there is a model: by estimates, which are not to be trusted between
        algorithms and widths of micro-kernels, so that the best of each go first."""
        every = self.space.candidates
        leaders: dict[str, Candidate] = {}
        widths: dict[tuple[str, str], Candidate] = {}
        for candidate in every:
            leaders.setdefault(candidate.algorithm, candidate)
            _, _, width = self.space.space_of[candidate].kernel.partition("x")
            widths.setdefault((candidate.algorithm, width), candidate)
        return dict.fromkeys((*self.first, *leaders.values(), *widths.values(), *every))

    def _ranked(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        if self.model is None or not candidates:
            return list(candidates)
        scores = self.model.predict(self.context, [self._candidate(c) for c in candidates])
        order = sorted(range(len(candidates)), key=lambda i: -float(scores[i]))
        return [candidates[i] for i in order]


def seconds_of(result: ms.runner.RunnerResult) -> float | None:
    """Return the median seconds of a measurement; None when it failed."""
    if result.error_msg is not None or not result.run_secs:
        return None
    return float(np.median([float(seconds) for seconds in result.run_secs]))
