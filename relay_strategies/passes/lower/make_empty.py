"""MakeEmpty: constants without elements are made where they are used, because TVM writes them into a library
and cannot read them back."""

from __future__ import annotations

from tvm import relax
from tvm.ir import GenericConst

from relay_strategies.relax.graph import Rewriter, dtype_of, rewrite_pass, shape_of


class _MakeEmpty(Rewriter):
    def new(self, expr: relax.Expr) -> relax.Expr:
        shape = shape_of(expr) if isinstance(expr, GenericConst) else None
        if shape is not None and 0 in shape:
            return self.emit(relax.op.zeros(shape, dtype_of(expr)))
        return super().new(expr)


MakeEmpty = rewrite_pass("MakeEmpty", _MakeEmpty)
"""Replace constants without elements by calls that make them; no folding may follow."""
