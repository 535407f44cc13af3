"""A network in a library that runs without TVM: its functions by ctypes, its weights, and runs of its sizes.

``network.c``, which the library has inside, calls the kernels; what they are called with is made here, once
for each size and lane, of the calls that the compiler described
(``relay_strategies/compiler/library/plan.py``). Intermediate results lie in one piece of memory of each lane;
inputs and outputs are read and written where the caller has them, if they begin at a multiple of 64 bytes.
"""

from __future__ import annotations

import builtins
import ctypes
import functools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tvm_directconv import errors
from tvm_directconv.errors import DirectConvError
from tvm_directconv.memory import ALIGNMENT, large_memory

from . import teams
from .lanes import Machine, Runner
from .metadata import Size, TensorInfo
from .size_values import evaluated

ERROR_BYTES = 1024
INPUTS = 2
"""Blocks of memory are, in this order: weights, intermediate results, inputs, outputs, derived filters."""
DLTENSOR, INTEGER, CPU = 7, 1, 1
"""How TVM's calling convention names a tensor, a number and the CPU."""
FIELDS = ("data", "device", "number", "ndim", "code", "bits", "lanes", "shape", "strides", "offset")
KINDS = ("u8", "i4", "i4", "i4", "u1", "u1", "u2", "u8", "u8", "u8")
TENSOR = np.dtype(list(zip(FIELDS, KINDS, strict=True)))
ARGUMENT = np.dtype([("type", "i4"), ("padding", "i4"), ("value", "i8")])


class _Calls(ctypes.Structure):
    """Calls of network.c."""

    _fields_ = (
        ("tensors", ctypes.c_void_p),
        ("places", ctypes.c_void_p),
        ("tensor_count", ctypes.c_int64),
        ("steps", ctypes.c_void_p),
        ("step_count", ctypes.c_int64),
        ("arguments", ctypes.c_void_p),
    )


class Network(Machine):
    """The network of a library, and on each lane one more with memory of its own."""

    def __init__(
        self,
        library: Any,
        calls: Callable[[], Mapping[str, Any]],
        weights: int,
        keeps: Any = None,
        derived: memoryview | None = None,
    ) -> None:
        """``calls`` reads those of all sizes by their functions' names, ``weights`` is the address of the
        weights, whose memory ``keeps`` holds; ``derived`` has filters that are made of these."""
        self.library, self._calls, self.weights, self._keeps = teams.declared(library), calls, weights, keeps
        self._kept: Mapping[str, Any] | None = None
        self._derived = derived
        self.derived = 0 if derived is None else address_of(derived)
        library.directconv_run.restype = ctypes.c_int32
        library.directconv_run.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_int64]
        library.directconv_begin()
        self._arena, self._arena_address = memoryview(b""), 0

    def another(self) -> Network:
        return Network(self.library, self._calls, self.weights, self._keeps, self._derived)

    def runner(self, size: Size) -> NetworkRunner:
        return NetworkRunner(size, self)

    def calls(self, size: Size) -> Mapping[str, Any]:
        """Return the calls of a size, or of all that it stands for; these are kept, as others may follow."""
        if self._kept is not None:
            calls = self._kept
        else:
            calls = self._calls()
            self._kept = calls if size.dimensions else None
        found: Mapping[str, Any] = calls[size.function]
        return found

    def arena(self, bytes_: int) -> int:
        """Return the address of this lane's memory for so many bytes of intermediate results."""
        if len(self._arena) < bytes_:
            self._arena = memoryview(b"")  # its memory goes before there is more
            self._arena = large_memory(bytes_)
            self._arena_address = address_of(self._arena)
        return self._arena_address

    def kernel(self, symbol: str) -> int:
        """Return the address of a kernel."""
        name = f"__tvm_ffi_{symbol}" if symbol else "directconv_copy"
        return ctypes.cast(getattr(self.library, name), ctypes.c_void_p).value or 0


