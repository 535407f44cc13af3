"""The base of passes that hold tensors in other layouts than the network's own, the plain one.

A layer makes its result in another layout, and operators that can follow do so there: the table of operators
says how (``operators.layouts``). A layout that is asked for and not there is made from another one, once.
"""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from tvm import relax

from relay_strategies.operators import COMPOSITES, layouts, operator_of
from relay_strategies.operators.operator import CompositeOperator
from relay_strategies.relax import composite
from relay_strategies.relax.calls import replaced
from relay_strategies.relax.graph import Rewriter, shape_of
from relay_strategies.relax.movement_calls import concatenation_of, static_shape
from relay_strategies.relax.quantize_calls import channel_axis

Shape = tuple[int, ...]
Layout = TypeVar("Layout")


class LayoutRewriter(Rewriter, abc.ABC, Generic[Layout]):
    """Holds old variables in layouts. A method for each kind of ``operators.layouts``, such as ``on_joins``,
    computes a call in a layout that its data are held in, and returns whether it did."""

    def __init__(self, function: relax.Function, builder: relax.BlockBuilder) -> None:
        super().__init__(function, builder)
        self._held: dict[relax.Var, dict[Layout, relax.Expr]] = {}
        self._parts: dict[relax.Var, tuple[Layout, relax.Var]] = {}

    # ---- a pass's decisions

    @abc.abstractmethod
    def convert(self, expr: relax.Expr, layout: Layout) -> relax.Expr:
        """Return an old tensor in a layout that it is not held in."""

    @abc.abstractmethod
    def to_plain(self, stored: relax.Expr, layout: Layout, shape: Shape) -> relax.Expr:
        """Return the tensor of that plain shape that is stored in a layout."""

    @abc.abstractmethod
    def axis_in(self, layout: Layout, axis: int) -> int | None:
        """Return an axis's place in a layout; None where it shares one with another axis."""

    @abc.abstractmethod
    def common_layout(self, tensors: Sequence[relax.Expr], shape: Shape) -> Layout | None:
        """Return the layout in which a result of that plain shape is best made of these tensors; None for the
        plain one."""

    def layout_of_composite(
        self, entry: CompositeOperator, var: relax.Var, call: relax.Call
    ) -> Layout | None:
        """Return the layout in which a composite is rebuilt; None for the plain one."""
        return None

    def aligned(self, expr: relax.Expr, layout: Layout) -> relax.Expr:
        """Return an old tensor in a layout, with an axis for each that ``axis_in`` knows."""
        return self.in_layout(expr, layout)

    # ---- layouts

    def layout_of(self, expr: relax.Expr) -> Layout | None:
        """Return the layout in which an old expression was made; None for the plain one."""
        held = self._held.get(expr) if isinstance(expr, relax.Var) else None
        return next(iter(held)) if held else None

    def in_layout(self, expr: relax.Expr, layout: Layout) -> relax.Expr:
        """Return an old tensor in a layout."""
        if not isinstance(expr, relax.Var):
            return self.convert(expr, layout)
        if layout not in self._held.get(expr, {}):
            made = self.convert(expr, layout)
            self._held.setdefault(expr, {})[layout] = made
        return self._held[expr][layout]

    def hold(self, var: relax.Var, layout: Layout, value: relax.Expr) -> bool:
        """Make ``value`` the old ``var`` in a layout, or the tuple of its parts in it."""
        bound = value if isinstance(value, relax.Var) else self.emit(value, var.name)
        if isinstance(var.ty, relax.TupleType):
            self._parts[var] = layout, bound
        else:
            self._held.setdefault(var, {})[layout] = bound
        return True

    def made(self, var: relax.Var) -> relax.Expr | None:
        if var in self._held:
            (layout, stored), *_ = self._held[var].items()
            return self.to_plain(stored, layout, shape_of(var) or ())
        if var in self._parts:
            layout, whole = self._parts[var]
            parts = [self.emit(relax.TupleGetItem(whole, i)) for i in range(len(var.ty.fields))]
            shapes = [static_shape(field) or () for field in var.ty.fields]
            plain = zip(parts, shapes, strict=True)
            return relax.Tuple([self.to_plain(part, layout, shape) for part, shape in plain])
        return None

    def on_data(self, call: relax.Call, layout: Layout, /, **changes: Any) -> relax.Call:
        """Return a call of the old function on its data in a layout, with some attributes changed."""
        data, *others = call.args
        return replaced(call, [self.in_layout(data, layout), *map(self.new, others)], **changes)

    # ---- the walk

    def visit(self, var: relax.Var, value: relax.Expr) -> relax.Expr | None:
        if isinstance(value, relax.Var) and value in self._held:
            self._held[var] = self._held[value]
            return None
        if isinstance(value, relax.TupleGetItem) and value.tuple_value in self._parts:
            layout, whole = self._parts[value.tuple_value]
            self.hold(var, layout, relax.TupleGetItem(whole, value.index))
            return None
        return None if self.follow(var, value) else self.new(value)

    def follow(self, var: relax.Var, value: relax.Expr) -> bool:
        """Compute a call in a layout that its data are held in, and return whether that was possible."""
        found = composite.composite_of(self, value)
        if found is not None:
            return self._on_composite(var, value, found)
        layout = operator_of(value).layout
        rule = getattr(self, f"on_{type(layout).__name__.lower()}", None)
        return rule is not None and rule(var, value, layout)

    def on_elementwise(self, var: relax.Var, value: relax.Call, kind: layouts.Layout) -> bool:
        layout = self.layout_of(value.args[0])
        return layout is not None and self.hold(var, layout, self.on_data(value, layout))

    def on_joins(self, var: relax.Var, value: relax.Call, kind: layouts.Joins) -> bool:
        joined, shape = concatenation_of(value), shape_of(var)
        if joined is None or joined.shapes is None or shape is None:
            return False
        layout = self.common_layout(joined.tensors, shape)
        axis = None if layout is None else self.axis_in(layout, joined.axis)
        if layout is None or axis is None:
            return False
        fields = relax.Tuple([self.aligned(tensor, layout) for tensor in joined.tensors])
        return self.hold(var, layout, replaced(value, [fields], axis=axis))

    def on_quantizes(self, var: relax.Var, value: relax.Call, kind: layouts.Quantizes) -> bool:
        layout, axis = self.layout_of(value.args[0]), channel_axis(value)
        moved = 0 if layout is None or axis is None else self.axis_in(layout, axis)
        if layout is None or moved is None:
            return False
        return self.hold(var, layout, self.on_data(value, layout, axis=moved))

    def _on_composite(self, var: relax.Var, value: relax.Call, found: composite.Composite) -> bool:
        """Rebuild a composite whose channels are at axis 1."""
        entry = COMPOSITES.get(found.name)
        if entry is None or entry.rebuild is None or found.attributes.get("axis") != 1:
            return False
        layout = self.layout_of_composite(entry, var, value)
        axis = None if layout is None else self.axis_in(layout, 1)
        if layout is None or axis is None:
            return False
        data = [self.aligned(argument, layout) for argument in value.args]
        return self.hold(var, layout, entry.rebuild(self, data, found.attributes, axis))
