"""The package's logger: silent unless it is asked, and then it says what was done."""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path

import pytest
from cli_support import small_model
from graph_cases import CASES

import tvm_directconv as directconv


def test_phases_and_files_are_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "tvm_directconv"):
        directconv.compile(CASES["conv_bias_relu"].model, cache=False).export_c(tmp_path)
    said = [record.getMessage() for record in caplog.records if record.name == "tvm_directconv"]
    assert any(line.startswith("phase 'graph'") and line.endswith(" s") for line in said)
    assert any("network.o" in line and "bytes" in line for line in said)


@pytest.mark.slow
def test_the_command_line_logs_where_it_is_asked(tmp_path: Path) -> None:
    model = small_model(tmp_path)
    lines = {}
    for options in ((), ("--log", "info")):
        command = [sys.executable, "-m", "tvm_directconv", *options, "explain", str(model)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        lines[options] = [line for line in done.stderr.splitlines() if " INFO tvm_directconv: " in line]
    assert lines[()] == [] and lines[("--log", "info")]
