"""The measuring: contestants prepared, checked against the right answer, timed in interleaved rounds.

Machines are shared and clocks wander, so no contestant is timed alone: each round measures the FMA
peak and then gives every contestant a short block, in an order that rotates from round to round;
figures are medians over rounds and ratios within rounds. A contestant whose answer is wrong is not
timed at all.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tvm_directconv.measure.timing import calls_within

from .contestants import CannotSolve, Contestant, Prepared
from .figures import Measurement
from .host import stay_on, waiting_seconds
from .problems import Problem
from .progress import Reporter

# Who is this slow, and this many times slower than the fastest contestant, is timed in the first
# round only: more rounds of TVM's default pipeline (seconds per image) would let the machine drift.
SLOW_SECONDS = 0.25
SLOW_FACTOR = 10

# The first call includes one-time work (thread pools, page faults, lazy compilation); unless it took
# this long, a second one says how long calls take.
SURELY_SLOW_SECONDS = 1.0

# A block is taken again while other processes held its CPUs for more than this share of it.
QUIET_SHARE = 0.02
ATTEMPTS = 4


@dataclass(frozen=True)
class Effort:
    """How long to measure: rounds, and the least seconds and calls of a contestant in each."""

    rounds: int
    block_seconds: float
    least_calls: int


@dataclass
class Entry:
    """A contestant on one problem, on its way to a Measurement."""

    name: str
    prepared: Prepared | None = None
    refused: str | None = None
    error: float | None = None
    preparation_seconds: float | None = None
    call_seconds: float = math.inf
    slow: bool = False
    disturbed: int = 0
    seconds: list[float | None] = field(default_factory=list)

    @property
    def solver(self) -> Prepared:
        assert self.prepared is not None
        return self.prepared

    @property
    def note(self) -> str:
        notes = [self.prepared.note] if self.prepared else []
        if self.slow:
            notes.append("slow: timed in the first round only")
        elif self.disturbed:
            notes.append(f"other processes held its CPU in {self.disturbed} of {len(self.seconds)} rounds")
        return "; ".join(filter(None, notes))

    def measurement(self) -> Measurement:
        return Measurement(
            self.name,
            tuple(self.seconds),
            self.refused,
            self.error,
            self.preparation_seconds,
            self.note,
            dict(self.prepared.facts) if self.prepared else {},
        )


def check(
    problem: Problem, team: Sequence[Contestant], cpus: tuple[int, ...], reporter: Reporter
) -> list[Entry]:
    """Prepare every contestant and compare its answer; those that fail carry the reason."""
    # Before contestants are pinned: whoever computes the answer has threads of its own.
    _ = problem.references
    # The pools that start now take over these CPUs.
    stay_on(cpus)
    entries = []
    for contestant in team:
        reporter.say(f"{problem.name}: checking {contestant.name}")
        entry = Entry(contestant.name, refused=contestant.available())
        entries.append(entry)
        failures: tuple[type[Exception], ...] = (CannotSolve, *contestant.failures)
        if entry.refused is None:
            try:
                start = time.perf_counter()
                solved = contestant.solves(problem)
                prepared = contestant.prepare(solved)
                entry.call_seconds = prepared.seconds_per_call(1)
                entry.preparation_seconds = time.perf_counter() - start
                entry.error, wrong = solved.judge(prepared.outputs())
            except failures as error:
                entry.refused = _reason(error)
            else:
                entry.prepared, entry.refused = (None, wrong) if wrong else (prepared, None)
        reporter.step()
    # The caller is every pool's first worker, and some pools moved it when they started.
    stay_on(cpus[:1])
    return entries


def time_rounds(
    entries: Sequence[Entry],
    effort: Effort,
    measure_peak: Callable[[], float],
    threads: int,
    reporter: Reporter,
    interrupted: threading.Event,
) -> list[float]:
    """Take the rounds: fill the entries' seconds and return the peaks of all threads."""
    ready = [entry for entry in entries if entry.prepared is not None]
    for entry in ready:
        if entry.call_seconds < SURELY_SLOW_SECONDS:
            entry.call_seconds = entry.solver.seconds_per_call(1)
    peaks = []
    for number in range(effort.rounds):
        reporter.say(f"round {number + 1} of {effort.rounds}", still=True)
        peaks.append(threads * measure_peak())
        first = number % max(len(ready), 1)
        for entry in ready[first:] + ready[:first]:
            if interrupted.is_set():
                raise KeyboardInterrupt
            fastest = min(other.call_seconds for other in ready)
            if entry.call_seconds <= max(SLOW_SECONDS, SLOW_FACTOR * fastest):
                entry.seconds.append(_block(entry, effort))
            elif number == 0:
                entry.call_seconds = entry.solver.seconds_per_call(1)
                entry.seconds.append(entry.call_seconds)
            else:
                entry.slow = True
                entry.seconds.append(None)
        reporter.step()
    return peaks


def _block(entry: Entry, effort: Effort) -> float:
    """Return seconds per call of this round, from the least disturbed of a few attempts."""
    calls = calls_within(effort.block_seconds, entry.call_seconds, effort.least_calls)
    seconds, least_waiting = math.inf, math.inf
    for _ in range(ATTEMPTS):
        # One untimed call brings back the caches and threads that the others took.
        entry.solver.run()
        waited, start = waiting_seconds(), time.perf_counter()
        result = entry.solver.seconds_per_call(calls)
        share = (waiting_seconds() - waited) / (time.perf_counter() - start)
        if share < least_waiting:
            seconds, least_waiting = result, share
        if share <= QUIET_SHARE:
            return seconds
    entry.disturbed += 1
    return seconds


def _reason(error: Exception) -> str:
    lines = str(error).strip().splitlines() or [""]
    return lines[0] if isinstance(error, CannotSolve) else f"{type(error).__name__}: {lines[0]}"
