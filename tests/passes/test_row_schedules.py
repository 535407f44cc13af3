"""Schedules of rows against a simulation row by row, and their choice against all ways to cut a network."""

from __future__ import annotations

import itertools
import math
import random

import pytest

from relay_strategies.passes.rows.choice import LEAST, SIZES, SLACK, Choice, Operation, choose_runs
from relay_strategies.passes.rows.rules import Reads
from relay_strategies.passes.rows.schedule import Flow, schedule


def drawn_flows(numbers: random.Random) -> list[Flow]:
    """Flows that each read one or two before them, as convolutions, pools and resizes do."""
    count = numbers.randrange(2, 7)
    heights = [numbers.randrange(5, 30)]
    reads: list[list[tuple[int, Reads]]] = [[]]
    for place in range(1, count):
        source = numbers.randrange(place)
        stride, before, factor = numbers.choice([(1, 0, 1), (1, 1, 1), (2, 1, 1), (1, 0, 2)])
        reach = 2 * before + 1
        height = (
            (heights[source] + 2 * before - reach) // stride + 1 if factor == 1 else factor * heights[source]
        )
        reads.append([(source, Reads(heights[source], stride, before, reach, factor))])
        reads[-1] += [
            (other, Reads(heights[other]))
            for other in range(place)
            if heights[other] == height and numbers.random() < 0.3
        ]
        heights.append(height)
    return [
        Flow(
            height,
            1,
            numbers.randrange(1, height + 1),
            tuple(read),
            place == count - 1 or numbers.random() < 0.2,
        )
        for place, (height, read) in enumerate(zip(heights, reads, strict=True))
    ]


@pytest.mark.parametrize("seed", range(40))
def test_blocks_read_rows_that_are_there(seed: int) -> None:
    flows = drawn_flows(random.Random(seed))
    found = schedule(flows)
    last_use: dict[tuple[int, int], int] = {}
    for step, (flow, begin, end) in enumerate(found.blocks):
        for source, read in flows[flow].reads:
            last_use |= dict.fromkeys(((source, row) for row in range(*read.rows(begin, end))), step)
    there: list[list[int]] = [[] for _ in flows]
    made = [0] * len(flows)
    for step, (flow, begin, end) in enumerate(found.blocks):
        assert begin == made[flow] and end - begin <= flows[flow].computed
        for source, read in flows[flow].reads:
            first, last = read.rows(begin, end)
            assert first < last <= made[source], "rows are computed before they are read"
        made[flow] = end
        used = flows[flow].whole
        there[flow] += range(begin, end)
        if not used:
            first = min((row for row in there[flow] if last_use.get((flow, row), -1) > step), default=end)
            there[flow] = [row for row in there[flow] if row >= min(first, begin)]
        assert len(there[flow]) <= found.kept[flow]
    wanted = [flow for flow, each in enumerate(flows) if each.whole]
    assert all(made[flow] == flows[flow].height == found.kept[flow] for flow in wanted)


def test_the_least_of_all_ways_to_cut_is_found() -> None:
    convolution = Reads(16, 1, 1, 3)
    sizes = [16 * each for each in (4000, 40000, 30000, 2000, 20000, 3000)]
    operations = [
        Operation(size, (place - 1,) if place else (), 16, ((place - 1, convolution),) if place else ())
        for place, size in enumerate(sizes)
    ]
    last = [*range(1, len(sizes)), len(sizes)]
    choices = [Choice(operations, last, max(sizes) // part, share) for part, share in SIZES[LEAST]]
    for choice in choices:
        cuts = itertools.chain.from_iterable(
            itertools.combinations(range(1, len(sizes)), count) for count in range(len(sizes))
        )
        ways = ([0, *cut, len(sizes)] for cut in cuts)
        least = min(max(choice._run(*ends)[0] for ends in itertools.pairwise(way)) for way in ways)
        assert choice.least(math.inf) == least
    runs = choose_runs(operations, last, LEAST)
    best = min(choice.least(math.inf) for choice in choices)
    assert runs and SLACK[LEAST] * best < max(a + b for a, b in itertools.pairwise(sizes))
