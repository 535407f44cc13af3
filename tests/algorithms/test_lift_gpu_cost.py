"""What a GPU's unit is estimated to take for its workgroups, against numbers worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from math import ceil

import pytest

from tvm_directconv.algorithms.lift.algorithm import Lift
from tvm_directconv.algorithms.lift.geometry import Geometry, geometry
from tvm_directconv.algorithms.lift.gpu_cost import (
    group_bytes,
    resident_groups,
    step_cycles,
    thread_instructions,
    unit_cycles,
)
from tvm_directconv.algorithms.lift.knobs import LiftKnobs
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.gpu import resolve_gpu_target

H200 = resolve_gpu_target("cuda -model=h200")
SMALL = replace(
    H200.machine,
    compute_units=2,
    lanes=4,
    fma_per_cycle=8,
    threads_per_unit=64,
    registers_per_thread=64,
    unit_cache_bytes_per_cycle=16,
    fetch_bytes_per_cycle=8,
    cache_latency_cycles=200,
)
"""Two units of two schedulers, whose warps are of four threads."""
LAYER = Conv2dWorkload(1, 8, 8, 16, 8, kernel=(1, 1))
POINT = LiftKnobs(
    tile_h=2,
    tile_w=8,
    pad_h=0,
    pad_w=0,
    filters=8,
    filter_threads=4,
    windows_h=2,
    windows_w=2,
    chunk=16,
    vector=4,
    pad="load",
)
"""Four workgroups of 16 threads, two on each unit; a thread has four windows, two filters and four steps."""
INSTRUCTIONS = 20 + 4 * (2 * 4 * 4 + 4 + 2 + 2) + 2 * 8
STEP = 4 * 32 / 16 + 2 * 64 / 16
"""Each window's 16 bytes are moved as 32, and a filter's vectors of four threads lie side by side."""
BYTES = 4 * (8 * 16 + 2 * 8 * 16)


def sizes(knobs: LiftKnobs = POINT, layer: Conv2dWorkload = LAYER) -> Geometry:
    found = geometry(layer, knobs, SMALL)
    assert found is not None
    return found


def unit(machine=SMALL, knobs: LiftKnobs = POINT) -> float:
    return unit_cycles(LAYER, knobs, sizes(knobs), machine, asks=False)


def test_instructions_loads_and_bytes_are_those_of_the_loops():
    assert thread_instructions(LAYER, POINT, sizes(), SMALL, asks=False) == INSTRUCTIONS
    assert thread_instructions(LAYER, POINT, sizes(), SMALL, asks=True) == INSTRUCTIONS + 4 * 4 * 3
    assert step_cycles(LAYER, POINT, sizes(), SMALL) == STEP
    assert group_bytes(LAYER, POINT, sizes(), SMALL) == BYTES


def test_the_longest_of_four_is_what_a_unit_takes():
    alone = INSTRUCTIONS + 4 * 200
    assert unit() == alone, "both workgroups run at once, and all wait for loads"
    assert unit(replace(SMALL, cache_latency_cycles=1)) == 2 * 4 * INSTRUCTIONS / 2
    assert unit(replace(SMALL, unit_cache_bytes_per_cycle=2)) == 2 * 4 * 4 * STEP * 8
    assert unit(replace(SMALL, fetch_bytes_per_cycle=1)) == 2 * BYTES


def test_workgroups_wait_for_each_other_where_registers_are_few():
    # 8 sums, five vectors of 4, and 24 others: room for 64 of 64 threads, for 32 of them, and for 8.
    assert sizes().registers + 24 == 52
    for registers, groups in {64: 4, 26: 2, 7: 0.5}.items():
        few = replace(SMALL, registers_per_thread=registers)
        assert resident_groups(sizes(), few) == pytest.approx(groups, rel=0.1), registers
    one = replace(SMALL, registers_per_thread=13)
    assert resident_groups(sizes(), one) == 1 and unit(one) == 2 * unit()


def test_a_tile_that_the_units_cache_does_not_hold_is_fetched_for_each_tap():
    layer = Conv2dWorkload(1, 8, 8, 16, 8, kernel=(3, 3), padding=(1, 1, 1, 1))
    knobs = replace(POINT, tile_h=4, tile_w=10, chunk=144)
    filters, held = 4 * 8 * 144, 4 * 4 * 10 * 16
    small = replace(SMALL, unit_cache_bytes=held)
    assert group_bytes(layer, knobs, sizes(knobs, layer), SMALL) == filters + held
    assert group_bytes(layer, knobs, sizes(knobs, layer), small) == filters + 9 * 4 * 2 * 8 * 16


def test_vectors_that_lie_apart_are_moved_apart():
    chunks = replace(POINT, filters=4, filter_threads=2, chunk=8)
    together, apart = (replace(chunks, coalesce=coalesce) for coalesce in (True, False))
    of_filters = 2 * 64 / 16
    assert step_cycles(LAYER, together, sizes(together), SMALL) == 4 * 32 / 16 + of_filters
    assert step_cycles(LAYER, apart, sizes(apart), SMALL) == 4 * 2 * 32 / 16 + of_filters


@pytest.mark.parametrize(("size", "channels", "filters"), [(224, 64, 64), (56, 128, 256), (14, 512, 512)])
def test_a_large_gpu_is_given_warps_for_all_its_schedulers(size, channels, filters):
    layer = Conv2dWorkload(1, size, size, channels, filters, (3, 3), padding=(1, 1, 1, 1))
    plan = Lift().plan(layer, H200)
    g, machine = plan.geometry, H200.machine
    warps = ceil(g.threads_x * g.threads_y / machine.lanes)
    assert g.groups_x * g.groups_y * warps >= 4 * machine.compute_units
    assert plan.cost().total < 3 * layer.flops / 2 / (machine.fma_per_cycle * machine.compute_units)
