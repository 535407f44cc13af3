"""ComputeInFloat32: networks of float16, bfloat16 and float64 tensors, in float32 between their edges.

Inputs and results of a function keep their types; between them every such tensor is float32, so that networks
of all four types get the same kernels. A cast to a narrower type rounds, as it says. Arithmetic in float64
between integers, which float32 might not hold, stays, and so do the types of functions that are called.
"""

from __future__ import annotations

import warnings

import numpy as np
import tvm
import tvm_ffi
from tvm import relax
from tvm.ir import GenericConst

from relay_strategies.operators import operator_of
from relay_strategies.operators.layouts import Broadcasting, Elementwise
from relay_strategies.relax.arithmetic_calls import CAST
from relay_strategies.relax.calls import replaced
from relay_strategies.relax.epilogue_steps import FLOAT
from relay_strategies.relax.graph import (
    Graph,
    Rewriter,
    constant,
    dtype_of,
    make_constant,
    operator_name,
    rewrite_pass,
    variables,
)
from relay_strategies.relax.kernels import FOREIGN_CALLS

NARROW = ("float16", "bfloat16")
REPLACED = (*NARROW, "float64")
TYPE_ATTRIBUTES = ("dtype", "out_dtype")


class _ComputeInFloat32(Rewriter):
    def prepare(self) -> None:
        self._between_integers = _between_integers(self.graph)
        self._constants: dict[GenericConst, relax.Expr] = {}
        self._params = set(self.graph.function.params)
        self._rounded: dict[relax.Expr, relax.Var] = {}

    def new(self, expr: relax.Expr) -> relax.Expr:
        if isinstance(expr, GenericConst) and dtype_of(expr) in REPLACED:
            if expr not in self._constants:
                self._constants[expr] = _in_float32(expr)
            return self._constants[expr]
        if expr in self._params and expr not in self._environment:
            self.bind(expr, self._of_type(expr, expr.ty, widen=True))
        return super().new(expr)

    def visit(self, var: relax.Var, value: relax.Expr) -> relax.Expr | None:
        name = operator_name(value)
        if var in self._between_integers:
            arguments = [a if isinstance(a, GenericConst) else self.new(a) for a in value.args]
            return relax.Call(value.op, arguments, value.attrs, value.ty_args, value.span)
        if name == CAST:
            return self._cast(value)
        if isinstance(value, relax.Call) and name and name not in FOREIGN_CALLS:
            return _computing(self.new(value))
        if isinstance(value, relax.Call | relax.If):
            return self._of_type(self.emit(self._untouched(value)), var.ty, widen=True)
        return self.new(value)

    def output(self, expr: relax.Expr) -> relax.Expr:
        return self._of_type(self.new(expr), expr.ty, widen=False)

    def _cast(self, call: relax.Call) -> relax.Expr:
        source, result = dtype_of(call.args[0]), str(call.attrs.dtype)
        data = self.new(call.args[0])
        if result not in (FLOAT, *REPLACED):
            return replaced(call, [data])
        if result in NARROW and source != result:
            rounded = self._narrowed(data, result)
            widened = self.emit(relax.op.astype(rounded, FLOAT))
            self._rounded[widened] = rounded
            return widened
        return data if source in (FLOAT, *REPLACED) else relax.op.astype(data, FLOAT)

    def _untouched(self, expr: relax.Expr) -> relax.Expr:
        """``expr`` of the old function, its operands in the types that they had."""
        if isinstance(expr, GenericConst):
            return expr
        known = {var: self._environment.get(var) for var in variables(expr)}
        for var in known:
            self.bind(var, var if var in self._params else self._of_type(self.new(var), var.ty, widen=False))
        try:
            return super().new(expr)
        finally:
            for var, value in known.items():
                if value is None:
                    del self._environment[var]
                else:
                    self.bind(var, value)

    def _of_type(self, expr: relax.Expr, ty: tvm.ir.Type, widen: bool) -> relax.Expr:
        """A value of the old type ``ty``, or where that was replaced its float32, made the other."""
        if isinstance(ty, relax.TupleType) and _has_replaced(ty):
            fields = (
                expr.fields
                if isinstance(expr, relax.Tuple)
                else [relax.TupleGetItem(expr, i) for i in range(len(ty.fields))]
            )
            return relax.Tuple([self._of_type(f, t, widen) for f, t in zip(fields, ty.fields, strict=True)])
        if not _has_replaced(ty):
            return expr
        return self.emit(relax.op.astype(expr, FLOAT)) if widen else self._narrowed(expr, str(ty.dtype))

    def _narrowed(self, data: relax.Expr, kind: str) -> relax.Var:
        rounded = self._rounded.get(data)
        if rounded is not None and dtype_of(rounded) == kind:
            return rounded
        return self.emit(relax.op.astype(data, kind))


ComputeInFloat32 = rewrite_pass("ComputeInFloat32", _ComputeInFloat32)
"""Make float32 of the other float types; wants to be the first pass. It warns of constants in float64
that become infinite."""


def _has_replaced(ty: tvm.ir.Type) -> bool:
    if isinstance(ty, relax.TupleType):
        return any(map(_has_replaced, ty.fields))
    return isinstance(ty, relax.TensorType) and str(ty.dtype) in REPLACED


def _in_float32(expr: GenericConst) -> relax.Expr:
    array = constant(expr)
    assert array is not None
    with np.errstate(over="ignore"):
        narrow = array.astype(FLOAT)
    infinite = int(np.count_nonzero(np.isinf(narrow) & np.isfinite(array)))
    if infinite:
        warnings.warn(
            f"{infinite} of {array.size} elements of a {array.dtype} constant of shape {array.shape} are too "
            "large for float32, in which the network is computed, and become infinite",
            stacklevel=2,
        )
    return make_constant(narrow)


def _computing(call: relax.Call) -> relax.Call:
    """``call`` with float32 where its attributes name another float type."""
    changes = {
        name: tvm_ffi.dtype(FLOAT)
        for name in TYPE_ATTRIBUTES
        if str(getattr(call.attrs, name, "")) in REPLACED
    }
    return replaced(call, call.args, **changes) if changes else call


def _between_integers(graph: Graph) -> set[relax.Var]:
    """Elementwise results in float64 that are made of integers and become integers again."""
    found = {
        var
        for var, value in graph.bindings
        if dtype_of(var) == "float64" and isinstance(operator_of(value).layout, Elementwise | Broadcasting)
    }

    def is_between(var: relax.Var) -> bool:
        value, consumers = graph.definition[var], graph.consumers.get(var, [])
        operands = [used for used in variables(value) if "float" in dtype_of(used)]
        casts = [user for user in consumers if user not in found]
        return (
            all(used in found for used in operands)
            and all(operator_name(graph.definition[user]) == CAST for user in casts)
            and not any("float" in dtype_of(user) for user in casts)
            and len(consumers) == graph.uses[var]
        )

    while outside := {var for var in found if not is_between(var)}:
        found -= outside
    return found
