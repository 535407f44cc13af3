"""FuseQuantized: convolutions and dense layers of 8-bit tensors as composites that stay in 8 bits.

Recognised are ``quantize(clip(conv2d(dequantize(data), dequantize(weight)) + bias))`` with a constant weight,
which is what QLinearConv and its surrounded spelling both have become, and the 32-bit sums of ConvInteger
and MatMulInteger. Bias, clip and quantization may be missing. The composite:

    name        directconv.qconv2d, or directconv.qdense for a matrix product
    arguments   data (uint8 or int8; NHWC), weight (constant uint8 or int8, in the layout of the convolution),
                and, if there is one, bias (constant int32 (OC,), in units of data_scale * weight_scale)
    attributes  data_scale, data_zero, weight_scale, weight_zero (lists of one element or OC), out_dtype;
                out_scale and out_zero when that is uint8 or int8; steps, a clip in real units, if there is
                one; transposed of qdense, whether its weight is (OC, IC)

With out_dtype int32 the result is the sums, and there are no scales; with float32 it is dequantized. Where
the zero point of the data is known at run time only (ConvInteger behind DynamicQuantizeLinear), the composite
sums with zero in its place, and zero point x sum of the weight's visited taps is taken off behind it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import tvm
from tvm import relax

from intrinsics.epilogue import Clip, Step, joined
from relay_strategies.relax import composite
from relay_strategies.relax.graph import (
    ChainRewriter,
    Graph,
    constant,
    dtype_of,
    has_one_element,
    ints,
    make_constant,
    operator_name,
    rewrite_module,
    scalar,
    shape_of,
)
from relay_strategies.relax.matrices import stored_matrix
from relay_strategies.relax.quantization import (
    BYTES,
    DEQUANTIZE,
    QUANTIZE,
    Parameters,
    channel_axis,
    parameters_of,
)
from relay_strategies.relax.steps import apply_steps, step_of, steps_attribute

LEAST_SUM, MOST_SUM = -(2**31), 2**31 - 1


@tvm.transform.module_pass(opt_level=0, name="directconv.FuseQuantized")
def FuseQuantized(module: tvm.IRModule, context: tvm.transform.PassContext) -> tvm.IRModule:
    """Make composites of quantized convolutions and dense layers; wants ``ToNHWC`` before it."""
    return rewrite_module(module, _FuseQuantized)


@dataclass(frozen=True)
class _Layer:
    """A convolution or matrix product of 8-bit tensors; the scales are None where sums are asked for."""

    call: relax.Call
    data: relax.Expr
    data_zero: int
    weight: np.ndarray
    weight_zero: np.ndarray
    transposed: bool
    data_scale: np.float32 | None = None
    weight_scale: np.ndarray | None = None
    run_time_zero: relax.Expr | None = None

    @property
    def unit(self) -> np.ndarray:
        """What one unit of the sums stands for, by output channel; its float32 product is the one used."""
        assert self.data_scale is not None and self.weight_scale is not None
        return np.float32(self.data_scale) * self.weight_scale


@dataclass
class _Chain:
    """What is fused into one call; the call stands where ``last`` was bound."""

    layer: _Layer
    last: relax.Var
    bias: np.ndarray | None = None
    steps: tuple[Step, ...] = ()
    out: Parameters | None = None
    out_dtype: str = "float32"


class _FuseQuantized(ChainRewriter[_Chain]):
    def prepare(self) -> None:
        for var, value in self.graph.bindings:
            layer = quantized_layer(self.graph, var, value)
            if layer is not None:
                self._find(var, layer)

    def _find(self, var: relax.Var, layer: _Layer) -> None:
        chain, passed = _Chain(layer, var, out_dtype=dtype_of(var)), [var]
        if layer.data_scale is None:
            self.claim(passed, chain)
            return
        # Without a quantization the result is float32: a clip is then another kernel's business, and a bias
        # that is no multiple of a unit stays as it is.
        kept = 1
        while (following := self.graph.only_consumer(chain.last)) is not None and chain.out is None:
            value = self.graph.definition[following]
            if shape_of(following) != shape_of(var):
                break
            taken = _take_bias(self.graph, chain, value)
            kept += taken is not None and taken.exact
            if taken is not None:
                chain.bias = taken.sums
            elif not (_take_step(chain, value) or _take_quantization(chain, value)):
                break
            chain.last = following
            passed.append(following)
        if chain.out is None:
            chain.steps = ()
            chain.bias = chain.bias if kept == 2 else None
            del passed[kept:]
        self.claim(passed, chain)

    def emit_chain(self, var: relax.Var, chain: _Chain) -> relax.Expr:
        layer = chain.layer
        name = composite.QCONV2D if operator_name(layer.call) == "relax.nn.conv2d" else composite.QDENSE
        arguments: list[relax.Expr] = [self.new(layer.data), make_constant(layer.weight)]
        if chain.bias is not None:
            arguments.append(make_constant(chain.bias))

        def body(emit: composite.Emit, params: Sequence[relax.Var]) -> relax.Expr:
            weight = params[1]
            if layer.data_scale is None:
                data = _shifted(emit, params[0], np.array([layer.data_zero]), None)
                weight = _shifted(emit, weight, layer.weight_zero, _out_axis(layer))
            else:
                assert layer.weight_scale is not None
                of_data = Parameters(np.array([layer.data_scale]), np.array([layer.data_zero]))
                data = emit(of_data.dequantize(params[0]))
                weight = emit(
                    _along(layer.weight_scale, layer.weight_zero, _out_axis(layer)).dequantize(weight)
                )
            if layer.transposed:
                weight = emit(relax.op.permute_dims(weight, [1, 0]))
            result = emit(relax.Call(layer.call.op, [data, weight], layer.call.attrs, layer.call.ty_args))
            if chain.bias is not None:
                unit = _along(layer.unit, np.zeros(1, np.int64), 0)
                result = emit(relax.op.add(result, emit(unit.dequantize(params[2]))))
            result = apply_steps(emit, chain.steps, result)
            return result if chain.out is None else chain.out.quantize(result, chain.out_dtype)

        call = composite.make_composite(self, name, arguments, body, _attributes(chain), like=layer.call)
        if layer.run_time_zero is None:
            return call
        taken_off = relax.op.multiply(self.new(layer.run_time_zero), make_constant(_visited_sums(layer)))
        return relax.op.subtract(self.emit(call), self.emit(taken_off))


def _attributes(chain: _Chain) -> dict[str, Any]:
    layer = chain.layer
    found: dict[str, Any] = {
        "data_zero": layer.data_zero,
        "weight_zero": [int(zero) for zero in layer.weight_zero],
        "out_dtype": chain.out_dtype,
    }
    if layer.data_scale is not None and layer.weight_scale is not None:
        found["data_scale"] = float(layer.data_scale)
        found["weight_scale"] = [float(scale) for scale in layer.weight_scale]
    if chain.out is not None:
        found["out_scale"] = float(np.float32(chain.out.scale[0]))
        found["out_zero"] = int(chain.out.zero_point[0])
    if operator_name(layer.call) == "relax.matmul":
        found["transposed"] = layer.transposed
    return found | steps_attribute(chain.steps)


def _shifted(emit: composite.Emit, data: relax.Expr, zero: np.ndarray, axis: int | None) -> relax.Var:
    """``data - zero`` in int32."""
    wide = emit(relax.op.astype(data, "int32"))
    shape = [1] * len(shape_of(data) or ())
    if axis is not None:
        shape[axis] = -1
    return emit(relax.op.subtract(wide, make_constant(zero.astype(np.int32).reshape(shape))))


def _along(scale: np.ndarray, zero: np.ndarray, axis: int) -> Parameters:
    size = max(scale.size, zero.size)
    axis_known = axis if size > 1 else None
    return Parameters(np.broadcast_to(scale, [size]), np.broadcast_to(zero, [size]), axis_known)


def _out_axis(layer: _Layer) -> int:
    """The axis of the stored weight's output channels."""
    if operator_name(layer.call) == "relax.nn.conv2d":
        return str(layer.call.attrs.kernel_layout).find("O")
    return 0 if layer.transposed else 1


