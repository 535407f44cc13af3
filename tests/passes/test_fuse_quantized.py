"""FuseQuantized: the composites of its contract, and what is none of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import tvm
from graph_support import draw, operators, run_by_plain_tvm
from quantized_support import (
    Body,
    Emit,
    applied,
    assert_same,
    composites,
    const,
    dequantize,
    integers,
    module_of,
    quantize_to,
)
from tvm import relax

from intrinsics.epilogue import Clip, Silu
from relay_strategies import passes
from relay_strategies.relax import composite
from relay_strategies.relax.epilogue_steps import steps_of
from relay_strategies.relax.graph import constant, dtype_of, shape_of

IMAGE = (1, 7, 6, 8)
WEIGHT = (5, 8, 3, 3)
SCALE = 0.02


def convolution(
    emit: Emit,
    data: relax.Expr,
    weight: np.ndarray,
    scale: Any = SCALE,
    zero: Any = 0,
    data_zero: Any = 100,
) -> relax.Var:
    real = emit(dequantize(data, zero=data_zero))
    filters = emit(dequantize(const(weight, str(weight.dtype)), scale, zero))
    return emit(
        relax.op.nn.conv2d(
            real, filters, padding=[1, 1, 1, 1], data_layout="NHWC", kernel_layout="OIHW", out_layout="NHWC"
        )
    )


def fused(body: Body, *inputs: np.ndarray) -> tuple[list[relax.Call], dict[str, Any], tvm.IRModule]:
    """The arguments and attributes of the one quantized convolution, whose meaning has been checked."""
    before = module_of(body, *inputs)
    after = applied(before, passes.FuseQuantized)
    for wanted, got in zip(run_by_plain_tvm(before, inputs), run_by_plain_tvm(after, inputs), strict=True):
        tolerance = 1 if np.issubdtype(wanted.dtype, np.integer) else 1e-4
        assert np.abs(wanted.astype(np.float64) - got).max() <= tolerance
    ((call, attributes),) = composites(after, composite.QCONV2D)
    return list(call.args), attributes, after


@pytest.mark.parametrize("dtype", ["uint8", "int8"])
@pytest.mark.parametrize("out_dtype", ["uint8", "int8"])
def test_the_composite_of_a_convolution(dtype: str, out_dtype: str) -> None:
    weight, scales = integers("int8", *WEIGHT), np.linspace(0.001, 0.02, 5).astype(np.float32)
    unit = (np.float32(0.05) * scales).astype(np.float32)
    bias = integers("int8", 5).astype(np.int32) * 500

    def body(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
        result = convolution(emit, x[0], weight, scales, np.zeros(5), 7)
        term = emit(dequantize(const(bias.reshape(1, 1, 1, 5), "int32"), unit, np.zeros(5), 3))
        result = emit(relax.op.add(result, term))
        return quantize_to(emit(relax.op.clip(result, 0.0, 6.0)), 0.06, 3, out_dtype)

    arguments, attributes, _ = fused(body, integers(dtype, *IMAGE))
    assert [dtype_of(a) for a in arguments] == [dtype, "int8", "int32"]
    assert [shape_of(a) for a in arguments] == [IMAGE, WEIGHT, (5,)]
    np.testing.assert_array_equal(constant(arguments[1]), weight)
    np.testing.assert_array_equal(constant(arguments[2]), bias)
    assert attributes["data_scale"] == np.float32(0.05) and attributes["data_zero"] == 7
    np.testing.assert_array_equal(np.array(attributes["weight_scale"]), scales.astype(np.float64))
    assert list(attributes["weight_zero"]) == [0] * 5
    assert (attributes["out_scale"], attributes["out_zero"]) == (np.float32(0.06), 3)
    assert attributes["out_dtype"] == out_dtype
    assert steps_of(attributes) == (Clip(0.0, 6.0),)


@pytest.mark.parametrize("out_dtype, zero", [("int8", 0), ("int8", -5), ("uint8", 128)])
def test_extremes_of_the_bytes_are_clips(out_dtype: str, zero: int) -> None:
    """What a ReLU behind a quantization has become, where its zero point is not the least byte."""
    weight = integers("int8", *WEIGHT)

    def body(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
        result = emit(quantize_to(convolution(emit, x[0], weight), 4.0, zero, out_dtype))
        result = emit(relax.op.maximum(result, const(np.array(zero), out_dtype)))
        return relax.op.minimum(const(np.array(zero + 9), out_dtype), result)

    _, attributes, after = fused(body, integers("uint8", *IMAGE))
    assert operators(after)["maximum"] == operators(after)["minimum"] == 0
    assert steps_of(attributes) == (Clip(0.0, 36.0),)


def test_zero_points_of_the_weight() -> None:
    weight = integers("uint8", *WEIGHT)
    arguments, attributes, _ = fused(
        lambda emit, x: quantize_to(convolution(emit, x[0], weight, SCALE, 128), 4.0),
        integers("uint8", *IMAGE),
    )
    assert len(arguments) == 2 and dtype_of(arguments[1]) == "uint8"
    assert list(attributes["weight_zero"]) == [128] and list(attributes["weight_scale"]) == [
        np.float32(SCALE)
    ]


def test_a_bias_of_another_scale_is_requantized() -> None:
    weight, bias = integers("int8", *WEIGHT), np.array([-9, 0, 5, 70, 1000], np.int32)

    def body(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
        term = emit(dequantize(const(bias, "int32"), 0.5, 2))
        return quantize_to(emit(relax.op.add(convolution(emit, x[0], weight), term)), 4.0)

    arguments, _, _ = fused(body, integers("uint8", *IMAGE))
    unit = np.float32(0.05) * np.float32(SCALE)
    np.testing.assert_array_equal(constant(arguments[2]), np.rint((bias - 2.0) * 0.5 / unit))


def test_a_bias_in_float32_is_quantized_only_where_the_result_is() -> None:
    weight, bias = integers("int8", *WEIGHT), draw(1, 1, 1, 5) * 30

    def body(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
        return emit(relax.op.add(convolution(emit, x[0], weight), const(bias)))

    arguments, _, _ = fused(lambda emit, x: quantize_to(body(emit, x), 4.0), integers("uint8", *IMAGE))
    assert dtype_of(arguments[2]) == "int32"
    arguments, attributes, after = fused(body, integers("uint8", *IMAGE))
    assert attributes["out_dtype"] == "float32" and len(arguments) == 2
    assert operators(after)["add"] == 1


def test_a_bias_in_float32_is_not_rounded_to_units_like_the_results() -> None:
    """Where a result may be a single unit of the sums, what is rounded there would be seen."""
    weight, bias = np.ones(WEIGHT, np.int8), np.linspace(-0.4, 0.3, 5).reshape(1, 1, 1, 5)

    def body(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
        coarse = convolution(emit, x[0], weight, scale=20.0)
        return quantize_to(emit(relax.op.add(coarse, const(bias))), 0.01)

    arguments, attributes, after = fused(body, np.full(IMAGE, 100, np.uint8))
    assert attributes["out_dtype"] == "float32" and len(arguments) == 2
    assert operators(after)["quantize"] == 1


def test_a_bias_that_leaves_sums_no_room_stays_outside() -> None:
    weight, bias = integers("int8", *WEIGHT), np.array([0, 7, 2**31 - 1, -(2**31), 1], np.int32)
    unit = np.float32(0.05) * np.float32(SCALE)

    def body(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
        term = emit(dequantize(const(bias, "int32"), unit, 0))
        return quantize_to(emit(relax.op.add(convolution(emit, x[0], weight), term)), 1e5)

    arguments, _, _ = fused(body, integers("uint8", *IMAGE))
    assert len(arguments) == 2


def test_a_bias_too_large_for_its_unit_stays_outside() -> None:
    weight, bias = integers("int8", *WEIGHT), np.full((1, 1, 1, 5), 1e9)

    def body(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
        result = emit(relax.op.add(convolution(emit, x[0], weight), const(bias)))
        return emit(relax.op.subtract(result, const(1e9)))

    arguments, _, _ = fused(body, integers("uint8", *IMAGE))
    assert len(arguments) == 2


def test_activations_before_the_quantization_are_steps() -> None:
    weight = integers("int8", *WEIGHT)

    def body(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
        result = convolution(emit, x[0], weight)
        gate = emit(relax.op.sigmoid(result))
        return quantize_to(emit(relax.op.multiply(result, gate)), 0.05, 10)

    _, attributes, _ = fused(body, integers("uint8", *IMAGE))
    assert attributes["out_dtype"] == "uint8" and steps_of(attributes) == (Silu(),)


def _summed(emit: Emit, result: relax.Expr, other: relax.Var, dtype: str = "uint8") -> relax.Expr:
    """The ReLU of the sum of bytes and a convolution's result, which is quantized before it."""
    stored = emit(quantize_to(result, 4.0, 40, dtype))
    total = emit(relax.op.add(emit(dequantize(other, 0.7, 9)), emit(dequantize(stored, 4.0, 40))))
    return quantize_to(emit(relax.op.nn.relu(total)), 2.5, 3)


