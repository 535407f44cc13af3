"""Positions of a graph's nodes when it is drawn from top to bottom, and the way of its edges.

The layered drawing of Sugiyama, Tagawa and Toda (1981): a node stands below all that it reads, an edge that
passes rows has a bend in each of them, rows are ordered by the means of their neighbours, and places follow
by least squares with the distances kept. Edges from one node share their bends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

ORDER_SWEEPS, PLACE_SWEEPS = 8, 12
BEND = 0.12
"""A bend is as wide as this share of a node."""
GAP = 0.15
"""Neighbours in a row are so far apart at least."""

Point = tuple[float, float]


@dataclass(frozen=True)
class Layout:
    """Places of nodes, and for each edge (from, to) the points it passes; a node is 1 wide, rows are 1 apart,
    and the leftmost node stands at 0."""

    nodes: tuple[Point, ...]
    edges: Mapping[tuple[int, int], tuple[Point, ...]]
    width: float
    rows: int


def layered(after: Sequence[Sequence[int]]) -> Layout:
    """Lay out the nodes of a graph by what each comes ``after``: nodes before it."""
    ranks: list[int] = []
    for before in after:
        ranks.append(1 + max((ranks[node] for node in before), default=-1))
    rows: list[list[int]] = [[] for _ in range(max(ranks, default=-1) + 1)]
    for node, rank in enumerate(ranks):
        rows[rank].append(node)
    above: list[list[int]] = [[] for _ in after]
    paths: dict[tuple[int, int], list[int]] = {}
    bends: dict[tuple[int, int], int] = {}
    for node, before in enumerate(after):
        for source in before:
            path = [source]
            for rank in range(ranks[source] + 1, ranks[node]):
                if (source, rank) not in bends:
                    bends[source, rank] = len(above)
                    rows[rank].append(len(above))
                    above.append([path[-1]])
                path.append(bends[source, rank])
            above[node].append(path[-1])
            paths[source, node] = [*path, node]
    below: list[list[int]] = [[] for _ in above]
    for node, others in enumerate(above):
        for other in others:
            below[other].append(node)
    _order(rows, above, below)
    widths = [1.0 if node < len(after) else BEND for node in range(len(above))]
    places = _places(rows, above, below, widths)
    least = min((place - width / 2 for place, width in zip(places, widths, strict=True)), default=0.0)
    most = max((place + width / 2 for place, width in zip(places, widths, strict=True)), default=0.0)
    rank_of = {node: rank for rank, row in enumerate(rows) for node in row}
    points = [(place - least - 0.5, float(rank_of[node])) for node, place in enumerate(places)]
    edges = {edge: tuple(points[node] for node in path) for edge, path in paths.items()}
    return Layout(tuple(points[: len(after)]), edges, most - least, len(rows))


def _order(rows: list[list[int]], above: list[list[int]], below: list[list[int]]) -> None:
    """Sort each row by the means of its neighbours' places, downwards and upwards in turns."""
    at = {node: place for row in rows for place, node in enumerate(row)}
    for sweep in range(ORDER_SWEEPS):
        neighbours, ordered = (above, rows) if sweep % 2 == 0 else (below, rows[::-1])
        for row in ordered:
            means = {
                node: sum(at[n] for n in neighbours[node]) / len(neighbours[node])
                if neighbours[node]
                else at[node]
                for node in row
            }
            row.sort(key=lambda node, means=means: means[node])  # type: ignore[misc]
            at.update((node, place) for place, node in enumerate(row))


def _places(
    rows: list[list[int]],
    above: list[list[int]],
    below: list[list[int]],
    widths: Sequence[float],
) -> list[float]:
    places = [0.0] * len(widths)
    for sweep in range(PLACE_SWEEPS):
        ordered = rows if sweep % 2 == 0 else rows[::-1]
        for row in ordered:
            wanted = []
            for node in row:
                around = (above if sweep % 2 == 0 else below)[node] or above[node] or below[node]
                wanted.append(sum(places[n] for n in around) / len(around) if around else places[node])
            apart = [(widths[a] + widths[b]) / 2 + GAP for a, b in pairwise(row)]
            for node, place in zip(row, spread(wanted, apart), strict=True):
                places[node] = place
    return places


def spread(wanted: Sequence[float], apart: Sequence[float]) -> list[float]:
    """Return the places nearest to those ``wanted``, by least squares, that keep their order and are as far
    ``apart`` as given, each from the next."""
    offsets = [0.0]
    for distance in apart:
        offsets.append(offsets[-1] + distance)
    blocks: list[tuple[float, int]] = []
    for place, offset in zip(wanted, offsets, strict=False):
        mean, count = place - offset, 1
        while blocks and blocks[-1][0] > mean:  # pool adjacent violators
            other, others = blocks.pop()
            mean, count = (mean * count + other * others) / (count + others), count + others
        blocks.append((mean, count))
    bases = [mean for mean, count in blocks for _ in range(count)]
    return [base + offset for base, offset in zip(bases, offsets, strict=False)]
