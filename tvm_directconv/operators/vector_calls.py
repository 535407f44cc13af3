"""Calls that LLVM would hand to libm, one element at a time, as the vector code of ``expressions``."""

from __future__ import annotations

from collections.abc import Callable

from tvm import ir, tirx
from tvm_ffi import structural_map, structural_walk

from . import expressions
from .builder import Expr

VECTOR_CALLS: dict[str, Callable[..., Expr | None]] = {
    "tirx.erf": expressions.erf,
    "tirx.exp": expressions.exp,
    "tirx.log": expressions.log,
    "tirx.log1p": expressions.log1p,
    "tirx.pow": expressions.constant_power,
    "tirx.sigmoid": expressions.sigmoid,
    "tirx.tanh": expressions.tanh,
}
"""By operator, these make a call of it in float32 anew; None where they cannot."""
EXTREMES = {tirx.Max: expressions.maximum, tirx.Min: expressions.minimum}


def with_vector_calls(func: tirx.PrimFunc) -> tirx.PrimFunc:
    """``func`` without the float32 calls of libm that ``VECTOR_CALLS`` knows, and without extremes that would
    lose a NaN."""
    # TVM writes what it rounds to bfloat16 twice, and with it the variables that these expressions bind.
    casts: list[tirx.Cast] = []
    structural_walk(func.body, (tirx.Cast, casts.append))
    bfloat16 = any("bfloat16" in str(cast.ty) for cast in casts)

    def vector_call(call: ir.Call) -> Expr:
        name = call.op.name if isinstance(call.op, ir.Op) else ""
        if name in VECTOR_CALLS and str(call.ty) == "float32" and not bfloat16:
            made = VECTOR_CALLS[name](*call.args)
            return call if made is None else made
        return call

    def extreme(expr: tirx.Max | tirx.Min) -> Expr:
        return EXTREMES[type(expr)](expr.a, expr.b) if str(expr.ty).startswith("float") else expr

    rules = [(ir.Call, vector_call), (tuple(EXTREMES), extreme)]
    return func.with_body(structural_map(func.body, rules))
