"""Strategies of operators other than plain 2-D convolutions: users' functions in networks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from graph_support import draw
from tvm import relax, te, tirx
from tvm.s_tir import Schedule

import tvm_directconv as directconv
from relay_strategies.strategies import operator_definition, operator_strategy_generic
from relay_strategies.strategies.generic import conv2d_strategy_generic
from relay_strategies.strategies.operators import OPERATORS, STRATEGIES
from relay_strategies.strategies.strategy import conv2d_strategy
from tvm_directconv.errors import AlgorithmError

TARGET = "llvm -mcpu=native -keys=own,cpu"
nn = relax.op.nn
IMAGE = (2, 6, 9, 7)
LINE, VIDEO = (2, 6, 19), (2, 4, 5, 6, 7)
SCALES = relax.const(draw(7, seed=3)), relax.const(draw(7, seed=4))
CHANNELS = relax.const(draw(6, seed=3)), relax.const(draw(6, seed=4))
CALLS: dict[str, tuple[tuple[int, ...], Any]] = {
    "batch_matmul": ((2, 3, 5, 7), lambda x: relax.op.matmul(x, relax.op.permute_dims(x, [0, 1, 3, 2]))),
    "conv3d": (VIDEO, lambda x: nn.conv3d(x, relax.const(draw(3, 4, 3, 3, 3)), padding=1, strides=2)),
    "conv1d_transpose": (LINE, lambda x: nn.conv1d_transpose(x, relax.const(draw(6, 5, 3)), strides=2)),
    "conv2d_transpose": (
        IMAGE,
        lambda x: nn.conv2d_transpose(x, relax.const(draw(6, 5, 3, 3)), strides=2, padding=1),
    ),
    "conv3d_transpose": (VIDEO, lambda x: nn.conv3d_transpose(x, relax.const(draw(4, 3, 2, 2, 2)))),
    **{
        f"{name}{n}d": (
            {1: LINE, 2: IMAGE, 3: VIDEO}[n],
            lambda x, name=name, n=n: getattr(nn, f"{name}{n}d")(x, (3,) * n, padding=(1,) * n),
        )
        for name in ("max_pool", "avg_pool")
        for n in (1, 2, 3)
    },
    **{
        f"adaptive_avg_pool{n}d": (
            {1: LINE, 2: IMAGE, 3: VIDEO}[n],
            lambda x, n=n: getattr(nn, f"adaptive_avg_pool{n}d")(x, (2,) * n),
        )
        for n in (1, 2, 3)
    },
    "softmax": (IMAGE, lambda x: nn.softmax(x, axis=1)),
    "log_softmax": (IMAGE, lambda x: nn.log_softmax(x, axis=-1)),
    "layer_norm": (IMAGE, lambda x: nn.layer_norm(x, *SCALES, axes=[-1])),
    "group_norm": (
        IMAGE,
        lambda x: nn.group_norm(x, *CHANNELS, num_groups=3, channel_axis=1, axes=[2, 3]),
    ),
    "instance_norm": (IMAGE, lambda x: nn.instance_norm(x, *CHANNELS, channel_axis=1, axes=[2, 3])),
    "rms_norm": (IMAGE, lambda x: nn.rms_norm(x, SCALES[0], axes=[-1])),
}


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    """Forget what a test registers."""
    yield
    for strategy in (conv2d_strategy, *conv2d_strategy.kinds, *STRATEGIES.values()):
        strategy.functions.pop("own", None)


def network_of(shape: tuple[int, ...], make: Any) -> Any:
    """A network of one operator, between two others."""
    builder = relax.BlockBuilder()
    x = relax.Var("x", relax.TensorType(shape, "float32"))
    with builder.function("main", [x]):
        with builder.dataflow():
            before = builder.emit(relax.op.multiply(x, relax.const(np.float32(0.5))))
            made = builder.emit(make(before))
            output = builder.emit_output(relax.op.add(made, relax.const(np.float32(1))))
        builder.emit_func_output(output)
    return builder.get()


def parallel(func: tirx.PrimFunc, workload: Any, target: Any) -> Schedule:
    """A user's schedule: the outer loop of every block on all threads."""
    schedule = Schedule(func)
    for block in schedule.get_child_blocks(schedule.get_sblock("root")):
        loops = schedule.get_loops(block)
        if loops:
            schedule.parallel(loops[0])
    return schedule


def test_every_operator_is_tried() -> None:
    assert sorted(CALLS) == sorted(OPERATORS)