class NetworkRunner(Runner):
    """One size of a network, on a lane."""

    def __init__(self, size: Size, machine: Network) -> None:
        self.size, self.machine, self._network = size, machine, machine
        self._error = ctypes.create_string_buffer(ERROR_BYTES)
        self._blocks = (ctypes.c_void_p * (INPUTS + len(size.inputs) + len(size.outputs) + 1))()
        self._blocks[-1] = machine.derived

    @functools.cached_property
    def _bound(self) -> Bound:
        return Bound(self._network, self._network.calls(self.size), self.size.dimensions)

    @functools.cached_property
    def _staging(self) -> list[np.ndarray]:
        return [aligned_empty(*layout_of(info)) for info in self.size.inputs]

    def arguments(self, values: Sequence[Any], arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        return [
            array if _is_aligned(array) else _filled(self._staging[number], array)
            for number, array in enumerate(arrays)
        ]

    def copies(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        infos = zip(self.size.inputs, arrays, strict=True)
        return [_filled(aligned_empty(*layout_of(info)), array) for info, array in infos]

    @functools.cached_property
    def _layouts(self) -> list[tuple[Any, np.dtype, int]]:
        """The shape, the type and the bytes of each output."""
        return [layout_of(info) for info in self.size.outputs]

    def execute(
        self, arguments: Sequence[np.ndarray], buffers: list[np.ndarray] | None = None
    ) -> list[np.ndarray]:
        results = []
        for number, layout in enumerate(self._layouts):
            # What the caller has elsewhere, or among the inputs, is copied in the end.
            own = None if buffers is None else buffers[number]
            is_direct = own is not None and _is_aligned(own) and not _shares(buffers, number, arguments)
            results.append(own if own is not None and is_direct else aligned_empty(*layout))
        bound, network = self._bound, self._network
        blocks = self._blocks
        blocks[0], blocks[1] = network.weights, network.arena(bound.workspace)
        for block, array in enumerate((*arguments, *results), INPUTS):
            blocks[block] = pointer_of(array)
        run, threads = network.library.directconv_run, teams.taken(network.library)
        try:
            failed = run(bound.address, blocks, threads, self._error, ERROR_BYTES)
        finally:
            teams.give_back(threads)
        if failed:
            raise _raised(self._error.value)
        return results

    def arrays(self, results: Sequence[Any], buffers: list[np.ndarray] | None = None) -> list[np.ndarray]:
        for buffer, result in zip(buffers or (), results, strict=False):
            if buffer is not result:
                np.copyto(buffer, result)
        return list(results) if buffers is None else buffers

    def torch_tensors(self, results: Sequence[Any], arguments: Sequence[Any]) -> list[Any]:
        import torch

        return [
            torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
            if str(array.dtype) == "bfloat16"
            else torch.from_numpy(array)
            for array in results
        ]


class Bound:
    """The calls of one size as network.c takes them, for the lane of a network."""

    def __init__(self, network: Network, calls: Mapping[str, Any], values: Mapping[str, int]) -> None:
        """``values`` are those of open dimensions, by name."""
        numbers = [n if isinstance(n, int) else evaluated(n, values) for n in calls["numbers"]]
        kernels = list(map(network.kernel, calls["kernels"]))
        self.workspace = numbers[calls["workspace"]]
        self._dims, starts = _dims([[numbers[n] for n in shape] for shape in calls["shapes"]])
        self._tensors = np.zeros(len(calls["tensors"]), TENSOR)
        self._places = np.array([(b, numbers[o]) for b, o, _, _ in calls["tensors"]], np.int64)
        for tensor, (_, _, shape, kind) in zip(self._tensors, calls["tensors"], strict=True):
            rank, start = len(calls["shapes"][shape]), self._dims.ctypes.data + 8 * starts[shape]
            tensor["device"], tensor["ndim"] = CPU, rank
            tensor["code"], tensor["bits"], tensor["lanes"] = calls["types"][kind]
            tensor["shape"], tensor["strides"] = start, start + 8 * rank
        first = self._tensors.ctypes.data
        given: list[tuple[int, int, int]] = []
        steps = []
        for kernel, operands in calls["steps"]:
            steps.append((kernels[kernel], len(given), len(operands)))
            given += [
                (DLTENSOR, 0, first + operand * TENSOR.itemsize)
                if operand >= 0
                else (INTEGER, 0, numbers[-1 - operand])
                for operand in operands
            ]
        self._steps, self._arguments = np.array(steps, np.int64), np.array(given, ARGUMENT)
        self._calls = _Calls(
            first,
            self._places.ctypes.data,
            len(self._tensors),
            self._steps.ctypes.data,
            len(steps),
            self._arguments.ctypes.data,
        )
        self.address = ctypes.addressof(self._calls)


def _dims(shapes: Sequence[Sequence[int]]) -> tuple[np.ndarray, list[int]]:
    """Return all shapes, each with its strides behind it, and where each begins."""
    flat: list[int] = []
    starts = []
    for shape in shapes:
        starts.append(len(flat))
        strides, stride = [], 1
        for size in reversed(shape):
            strides.append(stride)
            stride *= size
        flat += [*shape, *reversed(strides)]
    return np.array(flat or [0], np.int64), starts


def dtype_of(info: TensorInfo) -> np.dtype:
    """Return numpy's type of a tensor. Raises DirectConvError for one of ml_dtypes where that is not
    installed."""
    try:
        return np.dtype(info.dtype)
    except TypeError:
        try:
            import ml_dtypes
        except ModuleNotFoundError:
            raise DirectConvError(
                f"'{info.name}' is {info.dtype}, a type of the package ml_dtypes: pip install ml_dtypes"
            ) from None
        return np.dtype(getattr(ml_dtypes, info.dtype))


def layout_of(info: TensorInfo) -> tuple[Any, np.dtype, int]:
    """Return the shape, numpy's type and the bytes of a tensor."""
    dtype = dtype_of(info)
    return info.shape, dtype, math.prod(map(int, info.shape)) * dtype.itemsize


def aligned_empty(shape: Any, dtype: np.dtype, count: int) -> np.ndarray:
    """Return a new array of so many bytes that begins where kernels want it."""
    whole = np.empty(count + ALIGNMENT, np.uint8)
    start = -pointer_of(whole) % ALIGNMENT
    return whole[start : start + count].view(dtype).reshape(shape)


def pointer_of(array: np.ndarray) -> int:
    """Return an array's address, in a fraction of the time that its attribute ctypes takes."""
    return int(array.__array_interface__["data"][0])


def address_of(memory: memoryview) -> int:
    """Return the address of memory that may be written or not."""
    return pointer_of(np.frombuffer(memory, np.uint8))


def _is_aligned(array: np.ndarray) -> bool:
    return array.flags.c_contiguous and pointer_of(array) % ALIGNMENT == 0


def _shares(buffers: Any, number: int, arguments: Sequence[np.ndarray]) -> bool:
    """Return whether an output's array may have memory in common with an input's or an earlier output's."""
    return any(np.may_share_memory(buffers[number], each) for each in (*arguments, *buffers[:number]))


def _filled(copy: np.ndarray, array: np.ndarray) -> np.ndarray:
    np.copyto(copy, array)
    return copy


def _raised(text: bytes) -> Exception:
    """The exception that a kernel raises, of the class that it names."""
    kind, _, message = text.decode(errors="replace").partition("\n")
    found = getattr(errors, kind, None) or getattr(builtins, kind, None)
    is_class = isinstance(found, type) and issubclass(found, Exception)
    return found(message) if found is not None and is_class else RuntimeError(message or "a kernel failed")
