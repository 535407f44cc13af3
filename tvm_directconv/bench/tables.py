"""Benchmark results as tables for people."""

from __future__ import annotations

import math
from collections.abc import Callable

from tvm_directconv import text
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.runtime.words import target_label
from tvm_directconv.text import TextTable

from . import selection
from .contestants import IN_HALF, PEERS
from .contestants.ours import LESS_EXACT
from .figures import SUBJECT, Comparison, Figures, Measurement, mean_of_known

LONGEST_REFUSAL = 20
HEADINGS = {"onnxruntime": "ONNX Runtime", "openvino": "OpenVINO", "pytorch": "PyTorch"}
HEADINGS |= {
    "pytorch-compile": "torch. compile",
    "pytorch-directconv": "torch. compile, ours",
    "onnxruntime-directconv": "ONNX Runtime, ours",
}
ROUNDING_MORE = tuple(kind.name for kind in (*LESS_EXACT, *IN_HALF))
LIMIT = "percent of the limit"
LIMIT_SAID = "limit: multiply-adds of convolutions and matrix products, at the peak"
MEMORY_SAID = "peak MiB: beyond the process and its libraries, from loading to the first answers"

READY_SAID = "ready s: from compiling or loading to the first answers"


def layer_table(result: Figures) -> TextTable:
    """Show GFLOPS, or GOPS of bytes (percent of peak), per layer and contestant; then their means."""
    columns = ("layer", "peak", *result.contestants)
    table = TextTable(_title(result), columns, ("layer",), _caption(result))
    for comparison in result.comparisons:
        cells = [_speed(comparison, name) for name in result.contestants]
        table.add_row(layer_label(comparison.problem), _peak(comparison), *cells)
    groups = {model: result.of_model(model) for model in result.models}
    if len(groups) != 1 and len(result.comparisons) > 1:
        groups["all layers"] = result
    table.add_section()
    for name, group in groups.items():
        means = [group.geomean(contestant) for contestant in result.contestants]
        cells = [_with_percent(*mean) if mean else "-" for mean in means]
        table.add_row(f"mean, {name}", "", *cells, style="bold")
    return table


def algorithm_table(result: Figures) -> TextTable:
    """Show per layer each algorithm in its own layouts, the one "auto" chose with its time in NHWC, and the
    best peer, in GFLOPS (percent of peak); then geometric means and how good the choice is."""
    algorithms = selection.algorithms_in(result)
    columns = ("layer", "peak", *algorithms, SUBJECT, "chosen", "best peer", "")
    table = TextTable(_title(result), columns, ("layer", "chosen", ""), _caption(result))
    for comparison in result.comparisons:
        peer = selection.best_peer(comparison)
        table.add_row(
            layer_label(comparison.problem),
            _peak(comparison),
            *(_speed(comparison, name) for name in algorithms),
            _speed(comparison, SUBJECT),
            selection.chosen(comparison),
            _speed(comparison, peer) if peer else "-",
            peer or "",
        )
    table.add_section()
    groups = {model: result.of_model(model) for model in result.models}
    for name, group in (groups | {"all layers": result}).items():
        means = [group.geomean(contestant) for contestant in (*algorithms, SUBJECT)]
        cells = [_with_percent(*mean) if mean else "-" for mean in means]
        peers = {peer: group.geomean(peer) for peer in PEERS if peer in result.contestants}
        known = {peer: mean for peer, mean in peers.items() if mean}
        best = max(known, key=lambda peer: known[peer][0], default=None)
        shown = _with_percent(*known[best]) if best else "-"
        table.add_row(f"mean, {name}", "", *cells, "", shown, best or "", style="bold")
    table.caption = "\n".join([*selection.summary_lines(result), str(table.caption)])
    return table


