"""Quantization and dequantization, and the change from one scale to another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from tvm import relax

from relay_strategies.relax.composite import LOOKUP, Composite
from relay_strategies.relax.epilogue_steps import FLOAT
from relay_strategies.relax.graph import dtype_of, make_constant, shape_of
from relay_strategies.relax.quantize_calls import BYTES, DEQUANTIZE, QUANTIZE, channel_axis, parameters_of
from tvm_directconv.operators.lookup import lookup
from tvm_directconv.operators.quantized_elementwise import quantize, quantize_channels
from tvm_directconv.operators.quantized_type import QuantizedType
from tvm_directconv.targets.target import CompileTarget

from .bytes import composite_name
from .layouts import Quantizes
from .operator import CompositeOperator, Kernel, Operator, Shape


def _quantized(call: relax.Call, arrays: Sequence[np.ndarray]) -> np.ndarray:
    scale, zero = _along_axis(call, arrays[1:])
    limits = np.iinfo(str(call.attrs.out_dtype))  # raises for floats
    return np.clip(np.rint(arrays[0] / scale) + zero.astype(np.float32), limits.min, limits.max)


def _dequantized(call: relax.Call, arrays: Sequence[np.ndarray]) -> np.ndarray:
    if not np.issubdtype(arrays[0].dtype, np.integer):
        raise NotImplementedError("floats that stand for others")
    scale, zero = _along_axis(call, arrays[1:])
    return (arrays[0].astype(np.int32) - zero.astype(np.int32)).astype(np.float32) * scale


def _along_axis(call: relax.Call, vectors: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Scale and zero point, in shapes that broadcast against what is (de)quantized."""
    shape = [1] * len(shape_of(call) or ())
    axis = channel_axis(call)
    if axis is not None:
        shape[axis] = -1
    return [vector.reshape(shape if vector.size > 1 else ()) for vector in vectors]


def _quantize(call: relax.Call, shape: Shape, target: CompileTarget) -> Kernel | None:
    known, dtype = parameters_of(call), str(call.attrs.out_dtype)
    if known is None or dtype not in BYTES or dtype_of(call.args[0]) != FLOAT:
        return None
    if known.axis is None:
        result = QuantizedType(float(known.scale[0]), int(known.zero_point[0]), dtype)
        return Kernel("quantize", quantize(shape, result, target), call.args[:1])
    if known.axis != len(shape) - 1:
        return None
    parameters = known.scale.astype(FLOAT), known.zero_point.astype("int32")
    arguments = [call.args[0], *map(make_constant, parameters)]
    return Kernel("quantize_channels", quantize_channels(shape, dtype, target), arguments)


def _lookup(found: Composite, shape: Shape, target: CompileTarget) -> Kernel | None:
    data, table = found.arguments
    function = lookup(shape, dtype_of(data), dtype_of(table), target)
    return Kernel(composite_name(found), function, found.arguments)


OPERATORS = (
    Operator(QUANTIZE, evaluate=_quantized, layout=Quantizes(), kernel=_quantize, joins_kernels=True),
    Operator(DEQUANTIZE, evaluate=_dequantized, layout=Quantizes()),
)
COMPOSITES = (CompositeOperator(LOOKUP, kernel=_lookup),)
