"""What every contestant offers: is it here, prepare a problem, run it, show its output."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from ...target import CompileTarget
from ..problems import LayerProblem, NetworkProblem, Problem


class CannotSolve(Exception):
    """The contestant has no way to solve this problem; the message says why."""


@dataclass(frozen=True)
class Setting:
    """What holds for all contestants: the target ours and TVM compile for, and the threads."""

    target: CompileTarget
    threads: int = 1


@dataclass(frozen=True)
class Prepared:
    """A problem set up and ready to run again and again on the same buffers.

    ``run()`` solves it once. ``outputs()`` fetches the last answer: NHWC for a layer, graph order
    for a network. ``timer(calls)``, where given, runs ``calls`` times and returns seconds per call
    by its own clock. ``facts`` go into the result: versions, kernels, workspace bytes.
    """

    run: Callable[[], object]
    outputs: Callable[[], list[np.ndarray]]
    timer: Callable[[int], float] | None = None
    facts: Mapping[str, str | int | float] = field(default_factory=dict)
    keep: object = None

    def seconds_per_call(self, calls: int) -> float:
        if self.timer is not None:
            return self.timer(calls)
        start = time.perf_counter()
        for _ in range(calls):
            self.run()
        return (time.perf_counter() - start) / calls


class Contestant(ABC):
    """One way to compute convolutions or networks; peers are imported when first asked something.

    ``failures`` are the exceptions of ``prepare_*`` that count as "this contestant can't", to be
    reported beside the others' results instead of ending the benchmark.
    """

    name: str
    failures: tuple[type[Exception], ...] = (Exception,)

    def __init__(self, setting: Setting) -> None:
        self.setting = setting

    @abstractmethod
    def available(self) -> str | None:
        """Why it cannot run here, or None if it can."""

    def prepare(self, problem: Problem) -> Prepared:
        if isinstance(problem, LayerProblem):
            return self.prepare_layer(problem)
        assert isinstance(problem, NetworkProblem)
        return self.prepare_network(problem)

    def prepare_layer(self, problem: LayerProblem) -> Prepared:
        raise CannotSolve(f"{self.name} is compared on whole networks only")

    def prepare_network(self, problem: NetworkProblem) -> Prepared:
        raise CannotSolve(f"{self.name} is compared on single layers only")

    def close(self) -> None:
        """Undo settings that reach beyond this benchmark."""
        return None


class OnnxContestant(Contestant):
    """A contestant that takes ONNX models; a layer is a network of one node to it."""

    @abstractmethod
    def prepare_network(self, problem: NetworkProblem) -> Prepared: ...

    def prepare_layer(self, problem: LayerProblem) -> Prepared:
        prepared = self.prepare_network(problem.as_network())
        return Prepared(
            prepared.run,
            lambda: [output.transpose(0, 2, 3, 1) for output in prepared.outputs()],
            prepared.timer,
            prepared.facts,
            prepared.keep,
        )


def missing_package(name: str) -> str | None:
    """The reason ``available`` gives when a Python package cannot be imported."""
    try:
        __import__(name)
    except ImportError as error:
        return f"{name} cannot be imported ({error}); pip install tvm-directconv[bench]"
    return None
