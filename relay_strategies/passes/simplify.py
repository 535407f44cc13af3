"""Simplify: the many ways a frontend writes an operator, brought to one.

After this pass (and ``FoldConstants`` before it) inference-only operators are gone, batch normalization with
constant statistics is a multiplication and an addition per channel, ONNX Sum is an addition, every clip is
``relax.clip`` or ``relax.nn.relu``, changes of shape are ``relax.reshape``, a pooling window over the whole
map is ``relax.mean``, explicit zero padding is part of its convolution, and local response normalization and
channel shuffles are composites.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import tvm
from tvm import relax
from tvm.ir import GlobalVar

from relay_strategies.relax import composite, te_calls
from relay_strategies.relax.calls import replaced
from relay_strategies.relax.graph import (
    Rewriter,
    constant,
    dtype_of,
    ints,
    make_constant,
    operator_name,
    pad_value,
    rewrite_module,
    scalar,
    shape_of,
)

from .clips import clip, clip_bounds


@tvm.transform.module_pass(opt_level=0, name="directconv.Simplify")
def Simplify(module: tvm.IRModule, context: tvm.transform.PassContext) -> tvm.IRModule:
    """Bring operators to their one form."""
    return rewrite_module(module, _Simplify)


class _Simplify(Rewriter):
    """Rules are applied to calls of the new function, whose arguments are simplified already."""

    def visit(self, var: relax.Var, value: relax.Expr) -> relax.Expr | None:
        new = self.new(value)
        if isinstance(new, relax.TupleGetItem):
            fields = self.builder.lookup_binding(new.tuple_value)
            return fields.fields[new.index] if isinstance(fields, relax.Tuple) else new
        return self.simplified(new)

    def simplified(self, call: relax.Expr) -> relax.Expr:
        rule = RULES.get(operator_name(call))
        result = None if rule is None else rule(self, self.builder.normalize(call))
        return call if result is None else result


def _dropout(rewriter: _Simplify, call: relax.Call) -> relax.Expr | None:
    return relax.Tuple([call.args[0], rewriter.emit(relax.op.ones_like(call.args[0]))])


def _batch_norm(rewriter: _Simplify, call: relax.Call) -> relax.Expr | None:
    data, *statistics = call.args
    found = [constant(value) for value in statistics]
    arrays = [array.astype(np.float64) for array in found if array is not None]
    if call.attrs.training or len(arrays) != 4:
        return None
    gamma, beta, mean, variance = arrays
    scale = (gamma if call.attrs.scale else 1.0) / np.sqrt(variance + float(call.attrs.epsilon))
    shift = (beta if call.attrs.center else 0.0) - mean * scale
    shape = [1] * len(shape_of(data) or ())
    shape[int(call.attrs.axis)] = scale.size
    dtype = dtype_of(data)
    scaled = rewriter.emit(relax.op.multiply(data, make_constant(scale.reshape(shape).astype(dtype))))
    result = rewriter.emit(relax.op.add(scaled, make_constant(shift.reshape(shape).astype(dtype))))
    return relax.Tuple([result, call.args[3], call.args[4]])


def _reshape(rewriter: _Simplify, call: relax.Call) -> relax.Expr | None:
    data, shape = call.args[0], shape_of(call)
    if shape is None:
        return None
    if shape == shape_of(data):
        return data
    before = rewriter.produced(data, "relax.reshape")
    if before is not None:
        return _reshape_to(before.args[0], shape)
    shuffled = _channel_shuffle(rewriter, data, shape)
    return _reshape_to(data, shape) if shuffled is None else shuffled


def _reshape_to(data: relax.Expr, shape: tuple[int, ...]) -> relax.Expr:
    return data if shape_of(data) == shape else relax.op.reshape(data, shape)


def _channel_shuffle(rewriter: _Simplify, data: relax.Expr, shape: tuple[int, ...]) -> relax.Expr | None:
    """reshape (N, g, C/g, H, W), swap axes 1 and 2, reshape back."""
    found = rewriter.produced_chain(data, "relax.permute_dims", "relax.reshape")
    if found is None:
        return None
    swap, split = found
    if swap.attrs.axes is None or [int(a) for a in swap.attrs.axes] != [0, 2, 1, 3, 4]:
        return None
    parts = shape_of(swap.args[0])
    if shape_of(split.args[0]) != shape or parts is None or (parts[0], *parts[3:]) != (shape[0], *shape[2:]):
        return None
    return composite.channel_shuffle(rewriter, split.args[0], parts[1], axis=1)


def _broadcast_to(rewriter: _Simplify, call: relax.Call) -> relax.Expr | None:
    return call.args[0] if shape_of(call.args[0]) == shape_of(call) else None


def _permute_dims(rewriter: _Simplify, call: relax.Call) -> relax.Expr | None:
    rank = len(shape_of(call) or ())
    axes = list(range(rank))[::-1] if call.attrs.axes is None else [int(a) for a in call.attrs.axes]
    before = rewriter.produced(call.args[0], "relax.permute_dims")
    data = call.args[0]
    if before is not None and before.attrs.axes is not None:
        data, axes = before.args[0], [int(before.attrs.axes[a]) for a in axes]
    if axes == list(range(rank)):
        return data
    return relax.op.permute_dims(data, axes) if before is not None else None


def _reduction(rewriter: _Simplify, call: relax.Call) -> relax.Expr | None:
    """A reduction over tensors that were stacked for it: ONNX Sum, Max and Min in TVM's importer."""
    stack = rewriter.produced(call.args[0], "relax.stack")
    pairwise = {
        "relax.sum": relax.op.add,
        "relax.max": relax.op.maximum,
        "relax.min": relax.op.minimum,
    }[operator_name(call)]
    if stack is None or call.attrs.keepdims or call.attrs.axis is None:
        return None
    terms = list(stack.args[0].fields) if isinstance(stack.args[0], relax.Tuple) else []
    axis = 0 if stack.attrs.axis is None else int(stack.attrs.axis)
    if not terms or [int(a) for a in call.attrs.axis] != [axis]:
        return None
    # The importer broadcasts every term before it stacks them; the pairwise operators do that themselves.
    wide = [rewriter.produced(term, "relax.broadcast_to") for term in terms]
    total, *rest = (t if w is None else w.args[0] for t, w in zip(terms, wide, strict=True))
    for term in rest:
        total = rewriter.emit(rewriter.simplified(pairwise(total, term)))
    return total if shape_of(total) == shape_of(call) else relax.op.broadcast_to(total, shape_of(call))


