"""What the tests of the benchmark share: small problems, and a contestant that is always right.

No test depends on another library's surviving: contestants that run one have processes of their own, as they
do for users, and what ends these is a reason to skip. Ours, and those made for tests, stay in the tests'
process, where they start faster and can be patched.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest import mock

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from tvm_directconv.bench import (
    PEERS,
    Contestant,
    LayerResult,
    NetworkResult,
    Prepared,
    bench_layers,
    bench_network,
    harness,
    solver,
)
from tvm_directconv.bench.problems import LayerProblem
from tvm_directconv.measure.workers import Failure, Worker, reason
from tvm_directconv.problem.workload import Conv2dWorkload

NATIVE = "llvm -mcpu=native"
SMALL = Conv2dWorkload(1, 9, 8, 16, 24, (3, 3), padding=(1, 1, 1, 1))
ODD = Conv2dWorkload(2, 11, 13, 8, 12, (3, 2), (2, 1), (1, 0, 0, 2), (1, 2), groups=2)
DEPTHWISE = Conv2dWorkload(1, 7, 7, 16, 16, (3, 3), (2, 2), (1, 1, 1, 1), groups=16)


class Right(Contestant):
    """Answers with the reference itself."""

    name = "right"

    def available(self) -> str | None:
        return None

    def prepare_layer(self, problem: LayerProblem) -> Prepared:
        return Prepared(lambda: None, lambda: problem.references, facts={"version": "1"})


class Here:
    """Stands for a Worker in the process of the tests."""

    def __init__(self, make: Callable[..., object], *arguments: object) -> None:
        self._held = make(*arguments)

    def ask(self, doing: str, method: str, *arguments: object) -> object:
        try:
            return getattr(self._held, method)(*arguments)
        except Exception as error:
            raise Failure(reason(error)) from error

    def close(self) -> None:
        return None


def _worker(folder: Path, make: Callable[..., object], *arguments: object) -> Worker | Here:
    apart = make is solver.Solver and arguments[0] in PEERS
    return Worker(folder, make, *arguments) if apart else Here(make, *arguments)


@contextlib.contextmanager
def peers_apart() -> Iterator[None]:
    """Where only peers have processes of their own."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(mock.patch.object(harness, "Worker", _worker))
        for name in ("stay_on", "keep_tvm_on"):
            stack.enter_context(mock.patch.object(solver, name))
        yield


def quick(contestants, layers=(SMALL,), **options) -> LayerResult:
    with peers_apart():
        return bench_layers(layers, NATIVE, contestants=contestants, quick=True, progress=False, **options)


def quick_network(contestants, network) -> NetworkResult:
    with peers_apart():
        return bench_network(network, NATIVE, contestants=contestants, quick=True, progress=False)


def tiny_network() -> onnx.ModelProto:
    generator = np.random.default_rng(0)
    weights = generator.standard_normal((16, 3, 3, 3), np.float32)
    nodes = [
        helper.make_node("Conv", ["image", "w"], ["c"], pads=[1, 1, 1, 1], strides=[2, 2]),
        helper.make_node("Relu", ["c"], ["r"]),
        helper.make_node("GlobalAveragePool", ["r"], ["answer"]),
    ]
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 3, 16, 16])],
        [helper.make_tensor_value_info("answer", TensorProto.FLOAT, [1, 16, 1, 1])],
        [numpy_helper.from_array(weights, "w")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
