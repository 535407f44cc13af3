"""Reductions, and the mean of an 8-bit map."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from tvm import relax

from relay_strategies.relax.calls import replaced
from relay_strategies.relax.composite import QGLOBAL_AVG_POOL2D, Composite
from relay_strategies.relax.epilogue_steps import FLOAT, steps_of
from relay_strategies.relax.functions import LOG_SUM_EXP, defined, over_axes
from relay_strategies.relax.graph import dtype_of, extents_of, ints, operator_name, shape_of
from tvm_directconv.operators.axis_reductions import (
    accumulate_along,
    first_place,
    global_avg_pool2d,
    global_max_pool2d,
    quantized_global_avg_pool2d,
    reduce_axes,
)
from tvm_directconv.operators.definitions import extreme, first_extreme
from tvm_directconv.operators.softmax import log_sum_exp
from tvm_directconv.operators.top_k import pays, top_k
from tvm_directconv.targets.target import CompileTarget

from . import linear
from .bytes import composite_name, quantized_types
from .layouts import NCHW, NHWC, Reduces, is_map, reduced_axes
from .operator import CompositeOperator, Kernel, Operator, Shape, Simplifier

PAIRWISE = {"relax.sum": relax.op.add, "relax.max": relax.op.maximum, "relax.min": relax.op.minimum}


def _unstacked(rewriter: Simplifier, call: relax.Call) -> relax.Expr | None:
    """A reduction over tensors that were stacked for it: ONNX Sum, Max and Min in TVM's importer."""
    stack = rewriter.produced(call.args[0], "relax.stack")
    if stack is None or call.attrs.keepdims or call.attrs.axis is None:
        return None
    terms = list(stack.args[0].fields) if isinstance(stack.args[0], relax.Tuple) else []
    axis = 0 if stack.attrs.axis is None else int(stack.attrs.axis)
    if not terms or [int(a) for a in call.attrs.axis] != [axis]:
        return None
    # The importer broadcasts every term before it stacks them; the pairwise operators do that themselves.
    wide = [rewriter.produced(term, "relax.broadcast_to") for term in terms]
    total, *rest = (t if w is None else w.args[0] for t, w in zip(terms, wide, strict=True))
    pairwise = PAIRWISE[operator_name(call)]
    for term in rest:
        total = rewriter.emit(rewriter.simplified(pairwise(total, term)))
    return total if shape_of(total) == shape_of(call) else relax.op.broadcast_to(total, shape_of(call))


def _kept_axes(rewriter: Simplifier, call: relax.Call) -> relax.Expr | None:
    """A mean over the map that drops its axes keeps them and is reshaped, so that its layout stays known."""
    shape = shape_of(call)
    if call.attrs.keepdims or shape is None or len(shape_of(call.args[0]) or ()) != 4:
        return None
    if not is_map(call.attrs.axis, NCHW):
        return None
    kept = relax.op.mean(call.args[0], [int(a) for a in call.attrs.axis], keepdims=True)
    return relax.op.reshape(rewriter.emit(kept), shape)


def _as_means(rewriter: Simplifier, call: relax.Call) -> relax.Expr | None:
    """A variance is the mean of the squared distances from a mean, and a deviation its root."""
    if dtype_of(call.args[0]) != FLOAT:
        return None
    axes, keepdims = over_axes(call)
    mean = rewriter.emit(relax.op.mean(call.args[0], axes, keepdims=True))
    distance = rewriter.emit(relax.op.subtract(call.args[0], mean))
    squares = rewriter.emit(relax.op.multiply(distance, distance))
    variance = relax.op.mean(squares, axes, keepdims=keepdims)
    deviates = operator_name(call) == "relax.std"
    return relax.op.sqrt(rewriter.emit(variance)) if deviates else variance


def _is_global(call: relax.Call) -> bool:
    """Whether a reduction is over the rows and columns of NHWC, which it keeps."""
    rank = len(shape_of(call.args[0]) or ())
    return rank == 4 and bool(call.attrs.keepdims) and is_map(call.attrs.axis, NHWC)


