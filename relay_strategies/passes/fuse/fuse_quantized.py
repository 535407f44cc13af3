"""FuseQuantized: convolutions and dense layers of 8-bit tensors as composites that stay in 8 bits.

Recognised are ``quantize(steps(conv2d(dequantize(data), dequantize(weight)) + bias))`` of constant weights,
which is what QLinearConv and its surrounded spelling both have become, and the 32-bit sums of ConvInteger
and MatMulInteger. Bias, steps and quantization may be missing; a quantized result may be added to another
8-bit tensor, and the sum's steps and quantization follow. Steps are clips and activations; those behind
a quantization, where quantizers leave what they do not know, are tables of ``FuseQuantizedOperators``. The
composite:

    name        directconv.qconv2d, or directconv.qdense for a matrix product
    arguments   data (uint8 or int8; NHWC), weight (constant uint8 or int8, in the layout of the convolution),
                and, if there are any, bias (constant int32 (OC,), in units of data_scale * weight_scale), and
                the tensor that is added
    attributes  data_scale, data_zero, weight_scale, weight_zero (lists of one element or OC), out_dtype;
                out_scale and out_zero when that is uint8 or int8; steps, in real units, if there are
                any; transposed of qdense, whether its weight is (OC, IC); with a tensor that is added,
                added_scale and added_zero of that, sum_scale, sum_zero and sum_steps of the result

With out_dtype int32 the result is the sums, and there are no scales; with float32 it is dequantized. Where
the zero point of the data is known at run time only (ConvInteger behind DynamicQuantizeLinear), the composite
sums with zero in its place, and zero point x sum of the weight's visited taps is taken off behind it. Where
its scale is, too (pt2e's dynamic quantization), the sums are multiplied by both scales there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from tvm import relax

from intrinsics.epilogue import Scale, Step, joined
from relay_strategies.passes.rewrite.activations import Activations, takes_shift
from relay_strategies.relax import composite
from relay_strategies.relax.arithmetic_calls import added_to
from relay_strategies.relax.calls import replaced
from relay_strategies.relax.epilogue_steps import FLOAT, apply_steps, steps_attribute
from relay_strategies.relax.graph import (
    ChainRewriter,
    Graph,
    constant,
    dtype_of,
    ints,
    make_constant,
    rewrite_pass,
    shape_of,
)
from relay_strategies.relax.quantize_calls import (
    DEQUANTIZE,
    Parameters,
    parameters_of,
    quantized_to_bytes,
)
from relay_strategies.relax.scales import LARGEST_SHIFT
from tvm_directconv.problem.taps import MOST_SUM, largest_sums

from .byte_layers import Layer, quantized_layer
from .byte_sums import Added, added_after, extremes_after

SUMS = "int32"
LEAST_UNITS = 16
"""A result's unit has at least so many of the sums where a bias is rounded to these."""


@dataclass
class _QuantizedChain:
    """Operators that are fused into one call, which stands where the last of ``passed`` was bound."""

    layer: Layer
    passed: list[relax.Var]
    bias: np.ndarray | None = None
    steps: tuple[Step, ...] = ()
    out: Parameters | None = None
    out_dtype: str = FLOAT
    added: Added | None = None

    @property
    def last(self) -> relax.Var:
        return self.passed[-1]


