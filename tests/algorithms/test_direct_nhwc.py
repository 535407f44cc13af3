"""direct_nhwc against the float64 reference, on every instruction set; and its claim of no workspace."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from half_support import assert_within_bound, half_function, half_operands
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from support import (
    ISA_TARGETS,
    allocated_bytes,
    assert_matches,
    operands,
    reference_conv2d,
    run_together,
    runnable_target,
    with_threads,
)
from tvm import tirx

from intrinsics.isa import best_isa
from intrinsics.microkernel import ROW
from relay_strategies.compiler.layer import Conv2dLayer, build_conv2d
from relay_strategies.strategies.strategy import OpImplementation
from tvm_directconv import zoo
from tvm_directconv.algorithms import ALGORITHMS
from tvm_directconv.algorithms.epilogue import Operands
from tvm_directconv.algorithms.strips.calls import StripCalls
from tvm_directconv.algorithms.strips.geometry import StripGeometry, SumAxes, Tile
from tvm_directconv.errors import AlgorithmError, InputError, WorkloadError
from tvm_directconv.model.tiling import cover_row
from tvm_directconv.problem.workload import Conv2dWorkload, Epilogue
from tvm_directconv.targets.target import CompileTarget, resolve_target

direct_nhwc = ALGORITHMS["direct_nhwc"]

FULL = Epilogue(bias=True, residual=True, low=0.0)

ODD_SHAPES = [
    Conv2dWorkload(1, 14, 14, 8, 40, (3, 3), padding=(1, 1, 1, 1), epilogue=FULL),
    Conv2dWorkload(2, 9, 9, 8, 24, (3, 2), (2, 3), (1, 0, 2, 1), (2, 1), 2),
    Conv2dWorkload(1, 50, 3, 7, 41, (1, 1), epilogue=FULL),
    Conv2dWorkload(1, 5, 5, 1, 40, (5, 5)),
    Conv2dWorkload(1, 7, 7, 1, 1, (1, 1)),
    Conv2dWorkload(1, 1, 1, 1, 1, (1, 1), epilogue=Epilogue(low=-1.0, high=1.0)),
    Conv2dWorkload(2, 9, 11, 40, 40, (3, 2), (2, 3), (1, 0, 2, 1), (2, 1), 40, epilogue=FULL),
    Conv2dWorkload(1, 3, 3, 5, 6, (5, 5), padding=(4, 4, 4, 4), dilation=(2, 2)),
    Conv2dWorkload(1, 30, 31, 3, 16, (7, 7), (2, 2), (3, 3, 3, 3), epilogue=FULL),
    Conv2dWorkload(3, 1, 1, 100, 300, (1, 1), epilogue=FULL),
    Conv2dWorkload(1, 4, 4, 3, 5, (3, 3), (3, 3), (9, 9, 9, 9), epilogue=Epilogue(bias=True)),
    Conv2dWorkload(1, 13, 13, 6, 12, (1, 1), (2, 2), groups=3),
    Conv2dWorkload(1, 13, 12, 17, 19, (1, 5), (1, 2), (0, 2, 0, 1), filter_layout="HWIO"),
    Conv2dWorkload(1, 11, 8, 13, 7, (5, 1), (3, 1), (2, 0, 1, 0), filter_layout="OHWI"),
    Conv2dWorkload(1, 8, 8, 3, 35, (3, 3), padding=(1, 1, 1, 1), data_layout="NCHW", epilogue=FULL),
    Conv2dWorkload(1, 6, 6, 4, 8, (3, 3), groups=4, padding=(1, 1, 1, 1)),  # channel multiplier 2
]


@pytest.mark.parametrize("isa", ISA_TARGETS)
@pytest.mark.parametrize("workload", ODD_SHAPES, ids=str)
def test_odd_shapes(workload: Conv2dWorkload, isa: str, tmp_path: Path) -> None:
    """Without workspace, but for layers in NCHW."""
    layer = build_conv2d(workload, runnable_target(isa), direct_nhwc.name)
    arrays = operands(workload)
    assert_matches(layer(*arrays), reference_conv2d(workload, *arrays), f"{isa} {workload}")
    if workload.data_layout != "NHWC":
        return
    data, weights, bias, residual = arrays
    arguments = [data, layer.implementation.pack(weights), bias, residual]
    given = [a for a in arguments if a is not None] + [np.zeros(workload.output_shape, np.float32)]
    assert layer.workspace_bytes == 0
    assert allocated_bytes(layer.executable, "conv2d", given, tmp_path) == 0
    # Nor on the stack: no frame of the function holds an array.
    assert "alloca [" not in layer.executable.mod.inspect_source("ll").split("declare")[0]


dimension = st.sampled_from([1, 2, 3, 5, 7, 11, 13, 16, 17, 23, 29, 32])
small = st.integers(1, 3)


@st.composite
def workloads(draw: st.DrawFn) -> Conv2dWorkload:
    groups = draw(st.sampled_from([1, 1, 2, 3]))
    depthwise = draw(st.booleans())
    group_in = 1 if depthwise else draw(st.sampled_from([1, 2, 3, 8, 17]))
    groups = draw(dimension) if depthwise else groups
    group_out = 1 if depthwise else draw(dimension)
    bias, residual = draw(st.booleans()), draw(st.booleans())
    low, high = draw(st.sampled_from([(-math.inf, math.inf), (0.0, math.inf), (0.0, 6.0), (-2.0, 0.5)]))
    fields = {
        "batch": draw(st.integers(1, 3)),
        "height": draw(dimension),
        "width": draw(dimension),
        "in_channels": groups * group_in,
        "out_channels": groups * group_out,
        "kernel": (draw(st.integers(1, 5)), draw(st.integers(1, 5))),
        "strides": (draw(small), draw(small)),
        "padding": tuple(draw(st.integers(0, 3)) for _ in range(4)),
        "dilation": (draw(st.integers(1, 2)), draw(st.integers(1, 2))),
        "groups": groups,
        "filter_layout": draw(st.sampled_from(["OIHW", "HWIO", "OHWI"])),
        "epilogue": Epilogue(bias, residual, low, high),
    }
    try:
        return Conv2dWorkload(**fields)
    except WorkloadError:
        assume(False)
        raise


@st.composite
def tiles(draw: st.DrawFn, workload: Conv2dWorkload) -> Tile:
    """Any legal tile, not only those the model would choose."""
    vectors = draw(st.integers(1, 4))
    flat = workload.kernel == (1, 1) and workload.strides == (1, 1) and not any(workload.padding)
    pixels = workload.batch * workload.height * workload.width
    strip = draw(st.integers(1, pixels)) if flat else workload.out_width
    rows = draw(st.integers(1, max(1, min(7, workload.out_height))))
    return Tile(vectors, strip, rows, draw(st.booleans()))


@pytest.mark.slow
@pytest.mark.parametrize("isa", ISA_TARGETS)
@settings(max_examples=20, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(data=st.data())
def test_any_shape_with_any_tile(isa: str, data: st.DataObject) -> None:
    target = runnable_target(isa)
    workload = data.draw(workloads())
    tile = data.draw(tiles(workload))
    lanes = direct_nhwc.plan(workload, target).isa.lanes
    tile = replace(tile, nr=tile.nr * lanes)
    layer = layer_with_tile(workload, target, tile)
    arrays = operands(workload)
    assert_matches(layer(*arrays), reference_conv2d(workload, *arrays), f"{isa} {tile} {workload}")


def layer_with_tile(workload: Conv2dWorkload, target: CompileTarget, tile: Tile) -> Conv2dLayer:
    implementation = OpImplementation(direct_nhwc, direct_nhwc.plevel)
    return Conv2dLayer(workload, target, implementation.build(workload, target, tile))


def test_nchw_states_its_copies() -> None:
    workload = Conv2dWorkload(1, 8, 8, 3, 5, (3, 3), data_layout="NCHW", epilogue=Epilogue(residual=True))
    layer = build_conv2d(workload, "llvm", direct_nhwc.name)
    output_bytes = 4 * 6 * 6 * 5
    assert layer.workspace_bytes == 4 * 8 * 8 * 3 + 2 * output_bytes


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_do_not_change_results(threads: int) -> None:
    workload = Conv2dWorkload(2, 20, 20, 16, 48, (3, 3), padding=(1, 1, 1, 1), epilogue=FULL)
    layer = build_conv2d(workload, "llvm -mcpu=native")
    arrays = operands(workload)
    got = with_threads(threads, lambda: layer(*arrays))
    assert_matches(got, reference_conv2d(workload, *arrays), f"{threads} threads")


@lru_cache(maxsize=1)
def small_layer() -> tuple[Conv2dWorkload, Conv2dLayer]:
    workload = Conv2dWorkload(1, 4, 4, 3, 8, (3, 3), epilogue=Epilogue(bias=True))
    return workload, build_conv2d(workload, "llvm")


def test_wrong_operands_are_named() -> None:
    workload, layer = small_layer()
    data, weights, bias, _ = operands(workload)
    with pytest.raises(InputError, match=r"data must be float32 \(1, 4, 4, 3\), got float64"):
        layer(data.astype(np.float64), weights, bias)
    with pytest.raises(InputError, match="weights must be float32"):
        layer(data, weights[:1], bias)
    with pytest.raises(InputError, match="bias is missing"):
        layer(data, weights)
    with pytest.raises(InputError, match="residual is given, but the workload has none"):
        layer(data, weights, bias, data)


def test_time_is_positive() -> None:
    timing = small_layer()[1].time(repeat=2, min_repeat_ms=1)
    assert 0 < timing.best <= timing.median


def test_unknown_algorithm_is_named_with_the_nearest() -> None:
    workload, _ = small_layer()
    with pytest.raises(AlgorithmError, match="'direct_nchw' .*did you mean 'direct_nhwc'"):
        build_conv2d(workload, "llvm", "direct_nchw")


@pytest.mark.parametrize(
    ("workload", "tile"),
    [
        (Conv2dWorkload(1, 7, 7, 64, 64, (1, 1)), Tile(16, 49, 1, True)),
        (Conv2dWorkload(1, 14, 14, 64, 64, (1, 1)), Tile(8, 50, 1, True)),
        (Conv2dWorkload(1, 14, 14, 32, 64, (3, 3), padding=(1, 1, 1, 1)), Tile(16, 14, 14, True)),
        (Conv2dWorkload(1, 15, 9, 8, 40, (3, 3), groups=2), Tile(16, 7, 4, True)),
    ],
    ids=str,
)
def test_the_calls_on_a_panel_fetch_all_of_the_next(workload: Conv2dWorkload, tile: Tile) -> None:
    g = StripGeometry(workload, best_isa(runnable_target("avx2")), tile)
    panel = math.prod(g.packed_filter_shape[1:])
    for block in range(g.blocks):
        starts, share = [], 0
        for row in range(tile.rows):
            calls = calls_of(g, row, block)
            share = panel // calls.calls_fetching
            starts += [calls.ahead(part.x) for part in cover_row(g.strip, g.most_rows(tile.nr // 8))]
        following = (block + 1) % g.blocks * panel
        assert starts[0] == following
        assert all(later - start <= share for start, later in itertools.pairwise(starts))
        assert starts[-1] <= following + panel <= starts[-1] + share + panel // len(starts)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_images_of_a_batch_share_a_panel(dtype: str) -> None:
    """Where images are smaller than a filter panel, all of them pass by it: the filter is read once."""
    w = Conv2dWorkload(3, 4, 5, 16, 40, (3, 3), padding=(1, 1, 1, 1), dtype=dtype)
    target, tile = resolve_target("llvm -mcpu=native"), Tile(8, 5, 4)
    plan = direct_nhwc.plan(w, target, tile)
    assert plan.geometry.panels_first
    for other in (replace(w, batch=1), replace(w, height=40)):
        assert not direct_nhwc.plan(other, target, replace(tile, rows=other.height)).geometry.panels_first
    assert not direct_nhwc.plan(w, target, replace(tile, rows=2)).geometry.panels_first
    given = half_operands(w) if dtype != "float32" else operands(w)
    func, arrays = half_function(direct_nhwc, w, target, given, tile)
    (got,) = run_together([func], [arrays], target)
    assert_within_bound(got, w, given, plan.relative_error)


def test_one_call_alone_on_a_panel_fetches_nothing() -> None:
    geometry = StripGeometry(
        Conv2dWorkload(1, 2, 2, 64, 64, (1, 1)), best_isa(runnable_target("avx2")), Tile(16, 4, 1, True)
    )
    assert not calls_of(geometry, 0, 0).calls_fetching


def calls_of(geometry: StripGeometry, row: int, block: int) -> StripCalls:
    nowhere = tirx.decl_buffer((1,), "float32")
    operands = Operands(nowhere, nowhere, None, None, nowhere)
    return StripCalls(geometry, operands, nowhere, SumAxes(0, row, block, 0, 0), 0, tirx.IntImm("int32", 0))


def test_the_papers_tiles_are_chosen_on_the_papers_cpu() -> None:
    """6x16 is the best of all of GoogLeNet's layers there; 7x12 is the other one that it tried."""
    carmel = resolve_target("llvm -mtriple=aarch64-linux-gnu -mcpu=carmel")
    isa, tiles = best_isa(carmel), Counter[tuple[int, int]]()
    for layer, count in zoo.convolution_layers(zoo.load_model(zoo.full_name("inception_v1"))):
        if layer.strides == (1, 1):
            chosen = direct_nhwc.plan(replace(layer, data_layout="NHWC", out_layout="NHWC"), carmel).knobs
            tiles[chosen.mr or isa.largest_mr(chosen.nr, ROW), chosen.nr] += count
    assert tiles.total() == 56 and tiles[6, 16] >= 21 and tiles[6, 16] + tiles[7, 12] >= 35
