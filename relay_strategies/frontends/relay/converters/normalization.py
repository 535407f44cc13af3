"""Normalization, softmax and reductions of Relay."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tvm import relax

from relay_strategies.functional.finding import cleared
from relay_strategies.functional.indexing import gather_elements
from relay_strategies.functional.normalization import group_norm, layer_norm, local_response_norm
from relay_strategies.functional.reductions import reduce
from relay_strategies.relax.graph import dtype_of

from .call import Converter, OperatorCall, Value


def _batch_norm(call: OperatorCall) -> Value:
    data, *statistics = (call.data(i) for i in range(5))
    shape = call.shape_of(data)
    axis = call.axis("axis", 1, len(shape))
    for number, vector in enumerate(statistics, start=2):
        if call.shape_of(vector) != (shape[axis],):
            raise call.error(f"operand {number} of shape {call.shape_of(vector)} for {shape[axis]} channels")
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
        return call.emit(operator(data, call.axis("axis", -1, len(call.shape_of(data)))))

    return convert


def _lrn(call: OperatorCall) -> Value:
    data = call.data(0)
    call.rank(data, 4)
    size, axis = call.integer("size", 5), call.axis("axis", 1, 4)
    if axis not in (1, 3):
        raise call.error(f"size={size}, axis={axis} is not supported; an odd size over axis 1 or 3 is")
    numbers = call.number("alpha", 1e-5), call.number("beta", 0.75), call.number("bias", 2.0)
    data = call.change_layout(data, "NHWC" if axis == 3 else "NCHW", "NCHW")
    result = call.emit(local_response_norm(call, data, size, *numbers))
    return call.change_layout(result, "NCHW", "NHWC" if axis == 3 else "NCHW")


def _reduction(kind: str) -> Converter:
    def convert(call: OperatorCall) -> Value:
        data = call.data(0)
        rank = len(call.shape_of(data))
        axes = list(range(rank))
        given = call.get("axis", None)
        if given is not None and given != ():
            axes = [call.checked_axis(axis, rank) for axis in call.ints("axis")]
        if call.flag("exclude", False):
            axes = [axis for axis in range(rank) if axis not in axes]
        if len(set(axes)) != len(axes):
            raise call.error(f"axis={axes} names a dimension twice")
        return call.emit(reduce(call, data, kind, axes, call.flag("keepdims", False))) if axes else data

    return convert


def _argument(operator: Callable[..., relax.Expr]) -> Converter:
    def convert(call: OperatorCall) -> Value:
        data = call.data(0)
        (axis,) = call.ints("axis")
        if call.flag("exclude", False) or call.flag("select_last_index", False):
            raise call.error("exclude and select_last_index are not supported")
        index = operator(
            data, call.checked_axis(axis, len(call.shape_of(data))), call.flag("keepdims", False)
        )
        return call.emit(relax.op.astype(call.emit(index), "int32"))

    return convert


def _l2_normalize(call: OperatorCall) -> Value:
    """``x / sqrt(max(sum(x * x), eps))``."""
    data = call.data(0)
    axes = [call.checked_axis(axis, len(call.shape_of(data))) for axis in call.ints("axis")]
    square = call.emit(relax.op.multiply(data, data))
    total = call.emit(relax.op.sum(square, axes, keepdims=True))
    least = relax.const(call.number("eps"), "float32")
    return call.emit(
        relax.op.divide(data, call.emit(relax.op.sqrt(call.emit(relax.op.maximum(total, least)))))
    )


def _layer_norm(call: OperatorCall) -> Value:
    data, scale, shift = (call.data(number) for number in range(3))
    axis = call.axis("axis", -1, len(call.shape_of(data)))
    scale, shift = _used(call, scale, shift)
    return call.emit(layer_norm(call, data, scale, shift, [axis], call.number("epsilon", 1e-5)))


def _group_norm(is_instance: bool) -> Converter:
    """Normalization of groups of channels; of an instance, each channel is one."""

    def convert(call: OperatorCall) -> Value:
        data, scale, shift = (call.data(number) for number in range(3))
        rank = len(call.shape_of(data))
        axis = call.axis("axis", 1, rank)
        order = [0, axis, *(each for each in range(1, rank) if each != axis)]
        moved = data if axis == 1 else call.emit(relax.op.permute_dims(data, order))
        groups = call.shape_of(moved)[1] if is_instance else call.integer("num_groups")
        scale, shift = _used(call, scale, shift)
        result = call.emit(group_norm(call, moved, scale, shift, groups, call.number("epsilon", 1e-5)))
        back = [order.index(each) for each in range(rank)]
        return result if axis == 1 else call.emit(relax.op.permute_dims(result, back))

    return convert


def _used(call: OperatorCall, *given: relax.Expr) -> tuple[relax.Expr | None, ...]:
    """The scale and the shift, or None in the place of one that the attributes leave out."""
    named = zip(("scale", "center"), given, strict=True)
    return tuple(value if call.flag(name, True) else None for name, value in named)


def _truths(kind: str) -> Converter:
    """Whether all, or any, elements are true: the least or the greatest of them as numbers."""
    reduction = _reduction(kind)

    def convert(call: OperatorCall) -> Value:
        numbers = call.with_data(call.cast(call.data(0), "int8"))
        return call.cast(numbers.tensor(reduction(numbers), "the result"), "bool")

    return convert


def _collapsed(call: OperatorCall, shape: Sequence[int]) -> Value:
    """Sums over what broadcasting to the data's shape would repeat."""
    data = call.data(0)
    given = call.shape_of(data)
    wide = [*[1] * (len(given) - len(shape)), *shape]
    if len(wide) != len(given) or any(
        size not in (1, extent) for size, extent in zip(wide, given, strict=True)
    ):
        raise call.error(f"shape {list(shape)} does not broadcast to {given}")
    axes = [axis for axis, size in enumerate(wide) if size == 1 and given[axis] != 1]
    summed = call.emit(relax.op.sum(data, axes, keepdims=True)) if axes else data
    return call.emit(relax.op.reshape(summed, list(shape)))


