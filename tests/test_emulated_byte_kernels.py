"""Micro-kernels of 8-bit integers of foreign instruction sets, to the bit, under emulation."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from byte_kernels import RANGE, contract, draw_instance, draw_operands, kernel_func
from emulation import CPUS, EmulatedCpu, emulate

from tvm_directconv.intrinsics import registry
from tvm_directconv.intrinsics.isa import ISAS, Isa
from tvm_directconv.intrinsics.microkernel import DEPTHWISE, KernelInstance, MicroKernel, Segment

EMULATED = {
    "neonwide": CPUS["cortex-a57"],
    "neonumull": CPUS["cortex-a57"],
    "neonsmull": CPUS["cortex-a57"],
    "neonsmlal": CPUS["cortex-a57"],
    "neondot": CPUS["neoverse-n1"],
    "neonudot": CPUS["neoverse-n1"],
    "neonmixed": CPUS["armv8.6"],
    "neoni8mm": CPUS["armv8.6"],
    "mmabytes": CPUS["power10"],
    "portablebytes": CPUS["power8"],
}
"""The least CPU each instruction set runs on; the portable kernels' is one that has no other."""
PER_KERNEL = 4
CASES = [(isa, layout) for isa in EMULATED for layout in ISAS[isa].layouts]

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
        np.testing.assert_array_equal(result.tensors[-1], want, f"{instance.name}, {taps} taps")


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
    instance = draw_instance(replace(kernel, nr=kernel.nr), rng, full=True)
    group = ISAS[kernel.isa].group_of(kernel.layout)
    groups = -(-length // group)
    panel = kernel.layout == "panel"
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


@pytest.mark.parametrize(("isa", "layout"), CASES)
def test_kernels_keep_their_contract(isa: str, layout: str) -> None:
    cases = []
    for kernel in registry.registered_kernels(ISAS[isa]):
        if kernel.layout == layout:
            rng = random.Random(kernel.name)
            for trial in range(PER_KERNEL):
                cases.append((draw_instance(kernel, rng, full=trial == 0), (3, 1, 0, 2)[trial]))
    assert cases
    check_all(EMULATED[isa], cases)


@pytest.mark.parametrize(("isa", "layout"), CASES)
def test_every_row_tail(isa: str, layout: str) -> None:
    of, cases = ISAS[isa], []
    for kernel in unmoved(of, layout):
        for mr in range(1, of.largest_mr(kernel.nr, layout) + 1):
            cases.append((draw_instance(replace(kernel, mr=mr), random.Random(mr), full=True), 2))
    check_all(EMULATED[isa], cases)


@pytest.mark.parametrize(("isa", "layout"), CASES)
def test_every_channel_tail_and_length(isa: str, layout: str) -> None:
    of, cases = ISAS[isa], []
    for kernel in unmoved(of, layout):
        rng = random.Random(kernel.name)
        lengths = (1,) if layout == DEPTHWISE else (*range(1, 2 * of.group + 2), 33, 36, 63)
        for length in lengths:
            channels = rng.randint(1, kernel.nr)
            cases.append((one_segment(replace(kernel, mr=min(2, kernel.mr)), channels, length, rng), 2))
        for channels in range(1, kernel.nr + 1):
            length = rng.choice(lengths)
            cases.append((one_segment(replace(kernel, mr=1), channels, length, rng), 1))
    check_all(EMULATED[isa], cases)


@pytest.mark.parametrize(("isa", "layout"), CASES)
def test_extreme_values_are_exact(isa: str, layout: str) -> None:
    of, cases = ISAS[isa], []
    for kernel in registry.registered_kernels(of):
        if kernel.layout == layout:
            instance = draw_instance(kernel, random.Random(kernel.name), full=True)
            cases.append((instance, 1 + len(cases) % 2))
    check_all(EMULATED[isa], cases, extreme=True)


def unmoved(isa: Isa, layout: str) -> list[MicroKernel]:
    """A kernel of four vectors, or fewer, for each pair of types."""
    nr = max(k.nr for k in registry.registered_kernels(isa) if k.layout == layout and k.nr <= 4 * isa.lanes)
    return [k for k in registry.registered_kernels(isa) if (k.layout, k.nr) == (layout, nr)]
