"""SplitActivations: an activation of concatenated layers' results as one of each result.

The layers then do it to what they have in registers, and write their parts of the concatenation in place;
behind it, it is a pass over memory. MixNet's convolutions of several kernel sizes are followed by one so.
"""

from __future__ import annotations

from dataclasses import dataclass

from tvm import relax

from intrinsics.epilogue import Step
from relay_strategies.passes.rewrite.activations import Activations
from relay_strategies.relax.arithmetic_calls import ADD
from relay_strategies.relax.epilogue_steps import apply_steps
from relay_strategies.relax.graph import ChainRewriter, constant, rewrite_pass
from relay_strategies.relax.movement_calls import Concatenation, concatenation_of

from .fuse_conv2d import is_convolution, is_dense


@dataclass
class _ActivationChain:
    concat: Concatenation
    steps: tuple[Step, ...]


class _SplitActivations(ChainRewriter[_ActivationChain]):
    def prepare(self) -> None:
        activations = Activations(self.graph)
        for var, value in self.graph.bindings:
            concat = concatenation_of(value)
            if concat is None or not all(map(self._ends_layer, concat.tensors)):
                continue
            found = activations.after(var)
            if found is not None:
                self.claim([var, *found.variables], _ActivationChain(concat, found.steps))

    def _ends_layer(self, expr: relax.Expr) -> bool:
        """Whether it is the result of a layer, with its bias or without, that nothing else uses."""
        if not isinstance(expr, relax.Var) or self.graph.uses[expr] != 1:
            return False
        value = self.graph.resolve(expr)
        if is_convolution(value) or is_dense(self.graph, value):
            return True
        biased = self.graph.call(value, ADD)
        return (
            biased is not None and constant(biased.args[1]) is not None and self._ends_layer(biased.args[0])
        )

    def emit_chain(self, var: relax.Var, chain: _ActivationChain) -> relax.Expr:
        tensors = chain.concat.tensors
        parts = [apply_steps(self.emit, chain.steps, self.new(tensor)) for tensor in tensors]
        return relax.op.concat(parts, chain.concat.axis)


SplitActivations = rewrite_pass("SplitActivations", _SplitActivations)
"""Move activations before concatenations of layers; wants ``ToNHWC`` before it, ``FuseConv2d`` after."""
