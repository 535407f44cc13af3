"""What is published: the wheel has all that the package needs, and its papers agree with each other."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from cli_support import small_model
from runtime_support import RUN, alone, dense_library

from tvm_directconv.version import __version__

ROOT = Path(__file__).parents[2]
FOLDERS = ("intrinsics", "relay_strategies", "tvm_directconv")
DATA = (".json", ".lark", ".j2", ".ll", ".h", "py.typed")
"""Suffixes of files that code reads from beside itself."""


def test_papers_name_the_version() -> None:
    assert re.search(rf"^## {re.escape(__version__)}\b", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert "Apache License" in (ROOT / "LICENSE").read_text().splitlines()[1]


def test_every_page_is_on_the_site() -> None:
    contents = (ROOT / "mkdocs.yml").read_text()
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert {page for page in pages if f"- {page}\n" not in contents} == set()


def test_the_runtimes_wheel_runs_a_library_with_numpy_alone(tmp_path: Path) -> None:
    """Of the same sources: what is in it is what running a library imports, and the wheel has no other
    file."""
    checkout = tmp_path / "checkout"  # building writes beside the sources
    ignored = shutil.ignore_patterns("__pycache__")
    for folder in ("tvm_directconv", "wheels"):
        shutil.copytree(ROOT / folder, checkout / folder, ignore=ignored)
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path)]
    done = subprocess.run([*build, str(checkout / "wheels" / "runtime")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    (wheel,) = tmp_path.glob("tvm_directconv_runtime-*-py3-none-any.whl")
    installed = tmp_path / "installed"
    with zipfile.ZipFile(wheel) as file:
        file.extractall(installed)
    papers = {path.name for path in installed.glob("*.dist-info/licenses/*")}
    (described,) = installed.glob("*.dist-info/METADATA")
    assert papers == {"LICENSE", "NOTICE"}
    assert re.findall(r"^Requires-Dist: ([^;\n]*)$", described.read_text(), re.MULTILINE) == ["numpy>=1.26"]
    *refused, imported = alone(RUN, str(dense_library(tmp_path / "dense.so")), root=installed).splitlines()
    assert len(refused) == 3 and all("tvm-directconv" in each for each in refused)
    files = {path.relative_to(installed).with_suffix("") for path in installed.rglob("*.py")}
    modules = {".".join(path.parts).removesuffix(".__init__") for path in files}
    assert modules - set(imported.split()) <= {"tvm_directconv.forked_pool", "tvm_directconv.temporary"}


@pytest.mark.slow
def test_the_wheel_works_by_itself(tmp_path: Path) -> None:
    """With this environment's TVM, and none of the checkout's files. CI installs it in a fresh one."""
    checkout = tmp_path / "checkout"  # building writes beside the sources
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, checkout / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE", "NOTICE"):
        shutil.copy(ROOT / name, checkout)
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(tmp_path / "dist")]
    done = subprocess.run([*build, str(checkout)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    (archive,) = (tmp_path / "dist").glob("*.tar.gz")
    assert wheel.name.endswith("-py3-none-any.whl") and archive.name.startswith("tvm_directconv-")
    installed = tmp_path / "installed"
    with zipfile.ZipFile(wheel) as file:
        file.extractall(installed)
    missing = [
        path.relative_to(ROOT)
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*")
        if path.name.endswith((*DATA, ".py")) and not (installed / path.relative_to(ROOT)).exists()
    ]
    assert not missing
    papers = {path.name for path in installed.glob("*.dist-info/licenses/*")}
    assert papers == {"LICENSE", "NOTICE"}
    command = [sys.executable, "-m", "tvm_directconv", "export-c", str(small_model(tmp_path)), "c"]
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert done.returncode == 0 and (tmp_path / "c" / "network.o").exists(), done.stderr
