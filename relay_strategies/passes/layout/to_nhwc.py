"""ToNHWC: networks of images made NHWC from end to end, and permutations put off until somebody needs them.

Convolutions and pooling ask for NHWC; everything that can follow does (element-wise operators, concatenation,
slices, reductions, softmax, composites; an operator's entry says how). A permutation that the network wrote
itself moves nothing: what is stored stays, and its axes are numbered anew; nor does a reshape that joins axes
which lie next to each other. So tokens (N, H W, C) and images (N, C, H, W) are one tensor. Data is moved only
where an operator of which that is not known, an input or an output needs another order of axes, and at most
once per tensor and order. A dense layer behind a flattened map gets the rows of its constant weights permuted
instead of its input. The pass is exact: it moves data, it computes nothing. Quantized tensors are moved as
the bytes they are stored in: between a move and what asked for it stand no quantization, dequantization or
cast.

TVM's ConvertLayout stops at composites, at quantized operators and at maps flattened for dense layers: it
puts changes of layout there, and leaves those of filters to constant folding.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from tvm import relax, tirx
from tvm.ir import GenericConst

from relay_strategies.operators import COMPOSITES, layouts, operator_of, orders
from relay_strategies.operators.layouts import TO_NHWC
from relay_strategies.operators.orders import Order, Shape
from relay_strategies.relax import composite
from relay_strategies.relax.calls import replaced
from relay_strategies.relax.filters import PRODUCT, Filter, stored_matrix
from relay_strategies.relax.graph import (
    operator_name,
    rewrite_pass,
    shape_of,
)
from relay_strategies.relax.movement_calls import axes_of, concatenation_of, sliced_axes
from relay_strategies.relax.quantize_calls import DEQUANTIZE, channel_axis
from tvm_directconv.memory import page_aligned

from .ordered_forms import OrderedForms


class _ToNHWC(OrderedForms):
    def __init__(self, function: relax.Function, builder: relax.BlockBuilder) -> None:
        super().__init__(function, builder)
        self._flat: dict[relax.Var, tuple[int, int, int]] = {}

    def visit(self, var: relax.Var, value: relax.Expr) -> relax.Expr | None:
        if self.passed_on(var, value):
            return None
        layout = operator_of(value).layout
        rule = _composite if composite.composite_of(self, value) is not None else RULES.get(type(layout))
        if rule is not None and rule(self, var, value, layout):
            return None
        return self.new(value)

    def leaves_larger(self, var: relax.Var, data: Shape) -> bool:
        """Whether a tensor is larger than the ``data`` it is made of, and all that is made of it, element by
        element, are results of the function: these are plain, and data is moved where there is less of it.
        """
        return math.prod(shape_of(var) or ()) > math.prod(data) and self._leaves(var)

    def _leaves(self, var: relax.Var) -> bool:
        def follows(consumer: relax.Var) -> bool:
            value = self.graph.definition[consumer]
            passes = isinstance(value, (relax.Var, relax.Tuple))
            passes = passes or isinstance(operator_of(value).layout, layouts.Elementwise)
            return passes and self._leaves(consumer)

        return all(map(follows, self.graph.consumers.get(var, [])))

    # ---- maps flattened for dense layers

    def matrix_rows(self, expr: relax.Expr) -> tuple[int, int, int] | None:
        """(C, H, W) when an old matrix was flattened from NHWC though it stands for flattened NCHW."""
        return self._flat.get(expr) if isinstance(expr, relax.Var) else None

    def set_rows(self, var: relax.Var, rows: tuple[int, int, int], value: relax.Expr) -> bool:
        """``value`` is the old matrix ``var``, but for its columns, which lie as ``matrix_rows`` tells."""
        self._flat[var] = rows
        return self.set_plain(var, value)

    def goes_to_dense(self, data: relax.Var) -> bool:
        """Whether dense layers of constant weights alone consume a matrix, perhaps dequantized."""
        consumers = self.graph.consumers.get(data, [])
        if not consumers or self.graph.uses[data] != len(consumers):
            return False
        for consumer in consumers:
            value = self.graph.definition[consumer]
            if operator_name(value) == DEQUANTIZE and channel_axis(value) is None:
                if not self.goes_to_dense(consumer):
                    return False
            elif (
                operator_name(value) != PRODUCT
                or value.args[0] != data
                or self.dense_weight(value.args[1]) is None
            ):
                return False
        return True

    def dense_weight(self, weight: relax.Expr) -> tuple[Filter, relax.Call | None] | None:
        """A dense layer's constant weight, and what dequantizes it."""
        dequantize = self.graph.call(weight, DEQUANTIZE)
        if dequantize is not None and channel_axis(dequantize) == 0:
            return None  # a scale for every row, and the rows are to be permuted
        matrix = stored_matrix(self.graph, weight if dequantize is None else dequantize.args[0])
        return None if matrix is None else (matrix, dequantize)


