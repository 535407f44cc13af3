"""Benchmark results as pictures; matplotlib is imported only when one is asked for.

Rows are layers or networks: one mark per contestant, or a bar of its parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tvm_directconv.errors import BenchmarkError

from .figures import Figures
from .tables import layer_label

if TYPE_CHECKING:
    from tvm_directconv.measure.profiling import Breakdown

    from .pareto import ParetoReport

ROW_INCHES = 0.28
MARKERS = "osD^vPX*"


def plot_layers(result: Figures, path: Path) -> None:
    """Draw percent of the peak of multiply-adds per layer and contestant."""
    labels = [layer_label(comparison.problem) for comparison in result.comparisons]
    marks = {
        name: [comparison.percent_of_peak(name) for comparison in result.comparisons]
        for name in result.contestants
    }
    figure, axes = _dot_plot(labels, marks)
    axes.axvline(100, color="black", linewidth=0.8, linestyle=":")
    axes.set_xlim(left=0)
    axes.set_xlabel(f"% of the peak of multiply-adds ({result.peak_instruction})")
    _finish(figure, axes, result, path)


def plot_networks(result: Figures, path: Path) -> None:
    """Draw median milliseconds per network and contestant, on a logarithmic axis."""
    labels = [comparison.problem for comparison in result.comparisons]
    medians = {
        name: [
            comparison[name].median_seconds if name in comparison.contestants else None
            for comparison in result.comparisons
        ]
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


def plot_breakdown(parts: Sequence[Breakdown], path: Path) -> None:
    """Draw a stacked bar per layer and algorithm: shares of packing, micro-kernels and the rest."""
    size = (8.0, 1.8 + ROW_INCHES * max(len(parts), 2))
    figure, axes = _figure(size)
    left = [0.0] * len(parts)
    for name, label in (("packing", "packing"), ("microkernel", "micro-kernel"), ("other", "other")):
        widths = [100 * part.shares[name] for part in parts]
        axes.barh(range(len(parts)), widths, left=left, label=label)
        left = [start + width for start, width in zip(left, widths, strict=True)]
    labels = [f"{layer_label(str(part.workload))}  {part.algorithm}" for part in parts]
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.set_xlim(0, 100)
    axes.set_xlabel("% of time")
    _save(figure, path)


def plot_pareto(report: ParetoReport, path: Path) -> None:
    """Draw time over the layer's best against workspace: marks per layer and algorithm, filled if optimal."""
    figure, axes = _figure((8.0, 5.0))
    names = list(dict.fromkeys(point.algorithm for layer in report.layers for point in layer.points))
    for number, name in enumerate(names):
        for optimal in (True, False):
            points = [
                (point.workspace_bytes / 1024, point.time / min(p.time for p in layer.points))
                for layer in report.layers
                for point in layer.points
                if (point.algorithm, point.optimal) == (name, optimal)
            ]
            if not points:
                continue
            axes.plot(
                [workspace for workspace, _ in points],
                [time for _, time in points],
                MARKERS[number % len(MARKERS)],
                color=f"C{number}",
                fillstyle="full" if optimal else "none",
                label=f"{name}, optimal" if optimal else name,
            )
    # Zero workspace has a place, too.
    axes.set_xscale("symlog", linthresh=1)
    axes.set_xlim(left=-0.2)
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter("{x:g}")
    axes.set_xlabel("workspace, KiB")
    axes.set_ylabel(f"{'time' if report.unit == 'seconds' else 'estimated cycles'} / layer's best")
    axes.grid(linewidth=0.3)
    _save(figure, path)


def _dot_plot(labels: list[str], marks: dict[str, list[float | None]]) -> tuple[Any, Any]:
    figure, axes = _figure((8.0, 1.8 + ROW_INCHES * max(len(labels), 2)))
    for (name, values), marker in zip(marks.items(), MARKERS * len(marks), strict=False):
        points = [(value, row) for row, value in enumerate(values) if value is not None]
        places, rows = [value for value, _ in points], [row for _, row in points]
        axes.plot(places, rows, marker, label=name, alpha=0.8)
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.grid(axis="both", linewidth=0.3)
    return figure, axes


def _figure(inches: tuple[float, float]) -> tuple[Any, Any]:
    try:
        # The object interface leaves pyplot's backend, and a notebook's, alone.
        from matplotlib.figure import Figure
    except ImportError as error:
        raise BenchmarkError(f"plots need matplotlib ({error}): pip install matplotlib") from None
    figure = Figure(figsize=inches, layout="constrained")
    return figure, figure.add_subplot()


def _finish(figure: Any, axes: Any, result: Figures, path: Path) -> None:
    axes.set_title(result.setting)
    _save(figure, path)


def _save(figure: Any, path: Path) -> None:
    figure.legend(loc="outside lower center", ncols=4, fontsize="small", frameon=False)
    try:
        figure.savefig(path, dpi=120)
    except ValueError as error:
        raise BenchmarkError(f"{path}: {error}") from None
