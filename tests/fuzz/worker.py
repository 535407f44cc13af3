"""Cases in a process of their own: a crash, a hang and too much memory are outcomes, and end no test run."""

from __future__ import annotations

import math
import multiprocessing
import os
import resource
import signal
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from time import monotonic, process_time

from . import KINDS, Check

SECONDS = 60
"""A case that takes more of a CPU's time hangs, however busy the machine is with others."""
PATIENCE_SECONDS = 900
"""One that takes longer by the clock waits for something that never comes."""
BYTES = 6 << 30
"""A case may not need more memory than this, beside what the process holds already."""
CASES = 200
"""A worker is replaced after so many cases, so that a leak of one case is none of another's."""


@dataclass
class Outcomes:
    """What came of the cases of one kind."""

    kind: str
    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        listed = ", ".join(f"{count} {what}" for what, count in sorted(self.counts.items()))
        return f"{self.kind}: {sum(self.counts.values())} cases: {listed}"


def run_cases(kind: str, first: int, cases: int | None, seconds: float | None) -> Outcomes:
    """Run cases of a kind from number ``first`` on: so many, or for so long, or the kind's fixed number."""
    if cases is None and seconds is None:
        cases = KINDS[kind].fixed
    return run_checks(kind, KINDS[kind].check, first, cases, seconds)


def run_checks(
    kind: str, check: Check, first: int, cases: int | None, seconds: float | None, limit: int = SECONDS
) -> Outcomes:
    """Run cases by a check that another process can import; each may take ``limit`` seconds of a CPU."""
    outcomes = Outcomes(kind)
    end = monotonic() + (seconds if seconds is not None else float("inf"))
    number, workers = first, _workers(check, limit)
    while (cases is None or number < first + cases) and monotonic() < end:
        what, fault = next(workers).run(number)
        outcomes.counts[what] += 1
        if fault:
            again = f"pytest tests/test_fuzz.py -n 0 -k {kind} --seed {number} --cases 1"
            outcomes.faults.append(f"{fault}\n  again: {again}")
        number += 1
    workers.close()
    return outcomes


def _workers(check: Check, limit: int) -> Iterator[_Worker]:
    """The worker for the next case, again and again."""
    while True:
        worker = _Worker(check, limit)
        try:
            for _ in range(CASES):
                if not worker.alive:
                    break
                yield worker
        finally:
            worker.stop()


class _Worker:
    def __init__(self, check: Check, limit: int) -> None:
        self._limit = limit
        spawning = multiprocessing.get_context("spawn")
        self._pipe, theirs = spawning.Pipe()
        self._process = spawning.Process(target=_work, args=(check, limit, theirs), daemon=True)
        self._process.start()
        theirs.close()

    @property
    def alive(self) -> bool:
        return self._process.is_alive()

    def run(self, number: int) -> tuple[str, str]:
        """(what came of the case, the fault or nothing)."""
        try:
            self._pipe.send(number)
            if self._pipe.poll(PATIENCE_SECONDS):
                outcome: tuple[str, str] = self._pipe.recv()
                return outcome
        except (EOFError, ConnectionError):
            self._process.join()
            code = self._process.exitcode or 0
            if code == -signal.SIGXCPU:
                return "hung", f"case {number} took more than {self._limit} s of a CPU"
            how = signal.Signals(-code).name if code < 0 else f"exit status {code}"
            return "crashed", f"case {number} ended its process by {how}"
        self.stop()
        return "hung", f"case {number} took more than {PATIENCE_SECONDS} s"

    def stop(self) -> None:
        self._process.kill()
        self._process.join()


def _work(check: Check, limit: int, pipe: Connection) -> None:
    os.environ.setdefault("TVM_NUM_THREADS", "1")
    while True:
        try:
            number = pipe.recv()
        except EOFError:
            return
        _set_limits(limit)
        try:
            outcome = check(number), ""
        except Exception as error:
            lines = "".join(traceback.format_exception(error)).strip().splitlines()
            outcome = (
                f"failed by {type(error).__name__}",
                f"case {number}: {error}\n  " + "\n  ".join(lines[-8:]),
            )
        pipe.send(outcome)


def _set_limits(seconds: int) -> None:
    """So much more memory and time than by now: an allocation beyond it fails, a signal ends the process."""
    with open("/proc/self/statm", encoding="ascii") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + BYTES, resource.RLIM_INFINITY))
    until = math.ceil(process_time()) + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (until, resource.RLIM_INFINITY))
