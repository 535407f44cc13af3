"""The house keeps its floors: imports point down, none run in a circle, and no room outgrows one idea."""

from __future__ import annotations

import ast
import functools
import graphlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from source_support import ROOT, SOURCES, each_source, files_of, tree_of

FLOORS = (
    "intrinsics",
    "tvm_directconv/errors.py",
    "tvm_directconv/log.py",
    "tvm_directconv/threads.py",
    "tvm_directconv/workers.py",
    "tvm_directconv/memory.py",
    "tvm_directconv/temporary.py",
    "tvm_directconv/files.py",
    "tvm_directconv/trust.py",
    "tvm_directconv/cache.py",
    "tvm_directconv/forked_pool.py",
    "tvm_directconv/locks.py",
    "tvm_directconv/version.py",
    "tvm_directconv/other_files.py",
    "tvm_directconv/runtime",
    "tvm_directconv/warm.py",
    "tvm_directconv/problem",
    "tvm_directconv/devices",
    "tvm_directconv/targets",
    "tvm_directconv/text.py",
    "tvm_directconv/model",
    "tvm_directconv/algorithms",
    "tvm_directconv/plans",
    "tvm_directconv/verification.py",
    "tvm_directconv/operators",
    "tvm_directconv/measure",
    "tvm_directconv/zoo",
    "relay_strategies/strategies",
    "relay_strategies/relax",
    "relay_strategies/operators",
    "relay_strategies/functional",
    "relay_strategies/frontends",
    "relay_strategies/passes/rewrite",
    "relay_strategies/passes/layout",
    "relay_strategies/passes/fuse",
    "relay_strategies/passes/rows",
    "relay_strategies/passes/lower",
    "relay_strategies/passes/__init__.py",
    "relay_strategies/passes/device.py",
    "relay_strategies/c_export",
    "relay_strategies/compiler/library",
    "relay_strategies/compiler",
    "relay_strategies/onnx_backend.py",
    "relay_strategies/torch_backend.py",
    "relay_strategies/pipeline.py",
    "relay_strategies/tuning",
    "tvm_directconv/onnxruntime",
    "tvm_directconv/bench",
    "tvm_directconv/pages",
    "tvm_directconv/cli",
    "tvm_directconv/onnxruntime",
    "tvm_directconv/__main__.py",
    "tvm_directconv/registration.py",
)
"""The rooms from the ground up; each imports from itself and from those before it. A room inside another
stands before it."""
FACES = ("tvm_directconv/__init__.py", "relay_strategies/__init__.py")
"""They hand on names of any room, and no room imports them."""
MOST_LINES = 400
MOST_FUNCTION_LINES = 60


KNOWN = frozenset(SOURCES)
ROOM_OF = {path: number for number, room in reversed([*enumerate(FLOORS)]) for path in files_of(room)}
IS_FACE = {path for path in SOURCES if path.relative_to(ROOT).as_posix() in FACES}


@functools.cache
def imported(path: Path) -> frozenset[Path]:
    """The project's files that a file imports, wherever in it: for types alone and inside functions, too."""
    return frozenset(_imported(path))


def _imported(path: Path) -> Iterator[Path]:
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            folder = path.parents[node.level - 1].relative_to(ROOT).parts if node.level else ()
            base = ".".join([*folder, *([node.module] if node.module else [])])
            names = [f"{base}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            found = file_of(name)
            if found is not None and found != path:
                yield found


@functools.cache
def file_of(name: str) -> Path | None:
    """The file that a dotted name is found in: a module of that name, else its parent."""
    parts = name.split(".")
    for end in (len(parts), len(parts) - 1):
        for candidate in (ROOT.joinpath(*parts[:end], "__init__.py"), ROOT / f"{'/'.join(parts[:end])}.py"):
            if candidate in KNOWN:
                return candidate
    return None


@each_source
def test_every_file_has_a_room(path: Path) -> None:
    assert (path in ROOM_OF) != (path in IS_FACE)


@each_source
def test_imports_point_down(path: Path) -> None:
    for other in [] if path in IS_FACE else imported(path):
        assert other not in IS_FACE, f"{path} imports names through the face of their package"
        assert ROOM_OF[other] <= ROOM_OF[path], f"{path} imports {other}, a floor above it"


def test_frontends_share_what_is_below_them_and_nothing_else() -> None:
    frontends = ROOT / "relay_strategies/frontends"
    room_of = {path: path.relative_to(frontends).parts[0] for path in SOURCES if frontends in path.parents}
    for path, room in room_of.items():
        for other in imported(path):
            of_another = room_of.get(other, room) != room and not room_of[other].endswith(".py")
            assert not of_another, f"{path} imports {other}, which is another frontend's"


def test_no_circles() -> None:
    graph = {path: imported(path) for path in SOURCES}
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        pytest.fail("a circle: " + " <- ".join(str(path.relative_to(ROOT)) for path in error.args[1]))


@each_source
def test_files_and_functions_are_short(path: Path) -> None:
    text = path.read_text()
    assert len(text.splitlines()) <= MOST_LINES, f"{path} has more than {MOST_LINES} lines: is it one idea?"
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.FunctionDef):
            documented = len((ast.get_docstring(node, clean=False) or "").splitlines())
            lines = (node.end_lineno or 0) - node.lineno + 1 - documented
            assert lines <= MOST_FUNCTION_LINES, f"{path}: {node.name} has {lines} lines"


@each_source
def test_every_file_says_what_it_is_for(path: Path) -> None:
    assert ast.get_docstring(tree_of(path)), f"{path} has no docstring"
