"""The drawing of a network: a box for each call, below those whose results it reads, coloured by speed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from xml.sax.saxutils import escape, quoteattr

from .layout import Point, layered

WIDTH, HEIGHT, ROW, MARGIN = 190, 34, 56, 12
"""Pixels of a box, from row to row, and around all."""
LETTERS = 25
"""Letters that fit into a box."""
NO_PEAK = "#e6e6e6"
"""The colour of what multiplies nothing."""
COLOURS = ("#d7301f", "#fc8d59", "#fee090", "#e0f3f8", "#9ecae1", "#4f97cc")
"""Colours from 0 to 100 percent of the peak; by ColorBrewer's RdYlBu, which the colour-blind tell apart,
too."""


@dataclass(frozen=True)
class Box:
    """A call in the drawing: two lines, all there is to say of it, its colour, and the boxes it comes
    ``after``."""

    first: str
    second: str
    title: str
    colour: str
    after: tuple[int, ...]
    link: str = ""


def colour_of(percent: float | None) -> str:
    """Return the colour of a percent of the peak, None where there is none."""
    if percent is None:
        return NO_PEAK
    place = min(max(percent, 0.0), 100.0) / 100 * (len(COLOURS) - 1)
    low = min(int(place), len(COLOURS) - 2)
    pairs = zip(*(_rgb(COLOURS[at]) for at in (low, low + 1)), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * (place - low)):02x}" for a, b in pairs)


def _rgb(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[at : at + 2], 16) for at in (1, 3, 5))


def shortened(text: str) -> str:
    """Return the end of a text that fits into a box: names of layers differ there."""
    return text if len(text) <= LETTERS else "…" + text[1 - LETTERS :]


def drawn(boxes: Sequence[Box]) -> tuple[str, int]:
    """Return the SVG of the graph that the boxes are, and its width."""
    layout = layered([box.after for box in boxes])

    def at(point: Point) -> Point:
        return MARGIN + (point[0] + 0.5) * WIDTH, MARGIN + HEIGHT / 2 + point[1] * ROW

    width = round(2 * MARGIN + layout.width * WIDTH)
    height = 2 * MARGIN + max(layout.rows - 1, 0) * ROW + HEIGHT
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" id="graph" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label="The network as a graph">'
    ]
    lines += [
        f'<path class="edge" data-from="node{edge[0]}" data-to="node{edge[1]}" '
        f'd="{_curve([at(point) for point in path])}"/>'
        for edge, path in layout.edges.items()
    ]
    for number, (box, point) in enumerate(zip(boxes, layout.nodes, strict=True)):
        x, y = at(point)
        lines.append(
            f'<g class="node" id="node{number}" data-row={quoteattr(box.link)}>'
            f"<title>{escape(box.title)}</title>"
            f'<rect x="{x - WIDTH / 2:.1f}" y="{y - HEIGHT / 2:.1f}" width="{WIDTH}" height="{HEIGHT}" '
            f'rx="5" fill="{box.colour}"/>'
            f'<text x="{x:.1f}" y="{y - 3:.1f}">{escape(shortened(box.first))}</text>'
            f'<text class="small" x="{x:.1f}" y="{y + 11:.1f}">{escape(shortened(box.second))}</text></g>'
        )
    return "\n".join([*lines, "</svg>"]), width


def _curve(points: Sequence[Point]) -> str:
    """A path from below the first box through the bends to above the last."""
    (x0, y0), *_, (x1, y1) = points
    points = [(x0, y0 + HEIGHT / 2), *points[1:-1], (x1, y1 - HEIGHT / 2)]
    steps = [f"M{points[0][0]:.1f},{points[0][1]:.1f}"]
    for (xa, ya), (xb, yb) in pairwise(points):
        middle = (ya + yb) / 2
        steps.append(f"C{xa:.1f},{middle:.1f} {xb:.1f},{middle:.1f} {xb:.1f},{yb:.1f}")
    return " ".join(steps)
