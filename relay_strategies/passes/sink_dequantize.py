"""SinkDequantize: what only moves or compares values works on the stored integers.

A quantized network dequantizes before every operator and quantizes after it. Where the operator commutes
with dequantization (changes of shape, transposition, slices, channel shuffles, concatenation of equal
scales, maximum pooling, ReLU), dequantization moves behind it and meets the quantization there; the two
cancel when they have the same scale. A quantization behind a concatenation goes before it instead, and a
padding with zeros behind the dequantization before it, where ``Simplify`` makes it part of a convolution.
Every step is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import tvm
from tvm import relax

from relay_strategies.relax import composite
from relay_strategies.relax.calls import replaced
from relay_strategies.relax.graph import (
    Rewriter,
    dtype_of,
    make_constant,
    operator_name,
    pad_value,
    rewrite_module,
    shape_of,
)

from .clips import INFINITY, clip_bounds
from .quantization import DEQUANTIZE, QUANTIZE, channel_axis, parameters_of


@tvm.transform.module_pass(opt_level=0, name="directconv.SinkDequantize")
def SinkDequantize(module: tvm.IRModule, context: tvm.transform.PassContext) -> tvm.IRModule:
    """Move dequantization behind data movement; wants ``Simplify`` before it, and again after it."""
    return rewrite_module(module, _SinkDequantize)


class _SinkDequantize(Rewriter):
    """Rules are applied to calls of the new function, whose arguments have been through them."""

    def visit(self, var: relax.Var, value: relax.Expr) -> relax.Expr | None:
        new = self.new(value)
        is_composite = composite.composite_of(self, new) is not None
        rule = _channel_shuffle if is_composite else RULES.get(operator_name(new))
        result = None if rule is None else rule(self, var, new)
        return new if result is None else result

    def dequantized(self, data: relax.Expr) -> relax.Call | None:
        return self.produced(data, DEQUANTIZE)

    def dequantize_like(self, stored: relax.Expr, call: relax.Call, axis: int | None) -> relax.Call:
        """``stored`` dequantized as ``call`` does it, its channels being at ``axis``."""
        stored = stored if isinstance(stored, relax.Var) else self.emit(stored)
        return replaced(call, [stored, *call.args[1:]], axis=0 if axis is None else axis)


Rule = Callable[[_SinkDequantize, relax.Var, relax.Call], relax.Expr | None]
"""(rewriter, old variable, its call in the new function) to what takes that call's place."""


def _reshape(rewriter: _SinkDequantize, var: relax.Var, call: relax.Call) -> relax.Expr | None:
    before, shape = rewriter.dequantized(call.args[0]), shape_of(var)
    stored = shape_of(call.args[0])
    if before is None or not shape or stored is None:
        return None
    axis = channel_axis(before)
    if axis is not None:
        axis = _same_axis(stored, axis, shape)
        if axis is None:
            return None
    return rewriter.dequantize_like(relax.op.reshape(before.args[0], shape), before, axis)


def _same_axis(before: Sequence[int], axis: int, after: Sequence[int]) -> int | None:
    """Where an axis is after a reshape, None when it is not kept."""
    for index, extent in enumerate(after):
        if extent == before[axis] and np.prod(after[:index]) == np.prod(before[:axis]):
            return index
    return None


def _permute_dims(rewriter: _SinkDequantize, var: relax.Var, call: relax.Call) -> relax.Expr | None:
    before = rewriter.dequantized(call.args[0])
    if before is None:
        return None
    axis = channel_axis(before)
    if axis is not None:
        rank = len(shape_of(var) or ())
        axes = range(rank)[::-1] if call.attrs.axes is None else [int(a) for a in call.attrs.axes]
        axis = list(axes).index(axis)
    return rewriter.dequantize_like(replaced(call, [before.args[0]]), before, axis)


def _moved(rewriter: _SinkDequantize, var: relax.Var, call: relax.Call) -> relax.Expr | None:
    """What keeps every value, or the largest of several."""
    before = rewriter.dequantized(call.args[0])
    if before is None or channel_axis(before) is not None or not _ascending(before):
        return None
    return rewriter.dequantize_like(replaced(call, [before.args[0], *call.args[1:]]), before, None)


def _ascending(call: relax.Call) -> bool:
    """Whether larger integers stand for larger values."""
    known = parameters_of(call)
    return known is not None and bool(np.all(known.scale > 0))


def _channel_shuffle(rewriter: _SinkDequantize, var: relax.Var, call: relax.Call) -> relax.Expr | None:
    found = composite.composite_of(rewriter, call)
    if found is None or found.name != composite.CHANNEL_SHUFFLE:
        return None
    before = rewriter.dequantized(found.arguments[0])
    if before is None or channel_axis(before) is not None:
        return None
    groups, axis = int(found.attributes["groups"]), int(found.attributes["axis"])
    shuffled = composite.channel_shuffle(rewriter, before.args[0], groups, axis)
    return rewriter.dequantize_like(shuffled, before, None)


