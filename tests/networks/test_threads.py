"""Whatever is public may be called from several threads at once: answers are each caller's own."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from graph_support import draw, network, node

import tvm_directconv as directconv
from tvm_directconv.errors import InputError
from tvm_directconv.problem.operands import random_operands
from tvm_directconv.problem.workload import Conv2dWorkload

THREADS = 8
ROUNDS = 100
SHAPE = (1, 6, 12, 12)
SMALL = Conv2dWorkload(1, 6, 6, 8, 8, (3, 3))


def in_threads(work: Callable[[int], None], threads: int = THREADS) -> None:
    """Runs ``work(number)`` in so many threads at once; raises what the first of them raised."""
    errors: list[BaseException] = []
    start = threading.Barrier(threads)

    def run(number: int) -> None:
        try:
            start.wait()
            work(number)
        except BaseException as error:
            errors.append(error)

    running = [threading.Thread(target=run, args=(number,)) for number in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    if errors:
        raise errors[0]


def _model() -> directconv.CompiledModel:
    nodes = [
        node("Conv", "x w", "c", kernel_shape=[3, 3]),
        node("Relu", "c", "r"),
        node("GlobalAveragePool", "r", "y"),
    ]
    weights = {"w": draw(5, 6, 3, 3)}
    return directconv.compile(network(nodes, {"x": SHAPE}, {"y": (1, 5, 1, 1)}, weights))


@pytest.fixture(scope="module")
def images() -> list[np.ndarray]:
    return [draw(*SHAPE, seed=number) for number in range(THREADS)]


@pytest.mark.parametrize("loaded", [False, True])
def test_a_model_runs_in_threads(loaded: bool, images: list[np.ndarray], tmp_path: Path) -> None:
    model = _model()
    wanted = [model.run(image)[0] for image in images]
    if loaded:
        model.export_library(tmp_path / "model.so")
    # A model that has not run yet makes its machine in whichever thread comes first.
    model = directconv.load(tmp_path / "model.so") if loaded else _model()

    def work(number: int) -> None:
        for _ in range(ROUNDS):
            if number % 2:
                (got,) = model.run(images[number])
            else:
                model.set_inputs(images[number])
                model.invoke()
                (got,) = model.get_outputs()
            assert np.array_equal(got, wanted[number])

    in_threads(work)


def test_inputs_and_outputs_are_of_the_thread_that_set_them(images: list[np.ndarray]) -> None:
    model = _model()
    model.set_inputs(images[0])
    with pytest.raises(InputError, match="this thread has set no inputs"):
        in_threads(lambda number: model.invoke(), threads=1)
    model.invoke()
    with pytest.raises(InputError, match="this thread has run nothing yet"):
        in_threads(lambda number: print(model.get_outputs()), threads=1)
    assert model.get_outputs()[0].shape == (1, 5, 1, 1)


def test_a_layer_runs_in_threads() -> None:
    operands = [random_operands(SMALL, seed) for seed in range(THREADS)]
    layer = directconv.build_conv2d(SMALL)
    wanted = [layer(*given) for given in operands]
    fresh = directconv.build_conv2d(SMALL)

    def work(number: int) -> None:
        for _ in range(ROUNDS // 4):
            assert np.array_equal(fresh(*operands[number]), wanted[number])
        assert fresh.time(repeat=1, min_repeat_ms=0).best > 0

    in_threads(work)


def test_compiling_in_threads_takes_turns(tmp_path: Path) -> None:
    """TVM registers kernels, and its importer's output is caught, for the whole process."""
    printing, path = sys.stdout, tmp_path / "model.so"
    _model().export_library(path)

    def work(number: int) -> None:
        if number % 2:
            assert _model().run(draw(*SHAPE))[0].shape == (1, 5, 1, 1)
        elif number % 4:
            assert directconv.load(path).input_names == ("x",)
        else:
            directconv.build_conv2d(replace(SMALL, out_channels=24))

    in_threads(work)
    assert sys.stdout is printing
