"""Benchmark results as pictures; matplotlib is imported only when one is asked for.

A contestant has one colour and one marker in all of them. Marks are medians over rounds, whiskers reach from
the least to the largest round. A few layers are a row each; many are distributions, a panel per network.
"""

from __future__ import annotations

import io
import math
import statistics
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tvm_directconv.errors import BenchmarkError
from tvm_directconv.files import write_atomically
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.runtime.words import target_label
from tvm_directconv.targets.gpu import is_gpu_target
from tvm_directconv.targets.host import processor_name
from tvm_directconv.text import counted

from .figures import SUBJECT, Comparison, Figures, geometric_mean
from .tables import layer_label

if TYPE_CHECKING:
    from tvm_directconv.measure.profiling import Breakdown

    from .pareto import ParetoReport

STYLES: Mapping[str, tuple[str, str]] = {
    "ours": ("#d62728", "o"),
    "ours-f32": ("#f29c9c", "o"),
    "ours-tuned": ("#8c1515", "D"),
    "direct_nhwc": ("#1f77b4", "s"),
    "packed_nhwc": ("#17becf", "D"),
    "blocked": ("#2ca02c", "^"),
    "sconv": ("#9467bd", "v"),
    "im2col_gemm": ("#a6a61a", "P"),
    "onnxruntime": ("#ff7f0e", "s"),
    "pytorch": ("#2f4b9c", "^"),
    "pytorch-compile": ("#7a5195", "D"),
    "pytorch-directconv": ("#d62728", "^"),
    "onnxruntime-directconv": ("#d62728", "s"),
    "openvino": ("#5a3d34", "v"),
    "openvino-node": ("#a9745f", "^"),
    "onednn": ("#e377c2", "D"),
    "im2col+openblas": ("#7f7f7f", "X"),
    "im2col+onemkl": ("#bcbd22", "X"),
    "litert": ("#17becf", "P"),
    "tvm-default": ("#111111", "P"),
    "metaschedule": ("#393b79", "h"),
}
"""Colours and markers of contestants; others get those of ``SPARE`` in order."""
SPARE = tuple((colour, marker) for marker in "*<>pd" for colour in ("#008080", "#b8860b", "#4169e1"))

INCHES, DPI = 7.5, 120
"""Pictures are 900 pixels wide, which is what a page shows of them."""
ROW_INCHES, MARK_INCHES, LINE_INCHES = 0.13, 0.045, 0.19
PANEL_ROW_INCHES = 0.2
LEGEND_COLUMNS = 5
MOST_ROW_INCHES = 11.0
"""Layers that take more as rows are drawn as distributions."""
RIGHT_MARGIN = 1.04
SMALL, TITLE_COLUMNS = 8.0, 90
OTHERS = "other layers"
MARKS = "mark: median of the rounds; whisker: from the least to the largest"
LEAST_OF_BOX = 4
"""Fewer layers are points without quartiles."""

Spread = Sequence[float]
"""One value per round; empty where there was none."""


def plot_layers(result: Figures, path: Path) -> None:
    """Draw percent of the peak of multiply-adds (where it was not measured, GFLOPS) per layer and contestant,
    layers by network."""
    _require_comparisons(result)
    measured = all(comparison.peaks for comparison in result.comparisons)

    def spread(comparison: Comparison, name: str) -> Spread:
        if measured:
            return comparison.percents_of_peak(name)
        return [comparison.flops / seconds / 1e9 for seconds in comparison.of(name).timed]

    unit = f"% of the peak of multiply-adds ({result.peak_instruction})" if measured else "GFLOPS"
    inches = len(result.comparisons) * _row_height(len(result.contestants))
    draw = _layer_rows if inches <= MOST_ROW_INCHES else _distributions
    draw(result, spread, unit, 100.0 if measured else None, path)


