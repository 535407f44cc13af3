"""One run of a tuner on a GPU: points of ``lift`` drawn, ranked by the model, checked and timed, by OpenCL or
CUDA.

Beside run.py, which has MetaSchedule search the CPUs' spaces. Those of a GPU are too large to list: each
layer's points are drawn in the order of their constraints (section 5.3 of the paper), more than are measured,
so that the model can pick some; the others are measured as they were drawn.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from relay_strategies.strategies.candidates import Candidate
from relay_strategies.strategies.device_candidates import DeviceSpace
from relay_strategies.strategies.gpu import LIFT
from relay_strategies.strategies.limits import Limits
from relay_strategies.strategies.record_files import Record
from relay_strategies.strategies.records import Records
from tvm_directconv.algorithms.lift.knobs import LiftKnobs
from tvm_directconv.devices.cuda import check_compiles, program_for
from tvm_directconv.devices.device_program import NANOSECONDS, Launches
from tvm_directconv.devices.source import lower_kernels
from tvm_directconv.errors import DeviceError, TuningError, first_line, let_through
from tvm_directconv.problem.element_types import numpy_type
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.gpu import GpuTarget
from tvm_directconv.targets.native_gpu import native_gpu

from .history import finalists, make_record
from .reference import drawn_operands, reference_convolution, wrong_share
from .result import TuningResult, layer_tuning
from .status import OnProgress, Status

MODEL, RANDOM = SEARCHES = ("model", "random")
"""Choices of the points to measure: those that the model ranks, or the paper's, by chance alone."""
DRAWN = 4
"""Points drawn for each that is measured."""
PARENTS = 3
"""Half of what is drawn is near one of so many, the fastest that are known."""
BY_RANK = 0.5
"""Share of a batch that is what the model thinks best of, the rest is by chance."""
BATCH = 8
"""The layers take turns, so many points each."""
LAUNCHES, HOPELESS = 5, 3.0
"""A point's time is the least of so many; of one, where that is so many times the least that is known."""
FINAL_ROUNDS = 9
PATIENCE = 16
"""Points in a row whose failure ends the run: then it is not the points that are wrong."""


class Measurer:
    """One layer on the device: its points computed, checked against the definition, and timed."""

    def __init__(self, space: DeviceSpace) -> None:
        self._space, workload = space, space.workload
        self._data, self._weights = drawn_operands(workload)
        self._want = reference_convolution(workload, self._data, self._weights, np.float32)

    def launches(self, candidate: Candidate) -> Launches:
        """Return a point's launches, once they gave the right result. Raises DeviceError where they do not,
        or the device refuses them."""
        plan, workload = self._space.plan(candidate), self._space.workload
        function = plan.schedule(plan.compute())
        program = program_for(lower_kernels(function, self._space.target.tvm_target))
        unwritten = np.full(workload.output_shape, np.nan, numpy_type(workload.out_dtype))
        arrays, launches = program.call("main", [self._data, plan.pack(self._weights), unwritten])
        wrong = wrong_share(arrays[-1], self._want, workload.out_dtype)
        if wrong:
            raise DeviceError(f"wrong result: {100 * wrong:.3g} % of the output differ from the definition's")
        return launches


