"""LowerOperators: pooling, normalization, concatenation, softmax and layout changes become scheduled kernels.

An operator's entry in the table of operators gives its kernel. Tensors are floats or quantized to 8 bits.
Kernels that compute do so in float32, and contain the casts of tensors in half precision. 8-bit integers are
only moved, compared, or have become composites of ``FuseQuantizedOperators``. Operators without a kernel here
are left as they are, for Relax's LegalizeOps and FuseOps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import tvm
from tvm import relax

from relay_strategies.operators import COMPOSITES, operator_of
from relay_strategies.operators.operator import Kernel, Shape
from relay_strategies.relax import composite
from relay_strategies.relax.arithmetic_calls import CAST
from relay_strategies.relax.calls import replaced
from relay_strategies.relax.epilogue_steps import FLOAT
from relay_strategies.relax.graph import (
    Rewriter,
    dtype_of,
    operator_name,
    rewrite_pass,
    shape_of,
)
from relay_strategies.relax.kernels import KERNEL_CALLS, scheduled
from relay_strategies.relax.movement_calls import RESHAPE
from relay_strategies.relax.quantize_calls import BYTES
from tvm_directconv.algorithms.lowering import called_kernels
from tvm_directconv.errors import WorkloadError
from tvm_directconv.operators.builder import stored_as
from tvm_directconv.problem.element_types import FLOATS, HALVES
from tvm_directconv.problem.inner_sizes import inside
from tvm_directconv.targets.target import CompileTarget, resolve_target


def LowerOperators(
    target: str | Mapping[str, Any] | tvm.target.Target | CompileTarget,
) -> tvm.transform.Pass:
    """The pass for ``target``; it looks at NHWC tensors and wants ``FuseAffine`` before it."""
    resolved = resolve_target(target)
    return rewrite_pass("LowerOperators", lambda f, builder: _LowerOperators(f, builder, resolved))


class _LowerOperators(Rewriter):
    def __init__(self, function: relax.Function, builder: relax.BlockBuilder, target: CompileTarget) -> None:
        super().__init__(function, builder)
        self.target = target

    def visit(self, var: relax.Var, value: relax.Expr) -> relax.Expr | None:
        new = self.new(value)
        if operator_name(new) == CAST and dtype_of(new.args[0]) == dtype_of(var):
            return new.args[0]  # what computes it has cast what it stores
        if shape_of(var) is None or not isinstance(new, relax.Call):
            return new
        operator = operator_of(new)
        if dtype_of(var) not in (*FLOATS, *BYTES) and not operator.finds_places:
            return new
        while operator.begins_with is not None and (before := operator.begins_with(new)) is not None:
            part = self.builder.normalize(before)
            new = replaced(new, [self.emit(self._lowered(part, part))])
        return self._lowered(var, new)

    def _lowered(self, var: relax.Expr, new: relax.Call) -> relax.Expr:
        """The kernel that computes the call, whose result is of the type of ``var``, or if that is a
        variable, bound to it; the call itself where there is none."""
        shapes = [*map(shape_of, _tensors(new)), shape_of(var)]
        with inside(shapes):
            for tensor in _tensors(new):
                shape_of(tensor)  # the result's sizes follow from the operands'
            shape = shape_of(var) or ()
            try:
                kernel = self._kernel(new, shape)
            except WorkloadError:
                return new  # a shape the kernel does not cover; what else comes up is an error
            if kernel is None:
                return new
            kind = dtype_of(var)
            if kind == FLOAT:
                kernel, kind = self._with_casts(var, kernel, lambda: self._kernel(new, shape))
        function = self.add_function(scheduled(kernel.function), kernel.name)
        result = relax.TensorType(shapes[-1] or (), kind)
        return relax.call_tir(function, list(kernel.arguments), result)

    def _with_casts(
        self, var: relax.Expr, kernel: Kernel, build: Callable[[], Kernel | None]
    ) -> tuple[Kernel, str]:
        """The kernel that reads halves where its operands are casts of them, and stores halves where all that
        uses its result is a cast to them; and the type of its result."""
        sources = {number: self._cast_from(argument) for number, argument in enumerate(kernel.arguments)}
        halves = {number: source for number, source in sources.items() if source is not None}
        types = {number: dtype_of(source) for number, source in halves.items()}
        following = self.graph.only_consumer(var) if isinstance(var, relax.Var) else None
        if following is not None and operator_name(self.graph.definition[following]) == CAST:
            types |= {len(kernel.arguments): dtype_of(following)} if dtype_of(following) in HALVES else {}
        if any(True for _ in called_kernels(kernel.function.body)):
            # Micro-kernels read what they are given as it is.
            taken = dict.fromkeys(kernel.halves, kernel.half)
            types = {number: kind for number, kind in types.items() if taken.get(number) == kind}
        if not types:
            return kernel, FLOAT
        with stored_as(types):
            again = build()
        wide = _types(kernel)
        if again is None or _types(again) != [types.get(n, kind) for n, kind in enumerate(wide)]:
            return kernel, FLOAT
        arguments = [
            halves[number] if number in types else argument
            for number, argument in enumerate(kernel.arguments)
        ]
        return Kernel(kernel.name, again.function, arguments), _types(again)[-1]

    def _cast_from(self, argument: relax.Expr) -> relax.Expr | None:
        """The tensor in half precision that a float32 one is."""
        call = self.produced(argument, CAST)
        return call.args[0] if call is not None and dtype_of(call.args[0]) in HALVES else None

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
        return made is not None and operator_name(made) not in (*KERNEL_CALLS, RESHAPE)


def _tensors(call: relax.Call) -> list[relax.Expr]:
    """Return the tensors that a call is given, those of tuples among them."""
    parts = [arg.fields if isinstance(arg, relax.Tuple) else [arg] for arg in call.args]
    return [each for part in parts for each in part if isinstance(each.ty, relax.TensorType)]


def _types(kernel: Kernel) -> list[str]:
    """Return the types of the kernel's parameters."""
    return [str(param.ty.dtype) for param in kernel.function.params]