def plot_networks(result: Figures, path: Path) -> None:
    """Draw the time of ours over each contestant's, round by round; without ours, or alone, milliseconds."""
    _require_comparisons(result)
    names = result.contestants
    peers = [name for name in names if name != SUBJECT]
    compared = any(c.of(SUBJECT).timed for c in result.comparisons) and bool(peers)

    def spread(comparison: Comparison, name: str) -> Spread:
        if compared:
            return comparison.time_ratios(SUBJECT, name)
        return [1e3 * seconds for seconds in comparison.of(name).timed]

    shown = peers if compared else names
    rows = [[spread(comparison, name) for name in shown] for comparison in result.comparisons]
    labels = [_network_label(comparison, compared) for comparison in result.comparisons]
    figure, axes = _rows(labels, shown, rows, 1.0 if compared else None)
    unit = "time of ours / time of the contestant in the same round (below 1, ours is faster)"
    axes.set_xlabel(f"{unit if compared else 'ms per call'}\n{MARKS}", loc="right")
    _finish(figure, result.setting, path)


def plot_breakdown(parts: Sequence[Breakdown], path: Path) -> None:
    """Draw a stacked bar per layer and algorithm: shares of packing, micro-kernels and the rest."""
    labels = [f"{layer_label(str(part.workload))}  {part.algorithm}" for part in parts]
    figure, axes = _row_axes(labels, 1.2 * LINE_INCHES)
    left = [0.0] * len(parts)
    shades = {"packing": "#bbbbbb", "microkernel": "#4c72b0", "other": "#dd8452"}
    for (name, colour), label in zip(shades.items(), ("packing", "micro-kernel", "other"), strict=True):
        widths = [100 * part.shares[name] for part in parts]
        axes.barh(range(len(parts)), widths, left=left, label=label, color=colour)
        left = [start + width for start, width in zip(left, widths, strict=True)]
    axes.set_xlim(0, 100)
    axes.set_xlabel("% of time")
    figure.legend(loc="outside lower center", ncols=3, frameon=False)
    _finish(figure, f"{processor_name()}, 1 thread, {_of(part.workload for part in parts)}", path)


def plot_pareto(report: ParetoReport, path: Path) -> None:
    """Draw time over the layer's best against workspace: marks per layer and algorithm, filled if optimal."""
    figure = _figure(INCHES, 4.5)
    axes = figure.add_subplot()
    names = list(dict.fromkeys(point.algorithm for layer in report.layers for point in layer.points))
    for name, (colour, marker) in styles(names).items():
        for optimal in (True, False):
            points = [
                (point.workspace_bytes / 1024, point.time / min(p.time for p in layer.points))
                for layer in report.layers
                for point in layer.points
                if (point.algorithm, point.optimal) == (name, optimal)
            ]
            axes.plot(
                [workspace for workspace, _ in points],
                [time for _, time in points],
                marker,
                color=colour,
                fillstyle="full" if optimal else "none",
                label=name if optimal else None,
            )
    # Zero workspace has a place, too.
    axes.set_xscale("symlog", linthresh=1)
    axes.set_xlim(left=-0.2)
    axes.set_xlabel("workspace, KiB")
    measured = report.unit == "seconds"
    axes.set_ylabel(f"{'time' if measured else 'estimated cycles'} / layer's best (filled: optimal)")
    axes.grid(linewidth=0.3)
    figure.legend(loc="outside lower center", ncols=5, frameon=False)
    here = target_label(report.target) if is_gpu_target(report.target) else processor_name()
    of = here if measured else f"estimated for {report.target}"
    _finish(figure, f"{of}, {_of(layer.workload for layer in report.layers)}", path)


def _require_comparisons(result: Figures) -> None:
    if not result.comparisons:
        raise BenchmarkError("the result does not contain comparisons to draw")