def _average_pool(rewriter: _Simplify, call: relax.Call) -> relax.Expr | None:
    """A window over the whole map is a mean."""
    shape, attrs = shape_of(call.args[0]), call.attrs
    if shape is None or attrs.layout not in ("NCHW", "NHWC"):
        return None
    axes = [2, 3] if attrs.layout == "NCHW" else [1, 2]
    if [(shape_of(call) or ())[axis] for axis in axes] != [1, 1]:
        return None
    if operator_name(call) == "relax.nn.avg_pool2d":
        whole = ints(attrs.pool_size) == tuple(shape[axis] for axis in axes)
        if not whole or any(ints(attrs.padding)) or any(d != 1 for d in ints(attrs.dilation)):
            return None
    return relax.op.mean(call.args[0], axes, keepdims=True)


def _mean(rewriter: _Simplify, call: relax.Call) -> relax.Expr | None:
    """A mean over the map that drops its axes keeps them and is reshaped, so that its layout stays known."""
    axes = [int(a) for a in call.attrs.axis] if call.attrs.axis is not None else []
    shape = shape_of(call)
    if call.attrs.keepdims or shape is None or len(shape_of(call.args[0]) or ()) != 4:
        return None
    if sorted(a % 4 for a in axes) != [2, 3]:
        return None
    return relax.op.reshape(rewriter.emit(relax.op.mean(call.args[0], axes, keepdims=True)), shape)


def _add(rewriter: _Simplify, call: relax.Call) -> relax.Expr | None:
    first, second = call.args
    return relax.op.add(second, first) if constant(first) is not None else None


def _multiply(rewriter: _Simplify, call: relax.Call) -> relax.Expr | None:
    first, second = call.args
    return relax.op.multiply(second, first) if constant(first) is not None else None


def _subtract(rewriter: _Simplify, call: relax.Call) -> relax.Expr | None:
    value = constant(call.args[1])
    return None if value is None else relax.op.add(call.args[0], make_constant(-value))


def _divide(rewriter: _Simplify, call: relax.Call) -> relax.Expr | None:
    value = constant(call.args[1])
    if value is None:
        return _lrn(rewriter, call)
    if not np.issubdtype(value.dtype, np.floating):
        return None
    return relax.op.multiply(call.args[0], make_constant((1 / value.astype(np.float64)).astype(value.dtype)))


