"""Networks outside of Python: by TVM's runtime in C++, and as other systems' linkers take them."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy as np
import pytest
import tvm
import tvm_ffi.libinfo
from graph_cases import CASES, compiled
from graph_support import inputs_of

import tvm_directconv as directconv
from relay_strategies.compiler.library.library_file import kind_of_file, kind_of_triple

EXAMPLE = Path(__file__).parents[2] / "examples" / "cpp" / "main.cc"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The C++ example, built with the command that it says."""
    compiler = shutil.which("c++")
    config = shutil.which("tvm-ffi-config", path=sysconfig.get_path("scripts"))
    if compiler is None or config is None:
        pytest.skip("c++ or tvm-ffi-config is not there to build the example with")

    def flags(option: str) -> list[str]:
        return subprocess.run([config, option], capture_output=True, text=True, check=True).stdout.split()

    runtime = Path(tvm.__file__).parent / "lib"
    path = tmp_path_factory.mktemp("example") / "network"
    command = [compiler, "-std=c++17", str(EXAMPLE), "-Wall", "-Wextra", "-Werror", "-o", str(path)]
    command += ["-isystem", tvm_ffi.libinfo.find_include_path(), *flags("--cxxflags"), *flags("--ldflags")]
    command += [f"-L{runtime}", "-Wl,--no-as-needed", "-ltvm_runtime", f"-Wl,-rpath,{runtime}"]
    command += [*flags("--libs"), *(f"-Wl,-rpath,{folder}" for folder in flags("--libdir"))]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return path


@pytest.mark.slow
@pytest.mark.parametrize("case", ["classifier", "split_returned"])
def test_the_cpp_example_gives_the_same_bits(case: str, program: Path, tmp_path: Path) -> None:
    model, inputs = compiled(case), inputs_of(CASES[case].model)
    model.export_library(tmp_path / "model.so")
    arguments = []
    for info in model.inputs:
        path = tmp_path / f"{info.name}.bin"
        inputs[info.name].tofile(path)
        arguments += [info.dtype, "x".join(map(str, info.shape)), str(path)]
    results = [tmp_path / f"{info.name}.out" for info in model.outputs]
    command = [str(program), str(tmp_path / "model.so"), *arguments, "--", *map(str, results)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for path, want in zip(results, model.run(inputs), strict=True):
        assert path.read_bytes() == np.ascontiguousarray(want).tobytes()


@pytest.mark.slow
def test_the_cpp_example_says_what_is_wrong(program: Path, tmp_path: Path) -> None:
    (tmp_path / "short.bin").write_bytes(b"1234")
    compiled("classifier").export_library(tmp_path / "model.so")
    for arguments, said in (
        (["missing.so", "--", "y"], "Failed to load"),
        (
            [str(tmp_path / "model.so"), "float32", "2x3", str(tmp_path / "short.bin"), "--", "y"],
            "not the input",
        ),
    ):
        done = subprocess.run([str(program), *arguments], capture_output=True, text=True)
        assert done.returncode == 1 and said in done.stderr


BARE_DLL = ("-nostdlib", "-Wl,--entry=network_init")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "zig", "suffix"),
    [
        ("-mtriple=aarch64-linux-android -mcpu=cortex-a76", ["aarch64-linux-android", "-nostdlib"], ".so"),
        ("-mtriple=arm64-apple-macos -mcpu=apple-m1", ["aarch64-macos"], ".dylib"),
        # Without the runtime of a DLL, which zig compiles for minutes.
        ("-mtriple=x86_64-windows-gnu -mcpu=x86-64-v3", ["x86_64-windows-gnu", *BARE_DLL], ".dll"),
        ("-mtriple=aarch64-windows-gnu", ["aarch64-windows-gnu", *BARE_DLL], ".dll"),
    ],
)
def test_other_systems_linkers_take_exported_c(
    target: str, zig: list[str], suffix: str, tmp_path: Path
) -> None:
    """What is linked cannot run here; that nothing is missing, and what kind of file it is, can be told."""
    pytest.importorskip("ziglang")
    model = directconv.compile(CASES["squeeze_and_excitation"].model, target=f"llvm {target}")
    exported = model.export_c(tmp_path)
    library = tmp_path / f"network{suffix}"
    command = [sys.executable, "-m", "ziglang", "cc", "-target", *zig, "-shared", "-o", str(library)]
    done = subprocess.run([*command, str(exported.object)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert kind_of_file(library) == kind_of_triple(target.split()[0].removeprefix("-mtriple="))
    content = library.read_bytes()
    assert b"network_run" in content and b"network_init" in content
