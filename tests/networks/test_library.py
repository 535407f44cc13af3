"""Compiled models as library files: exported whole or not at all, and loaded back as they were."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import tvm
from graph_cases import CASES, FOREIGN, IMAGE, compiled
from graph_support import draw, inputs_of, network, node
from onnx import ModelProto
from tvm import relax

import tvm_directconv as directconv
from relay_strategies.compiler.library.library_file import kind_of_file, kind_of_triple
from relay_strategies.compiler.library.linking import library_maker
from tvm_directconv.cache import SWITCH
from tvm_directconv.errors import DirectConvError, ModelError
from tvm_directconv.targets import llvm

AARCH64 = "llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-n1"
FOREIGN_LIBRARIES = [
    (AARCH64, "aarch64-linux-gnu-gcc", 183),
    (AARCH64, "", 183),
    ("llvm -mtriple=riscv64-linux-gnu -mcpu=spacemit-x60", "riscv64-linux-gnu-gcc", 243),
]
"""Targets, their linkers, zig where there is none of gcc, and the number of the machine in the files."""


def test_exported_libraries_load_back(tmp_path: Path) -> None:
    model = compiled("classifier")
    image = draw(*IMAGE["x"])
    (wanted,) = model.run(image)
    path = tmp_path / "model.so"
    model.export_library(path)
    assert [p.name for p in tmp_path.iterdir()] == ["model.so"]
    loaded = directconv.load(path)
    assert loaded.inputs == model.inputs and loaded.outputs == model.outputs
    assert loaded.report() == model.report() and loaded.target == model.target
    assert np.array_equal(loaded.run({"x": image})[0], wanted)
    with pytest.raises(DirectConvError, match="copy that file"):
        loaded.export_library(tmp_path / "again.so")


def test_libraries_load_in_another_process(tmp_path: Path) -> None:
    path = tmp_path / "model.so"
    compiled("conv_bias_relu").export_library(path)
    image = draw(*IMAGE["x"])
    np.save(tmp_path / "image.npy", image)
    program = (
        "import sys, numpy, tvm_directconv as d; folder = sys.argv[1];"
        "print(repr(float(d.load(folder + '/model.so').run(numpy.load(folder + '/image.npy'))[0].sum())))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert float(done.stdout) == pytest.approx(float(compiled("conv_bias_relu").run(image)[0].sum()))
    assert "Warning" not in done.stderr


def test_a_replaced_library_is_loaded_anew(tmp_path: Path) -> None:
    """The dynamic loader would return the library it has under that name already."""
    path = tmp_path / "model.so"
    for case in ("conv_bias_relu", "classifier"):
        compiled(case).export_library(path)
        assert directconv.load(path).report() == compiled(case).report()


def test_export_says_nothing_of_tvms_scopes(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    model = compiled("conv_bias_relu")
    model.run(draw(*IMAGE["x"]))
    model.export_library(tmp_path / "model.so")
    directconv.load(tmp_path / "model.so")
    assert capfd.readouterr().err == ""


def test_failed_exports_leave_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model.so"
    path.write_text("precious")
    with pytest.raises(DirectConvError, match="linking"):
        compiled("conv_bias_relu").export_library(path, linker="false")
    assert path.read_text() == "precious"
    assert os.listdir(tmp_path) == ["model.so"]
    with pytest.raises(DirectConvError, match="no folder"):
        compiled("conv_bias_relu").export_library(tmp_path / "nowhere" / "model.so")
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in ("CC", "CXX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(DirectConvError, match="no linker for .* found; install gcc, or ziglang"):
        compiled("conv_bias_relu").export_library(path)


RESHAPE = network([node("Flatten", "x", "y")], {"x": (1, 2, 3, 4)}, {"y": (1, 24)})


@pytest.mark.parametrize("model", [CASES["conv_bias_relu"].model, RESHAPE], ids=["kernels", "no kernels"])
def test_runs_start_no_other_program(model: ModelProto, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SWITCH, "0")
    monkeypatch.setattr("subprocess.Popen", None)
    directconv.compile(model).run(inputs_of(model))


def test_a_missing_cross_linker_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = directconv.compile(CASES["conv_bias_relu"].model, target=AARCH64)
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(DirectConvError, match="no linker for aarch64-linux-gnu found; install"):
        model.export_library(tmp_path / "model.so")
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize(("target", "gcc", "machine"), FOREIGN_LIBRARIES)
def test_another_targets_linker_is_found(
    target: str, gcc: str, machine: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if gcc and shutil.which(gcc) is None:
        pytest.skip(f"{gcc} is not installed")
    if not gcc:
        pytest.importorskip("ziglang")
        monkeypatch.setattr("shutil.which", lambda name: None)
    model = directconv.compile(CASES["conv_bias_relu"].model, target=target)
    path = tmp_path / "model.so"
    model.export_library(path)
    # ELF, 64 bits, little-endian, of that machine.
    header = path.read_bytes()[:20]
    assert header[:6] == b"\x7fELF\x02\x01" and header[18:20] == machine.to_bytes(2, "little")


@pytest.mark.skipif(shutil.which("aarch64-linux-gnu-gcc") is None, reason="no linker for aarch64")
def test_code_for_another_machine_exports(tmp_path: Path) -> None:
    path = tmp_path / "model.so"
    model = directconv.compile(CASES["conv_bias_relu"].model, FOREIGN)
    model.export_library(path, linker="aarch64-linux-gnu-gcc")
    assert path.read_bytes()[18:20] == b"\xb7\x00"  # ELF machine 183, AArch64


def test_what_the_linker_says_is_reported(tmp_path: Path) -> None:
    linker = tmp_path / "linker"
    linker.write_text("#!/bin/sh\necho 'ld: cannot find crti.o' >&2\nexit 1\n")
    linker.chmod(0o755)
    with pytest.raises(DirectConvError, match=r"linking '.*model.so' failed: ld: cannot find crti.o"):
        compiled("conv_bias_relu").export_library(tmp_path / "model.so", linker=str(linker))
    assert os.listdir(tmp_path) == ["linker"]


HASWELL = "-mcpu=haswell"


@pytest.mark.parametrize(
    ("target", "name", "message"),
    [
        ("llvm", "nowhere/model.so", "no folder"),
        ("llvm", "folder.so", "it is there already, and no file"),
        ("llvm", "model.txt", r"a library for linux ends in \.so"),
        ("llvm", "model", r"ends in \.so"),
        ("llvm", "model.dll", r"ends in \.so"),
        ("llvm", 300 * "x" + ".so", "name too long"),
        (f"llvm -mtriple=x86_64-windows-gnu {HASWELL}", "model.so", r"a library for windows ends in \.dll"),
        (f"llvm -mtriple=x86_64-apple-macos {HASWELL}", "model.dll", r"ends in \.dylib or \.so"),
        (f"llvm -mtriple=x86_64-windows-msvc {HASWELL}", "model.dll", "no linker.*write windows-gnu"),
        ("llvm -mtriple=x86_64-unknown-freebsd", "model.so", "no linker.*name a C compiler driver"),
    ],
)
def test_what_cannot_be_written_is_known_before_compiling(
    target: str, name: str, message: str, tmp_path: Path
) -> None:
    (tmp_path / "folder.so").mkdir()
    with pytest.raises(DirectConvError, match=message):
        library_maker(tmp_path / name, directconv.resolve_target(target), None)
    (tmp_path / "model.so").write_text("precious")
    library_maker(tmp_path / "model.so", directconv.resolve_target("llvm"), None)


def test_a_linker_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(DirectConvError, match="linker 'no-such-gcc' not found"):
        compiled("conv_bias_relu").export_library(tmp_path / "model.so", linker="no-such-gcc")


def test_the_wrong_linker_is_noticed(tmp_path: Path) -> None:
    if shutil.which("aarch64-linux-gnu-gcc") is None:
        pytest.skip("aarch64-linux-gnu-gcc is not installed")
    linker = tmp_path / "linker"
    linker.write_text(
        '#!/bin/sh\necho "int x;" > "$0.c"; exec aarch64-linux-gnu-gcc -shared -o "$4" "$0.c"\n'
    )
    linker.chmod(0o755)
    with pytest.raises(
        DirectConvError, match=r"made a library for 64-bit aarch64.*not a library for .*x86_64"
    ):
        compiled("conv_bias_relu").export_library(tmp_path / "model.so", linker=str(linker))
    assert not (tmp_path / "model.so").exists()


DYING_EXPORT = """
import sys
sys.path.insert(0, sys.argv[1])
import tvm_directconv
from graph_cases import CASES
from relay_strategies.compiler.library import program
program.kernels_of_inputs = lambda module: set(module.get_global_vars())  # LLVM dies of some of their checks
target = "llvm -mtriple=x86_64-linux-gnu -mcpu=haswell -mattr=+soft-float"
tvm_directconv.compile(CASES["conv_bias_relu"].model, target).export_library(sys.argv[2] + "/model.so")
"""


@pytest.mark.slow
def test_what_llvm_dies_of_is_said(tmp_path: Path) -> None:
    tests = str(Path(__file__).parents[1])
    command = [sys.executable, "-c", DYING_EXPORT, tests, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode and "LLVM ERROR" in done.stderr
    assert os.listdir(tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "name"),
    [
        (f"llvm -mtriple=x86_64-windows-gnu {HASWELL}", "model.dll"),
        ("llvm -mtriple=arm64-apple-macos11 -mcpu=apple-m1", "model.dylib"),
        ("llvm -mtriple=aarch64-linux-android -mcpu=cortex-a76", "model.so"),
    ],
)
def test_ziglang_links_for_other_systems(target: str, name: str, tmp_path: Path) -> None:
    pytest.importorskip("ziglang")
    model = directconv.compile(CASES["classifier"].model, target)
    model.export_library(tmp_path / name)
    assert kind_of_file(tmp_path / name) == kind_of_triple(directconv.resolve_target(target).triple)
    assert b"__tvm_ffi__library_bin" in (tmp_path / name).read_bytes()


def test_ziglang_links_for_this_host_without_a_compiler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ziglang")
    monkeypatch.setattr("tvm.support.cc.get_cc", lambda: None)
    monkeypatch.setattr("shutil.which", lambda name: None)
    case = CASES["conv_bias_relu"]
    compiled("conv_bias_relu").export_library(tmp_path / "model.so")
    (ours,) = directconv.load(tmp_path / "model.so").run(inputs_of(case.model))
    np.testing.assert_array_equal(ours, compiled("conv_bias_relu").run(inputs_of(case.model))[0])


PE = b"MZ" + bytes(58) + (64).to_bytes(4, "little") + b"PE\0\0"
FOREIGN_FILES = [
    (b"\x7fELF\x02\x01" + bytes(12) + b"\xb7\x00", "64-bit aarch64 in ELF format"),
    (b"\x7fELF\x01\x01" + bytes(12) + b"\x28\x00", "32-bit arm in ELF format"),
    (b"\x7fELF\x02\x02" + bytes(12) + b"\x00\x15", "big-endian 64-bit powerpc64 in ELF format"),
    (PE + b"\x64\x86", "64-bit x86_64 in PE format"),
    (b"\xcf\xfa\xed\xfe\x0c\x00\x00\x01", "64-bit aarch64 in Mach-O format"),
    (b"\x7fELF\x02\x01" + bytes(12) + b"\xff\xff", "machine 65535"),
]


@pytest.mark.parametrize(
    ("header", "kind"), FOREIGN_FILES, ids=lambda value: value if "format" in str(value) else ""
)
def test_libraries_of_another_kind_do_not_load(header: bytes, kind: str, tmp_path: Path) -> None:
    path = tmp_path / "model.so"
    path.write_bytes(header + bytes(100))
    if kind_of_file(path) == kind_of_triple(llvm.host_triple()):
        pytest.skip("this host's own kind")
    with pytest.raises(ModelError, match=f"{kind}.*this host loads a library for"):
        directconv.load(path)


@pytest.mark.parametrize(
    ("triple", "kind"),
    [
        ("x86_64-unknown-linux-gnu", "64-bit x86_64 in ELF"),
        ("powerpc64le-unknown-linux-gnu", "for 64-bit powerpc64 in ELF"),
        ("armv7-unknown-linux-gnueabihf", "for 32-bit arm in ELF"),
        ("thumbv7-unknown-linux-gnueabihf", "for 32-bit arm in ELF"),
        ("aarch64_be-unknown-linux-gnu", "for big-endian 64-bit aarch64 in ELF"),
        ("mips64el-unknown-linux-gnu", "for 64-bit mips in ELF"),
        ("s390x-unknown-linux-gnu", "for big-endian 64-bit s390x in ELF"),
        ("i686-pc-windows-gnu", "for 32-bit i386 in PE"),
        ("arm64-apple-darwin", "for 64-bit aarch64 in Mach-O"),
    ],
)
def test_the_kind_of_library_follows_from_the_triple(triple: str, kind: str) -> None:
    assert kind in str(kind_of_triple(triple))


def _missing(path: Path) -> None:
    assert not path.exists()


def _no_library(path: Path) -> None:
    path.write_bytes(b"no library")


def _cut_library(path: Path) -> None:
    _other_library(path)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


def _other_library(path: Path) -> None:
    builder = relax.BlockBuilder()
    x = relax.Var("x", relax.TensorType((4,), "float32"))
    with builder.function("main", [x]):
        builder.emit_func_output(builder.emit(relax.op.nn.relu(x)))
    relax.build(builder.get(), tvm.target.Target({"kind": "llvm"})).export_library(str(path))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (_missing, "no such file"),
        (_no_library, "not a library exported by tvm-directconv: file too short"),
        (_cut_library, "is cut short: [0-9]+ bytes"),
        (_other_library, "not a library exported by tvm-directconv"),
    ],
)
def test_other_files_do_not_load(make: Callable[[Path], None], message: str, tmp_path: Path) -> None:
    path = tmp_path / "other.so"
    make(path)
    with pytest.raises(ModelError, match=message):
        directconv.load(path)
