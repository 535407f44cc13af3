"""Layouts by name, as Relay writes them: ``NCHW16c`` is NCHW whose channels are split into C/16 and 16.

A capital letter is a dimension; a small one behind a number is a block of that many, split off its dimension.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Sequence

from tvm import relax

from relay_strategies.relax.graph import shape_of

Emit = Callable[[relax.Expr], relax.Expr]
Axis = tuple[str, int]
"""An axis is a letter and its block size, which is 0 for a dimension itself."""


@functools.cache
def parse_layout(layout: str) -> tuple[Axis, ...] | None:
    """Return the axes of a layout in order; None if the text is not a layout."""
    if not re.fullmatch(r"([A-Z]|[1-9]\d{0,3}[a-z])+", layout):
        return None
    axes = [(letter, int(size or 0)) for size, letter in re.findall(r"(\d*)([A-Za-z])", layout)]
    dimensions = [letter for letter, size in axes if not size]
    blocked = {letter.upper() for letter, size in axes if size}
    known = len(set(dimensions)) == len(dimensions) and blocked <= set(dimensions)
    return tuple(axes) if known else None


def plain_layout(layout: str) -> str:
    """The dimensions of a layout without its blocks: NCHW of NCHW16c."""
    return re.sub(r"\d+[a-z]", "", layout)


def change_layout(emit: Emit, data: relax.Expr, source: str, result: str) -> relax.Expr:
    """``data`` of layout ``source`` in layout ``result``. Raises ValueError where they do not fit."""
    if source == result:
        return data
    whole = _without_blocks(emit, data, source, plain_layout(result))
    return _with_blocks(emit, whole, result)


def _without_blocks(emit: Emit, data: relax.Expr, source: str, wanted: str) -> relax.Expr:
    """``data`` with whole dimensions, in the order of ``wanted``."""
    axes, shape = parse_layout(source), shape_of(data) or ()
    if axes is None or len(axes) != len(shape):
        raise ValueError(f"a tensor of {len(shape)} dimensions is not {source}")
    if sorted(wanted) != sorted(plain_layout(source)):
        raise ValueError(f"{source} and {wanted} have other dimensions")
    for (letter, size), extent in zip(axes, shape, strict=True):
        if size and size != extent:
            raise ValueError(f"dimension {letter} of {source} is {extent}")
    order = [i for letter in wanted for i, axis in enumerate(axes) if axis[0].upper() == letter]
    extents = [
        math.prod(shape[i] for i, axis in enumerate(axes) if axis[0].upper() == letter) for letter in wanted
    ]
    return _reshaped(emit, _permuted(emit, data, order), extents)


def _with_blocks(emit: Emit, data: relax.Expr, result: str) -> relax.Expr:
    """``data`` of whole dimensions, in the order of ``result``'s, with the blocks split off."""
    axes, shape = parse_layout(result), shape_of(data) or ()
    if axes is None:
        raise ValueError(f"'{result}' is not a layout")
    extents, where = list[int](), dict[int, int]()
    for letter, extent in zip(plain_layout(result), shape, strict=True):
        blocks = [(i, size) for i, (name, size) in enumerate(axes) if size and name.upper() == letter]
        block = math.prod(size for _, size in blocks)
        if extent % block:
            raise ValueError(f"{letter} is {extent}, no multiple of {block}, in {result}")
        where[axes.index((letter, 0))] = len(extents)
        extents.append(extent // block)
        for i, size in blocks:
            where[i] = len(extents)
            extents.append(size)
    split = _reshaped(emit, data, extents)
    return _permuted(emit, split, [where[i] for i in range(len(axes))])


def _permuted(emit: Emit, data: relax.Expr, order: Sequence[int]) -> relax.Expr:
    plain = list(order) == list(range(len(order)))
    return data if plain else emit(relax.op.permute_dims(data, list(order)))


def _reshaped(emit: Emit, data: relax.Expr, shape: Sequence[int]) -> relax.Expr:
    return data if shape_of(data) == tuple(shape) else emit(relax.op.reshape(data, list(shape)))
