"""LowerByStrategy: operators that a user's strategy has something better for become calls of its functions.

It runs before other passes know an operator, so that a user's function gets it in the model's layout.
"""

from __future__ import annotations

from typing import Any

import tvm
from tvm import relax

from relay_strategies.relax.graph import Rewriter, operator_name, rewrite_pass
from relay_strategies.relax.kernels import scheduled
from relay_strategies.strategies.operators import STRATEGIES, users_operators, workload_of
from tvm_directconv.errors import AlgorithmError

from .layer_workload import layer_name


def LowerByStrategy(target: Any) -> tvm.transform.Pass:
    """Return the pass for a resolved target."""
    return rewrite_pass("LowerByStrategy", lambda f, builder: _LowerByStrategy(f, builder, target))


class _LowerByStrategy(Rewriter):
    def __init__(self, function: relax.Function, builder: relax.BlockBuilder, target: Any) -> None:
        super().__init__(function, builder)
        self.target = target
        self.users = users_operators(target)

    def visit(self, var: relax.Var, value: relax.Expr) -> relax.Expr | None:
        new = self.new(value)
        name = self.users.get(operator_name(value))
        workload = None if name is None else workload_of(value, name)
        if name is None or workload is None or (name == "batch_matmul" and not _is_batch(workload.operands)):
            return new
        try:
            chosen = STRATEGIES[name](workload, self.target).select(workload)
            if chosen.compute is None:
                return new
            function = chosen.build(workload, self.target)
        except AlgorithmError as error:
            key = STRATEGIES[name].key_of(self.target)
            raise AlgorithmError(
                f"operator '{layer_name(var, value)}', by {name}_strategy of '{key}': {error}"
            ) from error
        kernel = self.add_function(scheduled(function), f"{name}_{chosen.name}")
        return relax.call_tir(kernel, list(new.args), value.ty)


def _is_batch(operands: Any) -> bool:
    """Return whether the second matrix is one of several; a dense layer has one."""
    return len(operands[1].shape) > 2
