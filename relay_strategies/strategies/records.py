"""What records of measurements make the best choice for a layer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

from tvm_directconv.errors import AlgorithmError, TuningError
from tvm_directconv.problem.workload import Conv2dWorkload, Epilogue
from tvm_directconv.targets.gpu import GpuTarget
from tvm_directconv.targets.target import CompileTarget

from .candidates import Candidate
from .device_candidates import AnySpace, space_of_layer
from .limits import NO_LIMITS, Limits
from .record_files import Record, RecordFile
from .strategy import conv2d_strategy, layout_copies

_history: ContextVar[Records | None] = ContextVar("history", default=None)


class Records(RecordFile):
    """The records of a file, and what they say of layers."""

    def measured(self, space: AnySpace, threads: int) -> dict[Candidate, float | None]:
        """Return seconds by candidate of a layer, None for failures; the last measurement of each counts."""
        known: dict[Candidate, float | None] = {}
        for record in self.of(space.target, threads):
            if record.workload == str(space.workload):
                candidate = candidate_of(space, record)
                if candidate is not None:
                    known[candidate] = record.median if record.seconds else None
        return known

    def best(
        self, workload: Conv2dWorkload, target: CompileTarget | GpuTarget, limits: Limits = NO_LIMITS
    ) -> Record | None:
        """Return the fastest of a workload within the limits, by final records where there are any, with as
        many threads as it was measured with last; None where nothing fits, or knobs have changed since."""
        space = space_of_layer(recorded_workload(workload), target, limits)
        fitting = [
            record
            for record in self.of(target)
            if record.workload == str(space.workload)
            and record.seconds
            and (limits.workspace_bytes is None or record.workspace_bytes <= limits.workspace_bytes)
            and (candidate := candidate_of(space, record)) is not None
            and space.allowed(candidate)
        ]
        fitting = [record for record in fitting if record.threads == fitting[-1].threads]
        # Of a candidate in several comparisons the last counts, as in ``measured``.
        final = {(r.algorithm, json.dumps(r.knobs, sort_keys=True)): r for r in fitting if r.final}
        return min(final.values() or fitting, key=lambda record: record.median, default=None)

    def choice(
        self, workload: Conv2dWorkload, target: CompileTarget | GpuTarget, limits: Limits = NO_LIMITS
    ) -> tuple[str, Any] | None:
        """Return (algorithm, knobs) of the best. Where nothing is known of the workload in its own layouts,
        that is of the best in those it would run in without records."""
        record = self.best(workload, target, limits)
        if record is None and not isinstance(target, GpuTarget):  # these have one layout
            strategy = conv2d_strategy(workload, target)
            try:
                selected = strategy.select(workload, target, limits=limits)
            except AlgorithmError:
                return None
            native = selected.native(workload, target)
            copies = sum(layout_copies(workload, native).values())
            most = limits.workspace_bytes
            left = limits._replace(workspace_bytes=None if most is None else most - copies)
            workload, record = native, self.best(native, target, left)
        if record is None:
            return None
        candidate = candidate_of(space_of_layer(recorded_workload(workload), target, limits), record)
        return None if candidate is None else (candidate.algorithm, candidate.knobs)


@contextmanager
def apply_history_best(records: Any) -> Iterator[Records]:
    """Have layers and networks that are compiled inside of a ``with`` use the best of ``records``, unless
    they are given ``tuning``.

    Args:
        records: A file of records, or Records.

    Raises:
        TuningError: The file does not exist or does not hold records.
    """
    known = records if isinstance(records, Records) else Records.load(records, must_exist=True)
    token = _history.set(known)
    try:
        yield known
    finally:
        _history.reset(token)


def history_best() -> Records | None:
    """Return the records of the innermost ``apply_history_best``, None outside of any."""
    return _history.get()


def recorded_workload(workload: Conv2dWorkload) -> Conv2dWorkload:
    """Return the workload whose records serve this one: without epilogue, with the filter as OIHW, and of
    whole tensors."""
    return replace(workload.of_whole_tensors(), epilogue=Epilogue(), filter_layout="OIHW")


def candidate_of(space: AnySpace, record: Record) -> Candidate | None:
    """Return the candidate a record is about; None where knobs have changed since."""
    try:
        return space.candidate_from({"algorithm": record.algorithm, "knobs": record.knobs})
    except TuningError:
        return None
