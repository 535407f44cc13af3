"""Inputs that are set, runs, and outputs that are got, as of TVM's graph_executor."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from graph_support import draw, network, node

import tvm_directconv as directconv
from tvm_directconv.errors import InputError

X, Z = draw(2, 4), draw(2, 4, seed=1)


@pytest.fixture(scope="module")
def model() -> directconv.CompiledModel:
    nodes = [node("Sub", "x z", "y"), node("Relu", "x", "r")]
    shape = ("n", 4)
    return directconv.compile(network(nodes, {"x": shape, "z": shape}, {"y": shape, "r": shape}))


def test_what_is_set_is_run(model: directconv.CompiledModel) -> None:
    x = X.copy()
    model.set_input("x", x)
    model.set_input(1, Z)
    x[:] = 0  # it was copied
    np.testing.assert_array_equal(model.run()[0], X - Z)
    np.testing.assert_array_equal(model.get_output("r"), np.maximum(X, 0))
    model.set_input(z=X)
    model.run()
    assert not model.get_output(0).any()
    model.set_input(x=Z[:1], z=X[:1])  # of another size
    model.run()
    np.testing.assert_array_equal(model.get_output(0), Z[:1] - X[:1])
    np.testing.assert_array_equal(model.get_input("z"), X[:1])
    assert (model.get_num_inputs(), model.get_num_outputs()) == (2, 2)
    assert [model.get_input_index(name) for name in ("x", "z", "y")] == [0, 1, -1]
    assert [model.get_output_index(name) for name in ("y", "r", "x")] == [0, 1, -1]


def test_threads_have_inputs_of_their_own(model: directconv.CompiledModel) -> None:
    model.set_input(x=X, z=Z)
    errors: list[Exception] = []

    def other() -> None:
        try:
            model.get_input("x")
        except InputError as error:
            errors.append(error)

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert "has not set input 'x'" in str(errors[0])


@pytest.mark.parametrize("end_to_end", [False, True])
def test_benchmark(end_to_end: bool, model: directconv.CompiledModel) -> None:
    """It is TVM's own result, of as many measurements as were asked for."""
    result = model.benchmark(repeat=3, number=2, end_to_end=end_to_end, x=X, z=Z)
    assert len(result.results) == 3 and 0 < result.min <= result.median <= result.max
    assert "mean (ms)" in str(result)
    long = model.benchmark(repeat=1, number=1, min_repeat_ms=20)
    assert 0 < long.mean < 0.02


def test_a_call_takes_inputs_by_name(model: directconv.CompiledModel) -> None:
    for outputs in (model({"z": Z, "x": X}), model(x=X, z=Z), model(X, Z), model({"x": X}, z=Z)):
        np.testing.assert_array_equal(outputs[0], X - Z)


WRONG: dict[str, Callable[[Any], Any]] = {
    r"no input 'q'; the model's inputs are x, z": lambda m: m.set_input("q", X),
    r"no input 2: the model has 2, counted from 0": lambda m: m.set_input(2, X),
    r"no output -1: the model has 2": lambda m: m.get_output(-1),
    r"no output 'rr' \(did you mean 'r'\?\)": lambda m: m.get_output("rr"),
    r"repeat=0 and number=5 have to be 1 at least": lambda m: m.benchmark(repeat=0),
    r"missing input 'z'": lambda m: (m.set_input(x=X), m.run()),
    r"input .z.": lambda m: (m.set_input(x=X, z=Z[:, :3]), m.run()),
}


@pytest.mark.parametrize("said", WRONG)
def test_wrong_calls_are_said(said: str, model: directconv.CompiledModel) -> None:
    model._own.given = {}
    model.set_input(x=X, z=Z)
    model.run()
    if said.startswith("missing"):
        model._own.given = {}
    with pytest.raises(InputError, match=said):
        WRONG[said](model)
