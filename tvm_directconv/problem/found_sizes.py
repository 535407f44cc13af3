"""Sizes that are known when a model runs: how large they may be, and what others are where they are 0."""

from __future__ import annotations

from typing import Any

from tvm import tirx

from .extents import Extent, as_expression, operand_of
from .size_text import variables_of
from .ties import rebuilt


def at_most(sizes: Any, size: Any) -> int:
    """Return a size, of open ``sizes``, in which those that are known when the model runs are as large as
    they may be."""

    def leaf(part: tirx.Expr) -> Any:
        if not isinstance(part, tirx.Var):
            return None
        most = sizes.measured.get(str(part.name))
        return part if most is None else operand_of(at_most(sizes, most))

    expr = as_expression(size)
    is_found = not isinstance(expr, int) and sizes.depends_on_data(expr)
    found: int = sizes.extent(rebuilt(expr, leaf) if is_found else expr)
    return found


def where_empty(size: Any, empty: Extent) -> int:
    """Return what a size is where another one, which is known when the model runs, is 0; sizes of which then
    no more can be found are 0, too."""
    sizes = empty.sizes
    gone = variables_of(empty.expr) if variables_of(empty.expr) <= sizes.measured.keys() else set()

    def leaf(part: tirx.Expr) -> Any:
        if not isinstance(part, tirx.Var):
            return None
        most = sizes.measured.get(str(part.name))
        if part.name in gone or (isinstance(most, Extent) and where_empty(most, empty) == 0):
            return tirx.IntImm("int64", 0)
        return part

    found: int = sizes.extent(rebuilt(operand_of(size), leaf))
    return found
