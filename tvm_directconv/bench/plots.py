"""Benchmark results as pictures; matplotlib is imported only when one is asked for.

Dot plots: one row per layer or network, one mark per contestant, best read from the right edge.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..errors import BenchmarkError
from .results import LayerResult, NetworkResult, Result
from .tables import layer_label

ROW_INCHES = 0.28
MARKERS = "osD^vPX*"


def plot_layers(result: LayerResult, path: Path) -> None:
    """Percent of the FMA peak per layer and contestant."""
    labels = [layer_label(comparison.problem) for comparison in result.comparisons]
    marks = {
        name: [comparison.percent_of_peak(name) for comparison in result.comparisons]
        for name in result.contestants
    }
    figure, axes = _dot_plot(labels, marks)
    axes.axvline(100, color="black", linewidth=0.8, linestyle=":")
    axes.set_xlim(left=0)
    axes.set_xlabel("% of FMA peak")
    _finish(figure, axes, result, path)


def plot_networks(result: NetworkResult, path: Path) -> None:
    """Median milliseconds per network and contestant, on a logarithmic axis."""
    labels = [comparison.problem for comparison in result.comparisons]
    medians = {
        name: [comparison[name].median_seconds for comparison in result.comparisons]
        for name in result.contestants
    }
    marks = {
        name: [None if seconds is None else 1e3 * seconds for seconds in row] for name, row in medians.items()
    }
    figure, axes = _dot_plot(labels, marks)
    shown = [value for row in marks.values() for value in row if value is not None]
    axes.set_xscale("log")
    if shown:
        # Never so narrow that noise looks like a difference.
        low, high = min(shown) / 2, max(shown) * 2
        axes.set_xlim(low, high)
        axes.xaxis.set_major_formatter("{x:g}")
        axes.xaxis.set_minor_formatter("{x:g}" if high < 20 * low else "")
    axes.set_xlabel("ms per call")
    _finish(figure, axes, result, path)


def _dot_plot(labels: list[str], marks: dict[str, list[float | None]]) -> tuple[Any, Any]:
    try:
        # The object interface leaves pyplot's backend, and a notebook's, alone.
        from matplotlib.figure import Figure
    except ImportError as error:
        raise BenchmarkError(f"plots need matplotlib ({error}): pip install matplotlib") from None
    size = (8.0, 1.8 + ROW_INCHES * max(len(labels), 2))
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.add_subplot()
    for (name, values), marker in zip(marks.items(), MARKERS * len(marks), strict=False):
        points = [(value, row) for row, value in enumerate(values) if value is not None]
        places, rows = [value for value, _ in points], [row for _, row in points]
        axes.plot(places, rows, marker, label=name, alpha=0.8)
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.grid(axis="both", linewidth=0.3)
    return figure, axes


def _finish(figure: Any, axes: Any, result: Result, path: Path) -> None:
    threads = "1 thread" if result.threads == 1 else f"{result.threads} threads"
    axes.set_title(f"{result.host['processor']}, {threads}")
    figure.legend(loc="outside lower center", ncols=4, fontsize="small", frameon=False)
    try:
        figure.savefig(path, dpi=120)
    except ValueError as error:
        raise BenchmarkError(f"{path}: {error}") from None
