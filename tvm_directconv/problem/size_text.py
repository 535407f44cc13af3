"""Expressions of sizes as Python's text, which a library keeps beside its code, and their values."""

from __future__ import annotations

import functools
import keyword
from collections.abc import Mapping
from typing import Any

from tvm import tirx
from tvm_ffi import structural_walk

FUNCTIONS = {"min": min, "max": max}
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


def is_name(text: str) -> bool:
    """Return whether a variable may be called so in ``text_of``'s texts."""
    return text.isidentifier() and not keyword.iskeyword(text) and text not in FUNCTIONS


@functools.lru_cache(maxsize=4096)
def _compiled(text: str) -> Any:
    return compile(text, "<extent>", "eval")


def computed(text: str, values: Mapping[str, Any]) -> Any:
    """Return what a text that ``text_of`` wrote is of these values, numbers or extents."""
    return eval(_compiled(text), {"__builtins__": {}, **FUNCTIONS}, dict(values))


def names_in(text: str) -> set[str]:
    """Return the names of the open dimensions in what ``text_of`` wrote."""
    return {*_compiled(text).co_names} - FUNCTIONS.keys()


def evaluated(text: str, values: Mapping[str, int]) -> int:
    """Return the value of what ``text_of`` wrote where open dimensions have these values."""
    return int(computed(text, values))


def variables_of(expr: Any) -> set[str]:
    """Return the names of the variables of an expression."""
    if isinstance(expr, tirx.Var):
        return {str(expr.name)}
    names: set[str] = set()
    structural_walk(expr, (tirx.Var, lambda var: names.add(var.name)))
    return names
