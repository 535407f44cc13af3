"""The quantized operators of Relay (relay.qnn), in the spelling that stays in 8 bits here.

A layer of qnn gives 32-bit sums, which a bias and then a requantization follow; the scales of the sums are
the requantization's. It becomes dequantize -> layer -> quantize, which the graph passes make a layer of 8-bit
integers again. Rounding is to nearest, ties to even; Relay's UPWARD and TONEAREST differ from it, and from
each other, on ties alone.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from tvm import relax

from relay_strategies.functional.convolution import convolution_transpose, output_sizes
from relay_strategies.relax.graph import constant, dtype_of, make_constant, shape_of
from relay_strategies.relax.quantize_calls import BYTES, Parameters

from .call import Converter, OperatorCall, Sums, Value
from .convolution import convolution_weight, dense, output_padding, without_pad
from .maps import maps_in, maps_out
from .pooling import CONVERTERS as POOLS

CURVES = ("abs", "erf", "exp", "log", "rsqrt", "sigmoid", "sqrt", "tanh")
QUANTIZED_TYPES = ("int8", "uint8", "int16", "uint16")


def _parameters(call: OperatorCall, scale: int, zero: int, axis: int | None = None) -> Parameters:
    """Scale and zero point among the operands; ``axis`` is that of the channels, if there may be several."""
    return _checked(call, call.constant(scale), call.constant(zero), axis)


def _checked(call: OperatorCall, scale: np.ndarray, zero: np.ndarray, axis: int | None) -> Parameters:
    scales, zeros = scale.reshape(-1).astype(np.float32), zero.reshape(-1).astype(np.int64)
    size = max(scales.size, zeros.size)
    if not np.all(scales > 0) or not np.isfinite(scales).all():
        raise call.error("a scale is not positive")
    if {scales.size, zeros.size} - {1, size}:
        raise call.error(f"{scales.size} scales and {zeros.size} zero points")
    if size > 1 and axis is None:
        raise call.error(f"{size} scales where one is supported")
    scales, zeros = np.broadcast_to(scales, [size]), np.broadcast_to(zeros, [size])
    return Parameters(scales, zeros, axis if size > 1 else None)


def _axis(call: OperatorCall, data: relax.Expr, *vectors: int) -> int | None:
    """The axis attribute, where one of the vectors has more than one element."""
    rank = len(call.shape_of(data))
    axis = call.integer("axis", -1)
    if all(call.constant(index).size == 1 for index in vectors):
        return None
    axis = call.checked_axis(axis, rank)
    for index in vectors:
        if call.constant(index).size not in (1, call.shape_of(data)[axis]):
            raise call.error(
                f"{call.constant(index).size} scales for axis {axis}, which is {call.shape_of(data)[axis]}"
            )
    return axis


def _quantized(call: OperatorCall, reals: relax.Expr, known: Parameters, dtype: str) -> relax.Expr:
    if dtype in QUANTIZED_TYPES:
        return call.emit(known.quantize(reals, dtype))
    if dtype != "int32":
        raise call.error(f"out_dtype '{dtype}' is not supported")
    if known.axis is not None:
        raise call.error("several scales with out_dtype 'int32' are not supported")
    scaled = call.emit(relax.op.divide(reals, relax.const(float(known.scale[0]), "float32")))
    whole = call.emit(relax.op.astype(call.emit(relax.op.round(scaled)), "int32"))
    return call.emit(relax.op.add(whole, relax.const(int(known.zero_point[0]), "int32")))


def _dequantized(call: OperatorCall, data: relax.Expr, known: Parameters) -> relax.Expr:
    if dtype_of(data) not in (*QUANTIZED_TYPES, "int32"):
        raise call.error(f"data is {dtype_of(data)}, integers are expected")
    return call.emit(known.dequantize(data))


def _bytes(call: OperatorCall, data: relax.Expr, what: str) -> relax.Expr:
    if dtype_of(data) not in BYTES:
        raise call.error(f"{what} is {dtype_of(data)}; int8 and uint8 are supported")
    return data


Layer = Callable[[relax.Expr, relax.Expr], relax.Expr]


def _sums(
    call: OperatorCall,
    data: relax.Expr,
    weight: relax.Expr,
    layer: Layer,
    axis: int,
    channel_axis: int = 0,
) -> Sums:
    """The sums of ``layer``, of channels at an axis; ``channel_axis`` is that of the weight, which need not
    be a constant."""
    of_data = _parameters(call, 4, 2)
    shape = call.shape_of(weight)
    weight_zero = call.constant(3).reshape(-1).astype(np.int64)
    # The scale of the weight is checked and not used: what a sum stands for is said where it is requantized.
    channels = shape[channel_axis]
    if call.constant(5).size not in (1, channels) or weight_zero.size not in (1, channels):
        raise call.error(f"{call.constant(5).size} scales for {channels} channels")
    wide_zero = weight_zero.reshape([-1 if each == channel_axis else 1 for each in range(len(shape))])
    integers = layer(_less(call, data, of_data.zero_point), _less(call, weight, wide_zero))

    def reals(unit: np.ndarray) -> relax.Expr:
        size = max(unit.size, weight_zero.size)
        scale = np.broadcast_to(unit.astype(np.float32) / np.float32(of_data.scale[0]), [size])
        zeros = np.broadcast_to(weight_zero, [size])
        of_weight = Parameters(scale, zeros, channel_axis if size > 1 else None)
        return layer(_dequantized(call, data, of_data), call.emit(of_weight.dequantize(weight)))

    return Sums(integers, reals, axis)


def _less(call: OperatorCall, data: relax.Expr, zero: np.ndarray) -> relax.Expr:
    """Bytes as 32-bit integers, less their zero point."""
    stored = constant(data)
    if stored is not None:
        return make_constant(stored.astype(np.int32) - zero.astype(np.int32))
    wide = call.emit(relax.op.astype(data, "int32"))
    if not zero.any():
        return wide
    less = -zero.astype(np.int32)
    number = relax.const(int(less.reshape(())), "int32") if less.size == 1 else make_constant(less)
    return call.emit(relax.op.add(wide, number))


def _conv2d(call: OperatorCall) -> Value:
    data, layout = maps_in(call, "data_layout")
    weight = convolution_weight(call, data, layout)
    _bytes(call, data, "the data")
    _bytes(call, weight, "the weight")
    zero = int(_parameters(call, 4, 2).zero_point[0])
    data, padding = without_pad(call, data, layout, call.padding(), float(zero))
    strides, dilation = call.each("strides", 2, 1), call.each("dilation", 2, 1)
    groups = call.integer("groups", 1)
    _check_sums(call)
    if maps_out(call, data, layout, "data_layout") is not data:
        raise call.error("layouts with blocks are not supported")

    def layer(operand: relax.Expr, kernel: relax.Expr) -> relax.Expr:
        return call.emit_layer(
            relax.op.nn.conv2d(operand, kernel, strides, padding, dilation, groups, layout, "OIHW", layout)
        )

    call.constant_of(weight, "the weight")
    return _sums(call, data, weight, layer, layout.index("C"))


def _conv2d_transpose(call: OperatorCall) -> Value:
    data, layout = maps_in(call, "data_layout")
    weight = convolution_weight(call, data, layout, is_transposed=True)
    _bytes(call, data, "the data")
    _bytes(call, weight, "the weight")
    groups = call.integer("groups", 1)
    strides, dilations, padding = call.each("strides", 2, 1), call.each("dilation", 2, 1), call.padding()
    _check_sums(call)
    if maps_out(call, data, layout, "data_layout") is not data:
        raise call.error("layouts with blocks are not supported")
    if groups > 1 and max(call.constant(3).size, call.constant(5).size) > 1:
        raise call.error("several scales of groups are not supported")
    results = output_sizes(
        [call.shape_of(data)[layout.index(letter)] for letter in "HW"],
        call.shape_of(weight)[2:],
        strides=strides,
        padding=padding,
        dilations=dilations,
        extra=output_padding(call, padding, strides),
    )

    def layer(operand: relax.Expr, kernel: relax.Expr) -> relax.Expr:
        made = convolution_transpose(
            call,
            call.change_layout(operand, layout, "NCHW"),
            kernel,
            strides=strides,
            before=padding[:2],
            results=results,
            dilations=dilations,
            groups=groups,
        )
        return call.change_layout(call.emit_layer(made), "NCHW", layout)

    return _sums(call, data, weight, layer, layout.index("C"), channel_axis=1)


def _batch_matmul(call: OperatorCall) -> Value:
    """Products with the transpose of the second operand."""
    first, second = (_bytes(call, call.data(number), f"operand {number + 1}") for number in range(2))
    for operand in (first, second):
        call.rank(operand, 3)
    _check_sums(call)

    def layer(a: relax.Expr, b: relax.Expr) -> relax.Expr:
        return call.emit_layer(relax.op.matmul(a, call.emit(relax.op.permute_dims(b, [0, 2, 1]))))

    return _sums(call, first, second, layer, 2, channel_axis=1)


def _dense(call: OperatorCall) -> Value:
    data, weight = _bytes(call, call.data(0), "the data"), _bytes(call, call.data(1), "the weight")
    _check_sums(call)
    rank = len(call.shape_of(data))
    return _sums(call, data, weight, lambda x, w: dense(call, x, w), rank - 1)


def _check_sums(call: OperatorCall) -> None:
    if call.text("out_dtype", "int32") not in ("int32", ""):
        raise call.error(f"out_dtype '{call.text('out_dtype')}' is not supported; int32 is")


def _requantize(call: OperatorCall) -> Value:
    data, value = call.data(0), call.value(0)
    call.ignore("rounding", "compute_dtype")
    axis = _axis(call, data, 1, 2)
    known, dtype = _parameters(call, 1, 2, axis), call.text("out_dtype", "int8")
    if isinstance(value, Sums) and not known.zero_point.any() and axis in (None, value.axis):
        reals = value.reals(known.scale)
    else:
        reals = _dequantized(call, data, known)
    return _quantized(call, reals, _parameters(call, 3, 4, _axis(call, data, 3, 4)), dtype)


def _quantize(call: OperatorCall) -> Value:
    data = call.data(0)
    dtype = call.text("out_dtype", "int8")
    return _quantized(call, data, _parameters(call, 1, 2, _axis(call, data, 1, 2)), dtype)


def _dequantize(call: OperatorCall) -> Value:
    data, value = call.data(0), call.value(0)
    if call.text("out_dtype", "float32") not in ("float32", ""):
        raise call.error(f"out_dtype '{call.text('out_dtype')}' is not supported; float32 is")
    axis = _axis(call, data, 1, 2)
    known = _parameters(call, 1, 2, axis)
    if isinstance(value, Sums) and not known.zero_point.any() and axis in (None, value.axis):
        return value.reals(known.scale)
    return _dequantized(call, data, known)


def _binary(operator: Callable[[relax.Expr, relax.Expr], relax.Expr]) -> Converter:
    """Two operands with scale and zero point of each, then those of the result."""

    def convert(call: OperatorCall) -> Value:
        call.ignore("lhs_axis", "rhs_axis")
        first, second = call.data(0), call.data(1)
        result = call.emit(
            operator(
                _dequantized(call, first, _parameters(call, 2, 3)),
                _dequantized(call, second, _parameters(call, 4, 5)),
            )
        )
        return _quantized(call, result, _parameters(call, 6, 7), dtype_of(first))

    return convert


def _unary(operator: Callable[[relax.Expr], relax.Expr]) -> Converter:
    """One operand with its scale and zero point, then those of the result."""

    def convert(call: OperatorCall) -> Value:
        data = call.data(0)
        result = call.emit(operator(_dequantized(call, data, _parameters(call, 1, 2))))
        return _quantized(call, result, _parameters(call, 3, 4), dtype_of(data))

    return convert


def _hard_swish(data: relax.Expr) -> relax.Expr:
    gate = relax.op.clip(relax.op.add(data, relax.const(3, "float32")), 0, 6)
    return relax.op.divide(relax.op.multiply(data, gate), relax.const(6, "float32"))


def _softmax(call: OperatorCall) -> Value:
    axis = call.axis("axis", -1, len(call.shape_of(call.data(0))))
    return _unary(lambda data: relax.op.nn.softmax(data, axis))(call)


def _leaky_relu(call: OperatorCall) -> Value:
    slope = call.number("alpha", 0.25)
    return _unary(lambda data: relax.op.nn.leakyrelu(data, slope))(call)


def _concatenate(call: OperatorCall) -> Value:
    """A tuple of tensors, tuples of their scales and zero points, and the result's."""
    tensors, scales, zeros = (call.tensors(index) for index in range(3))
    if not tensors or not len(tensors) == len(scales) == len(zeros):
        raise call.error(f"{len(tensors)} tensors, {len(scales)} scales, {len(zeros)} zero points")
    parts = []
    for data, *known in zip(tensors, scales, zeros, strict=True):
        scale, zero = (call.constant_of(value, "a scale or zero point") for value in known)
        parts.append(_dequantized(call, data, _checked(call, scale, zero, None)))
    axis = call.axis("axis", 0, len(shape_of(tensors[0]) or ()))
    joined = call.emit(relax.op.concat(parts, axis))
    return _quantized(call, joined, _parameters(call, 3, 4), dtype_of(tensors[0]))


def _avg_pool2d(call: OperatorCall) -> Value:
    data = call.data(0)
    reals = _dequantized(call, data, _parameters(call, 1, 2))
    pooled = POOLS["nn.avg_pool2d"](call.with_data(reals))
    return _quantized(call, call.tensor(pooled, "the result"), _parameters(call, 3, 4), dtype_of(data))


CONVERTERS: dict[str, Converter] = {
    "qnn.conv2d": _conv2d,
    "qnn.conv2d_transpose": _conv2d_transpose,
    "qnn.dense": _dense,
    "qnn.batch_matmul": _batch_matmul,
    "qnn.quantize": _quantize,
    "qnn.dequantize": _dequantize,
    "qnn.requantize": _requantize,
    "qnn.add": _binary(relax.op.add),
    "qnn.subtract": _binary(relax.op.subtract),
    "qnn.mul": _binary(relax.op.multiply),
    "qnn.concatenate": _concatenate,
    "qnn.avg_pool2d": _avg_pool2d,
    "qnn.leaky_relu": _leaky_relu,
    **{f"qnn.{name}": _unary(getattr(relax.op, name)) for name in CURVES},
    "qnn.hardswish": _unary(_hard_swish),
    "qnn.softmax": _softmax,
}