def _evaluated(function: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    """The reduction of a constant; floats are summed in float64."""

    def evaluate(call: relax.Call, arrays: Sequence[np.ndarray]) -> np.ndarray:
        (array,) = arrays
        axes, keepdims = over_axes(call)
        wide = array.astype(np.float64) if np.issubdtype(array.dtype, np.floating) else array
        return np.asarray(function(wide, axis=None if axes is None else tuple(axes), keepdims=keepdims))

    return evaluate


def _long_axes(call: relax.Call) -> list[int]:
    """The axes that a reduction of floats is along, but for those of one element; none of other types."""
    data = shape_of(call.args[0])
    if data is None or dtype_of(call.args[0]) != FLOAT:
        return []
    return [axis for axis in reduced_axes(call.attrs, len(data)) if data[axis] != 1]


def _last_run(axes: Sequence[int]) -> list[int]:
    """The last of the axes, and those before it that come one after the other."""
    return [axis for number, axis in enumerate(axes) if axes[-1] - axis == len(axes) - 1 - number]


def _along_last_run(call: relax.Call) -> relax.Call | None:
    """Return the reduction along the last run of axes, where a call reduces axes that are apart."""
    axes = _long_axes(call)
    run = _last_run(axes)
    if len(run) == len(axes):
        return None
    return replaced(call, call.args[:1], axis=run, keepdims=True)


def _along_axes(call: relax.Call, shape: Shape, target: CompileTarget) -> Kernel | None:
    """Reduce floats along axes that lie one after the other."""
    axes = _long_axes(call)
    if not axes or _last_run(axes) != axes:
        return None
    kind = operator_name(call).rpartition(".")[2]
    data, run = extents_of(call.args[0]), (axes[0], axes[-1] + 1)
    if operator_name(call) == LOG_SUM_EXP:
        function = log_sum_exp(data, run, shape, target)
    else:
        function = reduce_axes(data, run, shape, kind, target)
    return None if function is None else Kernel(kind, function, call.args)


def _running(call: relax.Call, shape: Shape, target: CompileTarget) -> Kernel | None:
    """Accumulate floats along an axis that is not the last."""
    data, axis = shape_of(call.args[0]), call.attrs.axis
    if data is None or axis is None or dtype_of(call.args[0]) != FLOAT:
        return None
    place = int(axis) % len(data)
    if math.prod(data[place + 1 :]) == 1 or str(call.attrs.dtype) not in (FLOAT, "None"):
        return None
    kind = operator_name(call).rpartition(".")[2]
    function = accumulate_along(data, place, kind, bool(call.attrs.exclusive), target)
    return Kernel(kind, function, call.args)


def _global_mean(call: relax.Call, shape: Shape, target: CompileTarget) -> Kernel | None:
    if not _is_global(call) or dtype_of(call.args[0]) != FLOAT:
        return _along_axes(call, shape, target)
    return Kernel("global_avg_pool2d", global_avg_pool2d(ints(extents_of(call.args[0])), target), call.args)


def _global_maximum(call: relax.Call, shape: Shape, target: CompileTarget) -> Kernel | None:
    if not _is_global(call):
        return _along_axes(call, shape, target)
    data = call.args[0]
    function = global_max_pool2d(ints(shape_of(data) or ()), target, dtype=dtype_of(data))
    return Kernel("global_max_pool2d", function, call.args)


def _quantized_mean(found: Composite, shape: Shape, target: CompileTarget) -> Kernel | None:
    (source,), result = quantized_types(found)
    data = ints(extents_of(found.arguments[0]))
    function = quantized_global_avg_pool2d(data, source, result, target, steps=steps_of(found.attributes))
    return Kernel(composite_name(found), function, found.arguments)


def _along_axis(call: relax.Call, largest: bool) -> tuple[int | None, bool, bool]:
    axis = None if call.attrs.axis is None else int(call.attrs.axis)
    return axis, bool(call.attrs.keepdims), largest


def _top_k(call: relax.Call, shape: Shape, target: CompileTarget) -> Kernel | None:
    """Find where the largest few are; where they are many TVM sorts all."""
    data, attrs = shape_of(call.args[0]), call.attrs
    kinds = attrs.ret_type, str(attrs.dtype), dtype_of(call.args[0])
    if data is None or kinds != ("indices", "int64", FLOAT):
        return None
    axis = int(attrs.axis) % len(data)
    if not pays(data[axis], int(attrs.k)):
        return None
    return Kernel("top_k", top_k(data, axis, int(attrs.k), bool(attrs.largest), target), call.args)


def _first_place(call: relax.Call, shape: Shape, target: CompileTarget) -> Kernel | None:
    data, axis = shape_of(call.args[0]), call.attrs.axis
    if data is None or axis is None or dtype_of(call.args[0]) != FLOAT:
        return None
    largest = operator_name(call) == "relax.argmax"
    return Kernel("first_place", first_place(data, int(axis) % len(data), shape, largest, target), call.args)


OPERATORS = (
    Operator("relax.topk", kernel=_top_k, finds_places=True),
    *(
        Operator(
            f"relax.{name}",
            layout=Reduces(places=True),
            kernel=_first_place,
            finds_places=True,
            legalize=defined(first_extreme, "first_extreme", partial(_along_axis, largest=name == "argmax")),
        )
        for name in ("argmax", "argmin")
    ),
    Operator(
        "relax.mean",
        layout=Reduces(by_block=True, in_turn=True),
        evaluate=_evaluated(np.mean),
        linear=linear.mean,
        simplify=_kept_axes,
        kernel=_global_mean,
        begins_with=_along_last_run,
        between_bytes=lambda call: QGLOBAL_AVG_POOL2D if _is_global(call) else None,
    ),
    Operator(
        "relax.max",
        layout=Reduces(by_block=True, in_turn=True),
        evaluate=_evaluated(np.max),
        simplify=_unstacked,
        kernel=_global_maximum,
        begins_with=_along_last_run,
        legalize=defined(extreme, "extreme", lambda call: (*over_axes(call), True)),
    ),
    Operator(
        "relax.min",
        layout=Reduces(in_turn=True),
        evaluate=_evaluated(np.min),
        simplify=_unstacked,
        kernel=_along_axes,
        begins_with=_along_last_run,
        legalize=defined(extreme, "extreme", lambda call: (*over_axes(call), False)),
    ),
    Operator(
        "relax.sum",
        layout=Reduces(in_turn=True),
        evaluate=_evaluated(np.sum),
        simplify=_unstacked,
        kernel=_along_axes,
        begins_with=_along_last_run,
    ),
    Operator(
        LOG_SUM_EXP,
        layout=Reduces(),
        evaluate=_evaluated(np.logaddexp.reduce),
        kernel=_along_axes,
        begins_with=_along_last_run,
    ),
    Operator("relax.cumsum", kernel=_running),
    Operator("relax.cumprod", kernel=_running),
    Operator(
        "relax.prod",
        layout=Reduces(in_turn=True),
        evaluate=_evaluated(np.prod),
        kernel=_along_axes,
        begins_with=_along_last_run,
    ),
    Operator("relax.std", layout=Reduces(), simplify=_as_means),
    Operator("relax.variance", layout=Reduces(), evaluate=_evaluated(np.var), simplify=_as_means),
)
COMPOSITES = (CompositeOperator(QGLOBAL_AVG_POOL2D, kernel=_quantized_mean),)
