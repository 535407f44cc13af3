"""The notebooks run from top to bottom, and are committed with the outputs of a real run."""

from __future__ import annotations

import ast
import json
import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from documentation_support import ROOT, project_table

FEW_TRIALS = 4
SMALL_POPULATION = "from tvm_directconv.bench import tuning\ntuning.POPULATION = 4"
"""Of a notebook that tunes, and of the peer's search there."""
LIMIT = 1500
"""Seconds for a cell: many times what a peer's search takes beside other work, so that it ends a dead one."""
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def code_cells(path: Path) -> list[dict[str, Any]]:
    return [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]


def test_there_are_notebooks() -> None:
    assert NOTEBOOKS


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebook_runs(path: Path) -> None:
    # The import compiles dozens of grammars, which every collection would pay for.
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if "parameters" in cell.metadata.get("tags", []):
            few = re.sub(r"TRIALS = \d+", f"TRIALS = {FEW_TRIALS}", cell.source)
            cell.source = f"{few}\n{SMALL_POPULATION}"
    NotebookClient(notebook, timeout=LIMIT, kernel_name="python3").execute()
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.execution_count for cell in code)


PACKAGES = {"tvm": "apache-tvm"}
"""These are imported by another name than they are installed by."""


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_the_extra_brings_what_is_imported(path: Path) -> None:
    project = project_table()
    extras = project["optional-dependencies"]
    assert "tvm-directconv[demo,tune]" in extras["notebook"], "one notebook tunes, both bring in a peer"
    installed = {re.split(r"[><=~; \[]", line)[0] for line in project["dependencies"] + extras["notebook"]}
    code = ["".join(cell["source"]) for cell in code_cells(path)]
    nodes = [node for source in code for node in ast.walk(ast.parse(source))]
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    imported = {name.split(".")[0] for name in names} - sys.stdlib_module_names
    ours = {"intrinsics", "relay_strategies", "tvm_directconv"}
    assert {PACKAGES.get(name, name) for name in imported - ours} <= installed


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_only_public_names_are_imported(path: Path) -> None:
    code = ["".join(cell["source"]) for cell in code_cells(path)]
    nodes = [node for source in code for node in ast.walk(ast.parse(source))]
    modules = [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    modules += [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    ours = {
        each for each in modules if each.split(".")[0] in ("intrinsics", "relay_strategies", "tvm_directconv")
    }
    assert ours <= {"tvm_directconv", "tvm_directconv.bench"}
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module in ours:
            assert {alias.name for alias in node.names} <= set(import_module(node.module).__all__)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_outputs_are_committed(path: Path) -> None:
    code = code_cells(path)
    assert all(cell["outputs"] for cell in code), "run the notebook and save it"
    kinds = {key for cell in code for out in cell["outputs"] for key in out.get("data", {})}
    assert "image/png" in kinds, "the plots are missing"
