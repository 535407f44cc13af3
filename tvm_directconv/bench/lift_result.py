"""What ``bench_lift`` found: time and memory of each contestant, and lift's share of im2col's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

from tvm_directconv.runtime.words import target_label
from tvm_directconv.text import TextTable, counted

from . import plots, tables
from .contestants.device import BASELINES, LIFT
from .contestants.device.base import BYTES_OF, EVERYTHING, SECONDS_OF, WORKSPACE
from .figures import Comparison, Measurement, mean_of_known
from .results import Result

DEVICE = "device"
"""The entry of the host's description that names the device."""
MEANT = (
    "time: sum of the kernels' by the device's clock unless a line below says otherwise; medians over rounds",
    "workspace: memory beside data, filter and output; means are of layers where both have some",
    "all memory: workspace with data, filter and output",
)
MIB = 1 << 20
OfLayer: TypeAlias = Callable[[Comparison, str], "float | None"]
"""Lift's share of what a contestant takes on a layer."""


@dataclass(frozen=True)
class LiftResult(Result):
    """Single convolutions on a GPU, one comparison each."""

    subject: ClassVar[str] = LIFT

    @property
    def setting(self) -> str:
        """The device, the host with the threads that PoCL has of it, and what is unusual of the layers."""
        host = f"host: {self.host['processor']}, {counted(self.threads, 'thread')}"
        parts = [str(self.host[DEVICE]), host, "float32"]
        return ", ".join([*parts, *([f"layers {self.host['layers']}"] if "layers" in self.host else [])])

    def table(self) -> TextTable:
        """Return milliseconds and GFLOPS, workspace, and all memory, per layer and contestant, and what of
        each lift takes, in the geometric mean."""
        names = self.contestants
        table = TextTable(self.setting, ("layer", *names), ("layer",), "")
        sections: tuple[tuple[str, Callable[[Comparison, str], str], OfLayer], ...] = (
            ("ms (GFLOPS)", _time, _time_ratio),
            ("workspace, MiB", partial(_bytes, WORKSPACE), partial(_fact_ratio, WORKSPACE)),
            ("all memory, MiB", partial(_bytes, EVERYTHING), partial(_fact_ratio, EVERYTHING)),
        )
        for number, (heading, shown, ratio) in enumerate(sections):
            if number:
                table.add_section()
            table.add_row(heading, style="bold")
            for comparison in self.comparisons:
                cells = [shown(comparison, name) for name in names]
                table.add_row(tables.layer_label(comparison.problem), *cells)
            means = [mean_of_known(ratio(c, name) for c in self.comparisons) for name in names]
            cells = [
                "" if mean is None or name == LIFT else f"{mean:.2f}"
                for name, mean in zip(names, means, strict=True)
            ]
            table.add_row(f"mean, {LIFT} / theirs", *cells, style="bold")
        table.caption = "\n".join([*self.summary_lines(), *self._remarks(MEANT)])
        return table

    def details(self) -> TextTable:
        """Return one row per layer and contestant, with what each of its kernels took, and lift's points."""
        columns = (
            "layer",
            "contestant",
            "ms",
            "best ms",
            "GFLOPS",
            "kernels, ms",
            "left for the next, bytes",
            "error",
        )
        left = ("layer", "contestant", "kernels, ms", "left for the next, bytes")
        table, points = TextTable(self.setting, columns, left, ""), []
        for comparison in self.comparisons:
            label = tables.layer_label(comparison.problem)
            for measurement in comparison.measurements:
                table.add_row(label, measurement.contestant, *_detail_cells(comparison, measurement))
                if "point" in measurement.facts:
                    points.append(f"{label}, {measurement.contestant}: {measurement.facts['point']}")
                label = ""
            table.add_section()
        kernels = "a kernel's time is the least mean of a round"
        table.caption = "\n".join([*self.summary_lines(), *self._remarks((*MEANT, kernels)), *points])
        return table

    def plot(self, path: str | Path) -> None:
        """Draw GFLOPS per layer and contestant, as the image type that ``path`` ends in."""
        plots.plot_layers(self, Path(path))

    def summary(self) -> dict[str, float]:
        """Return lift's geometric means over the best im2col of each layer: of time, of workspace, and of all
        memory; only those that could be had."""
        ratios: dict[str, OfLayer] = {
            "time": _time_ratio,
            "workspace": partial(_fact_ratio, WORKSPACE),
            "all memory": partial(_fact_ratio, EVERYTHING),
        }
        fastest = [(c, best) for c in self.comparisons if c.of(LIFT).timed and (best := c.fastest(BASELINES))]
        means = {name: mean_of_known(ratio(*each) for each in fastest) for name, ratio in ratios.items()}
        return {name: mean for name, mean in means.items() if mean is not None}

    def summary_lines(self) -> list[str]:
        """Return ``summary`` in words."""
        lines = []
        for name, ratio in self.summary().items():
            less = "" if name == "time" or not ratio else f", {1 / ratio:.2f} times less"
            lines.append(f"{LIFT}'s {name} over the fastest im2col's: {ratio:.2f} (geometric mean){less}")
        return lines

    def _remarks(self, meant: tuple[str, ...]) -> list[str]:
        return [f"target {target_label(self.target)}", *meant, *tables.remarks(self)]

    def _summary(self) -> dict[str, Any]:
        return {"layers": super()._summary(), f"{LIFT} over the fastest im2col": self.summary()}


def _fact(comparison: Comparison, name: str, fact: str) -> float | None:
    found = comparison.of(name)
    return float(found.facts[fact]) if found.timed and fact in found.facts else None


def _fact_ratio(fact: str, comparison: Comparison, name: str) -> float | None:
    """Lift's over another's; none where either has nothing: one 0 would make the mean 0."""
    mine, theirs = _fact(comparison, LIFT, fact), _fact(comparison, name, fact)
    return mine / theirs if mine and theirs else None


def _time_ratio(comparison: Comparison, name: str) -> float | None:
    return comparison.time_ratio(LIFT, name)


def _time(comparison: Comparison, name: str) -> str:
    seconds = comparison.of(name).median_seconds
    if seconds is None:
        return tables.in_short(comparison.of(name).refused or "")
    return f"{tables.three_digits(seconds, 1e3)} ({comparison.flops / seconds / 1e9:.3g})"


def _bytes(fact: str, comparison: Comparison, name: str) -> str:
    size = _fact(comparison, name, fact)
    return "-" if size is None else f"{size / MIB:.2f}"


def _detail_cells(comparison: Comparison, measurement: Measurement) -> list[str]:
    name, facts = measurement.contestant, measurement.facts
    if measurement.median_seconds is None or measurement.best_seconds is None:
        return [tables.in_short(measurement.refused or "")]
    times = [
        f"{fact.removeprefix(SECONDS_OF)} {tables.three_digits(float(value), 1e3)}"
        for fact, value in facts.items()
        if fact.startswith(SECONDS_OF)
    ]
    sizes = [
        f"{fact.removeprefix(BYTES_OF)} {value}"
        for fact, value in facts.items()
        if fact.startswith(BYTES_OF) and value
    ]
    seconds = measurement.median_seconds, measurement.best_seconds
    return [
        *(tables.three_digits(each, 1e3) for each in seconds),
        f"{comparison.gflops(name):.3g}",
        ", ".join(times),
        ", ".join(sizes),
        tables.error_label(measurement),
    ]
