"""The base of passes that compute tensors of three or five axes as images of four.

A layer of such a pass makes its result as an image, its *form*; operators that follow in any layout (element
by element, joins, reductions: see ``operators.layouts``) do so on the form, and the tensor itself is made
only where something else asks for it.
"""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import Any, ClassVar

from tvm import relax

from relay_strategies.operators import COMPOSITES, layouts, operator_of
from relay_strategies.operators.layouts import Reduces
from relay_strategies.operators.spatial import SpatialKind
from relay_strategies.relax import composite
from relay_strategies.relax.arithmetic_calls import CAST, less_zero_point
from relay_strategies.relax.calls import replaced
from relay_strategies.relax.graph import Rewriter, dtype_of, shape_of
from relay_strategies.relax.movement_calls import concatenation_of
from relay_strategies.relax.quantize_calls import channel_axis

Shape = tuple[int, ...]
Layer = Callable[[Any, relax.Call, relax.Expr], relax.Expr | None]
"""A function that returns the form of a call's result, given the form of its data, or None if it cannot."""


class Lifter(Rewriter, abc.ABC):
    """Keeps the forms of old variables of ``rank`` axes, channels at axis 1.

    ``layers`` make one for the operators on maps of that rank, whatever their data are, in either of
    ``layouts``: the one with channels at axis 1, and the one with channels last, in which nothing has a form.
    """

    rank: ClassVar[int]
    layouts: ClassVar[tuple[str, str]]
    layers: ClassVar[dict[SpatialKind, Layer]]

    def __init__(self, function: relax.Function, builder: relax.BlockBuilder) -> None:
        super().__init__(function, builder)
        self._forms: dict[relax.Var, relax.Expr] = {}
        self._parts: dict[relax.Var, relax.Var] = {}

    @abc.abstractmethod
    def enter(self, data: relax.Expr, shape: Shape) -> relax.Expr:
        """The form of a tensor of that shape."""

    @abc.abstractmethod
    def leave(self, form: relax.Expr, shape: Shape) -> relax.Expr:
        """The tensor of that shape that has the form."""

    @abc.abstractmethod
    def enter_last(self, data: relax.Expr, shape: Shape) -> relax.Expr:
        """Return the form of a tensor with channels last."""

    @abc.abstractmethod
    def leave_last(self, form: relax.Expr, shape: Shape) -> relax.Expr:
        """Return the tensor with channels last that has the form."""

    @abc.abstractmethod
    def whole(self, expr: relax.Expr) -> relax.Expr:
        """The form of an old tensor with an axis for each that ``axis`` knows."""

    @abc.abstractmethod
    def axis(self, axis: int) -> int | None:
        """Return the axis of the form that an axis is; None where it shares one with another."""

    @abc.abstractmethod
    def operands(self, var: relax.Var, value: relax.Call) -> list[relax.Expr] | None:
        """The operands of an operator that broadcasts, as images that broadcast likewise."""

    @abc.abstractmethod
    def reduced(self, value: relax.Call, layout: Reduces, axes: list[int]) -> relax.Expr | None:
        """The form of a reduction that keeps its axes."""

    # ---- forms

    def has_form(self, expr: relax.Expr) -> bool:
        return isinstance(expr, relax.Var) and expr in self._forms

    def form(self, expr: relax.Expr) -> relax.Expr:
        """The form of an old tensor, made where it is not there."""
        if isinstance(expr, relax.Var) and expr in self._forms:
            return self._forms[expr]
        source = self._cast(expr)
        if source is None:
            form = self.enter(self.new(expr), shape_of(expr) or ())
        else:
            rest = [self.new(argument) for argument in source.args[1:]]
            form = self.emit(replaced(source, [self.form(source.args[0]), *rest]))
        if isinstance(expr, relax.Var):
            self._forms[expr] = form
        return form

    def _cast(self, expr: relax.Expr) -> relax.Call | None:
        """The call that made ``expr`` where it casts bytes, or takes their zero point off."""
        cast = self.graph.call(expr, CAST) if dtype_of(expr) == "int32" else None
        return less_zero_point(self.graph, expr) if cast is None else cast

    def set_form(self, var: relax.Var, value: relax.Expr | None) -> bool:
        if value is None:
            return False
        self._forms[var] = self.emit(value, var.name)
        return True

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

    def visit(self, var: relax.Var, value: relax.Expr) -> relax.Expr | None:
        if isinstance(value, relax.Var) and value in self._forms:
            self._forms[var] = self._forms[value]
            return None
        if isinstance(value, relax.TupleGetItem) and value.tuple_value in self._parts:
            part = relax.TupleGetItem(self._parts[value.tuple_value], value.index)
            self._forms[var] = self.emit(part, var.name)
            return None
        if isinstance(value, relax.Call) and self._layer(var, value):
            return None
        found = composite.composite_of(self, value)
        rule = _composite if found is not None else RULES.get(type(operator_of(value).layout))
        return None if rule is not None and rule(self, var, value) else self.new(value)

    def _layer(self, var: relax.Var, value: relax.Call) -> bool:
        """Make a layer's form, and say whether it was made."""
        spatial = operator_of(value).spatial
        if spatial is None or spatial.dimensions != self.rank - 2 or spatial.kind not in self.layers:
            return False
        make, attrs, shape = self.layers[spatial.kind], value.attrs, shape_of(var)
        layout = str(attrs.data_layout if hasattr(attrs, "data_layout") else attrs.layout)
        if shape is None or shape_of(value.args[0]) is None or str(attrs.out_layout) not in ("", layout):
            return False
        first, last = self.layouts
        if layout == first:
            return self.set_form(var, make(self, value, self.form(value.args[0])))
        if layout != last:
            return False
        data = self.enter_last(self.new(value.args[0]), shape_of(value.args[0]) or ())
        form = make(self, value, data)
        if form is not None:
            self.bind(var, self.leave_last(self.emit(form, var.name), shape))
        return form is not None

    def made(self, var: relax.Var) -> relax.Expr | None:
        if var in self._forms:
            return self.leave(self._forms[var], shape_of(var) or ())
        if var in self._parts:
            whole, fields = self._parts[var], []
            for index, kind in enumerate(var.ty.fields):
                part = self.emit(relax.TupleGetItem(whole, index))
                fields.append(self.leave(part, tuple(int(extent) for extent in kind.shape.values)))
            return relax.Tuple(fields)
        return None


