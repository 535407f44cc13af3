"""Readers of the operators that move elements: slices, splits, concatenations, permutations and takes.

Each operator is decoded here and nowhere else, into what it does to tensors of static shape: axes are counted
from the front, and places are numbers inside the tensor. A reader returns None for any other expression, and
for a call whose places are computed when the network runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import tvm
from tvm import relax, tirx

from tvm_directconv.problem.extents import given_to_tvm, is_open

from .graph import Graph, constant, operator_name, shape_of

CONCAT, SPLIT, SLICE, TAKE = "relax.concat", "relax.split", "relax.strided_slice", "relax.take"
PERMUTE, PAD = "relax.permute_dims", "relax.nn.pad"
RESHAPE = "relax.reshape"
"""A reshape moves nothing and gets no kernel: it stays until a network is compiled, and is then the same
memory."""
RESHAPES = (RESHAPE, "relax.expand_dims", "relax.squeeze", "relax.flatten")

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Slice:
    """A part of ``data``: by axis, the places that are taken of it; other axes are whole."""

    data: relax.Expr
    places: Mapping[int, range]

    @property
    def index(self) -> tuple[slice, ...]:
        """The index that selects the part of a numpy array."""
        rank = max(self.places, default=-1) + 1
        spans = [self.places.get(axis) for axis in range(rank)]
        # A range in reverse may end before the first element, which numpy writes as no end at all.
        return tuple(
            slice(None) if s is None else slice(s.start, s.stop if s.stop >= 0 else None, s.step)
            for s in spans
        )


@dataclass(frozen=True)
class Concatenation:
    """Tensors that are joined along ``axis``."""

    tensors: Sequence[relax.Expr]
    axis: int

    @property
    def shapes(self) -> list[Shape] | None:
        """The tensors' static shapes; None unless all have one."""
        found = [shape for shape in map(shape_of, self.tensors) if shape is not None]
        return found if len(found) == len(self.tensors) else None


def slice_of(graph: Graph, expr: relax.Expr) -> Slice | None:
    """Read a strided slice, or one of the tensors that a split makes."""
    value = graph.resolve(expr)
    if isinstance(value, relax.TupleGetItem):
        split = graph.call(value.tuple_value, SPLIT)
        return None if split is None else _part(split, int(value.index))
    return strided_slice(value)


def strided_slice(call: relax.Expr) -> Slice | None:
    """Read a strided slice."""
    axes = sliced_axes(call)
    before, after = (None, None) if axes is None else (shape_of(call.args[0]), shape_of(call))
    if axes is None or before is None or after is None:
        return None
    begins, ends, *rest = map(_numbers, call.args[2:])
    steps = rest[0] if rest else [1] * len(axes)
    if begins is None or ends is None or steps is None or 0 in steps:
        return None
    places: dict[int, range] = {}
    for axis, begin, end, step in zip(axes, begins, ends, steps, strict=True):
        # Of an open axis a part of known places is one that does not go from its end.
        if is_open([before[axis]]):
            places[axis] = range(begin, end, step) if min(begin, end, step) >= 0 else range(0)
        else:
            places[axis] = range(*slice(begin, end, step).indices(before[axis]))
    # TVM says itself how far a slice reaches: one that it reads in another way is not known.
    known = all(len(span) == after[axis] for axis, span in places.items())
    return Slice(call.args[0], places) if known else None


def slice_call(
    data: relax.Expr,
    axes: Sequence[int],
    begins: Sequence[int],
    ends: Sequence[int],
    steps: Sequence[int] | None = None,
) -> relax.Call:
    """Return the part of ``data`` between places inside of it, which may be open."""
    bounds = [list(map(given_to_tvm, each)) for each in (begins, ends)]
    shape = shape_of(data) or ()
    # What is open is not compared again with the axis.
    inbound = is_open([*begins, *ends, *(shape[axis] for axis in axes if shape)])
    return relax.op.strided_slice(data, list(axes), *bounds, steps and list(steps), inbound)


def sliced_axes(call: relax.Expr) -> list[int] | None:
    """Read the axes of a strided slice, whose places may be computed."""
    axes = _numbers(call.args[1]) if operator_name(call) == SLICE else None
    return None if axes is None else [axis % call.args[0].ty.ndim for axis in axes]


def _numbers(expr: relax.Expr) -> list[int] | None:
    fields = list(expr.fields) if isinstance(expr, relax.Tuple) else []
    known = [int(field.value) for field in fields if isinstance(field, tirx.IntImm)]
    return known if isinstance(expr, relax.Tuple) and len(known) == len(fields) else None


def _part(split: relax.Call, index: int) -> Slice | None:
    shapes = [static_shape(field) for field in split.ty.fields]
    axis = int(split.attrs.axis) % split.args[0].ty.ndim
    extents = [shape[axis] for shape in shapes if shape is not None]
    begin = sum(extents[:index])
    known = len(extents) == len(shapes)
    return Slice(split.args[0], {axis: range(begin, begin + extents[index])}) if known else None


def take_of(call: relax.Expr) -> tuple[int, list[int]] | None:
    """Read a take of constant places along an axis, which it loses where the constant is a number."""
    shape = shape_of(call.args[0]) if operator_name(call) == TAKE else None
    taken = None if shape is None else constant(call.args[1])
    if shape is None or taken is None or call.attrs.axis is None:
        return None
    axis = int(call.attrs.axis) % len(shape)
    places = [int(place) + (shape[axis] if place < 0 else 0) for place in taken.reshape(-1)]
    return (axis, places) if all(0 <= place < shape[axis] for place in places) else None


def concatenation_of(call: relax.Expr) -> Concatenation | None:
    """Read a concatenation; vectors may be joined without naming their axis."""
    if operator_name(call) != CONCAT or not isinstance(call.args[0], relax.Tuple):
        return None
    tensors, axis = list(call.args[0].fields), call.attrs.axis
    rank = tensors[0].ty.ndim
    if rank < 1:
        return None  # -1 where the rank is not known
    return Concatenation(tensors, 0 if axis is None else int(axis) % rank)


def pad_value(pad: relax.Call) -> float | None:
    """Return what ``relax.nn.pad`` fills with; None where it repeats its data."""
    return float(pad.attrs.pad_value) if str(pad.attrs.pad_mode) == "constant" else None


def axes_of(call: relax.Call) -> Shape:
    """Read the axes of a permutation, which are all in reverse where it names none."""
    axes = call.attrs.axes
    if axes is None:
        return tuple(range(call.args[0].ty.ndim))[::-1]
    return tuple(int(axis) % len(axes) for axis in axes)


def static_shape(ty: tvm.ir.Type) -> Shape | None:
    """Return the shape that a tensor's type names; None unless all extents are numbers."""
    extents = ty.shape.values[:] if isinstance(ty.shape, relax.ShapeExpr) else [None]
    known = tuple(int(extent) for extent in extents if isinstance(extent, tirx.IntImm))
    return known if len(known) == len(extents) else None