class _FuseQuantized(ChainRewriter[_QuantizedChain]):
    def prepare(self) -> None:
        self._activations = Activations(self.graph)
        # Of two layers whose results are added, the later takes the addition.
        for var, value in reversed(self.graph.bindings):
            layer = quantized_layer(self.graph, var, value)
            if layer is not None:
                chain = self._chain(var, layer)
                self.claim(chain.passed, chain)

    def _chain(self, var: relax.Var, layer: Layer) -> _QuantizedChain:
        """Return a layer with what follows it, as far as that is quantized. Without a quantization the result
        is float32: steps are another kernel's business then, and a bias that is not a multiple of a unit is
        not taken."""
        if layer.data_scale is None:
            return _QuantizedChain(layer, [var], out_dtype=SUMS)
        following, bias = self._following(var), None
        if following is not None:
            bias = _bias(self.graph, layer, var, self.graph.definition[following])
        biased = _QuantizedChain(layer, [var])
        if following is not None and bias is not None:
            biased = _QuantizedChain(layer, [var, following], bias.sums)
        exact = bias is None or bias.exact
        return self._quantized(biased, exact) or (biased if exact else _QuantizedChain(layer, [var]))

    def _quantized(self, biased: _QuantizedChain, exact: bool) -> _QuantizedChain | None:
        """Return a layer with its steps, a quantization and what is added to that; None where there is not a
        quantization, or one with too small a unit for a bias that is not ``exact``."""
        chain = replace(biased, passed=[*biased.passed])
        while (out := self._quantization(chain)) is None:
            found = self._activations.after(chain.last)
            if found is None or not takes_shift(chain.steps or (Scale(1.0),), found.steps):
                return None
            chain.steps = joined([*chain.steps, *found.steps])
            chain.passed.extend(found.variables)
        if not exact and (np.abs(chain.layer.unit) * LEAST_UNITS > out.scale).any():
            return None
        extremes, clips = extremes_after(self.graph, chain.last, out)
        chain.out, chain.out_dtype, chain.steps = out, dtype_of(chain.last), joined([*chain.steps, *clips])
        chain.passed.extend(extremes)
        chain.added = added_after(self.graph, self._activations, chain.last, out, self.is_claimed)
        if chain.added is not None:
            chain.passed.extend(chain.added.passed)
        return chain

    def _quantization(self, chain: _QuantizedChain) -> Parameters | None:
        """Take the quantization that follows into a chain, and return what it makes."""
        following = self._following(chain.last)
        out = None if following is None else quantized_to_bytes(self.graph.definition[following])
        if following is None or out is None or not out.keeps_order:
            return None  # clips in units of a negative scale would change sides
        chain.passed.append(following)
        return out

    def _following(self, var: relax.Var) -> relax.Var | None:
        """Return what alone uses a variable and has its shape."""
        following = self.graph.only_consumer(var)
        return following if following is not None and shape_of(following) == shape_of(var) else None

    def emit_chain(self, var: relax.Var, chain: _QuantizedChain) -> relax.Expr:
        layer = chain.layer
        name = composite.QDENSE if layer.is_dense else composite.QCONV2D
        arguments: list[relax.Expr] = [self.new(layer.data), make_constant(layer.weight)]
        if chain.bias is not None:
            arguments.append(make_constant(chain.bias))
        if chain.added is not None:
            arguments.append(self.new(chain.added.term))

        def body(emit: composite.Emit, params: Sequence[relax.Var]) -> relax.Expr:
            weight = params[1]
            if layer.data_scale is None:
                data = _shifted(emit, params[0], np.array([layer.data_zero]), None)
                weight = _shifted(emit, weight, layer.weight_zero, layer.out_axis)
            else:
                assert layer.weight_scale is not None
                of_data = Parameters(np.array([layer.data_scale]), np.array([layer.data_zero]))
                data = emit(of_data.dequantize(params[0]))
                weight = emit(
                    _along(layer.weight_scale, layer.weight_zero, layer.out_axis).dequantize(weight)
                )
            if layer.transposed:
                weight = emit(relax.op.permute_dims(weight, [1, 0]))
            sums = {"out_dtype": SUMS} if layer.run_time_scale is not None else {}
            result = emit(replaced(layer.call, [data, weight], **sums))
            if chain.bias is not None:
                unit = _along(layer.unit, np.zeros(1, np.int64), 0)
                result = emit(relax.op.add(result, emit(unit.dequantize(params[2]))))
            result = apply_steps(emit, chain.steps, result)
            if chain.out is None:
                return result
            stored = chain.out.quantize(result, chain.out_dtype)
            if chain.added is None:
                return stored
            real = emit(chain.out.dequantize(emit(stored)))
            return chain.added.body(emit, real, params[-1], chain.out_dtype)

        call = composite.make_composite(self, name, arguments, body, _attributes(chain), like=layer.call)
        if layer.run_time_zero is None:
            return call
        zero = self.new(layer.run_time_zero)
        zero = zero if dtype_of(zero) == SUMS else self.emit(relax.op.astype(zero, SUMS))
        taken_off = relax.op.multiply(zero, make_constant(_visited_sums(layer)))
        sums = relax.op.subtract(self.emit(call), self.emit(taken_off))
        if layer.run_time_scale is None or layer.weight_scale is None:
            return sums
        unit = relax.op.multiply(self.new(layer.run_time_scale), make_constant(layer.weight_scale))
        return relax.op.multiply(self.emit(relax.op.astype(self.emit(sums), FLOAT)), self.emit(unit))


