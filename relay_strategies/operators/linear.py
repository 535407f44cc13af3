"""Operators that are linear in a scale, or a shift: what has to be done to their operands so that it is done
to the result. What is worth it, and where it ends, ``FoldScales`` decides.

A rule takes a call and what is to be done to its result. It yields ways to do so: lists of operands, and what
is to be done to each.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from tvm import relax

from relay_strategies.relax.graph import Graph, constant, ints, shape_of
from relay_strategies.relax.movement_calls import (
    axes_of,
    concatenation_of,
    pad_value,
    slice_of,
    strided_slice,
    take_of,
)
from relay_strategies.relax.scales import LARGEST_SHIFT, Affine
from tvm_directconv.problem.extents import is_open, magnitude

from .layouts import reduced_axes

Shape = tuple[int, ...]
Part = tuple[relax.Expr, Affine]
"""An operand, and the affine function to apply to it."""
Ways = Iterator[list[Part]]
Linear = Callable[[relax.Call, Affine], Ways]
LARGEST = 1 << 20
"""Scales of more elements are left where they are."""


def add(call: relax.Call, affine: Affine) -> Ways:
    """A scale is done to both terms, a shift to one of them."""
    for first, second in (call.args, list(call.args)[::-1]):
        yield from _of_terms(call, first, second, affine)


def subtract(call: relax.Call, affine: Affine) -> Ways:
    """A scale is done to both terms, a shift to the first."""
    first, second = call.args
    yield from _of_terms(call, first, second, affine)


def _of_terms(call: relax.Call, first: relax.Expr, second: relax.Expr, affine: Affine) -> Ways:
    """Do the shift to the first term."""
    if shape_of(first) != shape_of(call):
        return
    if not affine.has_scale:
        added = constant(second)
        if affine.moves and (added is None or np.all(np.abs(added) <= LARGEST_SHIFT)):
            yield [(first, affine)]
    elif shape_of(second) == shape_of(call):
        yield [(first, affine), (second, affine.only_scale())]


def multiply(call: relax.Call, affine: Affine) -> Ways:
    """A scale is done to one of the factors."""
    if not affine.has_shift:
        alike = [data for data in call.args if shape_of(data) == shape_of(call)]
        yield from ([(data, affine)] for data in alike)


def matmul(call: relax.Call, affine: Affine) -> Ways:
    """A uniform scale is done to one of the factors."""
    if affine.has_shift or affine.scale.size != 1:
        return
    for data in call.args:
        none = Affine.none(len(shape_of(data) or ()))
        yield [(data, Affine(none.scale * affine.scale.reshape(()), none.shift))]


def keeps_sign(call: relax.Call, affine: Affine) -> Ways:
    """A positive scale passes a function that has another slope below zero than above."""
    if not affine.has_shift and affine.scale.min() > 0:
        yield [(call.args[0], affine)]


def permute(call: relax.Call, affine: Affine) -> Ways:
    yield [(call.args[0], affine.map(lambda array: np.transpose(array, np.argsort(axes_of(call)))))]


def reshape(call: relax.Call, affine: Affine) -> Ways:
    before, after = shape_of(call.args[0]), shape_of(call)
    if before is not None and after is not None:
        groups = list(_groups(after, before)) if 0 not in before else []
        if _varies_along_open(affine, after, before, groups):
            return
        arrays = [_regrouped(array, after, before, groups) for array in (affine.scale, affine.shift)]
        if max(array.size for array in arrays) <= LARGEST:
            yield [(call.args[0], Affine(*arrays))]


def _groups(first: Shape, second: Shape) -> Iterator[tuple[slice, slice]]:
    """The runs of axes of two shapes that hold the same elements."""
    i = j = 0
    while i < len(first) or j < len(second):
        start, other = i, j
        i, j = min(i + 1, len(first)), min(j + 1, len(second))
        while (left := math.prod(first[start:i])) != (right := math.prod(second[other:j])):
            i, j = (i + 1, j) if magnitude(left) < magnitude(right) else (i, j + 1)
        yield slice(start, i), slice(other, j)


def _varies_along_open(
    affine: Affine, shape: Shape, result: Shape, groups: Sequence[tuple[slice, slice]]
) -> bool:
    """Whether values differ along axes of which some are open, which as others would lack a size."""
    return any(
        is_open((*shape[run], *result[run_of_result])) and any(size != 1 for size in array.shape[run])
        for array in (affine.scale, affine.shift)
        for run, run_of_result in groups
    )


def _regrouped(
    array: np.ndarray, shape: Shape, result: Shape, groups: Sequence[tuple[slice, slice]]
) -> np.ndarray:
    """Values that broadcast against ``shape`` as values that do against ``result``."""
    wide, other = list(array.shape), [1] * len(result)
    for run, run_of_result in groups:
        if any(extent != 1 for extent in array.shape[run]):
            wide[run], other[run_of_result] = shape[run], result[run_of_result]
    array = np.broadcast_to(array, wide).reshape(other)
    for axis in range(array.ndim):
        first = array.take([0], axis)
        array = first if np.all(array == first) else array
    return array


def concat(call: relax.Call, affine: Affine) -> Ways:
    joined = concatenation_of(call)
    if joined is None or joined.shapes is None:
        return
    fields, axis = joined.tensors, joined.axis
    ends = np.cumsum([shape[axis] for shape in joined.shapes])[:-1]

    def split(array: np.ndarray) -> list[np.ndarray]:
        return [array] * len(fields) if array.shape[axis] == 1 else np.split(array, ends, axis)

    parts = zip(fields, split(affine.scale), split(affine.shift), strict=True)
    yield [(field, Affine(scale, shift)) for field, scale, shift in parts]


def mean(call: relax.Call, affine: Affine) -> Ways:
    before = shape_of(call.args[0]) or ()
    axes = reduced_axes(call.attrs, len(before))
    if not affine.moves:
        return
    if call.attrs.keepdims:
        if not affine.varies_along(axes):
            yield [(call.args[0], affine)]
    else:
        yield [(call.args[0], affine.map(lambda array: np.expand_dims(array, tuple(axes))))]


def average(call: relax.Call, affine: Affine) -> Ways:
    """Averages of whole windows pass all that is done to a map; where a window reaches beyond it, a scale."""
    whole = affine.moves and not any(ints(call.attrs.padding)) and not call.attrs.ceil_mode
    if _is_by_channel(call, affine) and (whole or not affine.has_shift):
        yield [(call.args[0], affine)]


def maximum(call: relax.Call, affine: Affine) -> Ways:
    """A maximum passes what keeps the order."""
    if _is_by_channel(call, affine) and affine.scale.min() > 0:
        yield [(call.args[0], affine)]


def _is_by_channel(call: relax.Call, affine: Affine) -> bool:
    layout = str(call.attrs.layout)
    return len(layout) == affine.rank and not affine.varies_along([layout.index(letter) for letter in "HW"])


def pad(call: relax.Call, affine: Affine) -> Ways:
    widths = ints(call.attrs.pad_width)
    padded = [axis for axis in range(affine.rank) if any(widths[2 * axis : 2 * axis + 2])]
    if pad_value(call) == 0.0 and not affine.has_shift and not affine.varies_along(padded):
        yield [(call.args[0], affine)]


# ---- parts of a tensor, whose other parts stay as they are


def part_of_split(graph: Graph, value: relax.TupleGetItem, affine: Affine) -> Ways:
    """Do to one of the tensors that a split makes what is done to its places, if it is taken once."""
    part = slice_of(graph, value)
    users = [graph.definition[user] for user in graph.consumers.get(value.tuple_value, [])]
    items = [int(user.index) for user in users if isinstance(user, relax.TupleGetItem)]
    if (
        part is not None
        and len(items) == graph.uses[value.tuple_value]
        and items.count(int(value.index)) == 1
    ):
        ((axis, places),) = part.places.items()
        yield [_embedded(part.data, affine, axis, places)]


def part(call: relax.Call, affine: Affine) -> Ways:
    """Do to a slice, or to elements that are taken, what is done to their places."""
    found = _places(call)
    if found is not None:
        axis, places = found
        if len(shape_of(call.args[0]) or ()) > affine.rank:
            affine = affine.map(lambda array: np.expand_dims(array, axis))
        yield [_embedded(call.args[0], affine, axis, places)]


def is_only_reader(graph: Graph, value: relax.Expr, data: relax.Var) -> bool:
    """Whether nothing but ``value`` uses those elements of ``data`` that it reads."""
    if graph.uses[data] == 1:
        return True
    own, readers = _places(value), [graph.definition[user] for user in graph.consumers[data]]
    found = [places for places in map(_places, readers) if places is not None and own is not None]
    if own is None or not len(found) == len(readers) == graph.uses[data]:
        return False
    return [axis == own[0] and set(own[1]).isdisjoint(places) for axis, places in found].count(False) == 1


def _places(call: relax.Expr) -> tuple[int, Sequence[int]] | None:
    """Return the axis of a slice along one axis, and the places it takes of it, each once."""
    part, taken = strided_slice(call), take_of(call)
    if taken is not None and len(shape_of(call) or ()) <= len(shape_of(call.args[0]) or ()):
        return taken if len(set(taken[1])) == len(taken[1]) else None
    if part is None or len(part.places) != 1 or any(places.step < 1 for places in part.places.values()):
        return None
    return next(iter(part.places.items()))


def _embedded(data: relax.Expr, affine: Affine, axis: int, places: Sequence[int]) -> Part:
    """Return ``affine`` for these places along the axis, and nothing for the others."""
    extent = (shape_of(data) or ())[axis]

    def spread(array: np.ndarray, fill: float) -> np.ndarray:
        shape = [extent if each == axis else size for each, size in enumerate(array.shape)]
        whole = np.moveaxis(np.full(shape, fill), axis, 0)
        whole[list(places)] = np.moveaxis(array, axis, 0)
        return np.moveaxis(whole, 0, axis)

    # What shifts nothing may have the extent of the part all the same.
    shift = spread(affine.shift, 0.0) if affine.has_shift else affine.only_scale().shift
    return data, Affine(spread(affine.scale, 1.0), shift)
