"""ToNHWC: NCHW networks made NHWC from end to end.

Convolutions and pooling ask for NHWC; everything that can follow does (element-wise operators, concatenation,
reductions, softmax, composites); a layout change is emitted only where an operator unknown to this pass, an
input or an output needs one, and at most once per tensor. A dense layer behind a flattened map gets the rows
of its constant weights permuted instead of its input. The pass is exact: it moves data, it computes nothing.
Quantized tensors are moved as the bytes they are stored in: between a layout change and what asked for it
stand no quantization, dequantization or cast.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import tvm
from tvm import relax

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

from .quantization import DEQUANTIZE, QUANTIZE, channel_axis

NHWC = "NHWC"
TO_NHWC = (0, 2, 3, 1)
TO_NCHW = (0, 3, 1, 2)

UNARY = frozenset({
    "relax.abs", "relax.acos", "relax.acosh", "relax.asin", "relax.asinh", "relax.astype", "relax.atan",
    "relax.atanh", "relax.bitwise_not", "relax.ceil", "relax.clip", "relax.cos", "relax.cosh",
    "relax.erf", "relax.exp", "relax.floor", "relax.isfinite", "relax.isinf", "relax.isnan",
    "relax.log", "relax.logical_not", "relax.negative", "relax.round", "relax.rsqrt", "relax.sigmoid",
    "relax.sign", "relax.sin", "relax.sinh", "relax.sqrt", "relax.square", "relax.tan", "relax.tanh",
    "relax.trunc", "relax.nn.relu", "relax.nn.relu6", "relax.nn.leakyrelu", "relax.nn.gelu",
    "relax.nn.gelu_tanh", "relax.nn.selu", "relax.nn.silu", "relax.nn.softplus", "relax.ones_like",
    "relax.zeros_like",
})  # fmt: skip
BROADCASTING = frozenset({
    "relax.add", "relax.subtract", "relax.multiply", "relax.divide", "relax.floor_divide",
    "relax.power", "relax.mod", "relax.floor_mod", "relax.maximum", "relax.minimum", "relax.equal",
    "relax.not_equal", "relax.less", "relax.less_equal", "relax.greater", "relax.greater_equal",
    "relax.logical_and", "relax.logical_or", "relax.logical_xor", "relax.where",
})  # fmt: skip
REDUCTIONS = ("mean", "sum", "max", "min", "prod", "variance", "std")


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
        rule = _rule(self, value)
        if rule is not None and rule(self, var, value):
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

    def nhwc_call(self, call: relax.Call) -> relax.Call:
        """An element-wise call of the old function on the NHWC form of its data."""
        arguments = [self.nhwc(call.args[0]), *(self.new(argument) for argument in call.args[1:])]
        if operator_name(call) in (QUANTIZE, DEQUANTIZE):
            return replaced(call, arguments, axis=_axis(channel_axis(call) or 0))
        return replaced(call, arguments)

    def set_nhwc(self, var: relax.Var, value: relax.Expr) -> bool:
        self._forms[var] = self.emit(value, var.name)
        return True

    def set_parts(self, var: relax.Var, value: relax.Expr) -> bool:
        """``value`` is a tuple of tensors in NHWC."""
        self._parts[var] = self.emit(value, var.name)
        return True

    def set_plain(self, var: relax.Var, value: relax.Expr) -> bool:
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

    def matrix_rows(self, expr: relax.Expr) -> tuple[int, int, int] | None:
        """(C, H, W) when an old matrix was flattened from NHWC though it stands for flattened NCHW."""
        return self._flat.get(expr) if isinstance(expr, relax.Var) else None

    def flatten(self, var: relax.Var, value: relax.Call) -> bool:
        """Flatten NHWC as it lies in memory when every consumer can permute its weights instead."""
        batch, channels, height, width = shape_of(value.args[0]) or (0, 0, 0, 0)
        if shape_of(var) != (batch, channels * height * width):
            return False
        if not self._goes_to_dense(var):
            return False
        self._flat[var] = channels, height, width
        return self.set_plain(var, relax.op.reshape(self.nhwc(value.args[0]), shape_of(var)))

    def _goes_to_dense(self, data: relax.Var) -> bool:
        """Whether dense layers of constant weights alone consume a matrix, perhaps dequantized."""
        consumers = self.graph.consumers.get(data, [])
        if not consumers or self.graph.uses[data] != len(consumers):
            return False
        for consumer in consumers:
            value = self.graph.definition[consumer]
            if operator_name(value) == DEQUANTIZE and channel_axis(value) is None:
                if not self._goes_to_dense(consumer):
                    return False
            elif (
                operator_name(value) != "relax.matmul"
                or value.args[0] != data
                or self.stored_matrix(value.args[1]) is None
            ):
                return False
        return True

    def set_flat(self, var: relax.Var, data: relax.Expr) -> None:
        """``var`` has the columns of the flattened ``data``."""
        assert isinstance(data, relax.Var)
        self._flat[var] = self._flat[data]

    def stored_matrix(self, weight: relax.Expr) -> tuple[np.ndarray, bool, relax.Call | None] | None:
        """(matrix, whether it is used transposed, what dequantizes it) of a dense layer's constant weight."""
        dequantize = self.graph.call(weight, DEQUANTIZE)
        if dequantize is not None:
            if channel_axis(dequantize) == 0:
                return None  # a scale for every row, and the rows are to be permuted
            weight = dequantize.args[0]
        transposed = self.graph.call(weight, "relax.permute_dims")
        matrix = constant(self.graph.resolve(weight if transposed is None else transposed.args[0]))
        if matrix is None or matrix.ndim != 2:
            return None
        return matrix, transposed is not None, dequantize


