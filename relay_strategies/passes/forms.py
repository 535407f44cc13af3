"""Forms: the same NHWC tensor of a network in other layouts, each made once, where it is asked for.

Graph passes see networks in NHWC. When kernels are chosen, a convolution may want or make its tensors in
another layout (NCHW, or blocked, such as NCHW16c), and what follows it can often go on in that layout:
element-wise operators, pooling, concatenation. A rewriter that keeps forms changes a layout only where
someone needs one that is not there.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from tvm import relax

from relay_strategies.relax import composite
from relay_strategies.relax.calls import replaced
from relay_strategies.relax.graph import Rewriter, constant, dtype_of, make_constant, operator_name, shape_of
from tvm_directconv.operators import layout as layout_changes
from tvm_directconv.problem.workload import channel_block, data_shape
from tvm_directconv.targets.target import CompileTarget

from .to_nhwc import BROADCASTING, NHWC, TO_NHWC, UNARY

OPAQUE = 8  # relax's OpPatternKind.kOpaque: FuseOps leaves such a kernel alone
CHANNELS = 3
"""Axis of NHWC's channels."""


class FormsRewriter(Rewriter):
    """Keeps the forms of old 4-D float32 variables: their NHWC form is the rewriter's own."""

    def __init__(
        self, function: relax.Function, builder: relax.BlockBuilder, target: CompileTarget, layout: str
    ) -> None:
        super().__init__(function, builder)
        self.target, self.layout = target, layout
        self._forms: dict[relax.Var, dict[str, relax.Expr]] = {}

    def new(self, expr: relax.Expr) -> relax.Expr:
        if isinstance(expr, relax.Var) and expr in self._forms and expr not in self._environment:
            (layout, form), *_ = self._forms[expr].items()
            self.bind(expr, self._change(form, shape_of(expr) or (), layout, NHWC))
        elif isinstance(expr, relax.If | relax.SeqExpr | relax.Function):
            for var in relax.analysis.free_vars(expr):
                self.new(var)
        return super().new(expr)

    def has_form(self, expr: relax.Expr) -> bool:
        """Whether the old expression is there in the network's layout, and that is not NHWC."""
        return isinstance(expr, relax.Var) and self.layout in self._forms.get(expr, {})

    def form(self, expr: relax.Expr, layout: str) -> relax.Expr:
        """The old 4-D expression in a layout, from whichever form there is."""
        shape = shape_of(expr)
        assert shape is not None
        if layout == NHWC:
            return self.new(expr)
        forms = self._forms.setdefault(expr, {}) if isinstance(expr, relax.Var) else {}
        if layout not in forms:
            original = self.original(expr)
            if original is not None and layout == "NCHW":
                forms[layout] = self.new(original)
            elif forms and expr not in self._environment:
                (have, form), *_ = forms.items()
                forms[layout] = self._change(form, shape, have, layout)
            else:
                # The new NHWC value is known, and an empty entry must not hide it.
                forms[layout] = self._change(super().new(expr), shape, NHWC, layout)
        return forms[layout]

    def original(self, expr: relax.Expr) -> relax.Expr | None:
        """The old NCHW expression that an NHWC one was made of."""
        call = self.graph.call(expr, "relax.permute_dims")
        if call is None or call.attrs.axes is None or tuple(map(int, call.attrs.axes)) != TO_NHWC:
            return None
        return call.args[0]

    def set_form(self, var: relax.Var, layout: str, value: relax.Expr) -> None:
        """Make ``value`` the form of the old ``var`` in that layout."""
        if layout == NHWC:
            self.bind(var, value)
        else:
            self._forms.setdefault(var, {})[layout] = value

    def _change(self, data: relax.Expr, shape: tuple[int, ...], source: str, result: str) -> relax.Expr:
        if not isinstance(data, relax.Var):
            data = self.emit(data)
        batch, height, width, channels = shape
        kernel = layout_changes.change_layout((batch, height, width, channels), source, result, self.target)
        function = kernel.without_attr("global_symbol").with_attr("op_pattern", OPAQUE)
        name = f"{source}_to_{result}".lower()
        result_type = relax.TensorType(data_shape(result, *shape), "float32")
        return self.emit(relax.call_tir(self.add_function(function, name), [data], result_type))

    def follow(self, var: relax.Var, value: relax.Expr) -> bool:
        """Compute ``value`` in the network's layout where its operands are there and it can be."""
        if self.layout == NHWC or len(shape_of(var) or ()) not in (2, 4) or dtype_of(var) != "float32":
            return False
        rule = _rule(self, value)
        return rule is not None and rule(self, var, value)

    def emit_form(self, var: relax.Var, value: relax.Expr) -> bool:
        self.set_form(var, self.layout, self.emit(value, var.name))
        return True

    def spread(self, vector: np.ndarray) -> np.ndarray:
        """One value per channel in the shape that broadcasts against the network's layout."""
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


Rule = Callable[[FormsRewriter, relax.Var, relax.Call], bool]


def _rule(rewriter: FormsRewriter, value: relax.Expr) -> Rule | None:
    name = operator_name(value)
    if name in UNARY:
        return _unary
    if name in BROADCASTING:
        return _broadcasting
    found = composite.composite_of(rewriter, value)
    if found is not None:
        return _affine if found.name == composite.AFFINE else None
    return RULES.get(name)


def _unary(rewriter: FormsRewriter, var: relax.Var, value: relax.Call) -> bool:
    if not rewriter.has_form(value.args[0]):
        return False
    arguments = [rewriter.form(value.args[0], rewriter.layout), *value.args[1:]]
    return rewriter.emit_form(var, replaced(value, arguments))


