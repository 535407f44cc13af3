"""The order in which blocks of rows of a run of operators are computed, and how many rows are kept meanwhile.

What comes last is asked for one block after the other, and asks for the rows that it reads, and so on: a
block is computed when it is first needed. Rows are kept until nothing reads them any more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .rules import Reads


@dataclass(frozen=True)
class Flow:
    """The result of one operator of a run: its rows, the bytes of each, and how many are ``computed`` at a
    time; which flows it ``reads``, by their places in the run, and ``whole``: whether it is all needed when
    the run is over."""

    height: int
    row_bytes: int
    computed: int
    reads: tuple[tuple[int, Reads], ...]
    whole: bool


class RowBlock(NamedTuple):
    """Rows of a flow, by its place in the run, that are computed together."""

    flow: int
    begin: int
    end: int


@dataclass(frozen=True)
class Schedule:
    """Blocks in the order in which they are computed, and the most rows of each flow that are kept."""

    blocks: tuple[RowBlock, ...]
    kept: tuple[int, ...]


def schedule(flows: Sequence[Flow]) -> Schedule:
    """Return the order of blocks, of flows that each read flows before them alone."""
    blocks: list[RowBlock] = []
    made = [0] * len(flows)

    def ask(flow: int, rows: int) -> None:
        """Compute a flow up to so many rows."""
        asked = flows[flow]
        while made[flow] < rows:
            begin, end = made[flow], min(made[flow] + asked.computed, asked.height)
            for source, read in asked.reads:
                ask(source, read.rows(begin, end)[1])
            blocks.append(RowBlock(flow, begin, end))
            made[flow] = end

    last = len(flows) - 1
    while made[last] < flows[last].height:
        ask(last, made[last] + 1)
        for flow, each in enumerate(flows[:-1]):
            if each.whole:
                ask(flow, made[last] * each.height // flows[last].height)
    return Schedule(tuple(blocks), _kept(flows, blocks))


def _kept(flows: Sequence[Flow], blocks: Sequence[RowBlock]) -> tuple[int, ...]:
    readers: list[list[tuple[int, Reads]]] = [[] for _ in flows]
    for flow, each in enumerate(flows):
        for source, read in each.reads:
            readers[source].append((flow, read))
    made, kept = [0] * len(flows), [each.height if each.whole else 0 for each in flows]

    def first_needed(flow: int) -> int:
        waiting = ((reader, read) for reader, read in readers[flow] if made[reader] < flows[reader].height)
        nexts = (read.rows(made[reader], made[reader] + 1)[0] for reader, read in waiting)
        return min(nexts, default=flows[flow].height)

    for flow, begin, end in blocks:
        kept[flow] = max(kept[flow], end - min(begin, first_needed(flow)))
        made[flow] = end
    return tuple(kept)
