"""The list of instruction sets, best first, and which of them a target's kernels are of."""

from __future__ import annotations

from .arm import bfloat16, dotprod, float16, i8mm, neon, widening
from .arm import halves as neon_halves
from .instruction_set import Isa, Processor
from .microkernel import ROW
from .portable import bytes as portable_bytes
from .portable import floats as portable_floats
from .portable import halves as portable_halves
from .power import mma, mma_bytes, mma_halves, vsx
from .riscv import bytes as rvv_bytes
from .riscv import halves as rvv_halves
from .riscv import rvv
from .x86 import amx, avx2, avx2_bytes, avx2_halves, avx512, avx512_bytes, avx512_halves
from .x86 import float16 as x86_float16

__all__ = ["ISAS", "Isa", "best_isa"]

ISAS: dict[str, Isa] = {
    isa.name: isa
    for isa in (
        avx512.AVX512,
        avx2.AVX2,
        neon.NEON,
        mma.MMA,
        vsx.VSX,
        rvv.RVV,
        portable_floats.PORTABLE,
        bfloat16.NEONBFMMLA,
        bfloat16.NEONBF16,
        float16.NEONFHM,
        float16.NEONFP16,
        neon_halves.NEONHALVES,
        mma_halves.MMAHALVES,
        rvv_halves.RVVFP16,
        rvv_halves.RVVBF16,
        amx.AMXBF16,
        avx512_halves.AVX512BF16,
        x86_float16.AVX512FP16,
        avx512_halves.AVX512BF16HALVES,
        avx512_halves.AVX512HALVES,
        avx2_halves.AVX2HALVES,
        portable_halves.PORTABLEHALVES,
        amx.AMXINT8,
        avx512_bytes.AVX512VNNI,
        avx512_bytes.AVX512MADDUBS,
        avx512_bytes.AVX512COMPLEMENT,
        avx512_bytes.AVX512MADDWD,
        avx2_bytes.AVXVNNI,
        avx2_bytes.AVX2MADDUBS,
        avx2_bytes.AVX2COMPLEMENT,
        avx2_bytes.AVX2SIGNS,
        avx2_bytes.AVX2MADDWD,
        i8mm.NEONI8MM,
        dotprod.NEONMIXED,
        dotprod.NEONDOT,
        dotprod.NEONUDOT,
        widening.NEONSMLAL,
        widening.NEONSMULL,
        widening.NEONUMULL,
        widening.NEONWIDE,
        mma_bytes.MMABYTES,
        rvv_bytes.RVVBYTES,
        portable_bytes.PORTABLEBYTES,
    )
}
"""This holds every instruction set by its name; of several that a target has, kernels are of the first."""


def best_isa(
    processor: Processor,
    lhs: str = "f32",
    rhs: str = "f32",
    layout: str = ROW,
    largest_weight: int = 128,
    short: bool = False,
    tiles: bool = True,
) -> Isa:
    """The first instruction set that code for ``processor`` may use, and which has exact kernels of that
    layout of A for activations of type ``lhs`` and filters of type ``rhs``, whose weights are at most
    ``largest_weight`` in magnitude; with ``short``, one whose packed filters are no longer than these, and
    without ``tiles`` one that multiplies rows one by one. It multiplies as much there as float32's would:
    some CPUs are slow at instructions that they have."""
    return next(
        isa
        for isa in ISAS.values()
        if isa.runs_on(processor)
        and lhs in isa.lhs
        and rhs in isa.rhs
        and layout in isa.layouts
        and largest_weight <= isa.largest_weight
        and not (short and isa.complements)
        and (tiles or isa.tile_rows == 1)
        and isa.channels_per_multiply * processor.rate(isa.name) >= 1
    )
