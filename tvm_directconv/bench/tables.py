"""Benchmark results as tables for people."""

from __future__ import annotations

from tvm_directconv import text
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.text import TextTable, target_label

from . import selection
from .contestants import PEERS
from .figures import SUBJECT, Comparison, Figures, Measurement

LONGEST_REFUSAL = 20


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
    """Show per network milliseconds, GOPS of the convolutions (of floats, or of 8-bit integers), and how much
    faster we are than each contestant. A single network is named above the table."""
    single = len(result.comparisons) == 1
    names = ("contestant",) if single else ("network", "contestant")
    columns = (*names, "median ms", "best ms", "conv GOPS", "% of peak", "ours is", "error")
    title = f"{result.comparisons[0].problem}: {_title(result)}" if single else _title(result)
    table = TextTable(title, columns, names, _caption(result))
    for comparison in result.comparisons:
        for measurement in comparison.measurements:
            cells = _network_cells(comparison, measurement)
            table.add_row(*([] if single else [comparison.problem]), *cells)
        table.add_section()
    return table


def _network_cells(comparison: Comparison, measurement: Measurement) -> list[str]:
    name = measurement.contestant
    if measurement.refused is not None:
        return [name, _in_short(measurement.refused)]
    ours_here = any(m.contestant == SUBJECT and m.timed for m in comparison.measurements)
    ratio = comparison.time_ratio(SUBJECT, name) if ours_here and name != SUBJECT else None
    return [
        name,
        _number(measurement.median_seconds, 1e3, 2),
        _number(measurement.best_seconds, 1e3, 2),
        _number(comparison.gflops(name), 1, 0),
        _number(comparison.percent_of_peak(name), 1, 0),
        "" if ratio is None else speed_up(ratio),
        f"{measurement.error:.0e}",
    ]


def speed_up(ratio: float) -> str:
    """Return what a ratio of our time over another's means: ``x 4.8 faster``, ``x 1.25 slower``."""
    times, word = (ratio, "slower") if ratio > 1 else (1 / ratio, "faster")
    return f"x {times:.2f} {word}" if times < 2 else f"x {times:.1f} {word}"


def _speed(comparison: Comparison, name: str) -> str:
    refused, gflops = comparison[name].refused, comparison.gflops(name)
    if refused is not None or gflops is None:
        return _in_short(refused or "")
    return _with_percent(gflops, comparison.percent_of_peak(name))


def _with_percent(gflops: float, percent: float | None) -> str:
    return f"{gflops:.0f}" if percent is None else f"{gflops:.0f} ({percent:.0f}%)"


def _peak(comparison: Comparison) -> str:
    return f"{max(comparison.peaks):.0f}" if comparison.peaks else "-"


def _in_short(refused: str) -> str:
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


def _caption(result: Figures) -> str:
    """Name every refusal and note once, with the number of problems it befell."""
    seen: dict[str, int] = {}
    for comparison in result.comparisons:
        for measurement in comparison.measurements:
            remark = measurement.refused or measurement.note
            if remark:
                line = f"{measurement.contestant}: {remark}"
                seen[line] = seen.get(line, 0) + 1
    peak = f"medians over rounds, geometric means of layers; peak: {result.peak_instruction}"
    lines = [f"target {target_label(result.target)}", peak]
    of = len(result.comparisons)
    lines += [line if of == 1 else f"{line} ({count} of {of})" for line, count in seen.items()]
    return "\n".join(lines)
