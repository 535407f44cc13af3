"""Tuning records: one JSON object a line, appended whole, so that no interruption loses or halves one.

    {"format": 1, "version": "0.1.0", "target": "llvm ...", "threads": 1, "workload": "n1_ih56...",
     "algorithm": "direct_nhwc", "knobs": {"nr": 32, ...}, "seconds": [...], "error": null,
     "workspace_bytes": 0, "final": false, "time": "2026-01-31T12:00:00+00:00"}

Seconds are of the batches a candidate was timed in; null, with the error, where it failed. Workloads have no
epilogue: layers that differ in theirs share records. Final records are of the comparison that ends a run,
the fastest candidates and the analytical choice timed in turns.
"""

from __future__ import annotations

import datetime
import json
import math
import os
import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from relay_strategies.tuning.candidates import Candidate, LayerSpace
from tvm_directconv.errors import AlgorithmError, DirectConvError, TuningError
from tvm_directconv.problem.workload import Conv2dWorkload, Epilogue
from tvm_directconv.targets.target import CompileTarget

from .strategy import conv2d_strategy, layout_copies

FORMAT = 1


@dataclass(frozen=True)
class Record:
    """One measurement of one candidate."""

    target: str
    threads: int
    workload: str
    algorithm: str
    knobs: dict[str, Any]
    seconds: tuple[float, ...] | None
    error: str | None = None
    workspace_bytes: int = 0
    final: bool = False
    version: str = ""
    time: str = ""
    format: int = FORMAT

    @property
    def median(self) -> float:
        """Seconds; infinity for a failure."""
        return statistics.median(self.seconds) if self.seconds else math.inf

    def line(self) -> str:
        return json.dumps(asdict(self)) + "\n"

    @staticmethod
    def parse(line: str) -> Record:
        """Raises TuningError for anything but a whole record of this format."""
        try:
            fields = json.loads(line)
            if fields.get("format") != FORMAT:
                raise TuningError(f"format {fields.get('format')!r}, and this version reads format {FORMAT}")
            seconds = fields["seconds"]
            fields["seconds"] = None if seconds is None else tuple(float(s) for s in seconds)
            if seconds is not None and (not seconds or not all(0 < s < math.inf for s in fields["seconds"])):
                raise TuningError("its seconds are no times")
            record = Record(**fields)
            Conv2dWorkload.parse(record.workload)
            for name, kind in (("knobs", dict), ("workspace_bytes", int), ("threads", int)):
                if not isinstance(getattr(record, name), kind):
                    raise TuningError(f"its {name} are no {kind.__name__}")
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            if isinstance(error, DirectConvError):
                raise TuningError(str(error)) from None
            raise TuningError(f"no tuning record ({type(error).__name__})") from None
        return record


@dataclass
class Records:
    """The records of a file, and a place to append more; ``skipped`` names the lines that are none."""

    path: Path | None = None
    records: list[Record] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)

    @staticmethod
    def load(path: str | os.PathLike[str] | None) -> Records:
        """Those of a file, none if there is no such file; TuningError for a file that has lines, all bad."""
        if path is None:
            return Records()
        found = Records(Path(path))
        if not found.path.exists():  # type: ignore[union-attr]
            return found
        try:
            text = Path(path).read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise TuningError(f"'{path}' cannot be read as tuning records: {error}") from None
        for number, line in enumerate(text.splitlines(), start=1):
            if not line.strip():
                continue
            try:
                found.records.append(Record.parse(line))
            except TuningError as error:
                found.skipped.append(f"{path}, line {number}: {error}")
        if found.skipped and not found.records:
            raise TuningError(f"'{path}' holds no tuning records; the first problem is {found.skipped[0]}")
        return found

    def check_writable(self) -> None:
        """TuningError where nothing can be appended to the file, before anything is measured."""
        try:
            if self.path is not None:
                self._write(b"")
        except OSError as error:
            raise TuningError(f"'{self.path}' cannot be written tuning records to: {error}") from None

    def append(self, records: Iterable[Record]) -> None:
        """Keep the records, and write them to the end of the file, each in one piece."""
        for record in records:
            self.records.append(record)
            if self.path is not None:
                self._write(record.line().encode())

    def _write(self, line: bytes) -> None:
        assert self.path is not None
        self.path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            size = os.fstat(handle).st_size
            # A line that something cut off must not take the next one with it.
            if size and os.pread(handle, 1, size - 1) != b"\n":
                line = b"\n" + line
            os.write(handle, line)
            os.fsync(handle)
        finally:
            os.close(handle)

    def of(self, target: CompileTarget, threads: int | None = None) -> Iterator[Record]:
        """Those measured for the target, and with so many threads if given."""
        wanted = str(target)
        for record in self.records:
            if record.target == wanted and threads in (None, record.threads):
                yield record

    def foreign(self, target: CompileTarget) -> int:
        """How many are of other targets."""
        return sum(record.target != str(target) for record in self.records)

    def measured(self, space: LayerSpace, threads: int) -> dict[Candidate, float | None]:
        """What is known of a layer: seconds by candidate, None for failures; the last measurement counts."""
        known: dict[Candidate, float | None] = {}
        for record in self.of(space.target, threads):
            if record.workload == str(space.workload):
                candidate = candidate_of(space, record)
                if candidate is not None:
                    known[candidate] = record.median if record.seconds else None
        return known

    def best(
        self, workload: Conv2dWorkload, target: CompileTarget, max_workspace_bytes: int | None = None
    ) -> Record | None:
        """The fastest of a workload within the budget, by final records where there are any; None where
        nothing fits, or knobs have changed since."""
        space = LayerSpace(bare(workload), target)
        fitting = [
            record
            for record in self.of(target)
            if record.workload == str(space.workload)
            and record.seconds
            and (max_workspace_bytes is None or record.workspace_bytes <= max_workspace_bytes)
            and candidate_of(space, record) is not None
        ]
        # Of a candidate in several comparisons the last counts, as in ``measured``.
        final = {(r.algorithm, *sorted(r.knobs.items())): r for r in fitting if r.final}
        return min(final.values() or fitting, key=lambda record: record.median, default=None)

    def choice(
        self, workload: Conv2dWorkload, target: CompileTarget, max_workspace_bytes: int | None = None
    ) -> tuple[str, Any] | None:
        """(algorithm, knobs) of the best. Where nothing is known of the workload in its own layouts, that
        is in those it would run in untuned."""
        record = self.best(workload, target, max_workspace_bytes)
        if record is None:
            strategy = conv2d_strategy(workload, target)
            try:
                selected = strategy.select(workload, target, max_workspace_bytes=max_workspace_bytes)
            except AlgorithmError:
                return None
            native = selected.native(workload, target)
            copies = sum(layout_copies(workload, native).values())
            budget = None if max_workspace_bytes is None else max_workspace_bytes - copies
            workload, record = native, self.best(native, target, budget)
        candidate = None if record is None else candidate_of(LayerSpace(bare(workload), target), record)
        return None if candidate is None else (candidate.algorithm, candidate.knobs)