Rule = Callable[[_ToNHWC, relax.Var, relax.Call], bool]


def _rule(rewriter: _ToNHWC, value: relax.Expr) -> Rule | None:
    name = operator_name(value)
    if name in UNARY:
        return _unary
    if name in BROADCASTING:
        return _broadcasting
    if composite.composite_of(rewriter, value) is not None:
        return _composite
    return RULES.get(name)


def _unary(rewriter: _ToNHWC, var: relax.Var, value: relax.Call) -> bool:
    if not rewriter.is_nhwc(value.args[0]):
        return False
    arguments = [rewriter.nhwc(value.args[0]), *(rewriter.new(a) for a in value.args[1:])]
    return rewriter.set_nhwc(var, replaced(value, arguments))


def _broadcasting(rewriter: _ToNHWC, var: relax.Var, value: relax.Call) -> bool:
    if len(shape_of(var) or ()) != 4 or not any(map(rewriter.is_nhwc, value.args)):
        return False
    if any(shape_of(argument) is None for argument in value.args):
        return False
    return rewriter.set_nhwc(var, replaced(value, [rewriter.nhwc(a) for a in value.args]))


def _conv2d(rewriter: _ToNHWC, var: relax.Var, value: relax.Call) -> bool:
    if value.attrs.data_layout != "NCHW" or value.attrs.out_layout != "NCHW" or shape_of(var) is None:
        return False
    arguments = [rewriter.nhwc(value.args[0]), rewriter.new(value.args[1])]
    return rewriter.set_nhwc(var, replaced(value, arguments, data_layout=NHWC, out_layout=NHWC))


def _pool(rewriter: _ToNHWC, var: relax.Var, value: relax.Call) -> bool:
    if value.attrs.layout != "NCHW" or value.attrs.out_layout != "NCHW" or shape_of(var) is None:
        return False
    data = rewriter.nhwc(value.args[0])
    return rewriter.set_nhwc(var, replaced(value, [data], layout=NHWC, out_layout=NHWC))


def _pad(rewriter: _ToNHWC, var: relax.Var, value: relax.Call) -> bool:
    if not rewriter.is_nhwc(value.args[0]):
        return False
    widths = [int(width) for width in value.attrs.pad_width]
    moved = [widths[2 * axis + end] for axis in TO_NHWC for end in (0, 1)]
    return rewriter.set_nhwc(var, replaced(value, [rewriter.nhwc(value.args[0])], pad_width=moved))


def _resize(rewriter: _ToNHWC, var: relax.Var, value: relax.Call) -> bool:
    if value.attrs.layout != "NCHW" or not rewriter.is_nhwc(value.args[0]):
        return False
    arguments = [rewriter.nhwc(value.args[0]), *value.args[1:]]
    return rewriter.set_nhwc(var, replaced(value, arguments, layout=NHWC))


def _concat(rewriter: _ToNHWC, var: relax.Var, value: relax.Call) -> bool:
    tensors = value.args[0].fields if isinstance(value.args[0], relax.Tuple) else []
    if len(shape_of(var) or ()) != 4 or not any(map(rewriter.is_nhwc, tensors)):
        return False
    if value.attrs.axis is None:
        return False
    fields = relax.Tuple([rewriter.nhwc(tensor) for tensor in tensors])
    return rewriter.set_nhwc(var, replaced(value, [fields], axis=_axis(int(value.attrs.axis))))


def _split(rewriter: _ToNHWC, var: relax.Var, value: relax.Call) -> bool:
    if not rewriter.is_nhwc(value.args[0]):
        return False
    data = rewriter.nhwc(value.args[0])
    return rewriter.set_parts(var, replaced(value, [data], axis=_axis(int(value.attrs.axis))))


def _axis(axis: int) -> int:
    """Where an axis of NCHW is in NHWC."""
    return TO_NHWC.index(axis % 4)


def _reduction(rewriter: _ToNHWC, var: relax.Var, value: relax.Call) -> bool:
    if not rewriter.is_nhwc(value.args[0]):
        return False
    if not value.attrs.keepdims:
        # Of everything, in whatever order; other axes would be left in NHWC's.
        everything = value.attrs.axis is None
        return everything and rewriter.set_plain(var, replaced(value, [rewriter.nhwc(value.args[0])]))
    axes = range(4) if value.attrs.axis is None else [int(a) for a in value.attrs.axis]
    mapped = sorted(_axis(a) for a in axes)
    return rewriter.set_nhwc(var, replaced(value, [rewriter.nhwc(value.args[0])], axis=mapped))