def test_bytes_that_are_added_are_an_argument() -> None:
    """Of two convolutions whose results are added, the later one adds the earlier's."""
    weight = integers("int8", *WEIGHT)

    def body(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
        return _summed(emit, convolution(emit, x[0], weight), x[1])

    arguments, attributes, after = fused(body, integers("uint8", *IMAGE), integers("uint8", 1, 7, 6, 5))
    assert len(arguments) == 3 and operators(after)["add"] == 0
    names = ("out", "added", "sum")
    assert [attributes[f"{name}_scale"] for name in names] == pytest.approx([4.0, 0.7, 2.5])
    assert [attributes[f"{name}_zero"] for name in names] == [40, 9, 3]
    assert list(attributes["sum_steps"]) == ["relu"]

    def both(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
        first = emit(quantize_to(convolution(emit, x[0], weight), 0.7, 9))
        return _summed(emit, convolution(emit, x[0], weight), first)

    found = composites(
        applied(module_of(both, integers("uint8", *IMAGE)), passes.FuseQuantized), composite.QCONV2D
    )
    assert ["sum_scale" in attributes for _, attributes in found] == [False, True]


def test_bytes_of_another_type_or_use_are_added_outside() -> None:
    weight = integers("int8", *WEIGHT)

    def other_type(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
        return _summed(emit, convolution(emit, x[0], weight), x[1], "int8")

    def other_use(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
        stored = emit(quantize_to(convolution(emit, x[0], weight), 4.0, 40))
        total = emit(relax.op.add(emit(dequantize(x[1], 0.7, 9)), emit(dequantize(stored, 4.0, 40))))
        return relax.Tuple([emit(quantize_to(total, 2.5, 3)), stored])

    for body in (other_type, other_use):
        _, attributes, after = fused(body, integers("uint8", *IMAGE), integers("uint8", 1, 7, 6, 5))
        assert "sum_scale" not in attributes and operators(after)["add"] == 1


def test_an_addition_behind_a_clip_is_no_bias() -> None:
    weight = integers("int8", *WEIGHT)

    def body(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
        clipped = emit(relax.op.minimum(convolution(emit, x[0], weight), const(2.0)))
        return quantize_to(emit(relax.op.add(clipped, const(draw(5)))), 4.0)

    arguments, attributes, after = fused(body, integers("uint8", *IMAGE))
    assert len(arguments) == 2 and attributes["out_dtype"] == "float32"
    assert operators(after)["minimum"] == operators(after)["add"] == 1


def test_a_result_used_twice_is_dequantized_once() -> None:
    weight = integers("int8", *WEIGHT)

    def body(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
        result = convolution(emit, x[0], weight)
        return relax.Tuple([emit(relax.op.nn.relu(result)), emit(quantize_to(result, 4.0))])

    _, attributes, after = fused(body, integers("uint8", *IMAGE))
    assert attributes["out_dtype"] == "float32" and not {"steps", "out_scale"} & set(attributes)
    assert operators(after)["nn.relu"] == operators(after)["quantize"] == 1


UNFIT: dict[str, Body] = {
    "scale per channel of the data": lambda emit, x: emit(
        relax.op.nn.conv2d(
            emit(dequantize(x[0], np.ones(8), np.zeros(8), 3)),
            emit(dequantize(const(integers("int8", *WEIGHT), "int8"), zero=0)),
            data_layout="NHWC",
            kernel_layout="OIHW",
            out_layout="NHWC",
        )
    ),
    "scale per input channel of the weight": lambda emit, x: emit(
        relax.op.nn.conv2d(
            emit(dequantize(x[0])),
            emit(dequantize(const(integers("int8", *WEIGHT), "int8"), np.ones(8), np.zeros(8), 1)),
            data_layout="NHWC",
            kernel_layout="OIHW",
            out_layout="NHWC",
        )
    ),
    "16-bit weight": lambda emit, x: convolution(emit, x[0], integers("int16", *WEIGHT)),
}


@pytest.mark.parametrize("case", UNFIT)
def test_what_does_not_fit_stays_float(case: str) -> None:
    data = integers("uint8", *IMAGE)
    before = module_of(UNFIT[case], data)
    after = applied(before, passes.FuseQuantized, passes.FoldDequantize, passes.FuseConv2d)
    assert not composites(after, composite.QCONV2D)
    ((call, _),) = composites(after, composite.CONV2D)
    assert dtype_of(call.args[1]) == "float32" and constant(call.args[1]) is not None
    assert_same(before, after, data)


def test_weights_that_are_quantized_alone_become_floats_again() -> None:
    data, weight = draw(*IMAGE), integers("int8", *WEIGHT)

    def body(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
        filters = emit(dequantize(const(weight, "int8"), np.linspace(0.1, 1, 5), np.arange(5)))
        return emit(
            relax.op.nn.conv2d(x[0], filters, data_layout="NHWC", kernel_layout="OIHW", out_layout="NHWC")
        )

    before = module_of(body, data)
    after = applied(before, passes.FuseQuantized, passes.FoldDequantize)
    assert operators(after) == {"nn.conv2d": 1}
    assert_same(before, after, data)


def test_weights_that_the_network_quantizes_itself_are_bytes() -> None:
    """Some exporters store float weights between QuantizeLinear and DequantizeLinear."""
    weight = draw(*WEIGHT)

    def body(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
        scales, zeros = np.linspace(0.003, 0.01, 5), np.arange(5) - 2
        stored = emit(relax.op.quantize(const(weight), const(scales), const(zeros, "int8"), 0, "int8"))
        filters = emit(relax.op.dequantize(stored, const(scales), const(zeros, "int8"), 0))
        return emit(
            relax.op.nn.conv2d(
                emit(dequantize(x[0])),
                filters,
                data_layout="NHWC",
                kernel_layout="OIHW",
                out_layout="NHWC",
            )
        )

    data = integers("uint8", *IMAGE)
    before = module_of(body, data)
    folded = applied(before, passes.FoldConstants)
    assert_same(before, folded, data)
    ((call, attributes),) = composites(applied(folded, passes.FuseQuantized), composite.QCONV2D)
    assert dtype_of(call.args[1]) == "int8" and list(attributes["weight_zero"]) == [-2, -1, 0, 1, 2]


@pytest.mark.parametrize(
    ("weight", "dtype", "zeros"),
    [
        (np.array([-128, 0, 127]), "int8", [0]),
        (np.array([-200, 3, 55]), "uint8", [200]),
        (np.array([0, 3, 255]), "uint8", [0]),
    ],
)
def test_integer_weights_are_bytes_again(weight: np.ndarray, dtype: str, zeros: list[int]) -> None:
    array = np.resize(weight, WEIGHT).astype(np.int32)

    def body(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
        wide = emit(relax.op.add(emit(relax.op.astype(x[0], "int32")), const(-9, "int32")))
        return emit(
            relax.op.nn.conv2d(
                wide, const(array, "int32"), data_layout="NHWC", kernel_layout="OIHW", out_layout="NHWC"
            )
        )

    arguments, attributes, _ = fused(body, integers("uint8", *IMAGE))
    assert dtype_of(arguments[1]) == dtype and list(attributes["weight_zero"]) == zeros
    np.testing.assert_array_equal(constant(arguments[1]).astype(np.int32) - zeros[0], array)
    assert attributes["data_zero"] == 9 and attributes["out_dtype"] == "int32"
    assert not {"data_scale", "weight_scale", "out_scale"} & attributes.keys()


def test_integer_weights_of_wide_channels() -> None:
    """Each channel's range fits in 8 bits, all together do not; and then one channel does not either."""
    array = np.resize(np.arange(-200, 56), WEIGHT).astype(np.int32)
    array[0] = np.abs(array[0])

    def body(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
        wide = emit(relax.op.astype(x[0], "int32"))
        return emit(
            relax.op.nn.conv2d(
                wide, const(array, "int32"), data_layout="NHWC", kernel_layout="OIHW", out_layout="NHWC"
            )
        )

    arguments, attributes, _ = fused(body, integers("uint8", *IMAGE))
    zeros = np.array(attributes["weight_zero"])
    stored = constant(arguments[1]).astype(np.int32)
    np.testing.assert_array_equal(stored - zeros.reshape(-1, 1, 1, 1), array)
    assert len(set(zeros.tolist())) > 1
    array[1, 0, 0, 0] = 300
    after = applied(module_of(body, integers("uint8", *IMAGE)), passes.FuseQuantized)
    assert not composites(after, composite.QCONV2D)


def test_extremes_behind_a_sum_of_bytes_are_its_clips() -> None:
    numbers = [integers("int8", *IMAGE), integers("int8", *IMAGE)]

    def body(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
        total = emit(relax.op.add(*(emit(dequantize(part, zero=3)) for part in x)))
        result = emit(quantize_to(total, 0.07, -5, "int8"))
        return relax.op.maximum(result, const(np.array(-5), "int8"))

    before = module_of(body, *numbers)
    after = applied(before, passes.FuseQuantizedOperators)
    assert_same(before, after, *numbers)
    ((_, attributes),) = composites(after, composite.QADD)
    assert operators(after)["maximum"] == 0 and steps_of(attributes) == (Clip(0.0),)
