"""Micro-kernels of foreign instruction sets against their contract, under emulation."""

from __future__ import annotations

import random

import pytest
from emulation import EmulatedCpu, emulate, emulated_cpus
from test_microkernels import assert_keeps_contract, draw_instance, draw_operands, kernel_func

from intrinsics import registry
from intrinsics.isa import ISAS, Isa
from intrinsics.microkernel import DEPTHWISE, PANEL, ROW, KernelInstance, MicroKernel, Segment, TileEpilogue

EMULATED = [
    pytest.param(isa, cpu, id=f"{isa.name}-{cpu.model}")
    for isa in ISAS.values()
    for cpu in emulated_cpus(isa)
    if not isa.of_bytes
]
PER_KERNEL = 6

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


@pytest.mark.parametrize(("isa", "cpu"), EMULATED)
@pytest.mark.parametrize("layout", [ROW, PANEL, DEPTHWISE])
def test_kernels_keep_their_contract(isa: Isa, cpu: EmulatedCpu, layout: str) -> None:
    cases = []
    for kernel in registry.registered_kernels(isa):
        if kernel.layout == layout:
            rng = random.Random(kernel.name)
            for trial in range(PER_KERNEL):
                instance = draw_instance(kernel, rng, full=trial == 0)
                cases.append((instance, (3, 1, 0, 2, 2, 1)[trial]))
    assert cases
    check_all(cpu, cases)


@pytest.mark.parametrize(("isa", "cpu"), EMULATED)
@pytest.mark.parametrize("layout", [ROW, PANEL])
def test_every_row_tail(isa: Isa, cpu: EmulatedCpu, layout: str) -> None:
    nr = 2 * isa.lanes
    most = isa.largest_mr(nr, layout)
    kernels = [MicroKernel(mr, nr, layout, isa.name, isa.types[0]) for mr in range(1, most + 1)]
    cases = [(draw_instance(kernel, random.Random(kernel.mr), full=True), 2) for kernel in kernels]
    check_all(cpu, cases)


@pytest.mark.parametrize(("isa", "cpu"), EMULATED)
def test_every_channel_tail_and_length(isa: Isa, cpu: EmulatedCpu) -> None:
    kernel, together = MicroKernel(2, 2 * isa.lanes, ROW, isa.name, isa.types[0]), isa.channels_per_step(ROW)
    cases = []
    for channels in range(1, kernel.nr + 1):
        for length in (1, 2, 5, 8, 9, 15):
            instance = KernelInstance(
                kernel, channels, length, 4 * length, kernel.nr * together, 16 * kernel.nr, channels + 3,
                (Segment(0, 2, 0, 0, length),), TileEpilogue(True, True, 0.0, 1.0),
            )  # fmt: skip
            cases.append((instance, 2))
    check_all(cpu, cases)
