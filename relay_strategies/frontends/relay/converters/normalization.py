"""Normalization, softmax and reductions of Relay."""

from __future__ import annotations

from collections.abc import Callable

from tvm import relax

from .call import Converter, OperatorCall, Value


def _batch_norm(call: OperatorCall) -> Value:
    data, *statistics = (call.data(i) for i in range(5))
    shape = call.shape(data)
    axis = call.axis("axis", 1, len(shape))
    for number, vector in enumerate(statistics, start=2):
        if call.shape(vector) != (shape[axis],):
            raise call.error(f"operand {number} of shape {call.shape(vector)} for {shape[axis]} channels")
    result = call.emit_unfolded(
        relax.op.nn.batch_norm(
            data,
            *statistics,
            axis=axis,
            epsilon=call.number("epsilon", 1e-5),
            center=call.flag("center", True),
            scale=call.flag("scale", True),
            training=False,
        )
    )
    return call.emit_unfolded(relax.TupleGetItem(result, 0)), statistics[2], statistics[3]


def _softmax(operator: Callable[..., relax.Expr]) -> Converter:
    def convert(call: OperatorCall) -> Value:
        data = call.data(0)
        return call.emit(operator(data, call.axis("axis", -1, len(call.shape(data)))))

    return convert


def _lrn(call: OperatorCall) -> Value:
    """``x / (bias + alpha / size * sum(x * x))^beta`` over ``size`` channels, as Simplify looks for it."""
    data = call.data(0)
    call.rank(data, 4)
    size, axis = call.integer("size", 5), call.axis("axis", 1, 4)
    if axis not in (1, 3) or size < 1 or size % 2 == 0:
        raise call.error(f"size={size}, axis={axis} is not supported; an odd size over axis 1 or 3 is")
    if axis == 3:
        data = call.emit(relax.op.permute_dims(data, [0, 3, 1, 2]))
    alpha, beta, bias = call.number("alpha", 1e-5), call.number("beta", 0.75), call.number("bias", 2.0)
    batch, channels, height, width = call.shape(data)
    square = call.emit(relax.op.multiply(data, data))
    deep = call.emit(relax.op.reshape(square, (batch, 1, channels, height, width)))
    half = size // 2
    padding = (half, 0, 0, half, 0, 0)
    mean = call.emit(
        relax.op.nn.avg_pool3d(deep, (size, 1, 1), padding=padding, count_include_pad=True, layout="NCDHW")
    )
    flat = call.emit(relax.op.reshape(mean, (batch, channels, height, width)))
    scaled = call.emit(relax.op.multiply(flat, relax.const(alpha, "float32")))
    base = call.emit(relax.op.add(scaled, relax.const(bias, "float32")))
    power = call.emit(relax.op.power(base, relax.const(beta, "float32")))
    result = call.emit(relax.op.divide(data, power))
    return result if axis == 1 else call.emit(relax.op.permute_dims(result, [0, 2, 3, 1]))


def _reduction(operator: Callable[..., relax.Expr]) -> Converter:
    def convert(call: OperatorCall) -> Value:
        data = call.data(0)
        rank = len(call.shape(data))
        axes = list(range(rank))
        given = call.get("axis", None)
        if given is not None and given != ():
            axes = [call.checked_axis(axis, rank) for axis in call.ints("axis")]
        if call.flag("exclude", False):
            axes = [axis for axis in range(rank) if axis not in axes]
        if len(set(axes)) != len(axes):
            raise call.error(f"axis={axes} names a dimension twice")
        if not axes:
            return data
        return call.emit(operator(data, axes, keepdims=call.flag("keepdims", False)))

    return convert


def _argument(operator: Callable[..., relax.Expr]) -> Converter:
    def convert(call: OperatorCall) -> Value:
        data = call.data(0)
        (axis,) = call.ints("axis")
        if call.flag("exclude", False) or call.flag("select_last_index", False):
            raise call.error("exclude and select_last_index are not supported")
        index = operator(data, call.checked_axis(axis, len(call.shape(data))), call.flag("keepdims", False))
        return call.emit(relax.op.astype(call.emit(index), "int32"))

    return convert


def _l2_normalize(call: OperatorCall) -> Value:
    """``x / sqrt(max(sum(x * x), eps))``."""
    data = call.data(0)
    axes = [call.checked_axis(axis, len(call.shape(data))) for axis in call.ints("axis")]
    square = call.emit(relax.op.multiply(data, data))
    total = call.emit(relax.op.sum(square, axes, keepdims=True))
    least = relax.const(call.number("eps"), "float32")
    return call.emit(
        relax.op.divide(data, call.emit(relax.op.sqrt(call.emit(relax.op.maximum(total, least)))))
    )


CONVERTERS: dict[str, Converter] = {
    "nn.batch_norm": _batch_norm,
    "nn.softmax": _softmax(relax.op.nn.softmax),
    "nn.log_softmax": _softmax(relax.op.nn.log_softmax),
    "nn.lrn": _lrn,
    "nn.l2_normalize": _l2_normalize,
    "mean": _reduction(relax.op.mean),
    "sum": _reduction(relax.op.sum),
    "max": _reduction(relax.op.max),
    "min": _reduction(relax.op.min),
    "prod": _reduction(relax.op.prod),
    "variance": _reduction(relax.op.variance),
    "argmax": _argument(relax.op.argmax),
    "argmin": _argument(relax.op.argmin),
}
