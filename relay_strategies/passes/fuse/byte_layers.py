"""Convolutions and dense layers of 8-bit tensors, found as graphs write them: between dequantization and
quantization, or on integers less their zero point. ``FuseQuantized`` makes composites of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from tvm import relax

from relay_strategies.relax.graph import (
    Graph,
    constant,
    dtype_of,
    has_one_element,
    operator_name,
    scalar,
    shape_of,
)
from relay_strategies.relax.matrices import stored_matrix
from relay_strategies.relax.quantization import BYTES, DEQUANTIZE, channel_axis, parameters_of


@dataclass(frozen=True)
class Layer:
    """A convolution or matrix product of 8-bit tensors; the data's scale is None where sums are asked for, or
    where it is known at run time only, as is then its zero point."""

    call: relax.Call
    data: relax.Expr
    data_zero: int
    weight: np.ndarray
    weight_zero: np.ndarray
    transposed: bool
    data_scale: np.float32 | None = None
    weight_scale: np.ndarray | None = None
    run_time_zero: relax.Expr | None = None
    run_time_scale: relax.Expr | None = None

    @property
    def unit(self) -> np.ndarray:
        """What one unit of the sums stands for, by output channel; its float32 product is the one used."""
        assert self.data_scale is not None and self.weight_scale is not None
        return np.float32(self.data_scale) * self.weight_scale


def quantized_layer(graph: Graph, var: relax.Var, value: relax.Expr) -> Layer | None:
    """The convolution or dense layer that ``var`` is bound to, when it is one of 8-bit tensors."""
    name = operator_name(value)
    if name == "relax.nn.conv2d":
        attrs = value.attrs
        known = attrs.data_layout == attrs.out_layout == "NHWC"
        if not known or attrs.kernel_layout not in ("OIHW", "HWIO", "OHWI"):
            return None
    elif name != "relax.matmul" or len(shape_of(value.args[0]) or ()) < 2:
        return None
    if any(shape_of(expr) is None for expr in (var, *value.args)):
        return None
    if dtype_of(var) == "float32":
        return _scaled_layer(graph, value)
    return _integer_layer(graph, value) if dtype_of(var) == "int32" else None


def _scaled_layer(graph: Graph, call: relax.Call) -> Layer | None:
    data, weight = (graph.call(argument, DEQUANTIZE) for argument in call.args)
    if data is None or weight is None or channel_axis(data) is not None:
        return None
    of_data, of_weight = parameters_of(data), parameters_of(weight)
    stored, transposed = _stored(graph, call, weight.args[0])
    if of_weight is None or stored is None:
        return None
    if dtype_of(data.args[0]) not in BYTES or str(stored.dtype) not in BYTES:
        return None
    if of_weight.axis not in (None, weight_axis(call)):
        return None
    return Layer(
        call,
        data.args[0],
        int(of_data.zero_point[0]) if of_data else 0,
        stored,
        of_weight.zero_point,
        transposed,
        data_scale=np.float32(of_data.scale[0]) if of_data else None,
        weight_scale=of_weight.scale.astype(np.float32),
        run_time_zero=None if of_data else data.args[2],
        run_time_scale=None if of_data else data.args[1],
    )


def weight_axis(call: relax.Call) -> int:
    """The axis of output channels in the weight the call is given."""
    if operator_name(call) == "relax.nn.conv2d":
        return str(call.attrs.kernel_layout).find("O")
    return 1


def _stored(graph: Graph, call: relax.Call, weight: relax.Expr) -> tuple[np.ndarray | None, bool]:
    """(the constant, whether the matrix product uses it transposed)."""
    if operator_name(call) == "relax.nn.conv2d":
        return constant(graph.resolve(weight)), False
    matrix = stored_matrix(graph, weight)
    return (None, False) if matrix is None else (matrix.array, matrix.transposed)


def _integer_layer(graph: Graph, call: relax.Call) -> Layer | None:
    """``conv2d(data - zero, weight)`` in int32, where the values of the weight fit in 8 bits again."""
    data, data_zero, run_time_zero = call.args[0], 0, None
    shift = graph.call(data, "relax.add", "relax.subtract")
    if shift is not None:
        value = scalar(shift.args[1]) if operator_name(shift) == "relax.add" else None
        if value is not None:
            data_zero = -int(value)
        elif operator_name(shift) == "relax.subtract" and has_one_element(shift.args[1]):
            run_time_zero = shift.args[1]
        else:
            return None
        data = shift.args[0]
    cast = graph.call(data, "relax.astype")
    if cast is None or dtype_of(cast.args[0]) not in BYTES:
        return None
    limits = np.iinfo(dtype_of(cast.args[0]))
    array, transposed = _stored(graph, call, call.args[1])
    if array is None or not limits.min <= data_zero <= limits.max:
        return None
    axis = 0 if transposed else weight_axis(call)
    narrow = _narrowed(array, axis)
    if narrow is None:
        return None
    return Layer(call, cast.args[0], data_zero, *narrow, transposed, run_time_zero=run_time_zero)


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