def _elementwise(lifter: Lifter, var: relax.Var, value: relax.Call) -> bool:
    if not lifter.has_form(value.args[0]):
        return False
    rest = [lifter.new(argument) for argument in value.args[1:]]
    return lifter.set_form(var, replaced(value, [lifter.form(value.args[0]), *rest]))


def _broadcasting(lifter: Lifter, var: relax.Var, value: relax.Call) -> bool:
    if len(shape_of(var) or ()) != lifter.rank or not any(map(lifter.has_form, value.args)):
        return False
    operands = lifter.operands(var, value)
    return operands is not None and lifter.set_form(var, replaced(value, operands))


def _moves(lifter: Lifter, var: relax.Var, value: relax.Call) -> bool:
    """Follow an operator along an axis, or one that pads. Operators of maps have names of layouts, and are
    layers or none."""
    layout, data = operator_of(value).layout, value.args[0]
    assert isinstance(layout, layouts.Moves)
    if layout.names or not lifter.has_form(data):
        return False
    if not isinstance(var.ty, relax.TupleType) and len(shape_of(var) or ()) != lifter.rank:
        return False
    changes: dict[str, Any] = {}
    if layout.axis:
        given = getattr(value.attrs, layout.axis)
        moved = None if given is None else lifter.axis(int(given) % lifter.rank)
        if moved is None:
            return False
        changes[layout.axis] = moved
    if layout.widths:
        neutral = [layout.widths.neutral] * layout.widths.each
        changed = [neutral] * 4
        for axis, numbers in enumerate(layout.widths.by_axis(value.attrs, lifter.rank)):
            moved = lifter.axis(axis)
            if moved is not None:
                changed[moved] = numbers
            elif numbers != neutral:
                return False
        changes[layout.widths.name] = [number for numbers in changed for number in numbers]
    rest = [lifter.new(argument) for argument in value.args[1:]]
    result = replaced(value, [lifter.whole(data), *rest], **changes)
    if isinstance(var.ty, relax.TupleType):
        lifter._parts[var] = lifter.emit(result, var.name)
        return True
    return lifter.set_form(var, result)


def _joins(lifter: Lifter, var: relax.Var, value: relax.Call) -> bool:
    joined = concatenation_of(value)
    if joined is None or len(shape_of(var) or ()) != lifter.rank:
        return False
    axis = lifter.axis(joined.axis)
    if axis is None or not any(map(lifter.has_form, joined.tensors)):
        return False
    fields = relax.Tuple([lifter.whole(tensor) for tensor in joined.tensors])
    return lifter.set_form(var, replaced(value, [fields], axis=axis))


def _reduces(lifter: Lifter, var: relax.Var, value: relax.Call) -> bool:
    layout, data, shape = operator_of(value).layout, value.args[0], shape_of(var)
    assert isinstance(layout, Reduces)
    axes = layout.axes(value.attrs, lifter.rank)
    if not lifter.has_form(data) or shape is None or axes is None:
        return False
    form = lifter.reduced(value, layout, axes)
    if form is None:
        return False
    if value.attrs.keepdims:
        return lifter.set_form(var, form)
    before = shape_of(data) or ()
    kept = tuple(1 if axis in axes else extent for axis, extent in enumerate(before))
    lifter.bind(var, lifter.reshaped(lifter.leave(lifter.emit(form), kept), shape))
    return True


def _quantizes(lifter: Lifter, var: relax.Var, value: relax.Call) -> bool:
    if not lifter.has_form(value.args[0]):
        return False
    axis = channel_axis(value)
    moved = 0 if axis is None else lifter.axis(axis)
    if moved is None:
        return False
    rest = [lifter.new(argument) for argument in value.args[1:]]
    return lifter.set_form(var, replaced(value, [lifter.form(value.args[0]), *rest], axis=moved))


def _composite(lifter: Lifter, var: relax.Var, value: relax.Call) -> bool:
    """Composites of whole tensors, whose channels are at axis 1."""
    found = composite.composite_of(lifter, value)
    entry = None if found is None else COMPOSITES.get(found.name)
    if found is None or entry is None or entry.rebuild is None or found.attributes.get("axis") != 1:
        return False
    if not any(map(lifter.has_form, value.args)):
        return False
    axis = lifter.axis(1)
    assert axis is not None
    data = [lifter.whole(argument) for argument in value.args]
    return lifter.set_form(var, entry.rebuild(lifter, data, found.attributes, axis))


RULES: dict[type, Callable[[Any, relax.Var, relax.Call], bool]] = {
    layouts.Elementwise: _elementwise,
    layouts.Broadcasting: _broadcasting,
    layouts.Moves: _moves,
    layouts.Joins: _joins,
    layouts.Reduces: _reduces,
    layouts.Quantizes: _quantizes,
}
"""These compute a call on forms, by the kind of its layout, and say whether they did."""
