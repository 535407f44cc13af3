"""Elements by their positions: constant ones become gathers, those computed at run time are checked then."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from tvm import relax

from relay_strategies.functional import indexing
from relay_strategies.relax.graph import constant, dtype_of, shape_of
from tvm_directconv.problem.extents import broadcast, is_open

from .finding import masked, merged
from .node import Converter, Node


@dataclass(frozen=True)
class _Places:
    """Constant positions: the axes they are of, numbered as one, and the shape of the positions' tensor."""

    axes: list[int]
    flat: np.ndarray
    extent: int

    @property
    def front(self) -> int:
        return _front(self.axes)


def _front(axes: list[int]) -> int:
    """Return where the positions' axes are in a result: in place if they are adjacent, else first."""
    first, last = axes[0], axes[-1]
    return first if last - first == len(axes) - 1 else 0


def _given(node: Node) -> dict[int, relax.Expr]:
    """The positions along each axis that has any."""
    return {axis: index for axis, index in enumerate(node["indices"]) if index is not None}


def _places(node: Node) -> _Places | None:
    """The positions that a node indexes by; None where they are computed at run time."""
    shape = node.shape("self")
    given = _given(node)
    tables = []
    for axis, index in given.items():
        array = constant(index)
        if array is None:
            return None
        if array.dtype == np.bool_:
            raise node.refusal("indices that are true or false are not supported")
        tables.append(np.where(array < 0, array + shape[axis], array))
    extents = [shape[axis] for axis in given]
    flat = np.ravel_multi_index(list(np.broadcast_arrays(*tables)), extents)
    return _Places(list(given), flat, math.prod(extents))


def _merged(node: Node, data: relax.Expr, places: _Places, front: int) -> relax.Expr:
    """The data with the indexed axes as one, at ``front``."""
    shape = shape_of(data) or ()
    rest = [axis for axis in range(len(shape)) if axis not in places.axes]
    order = [*rest[:front], *places.axes, *rest[front:]]
    if order != sorted(order):
        data = node.emit(relax.op.permute_dims(data, order))
    extents = [shape[axis] for axis in rest]
    return node.emit(relax.op.reshape(data, [*extents[:front], places.extent, *extents[front:]]))


def _index(node: Node) -> relax.Expr:
    """Elements at constant positions, or along one axis, by one gather; else row by row."""
    given = _given(node)
    if len(given) == 1:
        ((axis, index),) = given.items()
        if dtype_of(index) == "bool":
            return masked(node, index, axis)
    places = _places(node)
    if places is None:
        if len(given) == 1:
            return indexing.gather(node, node.tensor("self"), index, axis)
        return _rows(node, given)
    data = _merged(node, node.tensor("self"), places, places.front)
    taken = node.take(data, places.flat.reshape(-1), places.front)
    return relax.op.reshape(taken, node.result_shape)


def _rows(node: Node, given: dict[int, relax.Expr]) -> relax.Expr:
    """Elements at positions along several axes, which are brought to the front for it."""
    order, positions = _in_front(node, given), _positions(node, given)
    data = node.emit(relax.op.permute_dims(node.tensor("self"), order))
    taken = node.emit(indexing.gather_nd(node, data, positions))
    front, count = _front(list(given)), len(shape_of(positions) or ()) - 1
    behind = range(count, count + len(order) - len(given))
    return relax.op.permute_dims(taken, [*behind[:front], *range(count), *behind[front:]])


def _put_rows(node: Node, given: dict[int, relax.Expr]) -> relax.Expr:
    """The data with others at such positions, or with others added there."""
    order, positions = _in_front(node, given), _positions(node, given)
    shape, front = node.shape("self"), _front(list(given))
    rest, spread = [shape[axis] for axis in order[len(given) :]], (shape_of(positions) or ())[:-1]
    extents = [*rest[:front], *spread, *rest[front:]]
    values = node.emit(relax.op.broadcast_to(node.cast(node["values"], node.dtype), extents))
    moved = range(front, front + len(spread))
    behind = [axis for axis in range(len(extents)) if axis not in moved]
    values = node.emit(relax.op.permute_dims(values, [*moved, *behind]))
    data = node.emit(relax.op.permute_dims(node.tensor("self"), order))
    reduction = "add" if node["accumulate"] else "update"
    put = node.emit(indexing.scatter_nd(node, data, positions, values, reduction))
    return relax.op.permute_dims(put, np.argsort(order).tolist())


