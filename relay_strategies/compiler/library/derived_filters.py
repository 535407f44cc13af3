"""Derived filters: those of one instruction set that are made of another's as a library is loaded.

A library has all that its best set reads, and of the others' filters those that cannot be had from these by
putting channels in other blocks (``tvm_directconv/runtime/repacking.py``). Whether they can is not concluded
but tried, so that what is left out is equal to the bit.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np

from relay_strategies.c_export.plain_kernels import aligned
from tvm_directconv.runtime.network import INPUTS
from tvm_directconv.runtime.repacking import RANKS, may_be_repacked, repacked

from .network_pieces import Network

LEAST_BYTES = 4096
"""Smaller filters stay: to make one takes longer than to read it."""
WEIGHTS = 0

Shape = tuple[int, ...]


@dataclass(frozen=True)
class _Tensor:
    """A constant as calls have it: a place in the weights, and what is there."""

    offset: int
    shape: Shape
    item_bytes: int

    @property
    def bytes(self) -> int:
        return math.prod(self.shape) * self.item_bytes

    def values(self, whole: np.ndarray) -> np.ndarray:
        data = whole[self.offset : self.offset + self.bytes]
        return data.view(f"u{self.item_bytes}").reshape(self.shape)


def with_derived_filters(network: Network) -> Network:
    """Return a network of several instruction sets without the filters that can be made of others."""
    described = json.loads(network.description)
    first, *others = described["sets"]
    if not others:
        return network
    whole = _content(network)
    kept = {tensor.offset: tensor for tensor in _constants(first)}
    derived: list[dict[int, tuple[_Tensor, _Tensor]]] = [{}]
    for each in others:
        found: dict[int, tuple[_Tensor, _Tensor]] = {}
        for tensor in _constants(each):
            source = None if tensor.offset in kept else _source(tensor, kept, whole)
            if source is None:
                known = kept.get(tensor.offset, tensor)
                kept[tensor.offset] = max(tensor, known, key=lambda t: t.bytes)
            else:
                found[tensor.offset] = tensor, source
        derived.append(found)
    moved, end = dict[int, int](), 0
    for offset in sorted(kept):
        moved[offset], end = end, aligned(end + kept[offset].bytes)
    for each, made in zip(described["sets"], derived, strict=True):
        _rewrite(each, moved, made)

    def write(file: BinaryIO) -> None:
        written = 0
        for offset, place in moved.items():
            file.write(bytes(place - written))
            file.write(whole[offset : offset + kept[offset].bytes].data)
            written = place + kept[offset].bytes

    return Network(json.dumps(described), end, write, ())


def _content(network: Network) -> np.ndarray:
    whole = io.BytesIO()
    network.write(whole)
    return np.frombuffer(whole.getbuffer(), np.uint8)


def _constants(described: Mapping[str, Any]) -> Iterator[_Tensor]:
    """The constants that an instruction set's calls read."""
    for calls in described["calls"].values():
        numbers = calls["numbers"]
        for block, offset, shape, kind in calls["tensors"]:
            if block == WEIGHTS:
                _, bits, lanes = calls["types"][kind]
                dims = tuple(numbers[n] for n in calls["shapes"][shape])
                yield _Tensor(numbers[offset], dims, max(1, bits * lanes // 8))


def _source(tensor: _Tensor, kept: Mapping[int, _Tensor], whole: np.ndarray) -> _Tensor | None:
    """A constant that stays and of which this filter is made; None where there is none."""
    if len(tensor.shape) not in RANKS or tensor.bytes < LEAST_BYTES:
        return None
    wanted = tensor.values(whole)
    near = (
        source
        for source in kept.values()
        if source.item_bytes == tensor.item_bytes and may_be_repacked(source.shape, tensor.shape)
    )
    return next((s for s in near if np.array_equal(repacked(s.values(whole), tensor.shape), wanted)), None)


def _rewrite(
    described: dict[str, Any], moved: Mapping[int, int], made: Mapping[int, tuple[_Tensor, _Tensor]]
) -> None:
    """Have an instruction set's calls read constants where they are now, and say how filters are made."""
    places, end = dict[int, int](), 0
    for offset, (tensor, _) in made.items():
        places[offset], end = end, aligned(end + tensor.bytes)
    described["derived"] = [
        [moved[source.offset], source.shape, places[offset], tensor.shape, tensor.item_bytes]
        for offset, (tensor, source) in made.items()
    ]
    described["derived_bytes"] = end
    metadata = described["metadata"]
    block = INPUTS + len(metadata["inputs"]) + len(metadata["outputs"])
    for calls in described["calls"].values():
        numbers = calls["numbers"]
        known = {number: place for place, number in enumerate(numbers)}

        def place(number: int, numbers: list[Any] = numbers, known: dict[Any, int] = known) -> int:
            if number not in known:
                known[number] = len(numbers)
                numbers.append(number)
            return known[number]

        for tensor in calls["tensors"]:
            if tensor[0] == WEIGHTS and numbers[tensor[1]] in places:
                tensor[:2] = block, place(places[numbers[tensor[1]]])
            elif tensor[0] == WEIGHTS:
                tensor[1] = place(moved[numbers[tensor[1]]])
