"""FoldConstants: expressions of constants evaluated by numpy.

TVM's FoldConstant compiles and runs every constant expression on its own, which takes 17 s for ResNet-50 and
22 s for DenseNet-121; here it is milliseconds. Quantized constants stay as they are stored until
``FoldDequantize``, which comes when the layers that can use them so have taken theirs.
"""

from __future__ import annotations

import math

from tvm import relax

from relay_strategies.operators.evaluation import evaluated
from relay_strategies.relax.filters import PRODUCT
from relay_strategies.relax.graph import Rewriter, operator_name, rewrite_pass, shape_of
from relay_strategies.relax.movement_calls import PERMUTE
from relay_strategies.relax.quantize_calls import DEQUANTIZE
from tvm_directconv.problem.extents import typical

# A transposed matrix above this size is left to whoever consumes it: dense layers read it as it is stored.
LARGE_MATRIX_ELEMENTS = 1 << 16


class _FoldConstants(Rewriter):
    kept: tuple[str, ...] = (DEQUANTIZE,)
    """Calls of these operators stay."""

    def visit(self, var: relax.Var, value: relax.Expr) -> relax.Expr | None:
        new = self.new(value)
        name = operator_name(value)
        if not name or self._stays(var, name) or self._belongs_to_dense(var, value):
            return new
        folded = evaluated(value, new.args)
        return new if folded is None else folded

    def _stays(self, var: relax.Var, name: str) -> bool:
        """Normalizations become multiplications, by numbers that are known."""
        users = {operator_name(self.graph.definition[user]) for user in self.graph.consumers.get(var, [])}
        return name in self.kept and users != {"relax.nn.batch_norm"}

    def _belongs_to_dense(self, var: relax.Var, value: relax.Call) -> bool:
        """Whether it transposes a large matrix for a dense layer alone."""
        if operator_name(value) != PERMUTE:
            return False
        if math.prod(typical(shape_of(var) or ())) < LARGE_MATRIX_ELEMENTS:
            return False
        consumer = self.graph.only_consumer(var)
        if consumer is not None and self.graph.call(consumer, DEQUANTIZE) is not None:
            consumer = self.graph.only_consumer(consumer)
        return consumer is not None and self.graph.call(consumer, PRODUCT) is not None


FoldConstants = rewrite_pass("FoldConstants", _FoldConstants)
"""Evaluate every expression of constants."""


class _FoldDequantize(_FoldConstants):
    kept = ()


FoldDequantize = rewrite_pass("FoldDequantize", _FoldDequantize)
"""Evaluate every expression of constants, dequantization included; wants ``FuseQuantized`` before it."""
