"""Operators of Relay's dyn, whose attributes are operands: read where these are constants; slices also end
where it is known at run time."""

from __future__ import annotations

import numpy as np
from tvm import relax

from relay_strategies.functional.finding import measured
from relay_strategies.relax.graph import constant, make_constant, operator_name
from tvm_directconv.problem.extents import given_to_tvm

from . import movement
from .call import Converter, OperatorCall, Value, of_constants


def _pad(call: OperatorCall) -> Value:
    """The widths are an operand ahead of the value."""
    widths = tuple(map(tuple, call.constant(1).tolist()))
    return movement.pad(call.with_attributes({"pad_width": widths, "pad_value": call.constant(2).item()}))


def _full(value: float) -> Converter:
    convert = movement.full_of(value)
    return lambda call: convert(call.with_attributes({"shape": tuple(call.constant(0).tolist())}))


_slice_of_constants = of_constants(movement.strided_slice, "begin", "end", "strides")


def _strided_slice(call: OperatorCall) -> Value:
    """A slice from the front on may end where an operator found something."""
    if constant(call.data(2)) is not None:
        return _slice_of_constants(call)
    call.ignore("begin", "end", "strides", "slice_mode", "axes")
    data, ends = call.data(0), _known(call, call.data(2))
    shape = call.shape_of(data)
    if call.constant(1).any() or (call.constant(3) != 1).any() or len(ends) != len(shape):
        raise call.error(
            "what ends at run time has to begin in front and to have strides of 1, along all axes"
        )
    late = [axis for axis, end in enumerate(ends) if end is None]
    sizes = [shape[axis] for axis in late]
    given = call.emit(relax.op.take(call.cast(call.data(2), "int64"), make_constant(np.array(late)), 0))
    from_behind = call.emit(relax.op.add(given, make_constant(np.array(sizes))))
    zero = relax.const(0, "int64")
    counted = call.emit(relax.op.where(call.emit(relax.op.less(given, zero)), from_behind, given))
    inside = call.emit(relax.op.minimum(counted, make_constant(np.array(sizes))))
    found = measured(call, call.emit(relax.op.maximum(inside, zero)), sizes)
    for axis, size in zip(late, found, strict=True):
        ends[axis] = given_to_tvm(size)
    return call.emit(
        relax.op.strided_slice(data, list(range(len(shape))), [0] * len(shape), ends, assume_inbound=True)
    )


def _known(call: OperatorCall, vector: relax.Expr) -> list[int | None]:
    """The elements of a vector that was put together, as far as they are constants."""
    array = constant(vector)
    if array is not None:
        return [int(value) for value in array]
    value = call.builder.lookup_binding(vector) if isinstance(vector, relax.Var) else None
    if isinstance(value, relax.Call) and operator_name(value) == "relax.astype":
        return _known(call, value.args[0])
    if isinstance(value, relax.Call) and operator_name(value) == "relax.concat":
        return [element for part in value.args[0].fields for element in _known(call, part)]
    return [None] * call.rank(vector, 1)[0]


CONVERTERS: dict[str, Converter] = {
    "dyn.broadcast_to": of_constants(movement.broadcast_to, "shape"),
    "dyn.expand_dims": of_constants(movement.expand_dims, "axis"),
    "dyn.nn.pad": _pad,
    "dyn.ones": _full(1),
    "dyn.reshape": of_constants(movement.reshape, "newshape"),
    "dyn.squeeze": of_constants(movement.squeeze, "axis"),
    "dyn.strided_slice": _strided_slice,
    "dyn.tile": of_constants(movement.tile, "reps"),
    "dyn.zeros": _full(0),
}
