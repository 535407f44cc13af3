"""Composite operators: a Relax function that stands for one kernel, its body saying what the kernel computes.

This is TVM's own convention (``FuseOpsByPattern`` makes the same): private functions with the attribute
``Composite``. A module with composites still means what it says, so any Relax pipeline can build it; the
``Lower`` pass replaces each by a scheduled kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tvm import relax
from tvm.ir import GlobalVar

from .graph import COMPOSITE, PREFIX, Graph, Rewriter, composite_name, shape_of

LRN = PREFIX + "lrn"
CHANNEL_SHUFFLE = PREFIX + "channel_shuffle"
CONV2D = PREFIX + "conv2d"
DENSE = PREFIX + "dense"
QCONV2D = PREFIX + "qconv2d"
QDENSE = PREFIX + "qdense"
AFFINE = PREFIX + "affine"

Emit = Callable[[relax.Expr], relax.Var]
Body = Callable[[Emit, Sequence[relax.Var]], relax.Expr]


@dataclass(frozen=True)
class Composite:
    """A call of a composite function: its name, arguments and parameters."""

    name: str
    arguments: tuple[relax.Expr, ...]
    attributes: Mapping[str, Any]
    function: relax.Function


def composite_of(rewriter: Rewriter, expr: relax.Expr) -> Composite | None:
    """``expr`` as a call of a composite function, None for anything else."""
    if not isinstance(expr, relax.Call) or not isinstance(expr.op, GlobalVar):
        return None
    function = rewriter.function(expr.op)
    name = composite_name(function)
    if name is None or not isinstance(function, relax.Function):
        return None
    return Composite(name, tuple(expr.args), dict(function.attrs), function)


def make_composite(
    rewriter: Rewriter,
    name: str,
    arguments: Sequence[relax.Expr],
    body: Body,
    attributes: Mapping[str, Any] | None = None,
    like: relax.Expr | None = None,
) -> relax.Call:
    """A call of the composite ``name`` on ``arguments``; ``body`` builds its meaning from its parameters.

    Equal composites share one function. The call takes the source span of ``like``.
    """
    params = [relax.Var(f"p{index}", argument.ty) for index, argument in enumerate(arguments)]
    builder = relax.BlockBuilder()
    attrs = {COMPOSITE: name, "Primitive": True, **(attributes or {})}
    with builder.function("composite", params, attrs, private=True):
        with builder.dataflow():
            result = builder.emit_output(body(builder.emit, params))
        builder.emit_func_output(result)
    function = builder.get()["composite"]
    global_var = rewriter.add_function(function, "fused_" + name.removeprefix(PREFIX))
    return relax.Call(global_var, list(arguments), span=None if like is None else like.span)


def inlined(emit: Emit, function: relax.Function, arguments: Sequence[relax.Expr]) -> relax.Expr:
    """The result of a composite function's body on ``arguments``, its operators emitted once more."""
    known: dict[relax.Var, relax.Expr] = dict(zip(function.params, arguments, strict=True))

    def new(expr: relax.Expr) -> relax.Expr:
        if isinstance(expr, relax.Call):
            return relax.Call(expr.op, [new(argument) for argument in expr.args], expr.attrs, expr.ty_args)
        if isinstance(expr, relax.Tuple):
            return relax.Tuple([new(part) for part in expr.fields])
        return known.get(expr, expr) if isinstance(expr, relax.Var) else expr

    for var, value in Graph(function).bindings:
        known[var] = new(value) if isinstance(value, relax.Var) else emit(new(value))
    return new(function.body.body)


def lrn(
    rewriter: Rewriter, data: relax.Expr, size: int, alpha: float, beta: float, bias: float, axis: int
) -> relax.Call:
    """Local response normalization across the channels of a 4-D tensor, which are at ``axis`` (1 or 3).

    ``data / (bias + alpha * mean(data^2 over size channels))^beta``, as ONNX defines it.
    """
    window = [size, 1, 1] if axis == 1 else [1, 1, size]
    half = [extent // 2 for extent in window]

    def body(emit: Emit, params: Sequence[relax.Var]) -> relax.Expr:
        (x,) = params
        shape = shape_of(x)
        assert shape is not None
        squares = emit(relax.op.expand_dims(emit(relax.op.multiply(x, x)), 1))
        mean = emit(relax.op.nn.avg_pool3d(squares, window, padding=[*half, *half], count_include_pad=True))
        scaled = emit(relax.op.multiply(emit(relax.op.reshape(mean, shape)), relax.const(alpha, "float32")))
        base = emit(relax.op.add(scaled, relax.const(bias, "float32")))
        return relax.op.divide(x, emit(relax.op.power(base, relax.const(beta, "float32"))))

    attributes = {"size": size, "alpha": alpha, "beta": beta, "bias": bias, "axis": axis}
    return make_composite(rewriter, LRN, [data], body, attributes)


def channel_shuffle(rewriter: Rewriter, data: relax.Expr, groups: int, axis: int) -> relax.Call:
    """Channels seen as (groups, C / groups) and transposed; they are at ``axis`` (1 or 3) of a 4-D tensor."""

    def body(emit: Emit, params: Sequence[relax.Var]) -> relax.Expr:
        (x,) = params
        shape = shape_of(x)
        assert shape is not None
        split = [*shape[:axis], groups, shape[axis] // groups, *shape[axis + 1 :]]
        axes = list(range(5))
        axes[axis], axes[axis + 1] = axes[axis + 1], axes[axis]
        swapped = emit(relax.op.permute_dims(emit(relax.op.reshape(x, split)), axes))
        return relax.op.reshape(swapped, shape)

    return make_composite(rewriter, CHANNEL_SHUFFLE, [data], body, {"groups": groups, "axis": axis})
