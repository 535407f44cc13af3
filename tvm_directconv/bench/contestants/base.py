"""What every contestant offers: is it here, prepare a problem, run it, show its output."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from tvm_directconv.bench.answers import HALF_TOLERANCE
from tvm_directconv.bench.exact_sums import LARGEST_EXACT_WEIGHT, sums_saturate
from tvm_directconv.bench.layer_models import as_network
from tvm_directconv.bench.problems import LayerProblem, NetworkProblem
from tvm_directconv.bench.quantized_problems import Problem, QuantizedLayerProblem, QuantizedNetworkProblem
from tvm_directconv.bench.tflite_problems import TfliteProblem
from tvm_directconv.errors import BenchmarkError, nearest
from tvm_directconv.measure.timing import calls_within, seconds_per_call
from tvm_directconv.problem.element_types import FLOAT32
from tvm_directconv.targets.target import CompileTarget

TRIALS, TRIAL_SECONDS = 3, 0.02
"""Ways to run a library are tried this often, and this long, to find the fastest."""
SATURATED = (
    "sums of its 8-bit products saturate in 16 bits on this CPU, which lacks VNNI; filters within 7 bits "
    "would be exact"
)


class CannotSolve(Exception):
    """The contestant cannot solve this problem; the message says why."""


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
    by its own clock. ``facts`` go into the result: versions, kernels, workspace bytes. ``keep`` is
    whatever must live as long as this. ``note`` is what the reader of its time must know.
    """

    run: Callable[[], object]
    outputs: Callable[[], list[np.ndarray]]
    timer: Callable[[int], float] | None = None
    facts: Mapping[str, str | int | float] = field(default_factory=dict)
    keep: object = None
    note: str = ""

    def seconds_per_call(self, calls: int) -> float:
        return seconds_per_call(self.run, calls) if self.timer is None else self.timer(calls)


class Contestant(ABC):
    """One way to compute convolutions or networks; peers are imported when first asked something.

    Each lives in a process of its own. What it raises there, or what ends the process, is reported beside
    the others' results.
    """

    name: str
    package = ""
    """The Python package that it needs, if any."""
    reads_tflite = False
    """Whether it takes networks in .tflite files."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting

    def available(self) -> str | None:
        """Say why it cannot run here; None if it can."""
        try:
            if self.package:
                __import__(self.package)
        except ImportError as error:
            return f"{self.package} cannot be imported ({error}); pip install tvm-directconv[bench]"
        return None

    def solves(self, problem: Problem) -> Problem:
        """Return what it computes, and is judged by, where that is not the problem itself.

        CannotSolve where it is known at once that it cannot. What is imported here counts as its libraries.
        """
        return problem

    def prepare(self, problem: Problem) -> Prepared:
        """Set the problem up; raise CannotSolve if the contestant cannot."""
        if isinstance(problem, LayerProblem):
            return self.prepare_layer(problem)
        if isinstance(problem, QuantizedLayerProblem):
            return self.prepare_quantized_layer(problem)
        assert isinstance(problem, NetworkProblem)
        if isinstance(problem, TfliteProblem) and not self.reads_tflite:
            raise CannotSolve(f"{self.name} does not read .tflite files")
        return self.prepare_network(problem)

    def prepare_layer(self, problem: LayerProblem) -> Prepared:
        raise CannotSolve(f"{self.name} is compared on whole networks only")

    def prepare_quantized_layer(self, problem: QuantizedLayerProblem) -> Prepared:
        raise CannotSolve(f"{self.name} is not compared on 8-bit layers")

    def prepare_network(self, problem: NetworkProblem) -> Prepared:
        raise CannotSolve(f"{self.name} is compared on single layers only")


@dataclass(frozen=True)
class Variant:
    """A kind of contestant under another name, with other values of some attributes."""

    name: str
    kind: type[Contestant]
    attributes: Mapping[str, object]

    def __call__(self, setting: Setting) -> Contestant:
        made = self.kind(setting)
        vars(made).update(self.attributes, name=self.name)
        return made


def in_precision(problem: Problem, precision: str) -> Problem:
    """Return a problem of floats judged as answers in that precision are; CannotSolve for one of bytes."""
    if precision == FLOAT32:
        return problem
    if not isinstance(problem, LayerProblem | NetworkProblem) or problem.quantized:
        raise CannotSolve(f"{precision} is compared on what is float32 else")
    return replace(problem, tolerance=HALF_TOLERANCE[precision])


class OnnxContestant(Contestant):
    """A contestant that takes ONNX models; a layer is a network of one node to it."""

    @abstractmethod
    def prepare_network(self, problem: NetworkProblem) -> Prepared: ...

    def prepare_layer(self, problem: LayerProblem) -> Prepared:
        return nhwc_outputs(self.prepare_network(as_network(problem)))


def nhwc_outputs(prepared: Prepared) -> Prepared:
    """Return the same with its outputs turned from NCHW."""
    return replace(prepared, outputs=lambda: [output.transpose(0, 2, 3, 1) for output in prepared.outputs()])


def faster(candidates: Sequence[Prepared]) -> Prepared:
    """Return the one whose calls are fastest now."""
    seconds = []
    for candidate in candidates:
        candidate.seconds_per_call(1)
        calls = calls_within(TRIAL_SECONDS, candidate.seconds_per_call(1))
        seconds.append(min(candidate.seconds_per_call(calls) for _ in range(TRIALS)))
    return candidates[seconds.index(min(seconds))]


def exact(problem: QuantizedLayerProblem | QuantizedNetworkProblem, ways: Iterable[Prepared]) -> Prepared:
    """Return the first way that gives the right answer, or else the last; CannotSolve where saturated sums
    of 8-bit products explain that none does."""
    for way in ways:
        way.run()
        if not problem.judge(way.outputs())[1]:
            return way
    if sums_saturate() and problem.largest_weight > LARGEST_EXACT_WEIGHT:
        raise CannotSolve(SATURATED)
    return way


def check_known(name: str, known: Container[str], there: Collection[str]) -> None:
    """Raise BenchmarkError for a name that is not ``known``, telling those that are ``there`` to take."""
    if name not in known:
        raise BenchmarkError(f"no contestant '{name}'{nearest(name, there)}; there are {', '.join(there)}")
