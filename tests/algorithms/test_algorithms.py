"""What holds for every algorithm: the right answer on any shape and on layers of every kind that the light
networks have, the workspace it states, and the same answer on any number of threads."""

from __future__ import annotations

import itertools
from collections.abc import Hashable
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from algorithm_support import NAMES, check, fitted, lowered, run, tolerance_of
from covers import pairwise, some_each
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import (
    ISA_TARGETS,
    Compiled,
    assert_matches,
    operands,
    peak_workspace_bytes,
    reference_conv2d,
    runnable_target,
    with_threads,
)
from test_direct_nhwc import workloads

from relay_strategies.compiler.layer import build_conv2d
from relay_strategies.strategies.strategy import conv2d_strategy, layout_copies
from tvm_directconv import zoo
from tvm_directconv.algorithms import ALGORITHMS
from tvm_directconv.problem.workload import Conv2dWorkload, Epilogue
from tvm_directconv.targets.target import CompileTarget, resolve_target

FULL = Epilogue(bias=True, residual=True, low=0.0)
BY_CHANNEL = Epilogue.parse("bias+prelu(64)+residual+channelscale(128)+channelshift(192)+relu")
SHAPES = [
    Conv2dWorkload(1, 14, 14, 32, 64, (3, 3), padding=(1, 1, 1, 1), epilogue=BY_CHANNEL),
    Conv2dWorkload(2, 9, 9, 40, 40, (3, 2), (2, 3), (1, 0, 2, 1), (2, 1)),
    Conv2dWorkload(2, 9, 9, 20, 41, (1, 1), epilogue=Epilogue.parse("bias+silu+residual+prelu(41)")),
    Conv2dWorkload(1, 30, 31, 3, 35, (7, 7), (2, 2), (3, 3, 3, 3), epilogue=FULL),
    Conv2dWorkload(2, 7, 7, 64, 128, (3, 3), padding=(1, 1, 1, 1), groups=4),
    Conv2dWorkload(1, 5, 5, 600, 70, (3, 3), epilogue=Epilogue.parse("bias+residual+gelu+clip(-inf,2.0)")),
    Conv2dWorkload(1, 13, 11, 3, 7, (13, 11)),
    Conv2dWorkload(1, 4, 4, 3, 5, (3, 3), (3, 3), (9, 9, 9, 9), epilogue=Epilogue(bias=True)),
    Conv2dWorkload(1, 13, 12, 17, 19, (1, 5), (1, 2), (0, 2, 0, 1), filter_layout="HWIO"),
]
LIGHT_TURNS = 8
"""The layers of the light networks are tested in so many parts."""


def native(name: str, workload: Conv2dWorkload, target: CompileTarget) -> Conv2dWorkload | None:
    """The workload in the algorithm's layouts; None where it does not apply."""
    algorithm = ALGORITHMS[name]
    inside = workload.in_layouts(*algorithm.layouts(workload, target))
    return inside if algorithm.applies(inside) else None


@pytest.mark.parametrize("isa", ISA_TARGETS)
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=8, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(data=st.data())
def test_any_shape(name: str, isa: str, data: st.DataObject) -> None:
    target = runnable_target(isa)
    drawn = workloads().map(lambda w: fitted(ALGORITHMS[name], w))
    workload = data.draw(drawn.filter(lambda w: native(name, w, target) is not None))
    inside = native(name, workload, target)
    assert inside is not None
    check(ALGORITHMS[name], inside, target)


@pytest.mark.parametrize("layout", ["NCHW", "NCHW16c"])
@pytest.mark.parametrize("name", NAMES)
def test_constants_of_channels_where_other_layers_have_another_layout(name: str, layout: str) -> None:
    """In what layout the algorithm takes in place of it."""
    target = resolve_target("llvm -mcpu=native")
    shapes = [fitted(ALGORITHMS[name], shape).in_layouts(layout) for shape in (SHAPES[0], SHAPES[2])]
    taken = [inside for shape in shapes if (inside := native(name, shape, target)) is not None]
    assert bool(taken) == (name != "sconv")
    for inside in taken:
        check(ALGORITHMS[name], inside, target)


