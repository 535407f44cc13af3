"""Fold3d: convolutions and pooling of three dimensions as those of the frames, each an image of its own.

(N, C, D, H, W) becomes (N x D, H, W, C). A convolution whose kernel is one frame deep is one of those
images; one whose kernel is one pixel wide is one of the image (N, D, H x W, C), which is the same in memory;
any other sees the frames of its taps of depth side by side as channels, or, where every channel is for
itself, adds up one convolution per tap. A window of pooling is one of rows and columns, then one of depth.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from tvm import relax

from relay_strategies.operators.layouts import Reduces
from relay_strategies.operators.phases import stacked_frames
from relay_strategies.operators.spatial import OF_IMAGES, SpatialKind
from relay_strategies.relax.calls import replaced
from relay_strategies.relax.graph import (
    constant,
    ints,
    make_constant,
    rewrite_pass,
    shape_of,
)
from tvm_directconv.operators.frames import Stack

from .as_images import IMAGE, ImageRewriter
from .layout_rewriter import Shape

NHWC = "NHWC"
AXES = {1: 3, 3: 1, 4: 2}
"""Channels, rows and columns are at these axes of the image; batch and depth share one."""
SPATIAL = [2, 3, 4]


class _Fold3d(ImageRewriter):
    """An image is (N x D, H, W, C), or (N, D, H x W, C) if what made it has that; in memory they are one."""

    rank = 5
    layouts = "NCDHW", "NDHWC"

    def enter(self, data: relax.Expr, shape: Shape) -> relax.Expr:
        batch, channels, depth, height, width = shape
        flat = self.reshaped(data, (batch, channels, depth, height * width))
        return self.reshaped(self.permuted(flat, [0, 2, 3, 1]), frames(shape))

    def to_plain(self, stored: relax.Expr, layout: str, shape: Shape) -> relax.Expr:
        return self.reshaped(self.permuted(self.reshaped(stored, by_depth(shape)), [0, 3, 1, 2]), shape)

    def enter_last(self, data: relax.Expr, shape: Shape) -> relax.Expr:
        batch, depth, *rest = shape
        return self.reshaped(data, (batch * depth, *rest))

    def leave_last(self, image: relax.Expr, shape: Shape) -> relax.Expr:
        return self.reshaped(image, shape)

    def aligned(self, expr: relax.Expr, layout: str) -> relax.Expr:
        return self.reshaped(self.image(expr), frames(shape_of(expr) or ()))

    def axis(self, axis: int) -> int | None:
        return AXES.get(axis)

    def operands(self, var: relax.Var, value: relax.Call) -> list[relax.Expr] | None:
        """Return operands in the view of the one made last, whose kernel may yet take the operation in."""
        shape = shape_of(var)
        made = [argument for argument in self._held if argument in value.args and shape_of(argument) == shape]
        shapes = [shape_of(argument) for argument in value.args]
        if shape is None or not made or any(each is None for each in shapes):
            return None
        full = [(1,) * (5 - len(each or ())) + (each or ()) for each in shapes]
        simple = all(wide == shape or wide in ((1,) * 5, (1, shape[1], 1, 1, 1)) for wide in full)
        view = shape_of(self.image(made[-1])) if simple else by_depth(shape)
        found = []
        for argument, wide in zip(value.args, full, strict=True):
            operand = self._operand(argument, wide, shape, view or ())
            if operand is None:
                return None
            found.append(operand)
        return found

    def _operand(self, argument: relax.Expr, wide: Shape, shape: Shape, view: Shape) -> relax.Expr | None:
        array = constant(argument)
        if array is not None and array.size == 1:
            return argument
        if wide[3:] not in ((1, 1), shape[3:]):
            return None  # rows or columns alone
        target = view if wide == shape else by_depth(wide)
        if array is not None:
            return make_constant(array.reshape(wide).transpose(0, 2, 3, 4, 1).reshape(target))
        if self.is_image(argument):
            return self.reshaped(self.image(argument), target)
        return self.reshaped(self.enter(self.reshaped(self.new(argument), wide), wide), target)

    def reduced(self, value: relax.Call, kind: Reduces, axes: list[int]) -> relax.Expr | None:
        data, shape = self.aligned(value.args[0], IMAGE), shape_of(value.args[0]) or ()
        if axes == SPATIAL and kind.in_turn:
            pixels = self.emit(replaced(value, [data], axis=[1, 2], keepdims=True))
            depths = self.reshaped(pixels, (shape[0], shape[2], 1, shape[1]))
            return replaced(value, [depths], axis=[1, 2], keepdims=True)
        moved = [AXES[axis] for axis in axes if axis in AXES]
        if len(moved) < len(axes):
            return None
        return replaced(value, [data], axis=kind.attribute(moved), keepdims=True)


Fold3d = rewrite_pass("Fold3d", _Fold3d)
"""Make 2-D layers of 3-D ones; wants ``SplitTransposed`` before it and ``Simplify`` behind it."""


def frames(shape: Shape) -> Shape:
    """(N x D, H, W, C) of (N, C, D, H, W)."""
    batch, channels, depth, height, width = shape
    return batch * depth, height, width, channels


def by_depth(shape: Shape) -> Shape:
    """(N, D, H x W, C) of (N, C, D, H, W)."""
    batch, channels, depth, height, width = shape
    return batch, depth, height * width, channels


def _extents(rewriter: _Fold3d, call: relax.Call) -> tuple[Shape, Shape]:
    """The shapes of a layer's data and result, as (N, C, D, H, W)."""
    layout = str(call.attrs.data_layout if hasattr(call.attrs, "data_layout") else call.attrs.layout)
    shapes = []
    for expr in (call.args[0], call):
        by_letter = dict(zip(layout, shape_of(expr) or (), strict=True))
        shapes.append(tuple(by_letter[letter] for letter in rewriter.layouts[0]))
    return shapes[0], shapes[1]


