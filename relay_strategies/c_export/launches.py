"""A network that is ready for TVM's virtual machine as a list of kernel calls, each tensor in its place.

Tensors are in one of the blocks of memory that a run has: the weights, the workspace, or an input or output
of the caller's. TVM's plan of storages is not used: tensors get new places in the workspace, by when they are
alive, greedy by size as in Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net Inference"
(2020). What a kernel writes for a result goes straight into the caller's output. The calls themselves are
read by ``relay_strategies.relax.planned``.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import tvm
from tvm import tirx

from relay_strategies.relax.planned import PlannedCalls, Tensor, planned_calls

from .plain_kernels import aligned

Name = TypeVar("Name", bound=Hashable)

WEIGHTS, WORKSPACE = 0, 1
"""The numbers of these blocks; the inputs' follow, then the outputs'."""
COPY = "copy_{}"
"""The kernel that copies so many bytes, from its first operand to its second."""


@dataclass(frozen=True)
class BlockOffset:
    """Offset into a block, in bytes."""

    block: int
    offset: int


@dataclass(frozen=True)
class Launch:
    kernel: str
    operands: tuple[BlockOffset, ...]


@dataclass(frozen=True)
class Life:
    """A tensor's size in bytes, and the first and last step that touch it."""

    size: int
    first: int
    last: int


@dataclass(frozen=True)
class Launches:
    """The calls of a network, in order, its weights in one piece, and the bytes of tensors in the
    workspace."""

    calls: tuple[Launch, ...]
    weights: bytes
    arena_bytes: int
    copies: dict[str, int]
    """Kernels that copy, which are not kernels of the network, by name: their bytes."""


def launches_of(module: tvm.IRModule, big_endian: bool) -> Launches:
    """Return the calls of ``main``. Raises ModelError for what a straight list of calls cannot say."""
    planned = planned_calls(module["main"], "exported as C")
    found = {tensor: BlockOffset(WORKSPACE + 1 + number, 0) for number, tensor in enumerate(planned.inputs)}
    weights = _place_constants(planned, big_endian, found)
    calls, copies = list(planned.calls), {}
    first = WORKSPACE + 1 + len(planned.inputs)
    for place, tensor in ((BlockOffset(first + n, 0), tensor) for n, tensor in enumerate(planned.outputs)):
        if tensor not in found:
            found[tensor] = place
            continue
        # Something else claims it: the caller's output is a copy.
        copy, name = Tensor(tensor.size), COPY.format(tensor.size)
        found[copy], copies[name] = place, tensor.size
        calls.append((name, (tensor, copy)))
    lives: dict[Tensor, Life] = {}
    for step, (_, operands) in enumerate(calls):
        for tensor in operands:
            if tensor not in found:
                since = lives[tensor].first if tensor in lives else step
                lives[tensor] = Life(tensor.size, since, step)
    offsets, arena = places(lives)
    found |= {tensor: BlockOffset(WORKSPACE, offset) for tensor, offset in offsets.items()}
    launches = tuple(Launch(name, tuple(found[each] for each in operands)) for name, operands in calls)
    return Launches(launches, weights, arena, copies)


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


def _place_constants(planned: PlannedCalls, big_endian: bool, found: dict[Tensor, BlockOffset]) -> bytes:
    """Return the weights, in which equal constants are once, and add their places to those ``found``."""
    weights = bytearray()
    known: dict[tuple[str, bytes], BlockOffset] = {}
    for tensor in (*(each for _, operands in planned.calls for each in operands), *planned.outputs):
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


def copying_kernel(size: int) -> tirx.PrimFunc:
    """Return a kernel of one task that copies so many bytes."""
    source = tirx.decl_buffer((size,), "uint8", "source")
    result = tirx.decl_buffer((size,), "uint8", "result")
    place = tirx.Var("place", "int64")
    body = tirx.BufferStore(result, source[place], [place])
    zero, count = tirx.IntImm("int64", 0), tirx.IntImm("int64", size)
    loop = tirx.For(place, zero, count, tirx.ForKind.SERIAL, body)
    return tirx.PrimFunc([source, result], loop).with_attrs({"tirx.noalias": True, "s_tir": True})