ToNHWC = rewrite_pass("ToNHWC", _ToNHWC)
"""Make convolutional networks NHWC; wants ``Simplify`` before it."""


# ---- one rule per kind of following


def _elementwise(rewriter: _ToNHWC, var: relax.Var, value: relax.Call, layout: Any) -> bool:
    order = rewriter.order_of(value.args[0])
    return order is not None and rewriter.set_form(var, order, rewriter.on_ordered(value, order))


def _broadcasting(rewriter: _ToNHWC, var: relax.Var, value: relax.Call, layout: Any) -> bool:
    shape = shape_of(var)
    if shape is None or any(shape_of(argument) is None for argument in value.args):
        return False
    order = rewriter.common_order(value.args, len(shape))
    if order is None:
        return False
    return rewriter.set_form(var, order, replaced(value, [rewriter.ordered(a, order) for a in value.args]))


def _moves(rewriter: _ToNHWC, var: relax.Var, value: relax.Call, layout: layouts.Moves) -> bool:
    data = value.args[0]
    shape, order = shape_of(data), rewriter.order_of(data)
    if layout.names and (layout.wanted or order is not None) and len(shape or ()) == len(TO_NHWC):
        order = TO_NHWC
    if shape is None or order is None or not layout.is_nchw(value.attrs):
        return False
    if layout.either is not None and layout.either(value.attrs) and rewriter.leaves_larger(var, shape):
        return False
    axis = int(getattr(value.attrs, layout.axis)) % len(order) if layout.axis else 0
    if layout.last and order[-1] != axis == len(order) - 1:
        return False
    result = order
    if not isinstance(var.ty, relax.TupleType):
        rank = len(shape_of(var) or ())
        result = orders.without(order, [axis]) if layout.axis and rank == len(order) - 1 else order
        if rank != len(result):
            return False  # a gather of more axes
    moved = rewriter.on_ordered(value, order, **layout.ordered(value.attrs, order))
    return rewriter.set_form(var, result, moved)


def _slices(rewriter: _ToNHWC, var: relax.Var, value: relax.Call, layout: Any) -> bool:
    order, axes = rewriter.order_of(value.args[0]), sliced_axes(value)
    if order is None or axes is None or shape_of(var) is None:
        return False
    fields = relax.Tuple([tirx.IntImm("int64", order.index(axis)) for axis in axes])
    data = rewriter.ordered(value.args[0], order)
    return rewriter.set_form(var, order, replaced(value, [data, fields, *value.args[2:]]))


def _expands(rewriter: _ToNHWC, var: relax.Var, value: relax.Call, layout: Any) -> bool:
    order, shape = rewriter.order_of(value.args[0]), shape_of(var)
    if order is None or shape is None or len(shape) != len(order):
        return False
    wide = relax.op.broadcast_to(rewriter.ordered(value.args[0], order), [shape[axis] for axis in order])
    return rewriter.set_form(var, order, wide)


def _joins(rewriter: _ToNHWC, var: relax.Var, value: relax.Call, layout: Any) -> bool:
    joined, shape = concatenation_of(value), shape_of(var)
    if joined is None or joined.shapes is None or shape is None:
        return False
    order = rewriter.common_order(joined.tensors, len(shape))
    if order is None:
        return False
    fields = relax.Tuple([rewriter.ordered(tensor, order) for tensor in joined.tensors])
    return rewriter.set_form(var, order, replaced(value, [fields], axis=order.index(joined.axis)))


def _reduces(rewriter: _ToNHWC, var: relax.Var, value: relax.Call, layout: layouts.Reduces) -> bool:
    order = rewriter.order_of(value.args[0])
    axes = None if order is None else layout.axes(value.attrs, len(order))
    if order is None or axes is None or shape_of(var) is None:
        return False
    moved = layout.attribute([order.index(axis) for axis in axes])
    reduced = rewriter.on_ordered(value, order, axis=moved)
    return rewriter.set_form(var, order if value.attrs.keepdims else orders.without(order, axes), reduced)


def _normalizes(rewriter: _ToNHWC, var: relax.Var, value: relax.Call, layout: layouts.Normalizes) -> bool:
    order = rewriter.order_of(value.args[0])
    if order is None or shape_of(var) is None:
        return False
    axes = [int(axis) % len(order) for axis in value.attrs.axes]
    moved = [order.index(axis) for axis in axes]
    changes: dict[str, Any] = {"axes": moved}
    if layout.channels:
        changes[layout.channels] = order.index(int(getattr(value.attrs, layout.channels)) % len(order))
    elif moved != [*range(len(order) - len(axes), len(order))]:
        return False  # scale and shift have these axes, in this order
    return rewriter.set_form(var, order, rewriter.on_ordered(value, order, **changes))


