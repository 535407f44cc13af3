"""Composite operators: a Relax function that stands for one kernel, its body saying what the kernel computes.

This is TVM's own convention (``FuseOpsByPattern`` makes the same): private functions with the attribute
``Composite``. A module with composites still means what it says, so any Relax pipeline can build it; the
``Lower`` pass replaces each by a scheduled kernel.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import tvm
from tvm import relax
from tvm.ir import GlobalVar

from tvm_directconv.errors import ModelError
from tvm_directconv.problem.extents import given_to_tvm, is_open
from tvm_directconv.problem.inner_sizes import Formula, inside
from tvm_directconv.problem.open_sizes import size_of
from tvm_directconv.problem.ties import rebuilt

from .graph import COMPOSITE, PREFIX, Graph, Rewriter, composite_name, dtype_of, shape_of
from .names import ClosingBuilder

CONV2D, QCONV2D = PREFIX + "conv2d", PREFIX + "qconv2d"
DENSE, QDENSE = PREFIX + "dense", PREFIX + "qdense"
AFFINE = PREFIX + "affine"
ATTENTION, MATMUL = PREFIX + "attention", PREFIX + "matmul"
CHANNEL_SHUFFLE = PREFIX + "channel_shuffle"
COLUMNS = PREFIX + "columns"
FRAMES = PREFIX + "frames"
INTERLEAVE = PREFIX + "interleave"
JOIN = PREFIX + "join"
L2_NORM = PREFIX + "l2_norm"
LOOKUP = PREFIX + "lookup"
LRN, QLRN = PREFIX + "lrn", PREFIX + "qlrn"
QADD, QAFFINE = PREFIX + "qadd", PREFIX + "qaffine"
QAVG_POOL2D = PREFIX + "qavg_pool2d"
QCONCAT = PREFIX + "qconcat"
QGLOBAL_AVG_POOL2D = PREFIX + "qglobal_avg_pool2d"
QMUL = PREFIX + "qmul"
LAYERS = (CONV2D, DENSE, QCONV2D, QDENSE)
"""These have a filter, and algorithms compute them."""

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
    attrs = {COMPOSITE: name, "Primitive": True, **(attributes or {})}
    function = _composite(arguments, body, attrs, {})
    global_var = rewriter.add_function(function, "fused_" + name.removeprefix(PREFIX))
    return relax.Call(global_var, list(arguments), span=None if like is None else like.span)


def _composite(
    arguments: Sequence[relax.Expr],
    body: Body,
    attributes: Mapping[str, Any],
    formulas: Mapping[str, Formula],
) -> relax.Function:
    """The function of a composite, whose open sizes are dimensions of its own but for those of which
    ``formulas`` say what they are of others; it begins again where these have to be more."""
    builder = ClosingBuilder()
    sizes = None

    def emit(value: relax.Expr) -> relax.Expr:
        made = builder.emit(_within(value))
        if sizes is not None and isinstance(value, relax.Call) and shape_of(made) is None:
            # TVM did not see that operands are of one shape.
            shapes = [shape for shape in map(shape_of, value.args) if shape]
            sizes.demand(zip(*shapes[:2], strict=False) if len(shapes) > 1 else ())
        return made

    try:
        with inside(map(shape_of, arguments), "int64", formulas) as sizes:
            params = [relax.Var(f"p{number}", _inner_type(each)) for number, each in enumerate(arguments)]
            with builder.function("composite", params, dict(attributes), private=True):
                with builder.dataflow():
                    result = builder.emit_output(body(emit, params))
                builder.emit_func_output(result)
    except ModelError:
        if sizes is None or len(sizes.formulas) == len(formulas):
            raise
        return _composite(arguments, body, attributes, sizes.formulas)
    return builder.get()["composite"]


def _within(value: relax.Expr) -> relax.Expr:
    """A call whose shapes and bounds are over the dimensions of the function that it is in."""
    return _with_sizes(value, lambda size: given_to_tvm(size_of(size)))


def _with_sizes(value: relax.Expr, new: Callable[[tvm.ir.Expr], Any]) -> relax.Expr:
    """A call with other sizes in its shapes and bounds."""
    if not isinstance(value, relax.Call):
        return value

    def with_sizes(argument: relax.Expr) -> relax.Expr:
        if isinstance(argument, relax.ShapeExpr):
            return relax.ShapeExpr(list(map(new, argument.values)))
        if isinstance(argument, relax.Tuple) and any(map(_is_open_size, argument.fields)):
            return relax.Tuple([new(each) if _is_open_size(each) else each for each in argument.fields])
        return argument

    old = value.args[:]
    made = list(map(with_sizes, old))
    same = all(map(operator.is_, old, made))
    return value if same else relax.Call(value.op, made, value.attrs, value.ty_args, value.span)


def _is_open_size(field: relax.Expr) -> bool:
    return tvm.ir.is_prim_expr(field) and not isinstance(field, tvm.tirx.IntImm)


def _inner_type(argument: relax.Expr) -> tvm.ir.Type:
    """The type that an argument has inside of a function that is given it."""
    shape = shape_of(argument)
    return relax.TensorType(shape, dtype_of(argument)) if shape and is_open(shape) else argument.ty


def inlined(emit: Emit, function: relax.Function, arguments: Sequence[relax.Expr]) -> relax.Expr:
    """The result of a composite function's body on ``arguments``, its operators emitted once more."""
    outside = outward(function, arguments)
    known: dict[relax.Var, relax.Expr] = dict(zip(function.params, arguments, strict=True))

    def new(expr: relax.Expr) -> relax.Expr:
        if isinstance(expr, relax.Call):
            return relax.Call(expr.op, [new(argument) for argument in expr.args], expr.attrs, expr.ty_args)
        if isinstance(expr, relax.Tuple):
            return relax.Tuple([new(part) for part in expr.fields])
        return known.get(expr, expr) if isinstance(expr, relax.Var) else expr

    for var, value in Graph(function).bindings:
        known[var] = new(value) if isinstance(value, relax.Var) else emit(new(outside(value)))
    return new(function.body.body)


def outward(function: relax.Function, arguments: Sequence[relax.Expr]) -> Emit:
    """Return what makes of a call in a function's body one outside of it: over the sizes of the arguments, in
    the place of the function's own dimensions."""
    sizes: dict[str, tvm.ir.Expr] = {}
    for param, argument in zip(function.params, arguments, strict=True):
        if isinstance(param.ty, relax.TensorType) and isinstance(param.ty.shape, relax.ShapeExpr):
            for own, outside in zip(param.ty.shape.values, argument.ty.shape.values, strict=True):
                if isinstance(own, tvm.tirx.Var) and not own.same_as(outside):
                    sizes[own.name] = outside

    def size(own: tvm.ir.Expr) -> Any:
        return rebuilt(
            own, lambda part: sizes.get(part.name, part) if isinstance(part, tvm.tirx.Var) else None
        )

    return (lambda value: _with_sizes(value, size)) if sizes else lambda value: value
