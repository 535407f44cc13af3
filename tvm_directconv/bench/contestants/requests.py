"""Throughput: each contestant runs a network as often at a time as there are threads, each run on one thread.

The contestants are those of single runs, by the same names: they stand in for them where runs of this kind
are compared. The seconds of a call are those from the first run to the last, by the number of runs.
"""

from __future__ import annotations

import functools
import itertools
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

import numpy as np

from relay_strategies.compiler.compiler import compile as compile_model
from tvm_directconv.bench.problems import NetworkProblem, quiet_session
from tvm_directconv.problem.element_types import FLOATS

from .base import Contestant, Prepared
from .onnx_runtime import OnnxRuntime
from .openvino import OpenVino
from .ours import Ours


def prepared(
    requests: int, run_all: Callable[[int], list[np.ndarray]], facts: dict[str, Any], keep: object
) -> Prepared:
    """``run_all`` makes so many runs and returns the outputs of one of them."""
    outputs: list[np.ndarray] = []

    def run() -> None:
        outputs[:] = run_all(requests)

    def timer(calls: int) -> float:
        start = time.perf_counter()
        outputs[:] = run_all(calls * requests)
        return (time.perf_counter() - start) / (calls * requests)

    note = f"time by runs, {requests} at a time"
    return Prepared(run, lambda: outputs, timer, {"requests": requests, **facts}, keep, note)


class OursAtOnce(Ours):
    def prepare_network(self, problem: NetworkProblem) -> Prepared:
        model = compile_model(problem.source, self.setting.target, cache=False)
        model.concurrency = self.setting.threads

        def run_all(count: int) -> list[np.ndarray]:
            futures = [model.submit(problem.inputs) for _ in range(count)]
            wait(futures)
            return futures[0].result()

        return prepared(self.setting.threads, run_all, {}, problem.inputs)


class OnnxRuntimeAtOnce(OnnxRuntime):
    """One session, which threads share, as its documentation has it."""

    def prepare_network(self, problem: NetworkProblem) -> Prepared:
        import onnxruntime

        session = quiet_session(problem.readable, intra_op_num_threads=1, inter_op_num_threads=1)
        threads = ThreadPoolExecutor(self.setting.threads)
        one = functools.partial(session.run, None, dict(problem.inputs))

        def run_all(count: int) -> list[np.ndarray]:
            futures = [threads.submit(one) for _ in range(count)]
            wait(futures)
            return futures[0].result()

        facts = {"version": onnxruntime.__version__}
        return prepared(self.setting.threads, run_all, facts, (threads, problem.inputs))


class OpenVinoAtOnce(OpenVino):
    """OpenVINO with as many streams as runs, each with a thread, fed by its own queue of requests."""

    def prepare_network(self, problem: NetworkProblem) -> Prepared:
        import openvino

        streams = {"NUM_STREAMS": self.setting.threads, "PERFORMANCE_HINT": "THROUGHPUT"}
        compiled = self.compiled(problem.readable, FLOATS[self.precision], streams)
        queue = openvino.AsyncInferQueue(compiled, self.setting.threads)
        inputs = dict(problem.inputs)

        def run_all(count: int) -> list[np.ndarray]:
            for _ in itertools.repeat(None, count):
                queue.start_async(inputs, share_inputs=True)
            queue.wait_all()
            return [np.array(tensor.data) for tensor in queue[0].output_tensors]

        facts = {"version": openvino.get_version(), "streams": compiled.get_property("NUM_STREAMS")}
        return prepared(self.setting.threads, run_all, facts, inputs)


AT_ONCE: tuple[type[Contestant], ...] = (OursAtOnce, OnnxRuntimeAtOnce, OpenVinoAtOnce)
