"""What a benchmark found, as plain data: the peak and every contestant's time in each round.

Everything reported is derived here from those rounds: medians, best, GFLOPS, percent of the peak
and ratios of times taken in the same round, which a busy neighbour spoils least. Tables and plots read it;
results.py gives it to users with methods that show it.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import ClassVar, TypeVar

from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.text import counted

SUBJECT = "ours"
"""This is the contestant that all others are compared with."""

AnyFigures = TypeVar("AnyFigures", bound="Figures")


@dataclass(frozen=True)
class Measurement:
    """One contestant on one problem.

    ``seconds`` holds a time per call for each round, None for a round it sat out. ``refused`` says
    why there are none: absent, unable, or wrong. ``error`` is its largest deviation over the
    largest reference value. ``preparation_seconds`` is compiling or loading, up to the first
    answer, and ``memory_bytes`` the most memory held up to there, beyond the process and its libraries.
    ``note`` is anything the reader of the time must know.
    """

    contestant: str
    seconds: tuple[float | None, ...] = ()
    refused: str | None = None
    error: float | None = None
    preparation_seconds: float | None = None
    note: str = ""
    facts: dict[str, str | int | float] = field(default_factory=dict)
    memory_bytes: int | None = None

    @property
    def timed(self) -> list[float]:
        return [seconds for seconds in self.seconds if seconds is not None]

    @property
    def median_seconds(self) -> float | None:
        return statistics.median(self.timed) if self.timed else None

    @property
    def best_seconds(self) -> float | None:
        return min(self.timed, default=None)


@dataclass(frozen=True)
class Comparison:
    """All contestants on one problem.

    ``problem`` is a workload descriptor or a network's name; ``models`` says how often each network
    has the layer. ``flops`` counts the operations of the convolutions and matrix products, in 8 bits those of
    integers.
    ``peaks`` is the peak of multiply-adds of each round in GFLOPS, or GOPS: one core's times the threads; it
    is empty where that could not be measured. ``batch`` is the number of images of a call, ``dtype`` the type
    of the operations, "float32" or "int8".
    """

    problem: str
    flops: int
    peaks: tuple[float, ...]
    measurements: tuple[Measurement, ...]
    models: dict[str, int] = field(default_factory=dict)
    batch: int = 1
    dtype: str = "float32"

    @property
    def contestants(self) -> list[str]:
        return [measurement.contestant for measurement in self.measurements]

    def __getitem__(self, contestant: str) -> Measurement:
        if contestant in self.contestants:
            return self.of(contestant)
        names = ", ".join(self.contestants)
        raise KeyError(f"no contestant '{contestant}' on {self.problem}; there are {names}")

    def of(self, contestant: str) -> Measurement:
        """Return a contestant's measurement, an empty one if it did not take part."""
        found = (m for m in self.measurements if m.contestant == contestant)
        return next(found, Measurement(contestant))

    def gflops(self, contestant: str) -> float | None:
        """Return the speed at the median time."""
        median = self.of(contestant).median_seconds
        return self.flops / median / 1e9 if median else None

    def best_gflops(self, contestant: str) -> float | None:
        """Return the speed at the best time."""
        best = self.of(contestant).best_seconds
        return self.flops / best / 1e9 if best else None

    def percents_of_peak(self, contestant: str) -> list[float]:
        """Return the speed in each round as a share of the FMA peak taken in that round."""
        return [
            100 * self.flops / seconds / 1e9 / peak
            for seconds, peak in zip(self.of(contestant).seconds, self.peaks, strict=False)
            if seconds is not None
        ]

    def percent_of_peak(self, contestant: str) -> float | None:
        """Return the median of ``percents_of_peak``."""
        shares = self.percents_of_peak(contestant)
        return statistics.median(shares) if shares else None

    def time_ratios(self, contestant: str, peer: str) -> list[float]:
        """Return ``contestant``'s time over ``peer``'s in each round both were in; below 1 is faster."""
        return [
            mine / theirs
            for mine, theirs in zip(self.of(contestant).seconds, self.of(peer).seconds, strict=False)
            if mine is not None and theirs is not None
        ]

    def time_ratio(self, contestant: str, peer: str) -> float | None:
        """Return the median of ``time_ratios``."""
        ratios = self.time_ratios(contestant, peer)
        return statistics.median(ratios) if ratios else None

    def summary(self, subject: str = SUBJECT) -> dict[str, dict[str, float | None]]:
        """Return the derived figures by contestant, one of them the time of ``subject`` over theirs."""
        return {
            name: {
                "median_seconds": self[name].median_seconds,
                "best_seconds": self[name].best_seconds,
                "gflops": self.gflops(name),
                "percent_of_peak": self.percent_of_peak(name),
                "our_time_ratio": self.time_ratio(subject, name),
                "memory_bytes": self[name].memory_bytes,
            }
            for name in self.contestants
        }

    def fastest(self, contestants: Iterable[str]) -> str | None:
        """Return the contestant of the least median time among these; None if none of them was timed."""
        times = {name: seconds for name in contestants if (seconds := self.of(name).median_seconds)}
        return min(times, key=times.__getitem__, default=None)

    def best_peer(self) -> str | None:
        """Return the contestant of the least median time that is none of ours; None where there is none."""
        return self.fastest(name for name in self.contestants if not _is_ours(name))

    def ratio_to_best(self) -> float | None:
        """Return the time of ours over the best peer's: the median over rounds; below 1 is faster."""
        peer = self.best_peer()
        return self.time_ratio(SUBJECT, peer) if peer else None


