"""LowerOperators: pooling, normalization, concatenation, softmax and layout changes become scheduled kernels.

Which kernel an operator has, its entry in the table of operators says. Tensors are float32 or quantized to 8
bits; 8-bit integers are only moved, compared, or have become composites of ``FuseQuantizedOperators``. What
has no kernel here is left as it is, for Relax's LegalizeOps and FuseOps.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tvm
from tvm import relax

from relay_strategies.operators import COMPOSITES, operator_of
from relay_strategies.operators.operator import Kernel, Shape
from relay_strategies.relax import composite
from relay_strategies.relax.graph import Rewriter, dtype_of, operator_name, rewrite_module, shape_of
from relay_strategies.relax.kernels import KERNEL_CALLS, scheduled
from relay_strategies.relax.quantization import BYTES
from relay_strategies.relax.steps import FLOAT
from tvm_directconv.errors import WorkloadError
from tvm_directconv.operators.bfloat16 import BFLOAT16
from tvm_directconv.targets.target import CompileTarget, resolve_target


def LowerOperators(
    target: str | Mapping[str, Any] | tvm.target.Target | CompileTarget,
) -> tvm.transform.Pass:
    """The pass for ``target``; it looks at NHWC tensors and wants ``FuseAffine`` before it."""
    resolved = resolve_target(target)

    @tvm.transform.module_pass(opt_level=0, name="directconv.LowerOperators")
    def lower(module: tvm.IRModule, context: tvm.transform.PassContext) -> tvm.IRModule:
        return rewrite_module(module, lambda f, builder: _LowerOperators(f, builder, resolved))

    return lower


class _LowerOperators(Rewriter):
    def __init__(self, function: relax.Function, builder: relax.BlockBuilder, target: CompileTarget) -> None:
        super().__init__(function, builder)
        self.target = target

    def visit(self, var: relax.Var, value: relax.Expr) -> relax.Expr | None:
        new, shape = self.new(value), shape_of(var)
        if shape is None or dtype_of(var) not in (FLOAT, BFLOAT16, *BYTES) or not isinstance(new, relax.Call):
            return new
        try:
            kernel = self._kernel(new, shape)
        except WorkloadError:
            return new  # a shape the kernel does not cover
        if kernel is None:
            return new
        function = self.add_function(scheduled(kernel.function), kernel.name)
        return relax.call_tir(function, list(kernel.arguments), relax.TensorType(shape, dtype_of(var)))

    def _kernel(self, call: relax.Call, shape: Shape) -> Kernel | None:
        found = composite.composite_of(self, call)
        if found is not None:
            entry = COMPOSITES.get(found.name)
            return None if entry is None or entry.kernel is None else entry.kernel(found, shape, self.target)
        operator = operator_of(call)
        if operator.kernel is None or (operator.joins_kernels and self._has_default_kernel(call.args[0])):
            return None
        return operator.kernel(call, shape, self.target)

    def _has_default_kernel(self, data: relax.Expr) -> bool:
        """Whether an operator makes it that gets a kernel by default, to which FuseOps can join others."""
        made = self.builder.lookup_binding(data) if isinstance(data, relax.Var) else None
        return made is not None and operator_name(made) not in (*KERNEL_CALLS, "relax.reshape")