def network_table(result: Figures) -> TextTable:
    """Show milliseconds of every contestant per network, the time of ours over the best peer's, how much of
    the network's limit ours reaches, and peak memory; where contestants of ours round more, also errors, and
    everyone's time over the best peer's. A single network is shown by ``contestant_table``."""
    if len(result.comparisons) == 1:
        return contestant_table(result)
    names, labels = result.contestants, _short_names(result)
    heads = ("network", *(HEADINGS.get(name, name) for name in names))
    table = TextTable(_title(result), (*heads, "ours / best", "% of limit"), ("network",), "")
    table.add_row("median ms", style="bold")
    for label, comparison in zip(labels, result.comparisons, strict=True):
        cells = [_cell(comparison, name, lambda m: three_digits(m.median_seconds, 1e3)) for name in names]
        ratio, percent = comparison.ratio_to_best(), comparison.percent_of_peak(SUBJECT)
        table.add_row(label, *cells, _number(ratio, 1, 2), _number(percent, 1, 0))
    means = geometric_means(result)
    ratios = means["ours / theirs"]
    shown = [_number(ratios[name], 1, 2) if name in ratios else "" for name in names]
    last = [_number(means[name].get(SUBJECT), 1, digits) for name, digits in (("ours / best", 2), (LIMIT, 0))]
    table.add_row("mean, ours / theirs", *shown, *last, style="bold")
    sections: list[tuple[str, Callable[[Comparison, str], str]]] = []
    if any(name in ROUNDING_MORE for name in names):
        sections.append(("time / best peer's", _over_best_peer))
        sections.append(("largest error", lambda comparison, name: _cell(comparison, name, error_label)))
    sections.append(("peak MiB", lambda comparison, name: _cell(comparison, name, _memory)))
    for heading, shown_as in sections:
        table.add_section()
        table.add_row(heading, style="bold")
        for label, comparison in zip(labels, result.comparisons, strict=True):
            table.add_row(label, *(shown_as(comparison, name) for name in names))
    table.caption = f"{_caption(result)}\n{LIMIT_SAID}\n{MEMORY_SAID}"
    return table


def memory_table(result: Figures) -> str:
    """Return the peak memory of each contestant, in MiB, per network, as a table in Markdown."""
    names = [name for name in result.contestants if any(_held(c, name) for c in result.comparisons)]
    heads = ["network, MiB", *(HEADINGS.get(name, name) for name in names)]
    lines = [heads, ["---"] * len(heads)]
    for label, comparison in zip(_short_names(result), result.comparisons, strict=True):
        lines.append([label, *(_held(comparison, name) for name in names)])
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _held(comparison: Comparison, name: str) -> str:
    return _memory(comparison[name]) if name in comparison.contestants else ""


def contestant_table(result: Figures) -> TextTable:
    """Show per network and contestant milliseconds, GOPS (of floats, or of 8-bit integers), how much faster
    we are than each contestant, peak memory and the time to be ready. A single network is named above the
    table."""
    single = len(result.comparisons) == 1
    names = ("contestant",) if single else ("network", "contestant")
    columns = (
        *names,
        "median ms",
        "best ms",
        "GOPS",
        "% of limit",
        "ours is",
        "error",
        "peak MiB",
        "ready s",
    )
    title = f"{result.comparisons[0].problem}: {_title(result)}" if single else _title(result)
    table = TextTable(title, columns, names, f"{_caption(result)}\n{LIMIT_SAID}\n{MEMORY_SAID}\n{READY_SAID}")
    for label, comparison in zip(_short_names(result), result.comparisons, strict=True):
        for measurement in comparison.measurements:
            cells = _network_cells(comparison, measurement)
            table.add_row(*([] if single else [label]), *cells)
        table.add_section()
    return table


def geometric_means(result: Figures) -> dict[str, dict[str, float]]:
    """Return means over networks: of our time over each contestant's, over the best peer's, and of the
    percent of the limit that ours reaches, each over those that have it."""
    comparisons, others = result.comparisons, [name for name in result.contestants if name != SUBJECT]
    means = {
        "ours / theirs": {n: mean_of_known(c.time_ratio(SUBJECT, n) for c in comparisons) for n in others},
        "ours / best": {SUBJECT: mean_of_known(c.ratio_to_best() for c in comparisons)},
        LIMIT: {SUBJECT: mean_of_known(c.percent_of_peak(SUBJECT) for c in comparisons)},
    }
    return {
        heading: {name: mean for name, mean in by_name.items() if mean is not None}
        for heading, by_name in means.items()
    }


