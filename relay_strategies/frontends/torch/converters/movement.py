"""Operators that move elements and compute nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from tvm import relax

from relay_strategies.functional import movement
from relay_strategies.relax.graph import shape_of
from tvm_directconv.problem.extents import is_open

from .node import Converter, Node


def _reshape(node: Node) -> relax.Expr:
    """Reshape to the shape that torch.export knows: views, squeezes, flattenings and their kin."""
    return relax.op.reshape(node.tensor("self"), node.result_shape)


def _strided_view(node: Node) -> relax.Expr:
    """A view by strides of its own: of the elements in order, or by where each is in the operand's memory."""
    size, stride = [int(v) for v in node["size"]], [int(v) for v in node["stride"]]
    expected = [math.prod(size[axis + 1 :]) for axis in range(len(size))]
    fits = all(s == e or n == 1 for s, e, n in zip(stride, expected, size, strict=True))
    if fits and not node["storage_offset"] and math.prod(size) == math.prod(node.shape("self")):
        return _reshape(node)
    taken = node.take(_flat(node, "self"), _places(node).reshape(-1), 0)
    return relax.op.reshape(taken, size)


def _strided_scatter(node: Node) -> relax.Expr:
    """The operand with the elements of a view by strides replaced."""
    places, shape = _places(node).reshape(-1), node.shape("self")
    table = np.arange(math.prod(shape))
    table[places] = table.size + np.arange(places.size)
    both = node.emit(relax.op.concat([_flat(node, "self"), _flat(node, "src")], 0))
    return relax.op.reshape(node.take(both, table, 0), shape)


def _flat(node: Node, name: str) -> relax.Expr:
    return node.emit(relax.op.reshape(node.tensor(name), [-1]))


def _places(node: Node) -> np.ndarray:
    """The place among the operand's elements of each of a view by strides. Raises UnsupportedOperatorError
    where it has others of the same memory."""
    known, offset = node.source.args[0].meta["val"], node["storage_offset"]
    first = known.storage_offset()
    held = _memory(known.shape, known.stride()).reshape(-1) + first
    wanted = _memory(node["size"], node["stride"]) + (first if offset is None else int(offset))
    order = np.argsort(held, kind="stable")
    found = order[np.searchsorted(held[order], wanted).clip(max=held.size - 1)]
    if not np.array_equal(held[found], wanted):
        raise node.refusal("the view has elements of its operand's memory that the operand lacks")
    return found


def _memory(shape: Sequence[int], strides: Sequence[int]) -> np.ndarray:
    """Return the distance in memory of each element from the first."""
    return sum(
        (index * int(stride) for index, stride in zip(np.indices(list(shape)), strides, strict=True)),
        start=np.zeros(list(shape), np.int64),
    )


def _transpose(node: Node) -> relax.Expr:
    rank = len(node.shape("self"))
    order = list(range(rank))
    first, second = node.axis(node["dim0"], rank), node.axis(node["dim1"], rank)
    order[first], order[second] = order[second], order[first]
    return relax.op.permute_dims(node.tensor("self"), order)


def _concatenate(node: Node) -> relax.Expr:
    """Concatenate the tensors that are not empty; PyTorch lets empty ones of any rank take part."""
    tensors = [node.cast(tensor, node.dtype) for tensor in node["tensors"]]
    tensors = [tensor for tensor in tensors if 0 not in (shape_of(tensor) or ())]
    return relax.op.concat(tensors, node.axis(node["dim"], len(node.result_shape)))


def _split(node: Node) -> relax.Expr:
    """Split into parts of the sizes that torch.export knows."""
    axis = node.axis(node["dim"], len(node.shape("self")))
    sizes = [node.sizes_of(part)[axis] for part in node.meta]
    return relax.Tuple(movement.split(node, node.tensor("self"), sizes, axis))


def _unbind(node: Node) -> relax.Expr:
    data, axis = node.tensor("self"), node.axis(node["dim"], len(node.shape("self")))
    places = range(node.shape("self")[axis])
    return relax.Tuple([movement.select(node, data, place, axis) for place in places])


def _select(node: Node) -> relax.Expr:
    axis, shape = node.axis(node["dim"], len(node.shape("self"))), node.shape("self")
    return movement.select(node, node.tensor("self"), int(node["index"]) % shape[axis], axis)


def _bounds(node: Node, size: int) -> tuple[int, int, int]:
    """The places that a slice takes, none of them outside."""
    start, end, step = (node[name] for name in ("start", "end", "step"))
    first, last, by = slice(start, end, step).indices(size)
    return first, max(first, last), by


def _slice(node: Node) -> relax.Expr:
    axis = node.axis(node["dim"], len(node.shape("self")))
    size = node.shape("self")[axis]
    given = [node[name] for name in ("start", "end", "step")]
    if is_open([size, *given]):
        return movement.slices(node, node.tensor("self"), [axis], *([each] for each in given))
    first, last, step = _bounds(node, size)
    if (first, last, step) == (0, size, 1):
        return node.tensor("self")
    return relax.op.strided_slice(node.tensor("self"), [axis], [first], [last], [step])


def _slice_scatter(node: Node) -> relax.Expr:
    """The data with a part of it replaced: joined of three parts, or a gather where the part has steps."""
    axis = node.axis(node["dim"], len(node.shape("self")))
    data, source, size = node.tensor("self"), node.tensor("src"), node.shape("self")[axis]
    first, last, step = _bounds(node, size)
    if step != 1:
        table = np.arange(size) + len(range(first, last, step))
        table[first:last:step] = np.arange(len(range(first, last, step)))
        rows = node.emit(relax.op.concat([source, data], axis))
        return node.take(rows, table, axis)
    return _joined(node, data, source, axis, first, last)


