"""Forms: the same NHWC tensor of a network in other layouts, each made once, where it is asked for.

Graph passes see networks in NHWC. When kernels are chosen, a convolution may want or make its tensors in
another layout (NCHW, or blocked, such as NCHW16c), and what follows it can often go on in that layout:
element-wise operators, pooling, concatenation. A rewriter that keeps forms changes a layout only where
someone needs one that is not there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from tvm import relax

from relay_strategies.operators import layouts, operator_of
from relay_strategies.operators.layouts import NCHW, NHWC, TO_NHWC, is_map
from relay_strategies.relax import composite
from relay_strategies.relax.calls import replaced
from relay_strategies.relax.epilogue_steps import FLOAT, apply_steps, steps_of
from relay_strategies.relax.graph import Rewriter, constant, dtype_of, make_constant, shape_of
from relay_strategies.relax.kernels import scheduled
from relay_strategies.relax.movement_calls import PERMUTE, axes_of, concatenation_of
from tvm_directconv.operators.layout import change_layout
from tvm_directconv.problem.workload import channel_block, data_shape
from tvm_directconv.targets.target import CompileTarget

CHANNELS = 3
"""NHWC has its channels at this axis."""


class FormsRewriter(Rewriter):
    """Keeps the forms of old 4-D float32 variables: their NHWC form is the rewriter's own."""

    def __init__(
        self, function: relax.Function, builder: relax.BlockBuilder, target: CompileTarget, layout: str
    ) -> None:
        super().__init__(function, builder)
        self.target, self.layout = target, layout
        self._forms: dict[relax.Var, dict[str, relax.Expr]] = {}

    def made(self, var: relax.Var) -> relax.Expr | None:
        forms = self._forms.get(var)
        if not forms:
            return None
        (layout, form), *_ = forms.items()
        return self.changed(form, shape_of(var) or (), layout, NHWC)

    def has_form(self, expr: relax.Expr, layout: str = "") -> bool:
        """Whether the old expression is there in a layout, the network's unless one is given, other than
        NHWC."""
        return isinstance(expr, relax.Var) and (layout or self.layout) in self._forms.get(expr, {})

    def form(self, expr: relax.Expr, layout: str) -> relax.Expr:
        """The old 4-D expression in a layout, from whichever form there is."""
        shape = shape_of(expr)
        assert shape is not None
        if layout == NHWC:
            return self.new(expr)
        forms = self._forms.setdefault(expr, {}) if isinstance(expr, relax.Var) else {}
        if layout not in forms:
            original = self.original(expr)
            if original is not None and layout == NCHW:
                forms[layout] = self.new(original)
            elif forms and expr not in self._environment:
                (have, form), *_ = forms.items()
                forms[layout] = self.changed(form, shape, have, layout)
            else:
                forms[layout] = self.changed(self.new(expr), shape, NHWC, layout)
        return forms[layout]

    def original(self, expr: relax.Expr) -> relax.Expr | None:
        """The old NCHW expression that an NHWC one was made of."""
        call = self.graph.call(expr, PERMUTE)
        if call is None or axes_of(call) != TO_NHWC:
            return None
        return call.args[0]

    def set_form(self, var: relax.Var, layout: str, value: relax.Expr) -> None:
        """Make ``value`` the form of the old ``var`` in that layout."""
        if layout == NHWC:
            self.bind(var, value)
        else:
            self._forms.setdefault(var, {})[layout] = value

    def changed(self, data: relax.Expr, shape: tuple[int, ...], source: str, result: str) -> relax.Expr:
        """Copy a tensor of that NHWC shape from one layout to another."""
        if not isinstance(data, relax.Var):
            data = self.emit(data)
        batch, height, width, channels = shape
        kernel = change_layout((batch, height, width, channels), source, result, self.target)
        function = self.add_function(scheduled(kernel), f"{source}_to_{result}".lower())
        result_type = relax.TensorType(data_shape(result, *shape), FLOAT)
        return self.emit(relax.call_tir(function, [data], result_type))

    def follow(self, var: relax.Var, value: relax.Expr) -> bool:
        """Compute ``value`` in the network's layout where its operands are there and it can be."""
        if self.layout == NHWC or len(shape_of(var) or ()) not in (2, 4) or dtype_of(var) != FLOAT:
            return False
        found = composite.composite_of(self, value)
        if found is not None:
            return found.name == composite.AFFINE and _affine(self, var, found)
        layout = operator_of(value).layout
        rule = RULES.get(type(layout))
        return rule is not None and rule(self, var, value, layout)

    def emit_form(self, var: relax.Var, value: relax.Expr) -> bool:
        self.set_form(var, self.layout, self.emit(value, var.name))
        return True

    def spread(self, vector: np.ndarray) -> np.ndarray:
        """Return one value per channel in the shape that broadcasts against the network's layout."""
        block = channel_block(self.layout)
        if not block:
            return vector.reshape(1, -1, 1, 1)
        padded = np.zeros(-(-vector.size // block) * block, vector.dtype)
        padded[: vector.size] = vector.reshape(-1)
        return padded.reshape(1, -1, 1, 1, block)

    def is_whole(self, channels: int) -> bool:
        """Whether so many channels fill their blocks."""
        block = channel_block(self.layout)
        return not block or channels % block == 0


def _elementwise(rewriter: FormsRewriter, var: relax.Var, value: relax.Call, layout: Any) -> bool:
    if not rewriter.has_form(value.args[0]):
        return False
    arguments = [rewriter.form(value.args[0], rewriter.layout), *value.args[1:]]
    return rewriter.emit_form(var, replaced(value, arguments))


def _broadcasting(rewriter: FormsRewriter, var: relax.Var, value: relax.Call, layout: Any) -> bool:
    shape = shape_of(var)
    if shape is None or not any(map(rewriter.has_form, value.args)):
        return False
    arguments = []
    for argument in value.args:
        array, extents = constant(argument), shape_of(argument)
        if extents == shape and array is None and dtype_of(argument) == FLOAT:
            arguments.append(rewriter.form(argument, rewriter.layout))
        elif array is not None and array.size == 1:
            arguments.append(argument)
        elif array is not None and array.size == shape[CHANNELS] == (extents or (0,))[-1]:
            arguments.append(make_constant(rewriter.spread(array)))
        else:
            return False
    return rewriter.emit_form(var, replaced(value, arguments))


def _moves(rewriter: FormsRewriter, var: relax.Var, value: relax.Call, layout: layouts.Moves) -> bool:
    data, shape = value.args[0], shape_of(var)
    plain = all(getattr(value.attrs, name) == NHWC for name in layout.names)
    if not layout.by_block or not plain or not rewriter.has_form(data) or shape is None:
        return False
    return _by_block(rewriter, var, value, shape, dict.fromkeys(layout.names, NCHW))


def _reduces(rewriter: FormsRewriter, var: relax.Var, value: relax.Call, layout: layouts.Reduces) -> bool:
    """Follow global pooling: a mean or maximum over rows and columns."""
    shape = shape_of(value.args[0])
    if not layout.by_block or not rewriter.has_form(value.args[0]) or shape is None:
        return False
    if not value.attrs.keepdims or not is_map(value.attrs.axis, NHWC):
        return False
    return _by_block(rewriter, var, value, (shape[0], 1, 1, shape[CHANNELS]), {"axis": [2, 3]})


def _by_block(
    rewriter: FormsRewriter,
    var: relax.Var,
    value: relax.Call,
    shape: tuple[int, ...],
    in_nchw: dict[str, Any],
) -> bool:
    """Compute what every channel has for itself: with the attributes ``in_nchw``, or where the layout is one
    of blocks, on images of one block of channels in NHWC. ``shape`` is the result's in NHWC."""
    form, block = rewriter.form(value.args[0], rewriter.layout), channel_block(rewriter.layout)
    if not block:
        return rewriter.emit_form(var, replaced(value, [form], **in_nchw))
    batch, blocks, height, width, _ = shape_of(form) or (0,) * 5
    seen = rewriter.emit(relax.op.reshape(form, [batch * blocks, height, width, block]))
    result = rewriter.emit(replaced(value, [seen]))
    return rewriter.emit_form(var, relax.op.reshape(result, data_shape(rewriter.layout, *shape)))


def _joins(rewriter: FormsRewriter, var: relax.Var, value: relax.Call, layout: Any) -> bool:
    found = concatenation_of(value)
    joined = None if found is None or found.axis != CHANNELS else _joined(rewriter, found.tensors)
    return joined is not None and rewriter.emit_form(var, joined)


def _joined(rewriter: FormsRewriter, tensors: Sequence[relax.Expr]) -> relax.Expr | None:
    """The concatenation along channels of tensors that all fill their blocks."""
    channels = [(shape_of(tensor) or (0,))[-1] for tensor in tensors]
    if not any(map(rewriter.has_form, tensors)) or not all(map(rewriter.is_whole, channels)):
        return None
    return relax.op.concat([rewriter.form(tensor, rewriter.layout) for tensor in tensors], axis=1)


def _affine(rewriter: FormsRewriter, var: relax.Var, found: composite.Composite) -> bool:
    """Scale, shift and steps per channel, of one tensor or of several concatenated."""
    *tensors, scale, shift = found.arguments
    vectors = [vector for vector in map(constant, (scale, shift)) if vector is not None]
    if len(vectors) != 2 or not any(map(rewriter.has_form, tensors)):
        return False
    if len(tensors) > 1:
        joined = _joined(rewriter, tensors)
        if joined is None:
            return False
        result: relax.Expr = rewriter.emit(joined)
    else:
        result = rewriter.form(tensors[0], rewriter.layout)
    scale, shift = (make_constant(rewriter.spread(vector)) for vector in vectors)
    result = rewriter.emit(relax.op.add(rewriter.emit(relax.op.multiply(result, scale)), shift))
    rewriter.set_form(var, rewriter.layout, apply_steps(rewriter.emit, steps_of(found.attributes), result))
    return True


def _reshapes(rewriter: FormsRewriter, var: relax.Var, value: relax.Call, layout: Any) -> bool:
    """A map of one pixel is the same in every layout."""
    data, target = value.args[0], shape_of(var)
    shape = shape_of(data)
    if not rewriter.has_form(data) or shape is None or target is None or len(shape) != 4:
        return False
    if shape[1] * shape[2] != 1 or not rewriter.is_whole(shape[3]):
        return False
    rewriter.bind(var, rewriter.emit(relax.op.reshape(rewriter.form(data, rewriter.layout), target)))
    return True


RULES: dict[type, Callable[[FormsRewriter, relax.Var, relax.Call, Any], bool]] = {
    layouts.Elementwise: _elementwise,
    layouts.Broadcasting: _broadcasting,
    layouts.Moves: _moves,
    layouts.Joins: _joins,
    layouts.Reduces: _reduces,
    layouts.Reshapes: _reshapes,
}
"""These make a call in the network's layout, by the kind of its own, and say whether they did."""
