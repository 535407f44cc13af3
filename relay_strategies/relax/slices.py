"""Slices of channels: which part of the last axis of which tensor an expression is."""

from __future__ import annotations

from dataclasses import dataclass

from tvm import relax

from tvm_directconv.problem.extents import is_open

from .graph import Graph, shape_of
from .movement_calls import Slice, slice_of


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
    """Return the slice that a tensor of static shape is, of itself unless it is one of another."""
    shape = shape_of(expr)
    if not shape:
        return None
    part = slice_of(graph, expr)
    first = None if part is None else _first_channel(part, shape)
    inner = None if part is None or first is None else channel_slice(graph, part.data)
    if first is None or inner is None:
        return ChannelSlice(expr, 0, shape[-1])
    return ChannelSlice(inner.source, inner.first + first, shape[-1])


def _first_channel(part: Slice, shape: tuple[int, ...]) -> int | None:
    """Return where a slice begins that leaves whole pixels of neighbouring channels; None for any other."""
    before, last = shape_of(part.data), len(shape) - 1
    if before is None or is_open(before[-1:]):
        return None
    places = part.places.get(last, range(before[-1]))
    others = ((before[axis], span) for axis, span in part.places.items() if axis != last)
    whole = all(not is_open([extent]) and span == range(extent) for extent, span in others)
    return places.start if whole and places.step == 1 else None
