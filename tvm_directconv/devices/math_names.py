"""Mathematical functions by OpenCL's names, which lack a suffix for a type: TVM knows most, and calls the
others by C's, as ``acosf``."""

from __future__ import annotations

import tvm
from tvm import ir, tirx

from .rewriting import rewritten

SUFFIXED = frozenset(
    f"{name}f"
    for name in (
        *("acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "copysign", "exp10", "exp2", "expm1"),
        *("hypot", "ldexp", "log10", "log1p", "log2", "nextafter", "tan"),
    )
)


def opencl_names(module: tvm.IRModule) -> tvm.IRModule:
    """Return OpenCL kernels, about to be printed, that call functions OpenCL has."""

    def visit(call: ir.Call) -> ir.Expr:
        name = call.args[0].value if _is_extern(call) else ""
        return tirx.call_pure_extern(str(call.ty), name[:-1], *call.args[1:]) if name in SUFFIXED else call

    return rewritten(module, [(ir.Call, visit)])


def _is_extern(call: ir.Call) -> bool:
    return getattr(call.op, "name", "") == "tirx.call_pure_extern"
