"""Calls on constants, evaluated by numpy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from tvm import relax
from tvm.ir import GenericConst

from relay_strategies.relax.graph import constant, dtype_of, make_constant, shape_of

from . import operator_of


def evaluated(call: relax.Call, arguments: Sequence[relax.Expr]) -> GenericConst | None:
    """The value of ``call``, whose type is known, on ``arguments``, if all of them are constants.

    None for what the table cannot evaluate, and for what broadcasting would only make larger than it is
    stored.
    """
    evaluate, shape = operator_of(call).evaluate, shape_of(call)
    if evaluate is None or shape is None:
        return None
    operands = arguments[0].fields if isinstance(arguments[0], relax.Tuple) else arguments
    found = [constant(operand) for operand in operands if isinstance(operand.ty, relax.TensorType)]
    arrays = [array for array in found if array is not None]
    if not arrays or len(arrays) != len(found):
        return None
    if int(np.prod(shape)) > sum(array.size for array in arrays):
        return None
    try:
        with np.errstate(all="ignore"):
            return make_constant(np.asarray(evaluate(call, arrays), dtype=dtype_of(call)))
    except (NotImplementedError, TypeError, ValueError):
        return None
