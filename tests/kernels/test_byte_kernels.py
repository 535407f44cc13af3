"""Every registered micro-kernel of 8-bit integers, and tails of each, to the bit."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from byte_kernels import assert_stored, contract, draw_instance, draw_operands
from support import BYTE_TARGETS, Record, kernel_target, run_kernels

from intrinsics import registry
from intrinsics.isa import ISAS
from intrinsics.microkernel import ROW, KernelInstance, MicroKernel
from tvm_directconv.targets.target import CompileTarget

NATIVE = [k for k in registry.registered_kernels() if k.isa in BYTE_TARGETS]
TRIALS = 4


def check(cases: list[tuple[KernelInstance, int]], target: CompileTarget | None) -> None:
    """Instances with their numbers of filter rows; compiled together, which costs little more than one."""
    operands = [draw_operands(instance, taps) for instance, taps in cases]
    for i, got in enumerate(run_kernels(cases, operands, target)):
        instance, taps = cases[i]
        want = contract(instance, operands[i], taps)
        assert_stored(got, want, instance, taps)


@pytest.mark.parametrize("kernel", NATIVE, ids=lambda kernel: kernel.name)
def test_kernel_keeps_its_contract(kernel: MicroKernel, record_property: Record) -> None:
    target = kernel_target(kernel.isa, record_property)
    rng = random.Random(kernel.name)
    cases = [(draw_instance(kernel, rng, full=trial == 0), (3, 1, 0, 2)[trial]) for trial in range(TRIALS)]
    check(cases, target)


@pytest.mark.parametrize("isa", sorted({kernel.isa for kernel in NATIVE}))
def test_every_channel_tail(isa: str, record_property: Record) -> None:
    target, of = kernel_target(isa, record_property), ISAS[isa]
    cases = []
    for channels in range(1, of.lanes + 1):
        rng = random.Random(channels)
        kernel = MicroKernel(2, of.lanes, ROW, isa, rng.choice(of.types))
        cases.append((replace(draw_instance(kernel, rng, full=True), channels=channels), 2))
    check(cases, target)


def test_names_parse_back() -> None:
    rng = random.Random(0)
    for kernel in registry.registered_kernels():
        if ISAS[kernel.isa].of_bytes:
            assert MicroKernel.parse(kernel.name) == kernel
            for _ in range(5):
                instance = draw_instance(kernel, rng, full=False)
                assert KernelInstance.parse(instance.name) == instance
