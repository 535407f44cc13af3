"""The results of benchmarks as their users have them: figures that show and store themselves."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from tvm_directconv.errors import BenchmarkError
from tvm_directconv.files import write_atomically
from tvm_directconv.text import Tabular, TextTable

from . import plots, selection, tables
from .figures import Comparison, Figures, Measurement

AnyResult = TypeVar("AnyResult", bound="Result")


@dataclass(frozen=True)
class Result(Figures, Tabular, ABC):
    """What layer and network results share: they can be shown, written as JSON and read again."""

    @abstractmethod
    def plot(self, path: str | Path) -> None: ...

    @abstractmethod
    def table(self) -> TextTable:
        """Return the figures for people."""

    def rows(self) -> list[dict[str, Any]]:
        """Return each contestant's seconds on each problem, its error, and why it was refused."""
        return [
            {
                "problem": comparison.problem,
                "contestant": measurement.contestant,
                "median_seconds": measurement.median_seconds,
                "least_seconds": min(measurement.timed, default=None),
                "error": measurement.error,
                "refused": measurement.refused,
            }
            for comparison in self.comparisons
            for measurement in comparison.measurements
        ]

    def details(self) -> TextTable:
        """Return more figures than ``table``, where there are more."""
        return self.table()

    def to_json(self, path: str | Path | None = None) -> str:
        """Return raw rounds and derived figures as JSON text, also written to ``path`` if given."""
        record = {"kind": type(self).__name__, **asdict(self), "summary": self._summary()}
        text = json.dumps(record, indent=1)
        if path is not None:
            write_atomically(Path(path), text.encode())
        return text

    @classmethod
    def from_json(cls, text: str) -> Result:
        """Return the result that ``to_json`` wrote; BenchmarkError if the text is something else."""
        try:
            record = json.loads(text)
            kinds = {kind.__name__: kind for kind in Result.__subclasses__()}
            kind = kinds[record.pop("kind")]
            record.pop("summary")
            record["cpus"] = tuple(record["cpus"])
            record["comparisons"] = tuple(_comparison(item) for item in record["comparisons"])
            result = kind(**record)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise BenchmarkError(f"not a benchmark result ({type(error).__name__}: {error})") from None
        if not isinstance(result, cls):
            raise BenchmarkError(f"the text is a {kind.__name__}, not a {cls.__name__}")
        return result

    def _summary(self) -> dict[str, Any]:
        return {comparison.problem: comparison.summary(self.subject) for comparison in self.comparisons}


@dataclass(frozen=True)
class LayerResult(Result):
    """Single convolutions, one comparison each."""

    def table(self) -> TextTable:
        """Return one row per layer, then geometric means per network and over all; where single algorithms
        took part, also which one was chosen and how well."""
        judged = selection.algorithms_in(self)
        return tables.algorithm_table(self) if judged else tables.layer_table(self)

    def plot(self, path: str | Path) -> None:
        """Draw percent of peak per layer and contestant, as the image type that ``path`` ends in."""
        plots.plot_layers(self, Path(path))

    def _summary(self) -> dict[str, Any]:
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
    """Whole networks; ``bench_network`` gives one, ``bench_networks`` several."""

    def table(self) -> TextTable:
        """Return one row per network with a column for each contestant; of one network a row for each."""
        return tables.network_table(self)

    def details(self) -> TextTable:
        """Return one row per network and contestant."""
        return tables.contestant_table(self)

    def plot(self, path: str | Path) -> None:
        """Draw milliseconds per network and contestant, as the image type that ``path`` ends in."""
        plots.plot_networks(self, Path(path))

    def _summary(self) -> dict[str, Any]:
        return {**super()._summary(), "geometric means": tables.geometric_means(self)}


def merge(results: Sequence[AnyResult]) -> AnyResult:
    """Return results of one setting as one; BenchmarkError if there are none or the settings differ."""
    if not results:
        raise BenchmarkError("no results to merge")
    first = results[0]
    if any((r.target, r.threads) != (first.target, first.threads) for r in results):
        raise BenchmarkError("results of different targets or numbers of threads cannot be merged")
    return replace(first, comparisons=tuple(c for result in results for c in result.comparisons))


def _comparison(record: dict[str, Any]) -> Comparison:
    measurements = tuple(
        Measurement(**{**item, "seconds": tuple(item["seconds"])}) for item in record["measurements"]
    )
    return Comparison(**{**record, "peaks": tuple(record["peaks"]), "measurements": measurements})
