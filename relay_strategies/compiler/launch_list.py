"""A module whose memory is planned, read as a device's network: buffers, constants, and launches in order.

Relax's virtual machine would need TVM's runtime of the device. What main does is simple enough to be read: it
allocates storage, calls kernels on parts of it, and gives some of it another shape.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import tvm
from tvm import relax
from tvm.ir import GenericConst, GlobalVar

from relay_strategies.relax.graph import constant, dtype_of, operator_name, shape_of
from tvm_directconv.devices.network import DeviceNetwork, DeviceTensor
from tvm_directconv.devices.program import Step, shared_workspaces
from tvm_directconv.devices.source import DeviceKernels
from tvm_directconv.errors import ModelError

from .signature import TensorInfo

SAME_BUFFER = ("relax.reshape", "relax.memory.view", "relax.memory.ensure_zero_offset")
NOTHING = ("relax.memory.kill_tensor", "relax.memory.kill_storage", "relax.vm.kill_object")


def launch_list(
    main: relax.Function,
    kernels: DeviceKernels,
    target: str,
    inputs: Sequence[TensorInfo],
    outputs: Sequence[TensorInfo],
    facts: Mapping[str, Any],
) -> tuple[DeviceNetwork, list[str]]:
    """Return the network that ``main`` is, and for each of its steps the function that it is a launch of.

    Raises ModelError naming an operator that is no kernel and no change of shape.
    """
    reader = _Reader(kernels)
    for param in main.params:
        reader.values[param] = reader.buffer(_bytes(param))
    for block in main.body.blocks:
        for binding in block.bindings:
            reader.bind(binding.var, binding.value)
    results = reader.flat(main.body.body)
    spaces = [reader.buffer(size) for size in shared_workspaces(kernels.functions, reader.called)]
    steps, names = reader.steps(spaces)
    network = DeviceNetwork(
        target,
        kernels.source,
        tuple(reader.sizes),
        reader.constants,
        tuple(_tensor(info, reader.values[p]) for info, p in zip(inputs, main.params, strict=True)),
        tuple(map(_tensor, outputs, results)),
        steps,
        facts,
    )
    return network, names


class _Reader:
    """The bindings of a function, read one after the other."""

    def __init__(self, kernels: DeviceKernels) -> None:
        self._kernels = kernels
        self.sizes: list[int] = []
        self.constants: dict[int, np.ndarray] = {}
        self.values: dict[relax.Var, Any] = {}
        """The buffer that a variable is in, or of a tuple several."""
        self._calls: list[tuple[str, list[int]]] = []
        self._known: dict[tuple[int, tuple[int, ...], str], int] = {}
        """Constants by where they are in memory."""

    @property
    def called(self) -> list[str]:
        return [name for name, _ in self._calls]

    def buffer(self, size: int) -> int:
        self.sizes.append(size)
        return len(self.sizes) - 1

    def bind(self, var: relax.Var, value: relax.Expr) -> None:
        if not isinstance(value, relax.Call):
            self.values[var] = self._of(value)
            return
        if isinstance(value.op, GlobalVar):
            self._calls.append((str(value.op.name_hint), [at for a in value.args for at in self.flat(a)]))
            return
        name = operator_name(value)
        if name in NOTHING:
            return
        read = READERS.get(name)
        if read is None:
            raise ModelError(f"'{name.removeprefix('relax.')}' has no kernel on a GPU")
        self.values[var] = read(self, var, value)

    def flat(self, expr: relax.Expr) -> list[int]:
        found = self._of(expr)
        return [found] if isinstance(found, int) else [at for part in found for at in _flat(part)]

    def steps(self, spaces: Sequence[int]) -> tuple[tuple[Step, ...], list[str]]:
        """Return all launches, and the function of each. Workspaces of a function are the smallest shared
        ones that hold them, largest to largest."""
        steps, names = [], []
        for name, buffers in self._calls:
            function = self._kernels.functions[name]
            order = sorted(range(len(function.workspaces)), key=lambda at: -function.workspaces[at])
            own = dict(zip(order, spaces, strict=False))
            everything = [*buffers, *(own[at] for at in range(len(order)))]
            for launch in function.launches:
                if math.prod(launch.items):
                    steps.append(Step(launch, tuple(everything[at] for at in launch.arguments)))
                    names.append(name)
        return tuple(steps), names

    def _of(self, expr: relax.Expr) -> Any:
        if isinstance(expr, relax.Tuple):
            return [self._of(part) for part in expr.fields]
        if isinstance(expr, relax.TupleGetItem):
            return self._of(expr.tuple_value)[expr.index]
        if isinstance(expr, GenericConst):
            return self._constant(expr)
        if expr in self.values:
            return self.values[expr]
        raise ModelError(f"a network on a GPU has tensors of fixed shapes alone; this has '{expr}'")

    def _constant(self, expr: GenericConst) -> int:
        array = constant(expr)
        if array is None:
            raise ModelError(f"a constant of type {expr.ty} cannot be on a GPU")
        key = (array.ctypes.data, array.shape, str(array.dtype))
        if key not in self._known:
            self._known[key] = self.buffer(array.nbytes)
            self.constants[self._known[key]] = array
        return self._known[key]

    # ---- operators

    def allocated(self, var: relax.Var, call: relax.Call) -> int:
        if operator_name(call) == "relax.builtin.alloc_tensor":
            return self.buffer(_bytes(var))
        return self.buffer(math.prod(int(extent) for extent in call.args[0].values))

    def placed(self, var: relax.Var, call: relax.Call) -> int:
        if int(call.args[1].value):
            raise ModelError("the memory planner put two tensors in one storage; no device here does so")
        return self._of(call.args[0])

    def same(self, var: relax.Var, call: relax.Call) -> Any:
        return self._of(call.args[0])


READERS: dict[str, Callable[[_Reader, relax.Var, relax.Call], Any]] = {
    "relax.builtin.alloc_tensor": _Reader.allocated,
    "relax.memory.alloc_storage": _Reader.allocated,
    "relax.memory.alloc_tensor": _Reader.placed,
    **dict.fromkeys(SAME_BUFFER, _Reader.same),
}


def _flat(value: Any) -> list[int]:
    return [value] if isinstance(value, int) else [at for part in value for at in _flat(part)]


def _bytes(var: relax.Var) -> int:
    shape = shape_of(var)
    if shape is None:
        raise ModelError(f"a network on a GPU has tensors of fixed shapes alone; '{var.name}' is {var.ty}")
    dtype = tvm.DataType(dtype_of(var))
    return math.prod(shape) * ((dtype.bits * dtype.lanes + 7) // 8)


def _tensor(info: TensorInfo, buffer: int) -> DeviceTensor:
    return DeviceTensor(info.name, tuple(map(int, info.shape)), info.dtype, buffer)
