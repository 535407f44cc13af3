"""A network that is ready for TVM's virtual machine as a list of kernel calls, each tensor in its place.

Tensors are in one of the blocks of memory that a run has: the weights, the workspace, or an input or output
of the caller's. TVM's plan of storages is not used: tensors get new places in the workspace, by when they are
alive, greedy by size as in Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net Inference"
(2020); where sizes are open, they are extents, and so are places. What a kernel writes for a result goes
straight into the caller's output. The calls themselves are read by ``relay_strategies.relax.planned``.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import tvm
from tvm import tirx

from relay_strategies.relax.planned import PlannedCall, PlannedCalls, Tensor, planned_calls
from relay_strategies.relax.slots import slots_of
from tvm_directconv.problem.extents import is_open

from .plain_kernels import aligned

Name = TypeVar("Name", bound=Hashable)

WEIGHTS, WORKSPACE = 0, 1
"""The numbers of these blocks; the inputs' follow, then the outputs'."""
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


@dataclass(frozen=True)
class Life:
    """A tensor's size in bytes, and the first and last step that touch it."""

    size: Any
    first: int
    last: int


@dataclass(frozen=True)
class Launches:
    """The calls of a network, in order, its weights in one piece, and the bytes of tensors in the workspace,
    of inputs and of outputs."""

    calls: tuple[Launch, ...]
    weights: bytes
    arena_bytes: Any
    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]
    copies: dict[str, Any]
    """Kernels that copy, which are not kernels of the network, by name: their bytes."""


def launches_of(module: tvm.IRModule, big_endian: bool) -> Launches:
    """Return the calls of ``main``. Raises ModelError for what a straight list of calls cannot say."""
    planned = planned_calls(module["main"], "exported as C")
    found = {tensor: BlockOffset(WORKSPACE + 1 + number, 0) for number, tensor in enumerate(planned.inputs)}
    weights = _place_constants(planned, big_endian, found)
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
        for tensor in call.operands:
            if tensor not in found:
                since = lives[tensor].first if tensor in lives else step
                lives[tensor] = Life(tensor.size, since, step)
    offsets, arena = open_places(lives) if is_open(each.size for each in lives.values()) else places(lives)
    found |= {tensor: BlockOffset(WORKSPACE, offset) for tensor, offset in offsets.items()}
    launches = tuple(
        Launch(call.kernel, tuple(found[each] for each in call.operands), call.shapes) for call in calls
    )
    inputs, outputs = (tuple(each.size for each in ends) for ends in (planned.inputs, planned.outputs))
    return Launches(launches, weights, arena, inputs, outputs, copies)


def places(lives: Mapping[Name, Life]) -> tuple[dict[Name, int], int]:
    """Return the tensors' offsets, each aligned, and the bytes of all of them together: the largest first,
    each at the lowest offset that is free of those alive at the same time."""
    offsets: dict[Name, int] = {}
    whole = 0
    for name, life in sorted(lives.items(), key=lambda item: -item[1].size):
        taken = sorted(
            (offset, offset + aligned(lives[other].size))
            for other, offset in offsets.items()
            if lives[other].first <= life.last and life.first <= lives[other].last
        )
        place = 0
        for start, end in taken:
            if place + aligned(life.size) <= start:
                break
            place = max(place, end)
        offsets[name] = place
        whole = max(whole, place + aligned(life.size))
    return offsets, whole


def open_places(lives: Mapping[Name, Life]) -> tuple[dict[Name, Any], Any]:
    """Return what ``places`` does where sizes are open: in slots, one behind the other."""
    offsets: dict[Name, Any] = {}
    whole: Any = 0
    for slot in slots_of(lives):
        offsets |= dict.fromkeys(slot.results, whole)
        whole = whole + aligned(slot.size)
    return offsets, whole


def _place_constants(planned: PlannedCalls, big_endian: bool, found: dict[Tensor, BlockOffset]) -> bytes:
    """Return the weights, in which equal constants are once, and add their places to those ``found``."""
    weights = bytearray()
    known: dict[tuple[str, bytes], BlockOffset] = {}
    for tensor in (*(each for call in planned.calls for each in call.operands), *planned.outputs):
        if tensor.values is None or tensor in found:
            continue
        data = _data(tensor.values, big_endian)
        key = str(tensor.values.dtype), data
        if key not in known:
            weights += bytes(aligned(len(weights)) - len(weights))
            known[key] = BlockOffset(WEIGHTS, len(weights))
            weights += data
        found[tensor] = known[key]
    return bytes(weights)


def _data(array: np.ndarray, big_endian: bool) -> bytes:
    contiguous = np.ascontiguousarray(array)
    if big_endian and array.itemsize > 1:
        return contiguous.view(f"u{array.itemsize}").byteswap().tobytes()
    return contiguous.tobytes()


def copying_kernel(size: Any) -> tirx.PrimFunc:
    """Return a kernel of one task that copies so many bytes; where the size is open, as many as there are."""
    count = tirx.Var("bytes", "int64") if is_open([size]) else tirx.IntImm("int64", size)
    source = tirx.decl_buffer((count,), "uint8", "source")
    result = tirx.decl_buffer((count,), "uint8", "result")
    place = tirx.Var("place", "int64")
    body = tirx.BufferStore(result, source[place], [place])
    loop = tirx.For(place, tirx.IntImm("int64", 0), count, tirx.ForKind.SERIAL, body)
    return tirx.PrimFunc([source, result], loop).with_attrs({"tirx.noalias": True, "s_tir": True})
