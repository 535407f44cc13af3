"""What a tuner adds to the records of other runs and layers, and what it takes from them."""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping, Sequence

from relay_strategies.strategies.candidates import Candidate, LayerSpace
from relay_strategies.strategies.device_candidates import AnySpace
from relay_strategies.strategies.record_files import Record
from relay_strategies.strategies.records import Records
from tvm_directconv.version import __version__

FINALISTS = 3
"""Number of the fastest that are compared in the end."""


def make_record(
    space: AnySpace,
    candidate: Candidate,
    threads: int,
    seconds: Sequence[float] | None,
    error: str | None = None,
    final: bool = False,
) -> Record:
    """Return the record of a measurement made now."""
    return Record(
        str(space.target),
        threads,
        str(space.workload),
        candidate.algorithm,
        candidate.as_dict()["knobs"],
        None if seconds is None else tuple(float(s) for s in seconds),
        error,
        0 if seconds is None else space.workspace_bytes(candidate),
        final,
        __version__,
        datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
    )


def finalists(space: AnySpace, known: Mapping[Candidate, float | None]) -> list[Candidate]:
    """Return the analytical choice, unless that is known to fail, and the fastest that were measured, all
    within the limits; none where nothing ran."""
    timed = {c: s for c, s in known.items() if s is not None and space.allowed(c)}
    fastest = sorted(timed, key=lambda c: timed[c])[:FINALISTS]
    choice = space.analytical
    fails = known.get(choice, math.nan) is None or not space.allowed(choice)
    return list(dict.fromkeys(fastest if fails or not timed else [choice, *fastest]))


def similar(space: LayerSpace, records: Records, most: int = 3) -> list[Candidate]:
    """Return the best knobs of the layers most like this one, as far as they are candidates here."""
    near = (r for r in records.nearest(space.target, space.workload) if r.workload != str(space.workload))
    found = (nearest(space, record) for record in near)
    return list(dict.fromkeys(candidate for candidate in found if candidate is not None))[:most]


def nearest(space: LayerSpace, record: Record) -> Candidate | None:
    """Return the candidate of this layer whose knobs are closest to a record's: the same micro-kernel, and of
    each other knob the nearest value."""
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