def quantized_layer(graph: Graph, var: relax.Var, value: relax.Expr) -> _Layer | None:
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


def _scaled_layer(graph: Graph, call: relax.Call) -> _Layer | None:
    data, weight = (graph.call(argument, DEQUANTIZE) for argument in call.args)
    if data is None or weight is None or channel_axis(data) is not None:
        return None
    of_data, of_weight = parameters_of(data), parameters_of(weight)
    stored, transposed = _stored(graph, call, weight.args[0])
    if of_data is None or of_weight is None or stored is None:
        return None
    if dtype_of(data.args[0]) not in BYTES or str(stored.dtype) not in BYTES:
        return None
    if of_weight.axis not in (None, _weight_axis(call)):
        return None
    return _Layer(
        call,
        data.args[0],
        int(of_data.zero_point[0]),
        stored,
        of_weight.zero_point,
        transposed,
        np.float32(of_data.scale[0]),
        of_weight.scale.astype(np.float32),
    )


def _weight_axis(call: relax.Call) -> int:
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


def _integer_layer(graph: Graph, call: relax.Call) -> _Layer | None:
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
    axis = 0 if transposed else _weight_axis(call)
    narrow = _narrowed(array, axis)
    if narrow is None:
        return None
    return _Layer(call, cast.args[0], data_zero, *narrow, transposed, run_time_zero=run_time_zero)


