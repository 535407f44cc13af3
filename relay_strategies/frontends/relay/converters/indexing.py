"""Operators of Relay that find, order and place elements. Definitions: relay.op.transform and algorithm."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from tvm import relax

from relay_strategies.functional import finding, indexing
from relay_strategies.functional.accumulation import running_product
from relay_strategies.functional.einsum import einsum
from relay_strategies.functional.movement import stack
from relay_strategies.relax.graph import dtype_of, make_constant

from .call import Converter, OperatorCall, Value

TAKE_MODES = ("clip", "wrap", "fast")
"""What indices out of range are: the nearest, counted around, or a promise that there are none."""


def _rank(call: OperatorCall, data: relax.Expr) -> int:
    return len(call.shape_of(data))


def _flat(call: OperatorCall, data: relax.Expr) -> relax.Expr:
    return call.emit(relax.op.reshape(data, (-1,)))


def _along(call: OperatorCall, data: relax.Expr) -> tuple[relax.Expr, int]:
    """The data and the axis; all elements in one row where the axis is None."""
    if call.get("axis", None) is None:
        return _flat(call, data), 0
    return data, call.axis("axis", 0, _rank(call, data))


def _take(call: OperatorCall) -> Value:
    indices, mode = call.cast(call.data(1), "int32"), call.text("mode", "clip")
    if mode not in TAKE_MODES or call.integer("batch_dims", 0):
        raise call.error(f"mode '{mode}' with batch_dims is not supported; one of {', '.join(TAKE_MODES)} is")
    data, axis = _along(call, call.data(0))
    # What wraps may be negative, and what the kernel reads is inside in any case.
    if mode == "wrap":
        extent = relax.const(call.shape_of(data)[axis], "int32")
        indices = call.emit(relax.op.floor_mod(indices, extent))
    shape = call.shape_of(indices)
    if shape:
        return call.emit(relax.op.take(data, indices, axis, mode="clip"))
    taken = call.emit(relax.op.take(data, call.emit(relax.op.reshape(indices, (1,))), axis, mode="clip"))
    return call.emit(relax.op.squeeze(taken, [axis]))


def _gather(call: OperatorCall) -> Value:
    data = call.data(0)
    axis = call.axis("axis", 0, _rank(call, data))
    return call.emit(indexing.gather_elements(call, data, call.data(1), axis))


def _rows(call: OperatorCall, indices: relax.Expr) -> relax.Expr:
    """Coordinates, which Relay has along the first axis, along the last."""
    rank, indices = _rank(call, indices), call.cast(indices, "int64")
    return call.emit(relax.op.permute_dims(indices, [*range(1, rank), 0]))


def _gather_nd(call: OperatorCall) -> Value:
    call.ignore("index_rank")
    return call.emit(
        indexing.gather_nd(call, call.data(0), _rows(call, call.data(1)), call.integer("batch_dims", 0))
    )


def _reduction(call: OperatorCall, name: str, default: str) -> str:
    kind = call.text(name, default)
    if kind not in indexing.UPDATES:
        raise call.error(f"{name} '{kind}' is none of {', '.join(indexing.UPDATES)}")
    return kind


def _scatter(reduction: str | None) -> Converter:
    """Updates along an axis; older versions have the reduction in the operator's name."""

    def convert(call: OperatorCall) -> Value:
        data = call.data(0)
        axis = call.axis("axis", 0, _rank(call, data))
        kind = reduction or _reduction(call, "reduction", "update")
        return call.emit(indexing.scatter_elements(call, data, call.data(1), call.data(2), axis, kind))

    return convert


def _scatter_nd(call: OperatorCall) -> Value:
    kind = _reduction(call, "mode", "update")
    rows = _rows(call, call.data(1))
    return call.emit(indexing.scatter_nd(call, call.data(0), rows, call.data(2), kind))


def _topk(call: OperatorCall) -> Value:
    data = call.data(0)
    axis = call.axis("axis", -1, _rank(call, data))
    count, kind = _count(call), call.text("ret_type", "both")
    count = call.shape_of(data)[axis] if count < 1 else count
    ascends, dtype = call.flag("is_ascend", False), call.text("dtype", "int32")
    if kind not in ("both", "values", "indices"):
        raise call.error(f"ret_type '{kind}' is none of both, values and indices")
    values, places = indexing.top_k(call, data, count, axis, not ascends)
    places = call.cast(places, dtype)
    return {"both": (values, places), "values": values, "indices": places}[kind]