def _split(rewriter: _SinkDequantize, var: relax.Var, call: relax.Call) -> relax.Expr | None:
    before = rewriter.dequantized(call.args[0])
    if before is None or channel_axis(before) is not None:
        return None
    parts = rewriter.emit(replaced(call, [before.args[0]]))
    stored = [rewriter.emit(relax.TupleGetItem(parts, i)) for i in range(len(var.ty.fields))]
    return relax.Tuple([rewriter.emit(rewriter.dequantize_like(part, before, None)) for part in stored])


def _relu(rewriter: _SinkDequantize, var: relax.Var, call: relax.Call) -> relax.Expr | None:
    """``max(scale * (x - zero), 0) = scale * (max(x, zero) - zero)``."""
    bounds = clip_bounds(call)
    before = None if bounds is None or bounds[1:] != (0.0, INFINITY) else rewriter.dequantized(bounds[0])
    if before is None or channel_axis(before) is not None or not _ascending(before):
        return None
    known, dtype = parameters_of(before), dtype_of(before.args[0])
    assert known is not None
    if int(known.zero_point[0]) == np.iinfo(dtype).min:
        return before
    zero = make_constant(np.asarray(known.zero_point[0], dtype))
    return rewriter.dequantize_like(relax.op.maximum(before.args[0], zero), before, None)


def _concat(rewriter: _SinkDequantize, var: relax.Var, call: relax.Call) -> relax.Expr | None:
    if not isinstance(call.args[0], relax.Tuple):
        return None
    parts = [rewriter.dequantized(field) for field in call.args[0].fields]
    calls = [part for part in parts if part is not None]
    known = [parameters_of(part) for part in calls]
    first = known[0] if len(calls) == len(parts) and known else None
    if first is None or first.axis is not None:
        return None
    if any(k is None or not k.equals(first) for k in known):
        return None
    if len({dtype_of(part.args[0]) for part in calls}) > 1:
        return None
    joined = replaced(call, [relax.Tuple([part.args[0] for part in calls])])
    return rewriter.dequantize_like(joined, calls[0], None)


def _quantize(rewriter: _SinkDequantize, var: relax.Var, call: relax.Call) -> relax.Expr | None:
    same = _cancelled(rewriter, call)
    if same is not None:
        return same
    joined = rewriter.produced(call.args[0], "relax.concat")
    if joined is None or channel_axis(call) is not None or not isinstance(joined.args[0], relax.Tuple):
        return None
    if rewriter.graph.sole_call(rewriter.graph.definition[var].args[0], "relax.concat") is None:
        return None
    fields = []
    for field in joined.args[0].fields:
        part = replaced(call, [field, *call.args[1:]], axis=0)
        cancelled = _cancelled(rewriter, part)
        fields.append(rewriter.emit(part) if cancelled is None else cancelled)
    return replaced(joined, [relax.Tuple(fields)])


def _dequantize(rewriter: _SinkDequantize, var: relax.Var, call: relax.Call) -> relax.Expr | None:
    """Padding with the zero point is padding of the real numbers with zero, which convolutions do."""
    known, graph = parameters_of(call), rewriter.graph
    if known is None or known.axis is not None:
        return None
    if any(graph.call(consumer, "relax.nn.conv2d") is None for consumer in graph.consumers.get(var, [])):
        return None
    pad = rewriter.produced(call.args[0], "relax.nn.pad")
    if pad is not None and pad_value(pad) == int(known.zero_point[0]):
        return replaced(pad, [rewriter.emit(replaced(call, [pad.args[0], *call.args[1:]]))], pad_value=0.0)
    # As QDQ networks have it: padded between dequantization and quantization of the same scale.
    quantize = rewriter.produced(call.args[0], QUANTIZE)
    pad = None if quantize is None else rewriter.produced(quantize.args[0], "relax.nn.pad")
    before = None if pad is None else rewriter.dequantized(pad.args[0])
    if quantize is None or pad is None or before is None or pad_value(pad) != 0.0:
        return None
    others = (parameters_of(quantize), parameters_of(before))
    same = all(other is not None and other.equals(known) for other in others)
    stored = {dtype_of(before.args[0]), str(quantize.attrs.out_dtype)}
    return quantize.args[0] if same and len(stored) == 1 else None


def _cancelled(rewriter: _SinkDequantize, call: relax.Call) -> relax.Expr | None:
    """What was dequantized when ``call`` quantizes it to the same integers."""
    before = rewriter.dequantized(call.args[0])
    if before is None or dtype_of(before.args[0]) != str(call.attrs.out_dtype):
        return None
    one, other = parameters_of(before), parameters_of(call)
    return before.args[0] if one is not None and other is not None and one.equals(other) else None


RULES: dict[str, Rule] = {
    **dict.fromkeys(("relax.reshape", "relax.expand_dims", "relax.squeeze", "relax.flatten"), _reshape),
    "relax.permute_dims": _permute_dims,
    "relax.strided_slice": _moved,
    "relax.nn.max_pool2d": _moved,
    "relax.split": _split,
    "relax.nn.relu": _relu,
    "relax.concat": _concat,
    QUANTIZE: _quantize,
    DEQUANTIZE: _dequantize,
}
