"""Drawn cases: no wrong result, no crash, no hang, no error that is not the project's own (see ``fuzz``).

pytest -m fuzz --seconds 600            draws new cases of every kind for so long
pytest -m fuzz -k layers --seed 7       ... from this number on
"""

from __future__ import annotations

import pytest
from fuzz import KINDS
from fuzz.worker import run_cases


@pytest.mark.fuzz
@pytest.mark.parametrize("kind", KINDS)
def test_drawn(kind: str, request: pytest.FixtureRequest, record_property: pytest.Function) -> None:
    option = request.config.getoption
    seconds, cases, first = option("--seconds"), option("--cases"), option("--seed")
    outcomes = run_cases(kind, first, cases, seconds)
    record_property("fuzz", str(outcomes))
    assert not outcomes.faults, "\n".join([f"{outcomes}, from case {first} on", *outcomes.faults])
