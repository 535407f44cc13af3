"""Proofs of kernels: those that are reviewed and those drawn are proven, faults are refuted, and what is not
covered is said not to be."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import kernel_mutations
import pytest
from click.testing import CliRunner
from graph_support import draw, network, node
from steps import registered
from test_golden import REVIEWED
from test_kernel_steps import cases_of

import tvm_directconv as directconv
from intrinsics import registry
from intrinsics.isa import ISAS
from intrinsics.packing import panels
from intrinsics.verification import PROVEN, REFUTED, verify
from intrinsics.verification.inline_asm import read_inline_asm
from intrinsics.verification.machine_code import check_machine_code
from intrinsics.verification.terms import Refutation
from tvm_directconv.cli.group import commands

NAME = "f32_f32_f32_2x8_row_avx2__n7_a16.64_b8.128_c8_bias_s0.2.0.0.16"
FAULTS = 43


@pytest.mark.parametrize("name", REVIEWED)
def test_reviewed_kernels_are_proven(name: str) -> None:
    isa, make = REVIEWED[name]
    result = verify(make(isa).name)
    assert result, result


@pytest.mark.parametrize("isa", ISAS)
def test_some_drawn_kernels_are_proven(isa: str) -> None:
    for instance in kernel_mutations.instances(ISAS[isa], 3, seed=1):
        assert verify(instance.name), verify(instance.name)


@pytest.mark.slow
@pytest.mark.parametrize("isa", ISAS)
def test_kernels_with_every_step_are_proven(isa: str) -> None:
    with registered():
        cases = [instance for instance, _ in cases_of(ISAS[isa])][::5]
        for instance in [*cases, *kernel_mutations.instances(ISAS[isa], 2, seed=2)]:
            assert verify(instance.name), verify(instance.name)


def test_faults_are_refuted_or_compute_the_same() -> None:
    found = list(kernel_mutations.faults([*ISAS.values()], FAULTS, seed=0))
    outcomes = Counter(map(kernel_mutations.outcome, found))
    assert not outcomes["missed"] and outcomes["refuted"] > FAULTS // 2


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "vfmadd231ps %ymm3, %ymm2, %ymm0",
            "vfmadd231ps %ymm3, %ymm2, %ymm1",
            "is added, where it should be",
        ),
        ("vfmadd231ps %ymm3, %ymm2, %ymm1", "vfmadd213ps %ymm3, %ymm2, %ymm1", "begins with"),
        ("vbroadcastss 4(%rsi)", "vbroadcastss 8(%rsi)", "is added, where it should be"),
        ("vmaskmovps 0(%rcx), %ymm15, %ymm2", "vmovups 0(%rcx), %ymm2", "which the kernel may not"),
        ("vmaskmovps %ymm1, %ymm15, 32(%rdi)", "vmovups %ymm1, 32(%rdi)", "outside of the tile"),
        ("vmaskmovps %ymm1, %ymm15, 32(%rdi)", "vzeroupper", "is not stored"),
        ("vmovups 0(%rdx)", "vmovaps 0(%rdx)", "not known to be aligned"),
        ("jz 3f", "jnz 3f", "may be zero"),
        ("dec %r9", "sub $$2, %r9", "may be zero"),
        ("add $$512, %rdx", "add $$448, %rdx", "is added, where it should be"),
        ("vzeroupper", "add $$8, %rsp", "stack pointer"),
        ("vzeroupper", "sub %r9, %rsp\\0A\\09mov %rdi, -160(%rsp)\\0A\\09add %r9, %rsp", "on the stack"),
        ("vzeroupper", "mov %rdi, -64(%rsp)", "on the stack"),
        ("vzeroupper", "mov %rdi, %rbx", "not told.*rbx"),
        ("vzeroupper", "vhaddps %ymm0, %ymm0, %ymm0", "no meaning is known"),
        (",~{ymm3}", "", "not told.*mm3"),
        (",~{memory}", "", "not told that memory"),
        (",~{flags}", "", "not told.*flags"),
        ("},0,1,2,", "},1,0,2,", "row 0, lane 0"),
        ("ret i32 0", "ret i32 1", "not one function"),
        (NAME, "another", "defines another"),
    ],
    ids=str,
)
def test_what_is_wrong_is_said(old: str, new: str, message: str) -> None:
    code = registry.emit_named(NAME)
    assert old in code
    result = verify(NAME, code.replace(old, new, 1))
    assert result.outcome == REFUTED and re.search(message, result.reason), result


RVV = "f32_f32_f32_1x64_row_rvv__n43_a16.64_b64.1024_c43_bias_clip00000000.7f800000_s0.1.0.0.16"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("vfmacc.vf v16, f0, v0", "vfmacc.vf v16, f0, v8", "does not hold a group"),
        ("e32, m8", "e16, m8", "does not begin a group as large"),
        ("vsetvli x7, x28", "vsetvli x7, x5", "not known"),
        ("vsetvli x7, x28, e32, m8, ta, ma", "vsetivli x7, 21, e32, m8, ta, ma", "a pass does not ask"),
        ("sub x28, x28, x7", "addi x28, x28, -16", "not known"),
        ("add x12, x12, x6", "add x12, x12, x7", "not known to be aligned"),
        ("add x12, x12, x6", "add x12, x12, x5", "of what is not known"),
        ("bnez x28, 6b", "bnez x7, 6b", "passes do not end"),
        ("li x28, 43", "li x28, 44", "other channels|may not|outside"),
        ("vse32.v v16, (x10)", "vse16.v v16, (x10)", "does not hold a group"),
        ("flw f0, 0(x1)", "flw f0, 2(x1)", "not known to be aligned"),
        ("flw f0, 0(x1)", "flh f0, 0(x1)", "does not hold a number"),
        ("vmflt.vf v0", "vmflt.vf v1", "does not hold a group"),
        (",~{v23}", "", "not told.*v23"),
        (",~{vl}", "", "not told.*vl"),
    ],
    ids=str,
)
def test_what_is_wrong_with_vectors_of_any_length_is_said(old: str, new: str, message: str) -> None:
    code = registry.emit_named(RVV)
    assert verify(RVV) and verify(RVV, code.replace("m8", "m4")) and old in code
    result = verify(RVV, code.replace(old, new, 1))
    assert result.outcome == REFUTED and re.search(message, result.reason), result


PORTABLE = "f32_f32_f32_1x4_row_portable__n3_a80.80_b4.320_c3_clip00000000.7f800000_s0.1.0.0.80"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("icmp ne i64 %k8.next, 80", "icmp ne i64 %k8.next, 81", "goes on behind"),
        ("icmp ne i64 %k8.next, 80", "icmp ne i64 %k8.next, 79", "products are missing"),
        ("mul i64 %k8, 4", "mul i64 %k8, 8", "is added, where it should be"),
        ("%k8.next, %loop6 ]", "%k8, %loop6 ]", "does not count down"),
        ("fcmp olt", "fcmp ogt", "is not what it should be"),
        ("i1 1, i1 0>)\n  ret", "i1 1, i1 1>)\n  ret", "outside of the tile"),
        ("label %taps1, label", "label %done, label", "."),
        ("fmuladd.v4f32(<4 x float> %v", "fmuladd.v4f32(<4 x float> %w", "."),
        ("store ptr %b, ptr %b.at", "store ptr %a, ptr %b.at", "is added, where it should be"),
    ],
    ids=str,
)
def test_what_is_wrong_with_llvm_ir_is_said(old: str, new: str, message: str) -> None:
    code = registry.emit_named(PORTABLE)
    assert verify(PORTABLE) and old in code, code
    result = verify(PORTABLE, code.replace(old, new, 1))
    assert result.outcome == REFUTED and re.search(message, result.reason), result


def test_a_sum_that_a_loop_forgets_is_refuted() -> None:
    """Its iterations leave twice the last product, which is no sum over them."""
    name = "i32_u8_s8_1x4_dw_portablebytes__n1_a2.7_b4.12_c4_s0.1.0.0.1"
    code, count = re.subn(r"(add <4 x i32>) %v\d+, (%v\d+)", r"\1 \2, \2", registry.emit_named(name))
    assert count == 1 and verify(name) and verify(name, code).outcome == REFUTED


@pytest.mark.parametrize(
    "code", ["", "nonsense", "define", "jmp 1b", "vaddps", "mov $, %", "1:\n1:", "\0", "ret"]
)
def test_odd_code_is_refuted(code: str) -> None:
    assert verify(NAME, code).outcome == REFUTED


def test_lines_of_assembly_are_proven() -> None:
    """Without LLVM around them, with comments, and in another order where that does not matter."""
    body = registry.emit_named(NAME).split('"')[1].replace("$$", "$").split("\\0A\\09")
    assert verify(NAME, "\n\t".join(body) + "  # and no more")
    at = body.index("vmovaps %ymm2, %ymm0")
    body[at : at + 2] = body[at + 1], body[at]
    assert verify(NAME, "\n".join(body))
    assert not verify(NAME, "\n".join(body[:-2]))


def test_a_refutation_says_where() -> None:
    code = registry.emit_named(NAME).replace("vbroadcastss 72(%rsi)", "vbroadcastss 76(%rsi)")
    result = verify(NAME, code)
    assert "row 1, lane 0 of C" in result.reason and "[*a + 256*i8 + 72]" in result.reason
    assert result.details["instruction"] == "vmaskmovps %ymm1, %ymm15, 32(%rdi)"


def test_negative_zero_points_keep_the_least_byte() -> None:
    """What overflows as it is made an integer is -2^31, from which -57 would lead to the greatest byte."""
    name = "s8_u8_s8_1x8_row_avx2maddubs__n8_a4.10_b32.96_c8_bias_clipc28e0000.43380000_zm57_s0.1.0.0.4"
    clip = "vmaxps"
    code = registry.emit_named(name)
    assert verify(name) and clip in code
    lines = code.split("\\0A\\09")
    without = [line for line in lines if not line.startswith(clip)]
    assert verify(name, "\\0A\\09".join(without)).outcome == REFUTED


def test_names_that_are_none_are_said() -> None:
    for name in ("x", NAME.replace("2x8", "99x8"), NAME.replace("avx2", "sse"), f"{panels.PREFIX}x"):
        with pytest.raises(directconv.InputError):
            directconv.verify(name)
    with pytest.raises(directconv.InputError, match="of micro-kernels"):
        directconv.verify(f"{panels.PREFIX}f32_avx2__m4_k3_r9_v0.4", machine_code=True)


def small_network() -> bytes:
    nodes = [node("Conv", "x w", "a", pads=[1, 1, 1, 1]), node("Relu", "a", "y")]
    model = network(nodes, {"x": (1, 8, 6, 6)}, {"y": (1, 16, 6, 6)}, {"w": draw(16, 8, 3, 3)})
    return model.SerializeToString()


def test_kernels_of_a_network_are_proven(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TVM_DIRECTCONV_CACHE", "1")
    monkeypatch.setenv("TVM_DIRECTCONV_CACHE_DIR", str(tmp_path))
    target, said = "llvm -mtriple=x86_64-linux-gnu -mcpu=haswell", list[str]()
    model = directconv.compile(small_network(), target, verify=True, on_phase=said.append)
    assert model.verifications and all(model.verifications)
    assert any("_NHWC_" in proof.name for proof in model.verifications), "the layer's function is proven, too"
    assert all(any(text.startswith(f"proving {each}") for text in said) for each in ("kernels", "layers"))
    with monkeypatch.context() as patch:
        patch.setattr("intrinsics.verification.verify", None)
        patch.setattr("tvm_directconv.plans.plan_proof.prove_plan", None)
        assert directconv.compile(small_network(), target, verify=True).verifications == model.verifications
    emit = registry.emit_named
    patched = lambda name: emit(name).replace("vmaxps", "vminps")  # noqa: E731
    monkeypatch.setattr(registry, "emit_named", patched)
    with pytest.raises(directconv.VerificationError, match="refuted"):
        directconv.compile(small_network(), target, verify=True)


def test_the_command_prints_a_table_and_says_by_its_status_whether_all_is_proven(tmp_path: Path) -> None:
    def run(*arguments: str) -> tuple[int, str]:
        result = CliRunner().invoke(commands, ["verify", *arguments])
        return result.exit_code, result.output

    status, shown = run(NAME, "--json")
    assert status == 0 and json.loads(shown)[0]["outcome"] == PROVEN
    code = tmp_path / "code.ll"
    code.write_text(registry.emit_named(NAME).replace("vfmadd231ps", "vfmadd213ps", 1))
    status, shown = run(NAME, "--code", str(code))
    assert status == 1 and "refuted" in shown
    assert run()[0] == 2 and run("x")[0] == 1


@pytest.mark.parametrize(
    "name", ["avx2", "avx512", "avx512vnni", "avx2_silu", "avx2halves", "avx2maddubs_dw"]
)
def test_bytes_that_llvm_makes_are_the_instructions_that_are_proven(name: str) -> None:
    """Constants beside the code, masks, broadcasts and jumps among them."""
    isa, make = REVIEWED[name]
    assert directconv.verify(make(isa).name, machine_code=True)


def test_other_bytes_are_told_from_those_that_are_proven() -> None:
    code = registry.emit_named(NAME)
    for old, new in (
        ("72(%rsi)", "76(%rsi)"),
        ("ymm3, %ymm2, %ymm1", "ymm3, %ymm2, %ymm0"),
        ("jz 3f", "jz 2f"),
    ):
        assert old in code
        with pytest.raises(Refutation, match="other instructions"):
            check_machine_code(code, read_inline_asm(code.replace(old, new, 1)))
    with pytest.raises(directconv.InputError, match="emitted"):
        directconv.verify(NAME, code, machine_code=True)
