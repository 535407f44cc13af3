"""Targets: every form they may be written in, every mistake, and what they resolve to."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from unittest import mock

import pytest
import tvm
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tvm import te
from tvm.target import Target

from tvm_directconv.errors import TargetError
from tvm_directconv.targets import llvm
from tvm_directconv.targets.machine_format import machine_text
from tvm_directconv.targets.target import CompileTarget, known_machines, resolve_target

X86 = "llvm -mtriple=x86_64-linux-gnu"
ARM = "llvm -mtriple=aarch64-linux-gnu"
POWER = "llvm -mtriple=powerpc64le-linux-gnu"
ARCHS = ("x86_64", "aarch64", "powerpc64le")
on_x86 = pytest.mark.skipif(
    llvm.arch_of(llvm.host_triple()) != "x86_64", reason="forms without a triple mean the host"
)

# target, machine, keys, some of its features, some it must not have
FORMS = [
    (f"{X86} -mcpu=znver5", "znver5", ("x86", "cpu"), {"avx512f", "avx512vnni", "fma"}, {"sve"}),
    (f"{X86} -mattr=+avx2,+fma", "x86_64_avx2", ("x86", "cpu"), {"avx", "avx2"}, {"avx512f"}),
    (X86, "x86_64", ("x86", "cpu"), {"sse2"}, {"avx", "sse4.1"}),
    (
        "llvm -device=arm_cpu -mtriple=aarch64-linux-gnu -mcpu=neoverse-n1",
        "neoverse-n1",
        ("arm_cpu", "cpu"),
        {"neon", "dotprod"},
        {"sve", "i8mm"},
    ),
    (f"{POWER} -mcpu=pwr10", "power10", ("power", "cpu"), {"mma", "vsx"}, {"avx2"}),
    (POWER, "powerpc64le", ("power", "cpu"), {"vsx"}, {"mma"}),
    (ARM, "aarch64", ("arm_cpu", "cpu"), {"neon"}, {"dotprod"}),
    ("llvm -mtriple=arm64-linux-android", "aarch64", ("arm_cpu", "cpu"), {"neon"}, set()),
    ("llvm -mtriple=riscv64-linux-gnu", "riscv64", ("riscv", "cpu"), {"d", "c"}, {"v"}),
    ("llvm -mtriple=riscv64-linux-gnu -mattr=+v", "riscv64_v", ("riscv", "cpu"), {"v", "c"}, {"zvl256b"}),
    ("llvm -mtriple=riscv64-linux-gnu -mcpu=spacemit-x60", "spacemit-x60", ("riscv", "cpu"), {"zvfh"}, set()),
    ("llvm -mtriple=riscv64-unknown-elf", "riscv64", ("riscv", "cpu"), set(), {"d"}),
    ("llvm -mtriple=i686-linux-gnu", "generic", ("cpu",), set(), {"avx"}),
    ("arm/rasp3b", "generic", ("cpu",), {"neon"}, set()),
    ("raspberry-pi/4b-aarch64", "cortex-a72", ("arm_cpu", "cpu"), {"neon"}, {"dotprod"}),
    (f"{X86} -keys=mine,x86 -mcpu haswell", "haswell", ("mine", "x86", "cpu"), {"avx2"}, set()),
    (f"{X86} --device=mine --mcpu=skx", "skylake-avx512", ("mine", "x86", "cpu"), set(), set()),
    (f"{X86} -mcpu=x86-64-v3 -machine=znver3", "znver3", ("x86", "cpu"), {"avx2"}, set()),
    (
        {"kind": "llvm", "mtriple": "x86_64-linux-gnu", "mcpu": "znver4", "num-cores": 2},
        "znver4",
        ("x86", "cpu"),
        {"avx512bf16"},
        {"avx512vp2intersect"},
    ),
    (
        Target({"kind": "llvm", "mtriple": "aarch64-linux-gnu", "mattr": ["+dotprod"]}),
        "aarch64",
        ("arm_cpu", "cpu"),
        {"dotprod"},
        {"i8mm"},
    ),
    ("llvm -mtriple=armv7-linux-gnueabihf -mcpu=cortex-a7", "generic", ("cpu",), {"neon"}, set()),
    ("llvm -mtriple=i686-linux-gnu -mcpu=haswell", "generic", ("cpu",), {"avx2", "fma"}, set()),
    ("llvm -mtriple=aarch64_be-linux-gnu", "generic", ("cpu",), {"neon"}, set()),
    ("llvm -mtriple=powerpc64-linux-gnu -mcpu=pwr10", "generic", ("cpu",), {"mma", "vsx"}, set()),
    ("llvm -mtriple=mips64el-linux-gnu -mcpu=mips64r6 -mattr=+msa", "generic", ("cpu",), {"msa"}, set()),
]


@pytest.mark.parametrize(
    ("target", "machine", "keys", "present", "absent"),
    FORMS,
    ids=lambda value: "" if isinstance(value, set) else str(value),
)
def test_every_form_resolves(target, machine, keys, present, absent):
    resolved = resolve_target(target)
    assert resolved.machine.name == machine
    assert resolved.keys == keys
    assert present <= resolved.features
    assert not absent & resolved.features
    assert resolved.machine.features <= resolved.features
    assert tuple(map(str, resolved.tvm_target.keys))[: len(keys)] == keys
    assert_round_trip(resolved)


def assert_round_trip(target: CompileTarget) -> None:
    again = resolve_target(str(target))
    assert again == target
    assert hash(again) == hash(target)
    assert str(again) == str(target)
    assert again.features == target.features
    assert "\n" not in str(target)


@on_x86
@pytest.mark.parametrize("text", ["llvm", "llvm -mcpu=znver5", "llvm -mcpu=native"])
def test_without_a_triple_it_is_the_hosts(text):
    resolved = resolve_target(text)
    assert resolved.triple == llvm.host_triple()
    assert_round_trip(resolved)


def test_plain_llvm_assumes_nothing_of_the_host():
    assert resolve_target("llvm").features == resolve_target({"kind": "llvm"}).features
    assert "mcpu" not in resolve_target(X86).tvm_target.attrs
    assert not {"avx", "sse3"} & resolve_target(X86).features


def test_one_target_written_in_every_form_is_one_target():
    config = {
        "kind": "llvm",
        "mtriple": "x86_64-linux-gnu",
        "mcpu": "cascadelake",
        "mattr": ["-avx512vnni", "+avxvnni"],
        "num-cores": 4,
        "fast-math": True,
    }
    forms = [
        f"{X86} -mcpu=cascadelake -mattr=-avx512vnni,+avxvnni -num-cores=4 -fast-math",
        f"{X86} --mcpu=cascadelake --mattr=-avx512vnni,+avxvnni --fast-math=1 --num-cores 4",
        config,
        {**config, "mattr": "-avx512vnni,+avxvnni"},
        json.dumps(config),
        Target(config),
        Target(config, host={"kind": "llvm", "mtriple": "x86_64-pc-linux-gnu"}),
        str(Target(config)),
    ]
    resolved = {resolve_target(form) for form in forms}
    assert len(resolved) == 1
    (target,) = resolved
    assert resolve_target(target) is target
    assert resolve_target(target.tvm_target) == target
    assert "avx512vnni" not in target.features
    assert "avxvnni" in target.features
    assert target.tvm_target.attrs["num-cores"] == 4
    assert target != resolve_target(f"{X86} -mcpu=cascadelake")
    assert target != str(target)


ERRORS = [
    ("", ["no kind", "llvm"]),
    ("-mcpu=znver5", ["no kind"]),
    ("lvm -mcpu=znver5", ["'lvm'", "'llvm'"]),
    ("cuda", ["'cuda'", "not supported"]),
    ({"mcpu": "znver5"}, ["no target kind"]),
    ("llvm znver5", ["'znver5' is not an option"]),
    (f"{X86} -mcpu=znver55", ["'znver55'", "'znver5'"]),
    (f"{X86} -mcpu=neoverse-n1", ["'neoverse-n1'", "-mtriple=aarch64-linux-gnu"]),
    (f"{ARM} -mcpu=neoverse-n11", ["aarch64 CPU 'neoverse-n11'", "'neoverse-n1'"]),
    (f"{POWER} -mcpu=power10", ["'power10'", "'pwr10'"]),
    (f"{X86} -mcpu", ["-mcpu", "needs a value"]),
    (f"{X86} -mcpu=znver5 -mcpu=znver4", ["-mcpu twice"]),
    (f"{X86} -mcpu=i386", ["-mcpu=i386", "64-bit"]),
    (f"{X86} -mattr=-sse2", ["-mattr=-sse2", "SIMD"]),
    (f"{X86} -mattr=+avx22", ["'avx22'", "'avx2'"]),
    (f"{X86} -mattr=avx2", ["'+avx2'"]),
    (f"{X86} -mattr=+", ["-mattr=+"]),
    (f"{X86} -mattr", ["-mattr", "needs a value"]),
    (f"{X86} -mcpus=znver5", ["'-mcpus'", "'mcpu'"]),
    (f"{X86} -num_cores=2", ["'-num_cores'", "'num-cores'"]),
    ({"kind": "llvm", "mtripel": "x86_64"}, ["'-mtripel'", "'mtriple'"]),
    ('{"kind": "llvm", "mcpu": ', ["not valid JSON"]),
    ('{"kind": "llvm", "mcpu": 5}', ["-mcpu", "5"]),
    ({"kind": "llvm", "mattr": 3}, ["-mattr", "list"]),
    ("llvm -mcpu='znver5", ["quotation"]),
    ("llvm -mtriple=x86-64-linux-gnu", ["'x86'", "'x86_64'"]),
    ("llvm -mtriple=aarch65-linux-gnu", ["'aarch65'", "'aarch64'"]),
    ("llvm -mtriple=nvptx64-nvidia-cuda", ["no CPU 'nvptx64'"]),
    (f"{X86} -machine=znver6", ["'znver6'", "'znver5'", "known machines"]),
    (f"{X86} -machine=power10", ["-machine=power10", "powerpc64le", "x86_64"]),
    (f"{X86} -device=arm_cpu", ["'arm_cpu'", "-mtriple=aarch64-linux-gnu"]),
    (f"{ARM} -keys=x86", ["'x86'", "aarch64"]),
    (f"{X86} -libs=mkl", ["-libs", "external library"]),
    (f"{X86} -system-lib", ["-system-lib", "removed"]),
    (f"{X86} -march=znver5", ["-march", "-mcpu"]),
    (f"{X86} -num-cores=0", ["-num-cores", "positive"]),
    (f"{X86} -num-cores=two", ["-num-cores", "whole number"]),
    (f"{X86} -opt-level=9", ["-opt-level", "0, 1, 2, 3"]),
    (f"{X86} -mfloat-abi=hrd", ["-mfloat-abi", "'hard'"]),
    (f"{X86} -jit=mcjitt", ["-jit", "'mcjit'"]),
    (f"{X86} -fast-math=maybe", ["-fast-math", "1 or 0"]),
    (f"{X86} -mcpu=haswell -vector-width=512", ["-vector-width=512", "256-bit", "haswell"]),
    (f"{X86} -vector-width=100", ["-vector-width", "128"]),
    (f"{X86} -cl-opt=nothing", ["TVM refuses", "nothing"]),
    (f"{X86} -host='{ARM}'", ["aarch64", "x86_64"]),
    ("raspberry-pi/4b", ["'raspberry-pi/4b'", "'raspberry-pi/4b-aarch64'"]),
    ("llvm -mtriple=xcore", ["LLVM cannot compile for", "xcore", "ObjectFile"]),
    ("llvm -mtriple=powerpc64-ibm-aix", ["LLVM cannot compile for", "AIX"]),
    (f"{ARM} -mattr=+reserve-x1", ["LLVM cannot compile for", "reserve-x1", "argument registers"]),
    ("llvm -mtriple=avr-unknown-none", ["avr", "pointers are too short"]),
    ("llvm -mtriple=x86_64-linux-gnux32", ["gnux32", "pointers are too short"]),
    ("llvm -mtriple=riscv64-linux-gnu -mattr=+vv", ["riscv64 feature 'vv'"]),
    (3, ["3", "int"]),
    (None, ["None"]),
]


@pytest.mark.parametrize(("target", "parts"), ERRORS, ids=str)
def test_every_error_names_the_mistake(target, parts):
    with pytest.raises(TargetError) as caught:
        resolve_target(target)
    message = str(caught.value)
    assert "\n" not in message
    assert [part for part in parts if part not in message] == []


def test_native_elsewhere_is_refused():
    other = "aarch64" if llvm.arch_of(llvm.host_triple()) != "aarch64" else "x86_64"
    for option in ("mcpu", "machine"):
        with pytest.raises(TargetError, match=f"-{option}=native means this host"):
            resolve_target(f"llvm -mtriple={other}-linux-gnu -{option}=native")


@pytest.mark.parametrize("arch", ARCHS)
def test_every_cpu_llvm_knows_has_a_machine_or_a_reason(arch):
    triple = f"{arch}-linux-gnu"
    least = known_machines()[arch].features
    for name in llvm.cpu_names(triple):
        text = f"llvm -mtriple={triple} -mcpu={name}"
        if least <= llvm.features_of(triple, name):
            target = resolve_target(text)
            assert target.machine.arch == arch
            assert target.machine.features <= target.features
            assert_round_trip(target)
        else:
            reason = f"-mcpu={name}: {arch} code without 64-bit mode or SIMD"
            with pytest.raises(TargetError, match=re.escape(reason)):
                resolve_target(text)


@pytest.mark.parametrize(
    ("target", "machine"),
    [
        (f"{X86} -mcpu=x86-64-v4", "x86_64_avx512"),
        (f"{X86} -mcpu=x86-64-v3", "x86_64_avx2"),
        (f"{X86} -mcpu=nehalem", "x86_64"),
        (f"{X86} -mattr=+avx512f", "x86_64_avx512"),
        (f"{ARM} -mcpu=neoverse-e1", "aarch64"),
        (f"{POWER} -mcpu=pwr8", "powerpc64le"),
        ("llvm -mtriple=riscv64-linux-gnu -mcpu=tt-ascalon-d8", "riscv64_v"),
        ("llvm -mtriple=riscv64-linux-gnu -mcpu=sifive-u74", "riscv64"),
    ],
)
def test_a_cpu_without_a_file_gets_its_class(target, machine):
    assert resolve_target(target).machine == known_machines()[machine]


def test_a_machine_may_be_a_file_anywhere(tmp_path, monkeypatch):
    described = replace(known_machines()["znver3"], fma_per_cycle=1)
    path = tmp_path / "mine.json"
    path.write_text(machine_text(described))
    target = resolve_target(f"{X86} -mcpu=znver3 -machine={path}")
    assert (target.machine.name, target.machine.fma_per_cycle) == (str(path), 1)
    assert f"-machine={path}" in str(target)
    assert_round_trip(target)
    monkeypatch.chdir(tmp_path)
    assert resolve_target(f"{X86} -mcpu=znver3 -machine=mine.json") == target
    narrow = resolve_target(f"{X86} -machine={path}").machine
    assert (narrow.vector_bits, narrow.caches) == (128, described.caches)


def test_errors_of_machine_files_name_the_file(tmp_path):
    path = tmp_path / "mine.json"
    for content, part in (
        (None, "no such file"),
        (b"\xff\xfe", "not text in UTF-8"),
        (b"{}", "lacks the field 'description'"),
        (machine_text(known_machines()["power10"]).encode(), "powerpc64le"),
    ):
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(TargetError, match=re.escape(str(path))) as caught:
            resolve_target(f"{X86} -machine={path}")
        assert part in str(caught.value)


def test_simd_follows_the_features_and_caches_the_cpu():
    whole = resolve_target(f"{X86} -mcpu=znver5").machine
    narrow = resolve_target(f"{X86} -mcpu=znver5 -mattr=-avx512f").machine
    assert (whole.vector_bits, whole.vector_registers) == (512, 32)
    assert (narrow.vector_bits, narrow.vector_registers, narrow.fma_per_cycle) == (256, 16, 2)
    assert narrow.caches == whole.caches
    assert narrow.costs.exposed_traffic == whole.costs.exposed_traffic
    assert narrow.origins["exposed_traffic"].of_class == ""
    assert narrow.origins["loads_per_cycle"].of_class == "x86_64"
    assert "avx512f" not in narrow.features
    wide = resolve_target(f"{X86} -mcpu=haswell -mattr=+avx512f").machine
    assert (wide.name, wide.vector_bits) == ("haswell", 512)
    assert resolve_target(f"{X86} -mcpu=znver5 -mattr=-avx512vnni").machine.vector_bits == 512
    chosen = resolve_target(f"{X86} -mcpu=znver5 -vector-width=256")
    assert chosen.machine.vector_bits == 256
    assert_round_trip(chosen)


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_the_printed_target_resolves_back(data):
    arch = data.draw(st.sampled_from((*ARCHS, "riscv64")))
    triple = data.draw(st.sampled_from((f"{arch}-linux-gnu", f"{arch}-pc-linux-gnu")))
    config = {"kind": "llvm", "mtriple": triple}
    feature = st.sampled_from(sorted(llvm.feature_names(triple)))
    attribute = st.builds(lambda sign, name: sign + name, st.sampled_from("+-"), feature)
    options = {
        "mcpu": st.sampled_from(llvm.cpu_names(triple)),
        "mattr": st.lists(attribute, max_size=4),
        "num-cores": st.integers(1, 512),
        "opt-level": st.integers(0, 3),
        "fast-math": st.booleans(),
        "model": st.text(st.characters(codec="utf-8", exclude_categories=["C"]), min_size=1),
        "keys": st.lists(st.from_regex(r"[a-z_]{5,8}", fullmatch=True), max_size=3),
        "machine": st.sampled_from(["generic", *(m for m in known_machines() if m == arch)]),
    }
    for name in data.draw(st.sets(st.sampled_from(sorted(options)))):
        config[name] = data.draw(options[name], label=name)
    with mock.patch("tvm_directconv.targets.target.require_compilable"):
        try:
            target = resolve_target(config)
        except TargetError as error:
            assume("64-bit mode or SIMD" not in str(error))
            raise
        assert_round_trip(target)
        assert resolve_target(json.dumps(config)) == target


ARCHITECTURES = sorted(
    arch for arch in llvm.arch_names() if arch != "xcore" and not llvm.has_short_pointers(arch)
)
WITH_VECTORS = [
    "llvm -mtriple=armv7-linux-gnueabihf -mcpu=cortex-a7",
    "llvm -mtriple=thumbv7-linux-gnueabihf -mattr=+neon",
    "llvm -mtriple=aarch64_be-linux-gnu -mcpu=neoverse-n1",
    "llvm -mtriple=i686-linux-gnu -mcpu=sapphirerapids",
    "llvm -mtriple=powerpc64-linux-gnu -mcpu=pwr10",
    "llvm -mtriple=riscv64-linux-gnu -mattr=+v,+d -mabi=lp64d",
    "llvm -mtriple=riscv32-linux-gnu -mattr=+v,+d -mabi=ilp32d",
    "llvm -mtriple=wasm32-wasi -mattr=+simd128",
    "llvm -mtriple=hexagon-unknown-elf -mcpu=hexagonv68 -mattr=+hvx,+hvx-length128b",
    "llvm -mtriple=s390x-linux-gnu -mcpu=z15",
    "llvm -mtriple=loongarch64-linux-gnu -mattr=+lasx",
]
FOREIGN_LAYERS = """
import sys
from unittest import mock
from intrinsics.isa import best_isa
from relay_strategies.compiler.layer import build_conv2d
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets import target
workload = Conv2dWorkload(1, 8, 8, 16, 16, (3, 3), padding=(1, 1, 1, 1))
with mock.patch.object(target, "require_compilable"):
    for text in sys.argv[2:]:
        resolved = target.resolve_target(text)
        build_conv2d(workload, resolved).executable.mod.write_to_file(sys.argv[1], "o")
        print(text, best_isa(resolved).name, best_isa(resolved, "u8", "s8").name, sep="; ", flush=True)
