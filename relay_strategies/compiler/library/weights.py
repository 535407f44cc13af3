"""Weights beside a program: what the virtual machine would have as constants, in memory of its own.

TVM's executable has its constants inside: making one takes the hash of every byte, and reading one from a
file copies them three times. Here the large ones become the values that one call returns as a function
begins, and a program is linked with these, wherever they come from, as with its kernels.
"""

from __future__ import annotations

import ctypes
import itertools
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import tvm
import tvm_ffi
from tvm import relax
from tvm.ir import GenericConst
from tvm.relax.expr_functor import PyExprMutator, mutator

from relay_strategies.c_export.launches import Weights

LEAST_BYTES = 64 << 10
"""A smaller constant stays inside: to fetch one takes longer in every run than to have it."""
FETCH = "get_params"
"""The function of TVM's module of parameters that returns them."""
PREFIX = "directconv.weights"

_NUMBERS = itertools.count()


@dataclass(frozen=True)
class Separated:
    """Relax functions ready for the virtual machine, by name, whose last parameters are weights, and how many
    these are in each. They are the first so many of all weights."""

    functions: tvm.IRModule
    counts: dict[str, int]

    def fetching(self) -> tvm.IRModule:
        """Return the functions with the program's parameters alone, which fetch the weights."""
        return self._each(_fetching)

    def holding(self, weights: Sequence[tvm.runtime.Tensor]) -> tvm.IRModule:
        """Return the functions with the program's parameters alone, and the weights inside."""

        def bound(function: relax.Function, count: int) -> relax.Function:
            places = function.params[len(function.params) - count :]
            return function.bind_params(dict(zip(places, weights, strict=False)))

        return self._each(bound)

    def to_json(self) -> str:
        """Return a text that ``from_json`` reads."""
        return json.dumps({"functions": tvm.ir.save_json(self.functions), "counts": self.counts})

    @staticmethod
    def from_json(text: str) -> Separated:
        """Read what ``to_json`` wrote."""
        fields = json.loads(text)
        return Separated(tvm.ir.load_json(fields["functions"]), fields["counts"])

    def _each(self, change: Any) -> tvm.IRModule:
        pairs = self.functions.functions_items()
        return tvm.IRModule({var: change(body, self.counts[var.name_hint]) for var, body in pairs})


def separate(modules: Iterable[tvm.IRModule]) -> tuple[Separated, list[tvm.runtime.Tensor]]:
    """Return the Relax functions of all modules apart from their large constants, and these, each once."""
    found = _Weights()
    functions = {
        var: found.visit_expr(body)
        for module in modules
        for var, body in module.functions_items()
        if isinstance(body, relax.Function)
    }
    weights = list(found.weights.values())
    places = [place for place, _ in weights]
    with_places = {
        var: relax.Function([*f.params, *places], f.body, f.ret_ty, f.is_pure, f.attrs)
        for var, f in functions.items()
    }
    counts = {var.name_hint: len(places) for var in functions}
    return Separated(tvm.IRModule(with_places), counts), [value for _, value in weights]


def as_module(weights: Sequence[tvm.runtime.Tensor]) -> Any:
    """Return TVM's module that a program fetches its weights from."""
    prefix = f"{PREFIX}.{next(_NUMBERS)}"
    names = [f"{prefix}_{number}" for number in range(len(weights))]
    update, remove, make = (
        tvm_ffi.get_global_func(f"vm.builtin.{name}")
        for name in ("tensor_cache.update", "tensor_cache.remove", "param_module_from_cache_by_name")
    )
    try:
        for name, weight in zip(names, weights, strict=True):
            update(name, weight, True)
        return make(names)
    finally:
        for name in names:
            remove(name)


def placed(weights: Sequence[tvm.runtime.Tensor], among: Weights) -> list[list[Any]]:
    """Return of each weight its shape, its type, and its place among constants, where it is put."""
    return [
        [list(map(int, weight.shape)), str(weight.dtype), among.place(_values(weight))] for weight in weights
    ]


def _values(weight: tvm.runtime.Tensor) -> np.ndarray:
    """The bytes of a weight."""
    count = _byte_count(weight)
    return np.ctypeslib.as_array((ctypes.c_uint8 * count).from_address(weight.data_ptr()))


def read(values: memoryview, kinds: Sequence[Sequence[Any]]) -> list[tvm.runtime.Tensor]:
    """Return the weights that ``placed`` describes, in this memory, which begins at a page."""
    if not values:
        return []
    whole, weights = np.frombuffer(values, np.uint8), []
    for shape, dtype, start in kinds:
        # Kernels know of no offset in a tensor: it begins where the weight does.
        weights.append(tvm.runtime.from_dlpack(whole[start:])._create_view(shape, dtype, 0))
    return weights


@mutator
class _Weights(PyExprMutator):
    """Puts a variable in the place of every large constant."""

    def __init__(self) -> None:
        super().__init__()
        self.weights: dict[Any, tuple[relax.Var, tvm.runtime.Tensor]] = {}

    def visit_generic_const_(self, op: GenericConst) -> relax.Expr:
        value = op.value
        if not isinstance(value, tvm.runtime.Tensor) or _byte_count(value) < LEAST_BYTES:
            return op
        key = value.data_ptr(), tuple(value.shape), str(value.dtype)
        return self.weights.setdefault(key, (relax.Var(f"weight{len(self.weights)}", op.ty), value))[0]


def _byte_count(tensor: tvm.runtime.Tensor) -> int:
    return int(tensor.numel()) * int(tensor.dtype.itemsize)


def _fetching(function: relax.Function, count: int) -> relax.Function:
    if not count:
        return function
    params, places = function.params[:-count], function.params[-count:]
    fetched = relax.Var("weights", relax.TupleType([place.ty for place in places]))
    call = relax.Call(relax.ExternFunc(FETCH), [], None, [fetched.ty])
    read = set(relax.analysis.free_vars(function.body))
    items = [
        relax.VarBinding(place, relax.TupleGetItem(fetched, number))
        for number, place in enumerate(places)
        if place in read
    ]
    if not items:
        return relax.Function(params, function.body, function.ret_ty, function.is_pure, function.attrs)
    block = relax.BindingBlock([relax.VarBinding(fetched, call), *items])
    body = relax.SeqExpr([block, *function.body.blocks], function.body.body)
    return relax.Function(params, body, function.ret_ty, function.is_pure, function.attrs)
