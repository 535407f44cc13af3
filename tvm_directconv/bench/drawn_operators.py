"""Benchmarks of single operators: each of a list in ONNX, over drawn shapes and attributes, beside others."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np
import tvm

from tvm_directconv.errors import BenchmarkError
from tvm_directconv.targets.target import CompileTarget

from .contestants import FOR_OPERATORS, AnyContestant
from .harness import benchmark, network_effort
from .operations import network_flops
from .operator_models import Drawing
from .operator_rules import DRAWN
from .problems import SEED, NetworkProblem
from .quantized_problems import Problem
from .results import NetworkResult

AnyTarget: TypeAlias = "str | dict | tvm.target.Target | CompileTarget"


def draw_operators(count: int, seed: int = SEED, only: Sequence[str] = ()) -> Iterator[Drawing]:
    """Yield so many drawings, of each operator in turn, in an order that is drawn; ``only`` of those named.

    Raises BenchmarkError for a name that ``DRAWN`` lacks.
    """
    if missing := [name for name in only if name not in DRAWN]:
        raise BenchmarkError(f"no operator '{missing[0]}' is drawn; there are {', '.join(DRAWN)}")
    names = list(only or DRAWN)
    np.random.default_rng(seed).shuffle(names)
    for at, name in enumerate(itertools.islice(itertools.cycle(names), count)):
        drawing = Drawing(np.random.default_rng([seed, list(DRAWN).index(name), at]))
        DRAWN[name](drawing)
        yield drawing


def bench_operators(
    count: int,
    target: AnyTarget = "llvm -mcpu=native",
    threads: int = 1,
    rounds: int = 7,
    contestants: Sequence[AnyContestant] | None = None,
    *,
    seed: int = SEED,
    only: Sequence[str] = (),
    quick: bool = False,
    progress: bool | None = None,
) -> NetworkResult:
    """Time ``count`` models of single ONNX operators whose shapes and attributes are drawn.

    Every operator of ``DRAWN`` comes in turn; ``only`` are those of these names. Operators have their inputs
    and outputs as ONNX says, so that a model has to change layouts where its kernel has others. All else is
    as of ``bench_network``; raises BenchmarkError for an operator that is not drawn.
    """

    def make() -> list[Problem]:
        return [_problem(drawing) for drawing in draw_operators(count, seed, only)]

    effort = network_effort(rounds, quick)
    return NetworkResult(*benchmark(make, target, threads, effort, contestants or FOR_OPERATORS, progress))


def _problem(drawing: Drawing) -> NetworkProblem:
    model = drawing.model()
    return NetworkProblem(drawing.label, model, drawing.inputs, network_flops(model))
