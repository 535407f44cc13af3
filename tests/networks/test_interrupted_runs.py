"""After an exception of a signal handler, at whatever step of a run, a model runs as before."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graph_support import draw, network, node
from interruption import DEADLINE_SECONDS, Interrupting, TimeLimit, soon

import tvm_directconv as directconv
from tvm_directconv.errors import DirectConvError, InputError, let_through
from tvm_directconv.workers import Workers, in_threads

SHAPE = (2, 3)
GRAPH = network([node("Relu", "x", "y")], {"x": SHAPE}, {"y": SHAPE})
GIVEN = draw(*SHAPE)
WANTED = np.maximum(GIVEN, 0)
MOST, FEW = 150, 20
"""So many steps of a way are interrupted, spread evenly; and so many with each other exception."""


@pytest.fixture(scope="module")
def model() -> directconv.CompiledModel:
    return directconv.compile(GRAPH)


Way = Callable[[directconv.CompiledModel], Any]


def by_invoke(model: directconv.CompiledModel) -> None:
    model.set_inputs(GIVEN)
    model.invoke()
    model.get_outputs()


def by_several(model: directconv.CompiledModel) -> None:
    model.concurrency = 3
    model.run(GIVEN)
    model.concurrency = 1


WAYS: dict[str, Way] = {
    "run": lambda model: model.run(GIVEN),
    "run of a list": lambda model: model.run([np.asfortranarray(GIVEN)]),
    "run into arrays": lambda model: model.run(GIVEN, outputs=[np.empty(SHAPE, np.float32)]),
    "call": lambda model: model(GIVEN),
    "invoke": by_invoke,
    "request": lambda model: model.request().run(GIVEN),
    "concurrency": by_several,
    "submit": lambda model: model.submit(GIVEN).result(DEADLINE_SECONDS),
    "profile": lambda model: model.profile(GIVEN, rounds=1),
}


@pytest.mark.parametrize("raised", [KeyboardInterrupt, TimeoutError, TimeLimit, ValueError])
@pytest.mark.parametrize("way", WAYS)
def test_a_model_runs_after_an_interrupt_at_any_step(
    way: str, raised: type[BaseException], model: directconv.CompiledModel
) -> None:
    interrupting = Interrupting(raised)
    WAYS[way](model)
    assert not interrupting.after(None, lambda: WAYS[way](model))
    steps = interrupting.steps
    assert steps > 10
    every = -(-steps // (MOST if raised is TimeLimit else FEW))
    for step in range(0, steps, every):
        interrupting.after(step, lambda: WAYS[way](model))
        model.concurrency = 1
        np.testing.assert_array_equal(soon(lambda: model.run(GIVEN))[0], WANTED, f"after step {step}")
    np.testing.assert_array_equal(model.run(GIVEN)[0], WANTED)
    np.testing.assert_array_equal(soon(lambda: model.submit(GIVEN).result())[0], WANTED)


def test_a_request_runs_after_an_interrupt_at_any_step(model: directconv.CompiledModel) -> None:
    interrupting, request = Interrupting(TimeLimit), model.request()
    request.run(GIVEN)
    assert not interrupting.after(None, lambda: request.run(GIVEN))
    for step in range(interrupting.steps):
        interrupting.after(step, lambda: request.run(GIVEN))
        np.testing.assert_array_equal(soon(lambda: request.run(GIVEN))[0], WANTED)


PROFILES = """
import ctypes, gc, sys
sys.path[:0] = sys.argv[1:]
from test_interrupted_runs import GRAPH, WAYS, Interrupting, TimeLimit, directconv, draw
model, interrupting = directconv.compile(GRAPH), Interrupting(TimeLimit)
interrupting.after(None, lambda: WAYS["profile"](model))
for step in range(interrupting.steps):
    interrupting.after(step, lambda: WAYS["profile"](model))
del model
gc.collect()
for _ in range(50):  # the C library aborts where memory was written to after it was freed
    ctypes.CDLL(None).malloc_trim(0)
    draw(300, 300)
