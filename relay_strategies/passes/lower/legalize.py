"""LegalizeOperators: Relax's LegalizeOps, with this project's kernels and the operators' names kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import tvm
from tvm import relax, topi

from relay_strategies.relax.graph import bindings, dtype_of, operator_name
from relay_strategies.relax.movement_calls import RESHAPE
from relay_strategies.relax.names import name_of, named

Rule = Callable[[relax.BlockBuilder, relax.Call], relax.Expr]
"""A function that turns an operator's call into a call of a kernel."""
RULE = "FLegalize"
"""This attribute of an operator is Relax's own rule."""


def LegalizeOperators(rules: Mapping[str, Rule]) -> tvm.transform.Pass:
    """The pass with ``rules`` by operators' names before Relax's own."""

    @tvm.transform.module_pass(opt_level=0, name="directconv.LegalizeOperators")
    def legalize(module: tvm.IRModule, context: tvm.transform.PassContext) -> tvm.IRModule:
        functions = [f for f in module.functions.values() if isinstance(f, relax.Function)]
        found = {operator_name(binding.value) for f in functions for binding in bindings(f.body)} - {""}
        known = {name: tvm.ir.Op.get(name).get_attr(RULE) for name in found} | dict(rules)
        keeping = {name: _keeping_name(rule) for name, rule in known.items() if rule is not None}
        return relax.transform.LegalizeOps(keeping, skip_ops=[RESHAPE])(module)

    return legalize


def _keeping_name(rule: Rule) -> Rule:
    def legalized(builder: relax.BlockBuilder, call: relax.Call) -> relax.Expr:
        made, name = rule(builder, call), name_of(call)
        made = named(made, name) if name and type(made) is relax.Call else made
        return _of_type(builder, made, call)

    return legalized


def _of_type(builder: relax.BlockBuilder, made: relax.Expr, call: relax.Call) -> relax.Expr:
    """``made`` in the type that the operator has: TVM's means of integers are of 64 bits, as their counts."""
    if not isinstance(call.ty, relax.TensorType) or not isinstance(made, relax.Call):
        return made
    normal = builder.normalize(made)
    if not isinstance(normal.ty, relax.TensorType) or dtype_of(normal) == dtype_of(call):
        return made
    return builder.call_te(topi.cast, builder.emit(normal), dtype_of(call), primfunc_name_hint="cast")