def _select_scatter(node: Node) -> relax.Expr:
    axis = node.axis(node["dim"], len(node.shape("self")))
    place = int(node["index"]) % node.shape("self")[axis]
    source = node.emit(relax.op.expand_dims(node.tensor("src"), axis))
    return _joined(node, node.tensor("self"), source, axis, place, place + 1)


def _joined(node: Node, data: relax.Expr, source: relax.Expr, axis: int, first: int, last: int) -> relax.Expr:
    size = node.shape("self")[axis]
    parts = [source]
    if first > 0:
        parts.insert(0, node.emit(relax.op.strided_slice(data, [axis], [0], [first])))
    if last < size:
        parts.append(node.emit(relax.op.strided_slice(data, [axis], [last], [size])))
    return relax.op.concat(parts, axis) if len(parts) > 1 else source


def _flip(node: Node) -> relax.Expr:
    data = node.tensor("self")
    for axis in [node.axis(axis, len(node.shape("self"))) for axis in node["dims"]]:
        data = node.emit(relax.op.flip(data, axis))
    return data


def _roll(node: Node) -> relax.Expr:
    """Each axis is its end, then its beginning; without axes all elements are one row."""
    data, shape = node.tensor("self"), node.shape("self")
    if not node["dims"]:
        data = node.emit(relax.op.reshape(data, [math.prod(shape)]))
    axes = node["dims"] or [0]
    for shift, axis in zip(node["shifts"], axes, strict=True):
        extents = shape_of(data) or ()
        axis = axis % len(extents)
        size = extents[axis]
        cut = -int(shift) % size
        if cut:
            parts = [
                node.emit(relax.op.strided_slice(data, [axis], [low], [high]))
                for low, high in ((cut, size), (0, cut))
            ]
            data = node.emit(relax.op.concat(parts, axis))
    return data if node["dims"] else relax.op.reshape(data, shape)


def _pad(mode: str) -> Converter:
    """Padding of the last axes, given from the last one on."""

    def convert(node: Node) -> relax.Expr:
        given = [int(width) for width in node["pad" if mode == "constant" else "padding"]]
        pairs = [(0, 0)] * (len(node.shape("self")) - len(given) // 2)
        pairs += reversed([*zip(given[::2], given[1::2], strict=True)])
        if mode == "edge" and any(width < 0 for pair in pairs for width in pair):
            data = node.tensor("self")
            for axis, ((low, high), size) in enumerate(zip(pairs, node.shape("self"), strict=True)):
                if low or high:
                    data = node.take(data, np.arange(-low, size + high).clip(0, size - 1), axis)
            return data
        value = float(node["value"] or 0) if mode == "constant" else 0
        value = bool(value) if node.dtype == "bool" else value
        return movement.pad(node, node.tensor("self"), pairs, mode, value)

    return convert


def _channel_shuffle(node: Node) -> relax.Expr:
    batch, channels, *rest = node.shape("self")
    groups = int(node["groups"])
    data = node.emit(relax.op.reshape(node.tensor("self"), [batch, groups, channels // groups, *rest]))
    swapped = relax.op.permute_dims(data, [0, 2, 1, *range(3, 3 + len(rest))])
    return relax.op.reshape(node.emit(swapped), node.result_shape)


def _range(node: Node) -> relax.Expr:
    """A range of open sizes; of numbers it is a constant before."""
    start, end, step = (node[name] for name in ("start", "end", "step"))
    if any(isinstance(each, float) for each in (start, end, step)):
        raise node.refusal(f"a range of fractions, from {start} to {end}, has to be of numbers")
    return node.cast(movement.open_range(start, end, step, "int64"), node.dtype)


RESHAPES = (
    *("view.default", "_unsafe_view.default", "reshape.default", "unsqueeze.default"),
    *("squeeze.default", "squeeze.dim", "squeeze.dims", "flatten.using_ints"),
)
OF_OPEN_NUMBERS = frozenset({"arange.start_step"})
CONVERTERS: dict[str, Converter] = {
    "arange.start_step": _range,
    **dict.fromkeys(RESHAPES, _reshape),
    **dict.fromkeys(("as_strided.default", "as_strided_copy.default"), _strided_view),
    "as_strided_scatter.default": _strided_scatter,
    "permute.default": lambda node: relax.op.permute_dims(
        node.tensor("self"), node.axes(node["dims"], len(node["dims"]))
    ),
    "transpose.int": _transpose,
    "expand.default": lambda node: relax.op.broadcast_to(node.tensor("self"), node.result_shape),
    "cat.default": _concatenate,
    "stack.default": lambda node: movement.stack(
        node, node["tensors"], node.axis(node["dim"], len(node.result_shape))
    ),
    **dict.fromkeys(("split.Tensor", "split_with_sizes.default", "chunk.default"), _split),
    "unbind.int": _unbind,
    "select.int": _select,
    "slice.Tensor": _slice,
    "slice_scatter.default": _slice_scatter,
    "select_scatter.default": _select_scatter,
    "flip.default": _flip,
    "roll.default": _roll,
    "repeat.default": lambda node: movement.tile(node, node.tensor("self"), node["repeats"]),
    "constant_pad_nd.default": _pad("constant"),
    **{f"reflection_pad{rank}d.default": _pad("reflect") for rank in (1, 2)},
    **{f"replication_pad{rank}d.default": _pad("edge") for rank in (1, 2)},
    "pixel_shuffle.default": lambda node: movement.depth_to_space(
        node, node.tensor("self"), int(node["upscale_factor"]), "CRD"
    ),
    "pixel_unshuffle.default": lambda node: movement.space_to_depth(
        node, node.tensor("self"), int(node["downscale_factor"]), "CRD"
    ),
    "channel_shuffle.default": _channel_shuffle,
}