def _lrn(rewriter: _Simplify, call: relax.Call) -> relax.Expr | None:
    """``x / (bias + alpha * avg_pool3d(x * x))^beta``, the channels moved to the pooled depth."""
    data, shape = call.args[0], shape_of(call.args[0])
    found = rewriter.produced_chain(
        call.args[1],
        *("relax.power", "relax.add", "relax.multiply"),
        *("relax.reshape", "relax.nn.avg_pool3d", "relax.reshape", "relax.multiply"),
    )
    if found is None or shape is None or len(shape) != 4:
        return None
    power, base, scaled, _, pool, _, square = found
    alpha, bias, beta = scalar(scaled.args[1]), scalar(base.args[1]), scalar(power.args[1])
    attrs = pool.attrs
    size = int(attrs.pool_size[0])
    plain = (
        all(operand == data for operand in square.args)
        and [int(v) for v in attrs.pool_size] == [size, 1, 1]
        and size % 2 == 1
        and [int(v) for v in attrs.padding] == [size // 2, 0, 0, size // 2, 0, 0]
        and all(int(v) == 1 for v in (*attrs.strides, *attrs.dilation))
        and attrs.count_include_pad
        and attrs.layout == "NCDHW"
        and shape_of(pool.args[0]) == (shape[0], 1, *shape[1:])
    )
    if not plain or alpha is None or bias is None or beta is None:
        return None
    return composite.lrn(rewriter, data, size, alpha, beta, bias, axis=1)


def _clip(rewriter: _Simplify, call: relax.Call) -> relax.Expr | None:
    bounds = clip_bounds(call)
    if bounds is None or dtype_of(bounds[0]) != "float32" or shape_of(bounds[0]) != shape_of(call):
        return None
    return clip(rewriter, *bounds)


def _call_tir(rewriter: _Simplify, call: relax.Call) -> relax.Expr | None:
    """Kernels that TVM's importer writes directly: ONNX Clip and Pad."""
    if not isinstance(call.args[0], GlobalVar):
        return None
    function = rewriter.function(call.args[0])
    bounds = te_calls.clip_bounds(function, call)
    if bounds is not None and dtype_of(bounds[0]) == "float32":
        return clip(rewriter, *bounds)
    padding = te_calls.padding(function, call)
    if padding is None:
        return None
    widths, value = padding
    return relax.op.nn.pad(call.args[1].fields[0], widths, pad_value=value)


def _conv2d(rewriter: _Simplify, call: relax.Call) -> relax.Expr | None:
    """Zero padding of the map alone moves into the convolution."""
    pad = rewriter.produced(call.args[0], "relax.nn.pad")
    if pad is None or call.attrs.data_layout != "NCHW" or pad_value(pad) != 0.0:
        return None
    before_n, after_n, before_c, after_c, top, bottom, left, right = (int(w) for w in pad.attrs.pad_width)
    if any((before_n, after_n, before_c, after_c)) or min(top, bottom, left, right) < 0:
        return None
    padding = [int(p) for p in call.attrs.padding]
    total = [p + extra for p, extra in zip(padding, (top, left, bottom, right), strict=True)]
    return replaced(call, [pad.args[0], call.args[1]], padding=total)


Rule = Callable[[_Simplify, relax.Call], relax.Expr | None]
RULES: dict[str, Rule] = {
    "relax.nn.dropout": _dropout,
    "relax.nn.batch_norm": _batch_norm,
    "relax.reshape": _reshape,
    "relax.expand_dims": _reshape,
    "relax.squeeze": _reshape,
    "relax.flatten": _reshape,
    "relax.nn.batch_flatten": _reshape,
    "relax.broadcast_to": _broadcast_to,
    "relax.permute_dims": _permute_dims,
    "relax.sum": _reduction,
    "relax.max": _reduction,
    "relax.min": _reduction,
    "relax.nn.avg_pool2d": _average_pool,
    "relax.nn.adaptive_avg_pool2d": _average_pool,
    "relax.mean": _mean,
    "relax.add": _add,
    "relax.multiply": _multiply,
    "relax.subtract": _subtract,
    "relax.divide": _divide,
    "relax.nn.relu": _clip,
    "relax.nn.relu6": _clip,
    "relax.clip": _clip,
    "relax.maximum": _clip,
    "relax.minimum": _clip,
    "relax.call_tir": _call_tir,
    "relax.nn.conv2d": _conv2d,
}
