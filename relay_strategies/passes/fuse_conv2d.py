"""FuseConv2d: convolution + bias + residual addition + activation as one composite, dense layers likewise.

A chain starts at a convolution (or a matrix product with a constant matrix) and follows its result while it
has a single consumer. Convolutions are looked at last to first, so that of two whose results are added the
later one takes the addition: its sum is still in registers when the other's result has long been stored.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import tvm
from tvm import relax

from relay_strategies.relax import composite
from relay_strategies.relax.graph import (
    ChainRewriter,
    Graph,
    constant,
    dtype_of,
    make_constant,
    operator_name,
    rewrite_module,
    shape_of,
)

from .clips import clip_bounds


@tvm.transform.module_pass(opt_level=0, name="directconv.FuseConv2d")
def FuseConv2d(module: tvm.IRModule, context: tvm.transform.PassContext) -> tvm.IRModule:
    """Make composites of NHWC convolutions and dense layers in float32; wants ``ToNHWC`` before it."""
    return rewrite_module(module, _FuseConv2d)


@dataclass
class _Chain:
    """What is fused into one call; the call stands where ``last`` was bound."""

    layer: relax.Call
    last: relax.Var
    bias: relax.Expr | None = None
    residual: relax.Expr | None = None
    low: float = -math.inf
    high: float = math.inf
    activated: bool = False


class _FuseConv2d(ChainRewriter[_Chain]):
    def prepare(self) -> None:
        for var, value in reversed(self.graph.bindings):
            if is_convolution(value) or is_dense(self.graph, value):
                self._find(var, value)

    def _find(self, var: relax.Var, layer: relax.Call) -> None:
        chain, passed = _Chain(layer, var), [var]
        while (following := self.graph.only_consumer(chain.last)) is not None:
            value = self.graph.definition[following]
            if self.is_claimed(following):
                break
            if not (_take_term(chain, value, shape_of(var)) or _take_activation(chain, value)):
                break
            chain.last = following
            passed.append(following)
        self.claim(passed, chain)

    def emit_chain(self, var: relax.Var, chain: _Chain) -> relax.Expr:
        layer = self.new(chain.layer)
        attributes: dict[str, bool | float] = {}
        arguments: list[relax.Expr] = list(layer.args[:2])
        name = composite.CONV2D if is_convolution(chain.layer) else composite.DENSE
        if name == composite.DENSE:
            stored = self.produced(layer.args[1], "relax.permute_dims")
            attributes["transposed"] = stored is not None
            if stored is not None:
                arguments[1] = stored.args[0]
        channels = (shape_of(chain.last) or (0,))[-1]
        if chain.bias is not None:
            arguments.append(self._bias(chain.bias, channels))
        if chain.residual is not None:
            arguments.append(self.new(chain.residual))
        attributes |= {"bias": chain.bias is not None, "residual": chain.residual is not None}
        for bound, value in (("low", chain.low), ("high", chain.high)):
            if not math.isinf(value):
                attributes[bound] = value

        def body(emit: composite.Emit, params: Sequence[relax.Var]) -> relax.Expr:
            weight = params[1]
            if attributes.get("transposed"):
                weight = emit(relax.op.permute_dims(weight, [1, 0]))
            result = emit(relax.Call(layer.op, [params[0], weight], layer.attrs, layer.ty_args))
            for term in params[2:]:
                result = emit(relax.op.add(result, term))
            if (chain.low, chain.high) == (0.0, math.inf):
                return relax.op.nn.relu(result)
            if (chain.low, chain.high) == (-math.inf, math.inf):
                return result
            bounds = (tvm.tirx.const(value, "float32") for value in (chain.low, chain.high))
            return relax.op.clip(result, *bounds)

        return composite.make_composite(self, name, arguments, body, attributes, like=chain.layer)

    def _bias(self, bias: relax.Expr, channels: int) -> relax.Expr:
        array = constant(bias)
        if array is not None:
            return make_constant(np.broadcast_to(array.reshape(-1), [channels]))
        new = self.new(bias)
        reshaped = self.produced(new, "relax.reshape")
        if reshaped is not None and shape_of(reshaped.args[0]) == (channels,):
            return reshaped.args[0]
        return new if shape_of(new) == (channels,) else self.emit(relax.op.reshape(new, [channels]))


def is_convolution(value: relax.Expr) -> bool:
    """A convolution this library has kernels for: NHWC, float32, static shapes."""
    if operator_name(value) != "relax.nn.conv2d":
        return False
    attrs = value.attrs
    return (
        attrs.data_layout == attrs.out_layout == "NHWC"
        and attrs.kernel_layout in ("OIHW", "HWIO", "OHWI")
        and all(dtype_of(e) == "float32" and shape_of(e) is not None for e in (value, *value.args))
    )


def is_dense(graph: Graph, value: relax.Expr) -> bool:
    """A product of rows with a constant matrix (or a constant's transpose), float32, static shapes."""
    if operator_name(value) != "relax.matmul":
        return False
    weight = graph.resolve(value.args[1])
    if operator_name(weight) == "relax.permute_dims":
        weight = graph.resolve(weight.args[0])
    return (
        constant(weight) is not None
        and all(dtype_of(e) == "float32" for e in (value, value.args[0], weight))
        and len(shape_of(weight) or ()) == 2
        and all(len(shape_of(e) or ()) >= 2 for e in (value, value.args[0]))
    )


def _take_term(chain: _Chain, value: relax.Expr, shape: tuple[int, ...] | None) -> bool:
    """Take an addition into the chain: a bias per channel, or a residual of the result's shape."""
    if operator_name(value) != "relax.add" or chain.activated or shape_of(value) != shape or shape is None:
        return False
    first, second = value.args
    term = second if first == chain.last else first
    extents = shape_of(term)
    if extents is None or dtype_of(term) != "float32":
        return False
    per_channel = all(e == 1 for e in extents[:-1]) and (not extents or extents[-1] == shape[-1])
    scalar = constant(term) is not None and math.prod(extents) == 1
    if (per_channel or scalar) and chain.bias is None and (extents or scalar):
        chain.bias = term
    elif extents == shape and chain.residual is None:
        chain.residual = term
    else:
        return False
    return True


def _take_activation(chain: _Chain, value: relax.Expr) -> bool:
    bounds = clip_bounds(value)
    if bounds is None or bounds[0] != chain.last or dtype_of(value) != "float32":
        return False
    if shape_of(value) != shape_of(chain.last):
        return False
    chain.low, chain.high = (min(max(b, bounds[1]), bounds[2]) for b in (chain.low, chain.high))
    chain.activated = True
    return True