@dataclass(frozen=True)
class Figures:
    """The comparisons of one benchmark, and where and how they were taken. ``subject`` is the contestant of
    ours that they are about."""

    subject: ClassVar[str] = SUBJECT

    target: str
    threads: int
    cpus: tuple[int, ...]
    peak_instruction: str
    host: dict[str, str | float]
    comparisons: tuple[Comparison, ...]

    @property
    def contestants(self) -> list[str]:
        return list(dict.fromkeys(name for c in self.comparisons for name in c.contestants))

    @property
    def models(self) -> list[str]:
        return list(dict.fromkeys(model for c in self.comparisons for model in c.models))

    @property
    def setting(self) -> str:
        """The processor, the threads, the batch and the type: what holds for all comparisons."""
        batches = sorted({comparison.batch for comparison in self.comparisons})
        dtypes = sorted({comparison.dtype for comparison in self.comparisons})
        batch = f"batch {' and '.join(map(str, batches))}"
        return f"{self.host['processor']}, {counted(self.threads, 'thread')}, {batch}, {' and '.join(dtypes)}"

    def of_model(self: AnyFigures, *models: str) -> AnyFigures:
        """Return the same with the layers of these networks only."""
        chosen = tuple(c for c in self.comparisons if set(models) & set(c.models))
        return replace(self, comparisons=chosen)

    def geomean(
        self, contestant: str, select: Callable[[Conv2dWorkload], bool] = lambda workload: True
    ) -> tuple[float, float | None] | None:
        """Return geometric means of GFLOPS and percent of peak, over selected layers it was timed on; no
        percent where the peak was not measured."""
        chosen = [
            comparison
            for comparison in self.comparisons
            if comparison.of(contestant).timed and select(Conv2dWorkload.parse(comparison.problem))
        ]
        if not chosen:
            return None
        percents = [percent for c in chosen if (percent := c.percent_of_peak(contestant)) is not None]
        return (
            geometric_mean(c.gflops(contestant) or 0.0 for c in chosen),
            geometric_mean(percents) if len(percents) == len(chosen) else None,
        )


def _is_ours(contestant: str) -> bool:
    return contestant == SUBJECT or contestant.startswith(f"{SUBJECT}-")


def mean_of_known(values: Iterable[float | None]) -> float | None:
    """Return the geometric mean of the values that are known; None if none is."""
    known = [value for value in values if value is not None]
    return geometric_mean(known) if known else None


def geometric_mean(values: Iterable[float]) -> float:
    """Return the geometric mean; 0 if any value is."""
    collected = list(values)
    if min(collected) <= 0:
        return 0.0
    return math.exp(sum(math.log(value) for value in collected) / len(collected))
