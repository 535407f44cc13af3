"""Calls on constants, evaluated by numpy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from tvm import relax
from tvm.ir import GenericConst

from relay_strategies.relax.graph import constant, dtype_of, make_constant, operator_name, shape_of
from relay_strategies.relax.movement_calls import TAKE
from tvm_directconv.errors import let_through
from tvm_directconv.problem.extents import is_open

from . import operator_of
from .layouts import Broadcasting, Elementwise, Quantizes

MOST_GATHERED = 1 << 20
"""Elements gathered from a table of constants, as position biases are, may be more than the table's, up to so
many: gathering them in every run takes longer than reading them."""

ELEMENT_BY_ELEMENT = (Elementwise, Broadcasting)
"""Operators that follow their data into other layouts so compute each element from those at its place."""


def evaluated(call: relax.Call, arguments: Sequence[relax.Expr]) -> GenericConst | None:
    """The value of ``call``, whose type is known, on ``arguments``, if all of them are constants.

    None for what the table cannot evaluate, and for what would only become larger than it is stored: what
    is broadcast, concatenated with itself, and what is gathered beyond ``MOST_GATHERED``.
    """
    evaluate, shape = operator_of(call).evaluate, shape_of(call)
    if evaluate is None or shape is None or is_open(shape):
        return None
    operands = arguments[0].fields if isinstance(arguments[0], relax.Tuple) else arguments
    found = [constant(operand) for operand in operands if isinstance(operand.ty, relax.TensorType)]
    arrays = [array for array in found if array is not None]
    if not arrays or len(arrays) != len(found):
        return None
    elements = int(np.prod(shape))
    gathers = operator_name(call) == TAKE and elements <= MOST_GATHERED
    stored = {array.ctypes.data: array.size for array in arrays}
    if elements > sum(stored.values()) and not gathers:
        return None
    try:
        with np.errstate(all="ignore"):
            return make_constant(np.asarray(evaluate(call, arrays), dtype=dtype_of(call)))
    except (NotImplementedError, TypeError, ValueError) as error:
        let_through(error)
        return None


def element_by_element(
    call: relax.Call, values: Mapping[relax.Expr, np.ndarray], rank: int, channels: int = 0
) -> np.ndarray | None:
    """Return what ``call``, whose result has ``rank`` axes, makes of elements: its arguments have
    ``values``, a vector each, or are constants whose elements are all the same; with ``channels``, a
    matrix each of so many columns, or constants of one element for each channel, the last axis. None where
    that does not tell."""
    entry, operands = operator_of(call), []
    evaluate = entry.evaluate if isinstance(entry.layout, (*ELEMENT_BY_ELEMENT, Quantizes)) else None
    for argument in call.args:
        if isinstance(argument, relax.Var):
            operands.append(values.get(argument))
        elif isinstance(argument.ty, relax.TensorType):
            operands.append(_number(argument, rank, channels))
    arrays = [operand for operand in operands if operand is not None]
    if evaluate is None or len(arrays) != len(operands):
        return None
    try:
        with np.errstate(all="ignore"):
            return np.asarray(evaluate(call, arrays))
    except (NotImplementedError, TypeError, ValueError) as error:
        let_through(error)
        return None


def _number(expr: relax.Expr, rank: int, channels: int) -> np.ndarray | None:
    """The value of a constant whose elements are all the same, as if it were a number, or its elements for
    each of the channels."""
    array = constant(expr)
    if array is None or array.ndim > rank or not array.size:
        return None
    if channels > 1 and array.size == channels == array.shape[-1]:
        return array.reshape(-1)
    flat = array.reshape(-1)
    # The first few tell of most weights that they are no number.
    return None if np.any(flat[:64] != flat[0]) or np.any(flat != flat[0]) else np.asarray(flat[0])