print("right")
"""


@pytest.mark.slow
def test_profiles_interrupted_at_any_step_leave_memory_as_it_should_be() -> None:
    here = Path(__file__).parent
    done = subprocess.run(
        [sys.executable, "-c", PROFILES, str(here), str(here.parent)], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, "right\n"), done.stderr


def test_a_handler_may_run_the_model_in_the_middle_of_a_run(model: directconv.CompiledModel) -> None:
    """Of the same thread, which has the only lane."""
    found: list[np.ndarray] = []

    class Running(Interrupting):
        def _handle(self, number: int, frame: object) -> None:
            found.extend(model.run(-GIVEN))

    running = Running(TimeLimit)
    got: list[np.ndarray] = []
    model.run(GIVEN)
    running.after(None, lambda: model.run(GIVEN))
    for step in range(0, running.steps, 3):
        running.after(step, lambda: got.extend(model.run(GIVEN)))
    assert len(found) > 5
    for ours in found:
        np.testing.assert_array_equal(ours, np.maximum(-GIVEN, 0))
    for ours in got:
        np.testing.assert_array_equal(ours, WANTED)


@pytest.mark.slow
@pytest.mark.parametrize("raised", [KeyboardInterrupt, TimeoutError])
def test_compile_and_load_work_after_an_interrupt(raised: type[BaseException], tmp_path: Path) -> None:
    """Standard error, and how often threads take turns, are as before; nothing half-written is left."""
    path, folder = tmp_path / "model.so", tmp_path / "written"
    folder.mkdir()
    compiled = directconv.compile(GRAPH)
    compiled.export_library(path)
    interrupting, interrupted = Interrupting(raised), 0
    actions: tuple[Callable[[], Any], ...] = (
        lambda: directconv.compile(GRAPH),
        lambda: directconv.load(path),
        lambda: compiled.export_library(folder / "model.so"),
    )
    for action in actions:
        action()
        interrupting.after(None, action)
        steps = interrupting.steps
        for file in folder.iterdir():
            file.unlink()
        before = os.fstat(2).st_ino, sys.getswitchinterval()
        for part in (0.1, 0.35, 0.6, 0.85):
            was_interrupted = interrupting.after(int(steps * part), action)
            interrupted += was_interrupted
            assert (os.fstat(2).st_ino, sys.getswitchinterval()) == before
            assert not was_interrupted or list(folder.iterdir()) == []
            for file in folder.iterdir():
                file.unlink()
        soon(action)
    assert interrupted
    np.testing.assert_array_equal(directconv.load(path).run(GIVEN)[0], WANTED)


class Unusual(Exception):
    """What numpy cannot convert may raise anything."""


class Refusing:
    def __array__(self, *arguments: Any, **options: Any) -> np.ndarray:
        raise Unusual("no numbers")


def test_what_a_value_raises_is_an_input_error(model: directconv.CompiledModel) -> None:
    with pytest.raises(InputError, match="no numbers"):
        model.run(Refusing())


class Slow:
    """Its conversion has steps in Python."""

    def __array__(self, *arguments: Any, **options: Any) -> np.ndarray:
        return np.asarray(GIVEN)


@pytest.mark.parametrize("raised", [TimeLimit, TimeoutError, ValueError, RuntimeError])
def test_what_a_handler_raises_is_none(raised: type[Exception], model: directconv.CompiledModel) -> None:
    interrupting = Interrupting(raised)
    model.run(Slow())
    interrupting.after(None, lambda: model.run(Slow()))
    steps = interrupting.steps - 1  # the last is the end of counting
    assert [step for step in range(steps) if not interrupting.after(step, lambda: model.run(Slow()))] == []


def test_handlers_are_known_by_what_they_are() -> None:
    error = DirectConvError("no handler's")
    try:
        raise error
    except DirectConvError:
        let_through(error)


def test_workers_go_on_after_an_interrupt_at_any_step() -> None:
    interrupting = Interrupting(TimeLimit)
    pool = Workers(1)

    def use() -> None:
        assert pool.submit(int, "3").result() == 3

    use()
    interrupting.after(None, use)
    for step in range(interrupting.steps):
        interrupting.after(step, use)
        assert soon(lambda: pool.submit(int, "4").result()) == 4
    interrupting.after(20, lambda: in_threads(int, ["1", "2"]))
    assert soon(lambda: in_threads(int, ["1", "2"])) == [1, 2]
    pool.shutdown()
