"""Entries of instruction sets: what they say is so, and what they ask for is done."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import tvm
from support import kernel_func, runnable_target

from intrinsics import registry
from intrinsics.emit.asm import ThreadSetup
from intrinsics.instruction_set import HALF_ROUNDOFF
from intrinsics.isa import ISAS, Isa, best_isa
from intrinsics.microkernel import DEPTHWISE, PANEL, ROW, KernelInstance, MicroKernel, Segment
from tvm_directconv.measure.peak import FmaPeak
from tvm_directconv.targets.target import resolve_target

each_isa = pytest.mark.parametrize("isa", ISAS.values(), ids=lambda isa: isa.name)
FLUSH, KEEP = 0x9FC0, 0x1F80
"""Values of x86's control register: denormal numbers are taken for zeros, or kept, as they are by default."""
ENTER, LEAVE = (
    ("%state = alloca i32", f"store i32 {state}, ptr %state", "call void @llvm.x86.sse.ldmxcsr(ptr %state)")
    for state in (FLUSH, KEEP)
)
FLUSHING = ThreadSetup(
    name="flushing",
    enter=ENTER,
    leave=LEAVE,
    declarations=("declare void @llvm.x86.sse.ldmxcsr(ptr)",),
)


@each_isa
def test_its_cpus_have_it(isa: Isa) -> None:
    assert isa.cpus
    for cpu in isa.cpus:
        assert isa.runs_on(resolve_target(cpu.target))


@each_isa
def test_it_is_the_best_of_its_features_for_something(isa: Isa) -> None:
    least = SimpleNamespace(arch=isa.arch, features=isa.features, rate=lambda isa: 1.0)
    found = {
        best_isa(least, lhs, rhs, layout, isa.largest_weight, short=short).name
        for lhs in isa.lhs
        for rhs in isa.rhs
        for layout in isa.layouts
        for short in (False, True)
    }
    assert isa.name in found


@pytest.mark.parametrize(
    ("cpu", "half", "layout", "name"),
    [
        ("sapphirerapids", "bf16", ROW, "amxbf16"),
        ("emeraldrapids", "bf16", PANEL, "avx512bf16halves"),
        ("emeraldrapids", "f16", PANEL, "avx512fp16"),
        ("znver5", "bf16", ROW, "avx512bf16"),
        ("znver5", "bf16", DEPTHWISE, "avx512bf16halves"),
        ("znver5", "f16", ROW, "avx512halves"),
        ("znver3", "bf16", ROW, "avx2halves"),
        ("x86-64", "f16", ROW, "portablehalves"),
    ],
)
def test_the_fastest_of_half_precision_is_chosen(cpu: str, half: str, layout: str, name: str) -> None:
    """Not what a machine is said to be slower at than at float32."""
    target = resolve_target(f"llvm -mtriple=x86_64-linux-gnu -mcpu={cpu}")
    assert best_isa(target, half, half, layout).name == name


@each_isa
def test_its_kernels_name_it(isa: Isa) -> None:
    kernels = registry.registered_kernels(isa)
    assert {kernel.isa for kernel in kernels} == {isa.name}
    assert {kernel.layout for kernel in kernels} == set(isa.layouts)
    assert all(MicroKernel.parse(kernel.name) == kernel for kernel in kernels)


@each_isa
def test_sums_are_as_far_off_as_their_roundings(isa: Isa) -> None:
    """Bounds grow with the terms, and are far below what an operand of half precision was rounded by, unless
    it is said that sums are in float16."""
    bounds = [isa.sum_error(terms) for terms in (0, 1, 32, 64, 4608)]
    assert bounds == sorted(bounds) and bounds[0] == 0 < bounds[1]
    largest = 4608 * isa.roundoff * 1.001 + (isa.half_terms * HALF_ROUNDOFF * 1.04)
    assert 4608 * isa.roundoff < bounds[-1] <= largest
    assert bool(isa.half_terms) == (bounds[-1] > 2.0**-8)


@pytest.fixture
def flushing(monkeypatch: pytest.MonkeyPatch) -> Iterator[Isa]:
    """AVX2 as if its kernels had to run in a state of their own, that of flushing denormals."""
    isa = replace(ISAS["avx2"], thread_setup=FLUSHING)
    monkeypatch.setitem(ISAS, isa.name, isa)
    registry.emit.cache_clear()
    yield isa
    registry.emit.cache_clear()


def test_a_kernel_runs_in_the_state_that_its_instructions_need(flushing: Isa) -> None:
    """And leaves it, so that nothing else does: what flushes a denormal is the kernel alone."""
    target = runnable_target(flushing.name)
    kernel = MicroKernel(1, 8, ROW, flushing.name)
    instance = KernelInstance(kernel, 8, 1, 1, 8, 8, 8, (Segment(0, 1, 0, 0, 1),))
    one, tiny = np.ones(8, np.float32), np.full(8, 1e-40, np.float32)
    operands = [one, tiny, one, one, one]
    module = tvm.compile(kernel_func(instance, operands, 1), target=target.tvm_target)
    tensors = [tvm.runtime.tensor(array) for array in operands]
    module(*tensors)
    assert (tensors[-1].numpy() == 0).all()
    assert (tiny * one == tiny).all()


def test_the_peak_is_measured_in_that_state(flushing: Isa) -> None:
    assert FmaPeak(runnable_target(flushing.name), isa=flushing).measure() > 0
