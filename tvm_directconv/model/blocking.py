"""Sizes of cache blocks from the description of a machine and a micro-kernel's tile, nothing measured.

Low, Igual, Smith and Quintana-Orti, "Analytical Modeling Is Enough for High-Performance BLIS" (ACM TOMS 43,
2016): every operand that is to stay in a cache gets ways of it for itself. Barrachina et al., "Reformulating
the direct convolution for high-performance deep learning inference on ARM processors" (2023), take their
blocks from it: of the matrix product's mc x kc x nc the convolution's are

    w_ob (mc) output pixels of a row, whose packed block A stays in L2 while filters pass by;
    c_ib (kc) input channels, such that micro-panels of A and of the filter B share L1;
    c_ob (nc) output channels, whose filters stay in L3 (no cut where there is none).
"""

from __future__ import annotations

from dataclasses import dataclass

from tvm_directconv.targets.machine import CacheLevel, Machine

FLOAT_BYTES = 4
WAYS_FOR_C = 1
"""The output passes by: one way keeps it from evicting what stays (Low et al.)."""


@dataclass(frozen=True)
class CacheBlocks:
    """A block has these output pixels, input channels and output channels; ``c_ob`` 0 means all."""

    w_ob: int
    c_ib: int
    c_ob: int


def cache_blocks(machine: Machine, mr: int, nr: int, element_bytes: int = FLOAT_BYTES) -> CacheBlocks:
    """Return the blocks for micro-kernels of ``mr`` pixels by ``nr`` channels: multiples of mr, 1 and nr."""
    c_ib = block_depth(machine.cache(1), mr, nr, element_bytes)
    if len(machine.caches) < 2:
        return CacheBlocks(mr, c_ib, 0)
    w_ob = block_extent(machine.cache(2), mr, c_ib, nr, element_bytes)
    if len(machine.caches) < 3:
        return CacheBlocks(w_ob, c_ib, 0)
    return CacheBlocks(w_ob, c_ib, block_extent(machine.cache(3), nr, c_ib, w_ob, element_bytes))


def block_depth(cache: CacheLevel, mr: int, nr: int, element_bytes: int = FLOAT_BYTES) -> int:
    """Return kc, the most channels of which panels of ``mr`` and ``nr`` elements share L1 with a way for C,

        ways(mr * kc) + ways(nr * kc) + 1 <= W,    ways(e) = ceil(e * element_bytes * W / cache bytes).

    Low et al. solve this for a whole number of ways of A, floor((W - 1) / (1 + nr / mr)), for
    panels of A have to replace each other in their own sets. Consecutive panels do so whether or not they
    fill their ways, as any stretch of one panel's length touches each set equally often; and tiles wider
    than they are tall would leave half of L1 empty. Here A and B may take the ways in any proportion, which
    never gives less. With two ways nothing is kept for C; with one, A and B share it.
    """
    way = way_bytes(cache)
    if cache.ways == 1:
        return max(1, way // ((mr + nr) * element_bytes))
    ways = max(2, cache.ways - WAYS_FOR_C)
    depths = (
        min(of_a * way // (mr * element_bytes), (ways - of_a) * way // (nr * element_bytes))
        for of_a in range(1, ways)
    )
    return max(1, max(depths))


def block_extent(
    cache: CacheLevel, unit: int, depth: int, passing: int, element_bytes: int = FLOAT_BYTES
) -> int:
    """Return mc or nc, the largest multiple of ``unit`` such that a block of so many by ``depth`` elements
    stays in the cache while blocks of ``passing`` by ``depth`` pass by,

        extent = (W - 1 - ways(passing * depth)) ways / (depth * element_bytes),

    at least ``unit``. What passes L2 is the filter's micro-panel of nr; what passes L3 is a block of mc.
    """
    ways = max(1, cache.ways - WAYS_FOR_C - ways_filled(cache, passing * depth, element_bytes))
    extent = ways * way_bytes(cache) // (depth * element_bytes)
    return max(1, extent // unit) * unit


def way_bytes(cache: CacheLevel) -> int:
    """Return sets times line, which fills one line of every set."""
    return cache.size_bytes // cache.ways


def ways_filled(cache: CacheLevel, elements: int, element_bytes: int = FLOAT_BYTES) -> int:
    """Return the lines in the fullest set when that many consecutive elements lie in the cache."""
    return -(-elements * element_bytes // way_bytes(cache))
