"""The choice of runs of operators that go by rows, so that the most memory that it takes at once is least.

A network is cut into runs, of one operator or of several by rows. What a run takes is what it keeps of each
of its results, what it reads and makes whole, and what passes by it. All ways to cut are compared
(dynamic programming over the places of cuts): first for the least peak, then for the fewest blocks within it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from .rules import Reads
from .schedule import Flow, Schedule, schedule

LONGEST = 64
"""A run has no more operators than this; a choice takes time with their square."""
LEAST, BALANCED, FASTEST = "least", "balanced", "fastest"
MEMORIES = (FASTEST, BALANCED, LEAST)
"""What may be asked of memory, the most memory first."""
SIZES = {
    LEAST: [
        (4096, 0.0),
        *((part, share) for part in (1024, 512, 256, 128, 64) for share in (0.0, 0.5, 1.0)),
    ],
    BALANCED: [(part, 1.0) for part in (64, 32, 16)],
}
"""What is tried, by what is asked of memory: of how many blocks the largest result would be, and rows of a
block as a share of those that one row of the run's lowest map is made of. With fewer, rows are kept while
that row waits for the others; smaller blocks take longer to begin than is gained."""
SLACK = {LEAST: 1.02, BALANCED: 1.2}
"""A peak that is so many times the least is taken where it needs fewer blocks."""


@dataclass(frozen=True)
class Operation:
    """An operator of a network: its result's bytes, and the operators, by their places, whose results it
    takes. Where it can be computed by rows: the ``height`` of its result, which of these it ``reads`` by
    rows, which ``whole``, the multiple of rows that blocks have, and how many images there are."""

    size: int
    operands: tuple[int, ...]
    height: int = 0
    reads: tuple[tuple[int, Reads], ...] = ()
    whole: tuple[int, ...] = ()
    step: int = 1
    batch: int = 1


@dataclass(frozen=True)
class RowRun:
    """Operators ``first`` to before ``end`` that go by rows, as the schedule says."""

    first: int
    end: int
    schedule: Schedule


@dataclass
class Choice:
    """Ways to cut a network whose blocks are of about so many bytes, or of that share of rows. ``last`` is
    the last operator that takes the result of each, and the number of operators for those that are
    returned."""

    operations: Sequence[Operation]
    last: Sequence[int]
    block_bytes: int
    share: float
    _known: dict[tuple[int, int], tuple[int, Schedule | None]] = field(default_factory=dict)

    @cached_property
    def _alive(self) -> list[int]:
        """The bytes of results that are there before each operator and needed from it on."""
        count = len(self.operations)
        return [
            sum(each.size for each, last in zip(self.operations[:at], self.last, strict=False) if last >= at)
            for at in range(count + 1)
        ]

    def least(self, most: float) -> float:
        """Return the least peak, or infinity if that is ``most`` or more."""
        return self._cuts(most, False)[0]

    def runs(self, most: float) -> list[RowRun]:
        """Return the runs by rows of a way to cut that takes at most so many bytes, with the fewest
        blocks."""
        _, before = self._cuts(most, True)
        runs, end = [], len(self.operations)
        while end:
            first = before[end]
            _, found = self._known[first, end]
            if found is not None:
                runs.append(RowRun(first, end, found))
            end = first
        return runs[::-1]

    def _cuts(self, most: float, counts: bool) -> tuple[float, list[int]]:
        """Return the peak of the best way to cut, or how many blocks it ``counts`` within ``most`` bytes, and
        where the run before each cut begins."""
        count = len(self.operations)
        best: list[float] = [0.0] + [math.inf] * count
        before = [0] * (count + 1)
        for end in range(1, count + 1):
            made = 0
            for first in range(end - 1, max(-1, end - LONGEST - 1), -1):
                if end - first > 1 and not (self._by_rows(first) and self._by_rows(end - 1)):
                    break
                if self.operations[first].batch != self.operations[end - 1].batch:
                    break
                if any(first <= whole < end for each in self.operations[first:end] for whole in each.whole):
                    break
                made += self.operations[first].size if self.last[first] >= end else 0
                floor = self._alive[first] + made
                if floor > most or best[first] >= best[end] or (not counts and floor >= best[end]):
                    continue
                taken, found = self._run(first, end)
                blocks = 0 if found is None else len(found.blocks) * self.operations[first].batch
                cost = best[first] + blocks if counts else max(best[first], taken)
                if taken <= most and cost < best[end]:
                    best[end], before[end] = cost, first
        return best[count], before

    def _by_rows(self, place: int) -> bool:
        return bool(self.operations[place].height)

    def _run(self, first: int, end: int) -> tuple[int, Schedule | None]:
        """The bytes that are there in a run, and its schedule if it is by rows."""
        if (first, end) not in self._known:
            whole = self._alive[first]
            if end - first == 1:
                self._known[first, end] = whole + self.operations[first].size, None
            else:
                flows = self._flows(first, end)
                found = schedule(flows)
                batch = self.operations[first].batch
                rows = sum(
                    kept * flow.row_bytes * (batch if flow.whole else 1)
                    for kept, flow in zip(found.kept, flows, strict=True)
                )
                self._known[first, end] = whole + rows, found
        return self._known[first, end]

    def _flows(self, first: int, end: int) -> list[Flow]:
        flows = []
        lowest = min(each.height for each in self.operations[first:end])
        for place in range(first, end):
            each = self.operations[place]
            row = each.size // (each.batch * each.height)
            asked = max(1, self.block_bytes // max(row, 1), int(self.share * each.height / lowest))
            rows = -(-asked // each.step) * each.step
            inside = tuple((source - first, read) for source, read in each.reads if source >= first)
            whole = self.last[place] >= end
            flows.append(Flow(each.height, row, min(rows, each.height), inside, whole))
        return flows


def choose_runs(operations: Sequence[Operation], last: Sequence[int], memory: str) -> list[RowRun]:
    """Return the runs of a network that go by rows, for what is asked of ``memory``, "least" or "balanced";
    none where that takes no less than all operators whole."""
    found: list[tuple[float, Choice]] = []
    best, slack = math.inf, SLACK[memory]
    largest = max((each.size // each.batch for each in operations), default=0)
    for part, share in SIZES[memory]:
        choice = Choice(operations, last, largest // part, share)
        peak = choice.least(slack * best)
        best = min(best, peak)
        found.append((peak, choice))
    within = [choice.runs(slack * best) for peak, choice in found if peak <= slack * best]
    return min(within, key=lambda runs: sum(len(run.schedule.blocks) for run in runs))
