"""The house keeps its floors: imports point down, and no file names what lies outside the project."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FLOORS = {"intrinsics": 0, "tvm_directconv": 1, "relay_strategies": 2}
FRONT_DOOR = ("__init__.py", "cli.py", "cli_measure.py", "cli_tune.py", "console.py", "bench")
"""Entries of tvm_directconv/ that may import every floor, and that no floor imports."""

SOURCES = [path for floor in FLOORS for path in sorted((ROOT / floor).rglob("*.py"))]


def imported(path: Path) -> Iterator[str]:
    """Absolute names of the package's modules that a file imports."""
    floor = path.relative_to(ROOT).parts[0]
    package = ["tvm_directconv"] if floor == "tvm_directconv" else ["tvm_directconv", floor]
    package += path.relative_to(ROOT / floor).parts[:-1]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("tvm_directconv"))
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            name = ".".join([*base, *([node.module] if node.module else [])])
            if name.split(".")[0] == "tvm_directconv":
                yield from (f"{name}.{alias.name}" for alias in node.names)


def floor_of(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in FLOORS else "tvm_directconv"


def in_front_door(module_or_path: str) -> bool:
    return any(part.removesuffix(".py") in {f.removesuffix(".py") for f in FRONT_DOOR} for part in
               module_or_path.replace("/", ".").split(".")[1:2])  # fmt: skip


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_down(path: Path) -> None:
    relative = path.relative_to(ROOT)
    if relative.parts[0] == "tvm_directconv" and relative.parts[1] in FRONT_DOOR:
        return
    for module in imported(path):
        assert FLOORS[floor_of(module)] <= FLOORS[relative.parts[0]], f"{relative} imports {module}"
        assert not in_front_door(module), f"{relative} imports {module}, which is the front door"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_file_says_what_it_is_for(path: Path) -> None:
    tree = ast.parse(path.read_text())
    assert not tree.body or ast.get_docstring(tree), f"{path} has no docstring"
