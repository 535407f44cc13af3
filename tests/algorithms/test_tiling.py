"""What decides between micro-kernels of equal rate: sets of L1, parts of pixels, kernels' code."""

from __future__ import annotations

from dataclasses import replace

import pytest

from intrinsics.isa import ISAS, best_isa
from intrinsics.microkernel import ROW, MicroKernel
from tvm_directconv.algorithms import ALGORITHMS
from tvm_directconv.algorithms.direct_nhwc import choose_tile
from tvm_directconv.algorithms.strips.geometry import Tile, pixels_read
from tvm_directconv.algorithms.strips.plan import strip_plan
from tvm_directconv.model.tiling import pixels_kept, step_cycles
from tvm_directconv.problem.element_types import HALVES
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import resolve_target

ZEN5 = resolve_target("llvm -mtriple=x86_64-linux-gnu -mcpu=znver5")
ISA = best_isa(ZEN5)


@pytest.mark.parametrize(
    ("pixel_bytes", "kept"), [(4096, 9), (8192, 9), (2048, 18), (1024, 36), (640, 9 * 32), (12, 9 * 64)]
)
def test_pixels_that_share_sets_of_l1(pixel_bytes: int, kept: int) -> None:
    """48 KB in 12 ways of 64 sets."""
    assert pixels_kept(ZEN5.machine, pixel_bytes) == kept


def test_kernels_taller_than_the_ways_wait_for_l2() -> None:
    tall, low = (MicroKernel(mr, 32, ROW, ISA.name) for mr in (14, 9))
    assert step_cycles(ISA, ZEN5.machine, tall, 4096) > step_cycles(ISA, ZEN5.machine, tall, 2048)
    assert step_cycles(ISA, ZEN5.machine, tall, 2048) == step_cycles(ISA, ZEN5.machine, tall) == 14
    assert step_cycles(ISA, ZEN5.machine, low, 4096) == 9


def chosen(height: int, channels: int, out: int, kernel: int) -> Tile:
    pad = kernel // 2
    workload = Conv2dWorkload(
        1, height, height, channels, out, (kernel, kernel), padding=(pad, pad, pad, pad)
    )
    return choose_tile(workload, ISA, ZEN5.machine)


def test_choices() -> None:
    assert chosen(14, 1024, 256, 1).mr == 9
    assert (chosen(14, 256, 256, 3).nr, chosen(14, 256, 256, 3).mr) == (32, 0)
    # Whole pixels at once, where they are written to L3.
    assert chosen(224, 3, 64, 3).nr == 64
    # No tail for its own kernels.
    assert chosen(13, 512, 128, 1).nr == 32


@pytest.mark.parametrize(
    ("layer", "nr"),
    [
        pytest.param((7, 7, 512, 512), 24, id="read twice from L3"),
        pytest.param((14, 14, 512, 512), 16, id="read by many tiles"),
        pytest.param((6, 65, 2048, 64), 16, id="no panel fits"),
    ],
)
def test_panels_beyond_l2_are_weighed(layer: tuple[int, int, int, int], nr: int) -> None:
    """Measured on a Zen 3, with 512 KiB of L2: 24 channels by 1.07 over 8, 16 by 1.05 over 24, 16 by 1.57
    over 8."""
    height, width, channels, out = layer
    workload = Conv2dWorkload(1, height, width, channels, out, (3, 3), padding=(1, 1, 1, 1))
    target = resolve_target("llvm -mtriple=x86_64-linux-gnu -mcpu=znver3")
    assert ALGORITHMS["direct_nhwc"].plan(workload, target).knobs.nr == nr


def test_strided_pointwise_layers_read_a_quarter() -> None:
    strided = Conv2dWorkload(1, 28, 28, 512, 1024, (1, 1), (2, 2))
    assert pixels_read(strided) == 0.25
    assert pixels_read(Conv2dWorkload(1, 28, 28, 8, 8, (3, 2), (2, 3))) == pytest.approx(2 / 3)
    plan = ALGORITHMS["direct_nhwc"].plan(strided, ZEN5)
    whole = Conv2dWorkload(1, 28, 28, 512, 1024, (2, 2), (2, 2))
    assert plan.cost().traffic < strip_plan(whole, ISA, ZEN5.machine, plan.knobs).cost().traffic


@pytest.mark.parametrize(
    ("cpu", "faster"),
    [
        ("aarch64-linux-gnu -mcpu=cortex-a72", set()),
        ("aarch64-linux-gnu -mcpu=neoverse-n1", {"float16"}),
        ("aarch64-linux-gnu -mcpu=apple-m1", {"float16"}),
        ("aarch64-linux-gnu -mcpu=cortex-a710", set(HALVES)),
        ("powerpc64le-linux-gnu -mcpu=pwr9", set()),
        ("powerpc64le-linux-gnu -mcpu=pwr10", set(HALVES)),
    ],
)
def test_half_precision_is_estimated_faster_where_it_is_multiplied(cpu: str, faster: set[str]) -> None:
    """And not where it is only widened."""
    layer = Conv2dWorkload(1, 28, 28, 128, 128, (3, 3), padding=(1, 1, 1, 1))
    target, algorithm = resolve_target(f"llvm -mtriple={cpu}"), ALGORITHMS["direct_nhwc"]
    in_floats = algorithm.plan(layer, target).cost().total
    of_halves = {kind: algorithm.plan(replace(layer, dtype=kind), target).cost().total for kind in HALVES}
    assert {kind for kind, cycles in of_halves.items() if cycles < in_floats} == faster
    # What is summed in float16 is added to sums of float32 from time to time.
    assert all(of_halves[kind] < 0.68 * in_floats for kind in faster)


@pytest.mark.parametrize(
    ("cpu", "kernel", "block", "cycles"),
    [
        ("neoverse-n1", "f16_f16_f16_13x4_row_neonfp16", 64, 459),
        ("neoverse-n1", "f16_f16_f16_13x8_row_neonfp16", 64, 498),
        ("neoverse-n1", "f16_f16_f16_10x16_row_neonfp16", 64, 766),
        ("neoverse-n1", "f16_f16_f16_6x32_row_neonfp16", 64, 920),
        ("cortex-a76", "f16_f16_f16_7x20_row_neonfp16", 64, 784),
        ("neoverse-v1", "f16_f16_f16_13x4_row_neonfhm", 32, 115),
        ("neoverse-v1", "f16_f16_f16_10x16_row_neonfhm", 32, 186),
        ("neoverse-v1", "f16_f16_f16_6x32_row_neonfhm", 32, 223),
        ("neoverse-v2", "f16_f16_f16_13x4_row_neonfhm", 32, 119),
        ("neoverse-v2", "f16_f16_f16_13x8_row_neonfhm", 32, 126),
        ("neoverse-v2", "f16_f16_f16_6x32_row_neonfhm", 32, 223),
    ],
)
def test_blocks_of_float16_take_what_llvm_mca_says(cpu: str, kernel: str, block: int, cycles: int) -> None:
    """llvm-mca 22 on a whole block: its inner loop as often as it runs, and all else, which is the last steps
    and what adds the block to float32 sums."""
    parsed, target = MicroKernel.parse(kernel), resolve_target(f"llvm -mtriple=aarch64-linux-gnu -mcpu={cpu}")
    isa = ISAS[parsed.isa]
    assert isa.half_terms == block
    assert block * step_cycles(isa, target.machine, parsed) == pytest.approx(cycles, rel=0.05)