def _collapsed_to(call: OperatorCall) -> Value:
    call.ignore("shape", "dtype")
    return _collapsed(call, list(map(int, call.constant(1).reshape(-1))))


def _cross_entropy(of_logarithms: bool) -> Converter:
    """The mean over the batch, of chances or of their logarithms."""

    def convert(call: OperatorCall) -> Value:
        chances, targets = call.data(0), call.data(1)
        batch, _ = call.rank(chances, 2)
        logarithms = chances if of_logarithms else call.emit(relax.op.log(chances))
        total = call.emit(relax.op.sum(call.emit(relax.op.multiply(logarithms, targets)), None))
        return call.emit(relax.op.divide(total, call.cast(-batch, dtype_of(total))))

    return convert


def _nll_loss(call: OperatorCall) -> Value:
    """The logarithm of each target's chance, negated, by the weight of its class."""
    chances, targets, weights = call.data(0), call.cast(call.data(1), "int64"), call.data(2)
    kind, ignored = call.text("reduction", "mean"), call.integer("ignore_index", -100)
    if kind not in ("mean", "sum", "none"):
        raise call.error(f"reduction '{kind}' is none of mean, sum and none")
    classes = call.shape_of(chances)[1]
    inside = call.emit(relax.op.clip(targets, 0, classes - 1))
    is_used = call.emit(relax.op.not_equal(targets, relax.const(ignored, "int64")))
    weight = call.emit(relax.op.take(weights, call.emit(relax.op.reshape(inside, (-1,))), 0, mode="clip"))
    weight = call.emit(relax.op.reshape(weight, call.shape_of(targets)))
    weight = cleared(call, weight, is_used)
    places = call.emit(relax.op.expand_dims(inside, 1))
    chance = call.emit(relax.op.squeeze(call.emit(gather_elements(call, chances, places, 1)), [1]))
    loss = call.emit(relax.op.negative(call.emit(relax.op.multiply(chance, weight))))
    if kind == "none":
        return loss
    total = call.emit(relax.op.sum(loss, None))
    return (
        call.emit(relax.op.divide(total, call.emit(relax.op.sum(weight, None)))) if kind == "mean" else total
    )


CONVERTERS: dict[str, Converter] = {
    "nn.batch_norm": _batch_norm,
    "nn.softmax": _softmax(relax.op.nn.softmax),
    "nn.log_softmax": _softmax(relax.op.nn.log_softmax),
    "nn.fast_softmax": _softmax(relax.op.nn.softmax),
    "nn.layer_norm": _layer_norm,
    "nn.instance_norm": _group_norm(is_instance=True),
    "nn.group_norm": _group_norm(is_instance=False),
    "nn.lrn": _lrn,
    "nn.l2_normalize": _l2_normalize,
    **{kind: _reduction(kind) for kind in ("mean", "sum", "max", "min", "prod", "variance")},
    "all": _truths("min"),
    "any": _truths("max"),
    "argmax": _argument(relax.op.argmax),
    "argmin": _argument(relax.op.argmin),
    "collapse_sum_like": lambda call: _collapsed(call, call.shape_of(call.data(1))),
    "collapse_sum_to": _collapsed_to,
    "nn.cross_entropy": _cross_entropy(of_logarithms=False),
    "nn.cross_entropy_with_logits": _cross_entropy(of_logarithms=True),
    "nn.nll_loss": _nll_loss,
}