def _convolution(rewriter: _Fold3d, call: relax.Call, data: relax.Expr) -> relax.Expr:
    attrs, (before, after) = call.attrs, _extents(rewriter, call)
    weight = rewriter.ordered(rewriter.new(call.args[1]), str(attrs.kernel_layout), "OIDHW")
    outputs, inputs, *kernel = shape_of(weight) or ()
    groups, padding = int(attrs.groups), ints(attrs.padding)
    strides, dilation = ints(attrs.strides), ints(attrs.dilation)

    def made(source: relax.Expr, filters: relax.Expr, axes: list[int]) -> relax.Call:
        """A convolution of images whose rows and columns are these axes of the video."""
        pads = [padding[axis + 3 * end] for end in (0, 1) for axis in axes]
        result = relax.op.nn.conv2d(
            source,
            filters,
            [strides[axis] for axis in axes],
            pads,
            [dilation[axis] for axis in axes],
            groups,
            NHWC,
            "OIHW",
            NHWC,
            attrs.out_dtype or None,
        )
        return relax.Call(result.op, result.args, result.attrs, result.ty_args, call.span)

    flat = (outputs, inputs, kernel[0], kernel[1])
    if kernel[1:] == [1, 1] and strides[1:] == (1, 1) and not any((*padding[1:3], *padding[4:])):
        seen = rewriter.reshaped(data, by_depth(before))
        return made(seen, rewriter.reshaped(weight, (*flat[:3], 1)), [0, 2])
    taps = [tap * dilation[0] - padding[0] for tap in range(kernel[0])]
    source = rewriter.reshaped(data, frames(before))
    if groups > 1 and inputs == 1:
        total = None
        for place, tap in enumerate(taps):
            one = rewriter.emit(relax.op.take(weight, make_constant(np.array([place])), axis=2, mode="clip"))
            filters = rewriter.reshaped(one, (outputs, inputs, *kernel[1:]))
            term = rewriter.emit(
                made(_stacked(rewriter, source, before, after, strides[0], [tap], 1), filters, [1, 2])
            )
            total = term if total is None else rewriter.emit(relax.op.add(total, term))
        assert total is not None
        return total
    moved = rewriter.permuted(weight, [0, 2, 1, 3, 4]) if kernel[0] > 1 else weight
    filters = rewriter.reshaped(moved, (outputs, kernel[0] * inputs, *kernel[1:]))
    return made(_stacked(rewriter, source, before, after, strides[0], taps, groups), filters, [1, 2])


def _stacked(
    rewriter: _Fold3d,
    data: relax.Expr,
    before: Shape,
    after: Shape,
    stride: int,
    taps: list[int],
    groups: int,
) -> relax.Expr:
    what = Stack(before[0], before[2], after[2], stride, tuple(taps), groups)
    return data if what.is_whole else rewriter.emit(stacked_frames(rewriter, data, what))


def _pool(rewriter: _Fold3d, call: relax.Call, data: relax.Expr, kind: SpatialKind) -> relax.Expr:
    """Rows and columns first: their result is smaller."""
    attrs, (before, after) = call.attrs, _extents(rewriter, call)
    size, strides, dilation = ints(attrs.pool_size), ints(attrs.strides), ints(attrs.dilation)
    padding = ints(attrs.padding)
    rest = bool(attrs.ceil_mode), bool(attrs.count_include_pad), NHWC, NHWC

    def pooled(source: relax.Expr, rows: int, columns: int | None) -> relax.Expr:
        across = (1, 1, 0, 0, 1) if columns is None else _along(columns)
        along = _along(rows)
        pads = (along[2], across[2], along[3], across[3])
        extent, step, apart = ((along[i], across[i]) for i in (0, 1, 4))
        return rewriter.emit(OF_IMAGES[kind](source, extent, step, pads, apart, *rest))

    def _along(axis: int) -> tuple[int, ...]:
        return size[axis], strides[axis], padding[axis], padding[axis + 3], dilation[axis]

    result = rewriter.reshaped(data, frames(before))
    if any(_along(axis) != (1, 1, 0, 0, 1) for axis in (1, 2)):
        result = pooled(result, 1, 2)
    if _along(0)[:4] != (1, 1, 0, 0):
        between = (*before[:3], *after[3:])
        result = pooled(rewriter.reshaped(result, by_depth(between)), 0, None)
    return result


def _adaptive(rewriter: _Fold3d, call: relax.Call, data: relax.Expr) -> relax.Expr | None:
    size = None if call.attrs.output_size is None else ints(call.attrs.output_size)
    before, _ = _extents(rewriter, call)
    if size is None or size[0] not in (1, before[2]):
        return None
    pixels = rewriter.reshaped(data, frames(before))
    result = rewriter.emit(relax.op.nn.adaptive_avg_pool2d(pixels, size[1:], NHWC, NHWC))
    if size[0] == before[2]:
        return result
    depths = rewriter.reshaped(result, by_depth((*before[:3], *size[1:])))
    return relax.op.mean(depths, [1], keepdims=True)


_Fold3d.layers = {
    SpatialKind.CONVOLUTION: _convolution,
    SpatialKind.MAXIMUM: partial(_pool, kind=SpatialKind.MAXIMUM),
    SpatialKind.AVERAGE: partial(_pool, kind=SpatialKind.AVERAGE),
    SpatialKind.ADAPTIVE_AVERAGE: _adaptive,
}
