"""The calls of kernels that a run of a network consists of, in order: what each computes and from what.

They are found while the network still says which call reads the result of which; memory planning hides that.
"""

from __future__ import annotations

import math
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import tvm
from tvm import relax

from relay_strategies.passes.lower.layer_report import LayerReport
from relay_strategies.relax.graph import bindings, ints, operator_name, variables
from relay_strategies.relax.kernels import FLOPS, KERNEL_CALLS, kernel_workspace
from relay_strategies.relax.names import name_of, names_text
from tvm_directconv.problem.element_types import tensor_bytes
from tvm_directconv.problem.extents import typical
from tvm_directconv.problem.open_sizes import size_of
from tvm_directconv.problem.workload import Conv2dWorkload

INPLACE = "relax.call_tir_inplace"


@dataclass(frozen=True)
class KernelCall:
    """One call of a kernel.

    ``layers`` are the places, among the report's layers, of those it computes, none where it is another
    operator; ``after`` the places of the calls whose results it reads, of the network's i-th input -1 - i.
    ``result`` is what it writes, as "1x56x56x64 float32"; ``bytes`` are those of all tensors that it reads
    and writes, of parts of tensors the parts', ``workspace_bytes`` what one thread allocates meanwhile.
    ``flops`` are two for each multiply-add, 0 for other operators than convolutions and products. ``in_part``
    tells that other calls write the rest of the tensor. ``name`` is that of the model's operators, "" where
    none is known.
    """

    kernel: str
    layers: tuple[int, ...]
    after: tuple[int, ...]
    result: str
    flops: int
    bytes: int
    workspace_bytes: int
    in_part: bool
    name: str = ""

    @staticmethod
    def from_fields(fields: Mapping[str, Any]) -> KernelCall:
        """Make a call from the result of ``dataclasses.asdict``, which may have been through JSON."""
        return KernelCall(**{**fields, "layers": tuple(fields["layers"]), "after": tuple(fields["after"])})


def kernel_calls(module: tvm.IRModule, layers: Sequence[LayerReport]) -> tuple[KernelCall, ...]:
    """The calls of a module whose kernels are all written, and whose layers those are."""
    waiting: defaultdict[str, deque[int]] = defaultdict(deque)
    for place, layer in enumerate(layers):
        waiting[layer.function].append(place)
    main = module["main"]
    made: dict[relax.Var, tuple[int, ...]] = {
        param: (-1 - number,) for number, param in enumerate(main.params)
    }
    calls: list[KernelCall] = []
    for binding in bindings(main.body):
        value = binding.value
        after = _places(value, made)
        if operator_name(value) in KERNEL_CALLS:
            others: tuple[int, ...] = ()
            if (
                operator_name(value) == INPLACE
            ):  # what wrote other parts of the tensor is nothing that it reads
                given = list(value.args[1].fields)
                others = _places(given.pop(int(value.attrs.inplace_indices[0])), made)
                after = _places(relax.Tuple(given), made)
            calls.append(_call(module, value, after, waiting, layers))
            after = (*others, len(calls) - 1)
        made[binding.var] = after
    return tuple(calls)


def _places(expr: relax.Expr, made: Mapping[relax.Var, tuple[int, ...]]) -> tuple[int, ...]:
    """The places of the calls, and of inputs, that an expression's value comes from."""
    return tuple(dict.fromkeys(place for var in variables(expr) for place in made.get(var, ())))


def kernel_kind(name: str) -> str:
    """Return what kernels that only a number tells apart are called in reports."""
    return name.rstrip("0123456789_")


def _call(
    module: tvm.IRModule,
    call: relax.Call,
    after: tuple[int, ...],
    waiting: Mapping[str, deque[int]],
    layers: Sequence[LayerReport],
) -> KernelCall:
    kernel, results = call.args[0], tensor_types(call.ty_args)
    places = _next_layers(waiting[kernel.name_hint], layers)
    given = [_size(ty) for ty in tensor_types([argument.ty for argument in call.args[1].fields])]
    written = sum(map(_size, results))
    in_part = operator_name(call) == INPLACE
    if in_part:
        changed = given.pop(int(call.attrs.inplace_indices[0]))
        written = min(sum(given), changed) if not places else 0
    flops = sum(layers[place].flops for place in places)
    if places:
        first, last = (Conv2dWorkload.parse(layers[place].workload) for place in (places[0], places[-1]))
        given[0] = math.prod(first.input_shape) * first.element_bytes
        written = math.prod(last.output_shape) * last.out_bytes
    else:
        flops = int((module[kernel].attrs or {}).get(FLOPS, 0))
    shapes = ", ".join(
        f"{'x'.join(str(typical(size_of(e))) for e in ty.shape.values)} {ty.dtype}" for ty in results
    )
    types = tensor_types([argument.ty for argument in call.args[1].fields]) + results
    workspace = kernel_workspace(module[kernel], [ints(ty.shape.values) for ty in types])
    moved = sum(given) + written
    name = names_text([layers[place].name for place in places]) if places else name_of(call)
    return KernelCall(kernel.name_hint, places, after, shapes, flops, moved, workspace, in_part, name)


def _next_layers(waiting: deque[int], layers: Sequence[LayerReport]) -> tuple[int, ...]:
    """The layers of the next call of a kernel: calls and layers are in the same order."""
    if not waiting:
        return ()
    count = len(layers[waiting[0]].chain["layers"]) if layers[waiting[0]].in_chain else 1
    return tuple(waiting.popleft() for _ in range(count))


def tensor_types(types: Sequence[Any]) -> list[Any]:
    """The tensor types among types and the fields of tuples."""
    flat: list[Any] = []
    for ty in types:
        flat += tensor_types(ty.fields) if hasattr(ty, "fields") else [ty]
    return [ty for ty in flat if isinstance(ty, relax.TensorType)]


def _size(ty: Any) -> int:
    return tensor_bytes([typical(size_of(extent)) for extent in ty.shape.values], ty.dtype)
