"""Expressions of sizes as Python's text, which a library keeps beside its code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tvm import tirx
from tvm.ir import Call
from tvm_ffi import structural_walk

BINARY = {
    tirx.Add: "+",
    tirx.Sub: "-",
    tirx.Mul: "*",
    tirx.Div: "/",
    tirx.FloorDiv: "//",
    tirx.FloorMod: "%",
    tirx.EQ: "==",
    tirx.NE: "!=",
    tirx.LT: "<",
    tirx.LE: "<=",
    tirx.GT: ">",
    tirx.GE: ">=",
    tirx.And: "and",
    tirx.Or: "or",
}
EXTREMES = {tirx.Min: "min", tirx.Max: "max"}
ROUNDING = ("floor", "ceil")
"""Functions of floats in sizes."""


def text_of(expr: Any) -> str:
    """Return an expression of TVM over open dimensions as Python's text, for ``evaluated``."""
    kind = type(expr)
    if kind is tirx.Var:
        return str(expr.name)
    if kind in BINARY:
        return f"{_grouped(expr.a)} {BINARY[kind]} {_grouped(expr.b)}"
    if kind is tirx.Not:
        return f"not {_grouped(expr.a)}"
    if kind is tirx.Cast:
        cast = cast_of(expr)
        return f"{cast}({text_of(expr.value)})" if cast else text_of(expr.value)
    if kind in EXTREMES:
        return f"{EXTREMES[kind]}({text_of(expr.a)}, {text_of(expr.b)})"
    if kind is tirx.IntImm or isinstance(expr, int):
        return str(int(expr))
    if kind is tirx.FloatImm:
        return f"{expr.ty.dtype}({float(expr.value)!r})"
    if (rounding := rounding_of(expr)) is not None:
        return f"{rounding}({text_of(expr.args[0])})"
    raise KeyError(kind)  # an expression that sizes are not


def cast_of(expr: tirx.Cast) -> str:
    """Return the function that casts to a float, or from one; of a cast of integers nothing."""
    to, of = str(expr.ty.dtype), str(expr.value.ty.dtype)
    return to if "float" in to else "whole" if "float" in of else ""


def rounding_of(expr: Any) -> str | None:
    """Return which of ``ROUNDING`` an expression calls; None for any other."""
    name = str(expr.op.name).removeprefix("tirx.") if type(expr) is Call else ""
    return name if name in ROUNDING else None


def _grouped(expr: Any) -> str:
    kind = type(expr)
    return f"({text_of(expr)})" if kind in BINARY or kind is tirx.Not else text_of(expr)


def nodes_of(expr: Any) -> Iterator[Any]:
    """Return an expression and all that it is made of; of kinds that sizes are not, the variables."""
    yield expr
    kind = type(expr)
    if kind in BINARY or kind in EXTREMES:
        yield from nodes_of(expr.a)
        yield from nodes_of(expr.b)
    elif kind is tirx.Not:
        yield from nodes_of(expr.a)
    elif kind is tirx.Cast:
        yield from nodes_of(expr.value)
    elif rounding_of(expr) is not None:
        yield from nodes_of(expr.args[0])
    elif kind is not tirx.Var and kind is not tirx.IntImm and isinstance(expr, tirx.Expr):
        variables: list[tirx.Var] = []
        structural_walk(expr, (tirx.Var, variables.append))
        yield from variables


def variables_of(expr: Any) -> set[str]:
    """Return the names of the variables of an expression."""
    return {str(each.name) for each in nodes_of(expr) if type(each) is tirx.Var}


def degree_of(expr: Any) -> int:
    """Return the most variables that are multiplied with each other anywhere in an expression."""
    kind = type(expr)
    if kind is tirx.Mul:
        return degree_of(expr.a) + degree_of(expr.b)
    if kind in BINARY or kind in EXTREMES:
        return max(degree_of(expr.a), degree_of(expr.b))
    return degree_of(expr.value) if kind is tirx.Cast else int(kind is tirx.Var)
