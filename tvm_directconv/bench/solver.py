"""What runs in a benchmark's processes: a contestant with the problem it was given, or the peak's loop."""

from __future__ import annotations

import functools
import pickle
import time
from pathlib import Path

from tvm_directconv.errors import first_line
from tvm_directconv.measure.peak import FmaPeak
from tvm_directconv.measure.workers import reason
from tvm_directconv.targets.target import CompileTarget

from .contestants import AnyContestant, CannotSolve, Prepared, Setting, kind_of
from .figures import Measurement
from .host import forget_most, keep_tvm_on, resident_bytes, stay_on, waiting_seconds
from .quantized_problems import Problem

SURELY_SLOW_SECONDS = 1.0
"""The first call includes one-time work (thread pools, page faults, lazy compilation); unless it took this
long, a second one says how long calls take."""


class Solver:
    """A contestant on its CPUs; it holds one prepared problem at a time."""

    def __init__(self, chosen: AnyContestant, setting: Setting, cpus: tuple[int, ...]) -> None:
        self._cpus = cpus
        keep_tvm_on(cpus)
        self._contestant = kind_of(chosen)(setting)
        self._prepared: Prepared | None = None
        self._call_seconds = 0.0

    def prepare(self, path: Path) -> tuple[Measurement, float]:
        """Prepare the problem that was pickled to a file, solve it once and judge the answer; return what is
        known before it is timed, and how long calls take."""
        self._prepared = None
        # The pools that start now take over these CPUs.
        stay_on(self._cpus)
        refused = self._contestant.available()
        if refused is not None:
            return self._refusal(refused)
        try:
            with path.open("rb") as file:
                problem: Problem = pickle.load(file)
            return self._check(problem)
        except CannotSolve as error:
            return self._refusal(first_line(error))
        except Exception as error:
            return self._refusal(reason(error))
        finally:
            # The caller is every pool's first worker, and some pools moved it when they started.
            stay_on(self._cpus[:1])

    def _refusal(
        self, why: str, error: float | None = None, seconds: float | None = None
    ) -> tuple[Measurement, float]:
        return Measurement(self._contestant.name, (), why, error, seconds), 0.0

    def _check(self, problem: Problem) -> tuple[Measurement, float]:
        solved = self._contestant.solves(problem)
        forget_most()
        before, start = resident_bytes(), time.perf_counter()
        prepared = self._contestant.prepare(solved)
        call_seconds = prepared.seconds_per_call(1)
        preparation_seconds = time.perf_counter() - start
        most = resident_bytes(most=True)
        error, wrong = solved.judge(prepared.outputs())
        if wrong:
            return self._refusal(wrong, error, preparation_seconds)
        if call_seconds < SURELY_SLOW_SECONDS:
            call_seconds = prepared.seconds_per_call(1)
        self._prepared, self._call_seconds = prepared, call_seconds
        memory = None if before is None or most is None else max(most - before, 0)
        known = (error, preparation_seconds, prepared.note, dict(prepared.facts), memory)
        return Measurement(self._contestant.name, (), None, *known), call_seconds

    def seconds_per_call(self, calls: int) -> float:
        """Return the mean seconds of so many calls."""
        assert self._prepared is not None
        return self._prepared.seconds_per_call(calls)

    def block(self, calls: int) -> tuple[float, float]:
        """Return the mean seconds of so many calls, and for what share of them this process had to wait for
        its CPUs."""
        assert self._prepared is not None
        # One untimed call brings back the caches and threads that the others took, of which long calls feel
        # nothing.
        if self._call_seconds < SURELY_SLOW_SECONDS:
            self._prepared.run()
        waited, start = waiting_seconds(), time.perf_counter()
        seconds = self._prepared.seconds_per_call(calls)
        return seconds, (waiting_seconds() - waited) / (time.perf_counter() - start)

    def facts(self) -> dict[str, str | int | float]:
        """Return what is known of the prepared problem, after all rounds."""
        assert self._prepared is not None
        return dict(self._prepared.facts)


class PeakLoops:
    """The loops of the peak, one for each type, on a CPU."""

    def __init__(self, target: CompileTarget, cpu: int) -> None:
        stay_on((cpu,))
        self._of_type = functools.cache(functools.partial(FmaPeak, target))

    def measure(self, dtype: str) -> tuple[str, float]:
        """What is timed, and GFLOPS, or GOPS of integers."""
        peak = self._of_type(dtype)
        return peak.instruction, peak.measure()
