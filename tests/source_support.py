"""The project's own source files, as tests of its structure and of its words read them."""

from __future__ import annotations

import ast
import functools
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def files_of(room: str) -> list[Path]:
    """Return a file, or the files of a folder and of those in it."""
    path = ROOT / room
    return [path] if path.is_file() else sorted(path.rglob("*.py"))


SOURCES = [
    path for folder in ("intrinsics", "tvm_directconv", "relay_strategies") for path in files_of(folder)
]
each_source = pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))


@functools.cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text())
