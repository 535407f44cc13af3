"""What a benchmark found, as plain data: the peak and every contestant's time in each round.

Everything reported is derived here from those rounds: medians, best, GFLOPS, percent of the peak
and ratios of times taken in the same round, which a busy neighbour spoils least.
"""

from __future__ import annotations

import json
import math
import os
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tvm_directconv.errors import BenchmarkError
from tvm_directconv.problem.workload import Conv2dWorkload

if TYPE_CHECKING:
    from rich.table import Table

SUBJECT = "ours"


@dataclass(frozen=True)
class Measurement:
    """One contestant on one problem.

    ``seconds`` holds a time per call for each round, None for a round it sat out. ``refused`` says
    why there are none: absent, unable, or wrong. ``error`` is its largest deviation over the
    largest reference value. ``preparation_seconds`` is compiling or loading, up to the first
    answer. ``note`` is anything the reader of the time must know.
    """

    contestant: str
    seconds: tuple[float | None, ...] = ()
    refused: str | None = None
    error: float | None = None
    preparation_seconds: float | None = None
    note: str = ""
    facts: dict[str, str | int | float] = field(default_factory=dict)

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

    ``flops`` counts the operations of the convolutions, in 8 bits those of integers. ``peaks`` is the peak of
    multiply-adds of each round in GFLOPS, or GOPS: one core's times the threads.

    ``problem`` is a workload descriptor or a network's name; ``models`` says how often each network
    has the layer.
    """

    problem: str
    flops: int
    peaks: tuple[float, ...]
    measurements: tuple[Measurement, ...]
    models: dict[str, int] = field(default_factory=dict)

    @property
    def contestants(self) -> list[str]:
        return [measurement.contestant for measurement in self.measurements]

    def __getitem__(self, contestant: str) -> Measurement:
        for measurement in self.measurements:
            if measurement.contestant == contestant:
                return measurement
        names = ", ".join(self.contestants)
        raise KeyError(f"no contestant '{contestant}' on {self.problem}; there are {names}")

    def gflops(self, contestant: str) -> float | None:
        """At the median time."""
        median = self[contestant].median_seconds
        return self.flops / median / 1e9 if median else None

    def best_gflops(self, contestant: str) -> float | None:
        best = self[contestant].best_seconds
        return self.flops / best / 1e9 if best else None

    def percent_of_peak(self, contestant: str) -> float | None:
        """Median over rounds of the speed as a share of the FMA peak taken in that round."""
        shares = [
            100 * self.flops / seconds / 1e9 / peak
            for seconds, peak in zip(self[contestant].seconds, self.peaks, strict=False)
            if seconds is not None
        ]
        return statistics.median(shares) if shares else None

    def time_ratio(self, contestant: str, peer: str) -> float | None:
        """Median over rounds of ``contestant``'s time over ``peer``'s; below 1 is faster."""
        ratios = [
            mine / theirs
            for mine, theirs in zip(self[contestant].seconds, self[peer].seconds, strict=False)
            if mine is not None and theirs is not None
        ]
        return statistics.median(ratios) if ratios else None

    def summary(self) -> dict[str, dict[str, float | None]]:
        """The derived figures by contestant."""
        names = self.contestants
        return {
            name: {
                "median_seconds": self[name].median_seconds,
                "best_seconds": self[name].best_seconds,
                "gflops": self.gflops(name),
                "percent_of_peak": self.percent_of_peak(name),
                "our_time_ratio": self.time_ratio(SUBJECT, name) if SUBJECT in names else None,
            }
            for name in names
        }


@dataclass(frozen=True)
class Result:
    """What layer and network results share: where and how they were taken."""

    target: str
    threads: int
    cpus: tuple[int, ...]
    peak_instruction: str
    host: dict[str, str | float]
    comparisons: tuple[Comparison, ...]

    @property
    def contestants(self) -> list[str]:
        return list(dict.fromkeys(name for c in self.comparisons for name in c.contestants))

    def to_json(self, path: str | Path | None = None) -> str:
        """Raw rounds and derived figures as JSON text, also written to ``path`` if given."""
        record: dict[str, Any] = {
            "kind": type(self).__name__,
            **asdict(self),
            "summary": self._summary(),
        }
        text = json.dumps(record, indent=1)
        if path is not None:
            write_atomically(Path(path), text)
        return text

    @classmethod
    def from_json(cls, text: str) -> Result:
        """The result that ``to_json`` wrote; BenchmarkError if the text is something else."""
        try:
            record = json.loads(text)
            kinds = {kind.__name__: kind for kind in (LayerResult, NetworkResult)}
            kind = kinds[record.pop("kind")]
            record.pop("summary")
            record["cpus"] = tuple(record["cpus"])
            record["comparisons"] = tuple(_comparison(item) for item in record["comparisons"])
            result = kind(**record)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise BenchmarkError(f"not a benchmark result ({type(error).__name__}: {error})") from None
        if not isinstance(result, cls):
            raise BenchmarkError(f"the text is a {kind.__name__}, not a {cls.__name__}")
        return result

    def _summary(self) -> dict[str, Any]:
        return {comparison.problem: comparison.summary() for comparison in self.comparisons}


@dataclass(frozen=True)
class LayerResult(Result):
    """Single convolutions, one comparison each."""

    def geomean(
        self, contestant: str, select: Callable[[Conv2dWorkload], bool] = lambda workload: True
    ) -> tuple[float, float] | None:
        """Geometric means of GFLOPS and percent of peak, over selected layers it was timed on."""
        chosen = [
            comparison
            for comparison in self.comparisons
            if contestant in comparison.contestants
            and comparison[contestant].timed
            and select(Conv2dWorkload.parse(comparison.problem))
        ]
        if not chosen:
            return None
        return (
            geometric_mean(c.gflops(contestant) or 0.0 for c in chosen),
            geometric_mean(c.percent_of_peak(contestant) or 0.0 for c in chosen),
        )

    def of_model(self, model: str) -> LayerResult:
        """The same result with the layers of one network only."""
        chosen = tuple(c for c in self.comparisons if model in c.models)
        return LayerResult(self.target, self.threads, self.cpus, self.peak_instruction, self.host, chosen)

    @property
    def models(self) -> list[str]:
        return list(dict.fromkeys(model for c in self.comparisons for model in c.models))

    def table(self) -> Table:
        """One row per layer, then geometric means per network and over all; where single algorithms took
        part, also which one was chosen and how well."""
        from .selection import algorithms_in
        from .tables import algorithm_table, layer_table

        return algorithm_table(self) if algorithms_in(self) else layer_table(self)

    def plot(self, path: str | Path) -> None:
        """Percent of peak per layer and contestant, as the image type that ``path`` ends in."""
        from .plots import plot_layers

        plot_layers(self, Path(path))

    def _summary(self) -> dict[str, Any]:
        from . import selection

        groups = {"all": self, **{model: self.of_model(model) for model in self.models}}
        means = {
            name: {contestant: group.geomean(contestant) for contestant in self.contestants}
            for name, group in groups.items()
        }
        figures = {
            "layers": super()._summary(),
            "geometric means of GFLOPS and percent of peak": means,
        }
        return figures | ({"algorithms": selection.summary(self)} if selection.algorithms_in(self) else {})


@dataclass(frozen=True)
class NetworkResult(Result):
    """Whole networks; ``bench_network`` gives one, ``merge`` puts several into one table."""

    def table(self) -> Table:
        """One row per network and contestant."""
        from .tables import network_table

        return network_table(self)

    def plot(self, path: str | Path) -> None:
        """Milliseconds per network and contestant, as the image type that ``path`` ends in."""
        from .plots import plot_networks

        plot_networks(self, Path(path))


def merge(results: Sequence[NetworkResult]) -> NetworkResult:
    """Results of one setting as one; BenchmarkError if there are none or the settings differ."""
    if not results:
        raise BenchmarkError("no results to merge")
    first = results[0]
    if any((r.target, r.threads) != (first.target, first.threads) for r in results):
        raise BenchmarkError("results of different targets or thread counts cannot share a table")
    comparisons = tuple(comparison for result in results for comparison in result.comparisons)
    return NetworkResult(
        first.target, first.threads, first.cpus, first.peak_instruction, first.host, comparisons
    )


def geometric_mean(values: Iterable[float]) -> float:
    """Geometric mean; 0 if any value is."""
    collected = list(values)
    if min(collected) <= 0:
        return 0.0
    return math.exp(sum(math.log(value) for value in collected) / len(collected))


def write_atomically(path: Path, text: str) -> None:
    """Write beside the file, then rename over it: a reader sees the old text or the new one."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_text(text)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _comparison(record: dict[str, Any]) -> Comparison:
    measurements = tuple(
        Measurement(**{**item, "seconds": tuple(item["seconds"])}) for item in record["measurements"]
    )
    return Comparison(**{**record, "peaks": tuple(record["peaks"]), "measurements": measurements})
