"""Expand1d: convolutions and pooling of one dimension as those of maps one pixel high.

(N, C, W) becomes (N, C, 1, W), which moves nothing. From there on they are ordinary layers, and what follows
them is followed; the reshapes between them cancel.
"""

from __future__ import annotations

from functools import partial

from tvm import relax

from relay_strategies.operators.layouts import TO_NCHW, TO_NHWC, Reduces
from relay_strategies.operators.spatial import OF_IMAGES, SpatialKind
from relay_strategies.relax.calls import replaced
from relay_strategies.relax.graph import (
    constant,
    ints,
    make_constant,
    operator_name,
    rewrite_pass,
    shape_of,
)
from relay_strategies.relax.movement_calls import PERMUTE, axes_of

from .as_images import ImageRewriter
from .layout_rewriter import Shape

HEIGHT = 2
"""The axis of the image that the tensor does not have."""


class _Expand1d(ImageRewriter):
    rank = 3
    layouts = "NCW", "NWC"

    def visit(self, var: relax.Var, value: relax.Expr) -> relax.Expr | None:
        if operator_name(value) == PERMUTE and self.is_image(value.args[0]):
            return self._permutes(var, value)
        return super().visit(var, value)

    def enter(self, data: relax.Expr, shape: Shape) -> relax.Expr:
        return self.reshaped(data, _high(shape))

    def to_plain(self, stored: relax.Expr, layout: str, shape: Shape) -> relax.Expr:
        return self.reshaped(stored, shape)

    def enter_last(self, data: relax.Expr, shape: Shape) -> relax.Expr:
        return self.permuted(self.reshaped(data, (shape[0], 1, *shape[1:])), list(TO_NCHW))

    def leave_last(self, image: relax.Expr, shape: Shape) -> relax.Expr:
        return self.reshaped(self.permuted(image, list(TO_NHWC)), shape)

    def axis(self, axis: int) -> int:
        return axis if axis < HEIGHT else axis + 1

    def operands(self, var: relax.Var, value: relax.Call) -> list[relax.Expr] | None:
        return self.broadcast(value, self._expanded)

    def _expanded(self, argument: relax.Expr, wide: Shape) -> relax.Expr:
        array = constant(argument)
        if array is None:
            return self.reshaped(self.new(argument), _high(wide))
        return argument if array.size == 1 else make_constant(array.reshape(_high(wide)))

    def reduced(self, value: relax.Call, kind: Reduces, axes: list[int]) -> relax.Expr | None:
        moved = [self.axis(axis) for axis in axes]
        if moved[-1:] == [3] and not kind.places:
            moved.insert(-1, HEIGHT)
        return replaced(value, [self.image(value.args[0])], axis=kind.attribute(moved), keepdims=True)

    def _permutes(self, var: relax.Var, value: relax.Call) -> relax.Expr:
        """The image's axes permuted, so that ``ToNHWC`` sees what it has to move."""
        moved = [self.axis(axis) for axis in axes_of(value)]
        moved.insert(moved.index(3), HEIGHT)
        return self.reshaped(self.permuted(self.image(value.args[0]), moved), shape_of(var) or ())


Expand1d = rewrite_pass("Expand1d", _Expand1d)
"""Make 2-D layers of 1-D ones; wants ``SplitTransposed`` before it and ``Simplify`` behind it."""


def _high(shape: Shape) -> Shape:
    return (*shape[:HEIGHT], 1, *shape[HEIGHT:])


def _convolution(rewriter: _Expand1d, call: relax.Call, data: relax.Expr) -> relax.Expr:
    attrs = call.attrs
    weight = rewriter.ordered(rewriter.new(call.args[1]), str(attrs.kernel_layout), "OIW")
    left, right = ints(attrs.padding)
    made = relax.op.nn.conv2d(
        data,
        rewriter.reshaped(weight, _high(shape_of(weight) or ())),
        (1, *ints(attrs.strides)),
        (0, left, 0, right),
        (1, *ints(attrs.dilation)),
        int(attrs.groups),
        out_dtype=attrs.out_dtype or None,
    )
    return relax.Call(made.op, made.args, made.attrs, made.ty_args, call.span)


def _pool(rewriter: _Expand1d, call: relax.Call, data: relax.Expr, kind: SpatialKind) -> relax.Expr:
    attrs = call.attrs
    left, right = ints(attrs.padding)
    return OF_IMAGES[kind](
        data,
        (1, *ints(attrs.pool_size)),
        (1, *ints(attrs.strides)),
        (0, left, 0, right),
        (1, *ints(attrs.dilation)),
        bool(attrs.ceil_mode),
        bool(attrs.count_include_pad),
    )


def _adaptive(rewriter: _Expand1d, call: relax.Call, data: relax.Expr) -> relax.Expr | None:
    size = call.attrs.output_size
    return None if size is None else relax.op.nn.adaptive_avg_pool2d(data, (1, *ints(size)))


_Expand1d.layers = {
    SpatialKind.CONVOLUTION: _convolution,
    SpatialKind.MAXIMUM: partial(_pool, kind=SpatialKind.MAXIMUM),
    SpatialKind.AVERAGE: partial(_pool, kind=SpatialKind.AVERAGE),
    SpatialKind.ADAPTIVE_AVERAGE: _adaptive,
}
