"""A network that is ready for TVM's virtual machine as a list of kernel calls, each tensor in its place.

Tensors are in one of the blocks of memory that a run has: the weights, the workspace, or an input or output
of the caller's. TVM's plan of storages is not used: tensors get new places in the workspace, by when they are
alive. What a kernel writes for a result goes straight into the caller's output. Whatever else the virtual
machine would have to do is refused.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import tvm
from tvm import relax, tirx
from tvm.ir import GenericConst, GlobalVar

from relay_strategies.relax.graph import constant, dtype_of, operator_name, shape_of
from tvm_directconv.errors import ModelError

from .arena import Life, places
from .plain_kernels import aligned

WEIGHTS, WORKSPACE = 0, 1
"""The numbers of these blocks; the inputs' follow, then the outputs'."""
COPY = "copy_{}"
"""The kernel that copies so many bytes, from its first operand to its second."""
CHECKS = ("vm.builtin.check_tensor_info", "vm.builtin.match_shape")
"""The caller's inputs are of the type and shape that the header says."""
RESHAPE = "vm.builtin.reshape"


@dataclass(frozen=True)
class Place:
    """So many bytes into a block."""

    block: int
    offset: int


@dataclass(frozen=True)
class Launch:
    kernel: str
    operands: tuple[Place, ...]


@dataclass(frozen=True)
class Launches:
    """The calls of a network, in order, its weights in one piece, and the bytes of tensors in the
    workspace."""

    calls: tuple[Launch, ...]
    weights: bytes
    arena_bytes: int
    copies: dict[str, int]
    """Kernels that copy, which are no kernels of the network, by name: their bytes."""


def launches_of(module: tvm.IRModule, big_endian: bool) -> Launches:
    """Return the calls of ``main``. Raises ModelError for what a straight list of calls cannot say."""
    return _Reader(module["main"], big_endian).launches()


@dataclass
class _Tensor:
    size: int
    place: Place | None = None
    """None: in the workspace, where is not known yet."""
    steps: list[int] = field(default_factory=list)


class _Reader:
    def __init__(self, main: relax.Function, big_endian: bool) -> None:
        self._main, self._big_endian = main, big_endian
        self._tensors: dict[relax.Var, _Tensor] = {}
        self._calls: list[tuple[str, list[_Tensor]]] = []
        self._weights = bytearray()
        self._constants: dict[tuple[str, bytes], _Tensor] = {}
        self._copies: dict[str, int] = {}
        self._tuples: dict[relax.Var, list[relax.Expr]] = {}

    def launches(self) -> Launches:
        main = self._main
        for number, param in enumerate(main.params):
            self._tensors[param] = _Tensor(_bytes(param), Place(WORKSPACE + 1 + number, 0))
        for binding in self._bindings():
            self._bind(binding)
        self._return(main.body.body)
        lives: dict[int, Life] = {}
        for step, (_, operands) in enumerate(self._calls):
            for tensor in operands:
                tensor.steps.append(step)
                if tensor.place is None:
                    lives[id(tensor)] = Life(tensor.size, tensor.steps[0], step)
        offsets, arena = places(lives)
        calls = []
        for kernel, operands in self._calls:
            found = (t.place or Place(WORKSPACE, offsets[id(t)]) for t in operands)
            calls.append(Launch(kernel, tuple(found)))
        return Launches(tuple(calls), bytes(self._weights), arena, self._copies)

    def _bindings(self) -> Iterator[relax.Binding]:
        for block in self._main.body.blocks:
            yield from block.bindings

    def _bind(self, binding: relax.Binding) -> None:
        var, value = binding.var, binding.value
        if isinstance(value, relax.Var | GenericConst):
            self._tensors[var] = self._tensor(value)
        elif isinstance(value, relax.Call):
            self._call(var, value)
        elif not isinstance(value, relax.Tuple):  # only the results are one
            raise _refused(f"has '{type(value).__name__}'")
        else:
            self._tuples[var] = list(value.fields)

    def _call(self, var: relax.Var, call: relax.Call) -> None:
        if isinstance(call.op, GlobalVar):
            self._calls.append((call.op.name_hint, [self._tensor(argument) for argument in call.args]))
            return
        name = operator_name(call)
        if name == "relax.call_packed" or isinstance(call.op, relax.ExternFunc):
            self._builtin(var, call)
        elif name == "relax.vm.alloc_tensor":
            self._tensors[var] = _Tensor(_bytes(var))
        elif name not in ("relax.vm.alloc_storage", "relax.vm.kill_object", "relax.null_value"):
            raise _refused(f"calls '{name}'")

    def _builtin(self, var: relax.Var, call: relax.Call) -> None:
        name = str(call.op.global_symbol)
        if name == RESHAPE:
            self._tensors[var] = self._tensor(call.args[0])
        elif name not in CHECKS:
            raise _refused(f"calls '{name}' of TVM's runtime")

    def _tensor(self, expr: relax.Expr) -> _Tensor:
        if isinstance(expr, relax.Var) and expr in self._tensors:
            return self._tensors[expr]
        array = constant(expr)
        if array is None:
            raise _refused(f"hands a kernel {expr}")
        data = _data(array, self._big_endian)
        key = str(array.dtype), data
        if key not in self._constants:
            self._weights += bytes(aligned(len(self._weights)) - len(self._weights))
            self._constants[key] = _Tensor(len(data), Place(WEIGHTS, len(self._weights)))
            self._weights += data
        return self._constants[key]

    def _return(self, body: relax.Expr) -> None:
        """Make the results the caller's outputs: the tensors themselves where nothing else claims them."""
        results = list(body.fields) if isinstance(body, relax.Tuple) else self._tuples.get(body, [body])
        first = WORKSPACE + 1 + len(self._main.params)
        for number, result in enumerate(results):
            tensor, place = self._tensor(result), Place(first + number, 0)
            if tensor.place is None:
                tensor.place = place
                continue
            name = COPY.format(tensor.size)
            self._copies[name] = tensor.size
            self._calls.append((name, [tensor, _Tensor(tensor.size, place)]))


def _refused(what: str) -> ModelError:
    return ModelError(f"the network cannot be exported as C: it {what}")


def _bytes(var: relax.Var) -> int:
    shape = shape_of(var)
    if shape is None:
        raise _refused(f"has a tensor whose shape, {var.ty}, is not known before it runs")
    return math.prod(shape) * -(-tvm.DataType(dtype_of(var)).bits // 8)


def _data(array: np.ndarray, big_endian: bool) -> bytes:
    contiguous = np.ascontiguousarray(array)
    if big_endian and array.itemsize > 1:
        return contiguous.view(f"u{array.itemsize}").byteswap().tobytes()
    return contiguous.tobytes()


def copying_kernel(size: int) -> tirx.PrimFunc:
    """Return a kernel of one task that copies so many bytes."""
    source = tirx.decl_buffer((size,), "uint8", "source")
    result = tirx.decl_buffer((size,), "uint8", "result")
    place = tirx.Var("place", "int64")
    body = tirx.BufferStore(result, source[place], [place])
    zero, count = tirx.IntImm("int64", 0), tirx.IntImm("int64", size)
    loop = tirx.For(place, zero, count, tirx.ForKind.SERIAL, body)
    return tirx.PrimFunc([source, result], loop).with_attrs({"tirx.noalias": True, "s_tir": True})
