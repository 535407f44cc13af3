"""FuseOperators: TVM's FuseOps and FuseTIR, with a limit to how much goes into one kernel.

FuseOps joins up to 256 operators. What scheduling and code generation take grows faster than a kernel, and
nothing is gained beyond the few operators that save a pass over memory. What calls a joined kernel has the
names of all its operators.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping

import tvm
from tvm import relax
from tvm.ir import GlobalVar

from relay_strategies.relax.graph import Rewriter, bindings, operator_name, rewrite_module
from relay_strategies.relax.kernels import KERNEL_CALLS
from relay_strategies.relax.names import name_of, named, names_text

LARGEST_GROUP = 32
"""The largest number of operators that become one kernel."""


@tvm.transform.module_pass(opt_level=0, name="directconv.FuseOperators")
def FuseOperators(module: tvm.IRModule, context: tvm.transform.PassContext) -> tvm.IRModule:
    """Fuse calls of kernels whose patterns are annotated."""
    config = dict(context.config) | {"relax.FuseOps.max_depth": LARGEST_GROUP}
    with tvm.transform.PassContext(
        opt_level=context.opt_level,
        required_pass=list(context.required_pass),
        disabled_pass=list(context.disabled_pass),
        instruments=list(context.instruments),
        config=config,
    ):
        grouped = relax.transform.FuseOps()(module)
        fused = relax.transform.FuseTIR()(grouped)
    names = _names_of_groups(module, grouped)
    return rewrite_module(fused, lambda f, builder: _NameGroups(f, builder, names)) if names else fused


def _names_of_groups(before: tvm.IRModule, after: tvm.IRModule) -> dict[relax.Var, str]:
    """The names of what groups consist of, by the variables of their results.

    FuseOps makes groups new variables and a function that equal ones share. Calls stay in order, so that
    those that are gone are found again in the groups by their kernels.
    """
    calls = {binding.var: binding.value for binding in bindings(after["main"].body)}
    gone: defaultdict[str, deque[str]] = defaultdict(deque)
    for binding in bindings(before["main"].body):
        if binding.var not in calls and operator_name(binding.value) in KERNEL_CALLS:
            gone[binding.value.args[0].name_hint].append(name_of(binding.value))
    names = {}
    for var, call in calls.items():
        if isinstance(call, relax.Call) and isinstance(call.op, GlobalVar):
            inside = [binding.value for binding in bindings(after[call.op].body)]
            kernels = [value.args[0].name_hint for value in inside if operator_name(value) in KERNEL_CALLS]
            names[var] = names_text([gone[kernel].popleft() for kernel in kernels if gone[kernel]])
    return names


class _NameGroups(Rewriter):
    def __init__(
        self, function: relax.Function, builder: relax.BlockBuilder, names: Mapping[relax.Var, str]
    ) -> None:
        super().__init__(function, builder)
        self._names = names

    def visit(self, var: relax.Var, value: relax.Expr) -> relax.Expr | None:
        new, name = self.new(value), self._names.get(var)
        return named(new, name) if name else new
