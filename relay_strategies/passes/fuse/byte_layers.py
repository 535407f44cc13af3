"""Convolutions and dense layers of 8-bit tensors, found as graphs write them: between dequantization and
quantization, or on integers less their zero point. ``FuseQuantized`` makes composites of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from tvm import relax

from relay_strategies.relax.arithmetic_calls import ADD, CAST, SUBTRACT, has_one_element
from relay_strategies.relax.filters import PRODUCT, filter_of, is_nhwc_convolution
from relay_strategies.relax.graph import (
    Graph,
    dtype_of,
    operator_name,
    scalar,
    shape_of,
)
from relay_strategies.relax.quantize_calls import BYTES, DEQUANTIZE, channel_axis, parameters_of


@dataclass(frozen=True)
class Layer:
    """A convolution or matrix product of 8-bit tensors; the data's scale is None where sums are asked for, or
    where it is known at run time only, as is then its zero point."""

    call: relax.Call
    data: relax.Expr
    data_zero: int
    weight: np.ndarray
    weight_zero: np.ndarray
    layout: str
    """The weight's axes: those of a filter, or "IO" or "OI" of a matrix product's."""
    data_scale: np.float32 | None = None
    weight_scale: np.ndarray | None = None
    run_time_zero: relax.Expr | None = None
    run_time_scale: relax.Expr | None = None

    @property
    def is_dense(self) -> bool:
        return len(self.layout) == 2

    @property
    def transposed(self) -> bool:
        """Whether a matrix product takes the weight transposed."""
        return self.layout == "OI"

    @property
    def out_axis(self) -> int:
        """The weight's axis of output channels."""
        return self.layout.index("O")

    @property
    def centered(self) -> np.ndarray:
        """The weight, of bytes, less its zero point."""
        shape = [1] * self.weight.ndim
        shape[self.out_axis] = -1
        return self.weight.astype(np.int16) - self.weight_zero.reshape(shape).astype(np.int16)

    @property
    def unit(self) -> np.ndarray:
        """The number that one unit of the sums stands for, by output channel, as a product in float32."""
        assert self.data_scale is not None and self.weight_scale is not None
        return np.float32(self.data_scale) * self.weight_scale


def quantized_layer(graph: Graph, var: relax.Var, value: relax.Expr) -> Layer | None:
    """The convolution or dense layer that ``var`` is bound to, when it is one of 8-bit tensors."""
    dense = operator_name(value) == PRODUCT and all(len(shape_of(e) or ()) >= 2 for e in value.args)
    if not (is_nhwc_convolution(value) or dense) or shape_of(var) is None:
        return None
    if dtype_of(var) == "float32":
        return _scaled_layer(graph, value)
    return _integer_layer(graph, value) if dtype_of(var) == "int32" else None


def _scaled_layer(graph: Graph, call: relax.Call) -> Layer | None:
    data, weight = (graph.call(argument, DEQUANTIZE) for argument in call.args)
    if data is None or weight is None or channel_axis(data) is not None:
        return None
    of_data, of_weight = parameters_of(data), parameters_of(weight)
    stored = filter_of(graph, call, weight.args[0])
    if of_weight is None or stored is None:
        return None
    if dtype_of(data.args[0]) not in BYTES or str(stored.array.dtype) not in BYTES:
        return None
    # A product is given its matrix as (inputs, outputs), however that is stored.
    if of_weight.axis not in (None, 1 if operator_name(call) == PRODUCT else stored.axis("O")):
        return None
    return Layer(
        call,
        data.args[0],
        int(of_data.zero_point[0]) if of_data else 0,
        stored.array,
        of_weight.zero_point,
        stored.layout,
        data_scale=np.float32(of_data.scale[0]) if of_data else None,
        weight_scale=of_weight.scale.astype(np.float32),
        run_time_zero=None if of_data else data.args[2],
        run_time_scale=None if of_data else data.args[1],
    )


def _integer_layer(graph: Graph, call: relax.Call) -> Layer | None:
    """``conv2d(data - zero, weight)`` in int32, where the values of the weight fit in 8 bits again."""
    data, data_zero, run_time_zero = call.args[0], 0, None
    shift = graph.call(data, ADD, SUBTRACT)
    if shift is not None:
        value = scalar(shift.args[1]) if operator_name(shift) == ADD else None
        if value is not None:
            data_zero = -int(value)
        elif operator_name(shift) == SUBTRACT and has_one_element(shift.args[1]):
            run_time_zero = shift.args[1]
        else:
            return None
        data = shift.args[0]
    cast = graph.call(data, CAST)
    if cast is None or dtype_of(cast.args[0]) not in BYTES:
        return None
    limits = np.iinfo(dtype_of(cast.args[0]))
    stored = filter_of(graph, call)
    if stored is None or not limits.min <= data_zero <= limits.max:
        return None
    narrow = _narrowed(stored.array, stored.axis("O"))
    if narrow is None:
        return None
    return Layer(call, cast.args[0], data_zero, *narrow, stored.layout, run_time_zero=run_time_zero)


def _narrowed(array: np.ndarray, axis: int) -> tuple[np.ndarray, np.ndarray] | None:
    """(8-bit integers, zero points) whose differences are ``array``; None when it takes more bits."""
    least, most = int(array.min()), int(array.max())
    if least >= -128 and most <= 127:
        return array.astype(np.int8), np.zeros(1, np.int64)
    if most - least <= 255 and least <= 0 <= most:
        return (array - least).astype(np.uint8), np.array([-least])
    others = tuple(other for other in range(array.ndim) if other != axis)
    # A zero point is one of the values, so that zero has to be between them.
    lows, highs = np.minimum(array.min(others), 0), np.maximum(array.max(others), 0)
    if (highs.astype(np.int64) - lows > 255).any():
        return None
    shape = [1] * array.ndim
    shape[axis] = -1
    return (array - lows.reshape(shape)).astype(np.uint8), -lows.astype(np.int64)
