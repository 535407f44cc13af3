"""The one list of micro-kernels: what tests run, benchmarks time and tables print.

Any tile that fits the registers can be emitted on demand; listed are, for every width, the tallest, which
selection prefers, and from which exact tails follow (any smaller ``mr``).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import cache, lru_cache

from .arm.base import NeonBase
from .arm.dotprod import NeonDotKernel
from .arm.i8mm import NeonMatrixKernel
from .arm.neon import NeonKernel
from .arm.widening import NeonDepthwiseKernel, NeonFastKernel, NeonLongKernel
from .isa import (
    AVX2,
    AVX2MADDUBS,
    AVX2MADDWD,
    AVX512,
    AVX512MADDUBS,
    AVX512MADDWD,
    AVX512VNNI,
    AVXVNNI,
    ISAS,
    MMA,
    MMABYTES,
    NEON,
    NEONDOT,
    NEONI8MM,
    NEONMIXED,
    NEONSMLAL,
    NEONSMULL,
    NEONUDOT,
    NEONUMULL,
    NEONWIDE,
    PORTABLE,
    PORTABLEBYTES,
    VSX,
    Isa,
)
from .microkernel import DEPTHWISE, PANEL, KernelInstance, MicroKernel, RegisterBudgetError
from .portable.bytes import PortableBytesKernel
from .portable.floats import PortableKernel
from .power.mma import MmaKernel
from .power.mma_bytes import MmaBytesKernel
from .power.vsx import PowerKernel, VsxKernel
from .x86.avx2 import Avx2Kernel
from .x86.avx2_bytes import Avx2MaddubsKernel, Avx2MaddwdKernel, AvxVnniKernel
from .x86.avx512 import Avx512Kernel
from .x86.avx512_bytes import Avx512MaddubsKernel, Avx512MaddwdKernel, Avx512VnniKernel
from .x86.floats import X86Kernel

EMITTERS: dict[str, Callable[[KernelInstance], X86Kernel | NeonBase | PowerKernel | PortableKernel]] = {
    AVX512.name: Avx512Kernel,
    AVX2.name: Avx2Kernel,
    NEON.name: NeonKernel,
    MMA.name: lambda instance: (VsxKernel if instance.kernel.layout == DEPTHWISE else MmaKernel)(instance),
    VSX.name: VsxKernel,
    PORTABLE.name: PortableKernel,
    AVX512VNNI.name: Avx512VnniKernel,
    AVX512MADDUBS.name: Avx512MaddubsKernel,
    AVX512MADDWD.name: Avx512MaddwdKernel,
    AVXVNNI.name: AvxVnniKernel,
    AVX2MADDUBS.name: Avx2MaddubsKernel,
    AVX2MADDWD.name: Avx2MaddwdKernel,
    NEONI8MM.name: NeonMatrixKernel,
    NEONMIXED.name: NeonDotKernel,
    NEONDOT.name: NeonDotKernel,
    NEONUDOT.name: NeonDotKernel,
    NEONSMLAL.name: NeonFastKernel,
    NEONSMULL.name: NeonLongKernel,
    NEONUMULL.name: NeonLongKernel,
    NEONWIDE.name: NeonDepthwiseKernel,
    MMABYTES.name: MmaBytesKernel,
    PORTABLEBYTES.name: PortableBytesKernel,
}
MAX_VECTORS = 8
"""Widest tile listed, in vectors: a single row (dense layers) wants many to hide the FMA's latency."""


@cache
def registered_kernels(isa: Isa | None = None) -> tuple[MicroKernel, ...]:
    """The tallest tile of each width that fits, of one instruction set or of all."""
    kernels = []
    for each in ISAS.values() if isa is None else (isa,):
        for types, layout in itertools.product(each.types, each.layouts):
            for vectors in range(1, MAX_VECTORS + 1):
                nr = vectors * each.lanes
                kernel = MicroKernel(each.largest_mr(nr, layout), nr, layout, each.name, types)
                if each.refusal(kernel) is None:
                    kernels.append(kernel)
    return tuple(kernels)


def kernel_table(isa: Isa | None = None) -> list[dict[str, object]]:
    """One row per registered kernel, ready to print or to write as JSON."""
    rows: list[dict[str, object]] = []
    for kernel in registered_kernels(isa):
        of = ISAS[kernel.isa]
        rows.append(
            {
                "name": kernel.name,
                "isa": kernel.isa,
                "layout": kernel.layout,
                "mr": kernel.mr,
                "nr": kernel.nr,
                "registers_used": of.registers_needed(kernel),
                "registers": of.vector_registers,
                "loads_per_fma": of.loads_per_step(kernel) / of.multiplications_per_step(kernel),
            }
        )
    return rows


PACKINGS: dict[str, Callable[[str], str]] = {}
"""Packing routines: prefix of their names to the function that makes LLVM IR from a name."""


def emit_named(name: str) -> str:
    """LLVM IR of the micro-kernel or packing routine of that name."""
    for prefix, emit_packing in PACKINGS.items():
        if name.startswith(prefix):
            return emit_packing(name)
    return emit(KernelInstance.parse(name))


@lru_cache(maxsize=4096)
def emit(instance: KernelInstance) -> str:
    """LLVM IR defining the instance under its name; RegisterBudgetError says why a tile cannot be."""
    kernel = instance.kernel
    isa = ISAS[kernel.isa]
    refusal = isa.refusal(kernel)
    if refusal:
        raise RegisterBudgetError(refusal)
    if not 0 < instance.channels <= kernel.nr:
        raise ValueError(f"{kernel.name} stores 1 to {kernel.nr} channels, not {instance.channels}")
    if instance.accumulate and instance.epilogue.bias:
        raise ValueError(f"{kernel.name} starts from C or from the bias, not from both")
    for segment in (*instance.segments, *instance.tail_segments):
        if not 0 <= segment.first < segment.last <= kernel.mr:
            raise ValueError(f"{kernel.name} has no rows {segment.first} to {segment.last}")
        if kernel.layout == PANEL and (segment.first, segment.last) != (0, kernel.mr):
            raise ValueError(f"{kernel.name} takes all rows of a panel: rows outside the image are zeros")
    return EMITTERS[kernel.isa](instance).llvm_ir()
