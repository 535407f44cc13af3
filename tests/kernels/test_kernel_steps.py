"""Micro-kernels whose epilogues are more than clips: every instruction set computes a step by its formula."""

from __future__ import annotations

import itertools
import math
import random
import re
from collections.abc import Iterator
from dataclasses import replace

import byte_kernels
import pytest
import test_byte_kernels
import test_emulated_byte_kernels
import test_emulated_kernels
import test_microkernels
from emulation import EmulatedCpu, emulated_cpus
from steps import AROUND_RESIDUALS, EPILOGUES, OF_BYTES, PER_CHANNEL, registered
from support import BYTE_TARGETS, HALF_TARGETS, ISA_TARGETS, Record, kernel_target

from intrinsics import registry
from intrinsics.epilogue import Clip, PRelu, Residual, Silu, Step, TileEpilogue
from intrinsics.isa import ISAS, Isa
from intrinsics.microkernel import ROW, KernelInstance

EMULATED = [
    pytest.param(isa, cpu, id=f"{isa.name}-{cpu.model}")
    for isa in ISAS.values()
    for cpu in emulated_cpus(isa)
]
RANGE = {"u8": (0, 255), "s8": (-128, 127)}


@pytest.fixture(autouse=True, scope="module")
def more_steps() -> Iterator[None]:
    with registered():
        yield


def with_steps(instance: KernelInstance, steps: tuple[Step, ...]) -> KernelInstance:
    """The instance with other steps, and the bounds of what bytes are stored, which sums of bytes are."""
    kernel = instance.kernel
    of_bytes = ISAS[kernel.isa].of_bytes
    if of_bytes and Residual() in steps and kernel.destination not in RANGE:
        _, *operands = kernel.types.split("_")
        instance = replace(instance, kernel=replace(kernel, types="_".join(["u8", *operands])))
    low, high = RANGE.get(instance.kernel.destination, (-math.inf, math.inf))
    bounds = Clip(low - instance.zero, high - instance.zero)
    drawn = instance.epilogue
    residual = drawn.residual and Residual() not in steps and not of_bytes
    return replace(instance, epilogue=TileEpilogue(drawn.bias, residual, steps=[*steps, bounds]))


def cases_of(isa: Isa) -> list[tuple[KernelInstance, int]]:
    """Every list of steps with the narrowest and the widest tile of a layout, the layouts in turn, and filter
    rows: wide tiles leave few registers, and are where accumulators go to the stack."""
    draw = byte_kernels.draw_instance if isa.of_bytes else test_microkernels.draw_instance
    cases = []
    epilogues = (*EPILOGUES, *(OF_BYTES if isa.of_bytes else (*AROUND_RESIDUALS, *PER_CHANNEL)))
    for layout, steps in zip(itertools.cycle(isa.layouts), epilogues):
        kernels = [k for k in registry.registered_kernels(isa) if k.layout == layout]
        for kernel in (kernels[0], kernels[-1]):
            rng = random.Random(f"{kernel.name} {steps}")
            cases.append((with_steps(draw(kernel, rng, full=kernel == kernels[-1]), steps), 1))
    # Those of half precision share their steps with those of float32.
    return cases[:: 3 if isa.of_halves else 1]


@pytest.mark.slow
@pytest.mark.parametrize("isa", [*ISA_TARGETS, *HALF_TARGETS, *BYTE_TARGETS])
def test_steps_are_computed(isa: str, record_property: Record) -> None:
    target, cases = kernel_target(isa, record_property), cases_of(ISAS[isa])
    (test_byte_kernels.check if isa in BYTE_TARGETS else test_microkernels.check_all)(cases, target)


@pytest.mark.emulated
@pytest.mark.parametrize(("isa", "cpu"), EMULATED)
def test_steps_are_computed_under_emulation(isa: Isa, cpu: EmulatedCpu) -> None:
    checked = test_emulated_byte_kernels if isa.of_bytes else test_emulated_kernels
    checked.check_all(cpu, cases_of(isa))


@pytest.mark.parametrize("isa", HALF_TARGETS)
def test_constants_of_a_tail_of_channels_behind_steps(isa: str, record_property: Record) -> None:
    """They are float32 beside results of half precision; the steps before have taken all registers."""
    kernels = [k for k in registry.registered_kernels(ISAS[isa]) if k.layout == ROW]
    cases = []
    for kernel, steps in ((kernels[0], (Silu(), PRelu(67))), (kernels[-1], PER_CHANNEL[2])):
        instance = test_microkernels.draw_instance(kernel, random.Random(f"{kernel.name} {steps}"), full=True)
        instance = replace(instance, kernel=kernel, channels=kernel.nr - 1, accumulate=False)
        cases.append((with_steps(instance, steps), 1))
    test_microkernels.check_all(cases, kernel_target(isa, record_property))


REGISTER = re.compile(r"\b[xyz]mm(\d+)|(?<!%)\bv(\d+)\b|\bx[vx][a-z]+ (\d+)")


@pytest.mark.slow
@pytest.mark.parametrize("isa", ISAS.values(), ids=lambda isa: isa.name)
def test_every_tile_has_registers_for_a_value_and_a_constant(isa: Isa) -> None:
    """Even the tallest, with all that an epilogue may have; lines name no register there is not.

    Every kernel has the longest list of steps, and every fourth of the others, in turns.
    """
    epilogues = (*EPILOGUES, *(OF_BYTES if isa.of_bytes else PER_CHANNEL))
    longest = max(epilogues, key=len)
    for number, kernel in enumerate(registry.registered_kernels(isa)):
        of_its_turn = epilogues[number % 4 :: 4]
        channels = kernel.nr - 1 if kernel.nr > 1 else 1
        zero = 3 if kernel.destination in RANGE else 0
        instance = KernelInstance(kernel, channels, 1, 1, kernel.nr, 1, channels, (), zero=zero)
        if not isa.of_bytes:
            instance = replace(instance, epilogue=TileEpilogue(residual=True))
        for steps in dict.fromkeys((longest, *of_its_turn)):
            code = registry.emit(with_steps(instance, steps))
            named = {int("".join(numbers)) for numbers in set(REGISTER.findall(code.split('", "')[0]))}
            assert max(named, default=0) < isa.vector_registers, (kernel.name, steps)
