"""Cases in a process of their own, as the benchmark's contestants: whatever ends one is an outcome."""

from __future__ import annotations

import contextlib
import itertools
import math
import os
import resource
import signal
import tempfile
import traceback
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, process_time

from tvm_directconv.measure.workers import Failure, Worker

from . import KINDS, Check

SECONDS = 60
"""A case that takes more of a CPU's time hangs, however busy the machine is with others."""
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
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        contextlib.closing(Worker(Path(folder), Cases, check, limit)) as worker,
    ):
        for number in itertools.count(first) if cases is None else range(first, first + cases):
            if monotonic() >= end:
                break
            what, fault = _outcome(worker, number)
            outcomes.counts[what] += 1
            if fault:
                again = f"pytest tests/networks/test_fuzz.py -n 0 -k {kind} --seed {number} --cases 1"
                outcomes.faults.append(f"case {number}: {fault}\n  again: {again}")
            if (number - first) % CASES == CASES - 1:
                worker.close()
    return outcomes


def _outcome(worker: Worker, number: int) -> tuple[str, str]:
    """(what came of the case, the fault or nothing)."""
    try:
        outcome: tuple[str, str] = worker.ask("checking the case", "run", number)
    except Failure as failure:
        hangs = str(failure).startswith("hangs") or signal.SIGXCPU.name in str(failure)
        return "hung" if hangs else "crashed", str(failure)
    return outcome


class Cases:
    """What the worker's process holds."""

    def __init__(self, check: Check, limit: int) -> None:
        os.environ.setdefault("TVM_NUM_THREADS", "1")
        self._check, self._limit = check, limit

    def run(self, number: int) -> tuple[str, str]:
        _set_limits(self._limit)
        try:
            return self._check(number), ""
        except Exception as error:
            lines = "".join(traceback.format_exception(error)).strip().splitlines()
            return f"failed by {type(error).__name__}", f"{error}\n  " + "\n  ".join(lines[-8:])


def _set_limits(seconds: int) -> None:
    """So much more memory and time than by now: an allocation beyond it fails, a signal ends the process."""
    with open("/proc/self/statm", encoding="ascii") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + BYTES, resource.RLIM_INFINITY))
    until = math.ceil(process_time()) + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (until, resource.RLIM_INFINITY))
