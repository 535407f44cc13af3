"""The passes on quantized networks: values stay what they are to the bit, and layers are found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import tvm
from graph_support import draw, network, node, operators, run_by_plain_tvm
from quantized_models import FORMATS, image_of, quantize, run_onnx_runtime, with_quantized_outputs
from tvm import relax

import tvm_directconv as directconv
from tvm_directconv.relay_strategies import passes
from tvm_directconv.relay_strategies.importer import import_model
from tvm_directconv.relay_strategies.passes import composite
from tvm_directconv.relay_strategies.passes.graph import (
    COMPOSITE,
    constant,
    dtype_of,
    operator_name,
    shape_of,
)

Emit = Callable[[relax.Expr], relax.Var]
Body = Callable[[Emit, Sequence[relax.Var]], relax.Expr]


def module_of(body: Body, *inputs: np.ndarray) -> tvm.IRModule:
    """A Relax module whose main is ``body`` of inputs like those given."""
    builder = relax.BlockBuilder()
    params = [relax.Var(f"x{i}", relax.TensorType(a.shape, str(a.dtype))) for i, a in enumerate(inputs)]
    with builder.function("main", params):
        with builder.dataflow():
            result = builder.emit_output(body(builder.emit, params))
        builder.emit_func_output(result)
    return builder.get()


def const(value: Any, dtype: str = "float32") -> relax.Expr:
    return relax.const(np.asarray(value, dtype))


def dequantize(data: relax.Expr, scale: Any = 0.05, zero: Any = 100, axis: int = 0) -> relax.Expr:
    return relax.op.dequantize(data, const(scale), const(zero, dtype_of(data)), axis=axis)


def quantize_to(data: relax.Expr, scale: float = 0.05, zero: int = 100, dtype: str = "uint8") -> relax.Expr:
    return relax.op.quantize(data, const(scale), const(zero, dtype), axis=0, out_dtype=dtype)


def integers(dtype: str, *shape: int, seed: int = 0) -> np.ndarray:
    limits = np.iinfo(dtype)
    return np.random.default_rng([seed, *shape]).integers(limits.min, limits.max + 1, shape).astype(dtype)


def applied(module: tvm.IRModule, *steps: tvm.transform.Pass) -> tvm.IRModule:
    for step in steps:
        module = step(module)
        relax.analysis.well_formed(module)
    return module


def assert_same(before: tvm.IRModule, after: tvm.IRModule, *inputs: np.ndarray) -> None:
    pairs = zip(run_by_plain_tvm(before, inputs), run_by_plain_tvm(after, inputs), strict=True)
    for wanted, got in pairs:
        assert len(np.unique(wanted)) > 3, "the values say nothing"
        np.testing.assert_array_equal(got, wanted)


def calls(module: tvm.IRModule, name: str) -> list[relax.Call]:
    bindings = [b for block in module["main"].body.blocks for b in block.bindings]
    return [b.value for b in bindings if operator_name(b.value) == f"relax.{name}"]


def composites(module: tvm.IRModule, name: str) -> list[tuple[relax.Call, dict[str, Any]]]:
    """The calls of a composite operator with its attributes."""
    found = []
    for block in module["main"].body.blocks:
        for binding in block.bindings:
            value = binding.value
            if isinstance(value, relax.Call) and isinstance(value.op, tvm.ir.GlobalVar):
                attributes = dict(module[value.op].attrs)
                if attributes.get(COMPOSITE) == name:
                    found.append((value, attributes))
    return found


# SinkDequantize.

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
        lambda emit, x: relax.op.reshape(emit(dequantize(x[0], np.ones(6), np.arange(6), 1)), (12, 10)), data
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


# FuseQuantized: modules in NHWC.

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
    assert (attributes["low"], attributes["high"]) == (0.0, 6.0)


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


def test_a_bias_too_large_for_its_unit_stays_outside() -> None:
    weight, bias = integers("int8", *WEIGHT), np.full((1, 1, 1, 5), 1e9)

    def body(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
        result = emit(relax.op.add(convolution(emit, x[0], weight), const(bias)))
        return emit(relax.op.subtract(result, const(1e9)))

    arguments, _, _ = fused(body, integers("uint8", *IMAGE))
    assert len(arguments) == 2


def test_a_result_used_twice_is_dequantized_once() -> None:
    weight = integers("int8", *WEIGHT)

    def body(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
        result = convolution(emit, x[0], weight)
        return relax.Tuple([emit(relax.op.nn.relu(result)), emit(quantize_to(result, 4.0))])

    _, attributes, after = fused(body, integers("uint8", *IMAGE))
    assert attributes["out_dtype"] == "float32" and "low" not in attributes and "out_scale" not in attributes
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


# Whole small networks, as ONNX Runtime quantizes them.


def small_network() -> Any:
    """Convolutions, residual, two kinds of pooling, concatenation, shuffle, a dense layer behind a map."""
    weights = {
        "w1": draw(8, 3, 3, 3),
        "b1": draw(8),
        "w2": draw(8, 4, 1, 1),
        "w3": draw(8, 1, 3, 3),
        "b3": draw(8, seed=3),
        "w4": draw(16 * 4 * 4, 10),
        "b4": draw(10),
        "groups": np.array([1, 2, 4, 8, 8], np.int64),
        "back": np.array([1, 8, 8, 8], np.int64),
        "flat": np.array([1, -1], np.int64),
    }
    nodes = [
        node("Conv", "x w1 b1", "a", pads=[1, 1, 1, 1]),
        node("Relu", "a", "ar"),
        node("MaxPool", "ar", "p", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]),
        node("Conv", "p w2", "c", group=2),
        node("Reshape", "c groups", "s1"),
        node("Transpose", "s1", "s2", perm=[0, 2, 1, 3, 4]),
        node("Reshape", "s2 back", "s"),
        node("Conv", "s w3 b3", "d", pads=[1, 1, 1, 1], group=8),
        node("Add", "d p", "e"),
        node("Relu", "e", "er"),
        node("Concat", "er c", "f", axis=1),
        node("AveragePool", "f", "g", kernel_shape=[2, 2], strides=[2, 2]),
        node("Reshape", "g flat", "h"),
        node("Gemm", "h w4 b4", "y"),
    ]
    return network(nodes, {"x": (1, 3, 16, 16)}, {"y": (1, 10)}, weights)


QUANTIZED_STEPS = (
    passes.FoldConstants,
    passes.Simplify,
    passes.SinkDequantize,
    passes.FoldConstants,
    passes.Simplify,
    passes.FoldScales,
    passes.ToNHWC,
    passes.FuseQuantized,
    passes.FoldDequantize,
)


@pytest.mark.parametrize("per_channel", [False, True])
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("types", [("QUInt8", "QInt8"), ("QInt8", "QInt8"), ("QUInt8", "QUInt8")])
def test_small_networks_stay_in_bytes(format: str, per_channel: bool, types: tuple[str, str]) -> None:
    model = with_quantized_outputs(quantize(small_network(), format, per_channel, *types))
    module = applied(import_model(model), *QUANTIZED_STEPS)
    found = operators(module)
    assert len(composites(module, composite.QCONV2D)) == 3
    ((_, dense),) = composites(module, composite.QDENSE)
    assert dense["out_dtype"] in ("uint8", "int8")
    assert found["fused_channel_shuffle"] == 1 and found["permute_dims"] == 1
    assert found["nn.conv2d"] == found["matmul"] == 0
    for name in ("nn.max_pool2d", "concat", "reshape"):
        (call,) = calls(module, name)
        tensors = call.args[0].fields if name == "concat" else call.args[:1]
        assert {dtype_of(tensor) for tensor in tensors} <= {"uint8", "int8"}
    inputs = image_of(model)
    (wanted,) = run_onnx_runtime(model, inputs)
    (got,) = run_by_plain_tvm(module, list(inputs.values()))
    assert len(np.unique(wanted)) > 5
    assert np.abs(wanted.astype(int) - got).max() <= 1
    (got,) = directconv.compile(model).run(inputs)
    assert np.abs(wanted.astype(int) - got).max() <= 1