@lru_cache(maxsize=1)
def light_layers() -> list[Conv2dWorkload]:
    layers = (workload for network in zoo.list_models() for workload, _ in zoo.layers(network))
    return list(dict.fromkeys(layers))


def test_the_light_networks_have_216_layers() -> None:
    assert len(light_layers()) == 216
    assert sum(layer.groups == 1 for layer in light_layers()) == 200


def facets(case: tuple[Conv2dWorkload, str]) -> tuple[Hashable, ...]:
    """What algorithms tell layers apart by."""
    layer, name = case
    group = "own" if layer.groups == layer.in_channels else layer.groups > 1
    ends = (layer.in_channels // layer.groups % 16, layer.out_channels // layer.groups % 16)
    padded, pixels = any(layer.padding), min(layer.height, 57)
    return name, layer.kernel, layer.strides, group, ends, padded, pixels, layer.epilogue


@lru_cache(maxsize=1)
def light_cases(isa: str) -> dict[Conv2dWorkload, list[str]]:
    """Layers and the algorithms that compute them, all pairs of what tells them apart."""
    target = resolve_target(ISA_TARGETS[isa])
    taken = [(w, name) for w in light_layers() for name in ALGORITHMS if native(name, w, target) is not None]
    chosen: dict[Conv2dWorkload, list[str]] = {}
    for layer, name in pairwise(taken, facets):
        chosen.setdefault(layer, []).append(name)
    return chosen


def test_chosen_layers_have_every_pair_of_what_tells_layers_apart() -> None:
    target = resolve_target(ISA_TARGETS["avx2"])
    taken = [(w, name) for w in light_layers() for name in ALGORITHMS if native(name, w, target) is not None]
    chosen = [(layer, name) for layer, names in light_cases("avx2").items() for name in names]
    whole, part = (
        {pair for case in cases for pair in itertools.combinations(enumerate(facets(case)), 2)}
        for cases in (taken, chosen)
    )
    assert part == whole


@pytest.mark.slow
@pytest.mark.parametrize("turn", range(LIGHT_TURNS))
@pytest.mark.parametrize("isa", ["avx512", "avx2"])
def test_light_layers(isa: str, turn: int) -> None:
    """Both instruction sets have the same plans, and other kernels: one has every third layer."""
    target, cases = runnable_target(isa), [*light_cases(isa).items()]
    for layer, names in cases[:: 3 if isa == "avx512" else 1][turn::LIGHT_TURNS]:
        arrays = operands(layer)
        want = reference_conv2d(layer, *arrays)
        for name in names:
            inside, algorithm = native(name, layer, target), ALGORITHMS[name]
            assert inside is not None
            got = run(algorithm, inside, target, arrays)
            tolerance = tolerance_of(algorithm, inside, target)
            assert_matches(got, want, f"{name} {isa} {layer}", tolerance)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "isa"), some_each([*ALGORITHMS], [*ISA_TARGETS], 1))
