"""NameActivations: activations of several operators as the one operator that Relax has for them.

Their own numbers (the half of a GELU, the sixth of a HardSwish) are out of sight then for ``FoldScales``,
which would take them apart.
"""

from __future__ import annotations

from collections.abc import Sequence

import tvm
from tvm import relax

from intrinsics.epilogue import Gelu, GeluTanh, HardSwish, Scale, Silu, Softplus, Step
from relay_strategies.relax.graph import ChainRewriter, rewrite_module
from relay_strategies.relax.steps import apply_steps

from .activations import Activation, Activations


@tvm.transform.module_pass(opt_level=0, name="directconv.NameActivations")
def NameActivations(module: tvm.IRModule, context: tvm.transform.PassContext) -> tvm.IRModule:
    """Make one operator of each activation; wants ``Simplify`` before it."""
    return rewrite_module(module, _NameActivations)


class _NameActivations(ChainRewriter[tuple[relax.Var, Sequence[Step]]]):
    def prepare(self) -> None:
        activations = Activations(self.graph)
        for var in [*self.graph.function.params, *(var for var, _ in self.graph.bindings)]:
            found = activations.after(var)
            if found is not None and _is_named(found) and not any(map(self.is_claimed, found.variables)):
                self.claim(found.variables, (var, found.steps))

    def emit_chain(self, var: relax.Var, chain: tuple[relax.Var, Sequence[Step]]) -> relax.Expr:
        source, steps = chain
        return apply_steps(self.emit, steps, self.new(source))


def _is_named(found: Activation) -> bool:
    first, *rest = found.steps
    scaled = all(isinstance(step, Scale) for step in rest)
    return len(found.variables) > 1 and isinstance(first, NAMED) and scaled


NAMED = (Gelu, GeluTanh, HardSwish, Silu, Softplus)
"""``apply_steps`` writes these in few operators, without a factor behind the function."""
