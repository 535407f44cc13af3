"""What a library says of itself, for a runtime without TVM: lines of JSON, each read when it is wanted.

The first line has the format and of each instruction set, the best first, the model's metadata, the features
of CPUs that its code may use, and how its filters are made of others. Two lines for each set follow: the
calls of all sizes, and their reports, which few programs ask for. A large network's take megabytes as
Python's objects, in each process.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from .metadata import Metadata

FORMAT = 3
"""The format that this version reads."""
KNOWN = "activation_bytes"
"""What the first line has of a report."""


class Description:
    """The lines of a description in memory that stays as it is."""

    def __init__(self, memory: memoryview) -> None:
        self._memory, self._lines, start = memory, list[tuple[int, int]](), 0
        for line in bytes(memory).split(b"\n"):
            self._lines.append((start, start + len(line)))
            start += len(line) + 1
        self.head: Mapping[str, Any] = self._line(0)

    @property
    def sets(self) -> list[dict[str, Any]]:
        """What the first line says of each instruction set."""
        return list(self.head["sets"])

    def calls(self, number: int) -> dict[str, Any]:
        """Return the calls of an instruction set's sizes, by the names of their functions."""
        return dict(self._line(1 + 2 * number))

    def reports(self, number: int) -> dict[str, Any]:
        """Return the reports of an instruction set's sizes, by the names of their functions."""
        return dict(self._line(2 + 2 * number))

    def metadata(self) -> list[Metadata]:
        """Return the metadata of each instruction set, whose reports are read when they are asked for.
        Raises ModelError for what is none."""
        return [
            self._with_reports(number, Metadata.from_fields(each["metadata"]))
            for number, each in enumerate(self.sets)
        ]

    def _with_reports(self, number: int, metadata: Metadata) -> Metadata:
        def later(function: str) -> Callable[[], Mapping[str, Any]]:
            return lambda: self.reports(number)[function]

        sizes = [
            replace(size, described=_Report(size.described, later(size.function))) for size in metadata.sizes
        ]
        return replace(metadata, sizes=tuple(sizes))

    def _line(self, number: int) -> Any:
        start, end = self._lines[number]
        return json.loads(bytes(self._memory[start:end]))


class _Report(Mapping[str, Any]):
    """A report's fields, of which few are known before they are read."""

    def __init__(self, known: Mapping[str, Any], read: Callable[[], Mapping[str, Any]]) -> None:
        self._known, self._read = known, read
        self._whole: Mapping[str, Any] | None = None

    def _fields(self) -> Mapping[str, Any]:
        if self._whole is None:
            self._whole = self._read()
        return self._whole

    def __getitem__(self, name: str) -> Any:
        return self._known[name] if name in self._known else self._fields()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields())

    def __len__(self) -> int:
        return len(self._fields())


def description_of(
    sets: Sequence[Metadata], calls: Sequence[Mapping[str, Any]], features: Sequence[Sequence[str]]
) -> str:
    """Return the description of a model, of each of its instruction sets the metadata, the calls of sizes and
    the features."""
    heads, lines = [], []
    for metadata, of_sizes, used in zip(sets, calls, features, strict=True):
        fields = metadata.fields()
        lines += [of_sizes, {size["function"]: size["report"] for size in fields["sizes"]}]
        sizes = [size | {"report": {KNOWN: size["report"][KNOWN]}} for size in fields["sizes"]]
        heads.append({"metadata": fields | {"sizes": sizes}, "features": list(used)})
    return "\n".join(map(json.dumps, [{"format": FORMAT, "sets": heads}, *lines]))


def rewritten(description: str, rewrite: Callable[[int, dict[str, Any], dict[str, Any]], None]) -> str:
    """Return a description of which ``rewrite`` was given the number of each instruction set, what the first
    line says of it, and its calls, to change these."""
    head, *lines = description.split("\n")
    described = json.loads(head)
    for number, each in enumerate(described["sets"]):
        calls = json.loads(lines[2 * number])
        rewrite(number, each, calls)
        lines[2 * number] = json.dumps(calls)
    return "\n".join([json.dumps(described), *lines])
