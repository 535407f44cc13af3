"""Micro-kernels whose distances of A's filter rows and C's lines are arguments: to the bit what the kernel
leaves that has them in its code."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType

import byte_kernels
import numpy as np
import pytest
import test_microkernels
from emulation import EmulatedCpu, emulate, emulated_cpus
from steps import AROUND_RESIDUALS, EPILOGUES, PER_CHANNEL, registered
from support import BYTE_TARGETS, HALF_TARGETS, ISA_TARGETS, Record, kernel_func, kernel_target, run_kernels
from test_kernel_steps import with_steps
from tvm import tirx

from intrinsics import registry
from intrinsics.isa import ISAS, Isa
from intrinsics.microkernel import DEPTHWISE, OPEN, KernelInstance, Lines, MicroKernel, Segment
from tvm_directconv.algorithms.epilogue import Operands, kernel_call

Case = tuple[KernelInstance, int]
"""An instance of fixed distances, and how many filter rows it is called with."""
TAPS = (3, 2, 1)
NATIVE = [ISAS[name] for name in sorted(ISA_TARGETS | HALF_TARGETS | BYTE_TARGETS)]
EMULATED = [
    pytest.param(isa, cpu, id=f"{isa.name}-{cpu.model}")
    for isa in ISAS.values()
    for cpu in emulated_cpus(isa)
]


@pytest.fixture(autouse=True)
def steps_are_known() -> Iterator[None]:
    with registered():
        yield


def opened(instance: KernelInstance) -> KernelInstance:
    """The instance with open distances."""
    lines = instance.lines
    if lines.count > 1:
        assert instance.a_step and lines.a % instance.a_step == 0
        lines = replace(lines, a=lines.a // instance.a_step, c=OPEN)
    return replace(instance, a_step=OPEN, lines=lines)


def distances(instance: KernelInstance) -> list[int]:
    """What calls of the instance with open distances are given."""
    assert instance.a_step is not OPEN and instance.lines.c is not OPEN
    return [instance.a_step, *([instance.lines.c] if instance.lines.count > 1 else [])]


def draw(isa: Isa) -> list[Case]:
    """An instance of every second kernel listed, half of them with longer epilogues; lines are whole filter
    rows apart."""
    epilogues = EPILOGUES if isa.of_bytes else (*EPILOGUES, *AROUND_RESIDUALS, *PER_CHANNEL)
    cases = []
    for trial, kernel in enumerate(registry.registered_kernels(isa)[::2]):
        rng, taps = random.Random(kernel.name), TAPS[trial % len(TAPS)]
        instance = draws(isa).draw_instance(kernel, rng, full=taps == TAPS[0])
        if instance.lines.count > 1:
            apart = rng.choice([1, 1, 2]) * instance.a_step
            instance = replace(instance, lines=replace(instance.lines, a=apart))
        elif instance.lines.taps:
            # Rows of a known number have known distances.
            instance = replace(instance, lines=Lines())
        if trial % 2:
            instance = with_steps(instance, rng.choice(epilogues))
        cases.append((instance, taps))
    return cases


def draws(isa: Isa) -> ModuleType:
    """What draws instances, and their operands."""
    return byte_kernels if isa.of_bytes else test_microkernels


def operands_of(isa: Isa, cases: list[Case]) -> list[list[np.ndarray]]:
    return [draws(isa).draw_operands(instance, taps) for instance, taps in cases]


def assert_equal(got: np.ndarray, want: np.ndarray, instance: KernelInstance) -> None:
    """To the bit, but for which of the numbers a not-a-number is."""
    numbers = got.astype(np.float64) == got.astype(np.float64)
    np.testing.assert_array_equal(numbers, want.astype(np.float64) == want.astype(np.float64), instance.name)
    bits = f"u{got.itemsize}"
    np.testing.assert_array_equal(got.view(bits)[numbers], want.view(bits)[numbers], instance.name)


@pytest.mark.parametrize("isa", NATIVE, ids=lambda isa: isa.name)
def test_open_distances_give_the_bits_of_fixed_ones(isa: Isa, record_property: Record) -> None:
    target = kernel_target(isa.name, record_property)
    cases = draw(isa)
    operands, given = operands_of(isa, cases), [distances(instance) for instance, _ in cases]
    of_open = [(opened(instance), taps) for instance, taps in cases]
    fixed = run_kernels(cases, operands, target)
    for (instance, _), want, got in zip(
        of_open, fixed, run_kernels(of_open, operands, target, given), strict=True
    ):
        assert_equal(got, want, instance)


@pytest.mark.emulated
@pytest.mark.parametrize(("isa", "cpu"), EMULATED)
def test_open_distances_give_the_bits_of_fixed_ones_under_emulation(isa: Isa, cpu: EmulatedCpu) -> None:
    cases = draw(isa)
    operands, functions, calls = operands_of(isa, cases), {}, []
    for i, ((instance, taps), given) in enumerate(zip(cases, operands, strict=True)):
        functions[f"fixed{i}"] = kernel_func(instance, given, taps)
        functions[f"open{i}"] = kernel_func(opened(instance), given, taps, distances(instance))
        calls += [(f"{kind}{i}", given) for kind in ("fixed", "open")]
    results = [result.tensors[-1] for result in emulate(cpu, functions, calls)]
    for (instance, _), want, got in zip(cases, results[::2], results[1::2], strict=True):
        assert_equal(got, want, opened(instance))


def test_names_of_open_kernels_parse_back() -> None:
    for isa in ISAS.values():
        for instance, _ in draw(isa):
            of_open = opened(instance)
            assert of_open != instance and KernelInstance.parse(of_open.name) == of_open


def test_lines_and_step_are_open_together() -> None:
    kernel = MicroKernel(4, 8, DEPTHWISE, "avx2")
    segments = (Segment(0, 2, 0, 0, 1),)
    for a_step, lines in ((OPEN, Lines(2, 1, 64, 3)), (64, Lines(2, 64, OPEN, 3))):
        with pytest.raises(ValueError, match="an open step and open lines of C, or neither"):
            registry.emit(KernelInstance(kernel, 8, 8, a_step, 8, 24, 8, segments, lines=lines))


def test_calls_pass_open_distances_behind_the_filter_rows_and_before_what_is_fetched() -> None:
    buffer = tirx.decl_buffer((64,), "float32")
    zero, width = tirx.IntImm("int32", 0), tirx.Var("width", "int32")
    place, operands = (buffer, zero), Operands(buffer, buffer, None, None, buffer)
    for further in ([], [width], [width, width + 1]):
        given = dict(zip(("step", "line"), further, strict=False))
        call = kernel_call("kernel", operands, zero, place, place, (zero, zero), 3, zero, **given)
        _, *pointers_and_taps, ahead = call.value.args
        pointers, numbers = pointers_and_taps[:5], pointers_and_taps[5:]
        assert [str(number.ty.dtype) for number in numbers] == ["int64"] * (1 + len(further))
        assert int(numbers[0]) == 3
        for pointer in (*pointers, ahead):
            assert pointer.op.name == "tirx.tvm_access_ptr"
