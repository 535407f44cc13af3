"""packed_nhwc against the float64 reference with any blocks; its workspace against the paper's formula."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import tvm
from algorithm_support import lowered
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import (
    ISA_TARGETS,
    Compiled,
    allocated_bytes,
    assert_matches,
    operands,
    reference_conv2d,
    runnable_target,
    with_threads,
)
from test_direct_nhwc import ODD_SHAPES, workloads

from intrinsics.microkernel import PANEL, KernelInstance
from intrinsics.packing.panels import PREFIX, PanelPacking
from tvm_directconv import zoo
from tvm_directconv.algorithms import ALGORITHMS
from tvm_directconv.algorithms.lowering import called_kernels
from tvm_directconv.algorithms.packed_nhwc.geometry import Blocks
from tvm_directconv.errors import AlgorithmError
from tvm_directconv.model.blocking import cache_blocks
from tvm_directconv.problem.workload import Conv2dWorkload, Epilogue
from tvm_directconv.targets.target import CompileTarget, resolve_target

packed_nhwc = ALGORITHMS["packed_nhwc"]

FULL = Epilogue(bias=True, residual=True, low=0.0)
AVX512 = "llvm -mtriple=x86_64-linux-gnu -mcpu=skylake-avx512"

SHAPES = [w for w in ODD_SHAPES if packed_nhwc.applies(w)] + [
    Conv2dWorkload(1, 29, 29, 40, 70, (3, 3), padding=(1, 1, 1, 1), epilogue=FULL),
    Conv2dWorkload(2, 7, 7, 530, 33, (3, 3), padding=(1, 1, 1, 1), epilogue=FULL),
    Conv2dWorkload(2, 15, 15, 300, 520, (1, 1), epilogue=FULL),
    Conv2dWorkload(2, 20, 20, 24, 24, (3, 3), (2, 2), (1, 1, 1, 1), groups=2, epilogue=FULL),
    Conv2dWorkload(1, 3, 40, 5, 9, (1, 7), (1, 3), (0, 20, 0, 20), (1, 2)),
]
"""Odd ones, and some of several blocks in every direction, tails of all."""


def compiled(workload: Conv2dWorkload, target: CompileTarget, knobs: Blocks | None = None) -> Compiled:
    return Compiled({"conv2d": lowered(packed_nhwc.plan(workload, target, knobs))}, target)


def arguments(
    workload: Conv2dWorkload,
    target: CompileTarget,
    knobs: Blocks | None,
    arrays: tuple[np.ndarray | None, ...],
) -> list[np.ndarray]:
    """Return arrays as the compiled function takes them; the output is NaN, so that gaps in it are seen."""
    data, weights, *extra = arrays
    packed = packed_nhwc.plan(workload, target, knobs).pack(weights)
    output = np.full(workload.output_shape, np.nan, np.float32)
    return [a for a in (data, packed, *extra, output) if a is not None]


def check(workload: Conv2dWorkload, target: CompileTarget, knobs: Blocks | None = None) -> None:
    arrays = operands(workload)
    tensors = [tvm.runtime.tensor(a) for a in arguments(workload, target, knobs, arrays)]
    compiled(workload, target, knobs)["conv2d"](*tensors)
    assert_matches(tensors[-1].numpy(), reference_conv2d(workload, *arrays), f"{target} {knobs} {workload}")


@st.composite
def blocks(draw: st.DrawFn, workload: Conv2dWorkload, target: CompileTarget) -> Blocks:
    """Any legal blocks, not only those the model would choose."""
    isa = packed_nhwc.plan(workload, target).isa
    group_in, group_out = (c // workload.groups for c in (workload.in_channels, workload.out_channels))
    nr = isa.lanes * draw(st.integers(1, 3))
    mr = draw(st.integers(1, isa.largest_mr(nr, PANEL)))
    pixels = workload.batch * workload.height * workload.width
    w_ob = draw(st.integers(1, max(1, min(pixels, 3 * mr + 2))))
    return Blocks(
        mr,
        nr,
        w_ob,
        c_ib=draw(st.integers(1, group_in + 1)),
        c_ob=draw(st.integers(1, group_out + nr)),
        rows=draw(st.integers(1, workload.out_height + 1)),
    )


@pytest.mark.slow
@pytest.mark.parametrize("isa", ISA_TARGETS)
@settings(max_examples=20, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(data=st.data())
def test_any_shape_with_any_blocks(isa: str, data: st.DataObject) -> None:
    target = runnable_target(isa)
    workload = data.draw(workloads().filter(packed_nhwc.applies))
    check(workload, target, data.draw(blocks(workload, target)))


def check_workspace(workload: Conv2dWorkload, target: CompileTarget, knobs: Blocks, folder: Path) -> None:
    """min(w_ob, OW) x min(c_ib, IC) elements, counted at the runtime's allocator, once per piece of work."""
    width = workload.out_width
    if workload.kernel == workload.strides == (1, 1) and not any(workload.padding):
        width *= workload.batch * workload.out_height
    stated = packed_nhwc.plan(workload, target, knobs).workspace_bytes
    assert stated == 4 * min(knobs.w_ob, width) * min(knobs.c_ib, workload.in_channels // workload.groups)
    plan = packed_nhwc.plan(workload, target, knobs).geometry
    pieces = plan.batch * (plan.loop_lines // plan.rows) * workload.groups
    pieces *= plan.loop_filters // plan.block_filters
    given = arguments(workload, target, knobs, operands(workload))
    counted = allocated_bytes(compiled(workload, target, knobs), "conv2d", given, folder)
    assert counted == pieces * stated, f"{knobs} {workload}"


@pytest.mark.slow
@pytest.mark.parametrize("isa", ISA_TARGETS)
@pytest.mark.parametrize("workload", SHAPES, ids=str)
def test_shapes_in_the_papers_workspace(workload: Conv2dWorkload, isa: str, tmp_path: Path) -> None:
    target = runnable_target(isa)
    knobs = packed_nhwc.plan(workload, target).knobs
    check(workload, target, knobs)
    check_workspace(workload, target, knobs, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("extent", [1, 5, 10**6])
@pytest.mark.parametrize("workload", SHAPES[-5:], ids=str)
def test_workspace_of_other_blocks_is_too(workload: Conv2dWorkload, extent: int, tmp_path: Path) -> None:
    target = resolve_target("llvm")
    chosen = packed_nhwc.plan(workload, target).knobs
    knobs = replace(chosen, w_ob=extent, c_ib=max(1, extent // 2), rows=1 + extent % 3)
    check_workspace(workload, target, knobs, tmp_path)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_have_workspaces_of_their_own(threads: int) -> None:
    workload = Conv2dWorkload(2, 20, 20, 16, 48, (3, 3), padding=(1, 1, 1, 1), epilogue=FULL)
    with_threads(threads, lambda: check(workload, resolve_target("llvm -mcpu=native")))


def kernels(
    workload: Conv2dWorkload, target: CompileTarget
) -> tuple[list[KernelInstance], list[PanelPacking]]:
    func = lowered(packed_nhwc.plan(workload, target))
    names = set(called_kernels(func.body))
    packings = {name for name in names if name.startswith(PREFIX)}
    return [KernelInstance.parse(n) for n in names - packings], [PanelPacking.parse(n) for n in packings]


def test_bias_begins_the_first_pass_and_the_rest_ends_the_last() -> None:
    workload = Conv2dWorkload(1, 14, 14, 512, 32, (3, 3), padding=(1, 1, 1, 1), epilogue=FULL)
    tiles, _ = kernels(workload, resolve_target(AVX512))
    assert {(t.accumulate, t.epilogue.bias, t.epilogue.residual, t.epilogue.low == 0) for t in tiles} == {
        (False, True, False, False),
        (True, False, False, False),
        (True, False, True, True),
    }


@pytest.mark.parametrize(
    ("blocks", "out", "fetching"),
    [
        pytest.param(Blocks(6, 16, 49, 64, 64, 1), 64, 8, id="nine panels of pixels"),
        pytest.param(Blocks(6, 16, 6, 64, 64, 1), 64, 0, id="one panel of pixels"),
        pytest.param(Blocks(6, 16, 49, 64, 16, 1), 16, 0, id="one panel of the filter"),
    ],
)
def test_calls_on_a_panel_share_in_fetching_the_next(blocks: Blocks, out: int, fetching: int) -> None:
    workload = Conv2dWorkload(1, 7, 7, 64, out, (1, 1))
    target = resolve_target("llvm -mtriple=x86_64-linux-gnu -mcpu=haswell")
    func = lowered(packed_nhwc.plan(workload, target, blocks))
    tiles = [KernelInstance.parse(n) for n in called_kernels(func.body) if not n.startswith(PREFIX)]
    assert tiles and {tile.prefetch for tile in tiles} == {fetching}


def test_panels_are_packed_in_the_order_kernels_read() -> None:
    """Panels of mr rows and c_ib channels; rows outside the image are neither packed nor multiplied, but in
    the first and last pass, where their outputs have to be begun and ended."""
    workload = Conv2dWorkload(1, 9, 28, 64, 64, (3, 3), padding=(1, 1, 1, 1))
    tiles, packings = kernels(workload, resolve_target(AVX512))
    assert {(p.rows, p.length, p.row) for p in packings} == {(14, 64, 64), (13, 64, 64)}
    assert {(p.rows, p.first, p.last) for p in packings} == {
        (14, 0, 14), (13, 0, 13), (14, 1, 14), (14, 0, 13),
    }  # fmt: skip
    for tile in tiles:
        assert tile.kernel.layout == PANEL and (tile.a_row, tile.a_k) == (1, tile.kernel.mr)
    assert {tile.kernel.mr for tile in tiles if not tile.accumulate} == {14}


@pytest.mark.parametrize(
    "target",
    [
        f"{AVX512} -machine=znver5",
        "llvm -mtriple=x86_64-linux-gnu -mcpu=haswell",
        "llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-n1",
        "llvm -mtriple=powerpc64le-linux-gnu -mcpu=pwr10",
    ],
)
def test_blocks_stay_within_the_cache_model(target: str) -> None:
    resolved = resolve_target(target)
    for workload in SHAPES:
        plan = packed_nhwc.plan(workload, resolved).geometry
        most = plan.isa.largest_mr(plan.knobs.nr, PANEL)
        model = cache_blocks(resolved.machine, min(most, plan.out_width), plan.knobs.nr)
        assert plan.knobs.mr <= most and plan.c_ib <= model.c_ib
        assert plan.w_ob <= max(model.w_ob, most)


@pytest.mark.parametrize(
    ("name", "layers", "least", "megabytes"), [("resnet50", 46, 28, 0.11), ("inception_v1", 56, 40, 0.05)]
)
def test_the_papers_tile_is_chosen_on_the_papers_cpu(
    name: str, layers: int, least: int, megabytes: float
) -> None:
    """8x12 is the best of most layers there, of 31 of ResNet-50's 46 without strides, whose workspace is 0.05
    MB; GoogLeNet's is 0.23 (Table 1)."""
    carmel = resolve_target("llvm -mtriple=aarch64-linux-gnu -mcpu=carmel")
    tiles: Counter[tuple[int, int]] = Counter()
    workspace = 0
    for layer, count in zoo.convolution_layers(zoo.load_model(zoo.full_name(name))):
        if layer.strides == (1, 1):
            plan = packed_nhwc.plan(replace(layer, data_layout="NHWC", out_layout="NHWC"), carmel)
            tiles[plan.knobs.mr, plan.knobs.nr] += count
            workspace = max(workspace, plan.workspace_bytes)
    assert tiles.total() == layers and tiles[8, 12] >= least
    assert workspace / 1e6 < megabytes


def test_cost_has_all_parts_and_packing_weighs_less_with_more_channels() -> None:
    target = resolve_target(AVX512)
    few, many = (
        packed_nhwc.plan(Conv2dWorkload(1, 28, 28, 128, oc, (3, 3), padding=(1, 1, 1, 1)), target).cost()
        for oc in (32, 512)
    )
    for part in ("arithmetic", "packing", "traffic", "overhead"):
        assert getattr(few, part) > 0 and getattr(many, part) > 0
    assert many.packing == pytest.approx(few.packing, rel=0.2)
    assert many.packing / many.total < few.packing / few.total / 8


def test_what_it_does_not_take_is_said() -> None:
    depthwise = Conv2dWorkload(1, 8, 8, 16, 16, (3, 3), groups=16)
    nchw = Conv2dWorkload(1, 8, 8, 16, 16, (3, 3), data_layout="NCHW")
    for workload in (depthwise, nchw):
        assert not packed_nhwc.applies(workload)
        with pytest.raises(AlgorithmError, match="packed_nhwc needs NHWC data and does no depthwise layers"):
            packed_nhwc.plan(workload, resolve_target("llvm"))
