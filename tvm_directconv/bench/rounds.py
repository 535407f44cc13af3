"""The measuring: contestants prepared, checked against the right answer, timed in interleaved rounds.

Machines are shared and clocks wander, so no contestant is timed alone: each round measures the FMA
peak and then gives every contestant a short block, in an order that rotates from round to round;
figures are medians over rounds and ratios within rounds. A contestant whose answer is wrong is not
timed at all. Each contestant, and the peak's loop, runs in a process of its own, one of them at a time: what
ends one costs its row of the table.
"""

from __future__ import annotations

import math
import pickle
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from tvm_directconv.errors import BenchmarkError
from tvm_directconv.measure.timing import calls_within
from tvm_directconv.measure.workers import Failure, Worker

from .figures import Comparison, Measurement
from .progress import Reporter
from .quantized_problems import Problem

# Who is this slow, and this many times slower than the fastest contestant, is timed in the first
# round only: more rounds of TVM's default pipeline (seconds per image) would let the machine drift.
SLOW_SECONDS = 0.25
SLOW_FACTOR = 10

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

    worker: Worker
    found: Measurement
    call_seconds: float
    slow: bool = False
    disturbed: int = 0
    seconds: list[float | None] = field(default_factory=list)

    @property
    def note(self) -> str:
        notes = [self.found.note]
        if self.slow:
            notes.append("slow: timed in the first round only")
        elif self.disturbed:
            notes.append(f"other processes held its CPU in {self.disturbed} of {len(self.seconds)} rounds")
        return "; ".join(filter(None, notes))

    def fail(self, failure: Failure) -> None:
        """Refuse what has been timed, for it did not end well."""
        self.found = Measurement(self.found.contestant, refused=str(failure))
        self.seconds, self.call_seconds = [], math.inf

    def measurement(self) -> Measurement:
        return replace(self.found, seconds=tuple(self.seconds), note="" if self.found.refused else self.note)


class Peak:
    """The peak of one type, measured in a process of its own; not at all once that has failed."""

    def __init__(self, worker: Worker, dtype: str) -> None:
        self._worker, self._dtype = worker, dtype
        self._failure: Failure | None = None
        self._instruction = f"peak of {dtype}"

    def measure(self) -> float | None:
        """GFLOPS, or GOPS of integers, of one core; None where it cannot be measured."""
        if self._failure is None:
            try:
                self._instruction, speed = self._worker.ask("measuring the peak", "measure", self._dtype)
                return float(speed)
            except Failure as failure:
                self._failure = failure
        return None

    @property
    def instruction(self) -> str:
        """What was measured, or why there is no peak."""
        return f"{self._instruction}: {self._failure}" if self._failure else self._instruction


def compare(
    problem: Problem,
    team: Mapping[str, Worker],
    folder: Path,
    effort: Effort,
    peak: Peak | None,
    threads: int,
    reporter: Reporter,
) -> Comparison:
    """Check all contestants on a problem and take the rounds; without a ``peak`` nothing is said of one."""
    entries = check(problem, team, folder, reporter)
    taken = time_rounds(entries, effort, peak, threads, reporter)
    measured = tuple(entry.measurement() for entry in entries)
    given = problem.name, problem.flops, tuple(taken), measured, dict(problem.models)
    return Comparison(*given, problem.batch, dtype_of(problem))


def dtype_of(problem: Problem) -> str:
    """Return the type of a problem's operations, "float32" or "int8"."""
    return "int8" if problem.quantized else "float32"


def check(problem: Problem, team: Mapping[str, Worker], folder: Path, reporter: Reporter) -> list[Entry]:
    """Have every contestant prepare the problem and answer it; those that fail carry the reason.

    ``team`` has them by name; the problem reaches them through a file in ``folder``. BenchmarkError if that
    cannot be written.
    """
    # Computed here once, and sent with the problem.
    _ = problem.references
    path = folder / "problem"
    try:
        with path.open("wb") as file:
            pickle.dump(problem, file)
    except OSError as error:
        raise BenchmarkError(
            f"'{problem.name}' cannot be written to {folder} ({error}); set TMPDIR"
        ) from None
    entries = []
    for name, worker in team.items():
        reporter.say(f"{problem.name}: checking {name}")
        try:
            found, seconds = worker.ask("preparing", "prepare", path)
        except Failure as failure:
            found, seconds = Measurement(name, refused=str(failure)), 0.0
        entries.append(Entry(worker, found, seconds))
        reporter.step()
    path.unlink()
    return entries


def time_rounds(
    entries: Sequence[Entry], effort: Effort, peak: Peak | None, threads: int, reporter: Reporter
) -> list[float]:
    """Take the rounds: fill the entries' seconds and return the peaks of all threads, none where the peak
    cannot be measured."""
    ready = [entry for entry in entries if entry.found.refused is None]
    peaks = []
    for number in range(effort.rounds):
        reporter.say(f"round {number + 1} of {effort.rounds}", still=True)
        peaks.append(None if peak is None else peak.measure())
        first = number % max(len(ready), 1)
        for entry in ready[first:] + ready[:first]:
            try:
                _take_turn(entry, number, effort, ready)
            except Failure as failure:
                entry.fail(failure)
        ready = [entry for entry in ready if entry.found.refused is None]
        reporter.step()
    for entry in ready:
        with suppress(Failure):  # its rounds stand, with the facts of before
            entry.found = replace(entry.found, facts=entry.worker.ask("telling facts", "facts"))
    known = [threads * each for each in peaks if each is not None]
    return known if len(known) == len(peaks) else []


def _take_turn(entry: Entry, number: int, effort: Effort, ready: Sequence[Entry]) -> None:
    """Time an entry in a round."""
    fastest = min(other.call_seconds for other in ready)
    if entry.call_seconds <= max(SLOW_SECONDS, SLOW_FACTOR * fastest):
        entry.seconds.append(_block(entry, effort))
    elif number == 0:
        entry.call_seconds = entry.worker.ask("timing", "seconds_per_call", 1)
        entry.seconds.append(entry.call_seconds)
    else:
        entry.slow = True
        entry.seconds.append(None)


def _block(entry: Entry, effort: Effort) -> float:
    """Return seconds per call of this round, from the least disturbed of a few attempts."""
    calls = calls_within(effort.block_seconds, entry.call_seconds, effort.least_calls)
    seconds, least_waiting = math.inf, math.inf
    for _ in range(ATTEMPTS):
        result, share = entry.worker.ask("timing", "block", calls)
        if share < least_waiting:
            seconds, least_waiting = result, share
        if share <= QUIET_SHARE:
            return seconds
    entry.disturbed += 1
    return seconds
