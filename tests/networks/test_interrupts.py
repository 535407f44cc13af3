"""Ctrl-C in real processes: one line, status 130, nothing half-written, whatever the signal meets."""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import onnx
import psutil
import pytest
from graph_support import draw, network, node

LAYERS = 300
"""Different ones, so that compiling them takes longer than most moments tried below."""

LAYER = "n1_ih56iw56_ic64_oc64_k3x3_s1x1_p1x1x1x1_d1x1_g1_float32_NHWC_OIHW"
PATIENCE_SECONDS = 300
"""Only what waits for ever takes so long."""
POLL_SECONDS = 0.02

CAUGHT = """
try:
    signal.pause()
except KeyboardInterrupt:
"""
COMMANDS = {
    "raised": "signal.pause()",
    "turned into another error": CAUGHT + "    raise RuntimeError('in a callback')",
    "turned into an error for users": CAUGHT + "    raise DirectConvError('linking failed')",
    "swallowed": CAUGHT + "    pass",
    "never ending": "while True:" + CAUGHT.replace("\n", "\n    ") + "    pass",
    "warned of by compiled code": CAUGHT + "    os.write(2, b'destroyed with remaining blocks'); raise",
}
PROGRAM = """
import os, signal, sys
import click
from tvm_directconv.cli import interrupts
from tvm_directconv.cli.group import Commands
from tvm_directconv.errors import DirectConvError

interrupts.GRACE_SECONDS = 0.1

@click.group(cls=Commands)
def group(): ...

@group.command()
def work():
    interrupts.when_interrupted("records are kept")
    print("ready", flush=True)
    {body}

interrupts.run_interruptibly(group)
"""


COMMAND_LINE = """
from tvm_directconv.cli.group import commands
from tvm_directconv.cli import interrupts

def announced():
    print("ready", flush=True)
    commands()

interrupts.run_interruptibly(announced)
"""


@pytest.mark.parametrize("body", COMMANDS.values(), ids=COMMANDS)
def test_whatever_becomes_of_it(body: str) -> None:
    program = PROGRAM.format(body=body.replace("\n", "\n    "))
    process = start(sys.executable, "-c", program, "work")
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    status, errors = interrupt(process)
    assert (status, errors) == (130, "interrupted; records are kept\n")


def test_without_an_interrupt_a_command_ends_as_it_does() -> None:
    process = start(sys.executable, "-m", "tvm_directconv", "compile", "squeezenet", "-o", "absent/x.so")
    _, errors = process.communicate()
    assert (process.returncode, errors) == (1, "Error: cannot write 'absent/x.so': no folder 'absent'\n")


MOMENTS = [0.0, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0]
COMMAND_LINES = [
    ("compile", "../long.onnx", "-o", "library.so"),
    ("run", "squeezenet", "--rounds", "10000", "--output", "outputs"),
    ("tune", "--layer", LAYER, "--trials", "400", "--records", "records.jsonl"),
    ("bench", "squeezenet", "--contestants", "ours", "--rounds", "10000"),
]
INTERRUPTED = [
    pytest.param(arguments, seconds, id=f"{arguments[0]}-{seconds}")
    for seconds, arguments in zip(MOMENTS, itertools.cycle(COMMAND_LINES))
]
"""Commands take turns at the moments: they begin alike."""


@pytest.mark.slow
@pytest.mark.parametrize(("arguments", "seconds"), INTERRUPTED)
def test_at_any_moment(arguments: tuple[str, ...], seconds: float, tmp_path: Path) -> None:
    """While importing, compiling, running, measuring; children get the signal, too, as from a terminal.

    Moments are in seconds of CPU time since the command began: other work on the machine does not move them.
    What has ended before its moment was not interrupted, and has succeeded.
    """
    onnx.save(long_to_compile(), tmp_path / "long.onnx")
    folder = tmp_path / "written"
    folder.mkdir()
    process = start(sys.executable, "-c", COMMAND_LINE, *arguments, folder=folder)
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    begin = cpu_seconds(process)
    while process.poll() is None and cpu_seconds(process) - begin < seconds:
        time.sleep(POLL_SECONDS)
    if process.poll() is not None:
        assert process.returncode == 0, process.communicate()[1]
        return
    status, errors = interrupt(process)
    assert status == 130, errors
    assert errors.startswith("interrupted") and errors.count("\n") == 1
    assert [path.name for path in folder.iterdir() if path.name != "records.jsonl"] == []


def long_to_compile() -> onnx.ModelProto:
    """A chain of convolutions, each of another number of channels."""
    layers = [node("Conv", f"x{i} w{i}", f"x{i + 1}") for i in range(LAYERS)]
    filters = {f"w{i}": draw(i + 2, i + 1, 1, 1) for i in range(LAYERS)}
    return network(layers, {"x0": (1, 1, 8, 8)}, {f"x{LAYERS}": (1, LAYERS + 1, 8, 8)}, filters)


def start(*arguments: str, folder: Path | None = None) -> subprocess.Popen[str]:
    return subprocess.Popen(
        arguments,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
        start_new_session=True,
    )


def cpu_seconds(process: subprocess.Popen[str]) -> float:
    """CPU time that a process and those that it started have had."""
    total = 0.0
    with contextlib.suppress(psutil.Error):
        first = psutil.Process(process.pid)
        for each in (first, *first.children(recursive=True)):
            with contextlib.suppress(psutil.Error):
                total += sum(each.cpu_times()[:4])
    return total


def interrupt(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Exit status and standard error of a process that gets a terminal's Ctrl-C."""
    try:
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE_SECONDS)
    finally:
        process.kill()
    return process.returncode, errors
