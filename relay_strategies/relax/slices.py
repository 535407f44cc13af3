"""Slices of channels: which part of the last axis of which tensor an expression is."""

from __future__ import annotations

from dataclasses import dataclass

from tvm import relax

from .graph import Graph, ints, shape_of


@dataclass(frozen=True)
class ChannelSlice:
    """``channels`` of the last axis of ``source``, from ``first`` on."""

    source: relax.Expr
    first: int
    channels: int

    @property
    def is_whole(self) -> bool:
        return (shape_of(self.source) or ())[-1:] == (self.channels,)

    def then(self, other: ChannelSlice) -> ChannelSlice | None:
        """The slice of these channels and those of the other behind them; None where they do not adjoin."""
        if self.source != other.source or self.first + self.channels != other.first:
            return None
        return ChannelSlice(self.source, self.first, self.channels + other.channels)


def channel_slice(graph: Graph, expr: relax.Expr) -> ChannelSlice | None:
    """The slice that a tensor of static shape is, of itself where it is none of another."""
    shape, found = shape_of(expr), None
    if not shape:
        return None
    value = graph.resolve(expr)
    cut = graph.call(expr, "relax.strided_slice")
    if cut is not None:
        found = _cut(cut, shape)
    elif isinstance(value, relax.TupleGetItem):
        split = graph.call(value.tuple_value, "relax.split")
        found = None if split is None else _part(split, value.index, shape)
    inner = None if found is None else channel_slice(graph, found.source)
    if found is None or inner is None:
        return ChannelSlice(expr, 0, shape[-1])
    return ChannelSlice(inner.source, inner.first + found.first, found.channels)


def _cut(call: relax.Call, shape: tuple[int, ...]) -> ChannelSlice | None:
    """What ``strided_slice`` leaves, where it leaves whole pixels of neighbouring channels."""
    before = shape_of(call.args[0])
    if before is None or before[:-1] != shape[:-1] or not isinstance(call.args[1], relax.Tuple):
        return None
    axes, begins, _, *strides = (ints(field.value for field in part.fields) for part in call.args[1:])
    rank = len(shape)
    steps = strides[0] if strides else [1] * len(axes)
    starts = {axis % rank: (begin, step) for axis, begin, step in zip(axes, begins, steps, strict=True)}
    first, step = starts.pop(rank - 1, (0, 1))
    if step != 1 or any(step < 0 for _, step in starts.values()):
        return None
    first += before[-1] if first < 0 else 0
    return ChannelSlice(call.args[0], max(0, first), shape[-1])


def _part(call: relax.Call, index: int, shape: tuple[int, ...]) -> ChannelSlice | None:
    """One of the tensors that ``split`` makes, where it splits the channels."""
    before, places = shape_of(call.args[0]), call.attrs.indices_or_sections
    if before is None or int(call.attrs.axis) % len(shape) != len(shape) - 1:
        return None
    try:
        first = ([0, *ints(places)])[index]
    except TypeError:  # into so many
        first = index * -(-before[-1] // int(places))  # the last may have fewer
    return ChannelSlice(call.args[0], first, shape[-1])
