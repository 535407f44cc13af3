"""Docstrings of public names: every argument is described, and the examples run."""

from __future__ import annotations

import doctest
import inspect
import re

import pytest

import tvm_directconv

PUBLIC = {name: getattr(tvm_directconv, name) for name in tvm_directconv.__all__}
FUNCTIONS = {name: value for name, value in PUBLIC.items() if inspect.isfunction(value)}
EXAMPLES = [
    example
    for name, value in PUBLIC.items()
    for example in doctest.DocTestFinder().find(value, name, globs={})
    if example.examples
]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_argument_is_described(name: str) -> None:
    text = inspect.getdoc(FUNCTIONS[name]) or ""
    _, _, arguments = text.partition("Args:\n")
    described = re.findall(r"^    (\w+): ", arguments.partition("\n\n")[0], re.MULTILINE)
    assert described == list(inspect.signature(FUNCTIONS[name]).parameters)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_examples_run(example: doctest.DocTest) -> None:
    failures: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(example, out=failures.append)
    assert not failures, "".join(failures)
