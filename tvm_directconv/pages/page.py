"""The page of a compiled network: its calls as a table that sorts and as a graph, and where time goes.

It is one file without references to others: style, script and plots are inside.
"""

from __future__ import annotations

import importlib.util
from importlib import resources
from typing import TYPE_CHECKING, Any

from relay_strategies.compiler.model.profile import CallProfile, Profile, untimed
from relay_strategies.compiler.report import kernel_text
from tvm_directconv.errors import InputError
from tvm_directconv.runtime.words import target_label
from tvm_directconv.text import bytes_label
from tvm_directconv.version import __version__

from .drawing import COLOURS, NO_PEAK, Box, colour_of, drawn

if TYPE_CHECKING:
    from tvm_directconv.runtime.metadata import Size

TEMPLATE = "page.html.j2"
WORDS = ("call", "what", "algorithm", "kernel")
"""Columns that hold no numbers."""
LEAST_SHARE = "share of least %"
"""This column is shown in the place of "share %" where the least times are chosen."""


def page(title: str, size: Size, profile: Profile | None = None) -> str:
    """Return the HTML of one size of a compiled network, with the times of a profile of it, where there is
    one. Raises InputError where jinja2 or matplotlib is missing."""
    require_libraries()
    import jinja2

    calls = list(profile.calls) if profile is not None else untimed(size)
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    environment.filters["bytes"] = bytes_label
    text = resources.files(__package__).joinpath(TEMPLATE).read_text(encoding="utf-8")
    rows = [_row(number, call, size, profile) for number, call in enumerate(calls)]
    graph, width = drawn(_boxes(rows, size)) if len(rows) == len(size.report().calls) else ("", 0)
    return environment.from_string(text).render(
        title=title,
        facts=_facts(size, profile),
        columns=_columns(profile),
        rows=rows,
        graph=graph,
        graph_width=width,
        plots={} if profile is None else _plots(profile),
        colours=COLOURS,
        grey=NO_PEAK,
        version=__version__,
        words=WORDS,
        shares={"share %": "median", LEAST_SHARE: "least"},
    )


def require_libraries() -> None:
    """Raise InputError where a library that pages are made by is missing."""
    for name in ("jinja2", "matplotlib"):
        if importlib.util.find_spec(name) is None:
            raise InputError(f"pages need {name}: pip install 'tvm-directconv[report]'")


def _facts(size: Size, profile: Profile | None) -> dict[str, str]:
    report = size.report()
    facts = {
        "target": target_label(report.target),
        "inputs": ", ".join(map(str, size.inputs)),
        "outputs": ", ".join(map(str, size.outputs)),
        "layers": f"convolutions and dense layers: {len(report.whole_layers)}; calls: {len(report.calls)}",
        "work": f"{report.flops / 1e6:.4g} MFLOP"
        if report.flops < 1e9
        else f"{report.flops / 1e9:.4g} GFLOP",
        "memory": f"packed filters {bytes_label(report.packed_filter_bytes)}, activations "
        f"{bytes_label(report.activation_bytes)}, workspace {bytes_label(report.workspace_bytes)}",
    }
    if profile is not None:
        facts["time"] = profile.totals()
    return facts


def _columns(profile: Profile | None) -> list[str]:
    shares = ["share %", LEAST_SHARE]
    timed = ["median us", "least us", *shares, "GFLOPS", "% of peak"] if profile is not None else []
    return ["#", "call", "what", "algorithm", *timed, "kernel", "MFLOP", "data", "workspace"]


def _row(number: int, call: CallProfile, size: Size, profile: Profile | None) -> dict[str, Any]:
    """The cells of a call, by column: what is shown, and the number by which it sorts."""
    known = size.report().calls[number] if number < len(size.report().calls) else None
    layers = [size.report().layers[place] for place in known.layers] if known is not None else []
    kernels = dict.fromkeys(filter(None, map(kernel_text, layers)))
    workspace = max([layer.workspace_bytes for layer in layers] or [known.workspace_bytes if known else 0])
    cells: dict[str, tuple[str, float | str]] = {
        "#": (str(number), number),
        "call": (call.name, call.name),
        "what": (call.what, call.what),
        "algorithm": (call.how, call.how),
        "kernel": (", ".join(kernels), ""),
        "MFLOP": (f"{call.flops / 1e6:.1f}" if call.flops else "", call.flops),
        "data": (bytes_label(call.bytes), call.bytes),
        "workspace": (bytes_label(workspace) if workspace else "", workspace),
    }
    percent = None
    if profile is not None:
        percent = profile.percent_of_peak(call)
        share, of_least = 100 * profile.share(call), 100 * profile.share(call, least=True)
        cells |= {
            "median us": (f"{1e6 * call.median:.1f}", call.median),
            "least us": (f"{1e6 * call.least:.1f}", call.least),
            "share %": (f"{share:.1f}", share),
            LEAST_SHARE: (f"{of_least:.1f}", of_least),
            "GFLOPS": ("" if percent is None else f"{call.gflops:.1f}", call.gflops),
            "% of peak": ("" if percent is None else f"{percent:.0f}", -1 if percent is None else percent),
        }
    return {"cells": cells, "colour": colour_of(percent), "percent": percent, "call": call}


def _boxes(rows: list[dict[str, Any]], size: Size) -> list[Box]:
    """A box for each input and each call, and one for each tensor that several calls write together, which
    would else be edges from each of these to each of those that read it."""
    calls = size.report().calls
    boxes = [Box(info.name, str(info).partition(": ")[2], str(info), "#ffffff", ()) for info in size.inputs]
    places = {-1 - number: number for number in range(len(boxes))}
    joined: dict[tuple[int, ...], int] = {}
    for number, (row, known) in enumerate(zip(rows, calls, strict=True)):
        parts = tuple(places[place] for place in known.after if place >= 0 and calls[place].in_part)
        after = [place for place in map(places.__getitem__, known.after) if place not in parts]
        if parts:
            if parts not in joined:
                joined[parts] = len(boxes)
                boxes.append(Box("concatenation", "in place", "written by several calls", "#ffffff", parts))
            after.append(joined[parts])
        places[number] = len(boxes)
        boxes.append(_box(row, tuple(after), f"row{number}"))
    return boxes


def _box(row: dict[str, Any], after: tuple[int, ...], link: str) -> Box:
    call: CallProfile = row["call"]
    second = call.what if call.algorithm else call.how
    if call.seconds:
        percent = "" if row["percent"] is None else f", {row['percent']:.0f} % of peak"
        second = f"{'' if call.algorithm else call.how + ', '}{1e6 * call.median:.0f} us{percent}"
    title = "\n".join(f"{name}: {text}" for name, (text, _) in row["cells"].items() if text)
    return Box(call.name, second, title, row["colour"], after, link)


def _plots(profile: Profile) -> dict[str, str]:
    """Return the plots of medians and of the least times, as SVG that may stand inside HTML."""
    from .plot import profile_svg

    return {"median": profile_svg(profile), "least": profile_svg(profile, least=True)}
