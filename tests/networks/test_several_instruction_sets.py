"""One file of several instruction sets: which is taken, the answers of each, and what the file holds once."""

from __future__ import annotations

import ctypes
import functools
import math
import shutil
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from c_support import SECONDS, Linked, host_compiler
from cli_support import fail, succeed
from cpu_support import KNOWN
from emulation import ARCHITECTURES
from graph_support import draw, inputs_of, network, node
from onnx import ModelProto
from quantized_models import quantize
from reference import run_onnx_runtime
from support import assert_matches

import tvm_directconv as directconv
from intrinsics.isa import ISAS
from relay_strategies.c_export.joining import joined, with_suffix
from relay_strategies.strategies.common_filters import MOST, CommonFilters
from relay_strategies.strategies.limits import NO_LIMITS
from relay_strategies.strategies.strategy import conv2d_strategy
from tvm_directconv import cache
from tvm_directconv.algorithms.byte_packing import pack_byte_filter
from tvm_directconv.errors import DirectConvError, InputError, TargetError
from tvm_directconv.problem.quantized_types import QuantizedTypes
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.runtime import derived, loading
from tvm_directconv.runtime.description import Description
from tvm_directconv.runtime.repacking import masks_of, may_be_repacked, remade, repacked
from tvm_directconv.targets import llvm
from tvm_directconv.targets.native import host_features

X86 = "llvm -mtriple=x86_64-linux-gnu -dispatch=avx2,avx512,avx512vnni"
TOLERANCE = {"floats": 1e-5, "bytes": 0.02}
"""One step of what 8 bits hold is about a hundredth of the largest output."""
on_x86 = pytest.mark.skipif(llvm.arch_of(llvm.host_triple()) != "x86_64", reason="x86's sets run here")


@functools.cache
def model_of(kind: str) -> ModelProto:
    """Three convolutions, the filters of which differ from set to set but for the last."""
    nodes = [
        node("Conv", "x w", "a", pads=[1, 1, 1, 1]),
        node("Relu", "a", "b"),
        node("Conv", "b v", "c", pads=[1, 1, 1, 1], strides=[2, 2]),
        node("Relu", "c", "d"),
        node("Conv", "d u", "y"),
    ]
    weights = {"w": draw(24, 3, 3, 3), "v": draw(40, 24, 3, 3), "u": draw(64, 40, 1, 1)}
    model = network(nodes, {"x": (1, 3, 11, 11)}, {"y": (1, 64, 6, 6)}, weights)
    return quantize(model) if kind == "bytes" else model


@functools.cache
def wanted(kind: str) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Inputs, and ONNX Runtime's answer."""
    inputs = inputs_of(model_of(kind))
    return inputs, run_onnx_runtime(model_of(kind), inputs)[0]


def runnable(names: Sequence[str]) -> list[str]:
    """Those of x86's sets that this host has."""
    targets = directconv.resolve_target(X86).instruction_sets
    return [name for name in names if targets[name].features & KNOWN <= host_features()]


# ---- targets


def test_targets_say_which_sets_there_are() -> None:
    target = directconv.resolve_target("portable -mtriple=x86_64-linux-gnu")
    assert target.tvm_target.attrs["mtriple"] == "x86_64-unknown-linux-gnu" and "dispatch" in str(target)
    assert list(target.instruction_sets) == ["avx512vnni", "avx512", "avx2", "baseline"]
    assert {"avx512vnni", "fma"} <= target.instruction_sets["avx512vnni"].features
    assert "avx" not in target.features and str(directconv.resolve_target(str(target))) == str(target)
    assert [*directconv.resolve_target("portable -mtriple=aarch64-linux-gnu").instruction_sets] == [
        *("bf16", "i8mm", "dotprod", "baseline")
    ]
    assert not directconv.resolve_target("llvm").dispatch


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("llvm -mtriple=x86_64-linux-gnu -dispatch=avx3", "no instruction set of x86_64.*mean 'avx2'"),
        ("llvm -mtriple=x86_64-linux-gnu -dispatch=dotprod", "no instruction set of x86_64"),
        ("llvm -mtriple=x86_64-linux-gnu -mcpu=haswell -dispatch=avx2", "has all that this set has"),
        ("llvm -mtriple=riscv64-linux-gnu -dispatch=rvv", "-dispatch is for x86_64"),
        ("llvm -mtriple=arm64-apple-macos -dispatch=dotprod", "macos does not say what aarch64 CPUs have"),
        ("llvm -dispatch", "needs a value"),
    ],
)
def test_unknown_sets_are_refused_by_name(target: str, message: str) -> None:
    with pytest.raises(TargetError, match=message):
        directconv.resolve_target(target)


