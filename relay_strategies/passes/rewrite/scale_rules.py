"""Rules of FoldScales: what has to be done to an operator's operands so that a scale and shift is done to its
result. They know what is linear; what is worth it, and where it ends, the pass decides.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from tvm import relax

from relay_strategies.operators.layouts import reduced_axes
from relay_strategies.relax.graph import Graph, constant, ints, operator_name, pad_value, shape_of
from relay_strategies.relax.movement import axes_of, concatenation_of, slice_of, strided_slice, take_of
from relay_strategies.relax.scales import LARGEST_SHIFT, Affine

Shape = tuple[int, ...]
LARGEST = 1 << 20
"""Scales of more elements are left where they are."""


@dataclass(frozen=True, eq=False)
class Part:
    """What is to be done to an operand. Where it is ``shared``, others may use it: their part stays."""

    data: relax.Expr
    affine: Affine
    shared: bool = False


def pushed(graph: Graph, var: relax.Var, value: relax.Expr | None, affine: Affine) -> Iterator[list[Part]]:
    """Ways to do ``affine`` to ``value``, which is bound to ``var``, by what is done to its operands."""
    if isinstance(value, relax.TupleGetItem):
        yield from _part_of_split(graph, value, affine)
    rule = RULES.get(operator_name(value)) if value is not None else None
    if rule is not None and shape_of(var) is not None:
        yield from rule(graph, value, affine)


def _add(graph: Graph, call: relax.Call, affine: Affine) -> Iterator[list[Part]]:
    """A scale is done to both terms, a shift to one of them."""
    for first, second in (call.args, list(call.args)[::-1]):
        yield from _of_terms(call, first, second, affine)


def _subtract(graph: Graph, call: relax.Call, affine: Affine) -> Iterator[list[Part]]:
    """A scale is done to both terms, a shift to the first."""
    first, second = call.args
    yield from _of_terms(call, first, second, affine)


def _of_terms(
    call: relax.Call, first: relax.Expr, second: relax.Expr, affine: Affine
) -> Iterator[list[Part]]:
    """With the shift done to the first."""
    if shape_of(first) != shape_of(call):
        return
    if not affine.has_scale:
        added = constant(second)
        if affine.moves and (added is None or np.all(np.abs(added) <= LARGEST_SHIFT)):
            yield [Part(first, affine)]
    elif shape_of(second) == shape_of(call):
        yield [Part(first, affine), Part(second, affine.only_scale())]


def _multiply(graph: Graph, call: relax.Call, affine: Affine) -> Iterator[list[Part]]:
    """A scale is done to one of the factors."""
    if not affine.has_shift:
        alike = [data for data in call.args if shape_of(data) == shape_of(call)]
        yield from ([Part(data, affine)] for data in alike)


def _matmul(graph: Graph, call: relax.Call, affine: Affine) -> Iterator[list[Part]]:
    """As of a product of numbers, where all are scaled alike."""
    if affine.has_shift or affine.scale.size != 1:
        return
    for data in call.args:
        none = Affine.none(len(shape_of(data) or ()))
        yield [Part(data, Affine(none.scale * affine.scale.reshape(()), none.shift))]


def _keeps_sign(graph: Graph, call: relax.Call, affine: Affine) -> Iterator[list[Part]]:
    """Of a function that has another slope below zero than above."""
    if not affine.has_shift and affine.scale.min() > 0:
        yield [Part(call.args[0], affine)]


def _permute(graph: Graph, call: relax.Call, affine: Affine) -> Iterator[list[Part]]:
    yield [Part(call.args[0], affine.map(lambda array: np.transpose(array, np.argsort(axes_of(call)))))]


def _reshape(graph: Graph, call: relax.Call, affine: Affine) -> Iterator[list[Part]]:
    before, after = shape_of(call.args[0]), shape_of(call)
    if before is not None and after is not None:
        groups = list(_groups(after, before)) if 0 not in before else []
        arrays = [_regrouped(array, after, before, groups) for array in (affine.scale, affine.shift)]
        if max(array.size for array in arrays) <= LARGEST:
            yield [Part(call.args[0], Affine(*arrays))]


def _groups(first: Shape, second: Shape) -> Iterator[tuple[slice, slice]]:
    """The runs of axes of two shapes that hold the same elements."""
    i = j = 0
    while i < len(first) or j < len(second):
        start, other = i, j
        i, j = min(i + 1, len(first)), min(j + 1, len(second))
        while (left := math.prod(first[start:i])) != (right := math.prod(second[other:j])):
            i, j = (i + 1, j) if left < right else (i, j + 1)
        yield slice(start, i), slice(other, j)


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


def _concat(graph: Graph, call: relax.Call, affine: Affine) -> Iterator[list[Part]]:
    joined = concatenation_of(call)
    if joined is None or joined.shapes is None:
        return
    fields, axis = joined.tensors, joined.axis
    ends = np.cumsum([shape[axis] for shape in joined.shapes])[:-1]

    def split(array: np.ndarray) -> list[np.ndarray]:
        return [array] * len(fields) if array.shape[axis] == 1 else np.split(array, ends, axis)

    parts = zip(fields, split(affine.scale), split(affine.shift), strict=True)
    yield [Part(field, Affine(scale, shift)) for field, scale, shift in parts]


def _mean(graph: Graph, call: relax.Call, affine: Affine) -> Iterator[list[Part]]:
    before = shape_of(call.args[0]) or ()
    axes = reduced_axes(call.attrs, len(before))
    if not affine.moves:
        return
    if call.attrs.keepdims:
        if not affine.varies_along(axes):
            yield [Part(call.args[0], affine)]
    else:
        yield [Part(call.args[0], affine.map(lambda array: np.expand_dims(array, tuple(axes))))]


def _pool(graph: Graph, call: relax.Call, affine: Affine) -> Iterator[list[Part]]:
    """Averages of whole windows and, where it keeps the order, maxima."""
    attrs, layout = call.attrs, str(call.attrs.layout)
    if affine.varies_along([layout.index(letter) for letter in "HW"]) or len(layout) != affine.rank:
        return
    if operator_name(call) == "relax.nn.max_pool2d":
        if affine.scale.min() > 0:
            yield [Part(call.args[0], affine)]
    elif not affine.has_shift or (affine.moves and not any(ints(attrs.padding)) and not attrs.ceil_mode):
        yield [Part(call.args[0], affine)]


def _pad(graph: Graph, call: relax.Call, affine: Affine) -> Iterator[list[Part]]:
    widths = ints(call.attrs.pad_width)
    padded = [axis for axis in range(affine.rank) if any(widths[2 * axis : 2 * axis + 2])]
    if pad_value(call) == 0.0 and not affine.has_shift and not affine.varies_along(padded):
        yield [Part(call.args[0], affine)]


# ---- parts of a tensor, whose other parts stay as they are


def _part_of_split(graph: Graph, value: relax.TupleGetItem, affine: Affine) -> Iterator[list[Part]]:
    part = slice_of(graph, value)
    users = [graph.definition[user] for user in graph.consumers.get(value.tuple_value, [])]
    items = [int(user.index) for user in users if isinstance(user, relax.TupleGetItem)]
    if part is None or len(items) != graph.uses[value.tuple_value] or items.count(int(value.index)) != 1:
        return
    ((axis, places),) = part.places.items()
    yield [_embedded(part.data, affine, axis, places, shared=False)]


def _slice(graph: Graph, call: relax.Call, affine: Affine) -> Iterator[list[Part]]:
    found = _places(call)
    if found is None or not isinstance(call.args[0], relax.Var):
        return
    axis, places = found
    others = [_places(graph.definition[user]) for user in graph.consumers[call.args[0]]]
    if len(others) != graph.uses[call.args[0]]:
        return
    overlapping = 0
    for other in others:
        if other is None or other[0] != axis:
            return
        overlapping += bool(set(other[1]) & set(places))
    if overlapping == 1:
        if len(shape_of(call.args[0]) or ()) > affine.rank:
            affine = affine.map(lambda array: np.expand_dims(array, axis))
        yield [_embedded(call.args[0], affine, axis, places, shared=True)]


def _places(call: relax.Expr) -> tuple[int, Sequence[int]] | None:
    """Return the axis of a slice along one axis, and the places it takes of it, each once."""
    part, taken = strided_slice(call), take_of(call)
    if taken is not None and len(shape_of(call) or ()) <= len(shape_of(call.args[0]) or ()):
        return taken if len(set(taken[1])) == len(taken[1]) else None
    if part is None or len(part.places) != 1 or any(places.step < 1 for places in part.places.values()):
        return None
    return next(iter(part.places.items()))


def _embedded(data: relax.Expr, affine: Affine, axis: int, places: Sequence[int], shared: bool) -> Part:
    """``affine`` for these places along the axis, and nothing for the others."""
    extent = (shape_of(data) or ())[axis]

    def spread(array: np.ndarray, fill: float) -> np.ndarray:
        shape = [extent if each == axis else size for each, size in enumerate(array.shape)]
        whole = np.moveaxis(np.full(shape, fill), axis, 0)
        whole[list(places)] = np.moveaxis(array, axis, 0)
        return np.moveaxis(whole, 0, axis)

    # What shifts nothing may have the extent of the part all the same.
    shift = spread(affine.shift, 0.0) if affine.has_shift else affine.only_scale().shift
    return Part(data, Affine(spread(affine.scale, 1.0), shift), shared)


RULES: dict[str, Callable[[Graph, relax.Call, Affine], Iterator[list[Part]]]] = {
    "relax.add": _add,
    "relax.concat": _concat,
    "relax.matmul": _matmul,
    "relax.mean": _mean,
    "relax.multiply": _multiply,
    "relax.nn.avg_pool2d": _pool,
    "relax.nn.leakyrelu": _keeps_sign,
    "relax.nn.max_pool2d": _pool,
    "relax.nn.pad": _pad,
    "relax.nn.relu": _keeps_sign,
    "relax.permute_dims": _permute,
    "relax.reshape": _reshape,
    "relax.strided_slice": _slice,
    "relax.subtract": _subtract,
    "relax.take": _slice,
}
"""By operator, these do what ``pushed`` does for a call of it."""
