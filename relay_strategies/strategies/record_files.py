"""Files of tuning records: what was measured of layers.

A record is one JSON object on a line, appended whole, so that no interruption loses or halves one:

    {"format": 1, "version": "0.1.0", "target": "llvm ...", "threads": 1, "workload": "n1_ih56...",
     "algorithm": "direct_nhwc", "knobs": {"nr": 32, ...}, "seconds": [...], "error": null,
     "workspace_bytes": 0, "final": false, "time": "2026-01-31T12:00:00+00:00"}

Seconds are of the batches a candidate was timed in; null, with the error, where it failed. Workloads omit the
epilogue: layers that differ in theirs share records. Final records are of the comparison that ends a run,
the fastest candidates and the analytical choice timed in turns. records.py says what they make the
best choice for a layer.
"""

from __future__ import annotations

import json
import math
import os
import statistics
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tvm_directconv.errors import DirectConvError, TuningError, let_through
from tvm_directconv.files import path_of, read_file
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.gpu import GpuTarget
from tvm_directconv.targets.target import CompileTarget

if TYPE_CHECKING:
    from typing_extensions import Self

FORMAT = 1
LONGEST_LINE = 1 << 16
MOST_BYTES = 1 << 30
KINDS = {
    "target": str,
    "algorithm": str,
    "knobs": dict,
    "workspace_bytes": int,
    "threads": int,
    "final": bool,
}
"""The types of the fields that are used."""


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
        """The median seconds; infinity for a failure."""
        return statistics.median(self.seconds) if self.seconds else math.inf

    def line(self) -> str:
        """Return the record as it is written."""
        return json.dumps(asdict(self)) + "\n"

    @staticmethod
    def parse(line: str) -> Record:
        """Read a line; TuningError for anything but a whole record of this format."""
        try:
            if len(line) > LONGEST_LINE:
                raise TuningError(f"it has {len(line)} characters; records have at most {LONGEST_LINE}")
            fields = json.loads(line)
            if not isinstance(fields, dict):
                raise TuningError("no tuning record")
            if fields.get("format") != FORMAT:
                raise TuningError(f"format {fields.get('format')!r}, and this version reads format {FORMAT}")
            seconds = fields["seconds"]
            fields["seconds"] = None if seconds is None else tuple(float(s) for s in seconds)
            if seconds is not None and (not seconds or not all(0 < s < math.inf for s in fields["seconds"])):
                raise TuningError("its seconds are not times")
            record = Record(**fields)
            Conv2dWorkload.parse(record.workload)
            for name, kind in KINDS.items():
                if type(getattr(record, name)) is not kind:
                    raise TuningError(f"its {name} must be of type {kind.__name__}")
            if record.threads < 1 or record.workspace_bytes < 0:
                raise TuningError("its threads or workspace_bytes are too few")
        except (ArithmeticError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            if isinstance(error, DirectConvError):
                raise TuningError(str(error)) from None
            raise TuningError(f"no tuning record ({type(error).__name__})") from None
        return record


@dataclass
class RecordFile:
    """The records of a file, and a place to append more; ``skipped`` names the lines that are none."""

    path: Path | None = None
    records: list[Record] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)

    @classmethod
    def load(cls, path: str | os.PathLike[str] | None, must_exist: bool = False) -> Self:
        """Read a file, which need not exist yet unless ``must_exist`` is set; TuningError for one that has
        lines, all bad."""
        if path is None:
            return cls()
        named = path_of(path, "the file of tuning records", TuningError)
        found = cls(named)
        if not must_exist and not os.path.lexists(named):
            return found
        text = read_file(named, f"the tuning records '{named}'", TuningError, MOST_BYTES).decode(
            errors="replace"
        )
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
        """Raise TuningError where nothing can be appended to the file, before anything is measured."""
        try:
            if self.path is not None:
                self._write(b"")
        except OSError as error:
            let_through(error)
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

    def of(self, target: CompileTarget | GpuTarget, threads: int | None = None) -> Iterator[Record]:
        """Yield those measured for the target, and with so many threads if given."""
        wanted = str(target)
        for record in self.records:
            if record.target == wanted and threads in (None, record.threads):
                yield record

    def foreign(self, target: CompileTarget | GpuTarget) -> int:
        """Return how many are of other targets."""
        return sum(record.target != str(target) for record in self.records)

    def nearest(
        self, target: CompileTarget | GpuTarget, workload: Conv2dWorkload, algorithm: str = ""
    ) -> list[Record]:
        """Return the best record of each layer, of one algorithm if that is given, the layer most like this
        one first."""
        best: dict[str, Record] = {}
        for record in self.of(target):
            if record.seconds and algorithm in ("", record.algorithm):
                known = best.get(record.workload)
                if known is None or record.median < known.median:
                    best[record.workload] = record
        return sorted(best.values(), key=lambda r: distance(workload, Conv2dWorkload.parse(r.workload)))


def distance(first: Conv2dWorkload, second: Conv2dWorkload) -> float:
    """Return how unlike two layers are: powers of two between extents; far if kernels or strides differ."""
    extents = ("height", "width", "in_channels", "out_channels", "batch", "groups")
    far = sum(
        getattr(first, name) != getattr(second, name) for name in ("kernel", "strides", "dilation", "dtype")
    )
    return 100.0 * far + sum(abs(math.log2(getattr(first, n) / getattr(second, n))) for n in extents)