def test_sizes_are_not_compiled_on_demand_in_several_sets() -> None:
    with pytest.raises(InputError, match="several instruction sets: leave sizes open"):
        directconv.compile(model_of("floats"), X86, on_demand=True)


# ---- filters


@pytest.mark.parametrize(
    ("shape", "other", "channels"),
    [
        ((3, 3, 2, 5, 16), (6, 3, 2, 5, 8), (43, 5)),
        ((2, 1, 1, 3, 24, 4), (9, 1, 1, 10, 4, 1), (36, 10)),
        ((2, 1, 2, 3, 24, 4), (3, 1, 2, 3, 16, 4), (36, 10)),
        ((9, 1, 1, 10, 4, 1), (1, 1, 1, 3, 48, 4), (36, 10)),
    ],
)
def test_filters_are_packed_in_other_blocks(shape: Sequence[int], other: Sequence[int], channels) -> None:
    """Against loops over all channels and taps."""
    outputs, inputs = channels
    plain = np.random.default_rng(0).integers(-99, 100, (outputs, inputs, *shape[1:3]), np.int8)

    def packed(shape: Sequence[int]) -> np.ndarray:
        result = np.zeros((*shape, 1)[:6], np.int8)
        for oc, ic, row, column in np.ndindex(plain.shape):
            group, width = result.shape[5], result.shape[4]
            place = (oc // width, row, column, ic // group, oc % width, ic % group)
            result[place] = plain[oc, ic, row, column]
        return result.reshape(shape)

    assert may_be_repacked(shape, other)
    np.testing.assert_array_equal(repacked(packed(shape), other), packed(other))
    assert not may_be_repacked(shape, (shape[0] + 2, *shape[1:]))


@pytest.mark.parametrize("dtype", ["uint8", "int8"])
@pytest.mark.parametrize(("outputs", "inputs"), [(43, 10), (16, 7)])
def test_filters_with_masks_are_made_of_others(dtype: str, outputs: int, inputs: int) -> None:
    """Against the packing by the compiler, of weights that often exceed 16 bits in pairs."""
    types = QuantizedTypes(out_dtype="uint8", largest_weight=127)
    workload = Conv2dWorkload(1, 5, 5, inputs, outputs, (3, 2), dtype=dtype, quantized=types)
    weights = np.random.default_rng(0).integers(-127, 128, (outputs, inputs, 3, 2), np.int8)
    steps = -(-inputs // 4)

    def packed(width: int, isa: str) -> np.ndarray:
        rows = (2 if isa == "avx2complement" else 1) * width
        shape = (-(-outputs // width), 3, 2, steps, rows, 4)
        return pack_byte_filter(workload, shape, weights, ISAS[isa])

    plain, wide, narrow = packed(16, "avx512vnni"), packed(48, "avx2complement"), packed(8, "avx2complement")
    masks = masks_of(wide)
    assert masks is not None and masks.moved == (128 if dtype == "int8" else 0)
    np.testing.assert_array_equal(remade(plain, wide.shape, None, masks), wide)
    np.testing.assert_array_equal(remade(wide, plain.shape, masks), plain)
    np.testing.assert_array_equal(remade(wide, narrow.shape, masks, masks), narrow)
    assert masks_of(weights.reshape(1, 1, 1, 1, -1, 2)) is None


def test_sets_read_one_filter_where_it_costs_little() -> None:
    workload = Conv2dWorkload.parse(
        "n1_ih14iw14_ic64_oc96_k3x3_s1x1_p1x1x1x1_d1x1_g1_float32_NHWC_OIHW_bias+relu"
    )
    targets = directconv.resolve_target(X86).instruction_sets
    common, shapes = CommonFilters(targets), set()
    for name in ("avx2", "avx512", "baseline"):
        algorithm, tile = common.choice(workload, targets[name], NO_LIMITS)
        offers = conv2d_strategy(workload, targets[name])
        chosen = next(each for each in offers.implementations if each.name == algorithm)
        shapes.add(chosen.plan(workload, targets[name], tile).packed_filter_shape)
        own = offers.select(workload, targets[name]).estimate(workload, targets[name]).total
        if name != "baseline":
            assert chosen.estimate(workload, targets[name], tile).total <= MOST * own
    assert len(shapes) == 1
    depthwise = Conv2dWorkload.parse("n1_ih9iw9_ic8_oc8_k3x3_s1x1_p1x1x1x1_d1x1_g8_float32_NHWC_OIHW")
    assert common.choice(depthwise, targets["avx2"], NO_LIMITS) is None


# ---- libraries


@pytest.fixture(scope="module", params=[pytest.param("floats", marks=pytest.mark.slow), "bytes"])
def library(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    path = tmp_path_factory.mktemp("sets") / "net.so"
    directconv.compile(model_of(request.param), X86, cache=False).export_library(path)
    return request.param, path


def described(path: Path) -> Description:
    """What a library says of itself."""
    text = ctypes.c_char.in_dll(loading.open_library(path), "directconv_description")
    return Description(memoryview(ctypes.string_at(ctypes.addressof(text))))


@on_x86
def test_a_library_takes_the_best_set_of_the_cpu(
    library: tuple[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    kind, path = library
    inputs, want = wanted(kind)
    # Sets of floats do not use what avx512vnni has beyond avx512.
    names = [*(["avx512vnni"] if kind == "bytes" else []), "avx512", "avx2", "baseline"]
    assert [each["metadata"]["instruction_set"] for each in described(path).sets] == names
    targets = directconv.resolve_target(X86).instruction_sets
    runs = runnable(names)
    for name in (None, *runs):
        model = directconv.load(path, instruction_set=name)
        assert model.instruction_set == (name or runs[0])
        assert model.target == str(targets[model.instruction_set])
        assert_matches(model.run(inputs)[0], want, name, TOLERANCE[kind])
    with pytest.raises(DirectConvError, match="several instruction sets"):
        model.profile()
    with pytest.raises(TargetError, match="'amx' is not in the model; it has .*avx2, baseline"):
        directconv.load(path, instruction_set="amx")
    for lacked, best in (({"avx512f", "fma"}, "baseline"), ({"avx512f"}, "avx2"), (set(), names[0])):
        monkeypatch.setattr(loading, "missing_features", lambda *_, lacked=lacked: lacked)
        assert directconv.load(path).instruction_set == best
        if lacked:
            with pytest.raises(TargetError, match="lacks avx512f.* which code for .*x86-64-v4"):
                directconv.load(path, instruction_set="avx512")


@on_x86
def test_what_sets_have_in_common_is_in_a_library_once(library: tuple[str, Path]) -> None:
    kind, path = library
    one = directconv.compile(model_of(kind), "llvm -mtriple=x86_64-linux-gnu -mcpu=x86-64-v3", cache=False)
    said = described(path)
    ends = [end_of_constants(c) for number in range(len(said.sets)) for c in said.calls(number).values()]
    assert max(ends) <= 1.6 * one.executable.pieces.network.bytes
    made = [filters for each in said.sets for filters in each["derived"]]
    assert all([shape, source] != [wanted, masks] for _, shape, _, wanted, _, source, masks in made)
    assert kind == "floats" or made


@on_x86
def test_the_command_line_takes_a_set_by_name(library: tuple[str, Path], tmp_path: Path) -> None:
    kind, path = library
    inputs, want = wanted(kind)
    np.save(tmp_path / "x.npy", inputs["x"])
    for name in runnable(["avx512", "baseline"]):
        given = ("--input", f"x={tmp_path / 'x.npy'}", "--output", tmp_path / name, "--rounds", "1")
        succeed("run", path, "--instruction-set", name, *given)
        assert_matches(np.load(tmp_path / name / "y.npy"), want, name, TOLERANCE[kind])
    assert "'amx' is not in the model" in fail("run", path, "--instruction-set", "amx")
    usage = fail("explain", "squeezenet", "--instruction-set", "avx2", status=2)
    assert "--instruction-set does not apply: 'squeezenet' is not a library" in usage


@on_x86
def test_a_model_of_several_sets_is_kept_and_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Open sizes, in all sets: from the cache, as it was compiled, and from libraries of both."""
    monkeypatch.setenv(cache.SWITCH, "1")
    monkeypatch.setenv(cache.FOLDER, str(tmp_path / "cache"))
    nodes = [node("Conv", "x w", "a", pads=[1, 1, 1, 1]), node("Relu", "a", "y")]
    shape = ("n", 3, "h", "w")
    model = network(nodes, {"x": shape}, {"y": ("n", 24, "h", "w")}, {"w": draw(24, 3, 3, 3)})
    made, found = (directconv.compile(model, X86, typical={"n": 1, "h": 16, "w": 16}) for _ in range(2))
    assert found.executable.entry == made.executable.entry != ""
    for number, each in enumerate((made, found)):
        each.export_library(tmp_path / f"{number}.so")
    for size in ((1, 3, 9, 7), (3, 3, 31, 16)):
        given = {"x": draw(*size)}
        (want,) = run_onnx_runtime(model, given)
        runs = [
            directconv.load(tmp_path / f"{number}.so", instruction_set=name)
            for number in range(2)
            for name in runnable(["avx512", "avx2", "baseline"])
        ]
        for each in (made, found, *runs):
            assert_matches(each.run(given)[0], want, f"{each.instruction_set} {size}")


@on_x86
def test_filters_that_are_made_are_kept_for_other_processes(
    library: tuple[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind, path = library
    inputs, want = wanted(kind)
    monkeypatch.setattr(derived, "LARGE_PAGE", 1)
    monkeypatch.setenv(cache.FOLDER, str(tmp_path / "cache"))

    def answer() -> None:
        assert_matches(
            directconv.load(path, instruction_set="baseline").run(inputs)[0], want, kind, tolerance
        )

    tolerance = TOLERANCE[kind]
    answer()  # the cache is turned off
    assert not (tmp_path / "cache").exists()
    monkeypatch.setenv(cache.SWITCH, "1")
    answer()
    (entry,) = cache.user_cache().entries()
    assert entry.label == str(path) and entry.facts["target"] == "baseline"
    monkeypatch.setattr(derived, "_made", None)
    answer()
    monkeypatch.undo()
    monkeypatch.setattr(derived, "LARGE_PAGE", 1)
    monkeypatch.setenv(cache.SWITCH, "1")
    monkeypatch.setenv(cache.FOLDER, str(tmp_path / "cache"))
    (tmp_path / "cache" / entry.key / derived.FILE).write_bytes(b"damaged")
    answer()
    assert [each.key for each in cache.user_cache().entries()] == [entry.key]


def test_kernels_of_all_sets_are_proven() -> None:
    weights = {"w": draw(16, 3, 1, 1)}
    model = network([node("Conv", "x w", "y")], {"x": (1, 3, 5, 5)}, {"y": (1, 16, 5, 5)}, weights)
    compiled = directconv.compile(model, X86, cache=False, verify=True)
    proven = " ".join(map(str, compiled.verifications))
    assert all(f"_{isa}__" in proven for isa in ("avx512", "avx2", "portable")), proven


def end_of_constants(calls: dict) -> int:
    """Where the last of the constants that calls read ends, in bytes."""
    numbers, ends = calls["numbers"], [0]
    for block, offset, shape, kind in calls["tensors"]:
        if block == 0:
            count = math.prod(numbers[n] for n in calls["shapes"][shape])
            ends.append(numbers[offset] + count * calls["types"][kind][1] // 8)
    return max(ends)


# ---- C


DRIVER = """
#include <stdio.h>
#include <stdlib.h>
#include "network.h"
int main(int count, char **words) { /* input, output, and the set to be taken whatever the CPU has */
  void *input = aligned_alloc(64, (NETWORK_INPUT_0_BYTES + 63) / 64 * 64);
  void *output = aligned_alloc(64, (NETWORK_OUTPUT_0_BYTES + 63) / 64 * 64);
  const void *inputs[] = {input};
  void *outputs[] = {output};
  network_model model;
  FILE *file = fopen(words[1], "rb");
  if (!file || fread(input, 1, NETWORK_INPUT_0_BYTES, file) != NETWORK_INPUT_0_BYTES) return 2;
  if (network_init(&model, NULL, 0)) return 3;
  printf("%d\\n", (int)model.instruction_set);
  fflush(stdout);
  void *workspace = aligned_alloc(64, (network_workspace_bytes(1) + 63) / 64 * 64);
  if (count > 3) model.instruction_set = atoi(words[3]);
  if (network_run(&model, inputs, outputs, workspace)) return 4;
  file = fopen(words[2], "wb");
  return fwrite(output, 1, NETWORK_OUTPUT_0_BYTES, file) != NETWORK_OUTPUT_0_BYTES || fclose(file);
}
"""


def sets_in(header: Path) -> list[str]:
    """The names of a network's instruction sets, by their numbers in C."""
    listed = header.read_text().partition("CPU has of these: ")[2].partition(".")[0].split(", ")
    return [each.split()[1] for each in listed]


class Program:
    """A program of a network exported for a target, and the names of its sets."""

    def __init__(self, kind: str, target: str, compiler: Sequence[str], folder: Path) -> None:
        self.kind, self.folder = kind, folder
        exported = directconv.compile(model_of(kind), target, cache=False).export_c(folder)
        self.sets = sets_in(exported.header)
        (folder / "main.c").write_text(DRIVER)
        command = [*compiler, "-static", "-O1", f"-I{folder}", str(folder / "main.c"), str(exported.object)]
        subprocess.run([*command, "-lm", "-o", str(folder / "program")], check=True, capture_output=True)
        wanted(kind)[0]["x"].tofile(folder / "input")

    def done(self, emulator: Sequence[str], *more: str) -> subprocess.CompletedProcess:
        command = [*emulator, str(self.folder / "program"), str(self.folder / "input")]
        return subprocess.run(
            [*command, str(self.folder / "output"), *more], capture_output=True, text=True, timeout=SECONDS
        )

    def taken(self, emulator: Sequence[str], what: str) -> str:
        """The set that is taken, whose answer is right."""
        done = self.done(emulator)
        assert done.returncode == 0, (what, done.returncode, done.stderr)
        want = wanted(self.kind)[1]
        got = np.fromfile(self.folder / "output", want.dtype).reshape(want.shape)
        assert_matches(got, want, what, TOLERANCE[self.kind])
        return self.sets[int(done.stdout)]


@on_x86
def test_an_export_takes_the_best_set_of_the_cpu(tmp_path: Path) -> None:
    compiled = directconv.compile(model_of("bytes"), X86, cache=False)
    exported = compiled.export_c(tmp_path)
    linked, names = Linked(exported), sets_in(exported.header)
    inputs, want = wanted("bytes")
    assert linked.init() == 0 and names[-1] == "baseline"
    assert linked.model.instruction_set == names.index(runnable(names)[0])
    for name in runnable(names):
        linked.model.instruction_set = names.index(name)
        status, (got,) = linked.run(list(inputs.values()), compiled.outputs)
        assert status == 0
        assert_matches(got, want, name, TOLERANCE["bytes"])


CPUS = {
    "x86_64": {
        "baseline": ("Nehalem", "Westmere", "SandyBridge", "IvyBridge", "Opteron_G5", "Denverton", "qemu64",
                     "Haswell,-bmi2"),
        # What qemu does not emulate of later ones, it does not say they have.
        "avx2": ("Haswell", "Broadwell", "Skylake-Server", "Cooperlake", "Icelake-Server", "EPYC-Milan",
                 "max"),
    },
    "aarch64": {
        "baseline": ("cortex-a57", "cortex-a72", "a64fx"),
        "dotprod": ("cortex-a76", "neoverse-n1"),
        "i8mm": ("max",),
    },
    "powerpc64le": {"baseline": ("power8",), "power9": ("power9",), "mma": ("power10",)},
}  # fmt: skip
"""The CPUs that qemu knows, by the set that they take of a network of bytes."""
DISPATCH = {"x86_64": "portable", "aarch64": "portable", "powerpc64le": "power9,mma"}
LACKING = {
    "x86_64": ("Nehalem", "avx2"),
    "aarch64": ("cortex-a57", "dotprod"),
    "powerpc64le": ("power8", "mma"),
}
"""A CPU that lacks a set's instructions, by which qemu is seen to refuse them."""


@pytest.mark.emulated
@pytest.mark.parametrize("kind", [pytest.param("floats", marks=pytest.mark.slow), "bytes"])
@pytest.mark.parametrize("arch", list(CPUS))
def test_every_cpu_takes_what_it_has(arch: str, kind: str, tmp_path: Path) -> None:
    """One program, on CPUs of which each lacks what the next has."""
    foreign = ARCHITECTURES.get(arch)
    emulator = foreign.emulator if foreign else "qemu-x86_64"
    compiler = [foreign.compiler] if foreign else [host_compiler(), "-march=x86-64"]
    skip_without(emulator, compiler[0])
    target = f"llvm -mtriple={arch}-linux-gnu -dispatch={DISPATCH[arch]}"
    program = Program(kind, target, compiler, tmp_path)
    for name, cpus in CPUS[arch].items():
        # Sets whose code is that of a lesser one are left out.
        ranked = list(directconv.resolve_target(target).instruction_sets)
        expected = next(each for each in ranked[ranked.index(name) :] if each in program.sets)
        for cpu in cpus:
            assert program.taken([emulator, "-cpu", cpu], f"{arch} {cpu}") == expected, cpu
    cpu, name = LACKING[arch]
    if name in program.sets:  # the emulated CPU has no more than it says
        forced = program.done([emulator, "-cpu", cpu], str(program.sets.index(name)))
        assert forced.returncode in (-signal.SIGILL, 128 + signal.SIGILL), forced


def skip_without(*tools: str) -> None:
    for tool in tools:
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not there: install qemu-user and cross compilers")


def test_modules_are_joined_as_one() -> None:
    text = (
        'target triple = "t"\n@c = private constant i8 1\ndeclare float @expf(float) #0\n'
        'define internal void @f(ptr %0) #1 {\n  call void @f(ptr @c), !tbaa !1 ; "@f #1 !1"\n  ret void\n}\n'
        'attributes #0 = { "a"="#1" }\nattributes #1 = { nounwind }\n!llvm.module.flags = !{!0}\n'
        '!0 = !{i32 1, !"n", i32 4}\n!1 = !{!"@f"}\n'
    )
    whole = joined([text, with_suffix(text, ".b", "net.")])
    assert whole.count("declare float @expf") == whole.count("target triple") == 1
    assert "@f.b(ptr %0) #3" in whole and "call void @f.b(ptr @c.b), !tbaa !3" in whole
    assert whole.count("!llvm.module.flags") == 1 and '!3 = !{!"@f"}' in whole
    assert whole.count('"a"="#1"') == 2
