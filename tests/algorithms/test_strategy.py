"""Strategies: choice by target key and priority, users' own implementations, and their errors."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from support import assert_matches, operands, reference_conv2d
from tvm import te, tirx

from relay_strategies.compiler.layer import build_conv2d
from relay_strategies.strategies.generic import conv2d_strategy_generic
from relay_strategies.strategies.strategy import GenericStrategy, OpStrategy, conv2d_strategy
from tvm_directconv.errors import AlgorithmError
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import CompileTarget, resolve_target

WORKLOAD = Conv2dWorkload(1, 6, 6, 3, 4, (3, 3))


@pytest.fixture
def own_functions() -> Iterator[None]:
    """Forget what a test registers."""
    before = dict(conv2d_strategy.functions)
    yield
    conv2d_strategy.functions.clear()
    conv2d_strategy.functions.update(before)


def naive_compute(workload: Conv2dWorkload, target: CompileTarget) -> tirx.PrimFunc:
    """A user's own algorithm: the definition, on unpadded NHWC, the filter in its own OIHW."""
    data = te.placeholder(workload.input_shape, name="data")
    weights = te.placeholder(workload.filter_shape, name="weights")
    kh, kw = (te.reduce_axis((0, extent)) for extent in workload.kernel)
    ic = te.reduce_axis((0, workload.in_channels))
    output = te.compute(
        workload.output_shape,
        lambda n, y, x, oc: te.sum(data[n, y + kh, x + kw, ic] * weights[oc, ic, kh, kw], axis=[kh, kw, ic]),
    )
    return te.create_prim_func([data, weights, output])


def unscheduled(func: tirx.PrimFunc, workload: Conv2dWorkload, target: CompileTarget) -> tirx.PrimFunc:
    return func


def test_users_implementation_is_used_and_right(own_functions: None) -> None:
    @conv2d_strategy.register("x86", override=True)
    def mine(workload: Conv2dWorkload, target: CompileTarget) -> OpStrategy:
        strategy = conv2d_strategy_generic(workload, target)
        strategy.add_implementation(naive_compute, unscheduled, name="naive", plevel=20)
        return strategy

    target = resolve_target("llvm -mtriple=x86_64-linux-gnu")
    layer = build_conv2d(WORKLOAD, target)
    assert layer.implementation.name == "naive"
    arrays = operands(WORKLOAD)
    assert_matches(layer(*arrays), reference_conv2d(WORKLOAD, *arrays), WORKLOAD)
    assert build_conv2d(WORKLOAD, target, "direct_nhwc").implementation.name == "direct_nhwc"


def test_targets_own_key_comes_first(own_functions: None) -> None:
    @conv2d_strategy.register("board")
    def board(workload: Conv2dWorkload, target: CompileTarget) -> OpStrategy:
        strategy = OpStrategy()
        strategy.add_implementation(naive_compute, unscheduled, name="board_naive")
        return strategy

    assert build_conv2d(WORKLOAD, "llvm -keys=board,cpu").implementation.name == "board_naive"
    assert build_conv2d(WORKLOAD, "llvm").implementation.name == "direct_nhwc"


@pytest.mark.parametrize(
    ("target", "key"),
    [
        ("llvm -mtriple=x86_64-linux-gnu", "x86"),
        ("llvm -device=arm_cpu -mtriple=aarch64-linux-gnu -mcpu=neoverse-n1", "arm_cpu"),
        ("llvm -mtriple=powerpc64le-linux-gnu -mcpu=pwr10", "power"),
    ],
)
def test_each_target_key_has_its_function(target: str, key: str, own_functions: None) -> None:
    seen: list[str] = []

    @conv2d_strategy.register(key, override=True)
    def spy(workload: Conv2dWorkload, resolved: CompileTarget) -> OpStrategy:
        seen.append(key)
        return conv2d_strategy_generic(workload, resolved)

    strategy = conv2d_strategy(WORKLOAD, resolve_target(target))
    assert seen == [key]
    own = conv2d_strategy_generic(WORKLOAD, resolve_target(target))
    assert [i.name for i in strategy.implementations] == [i.name for i in own.implementations] != []


def test_second_registration_needs_override() -> None:
    strategy = GenericStrategy("conv2d")
    strategy.register("x86")(conv2d_strategy_generic)
    with pytest.raises(ValueError, match="already has a strategy for 'x86'; pass override=True"):
        strategy.register("x86")(conv2d_strategy_generic)


@pytest.mark.parametrize("name", ["auto", "direct_nhwc"])
def test_a_name_that_is_taken_is_refused(name: str) -> None:
    strategy = conv2d_strategy_generic(WORKLOAD, resolve_target("llvm -mtriple=x86_64-linux-gnu"))
    with pytest.raises(AlgorithmError, match=f"has an algorithm '{name}' already"):
        strategy.add_implementation(naive_compute, unscheduled, name=name)


def test_no_implementation_is_an_error() -> None:
    with pytest.raises(AlgorithmError, match="no algorithm applies to n1_"):
        OpStrategy().select(WORKLOAD, resolve_target("llvm"))


def test_highest_priority_wins() -> None:
    strategy = OpStrategy()
    for name, plevel in (("low", 5), ("high", 15), ("middle", 10)):
        strategy.add_implementation(naive_compute, unscheduled, name=name, plevel=plevel)
    target = resolve_target("llvm")
    assert strategy.select(WORKLOAD, target).name == "high"
    assert strategy.select(WORKLOAD, target, "middle").name == "middle"


def test_unpacked_filters_pass_through() -> None:
    strategy = OpStrategy()
    strategy.add_implementation(naive_compute, unscheduled, name="naive")
    target = resolve_target("llvm")
    built = strategy.select(WORKLOAD, target).build(WORKLOAD, target)
    weights = np.ones(WORKLOAD.filter_shape, np.float32)
    assert built.pack(weights) is weights and built.packed_filter_shape == WORKLOAD.filter_shape
