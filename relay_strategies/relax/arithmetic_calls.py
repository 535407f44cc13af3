"""Sums, products and casts: the operators that passes find others by."""

from __future__ import annotations

import math

from tvm import relax

from .graph import Graph, dtype_of, operator_name, shape_of

ADD, SUBTRACT, MULTIPLY, DIVIDE = "relax.add", "relax.subtract", "relax.multiply", "relax.divide"
NEGATE, CAST = "relax.negative", "relax.astype"


def added_to(value: relax.Expr, data: relax.Expr) -> relax.Expr | None:
    """Return what a sum adds to ``data``, one of its terms; None for anything but a sum."""
    if operator_name(value) != ADD:
        return None
    first, second = value.args
    return second if first == data else first


def less_zero_point(graph: Graph, expr: relax.Expr) -> relax.Call | None:
    """Return the call that makes ``expr`` of integers by adding or taking off one of them, as a quantized
    layer does with a zero point; None for anything else."""
    call = graph.call(expr, ADD, SUBTRACT)
    if call is None or dtype_of(expr) != "int32" or shape_of(call.args[0]) != shape_of(expr):
        return None
    return call if has_one_element(call.args[1]) else None


def has_one_element(expr: relax.Expr) -> bool:
    shape = shape_of(expr)
    return shape is not None and math.prod(shape) == 1
