"""NameActivations: activations of several operators as the one operator that Relax has for them.

Their own numbers (the half of a GELU, the sixth of a HardSwish) are out of sight then for ``FoldScales``,
which would take them apart.
"""

from __future__ import annotations

from collections.abc import Sequence

from tvm import relax

from intrinsics.epilogue import Elu, Gelu, GeluTanh, HardSwish, Mish, Scale, Silu, Softplus, Step
from relay_strategies.relax.arithmetic_calls import ADD
from relay_strategies.relax.epilogue_steps import FLOAT, apply_steps, number_of
from relay_strategies.relax.graph import ChainRewriter, dtype_of, rewrite_pass, shape_of

from .activations import Activation, Activations


class _NameActivations(ChainRewriter[tuple[relax.Var, Sequence[Step]]]):
    def prepare(self) -> None:
        activations = Activations(self.graph)
        for var in [*self.graph.function.params, *(var for var, _ in self.graph.bindings)]:
            found = activations.after(var) if dtype_of(var) == FLOAT else None
            if found is not None and _is_named(found):
                self._claim(found.variables, (var, found.steps))
        for var, _ in self.graph.bindings:
            self._claim_logarithm(var)

    def _claim(self, variables: Sequence[relax.Var], chain: tuple[relax.Var, Sequence[Step]]) -> None:
        if not any(map(self.is_claimed, variables)):
            self.claim(variables, chain)

    def _claim_logarithm(self, var: relax.Var) -> None:
        """Softplus as ``log(1 + e^x)``, which overflows where its values would tell what it is."""
        logarithm = self.graph.call(var, "relax.log")
        total = None if logarithm is None else self.graph.sole_call(logarithm.args[0], ADD)
        if logarithm is None or total is None or dtype_of(var) != FLOAT:
            return
        for power, one in (total.args, reversed(total.args)):
            exponential = self.graph.sole_call(power, "relax.exp") if number_of(one) == 1 else None
            if exponential is not None and shape_of(power) == shape_of(var):
                self._claim((power, logarithm.args[0], var), (exponential.args[0], (Softplus(),)))
                return

    def emit_chain(self, var: relax.Var, chain: tuple[relax.Var, Sequence[Step]]) -> relax.Expr:
        source, steps = chain
        return apply_steps(self.emit, steps, self.new(source))


NameActivations = rewrite_pass("NameActivations", _NameActivations)
"""Make one operator of each activation; wants ``Simplify`` before it."""


def _is_named(found: Activation) -> bool:
    first, *rest = found.steps
    scaled = all(isinstance(step, Scale) for step in rest)
    return len(found.variables) > 1 and isinstance(first, NAMED) and scaled


NAMED = (Elu, Gelu, GeluTanh, HardSwish, Mish, Silu, Softplus)
"""``apply_steps`` writes these in few operators, without a factor behind the function."""
