"""MeasureFirst: sizes that are known when a model runs are read before anything has them.

What reads a size and what has it in its shape share no variable of Relax, so that TVM's fusion may change
their order.
"""

from __future__ import annotations

from collections.abc import Container

import tvm
from tvm import relax, tirx
from tvm_ffi import structural_walk

from relay_strategies.relax.graph import variables
from relay_strategies.relax.main_body import update_main
from tvm_directconv.problem.open_sizes import active_sizes


@tvm.transform.module_pass(opt_level=0, name="directconv.MeasureFirst")
def MeasureFirst(module: tvm.IRModule, context: tvm.transform.PassContext) -> tvm.IRModule:
    """Have ``main`` bind what its sizes follow from before what has these sizes."""
    sizes, main = active_sizes(), module["main"]
    if sizes is None or not sizes.measured:
        return module
    body = relax.SeqExpr([_ordered(block, sizes.measured) for block in main.body.blocks], main.body.body)
    builder = relax.BlockBuilder(module.clone())
    update_main(builder, body)
    return builder.get()


def _ordered(block: relax.BindingBlock, measured: Container[str]) -> relax.BindingBlock:
    """A block with its bindings in an order in which sizes that are ``measured`` are read first."""
    made = {binding.var: binding for binding in block.bindings}
    readers = {name: each for each in made.values() for name in _measures(each) if name in measured}
    ordered: dict[relax.Var, relax.Binding] = {}

    def place(binding: relax.Binding) -> None:
        if binding.var in ordered:
            return
        needed = [made[var] for var in variables(binding.value) if var in made]
        needed += [
            readers[name] for name in sorted(_names(binding)) if readers.get(name, binding) is not binding
        ]
        for each in needed:
            place(each)
        ordered[binding.var] = binding

    for binding in made.values():
        place(binding)
    return type(block)(list(ordered.values()))


def _measures(binding: relax.Binding) -> list[str]:
    """The sizes that a binding reads."""
    if not isinstance(binding, relax.MatchCast):
        return []
    sizes = binding.ty.values if isinstance(binding.ty, relax.ShapeType) else binding.ty.shape.values
    return [str(size.name) for size in sizes if isinstance(size, tirx.Var)]


def _names(binding: relax.Binding) -> set[str]:
    """The names of the sizes in a binding's value and type."""
    names: set[str] = set()
    for part in (binding.value, binding.var.ty):
        structural_walk(part, (tirx.Var, lambda var: names.add(str(var.name))))
    return names