def _in_front(node: Node, given: Mapping[int, relax.Expr]) -> list[int]:
    return [*given, *(axis for axis in range(len(node.shape("self"))) if axis not in given)]


def _positions(node: Node, given: Mapping[int, relax.Expr]) -> relax.Expr:
    """Rows of a position along each axis."""
    if any(dtype_of(index) == "bool" for index in given.values()):
        raise node.refusal("indices that are true or false are not supported beside others")
    spread = broadcast(*(node.shape_of(index) for index in given.values()))
    columns = [node.cast(index, "int64") for index in given.values()]
    columns = [node.emit(relax.op.broadcast_to(column, spread)) for column in columns]
    return node.emit(relax.op.stack(columns, axis=-1))


def _masked(node: Node, mask: relax.Expr, first: int) -> relax.Expr:
    """One value, or rows, wherever a mask of the axes from ``first`` on is true."""
    value, shape = node.cast(node["values"], node.dtype), node.shape("self")
    extents = shape_of(mask) or ()
    is_one = not is_open(shape_of(value) or ()) and math.prod(shape_of(value) or ()) == 1
    if not is_one or node["accumulate"]:
        return _put_masked(node, mask, first)
    wide = [*[1] * first, *extents, *[1] * (len(shape) - first - len(extents))]
    mask = node.emit(relax.op.reshape(mask, wide))
    return relax.op.where(mask, node.emit(relax.op.reshape(value, ())), node.tensor("self"))


def _put_masked(node: Node, mask: relax.Expr, first: int) -> relax.Expr:
    """Rows in the places that a mask of the first axes selects, or added to what is there."""
    if first:
        raise node.refusal("where a mask is not of the first axes, one value is put, and nothing added")
    data, places = merged(node, mask, 0)
    (found,) = node.shape_of(places)
    rows = (found, *node.shape_of(data)[1:])
    values = node.emit(relax.op.broadcast_to(node.cast(node["values"], node.dtype), rows))
    places = node.emit(relax.op.reshape(places, (found, 1)))
    put = indexing.scatter_nd(node, data, places, values, "add" if node["accumulate"] else "update")
    return relax.op.reshape(node.emit(put), node.shape("self"))


def _index_put(node: Node) -> relax.Expr:
    """The data with others at some positions, or with others added there.

    At constant ones each row of the result is a row of what is put, or of the data behind it: the last one
    that is put there. Where they add up, there are as many gathers as one row gets terms.
    """
    given = _given(node)
    if [dtype_of(index) for index in given.values()] == ["bool"]:
        ((axis, mask),) = given.items()
        return _masked(node, mask, axis)
    places, shape = _places(node), node.shape("self")
    if places is None:
        return _put_rows(node, given)
    rest = [size for axis, size in enumerate(shape) if axis not in places.axes]
    count, front = places.flat.size, places.front
    spread = [*rest[:front], *places.flat.shape, *rest[front:]]
    values = node.emit(relax.op.broadcast_to(node.cast(node["values"], node.dtype), spread))
    moved = range(front, front + places.flat.ndim)
    order = [*moved, *(axis for axis in range(len(spread)) if axis not in moved)]
    values = node.emit(relax.op.reshape(node.emit(relax.op.permute_dims(values, order)), [count, *rest]))
    data = _merged(node, node.tensor("self"), places, 0)
    written = places.flat.reshape(-1)
    if node["accumulate"]:
        zero = node.emit(relax.op.zeros(relax.ShapeExpr([1, *rest]), node.dtype))
        rows = node.emit(relax.op.concat([values, zero], 0))
        turn = np.zeros(count, np.int64)
        seen: dict[int, int] = {}
        for place, row in enumerate(written.tolist()):
            turn[place] = seen[row] = seen.get(row, -1) + 1
        for number in range(int(turn.max(initial=-1)) + 1):
            table = np.full(places.extent, count)
            table[written[turn == number]] = np.flatnonzero(turn == number)
            term = node.take(rows, table, 0)
            data = node.emit(relax.op.add(data, term))
    else:
        table = np.arange(places.extent) + count
        table[written] = np.arange(count)
        rows = node.emit(relax.op.concat([values, data], 0))
        data = node.take(rows, table, 0)
    others = [axis for axis in range(len(shape)) if axis not in places.axes]
    extents = [shape[axis] for axis in (*places.axes, *others)]
    back = np.argsort([*places.axes, *others]).tolist()
    return relax.op.permute_dims(node.emit(relax.op.reshape(data, extents)), back)


