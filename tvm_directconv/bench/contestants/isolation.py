"""Peers that may take the process with them: what they do is first tried in a process of its own."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from .base import CannotSolve

PATIENCE_SECONDS = 600
"""A process that takes longer is taken to hang."""


def try_apart(code: str, *arguments: str, folder: Path, seconds: float = PATIENCE_SECONDS) -> None:
    """Run Python code in a process of its own, in that folder.

    Raises CannotSolve if a signal ends it, or if it takes longer than ``seconds``. What the code raises is
    ignored: it will be raised again here.
    """
    command = [sys.executable, "-c", code, *arguments]
    try:
        ran = subprocess.run(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise CannotSolve(f"hangs: tried in a process of its own, it took more than {seconds:g} s") from None
    if ran.returncode < 0:
        name = signal.Signals(-ran.returncode).name
        raise CannotSolve(f"crashes: tried in a process of its own, it ended by {name}")