def _network_cells(comparison: Comparison, measurement: Measurement) -> list[str]:
    name = measurement.contestant
    if measurement.refused is not None:
        return [name, in_short(measurement.refused)]
    ratio = comparison.time_ratio(SUBJECT, name) if name != SUBJECT else None
    return [
        name,
        _number(measurement.median_seconds, 1e3, 2),
        _number(measurement.best_seconds, 1e3, 2),
        _number(comparison.gflops(name), 1, 0),
        _number(comparison.percent_of_peak(name), 1, 0),
        "" if ratio is None else speed_up(ratio),
        error_label(measurement),
        _memory(measurement),
        _number(measurement.preparation_seconds, 1, 1),
    ]


def _cell(comparison: Comparison, name: str, show: Callable[[Measurement], str]) -> str:
    measurement = comparison.of(name)
    return show(measurement) if measurement.refused is None else in_short(measurement.refused)


def _over_best_peer(comparison: Comparison, name: str) -> str:
    peer = comparison.best_peer()
    return _number(comparison.time_ratio(name, peer) if peer else None, 1, 2)


def error_label(measurement: Measurement) -> str:
    """Return the error of outputs, over the largest of them."""
    return "-" if measurement.error is None else f"{measurement.error:.0e}"


def _memory(measurement: Measurement) -> str:
    return _number(measurement.memory_bytes, 1 / (1 << 20), 0)


def _short_names(result: Figures) -> list[str]:
    """Return the networks' names without those of their libraries, where they are different all the same."""
    names = [comparison.problem for comparison in result.comparisons]
    short = [name.partition(":")[2] or name for name in names]
    return short if len(set(short)) == len(set(names)) else names


def three_digits(value: float | None, factor: float) -> str:
    if value is None:
        return "-"
    scaled = value * factor
    return f"{scaled:.{max(2 - math.floor(math.log10(scaled)), 0)}f}" if 0 < scaled < 100 else f"{scaled:.0f}"


def speed_up(ratio: float) -> str:
    """Return what a ratio of our time over another's means: ``x 4.8 faster``, ``x 1.25 slower``."""
    times, word = (ratio, "slower") if ratio > 1 else (1 / ratio, "faster")
    return f"x {times:.2f} {word}" if times < 2 else f"x {times:.1f} {word}"


def _speed(comparison: Comparison, name: str) -> str:
    refused, gflops = comparison.of(name).refused, comparison.gflops(name)
    if refused is not None or gflops is None:
        return in_short(refused or "")
    return _with_percent(gflops, comparison.percent_of_peak(name))


def _with_percent(gflops: float, percent: float | None) -> str:
    return f"{gflops:.0f}" if percent is None else f"{gflops:.0f} ({percent:.0f}%)"


def _peak(comparison: Comparison) -> str:
    return f"{max(comparison.peaks):.0f}" if comparison.peaks else "-"


def in_short(refused: str) -> str:
    """Return the words before a reason's colon, such as "crashes"; the caption has all."""
    head, colon, _ = refused.partition(":")
    return head if colon and len(head) <= LONGEST_REFUSAL else "-"


def _number(value: float | None, factor: float, digits: int) -> str:
    return "-" if value is None else f"{value * factor:.{digits}f}"


def layer_label(descriptor: str, types: bool = True) -> str:
    """Return ``64x56x56 -> 64 3x3``, with what is out of the ordinary behind it, 8-bit ``types`` included."""
    return text.layer_label(Conv2dWorkload.parse(descriptor), types)


def _title(result: Figures) -> str:
    return f"{result.setting} on CPU {', '.join(map(str, result.cpus))}"


def remarks(result: Figures) -> list[str]:
    """Return every refusal and note once, with the number of problems it befell."""
    seen: dict[str, int] = {}
    for comparison in result.comparisons:
        for measurement in comparison.measurements:
            remark = measurement.refused or measurement.note
            if remark:
                line = f"{measurement.contestant}: {remark}"
                seen[line] = seen.get(line, 0) + 1
    of = len(result.comparisons)
    return [line if of == 1 else f"{line} ({count} of {of})" for line, count in seen.items()]


def _caption(result: Figures) -> str:
    peak = f"medians over rounds, geometric means of layers; peak: {result.peak_instruction}"
    return "\n".join([f"target {target_label(result.target)}", peak, *remarks(result)])