def _reshapes(rewriter: _ToNHWC, var: relax.Var, value: relax.Call, layout: Any) -> bool:
    """Reshape what is stored where that is the same in memory, or where dense layers' weights can follow."""
    data, before, result = value.args[0], shape_of(value.args[0]), shape_of(var)
    if rewriter.order_of(data) is None or before is None or result is None:
        return False
    nearest: list[tuple[Order, Order]] = []
    for order in rewriter.forms(data):
        found = orders.of_reshape(before, result, order)
        if [source for source, _ in found] == [order]:
            return _reshaped(rewriter, var, data, found[0])
        nearest += found
    if rewriter.is_nhwc(data) and len(result) == 2 and rewriter.goes_to_dense(var):
        batch, channels, height, width = before
        if result == (batch, channels * height * width):
            flat = rewriter.shaped(rewriter.ordered(data, TO_NHWC), result)
            return rewriter.set_rows(var, (channels, height, width), flat)
    images = [pair for pair in nearest if pair[1] == TO_NHWC]
    return bool(images) and _reshaped(rewriter, var, data, images[0])


def _reshaped(rewriter: _ToNHWC, var: relax.Var, data: relax.Expr, found: tuple[Order, Order]) -> bool:
    shape = shape_of(var) or ()
    stored = rewriter.ordered(data, found[0])
    return rewriter.set_form(var, found[1], rewriter.shaped(stored, tuple(shape[axis] for axis in found[1])))


def _quantizes(rewriter: _ToNHWC, var: relax.Var, value: relax.Call, layout: Any) -> bool:
    rows = rewriter.matrix_rows(value.args[0])
    if rows is not None:
        return rewriter.set_rows(var, rows, rewriter.new(value))
    return _elementwise(rewriter, var, value, layout)


def _multiplies(rewriter: _ToNHWC, var: relax.Var, value: relax.Call, layout: Any) -> bool:
    data, rows = value.args[0], rewriter.matrix_rows(value.args[0])
    weight = rewriter.dense_weight(value.args[1])
    order = rewriter.order_of(data)
    if order is not None and order[-1] == len(order) - 1 and len(shape_of(value.args[1]) or ()) == 2:
        return rewriter.set_form(var, order, rewriter.on_ordered(value, order))  # rows in any order
    if rows is None or weight is None:
        return False
    matrix, dequantize = weight
    extents: list[int] = list(matrix.array.shape)
    extents[matrix.axis("I") : matrix.axis("I") + 1] = rows
    moved = np.moveaxis(matrix.array.reshape(extents), matrix.axis("I"), matrix.axis("I") + 2)
    new = matrix.with_array(rewriter.emit, page_aligned(moved).reshape(matrix.array.shape))
    if dequantize is not None:
        new = rewriter.emit(replaced(dequantize, [new, *dequantize.args[1:]]))
    return rewriter.set_plain(var, replaced(value, [rewriter.new(value.args[0]), new]))


def _permutes(rewriter: _ToNHWC, var: relax.Var, value: relax.Call, layout: Any) -> bool:
    """Leave what is stored as it is. Constants are for other passes to permute."""
    data, shape = value.args[0], shape_of(var)
    if shape is None or isinstance(rewriter.graph.resolve(data), GenericConst):
        return False
    order = rewriter.order_of(data) or orders.plain(len(shape))
    moved = orders.of_permutation(order, axes_of(value))
    return rewriter.set_form(var, moved, rewriter.ordered(data, order))


def _composite(rewriter: _ToNHWC, var: relax.Var, value: relax.Call, layout: Any) -> bool:
    found = composite.composite_of(rewriter, value)
    entry = None if found is None else COMPOSITES.get(found.name)
    if found is None or entry is None or entry.rebuild is None or found.attributes.get("axis") != 1:
        return False
    if len(shape_of(var) or ()) != 4 or not (entry.wants_nhwc or any(map(rewriter.is_nhwc, value.args))):
        return False
    data = [rewriter.ordered(argument, TO_NHWC) for argument in value.args]
    return rewriter.set_form(var, TO_NHWC, entry.rebuild(rewriter, data, found.attributes, 3))


RULES: dict[type, Callable[[_ToNHWC, relax.Var, relax.Call, Any], bool]] = {
    layouts.Elementwise: _elementwise,
    layouts.Broadcasting: _broadcasting,
    layouts.Moves: _moves,
    layouts.Slices: _slices,
    layouts.Expands: _expands,
    layouts.Joins: _joins,
    layouts.Reduces: _reduces,
    layouts.Normalizes: _normalizes,
    layouts.Reshapes: _reshapes,
    layouts.Permutes: _permutes,
    layouts.Multiplies: _multiplies,
    layouts.Quantizes: _quantizes,
}
"""These make a call in another order of axes, by the kind of its layout, and say whether they did."""
