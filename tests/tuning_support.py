"""What tests of tuning share: a tiny layer, files of records read back, and the tuner as a process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tvm_directconv.problem.workload import Conv2dWorkload

TINY = Conv2dWorkload(1, 8, 8, 16, 16, (3, 3), padding=(1, 1, 1, 1))
TINY_TEXT = "1,8,8,16,16,3,3,1,1"
PATIENCE_SECONDS = 600
"""A test gives up after this: far more than anything takes beside other load."""


def trials_of(path: Path) -> list[dict[str, Any]]:
    """The measurements of the search in a file, whole lines all of them."""
    return [record for record in lines_of(path) if not record["final"]]


def lines_of(path: Path) -> list[dict[str, Any]]:
    text = path.read_text() if path.exists() else ""
    assert not text or text.endswith("\n")
    return [json.loads(line) for line in text.splitlines()]


def candidates_of(records: Sequence[dict[str, Any]]) -> list[tuple[object, ...]]:
    """What each record is about."""
    return [(r["workload"], r["algorithm"], *sorted(r["knobs"].items())) for r in records]


def start_tuner(*arguments: str | Path) -> subprocess.Popen[str]:
    """``tvm-directconv tune`` in a process group of its own, as a shell starts it."""
    return subprocess.Popen(
        [sys.executable, "-m", "tvm_directconv", "tune", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=os.environ | {"COLUMNS": "200"},
    )


def wait_until(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, f"waited {PATIENCE_SECONDS} s in vain until {what}"
        time.sleep(0.02)