def _broadcasting(rewriter: FormsRewriter, var: relax.Var, value: relax.Call) -> bool:
    shape = shape_of(var)
    if shape is None or not any(map(rewriter.has_form, value.args)):
        return False
    arguments = []
    for argument in value.args:
        array, extents = constant(argument), shape_of(argument)
        if extents == shape and array is None:
            arguments.append(rewriter.form(argument, rewriter.layout))
        elif array is not None and array.size == 1:
            arguments.append(argument)
        elif array is not None and array.size == shape[CHANNELS] == (extents or (0,))[-1]:
            arguments.append(make_constant(rewriter.spread(array)))
        else:
            return False
    return rewriter.emit_form(var, replaced(value, arguments))


def _pool(rewriter: FormsRewriter, var: relax.Var, value: relax.Call) -> bool:
    """Blocks are images of one block of channels, in NHWC."""
    data, shape = value.args[0], shape_of(var)
    if not rewriter.has_form(data) or value.attrs.layout != NHWC or shape is None:
        return False
    form = rewriter.form(data, rewriter.layout)
    block = channel_block(rewriter.layout)
    if not block:
        return rewriter.emit_form(var, replaced(value, [form], layout="NCHW", out_layout="NCHW"))
    images, height, width = _images(form)
    seen = rewriter.emit(relax.op.reshape(form, [images, height, width, block]))
    pooled = rewriter.emit(replaced(value, [seen]))
    return rewriter.emit_form(var, relax.op.reshape(pooled, data_shape(rewriter.layout, *shape)))


def _images(form: relax.Expr) -> tuple[int, int, int]:
    batch, blocks, height, width, _ = shape_of(form) or (0,) * 5
    return batch * blocks, height, width


def _concat(rewriter: FormsRewriter, var: relax.Var, value: relax.Call) -> bool:
    tensors = value.args[0].fields if isinstance(value.args[0], relax.Tuple) else []
    if value.attrs.axis is None or int(value.attrs.axis) % 4 != CHANNELS:
        return False
    joined = _joined(rewriter, tensors)
    return joined is not None and rewriter.emit_form(var, joined)


def _joined(rewriter: FormsRewriter, tensors: list[relax.Expr]) -> relax.Expr | None:
    """The concatenation along channels of tensors that all fill their blocks."""
    channels = [(shape_of(tensor) or (0,))[-1] for tensor in tensors]
    if not any(map(rewriter.has_form, tensors)) or not all(map(rewriter.is_whole, channels)):
        return None
    return relax.op.concat([rewriter.form(tensor, rewriter.layout) for tensor in tensors], axis=1)


def _affine(rewriter: FormsRewriter, var: relax.Var, value: relax.Call) -> bool:
    """Scale, shift and clip per channel, of one tensor or of several concatenated."""
    found = composite.composite_of(rewriter, value)
    assert found is not None
    *tensors, scale, shift = found.arguments
    vectors = [constant(scale), constant(shift)]
    if vectors[0] is None or vectors[1] is None or not any(map(rewriter.has_form, tensors)):
        return False
    if len(tensors) > 1:
        joined = _joined(rewriter, tensors)
        if joined is None:
            return False
        result: relax.Expr = rewriter.emit(joined)
    else:
        result = rewriter.form(tensors[0], rewriter.layout)
    scale, shift = (make_constant(rewriter.spread(vector)) for vector in vectors if vector is not None)
    result = rewriter.emit(relax.op.add(rewriter.emit(relax.op.multiply(result, scale)), shift))
    low, high = (found.attributes.get(bound) for bound in ("low", "high"))
    if low is not None:
        result = rewriter.emit(relax.op.maximum(result, relax.const(float(low), "float32")))
    if high is not None:
        result = rewriter.emit(relax.op.minimum(result, relax.const(float(high), "float32")))
    rewriter.set_form(var, rewriter.layout, result)
    return True


def _reduction(rewriter: FormsRewriter, var: relax.Var, value: relax.Call) -> bool:
    """Global pooling: a mean or maximum over rows and columns."""
    data, attrs = value.args[0], value.attrs
    shape = shape_of(data)
    if not rewriter.has_form(data) or shape is None or not attrs.keepdims or attrs.axis is None:
        return False
    if sorted(int(axis) % 4 for axis in attrs.axis) != [1, 2]:
        return False
    form, block = rewriter.form(data, rewriter.layout), channel_block(rewriter.layout)
    if not block:
        return rewriter.emit_form(var, replaced(value, [form], axis=[2, 3]))
    images, height, width = _images(form)
    seen = rewriter.emit(relax.op.reshape(form, [images, height, width, block]))
    pooled = rewriter.emit(replaced(value, [seen], axis=[1, 2]))
    result = data_shape(rewriter.layout, shape[0], 1, 1, shape[3])
    return rewriter.emit_form(var, relax.op.reshape(pooled, result))


def _reshape(rewriter: FormsRewriter, var: relax.Var, value: relax.Call) -> bool:
    """A map of one pixel is the same in every layout."""
    data, target = value.args[0], shape_of(var)
    shape = shape_of(data)
    if not rewriter.has_form(data) or shape is None or target is None or len(shape) != 4:
        return False
    if shape[1] * shape[2] != 1 or not rewriter.is_whole(shape[3]):
        return False
    rewriter.bind(var, rewriter.emit(relax.op.reshape(rewriter.form(data, rewriter.layout), target)))
    return True


RULES: dict[str, Rule] = {
    "relax.nn.max_pool2d": _pool,
    "relax.nn.avg_pool2d": _pool,
    "relax.concat": _concat,
    "relax.mean": _reduction,
    "relax.max": _reduction,
    "relax.reshape": _reshape,
}
