"""Generated code kept in golden/, so that reviews see it change.

``UPDATE_GOLDEN=1 pytest FILE`` rewrites what the tests of FILE compare; read the diff.
"""

from __future__ import annotations

import os
from pathlib import Path

GOLDEN = Path(__file__).parent / "golden"


def check_golden(name: str, code: str) -> None:
    """Whether code is what a file holds; the file is rewritten where that is asked for."""
    path = GOLDEN / name
    if os.environ.get("UPDATE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(code)
    assert code == path.read_text(), f"{name} differs; UPDATE_GOLDEN=1 rewrites it for review"


def check_golden_ir(name: str, ir: str) -> None:
    """It of LLVM IR, which escapes the line breaks of inline asm: files have real ones."""
    check_golden(name, ir.replace("\\0A\\09", "\n\t"))
