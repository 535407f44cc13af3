"""The peak of multiply-adds: every instruction set's loop is what it says. No test asserts a time."""

from __future__ import annotations

import os
import re

import pytest
from support import ISA_TARGETS, runnable_target

from intrinsics.isa import ISAS, Isa
from tvm_directconv.errors import TargetError
from tvm_directconv.measure.peak import FmaPeak, code_of, compile_peak, peak_code
from tvm_directconv.targets.target import resolve_target


@pytest.mark.parametrize("isa", ISA_TARGETS)
def test_peak_is_measured(isa: str) -> None:
    peak = FmaPeak(runnable_target(isa))
    assert peak.measure() > 0
    expected = {"avx512": "24 x vfmadd213ps zmm", "avx2": "12 x vfmadd213ps ymm"}
    assert peak.instruction == expected.get(isa, peak.instruction)


def test_peak_of_another_machine_uses_its_vectors() -> None:
    code = peak_code(resolve_target("llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-n1"))
    assert code.instruction == "24 x fmla"
    assert code.operations == 2 * 4 * 24 == 8 * code.llvm_ir.count("fmla v")


def test_peak_of_a_machine_without_kernels_of_its_own_is_of_llvms_vectors() -> None:
    code = peak_code(resolve_target("llvm -mtriple=riscv64-linux-gnu"))
    chains = code.llvm_ir.count("call <4 x float> @llvm.fmuladd.v4f32")
    assert code.instruction == f"{chains} x llvm.fmuladd.v4f32"
    assert code.operations == 2 * 4 * chains


def test_narrower_vectors_have_a_peak_of_their_own() -> None:
    avx512 = "llvm -mtriple=x86_64-linux-gnu -mcpu=skylake-avx512"
    assert peak_code(resolve_target(avx512)).instruction == "24 x vfmadd213ps zmm"
    narrow = resolve_target(f"{avx512} -vector-width=256")
    assert peak_code(narrow).instruction == "12 x vfmadd213ps ymm"


BYTE_LOOPS = {
    "llvm -mtriple=x86_64-linux-gnu -mcpu=sapphirerapids": ("4 x tdpbusd", 16384),
    "llvm -mtriple=x86_64-linux-gnu -mcpu=skylake-avx512": (
        "24 x vpxord + vpmaddubsw + vpmaddwd + vpaddd zmm",
        64,
    ),
    "llvm -mtriple=x86_64-linux-gnu -mattr=+avx2,+fma,+avxvnni": ("12 x vpdpbusd ymm", 32),
    "llvm -mtriple=x86_64-linux-gnu -mattr=+avx2,+fma": (
        "12 x vpxor + vpmaddubsw + vpmaddwd + vpaddd ymm",
        32,
    ),
    "llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-v1": ("24 x smmla", 32),
    "llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-n1": ("24 x sdot", 16),
    "llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a57": ("24 x smull + smlal2 + sadalp", 16),
    "llvm -mtriple=powerpc64le-linux-gnu -mcpu=pwr10": ("8 x xvi8ger4pp", 64),
}


@pytest.mark.parametrize("target", BYTE_LOOPS)
def test_byte_peak_repeats_what_kernels_multiply_with(target: str) -> None:
    """Assembled for its machine: each instruction once per accumulator, as many products as it adds up."""
    resolved = resolve_target(target)
    code = peak_code(resolved, "int8")
    expected, products = BYTE_LOOPS[target]
    assert code.instruction == expected
    chains, names = code.instruction.removesuffix(" zmm").removesuffix(" ymm").split(" x ")
    assert code.operations == 2 * products * int(chains)
    lines = compile_peak(code, resolved.tvm_target).inspect_source("asm").splitlines()
    mnemonics = [word for line in lines for word in line.replace("{vex}", "").split()[:1]]
    for name in names.split(" + "):
        assert mnemonics.count(name) == int(chains)


@pytest.mark.parametrize("isa", [isa for isa in ISAS.values() if isa.loop], ids=lambda isa: isa.name)
def test_every_loop_assembles_and_multiplies(isa: Isa) -> None:
    """Its instructions are the CPU's, and among them those that the kernels' are counted by."""
    assert isa.loop is not None
    resolved = resolve_target(isa.cpus[0].target)
    text = str(compile_peak(code_of(isa, resolved), resolved.tvm_target).inspect_source("asm"))
    count = len(re.findall(rf"\b(?:{isa.loop.multiplies})\b", text))
    assert count == isa.loop.accumulators * sum(
        bool(re.search(rf"\b(?:{isa.loop.multiplies})\b", line)) for line in isa.loop.lines
    )
    assert count >= isa.loop.accumulators


@pytest.mark.parametrize("isa", ISA_TARGETS)
def test_byte_peak_is_measured(isa: str) -> None:
    peak = FmaPeak(runnable_target(isa), "int8")
    assert peak.measure() > 0
    assert peak.instruction != FmaPeak(runnable_target(isa)).instruction


def test_peak_of_another_machine_is_not_run() -> None:
    foreign = "aarch64" if os.uname().machine == "x86_64" else "x86_64"
    with pytest.raises(TargetError):
        FmaPeak(f"llvm -mtriple={foreign}-linux-gnu")
