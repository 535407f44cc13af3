"""ToNHWC: NCHW networks made NHWC from end to end.

Convolutions and pooling ask for NHWC; everything that can follow does (element-wise operators, concatenation,
reductions, softmax, composites; an operator's entry says how); a layout change is emitted only where an
operator of which that is not known, an input or an output needs one, and at most once per tensor. A dense
layer behind a flattened map gets the rows of its constant weights permuted instead of its input. The pass is
exact: it moves data, it computes nothing. Quantized tensors are moved as the bytes they are stored in:
between a layout change and what asked for it stand no quantization, dequantization or cast.

TVM's ConvertLayout stops at composites, at quantized operators and at maps flattened for dense layers: it
puts changes of layout there, and leaves those of filters to constant folding.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import tvm
from tvm import relax

from relay_strategies.operators import COMPOSITES, layouts, operator_of
from relay_strategies.operators.layouts import TO_NCHW, TO_NHWC, nhwc_axis
from relay_strategies.relax import composite
from relay_strategies.relax.calls import replaced
from relay_strategies.relax.graph import (
    Rewriter,
    constant,
    dtype_of,
    has_one_element,
    make_constant,
    operator_name,
    rewrite_module,
    shape_of,
)
from relay_strategies.relax.matrices import StoredMatrix, stored_matrix
from relay_strategies.relax.quantization import DEQUANTIZE, QUANTIZE, channel_axis


@tvm.transform.module_pass(opt_level=0, name="directconv.ToNHWC")
def ToNHWC(module: tvm.IRModule, context: tvm.transform.PassContext) -> tvm.IRModule:
    """Make convolutional networks NHWC; wants ``Simplify`` before it."""
    return rewrite_module(module, _ToNHWC)


class _ToNHWC(Rewriter):
    """Every old 4-D variable has an NCHW form (the rewriter's own), an NHWC form, or both.

    A form that is asked for and not there is made from the other one, once.
    """

    def __init__(self, function: relax.Function, builder: relax.BlockBuilder) -> None:
        super().__init__(function, builder)
        self._forms: dict[relax.Var, relax.Expr] = {}
        self._parts: dict[relax.Var, relax.Var] = {}
        self._flat: dict[relax.Var, tuple[int, int, int]] = {}

    def visit(self, var: relax.Var, value: relax.Expr) -> relax.Expr | None:
        if isinstance(value, relax.Var) and value in self._forms:
            self._forms[var] = self._forms[value]
            return None
        if isinstance(value, relax.TupleGetItem) and value.tuple_value in self._parts:
            part = relax.TupleGetItem(self._parts[value.tuple_value], value.index)
            self._forms[var] = self.emit(part, var.name)
            return None
        layout = operator_of(value).layout
        rule = _composite if composite.composite_of(self, value) is not None else RULES.get(type(layout))
        if rule is not None and rule(self, var, value, layout):
            return None
        return self.new(value)

    def new(self, expr: relax.Expr) -> relax.Expr:
        if isinstance(expr, relax.Var) and expr in self._forms and expr not in self._environment:
            self.bind(expr, self._move(self._forms[expr], TO_NCHW))
        elif isinstance(expr, relax.Var) and expr in self._parts and expr not in self._environment:
            whole = self._parts[expr]
            parts = (self.emit(relax.TupleGetItem(whole, i)) for i in range(len(expr.ty.fields)))
            self.bind(expr, relax.Tuple([self._move(part, TO_NCHW) for part in parts]))
        elif isinstance(expr, relax.If | relax.SeqExpr | relax.Function):
            for var in relax.analysis.free_vars(expr):
                self.new(var)
        return super().new(expr)

    def is_nhwc(self, expr: relax.Expr) -> bool:
        return isinstance(expr, relax.Var) and expr in self._forms

    def nhwc(self, expr: relax.Expr) -> relax.Expr:
        """The NHWC form of an old 4-D expression; lower ranks are taken to broadcast."""
        if isinstance(expr, relax.Var) and expr in self._forms:
            return self._forms[expr]
        shape = shape_of(expr)
        assert shape is not None
        array = constant(expr)
        wide = (1,) * (4 - len(shape)) + shape
        if array is not None:
            return make_constant(array.reshape(wide).transpose(TO_NHWC)) if array.size > 1 else expr
        if len(shape) < 4:
            return self._move(self.emit(relax.op.reshape(self.new(expr), wide)), TO_NHWC)
        source = self._cast(expr)
        self._forms[expr] = (
            self._move(self.new(expr), TO_NHWC) if source is None else self.emit(self.nhwc_call(source))
        )
        return self._forms[expr]

    def _cast(self, expr: relax.Expr) -> relax.Call | None:
        """The call that made ``expr`` when it changes the type of what it is given, element by element."""
        cast = self.graph.call(expr, QUANTIZE, DEQUANTIZE, "relax.astype")
        if cast is not None:
            return cast
        if dtype_of(expr) != "int32":
            return None
        shift = self.graph.call(expr, "relax.add", "relax.subtract")  # of a zero point
        return shift if shift is not None and has_one_element(shift.args[1]) else None

    def nhwc_call(self, call: relax.Call, **changes: Any) -> relax.Call:
        """A call of the old function on the NHWC form of its data, with some attributes changed."""
        if isinstance(operator_of(call).layout, layouts.Quantizes):
            changes["axis"] = nhwc_axis(channel_axis(call) or 0)
        arguments = [self.nhwc(call.args[0]), *(self.new(argument) for argument in call.args[1:])]
        return replaced(call, arguments, **changes)

    def set_nhwc(self, var: relax.Var, value: relax.Expr) -> bool:
        """``value`` is the NHWC form of the old ``var``, or the tuple of NHWC forms that it stands for."""
        forms = self._parts if isinstance(var.ty, relax.TupleType) else self._forms
        forms[var] = self.emit(value, var.name)
        return True

    def set_plain(self, var: relax.Var, value: relax.Expr) -> bool:
        """``value`` is what the old ``var`` was, its axes included."""
        self.bind(var, value if isinstance(value, relax.Var) else self.emit(value, var.name))
        return True

    def _move(self, data: relax.Expr, axes: tuple[int, ...]) -> relax.Expr:
        """``data`` with its axes permuted; a move that changes no order in memory is a reshape."""
        back = self.produced(data, "relax.permute_dims")
        if back is not None and [int(back.attrs.axes[a]) for a in axes] == [0, 1, 2, 3]:
            return back.args[0]
        shape = shape_of(data)
        assert shape is not None
        kept = [axis for axis in axes if shape[axis] != 1]
        if kept == sorted(kept):
            return self.emit(relax.op.reshape(data, [shape[axis] for axis in axes]))
        return self.emit(relax.op.permute_dims(data, list(axes)))

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
                operator_name(value) != "relax.matmul"
                or value.args[0] != data
                or self.dense_weight(value.args[1]) is None
            ):
                return False
        return True

    def dense_weight(self, weight: relax.Expr) -> tuple[StoredMatrix, relax.Call | None] | None:
        """A dense layer's constant weight, and what dequantizes it."""
        dequantize = self.graph.call(weight, DEQUANTIZE)
        if dequantize is not None and channel_axis(dequantize) == 0:
            return None  # a scale for every row, and the rows are to be permuted
        matrix = stored_matrix(self.graph, weight if dequantize is None else dequantize.args[0])
        return None if matrix is None else (matrix, dequantize)


# ---- one rule per kind of following


def _elementwise(rewriter: _ToNHWC, var: relax.Var, value: relax.Call, layout: Any) -> bool:
    if not rewriter.is_nhwc(value.args[0]):
        return False
    return rewriter.set_nhwc(var, rewriter.nhwc_call(value))


def _broadcasting(rewriter: _ToNHWC, var: relax.Var, value: relax.Call, layout: Any) -> bool:
    if len(shape_of(var) or ()) != 4 or not any(map(rewriter.is_nhwc, value.args)):
        return False
    if any(shape_of(argument) is None for argument in value.args):
        return False
    return rewriter.set_nhwc(var, replaced(value, [rewriter.nhwc(a) for a in value.args]))


def _moves(rewriter: _ToNHWC, var: relax.Var, value: relax.Call, layout: layouts.Moves) -> bool:
    data = value.args[0]
    wanted = layout.wanted and len(shape_of(data) or ()) == 4 and shape_of(var) is not None
    if len(shape_of(var) or (0,) * 4) != 4:
        return False  # a gather of more or fewer axes
    if not layout.is_nchw(value.attrs) or not (wanted or rewriter.is_nhwc(data)):
        return False
    return rewriter.set_nhwc(var, rewriter.nhwc_call(value, **layout.in_nhwc(value.attrs)))


def _joins(rewriter: _ToNHWC, var: relax.Var, value: relax.Call, layout: Any) -> bool:
    tensors = value.args[0].fields if isinstance(value.args[0], relax.Tuple) else []
    if len(shape_of(var) or ()) != 4 or not any(map(rewriter.is_nhwc, tensors)):
        return False
    if value.attrs.axis is None:
        return False
    fields = relax.Tuple([rewriter.nhwc(tensor) for tensor in tensors])
    return rewriter.set_nhwc(var, replaced(value, [fields], axis=nhwc_axis(int(value.attrs.axis))))


def _reduces(rewriter: _ToNHWC, var: relax.Var, value: relax.Call, layout: Any) -> bool:
    if not rewriter.is_nhwc(value.args[0]):
        return False
    if not value.attrs.keepdims:
        # Of everything, in whatever order; other axes would be left in NHWC's.
        return value.attrs.axis is None and rewriter.set_plain(var, rewriter.nhwc_call(value))
    axes = range(4) if value.attrs.axis is None else [int(a) for a in value.attrs.axis]
    return rewriter.set_nhwc(var, rewriter.nhwc_call(value, axis=sorted(map(nhwc_axis, axes))))


def _reshapes(rewriter: _ToNHWC, var: relax.Var, value: relax.Call, layout: Any) -> bool:
    """Flattened as it lies in memory where that is the same, or where dense layers' weights can follow."""
    data, result = value.args[0], shape_of(var)
    if not rewriter.is_nhwc(data) or result is None:
        return False
    batch, channels, height, width = shape_of(data) or (0, 0, 0, 0)
    flat = relax.op.reshape(rewriter.nhwc(data), result)
    if channels == 1 or height * width == 1:
        return rewriter.set_plain(var, flat)
    if result != (batch, channels * height * width) or not rewriter.goes_to_dense(var):
        return False
    return rewriter.set_rows(var, (channels, height, width), flat)


def _quantizes(rewriter: _ToNHWC, var: relax.Var, value: relax.Call, layout: Any) -> bool:
    rows = rewriter.matrix_rows(value.args[0])
    if rows is not None:
        return rewriter.set_rows(var, rows, rewriter.new(value))
    return _elementwise(rewriter, var, value, layout)


def _multiplies(rewriter: _ToNHWC, var: relax.Var, value: relax.Call, layout: Any) -> bool:
    rows = rewriter.matrix_rows(value.args[0])
    weight = rewriter.dense_weight(value.args[1])
    if rows is None or weight is None:
        return False
    matrix, dequantize = weight
    extents: list[int] = list(matrix.array.shape)
    extents[matrix.inputs_axis : matrix.inputs_axis + 1] = rows
    moved = np.moveaxis(matrix.array.reshape(extents), matrix.inputs_axis, matrix.inputs_axis + 2)
    new = matrix.with_array(rewriter.emit, moved.reshape(matrix.array.shape))
    if dequantize is not None:
        new = rewriter.emit(replaced(dequantize, [new, *dequantize.args[1:]]))
    return rewriter.set_plain(var, replaced(value, [rewriter.new(value.args[0]), new]))


def _permutes(rewriter: _ToNHWC, var: relax.Var, value: relax.Call, layout: Any) -> bool:
    if not rewriter.is_nhwc(value.args[0]):
        return False
    axes = [3, 2, 1, 0] if value.attrs.axes is None else [int(a) for a in value.attrs.axes]
    mapped, stored = [nhwc_axis(a) for a in axes], rewriter.nhwc(value.args[0])
    if mapped == [0, 1, 2, 3]:
        return rewriter.set_plain(var, stored)
    return rewriter.set_plain(var, relax.op.permute_dims(stored, mapped))


def _composite(rewriter: _ToNHWC, var: relax.Var, value: relax.Call, layout: Any) -> bool:
    found = composite.composite_of(rewriter, value)
    entry = None if found is None else COMPOSITES.get(found.name)
    if found is None or entry is None or entry.rebuild is None or found.attributes.get("axis") != 1:
        return False
    if len(shape_of(var) or ()) != 4 or not (entry.wants_nhwc or any(map(rewriter.is_nhwc, value.args))):
        return False
    data = [rewriter.nhwc(argument) for argument in value.args]
    return rewriter.set_nhwc(var, entry.rebuild(rewriter, data, found.attributes, 3))


RULES: dict[type, Callable[[_ToNHWC, relax.Var, relax.Call, Any], bool]] = {
    layouts.Elementwise: _elementwise,
    layouts.Broadcasting: _broadcasting,
    layouts.Moves: _moves,
    layouts.Joins: _joins,
    layouts.Reduces: _reduces,
    layouts.Reshapes: _reshapes,
    layouts.Permutes: _permutes,
    layouts.Multiplies: _multiplies,
    layouts.Quantizes: _quantizes,
}
"""By kind of following, these make a call in NHWC, and say whether they did."""
