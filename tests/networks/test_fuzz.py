"""Drawn cases: no wrong result, no crash, no hang, no error that is not the project's own (see ``fuzz``).

pytest -m fuzz --seconds 600            draws new cases of every kind for so long
pytest -m fuzz -k layers --seed 7       ... from this number on
"""

from __future__ import annotations

import os
import signal

import pytest
from fuzz import KINDS, Check
from fuzz.worker import BYTES, run_cases, run_checks


@pytest.mark.slow
@pytest.mark.fuzz
@pytest.mark.parametrize("kind", KINDS)
def test_drawn(kind: str, request: pytest.FixtureRequest, record_property: pytest.Function) -> None:
    option = request.config.getoption
    seconds, cases, first = option("--seconds"), option("--cases"), option("--seed")
    outcomes = run_cases(kind, first, cases, seconds)
    record_property("fuzz", str(outcomes))
    assert not outcomes.faults, "\n".join([f"{outcomes}, from case {first} on", *outcomes.faults])


def end_by_signal(number: int) -> str:
    os.kill(os.getpid(), signal.SIGSEGV)
    return "not reached"


def never_end(number: int) -> str:
    while True:
        pass


def eat_memory(number: int) -> str:
    return str(len(bytearray(2 * BYTES)))


def go_wrong(number: int) -> str:
    assert number != 3, "wrong"
    return "right"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("check", "what"),
    [
        (end_by_signal, "crashed"),
        (never_end, "hung"),
        (eat_memory, "failed by MemoryError"),
        (go_wrong, "failed by AssertionError"),
    ],
)
def test_what_a_case_does_is_an_outcome(check: Check, what: str) -> None:
    """And the next one is run."""
    outcomes = run_checks("odd", check, 3, 2, None, limit=1)
    assert outcomes.counts[what] >= 1 and sum(outcomes.counts.values()) == 2
    assert "--seed 3 --cases 1" in outcomes.faults[0]