def styles(names: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Return the colour and marker of each contestant."""
    names = list(names)
    spare = iter(SPARE * len(names))
    return {name: STYLES.get(name) or next(spare) for name in names}


# ---- layers


def _layer_rows(
    result: Figures,
    spread: Callable[[Comparison, str], Spread],
    unit: str,
    line: float | None,
    path: Path,
) -> None:
    """Draw one row per layer, under the first network that has it."""
    groups: dict[str, list[Comparison]] = {}
    for comparison in result.comparisons:
        groups.setdefault(next(iter(comparison.models), OTHERS), []).append(comparison)
    labels: list[str] = []
    headings: list[int] = []
    rows: list[list[Spread]] = []
    for model, comparisons in groups.items():
        if len(groups) > 1:
            headings.append(len(labels))
            labels.append(model)
            rows.append([[] for _ in result.contestants])
        for comparison in comparisons:
            labels.append(layer_label(comparison.problem, types=False))
            rows.append([spread(comparison, name) for name in result.contestants])
    figure, axes = _rows(labels, result.contestants, rows, line)
    for at in headings:
        axes.get_yticklabels()[at].set_fontweight("bold")
    axes.set_xlabel(f"{unit}\n{MARKS}", loc="right")
    of = "" if len(groups) > 1 or OTHERS in groups else f"{next(iter(groups))}: "
    _finish(figure, of + result.setting, path)


def _distributions(
    result: Figures,
    spread: Callable[[Comparison, str], Spread],
    unit: str,
    line: float | None,
    path: Path,
) -> None:
    """Draw a panel per network: the layers of each contestant as points, their quartiles as a box."""
    models = {model: result.of_model(model).comparisons for model in result.models}
    others = tuple(comparison for comparison in result.comparisons if not comparison.models)
    panels = models | ({OTHERS: others} if others else {})
    names, looks = result.contestants, styles(result.contestants)
    columns = min(len(panels), 3 if len(panels) > 4 else 2)
    height = 0.75 + math.ceil(len(panels) / columns) * (0.4 + PANEL_ROW_INCHES * len(names))
    figure = _figure(INCHES, height)
    grid = figure.subplots(-(-len(panels) // columns), columns, sharex=True, sharey=True, squeeze=False)
    for number, (axes, (model, comparisons)) in enumerate(zip(grid.flat, panels.items(), strict=False)):
        for row, name in enumerate(names):
            spreads = [values for c in comparisons if (values := spread(c, name))]
            _distribution(axes, row, spreads, *looks[name])
        if line is not None:
            axes.axvline(line, color="black", linewidth=0.8, zorder=0)
        axes.set_title(f"{model}, {counted(len(comparisons), 'layer')}", fontsize=SMALL)
        axes.tick_params(labelsize=SMALL)
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="x", linewidth=0.3)
        # The last panel of a column shows the axis, also where the last line of panels is not full.
        axes.xaxis.set_tick_params(labelbottom=number + columns >= len(panels))
    for axes in grid.flat[len(panels) :]:
        axes.set_visible(False)
    grid[0][0].set_yticks(range(len(names)), names)
    grid[0][0].set_ylim(len(names) - 0.4, -0.6)
    said = "point: a layer; line: its rounds; box: quartiles of the layers; number: their geometric mean"
    figure.supxlabel(f"{unit}\n{said}", fontsize=SMALL)
    _finish(figure, result.setting, path)


def _distribution(axes: Any, row: int, spreads: Sequence[Spread], colour: str, marker: str) -> None:
    medians = [statistics.median(values) for values in spreads]
    mean = f"{geometric_mean(medians):.0f}" if medians else "-"
    beside = axes.get_yaxis_transform()
    axes.text(1.02, row, mean, transform=beside, fontsize=SMALL - 1, verticalalignment="center")
    # Spread over the row's height, evenly and the same way every time.
    places = [row + 0.6 * ((number * 0.618) % 1 - 0.5) for number in range(len(medians))]
    lows, highs = [min(values) for values in spreads], [max(values) for values in spreads]
    axes.hlines(places, lows, highs, color=colour, linewidth=0.6, alpha=0.35)
    axes.plot(medians, places, marker, color=colour, markersize=3, alpha=0.6, markeredgewidth=0)
    if len(medians) >= LEAST_OF_BOX:
        quartiles = statistics.quantiles(medians, method="inclusive")
        axes.broken_barh(
            [(quartiles[0], quartiles[2] - quartiles[0])],
            (row - 0.38, 0.76),
            facecolor="none",
            edgecolor="black",
            linewidth=0.7,
        )
        axes.vlines(quartiles[1], row - 0.38, row + 0.38, color="black", linewidth=1.4)


# ---- rows


def _rows(
    labels: Sequence[str],
    names: Sequence[str],
    rows: Sequence[Sequence[Spread]],
    line: float | None,
) -> tuple[Any, Any]:
    """Draw every contestant's median and range of rounds in each row, one below the other, from zero, and a
    line."""
    lines = max((label.count("\n") + 1 for label in labels), default=1)
    height = _row_height(len(names), lines)
    figure, axes = _row_axes(labels, height)
    step = MARK_INCHES / height
    for number, (name, (colour, marker)) in enumerate(styles(names).items()):
        offset = step * (number - (len(names) - 1) / 2)
        known = [(at, row[number]) for at, row in enumerate(rows) if row[number]]
        medians = [statistics.median(values) for _, values in known]
        below = [median - min(values) for median, (_, values) in zip(medians, known, strict=True)]
        above = [max(values) - median for median, (_, values) in zip(medians, known, strict=True)]
        axes.errorbar(
            medians,
            [at + offset for at, _ in known],
            xerr=[below, above],
            fmt=marker,
            color=colour,
            markersize=4.5,
            elinewidth=1,
            label=name,
        )
    for at in range(len(labels) - 1):
        axes.axhline(at + 0.5, color="#cccccc", linewidth=0.5)
    shown = [value for row in rows for values in row for value in values]
    axes.set_xlim(0, RIGHT_MARGIN * max([*shown, *([] if line is None else [line])], default=1.0))
    if line is not None:
        axes.axvline(line, color="black", linewidth=1)
    lines = math.ceil(len(names) / LEGEND_COLUMNS)
    figure.legend(loc="outside lower center", ncols=math.ceil(len(names) / max(lines, 1)), frameon=False)
    return figure, axes


def _row_height(marks: int, lines: int = 1) -> float:
    """Return the inches of a row with so many marks and lines of label."""
    return max(ROW_INCHES + MARK_INCHES * marks, LINE_INCHES * lines)


def _row_axes(labels: Sequence[str], row_inches: float) -> tuple[Any, Any]:
    """Return axes with one labelled row below the other."""
    figure = _figure(INCHES, 1.3 + row_inches * max(len(labels), 2))
    axes = figure.add_subplot()
    axes.set_yticks(range(len(labels)), labels)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.grid(axis="x", linewidth=0.3)
    return figure, axes


def _network_label(comparison: Comparison, compared: bool) -> str:
    median = comparison.of(SUBJECT).median_seconds if compared else None
    return comparison.problem if median is None else f"{comparison.problem}\nours: {1e3 * median:.3g} ms"


def _of(workloads: Iterable[Conv2dWorkload]) -> str:
    """Say the batch and the type of layers."""
    workloads = list(workloads)
    batches = sorted({workload.batch for workload in workloads})
    dtypes = sorted({"int8" if workload.quantized else workload.dtype for workload in workloads})
    return f"batch {' and '.join(map(str, batches))}, {' and '.join(dtypes)}"


# ---- figures


def _figure(width: float, height: float) -> Any:
    try:
        # The object interface leaves pyplot's backend, and a notebook's, alone.
        from matplotlib.figure import Figure
    except ImportError as error:
        raise BenchmarkError(f"plots need matplotlib ({error}): pip install matplotlib") from None
    return Figure(figsize=(width, height), layout="constrained")


def _finish(figure: Any, title: str, path: Path) -> None:
    figure.suptitle(textwrap.fill(title, TITLE_COLUMNS), fontsize=SMALL + 3)
    save(figure, path)


def save(figure: Any, path: Path) -> None:
    """Write a figure as the kind of image that the file's suffix names."""
    drawn = io.BytesIO()
    try:
        figure.savefig(drawn, dpi=DPI, format=path.suffix.lstrip(".").lower() or None)
    except ValueError as error:
        raise BenchmarkError(f"{path}: {error}") from None
    write_atomically(path, drawn.getvalue())