class DeviceRun:
    """One call of ``tune`` for a GPU."""

    def __init__(
        self,
        target: GpuTarget,
        layers: Mapping[Conv2dWorkload, int],
        store: Records,
        limits: Limits,
        seed: int,
        on_progress: OnProgress | None,
        search: str = MODEL,
    ) -> None:
        if search not in SEARCHES:
            raise TuningError(f"a search is by {' or '.join(map(repr, SEARCHES))}, not {search!r}")
        check_measurable(target)
        # Of a network the strategy of a user's may run layers that lift does not take.
        self.layers = {w: count for w, count in layers.items() if LIFT.takes(w)}
        if not self.layers:
            raise TuningError(f"nothing to tune: {LIFT.name} needs {LIFT.needs}; {next(iter(layers))}")
        self.target, self.store, self.seed, self.on_progress = target, store, seed, on_progress
        self.spaces = {w: DeviceSpace(w, target, limits) for w in self.layers}
        self.measurers: dict[Conv2dWorkload, Measurer] = {}
        self.final: dict[Conv2dWorkload, list[Record]] = {}
        self.failures, self.search = 0, search

    def result(self, trials: int) -> TuningResult:
        """Measure until every layer has its share of the trials, earlier runs' included, and compare the
        best."""
        known = {w: dict(self.store.measured(space, 1)) for w, space in self.spaces.items()}
        share, more = divmod(trials, len(self.spaces))
        left = {
            w: max(0, share + (number < more) - len(measured))
            for number, (w, measured) in enumerate(known.items())
        }
        self.status, interrupted = Status(self.layers, sum(left.values())), False
        for workload, measured in known.items():
            times = [seconds for seconds in measured.values() if seconds is not None]
            if times:
                self.status.best[workload] = min(times)
        try:
            self._search(left, known)
            self._compare(known)
        except KeyboardInterrupt:
            interrupted = True
        layers = (
            layer_tuning(space, self.store, 1, self.final.get(w), self.layers[w], self.status.trials[w])
            for w, space in self.spaces.items()
        )
        foreign = self.store.foreign(self.target)
        return TuningResult(
            str(self.target), 1, tuple(layers), tuple(self.store.skipped), foreign, interrupted
        )

    def _search(
        self, left: dict[Conv2dWorkload, int], known: Mapping[Conv2dWorkload, dict[Candidate, float | None]]
    ) -> None:
        while any(left.values()):
            for workload, space in self.spaces.items():
                batch = list(self._next(space, known[workload], min(BATCH, left[workload])))
                left[workload] = left[workload] - len(batch) if batch else 0
                for candidate in batch:
                    known[workload][candidate] = self._measure(space, candidate)
        for workload, space in self.spaces.items():
            if not known[workload] and space.refusal(space.analytical):  # else its share is less than a trial
                raise TuningError(
                    f"nothing to tune: the model's choice {space.refusal(space.analytical)}, and no point "
                    f"drawn is within the limits; {workload}"
                )

    def _next(
        self, space: DeviceSpace, known: Mapping[Candidate, float | None], count: int
    ) -> Iterator[Candidate]:
        points = next_points if self.search == MODEL else random_points
        return points(space, known, count, self.seed)

    def _measure(self, space: DeviceSpace, candidate: Candidate) -> float | None:
        """Time one point and record it at once."""
        measurer = self._measurer(space)
        seconds: float | None = None
        error: str | None = None
        try:
            launches = [measurer.launches(candidate)]
            (seconds,) = seconds_of(launches, 1)
            if seconds < HOPELESS * self.status.best.get(space.workload, math.inf):
                seconds = min(seconds, *seconds_of(launches, LAUNCHES - 1))
        except Exception as fault:  # schedules and code generators raise whatever came up
            let_through(fault)
            error = first_line(fault)
        self.failures = 0 if error is None else self.failures + 1
        self._keep(space, candidate, seconds, error)
        self.status.add(space.workload, seconds)
        self._tell()
        if self.failures >= PATIENCE:
            raise TuningError(f"{self.failures} points in a row failed, the last with: {error}")
        return seconds

    def _keep(
        self,
        space: DeviceSpace,
        candidate: Candidate,
        seconds: float | None,
        error: str | None = None,
        final: bool = False,
    ) -> Record:
        times = None if seconds is None else [seconds]
        record = make_record(space, candidate, 1, times, error, final)
        self.store.append([record])
        return record

    def _measurer(self, space: DeviceSpace) -> Measurer:
        if space.workload not in self.measurers:
            self.measurers[space.workload] = Measurer(space)
        return self.measurers[space.workload]

    def _compare(self, known: Mapping[Conv2dWorkload, Mapping[Candidate, float | None]]) -> None:
        """Time the fastest of each layer and the analytical choice in turns: a single measurement of many
        points flatters its winner."""
        for number, (workload, space) in enumerate(self.spaces.items()):
            self.status.phase = f"comparing the best, layer {number + 1} of {len(self.spaces)}"
            self._tell()
            compared = finalists(space, known[workload])
            launches = [self._measurer(space).launches(c) for c in compared]
            times = seconds_of(launches, FINAL_ROUNDS)
            self.final[workload] = [
                self._keep(space, candidate, seconds, final=True)
                for candidate, seconds in zip(compared, times, strict=True)
            ]

    def _tell(self) -> None:
        if self.on_progress is not None:
            self.on_progress(self.status)


def seconds_of(points: Sequence[Launches], rounds: int) -> list[float]:
    """Return the least seconds of each on the device's clock, of rounds in which they take turns."""
    each = [[sum(launches.run()) for launches in points] for _ in range(rounds)]
    return [max(min(times), NANOSECONDS) for times in zip(*each, strict=True)]  # a clock may stand still


def random_points(
    space: DeviceSpace, known: Mapping[Candidate, float | None], count: int, seed: int
) -> Iterator[Candidate]:
    """Yield up to so many points that are not known, as the paper draws them (section 5.3): by chance."""
    rng = random.Random(f"{seed} {space.workload} {len(known)}")
    drawn = dict.fromkeys(Candidate(LIFT.name, k) for k in space.points.samples(DRAWN * count, rng))
    yield from [c for c in drawn if c not in known and space.allowed(c)][:count]


def next_points(
    space: DeviceSpace, known: Mapping[Candidate, float | None], count: int, seed: int
) -> Iterator[Candidate]:
    """Yield up to so many points that are not known: the analytical choice, then of more that are drawn, half
    of them near the fastest, half by the model's rank and half by chance."""
    first = space.analytical
    if count and first not in known and space.allowed(first):
        yield first
        count -= 1
    if not count:
        return
    # A run that goes on draws others than the one before.
    rng = random.Random(f"{seed} {space.workload} {len(known)}")
    drawn = dict.fromkeys(Candidate(LIFT.name, k) for k in _drawn(space, known, DRAWN * count, rng))
    new = [c for c in drawn if c not in known and c != first and space.allowed(c)]
    ranked = sorted(new, key=lambda c: space.plan(c).cost().total)
    by_rank = ranked[: round(BY_RANK * count)]
    by_chance = [c for c in new if c not in by_rank]  # in the order they were drawn in
    yield from [*by_rank, *by_chance][:count]


def _drawn(
    space: DeviceSpace, known: Mapping[Candidate, float | None], count: int, rng: random.Random
) -> Iterator[LiftKnobs]:
    """Yield so many points drawn at random, and in turns with them points near the fastest that are known."""
    timed = {c: seconds for c, seconds in known.items() if seconds is not None}
    parents = sorted(timed, key=lambda c: timed[c])[:PARENTS]
    for point in space.points.samples(count // 2 if parents else count, rng):
        yield point
        if parents:
            yield space.points.sample(rng, rng.choice(parents).knobs)


def check_measurable(target: GpuTarget) -> None:
    """Raise TuningError where the device at hand is not one of the target's, DeviceError where there is
    none, or what compiles for it is missing."""
    if target.kind == "cuda":
        check_compiles()
        return
    at_hand, wanted = native_gpu(), target.machine.device
    if wanted and wanted != at_hand.device:
        raise TuningError(
            f"the target is a device of '{wanted}', and the OpenCL device at hand is {at_hand.description}: "
            f"times of one say nothing of the other; tune where there is such a device"
        )
