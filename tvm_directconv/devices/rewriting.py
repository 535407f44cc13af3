"""Kernels, about to be printed, changed statement by statement and expression by expression.

Constants are written exactly: an activation's formula that adds 1.5 * 2**23 to round a number, for one, is
wrong by its last digit. Mathematical functions get OpenCL's names, which lack a suffix for a type: TVM knows
most, and calls the others by C's, as ``acosf``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tvm
from tvm import ir, tirx
from tvm_ffi import structural_map

Rule = tuple[type | tuple[type, ...], Callable[[Any], Any]]
REINTERPRETATIONS = {"opencl": "as_float", "cuda": "__int_as_float"}
"""Each language's function from an integer to the float with its bits."""
SUFFIXED = frozenset(
    f"{name}f"
    for name in (
        *("acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "copysign", "exp10", "exp2", "expm1"),
        *("hypot", "ldexp", "log10", "log1p", "log2", "nextafter", "tan"),
    )
)


def rewritten(module: tvm.IRModule, rules: Sequence[Rule]) -> tvm.IRModule:
    """Return the module with ``rules`` applied to the body of each of its kernels."""
    changed = {
        var: func.with_body(structural_map(func.body, rules)) if isinstance(func, tirx.PrimFunc) else func
        for var, func in module.functions_items()
    }
    return tvm.IRModule(changed, attrs=module.attrs)


def exact_constants(module: tvm.IRModule, kind: str) -> tvm.IRModule:
    """Return kernels, about to be printed, whose float32 constants are what they were: TVM prints floats with
    seven digits, and what these do not tell is written as the integer with the same bits."""

    def visit(constant: tirx.FloatImm) -> tirx.Expr:
        value = np.float32(constant.value)
        if str(constant.ty) != "float32" or not np.isfinite(value) or np.float32(f"{value:.6e}") == value:
            return constant
        bits = tirx.IntImm("int32", int(value.view(np.int32)))
        return tirx.call_pure_extern("float32", REINTERPRETATIONS[kind], bits)

    return rewritten(module, [(tirx.FloatImm, visit)])


def opencl_names(module: tvm.IRModule) -> tvm.IRModule:
    """Return OpenCL kernels, about to be printed, that call functions OpenCL has."""

    def visit(call: ir.Call) -> ir.Expr:
        is_extern = getattr(call.op, "name", "") == "tirx.call_pure_extern"
        name = call.args[0].value if is_extern else ""
        return tirx.call_pure_extern(str(call.ty), name[:-1], *call.args[1:]) if name in SUFFIXED else call

    return rewritten(module, [(ir.Call, visit)])
