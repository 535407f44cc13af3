"""Runs beside each other: requests, concurrency, futures, the caller's memory; each as if it ran alone."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from typing import Any

import numpy as np
import pytest
import tvm
from cli_support import fail
from graph_support import draw, network, node
from reference import run_onnx_runtime

import tvm_directconv as directconv
from relay_strategies.compiler.model.running import ExecutableRunner
from relay_strategies.compiler.model.tensors import ALIGNMENT, borrowed
from tvm_directconv.bench.contestants import Contestant, Setting
from tvm_directconv.bench.contestants.requests import AT_ONCE
from tvm_directconv.bench.host import resident_bytes
from tvm_directconv.bench.problems import NetworkProblem
from tvm_directconv.errors import InputError
from tvm_directconv.targets.target import resolve_target

SHAPE = (1, 3, 32, 32)
WEIGHT_BYTES = 4 * 1024 * 4096
PATIENCE_SECONDS = 60
"""What turns a hang into a failure."""


def inputs(count: int) -> list[np.ndarray]:
    return [draw(*SHAPE, seed=seed) for seed in range(count)]


@pytest.fixture
def model() -> directconv.CompiledModel:
    """A network large enough that runs are likely to overlap, in two outputs; of its own for each test."""
    nodes = [
        node("Conv", "x w", "a", pads=[1, 1, 1, 1]),
        node("Relu", "a", "b"),
        node("Conv", "b v", "y", pads=[1, 1, 1, 1]),
        node("GlobalAveragePool", "y", "z"),
    ]
    weights = {"w": draw(32, 3, 3, 3), "v": draw(16, 32, 3, 3)}
    outputs = {"y": (1, 16, 32, 32), "z": (1, 16, 1, 1)}
    return directconv.compile(network(nodes, {"x": SHAPE}, outputs, weights))


def check(got: list[list[np.ndarray]], want: list[list[np.ndarray]]) -> None:
    for one, other in zip(got, want, strict=True):
        for a, b in zip(one, other, strict=True):
            np.testing.assert_array_equal(a, b)


Way = Callable[[directconv.CompiledModel, list[np.ndarray]], list[list[np.ndarray]]]


def by_requests(model: directconv.CompiledModel, given: list[np.ndarray]) -> list[list[np.ndarray]]:
    with ThreadPoolExecutor(3) as threads:
        requests = [model.request() for _ in range(3)]
        return list(threads.map(lambda pair: requests[pair[0] % 3].run(pair[1]), enumerate(given)))


def by_concurrency(model: directconv.CompiledModel, given: list[np.ndarray]) -> list[list[np.ndarray]]:
    model.concurrency = 3
    with ThreadPoolExecutor(5) as threads:
        return list(threads.map(model.run, given))


def by_futures(model: directconv.CompiledModel, given: list[np.ndarray]) -> list[list[np.ndarray]]:
    model.concurrency = 3
    futures = [model.submit(array) for array in given]
    assert all(isinstance(future, Future) for future in futures)
    return [future.result() for future in futures]


def by_invocations(model: directconv.CompiledModel, given: list[np.ndarray]) -> list[list[np.ndarray]]:
    model.concurrency = 2

    def invoked(array: np.ndarray) -> list[np.ndarray]:
        model.set_inputs(array)
        model.invoke()
        return model.get_outputs()

    with ThreadPoolExecutor(4) as threads:
        return list(threads.map(invoked, given))


@pytest.mark.parametrize("way", [by_requests, by_concurrency, by_futures, by_invocations])
def test_runs_beside_each_other_give_what_one_alone_does(way: Way, model: directconv.CompiledModel) -> None:
    given = inputs(24)
    want = [model.run(array) for array in given]
    check(way(model, given), want)


def test_as_many_run_at_a_time_as_was_asked_for(
    model: directconv.CompiledModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    running, most, lock, together = 0, 0, threading.Lock(), threading.Barrier(1)
    arguments_of = ExecutableRunner.arguments

    def slow(*given: Any) -> Any:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        together.wait(PATIENCE_SECONDS)
        with lock:
            running -= 1
        return arguments_of(*given)

    monkeypatch.setattr(ExecutableRunner, "arguments", slow)
    for count in (1, 3, 2):
        model.concurrency, most, together = count, 0, threading.Barrier(count)
        wait_for([model.submit(array) for array in inputs(6)])
        assert most == model.concurrency == count


def test_concurrency_changes_while_runs_are_submitted(model: directconv.CompiledModel) -> None:
    """From another thread, and from what is called when a run is done."""
    (given,) = inputs(1)
    want = model.run(given)
    changed = Future[int]()

    def change(_: Future[Any]) -> None:
        model.concurrency = 3
        changed.set_result(model.concurrency)

    model.submit(given).add_done_callback(change)
    assert changed.result(10) == 3
    check([model.submit(given).result(10)], [want])

    def submitted(_: int) -> list[np.ndarray]:
        return model.submit(given).result(10)

    with ThreadPoolExecutor(3) as threads:
        results = threads.map(submitted, range(150))
        for count in (1, 3, 2) * 20:
            model.concurrency = count
        check(list(results), [want] * 150)


def test_requests_share_weights() -> None:
    features = node("MatMul", "x w", "y")
    size = {"x": (1, 1024)}
    model = directconv.compile(network([features], size, {"y": (1, 4096)}, {"w": draw(1024, 4096)}))
    given = draw(1, 1024)
    want = model.run(given)
    before = resident_bytes()
    if before is None:
        pytest.skip("the system does not say what memory a process holds")
    requests = [model.request() for _ in range(8)]
    check([request.run(given) for request in requests], [want] * 8)
    assert (resident_bytes() or 0) - before < WEIGHT_BYTES / 2


def test_errors_come_out_of_futures_and_leave_the_model_running(model: directconv.CompiledModel) -> None:
    model.concurrency = 2
    bad, good = model.submit(draw(1, 3, 8, 8)), model.submit(inputs(1)[0])
    with pytest.raises(InputError, match="shape"):
        bad.result()
    check([good.result()], [model.run(inputs(1)[0])])


@pytest.mark.parametrize("count", [0, -1, 1.5, "2", True, None])
def test_concurrency_is_a_number_of_runs(count: Any, model: directconv.CompiledModel) -> None:
    with pytest.raises(InputError, match="concurrency="):
        model.concurrency = count
    assert model.concurrency == 1


# ---- the caller's memory


def test_outputs_are_written_where_the_caller_wants_them(model: directconv.CompiledModel) -> None:
    (given,) = inputs(1)
    want = model.run(given)
    wide = np.full((1, 16, 32, 64), 7, np.float32)
    y, z = wide[..., ::2], np.empty((1, 16, 1, 1), np.float32)
    for outputs in ([y, z], (y, z), {"z": z, "y": y}):
        wide[:], z[:] = 7, 7
        got = model.run(given, outputs=outputs)
        assert got[0] is y and got[1] is z
        check([got], [want])
        assert (wide[..., 1::2] == 7).all()
    assert model.submit(given, [y, z]).result()[1] is z
    assert model.request().run(given, outputs=[y, z])[0] is y


@pytest.mark.parametrize(
    ("outputs", "message"),
    [
        ([np.empty((1, 16, 32, 32), np.float32)], "1 arrays for outputs, 2 expected"),
        ({"y": None}, "arrays for outputs y"),
        ([np.empty((1, 16, 32, 31), np.float32), None], "'y' is float32.*31.*expected y: float32"),
        ([np.empty((1, 16, 32, 32)), None], "'y' is float64"),
        ([[0.0], None], "'y' is written into a numpy array"),
        ([np.broadcast_to(np.float32(0), (1, 16, 32, 32)), None], "'y' is written into .* may be written"),
    ],
)
def test_arrays_that_outputs_cannot_be_written_into(
    outputs: Any, message: str, model: directconv.CompiledModel
) -> None:
    with pytest.raises(InputError, match=message):
        model.run(inputs(1)[0], outputs=outputs)


def aligned(array: np.ndarray, offset: int = 0) -> np.ndarray:
    """A copy that begins so many bytes behind a multiple of the alignment."""
    memory = np.empty(array.nbytes + 2 * ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % ALIGNMENT + offset
    copy = memory[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def test_aligned_inputs_are_read_in_place(model: directconv.CompiledModel) -> None:
    (given,) = inputs(1)
    want = model.run(aligned(given, 4))
    frozen = aligned(given)
    frozen.flags.writeable = False
    for array, in_place in (
        (aligned(given), True),
        (aligned(given, 4), False),
        (aligned(given.transpose(0, 1, 3, 2)).transpose(0, 1, 3, 2), False),
        (frozen, False),
    ):
        tensor = borrowed(array, array)
        assert (tensor is not None) == in_place
        if tensor is not None:
            array[0, 0, 0, 0] = 5
            assert tensor.numpy()[0, 0, 0, 0] == 5
            array[...] = given
        check([model.run(array)], [want])
        np.testing.assert_array_equal(array, given)


class Lending:
    """What has nothing but memory to lend."""

    def __init__(self, array: np.ndarray) -> None:
        self._tensor = tvm.runtime.tensor(array)

    def __dlpack__(self, **options: Any) -> Any:
        return self._tensor.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._tensor.__dlpack_device__()


def test_inputs_may_be_whatever_lends_memory_by_dlpack(model: directconv.CompiledModel) -> None:
    (given,) = inputs(1)
    check([model.run(Lending(given)), model.run(tvm.runtime.tensor(given))], [model.run(given)] * 2)


# ---- throughput


@pytest.mark.parametrize("kind", AT_ONCE, ids=lambda kind: kind.name)
def test_contestants_of_throughput_compute_the_network(kind: type[Contestant]) -> None:
    weights = {"w": draw(8, 3, 3, 3)}
    graph = network([node("Conv", "x w", "y")], {"x": (1, 3, 8, 8)}, {"y": (1, 8, 6, 6)}, weights)
    problem = NetworkProblem("small", graph, {"x": draw(1, 3, 8, 8)})
    contestant = kind(Setting(resolve_target("llvm -mcpu=native"), threads=2))
    assert contestant.available() is None
    prepared = contestant.prepare_network(problem)
    assert prepared.seconds_per_call(3) > 0
    want = run_onnx_runtime(graph, dict(problem.inputs))
    np.testing.assert_allclose(prepared.outputs()[0], want[0], atol=1e-5)
    prepared.run()
    np.testing.assert_allclose(prepared.outputs()[0], want[0], atol=1e-5)
    assert prepared.facts["requests"] == 2 and "2 at a time" in prepared.note


def test_throughput_has_its_own_contestants() -> None:
    said = fail("bench", "squeezenet", "--at-once", "--contestants", "ours", status=2)
    assert "--contestants does not apply: --at-once" in said
