"""The rounds of a benchmark: turns, disturbances, and contestants that die."""

from __future__ import annotations

import functools
import os
import signal
from dataclasses import replace

import pytest
from bench_support import NATIVE, ODD, SMALL, Right
from rich.console import Console

from tvm_directconv.bench import (
    Comparison,
    LayerResult,
    Measurement,
    NetworkResult,
    Prepared,
    Result,
    bench_layers,
)
from tvm_directconv.bench.contestants import Variant
from tvm_directconv.bench.problems import LayerProblem
from tvm_directconv.bench.progress import Reporter
from tvm_directconv.bench.rounds import Effort, Entry, Peak, time_rounds
from tvm_directconv.measure.workers import Failure


class Scripted:
    """Stands for a Worker: takes so many seconds per call, and fails when asked for the ``last`` time."""

    def __init__(self, log: list[str], name: str, seconds: float, last: int = 99, waits: float = 0.0) -> None:
        self.log, self.name, self.seconds, self.left, self.waits = log, name, seconds, last, waits

    def ask(self, doing: str, method: str, calls: int = 0) -> float | tuple[float, float] | dict[str, object]:
        if method == "facts":
            return {}
        self.log.append(self.name)
        self.left -= 1
        if not self.left:
            raise Failure(f"crashes: ended by SIGILL while {doing}")
        return self.seconds if method == "seconds_per_call" else (self.seconds, self.waits)

    def entry(self) -> Entry:
        return Entry(self, Measurement(self.name, error=0.0), self.seconds)


class Loop:
    """Stands for the worker of the peak, which fails when asked for the ``last`` time."""

    def __init__(self, last: int = 99) -> None:
        self.left = last

    def ask(self, doing: str, method: str, dtype: str) -> tuple[str, float]:
        self.left -= 1
        if not self.left:
            raise Failure(f"crashes: ended by SIGILL while {doing}")
        return "fma", 100.0


def timed(*workers: Scripted, peak: Peak | None = None) -> tuple[list[float], list[Measurement]]:
    entries = [worker.entry() for worker in workers]
    effort = Effort(3, block_seconds=0.001, least_calls=1)
    peaks = time_rounds(entries, effort, peak or Peak(Loop(), "float32"), 2, Reporter(3, False))
    return peaks, [entry.measurement() for entry in entries]


def test_contestants_take_turns_in_rotating_order() -> None:
    log: list[str] = []
    peaks, measurements = timed(Scripted(log, "first", 0.001), Scripted(log, "second", 0.002))
    assert log == ["first", "second", "second", "first", "first", "second"]
    assert peaks == [200.0] * 3
    assert [m.seconds for m in measurements] == [(0.001,) * 3, (0.002,) * 3]


def test_a_slow_contestant_is_timed_once_and_says_so() -> None:
    log: list[str] = []
    _, (first, slow) = timed(Scripted(log, "first", 0.001), Scripted(log, "slow", 5.0))
    assert slow.seconds == (5.0, None, None) and log.count("slow") == 1
    assert slow.note.startswith("slow")
    assert len(first.timed) == 3


def test_disturbed_blocks_are_taken_again_and_said() -> None:
    log: list[str] = []
    _, (first,) = timed(Scripted(log, "first", 0.001, waits=0.5))
    assert len(log) == 12 and first.note == "other processes held its CPU in 3 of 3 rounds"


@pytest.mark.parametrize("last", [1, 2, 3])
def test_a_crash_between_rounds_costs_one_row(last: int) -> None:
    log: list[str] = []
    fast = Scripted(log, "crashing", 0.001, last)
    _, (crashed, other) = timed(fast, Scripted(log, "other", 0.2))
    assert crashed.refused == "crashes: ended by SIGILL while timing" and crashed.seconds == ()
    assert log.count("crashing") == last
    assert len(other.timed) == 3 and other.refused is None


@pytest.mark.parametrize("last", [1, 3])
def test_a_peak_that_crashes_costs_the_percents(last: int) -> None:
    peak = Peak(Loop(last), "float32")
    peaks, measurements = timed(Scripted([], "ours", 0.001), peak=peak)
    assert peaks == [] and len(measurements[0].timed) == 3
    assert peak.instruction.endswith("crashes: ended by SIGILL while measuring the peak")
    comparison = Comparison(str(SMALL), 10**6, (), tuple(measurements), {"light_a": 1})
    result = LayerResult("llvm", 1, (0,), peak.instruction, {"processor": "some CPU"}, (comparison,))
    console = Console(width=200)
    with console.capture() as capture:
        console.print(result.table())
        console.print(NetworkResult(**vars(result)).table())
    assert "SIGILL" in capture.get() and "%)" not in capture.get()
    assert Result.from_json(result.to_json()) == result


@pytest.mark.slow
def test_two_threads() -> None:
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("one CPU")
    names = ["ours", "onnxruntime", "openvino", "onednn", "im2col+openblas"]
    result = bench_layers([ODD, SMALL], NATIVE, 2, contestants=names, quick=True, progress=False)
    assert len(set(result.cpus)) == 2
    for comparison in result.comparisons:
        for name in names:
            assert "wrong" not in (comparison[name].refused or "")
    assert all(c["ours"].timed for c in result.comparisons)


class Here(Right):
    """Right, and says in its facts what it found of its surroundings."""

    name = "here"

    def prepare_layer(self, problem: LayerProblem) -> Prepared:
        facts = {"process": os.getpid(), "cpus": str(os.sched_getaffinity(0))}
        return Prepared(lambda: None, lambda: problem.references, facts=facts)


class Dying(Here):
    """Dies of an illegal instruction: on layers with groups at once, and else when it is timed."""

    name = "dying"
    while_timing = False

    def prepare_layer(self, problem: LayerProblem) -> Prepared:
        prepared = super().prepare_layer(problem)
        if problem.workload.groups > 1:
            os.kill(os.getpid(), signal.SIGILL)
        if not self.while_timing:
            return prepared
        died = functools.partial(os.kill, os.getpid(), signal.SIGILL)
        return replace(prepared, run=died, timer=lambda calls: 0.01)


@pytest.mark.slow
def test_contestants_live_and_die_in_processes_of_their_own() -> None:
    before = os.sched_getaffinity(0)
    team = [Here, Dying, Variant("dying in rounds", Dying, {"while_timing": True})]
    result = bench_layers([ODD, SMALL], NATIVE, contestants=team, quick=True, progress=False)
    odd, small = result.comparisons
    processes = {
        c[name].facts["process"] for c in (odd, small) for name in ("here", "dying") if c[name].facts
    }
    assert len(processes) == 2 and os.getpid() not in processes
    assert odd["here"].timed and small["here"].timed
    assert odd["dying"].refused == "crashes: ended by SIGILL while preparing"
    # A new process has taken its place.
    assert small["dying"].timed
    assert small["dying in rounds"].refused == "crashes: ended by SIGILL while timing"
    assert small["here"].facts["cpus"] == str(set(result.cpus)) and len(result.cpus) == 1
    assert os.sched_getaffinity(0) == before
    console = Console(width=200)
    with console.capture() as capture:
        console.print(result.table())
    assert "dying: crashes: ended by SIGILL while preparing (1 of 2)" in capture.get()