def _count(call: OperatorCall) -> int:
    """The number of elements: an attribute, or the second operand of dyn's operator."""
    return int(call.constant(1).reshape(())) if len(call.arguments) > 1 else call.integer("k", 1)


def _sort(call: OperatorCall) -> Value:
    data = call.data(0)
    axis = call.axis("axis", -1, _rank(call, data))
    return call.emit(relax.op.sort(data, axis, not call.flag("is_ascend", True)))


def _argsort(call: OperatorCall) -> Value:
    data = call.data(0)
    axis, dtype = call.axis("axis", -1, _rank(call, data)), call.text("dtype", "int32")
    return call.emit(relax.op.argsort(data, axis, not call.flag("is_ascend", True), dtype))


def _one_hot(call: OperatorCall) -> Value:
    positions, dtype = call.data(0), call.text("dtype", "int32")
    on, off = (call.cast(call.data(number), dtype) for number in (1, 2))
    rank = _rank(call, positions)
    axis = call.axis("axis", -1, rank + 1)
    depth = int(call.constant(3).reshape(())) if len(call.arguments) > 3 else call.integer("depth")
    if depth < 1:
        raise call.error(f"depth={depth} should be positive")
    # Only ONNX counts negative positions from the end: here they are none.
    positions = call.cast(positions, "int64")
    none = relax.const(depth, "int64")
    negative = call.emit(relax.op.less(positions, relax.const(0, "int64")))
    positions = call.emit(relax.op.where(negative, none, positions))
    return call.emit(indexing.one_hot(call, positions, depth, axis, on, off))


def _accumulated(is_product: bool) -> Converter:
    def convert(call: OperatorCall) -> Value:
        data, axis = _along(call, call.data(0))
        if call.optional("dtype"):
            data = call.cast(data, call.text("dtype"))
        elif dtype_of(data) == "bool":
            data = call.cast(data, "int32")
        excludes = bool(call.get("exclusive", False))
        if is_product:
            return call.emit(running_product(call, data, axis, excludes))
        return call.emit(relax.op.cumsum(data, axis, dtype_of(data), excludes))

    return convert


def _reverse(call: OperatorCall) -> Value:
    data = call.data(0)
    return call.emit(relax.op.flip(data, call.axis("axis", 0, _rank(call, data))))


def _reverse_sequence(call: OperatorCall) -> Value:
    data = call.data(0)
    rank = _rank(call, data)
    axes = call.axis("seq_axis", 1, rank), call.axis("batch_axis", 0, rank)
    return call.emit(relax.op.reverse_sequence(data, call.data(1), *axes))


def _sequence_mask(call: OperatorCall) -> Value:
    """Elements from a sequence's length on get a value; batches are along the other of two axes."""
    data, value = call.data(0), call.number("mask_value", 0.0)
    shape, axis = call.shape_of(data), call.axis("axis", 0, 2)
    lengths = call.cast(call.data(1), "int32")
    wide = [1] * len(shape)
    places = np.arange(shape[axis], dtype=np.int32).reshape([*wide[:axis], -1, *wide[axis + 1 :]])
    of_batch = [*wide[: 1 - axis], shape[1 - axis], *wide[2 - axis :]]
    lengths = call.emit(relax.op.reshape(lengths, of_batch))
    is_kept = call.emit(relax.op.less(make_constant(places), lengths))
    return call.emit(relax.op.where(is_kept, data, call.cast(value, dtype_of(data))))


def _slice_like(call: OperatorCall) -> Value:
    data, like = call.data(0), call.shape_of(call.data(1))
    shape = call.shape_of(data)
    given = call.ints("axes") if call.optional("axes") else ()
    axes = [call.checked_axis(axis, len(shape)) for axis in given or range(len(like))]
    if any(axis >= len(like) or like[axis] > shape[axis] for axis in axes):
        raise call.error(f"a part of shape {like} along axes {axes} is not in {shape}")
    ends = [like[axis] for axis in axes]
    return call.emit(relax.op.strided_slice(data, axes, [0] * len(axes), ends))


def _arange(call: OperatorCall) -> Value:
    first, last, step = (call.constant(number).reshape(()).item() for number in range(3))
    call.ignore("start", "stop", "step")
    if not step:
        raise call.error("the step is 0")
    return make_constant(np.arange(first, last, step).astype(call.text("dtype", "float32")))


