"""Kernels' machine code: made once in a process, and once for all networks that have them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tvm
from tvm import te, tirx

from relay_strategies.compiler.library import program
from relay_strategies.compiler.library.program import CHECKS, KernelCode, object_code, static_library
from tvm_directconv.cache import Files
from tvm_directconv.errors import DirectConvError
from tvm_directconv.targets.target import CompileTarget, resolve_target

TARGET = resolve_target("llvm -mcpu=native")


def kernel(factor: float, checks: bool = False) -> tirx.PrimFunc:
    data = te.placeholder((8,), "float32")
    scaled = te.compute((8,), lambda i: data[i] * tirx.const(factor, "float32"))
    return te.create_prim_func([data, scaled]).with_attr(CHECKS, checks)


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """What is built from here on."""
    modules: list[Any] = []
    build = tirx.build

    def counted(module: tvm.IRModule, **options: Any) -> Any:
        modules.append(module)
        return build(module, **options)

    monkeypatch.setattr(program.tirx, "build", counted)
    yield modules


def codes(folder: Path, *kernels: tuple[str, tirx.PrimFunc], target: CompileTarget = TARGET) -> list[bytes]:
    with KernelCode(target, Files(folder, 1 << 20)) as code:
        return [object_code(library) for library in code.libraries(kernels)]


def test_what_was_started_is_used(tmp_path: Path, built: list[Any]) -> None:
    with KernelCode(TARGET, Files(tmp_path, 1 << 20)) as code:
        for factor in (2, 3):
            code.start("a", kernel(factor).without_attr(CHECKS))
        code.libraries([("a", kernel(2)), ("b", kernel(2)), ("c", kernel(2)), ("d", kernel(2, checks=True))])
        names = sorted(sorted(var.name_hint for var in module.get_global_vars()) for module in built)
        assert names == [["a"], ["a"], ["b", "c"], ["d"]]


def test_kernels_are_built_once_for_all_networks(tmp_path: Path, built: list[Any]) -> None:
    for factors in ((2, 3), (3, 4)):
        with KernelCode(TARGET, Files(tmp_path, 1 << 20)) as code:
            kernels = [(f"kernel{factor}", kernel(factor).without_attr(CHECKS)) for factor in factors]
            for name, function in kernels:
                code.start(name, function)
            code.libraries([(name, function.with_attr(CHECKS, False)) for name, function in kernels])
    assert len(built) == 3
    first = codes(tmp_path, ("a", kernel(2)), ("b", kernel(2)))
    assert codes(tmp_path, ("b", kernel(2)), ("a", kernel(2))) == first and len(built) == 4


def test_what_code_depends_on_is_in_its_key(tmp_path: Path, built: list[Any]) -> None:
    codes(tmp_path, ("a", kernel(2)))
    codes(tmp_path, ("a", kernel(2)), target=resolve_target("llvm -mcpu=x86-64"))
    with tvm.transform.PassContext(config={"tirx.disable_vectorize": True}):
        codes(tmp_path, ("a", kernel(2)))
    with tvm.transform.PassContext(opt_level=0):
        codes(tmp_path, ("a", kernel(2)))
    assert len(built) == 4
    codes(tmp_path, ("a", kernel(2)))
    assert len(built) == 4


def test_a_damaged_kernel_is_built_again(tmp_path: Path, built: list[Any]) -> None:
    (first,) = codes(tmp_path, ("a", kernel(2)))
    (path,) = tmp_path.iterdir()
    path.write_bytes(path.read_bytes()[:-1])
    assert codes(tmp_path, ("a", kernel(2))) == [first]
    assert len(built) == 2 and codes(tmp_path, ("a", kernel(2))) == [first] and len(built) == 2


def test_what_cannot_be_built_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(module: tvm.IRModule, **options: Any) -> Any:
        raise ValueError("no code")

    monkeypatch.setattr(program.tirx, "build", refuse)
    with pytest.raises(ValueError, match="no code"):
        codes(tmp_path, ("a", kernel(2)))
    assert list(tmp_path.iterdir()) == []


def _none(*_: Any, **__: Any) -> Any:
    raise FileNotFoundError(2, "No usable temporary directory found in ['/tmp']")


def test_kernels_need_no_temporary_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where files are in memory. LLVM ends the process on a full disk."""
    if not hasattr(os, "memfd_create"):
        pytest.skip("the system has no files in memory")
    library = program.built((("k", kernel(2)),), TARGET, tvm.transform.PassContext.current())
    monkeypatch.setattr(tempfile, "TemporaryDirectory", _none)
    code = object_code(library)
    assert object_code(static_library(code)) == code
    monkeypatch.setattr(os, "memfd_create", _none)
    with pytest.raises(DirectConvError, match="no temporary file can be written .* set TMPDIR"):
        object_code(library)


def test_files_in_memory_are_not_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    library = program.built((("k", kernel(2)),), TARGET, tvm.transform.PassContext.current())
    code = object_code(library)
    monkeypatch.setattr(os, "memfd_create", _none, raising=False)
    assert object_code(library) == code == object_code(static_library(code))
