"""Networks that were compiled before: found in the cache and run without TVM, and only where they are the
same."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from cli_support import small_model
from graph_support import draw

from tvm_directconv import cache, warm
from tvm_directconv.errors import InputError
from tvm_directconv.runtime.compiled_model import CompiledModel
from tvm_directconv.runtime.network_model import NetworkModel

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="no linker")
GIVEN = draw(1, 3, 8, 8)
ASKED: list[str] = []
"""What the compiler was asked for."""


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own, and a process that has not imported the compiler."""
    monkeypatch.delenv(cache.SWITCH)
    monkeypatch.setenv(cache.FOLDER, str(tmp_path / "cache"))
    monkeypatch.setattr(warm, "COMPILER", "a module that nobody imports")
    from_compiler = warm.from_compiler
    monkeypatch.setattr(warm, "from_compiler", lambda *of: ASKED.append(of[1]) or from_compiler(*of))
    ASKED.clear()
    return tmp_path / "cache"


def is_compiled(model: CompiledModel) -> bool:
    """Whether the compiler was asked for a model since this was called last."""
    asked = bool(ASKED)
    ASKED.clear()
    return asked and model.inputs[0].name == "image"


def test_the_second_time_it_runs_without_tvm(tmp_path: Path) -> None:
    path = small_model(tmp_path)
    first = warm.compile(path)
    assert is_compiled(first) and isinstance(first, NetworkModel)  # it runs from the cache at once
    phases: list[str] = []
    again = warm.compile(str(path), on_phase=phases.append, threads=1)
    assert not is_compiled(again) and phases == ["import"] and again.threads == 1
    for got, want in zip(again.run(GIVEN), first.run(GIVEN), strict=True):
        np.testing.assert_array_equal(got, want)
    with pytest.raises(InputError, match="threads=99 is more than"):
        warm.compile(path, threads=99)


def test_it_is_the_same_model_where_it_is_taken_apart(tmp_path: Path) -> None:
    path = small_model(tmp_path)
    first = warm.compile(path, accuracy="fast")
    ASKED.clear()
    again = warm.compile(path, accuracy="fast")
    assert isinstance(again, NetworkModel) and not is_compiled(again) and again.report() == first.report()
    again.export_library(tmp_path / "again.so")
    again.export_c(tmp_path / "c")
    assert (tmp_path / "again.so").exists() and (tmp_path / "c" / "network.o").exists()
    assert again.deviations(GIVEN)[0].relative_error < 0.1
    np.testing.assert_array_equal(again.run(GIVEN)[0], again.taken_apart.run(GIVEN)[0])


def old(path: Path) -> Path:
    """A file that nobody has written just now, so that its state tells its content."""
    os.utime(path, (1, 1))
    return path


def test_a_files_state_or_its_content_tells_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = old(small_model(tmp_path))
    later = warm.time.time() + 2 * warm.SETTLED_SECONDS
    monkeypatch.setattr(warm.time, "time", lambda: later)
    warm.compile(path)
    read: list[object] = []
    monkeypatch.setattr(warm, "_digest", lambda block: read.append(block) or "digest")
    ASKED.clear()
    assert not is_compiled(warm.compile(path)) and not read
    monkeypatch.undo()


def test_a_copy_is_found_by_its_content(tmp_path: Path, own_cache: Path) -> None:
    path = small_model(tmp_path)
    assert is_compiled(warm.compile(path))
    copy = tmp_path / "copy.onnx"
    shutil.copyfile(path, copy)
    assert not is_compiled(warm.compile(copy))
    assert is_compiled(warm.compile(path.read_bytes()))
    assert not is_compiled(warm.compile(path.read_bytes()))


def changed(path: Path) -> dict[str, Any]:
    model = onnx.load(path)
    weight = onnx.numpy_helper.to_array(model.graph.initializer[0])
    model.graph.initializer[0].CopyFrom(
        onnx.numpy_helper.from_array(weight + 1, model.graph.initializer[0].name)
    )
    onnx.save(model, path)
    return {}


