"""The layouts that kernels of a network take: an NHWC tensor in others, each made once, where asked for.

Graph passes see networks in NHWC. When kernels are chosen, a convolution may want or make its tensors in
another layout (NCHW, or blocked, such as NCHW16c), and what follows it can often go on in that layout:
element-wise operators, pooling, concatenation. A layout is changed only where someone needs one that is not
there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from tvm import relax

from relay_strategies.operators import layouts
from relay_strategies.operators.layouts import NCHW, NHWC, TO_NHWC, is_map
from relay_strategies.passes.rewrite.layout_rewriter import LayoutRewriter
from relay_strategies.relax import composite
from relay_strategies.relax.calls import replaced
from relay_strategies.relax.epilogue_steps import FLOAT, apply_steps, steps_of
from relay_strategies.relax.graph import constant, dtype_of, make_constant, shape_of
from relay_strategies.relax.kernels import scheduled
from relay_strategies.relax.movement_calls import PERMUTE, axes_of
from tvm_directconv.operators.layout import change_layout
from tvm_directconv.problem.extents import as_expression
from tvm_directconv.problem.inner_sizes import inside
from tvm_directconv.problem.open_sizes import size_of
from tvm_directconv.problem.workload import channel_block, data_shape
from tvm_directconv.targets.target import CompileTarget

CHANNELS = 3
"""NHWC has its channels at this axis."""


class KernelLayoutRewriter(LayoutRewriter[str]):
    """Holds old 4-D float32 variables in the layouts of kernels. What follows a layer is computed in
    ``layout``, that of the network."""

    def __init__(
        self, function: relax.Function, builder: relax.BlockBuilder, target: CompileTarget, layout: str
    ) -> None:
        super().__init__(function, builder)
        self.target, self.layout = target, layout

    def is_in(self, expr: relax.Expr, layout: str) -> bool:
        """Whether the old expression is there in a layout other than NHWC."""
        return isinstance(expr, relax.Var) and layout in self._held.get(expr, {})

    def layout_of(self, expr: relax.Expr) -> str | None:
        return self.layout if self.is_in(expr, self.layout) else None

    def in_layout(self, expr: relax.Expr, layout: str) -> relax.Expr:
        return self.new(expr) if layout == NHWC else super().in_layout(expr, layout)

    def convert(self, expr: relax.Expr, layout: str) -> relax.Expr:
        shape, original = shape_of(expr), self.original(expr)
        assert shape is not None
        if original is not None and layout == NCHW:
            return self.new(original)
        held = self._held.get(expr) if isinstance(expr, relax.Var) else None
        if held and expr not in self._environment:
            (have, stored), *_ = held.items()
            return self.changed(stored, shape, have, layout)
        return self.changed(self.new(expr), shape, NHWC, layout)

    def to_plain(self, stored: relax.Expr, layout: str, shape: tuple[int, ...]) -> relax.Expr:
        return self.changed(stored, shape, layout, NHWC)

    def axis_in(self, layout: str, axis: int) -> int | None:
        """Return the axis of whole blocks of channels; others are moved along by no operator."""
        return 1 if axis == CHANNELS else None

    def common_layout(self, tensors: Sequence[relax.Expr], shape: tuple[int, ...]) -> str | None:
        """Return the network's layout where one of these tensors is in it and all fill their blocks."""
        whole = all(self.is_whole((shape_of(tensor) or (0,))[-1]) for tensor in tensors)
        return self.layout if whole and any(map(self.layout_of, tensors)) else None

    def original(self, expr: relax.Expr) -> relax.Expr | None:
        """The old NCHW expression that an NHWC one was made of."""
        call = self.graph.call(expr, PERMUTE)
        if call is None or axes_of(call) != TO_NHWC:
            return None
        return call.args[0]

    def hold(self, var: relax.Var, layout: str, value: relax.Expr) -> bool:
        if layout != NHWC:
            return super().hold(var, layout, value)
        self.bind(var, value)
        return True

    def changed(self, data: relax.Expr, shape: tuple[int, ...], source: str, result: str) -> relax.Expr:
        """Copy a tensor of that NHWC shape from one layout to another."""
        if not isinstance(data, relax.Var):
            data = self.emit(data)
        with inside([shape]):
            batch, height, width, channels = (size_of(as_expression(size)) for size in shape)
            kernel = change_layout((batch, height, width, channels), source, result, self.target)
        function = self.add_function(scheduled(kernel), f"{source}_to_{result}".lower())
        result_type = relax.TensorType(data_shape(result, *shape), FLOAT)
        return self.emit(relax.call_tir(function, [data], result_type))

    def follow(self, var: relax.Var, value: relax.Expr) -> bool:
        if self.layout == NHWC or len(shape_of(var) or ()) not in (2, 4) or dtype_of(var) != FLOAT:
            return False
        found = composite.composite_of(self, value)
        if found is not None:
            return found.name == composite.AFFINE and self._affine(var, found)
        return super().follow(var, value)

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

    def on_broadcasting(self, var: relax.Var, value: relax.Call, kind: layouts.Broadcasting) -> bool:
        shape = shape_of(var)
        if shape is None or not any(map(self.layout_of, value.args)):
            return False
        arguments = []
        for argument in value.args:
            array, extents = constant(argument), shape_of(argument)
            if extents == shape and array is None and dtype_of(argument) == FLOAT:
                arguments.append(self.in_layout(argument, self.layout))
            elif array is not None and array.size == 1:
                arguments.append(argument)
            elif array is not None and array.size == shape[CHANNELS] == (extents or (0,))[-1]:
                arguments.append(make_constant(self.spread(array)))
            else:
                return False
        return self.hold(var, self.layout, replaced(value, arguments))

    def on_moves(self, var: relax.Var, value: relax.Call, kind: layouts.Moves) -> bool:
        data, shape = value.args[0], shape_of(var)
        plain = all(getattr(value.attrs, name) == NHWC for name in kind.names)
        if not kind.by_block or not plain or self.layout_of(data) is None or shape is None:
            return False
        return self._by_block(var, value, shape, dict.fromkeys(kind.names, NCHW))

    def on_reduces(self, var: relax.Var, value: relax.Call, kind: layouts.Reduces) -> bool:
        """Follow global pooling: a mean or maximum over rows and columns."""
        shape = shape_of(value.args[0])
        if not kind.by_block or self.layout_of(value.args[0]) is None or shape is None:
            return False
        if not value.attrs.keepdims or not is_map(value.attrs.axis, NHWC):
            return False
        return self._by_block(var, value, (shape[0], 1, 1, shape[CHANNELS]), {"axis": [2, 3]})

    def _by_block(
        self, var: relax.Var, value: relax.Call, shape: tuple[int, ...], in_nchw: dict[str, Any]
    ) -> bool:
        """Compute what every channel has for itself: with the attributes ``in_nchw``, or where the layout is
        one of blocks, on images of one block of channels in NHWC. ``shape`` is the result's in NHWC."""
        stored, block = self.in_layout(value.args[0], self.layout), channel_block(self.layout)
        if not block:
            return self.hold(var, self.layout, replaced(value, [stored], **in_nchw))
        batch, blocks, height, width, _ = shape_of(stored) or (0,) * 5
        seen = self.emit(relax.op.reshape(stored, [batch * blocks, height, width, block]))
        result = self.emit(replaced(value, [seen]))
        return self.hold(var, self.layout, relax.op.reshape(result, data_shape(self.layout, *shape)))

    def _affine(self, var: relax.Var, found: composite.Composite) -> bool:
        """Scale, shift and steps per channel, of one tensor or of several concatenated."""
        *tensors, scale, shift = found.arguments
        vectors = [vector for vector in map(constant, (scale, shift)) if vector is not None]
        if len(vectors) != 2 or not any(map(self.layout_of, tensors)):
            return False
        if len(tensors) > 1:
            if self.common_layout(tensors, shape_of(var) or ()) is None:
                return False
            parts = [self.in_layout(tensor, self.layout) for tensor in tensors]
            result: relax.Expr = self.emit(relax.op.concat(parts, axis=1))
        else:
            result = self.in_layout(tensors[0], self.layout)
        scale, shift = (make_constant(self.spread(vector)) for vector in vectors)
        result = self.emit(relax.op.add(self.emit(relax.op.multiply(result, scale)), shift))
        return self.hold(var, self.layout, apply_steps(self.emit, steps_of(found.attributes), result))

    def on_reshapes(self, var: relax.Var, value: relax.Call, kind: layouts.Reshapes) -> bool:
        """A map of one pixel is the same in every layout."""
        data, target = value.args[0], shape_of(var)
        shape = shape_of(data)
        if self.layout_of(data) is None or shape is None or target is None or len(shape) != 4:
            return False
        if shape[1] * shape[2] != 1 or not self.is_whole(shape[3]):
            return False
        self.bind(var, self.emit(relax.op.reshape(self.in_layout(data, self.layout), target)))
        return True
