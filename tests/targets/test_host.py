"""The host: what "native" means on it, and which code it may run."""

from __future__ import annotations

import pytest
from tvm.target import codegen

from tvm_directconv.errors import TargetError
from tvm_directconv.targets import llvm
from tvm_directconv.targets.host import HOST_PROCESSORS
from tvm_directconv.targets.host_tiles import tiles_work
from tvm_directconv.targets.native import host_cpu
from tvm_directconv.targets.target import require_host, resolve_target

X86 = "llvm -mtriple=x86_64-linux-gnu"
ARM = "llvm -mtriple=aarch64-linux-gnu"
ARCHS = ("x86_64", "aarch64", "powerpc64le")


def test_native_has_exactly_what_the_host_has():
    target = resolve_target("llvm -mcpu=native")
    report = llvm.host_report()
    assert {name for name, present in report.items() if present} <= target.features
    assert not {name for name, present in report.items() if not present} & target.features
    assert target.machine.name == "native"
    require_host(target)
    require_host(resolve_target("llvm"))
    assert resolve_target(str(target)) == target


@pytest.mark.parametrize("work", [True, False])
def test_tiles_are_there_if_they_work(monkeypatch, work):
    said = {"amx-tile": True, "amx-int8": True, "amx-fp16": False, "avx512f": True}
    monkeypatch.setattr(llvm, "get_global_func", lambda name: lambda: said)
    monkeypatch.setattr(llvm, "tiles_work", lambda: work)
    found = llvm.host_report.__wrapped__()
    assert found == said | {"amx-tile": work, "amx-int8": work}


def test_tiles_of_this_host():
    assert tiles_work() <= bool({"amx-tile", "amx-int8"} <= {k for k, v in llvm.host_report().items() if v})
    if "amx_tile" not in HOST_PROCESSORS.read_text():
        assert not tiles_work()


@pytest.fixture
def host(monkeypatch):
    """A function that makes this host look like another, as LLVM reports it."""
    cached = (host_cpu, llvm.host_cpu_name, llvm.host_report)

    def pretend(triple: str, cpu: str, report: dict[str, bool]) -> None:
        monkeypatch.setattr(llvm, "host_triple", lambda: triple)
        monkeypatch.setattr(codegen, "llvm_get_system_cpu", lambda: cpu)
        monkeypatch.setattr(llvm, "host_report", lambda: report)
        host_cpu.cache_clear()
        llvm.host_cpu_name.cache_clear()

    yield pretend
    monkeypatch.undo()
    for function in cached:
        function.cache_clear()


def test_native_leaves_out_what_a_virtual_machine_hides(host):
    hidden = {name for name in llvm.features_of("x86_64-linux-gnu", "znver5") if "avx512" in name}
    report = {**dict.fromkeys(hidden, False), "pku": False, "avx2": True, "fma": True, "xop": True}
    host("x86_64-linux-gnu", "znver5", report)
    native = resolve_target("llvm -mcpu=native")
    assert not (hidden | {"pku"}) & native.features
    assert {"avx2", "fma", "xop"} <= native.features
    assert native.machine.vector_bits == 256
    require_host(native)
    assert resolve_target(str(native)) == native
    with pytest.raises(TargetError, match="lacks avx512bf16, avx512bitalg, avx512bw"):
        require_host(resolve_target("llvm -mcpu=znver5"))


def test_a_cpu_under_the_model_of_an_older_one_is_known_by_its_features(host):
    features = llvm.features_of("x86_64-linux-gnu", "graniterapids")
    report = dict.fromkeys(llvm.feature_names("x86_64-linux-gnu"), False) | dict.fromkeys(features, True)
    host("x86_64-linux-gnu", "rocketlake", report | {"amx-fp16": False, "pku": False})
    native = resolve_target("llvm -mcpu=native")
    assert native.tvm_target.attrs["mcpu"] == "graniterapids"
    assert native.machine.fma_per_cycle == 2
    assert "amx-int8" in native.features and "amx-fp16" not in native.features
    require_host(native)
    assert resolve_target(str(native)) == native


def test_a_cpu_without_what_its_model_has_keeps_its_name(host):
    features = llvm.features_of("x86_64-linux-gnu", "sapphirerapids")
    report = {name: "amx" not in name for name in features}
    host("x86_64-linux-gnu", "sapphirerapids", report | {"prefetchi": True})
    assert resolve_target("llvm -mcpu=native").tvm_target.attrs["mcpu"] == "sapphirerapids"


def test_code_for_the_hosts_cpu_runs_though_system_instructions_are_hidden(host):
    host("x86_64-linux-gnu", "znver5", {"pku": False, "mwaitx": False, "wbnoinvd": False})
    require_host(resolve_target("llvm -mcpu=znver5"))


def test_a_host_cpu_llvm_has_no_name_for_is_what_it_reports(host):
    host("x86_64-linux-gnu", "unheard-of", {"avx2": True, "fma": True, "avx512f": False})
    native = resolve_target("llvm -mcpu=native")
    assert {"avx2", "fma"} <= native.features
    assert "avx512f" not in native.features
    assert native.machine.vector_bits == 256


def test_an_arm_host_reports_little_and_is_still_checked(host):
    host("aarch64-linux-gnu", "cortex-a72", {"neon": True, "crc": True})
    require_host(resolve_target(ARM))
    require_host(resolve_target("llvm -mcpu=cortex-a72"))
    with pytest.raises(TargetError, match="dotprod, fullfp16") as caught:
        require_host(resolve_target("llvm -mcpu=neoverse-n1"))
    assert "neoversen1" not in str(caught.value)
    with pytest.raises(TargetError, match="this host is aarch64"):
        require_host(resolve_target(X86))


def test_code_for_another_architecture_or_system_is_refused():
    arch = llvm.arch_of(llvm.host_triple())
    for other in {*ARCHS, "riscv64"} - {arch}:
        with pytest.raises(TargetError, match=f"this host is {arch}"):
            require_host(resolve_target(f"llvm -mtriple={other}-linux-gnu"))
    if llvm.system_of(llvm.host_triple()) == "linux":
        with pytest.raises(TargetError, match="not windows"):
            require_host(resolve_target(f"llvm -mtriple={arch}-pc-windows-msvc"))


@pytest.mark.skipif(llvm.arch_of(llvm.host_triple()) != "x86_64", reason="the CPUs tried are of x86-64")
def test_code_with_features_the_host_lacks_is_refused_naming_them():
    refused = 0
    for name in ("znver3", "sapphirerapids", "diamondrapids", "knl", "bdver4", "alderlake"):
        target = resolve_target(f"llvm -mcpu={name}")
        vector = {f for f in target.features if f.startswith(("avx", "amx", "fma4", "xop"))}
        missing = {f for f in vector if llvm.host_report().get(f) is False}
        if missing:
            with pytest.raises(TargetError) as caught:
                require_host(target)
            assert all(feature in str(caught.value) for feature in missing)
            assert "llvm -mcpu=native" in str(caught.value)
            refused += 1
    assert refused, "one CPU has features of AMD, another of Intel: no host has all"
