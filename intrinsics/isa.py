"""Instruction sets as data, best first, and which of them a target's kernels are of."""

from __future__ import annotations

from dataclasses import replace

from .instruction_set import Isa, MmaIsa, PairsIsa, PartialSumsIsa
from .microkernel import DEPTHWISE, PANEL, ROW

__all__ = ["ISAS", "Isa", "best_isa"]

AVX512 = Isa("avx512", frozenset({"avx512f", "avx512vl", "avx512dq"}), 512, 32, True, True)
AVX2 = Isa("avx2", frozenset({"avx2", "fma"}), 256, 16)
MMA = MmaIsa(
    "mma",
    frozenset({"mma", "vsx", "power10-vector", "isa-v31-instructions"}),
    128,
    64,
    by_splat=True,
    most_rows=8,
)
VSX = Isa("vsx", frozenset({"vsx", "power8-vector"}), 128, 64, by_splat=True, most_rows=11)
NEON = Isa("neon", frozenset({"neon"}), 128, 32, by_element=True, most_rows=14)
PORTABLE = Isa("portable", frozenset(), 128, 16, mask_registers=True)
"""LLVM vectors without inline asm, for every target; 16 registers is what the poorest of them has.
LLVM masks by constants, which cost no register."""

AVX512VNNI = Isa(
    "avx512vnni",
    AVX512.features | {"avx512bw", "avx512vnni"},
    512,
    32,
    mask_registers=True,
    group=4,
    moves="s8",
    lhs=("u8", "s8"),
    rhs=("s8",),
    layouts=(ROW, DEPTHWISE),
)
"""Sums of four products of unsigned by signed bytes (vpdpbusd)."""

SIGNED, EITHER = ("s8",), ("u8", "s8")
AVX512MADDUBS = replace(
    AVX512VNNI,
    name="avx512maddubs",
    features=AVX512.features | {"avx512bw"},
    largest_weight=64,
    spare=2,
    instructions=3,
)
"""Sums of two products of unsigned by signed bytes in 16 bits (vpmaddubsw), then of those in 32: exact as
long as 2 * 255 * |weight| fits 16 bits."""
AVX512MADDWD = replace(
    AVX512MADDUBS, name="avx512maddwd", largest_weight=128, group=2, moves="", spare=1, instructions=2
)
"""Sums of two products of 16-bit numbers (vpmaddwd)."""
AVXVNNI = replace(
    AVX512VNNI,
    name="avxvnni",
    features=AVX2.features | {"avxvnni"},
    vector_bits=256,
    vector_registers=16,
    mask_registers=False,
)
AVX2MADDUBS = replace(
    AVXVNNI, name="avx2maddubs", features=AVX2.features, largest_weight=64, spare=2, instructions=3
)
AVX2MADDWD = replace(
    AVX2MADDUBS, name="avx2maddwd", largest_weight=128, group=2, moves="", spare=1, instructions=2
)

NEONI8MM = PairsIsa(
    "neoni8mm",
    frozenset({"neon", "i8mm"}),
    128,
    32,
    by_element=True,
    group=8,
    lhs=EITHER,
    rhs=EITHER,
    layouts=(PANEL,),
)
"""Products of 2x8 and 8x2 matrices (smmla, ummla, usmmla)."""
NEONMIXED = Isa(
    "neonmixed",
    frozenset({"neon", "dotprod", "i8mm"}),
    128,
    32,
    by_element=True,
    most_rows=14,
    group=4,
    lhs=EITHER,
    rhs=EITHER,
    layouts=(ROW,),
)
"""Sums of four products of bytes of any signs (sdot, udot, sudot, usdot)."""
NEONDOT = Isa(
    "neondot",
    frozenset({"neon", "dotprod"}),
    128,
    32,
    by_element=True,
    most_rows=14,
    group=4,
    moves="u8",
    lhs=EITHER,
    rhs=SIGNED,
    layouts=(ROW, PANEL),
)
"""Sums of four products of signed bytes (sdot)."""
NEONUDOT = replace(NEONDOT, name="neonudot", moves="", lhs=("u8",), rhs=("u8",))
"""Sums of four products of unsigned bytes (udot)."""
NEONSMLAL = PartialSumsIsa(
    "neonsmlal",
    NEON.features,
    128,
    32,
    group=16,
    moves="u8",
    lhs=EITHER,
    rhs=SIGNED,
    spare=8,
    layouts=(PANEL,),
    largest_weight=127,
)
"""Pairs of products of signed bytes summed in 16 bits (smull, smlal2, sadalp): two of -128 by -127 fit."""
NEONSMULL = replace(NEONSMLAL, name="neonsmull", largest_weight=128)
"""Products of signed bytes in 16 bits, summed in 32 (smull, sadalp)."""
NEONUMULL = replace(NEONSMULL, name="neonumull", moves="", lhs=("u8",), rhs=("u8",))
"""Products of unsigned bytes in 16 bits, summed in 32 (umull, uadalp)."""
NEONWIDE = Isa(
    "neonwide",
    NEON.features,
    128,
    32,
    by_element=True,
    lhs=EITHER,
    rhs=EITHER,
    layouts=(DEPTHWISE,),
)
"""Bytes of either sign widened to 16 bits (smlal)."""
MMABYTES = replace(MMA, name="mmabytes", group=4, moves="s8", lhs=EITHER, rhs=SIGNED, layouts=(ROW, PANEL))
"""Rank-4 updates of unsigned by signed bytes (xvi8ger4pp)."""
PORTABLEBYTES = Isa(
    "portablebytes", frozenset(), 128, 16, mask_registers=True, lhs=("u8", "s8"), rhs=("s8", "u8")
)

ISAS = {
    isa.name: isa
    for isa in (
        AVX512,
        AVX2,
        NEON,
        MMA,
        VSX,
        PORTABLE,
        AVX512VNNI,
        AVX512MADDUBS,
        AVX512MADDWD,
        AVXVNNI,
        AVX2MADDUBS,
        AVX2MADDWD,
        NEONI8MM,
        NEONMIXED,
        NEONDOT,
        NEONUDOT,
        NEONSMLAL,
        NEONSMULL,
        NEONUMULL,
        NEONWIDE,
        MMABYTES,
        PORTABLEBYTES,
    )
}
"""Best first of each kind: the first whose features a target has is used."""


def best_isa(
    features: frozenset[str],
    lhs: str = "f32",
    rhs: str = "f32",
    layout: str = ROW,
    largest_weight: int = 128,
) -> Isa:
    """The first instruction set whose every feature is in ``features`` (LLVM's names), and which has exact
    kernels of that layout of A for activations of type ``lhs`` and filters of type ``rhs``, whose weights
    are at most ``largest_weight`` in magnitude."""
    return next(
        isa
        for isa in ISAS.values()
        if isa.features <= features
        and lhs in isa.lhs
        and rhs in isa.rhs
        and layout in isa.layouts
        and largest_weight <= isa.largest_weight
    )
