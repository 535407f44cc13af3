"""Constants written exactly: TVM prints floats with seven digits, which do not tell every float32.

An activation's formula that adds 1.5 * 2**23 to round a number, for one, is wrong by its last digit. What
seven digits do not tell is written as the integer with the same bits.
"""

from __future__ import annotations

import numpy as np
import tvm
from tvm import tirx

from .rewriting import rewritten

REINTERPRETATIONS = {"opencl": "as_float", "cuda": "__int_as_float"}
"""Each language's function from an integer to the float with its bits."""


def exact_constants(module: tvm.IRModule, kind: str) -> tvm.IRModule:
    """Return kernels, about to be printed, whose float32 constants are what they were."""

    def visit(constant: tirx.FloatImm) -> tirx.Expr:
        value = np.float32(constant.value)
        if str(constant.ty) != "float32" or not np.isfinite(value) or np.float32(f"{value:.6e}") == value:
            return constant
        bits = tirx.IntImm("int32", int(value.view(np.int32)))
        return tirx.call_pure_extern("float32", REINTERPRETATIONS[kind], bits)

    return rewritten(module, [(tirx.FloatImm, visit)])
