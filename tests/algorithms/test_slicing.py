"""Convolution Slicing Analysis: the published table, its constraints as properties, and its errors."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tvm_directconv.algorithms.sconv.slicing import Slicing, slice_convolution
from tvm_directconv.errors import AlgorithmError, WorkloadError
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import CacheLevel, Machine, known_machines

KIB = 1024


def machine(l1: int, l2: int, l3: int) -> Machine:
    """Intel's Skylake server core in all but the sizes, in KiB."""
    levels = ((l1, 8, 4), (l2, 16, 14), (l3, 16, 50))
    caches = tuple(CacheLevel(size * KIB, ways, 64, latency) for size, ways, latency in levels)
    return replace(known_machines()["skylake-avx512"], caches=caches)


PAPER = machine(32, 1024, 4096)
X86, POWER10 = {"n_f": 24, "n_win": 16}, {"n_f": 8, "n_win": 16}


def square(out_channels: int, in_channels: int, size: int, kernel: int) -> Conv2dWorkload:
    around = kernel // 2
    return Conv2dWorkload(
        1, size, size, in_channels, out_channels, (kernel, kernel), padding=(around,) * 4, data_layout="NCHW"
    )


@pytest.mark.parametrize(
    ("layer", "tile", "expected"),
    [
        # Table 2 of the paper: VGG16-2, GoogleNet-50, SqueezeNet-6, ResNet152-39, VGG16-1.
        ((64, 64, 224, 3), X86, (17, 72, 3, "WS")),
        ((128, 32, 7, 5), X86, (6, 4, 6, "WS")),
        ((64, 16, 55, 1), X86, (16, 190, 3, "WS")),
        ((1024, 256, 14, 1), X86, (154, 13, 43, "WS")),
        ((64, 3, 224, 3), X86, (3, 256, 3, "WS")),
        ((64, 64, 224, 3), POWER10, (29, 8, 196, "IS")),
        ((128, 32, 7, 5), POWER10, (10, 16, 4, "IS")),
        ((64, 16, 55, 1), POWER10, (16, 8, 190, "IS")),
        ((1024, 256, 14, 1), POWER10, (256, 94, 13, "IS")),
        ((64, 3, 224, 3), POWER10, (3, 8, 1935, "IS")),
    ],
)
def test_published_tiles(layer: tuple[int, int, int, int], tile: dict, expected: tuple) -> None:
    sliced = slice_convolution(square(*layer), PAPER, **tile)
    assert (sliced.n_c, sliced.k2, sliced.k3, sliced.schedule) == expected


sizes = st.sampled_from([1, 3, 7, 14, 31, 56, 112])


@st.composite
def cases(draw: st.DrawFn) -> tuple[Conv2dWorkload, Machine, dict]:
    workload = square(
        draw(st.integers(1, 600)), draw(st.integers(1, 600)), draw(sizes), draw(st.integers(1, 11))
    )
    l1 = draw(st.sampled_from([16, 32, 48, 64]))
    caches = machine(l1, l1 * draw(st.integers(4, 40)), l1 * draw(st.integers(64, 640)))
    shares = {name: draw(st.floats(0.3, 1)) for name in ("alpha", "beta", "gamma")}
    tile = {"n_f": draw(st.integers(1, 30)), "n_win": draw(st.sampled_from([4, 8, 16, 32]))}
    return workload, caches, shares | tile | {"heuristic": draw(st.sampled_from(["binary", "halving"]))}


def use(sliced: Slicing, schedule: str, k2: int, k3: int) -> tuple[int, int]:
    kept, moved = sliced.inputs, sliced.filters
    if schedule == "WS":
        kept, moved = moved, kept
    faster = k2 * (moved.bytes + sliced.output_bytes)
    return kept.bytes + faster, k3 * kept.bytes + faster


@settings(max_examples=200)
@given(cases())
def test_every_level_holds_its_tiles_and_no_more_would_fit(case: tuple) -> None:
    workload, caches, options = case
    sliced = slice_convolution(workload, caches, **options)
    l1, l2, l3 = (
        options[share] * caches.cache(level).size_bytes
        for level, share in ((1, "alpha"), (2, "beta"), (3, "gamma"))
    )
    kept, moved = sliced.inputs, sliced.filters
    if sliced.schedule == "WS":
        kept, moved = moved, kept
    assert 1 <= sliced.n_c <= workload.in_channels
    assert 1 <= sliced.k2 <= moved.count and 1 <= sliced.k3 <= kept.count
    assert sliced.cache_use[1] <= l1
    in_l2, in_l3 = use(sliced, sliced.schedule, sliced.k2, sliced.k3)
    assert (sliced.cache_use[2], sliced.cache_use[3]) == (in_l2, in_l3)
    assert in_l2 <= l2 or sliced.k2 == 1
    assert in_l3 <= l3 or sliced.k3 == 1
    if options["heuristic"] == "binary":
        taps = workload.kernel[0] * workload.kernel[1]
        one_more = 4 * ((sliced.n_win + sliced.n_f) * (sliced.n_c + 1) * taps + sliced.n_win * sliced.n_f)
        assert sliced.n_c == workload.in_channels or one_more > l1
        assert sliced.k2 == moved.count or use(sliced, sliced.schedule, sliced.k2 + 1, 1)[0] > l2
        assert sliced.k3 == kept.count or use(sliced, sliced.schedule, sliced.k2, sliced.k3 + 1)[1] > l3
    assert sliced.cost[sliced.schedule] == min(sliced.cost.values()) > 0
    assert sliced.channel_sets == -(-workload.in_channels // sliced.n_c)


def test_halving_goes_from_the_most_there_are() -> None:
    sliced = slice_convolution(square(64, 64, 224, 3), PAPER, **X86, heuristic="halving")
    assert (sliced.n_c, sliced.k3) == (16, 3)
    # 3136 input tiles, halved six times, are the first that fit beside 16 channels.
    assert sliced.k2 == 49


def test_tiles_shrink_where_no_channel_fits_l1() -> None:
    wide = Conv2dWorkload(1, 64, 64, 3, 8, (31, 31), padding=(15,) * 4, data_layout="NCHW")
    sliced = slice_convolution(wide, machine(16, 256, 4096), n_f=24, n_win=16)
    assert sliced.n_c == 1 and sliced.n_f * sliced.n_win < 24 * 16
    assert sliced.cache_use[1] <= 0.8 * 16 * KIB
    with pytest.raises(WorkloadError, match="does not fit L1"):
        huge = Conv2dWorkload(1, 99, 99, 1, 1, (99, 99), data_layout="NCHW")
        slice_convolution(huge, machine(16, 256, 4096), n_f=1, n_win=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"heuristic": "best"}, "heuristic 'best' is unknown; there are binary, halving"),
        ({"n_f": 0}, "n_f 0 and n_win 16 must be positive"),
        ({"alpha": 0.0}, "alpha 0.0"),
        ({"gamma": 1.5}, "gamma 1.5"),
    ],
)
def test_bad_arguments_are_refused(options: dict, message: str) -> None:
    with pytest.raises(AlgorithmError, match=message):
        slice_convolution(square(8, 8, 8, 3), PAPER, **(X86 | options))
