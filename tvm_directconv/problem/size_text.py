"""Expressions of sizes as Python's text, which a library keeps beside its code."""

from __future__ import annotations

from typing import Any

from tvm import tirx
from tvm_ffi import structural_walk

BINARY = {
    tirx.Add: "+",
    tirx.Sub: "-",
    tirx.Mul: "*",
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


def text_of(expr: Any) -> str:
    """Return an expression of TVM over open dimensions as Python's text, for ``evaluated``."""
    if isinstance(expr, tirx.Var):
        return str(expr.name)
    if isinstance(expr, int | tirx.IntImm):
        return str(int(expr))
    if isinstance(expr, tirx.Not):
        return f"not {_grouped(expr.a)}"
    if isinstance(expr, tirx.Cast):
        return text_of(expr.value)
    if isinstance(expr, tirx.Min | tirx.Max):
        return f"{'min' if isinstance(expr, tirx.Min) else 'max'}({text_of(expr.a)}, {text_of(expr.b)})"
    return f"{_grouped(expr.a)} {BINARY[type(expr)]} {_grouped(expr.b)}"


def _grouped(expr: Any) -> str:
    return f"({text_of(expr)})" if isinstance(expr, (tirx.Not, *BINARY)) else text_of(expr)


def variables_of(expr: Any) -> set[str]:
    """Return the names of the variables of an expression."""
    if isinstance(expr, tirx.Var):
        return {str(expr.name)}
    names: set[str] = set()
    structural_walk(expr, (tirx.Var, lambda var: names.add(var.name)))
    return names