def _visited_sums(layer: _Layer) -> np.ndarray:
    """The sum of the weight's taps that lie in the image: (1, OH, OW, OC), or (OC,) where all do."""
    axis = _out_axis(layer)
    shape = [1] * layer.weight.ndim
    shape[axis] = -1
    weight = layer.weight.astype(np.int64) - layer.weight_zero.reshape(shape)
    attrs, (_, *sizes, _) = layer.call.attrs, shape_of(layer.data) or ()
    if operator_name(layer.call) == "relax.matmul" or not any(ints(attrs.padding)):
        return weight.sum(tuple(a for a in range(weight.ndim) if a != axis)).astype(np.int32)
    taps = weight.transpose([str(attrs.kernel_layout).find(a) for a in "OIHW"]).sum(1)
    visited = []
    for i, (size, kernel) in enumerate(zip(sizes, taps.shape[1:], strict=True)):
        before, after = (int(attrs.padding[i + end]) for end in (0, 2))
        stride, dilation = int(attrs.strides[i]), int(attrs.dilation[i])
        starts = np.arange(-before, size + after - (kernel - 1) * dilation, stride)
        position = starts[:, None] + np.arange(kernel) * dilation
        visited.append((position >= 0) & (position < size))
    return np.einsum("hk,wl,okl->hwo", *visited, taps)[None].astype(np.int32)


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


@dataclass(frozen=True)
class _Bias:
    """A bias in units of the sums; whether it is one to the bit."""

    sums: np.ndarray
    exact: bool


def _take_bias(graph: Graph, chain: _Chain, value: relax.Expr) -> _Bias | None:
    """The constants per channel that ``value`` adds, quantized or floats."""
    if operator_name(value) != "relax.add" or chain.bias is not None or chain.steps:
        return None
    first, second = value.args
    term = second if first == chain.last else first
    channels = (shape_of(chain.last) or (0,))[-1]
    shape = shape_of(term) or ()
    if math.prod(shape) not in (1, channels) or (shape and shape[-1] != math.prod(shape)):
        return None
    unit = np.broadcast_to(chain.layer.unit, [channels])
    dequantize = graph.call(term, DEQUANTIZE)
    stored = constant(graph.resolve(term if dequantize is None else dequantize.args[0]))
    parameters = Parameters(np.ones(1), np.zeros(1)) if dequantize is None else parameters_of(dequantize)
    if stored is None or parameters is None or (unit == 0).any():
        return None
    sums = np.broadcast_to(stored.reshape(-1).astype(np.float64) - parameters.zero_point, [channels])
    scale = np.broadcast_to(parameters.scale, [channels])
    exact = dequantize is not None and np.array_equal(scale, unit)
    if not exact:
        sums = np.rint(sums * scale / unit)
    if not np.isfinite(sums).all() or sums.min() < LEAST_SUM or sums.max() > MOST_SUM:
        return None
    return _Bias(sums.astype(np.int32), exact)


def _take_step(chain: _Chain, value: relax.Expr) -> bool:
    """A clip can be said in units of the output, which is how kernels do it; other steps cannot."""
    found = step_of(value)
    if found is None or found[0] != chain.last or not isinstance(found[1], Clip):
        return False
    chain.steps = joined([*chain.steps, found[1]])
    return True


def _take_quantization(chain: _Chain, value: relax.Expr) -> bool:
    if operator_name(value) != QUANTIZE or channel_axis(value) is not None:
        return False
    parameters = parameters_of(value)
    if parameters is None or str(value.attrs.out_dtype) not in BYTES:
        return False
    chain.out, chain.out_dtype = parameters, str(value.attrs.out_dtype)
    return True
