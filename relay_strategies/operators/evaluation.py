"""Calls on constants, evaluated by numpy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from tvm import relax
from tvm.ir import GenericConst

from relay_strategies.relax.graph import constant, dtype_of, make_constant, operator_name, shape_of

from . import operator_of

MOST_GATHERED = 1 << 20
"""Elements gathered from a table of constants, as position biases are, may be more than the table's, up to so
many: gathering them in every run takes longer than reading them."""


def evaluated(call: relax.Call, arguments: Sequence[relax.Expr]) -> GenericConst | None:
    """The value of ``call``, whose type is known, on ``arguments``, if all of them are constants.

    None for what the table cannot evaluate, and for what would only become larger than it is stored: what
    is broadcast, and what is gathered beyond ``MOST_GATHERED``.
    """
    evaluate, shape = operator_of(call).evaluate, shape_of(call)
    if evaluate is None or shape is None:
        return None
    operands = arguments[0].fields if isinstance(arguments[0], relax.Tuple) else arguments
    found = [constant(operand) for operand in operands if isinstance(operand.ty, relax.TensorType)]
    arrays = [array for array in found if array is not None]
    if not arrays or len(arrays) != len(found):
        return None
    elements = int(np.prod(shape))
    gathers = operator_name(call) == "relax.take" and elements <= MOST_GATHERED
    if elements > sum(array.size for array in arrays) and not gathers:
        return None
    try:
        with np.errstate(all="ignore"):
            return make_constant(np.asarray(evaluate(call, arrays), dtype=dtype_of(call)))
    except (NotImplementedError, TypeError, ValueError):
        return None
