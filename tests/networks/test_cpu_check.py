"""Code for a CPU that this one is not: refused with the names of what is missing, before any of it runs."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import tvm_ffi
from c_support import Linked, built_example, host_compiler, run_example
from cpu_support import KNOWN, foreign_cpu
from graph_support import draw, inputs_of, network, node
from reference import run_onnx_runtime
from support import assert_matches

import tvm_directconv as directconv
from relay_strategies.c_export.cpu_check import cpu_check
from relay_strategies.c_export.launcher import WRONG_CPU
from tvm_directconv.errors import TargetError
from tvm_directconv.targets import llvm
from tvm_directconv.targets.target import SYSTEM_FEATURES

VERSIONS = {"avx10.2"}
"""Features that a number stands for, and no bit; every CPU that has them has others which these lack."""
on_x86 = pytest.mark.skipif(llvm.arch_of(llvm.host_triple()) != "x86_64", reason="x86's CPUs are asked alone")


def small() -> tuple[object, dict]:
    shapes = {"x": (1, 3, 9, 9)}, {"y": (1, 8, 7, 7)}
    model = network([node("Conv", "x w", "y")], *shapes, {"w": draw(8, 3, 3, 3)})
    return model, inputs_of(model)


def listed(missing: Callable[[int], bytes | None]) -> set[str]:
    names: list[str] = []
    while name := missing(len(names)):
        names.append(name.decode())
    assert len(names) == len(set(names))
    return set(names)


@on_x86
def test_the_check_says_what_llvm_says_of_this_cpu(tmp_path: Path) -> None:
    source, library = tmp_path / "check.ll", tmp_path / "check.so"
    source.write_text(cpu_check("network", [KNOWN], "x86_64-linux-gnu"))
    module = tvm_ffi.get_global_func("ffi.Module.load_from_file.ll")(str(source), "ll")
    module.write_to_file(str(tmp_path / "check.o"), "o")
    subprocess.run([host_compiler(), "-shared", "-o", library, tmp_path / "check.o"], check=True)
    missing = ctypes.CDLL(str(library)).network_missing
    missing.restype = ctypes.c_char_p
    report = tvm_ffi.get_global_func("tvm.codegen.llvm.GetHostCPUFeatures")()
    assert listed(missing) == {feature for feature in KNOWN if not report[feature]}


def test_every_feature_that_code_may_use_has_a_bit() -> None:
    """Of all x86 CPUs that LLVM knows, but for hints and what is in every CPU of 64 bits."""
    triple = "x86_64-linux-gnu"
    reported = KNOWN | VERSIONS | SYSTEM_FEATURES
    if llvm.arch_of(llvm.host_triple()) == "x86_64":
        assert llvm.host_report().keys() <= reported
    used = set().union(*(llvm.features_of(triple, cpu) for cpu in llvm.cpu_names(triple)))
    vectors = {f for f in used if f.startswith(("avx", "amx", "sse", "bmi", "fma", "xop", "f16c"))}
    assert vectors <= reported | {"sse-unaligned-mem"}


def test_code_for_another_cpu_is_refused_by_name(tmp_path: Path) -> None:
    model, _ = small()
    cpu = foreign_cpu()
    compiled = directconv.compile(model, target=f"llvm -mcpu={cpu}", cache=False)
    linked = Linked(compiled.export_c(tmp_path))
    assert linked.init() == WRONG_CPU
    lacking = listed(linked.function("missing", ctypes.c_char_p))
    assert lacking and all(not llvm.host_report()[feature] for feature in lacking)
    compiled.export_library(tmp_path / "net.so")
    with pytest.raises(TargetError, match=f"net.so' cannot run here: .*lacks .*{min(lacking)}"):
        directconv.load(tmp_path / "net.so")


def test_other_architectures_ask_nothing(tmp_path: Path) -> None:
    text = cpu_check("network", {"sve2"}, "aarch64")
    assert "asm" not in text and "ret ptr null" in text
    model, _ = small()
    directconv.compile(model, target="llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-n1").export_c(tmp_path)


@on_x86
@pytest.mark.skipif(shutil.which("qemu-x86_64") is None, reason="qemu-x86_64 is not there: install qemu-user")
def test_older_cpus_refuse_and_the_right_one_runs(tmp_path: Path) -> None:
    """A program for a Haswell, on the CPUs before it."""
    model, inputs = small()
    compiled = directconv.compile(model, target="llvm -mcpu=haswell", cache=False)
    program = built_example(compiled.export_c(tmp_path), [host_compiler(), "-static", "-march=x86-64"])
    (got,) = run_example(program, inputs, compiled.outputs, ["qemu-x86_64", "-cpu", "Haswell"])
    assert_matches(got, run_onnx_runtime(model, inputs)[0], "haswell")
    arguments = [tmp_path / "input0.bin", tmp_path / "output0.bin"]
    for cpu, lacked in (("Nehalem", "pclmul"), ("SandyBridge", "fma"), ("Haswell-v1,-bmi2", "bmi2")):
        command = ["qemu-x86_64", "-cpu", cpu, str(program), *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr.splitlines()[-1]) == (1, f"network: this CPU lacks {lacked}"), (
            cpu
        )