FuseQuantized = rewrite_pass("FuseQuantized", _FuseQuantized)
"""Make composites of quantized convolutions and dense layers; wants ``ToNHWC`` before it."""


def _attributes(chain: _QuantizedChain) -> dict[str, Any]:
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
    if chain.added is not None:
        found |= chain.added.attributes
    if layer.is_dense:
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


def _visited_sums(layer: Layer) -> np.ndarray:
    """The sum of the weight's taps that lie in the image: (1, OH, OW, OC), or (OC,) where all do."""
    axis, weight = layer.out_axis, layer.centered
    attrs, (_, *sizes, _) = layer.call.attrs, shape_of(layer.data) or ()
    if layer.is_dense or not any(ints(attrs.padding)):
        return weight.sum(tuple(a for a in range(weight.ndim) if a != axis)).astype(np.int32)
    taps = weight.transpose([layer.layout.index(a) for a in "OIHW"]).sum(1)
    visited = []
    for i, (size, kernel) in enumerate(zip(sizes, taps.shape[1:], strict=True)):
        before, after = (int(attrs.padding[i + end]) for end in (0, 2))
        stride, dilation = int(attrs.strides[i]), int(attrs.dilation[i])
        starts = np.arange(-before, size + after - (kernel - 1) * dilation, stride)
        position = starts[:, None] + np.arange(kernel) * dilation
        visited.append((position >= 0) & (position < size))
    return np.einsum("hk,wl,okl->hwo", *visited, taps)[None].astype(np.int32)


@dataclass(frozen=True)
class _Bias:
    """A bias in units of the sums; whether it is one to the bit."""

    sums: np.ndarray
    exact: bool


def _bias(graph: Graph, layer: Layer, var: relax.Var, value: relax.Expr) -> _Bias | None:
    """Return the constants per channel, quantized or floats, that ``value`` adds to a layer's result."""
    term, channels = added_to(value, var), (shape_of(var) or (0,))[-1]
    if term is None:
        return None
    shape = shape_of(term) or ()
    if math.prod(shape) not in (1, channels) or (shape and shape[-1] != math.prod(shape)):
        return None
    unit = np.broadcast_to(layer.unit, [channels])
    dequantize = graph.call(term, DEQUANTIZE)
    stored = constant(graph.resolve(term if dequantize is None else dequantize.args[0]))
    parameters = Parameters(np.ones(1), np.zeros(1)) if dequantize is None else parameters_of(dequantize)
    if stored is None or parameters is None or (unit == 0).any():
        return None
    sums = np.broadcast_to(stored.reshape(-1).astype(np.float64) - parameters.zero_point, [channels])
    scale = np.broadcast_to(parameters.scale, [channels])
    exact = dequantize is not None and np.array_equal(scale, unit)
    if not exact:
        if dequantize is None and np.any(np.abs(sums * scale) > LARGEST_SHIFT):
            return None  # what it rounds is no sum of integers
        sums = np.rint(sums * scale / unit)
    if not np.isfinite(sums).all() or (np.abs(sums) + _reach(layer) > MOST_SUM).any():
        return None
    return _Bias(sums.astype(np.int32), exact)


def _reach(layer: Layer) -> np.ndarray:
    """Return what a layer's sums may come to, without a bias, by output channel: activations moved by 128
    count."""
    return largest_sums(np.moveaxis(layer.centered, layer.out_axis, 0), zero=255)