OTHERS: dict[str, Any] = {
    "another file": changed,
    "another target": lambda path: {"target": "llvm -mcpu=x86-64-v3"},
    "another option": lambda path: {"accuracy": "standard"},
    "no cache": lambda path: {"cache": False},
    "a target that is not a text": lambda path: {"target": {"kind": "llvm", "mcpu": "native"}},
}


@pytest.mark.slow
@pytest.mark.parametrize("other", OTHERS)
def test_what_is_not_the_same_is_compiled(other: str, tmp_path: Path) -> None:
    path = small_model(tmp_path)
    first = warm.compile(path).run(GIVEN)
    ASKED.clear()
    compiled = warm.compile(path, **OTHERS[other](path))
    assert is_compiled(compiled)
    if other == "another file":
        assert not np.array_equal(compiled.run(GIVEN)[0], first[0])


def test_what_is_installed_and_the_cpu_are_part_of_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = small_model(tmp_path)
    (name,) = warm._names(path, warm.NATIVE, {})
    for part in ("_of_host", "_of_packages", "_of_own_files"):
        with monkeypatch.context() as patched:
            patched.setattr(warm, part, lambda: "another")
            (other,) = warm._names(path, warm.NATIVE, {})
        assert other() != name()
    assert warm._of_host() == warm._of_host() and any("numpy" in each for each in warm._of_packages())


def test_models_that_others_may_change_have_no_note(tmp_path: Path) -> None:
    path = small_model(tmp_path)
    model = onnx.load(path)
    onnx.save(model, tmp_path / "outside.onnx", save_as_external_data=True, size_threshold=0)
    for given in (tmp_path / "outside.onnx", model, tmp_path / "missing.onnx", tmp_path):
        assert warm._names(given, warm.NATIVE, {}) == []
    assert warm._names(path, warm.NATIVE, {"tuning": "records"}) == []
    assert len(warm._names("squeezenet", warm.NATIVE, {"shapes": {"x": (1, None)}})) == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", [warm.LIBRARY, warm.WEIGHTS, warm.DESCRIPTION])
def test_a_damaged_entry_is_compiled_anew(name: str, tmp_path: Path, own_cache: Path) -> None:
    path = small_model(tmp_path)
    want = warm.compile(path).run(GIVEN)
    ASKED.clear()
    (place,) = own_cache.glob(f"*/{name}")
    with place.open("r+b") as file:
        file.seek(place.stat().st_size // 2)
        byte = file.read(1)
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte[0] ^ 1]))
    again = warm.compile(path)
    assert is_compiled(again)
    np.testing.assert_array_equal(again.run(GIVEN)[0], want[0])
    assert not is_compiled(warm.compile(path))


def test_a_file_that_changes_meanwhile_has_no_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, compiler = small_model(tmp_path), warm.from_compiler

    def slow(module: str, name: str) -> Any:
        compile = compiler(module, name)

        def compiling(*given: Any, **options: Any) -> Any:
            changed(path)
            return compile(*given, **options)

        return compiling

    with monkeypatch.context() as patched:
        patched.setattr(warm, "from_compiler", slow)
        warm.compile(path)
    ASKED.clear()
    assert is_compiled(warm.compile(path))


def test_another_process_imports_no_tvm(tmp_path: Path) -> None:
    """The first call of a process, as a program makes it."""
    path = small_model(tmp_path)
    script = (
        "import sys, numpy as np, tvm_directconv as directconv\n"
        f"model = directconv.compile({str(path)!r})\n"
        "print(model.run(np.ones((1, 3, 8, 8), np.float32))[0].sum(), 'tvm' in sys.modules)"
    )
    said = [
        subprocess.run(
            [sys.executable, "-c", script],
            env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        for _ in range(2)
    ]
    assert [imported for _, imported in said] == ["True", "False"] and said[0][0] == said[1][0]
