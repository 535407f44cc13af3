"""The interpreter of x86 kernels: what a CPU makes of them to the bit, and what it refuses."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction

import byte_kernels
import numpy as np
import pytest
import test_microkernels
from emulation.x86 import interpret
from emulation.x86.rounding import flushed, fused, of_bfloat16, to_bfloat16
from ml_dtypes import bfloat16
from steps import EPILOGUES, registered
from support import kernel_func, run_together, runnable_target
from test_kernel_steps import with_steps

from intrinsics import registry
from intrinsics.isa import ISAS


@pytest.mark.parametrize("isa", ["avx2", "avx2halves", "avx2maddubs", "avx2maddwd"])
def test_kernels_leave_the_bits_that_a_cpu_leaves(isa: str) -> None:
    """Every layout, tails, and every epilogue; NaN is compared as such."""
    target, of = runnable_target(isa), ISAS[isa]
    kernels = byte_kernels if of.of_bytes else test_microkernels
    with registered():
        cases = []
        for kernel, steps in zip(registry.registered_kernels(of), itertools.cycle(EPILOGUES), strict=False):
            instance = kernels.draw_instance(kernel, random.Random(kernel.name), full=False)
            cases.append((with_steps(instance, steps), 2))
        operands = [kernels.draw_operands(instance, taps) for instance, taps in cases]
        functions = [
            kernel_func(instance, drawn, taps)
            for (instance, taps), drawn in zip(cases, operands, strict=True)
        ]
        natively = run_together(functions, operands, target)
        for (instance, taps), (*others, c), want in zip(cases, operands, natively, strict=True):
            got = interpret(registry.emit(instance), [c, *others], taps)[0]
            numbers = ~np.isnan(got) | ~np.isnan(want)
            np.testing.assert_array_equal(bits(got)[numbers], bits(want)[numbers], instance.name)


def bits(array: np.ndarray) -> np.ndarray:
    return array.view(f"u{array.itemsize}")


def kernel(*lines: str, clobbers: str = "~{zmm0},~{zmm1},~{rax}") -> str:
    """A routine that has C in rdi and A in rsi."""
    registers = "={rdi},={rsi},={rdx},={rcx},={r8},={r9}"
    body = "\\0A\\09".join(lines)
    return f'asm sideeffect "{body}", "{registers},0,1,2,3,4,5,{clobbers}"'


def run(*lines: str, **options: str) -> np.ndarray:
    c, a = np.zeros(16, np.float32), np.arange(16, dtype=np.float32)
    return interpret(kernel(*lines, **options), [c, a, a, a, a], 1)[0]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (("vmovups 4(%rsi), %zmm0",), "byte 4 of operand .* are in no operand"),
        (("vmovups 60(%rsi), %ymm0",), "are in no operand"),
        (("vmovups %zmm0, -4(%rdi)",), "are in no operand"),
        (("vmovups 0(%rsi), %zmm2",), r"LLVM is not told .*\['mm2'\]"),
        (("mov $$1, %rbx",), r"LLVM is not told .*\['rbx'\]"),
        (("sub $$64, %rsp",), "the stack pointer is not put back"),
        (("1:", "jmp 1b"), "does not end"),
        (("vhaddps %zmm0, %zmm0, %zmm1",), "no meaning is known of the instruction 'vhaddps'"),
        (("tilezero %tmm0",), "not told|not configured"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_what_a_kernel_must_not_do_is_seen(lines: tuple[str, ...], message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        run(*lines)


def test_lanes_masked_out_are_not_touched() -> None:
    """A load may begin before the tensor ends and go on beyond it, where its mask leaves that out."""
    got = run(
        "mov $$3, %eax",
        "kmovw %eax, %k1",
        "vmovups 56(%rsi), %zmm0{%k1}{z}",
        "vmovups %zmm0, 0(%rdi)",
        clobbers="~{zmm0},~{k1},~{rax}",
    )
    np.testing.assert_array_equal(got, [14, 15, *[0] * 14])


def nearest(exact: Fraction, kind: type[np.floating]) -> np.floating:
    """The number of that type nearest to an exact one; of two, the one whose last bit is zero."""
    about = kind(float(exact))
    near = {about, np.nextafter(about, kind(-np.inf)), np.nextafter(about, kind(np.inf))}
    return min(near, key=lambda x: (abs(Fraction(float(x)) - exact), int(bits(np.array(x))) & 1))


@pytest.mark.parametrize("kind", [np.float32, np.float16])
def test_products_and_sums_are_rounded_once(kind: type[np.floating]) -> None:
    """Beside exact rational arithmetic: cancellation, denormal numbers, and what is so near to halfway
    between two numbers that a double does not tell."""
    rng = np.random.default_rng(0)
    drawn = rng.standard_normal((3, 500)) * 2.0 ** rng.integers(-14, 3, (3, 500))
    eps = np.finfo(kind).eps
    halfway = [(2.0**-12, s * eps * 2**11 * (1 + t * eps), 1 + eps) for s in (1, -1) for t in (1, 0, -1)]
    for a, b, c in (drawn.astype(kind), np.array(halfway, kind).T):
        exact = (
            Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))
            for x, y, z in zip(a, b, c, strict=True)
        )
        np.testing.assert_array_equal(fused(a, b, c), np.array([nearest(x, kind) for x in exact]))


def test_bfloat16_is_rounded_to_nearest_even() -> None:
    every = np.arange(1 << 16, dtype=np.uint32) << 16
    for low in (0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF):
        x = (every | low).view(np.float32)
        with np.errstate(invalid="ignore"):
            want = flushed(x).astype(bfloat16).astype(np.float32)
        got = of_bfloat16(to_bfloat16(x))
        np.testing.assert_array_equal(got, want)
