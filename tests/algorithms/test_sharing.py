"""How threads share strips: what each is given, counted piece by piece, and the block sizes chosen for it."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from intrinsics.isa import best_isa
from tvm_directconv.algorithms.direct_nhwc import choose_tile
from tvm_directconv.algorithms.strips.plan import StripPlan, strip_plan
from tvm_directconv.algorithms.strips.sharing import SLACK, busiest, busiest_of, even_rows
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import resolve_target

TARGETS = (
    "llvm -mtriple=x86_64-linux-gnu -mcpu=znver3",
    "llvm -mtriple=x86_64-linux-gnu -mcpu=sapphirerapids",
    "llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-n1",
)
PAD = (1, 1, 1, 1)
LAYERS = {
    "first": Conv2dWorkload(1, 224, 224, 3, 64, (7, 7), (2, 2), (3, 3, 3, 3)),
    "odd rows": Conv2dWorkload(1, 28, 28, 128, 128, (3, 3), padding=PAD),
    "wide": Conv2dWorkload(1, 28, 28, 32, 192, (1, 1)),
    "narrow": Conv2dWorkload(1, 28, 28, 192, 32, (1, 1)),
    "groups": Conv2dWorkload(1, 28, 28, 128, 128, (3, 3), padding=PAD, groups=4),
    "two images": Conv2dWorkload(2, 14, 14, 64, 96, (3, 3), padding=PAD),
    "deep": Conv2dWorkload(1, 7, 7, 960, 320, (1, 1)),
    "panels first": Conv2dWorkload(3, 7, 7, 512, 520, (3, 3), padding=PAD),
}
each_layer = pytest.mark.parametrize("workload", LAYERS.values(), ids=LAYERS)


def chosen(workload: Conv2dWorkload, target: str = TARGETS[0]) -> StripPlan:
    resolved = resolve_target(target)
    isa = best_isa(resolved)
    return strip_plan(workload, isa, resolved.machine, choose_tile(workload, isa, resolved.machine))


@each_layer
@pytest.mark.parametrize("threads", [1, 2, 3, 8, 500])
def test_the_busiest_thread_is_the_one_that_counting_finds(workload: Conv2dWorkload, threads: int) -> None:
    g = chosen(workload).geometry
    extent, unit = (g.pixels, g.strip) if g.flattened else (workload.out_height, 1)
    rows = [
        sum(1 for at in range(block * g.tile.rows * unit, (block + 1) * g.tile.rows * unit) if at < extent)
        for _ in range(g.batch)
        for block in range(g.out_height // g.tile.rows)
    ]
    widths = [min(g.nr, g.group_out - at * g.nr) for _ in range(g.groups) for at in range(g.group_blocks)]
    outer, inner = (widths, rows) if g.panels_first else (rows, widths)
    pieces = [first * second for first in outer for second in inner]
    run = math.ceil(len(pieces) / threads)
    most = max(sum(pieces[start : start + run]) for start in range(0, len(pieces), run))
    assert busiest_of(g, threads) == pytest.approx(most / sum(pieces))


@each_layer
@pytest.mark.parametrize("target", TARGETS)
def test_two_threads_get_the_same_at_no_cost_to_one(workload: Conv2dWorkload, target: str) -> None:
    plan = chosen(workload, target)
    assert busiest_of(plan.geometry, 2) < 0.53
    others = (
        replace(plan, knobs=replace(plan.knobs, **cut))
        for cut in ({"rows": 1}, {"rows": workload.out_height})
    )
    cuts = [other for other in others if not plan.geometry.flattened]
    assert all(plan.cost().total <= SLACK * other.cost().total for other in cuts)


@pytest.mark.parametrize(
    ("name", "by_rows"), [("wide", True), ("narrow", True), ("odd rows", True), ("deep", False)]
)
def test_runs_are_of_rows_where_activations_outweigh_the_filter(name: str, by_rows: bool) -> None:
    g = chosen(LAYERS[name]).geometry
    row_blocks = g.batch * g.out_height // g.tile.rows
    assert (row_blocks >= 2) == by_rows


@pytest.mark.parametrize(
    ("height", "step", "channels", "images"),
    [
        (28, 3, [192], 1),
        (56, 3, [144], 1),
        (112, 3, [32], 1),
        (14, 1, [64] * 6, 1),
        (7, 1, [96], 2),
        (1, 1, [8], 1),
    ],
)
def test_blocks_of_lines_are_shared_evenly(height: int, step: int, channels: list[int], images: int) -> None:
    rows = even_rows(height, range(step, height + step, step), channels, images)
    assert rows % step == 0 and rows < height + step
    blocks = [min(rows, height - start) for start in range(0, height, rows)] * images
    assert height == 1 or busiest(blocks, channels, 2) <= 0.54
