"""InlineComposites: composites that no kernel was found for, taken apart into their operators.

TVM's InlinePrivateFunctions would take apart the private functions of a user's module as well.
"""

from __future__ import annotations

from tvm import relax

from relay_strategies.relax import composite
from relay_strategies.relax.graph import Graph, Rewriter, rewrite_pass


class _InlineComposites(Rewriter):
    def visit(self, var: relax.Var, value: relax.Expr) -> relax.Expr | None:
        found = composite.composite_of(self, value)
        if found is None:
            return self.new(value)
        arguments = [self.new(argument) for argument in found.arguments]
        outside = composite.outward(found.function, arguments)
        for param, argument in zip(found.function.params, arguments, strict=True):
            self.bind(param, argument)
        for inner, definition in Graph(found.function).bindings:
            self.bind(inner, self.emit(self.new(outside(definition)), inner.name))
        return self.new(found.function.body.body)


InlineComposites = rewrite_pass("InlineComposites", _InlineComposites)
"""Replace calls of composite functions by their bodies."""