"""


def test_every_architecture_has_kernels(tmp_path):
    """Those without kernels of their own have portable ones, whatever their features are called. LLVM ends
    the process over what it cannot assemble, so this is one of its own."""
    texts = [f"llvm -mtriple={arch}-unknown-linux-gnu" for arch in ARCHITECTURES] + WITH_VECTORS
    command = [sys.executable, "-c", FOREIGN_LAYERS, str(tmp_path / "layer.o"), *texts]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    kernels = dict(line.split("; ", 1) for line in done.stdout.splitlines())
    assert kernels.keys() == set(texts), done.stderr[-300:]
    own = {text for text, found in kernels.items() if found != "portable; portablebytes"}
    least = {f"llvm -mtriple={arch}-unknown-linux-gnu" for arch in ("aarch64", "powerpc64le")}
    assert own == least | {text for text in WITH_VECTORS if "riscv64" in text}


@pytest.mark.parametrize(
    ("given", "normal"),
    [
        ("x86_64-linux-gnu", "x86_64-unknown-linux-gnu"),
        ("armv7-linux-gnueabihf", "armv7-unknown-linux-gnueabihf"),
        ("aarch64-linux-android21", "aarch64-unknown-linux-android21"),
        ("x86_64-w64-mingw32", "x86_64-w64-windows-gnu"),
        ("x86_64-windows-msvc", "x86_64-unknown-windows-msvc"),
        ("wasm32-wasi", "wasm32-unknown-wasi"),
        ("thumbv7m-none-eabi", "thumbv7m-unknown-none-eabi"),
        *((same, same) for same in ("x86_64", "arm64-apple-macosx14", "x86_64-conda-linux-gnu")),
    ],
)
def test_triples_are_read_as_compilers_read_them(given, normal):
    assert llvm.normalized(given) == normal
    assert llvm.normalized(normal) == normal


def test_tvm_compiles_for_every_target():
    data = te.placeholder((64,), name="data")
    function = te.create_prim_func([data, te.compute((64,), lambda i: data[i] * 2.0)])
    for form in (f"{X86} -mcpu=znver5", X86, f"{ARM} -mcpu=neoverse-n1", f"{POWER} -mcpu=pwr10"):
        target = resolve_target(f"{form} -keys=mine")
        library = tvm.compile(tvm.IRModule({"main": function}), target.tvm_target)
        assert "main" in library.mod.inspect_source("asm")


def test_a_compilers_name_of_a_cpu_is_known():
    target = resolve_target(f"{ARM} -mcpu=apple-m1")
    assert target.machine.name == "apple-m1" and "-mcpu=apple-a14" in str(target)
    assert resolve_target(str(target)) == target
