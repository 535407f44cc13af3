"""A function whose memory is planned, read as what a run of it does: kernels called in order on tensors.

Hosts without TVM's virtual machine, a C program and a GPU, need no more. Main may be as
StaticPlanBlockMemory leaves it, or as the passes for the virtual machine make it of that, or with nothing
planned. Where tensors are is for the host to say; what the planner said is kept beside them. Sizes that are
open are extents.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias, Union

import numpy as np
from tvm import relax, tirx
from tvm.ir import GenericConst, GlobalVar, PrimType

from tvm_directconv.errors import ModelError
from tvm_directconv.problem.element_types import element_bytes, tensor_bytes

from .graph import bindings, constant, dtype_of, ints, operator_name, shape_of
from .inner_functions import calls_inner
from .movement_calls import RESHAPE
from .parameters import tensor_params
from .rows import VIEW, is_call_of, read_call

STORAGES = ("relax.memory.alloc_storage", "relax.vm.alloc_storage")
PARTS = ("relax.memory.alloc_tensor", "relax.vm.alloc_tensor")
ALONE = "relax.builtin.alloc_tensor"
SAME = (RESHAPE, "vm.builtin.reshape")
RELEASES = ("relax.memory.kill_tensor", "relax.memory.kill_storage", "relax.vm.kill_object")
NOTHING = "relax.null_value"
CHECKS = ("vm.builtin.check_tensor_info", "vm.builtin.match_shape")
"""Hosts give inputs of the types and shapes that they were told."""


@dataclass(frozen=True, eq=False)
class Tensor:
    """A tensor of ``size`` bytes: an input, a constant with its ``values``, or what a kernel writes.

    ``storage`` is the storage that the planner put it in, shared with tensors that are not alive at the same
    time; None if it is not in one.
    """

    size: int
    values: np.ndarray | None = None
    storage: Tensor | None = None
    whole: Tensor | None = None
    offset: int = 0
    """The tensor that it is a part of, from so many bytes on."""


class PlannedCall(NamedTuple):
    """A kernel's name and operands, and the shapes that the kernel sees these in; behind them the numbers
    that it is given."""

    kernel: str
    operands: tuple[Tensor, ...]
    shapes: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class PlannedCalls:
    """A function's calls in order; equal bytes are one and the same Tensor."""

    inputs: tuple[Tensor, ...]
    calls: tuple[PlannedCall, ...]
    outputs: tuple[Tensor, ...]


def planned_calls(main: relax.Function, purpose: str) -> PlannedCalls:
    """Return the calls of ``main``.

    Raises ModelError for operations other than calls of kernels on tensors of fixed shapes; its message says
    that the network cannot be ``purpose``, such as "run on a GPU".
    """
    reader = _Reader(purpose)
    if calls_inner(main):
        raise reader.refused("decides when it runs which branch it takes, or how often a loop turns")
    inputs = tuple(map(reader.tensor, tensor_params(main)))
    for binding in bindings(main.body):
        reader.bind(binding.var, binding.value)
    return PlannedCalls(inputs, tuple(reader.calls), reader.operands([main.body.body]))


_Value: TypeAlias = Union[Tensor, "list[_Value]"]


class _Reader:
    """The bindings of a function, read one after the other."""

    def __init__(self, purpose: str) -> None:
        self.calls: list[PlannedCall] = []
        self._purpose = purpose
        self._values: dict[relax.Var, _Value] = {}
        self._constants: dict[tuple[int, tuple[int, ...], str], Tensor] = {}
        """These are by their place in memory."""

    def tensor(self, var: relax.Var, storage: Tensor | None = None) -> Tensor:
        shape = shape_of(var)
        if shape is None:
            raise self.refused(f"has a tensor whose shape, {var.ty}, is not known before it runs")
        made = self._values[var] = Tensor(math.prod(shape) * element_bytes(dtype_of(var)), storage=storage)
        return made

    def bind(self, var: relax.Var, value: relax.Expr) -> None:
        if not isinstance(value, relax.Call):
            self._values[var] = self._value(value)
            return
        if isinstance(value.op, GlobalVar):
            scalars = [arg for arg in value.args if isinstance(arg.ty, PrimType)]
            tensors = [arg for arg in value.args if arg not in scalars]
            shapes = (*(shape_of(arg) or () for arg in tensors), ints(scalars))
            self.calls.append(PlannedCall(str(value.op.name_hint), self.operands(tensors), shapes))
            return
        if is_call_of(value, VIEW):
            self._values[var] = self._part(value)
            return
        packed = isinstance(value.op, relax.ExternFunc)
        name = str(value.op.global_symbol) if packed else operator_name(value)
        if name in STORAGES:
            self._values[var] = self._storage(value)
        elif name in PARTS:
            (storage,) = self.operands(value.args[:1])
            if int(value.args[1].value):
                raise self.refused("has two tensors side by side in one storage")
            self.tensor(var, storage)
        elif name == ALONE:
            self.tensor(var)
        elif name in SAME:
            self._values[var] = self._value(value.args[0])
        elif name not in (*RELEASES, NOTHING, *CHECKS):
            raise self.refused(f"calls '{name}'" + " of TVM's runtime" * packed)

    def operands(self, exprs: Iterable[relax.Expr]) -> tuple[Tensor, ...]:
        return tuple(tensor for expr in exprs for tensor in _flat(self._value(expr)))

    def _value(self, expr: relax.Expr) -> _Value:
        if isinstance(expr, relax.Tuple):
            return [self._value(part) for part in expr.fields]
        if isinstance(expr, relax.TupleGetItem):
            found = self._value(expr.tuple_value)
            assert isinstance(found, list)
            return found[expr.index]
        if isinstance(expr, GenericConst):
            return self._constant(expr)
        if isinstance(expr, relax.Var) and expr in self._values:
            return self._values[expr]
        raise self.refused(f"has '{type(expr).__name__}' in the place of a tensor")

    def _part(self, call: relax.Call) -> Tensor:
        """Part of a tensor; it is as large as its type says."""
        tensors, (offset,) = read_call(call)
        (whole,) = self.operands(tensors)
        (kind,) = call.ty_args
        size = tensor_bytes(ints(kind.shape.values), str(kind.dtype))
        return Tensor(size, whole=whole.whole or whole, offset=whole.offset + offset)

    def _constant(self, expr: GenericConst) -> Tensor:
        array = constant(expr)
        if array is None:
            raise self.refused(f"has a constant of type {expr.ty}")
        key = (array.ctypes.data, array.shape, str(array.dtype))
        return self._constants.setdefault(key, Tensor(array.nbytes, array))

    def _storage(self, call: relax.Call) -> Tensor:
        (size,) = getattr(call.args[0], "values", [None])
        if not isinstance(size, tirx.IntImm):
            raise self.refused("has a tensor whose size is not known before it runs")
        return Tensor(int(size))

    def refused(self, what: str) -> ModelError:
        return ModelError(f"the network cannot be {self._purpose}: it {what}")


def _flat(value: _Value) -> list[Tensor]:
    return [value] if isinstance(value, Tensor) else [tensor for part in value for tensor in _flat(part)]
