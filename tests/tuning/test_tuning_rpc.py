"""Tuning on boards: a tracker and servers as real processes on loopback, some of which die or hang."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest
from cli_support import fail
from emulation import board as emulated_board
from tuning_support import TINY, TINY_TEXT, candidates_of, lines_of, trials_of, wait_until
from tvm.s_tir import meta_schedule as ms

from relay_strategies.strategies.records import Records
from relay_strategies.tuning import measure, run
from relay_strategies.tuning.measure import Board
from relay_strategies.tuning.status import Status
from relay_strategies.tuning.tune import tune
from tvm_directconv.errors import TuningError
from tvm_directconv.targets.target import resolve_target

NATIVE = resolve_target("llvm -mcpu=native")
KEY = "board"


class Farm:
    """A tracker, and the servers that were started for it, each with its output in a file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.processes: list[psutil.Popen] = []
        self.port = free_port()
        self._start("rpc_tracker", self.port)
        wait_until(self.answers, "the tracker answers")

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def board(self) -> Board:
        return Board.parse(self.address, KEY)

    def answers(self) -> bool:
        try:
            self.board.servers()
        except TuningError as error:
            return "lacks a server of key" in str(error)
        return True

    def add_server(self, python: str | Path = sys.executable) -> psutil.Popen:
        known = self.count()
        options = "--tracker", self.address, "--key", KEY
        server = self._start("rpc_server", free_port(), *options, python=python)
        wait_until(lambda: self.count() == known + 1, "the tracker knows the server")
        return server

    def count(self) -> int:
        try:
            return self.board.servers()
        except TuningError:
            return 0

    def log(self, process: psutil.Popen) -> str:
        return (self.folder / f"{self.processes.index(process)}.log").read_text()

    def stop(self) -> None:
        for process in self.processes:
            signal_all(process, signal.SIGKILL)
            process.wait()

    def _start(
        self, program: str, port: int, *options: str, python: str | Path = sys.executable
    ) -> psutil.Popen:
        address = ["--host", "127.0.0.1", "--port", str(port), "--port-end", str(port + 1)]
        with (self.folder / f"{len(self.processes)}.log").open("w") as log:
            process = psutil.Popen(
                [python, "-m", f"tvm.exec.{program}", *address, *options],
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        self.processes.append(process)
        return process


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def signal_all(process: psutil.Popen, what: signal.Signals) -> None:
    """The process and what it started: a server serves each session in a process of its own."""
    if process.is_running():
        for each in (process, *process.children(recursive=True)):
            os.kill(each.pid, what)


@pytest.fixture
def farm(tmp_path: Path) -> Iterator[Farm]:
    started = Farm(tmp_path)
    yield started
    started.stop()


def at(trials: int, act: Callable[[], None]) -> Callable[[Status], None]:
    """A progress callback that acts once, after so many trials."""
    left = [act]

    def on_progress(status: Status) -> None:
        if status.done >= trials and left:
            left.pop()()

    return on_progress


@pytest.mark.slow
def test_two_boards_measure(farm: Farm, tmp_path: Path) -> None:
    servers = [farm.add_server(), farm.add_server()]
    assert farm.board.servers() == 2
    result = tune(TINY, NATIVE, 8, tmp_path / "r.jsonl", tracker=farm.address, key=KEY)
    records = trials_of(tmp_path / "r.jsonl")
    assert len(records) == 8 == len(set(candidates_of(records)))
    assert all(record["seconds"] and record["error"] is None for record in records)
    assert result.layers[0].best is not None and result.layers[0].gain >= 1.0
    assert all("load_module" in farm.log(server) and "candidate.so" in farm.log(server) for server in servers)


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP], ids=["dies", "hangs"])
def test_a_board_lost_costs_a_candidate(
    how: signal.Signals, farm: Farm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lost while it runs a candidate of the second batch; the rest go to the other board."""
    monkeypatch.setattr(measure, "BOARD_SECONDS", 15)
    lost, kept = farm.add_server(), farm.add_server()
    path = tmp_path / "r.jsonl"

    def lose() -> None:
        wait_until(lambda: bool(lost.children()), "the board runs something")
        signal_all(lost, how)

    losing = threading.Thread(target=lose)
    tune(TINY, NATIVE, 24, path, tracker=farm.address, key=KEY, on_progress=at(16, losing.start))
    losing.join()
    records = trials_of(path)
    assert len(records) == 24 == len(set(candidates_of(records)))
    failed = [record for record in records if record["seconds"] is None]
    assert len(failed) <= 2 and all(record["error"] for record in failed)
    assert len(failed) == 1 or how == signal.SIGKILL
    assert sum(record["final"] for record in lines_of(path)) >= 2
    assert "candidate.so" in farm.log(kept)


@pytest.mark.slow
@pytest.mark.emulated
def test_an_emulated_board_of_another_architecture(farm: Farm, tmp_path: Path) -> None:
    """Libraries are linked here and uploaded; its times mean nothing."""
    target = resolve_target(f"llvm -mtriple=aarch64-linux-gnu -mcpu={emulated_board.CPU}")
    farm.add_server(emulated_board.aarch64_python())
    result = tune(TINY, target, 4, tmp_path / "r.jsonl", tracker=farm.address, key=KEY)
    records = lines_of(tmp_path / "r.jsonl")
    assert all(record["target"] == str(target) and record["seconds"] for record in records)
    assert len(trials_of(tmp_path / "r.jsonl")) == 4 == result.layers[0].trials
    assert Records.load(tmp_path / "r.jsonl").choice(TINY, target) is not None
    assert Records.load(tmp_path / "r.jsonl").choice(TINY, NATIVE) is None


@pytest.mark.slow
def test_no_board_left_ends_the_run(farm: Farm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the records there were, and no candidate blamed for it."""
    make, runners = run.make_runner, []

    def keep(*given: Any, **named: Any) -> ms.Runner:
        runners.append(make(*given, **named))
        return runners[-1]

    monkeypatch.setattr(run, "make_runner", keep)
    server = farm.add_server()
    path = tmp_path / "r.jsonl"

    def lose() -> None:
        signal_all(server, signal.SIGKILL)
        # Only now is it known that waiting is in vain.
        runners[0].pool._timeout = 1

    with pytest.raises(TuningError, match="16 candidates in a row failed, the last with: "):
        tune(
            replace(TINY, out_channels=64),
            NATIVE,
            40,
            path,
            tracker=farm.address,
            key=KEY,
            on_progress=at(16, lose),
        )
    assert len(lines_of(path)) == 16 and all(record["seconds"] for record in lines_of(path))


@pytest.mark.slow
def test_keys_and_trackers_that_are_none(farm: Farm) -> None:
    layer = ("tune", "--layer", TINY_TEXT, "--trials", "2", "--tracker")
    assert "lacks a server of key 'board'; there are none" in fail(*layer, farm.address, "--key", KEY)
    farm.add_server()
    assert "lacks a server of key 'other'; there are board" in fail(*layer, farm.address, "--key", "other")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        assert f"no RPC tracker at {address}: timed out" in fail(*layer, address, "--key", KEY)
