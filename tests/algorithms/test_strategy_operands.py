"""A user's functions take the operands of the layer, and are given them: all else is refused by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import tvm
from graph_support import draw, network, node
from support import assert_matches, operands, reference_conv2d
from tvm import relax, te, tirx

import tvm_directconv as directconv
from relay_strategies.compiler.layer import build_conv2d
from relay_strategies.passes import CheckCalls
from relay_strategies.strategies import conv2d_strategy_generic
from relay_strategies.strategies.operands import layer_operands
from relay_strategies.strategies.strategy import OpStrategy, conv2d_strategy
from tvm_directconv.errors import AlgorithmError, ModelError
from tvm_directconv.problem.quantized_types import QuantizedTypes
from tvm_directconv.problem.workload import Conv2dWorkload, Epilogue

TARGET = "llvm -mcpu=native -keys=own,cpu"
PLAIN = Conv2dWorkload(1, 5, 7, 3, 3, (3, 3), (1, 2), (1, 1, 1, 1))
FULL = PLAIN.with_epilogue(Epilogue(bias=True, residual=True, low=0))
BYTES = Conv2dWorkload(
    *(1, 5, 7, 3, 3, (1, 1)), dtype="int8", quantized=QuantizedTypes("int8", 0, 0, "int8", 127)
)
Compute = Callable[[Conv2dWorkload, Any], Any]


@pytest.fixture
def offered() -> Iterator[Callable[..., None]]:
    """Registers a strategy of one implementation, "mine", for targets with the key ``own``."""

    def offer(compute: Compute, schedule: Any = lambda func, workload, target: func, **details: Any) -> None:
        @conv2d_strategy.register("own", override=True)
        def own(workload: Conv2dWorkload, target: Any) -> OpStrategy:
            strategy = conv2d_strategy_generic(workload, target)
            strategy.add_implementation(compute, schedule, name="mine", plevel=20, fused=True, **details)
            return strategy

    yield offer
    conv2d_strategy.functions.pop("own", None)


def definition(workload: Conv2dWorkload, order: str = "dfbro", *, names: bool = True) -> tirx.PrimFunc:
    """The convolution in NHWC with its epilogue, of the operands whose initials are in ``order`` and that the
    layer has; those it has not are left out of the sum."""
    w, e = workload, workload.epilogue
    (top, left, *_), (rows, columns) = w.padding, w.strides
    tensors = {
        role[0]: te.placeholder(operand.shape, operand.dtype or "int8", name=role if names else f"t{at}")
        for at, (role, operand) in enumerate(layer_operands(w, packs=False).items())
        if operand.shape is not None
    }
    data, weights = tensors["d"], tensors["f"]
    kh, kw = (te.reduce_axis((0, extent)) for extent in w.kernel)
    ic = te.reduce_axis((0, w.in_channels))

    def term(n: Any, y: Any, x: Any, oc: Any) -> Any:
        row, column = y * rows + kh - top, x * columns + kw - left
        inside = tirx.all(row >= 0, row < w.height, column >= 0, column < w.width)
        value = tirx.if_then_else(inside, data[n, row, column, ic], tirx.const(0, w.dtype))
        return te.sum((value * weights[oc, ic, kh, kw]).astype("float32"), axis=[kh, kw, ic])

    sums = te.compute(w.output_shape, term, name="sums")

    def finished(n: Any, y: Any, x: Any, oc: Any) -> Any:
        value = sums[n, y, x, oc]
        if e.bias and "b" in order:
            value = value + tensors["b"][oc]
        if e.residual and "r" in order:
            value = value + tensors["r"][n, y, x, oc]
        return (te.max(value, 0.0) if e.low == 0 else value).astype(w.out_dtype)

    tensors["o"] = te.compute(w.output_shape, finished, name="result")
    return te.create_prim_func([tensors[role] for role in order if role in tensors])


def test_one_that_takes_all_of_them_is_right(offered: Callable[..., None]) -> None:
    offered(lambda workload, target: definition(workload))
    layer = build_conv2d(FULL, TARGET)
    arrays = operands(FULL)
    assert layer.implementation.name == "mine"
    assert_matches(layer(*arrays), reference_conv2d(FULL, *arrays), FULL)


REFUSED: dict[str, tuple[Conv2dWorkload, Compute, str]] = {
    "no bias": (
        FULL,
        lambda w, t: definition(w, "dfro"),
        "4 operands for 5, without bias: .*bias float32 (3,)",
    ),
    "no residual": (FULL, lambda w, t: definition(w, "dfbo"), "4 operands for 5, without residual"),
    "neither": (FULL, lambda w, t: definition(w, "dfo"), "3 operands for 5, without bias and residual"),
    "a bias that is none": (PLAIN, lambda w, t: definition(FULL), "5 operands for 3"),
    "another order": (
        *(FULL, lambda w, t: definition(w, "dfrbo")),
        "the bias is float32 (3,), and 'residual', float32 (1, 5, 4, 3) stands there",
    ),
    "one of the same type in its place": (
        Conv2dWorkload(1, 5, 7, 3, 3, (1, 1), epilogue=Epilogue(residual=True)),
        lambda w, t: definition(w, "rfdo"),
        "the data is float32 (1, 5, 7, 3), and 'residual'",
    ),
    "the output first": (
        Conv2dWorkload(1, 5, 7, 3, 3, (1, 1)),
        lambda w, t: definition(w, "ofd", names=False),
        "it writes to the data",
    ),
    "another filter": (
        PLAIN,
        lambda w, t: definition(Conv2dWorkload(1, 5, 7, 3, 3, (5, 3), (1, 2), (2, 1, 2, 1))),
        "the filter is float32 (3, 3, 3, 3), and 'filter', float32 (3, 3, 5, 3) stands there",
    ),
    "another image": (
        PLAIN,
        lambda w, t: definition(Conv2dWorkload(2, 5, 7, 3, 3, (3, 3), (1, 2), (1, 1, 1, 1))),
        "the data is float32 (1, 5, 7, 3), and 'data', float32 (2, 5, 7, 3)",
    ),
    "another type": (
        PLAIN,
        lambda w, t: definition(Conv2dWorkload(1, 5, 7, 3, 3, (3, 3), (1, 2), (1,) * 4, dtype="float16")),
        "the data is float32 (1, 5, 7, 3), and 'data', float16",
    ),
    "a module": (
        PLAIN,
        lambda w, t: tvm.IRModule({"main": definition(w)}),
        "compute returns a IRModule, not a PrimFunc",
    ),
    "bytes without table and scale": (BYTES, lambda w, t: definition(w, "dfo"), "3 operands for 5"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_others_are_refused_before_anything_is_compiled(offered: Callable[..., None], case: str) -> None:
    workload, compute, reason = REFUSED[case]
    offered(compute)
    where = re.escape(f"implementation 'mine' of {workload}: ")
    reason = ".*".join(map(re.escape, reason.split(".*")))
    with pytest.raises(AlgorithmError, match=f"{where}.*{reason}.*offer it only for layers"):
        build_conv2d(workload, TARGET)


def test_a_schedule_may_not_change_them(offered: Callable[..., None]) -> None:
    offered(lambda w, t: definition(w), lambda func, w, t: definition(w, "dfro"))
    with pytest.raises(AlgorithmError, match="'mine' of .*function of schedule takes"):
        build_conv2d(FULL, TARGET)
    offered(lambda w, t: definition(w), lambda func, w, t: tvm.IRModule({"main": func}))
    with pytest.raises(AlgorithmError, match="'mine' of .*schedule returns a IRModule"):
        build_conv2d(FULL, TARGET)


@pytest.mark.parametrize(
    "pack",
    [
        lambda w, shape, weights: weights[:2],
        lambda w, shape, weights: weights.astype(np.float64),
        lambda w, shape, weights: weights.tolist(),
    ],
    ids=["shape", "type", "list"],
)
def test_a_packed_filter_is_what_the_function_takes(offered: Callable[..., None], pack: Any) -> None:
    offered(lambda w, t: definition(w), pack=pack)
    layer = build_conv2d(FULL, TARGET)
    with pytest.raises(
        AlgorithmError, match="'mine' of .*: the packed filter is .*takes float32 \\(3, 3, 3, 3\\)"
    ):
        layer(*operands(FULL))


def small() -> Any:
    weights = {"w": draw(3, 3, 3, 3), "b": draw(3)}
    nodes = [node("Conv", "x w b", "u", pads=[1, 1, 1, 1]), node("Relu", "u", "y")]
    return network(nodes, {"x": (1, 3, 5, 7)}, {"y": (1, 3, 5, 7)}, weights)


def test_networks_refuse_them_likewise(offered: Callable[..., None]) -> None:
    offered(lambda w, t: definition(w, "dfo"))
    with pytest.raises(AlgorithmError, match="'mine' of n1_.*_bias[+]relu: 3 operands for 4, without bias"):
        directconv.compile(small(), TARGET, cache=False)
    offered(lambda w, t: definition(w), pack=lambda w, shape, weights: weights[:2])
    with pytest.raises(
        AlgorithmError, match="'mine' of n1_.*: the packed filter is float32 \\(2, 3, 3, 3\\)"
    ):
        directconv.compile(small(), TARGET, cache=False)


def test_a_filter_that_the_network_computes_needs_a_function_that_packs(offered: Callable[..., None]) -> None:
    shapes = {"x": (1, 3, 5, 7), "w": (3, 3, 3, 3)}
    model = network([node("Conv", "x w", "y")], shapes, {"y": (1, 3, 3, 5)}, {})
    offered(lambda w, t: definition(w), pack=lambda w, shape, weights: np.ascontiguousarray(weights[::-1]))
    with pytest.raises(AlgorithmError, match="'mine' of .*computed by the network, and it lacks a pack_func"):
        directconv.compile(model, TARGET, cache=False)
    offered(lambda w, t: definition(w))
    assert directconv.compile(model, TARGET, cache=False).report().layers[0].algorithm == "mine"


@pytest.mark.parametrize(
    ("shape", "dtype", "count"), [((3, 5), "float32", 2), ((3, 4), "int32", 2), ((3, 4), "float32", 3)]
)
def test_no_kernel_of_a_network_is_called_with_others(shape: tuple[int, ...], dtype: str, count: int) -> None:
    """The kernel takes two tensors float32 (3, 4) and its result, where TVM would compile any call."""
    given = [te.placeholder((3, 4), name=name) for name in "ab"]
    kernel = te.create_prim_func([*given, te.compute((3, 4), lambda i, j: given[0][i, j] + given[1][i, j])])
    builder = relax.BlockBuilder()
    x = relax.Var("x", relax.TensorType(shape, dtype))
    with builder.function("main", [x]):
        call = relax.call_tir(builder.add_func(kernel, "k"), [x] * count, relax.TensorType((3, 4), "float32"))
        builder.emit_func_output(builder.emit(call))
    with pytest.raises(ModelError, match="a kernel would be called with other operands than it takes"):
        CheckCalls(builder.get())
