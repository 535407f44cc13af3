"""The table of operators: what graph passes have to know of each, said once, in one entry.

A file per kind of operator; ``OPERATORS`` has all of them by name, ``COMPOSITES`` those that passes make out
of several. A new operator is one entry in its kind's file, and its rules beside it.
"""

from __future__ import annotations

from tvm import relax

from relay_strategies.relax.graph import operator_name

from . import (
    arithmetic,
    columns,
    elementwise,
    layers,
    movement,
    normalization,
    phases,
    pooling,
    products,
    quantization,
    recurrent,
    reductions,
)
from .operator import CompositeOperator, Operator, Values

_FILES = (
    elementwise,
    arithmetic,
    reductions,
    pooling,
    movement,
    normalization,
    layers,
    columns,
    phases,
    products,
    quantization,
    recurrent,
)

OPERATORS: dict[str, Operator] = {entry.name: entry for file in _FILES for entry in file.OPERATORS}
COMPOSITES: dict[str, CompositeOperator] = {
    entry.name: entry for file in _FILES for entry in getattr(file, "COMPOSITES", ())
}
UNKNOWN = Operator("")
"""The entry of operators that the table lacks: all of its fields are defaults."""


def operator_of(expr: relax.Expr) -> Operator:
    """The entry of the operator that an expression calls."""
    return OPERATORS.get(operator_name(expr), UNKNOWN)


def names_of(*values: Values) -> tuple[str, ...]:
    """The operators whose results are values of their argument in one of these ways."""
    return tuple(entry.name for entry in OPERATORS.values() if entry.values in values)
