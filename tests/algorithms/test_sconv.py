"""sconv against the float64 reference: both schedules and packings of filters, any tile; packing alone."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import tvm
from algorithm_support import check, lowered
from covers import in_turns
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import ISA_TARGETS, Compiled, allocated_bytes, runnable_isas, runnable_target, with_threads
from test_direct_nhwc import workloads
from tvm import tirx

from intrinsics.isa import ISAS
from intrinsics.microkernel import PANEL
from intrinsics.packing.windows import WindowPacking
from tvm_directconv.algorithms import ALGORITHMS
from tvm_directconv.algorithms.lowering import attach_kernels, called_kernels
from tvm_directconv.algorithms.sconv.algorithm import choose_slices
from tvm_directconv.algorithms.sconv.geometry import Slices
from tvm_directconv.algorithms.sconv.slicing import slice_convolution
from tvm_directconv.errors import AlgorithmError
from tvm_directconv.problem.workload import Conv2dWorkload, Epilogue
from tvm_directconv.targets.target import CompileTarget, resolve_target

sconv = ALGORITHMS["sconv"]

FULL = Epilogue(bias=True, residual=True, low=0.0)
LAYOUT = "NCHW"
AVX512 = "llvm -mtriple=x86_64-linux-gnu -mcpu=skylake-avx512"

SHAPES = [
    Conv2dWorkload(1, 14, 14, 32, 64, (3, 3), padding=(1, 1, 1, 1), epilogue=FULL),
    Conv2dWorkload(2, 9, 9, 40, 40, (3, 2), (2, 3), (1, 0, 2, 1), (2, 1)),
    Conv2dWorkload(2, 9, 9, 20, 41, (1, 1), epilogue=FULL),
    Conv2dWorkload(1, 30, 31, 3, 35, (7, 7), (2, 2), (3, 3, 3, 3), epilogue=FULL),
    Conv2dWorkload(2, 7, 7, 64, 128, (3, 3), padding=(1, 1, 1, 1), groups=4),
    Conv2dWorkload(1, 7, 7, 16, 8, (3, 3), padding=(1, 1, 1, 1), groups=2),
    Conv2dWorkload(1, 5, 5, 600, 70, (3, 3), epilogue=FULL),
    Conv2dWorkload(1, 1, 1, 100, 300, (1, 1)),
    Conv2dWorkload(1, 7, 7, 1, 1, (1, 1)),
    Conv2dWorkload(1, 40, 3, 5, 7, (5, 1), (3, 1), (4, 0, 4, 0), filter_layout="HWIO"),
]
VARIANTS = [
    "chosen",
    "packed windows",
    "other schedule",
    "small sets",
    "run-time filters",
    "run-time filters, other schedule",
]


def slices(workload: Conv2dWorkload, target: CompileTarget, variant: str) -> Slices:
    knobs = sconv.plan(workload, target).knobs
    if "other schedule" in variant:
        knobs = replace(knobs, schedule={"IS": "WS", "WS": "IS"}[knobs.schedule], n_c=max(1, knobs.n_c // 2))
    if variant == "small sets":
        knobs = replace(knobs, n_c=max(1, knobs.n_c // 3), input_set=2, filter_set=2)
    in_place = knobs.in_place and variant != "packed windows"
    return replace(knobs, pack_filters_at_run_time="run-time" in variant, in_place=in_place)


@pytest.mark.slow
@pytest.mark.parametrize(("shape", "variant", "isa"), in_turns(SHAPES, VARIANTS, runnable_isas()), ids=str)
def test_shapes_in_every_variant(shape: Conv2dWorkload, variant: str, isa: str) -> None:
    target, workload = runnable_target(isa), shape.in_layouts(LAYOUT)
    check(sconv, workload, target, slices(workload, target, variant))


@pytest.mark.slow
@pytest.mark.parametrize("isa", ISA_TARGETS)
@settings(max_examples=16, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(data=st.data())
def test_any_shape_with_any_tile(isa: str, data: st.DataObject) -> None:
    target = runnable_target(isa)
    workload = data.draw(workloads().map(lambda w: w.in_layouts(LAYOUT)).filter(sconv.applies))
    of = ISAS[isa]
    vectors = data.draw(st.integers(1, 3))
    number = st.integers(1, 5)
    knobs = Slices(
        data.draw(st.integers(1, of.largest_mr(vectors * of.lanes, PANEL))),
        vectors * of.lanes,
        data.draw(st.integers(1, workload.in_channels // workload.groups)),
        data.draw(st.sampled_from(["IS", "WS"])),
        data.draw(number),
        data.draw(number),
        data.draw(st.booleans()),
        data.draw(st.booleans()),
    )
    check(sconv, workload, target, knobs)


def test_the_papers_tile_is_offered() -> None:
    target = resolve_target(AVX512)
    workload = SHAPES[0].in_layouts(LAYOUT)
    knobs = choose_slices(workload, ISAS["avx512"], target.machine, n_f=24, n_win=16)
    sliced = slice_convolution(workload, target.machine, n_f=24, n_win=16)
    assert (knobs.n_f, knobs.n_win, knobs.n_c, knobs.schedule) == (24, 16, sliced.n_c, sliced.schedule)
    func = lowered(sconv.plan(workload, target, knobs))
    assert any(name.startswith("f32_f32_f32_24x16_panel_avx512__") for name in called_kernels(func.body))
    check(sconv, workload, runnable_target("avx512"), knobs)


@pytest.mark.parametrize(
    ("out_channels", "in_channels", "size", "kernel"),
    [(64, 64, 224, 3), (128, 32, 7, 5), (64, 16, 55, 1), (1024, 256, 14, 1), (64, 3, 224, 3)],
)
def test_power10s_accumulators_are_filled(
    out_channels: int, in_channels: int, size: int, kernel: int
) -> None:
    """Tiles are of 8 filters by 16 windows, as the paper's, or of 16 by 8, which multiply as fast."""
    pads = (kernel // 2,) * 4
    layer = Conv2dWorkload(
        1, size, size, in_channels, out_channels, (kernel, kernel), padding=pads, data_layout="NCHW"
    )
    target = resolve_target("llvm -mtriple=powerpc64le-linux-gnu -mcpu=pwr10")
    knobs = choose_slices(layer, ISAS["mma"], target.machine)
    assert {knobs.n_f, knobs.n_win} == {8, 16}


@pytest.mark.slow
@pytest.mark.parametrize("isa", ["avx512"])
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_allocates_what_it_states(shape: Conv2dWorkload, variant: str, isa: str, tmp_path: Path) -> None:
    target, workload = runnable_target(isa), shape.in_layouts(LAYOUT)
    knobs = slices(workload, target, variant)
    func = lowered(sconv.plan(workload, target, knobs))
    executable = Compiled({"conv2d": func}, target)
    arrays = [np.zeros([int(e) for e in buffer.shape], np.float32) for buffer in func.params]
    plan = sconv.plan(workload, target, knobs)
    turns = workload.batch * workload.groups * plan.geometry.input_sets
    stated = plan.workspace_bytes
    tile = 4 * knobs.n_win * knobs.n_c * workload.kernel[0] * workload.kernel[1]
    filters = 4 * knobs.n_f * knobs.n_c * workload.kernel[0] * workload.kernel[1]
    stationary = knobs.schedule == "IS"
    if knobs.in_place:
        want = tile * (plan.geometry.windows % knobs.n_win != 0)
    else:
        want = tile * (1 if stationary else knobs.input_set)
    want += filters * (knobs.filter_set if stationary else 1) * knobs.pack_filters_at_run_time
    assert stated == want
    # One thread asks for it once in each of its turns, and gives it back.
    assert allocated_bytes(executable, "conv2d", arrays, tmp_path) == turns * stated


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_do_not_change_results(threads: int) -> None:
    workload = Conv2dWorkload(2, 20, 20, 40, 96, (3, 3), padding=(1, 1, 1, 1), epilogue=FULL)
    with_threads(
        threads, lambda: check(sconv, workload.in_layouts(LAYOUT), resolve_target("llvm -mcpu=native"))
    )


def test_many_planes_are_written_from_end_to_end() -> None:
    """An output that goes to L3 is not written in parts of all planes, one after the other."""
    target = resolve_target(AVX512)
    few = Conv2dWorkload(1, 190, 190, 1, 64, (3, 3), padding=(1, 1, 1, 1)).in_layouts(LAYOUT)
    assert sconv.plan(few, target).knobs.schedule == "WS"


@pytest.mark.parametrize("algorithm", ["sconv", "im2col_gemm"])
def test_strided_windows_take_longer_to_pack(algorithm: str) -> None:
    target, chosen = resolve_target(AVX512), ALGORITHMS[algorithm]
    plain = Conv2dWorkload(1, 64, 64, 16, 16, (2, 2)).in_layouts(LAYOUT)
    strided = Conv2dWorkload(1, 127, 127, 16, 16, (2, 2), (2, 2)).in_layouts(LAYOUT)
    assert plain.output_shape == strided.output_shape
    packing = [chosen.plan(each, target).cost().packing for each in (plain, strided)]
    assert packing[1] > 1.5 * packing[0] > 0


def test_report_tells_the_slicing() -> None:
    target, workload = resolve_target(AVX512), SHAPES[6].in_layouts(LAYOUT)
    told = sconv.plan(workload, target).describe()
    sliced = slice_convolution(workload, target.machine, n_f=told["n_f"], n_win=told["n_win"])
    assert (told["n_c"], told["k2"], told["k3"]) == (sliced.n_c, sliced.k2, sliced.k3)
    assert told["cost"] == {name: round(cost) for name, cost in sliced.cost.items()}
    assert told["cache_use"]["L1"] == sliced.cache_use[1]


def test_what_it_does_not_take_is_said() -> None:
    with pytest.raises(AlgorithmError, match="sconv needs NCHW data"):
        sconv.plan(SHAPES[0], resolve_target("llvm"))


@pytest.mark.slow
@pytest.mark.parametrize("isa", ISA_TARGETS)
def test_window_packing_keeps_its_contract(isa: str) -> None:
    target, rng = runnable_target(isa), random.Random(isa)
    for _ in range(30):
        packing = WindowPacking(
            ISAS[isa].lanes * rng.randint(1, 3),
            rng.randint(1, 9),
            rng.choice([1, 3, 7, 20, 50, 70]),
            (rng.randint(1, 4), rng.randint(1, 7)),
            rng.choice([1, 1, 2, 3, 4]),
            (rng.randint(1, 2), rng.randint(1, 2)),
            isa,
        )
        assert WindowPacking.parse(packing.name) == packing
        row, col = rng.randint(-3, packing.height), rng.randint(-5, packing.width)
        check_window_packing(packing, target, row, col, rng.randint(1, packing.n_win), rng.randint(1, 3))


def check_window_packing(
    packing: WindowPacking, target: CompileTarget, row: int, col: int, lanes: int, channels: int
) -> None:
    (kh, kw), (dilation_h, dilation_w) = packing.kernel, packing.dilation
    source = np.random.default_rng(0).standard_normal((channels, packing.height, packing.width), np.float32)
    want = np.full((channels, kh, kw, packing.n_win), 7, np.float32)
    for c, h, w, i in np.ndindex(channels, kh, kw, lanes):
        y, x = row + h * dilation_h, col + i * packing.stride + w * dilation_w
        inside = 0 <= y < packing.height and 0 <= x < packing.width
        want[c, h, w, i] = source[c, y, x] if inside else 0
    sizes = {"dst": want.size, "src": source.size}
    dst, src = (tirx.decl_buffer((size,), "float32", name) for name, size in sizes.items())
    numbers = [tirx.IntImm("int64", value) for value in (row, col, lanes, channels)]
    call = tirx.call_extern("int32", packing.name, dst.access_ptr("w"), src.access_ptr("r"), *numbers)
    func = tirx.PrimFunc([dst, src], attach_kernels(tirx.Evaluate(call))).with_attr("global_symbol", "pack")
    got = tvm.runtime.tensor(np.full(want.size, 7, np.float32))
    tvm.compile(func, target=target.tvm_target)(got, tvm.runtime.tensor(source.reshape(-1)))
    assert np.array_equal(got.numpy(), want.reshape(-1)), (packing.name, row, col, lanes, channels)
