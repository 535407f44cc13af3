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
from typing import Any

import numpy as np
from tvm import relax, tirx
from tvm.ir import GenericConst

from relay_strategies.operators import layouts, operator_of, orders
from relay_strategies.operators.layouts import TO_NHWC
from relay_strategies.operators.operator import CompositeOperator
from relay_strategies.operators.orders import Order, Shape
from relay_strategies.relax.calls import replaced
from relay_strategies.relax.filters import PRODUCT, Filter, stored_matrix
from relay_strategies.relax.graph import operator_name, rewrite_pass, shape_of
from relay_strategies.relax.movement_calls import axes_of, sliced_axes
from relay_strategies.relax.quantize_calls import DEQUANTIZE, channel_axis
from tvm_directconv.memory import page_aligned
from tvm_directconv.problem.extents import typical

from .axis_orders import AxisOrderRewriter


class _ToNHWC(AxisOrderRewriter):
    def __init__(self, function: relax.Function, builder: relax.BlockBuilder) -> None:
        super().__init__(function, builder)
        self._flat: dict[relax.Var, tuple[int, int, int]] = {}

    def layout_of_composite(self, entry: CompositeOperator, var: relax.Var, call: relax.Call) -> Order | None:
        asked = entry.wants_nhwc or any(map(self.is_nhwc, call.args))
        return TO_NHWC if asked and len(shape_of(var) or ()) == len(TO_NHWC) else None

    def leaves_larger(self, var: relax.Var, data: Shape) -> bool:
        """Whether a tensor is larger than the ``data`` it is made of, and all that is made of it, element by
        element, are results of the function: these are plain, and data is moved where there is less of it.
        """
        return math.prod(typical(shape_of(var) or ())) > math.prod(typical(data)) and self._leaves(var)

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

    # ---- one rule per kind of following

    def on_broadcasting(self, var: relax.Var, value: relax.Call, kind: layouts.Broadcasting) -> bool:
        shape = shape_of(var)
        if shape is None or any(shape_of(argument) is None for argument in value.args):
            return False
        order = self.common_layout(value.args, shape)
        if order is None:
            return False
        return self.hold(var, order, replaced(value, [self.in_layout(a, order) for a in value.args]))

    def on_moves(self, var: relax.Var, value: relax.Call, kind: layouts.Moves) -> bool:
        data = value.args[0]
        shape, order = shape_of(data), self.layout_of(data)
        if kind.names and (kind.wanted or order is not None) and len(shape or ()) == len(TO_NHWC):
            order = TO_NHWC
        if shape is None or order is None or not kind.is_nchw(value.attrs):
            return False
        if kind.either is not None and kind.either(value.attrs) and self.leaves_larger(var, shape):
            return False
        axis = int(getattr(value.attrs, kind.axis)) % len(order) if kind.axis else 0
        if kind.last and order[-1] != axis == len(order) - 1:
            return False
        result = order
        if not isinstance(var.ty, relax.TupleType):
            rank = len(shape_of(var) or ())
            result = orders.without(order, [axis]) if kind.axis and rank == len(order) - 1 else order
            if rank != len(result):
                return False  # a gather of more axes
        places = [order.index(axis) for axis in range(len(order))]
        changes = kind.changes(value.attrs, places, len(order))
        return changes is not None and self.hold(var, result, self.on_data(value, order, **changes))

    def on_slices(self, var: relax.Var, value: relax.Call, kind: layouts.Slices) -> bool:
        order, axes = self.layout_of(value.args[0]), sliced_axes(value)
        if order is None or axes is None or shape_of(var) is None:
            return False
        fields = relax.Tuple([tirx.IntImm("int64", order.index(axis)) for axis in axes])
        data = self.in_layout(value.args[0], order)
        return self.hold(var, order, replaced(value, [data, fields, *value.args[2:]]))

    def on_expands(self, var: relax.Var, value: relax.Call, kind: layouts.Expands) -> bool:
        order, shape = self.layout_of(value.args[0]), shape_of(var)
        if order is None or shape is None or len(shape) != len(order):
            return False
        wide = relax.op.broadcast_to(self.in_layout(value.args[0], order), [shape[axis] for axis in order])
        return self.hold(var, order, wide)

    def on_reduces(self, var: relax.Var, value: relax.Call, kind: layouts.Reduces) -> bool:
        order = self.layout_of(value.args[0])
        axes = None if order is None else kind.axes(value.attrs, len(order))
        if order is None or axes is None or shape_of(var) is None:
            return False
        moved = kind.attribute([order.index(axis) for axis in axes])
        reduced = self.on_data(value, order, axis=moved)
        return self.hold(var, order if value.attrs.keepdims else orders.without(order, axes), reduced)

    def on_normalizes(self, var: relax.Var, value: relax.Call, kind: layouts.Normalizes) -> bool:
        order = self.layout_of(value.args[0])
        if order is None or shape_of(var) is None:
            return False
        axes = [int(axis) % len(order) for axis in value.attrs.axes]
        moved = [order.index(axis) for axis in axes]
        changes: dict[str, Any] = {"axes": moved}
        if kind.channels:
            changes[kind.channels] = order.index(int(getattr(value.attrs, kind.channels)) % len(order))
        elif moved != [*range(len(order) - len(axes), len(order))]:
            return False  # scale and shift have these axes, in this order
        return self.hold(var, order, self.on_data(value, order, **changes))

    def on_reshapes(self, var: relax.Var, value: relax.Call, kind: layouts.Reshapes) -> bool:
        """Reshape what is stored if that moves nothing in memory, or if dense layers' weights can follow."""
        data, before, result = value.args[0], shape_of(value.args[0]), shape_of(var)
        if self.layout_of(data) is None or before is None or result is None:
            return False
        nearest: list[tuple[Order, Order]] = []
        for order in self.orders_of(data):
            found = orders.of_reshape(before, result, order)
            if [source for source, _ in found] == [order]:
                return self._reshaped(var, data, found[0])
            nearest += found
        if self.is_nhwc(data) and len(result) == 2 and self.goes_to_dense(var):
            batch, channels, height, width = before
            if result == (batch, channels * height * width):
                flat = self.shaped(self.in_layout(data, TO_NHWC), result)
                return self.set_rows(var, (channels, height, width), flat)
        images = [pair for pair in nearest if pair[1] == TO_NHWC]
        return bool(images) and self._reshaped(var, data, images[0])

    def _reshaped(self, var: relax.Var, data: relax.Expr, found: tuple[Order, Order]) -> bool:
        shape = shape_of(var) or ()
        stored = self.in_layout(data, found[0])
        return self.hold(var, found[1], self.shaped(stored, tuple(shape[axis] for axis in found[1])))

    def on_quantizes(self, var: relax.Var, value: relax.Call, kind: layouts.Quantizes) -> bool:
        rows = self.matrix_rows(value.args[0])
        if rows is not None:
            return self.set_rows(var, rows, self.new(value))
        return super().on_quantizes(var, value, kind)

    def on_multiplies(self, var: relax.Var, value: relax.Call, kind: layouts.Multiplies) -> bool:
        data, rows = value.args[0], self.matrix_rows(value.args[0])
        weight = self.dense_weight(value.args[1])
        order = self.layout_of(data)
        if order is not None and order[-1] == len(order) - 1 and len(shape_of(value.args[1]) or ()) == 2:
            return self.hold(var, order, self.on_data(value, order))  # rows in any order
        if rows is None or weight is None:
            return False
        matrix, dequantize = weight
        extents: list[int] = list(matrix.array.shape)
        extents[matrix.axis("I") : matrix.axis("I") + 1] = rows
        moved = np.moveaxis(matrix.array.reshape(extents), matrix.axis("I"), matrix.axis("I") + 2)
        new = matrix.with_array(self.emit, page_aligned(moved).reshape(matrix.array.shape))
        if dequantize is not None:
            new = self.emit(replaced(dequantize, [new, *dequantize.args[1:]]))
        return self.set_plain(var, replaced(value, [self.new(value.args[0]), new]))

    def on_permutes(self, var: relax.Var, value: relax.Call, kind: layouts.Permutes) -> bool:
        """Leave what is stored as it is. Constants are for other passes to permute."""
        data, shape = value.args[0], shape_of(var)
        if shape is None or isinstance(self.graph.resolve(data), GenericConst):
            return False
        order = self.layout_of(data) or orders.plain(len(shape))
        moved = orders.of_permutation(order, axes_of(value))
        return self.hold(var, moved, self.in_layout(data, order))


ToNHWC = rewrite_pass("ToNHWC", _ToNHWC)
"""Make convolutional networks NHWC; wants ``Simplify`` before it."""
