"""Callbacks of tuners, AutoTVM's: functions (tuner, inputs, results) that are called after each batch."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from relay_strategies.strategies.records import Records

from .history import make_record
from .measure_option import MeasureResult
from .task import MeasureInput

Callback = Callable[[Any, Sequence[MeasureInput], Sequence[MeasureResult]], None]


class Tuner(Protocol):
    """What callbacks here read of a tuner."""

    threads: int
    best_flops: float


def log_to_file(records: str | os.PathLike[str]) -> Callback:
    """Return a callback that appends measurements to a file of records, in this library's format.

    Args:
        records: The file.

    Raises:
        TuningError: The file cannot be written to.
    """
    store = Records.load(records)
    store.check_writable()

    def log(tuner: Tuner, inputs: Sequence[MeasureInput], results: Sequence[MeasureResult]) -> None:
        store.append(
            make_record(
                given.task.space,
                given.task.candidate(given.config),
                tuner.threads,
                result.costs or None,
                result.error or None,
            )
            for given, result in zip(inputs, results, strict=True)
        )

    return log


def progress_bar(total: int, prefix: str = "", si_prefix: str = "G") -> Callback:
    """Return a callback that writes how far a tuner is to standard error: trials done, and the rates of the
    last and the best.

    Args:
        total: The number of trials.
        prefix: What the line begins with.
        si_prefix: As AutoTVM took it; "G", "M" and "T" all give billions of operations a second.
    """
    scale = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}[si_prefix]
    done = 0

    def show(tuner: Tuner, inputs: Sequence[MeasureInput], results: Sequence[MeasureResult]) -> None:
        nonlocal done
        done += len(results)
        flops = [given.task.flop / _mean(r) for given, r in zip(inputs, results, strict=True) if r.costs]
        now, best = max(flops, default=0.0) / scale, tuner.best_flops / scale
        speed = f"Current/Best: {now:7.2f}/{best:7.2f} {si_prefix}FLOPS"
        end = "\n" if done >= total else ""
        sys.stderr.write(f"\r{prefix} {speed} | Progress: ({done}/{total}){end}")
        sys.stderr.flush()

    return show


def _mean(result: MeasureResult) -> float:
    return sum(result.costs) / len(result.costs)
