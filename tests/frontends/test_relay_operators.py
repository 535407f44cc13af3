"""Every operator of the Relay reader's table, over its attributes, against numpy and ONNX."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from graph_support import draw
from relay_case_support import Family
from relay_cases import FAMILIES as CASES
from relay_support import LOOP, WRITTEN, close, compiled, meaning

from relay_strategies.frontends.relay.converters import CONVERTERS, FAMILIES
from relay_strategies.frontends.relay.left_out import LEFT_OUT

TOLERANCE = 2e-5
PAGE = (Path(__file__).parents[2] / "docs" / "coming_from_relay.md").read_text()


def everything(family: Family) -> str:
    """One body of all cases: each in brackets of its own, so that their variables do not meet."""
    return f"({', '.join(f'({body})' for body, _ in family.cases.values())},)"


@pytest.mark.slow
@pytest.mark.parametrize("run", [meaning, compiled], ids=["plain TVM", "this library"])
@pytest.mark.parametrize("name", CASES)
def test_operators_compute_what_they_should(name: str, run: object) -> None:
    family = CASES[name]()
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
    bodies = [everything(make()) for make in CASES.values()]
    bodies += [sample["text"] for sample in WRITTEN.values()]
    tested = {name for body in bodies for name in re.findall(r"\b[a-z_]\w*(?:\.\w+)*(?=\()", body)}
    others = {name for name in CONVERTERS if name.startswith("qnn.")}  # in test_relay_quantized.py
    assert set(CONVERTERS) - others - tested == set()


def test_branches_and_loops() -> None:
    """A known condition takes its branch, so that a loop of known turns is written out; one that is not has
    both computed."""
    x = draw(1, 8, 6, 6)
    given = {"x": x}
    (found,) = compiled("if (True) { %x } else { nn.relu(%x) }", given)
    np.testing.assert_array_equal(found, x)
    (found,) = compiled(LOOP.format(3), given)
    np.testing.assert_allclose(found, x * np.float32(1.875), rtol=1e-6)
    for bound in (-1e3, 1e3):
        body = f"%0 = sum(%x); %1 = greater(%0, {bound}f); if (%1) {{ %x }} else {{ nn.relu(%x) }}"
        (found,) = compiled(body, given)
        np.testing.assert_array_equal(found, x if bound < 0 else np.maximum(x, 0))
    several = "%0 = less(sum(%x), 1e9f); %1 = if (%0) { (%x, nn.relu(%x)) } else { (%x, %x) }; %1.1"
    np.testing.assert_array_equal(compiled(several, given)[0], np.maximum(x, 0))


def test_the_table_of_operators_is_that_of_the_code() -> None:
    rows = [
        f"| {title} | {', '.join(f'`{n}`' for n in sorted(family))} |" for title, family in FAMILIES.items()
    ]
    assert "\n".join(["| | |", "|---|---|", *rows]) in PAGE, "\n".join(rows)


def test_the_table_of_what_is_left_out_is_that_of_the_code() -> None:
    rows = [f"| {why} | {', '.join(f'`{name}`' for name in names)} |" for why, names in LEFT_OUT.items()]
    assert "\n".join(["| what it does | operators |", "|---|---|", *rows]) in PAGE, "\n".join(rows)
