"""Operators that move values and compute nothing, and the composites of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from tvm import relax

from relay_strategies.relax.composite import CHANNEL_SHUFFLE, JOIN, QCONCAT, Composite, Emit, make_composite
from relay_strategies.relax.epilogue_steps import steps_of
from relay_strategies.relax.graph import Rewriter, dtype_of, ints, shape_of
from relay_strategies.relax.movement_calls import (
    CONCAT,
    PAD,
    PERMUTE,
    RESHAPE,
    SLICE,
    SPLIT,
    TAKE,
    axes_of,
    concatenation_of,
    strided_slice,
)
from relay_strategies.relax.slices import ChannelSlice
from tvm_directconv.operators import layout as layout_kernels
from tvm_directconv.operators.concat import concat, joined_channels, quantized_concat
from tvm_directconv.problem.extents import is_open
from tvm_directconv.targets.target import CompileTarget

from . import linear
from .bytes import composite_name, quantized_types
from .layouts import TO_NCHW, TO_NHWC, Expands, Joins, Moves, Permutes, Reshapes, Slices, Widths
from .operator import CompositeOperator, Kernel, Operator, Shape, Values
from .orders import merged

# ---- on constants


def _reshaped(call: relax.Call, arrays: Sequence[np.ndarray]) -> np.ndarray:
    return arrays[0].reshape(_static_shape(call))


def _permuted(call: relax.Call, arrays: Sequence[np.ndarray]) -> np.ndarray:
    return np.transpose(arrays[0], axes_of(call))


def _broadcast(call: relax.Call, arrays: Sequence[np.ndarray]) -> np.ndarray:
    return np.broadcast_to(arrays[0], _static_shape(call))


def _concatenated(call: relax.Call, arrays: Sequence[np.ndarray]) -> np.ndarray:
    return np.concatenate(arrays, int(call.attrs.axis))


def _taken(call: relax.Call, arrays: Sequence[np.ndarray]) -> np.ndarray:
    data, places = arrays
    axis = None if call.attrs.axis is None else int(call.attrs.axis)
    if places.size and not 0 <= places.min() <= places.max() < (
        data.size if axis is None else data.shape[axis]
    ):
        raise NotImplementedError("what is outside depends on the mode")
    return np.take(data, places.astype(np.int64), axis)


def _sliced(call: relax.Call, arrays: Sequence[np.ndarray]) -> np.ndarray:
    part = strided_slice(call)
    if part is None:
        raise NotImplementedError("a slice whose places are computed")
    return arrays[0][part.index]


def _static_shape(call: relax.Call) -> Shape:
    shape = shape_of(call)
    assert shape is not None
    return shape


# ---- simplification


def _one_reshape(rewriter: Rewriter, call: relax.Call) -> relax.Expr | None:
    """Every change of shape is a reshape; one of another is one, and one to the same shape none."""
    data, shape = call.args[0], shape_of(call)
    if shape is None:
        return None
    if shape == shape_of(data):
        return data
    before = rewriter.produced(data, RESHAPE)
    if before is not None:
        return _reshape_to(before.args[0], shape)
    shuffled = _found_shuffle(rewriter, data, shape)
    return _reshape_to(data, shape) if shuffled is None else shuffled


def _reshape_to(data: relax.Expr, shape: Shape) -> relax.Expr:
    return data if shape_of(data) == shape else relax.op.reshape(data, shape)


def _found_shuffle(rewriter: Rewriter, data: relax.Expr, shape: Shape) -> relax.Expr | None:
    """A channel shuffle is a reshape to (N, g, C/g, H, W), a swap of axes 1 and 2, and a reshape back."""
    found = rewriter.produced_chain(data, PERMUTE, RESHAPE)
    if found is None:
        return None
    swap, split = found
    if axes_of(swap) != (0, 2, 1, 3, 4):
        return None
    parts = shape_of(swap.args[0])
    if shape_of(split.args[0]) != shape or parts is None or (parts[0], *parts[3:]) != (shape[0], *shape[2:]):
        return None
    return channel_shuffle(rewriter, split.args[0], parts[1], axis=1)


def _no_broadcast(rewriter: Rewriter, call: relax.Call) -> relax.Expr | None:
    return call.args[0] if shape_of(call.args[0]) == shape_of(call) else None


def _no_slice(rewriter: Rewriter, call: relax.Call) -> relax.Expr | None:
    """Drop a slice of all there is, as GhostNet has behind its concatenations; in reverse it is one."""
    part, extents = strided_slice(call), shape_of(call.args[0]) or ()
    whole = part is not None and all(
        not is_open([extents[axis]]) and places == range(extents[axis])
        for axis, places in part.places.items()
    )
    return call.args[0] if whole else None


def _one_permutation(rewriter: Rewriter, call: relax.Call) -> relax.Expr | None:
    data, axes = call.args[0], axes_of(call)
    before = rewriter.produced(data, PERMUTE)
    if before is not None:
        data, first = before.args[0], axes_of(before)
        axes = tuple(first[axis] for axis in axes)
    if axes == tuple(range(len(axes))):
        return data
    return relax.op.permute_dims(data, axes) if before is not None else None


# ---- kernels


def _concat(call: relax.Call, shape: Shape, target: CompileTarget) -> Kernel | None:
    joined = concatenation_of(call)
    if joined is None or joined.shapes is None:
        return None
    function = concat(joined.shapes, joined.axis, target, dtype=dtype_of(joined.tensors[0]))
    return Kernel("concat", function, joined.tensors)


def _permute_dims(call: relax.Call, shape: Shape, target: CompileTarget) -> Kernel | None:
    """Transpose matrices, one behind the other. A permutation that leaves the last axis where it is copies
    rows, which the default kernel does as well."""
    data, dtype = shape_of(call.args[0]), dtype_of(call.args[0])
    if data is None:
        return None
    axes = axes_of(call)
    extents, moved = merged(data, axes)
    if moved not in ((1, 0), (0, 2, 1)):
        return None
    name = "nchw_to_nhwc" if axes == TO_NHWC else "nhwc_to_nchw" if axes == TO_NCHW else "transpose"
    batch, rows, columns = (1, *extents)[-3:]
    function = layout_kernels.transpose(data, shape, (batch, rows, columns), target, dtype, name)
    return Kernel(name, function, call.args)


def _join(found: Composite, shape: Shape, target: CompileTarget) -> Kernel | None:
    shapes = [shape_of(argument) or () for argument in found.arguments]
    firsts, channels = (ints(found.attributes[name]) for name in ("firsts", "channels"))
    interleaved, dtype = bool(found.attributes["interleaved"]), dtype_of(found.arguments[0])
    function = joined_channels(shapes, firsts, channels, target, interleaved=interleaved, dtype=dtype)
    return Kernel("interleave_channels" if interleaved else "concat", function, found.arguments)


def _quantized_concat(found: Composite, shape: Shape, target: CompileTarget) -> Kernel | None:
    shapes = [shape_of(argument) or () for argument in found.arguments]
    axis, types = int(found.attributes["axis"]), quantized_types(found)
    function = quantized_concat(shapes, axis, *types, target, steps=steps_of(found.attributes))
    return Kernel(composite_name(found), function, found.arguments)


def _channel_shuffle(found: Composite, shape: Shape, target: CompileTarget) -> Kernel | None:
    if int(found.attributes["axis"]) != 3:
        return None
    groups, dtype = int(found.attributes["groups"]), dtype_of(found.arguments[0])
    function = layout_kernels.channel_shuffle(shape, groups, target, dtype=dtype)
    return Kernel("channel_shuffle", function, found.arguments)


# ---- the composites


def joined_slices(rewriter: Rewriter, slices: Sequence[ChannelSlice], interleaved: bool) -> relax.Call:
    """Slices of the channels of tensors of the new function joined; with ``interleaved``, the first channels
    of all before the second ones."""
    firsts, channels = [part.first for part in slices], [part.channels for part in slices]

    def body(emit: Emit, params: Sequence[relax.Var]) -> relax.Expr:
        parts = [
            emit(relax.op.strided_slice(x, [-1], [first], [first + count], [1]))
            for x, first, count in zip(params, firsts, channels, strict=True)
        ]
        joined = emit(relax.op.concat(parts, -1))
        return _shuffled(emit, joined, len(parts), len(shape_of(joined) or ()) - 1) if interleaved else joined

    attributes = {"firsts": firsts, "channels": channels, "interleaved": interleaved}
    return make_composite(rewriter, JOIN, [part.source for part in slices], body, attributes)


def _shuffled(emit: Emit, x: relax.Expr, groups: int, axis: int) -> relax.Expr:
    shape = shape_of(x)
    assert shape is not None
    split = [*shape[:axis], groups, shape[axis] // groups, *shape[axis + 1 :]]
    axes = list(range(len(split)))
    axes[axis], axes[axis + 1] = axes[axis + 1], axes[axis]
    swapped = emit(relax.op.permute_dims(emit(relax.op.reshape(x, split)), axes))
    return relax.op.reshape(swapped, shape)


def channel_shuffle(rewriter: Rewriter, data: relax.Expr, groups: int, axis: int) -> relax.Call:
    """Channels seen as (groups, C / groups) and transposed; they are at ``axis`` (1 or 3) of a 4-D tensor."""

    def body(emit: Emit, params: Sequence[relax.Var]) -> relax.Expr:
        return _shuffled(emit, params[0], groups, axis)

    return make_composite(rewriter, CHANNEL_SHUFFLE, [data], body, {"groups": groups, "axis": axis})


def _shuffle_again(
    rewriter: Rewriter, data: Sequence[relax.Expr], attributes: Mapping[str, Any], axis: int
) -> relax.Call:
    return channel_shuffle(rewriter, data[0], int(attributes["groups"]), axis)


def _reshape(name: str, **more: Any) -> Operator:
    """The entry of an operator that changes a shape."""
    return Operator(
        f"relax.{name}",
        **({"evaluate": _reshaped} | more),
        layout=Reshapes(),
        values=Values.REARRANGED,
        simplify=_one_reshape,
    )


OPERATORS = (
    _reshape("reshape", linear=linear.reshape),
    _reshape("expand_dims"),
    _reshape("squeeze"),
    _reshape("flatten"),
    _reshape("nn.batch_flatten"),
    Operator(
        PERMUTE,
        evaluate=_permuted,
        layout=Permutes(),
        values=Values.REARRANGED,
        simplify=_one_permutation,
        kernel=_permute_dims,
        linear=linear.permute,
    ),
    Operator("relax.broadcast_to", evaluate=_broadcast, layout=Expands(), simplify=_no_broadcast),
    Operator(
        CONCAT,
        evaluate=_concatenated,
        layout=Joins(),
        values=Values.JOINED,
        kernel=_concat,
        linear=linear.concat,
    ),
    Operator(SPLIT, layout=Moves(axis="axis"), values=Values.SELECTED),
    Operator(
        SLICE,
        evaluate=_sliced,
        layout=Slices(),
        values=Values.SELECTED,
        simplify=_no_slice,
        linear=linear.part,
    ),
    Operator(TAKE, evaluate=_taken, layout=Moves(axis="axis"), values=Values.SELECTED, linear=linear.part),
    Operator("relax.flip", layout=Moves(axis="axis")),
    Operator("relax.repeat", layout=Moves(axis="axis")),
    Operator("relax.tile", layout=Moves(widths=Widths("repeats", each=1, neutral=1))),
    Operator(PAD, layout=Moves(widths=Widths("pad_width", each=2, neutral=0)), linear=linear.pad),
)
COMPOSITES = (
    CompositeOperator(
        CHANNEL_SHUFFLE, kernel=_channel_shuffle, rebuild=_shuffle_again, values=Values.REARRANGED
    ),
    CompositeOperator(JOIN, kernel=_join),
    CompositeOperator(QCONCAT, kernel=_quantized_concat),
)
