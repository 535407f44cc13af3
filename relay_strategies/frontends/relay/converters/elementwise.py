"""Element-wise operators of Relay, and those that mean nothing in inference."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import tvm
from tvm import relax

from relay_strategies.functional import activations
from relay_strategies.relax.graph import constant, dtype_of, make_constant
from relay_strategies.relax.quantize_calls import Parameters
from tvm_directconv.operators import definitions

from .call import Converter, OperatorCall, Sums, Value

DTYPES = (
    *("float16", "float32", "float64", "int8", "int16", "int32", "int64"),
    *("uint8", "uint16", "uint32", "uint64", "bool"),
)
UNARY = (
    *("abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "erf", "exp", "floor"),
    *("isfinite", "isinf", "isnan", "log", "logical_not", "negative", "rsqrt", "sigmoid", "sign"),
    *("sin", "sinh", "sqrt", "tan", "tanh", "trunc", "zeros_like", "ones_like"),
)
BINARY = (
    *("add", "subtract", "multiply", "divide", "floor_divide", "power", "floor_mod", "mod", "maximum"),
    *("minimum", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal"),
    *("logical_and", "logical_or", "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor"),
    *("left_shift", "right_shift"),
)
FAST = {
    **{"fast_exp": "exp", "fast_tanh": "tanh", "fast_erf": "erf"},
    **{"fast_sigmoid": "sigmoid"},
}
"""What FastMath made of some: here the exact ones are as fast."""
LOGARITHMS = {"log2": 2, "log10": 10}
FIXED_BITS = 31
"""Multipliers of fixed point are numbers of so many bits behind the point."""


def _unary(operator: Callable[[relax.Expr], relax.Expr]) -> Converter:
    return lambda call: call.emit(operator(call.data(0)))


def _binary(operator: Callable[[relax.Expr, relax.Expr], relax.Expr]) -> Converter:
    def convert(call: OperatorCall) -> Value:
        first, second = call.data(0), call.data(1)
        if dtype_of(first) != dtype_of(second):
            raise call.error(f"operands are {dtype_of(first)} and {dtype_of(second)}; Relay wants one dtype")
        return call.emit(operator(first, second))

    return convert


def _round(call: OperatorCall) -> Value:
    """Relay rounds halves away from zero, Relax to even."""
    data = call.data(0)
    dtype = dtype_of(data)
    if np.dtype(dtype).kind != "f":
        return data
    # What is just below a half must not become 1 with it.
    half = relax.const(np.nextafter(np.asarray(0.5, dtype), np.asarray(0, dtype)), dtype)
    below, above = (call.emit(operator(data, half)) for operator in (relax.op.subtract, relax.op.add))
    is_negative = call.emit(relax.op.less(data, relax.const(np.asarray(0, dtype), dtype)))
    return call.emit(
        relax.op.where(is_negative, call.emit(relax.op.ceil(below)), call.emit(relax.op.floor(above)))
    )


def _logarithm(base: int) -> Converter:
    def convert(call: OperatorCall) -> Value:
        data = call.data(0)
        whole = relax.const(np.asarray(np.log(base), dtype_of(data)), dtype_of(data))
        return call.emit(relax.op.divide(call.emit(relax.op.log(data)), whole))

    return convert


def _fixed_point_multiply(call: OperatorCall) -> Value:
    """Integers times ``multiplier * 2 ** (shift - 31)``, halves rounded up."""
    return _fixed_point(call, np.int64(call.integer("multiplier")), np.int64(call.integer("shift")))


def _fixed_point_per_axis(call: OperatorCall) -> Value:
    """Do so by channel: behind the data are multipliers, left shifts and right shifts."""
    rank = len(call.shape_of(call.data(0)))
    (axis,) = call.ints("axes", 1) if call.optional("axes") else (1,)
    wide = [-1 if each == call.checked_axis(axis, rank) else 1 for each in range(rank)]
    factors, left, right = (call.constant(n).astype(np.int64).reshape(wide) for n in (1, 2, 3))
    call.ignore("is_lshift_required", "is_rshift_required")
    return _fixed_point(call, factors, left - right)


def _fixed_point(call: OperatorCall, factor: np.ndarray, shift: np.ndarray) -> Value:
    wide, dtype = call.cast(call.data(0), "int64"), dtype_of(call.data(0))
    if dtype != "int32":
        raise call.error(f"data is {dtype}, int32 is expected")
    left, right = np.maximum(shift, 0), FIXED_BITS + np.maximum(-shift, 0)
    product = call.emit(relax.op.multiply(wide, make_constant(np.asarray(factor * (1 << left), np.int64))))
    half = make_constant(np.asarray(np.int64(1) << (right - 1), np.int64))
    rounded = call.emit(relax.op.add(product, half))
    return call.cast(
        call.emit(relax.op.right_shift(rounded, make_constant(np.asarray(right, np.int64)))), "int32"
    )


def _relu(call: OperatorCall) -> Value:
    sums = call.value(0)
    if isinstance(sums, Sums):
        return Sums(
            call.emit(relax.op.nn.relu(sums.integers)),
            lambda unit: call.emit(relax.op.nn.relu(sums.reals(unit))),
            sums.axis,
        )
    return call.emit(relax.op.nn.relu(call.data(0)))


def _clip(call: OperatorCall) -> Value:
    data = call.data(0)
    dtype = dtype_of(data)
    bounds = [call.number("a_min"), call.number("a_max")]
    if np.dtype(dtype).kind in "iu":
        limits = np.iinfo(dtype)
        if bounds[0] <= limits.min and bounds[1] >= limits.max:
            return data
        bounds = [int(min(max(bound, limits.min), limits.max)) for bound in bounds]
    low, high = (tvm.tirx.const(bound, dtype) for bound in bounds)
    return call.emit(relax.op.clip(data, low, high))


def _prelu(call: OperatorCall) -> Value:
    data = call.data(0)
    axis = call.axis("axis", 1, len(call.shape_of(data)))
    slope = call.data(1)
    channels = call.shape_of(data)[axis]
    if call.shape_of(slope) not in ((channels,), (1,)):
        raise call.error(f"a slope of shape {call.shape_of(slope)} for {channels} channels")
    wide = call.emit(relax.op.reshape(slope, (-1, *[1] * (len(call.shape_of(data)) - axis - 1))))
    return call.emit(activations.prelu(call, data, wide))


def _bias_add(call: OperatorCall) -> Value:
    value, bias = call.value(0), call.data(1)
    data = call.data(0)
    shape = call.shape_of(data)
    axis = call.axis("axis", 1, len(shape))
    if call.rank(bias, 1) != (shape[axis],):
        raise call.error(f"a bias of {call.shape_of(bias)[0]} for axis {axis}, which is {shape[axis]}")
    if dtype_of(bias) != dtype_of(data):
        raise call.error(f"a bias of {dtype_of(bias)} for {dtype_of(data)}")
    wide = [1] * len(shape)
    wide[axis] = shape[axis]
    if len(shape) - axis > 1 or isinstance(value, Sums):
        bias = call.emit(relax.op.reshape(bias, wide))
    total = call.emit(relax.op.add(data, bias))
    return _biased(call, value, bias, total) if isinstance(value, Sums) else total


def _add(call: OperatorCall) -> Value:
    total = _binary(relax.op.add)(call)
    value, term = call.value(0), call.data(1)
    return _biased(call, value, term, total) if isinstance(value, Sums) else total


def _biased(call: OperatorCall, sums: Sums, bias: relax.Expr, total: Value) -> Value:
    """Sums to which a constant per channel is added: int32 counts in the units of the sums."""
    stored, shape = constant(bias), call.shape_of(sums.integers)
    if stored is None:
        return total
    stored = stored.reshape((1,) * (len(shape) - stored.ndim) + stored.shape)
    if stored.size != stored.shape[sums.axis] or stored.size not in (1, shape[sums.axis]):
        return total
    # One value of every channel, so that scales per channel have something to go with.
    wide = [shape[sums.axis] if i == sums.axis else 1 for i in range(len(shape))]
    stored = np.broadcast_to(stored, wide)

    def reals(unit: np.ndarray) -> relax.Expr:
        known = Parameters(unit, np.zeros(unit.shape, np.int64), sums.axis if unit.size > 1 else None)
        term = call.emit(known.dequantize(make_constant(stored)))
        return call.emit(relax.op.add(sums.reals(unit), term))

    return Sums(call.tensor(total, "the sum"), reals, sums.axis)


def _cast(call: OperatorCall) -> Value:
    dtype = call.text("dtype")
    if dtype not in DTYPES:
        raise call.error(f"dtype '{dtype}' is not supported")
    data = call.data(0)
    return data if dtype_of(data) == dtype else call.emit(relax.op.astype(data, dtype))


def _cast_like(call: OperatorCall) -> Value:
    return call.cast(call.data(0), dtype_of(call.data(1)))


def _reinterpret(call: OperatorCall) -> Value:
    """The same bits as numbers of another type, of as many bits."""
    data, dtype = call.data(0), call.text("dtype")
    if dtype not in DTYPES or "bool" in (dtype, dtype_of(data)):
        raise call.error(f"{dtype_of(data)} as '{dtype}' is not supported")
    if np.dtype(dtype).itemsize != np.dtype(dtype_of(data)).itemsize:
        raise call.error(f"{dtype_of(data)} and {dtype} differ in their bits")
    return call.emit(call.builder.call_te(definitions.reinterpreted, data, dtype))


def _truncated(call: OperatorCall) -> Value:
    """The quotient rounded to zero, which that of integers is in Relax."""
    quotient = call.emit(relax.op.divide(call.data(0), call.data(1)))
    is_float = np.dtype(dtype_of(quotient)).kind == "f"
    return call.emit(relax.op.trunc(quotient)) if is_float else quotient


def _rest_truncated(call: OperatorCall) -> Value:
    """What the quotient, rounded to zero, leaves."""
    whole = call.emit(relax.op.multiply(call.tensor(_truncated(call), "the quotient"), call.data(1)))
    return call.emit(relax.op.subtract(call.data(0), whole))


def _dropout(call: OperatorCall) -> Value:
    call.ignore("rate")
    data = call.data(0)
    return data, call.emit(relax.op.ones_like(data))


def _identity(call: OperatorCall) -> Value:
    call.ignore("virtual_device", "constrain_result", "constrain_body", "device_type", "compiler")
    call.ignore("debug_func")
    call.ignore("src_virtual_device", "dst_virtual_device", "src_dev_type", "dst_dev_type", "dtype")
    return call.value(0)


CONVERTERS: dict[str, Converter] = {
    **{name: _unary(getattr(relax.op, name)) for name in UNARY},
    **{name: _binary(getattr(relax.op, name)) for name in BINARY},
    **{name: _unary(getattr(relax.op, exact)) for name, exact in FAST.items()},
    **{name: _logarithm(base) for name, base in LOGARITHMS.items()},
    "bitwise_not": _unary(relax.op.bitwise_not),
    "fixed_point_multiply": _fixed_point_multiply,
    "fixed_point_multiply_per_axis": _fixed_point_per_axis,
    "add": _add,
    "round": _round,
    "nn.relu": _relu,
    "nn.leaky_relu": lambda call: call.emit(relax.op.nn.leakyrelu(call.data(0), call.number("alpha", 0.25))),
    "nn.prelu": _prelu,
    "nn.bias_add": _bias_add,
    "nn.dropout": _dropout,
    "clip": _clip,
    "cast": _cast,
    "cast_like": _cast_like,
    "reinterpret": _reinterpret,
    "trunc_divide": _truncated,
    "trunc_mod": _rest_truncated,
    "where": lambda call: call.emit(relax.op.where(call.data(0), call.data(1), call.data(2))),
    **dict.fromkeys(
        (
            *("copy", "on_device", "device_copy", "annotation.stop_fusion", "annotation.cast_hint"),
            *("debug", "annotation.checkpoint", "annotation.compiler_begin", "annotation.compiler_end"),
        ),
        _identity,
    ),
}
MAPS = frozenset(
    {
        *(*UNARY, *BINARY, *FAST, *LOGARITHMS, "bitwise_not", "fixed_point_multiply", "round", "nn.relu"),
        *("nn.leaky_relu", "nn.dropout", "clip", "cast", "where"),
    }
)
"""These operators act on elements, whatever the layout; tensors of blocks stay whole through them."""
