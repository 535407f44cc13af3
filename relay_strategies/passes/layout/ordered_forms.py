"""Forms of tensors in other orders of their axes: what ``ToNHWC`` keeps of a function's variables."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from tvm import relax

from relay_strategies.operators import layouts, operator_of, orders
from relay_strategies.operators.layouts import TO_NHWC
from relay_strategies.operators.orders import Order, Shape
from relay_strategies.relax.arithmetic_calls import CAST, less_zero_point
from relay_strategies.relax.calls import replaced
from relay_strategies.relax.graph import (
    Rewriter,
    constant,
    make_constant,
    shape_of,
)
from relay_strategies.relax.movement_calls import PERMUTE, RESHAPE, axes_of
from relay_strategies.relax.quantize_calls import DEQUANTIZE, QUANTIZE, channel_axis


class OrderedForms(Rewriter):
    """Every old variable has a plain form (the rewriter's own), forms in other orders of its axes, or both.

    A form that is asked for and not there is made from another one, once.
    """

    def __init__(self, function: relax.Function, builder: relax.BlockBuilder) -> None:
        super().__init__(function, builder)
        self._forms: dict[relax.Var, dict[Order, relax.Expr]] = {}
        self._parts: dict[relax.Var, tuple[Order, relax.Var]] = {}

    def passed_on(self, var: relax.Var, value: relax.Expr) -> bool:
        """Let an alias, or an element of a tuple, have the forms of what it is."""
        if isinstance(value, relax.Var) and value in self._forms:
            self._forms[var] = self._forms[value]
        elif isinstance(value, relax.TupleGetItem) and value.tuple_value in self._parts:
            order, whole = self._parts[value.tuple_value]
            self._forms[var] = {order: self.emit(relax.TupleGetItem(whole, value.index), var.name)}
        else:
            return False
        return True

    def made(self, var: relax.Var) -> relax.Expr | None:
        if var in self._forms:
            (order, stored), *_ = self._forms[var].items()
            return self.moved(stored, order, orders.plain(len(order)))
        if var in self._parts:
            order, whole = self._parts[var]
            parts = [self.emit(relax.TupleGetItem(whole, i)) for i in range(len(var.ty.fields))]
            return relax.Tuple([self.moved(part, order, orders.plain(len(order))) for part in parts])
        return None

    def order_of(self, expr: relax.Expr) -> Order | None:
        """The order of axes in which an old expression was made; None where that is the plain one."""
        forms = self._forms.get(expr) if isinstance(expr, relax.Var) else None
        return next(iter(forms)) if forms else None

    def forms(self, expr: relax.Expr) -> list[Order]:
        """The orders in which an old expression is there, the one it was made in first."""
        known = list(self._forms.get(expr, ())) if isinstance(expr, relax.Var) else []
        plain = orders.plain(len(shape_of(expr) or ()))
        return known if known and expr not in self._environment else [*known, plain]

    def is_nhwc(self, expr: relax.Expr) -> bool:
        return self.order_of(expr) == TO_NHWC

    def ordered(self, expr: relax.Expr, order: Order) -> relax.Expr:
        """An old expression with its axes in that order; lower ranks are taken to broadcast."""
        shape = shape_of(expr)
        assert shape is not None
        missing, array = len(order) - len(shape), constant(expr)
        if array is not None:
            wide = array.reshape((1,) * missing + shape)
            return make_constant(wide.transpose(order)) if array.size > 1 else expr
        if missing:
            own = self.order_of(expr) or orders.plain(len(shape))
            wide = self.shaped(self.ordered(expr, own), (1,) * missing + tuple(shape[axis] for axis in own))
            return self.moved(wide, (*range(missing), *(axis + missing for axis in own)), order)
        if order == orders.plain(len(order)):
            return self.new(expr)
        if order not in self._forms.get(expr, {}):
            have = self.forms(expr)
            near = next((o for o in have if self._is_free(shape, o, order)), have[0])
            cast = self._cast(expr) if near == orders.plain(len(order)) else None
            if cast is None:
                stored = self.ordered(expr, near)
                self.bind(expr, stored) if near == orders.plain(len(order)) else None
                form = self.moved(stored, near, order)
            else:
                form = self.emit(self.on_ordered(cast, order))
            self._forms.setdefault(expr, {})[order] = form
        return self._forms[expr][order]

    def _cast(self, expr: relax.Expr) -> relax.Call | None:
        """The call that made ``expr`` when it changes the type of what it is given, element by element."""
        cast = self.graph.call(expr, QUANTIZE, DEQUANTIZE, CAST)
        return less_zero_point(self.graph, expr) if cast is None else cast

    def on_ordered(self, call: relax.Call, order: Order, **changes: Any) -> relax.Call:
        """A call of the old function on its data in an order of axes, with some attributes changed."""
        if isinstance(operator_of(call).layout, layouts.Quantizes):
            changes["axis"] = order.index(channel_axis(call) or 0)
        arguments = [self.ordered(call.args[0], order), *(self.new(argument) for argument in call.args[1:])]
        return replaced(call, arguments, **changes)

    def common_order(self, tensors: Iterable[relax.Expr], rank: int) -> Order | None:
        """The order in which the fewest elements of these tensors have to be moved; NHWC rather than another,
        then the plain one. None for the plain one, or where they are there in no other."""
        whole = [tensor for tensor in tensors if constant(tensor) is None]
        offered = [tensor for tensor in whole if len(shape_of(tensor) or ()) == rank]
        candidates = {order for tensor in offered for order in self.forms(tensor)}
        plain = orders.plain(rank)
        if not any(self.order_of(tensor) for tensor in whole):
            return None

        def cost(order: Order) -> tuple[int, bool, bool, Order]:
            shapes = {tensor: shape_of(tensor) or () for tensor in offered}
            elements = sum(
                math.prod(shape)
                for tensor, shape in shapes.items()
                if not any(self._is_free(shape, have, order) for have in self.forms(tensor))
            )
            return elements, order != TO_NHWC, order != plain, order

        best = min(candidates | {plain}, key=cost)
        return None if best == plain else best

    @staticmethod
    def _is_free(shape: Shape, have: Order, wanted: Order) -> bool:
        """Whether a tensor of that shape lies in both orders alike."""
        return orders.is_free([shape[axis] for axis in have], orders.between(have, wanted))

    def set_form(self, var: relax.Var, order: Order, value: relax.Expr) -> bool:
        """``value`` is the old ``var`` with its axes in that order, or the tuple of parts that have it."""
        if order == orders.plain(len(order)) and not isinstance(var.ty, relax.TupleType):
            return self.set_plain(var, value)
        bound = value if isinstance(value, relax.Var) else self.emit(value, var.name)
        if isinstance(var.ty, relax.TupleType):
            self._parts[var] = order, bound
        else:
            self._forms[var] = {order: bound}
        return True

    def set_plain(self, var: relax.Var, value: relax.Expr) -> bool:
        """``value`` is what the old ``var`` was, its axes included."""
        self.bind(var, value if isinstance(value, relax.Var) else self.emit(value, var.name))
        return True

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
