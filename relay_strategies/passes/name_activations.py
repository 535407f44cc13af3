"""NameActivations: activations of several operators as the one operator that Relax has for them.

Their own numbers (the half of a GELU, the sixth of a HardSwish) are out of sight then for ``FoldScales``,
which would take them apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import tvm
from tvm import relax

from intrinsics.epilogue import Gelu, GeluTanh, HardSwish, Scale, Silu, Softplus, Step
from relay_strategies.relax.composite import Emit
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
        source, (first, *rest) = chain
        result = self.emit(NAMED[type(first)](self.emit, self.new(source), first))
        return apply_steps(self.emit, rest, result)


def _is_named(found: Activation) -> bool:
    first, *rest = found.steps
    single = isinstance(first, Silu) and first.alpha != 1
    return (
        len(found.variables) > 1
        and type(first) in NAMED
        and not single
        and all(isinstance(step, Scale) for step in rest)
    )


def _hard_swish(emit: Emit, data: relax.Expr, step: Step) -> relax.Expr:
    """Without a factor of its own behind the product."""
    assert isinstance(step, HardSwish)
    scaled = emit(relax.op.multiply(data, relax.const(step.alpha, "float32")))
    shifted = emit(relax.op.add(scaled, relax.const(step.beta, "float32")))
    bounds = (tvm.tirx.const(bound, "float32") for bound in (0.0, 1.0))
    return relax.op.multiply(data, emit(relax.op.clip(shifted, *bounds)))


NAMED: dict[type[Step], Callable[[Emit, relax.Expr, Step], relax.Expr]] = {
    Gelu: lambda emit, data, step: relax.op.nn.gelu(data),
    GeluTanh: lambda emit, data, step: relax.op.nn.gelu_tanh(data),
    HardSwish: _hard_swish,
    Silu: lambda emit, data, step: relax.op.nn.silu(data),
    Softplus: lambda emit, data, step: relax.op.nn.softplus(data),
}
"""By step, these make the operator of it."""
