"""Benchmarks of open sizes: a model that is compiled once, at sizes that are drawn.

It stands beside the same model compiled for each size alone, and beside other libraries on the open model.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import onnx
import tvm

from relay_strategies.compiler.compiler import compile as compile_model
from relay_strategies.compiler.sizes import with_size
from tvm_directconv import zoo
from tvm_directconv.errors import BenchmarkError
from tvm_directconv.runtime.metadata import Size
from tvm_directconv.targets.target import CompileTarget
from tvm_directconv.zoo.inputs import image_of

from .contestants import FOR_SIZES, AnyContestant
from .harness import benchmark, network_effort
from .operations import network_flops
from .problems import SEED, OpenProblem
from .quantized_problems import Problem
from .results import NetworkResult

AnyTarget: TypeAlias = "str | dict | tvm.target.Target | CompileTarget"

MOST_IMAGES = 4
SPREAD = 2.0
"""Sizes other than batches are drawn between the typical one divided by this, and times this."""
ATTEMPTS = 1000


def bench_sizes(
    network: str | Path | onnx.ModelProto,
    typical: Mapping[str, int],
    count: int = 20,
    target: AnyTarget = "llvm -mcpu=native",
    threads: int = 1,
    rounds: int = 7,
    contestants: Sequence[AnyContestant] | None = None,
    *,
    quick: bool = False,
    progress: bool | None = None,
) -> NetworkResult:
    """Time an open ONNX network at its ``typical`` size, by names of dimensions, and ``count`` drawn ones.

    "ours" is compiled once, "ours-fixed" for each size alone; other libraries get the open model. Sizes are
    drawn from a seed, half of those that may be primes, and keep the conditions of the compiled network.
    Its first run of a size is among the facts of "ours". All else is as of ``bench_network``; raises
    BenchmarkError for a network that is not compiled with open sizes.
    """
    source = network if isinstance(network, onnx.ModelProto) else zoo.resolve_model(network)
    model = source if isinstance(source, onnx.ModelProto) else zoo.read_onnx(source)
    (size, *_) = compile_model(model, target, typical=typical, cache=False).sizes
    if not size.is_open:
        raise BenchmarkError("the network is compiled for each size by itself; its log says why")
    name = Path(source).stem if isinstance(source, str | Path) else model.graph.name or "model"

    def make() -> list[Problem]:
        return [_problem(name, model, values, size) for values in draw_sizes(size, count)]

    effort = network_effort(rounds, quick)
    return NetworkResult(*benchmark(make, target, threads, effort, contestants or FOR_SIZES, progress))


def draw_sizes(size: Size, count: int, seed: int = SEED) -> list[dict[str, int]]:
    """Return the typical values of a size's open dimensions, by name, and ``count`` drawn ones it takes."""
    rng, drawn = np.random.default_rng(seed), [dict(size.typical)]
    steps = {dim: (int(by), int(rest)) for dim, by, rest in _multiples(size.conditions)}
    of_batch = {info.shape[0] for info in size.inputs if info.shape}
    for attempt in range(ATTEMPTS):
        if len(drawn) > count:
            return drawn
        values = {}
        for dim, usual in size.typical.items():
            if dim in of_batch:
                values[dim] = int(rng.integers(1, MOST_IMAGES + 1))
                continue
            value = round(float(np.exp(rng.uniform(np.log(usual / SPREAD), np.log(usual * SPREAD)))))
            if dim in steps:
                by, rest = steps[dim]
                value -= (value - rest) % by
            elif attempt % 2:
                value = _prime(value)
            values[dim] = max(1, value)
        if values not in drawn and not size.broken(size.shapes_of(values)):
            drawn.append(values)
    raise BenchmarkError(f"the network takes too few of the sizes about {dict(size.typical)}")


def _multiples(conditions: Sequence[str]) -> list[tuple[Any, ...]]:
    found = (re.fullmatch(r"(\w+) % (\d+) == (\d+)", text) for text in conditions)
    return [match.groups() for match in found if match]


def _prime(least: int) -> int:
    """The first prime number from ``least`` on."""
    number = max(2, least)
    while any(number % by == 0 for by in range(2, int(number**0.5) + 1)):
        number += 1
    return number


def _problem(name: str, model: onnx.ModelProto, values: Mapping[str, int], size: Size) -> OpenProblem:
    label = ", ".join(f"{dim}={value}" for dim, value in values.items())
    fixed = with_size(model, size.shapes_of(values), None)
    inputs = image_of(fixed, SEED)
    return OpenProblem(f"{name} {label}", model, inputs, network_flops(fixed), typical=dict(size.typical))
