"""Calls that LLVM would hand to libm, one element at a time, as the vector code of ``expressions``, and casts
of bfloat16 as code on bits: TVM's own has what it rounds twice, and makes zero of some NaNs."""

from __future__ import annotations

from collections.abc import Callable

from tvm import ir, tirx
from tvm_ffi import structural_map, structural_walk

from . import angles, expressions
from .builder import BFLOAT16, Expr, narrowed, widened

VECTOR_CALLS: dict[str, Callable[..., Expr | None]] = {
    "tirx.acos": angles.acos,
    "tirx.acosh": angles.acosh,
    "tirx.asin": angles.asin,
    "tirx.asinh": angles.asinh,
    "tirx.atan": angles.atan,
    "tirx.cos": angles.cos,
    "tirx.cosh": angles.cosh,
    "tirx.erf": expressions.erf,
    "tirx.exp": expressions.exp,
    "expm1f": expressions.expm1,
    "tirx.log": expressions.log,
    "tirx.log1p": expressions.log1p,
    "tirx.pow": expressions.constant_power,
    "tirx.sigmoid": expressions.sigmoid,
    "tirx.sin": angles.sin,
    "tirx.sinh": angles.sinh,
    "tirx.tan": angles.tan,
    "tirx.tanh": expressions.tanh,
}
"""Functions that make a call in float32 anew, by the operator or the C function's name; None where they
cannot."""
IS_NAN = "tirx.isnan"
EXTERN = "tirx.call_pure_extern"
ARITHMETIC = (tirx.Add, tirx.Sub, tirx.Mul, tirx.Div, tirx.Max, tirx.Min)
MOVES = ("tirx.if_then_else", "tirx.reinterpret")
EXTREMES = {tirx.Max: expressions.maximum, tirx.Min: expressions.minimum}


ROUNDS_FROM = 256.0
"""Adding a constant of this size or more, of either sign, may be there to round what it is added to."""


def with_vector_calls(func: tirx.PrimFunc) -> tirx.PrimFunc:
    """``func`` without the float32 calls of libm that ``VECTOR_CALLS`` knows, without extremes that would
    lose a NaN, and without casts of bfloat16. One that computes in bfloat16 is left to TVM, but for extremes:
    it widens what is computed, and has what it rounds twice, with the variables that are bound in it."""
    computes = _computes_in_bfloat16(func)

    def vector_call(call: ir.Call) -> Expr:
        name = call.op.name if isinstance(call.op, ir.Op) else ""
        arguments = list(call.args)
        if name == EXTERN:
            name = str(arguments.pop(0).value)
        if name == IS_NAN and str(arguments[0].ty) == "float32":
            return expressions.is_nan(arguments[0])
        if name in VECTOR_CALLS and str(call.ty) == "float32" and not computes:
            made = VECTOR_CALLS[name](*arguments)
            return call if made is None else made
        return call

    def extreme(expr: tirx.Max | tirx.Min) -> Expr:
        return EXTREMES[type(expr)](expr.a, expr.b) if str(expr.ty).startswith("float") else expr

    def cast(expr: tirx.Cast) -> Expr:
        kinds = str(expr.value.ty), str(expr.ty)
        if computes or set(kinds) != {BFLOAT16, "float32"}:
            return expr
        return widened(expr.value, BFLOAT16) if kinds[0] == BFLOAT16 else narrowed(expr.value, BFLOAT16)

    def rounded(add: tirx.Add) -> Expr:
        """A sum that LLVM does not make one operation with the product it is of, which would be rounded
        once."""
        for term, other in ((add.a, add.b), (add.b, add.a)):
            known = isinstance(term, tirx.FloatImm) and abs(term.value) >= ROUNDS_FROM
            if known and isinstance(other, tirx.Mul):
                return tirx.call_llvm_pure_intrin(other.ty, "llvm.arithmetic.fence", other) + term
        return add

    rules = [(tirx.Add, rounded), (ir.Call, vector_call), (tuple(EXTREMES), extreme), (tirx.Cast, cast)]
    return func.with_body(structural_map(func.body, rules))


def _computes_in_bfloat16(func: tirx.PrimFunc) -> bool:
    """Whether it has arithmetic in that type, and not only moves and casts."""
    found: list[Expr] = []
    structural_walk(func.body, (ARITHMETIC, found.append))
    calls: list[ir.Call] = []
    structural_walk(func.body, (ir.Call, calls.append))
    found += [call for call in calls if isinstance(call.op, ir.Op) and call.op.name not in MOVES]
    return any(str(expr.ty) == BFLOAT16 for expr in found)
