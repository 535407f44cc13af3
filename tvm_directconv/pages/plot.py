"""A profile as a picture: the run as a strip, call by call, and the calls that take longest."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from relay_strategies.compiler.model.profile import CallProfile, Profile
from tvm_directconv.bench.plots import save

from .drawing import colour_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INCHES, STRIP_INCHES, ROW_INCHES = 14.0, 0.75, 0.21
LONGEST = 24
"""Most calls that have a bar of their own."""
SMALL = 8.0
NOTHING = dict.fromkeys(("Date", "Creator", "Format", "Type"))
"""What is said of the picture elsewhere."""
NAME_LETTERS = 38


def plot_profile(profile: Profile, path: Path) -> None:
    """Draw a profile into an image file, whose suffix says of which kind."""
    save(drawn_profile(profile), path)


def profile_svg(profile: Profile, least: bool = False) -> str:
    """Return the same picture as an SVG element, of medians or of the ``least``. Its text is text, in the
    colour of the text around it, as are its axes."""
    import matplotlib as mpl

    content = io.StringIO()
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": f"profile {least}"}):
        figure = drawn_profile(profile, least)
        figure.savefig(content, format="svg", metadata=NOTHING, transparent=True)
    text = content.getvalue().replace("#000000", "currentColor")
    return text[text.index("<svg") :]


def drawn_profile(profile: Profile, least: bool = False) -> Figure:
    from matplotlib.figure import Figure

    longest = sorted(profile.calls, key=lambda call: -_seconds(call, least))[:LONGEST]
    heights = [STRIP_INCHES, max(len(longest), 3) * ROW_INCHES]
    figure = Figure(figsize=(INCHES, sum(heights) + 1.5), layout="constrained")
    strip, bars = figure.subplots(2, 1, height_ratios=heights)
    _strip(strip, profile, least)
    _bars(bars, profile, longest, least)
    return figure


def _seconds(call: CallProfile, least: bool) -> float:
    return call.least if least else call.median


def _strip(axes: Any, profile: Profile, least: bool) -> None:
    start = 0.0
    for call in profile.calls:
        width = 1e3 * _seconds(call, least)
        axes.barh(
            0, width, left=start, height=1, color=_colour(profile, call), edgecolor="white", linewidth=0.3
        )
        start += width
    axes.set(xlim=(0, start), ylim=(-0.5, 0.5), yticks=[], xlabel="ms")
    axes.set_title("the run, call by call; colour: percent of the peak", fontsize=SMALL + 1, loc="left")
    axes.tick_params(labelsize=SMALL)
    axes.spines[["left", "right", "top"]].set_visible(False)


def _bars(axes: Any, profile: Profile, calls: list[CallProfile], least: bool) -> None:
    rows = range(len(calls))[::-1]
    widths = [1e3 * _seconds(call, least) for call in calls]
    colours = [_colour(profile, call) for call in calls]
    axes.barh(rows, widths, color=colours, edgecolor="#7d8792", linewidth=0.5)
    for row, call, width in zip(rows, calls, widths, strict=True):
        percent = profile.percent_of_peak(call)
        text = f" {100 * profile.share(call, least):.1f} %" + (
            "" if percent is None else f", {percent:.0f} % of peak"
        )
        axes.text(width, row, text, va="center", fontsize=SMALL)
    names = [f"{_end(call.name)}   {_end(call.what if call.algorithm else call.how)}" for call in calls]
    axes.set_yticks(rows, names, fontsize=SMALL)
    axes.set(xlabel="ms", ylim=(-0.6, len(calls) - 0.4), xlim=(0, 1.18 * max(widths)))
    title = f"the {len(calls)} longest calls" if len(calls) < len(profile.calls) else "calls by time"
    axes.set_title(f"{title}; share of all calls' time", fontsize=SMALL + 1, loc="left")
    axes.tick_params(axis="x", labelsize=SMALL)
    axes.spines[["right", "top"]].set_visible(False)


def _end(name: str) -> str:
    return name if len(name) <= NAME_LETTERS else "…" + name[1 - NAME_LETTERS :]


def _colour(profile: Profile, call: CallProfile) -> str:
    return colour_of(profile.percent_of_peak(call))
