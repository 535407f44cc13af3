"""SinkDequantize: what moves or compares values works on bytes, and is the same to the bit."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from graph_support import operators
from quantized_support import (
    Emit,
    applied,
    assert_same,
    calls,
    const,
    dequantize,
    integers,
    module_of,
    quantize_to,
)
from tvm import relax

from relay_strategies import passes
from relay_strategies.relax.graph import dtype_of

MAP = (1, 6, 5, 4)
MOVES: dict[str, Callable[[relax.Expr], relax.Expr]] = {
    "reshape": lambda x: relax.op.reshape(x, (1, 120)),
    "expand_dims": lambda x: relax.op.expand_dims(x, 1),
    "squeeze": lambda x: relax.op.squeeze(x, [0]),
    "flatten": relax.op.flatten,
    "permute_dims": lambda x: relax.op.permute_dims(x, [0, 2, 3, 1]),
    "strided_slice": lambda x: relax.op.strided_slice(x, [1, 2], [1, 0], [5, 5], [2, 1]),
    "nn.max_pool2d": lambda x: relax.op.nn.max_pool2d(x, [3, 3], [2, 2], [1, 1]),
}


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["uint8", "int8"])
@pytest.mark.parametrize("move", MOVES)
def test_what_moves_values_works_on_bytes(move: str, dtype: str) -> None:
    data = integers(dtype, *MAP)
    before = module_of(lambda emit, x: MOVES[move](emit(dequantize(x[0]))), data)
    after = applied(before, passes.SinkDequantize)
    assert_same(before, after, data)
    kind = "reshape" if move in ("expand_dims", "squeeze", "flatten") else move
    (moved,) = calls(after, kind)
    assert dtype_of(moved.args[0]) == dtype and operators(after)["dequantize"] == 1


@pytest.mark.parametrize(
    ("move", "axis"),
    [
        (lambda x: relax.op.reshape(x, (1, 6, 20)), 1),
        (lambda x: relax.op.permute_dims(x, [3, 1, 0, 2]), 1),
        (lambda x: relax.op.squeeze(x, [0]), 0),
        (lambda x: relax.op.reshape(x, (30, 4)), 0),
        (lambda x: relax.op.take(x, relax.const(np.array([3, 3, 0])), 1, "clip"), 1),
    ],
)
def test_the_axis_of_channels_moves_along(move: Callable[[relax.Expr], relax.Expr], axis: int) -> None:
    data, scales = integers("int8", *MAP), np.linspace(0.1, 2, 6)
    zeros = np.arange(6) - 3
    before = module_of(lambda emit, x: move(emit(dequantize(x[0], scales, zeros, 1))), data)
    after = applied(before, passes.SinkDequantize)
    assert_same(before, after, data)
    (call,) = calls(after, "dequantize")
    assert int(call.attrs.axis) == axis and calls(before, "dequantize")[0] != call


def test_a_reshape_across_channels_stays_where_it_is() -> None:
    data = integers("int8", *MAP)
    before = module_of(
        lambda emit, x: relax.op.reshape(emit(dequantize(x[0], np.ones(6), np.arange(6), 1)), (8, 15)), data
    )
    after = applied(before, passes.SinkDequantize)
    assert dtype_of(calls(after, "reshape")[0].args[0]) == "float32"


@pytest.mark.parametrize(("dtype", "zero", "left"), [("uint8", 0, 0), ("uint8", 100, 1), ("int8", -128, 0)])
def test_relu_compares_bytes(dtype: str, zero: int, left: int) -> None:
    data = integers(dtype, *MAP)
    before = module_of(lambda emit, x: relax.op.nn.relu(emit(dequantize(x[0], zero=zero))), data)
    after = applied(before, passes.SinkDequantize)
    assert_same(before, after, data)
    assert operators(after)["maximum"] == left and operators(after)["nn.relu"] == 0


def test_equal_quantizations_cancel_and_others_stay() -> None:
    data = integers("uint8", *MAP)

    def body(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
        same = emit(quantize_to(emit(dequantize(x[0]))))
        return quantize_to(emit(dequantize(same)), 0.07, 30)

    before = module_of(body, data)
    after = applied(before, passes.SinkDequantize)
    assert_same(before, after, data)
    assert operators(after)["quantize"] == operators(after)["dequantize"] == 1


def test_quantization_goes_before_concatenation() -> None:
    first, second = integers("uint8", *MAP), integers("uint8", *MAP, seed=1)

    def body(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
        parts = [emit(dequantize(x[0])), emit(dequantize(x[1], 0.02, 7))]
        return quantize_to(emit(relax.op.concat(parts, 1)))

    before = module_of(body, first, second)
    after = applied(before, passes.SinkDequantize)
    assert_same(before, after, first, second)
    # The first part has the result's scale already.
    assert operators(after)["quantize"] == 1
    assert all(dtype_of(field) == "uint8" for field in calls(after, "concat")[0].args[0].fields)


def test_tensors_of_one_scale_are_concatenated_as_bytes() -> None:
    first, second = integers("int8", *MAP), integers("int8", *MAP, seed=1)
    before = module_of(
        lambda emit, x: relax.op.concat([emit(dequantize(v)) for v in x], axis=1), first, second
    )
    after = applied(before, passes.SinkDequantize)
    assert_same(before, after, first, second)
    assert operators(after) == {"concat": 1, "dequantize": 1}


def test_parts_of_a_split_stay_bytes() -> None:
    data = integers("uint8", *MAP)

    def body(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
        parts = emit(relax.op.split(emit(dequantize(x[0])), 2, 1))
        return relax.op.add(emit(relax.TupleGetItem(parts, 0)), emit(relax.TupleGetItem(parts, 1)))

    before = module_of(body, data)
    after = applied(before, passes.SinkDequantize)
    assert_same(before, after, data)
    assert dtype_of(calls(after, "split")[0].args[0]) == "uint8"


def test_channel_shuffles_of_bytes_are_found() -> None:
    data = integers("uint8", *MAP)

    def body(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
        value: relax.Expr = x[0]
        for move in (
            lambda v: relax.op.reshape(v, (1, 2, 3, 5, 4)),
            lambda v: relax.op.permute_dims(v, [0, 2, 1, 3, 4]),
            lambda v: relax.op.reshape(v, MAP),
        ):
            value = emit(quantize_to(emit(move(emit(dequantize(value))))))
        return value

    before = module_of(body, data)
    after = applied(before, passes.SinkDequantize, passes.Simplify)
    assert_same(before, after, data)
    assert operators(after) == {"fused_channel_shuffle": 1}


def test_scales_known_at_run_time_move_too() -> None:
    data, scale = integers("uint8", *MAP), np.float32(0.3)
    before = module_of(
        lambda emit, x: relax.op.reshape(
            emit(relax.op.dequantize(x[0], x[1], const(3, "uint8"), axis=0)), (6, 20)
        ),
        data,
        np.asarray(scale),
    )
    after = applied(before, passes.SinkDequantize)
    assert_same(before, after, data, np.asarray(scale))
    assert dtype_of(calls(after, "reshape")[0].args[0]) == "uint8"


@pytest.mark.parametrize("stored", [False, True])
def test_zeros_around_an_image_become_the_convolutions(stored: bool) -> None:
    """Padded as bytes with the zero point, or between dequantization and quantization."""
    data, weight = integers("uint8", *MAP), integers("int8", 4, 6, 3, 3)
    widths = [0, 0, 0, 0, 1, 2, 0, 1]

    def body(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
        if stored:
            padded = emit(relax.op.nn.pad(x[0], widths, pad_value=100))
        else:
            padded = emit(quantize_to(emit(relax.op.nn.pad(emit(dequantize(x[0])), widths))))
        filters = emit(dequantize(const(weight, "int8"), zero=0))
        return emit(relax.op.nn.conv2d(emit(dequantize(padded)), filters))

    before = module_of(body, data)
    after = applied(before, passes.SinkDequantize, passes.Simplify)
    assert_same(before, after, data)
    (convolution,) = calls(after, "nn.conv2d")
    assert list(convolution.attrs.padding) == [1, 0, 2, 1]
    assert operators(after)["nn.pad"] == 0 and operators(after)["dequantize"] == 2


def test_zeros_around_an_image_that_is_pooled_are_bytes() -> None:
    data = integers("uint8", *MAP)

    def body(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
        padded = emit(relax.op.nn.pad(x[0], [0, 0, 0, 0, 1, 1, 1, 1], pad_value=100))
        return relax.op.nn.max_pool2d(emit(dequantize(padded)), [2, 2], [2, 2])

    before = module_of(body, data)
    after = applied(before, passes.SinkDequantize)
    assert_same(before, after, data)
    assert dtype_of(calls(after, "nn.max_pool2d")[0].args[0]) == "uint8"