def bare(workload: Conv2dWorkload) -> Conv2dWorkload:
    """The workload that is tuned for one: without epilogue, and with the filter as OIHW."""
    return replace(workload, epilogue=Epilogue(), filter_layout="OIHW")


def candidate_of(space: LayerSpace, record: Record) -> Candidate | None:
    """The candidate a record is about; None where knobs have changed since."""
    try:
        return space.candidate_from({"algorithm": record.algorithm, "knobs": record.knobs})
    except TuningError:
        return None


def make_record(
    space: LayerSpace,
    candidate: Candidate,
    threads: int,
    seconds: Sequence[float] | None,
    error: str | None = None,
    final: bool = False,
) -> Record:
    """A measurement made now."""
    from tvm_directconv import __version__

    return Record(
        str(space.target),
        threads,
        str(space.workload),
        candidate.algorithm,
        asdict(candidate.knobs),
        None if seconds is None else tuple(float(s) for s in seconds),
        error,
        space.workspace_bytes(candidate),
        final,
        __version__,
        datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
    )


def similar(space: LayerSpace, records: Records, most: int = 3) -> list[Candidate]:
    """The best knobs of the layers most like this one, as far as they are candidates here."""
    best: dict[str, Record] = {}
    for record in records.of(space.target):
        if record.workload != str(space.workload) and record.seconds:
            known = best.get(record.workload)
            if known is None or record.median < known.median:
                best[record.workload] = record
    near = sorted(best.values(), key=lambda r: distance(space.workload, Conv2dWorkload.parse(r.workload)))
    found = (nearest(space, record) for record in near)
    return list(dict.fromkeys(candidate for candidate in found if candidate is not None))[:most]


def distance(first: Conv2dWorkload, second: Conv2dWorkload) -> float:
    """How unlike two layers are: powers of two between their extents; far where kernels or strides differ."""
    extents = ("height", "width", "in_channels", "out_channels", "batch", "groups")
    far = sum(
        getattr(first, name) != getattr(second, name) for name in ("kernel", "strides", "dilation", "dtype")
    )
    return 100.0 * far + sum(abs(math.log2(getattr(first, n) / getattr(second, n))) for n in extents)


def nearest(space: LayerSpace, record: Record) -> Candidate | None:
    """The candidate of this layer whose knobs are closest to a record's: the same micro-kernel, and of each
    other knob the nearest value."""
    for each in space.spaces.values():
        same = each.algorithm == record.algorithm
        if not same or any(record.knobs.get(name) != value for name, value in each.fixed.items()):
            continue
        decisions = {}
        for name, values in each.choices.items():
            wanted = record.knobs.get(name)
            gaps = [
                abs(value - wanted) if isinstance(value, int) and isinstance(wanted, int) else value != wanted
                for value in values
            ]
            decisions[name] = gaps.index(min(gaps))
        knobs = each.knobs(decisions)
        candidate = Candidate(each.algorithm, knobs)
        return candidate if each.valid(knobs) and space.allowed(candidate) else None
    return None