def test_allocates_what_it_states(name: str, isa: str, tmp_path: Path) -> None:
    """On one thread, at any one time."""
    target, algorithm = runnable_target(isa), ALGORITHMS[name]
    taken = [workload for shape in SHAPES if (workload := native(name, shape, target)) is not None]
    plans = {f"conv2d{number}": algorithm.plan(workload, target) for number, workload in enumerate(taken)}
    compiled = Compiled({function: lowered(plan) for function, plan in plans.items()}, target)
    for function, plan in plans.items():
        workload = plan.workload
        shapes = [workload.input_shape, plan.packed_filter_shape]
        shapes += [workload.bias_shape] * workload.epilogue.bias
        shapes += [workload.output_shape] * (1 + workload.epilogue.residual)
        arrays = [np.zeros(each, np.float32) for each in shapes]
        counted = with_threads(1, lambda: peak_workspace_bytes(compiled, function, arrays, tmp_path))  # noqa: B023
        assert counted == plan.workspace_bytes, f"{name} {workload}"
        if name in ("direct_nhwc", "blocked"):
            assert counted == 0


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("name", NAMES)
def test_threads_do_not_change_results(name: str, threads: int) -> None:
    workload = Conv2dWorkload(2, 20, 20, 40, 96, (3, 3), padding=(1, 1, 1, 1), epilogue=FULL)
    target = resolve_target("llvm -mcpu=native")
    inside = native(name, fitted(ALGORITHMS[name], workload), target)
    assert inside is not None
    with_threads(threads, lambda: check(ALGORITHMS[name], inside, target))


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["NHWC", "NCHW"])
@pytest.mark.parametrize("name", NAMES)
def test_layer_in_any_layout(name: str, layout: str) -> None:
    """Forced on a layer in another layout, tensors are changed at its edges, and that is stated."""
    nhwc = Conv2dWorkload(1, 9, 10, 20, 24, (3, 3), padding=(1, 1, 1, 1), epilogue=FULL)
    workload = fitted(ALGORITHMS[name], nhwc).in_layouts(layout)
    layer = build_conv2d(workload, "llvm", name)
    inside = layer.implementation.workload
    copies = 4 * np.prod(inside.input_shape) * (inside.data_layout != layout)
    copies += 2 * 4 * np.prod(inside.output_shape) * (inside.out_layout != layout)
    assert layer.workspace_bytes == layer.implementation.workspace_bytes + copies
    arrays = operands(workload)
    tolerance = tolerance_of(ALGORITHMS[name], inside, layer.target)
    assert_matches(layer(*arrays), reference_conv2d(workload, *arrays), f"{name} {workload}", tolerance)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_costs_are_estimates_of_the_same_thing(shape: Conv2dWorkload) -> None:
    """No estimate is below the arithmetic at peak, but for taps that are skipped, nor absurdly above it."""
    target = resolve_target("llvm -mtriple=x86_64-linux-gnu -mcpu=znver5")
    for implementation in conv2d_strategy(shape, target).implementations:
        cost = implementation.estimate(shape, target)
        assert cost is not None
        least = shape.flops / 2 / 16 / target.machine.fma_per_cycle
        assert cost.arithmetic > 0.05 * least and cost.total >= cost.arithmetic
        assert set(cost.as_dict()) == {"arithmetic", "packing", "traffic", "overhead", "layout", "total"}
        assert (cost.layout > 0) == bool(layout_copies(shape, implementation.native(shape, target)))


def largest_near(data: np.ndarray, reach: int) -> np.ndarray:
    """The largest magnitude of each channel within so many pixels."""
    extents = data.shape[1:3]
    padded = np.pad(np.abs(data), ((0, 0), (reach, reach), (reach, reach), (0, 0)))
    shifts = itertools.product(range(2 * reach + 1), repeat=2)
    return np.max([padded[:, y : y + extents[0], x : x + extents[1]] for y, x in shifts], axis=0)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_errors_stay_within_their_bound(name: str) -> None:
    """Relative to the sum of magnitudes, element by element, in float64."""
    target, algorithm = resolve_target("llvm -mcpu=native"), ALGORITHMS[name]
    for shape in (w for w in SHAPES if w.epilogue == Epilogue()):
        inside = native(name, shape, target)
        if inside is None:
            continue
        nhwc = inside.in_layouts("NHWC")
        data, weights, *_ = arrays = operands(nhwc)
        plan = algorithm.plan(inside, target)
        bound = plan.relative_error
        assert bound is not None and 0 < bound < 1e-2
        magnitudes = reference_conv2d(nhwc, largest_near(data, plan.error_reach), np.abs(weights), None, None)
        error = np.abs(run(algorithm, inside, target, arrays) - reference_conv2d(nhwc, *arrays))
        assert (error <= bound * magnitudes).all(), f"{name} {shape}"
