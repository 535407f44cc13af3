"""Tensors in other orders of their axes: what ``ToNHWC`` holds of a function's variables."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tvm import relax

from relay_strategies.operators import layouts, operator_of, orders
from relay_strategies.operators.layouts import TO_NHWC
from relay_strategies.operators.orders import Order, Shape
from relay_strategies.passes.rewrite.layout_rewriter import LayoutRewriter
from relay_strategies.relax.arithmetic_calls import CAST, less_zero_point
from relay_strategies.relax.graph import constant, make_constant, shape_of
from relay_strategies.relax.movement_calls import PERMUTE, RESHAPE, axes_of
from relay_strategies.relax.quantize_calls import DEQUANTIZE, QUANTIZE, channel_axis
from tvm_directconv.problem.extents import typical


class AxisOrderRewriter(LayoutRewriter[Order]):
    """Holds variables in other orders of their axes than the plain one."""

    def orders_of(self, expr: relax.Expr) -> list[Order]:
        """The orders in which an old expression is there, the one it was made in first."""
        known = list(self._held.get(expr, ())) if isinstance(expr, relax.Var) else []
        plain = orders.plain(len(shape_of(expr) or ()))
        return known if known and expr not in self._environment else [*known, plain]

    def is_nhwc(self, expr: relax.Expr) -> bool:
        return self.layout_of(expr) == TO_NHWC

    def axis_in(self, layout: Order, axis: int) -> int:
        return layout.index(axis)

    def in_layout(self, expr: relax.Expr, layout: Order) -> relax.Expr:
        """An old expression with its axes in that order; lower ranks are taken to broadcast."""
        shape = shape_of(expr)
        assert shape is not None
        missing, array = len(layout) - len(shape), constant(expr)
        if array is not None:
            wide = array.reshape((1,) * missing + shape)
            return make_constant(wide.transpose(layout)) if array.size > 1 else expr
        if missing:
            own = self.layout_of(expr) or orders.plain(len(shape))
            before = (1,) * missing + tuple(shape[axis] for axis in own)
            wide = self.shaped(self.in_layout(expr, own), before)
            return self.moved(wide, (*range(missing), *(axis + missing for axis in own)), layout)
        return self.new(expr) if layout == orders.plain(len(layout)) else super().in_layout(expr, layout)

    def convert(self, expr: relax.Expr, layout: Order) -> relax.Expr:
        have, shape, plain = self.orders_of(expr), shape_of(expr) or (), orders.plain(len(layout))
        near = next((order for order in have if self._is_free(shape, order, layout)), have[0])
        cast = self._cast(expr) if near == plain else None
        if cast is not None:
            quantizes = isinstance(operator_of(cast).layout, layouts.Quantizes)
            moved = {"axis": layout.index(channel_axis(cast) or 0)} if quantizes else {}
            return self.emit(self.on_data(cast, layout, **moved))
        stored = self.in_layout(expr, near)
        if near == plain and isinstance(expr, relax.Var):
            self.bind(expr, stored)
        return self.moved(stored, near, layout)

    def _cast(self, expr: relax.Expr) -> relax.Call | None:
        """The call that made ``expr`` when it changes the type of what it is given, element by element."""
        cast = self.graph.call(expr, QUANTIZE, DEQUANTIZE, CAST)
        return less_zero_point(self.graph, expr) if cast is None else cast

    def common_layout(self, tensors: Sequence[relax.Expr], shape: Shape) -> Order | None:
        """The order in which the fewest elements of these tensors have to be moved; NHWC rather than another,
        then the plain one. None for the plain one, or where they are there in no other."""
        whole = [tensor for tensor in tensors if constant(tensor) is None]
        offered = [tensor for tensor in whole if len(shape_of(tensor) or ()) == len(shape)]
        candidates = {order for tensor in offered for order in self.orders_of(tensor)}
        plain = orders.plain(len(shape))
        if not any(self.layout_of(tensor) for tensor in whole):
            return None

        def cost(order: Order) -> tuple[int, bool, bool, Order]:
            shapes = {tensor: shape_of(tensor) or () for tensor in offered}
            elements = sum(
                math.prod(typical(shape))
                for tensor, shape in shapes.items()
                if not any(self._is_free(shape, have, order) for have in self.orders_of(tensor))
            )
            return elements, order != TO_NHWC, order != plain, order

        best = min(candidates | {plain}, key=cost)
        return None if best == plain else best

    @staticmethod
    def _is_free(shape: Shape, have: Order, wanted: Order) -> bool:
        """Whether a tensor of that shape lies in both orders alike."""
        return orders.is_free([shape[axis] for axis in have], orders.between(have, wanted))

    def hold(self, var: relax.Var, layout: Order, value: relax.Expr) -> bool:
        if layout == orders.plain(len(layout)) and not isinstance(var.ty, relax.TupleType):
            return self.set_plain(var, value)
        return super().hold(var, layout, value)

    def set_plain(self, var: relax.Var, value: relax.Expr) -> bool:
        """``value`` is what the old ``var`` was, its axes included."""
        self.bind(var, value if isinstance(value, relax.Var) else self.emit(value, var.name))
        return True

    def to_plain(self, stored: relax.Expr, layout: Order, shape: Shape) -> relax.Expr:
        return self.moved(stored, layout, orders.plain(len(layout)))

    def moved(self, data: relax.Expr, have: Order, wanted: Order) -> relax.Expr:
        """Bring what is stored in one order to another, by a reshape where nothing moves in memory."""
        if have == wanted:
            return data
        axes = orders.between(have, wanted)
        before = self.produced(data, PERMUTE)
        if before is not None:
            data, first = before.args[0], axes_of(before)
            axes = tuple(first[axis] for axis in axes)
        shape = shape_of(data)
        assert shape is not None
        if orders.is_free(shape, axes):
            return self.shaped(data, tuple(shape[axis] for axis in axes))
        return self.emit(relax.op.permute_dims(data, list(axes)))

    def shaped(self, data: relax.Expr, shape: Shape) -> relax.Expr:
        before = self.produced(data, RESHAPE)
        data = data if before is None else before.args[0]
        return self.reshaped(data, shape)
