"""How long a call takes: the one loop by which layers, networks, algorithms and contestants are timed."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

SHORTEST_CALL = 1e-7
"""A call is taken to last so many seconds at least, where the clock shows less."""


@dataclass(frozen=True)
class Timing:
    """Seconds per call: the median and the best of several batches, and those of each."""

    median: float
    best: float
    batches: tuple[float, ...] = ()

    def percentile(self, percent: float) -> float:
        """Return the seconds within which so many percent of the batches stayed."""
        return float(np.percentile(self.batches, percent))


def time_calls(
    call: Callable[[], object],
    batches: int,
    batch_seconds: float,
    untimed: int = 1,
    total_seconds: float | None = None,
) -> Timing:
    """Time batches of calls that take at least about ``batch_seconds`` each, after ``untimed`` calls; with
    ``total_seconds`` as many batches as fill these."""
    for _ in range(untimed):
        call()
    calls = calls_within(batch_seconds, seconds_per_call(call, 1))
    seconds, start = [seconds_per_call(call, calls)], time.perf_counter()
    while len(seconds) < batches if total_seconds is None else time.perf_counter() - start < total_seconds:
        seconds.append(seconds_per_call(call, calls))
    return Timing(statistics.median(seconds), min(seconds), tuple(seconds))


def seconds_per_call(call: Callable[[], object], calls: int) -> float:
    """Return the mean seconds of so many calls, one after the other."""
    start = time.perf_counter()
    for _ in range(calls):
        call()
    return (time.perf_counter() - start) / calls


def trips_within(seconds: float, taken: Callable[[int], float]) -> int:
    """Return how many trips round a loop fill ``seconds``, by ``taken``, the seconds of so many."""
    trips = 1
    while (some := taken(trips)) < seconds:
        trips *= 2
    return max(1, round(trips * seconds / some))


def calls_within(seconds: float, call_seconds: float, least: int = 1) -> int:
    """Return how many calls of ``call_seconds`` fill ``seconds``, but at least ``least``."""
    return max(math.ceil(seconds / max(call_seconds, SHORTEST_CALL)), least)
