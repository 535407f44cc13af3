"""Simplify: the many ways a frontend writes an operator, brought to one.

After this pass (and ``FoldConstants`` before it) inference-only operators are gone, batch normalization with
constant statistics is a multiplication and an addition per channel, ONNX Sum is an addition, every clip is
``relax.clip`` or ``relax.nn.relu``, changes of shape are ``relax.reshape``, a pooling window over the whole
map is ``relax.mean``, explicit zero padding is part of its convolution, and local response normalization and
channel shuffles are composites. The rules are the operators' own (``relay_strategies.operators``).
"""

from __future__ import annotations

from tvm import relax

from relay_strategies.operators import operator_of
from relay_strategies.operators.operator import Simplifier
from relay_strategies.relax.graph import rewrite_pass


class _Simplify(Simplifier):
    """Rules are applied to calls of the new function, whose arguments are simplified already."""

    def visit(self, var: relax.Var, value: relax.Expr) -> relax.Expr | None:
        new = self.new(value)
        if isinstance(new, relax.TupleGetItem):
            fields = self.builder.lookup_binding(new.tuple_value)
            return fields.fields[new.index] if isinstance(fields, relax.Tuple) else new
        return self.simplified(new)

    def simplified(self, expr: relax.Expr) -> relax.Expr:
        rule = operator_of(expr).simplify
        result = None if rule is None else rule(self, self.builder.normalize(expr))
        return expr if result is None else result


Simplify = rewrite_pass("Simplify", _Simplify)
"""Bring operators to their one form."""