def _along_axis(rewriter: _ToNHWC, var: relax.Var, value: relax.Call) -> bool:
    """Softmax and PReLU: of the data's shape, with one axis that is special."""
    if not rewriter.is_nhwc(value.args[0]):
        return False
    arguments = [rewriter.nhwc(value.args[0]), *(rewriter.new(a) for a in value.args[1:])]
    return rewriter.set_nhwc(var, replaced(value, arguments, axis=_axis(int(value.attrs.axis))))


def _reshape(rewriter: _ToNHWC, var: relax.Var, value: relax.Call) -> bool:
    data = value.args[0]
    if not rewriter.is_nhwc(data) or shape_of(var) is None:
        return False
    _, channels, height, width = shape_of(data) or (0, 0, 0, 0)
    if channels == 1 or height * width == 1:
        return rewriter.set_plain(var, relax.op.reshape(rewriter.nhwc(data), shape_of(var)))
    return rewriter.flatten(var, value)


def _quantization(rewriter: _ToNHWC, var: relax.Var, value: relax.Call) -> bool:
    if rewriter.is_nhwc(value.args[0]):
        return rewriter.set_nhwc(var, rewriter.nhwc_call(value))
    if rewriter.matrix_rows(value.args[0]) is None:
        return False
    rewriter.set_flat(var, value.args[0])
    return rewriter.set_plain(var, rewriter.new(value))


def _matmul(rewriter: _ToNHWC, var: relax.Var, value: relax.Call) -> bool:
    rows = rewriter.matrix_rows(value.args[0])
    stored = rewriter.stored_matrix(value.args[1])
    if rows is None or stored is None:
        return False
    matrix, transposed, dequantize = stored
    if transposed:
        outputs = matrix.shape[0]
        permuted = np.moveaxis(matrix.reshape(outputs, *rows), 1, 3).reshape(outputs, -1)
        new: relax.Expr = rewriter.emit(relax.op.permute_dims(make_constant(permuted), [1, 0]))
    else:
        outputs = matrix.shape[1]
        new = make_constant(np.moveaxis(matrix.reshape(*rows, outputs), 0, 2).reshape(-1, outputs))
    if dequantize is not None:
        new = rewriter.emit(replaced(dequantize, [new, *dequantize.args[1:]]))
    return rewriter.set_plain(var, replaced(value, [rewriter.new(value.args[0]), new]))


def _permute_dims(rewriter: _ToNHWC, var: relax.Var, value: relax.Call) -> bool:
    if not rewriter.is_nhwc(value.args[0]):
        return False
    axes = [3, 2, 1, 0] if value.attrs.axes is None else [int(a) for a in value.attrs.axes]
    mapped, stored = [_axis(a) for a in axes], rewriter.nhwc(value.args[0])
    if mapped == [0, 1, 2, 3]:
        return rewriter.set_plain(var, stored)
    return rewriter.set_plain(var, relax.op.permute_dims(stored, mapped))


def _composite(rewriter: _ToNHWC, var: relax.Var, value: relax.Call) -> bool:
    found = composite.composite_of(rewriter, value)
    if found is None or found.attributes.get("axis") != 1:
        return False
    # Normalization has kernels for NHWC alone, so it asks for it; a shuffle only follows.
    if found.name != composite.LRN and not rewriter.is_nhwc(value.args[0]):
        return False
    data, attributes = rewriter.nhwc(value.args[0]), found.attributes
    if found.name == composite.LRN:
        alpha, beta, bias = (float(attributes[name]) for name in ("alpha", "beta", "bias"))
        moved = composite.lrn(rewriter, data, int(attributes["size"]), alpha, beta, bias, axis=3)
        return rewriter.set_nhwc(var, moved)
    if found.name == composite.CHANNEL_SHUFFLE:
        groups = int(attributes["groups"])
        return rewriter.set_nhwc(var, composite.channel_shuffle(rewriter, data, groups, axis=3))
    return False


RULES: dict[str, Rule] = {
    "relax.nn.conv2d": _conv2d,
    "relax.nn.max_pool2d": _pool,
    "relax.nn.avg_pool2d": _pool,
    "relax.nn.adaptive_avg_pool2d": _pool,
    "relax.nn.pad": _pad,
    "relax.concat": _concat,
    "relax.split": _split,
    "relax.image.resize2d": _resize,
    "relax.nn.softmax": _along_axis,
    "relax.nn.log_softmax": _along_axis,
    "relax.nn.prelu": _along_axis,
    "relax.reshape": _reshape,
    "relax.matmul": _matmul,
    "relax.permute_dims": _permute_dims,
    QUANTIZE: _quantization,
    DEQUANTIZE: _quantization,
    **{f"relax.{name}": _reduction for name in REDUCTIONS},
}
