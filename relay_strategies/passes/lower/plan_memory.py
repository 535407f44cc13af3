"""PlanMemory: where the intermediate results of open sizes lie.

TVM plans the memory of sizes that are numbers. Here results that are not there at the same time share a slot
(``relay_strategies.relax.slots``).

A slot, and a result of the function, takes a power of two from TVM's pool, which keeps a piece for each
number of bytes: runs of many sizes share a few, and what of a piece no run touches takes no memory.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import tvm
from tvm import relax, tirx

from relay_strategies.relax.graph import bindings, ints, operator_name, variables
from relay_strategies.relax.inner_functions import calls_inner
from relay_strategies.relax.main_body import update_main
from relay_strategies.relax.slots import slots_of
from tvm_directconv.problem.element_types import element_bytes
from tvm_directconv.problem.extents import (
    depends_on_data,
    given_to_tvm,
    is_open,
    typical,
)
from tvm_directconv.problem.found_sizes import at_most
from tvm_directconv.problem.open_sizes import active_sizes, measuring_sizes
from tvm_directconv.problem.size_text import text_of

ALLOC = "relax.builtin.alloc_tensor"
ARENA = "arena_bytes"
"""The attribute of a function that holds the bytes of all that it allocates, as text over the model's
dimensions."""
LEAST_BYTES = 1 << 14


@dataclass
class _Result:
    """A tensor that the function allocates: its bytes, and the bindings, by number, that it is there for."""

    var: relax.Var
    size: Any
    first: int
    last: int
    is_alone: bool
    """Whether it has memory of its own: it is returned, or its size is known in the middle of a run."""


@tvm.transform.module_pass(opt_level=0, name="directconv.PlanMemory")
def PlanMemory(module: tvm.IRModule, context: tvm.transform.PassContext) -> tvm.IRModule:
    """Have ``main`` put what it allocates into slots, where sizes are open. Its kernels are called with their
    results, outside of dataflow."""
    main = module["main"]
    # TVM's plan does not know that what an inner function returns may be what it was given.
    sizes = measuring_sizes() if calls_inner(main) else active_sizes()
    if sizes is None:
        return module
    results = _results(main)
    slots = slots_of({result.var: result for result in results if not result.is_alone})
    builder = relax.BlockBuilder(module.clone())
    peaks = [slot.size for slot in slots]
    first = [_storage(builder, peak, "slot") for peak in peaks]
    storages = {var: made.var for slot, made in zip(slots, first, strict=True) for var in slot.results}
    whole = {result.var: result.size for result in results if result.is_alone}
    blocks = [
        relax.BindingBlock([new for old in block.bindings for new in _placed(builder, old, storages, whole)])
        for block in main.body.blocks
    ]
    body = relax.SeqExpr([relax.BindingBlock(first), *blocks], main.body.body)
    total = sum([*(at_most(sizes, size) for size in whole.values()), *peaks])
    arena = text_of(sizes.outward(total))
    update_main(builder, body, {ARENA: arena})
    return builder.get()


def _results(main: relax.Function) -> list[_Result]:
    """What the function allocates. A result is there as long as anything that may share its memory, which all
    have that are made of it; calls of kernels make nothing."""
    shared: dict[relax.Var, set[relax.Var]] = {}
    first: dict[relax.Var, int] = {}
    last: dict[relax.Var, int] = {}
    sizes: dict[relax.Var, Any] = {}
    for place, binding in enumerate(bindings(main.body)):
        value = binding.value
        if operator_name(value) == ALLOC:
            elements = math.prod(ints(value.args[0].values))
            sizes[binding.var] = elements * element_bytes(str(binding.var.ty.dtype))
            first[binding.var] = place
            shared[binding.var] = {binding.var}
            continue
        used = set().union(*(shared.get(var, set()) for var in variables(value)))
        last |= dict.fromkeys(used, place)
        if not isinstance(binding.var.ty, relax.TupleType) or binding.var.ty.fields[:]:
            shared[binding.var] = used
    returned = set().union(*(shared.get(var, set()) for var in variables(main.body.body)))
    return [
        _Result(var, size, first[var], last.get(var, first[var]), var in returned or depends_on_data(size))
        for var, size in sizes.items()
    ]


def _placed(
    builder: relax.BlockBuilder,
    binding: relax.Binding,
    storages: Mapping[relax.Var, relax.Var],
    whole: Mapping[relax.Var, Any],
) -> Sequence[relax.Binding]:
    """A binding, or those that make a tensor in its slot, or in memory of its own."""
    call = binding.value
    if operator_name(call) != ALLOC:
        return [binding]
    own = [_storage(builder, whole[binding.var], "whole")] if binding.var in whole else []
    storage = own[0].var if own else storages[binding.var]
    tensor = relax.op.memory.alloc_tensor(storage, 0, call.args[0], str(binding.var.ty.dtype))
    return [*own, relax.VarBinding(binding.var, tensor)]


def _storage(builder: relax.BlockBuilder, size: Any, name: str) -> relax.VarBinding:
    """The binding of memory for so many bytes."""
    whole: Any = 1 << (max(LEAST_BYTES, typical(size)) - 1).bit_length()
    if is_open([size]):
        needed = tirx.max(given_to_tvm(size), tirx.IntImm("int64", LEAST_BYTES))
        bits = tirx.IntImm("int64", 64) - tirx.Cast("int64", tirx.clz(needed - 1))
        whole = tirx.shift_left(tirx.IntImm("int64", 1), bits)
    call = relax.op.memory.alloc_storage(relax.ShapeExpr([whole]), 0, "global", "uint8")
    call = builder.normalize(call)
    return relax.VarBinding(relax.Var(name, call.ty), call)