@pytest.mark.slow
@pytest.mark.parametrize("operator", CALLS)
def test_users_functions_are_used_and_right(operator: str) -> None:
    """A user's schedule of TVM's definition gives what the library's own way does."""
    module = network_of(*CALLS[operator])
    seen = []

    @directconv.operator_strategy(operator).register("own")
    def own(workload: Any, target: Any) -> Any:
        seen.append(workload)
        strategy = operator_strategy_generic(workload, target)
        strategy.add_implementation(operator_definition, parallel, name="mine", plevel=20)
        return strategy

    data = draw(*CALLS[operator][0], seed=5)
    expected = directconv.compile(module)(data)
    model = directconv.compile(module, target=TARGET)
    assert [each.operator for each in seen] == [operator]
    assert any(f"{operator}_mine" in call.kernel for call in model.report().calls)
    np.testing.assert_allclose(model(data), expected, rtol=1e-4, atol=1e-4)


def test_attributes_and_operands_are_told() -> None:
    seen = []

    @directconv.conv2d_transpose_strategy.register("own")
    def own(workload: Any, target: Any) -> Any:
        seen.append(workload)
        return operator_strategy_generic(workload, target)

    directconv.compile(network_of(*CALLS["conv2d_transpose"]), target=TARGET)
    (workload,) = seen
    assert (workload.attrs["strides"], workload.attrs["padding"]) == ((2, 2), (1, 1, 1, 1))
    assert [each.shape for each in workload.operands] == [IMAGE, (6, 5, 3, 3)]
    assert workload.result.shape == (2, 5, 17, 13)


@pytest.mark.parametrize(
    ("schedule", "message"),
    [
        (lambda func, workload, target: None, "returns a NoneType"),
        (lambda func, workload, target: 1 / 0, "raises ZeroDivisionError"),
        (lambda func, workload, target: other_function(), r"it has to be of \(float32 \(2, 6, 9, 7\)"),
    ],
)
def test_errors_name_strategy_operator_and_what_is_wrong(schedule: Any, message: str) -> None:
    @directconv.softmax_strategy.register("own")
    def own(workload: Any, target: Any) -> Any:
        strategy = operator_strategy_generic(workload, target)
        strategy.add_implementation(operator_definition, schedule, name="mine", plevel=20)
        return strategy

    with pytest.raises(AlgorithmError, match=f"by softmax_strategy of 'own': .*'mine'.*{message}"):
        directconv.compile(network_of(*CALLS["softmax"]), target=TARGET)


def other_function() -> tirx.PrimFunc:
    """A function of no operator's operands."""
    data = te.placeholder((3,), name="data")
    return te.create_prim_func([data, te.compute((3,), lambda i: data[i], name="copy")])


def test_the_librarys_own_way_stays_at_equal_priority() -> None:
    @directconv.softmax_strategy.register("own")
    def own(workload: Any, target: Any) -> Any:
        strategy = operator_strategy_generic(workload, target)
        strategy.add_implementation(operator_definition, parallel, name="mine", plevel=10)
        return strategy

    model = directconv.compile(network_of(*CALLS["softmax"]), target=TARGET)
    assert not any("mine" in call.kernel for call in model.report().calls)


OPEN = {
    "softmax": lambda x: nn.softmax(x, axis=1),
    "max_pool2d": lambda x: nn.max_pool2d(x, (3, 3), strides=(2, 2), padding=(1, 1)),
    "layer_norm": lambda x: nn.layer_norm(x, *SCALES, axes=[-1]),
    "conv2d_transpose": CALLS["conv2d_transpose"][1],
}
"""Operators of images (n, 6, h, 7)."""


def offering(operator: str, schedule: Any, alone: bool = False, **options: Any) -> list[Any]:
    """Register TVM's definition by a user's schedule; the result lists the workloads that it is asked for."""
    seen: list[Any] = []

    @directconv.operator_strategy(operator).register("own")
    def own(workload: Any, target: Any) -> Any:
        seen.append(workload)
        strategy = operator_strategy_generic(workload, target)
        if alone:
            strategy.implementations.clear()
        strategy.add_implementation(operator_definition, schedule, name="mine", plevel=20, **options)
        return strategy

    return seen


def open_network(operator: str) -> Any:
    n, h = tirx.Var("n", "int64"), tirx.Var("h", "int64")
    return network_of((n, 6, h, 7), OPEN[operator])


