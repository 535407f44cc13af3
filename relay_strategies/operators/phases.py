"""The composites of transposed and 3-D convolutions: phases interleaved, and frames side by side.

Both are made by graph passes alone. Their tensors have the channels at axis 1 or last; where they are last, a
video may be one image per frame.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from tvm import relax

from relay_strategies.relax.composite import FRAMES, INTERLEAVE, Composite, Emit, make_composite
from relay_strategies.relax.graph import Rewriter, dtype_of, make_constant, shape_of
from relay_strategies.relax.movement_calls import slice_call
from tvm_directconv.operators import frames as frames_kernels
from tvm_directconv.operators.frames import Stack
from tvm_directconv.operators.interleave import Interleaving
from tvm_directconv.operators.interleave import interleave as interleave_kernel
from tvm_directconv.targets.target import CompileTarget

from .attributes import attributes_of, from_attributes
from .operator import CompositeOperator, Kernel, Operator, Shape, Values


def interleaved(
    rewriter: Rewriter, tensors: Sequence[relax.Expr], what: Interleaving, axis: int, like: relax.Expr
) -> relax.Call:
    """The tensors' phases put together; their channels are at ``axis``, 1 or the last one."""

    attributes = attributes_of(what)

    def body(emit: Emit, params: Sequence[relax.Var]) -> relax.Expr:
        what = from_attributes(Interleaving, attributes)  # in the function's own sizes
        rank = len(shape_of(params[0]) or ())
        last = [i for i in range(rank) if i != axis] + [axis]
        each = what.channels // what.groups
        parts = []
        for held, param in zip(what.phases(_channels(params, axis)), params, strict=True):
            moved = emit(relax.op.permute_dims(param, last))
            shape = (what.batch, *what.positions, what.groups, len(held), each)
            parts.append(emit(relax.op.reshape(moved, shape)))
        joined = emit(relax.op.concat(parts, 5))
        places = make_constant(np.argsort(what.order).astype(np.int64))
        ordered = emit(relax.op.take(joined, places, axis=5, mode="clip"))
        split = (what.batch, *what.positions, what.groups, *what.strides, each)
        mixed = emit(
            relax.op.permute_dims(emit(relax.op.reshape(ordered, split)), [0, 1, 5, 2, 6, 3, 7, 4, 8])
        )
        extents = [count * stride for count, stride in zip(what.positions, what.strides, strict=True)]
        whole = emit(relax.op.reshape(mixed, (what.batch, *extents, what.channels)))
        cut = emit(slice_call(whole, [1, 2, 3], [0, 0, 0], list(what.size)))
        shaped = emit(relax.op.reshape(cut, _result_shape(what, rank)))
        return relax.op.permute_dims(shaped, [*np.argsort(last).tolist()])

    return make_composite(rewriter, INTERLEAVE, tensors, body, attributes | {"axis": axis}, like=like)


def _channels(tensors: Sequence[relax.Expr], axis: int) -> list[int]:
    return [(shape_of(tensor) or ())[axis] for tensor in tensors]


def _result_shape(what: Interleaving, rank: int) -> tuple[int, ...]:
    """The result's shape with channels last, for tensors of that rank."""
    spatial = what.size[-(rank - 2) :]
    folded = what.batch * math.prod(what.size) // math.prod(spatial)
    return (folded, *spatial, what.channels)


def _interleave_again(
    rewriter: Rewriter, data: Sequence[relax.Expr], attributes: Mapping[str, Any], axis: int
) -> relax.Call:
    return interleaved(rewriter, data, from_attributes(Interleaving, attributes), axis, data[0])


def _interleave(found: Composite, shape: Shape, target: CompileTarget) -> Kernel | None:
    if int(found.attributes["axis"]) != len(shape) - 1:
        return None
    shapes = [shape_of(argument) or () for argument in found.arguments]
    what, dtype = from_attributes(Interleaving, found.attributes), dtype_of(found.arguments[0])
    return Kernel("interleave", interleave_kernel(what, shapes, shape, target, dtype=dtype), found.arguments)


def stacked_frames(rewriter: Rewriter, data: relax.Expr, what: Stack) -> relax.Call:
    """``data`` (N x depth, H, W, C) as ``what`` has it: (N x count, H, W, taps x C)."""

    def body(emit: Emit, params: Sequence[relax.Var]) -> relax.Expr:
        (x,) = params
        _, height, width, channels = shape_of(x) or ()
        each = channels // what.groups
        reach = (what.count - 1) * what.stride + 1
        before = max(0, -min(what.taps))
        after = max(0, max(what.taps) + reach - what.depth)
        pixels = (what.batch, what.depth, height * width, what.groups, 1, each)
        padding = [0, 0, before, after, *[0] * 8]
        whole = emit(relax.op.nn.pad(emit(relax.op.reshape(x, pixels)), padding, pad_value=float(what.fill)))
        parts = []
        for tap in what.taps:
            first = tap + before
            parts.append(emit(slice_call(whole, [1], [first], [first + reach], [what.stride])))
        joined = emit(relax.op.concat(parts, 4))
        return relax.op.reshape(joined, (what.batch * what.count, height, width, len(what.taps) * channels))

    return make_composite(rewriter, FRAMES, [data], body, attributes_of(what))


def _stack_again(
    rewriter: Rewriter, data: Sequence[relax.Expr], attributes: Mapping[str, Any], axis: int
) -> relax.Call:
    return stacked_frames(rewriter, data[0], from_attributes(Stack, attributes))


def _frames(found: Composite, shape: Shape, target: CompileTarget) -> Kernel | None:
    what, data = from_attributes(Stack, found.attributes), found.arguments[0]
    function = frames_kernels.stack_frames(what, shape_of(data) or (), target, dtype=dtype_of(data))
    return Kernel("stack_frames", function, found.arguments)


OPERATORS: tuple[Operator, ...] = ()
COMPOSITES = (
    CompositeOperator(INTERLEAVE, kernel=_interleave, rebuild=_interleave_again, wants_nhwc=True),
    CompositeOperator(FRAMES, kernel=_frames, rebuild=_stack_again, values=Values.REARRANGED),
)
