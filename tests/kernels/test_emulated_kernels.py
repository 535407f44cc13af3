"""Micro-kernels of foreign instruction sets against their contract, under emulation."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace

import numpy as np
import pytest
from emulation import EmulatedCpu, emulate, emulated_cpus
from support import kernel_func
from test_microkernels import assert_keeps_contract, contract, draw_instance, draw_operands

from intrinsics import registry
from intrinsics.instruction_set import HALF_ROUNDOFF
from intrinsics.isa import ISAS, Isa
from intrinsics.microkernel import DEPTHWISE, PANEL, ROW, KernelInstance, MicroKernel, Segment, TileEpilogue

EMULATED = [
    pytest.param(isa, cpu, id=f"{isa.name}-{cpu.model}")
    for isa in ISAS.values()
    for cpu in emulated_cpus(isa)
    if not isa.of_bytes
]
CASES = [
    pytest.param(isa, cpu, layout, id=f"{isa.name}-{cpu.model}-{layout}")
    for isa in ISAS.values()
    for cpu in emulated_cpus(isa)
    for layout in isa.layouts
    if not isa.of_bytes
]
PER_KERNEL, PER_KERNEL_OF_HALVES = 6, 2
LINE = 64
"""Bytes that tensors are aligned to."""

pytestmark = [pytest.mark.emulated]


def check_all(cpu: EmulatedCpu, cases: list[tuple[KernelInstance, int]]) -> None:
    """All in one library, since each compilation and link costs more than a call."""
    operands = [draw_operands(instance, taps) for instance, taps in cases]
    functions = {
        f"case{i}": kernel_func(instance, operands[i], taps) for i, (instance, taps) in enumerate(cases)
    }
    results = emulate(cpu, functions, [(f"case{i}", operands[i]) for i in range(len(cases))])
    for (instance, taps), given, result in zip(cases, operands, results, strict=True):
        assert_keeps_contract(instance, given, taps, result.tensors[-1])


def kernels_of(isa: Isa, layout: str) -> list[MicroKernel]:
    return [kernel for kernel in registry.registered_kernels(isa) if kernel.layout == layout]


def one_segment(kernel: MicroKernel, channels: int, length: int, epilogue: TileEpilogue) -> KernelInstance:
    """A tile of one segment; its rows lie one after the other."""
    panel, depthwise = kernel.layout == PANEL, kernel.layout == DEPTHWISE
    together = ISAS[kernel.isa].channels_per_step(kernel.layout)
    whole = -(-length // together) * together
    pixel = channels if depthwise else length
    return KernelInstance(
        kernel,
        channels,
        a_row=together if panel else pixel,
        a_step=kernel.mr * (whole if panel else pixel),
        b_row=kernel.nr * together,
        b_step=whole * kernel.nr,
        c_row=channels + 3,
        segments=(Segment(0, kernel.mr, 0, 0, 1 if depthwise else length),),
        epilogue=epilogue,
        a_k=kernel.mr if panel else 1,
    )


@pytest.mark.parametrize(("isa", "cpu", "layout"), CASES)
def test_kernels_keep_their_contract(isa: Isa, cpu: EmulatedCpu, layout: str) -> None:
    cases = []
    per_kernel = (PER_KERNEL_OF_HALVES if isa.of_halves else PER_KERNEL) // len(isa.types)
    for kernel in kernels_of(isa, layout):
        rng = random.Random(kernel.name)
        for _ in range(per_kernel):
            instance = draw_instance(kernel, rng, full=len(cases) % max(2, per_kernel) == 0)
            cases.append((instance, (3, 1, 0, 2, 2, 1)[len(cases) % 6]))
    assert cases
    check_all(cpu, cases)


@pytest.mark.parametrize(("isa", "cpu", "layout"), [case for case in CASES if case.values[2] != DEPTHWISE])
def test_every_row_tail(isa: Isa, cpu: EmulatedCpu, layout: str) -> None:
    nr = 2 * isa.lanes
    most = isa.largest_mr(nr, layout)
    kernels = [MicroKernel(mr, nr, layout, isa.name, isa.types[0]) for mr in range(1, most + 1)]
    cases = [(draw_instance(kernel, random.Random(kernel.mr), full=True), 2) for kernel in kernels]
    check_all(cpu, cases)


@pytest.mark.parametrize(("isa", "cpu"), EMULATED)
def test_every_channel_tail_and_length(isa: Isa, cpu: EmulatedCpu) -> None:
    kernel = MicroKernel(2, 2 * isa.lanes, isa.layouts[0], isa.name, isa.types[0])
    lengths = itertools.cycle((1, 2, 5, 8, 9, 15))
    epilogue = TileEpilogue(True, True, 0.0, 1.0)
    cases = [
        (one_segment(kernel, channels, next(lengths), epilogue), 2)
        for channels in range(1, kernel.nr + 1)
        for _ in range(2 if isa.of_halves else 6)
    ]
    check_all(cpu, cases)


@pytest.mark.parametrize(("isa", "cpu", "layout"), [case for case in CASES if case.values[0].of_halves])
def test_nothing_beyond_the_operands_is_read(isa: Isa, cpu: EmulatedCpu, layout: str) -> None:
    """Tensors of whole lines, which the emulated memory ends with."""
    cases = []
    for length in range(1, 2 * isa.channels_per_multiply + 4):
        rng = random.Random(length)
        kernel = rng.choice(kernels_of(isa, layout))
        mr, channels = rng.randint(1, min(4, kernel.mr)), rng.randint(1, kernel.nr)
        instance = one_segment(replace(kernel, mr=mr), channels, length, TileEpilogue())
        a, b, *_ = (array.nbytes for array in draw_operands(instance, 1))
        (segment,) = instance.segments
        at_end = replace(segment, a=-a % LINE // 2, b=-b % LINE // 2)
        cases.append((replace(instance, segments=(at_end,), b_step=instance.b_step + at_end.b), 1))
    check_all(cpu, cases)


@pytest.mark.parametrize(("isa", "cpu"), [case for case in EMULATED if case.values[0].half_terms])
def test_sums_in_halves_are_as_far_off_as_is_said(isa: Isa, cpu: EmulatedCpu) -> None:
    """And by half a unit in the last place of float16 at least, or nothing was summed in it."""
    length = 300
    kernel = MicroKernel(4, 16, ROW, isa.name, "f32_f16_f16")
    instance = one_segment(kernel, 16, length, TileEpilogue())
    rng = np.random.default_rng(0)
    a, b, *others = draw_operands(instance, 1)
    a, b = (rng.standard_normal(array.size).astype(np.float16) for array in (a, b))
    given = [a, b, *others]
    (result,) = emulate(cpu, {"main": kernel_func(instance, given, 1)}, [("main", given)])
    apart = np.abs(result.tensors[-1] - contract(instance, given, 1)).max()
    sizes = contract(instance, [np.abs(a), np.abs(b), *others], 1).max()
    assert 2.0**-12 < apart < isa.sum_error(length) * sizes
    assert apart < 4 * HALF_ROUNDOFF * np.sqrt(isa.half_terms * length)
