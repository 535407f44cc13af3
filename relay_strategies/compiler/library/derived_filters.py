"""Derived filters: those of one instruction set that are made of another's as a library is loaded.

A library has all that its best set reads, and of the others' filters those that cannot be had from these by
putting channels in other blocks, with masks or without (``tvm_directconv/runtime/repacking.py``). Whether
they can is not concluded but tried, so that what is left out is equal to the bit.
"""

from __future__ import annotations

import functools
import hashlib
import io
import itertools
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np

from relay_strategies.c_export.plain_kernels import aligned
from tvm_directconv.runtime.description import rewritten
from tvm_directconv.runtime.network import INPUTS
from tvm_directconv.runtime.repacking import RANKS, Masks, halved, masks_of, may_be_repacked, remade, unmasked

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


@dataclass(frozen=True)
class _Form:
    """A way to read a constant as a packed filter: its values, and the masks that are among them."""

    tensor: _Tensor
    packed: np.ndarray
    masks: Masks | None

    @property
    def shape(self) -> Shape:
        """The shape of the weights."""
        return self.tensor.shape if self.masks is None else halved(self.tensor.shape)

    @functools.cached_property
    def sum(self) -> int:
        """The sum of the weights' bits as integers, which all forms of one filter have in common."""
        plain = self.packed if self.masks is None else unmasked(self.packed, self.masks)
        return int(plain.sum(dtype=np.uint64))

    def makes(self, other: _Form) -> bool:
        """Return whether another constant can be made of this one."""
        return (
            self.tensor.item_bytes == other.tensor.item_bytes
            and may_be_repacked(self.shape, other.shape)
            and self.sum == other.sum
            and np.array_equal(remade(self.packed, other.tensor.shape, self.masks, other.masks), other.packed)
        )


def _forms(tensor: _Tensor, whole: np.ndarray) -> list[_Form]:
    """The ways to read a constant as a packed filter; none where it is not one, or small."""
    if len(tensor.shape) not in RANKS or tensor.bytes < LEAST_BYTES:
        return []
    packed = tensor.values(whole)
    masks = masks_of(packed)
    return [_Form(tensor, packed, each) for each in ([None] if masks is None else [masks, None])]


Made = tuple[_Form, _Form]
"""A form of a constant that stays, and that of one which is made of it."""


def with_derived_filters(network: Network) -> Network:
    """Return a network of several instruction sets without the filters that can be made of others."""
    each_calls = list[dict[str, Any]]()
    rewritten(network.description, lambda number, described, calls: each_calls.append(calls))
    first, *others = each_calls
    if not others:
        return network
    whole = _content(network)
    kept = {tensor.offset: tensor for tensor in _constants(first)}
    forms = {tensor.offset: _forms(tensor, whole) for tensor in kept.values()}
    derived: list[dict[int, Made]] = [{}]
    for each in others:
        found = dict[int, Made]()
        for tensor in _constants(each):
            if tensor.offset in found:
                continue
            own = [] if tensor.offset in kept else _forms(tensor, whole)
            made = _made(own, forms)
            if made is None:
                known = kept.get(tensor.offset, tensor)
                kept[tensor.offset] = max(tensor, known, key=lambda t: t.bytes)
                forms.setdefault(tensor.offset, own)
            else:
                found[tensor.offset] = made
        derived.append(found)
    moved, end = dict[int, int](), 0
    for offset in sorted(kept):
        moved[offset], end = end, aligned(end + kept[offset].bytes)
    content = hashlib.sha256(whole.data).hexdigest()

    def rewrite(number: int, described: dict[str, Any], calls: Mapping[str, Any]) -> None:
        _rewrite(described, calls, moved, derived[number], content)

    def write(file: BinaryIO) -> None:
        written = 0
        for offset, place in moved.items():
            file.write(bytes(place - written))
            file.write(whole[offset : offset + kept[offset].bytes].data)
            written = place + kept[offset].bytes

    return Network(rewritten(network.description, rewrite), end, write, ())


def _content(network: Network) -> np.ndarray:
    whole = io.BytesIO()
    network.write(whole)
    return np.frombuffer(whole.getbuffer(), np.uint8)


def _constants(of_sizes: Mapping[str, Any]) -> Iterator[_Tensor]:
    """The constants that an instruction set's calls read."""
    for calls in of_sizes.values():
        numbers = calls["numbers"]
        for block, offset, shape, kind in calls["tensors"]:
            if block == WEIGHTS:
                _, bits, lanes = calls["types"][kind]
                dims = tuple(numbers[n] for n in calls["shapes"][shape])
                yield _Tensor(numbers[offset], dims, max(1, bits * lanes // 8))


def _made(own: Sequence[_Form], forms: Mapping[int, Sequence[_Form]]) -> Made | None:
    """How a constant of these forms is made of one that stays; None where there is none."""
    pairs = itertools.product(itertools.chain.from_iterable(forms.values()), own)
    return next(((source, form) for source, form in pairs if source.makes(form)), None)


def _rewrite(
    described: dict[str, Any],
    of_sizes: Mapping[str, Any],
    moved: Mapping[int, int],
    made: Mapping[int, Made],
    content: str,
) -> None:
    """Have an instruction set's calls ``of_sizes`` read constants where they are now, and say how filters are
    made; ``content`` is a digest of all constants."""
    places, end = dict[int, int](), 0
    for offset, (_, form) in made.items():
        places[offset], end = end, aligned(end + form.tensor.bytes)
    described["derived"] = [
        [
            *(moved[source.tensor.offset], source.tensor.shape, places[offset], form.tensor.shape),
            *(form.tensor.item_bytes, source.masks, form.masks),
        ]
        for offset, (source, form) in made.items()
    ]
    described["derived_bytes"] = end
    said = json.dumps([content, described["derived"]])
    described["derived_digest"] = hashlib.sha256(said.encode()).hexdigest()
    metadata = described["metadata"]
    block = INPUTS + len(metadata["inputs"]) + len(metadata["outputs"])
    for calls in of_sizes.values():
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
