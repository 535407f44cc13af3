"""Convolutions whose lanes span groups, against float64: borders, strides, dilation, tails, every tile."""

from __future__ import annotations

import pytest
from support import ISA_TARGETS, assert_matches, operands, reference_conv2d, runnable_target

from intrinsics.emit.column_walk import TapRegisters, input_rows
from intrinsics.isa import ISAS, best_isa
from intrinsics.microkernel import DEPTHWISE, KernelInstance, Lines, MicroKernel, Segment
from intrinsics.registry import emit
from relay_strategies.compiler.layer import Conv2dLayer
from tvm_directconv.algorithms import ALGORITHMS
from tvm_directconv.algorithms.spans.geometry import MOST_LINES, SpanTile, spans, taps_fit, tiles_of
from tvm_directconv.algorithms.spans.plan import SpanPlan
from tvm_directconv.problem.workload import Conv2dWorkload, Epilogue
from tvm_directconv.targets.target import CompileTarget, resolve_target

FULL = Epilogue(bias=True, residual=True, low=0.0)
direct_nhwc = ALGORITHMS["direct_nhwc"]


def grouped(
    height: int, width: int, channels: int, group: int, kernel: tuple[int, int], **others: object
) -> Conv2dWorkload:
    """Such a layer of ``group`` channels a group, its padding that of an output of the input's size."""
    dilation = others.get("dilation", (1, 1))
    reach = [(taps - 1) * each for taps, each in zip(kernel, dilation, strict=True)]  # type: ignore[call-overload]
    before, after = [r // 2 for r in reach], [r - r // 2 for r in reach]
    padding = others.pop("padding", (*before, *after))
    groups = channels // group
    return Conv2dWorkload(
        1,
        height,
        width,
        channels,
        channels,
        kernel,
        padding=padding,
        groups=groups,
        **others,  # type: ignore[arg-type]
    )


SHAPES = {
    "3x3": grouped(11, 13, 40, 1, (3, 3), epilogue=FULL),
    "one row": grouped(1, 9, 16, 1, (3, 3)),
    "two rows, batch": Conv2dWorkload(
        3, 2, 5, 21, 21, (3, 3), padding=(1, 1, 1, 1), groups=21, epilogue=FULL
    ),
    "5x5 of odd channels": grouped(9, 10, 19, 1, (5, 5), epilogue=FULL),
    "7x7": grouped(8, 9, 24, 1, (7, 7)),
    "9x9 wider than the image": grouped(5, 6, 17, 1, (9, 9), epilogue=FULL),
    "3x11": grouped(6, 15, 20, 1, (3, 11)),
    "11x1": grouped(15, 4, 20, 1, (11, 1), epilogue=FULL),
    "1x1": grouped(5, 6, 16, 1, (1, 1)),
    "stride 2": grouped(14, 15, 33, 1, (3, 3), strides=(2, 2), epilogue=FULL),
    "stride 3x1, even taps": grouped(14, 9, 18, 1, (4, 2), strides=(3, 1), padding=(0, 1, 2, 0)),
    "dilation 2": grouped(12, 12, 24, 1, (3, 3), dilation=(2, 2), epilogue=FULL),
    "dilation 2, stride 2": grouped(13, 12, 17, 1, (3, 3), dilation=(2, 1), strides=(2, 2)),
    "padding beyond the filter": grouped(4, 4, 16, 1, (3, 3), padding=(4, 5, 3, 4), epilogue=FULL),
    "no padding": grouped(10, 10, 24, 1, (3, 3), padding=(0, 0, 0, 0)),
    "multiplier 2": Conv2dWorkload(1, 9, 11, 13, 26, (3, 3), padding=(1, 1, 1, 1), groups=13, epilogue=FULL),
    "multiplier 2, stride 2": Conv2dWorkload(
        1, 9, 11, 23, 46, (5, 5), (2, 2), (2, 2, 2, 2), groups=23, epilogue=FULL
    ),
    "groups of 2": grouped(9, 10, 26, 2, (3, 3), epilogue=FULL),
    "groups of 4": grouped(10, 9, 44, 4, (3, 3), epilogue=FULL),
    "groups of 4, stride 2": grouped(11, 9, 20, 4, (5, 3), strides=(2, 2)),
    "groups of 8": grouped(8, 9, 40, 8, (3, 3), epilogue=FULL),
    "groups of 16": grouped(5, 7, 48, 16, (3, 3), dilation=(1, 2)),
}


def every_tile(workload: Conv2dWorkload, target: CompileTarget) -> list[SpanTile]:
    """Blocks that leave rows and channels over, by every tile of lines."""
    isa = best_isa(target)
    return [
        SpanTile(nr * isa.lanes, rows, lines, width, single)
        for lines, width in tiles_of(workload, isa)
        for nr, rows, single in ((2, max(lines, 3), 3), (8, workload.out_height, width))
    ]


@pytest.mark.slow
@pytest.mark.parametrize("isa", ISA_TARGETS)
@pytest.mark.parametrize("workload", SHAPES.values(), ids=SHAPES)
def test_result_is_the_definitions(workload: Conv2dWorkload, isa: str) -> None:
    """With the tile that the model chooses, and with one that it would not."""
    target = runnable_target(isa)
    if not spans(workload, best_isa(target)):
        pytest.skip(f"{isa} has no lanes of such groups")
    arrays = operands(workload)
    want = reference_conv2d(workload, *arrays)
    tiles = every_tile(workload, target)
    for tile in {tiles[0], tiles[-1]}:
        plan = direct_nhwc.plan(workload, target, tile)
        assert isinstance(plan, SpanPlan)
        layer = Conv2dLayer(workload, target, plan.implement(direct_nhwc.name, plan.cost()))
        assert_matches(layer(*arrays), want, f"{isa} {tile} {workload}")


@pytest.mark.slow
@pytest.mark.parametrize("isa", ISA_TARGETS)
@pytest.mark.parametrize("name", ["3x3", "stride 2", "dilation 2", "groups of 4", "two rows, batch"])
def test_result_is_the_definitions_with_every_tile(name: str, isa: str) -> None:
    workload, target = SHAPES[name], runnable_target(isa)
    arrays = operands(workload)
    want = reference_conv2d(workload, *arrays)
    for tile in every_tile(workload, target):
        plan = direct_nhwc.plan(workload, target, tile)
        layer = Conv2dLayer(workload, target, plan.implement(direct_nhwc.name, plan.cost()))
        assert_matches(layer(*arrays), want, f"{isa} {tile} {workload}")


DEPTHWISE_LAYER = grouped(56, 56, 144, 1, (3, 3))
GROUPS_OF_4 = grouped(56, 56, 128, 4, (3, 3))
CPUS = ("znver3", "skylake-avx512", "emeraldrapids", "znver5")


@pytest.mark.parametrize("cpu", CPUS)
def test_the_model_chooses_lines_and_whole_pixels(cpu: str) -> None:
    """The input of the layer comes from L2 or beyond."""
    tile = direct_nhwc.plan(DEPTHWISE_LAYER, resolve_target(f"llvm -mcpu={cpu}")).knobs
    assert isinstance(tile, SpanTile)
    assert (1 < tile.lines <= MOST_LINES, tile.nr) == (True, 144)


@pytest.mark.parametrize("shape", [(28, 28, 120, 1, (5, 5)), (28, 28, 256, 1, (7, 7))], ids=str)
def test_the_model_leaves_taps_their_registers(shape: tuple[int, int, int, int, tuple[int, int]]) -> None:
    """Else every multiply-add loads a pixel, and of 256 channels from L2."""
    plan = direct_nhwc.plan(grouped(*shape), resolve_target("llvm -mtriple=x86_64-linux-gnu -mcpu=znver4"))
    tile = plan.knobs
    assert isinstance(tile, SpanTile) and isinstance(plan, SpanPlan)
    assert taps_fit(plan.workload, plan.isa, tile.lines, tile.width)


@pytest.mark.parametrize("cpu", CPUS)
def test_the_model_fills_lanes_with_several_groups(cpu: str) -> None:
    target = resolve_target(f"llvm -mcpu={cpu}")
    plan = direct_nhwc.plan(GROUPS_OF_4, target)
    assert isinstance(plan, SpanPlan)
    # Otherwise a vector has four lanes of use.
    assert plan.cost().total < 0.75 * direct_nhwc.plan(GROUPS_OF_4, target, STRIPS).cost().total


STRIPS = direct_nhwc.plan(
    grouped(56, 56, 128, 32, (3, 3)), resolve_target("llvm -mtriple=x86_64-linux-gnu -mcpu=znver3")
).knobs


def instance(isa: str, mr: int, lines: Lines) -> KernelInstance:
    """A tile inside the image of a 3x3 layer of 64 channels."""
    lanes, width = ISAS[isa].lanes, mr // lines.count
    return KernelInstance(
        MicroKernel(mr, lanes, DEPTHWISE, isa),
        lanes,
        *(64, 56 * 64, 64, 3 * 64, 64),
        tuple(Segment(0, width, 64 * tap, 64 * tap, 1) for tap in range(3)),
        lines=lines,
    )


@pytest.mark.parametrize(
    ("isa", "mr", "lines", "most"),
    [
        ("avx2", 12, 1, 0.5),
        ("avx2", 8, 2, 0.5),
        ("avx512", 24, 2, 0.35),
        ("avx512", 20, 4, 0.3),
        ("neon", 24, 2, 0.35),
    ],
)
def test_vectors_are_loaded_far_less_often_than_multiplied(
    isa: str, mr: int, lines: int, most: float
) -> None:
    tile = instance(isa, mr, Lines(lines, 56 * 64, 56 * 64, 3 if lines > 1 else 0))
    code = emit(tile).split("sideeffect")[1].split('", "')[0].split("\\0A\\09")
    multiplied = [line for line in code if line.startswith(("vfmadd", "fmla"))]
    loaded = [line for line in code if line.startswith(("vmovups ", "ldr q")) and not line.endswith("(%rdi)")]
    stored = [line for line in code if line.endswith("(%rdi)")]
    folded = [line for line in multiplied if "(" in line]
    assert len(multiplied) == 9 * mr // (1 if lines > 1 else 3)
    assert len(stored) == (mr if "avx" in isa else 0)
    assert (len(loaded) + len(folded)) / len(multiplied) <= most


def test_every_pixel_is_met_once_and_every_product_made() -> None:
    rows = input_rows(instance("avx2", 8, Lines(2, 56 * 64, 56 * 64, 3)))
    columns = [column.a for row in rows for column in row.columns]
    assert len(columns) == len(set(columns)) == 4 * 6
    products = [
        (product.m, product.b) for row in rows for column in row.columns for product in column.products
    ]
    assert len(products) == len(set(products)) == 8 * 9


def test_registers_keep_the_taps_that_the_next_row_needs() -> None:
    rows = input_rows(instance("avx2", 8, Lines(2, 56 * 64, 56 * 64, 3)))
    loaded: list[int] = []
    taps = TapRegisters(rows, 1, "abcdef", lambda register, b, v: loaded.append(b))
    for row in rows:
        taps.begin(row)
        assert len({taps(b, 0) for b in row.taps}) == len(row.taps)
    assert taps.fit
    assert sorted(loaded) == [64 * tap for tap in range(9)]
    assert not TapRegisters(rows, 1, "abcde", lambda register, b, v: None).fit


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"group": 3}, "lanes are of groups of 3"),
        ({"lines": Lines(3, 1, 1, 3)}, "does not have 3 lines of equal width"),
        ({"kernel": MicroKernel(8, 8, "row", "avx2")}, "has neither lanes of groups nor several lines"),
    ],
)
def test_what_there_is_no_kernel_of_is_refused(change: dict[str, object], words: str) -> None:
    tile = instance("avx2", 8, Lines(2, 56 * 64, 56 * 64, 3))
    fields = {name: getattr(tile, name) for name in tile.__dataclass_fields__} | change
    with pytest.raises(ValueError, match=words):
        emit(KernelInstance(**fields))  # type: ignore[arg-type]
