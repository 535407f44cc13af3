"""Micro-kernels of 8-bit integers of foreign instruction sets, to the bit, under emulation."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace

import numpy as np
import pytest
from byte_kernels import RANGE, assert_stored, contract, draw_instance, draw_operands
from emulation import CPUS, EmulatedCpu, emulate, emulated_cpus
from support import kernel_func

from intrinsics import registry
from intrinsics.isa import ISAS, Isa, best_isa
from intrinsics.microkernel import DEPTHWISE, PANEL, ROW, KernelInstance, MicroKernel, Segment

PER_KERNEL = 3
LINE = 64
"""Bytes that tensors are aligned to."""
CASES = [
    pytest.param(isa, cpu, layout, id=f"{isa.name}-{cpu.model}-{layout}")
    for isa in ISAS.values()
    for cpu in emulated_cpus(isa)
    for layout in isa.layouts
    if isa.of_bytes
]

pytestmark = [pytest.mark.emulated]


def check_all(cpu: EmulatedCpu, cases: list[tuple[KernelInstance, int]], extreme: bool = False) -> None:
    """All in one library, since each compilation and link costs more than a call."""
    operands = [draw_operands(instance, taps) for instance, taps in cases]
    if extreme:
        operands = [
            at_extremes(instance, given) for (instance, _), given in zip(cases, operands, strict=True)
        ]
    functions = {
        f"case{i}": kernel_func(instance, operands[i], taps) for i, (instance, taps) in enumerate(cases)
    }
    results = emulate(cpu, functions, [(f"case{i}", operands[i]) for i in range(len(cases))])
    for (instance, taps), given, result in zip(cases, operands, results, strict=True):
        want = contract(instance, given, taps)
        assert_stored(result.tensors[-1], want, instance, taps)


def at_extremes(instance: KernelInstance, operands: list[np.ndarray]) -> list[np.ndarray]:
    """Every activation and every weight at the same end of its range."""
    a, b, *rest = operands
    _, lhs, rhs = instance.kernel.types.split("_")
    end = len(instance.name) % 2
    least = max(RANGE[rhs][0], -ISAS[instance.kernel.isa].largest_weight)
    weight = (least, RANGE[rhs][1])[end]
    return [np.full_like(a, RANGE[lhs][end]), np.where(b == 0, b, weight).astype(b.dtype), *rest]


def one_segment(kernel: MicroKernel, channels: int, length: int, rng: random.Random) -> KernelInstance:
    """A random instance with a single segment of that length, ending where A does."""
    instance = draw_instance(kernel, rng, full=True)
    group = ISAS[kernel.isa].channels_per_step(kernel.layout)
    groups = -(-length // group)
    panel = kernel.layout == PANEL
    return replace(
        instance,
        channels=channels,
        a_row=group if panel else length,
        a_step=groups * group * kernel.mr if panel else length * kernel.mr,
        b_step=groups * group * kernel.nr,
        c_row=channels + 3,
        segments=(Segment(0, kernel.mr, 0, 0, length),),
        bias_rows=(),
    )


@pytest.mark.parametrize(("isa", "cpu", "layout"), CASES)
def test_kernels_keep_their_contract(isa: Isa, cpu: EmulatedCpu, layout: str) -> None:
    cases = []
    for kernel in registry.registered_kernels(isa):
        if kernel.layout == layout:
            rng = random.Random(kernel.name)
            for trial in range(PER_KERNEL):
                cases.append((draw_instance(kernel, rng, full=trial == 0), (3, 1, 0)[trial]))
    assert cases
    check_all(cpu, cases)


@pytest.mark.parametrize(("isa", "cpu", "layout"), CASES)
def test_every_row_tail(isa: Isa, cpu: EmulatedCpu, layout: str) -> None:
    cases = []
    for kernel in unmoved(isa, layout):
        for mr in range(1, isa.largest_mr(kernel.nr, layout) + 1):
            cases.append((draw_instance(replace(kernel, mr=mr), random.Random(mr), full=True), 2))
    check_all(cpu, cases)


@pytest.mark.parametrize(("isa", "cpu", "layout"), CASES)
def test_every_channel_tail_and_length(isa: Isa, cpu: EmulatedCpu, layout: str) -> None:
    cases, rng = [], random.Random(isa.name)
    kernels = itertools.cycle(unmoved(isa, layout))
    lengths = (1,) if layout == DEPTHWISE else (*range(1, 2 * isa.channels_per_multiply + 2), 33, 36, 63)
    for length in lengths:
        kernel = next(kernels)
        channels = rng.randint(1, kernel.nr)
        cases.append((one_segment(replace(kernel, mr=min(2, kernel.mr)), channels, length, rng), 2))
    for channels in range(1, next(kernels).nr + 1):
        cases.append((one_segment(replace(next(kernels), mr=1), channels, rng.choice(lengths), rng), 1))
    check_all(cpu, cases)


@pytest.mark.parametrize(("isa", "cpu", "layout"), CASES)
def test_nothing_beyond_the_operands_is_read(isa: Isa, cpu: EmulatedCpu, layout: str) -> None:
    """Tensors of whole lines, which the emulated memory ends with."""
    cases = []
    kernels = unmoved(isa, layout)
    for trial in range(2 * isa.channels_per_multiply + 2):
        rng, kernel = random.Random(trial), kernels[trial % len(kernels)]
        length = 1 if layout == DEPTHWISE else trial + 1
        mr, channels = rng.randint(1, min(4, kernel.mr)), rng.randint(1, kernel.nr)
        instance = one_segment(replace(kernel, mr=mr), channels, length, rng)
        a, b, *_ = (array.nbytes for array in draw_operands(instance, 1))
        (segment,) = instance.segments
        at_end = replace(segment, a=-a % LINE, b=-b % LINE)
        cases.append((replace(instance, segments=(at_end,), b_step=instance.b_step + -b % LINE), 1))
    check_all(cpu, cases)


@pytest.mark.parametrize(("isa", "cpu", "layout"), CASES)
def test_extreme_values_are_exact(isa: Isa, cpu: EmulatedCpu, layout: str) -> None:
    cases = []
    for kernel in registry.registered_kernels(isa):
        if kernel.layout == layout:
            instance = draw_instance(kernel, random.Random(kernel.name), full=True)
            cases.append((instance, 1 + len(cases) % 2))
    check_all(cpu, cases, extreme=True)


@pytest.mark.parametrize(
    ("cpu", "lhs", "rhs", "layout", "largest_weight", "name"),
    [
        ("cortex-a57", "s8", "s8", PANEL, 127, "neonsmlal"),
        ("cortex-a57", "s8", "s8", PANEL, 128, "neonsmull"),
        ("cortex-a57", "u8", "u8", PANEL, 128, "neonumull"),
        ("cortex-a57", "u8", "s8", DEPTHWISE, 128, "neonwide"),
        ("cortex-a57", "u8", "s8", ROW, 128, "portablebytes"),
        ("neoverse-n1", "u8", "s8", ROW, 128, "neondot"),
        ("neoverse-n1", "u8", "u8", PANEL, 128, "neonudot"),
        ("armv8.6", "u8", "s8", ROW, 128, "neonmixed"),
        ("armv8.6", "s8", "u8", PANEL, 128, "neoni8mm"),
        ("power10", "u8", "s8", PANEL, 128, "mmabytes"),
        ("rvv", "u8", "s8", ROW, 128, "rvvbytes"),
        ("rvv", "s8", "u8", DEPTHWISE, 128, "rvvbytes"),
        ("power9", "u8", "s8", PANEL, 128, "portablebytes"),
    ],
)
def test_the_best_exact_instruction_set_is_chosen(
    cpu: str, lhs: str, rhs: str, layout: str, largest_weight: int, name: str
) -> None:
    assert best_isa(CPUS[cpu].target, lhs, rhs, layout, largest_weight).name == name


def test_sums_of_two_products_overflow_by_one_weight() -> None:
    """Why the faster of the signed kernels refuses weights of -128: two products no longer fit 16 bits."""
    largest = ISAS["neonsmlal"].largest_weight
    assert 2 * 128 * largest < 2**15 <= 2 * 128 * (largest + 1)


def unmoved(isa: Isa, layout: str) -> list[MicroKernel]:
    """A kernel of four vectors, or fewer, for each pair of types."""
    nr = max(k.nr for k in registry.registered_kernels(isa) if k.layout == layout and k.nr <= 4 * isa.lanes)
    return [k for k in registry.registered_kernels(isa) if (k.layout, k.nr) == (layout, nr)]
