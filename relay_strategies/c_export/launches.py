"""A network that is ready for TVM's virtual machine as a list of kernel calls, each tensor in its place.

Tensors are in one of the blocks of memory that a run has: the weights, the workspace, or an input or output
of the caller's. TVM's plan of storages is not used: tensors get new places in the workspace, by when they are
alive, greedy by size as in Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net Inference"
(2020); where sizes are open, they are extents, and so are places. What a kernel writes for a result goes
straight into the caller's output. The calls themselves are read by ``relay_strategies.relax.planned``.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
import tvm

from relay_strategies.relax.placement import Life, Name, aligned, places
from relay_strategies.relax.planned import PlannedCall, Tensor, planned_calls
from relay_strategies.relax.slots import slots_of
from tvm_directconv.problem.extents import is_open

WEIGHTS, WORKSPACE = 0, 1
"""The numbers of these blocks; the inputs' follow, then the outputs'."""
SAMPLE_BYTES = 256
"""Constants whose first bytes differ are not compared."""
COPY, COPY_OPEN = "copy_{}", "copy"
"""The kernels that copy so many bytes, or as many as there are, from the first operand to the second."""


@dataclass(frozen=True)
class BlockOffset:
    """Offset into a block, in bytes."""

    block: int
    offset: Any


@dataclass(frozen=True)
class Launch:
    """A call of a kernel: where its operands are, and the shapes that it sees them in; behind them the
    numbers that it is given."""

    kernel: str
    operands: tuple[BlockOffset, ...]
    shapes: tuple[tuple[int, ...], ...]


class Weights:
    """Constants in one piece of memory, each aligned, and equal ones once."""

    def __init__(self, big_endian: bool = False) -> None:
        self.size = 0
        self._big_endian = big_endian
        self._arrays: list[tuple[int, np.ndarray]] = []
        self._alike: dict[tuple[int, int, bytes], list[int]] = {}
        self._seen: dict[tuple[int, int], int] = {}

    def place(self, array: np.ndarray) -> int:
        """Return the offset of an array's bytes, which are added where they are new: then the array stays as
        it is as long as these weights."""
        seen = self._seen.get((array.ctypes.data, array.nbytes))
        return self._placed(np.ascontiguousarray(array)) if seen is None else seen

    def _placed(self, array: np.ndarray) -> int:
        data = _bytes(array)
        swapped = array.itemsize if self._big_endian else 1
        alike = self._alike.setdefault((swapped, array.nbytes, data[:SAMPLE_BYTES].tobytes()), [])
        for number in alike:
            offset, known = self._arrays[number]
            if np.array_equal(_bytes(known), data):
                return offset
        alike.append(len(self._arrays))
        offset = aligned(self.size)
        self._arrays.append((offset, array))
        # Of what is not kept, the address may be another array's later.
        self._seen[array.ctypes.data, array.nbytes] = offset
        self.size = offset + array.nbytes
        return offset

    def write(self, file: BinaryIO) -> None:
        """Write all of them."""
        written = 0
        for offset, array in self._arrays:
            file.write(bytes(offset - written))
            swaps = self._big_endian and array.itemsize > 1
            data = array.view(f"u{array.itemsize}").byteswap() if swaps else array
            file.write(_bytes(data).data)
            written = offset + array.nbytes

    def content(self) -> bytes:
        """Return all of them."""
        whole = io.BytesIO()
        self.write(whole)
        return whole.getvalue()


def _bytes(array: np.ndarray) -> np.ndarray:
    return array.reshape(-1).view(np.uint8)


@dataclass(frozen=True)
class Launches:
    """The calls of a network, in order, its weights, and the bytes of tensors in the workspace, of inputs and
    of outputs."""

    calls: tuple[Launch, ...]
    weights: Weights
    arena_bytes: Any
    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]
    copies: dict[str, Any]
    """Kernels that copy, which are not kernels of the network, by name: their bytes."""


def launches_of(module: tvm.IRModule, weights: Weights, purpose: str = "exported as C") -> Launches:
    """Return the calls of ``main``, whose constants are put among the ``weights``. Raises ModelError for what
    a straight list of calls cannot say."""
    planned = planned_calls(module["main"], purpose)
    found = {tensor: BlockOffset(WORKSPACE + 1 + number, 0) for number, tensor in enumerate(planned.inputs)}
    for tensor in (*(each for call in planned.calls for each in call.operands), *planned.outputs):
        if tensor.values is not None and tensor not in found:
            found[tensor] = BlockOffset(WEIGHTS, weights.place(tensor.values))
    calls, copies = list(planned.calls), dict[str, Any]()
    first = WORKSPACE + 1 + len(planned.inputs)
    for place, tensor in ((BlockOffset(first + n, 0), tensor) for n, tensor in enumerate(planned.outputs)):
        if tensor not in found:
            found[tensor] = place
            continue
        # Something else claims it: the caller's output is a copy.
        copy, size = Tensor(tensor.size), tensor.size
        name = COPY_OPEN if is_open([size]) else COPY.format(size)
        found[copy], copies[name] = place, size
        calls.append(PlannedCall(name, (tensor, copy), ((size,), (size,))))
    lives: dict[Tensor, Life] = {}
    for step, call in enumerate(calls):
        for tensor in map(_whole, call.operands):
            if tensor not in found:
                since = lives[tensor].first if tensor in lives else step
                lives[tensor] = Life(tensor.size, since, step)
    offsets, arena = open_places(lives) if is_open(each.size for each in lives.values()) else places(lives)
    found |= {tensor: BlockOffset(WORKSPACE, offset) for tensor, offset in offsets.items()}

    def placed(tensor: Tensor) -> BlockOffset:
        whole = found[_whole(tensor)]
        return BlockOffset(whole.block, whole.offset + tensor.offset)

    launches = tuple(Launch(call.kernel, tuple(map(placed, call.operands)), call.shapes) for call in calls)
    inputs, outputs = (tuple(each.size for each in ends) for ends in (planned.inputs, planned.outputs))
    return Launches(launches, weights, arena, inputs, outputs, copies)


def _whole(tensor: Tensor) -> Tensor:
    return tensor if tensor.whole is None else tensor.whole


def open_places(lives: Mapping[Name, Life]) -> tuple[dict[Name, Any], Any]:
    """Return what ``places`` does where sizes are open: in slots, one behind the other."""
    offsets: dict[Name, Any] = {}
    whole: Any = 0
    for slot in slots_of(lives):
        offsets |= dict.fromkeys(slot.results, whole)
        whole = whole + aligned(slot.size)
    return offsets, whole
