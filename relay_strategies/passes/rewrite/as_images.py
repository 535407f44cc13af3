"""The base of passes that compute tensors of three or five axes as images of four.

A layer of such a pass makes its result as an image; operators that follow in any layout do so on the image,
and the tensor itself is made only where something else asks for it.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from tvm import relax

from relay_strategies.operators import operator_of
from relay_strategies.operators.layouts import Broadcasting, Moves, Reduces
from relay_strategies.operators.operator import CompositeOperator
from relay_strategies.operators.spatial import SpatialKind
from relay_strategies.relax.arithmetic_calls import CAST, less_zero_point
from relay_strategies.relax.calls import replaced
from relay_strategies.relax.graph import dtype_of, shape_of

from .layout_rewriter import LayoutRewriter, Shape

IMAGE = "image"
"""This is the layout of an image."""
Layer = Callable[[Any, relax.Call, relax.Expr], relax.Expr | None]
"""A function that returns the image of a call's result, given the image of its data, or None if it cannot."""


class ImageRewriter(LayoutRewriter[str]):
    """Holds old variables of ``rank`` axes, channels at axis 1, as images.

    ``layers`` make one for the operators on maps of that rank, whatever their data are, in either of
    ``layouts``: the one with channels at axis 1, and the one with channels last, in which nothing is held.
    """

    rank: ClassVar[int]
    layouts: ClassVar[tuple[str, str]]
    layers: ClassVar[dict[SpatialKind, Layer]]

    @abc.abstractmethod
    def enter(self, data: relax.Expr, shape: Shape) -> relax.Expr:
        """The image of a tensor of that shape."""

    @abc.abstractmethod
    def enter_last(self, data: relax.Expr, shape: Shape) -> relax.Expr:
        """Return the image of a tensor with channels last."""

    @abc.abstractmethod
    def leave_last(self, image: relax.Expr, shape: Shape) -> relax.Expr:
        """Return the tensor with channels last that has the image."""

    @abc.abstractmethod
    def axis(self, axis: int) -> int | None:
        """Return the axis of the image that an axis is; None where it shares one with another."""

    @abc.abstractmethod
    def operands(self, var: relax.Var, value: relax.Call) -> list[relax.Expr] | None:
        """The operands of an operator that broadcasts, as images that broadcast likewise."""

    def broadcast(
        self, value: relax.Call, raised: Callable[[relax.Expr, Shape], relax.Expr]
    ) -> list[relax.Expr] | None:
        """Return operands as images: ``raised`` makes one of what is none, given its shape in full rank."""
        found = []
        for argument in value.args:
            shape = shape_of(argument)
            if shape is None:
                return None
            wide = (1,) * (self.rank - len(shape)) + shape
            found.append(self.image(argument) if self.is_image(argument) else raised(argument, wide))
        return found

    @abc.abstractmethod
    def reduced(self, value: relax.Call, kind: Reduces, axes: list[int]) -> relax.Expr | None:
        """The image of a reduction that keeps its axes."""

    # ---- images

    def is_image(self, expr: relax.Expr) -> bool:
        """Whether an old tensor is held as an image."""
        return self.layout_of(expr) is not None

    def image(self, expr: relax.Expr) -> relax.Expr:
        """The image of an old tensor, made where it is not there."""
        return self.in_layout(expr, IMAGE)

    def convert(self, expr: relax.Expr, layout: str) -> relax.Expr:
        """Cast bytes, and take off their zero point, behind what makes an image of them."""
        cast = self.graph.call(expr, CAST) if dtype_of(expr) == "int32" else None
        cast = less_zero_point(self.graph, expr) if cast is None else cast
        if cast is not None:
            return self.emit(self.on_data(cast, layout))
        return self.enter(self.new(expr), shape_of(expr) or ())

    def axis_in(self, layout: str, axis: int) -> int | None:
        return self.axis(axis)

    def common_layout(self, tensors: Sequence[relax.Expr], shape: Shape) -> str | None:
        return IMAGE if len(shape) == self.rank and any(map(self.is_image, tensors)) else None

    def layout_of_composite(self, entry: CompositeOperator, var: relax.Var, call: relax.Call) -> str | None:
        return IMAGE if any(map(self.is_image, call.args)) else None

    def permuted(self, data: relax.Expr, axes: list[int]) -> relax.Expr:
        """The axes in another order; a reshape where that moves nothing in memory."""
        shape = shape_of(data) or (0,) * len(axes)
        kept = [axis for axis in axes if shape[axis] != 1]
        if kept == sorted(kept):
            return self.reshaped(data, tuple(shape[axis] for axis in axes))
        return self.emit(relax.op.permute_dims(data, axes))

    def ordered(self, data: relax.Expr, source: str, result: str) -> relax.Expr:
        """A tensor whose axes are named by letters, in another order of them."""
        return self.permuted(data, [source.index(letter) for letter in result])

    # ---- the walk

    def follow(self, var: relax.Var, value: relax.Expr) -> bool:
        return (isinstance(value, relax.Call) and self._layer(var, value)) or super().follow(var, value)

    def _layer(self, var: relax.Var, value: relax.Call) -> bool:
        """Make a layer's image, and say whether it was made."""
        spatial = operator_of(value).spatial
        if spatial is None or spatial.dimensions != self.rank - 2 or spatial.kind not in self.layers:
            return False
        make, attrs, shape = self.layers[spatial.kind], value.attrs, shape_of(var)
        layout = str(attrs.data_layout if hasattr(attrs, "data_layout") else attrs.layout)
        if shape is None or shape_of(value.args[0]) is None or str(attrs.out_layout) not in ("", layout):
            return False
        first, last = self.layouts
        if layout == first:
            image = make(self, value, self.image(value.args[0]))
            return image is not None and self.hold(var, IMAGE, image)
        if layout != last:
            return False
        data = self.enter_last(self.new(value.args[0]), shape_of(value.args[0]) or ())
        image = make(self, value, data)
        if image is not None:
            self.bind(var, self.leave_last(self.emit(image, var.name), shape))
        return image is not None

    def on_broadcasting(self, var: relax.Var, value: relax.Call, kind: Broadcasting) -> bool:
        if self.common_layout(value.args, shape_of(var) or ()) is None:
            return False
        operands = self.operands(var, value)
        return operands is not None and self.hold(var, IMAGE, replaced(value, operands))

    def on_moves(self, var: relax.Var, value: relax.Call, kind: Moves) -> bool:
        """Follow an operator along an axis, or one that pads. Operators of maps have names of layouts, and
        are layers or none."""
        data = value.args[0]
        if kind.names or not self.is_image(data):
            return False
        if not isinstance(var.ty, relax.TupleType) and len(shape_of(var) or ()) != self.rank:
            return False
        changes = kind.changes(value.attrs, [self.axis(axis) for axis in range(self.rank)], 4)
        if changes is None:
            return False
        rest = [self.new(argument) for argument in value.args[1:]]
        return self.hold(var, IMAGE, replaced(value, [self.aligned(data, IMAGE), *rest], **changes))

    def on_reduces(self, var: relax.Var, value: relax.Call, kind: Reduces) -> bool:
        data, shape, axes = value.args[0], shape_of(var), kind.axes(value.attrs, self.rank)
        if not self.is_image(data) or shape is None or axes is None:
            return False
        image = self.reduced(value, kind, axes)
        if image is None:
            return False
        if value.attrs.keepdims:
            return self.hold(var, IMAGE, image)
        before = shape_of(data) or ()
        kept = tuple(1 if axis in axes else extent for axis, extent in enumerate(before))
        self.bind(var, self.reshaped(self.to_plain(self.emit(image), IMAGE, kept), shape))
        return True
