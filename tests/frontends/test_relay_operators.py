"""Every operator of the Relay reader's table, over its attributes, against numpy and ONNX."""

from __future__ import annotations

import re

import numpy as np
import pytest
from relay_case_support import Family
from relay_cases import FAMILIES
from relay_support import close, compiled, meaning

from relay_strategies.frontends.relay.converters import CONVERTERS

TOLERANCE = 2e-5


def everything(family: Family) -> str:
    """One body of all cases: each in brackets of its own, so that their variables do not meet."""
    return f"({', '.join(f'({body})' for body, _ in family.cases.values())},)"


@pytest.mark.slow
@pytest.mark.parametrize("run", [meaning, compiled], ids=["plain TVM", "this library"])
@pytest.mark.parametrize("name", FAMILIES)
def test_operators_compute_what_they_should(name: str, run: object) -> None:
    family = FAMILIES[name]()
    assert callable(run)
    found = run(everything(family), family.inputs, family.weights)
    wrong = []
    for (case, (_, expected)), value in zip(family.cases.items(), found, strict=True):
        try:
            close(value, np.asarray(expected), TOLERANCE)
        except AssertionError as error:
            wrong.append(f"{case}: {error or (value.shape, expected.shape, value.dtype, expected.dtype)}")
    assert not wrong, "\n".join(wrong)


def test_every_operator_has_a_case() -> None:
    tested = set()
    for make in FAMILIES.values():
        family = make()
        tested |= set(re.findall(r"\b[a-z_]\w*(?:\.\w+)*(?=\()", everything(family)))
    others = {name for name in CONVERTERS if name.startswith("qnn.")}  # in test_relay_quantized.py
    assert set(CONVERTERS) - others - tested == set()
