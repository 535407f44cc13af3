"""Tiles of pixels across row ends, for matrix units: exact, and as full as they are said to be."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import tvm
from byte_support import arguments, draw_operands, quantized, reference
from emulation.x86.functions import TILE_PRODUCTS, kernels_interpreted
from support import with_threads
from test_byte_algorithms import FULL

from intrinsics.microkernel import KernelInstance
from relay_strategies.strategies import conv2d_strategy
from relay_strategies.strategies.limits import Limits
from tvm_directconv.algorithms import ALGORITHMS
from tvm_directconv.algorithms.accuracy import BY_NAME
from tvm_directconv.algorithms.base import Algorithm
from tvm_directconv.algorithms.strips.geometry import can_cross
from tvm_directconv.algorithms.strips.tiles import tile_products
from tvm_directconv.model.tiling import tile_heights
from tvm_directconv.problem.quantized_types import QuantizedTypes
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import resolve_target

EMERALD_RAPIDS = resolve_target("llvm -mtriple=x86_64-linux-gnu -mcpu=emeraldrapids")
DIRECT, BORDERED = ALGORITHMS["direct_nhwc"], ALGORITHMS["bordered_nhwc"]
SAME = (1, 1, 1, 1)
STRIDED = Conv2dWorkload(2, 14, 14, 64, 33, (3, 3), (2, 2), SAME, epilogue=FULL)


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", [DIRECT, BORDERED], ids=lambda algorithm: algorithm.name)
@pytest.mark.parametrize(
    ("layer", "rows", "dtype", "zero"),
    [
        (Conv2dWorkload(1, 18, 18, 64, 40, (3, 3), padding=SAME, epilogue=FULL), 18, "uint8", 7),
        (STRIDED, 3, "int8", 0),
        (replace(STRIDED, padding=(0, 0, 0, 0)), 6, "uint8", 0),
        (Conv2dWorkload(2, 7, 7, 64, 32, (3, 3), padding=SAME, groups=2), 2, "int8", 5),
        (Conv2dWorkload(1, 7, 9, 20, 24, (3, 5), padding=(0, 2, 1, 1), epilogue=FULL), 6, "uint8", 9),
        (Conv2dWorkload(1, 28, 28, 64, 16, (3, 3), padding=(2, 2, 2, 2), dilation=(2, 2)), 14, "uint8", 1),
    ],
    ids=str,
)
def test_layers_across_rows_are_exact(
    layer: Conv2dWorkload, rows: int, dtype: str, zero: int, algorithm: Algorithm[Any]
) -> None:
    workload = quantized(layer, dtype, QuantizedTypes(dtype, zero, 9))
    knobs = replace(algorithm.plan(workload, EMERALD_RAPIDS).knobs, across=True, rows=rows)
    plan, operands = algorithm.plan(workload, EMERALD_RAPIDS, knobs), draw_operands(workload)
    assert plan.geometry.across and (plan.workspace_bytes > 0) == (algorithm is BORDERED)

    def run() -> np.ndarray:
        func, arrays = arguments(algorithm, workload, EMERALD_RAPIDS, operands, knobs)
        host = resolve_target("llvm -mcpu=native")
        module = tvm.compile(func.with_attr("global_symbol", "conv2d"), target=host.tvm_target)
        tensors = [tvm.runtime.tensor(array) for array in arrays]
        module["conv2d"](*tensors)
        return tensors[-1].numpy()

    with kernels_interpreted() as calls:
        got = with_threads(1, run)
    np.testing.assert_array_equal(got, reference(workload, operands), str(workload))
    products = tile_products(plan.geometry)
    if plan.geometry.group_in % 64 == 0 and products is not None:
        assert calls[TILE_PRODUCTS] == products.issued
        assert products.needed <= products.issued


def resnet50(dtype: str) -> Iterator[tuple[int, Conv2dWorkload]]:
    """Its 3x3 layers, and those of 1x1 up to 28x28, each with how many there are."""
    for count, size, narrow in ((3, 56, 64), (4, 28, 128), (6, 14, 256), (3, 7, 512)):
        yield count, Conv2dWorkload(1, size, size, narrow, narrow, (3, 3), padding=SAME, dtype=dtype)
        if size < 56:
            wide = 4 * narrow
            yield count - 1, Conv2dWorkload(1, size, size, wide, narrow, (1, 1), dtype=dtype)
            yield count, Conv2dWorkload(1, size, size, narrow, wide, (1, 1), dtype=dtype)


@pytest.mark.parametrize("dtype", ["bfloat16", "uint8"])
def test_tiles_of_resnet50_are_full(dtype: str) -> None:
    logarithms, layers, without = 0.0, 0, 0.0
    for count, layer in resnet50("bfloat16"):
        workload = layer if dtype == "bfloat16" else quantized(layer, dtype, QuantizedTypes(dtype, 0, 0))
        plan = DIRECT.plan(workload, EMERALD_RAPIDS)
        by_rows = DIRECT.plan(workload, EMERALD_RAPIDS, replace(plan.knobs, across=False))
        full, of_rows = (tile_products(each.geometry) for each in (plan, by_rows))
        assert full is not None and of_rows is not None and full.full <= 1
        assert plan.figures["tile_products"] == full.issued
        logarithms, layers = logarithms + count * math.log(full.full), layers + count
        without += count * math.log(of_rows.full)
    assert math.exp(logarithms / layers) > 0.85
    assert without < logarithms, "rows by themselves leave more of tiles empty"


@pytest.mark.parametrize(
    ("width", "most", "unit", "heights"),
    [
        (56, 32, 16, [(32, 1), (24, 1)]),
        (56, 32, 1, [(28, 2)]),
        (100, 32, 16, [(32, 3), (4, 1)]),
        (49, 96, 16, [(49, 1)]),
        (5, 9, 16, [(5, 1)]),
        (20, 9, 16, [(7, 2), (6, 1)]),
    ],
)
def test_heights_are_of_whole_tiles(width: int, most: int, unit: int, heights: list[tuple[int, int]]) -> None:
    assert tile_heights(width, most, unit) == heights


def test_filter_rows_of_few_channels_are_runs() -> None:
    first = Conv2dWorkload(1, 30, 30, 3, 16, (7, 7), (2, 2), (3, 3, 3, 3), dtype="bfloat16")
    of_runs = BORDERED.plan(first, EMERALD_RAPIDS).geometry
    assert (of_runs.workload.in_channels, of_runs.workload.kernel) == (32, (7, 1))
    assert of_runs.source.pixel == 6
    for apart in (
        replace(first, dilation=(1, 2)),
        replace(first, in_channels=6, groups=2),
        replace(first, kernel=(1, 7)),
    ):
        assert BORDERED.plan(apart, EMERALD_RAPIDS).geometry.workload.kernel == apart.kernel


def test_where_memory_is_short_nothing_is_bordered() -> None:
    layer = Conv2dWorkload(1, 28, 28, 128, 128, (3, 3), padding=SAME, dtype="bfloat16")
    strategy = conv2d_strategy(layer, EMERALD_RAPIDS)
    assert strategy.select(layer, EMERALD_RAPIDS).name == "bordered_nhwc"
    assert strategy.select(layer, EMERALD_RAPIDS, limits=Limits(workspace_bytes=0)).name == "direct_nhwc"
    vectors = resolve_target("llvm -mtriple=x86_64-linux-gnu -mcpu=znver4")
    assert BORDERED.accuracy(layer, vectors) == BY_NAME


def test_who_goes_across_rows() -> None:
    vectors = DIRECT.plan(STRIDED, EMERALD_RAPIDS).isa
    assert vectors.tile_rows == 1 and not can_cross(STRIDED, vectors)
    half = replace(STRIDED, dtype="bfloat16")
    tiles = DIRECT.plan(half, EMERALD_RAPIDS).isa
    assert can_cross(half, tiles)
    assert not can_cross(replace(half, kernel=(1, 1), strides=(1, 1), padding=(0, 0, 0, 0)), tiles)
    assert not can_cross(replace(half, padding=(0, 0, 9, 9)), tiles)


def test_functions_of_one_task_have_tiles_too() -> None:
    """TVM drops loops of one trip, and with them what tasks begin with."""
    workload = replace(Conv2dWorkload(1, 1, 1, 32, 16, (1, 1)), dtype="bfloat16")
    plan = DIRECT.plan(workload, EMERALD_RAPIDS)
    func = plan.schedule(plan.compute()).with_attr("global_symbol", "conv2d")
    assembly = tvm.compile(func, target=EMERALD_RAPIDS.tvm_target).mod.inspect_source("asm")
    assert "ldtilecfg" in assembly and "tilerelease" in assembly and "tdpbf16ps" in assembly


def test_names_hold_rows_left_out() -> None:
    segments = "s0.14.-64.0.32.3.7_s1.2.0.5.32"
    name = f"bf16_bf16_bf16_16x16_row_amxbf16__n16_a32.64_b32.64_c16_w3.-16_r5.96.11.-8_{segments}"
    instance = KernelInstance.parse(name)
    assert instance.name == name and instance.segments[0].skipped == (3, 7)
    assert (instance.a_offset(4), instance.a_offset(5), instance.a_offset(12)) == (128, 256, 376)
    assert instance.bias_offset(4) == -16
