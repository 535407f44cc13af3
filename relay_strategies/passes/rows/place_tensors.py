"""PlaceTensors: all intermediate results of a network that goes by rows lie in one piece of memory.

TVM's plan of storages knows no tensors that are parts of others. Tensors get the places that they have in C
exports, and in a run without TVM (``relay_strategies/relax/placement.py``); results of the network are of
their own. TVM's tensors begin at an offset from their address, of which kernels know nothing: ``settle`` adds
it to the address, once for each tensor of a run.
"""

from __future__ import annotations

import tvm
from tvm import relax, tirx
from tvm.ir import GlobalVar

from relay_strategies.relax.graph import bindings, dtype_of, operator_name, shape_of, variables
from relay_strategies.relax.kernels import scheduled
from relay_strategies.relax.main_body import update_main
from relay_strategies.relax.movement_calls import RESHAPE
from relay_strategies.relax.placement import Life, places
from relay_strategies.relax.rows import VIEW, is_call_of, read_call
from tvm_directconv.problem.element_types import tensor_bytes

from .place_rows import ALLOC

DATA, BYTE_OFFSET = 1, 8
"""The numbers of these fields of a tensor, of TVM's ``TVMStructFieldKind``."""
TVM_VIEW = "runtime.TVMTensorCreateView"


@tvm.transform.module_pass(opt_level=0, name="directconv.PlaceTensors")
def PlaceTensors(module: tvm.IRModule, context: tvm.transform.PassContext) -> tvm.IRModule:
    """Place all that ``main`` allocates, where some of it is a part of something else."""
    main = module["main"]
    if not any(is_call_of(binding.value, VIEW) for binding in bindings(main.body)):
        return module
    builder = relax.BlockBuilder(module.clone())
    settle = builder.add_func(scheduled(_settle()), "settle")
    update_main(builder, _PlaceTensors(main, builder, settle).body())
    return builder.get()


class _PlaceTensors:
    def __init__(self, main: relax.Function, builder: relax.BlockBuilder, settle: GlobalVar) -> None:
        self._builder, self._settle = builder, settle
        self._bindings, self._result = list(bindings(main.body)), main.body.body
        self._roots: dict[relax.Var, tuple[relax.Var, ...]] = {}
        self._values = {binding.var: binding.value for binding in self._bindings}
        self._made: list[relax.Binding] = []
        self._parts: dict[tuple[int, str], relax.Var] = {}

    def body(self) -> relax.SeqExpr:
        self._offsets, whole = places(self._lives())
        if whole:
            call = relax.op.memory.alloc_storage(relax.ShapeExpr([whole]), 0, "global", "uint8")
            self._storage = self._emit(call, "storage")
        for binding in self._bindings:
            var, value = binding.var, binding.value
            if var in self._offsets:
                self._bind(var, self._tensor(self._offsets[var], var.ty))
            elif is_call_of(value, VIEW):
                self._bind(var, self._view(value, var.ty))
            else:
                self._made.append(binding)
        return relax.SeqExpr([relax.BindingBlock(self._made)], self._result)

    def _lives(self) -> dict[relax.Var, Life]:
        """What is allocated, but for what is returned; it lives as long as what is made of it."""
        lives: dict[relax.Var, Life] = {}
        for place, binding in enumerate(self._bindings):
            var, value = binding.var, binding.value
            if operator_name(value) == ALLOC:
                lives[var] = Life(tensor_bytes(shape_of(var) or (), dtype_of(var)), place, place)
                self._roots[var] = (var,)
                continue
            used = tuple(root for each in variables(value) for root in self._roots.get(each, ()))
            for root in used:
                lives[root] = Life(lives[root].size, lives[root].first, place)
            kernel = isinstance(value, relax.Call) and isinstance(value.op, GlobalVar)
            self._roots[var] = () if kernel else used
        returned = {root for var in variables(self._result) for root in self._roots.get(var, ())}
        return {var: life for var, life in lives.items() if var not in returned}

    def _view(self, call: relax.Call, kind: relax.TensorType) -> relax.Expr:
        """A part of a tensor that has a place, or of one that is given or returned."""
        (tensor,), (offset,) = read_call(call)
        whole, before = self._at(tensor)
        if whole in self._offsets:
            return self._tensor(self._offsets[whole] + before + offset, kind)
        view = relax.op.memory.view(tensor, kind.shape, str(kind.dtype), offset)
        return self._settled(relax.Call(relax.ExternFunc(TVM_VIEW), view.args, ty_args=[kind]))

    def _at(self, tensor: relax.Var) -> tuple[relax.Var, int]:
        """What a tensor is a part of, and how many bytes from its beginning on."""
        made = self._values.get(tensor)
        if made is not None and is_call_of(made, VIEW):
            (whole,), (offset,) = read_call(made)
            whole, before = self._at(whole)
            return whole, before + offset
        is_same = isinstance(made, relax.Var) or operator_name(made) == RESHAPE
        return self._at(next(iter(variables(made)))) if is_same else (tensor, 0)

    def _tensor(self, offset: int, kind: relax.TensorType) -> relax.Var:
        """The tensor of that type at an offset, made once."""
        key = offset, str(kind)
        if key not in self._parts:
            call = relax.op.memory.alloc_tensor(self._storage, offset, kind.shape, str(kind.dtype))
            self._parts[key] = self._settled(call)
        return self._parts[key]

    def _settled(self, call: relax.Call) -> relax.Var:
        tensor = self._emit(call, "part")
        nothing = relax.Call(self._settle, [tensor], ty_args=[relax.TupleType([])])
        self._bind(relax.Var("_", relax.TupleType([])), nothing)
        return tensor

    def _emit(self, value: relax.Expr, name: str) -> relax.Var:
        value = self._builder.normalize(value)
        var = relax.Var(name, value.ty)
        self._bind(var, value)
        return var

    def _bind(self, var: relax.Var, value: relax.Expr) -> None:
        self._made.append(relax.VarBinding(var, value))


def _settle() -> tirx.PrimFunc:
    """The kernel that adds a tensor's offset to its address."""
    tensor = tirx.Var("tensor", "handle")
    offset = tirx.Cast("int64", tirx.tvm_struct_get(tensor, 0, BYTE_OFFSET, "uint64"))
    data = tirx.handle_add_byte_offset(tirx.tvm_struct_get(tensor, 0, DATA, "handle"), offset)
    steps = (tirx.tvm_struct_set(tensor, 0, DATA, data), _zero(tensor))
    return tirx.PrimFunc([tensor], tirx.SeqStmt(list(map(tirx.Evaluate, steps))))


def _zero(tensor: tirx.Var) -> tirx.Expr:
    return tirx.tvm_struct_set(tensor, 0, BYTE_OFFSET, tirx.IntImm("uint64", 0))