def _full(call: OperatorCall) -> Value:
    """A value in a shape, which is an attribute, or the second operand of dyn's operator."""
    value = call.data(0)
    dtype = call.text("dtype") if call.optional("dtype") else dtype_of(value)
    shape = call.constant(1).tolist() if len(call.arguments) > 1 else call.ints("shape")
    call.ignore("shape")
    return call.emit(relax.op.full(list(map(int, shape)), call.cast(value, dtype), dtype))


def _full_like(call: OperatorCall) -> Value:
    data = call.data(0)
    return call.emit(relax.op.broadcast_to(call.cast(call.data(1), dtype_of(data)), call.shape_of(data)))


def _meshgrid(call: OperatorCall) -> Value:
    tensors, order = call.tensors(0), call.text("indexing", "ij")
    if order not in ("ij", "xy"):
        raise call.error(f"indexing '{order}' is neither ij nor xy")
    sizes = [call.shape_of(tensor)[0] if call.shape_of(tensor) else 1 for tensor in tensors]
    turned = order == "xy" and len(tensors) > 1
    places = [1, 0, *range(2, len(tensors))] if turned else list(range(len(tensors)))
    whole = [sizes[place] for place in places]
    wide = []
    for number, tensor in enumerate(tensors):
        shape = [size if places[axis] == number else 1 for axis, size in enumerate(whole)]
        wide.append(call.emit(relax.op.broadcast_to(call.emit(relax.op.reshape(tensor, shape)), whole)))
    return tuple(wide)


def _trilu(call: OperatorCall) -> Value:
    operator: Callable[..., Any] = relax.op.triu if call.flag("upper", True) else relax.op.tril
    return call.emit(operator(call.data(0), int(call.constant(1).reshape(()))))


def _einsum(call: OperatorCall) -> Value:
    tensors, equation = call.tensors(0), call.text("equation")
    product = einsum(call, equation, tensors)
    return call.emit(relax.op.einsum(tensors, equation) if product is None else product)


def _matrix_set_diag(call: OperatorCall) -> Value:
    """Values on one diagonal; bands of several are not supported."""
    data, diagonal = call.data(0), call.data(1)
    first, last = call.integer("k1", 0), call.integer("k2", 0)
    call.ignore("super_diag_right_align", "sub_diag_right_align")
    if first != last:
        raise call.error(f"diagonals from {first} to {last} are not supported; a single one is")
    *_, rows, columns = call.shape_of(data)
    along = -1 if first < 0 else -2
    size, count = (columns if first < 0 else rows), call.shape_of(diagonal)[-1]
    widths = [0] * (2 * _rank(call, diagonal) - 1) + [size - count]
    wide = call.emit(relax.op.nn.pad(diagonal, widths)) if size > count else diagonal
    wide = call.emit(relax.op.expand_dims(wide, -2 if along == -1 else -1))
    return call.emit(relax.op.where(make_constant(np.eye(rows, columns, first, bool)), wide, data))


def _unravel_index(call: OperatorCall) -> Value:
    indices, shape = call.data(0), call.constant(1).reshape(-1)
    dtype, parts = dtype_of(indices), list[relax.Expr]()
    for extent in reversed(shape.tolist()):
        size = relax.const(extent, dtype)
        parts.insert(0, call.emit(relax.op.floor_mod(indices, size)))
        indices = call.emit(relax.op.floor_divide(indices, size))
    return call.emit(stack(call, parts, 0))


def _shape_of(call: OperatorCall) -> Value:
    return make_constant(np.array(call.shape_of(call.data(0)), call.text("dtype", "int32")))


def _ndarray_size(call: OperatorCall) -> Value:
    return make_constant(np.array(np.prod(call.shape_of(call.data(0))), call.text("dtype", "int32")))


def _reshape_like(call: OperatorCall) -> Value:
    """Dimensions of the data in a range have the shape of those of another tensor in a range."""
    data = call.data(0)
    shape, like = call.shape_of(data), call.shape_of(call.data(1))

    def part(side: str, extents: tuple[int, ...]) -> tuple[int, int]:
        end = call.get(f"{side}_end", None)
        first, last = call.integer(f"{side}_begin", 0), len(extents) if end is None else int(end)
        return (each + len(extents) if each < 0 else each for each in (first, last))  # type: ignore[return-value]

    (left, right), (first, last) = part("lhs", shape), part("rhs", like)
    return call.emit(relax.op.reshape(data, (*shape[:left], *like[first:last], *shape[right:])))


