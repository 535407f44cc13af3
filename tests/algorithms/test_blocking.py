"""The cache model: blocks fit the ways they are given, for any cache; published and hand-worked examples."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tvm_directconv.model.blocking import CacheBlocks, block_depth, block_extent, cache_blocks, ways_filled
from tvm_directconv.targets.machine import CacheLevel, Machine
from tvm_directconv.targets.machine_files import find_machine, known_machines

SANDY_BRIDGE_L1 = CacheLevel(32 * 1024, 8, 64, 4)
SANDY_BRIDGE_L2 = CacheLevel(256 * 1024, 8, 64, 12)


@st.composite
def caches(draw: st.DrawFn) -> CacheLevel:
    ways, line = draw(st.integers(1, 20)), draw(st.sampled_from([32, 64, 128]))
    return CacheLevel(ways * line * draw(st.sampled_from([16, 64, 100, 256, 1024])), ways, line, 4)


tiles = st.tuples(st.integers(1, 32), st.integers(1, 64))
element_bytes = st.sampled_from([1, 2, 4, 8])


def lines_per_set(cache: CacheLevel, start: int, elements: int, size: int) -> list[int]:
    """How many lines of each set a run of elements touches, counted one line after the other."""
    sets = cache.size_bytes // cache.ways // cache.line_bytes
    counts = [0] * sets
    for line in range(start // cache.line_bytes, (start + elements * size - 1) // cache.line_bytes + 1):
        counts[line % sets] += 1
    return counts


@given(caches(), tiles, element_bytes)
def test_panels_share_every_set_of_l1(cache: CacheLevel, tile: tuple[int, int], size: int) -> None:
    mr, nr = tile
    kc = block_depth(cache, mr, nr, size)
    assume(kc > 1)
    a, b = (lines_per_set(cache, 0, extent * kc, size) for extent in tile)
    for_c = 1 if cache.ways > 2 else 0
    if cache.ways > 1:
        assert max(a) + max(b) + for_c <= cache.ways
    else:
        assert (mr + nr) * kc * size <= cache.size_bytes


@given(caches(), tiles, element_bytes)
def test_one_channel_more_would_not_fit(cache: CacheLevel, tile: tuple[int, int], size: int) -> None:
    assume(cache.ways > 2)
    mr, nr = tile
    kc = block_depth(cache, mr, nr, size) + 1
    assert ways_filled(cache, mr * kc, size) + ways_filled(cache, nr * kc, size) + 1 > cache.ways


@given(caches(), tiles, element_bytes)
def test_never_less_than_whole_ways_of_a(cache: CacheLevel, tile: tuple[int, int], size: int) -> None:
    """Low et al.'s own form of the condition, where it gives A any way at all."""
    mr, nr = tile
    of_a = int((cache.ways - 1) * mr // (mr + nr))
    assume(of_a > 0)
    assert block_depth(cache, mr, nr, size) >= of_a * (cache.size_bytes // cache.ways) // (mr * size)


@given(caches(), tiles, st.integers(1, 512), st.integers(1, 4096), element_bytes)
def test_blocks_leave_room_for_what_passes(
    cache: CacheLevel, tile: tuple[int, int], depth: int, passing: int, size: int
) -> None:
    unit, _ = tile
    extent = block_extent(cache, unit, depth, passing, size)
    assert extent % unit == 0
    assume(extent > unit)
    of_block = max(lines_per_set(cache, 0, extent * depth, size))
    of_passing = max(lines_per_set(cache, 0, passing * depth, size))
    assert of_block + min(of_passing, cache.ways - 2) + 1 <= cache.ways


@given(caches(), tiles)
def test_monotone(cache: CacheLevel, tile: tuple[int, int]) -> None:
    mr, nr = tile
    kc = block_depth(cache, mr, nr)
    assert block_depth(cache, mr + 1, nr) <= kc and block_depth(cache, mr, nr + 1) <= kc
    assert block_depth(cache, mr, nr, 8) <= kc
    more_sets = replace(cache, size_bytes=2 * cache.size_bytes)
    assert block_depth(more_sets, mr, nr) >= kc
    more_ways = replace(
        cache, size_bytes=cache.size_bytes // cache.ways * (cache.ways + 2), ways=cache.ways + 2
    )
    assert block_depth(more_ways, mr, nr) >= kc
    assert block_extent(cache, mr, kc, nr) >= block_extent(cache, mr, kc, 64 * nr)


def test_sandy_bridge_as_published() -> None:
    """Low et al.: double precision, 8x4: A_r fills 4 ways of 4 KiB, B_r 2; kc = 4 * 4096 / 64 = 256. In L2
    B_r takes one way of 32 KiB, C one, and A_c six: mc = 6 * 32768 / (8 * 256) = 96."""
    kc = block_depth(SANDY_BRIDGE_L1, 8, 4, 8)
    assert kc == 256
    assert block_extent(SANDY_BRIDGE_L2, 8, kc, 4, 8) == 96


@pytest.mark.parametrize(
    ("machine", "tile", "blocks"),
    [
        # L1 way 4 KiB, 11 of 12 ways: 4 for A hold 4096 * 4 / 56 = 292, 7 for B 7 * 4096 / 128 = 224.
        # L2 way 64 KiB: B_r 28 KiB one way; 14 * 65536 / 896 = 1024 -> 73 tiles of 14.
        # L3 way 2 MiB: A_c 894 KiB one way; 14 * 2097152 / 896 = 32768.
        ("znver5", (14, 32), CacheBlocks(1022, 224, 32768)),
        # L1 way 4 KiB, 7 of 8: 2 for A hold 341, 5 for B 320. L2 way 32 KiB: B_r 20 KiB one;
        # 6 * 32768 / 1280 = 153 -> 150. L3 way 512 KiB: A_c 187.5 KiB one; 14 * 524288 / 1280 = 5734 -> 5728.
        ("haswell", (6, 16), CacheBlocks(150, 320, 5728)),
        # L1 way 16 KiB, 3 of 4: 1 for A holds 16384 / 32 = 512, 2 for B 682. L2 way 128 KiB: B_r 24 KiB
        # one; 6 * 131072 / 2048 = 384. No L3 is described.
        ("neoverse-n1", (8, 12), CacheBlocks(384, 512, 0)),
        # Two ways of 16 KiB, one for each panel: A 512, B 16384 / 48 = 341. L2 way 64 KiB: B_r 16 KiB one;
        # 14 * 65536 / 1364 = 672 -> 672.
        ("cortex-a72", (8, 12), CacheBlocks(672, 341, 0)),
    ],
)
def test_worked_by_hand(machine: str, tile: tuple[int, int], blocks: CacheBlocks) -> None:
    assert cache_blocks(find_machine(machine), *tile) == blocks


@pytest.mark.parametrize("machine", known_machines().values(), ids=lambda machine: machine.name)
def test_every_machine_has_blocks(machine: Machine) -> None:
    for mr, nr in ((8, 12), (14, 32), (6, 16), (1, 128), (30, 16)):
        blocks = cache_blocks(machine, mr, nr)
        assert blocks.w_ob % mr == 0 and blocks.c_ob % nr == 0
        held = 4 * blocks.c_ib * (mr + nr)
        assert machine.cache(1).size_bytes / 4 < held <= machine.cache(1).size_bytes
        assert (blocks.c_ob == 0) == (len(machine.caches) < 3)


def test_a_machine_with_one_cache_has_blocks_of_one_tile() -> None:
    machine = find_machine("haswell")
    assert cache_blocks(replace(machine, caches=machine.caches[:1]), 6, 16) == CacheBlocks(6, 320, 0)
