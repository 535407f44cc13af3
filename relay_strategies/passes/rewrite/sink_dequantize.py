"""SinkDequantize: what only moves or compares values works on the stored integers.

A quantized network dequantizes before every operator and quantizes after it. Where the operator commutes
with dequantization (changes of shape, transposition, slices, channel shuffles, concatenation of equal
scales, maximum pooling, ReLU), dequantization moves behind it and meets the quantization there; the two
cancel when they have the same scale. A quantization behind a concatenation goes before it instead, and a
padding with zeros behind the dequantization before it, where ``Simplify`` makes it part of a convolution.
Every step is exact.
"""

from __future__ import annotations

import numpy as np
from tvm import relax

from relay_strategies.operators import COMPOSITES, Values, operator_of
from relay_strategies.operators.clips import RELU
from relay_strategies.operators.layouts import Reshapes
from relay_strategies.relax import composite
from relay_strategies.relax.calls import replaced
from relay_strategies.relax.epilogue_steps import step_of
from relay_strategies.relax.filters import CONVOLUTION
from relay_strategies.relax.graph import (
    Rewriter,
    constant,
    dtype_of,
    make_constant,
    operator_name,
    rewrite_pass,
    shape_of,
)
from relay_strategies.relax.movement_calls import CONCAT, PAD, concatenation_of, pad_value
from relay_strategies.relax.quantize_calls import (
    DEQUANTIZE,
    QUANTIZE,
    Parameters,
    channel_axis,
    parameters_of,
)


class _SinkDequantize(Rewriter):
    """Rules are applied to calls of the new function, whose arguments have been through them."""

    def visit(self, var: relax.Var, value: relax.Expr) -> relax.Expr | None:
        new = self.new(value)
        result = self._changed(var, new)
        return new if result is None else result

    def _changed(self, var: relax.Var, call: relax.Expr) -> relax.Expr | None:
        """Return what takes the place of ``call`` in the new function, ``var`` being the old variable."""
        found = composite.composite_of(self, call)
        if found is not None:
            return self._rebuilt(found)
        if operator_name(call) == QUANTIZE:
            return self._quantize(var, call)
        if operator_name(call) == DEQUANTIZE:
            return self._dequantize(var, call)
        values = operator_of(call).values
        if values is Values.JOINED:
            return self._joined(call)
        return self._moved(var, call, values) if values is not None else self._relu(call)

    def _dequantized(self, data: relax.Expr) -> relax.Call | None:
        return self.produced(data, DEQUANTIZE)

    def _like(self, stored: relax.Expr, call: relax.Call) -> relax.Call:
        """``stored`` dequantized as ``call`` does it, by one scale."""
        stored = stored if isinstance(stored, relax.Var) else self.emit(stored)
        return replaced(call, [stored, *call.args[1:]], axis=0)

    def _moved(self, var: relax.Var, call: relax.Call, values: Values) -> relax.Expr | None:
        """Move dequantization behind what keeps values, or the largest of several, into all its results."""
        before, shape = self._dequantized(call.args[0]), shape_of(var)
        if before is None or shape == ():
            return None
        axis = channel_axis(before)
        if values is Values.LARGEST and (axis is not None or not _ascending(before)):
            return None
        stored = replaced(call, [before.args[0], *call.args[1:]])
        if isinstance(operator_of(call).layout, Reshapes) and shape is not None:
            stored = relax.op.reshape(before.args[0], shape)
        if axis is not None:
            moved = _moved_channels(self.graph.definition[var], before, axis)
            return None if moved is None else moved.dequantize(self.emit(stored))
        if not isinstance(var.ty, relax.TupleType):
            return self._like(stored, before)
        parts = self.emit(stored)
        fields = [self.emit(relax.TupleGetItem(parts, i)) for i in range(len(var.ty.fields))]
        return relax.Tuple([self.emit(self._like(part, before)) for part in fields])

    def _rebuilt(self, found: composite.Composite) -> relax.Expr | None:
        """A composite that moves values."""
        entry = COMPOSITES.get(found.name)
        if entry is None or entry.rebuild is None or entry.values is None:
            return None
        before = self._dequantized(found.arguments[0])
        if before is None or channel_axis(before) is not None:
            return None
        known = parameters_of(before)
        if known is None:
            return None
        # What a composite adds to its data is zeros.
        attributes = {**found.attributes, "fill": int(known.zero_point[0])}
        axis = int(found.attributes.get("axis", 0))
        return self._like(entry.rebuild(self, [before.args[0]], attributes, axis), before)

    def _relu(self, call: relax.Expr) -> relax.Expr | None:
        """``max(scale * (x - zero), 0) = scale * (max(x, zero) - zero)``."""
        found = step_of(call)
        before = None if found is None or found[1] != RELU else self._dequantized(found[0])
        if before is None or channel_axis(before) is not None or not _ascending(before):
            return None
        known, dtype = parameters_of(before), dtype_of(before.args[0])
        assert known is not None
        if int(known.zero_point[0]) == np.iinfo(dtype).min:
            return before
        zero = make_constant(np.asarray(known.zero_point[0], dtype))
        return self._like(relax.op.maximum(before.args[0], zero), before)

    def _joined(self, call: relax.Call) -> relax.Expr | None:
        concatenation = concatenation_of(call)
        if concatenation is None:
            return None
        parts = [self._dequantized(field) for field in concatenation.tensors]
        calls = [part for part in parts if part is not None]
        known = [parameters_of(part) for part in calls]
        first = known[0] if len(calls) == len(parts) and known else None
        if first is None or first.axis is not None:
            return None
        if any(k is None or not k.equals(first) for k in known):
            return None
        if len({dtype_of(part.args[0]) for part in calls}) > 1:
            return None
        return self._like(replaced(call, [relax.Tuple([part.args[0] for part in calls])]), calls[0])

    def _quantize(self, var: relax.Var, call: relax.Call) -> relax.Expr | None:
        same = self._cancelled(call)
        if same is not None:
            return same
        joined = self.produced(call.args[0], CONCAT)
        concatenation = None if joined is None else concatenation_of(joined)
        if joined is None or concatenation is None or channel_axis(call) is not None:
            return None
        if self.graph.sole_call(self.graph.definition[var].args[0], CONCAT) is None:
            return None
        fields = []
        for field in concatenation.tensors:
            part = replaced(call, [field, *call.args[1:]], axis=0)
            cancelled = self._cancelled(part)
            fields.append(self.emit(part) if cancelled is None else cancelled)
        return replaced(joined, [relax.Tuple(fields)])

    def _dequantize(self, var: relax.Var, call: relax.Call) -> relax.Expr | None:
        """Padding with the zero point is padding of the real numbers with zero, which convolutions do."""
        known, graph = parameters_of(call), self.graph
        if known is None or known.axis is not None:
            return None
        if any(graph.call(consumer, CONVOLUTION) is None for consumer in graph.consumers.get(var, [])):
            return None
        pad = self.produced(call.args[0], PAD)
        if pad is not None and pad_value(pad) == int(known.zero_point[0]):
            return replaced(pad, [self.emit(replaced(call, [pad.args[0], *call.args[1:]]))], pad_value=0.0)
        # As QDQ networks have it: padded between dequantization and quantization of the same scale.
        quantize = self.produced(call.args[0], QUANTIZE)
        pad = None if quantize is None else self.produced(quantize.args[0], PAD)
        before = None if pad is None else self._dequantized(pad.args[0])
        if quantize is None or pad is None or before is None or pad_value(pad) != 0.0:
            return None
        others = (parameters_of(quantize), parameters_of(before))
        same = all(other is not None and other.equals(known) for other in others)
        stored = {dtype_of(before.args[0]), str(quantize.attrs.out_dtype)}
        return quantize.args[0] if same and len(stored) == 1 else None

    def _cancelled(self, call: relax.Call) -> relax.Expr | None:
        """Return what was dequantized when ``call`` quantizes it to the same integers."""
        before = self._dequantized(call.args[0])
        if before is None or dtype_of(before.args[0]) != str(call.attrs.out_dtype):
            return None
        one, other = parameters_of(before), parameters_of(call)
        return before.args[0] if one is not None and other is not None and one.equals(other) else None


