"""Signals at drawn moments of runs: an exception of the handler leaves a model that runs as before.

The moments are counted steps (``interruption.py``), so that a case is the same on every machine; some cases
have an interval timer besides, whose moments are the machine's.
"""

from __future__ import annotations

import contextlib
import random
import signal
import time
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from graph_support import draw, network, node
from interruption import DEADLINE_SECONDS, Interrupting, TimeLimit, soon
from onnx import ModelProto

import tvm_directconv as directconv

RAISED = (KeyboardInterrupt, TimeoutError, TimeLimit, ValueError, RuntimeError)
INTERRUPTS, TIMER_SECONDS = 12, 0.05
SHAPE = (1, 4, 6, 6)


def _relu() -> ModelProto:
    return network([node("Relu", "x", "y")], {"x": SHAPE}, {"y": SHAPE})


def _layers() -> ModelProto:
    nodes = [node("Conv", "x w", "c", pads=[1] * 4), node("Relu", "c", "r"), node("Add", "r x", "y")]
    return network(nodes, {"x": SHAPE}, {"y": SHAPE}, {"w": draw(4, 4, 3, 3)})


def _two_results() -> ModelProto:
    nodes = [node("Sigmoid", "x", "y"), node("GlobalAveragePool", "x", "z")]
    return network(nodes, {"x": SHAPE}, {"y": SHAPE, "z": (1, 4, 1, 1)})


MODELS: tuple[Callable[[], ModelProto], ...] = (_relu, _layers, _two_results)


@cache
def _compiled(number: int) -> tuple[directconv.CompiledModel, np.ndarray, list[np.ndarray]]:
    model, given = directconv.compile(MODELS[number]()), draw(*SHAPE)
    return model, given, model.run(given)


def _into_arrays(model: directconv.CompiledModel, given: np.ndarray) -> Any:
    return model.run(given, outputs=[np.empty(info.shape, info.dtype) for info in model.outputs])


def _invoked(model: directconv.CompiledModel, given: np.ndarray) -> Any:
    model.set_inputs(given)
    model.invoke()
    return model.get_outputs()


WAYS: dict[str, Callable[[directconv.CompiledModel, np.ndarray], Any]] = {
    "run": lambda model, given: model.run(given),
    "submit": lambda model, given: model.submit(given).result(DEADLINE_SECONDS),
    "arrays": _into_arrays,
    "invoke": _invoked,
    "call": lambda model, given: model(given),
    "request": lambda model, given: model.request().run(given),
    "profile": lambda model, given: model.profile(given, rounds=1),
}


def check(number: int) -> str:
    rng = random.Random(number)
    model, given, wanted = _compiled(rng.randrange(len(MODELS)))
    name, raised = rng.choice(list(WAYS)), rng.choice(RAISED)
    model.concurrency = rng.choice((1, 1, 2, 4))
    interrupting, way = Interrupting(raised), WAYS[name]
    if rng.random() < 0.3:
        way(model, given)  # else it also makes what is made once
    interrupting.after(None, lambda: way(model, given))
    steps = interrupting.steps
    for _ in range(INTERRUPTS):
        step = rng.randrange(max(1, steps))
        interrupting.after(step, lambda: way(model, given))
        for got in soon(lambda: model.run(given)), soon(lambda: model.submit(given).result()):
            for ours, theirs in zip(got, wanted, strict=True):
                np.testing.assert_array_equal(ours, theirs, f"{name} after step {step}")
    if rng.random() < 0.5:
        _by_timer(rng, lambda: way(model, given))
        for ours, theirs in zip(soon(lambda: model.run(given)), wanted, strict=True):
            np.testing.assert_array_equal(ours, theirs, f"{name} after a timer")
    return f"{name} right"


def _by_timer(rng: random.Random, action: Callable[[], Any]) -> None:
    """Perform an action while an interval timer's handler raises exceptions."""

    armed: list[bool] = []

    def handle(*_: object) -> None:
        if armed:
            raise TimeLimit

    before = signal.signal(signal.SIGALRM, handle)
    end = time.monotonic() + TIMER_SECONDS
    while time.monotonic() < end:
        with contextlib.suppress(TimeLimit, RuntimeError):  # as which TVM carries it through compiled code
            try:
                armed.append(True)
                signal.setitimer(signal.ITIMER_REAL, rng.uniform(2e-5, 1e-3))
                action()
            finally:
                armed.clear()
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)
