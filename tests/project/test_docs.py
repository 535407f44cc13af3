"""Pages that say what the code says: tables generated from it, and paths that are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from intrinsics.name_grammar import grammar_table

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
FOLDERS = ("", "tvm_directconv", "relay_strategies", "intrinsics")
"""Pages leave out the root, or the code folder that they speak of."""


def test_the_grammar_of_names_is_the_one_that_parses() -> None:
    assert grammar_table() in (ROOT / "docs" / "how_to" / "micro_kernel.md").read_text()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_files_named_are_there(page: Path) -> None:
    text = page.read_text()
    named = re.findall(r"`([\w./]+/(?:[\w.]+\.(?:py|json|md))?)`", text)
    missing = [name for name in named if not any((ROOT / folder / name).exists() for folder in FOLDERS)]
    assert not [name for name in missing if not (page.parent / name).exists()], (
        f"{page.name} names what is not there"
    )
    linked = re.findall(r"\]\((?!https?:)([^)#]+\.(?:md|ipynb|png))", text)
    assert not [name for name in linked if not (page.parent / name).exists()]