SinkDequantize = rewrite_pass("SinkDequantize", _SinkDequantize)
"""Move dequantization behind data movement; wants ``Simplify`` before it, and again after it."""


def _ascending(call: relax.Call) -> bool:
    """Whether larger integers stand for larger values, as far as is known."""
    known = parameters_of(call)
    return known is not None and known.keeps_order


def _moved_channels(call: relax.Call, before: relax.Call, axis: int) -> Parameters | None:
    """The scales and zero points of what ``call`` makes of a tensor that has one of each per channel.

    None where they vary along more than one of its axes, or where that is not known.
    """
    known, evaluate, shape = parameters_of(before), operator_of(call).evaluate, shape_of(before.args[0])
    others = [constant(argument) for argument in call.args[1:] if isinstance(argument.ty, relax.TensorType)]
    if known is None or evaluate is None or not shape or 0 in shape or any(a is None for a in others):
        return None
    along = [1] * len(shape)
    along[axis] = -1
    numbers = np.arange(shape[axis], dtype=np.min_scalar_type(shape[axis]))
    channels = np.broadcast_to(numbers.reshape(along), shape)
    result = evaluate(call, [channels, *(array for array in others if array is not None)])
    for place in range(result.ndim):
        line = np.moveaxis(result, place, -1)[(0,) * (result.ndim - 1)]
        wide = [1] * result.ndim
        wide[place] = -1
        if np.array_equal(result, np.broadcast_to(line.reshape(wide), result.shape)):
            return Parameters(known.scale[line], known.zero_point[line], place)
    return None