def _unfold(node: Node) -> relax.Expr:
    """Windows along an axis, whose elements become the last axis."""
    rank = len(node.shape("self"))
    axis = node.axis(node["dimension"], rank)
    count, size = node.result_shape[axis], int(node["size"])
    places = np.arange(count)[:, None] * int(node["step"]) + np.arange(size)
    taken = node.take(node.tensor("self"), places.reshape(-1), axis)
    shape = node.shape("self")
    split = node.emit(relax.op.reshape(taken, [*shape[:axis], count, size, *shape[axis + 1 :]]))
    order = [place for place in range(rank + 1) if place != axis + 1]
    return relax.op.permute_dims(split, [*order, axis + 1])


SCATTERED = {"update": "update", "add": "add", "sum": "add", "prod": "mul", "amax": "max", "amin": "min"}
"""What this library calls PyTorch's reductions."""


def _scatter(node: Node) -> relax.Expr:
    """The first elements of what is scattered, as many as there are positions along each axis."""
    extents = node.shape("index")
    if "src" in node.arguments:
        source = node.tensor("src")
        if shape_of(source) != extents:
            axes = list(range(len(extents)))
            source = node.emit(relax.op.strided_slice(source, axes, [0] * len(axes), list(extents)))
    else:
        source = node.emit(relax.op.broadcast_to(node.cast(node["value"], node.dtype), extents))
    plain = "add" if node.source.target is torch.ops.aten.scatter_add.default else "update"
    reduction = SCATTERED[node.arguments.get("reduce", plain)]
    operands = node.tensor("self"), node.tensor("index"), source
    return indexing.scatter_elements(node, *operands, _along(node), reduction)


def _along(node: Node) -> int:
    return node.axis(node["dim"], len(node.shape("self")))


def _sort(node: Node) -> relax.Expr:
    """All elements, as the largest or smallest, and their places; equal ones stay in their order."""
    count = node.shape("self")[_along(node)]
    return _extremes(node, count, bool(node["descending"]))


def _extremes(node: Node, count: int, largest: bool) -> relax.Expr:
    data = node.cast(node.tensor("self"), "uint8" if node.dtype == "bool" else node.dtype)
    values, places = indexing.top_k(node, data, count, _along(node), largest)
    return relax.Tuple([node.cast(values, node.dtype), places])


CONVERTERS: dict[str, Converter] = {
    **dict.fromkeys(("index.Tensor", "_unsafe_index.Tensor"), _index),
    **dict.fromkeys(("index_put.default", "_unsafe_index_put.default"), _index_put),
    "unfold.default": _unfold,
    "index_select.default": lambda node: indexing.gather(
        node, node.tensor("self"), node.tensor("index"), _along(node)
    ),
    "embedding.default": lambda node: indexing.gather(node, node.tensor("weight"), node.tensor("indices"), 0),
    "gather.default": lambda node: indexing.gather_elements(
        node, node.tensor("self"), node.tensor("index"), _along(node)
    ),
    **dict.fromkeys(("scatter.src", "scatter.value", "scatter_add.default", "scatter_reduce.two"), _scatter),
    **dict.fromkeys(("sort.default", "sort.stable"), _sort),
    "topk.default": lambda node: _extremes(node, int(node["k"]), bool(node["largest"])),
}