@pytest.mark.slow
@pytest.mark.parametrize("takes", [True, False])
@pytest.mark.parametrize("operator", OPEN)
def test_open_sizes_are_for_implementations_that_take_them(operator: str, takes: bool) -> None:
    """Others leave them to the library, and either computes what it does for numbers."""
    seen = offering(operator, parallel, open_sizes=takes)
    typical = {"n": 2, "h": 9}
    model = directconv.compile(open_network(operator), target=TARGET, typical=typical)
    (workload,) = seen
    assert workload.is_open
    assert any(f"{operator}_mine" in call.kernel for call in model.report().calls) == takes
    for shape in ((2, 6, 9, 7), (3, 6, 14, 7), (1, 6, 1, 7)):
        data = draw(*shape, seed=5)
        expected = directconv.compile(network_of(shape, OPEN[operator]))(data)
        np.testing.assert_allclose(model(data), expected, rtol=1e-4, atol=1e-4)


def counted(func: tirx.PrimFunc, workload: Any, target: Any) -> Schedule:
    """A schedule that takes numbers alone."""
    assert len(range(workload.result.shape[0])) == workload.result.shape[0]
    return parallel(func, workload, target)


def squared(func: tirx.PrimFunc, workload: Any, target: Any) -> tirx.PrimFunc:
    """A function of as many images as they have rows, unless sizes are numbers."""
    if not workload.is_open:
        return func
    m = tirx.Var("m", "int64")
    data = te.placeholder((m, 6, m, 7), name="data")
    return te.create_prim_func([data, te.compute((m, 6, m, 7), lambda *i: data(*i), name="copy")])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("schedule", "options", "message"),
    [
        (counted, {"open_sizes": True}, "schedule of implementation 'mine' raises TypeError"),
        (
            squared,
            {"open_sizes": True},
            r"schedule of .* of \(float32 \(m, 6, m, 7\), .*; it has to be of .* \(n, 6, h, 7\)",
        ),
        (parallel, {"alone": True}, "none of the implementations of .* takes sizes that stay open"),
    ],
)
def test_what_does_not_take_open_sizes_gets_each_by_itself(
    schedule: Any, options: dict[str, bool], message: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The log says why; the network takes all sizes by being compiled for each."""
    offering("softmax", schedule, **options)
    with caplog.at_level("INFO", logger="tvm_directconv"):
        model = directconv.compile(open_network("softmax"), target=TARGET, typical={"n": 2, "h": 9})
    assert re.search(f"by itself: .*softmax_strategy of 'own': {message}", caplog.text)
    for shape in (IMAGE, (1, 6, 4, 7)):
        data = draw(*shape, seed=5)
        expected = directconv.compile(network_of(shape, OPEN["softmax"]))(data)
        np.testing.assert_allclose(model(data), expected, rtol=1e-5, atol=1e-5)


def test_a_strategy_returns_one() -> None:
    @directconv.softmax_strategy.register("own")
    def own(workload: Any, target: Any) -> Any:
        return None

    with pytest.raises(AlgorithmError, match="softmax_strategy of 'own': the function returns a NoneType"):
        directconv.compile(network_of(*CALLS["softmax"]), target=TARGET)


LAYERS = {
    "dense": ((3, 7), lambda x: relax.op.matmul(x, relax.const(draw(7, 5)))),
    "conv1d": (LINE, lambda x: nn.conv1d(x, relax.const(draw(5, 6, 3)))),
    "depthwise_conv2d": (IMAGE, lambda x: nn.conv2d(x, relax.const(draw(6, 1, 3, 3)), groups=6)),
    "group_conv2d": (IMAGE, lambda x: nn.conv2d(x, relax.const(draw(9, 2, 3, 3)), groups=3)),
}


@pytest.mark.slow
@pytest.mark.parametrize("operator", LAYERS)
def test_layers_kinds_have_strategies_with_the_librarys_algorithms(operator: str) -> None:
    """A kind's function decides for its layers alone, and names other algorithms of the library's."""
    asked = []

    @directconv.operator_strategy(operator).register("own")
    def own(workload: Any, target: Any) -> Any:
        asked.append(operator)
        strategy = conv2d_strategy_generic(workload, target)
        strategy.implementations = [i for i in strategy.implementations if i.name == "direct_nhwc"]
        return strategy

    for kind, (shape, make) in LAYERS.items():
        asked.clear()
        model = directconv.compile(network_of(shape, make), target=TARGET)
        assert bool(asked) == (kind == operator)
        expected = directconv.compile(network_of(shape, make))(draw(*shape, seed=5))
        np.testing.assert_allclose(model(draw(*shape, seed=5)), expected, rtol=1e-5, atol=1e-5)
        if kind == operator:
            assert [layer.algorithm for layer in model.report().layers] == ["direct_nhwc"]


def test_unknown_names_are_refused() -> None:
    with pytest.raises(AlgorithmError, match="no strategy of 'softmx'"):
        directconv.operator_strategy("softmx")
    with pytest.raises(AlgorithmError, match="no templates of 'softmax'"):
        directconv.register_template("mine", operator="softmax")
