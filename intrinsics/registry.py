"""The one list of micro-kernels: what tests run, ``kernels --time`` times and tables print.

Any tile that fits the registers can be emitted on demand; listed are, for every width, the tallest, which
selection prefers, and from which exact tails follow (any smaller ``mr``).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import cache, lru_cache

from .isa import ISAS, Isa
from .microkernel import DEPTHWISE, OPEN, PANEL, KernelInstance, Lines, MicroKernel, RegisterBudgetError

EVERY_WIDTH, OF_WIDER = 8, 4
"""Listed is every width of so many vectors at most, and of wider ones those of a multiple of so many."""


@cache
def registered_kernels(isa: Isa | None = None) -> tuple[MicroKernel, ...]:
    """The tallest tile of each width that fits, of one instruction set or of all."""
    kernels = []
    for each in ISAS.values() if isa is None else (isa,):
        for types, layout in itertools.product(each.types, each.layouts):
            for vectors in range(1, each.most_vectors + 1):
                if vectors > EVERY_WIDTH and vectors % OF_WIDER:
                    continue
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
"""The prefix of a packing routine's name gives the function that makes LLVM IR from the name."""


def emit_named(name: str) -> str:
    """LLVM IR of the micro-kernel or packing routine of that name."""
    for isa in ISAS.values():
        if isa.thread_setup and name in (isa.thread_setup.entering, isa.thread_setup.leaving):
            return isa.thread_setup.llvm_ir()
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
            raise ValueError(f"{kernel.name} lacks rows {segment.first} to {segment.last}")
        if kernel.layout == PANEL and (segment.first, segment.last) != (0, kernel.mr):
            raise ValueError(f"{kernel.name} takes all rows of a panel: rows outside the image are zeros")
    _check_distances(instance)
    _check_lines(instance, isa)
    return isa.emitter(isa, instance).llvm_ir()


def _check_distances(instance: KernelInstance) -> None:
    """ValueError where only some of the distances that depend on an image's width are open."""
    name, lines = instance.kernel.name, instance.lines
    if (lines.c is OPEN) != (lines.count > 1 and instance.a_step is OPEN):
        raise ValueError(f"{name} of several lines has an open step and open lines of C, or neither")


def _check_lines(instance: KernelInstance, isa: Isa) -> None:
    """ValueError for lanes of groups, and lines, that there is no kernel of."""
    kernel, lines = instance.kernel, instance.lines
    if instance.group == 1 and lines == Lines():
        return
    known_rows = isa.rows_together > 1 and (instance.group, lines.count) == (1, 1)
    known_rows &= instance.a_step is not OPEN
    if kernel.layout != DEPTHWISE or (isa.of_bytes and not known_rows):
        raise ValueError(f"{kernel.name} has neither lanes of groups nor several lines")
    known = isa.groups if instance.multiplier == 1 else isa.multipliers
    if instance.group != 1 and instance.group not in known:
        raise ValueError(f"{isa.name} lacks kernels whose lanes are of groups of {instance.group}")
    if kernel.mr % lines.count or any(segment.last > instance.width for segment in instance.segments):
        raise ValueError(f"{kernel.name} does not have {lines.count} lines of equal width")