def _broadcast_to_like(call: OperatorCall) -> Value:
    return call.emit(relax.op.broadcast_to(call.data(0), call.shape_of(call.data(1))))


def _strided_set(call: OperatorCall) -> Value:
    """A part of the data is replaced: each element comes from the data or from what replaces it."""
    data, values = call.data(0), call.data(1)
    shape = call.shape_of(data)
    begin, end, steps = (call.constant(number).tolist() for number in (2, 3, 4))
    steps = steps * len(begin) if len(steps) == 1 else steps
    places = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
    part = tuple(slice(*bounds) for bounds in zip(begin, end, steps, strict=True))
    new = np.arange(np.prod(call.shape_of(values)), dtype=np.int32).reshape(call.shape_of(values))
    if places[part].shape != new.shape:
        raise call.error(f"values of shape {new.shape} for a part of shape {places[part].shape}")
    places[part] = new + places.size
    whole = call.emit(relax.op.concat([_flat(call, data), _flat(call, values)], 0))
    return call.emit(relax.op.reshape(call.take(whole, places.reshape(-1), 0), shape))


def _adv_index(call: OperatorCall) -> Value:
    data, *indices = call.tensors(0)
    return call.emit(relax.op.index_tensor(data, indices))


def _searchsorted(call: OperatorCall) -> Value:
    borders, values = call.data(0), call.data(1)
    call.rank(borders, 1)
    found = relax.op.bucketize(values, borders, False, call.flag("right", False))
    return call.cast(call.emit(found), call.text("dtype", "int32"))


def _invert_permutation(call: OperatorCall) -> Value:
    data = call.data(0)
    call.rank(data, 1)
    return call.emit(relax.op.argsort(data, 0, False, dtype_of(data)))


def _argwhere(call: OperatorCall) -> Value:
    """The coordinates of what is not zero, a row each."""
    data = call.data(0)
    places = call.emit(finding.nonzero(call, data))
    return call.cast(call.emit(relax.op.permute_dims(places, [1, 0])), "int32")


def _unique(call: OperatorCall) -> Value:
    """What differs in a vector; results have room for all of it, and zeros behind what was found."""
    data = call.data(0)
    call.rank(data, 1)
    parts = finding.unique_in_place(call, data, call.flag("sorted", True))
    firsts, inverse, count, counts = (call.cast(part, "int32") for part in parts)
    taken = call.emit(relax.op.take(data, firsts, 0, mode="clip"))
    is_found = call.emit(relax.op.greater(counts, relax.const(0, "int32")))
    taken = finding.cleared(call, taken, is_found)
    return taken, firsts, inverse, count, *([counts] if call.flag("return_counts", False) else [])


CONVERTERS: dict[str, Converter] = {
    "argwhere": _argwhere,
    "unique": _unique,
    "take": _take,
    "gather": _gather,
    "gather_nd": _gather_nd,
    "scatter": _scatter("update"),
    "scatter_add": _scatter("add"),
    "scatter_elements": _scatter(None),
    "scatter_nd": _scatter_nd,
    "topk": _topk,
    "dyn.topk": _topk,
    "sort": _sort,
    "argsort": _argsort,
    "one_hot": _one_hot,
    "dyn.one_hot": _one_hot,
    "cumsum": _accumulated(is_product=False),
    "cumprod": _accumulated(is_product=True),
    "reverse": _reverse,
    "reverse_sequence": _reverse_sequence,
    "sequence_mask": _sequence_mask,
    "slice_like": _slice_like,
    "arange": _arange,
    "full": _full,
    "dyn.full": _full,
    "full_like": _full_like,
    "meshgrid": _meshgrid,
    "trilu": _trilu,
    "einsum": _einsum,
    "matrix_set_diag": _matrix_set_diag,
    "unravel_index": _unravel_index,
    "shape_of": _shape_of,
    "ndarray_size": _ndarray_size,
    "reshape_like": _reshape_like,
    "broadcast_to_like": _broadcast_to_like,
    "strided_set": _strided_set,
    "adv_index": _adv_index,
    "searchsorted": _searchsorted,
    "invert_permutation": _invert_permutation,
}
