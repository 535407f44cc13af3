"""FuseConv2d: convolution + bias + elementwise steps as one composite, dense layers likewise.

A chain starts at a convolution (or a matrix product with a constant matrix) and follows its result while one
operator or one activation (``activations``) is all that uses it. A residual is added in its place among the
activations. Convolutions are looked at last to first, so that of two whose results are added the
later one takes the addition: its sum is still in registers when the other's result has long been stored.

TVM's FuseOpsByPattern does not control which of two layers takes an addition, needs a pattern for every
combination of terms, and does not keep the attributes of what it found.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from tvm import relax

from intrinsics.epilogue import ChannelShift, Residual, Step, joined
from relay_strategies.passes.rewrite.activations import Activations, takes_shift
from relay_strategies.passes.rewrite.channel_steps import channel_step_after
from relay_strategies.relax import composite
from relay_strategies.relax.arithmetic_calls import added_to
from relay_strategies.relax.epilogue_steps import apply_steps, steps_attribute
from relay_strategies.relax.filters import PRODUCT, filter_of, is_nhwc_convolution
from relay_strategies.relax.graph import (
    ChainRewriter,
    Graph,
    constant,
    dtype_of,
    make_constant,
    operator_name,
    rewrite_pass,
    shape_of,
)
from relay_strategies.relax.movement_calls import RESHAPE
from relay_strategies.relax.scales import LARGEST_SHIFT


@dataclass
class _LayerChain:
    """Operators that are fused into one call, which stands where ``last`` was bound."""

    layer: relax.Call
    last: relax.Var
    bias: relax.Expr | None = None
    residual: relax.Expr | None = None
    """The step ``Residual`` adds it."""
    steps: tuple[Step, ...] = ()
    constants: list[np.ndarray] = field(default_factory=list)
    """The constants of steps that have one for each channel."""


class _FuseConv2d(ChainRewriter[_LayerChain]):
    def prepare(self) -> None:
        self._activations = Activations(self.graph)
        for var, value in reversed(self.graph.bindings):
            if is_convolution(value) or is_dense(self.graph, value):
                self._find(var, value)

    def _find(self, var: relax.Var, layer: relax.Call) -> None:
        chain, passed = _LayerChain(layer, var), [var]
        while (taken := self._taken(chain, shape_of(var))) is not None:
            chain.last = taken[-1]
            passed.extend(taken)
        self.claim(passed, chain)

    def _taken(self, chain: _LayerChain, shape: tuple[int, ...] | None) -> Sequence[relax.Var] | None:
        """Take what follows into the chain, and return its variables; None where the chain ends."""
        following = self.graph.only_consumer(chain.last)
        value = None if following is None or self.is_claimed(following) else self.graph.definition[following]
        if following is not None and value is not None and _take_term(chain, value, shape):
            return [following]
        found = self._activations.after(chain.last)
        free = found is not None and not any(map(self.is_claimed, found.variables))
        if found is not None and free and takes_shift(chain.steps, found.steps):
            chain.steps = joined([*chain.steps, *found.steps])
            return found.variables
        return self._taken_by_channel(chain)

    def _taken_by_channel(self, chain: _LayerChain) -> Sequence[relax.Var] | None:
        """Take a step with a constant for each channel, whose place is behind the bias."""
        if chain.bias is not None and constant(chain.bias) is None:
            return None
        found = channel_step_after(self.graph, self._activations, chain.last)
        if found is None or any(map(self.is_claimed, found.variables)):
            return None
        if found.kind is ChannelShift and not takes_shift(chain.steps, found.constants):
            return None
        chain.constants.append(found.constants)
        chain.steps = joined([*chain.steps, found.kind(len(chain.constants) * len(found.constants))])
        return found.variables

    def emit_chain(self, var: relax.Var, chain: _LayerChain) -> relax.Expr:
        layer = self.new(chain.layer)
        arguments: list[relax.Expr] = list(layer.args[:2])
        channels = (shape_of(chain.last) or (0,))[-1]
        bias = None if chain.bias is None else self._bias(chain.bias, channels)
        if chain.constants:
            of_bias = np.zeros(channels, np.float32) if bias is None else constant(bias)
            bias = make_constant(np.concatenate([of_bias, *chain.constants]))
        attributes: dict[str, Any] = {"bias": bias is not None}
        attributes |= steps_attribute(chain.steps)
        matrix = None if is_convolution(chain.layer) else filter_of(self.graph, chain.layer)
        if matrix is not None:
            attributes["transposed"] = matrix.transposed
            arguments[1] = matrix.stored
        if bias is not None:
            arguments.append(bias)
        if chain.residual is not None:
            arguments.append(self.new(chain.residual))

        def body(emit: composite.Emit, params: Sequence[relax.Var]) -> relax.Expr:
            weight = params[1] if matrix is None else matrix.operand(emit, params[1])
            result = emit(relax.Call(layer.op, [params[0], weight], layer.attrs, layer.ty_args))
            residual = None if chain.residual is None else params[-1]
            if bias is None:
                return apply_steps(emit, chain.steps, result, residual)

            def channel(at: int) -> relax.Expr:
                if not chain.constants:
                    return params[2]
                return emit(relax.op.strided_slice(params[2], [0], [at], [at + channels]))

            result = emit(relax.op.add(result, channel(0)))
            return apply_steps(emit, chain.steps, result, residual, channel)

        name = composite.CONV2D if matrix is None else composite.DENSE
        return composite.make_composite(self, name, arguments, body, attributes, like=chain.layer)

    def _bias(self, bias: relax.Expr, channels: int) -> relax.Expr:
        array = constant(bias)
        if array is not None:
            return make_constant(np.broadcast_to(array.reshape(-1), [channels]))
        new = self.new(bias)
        reshaped = self.produced(new, RESHAPE)
        if reshaped is not None and shape_of(reshaped.args[0]) == (channels,):
            return reshaped.args[0]
        return new if shape_of(new) == (channels,) else self.emit(relax.op.reshape(new, [channels]))


FuseConv2d = rewrite_pass("FuseConv2d", _FuseConv2d)
"""Make composites of NHWC convolutions and dense layers in float32; wants ``ToNHWC`` before it."""


def is_convolution(value: relax.Expr) -> bool:
    """Whether a value is a convolution that this library has kernels for: NHWC, float32, static shapes."""
    return is_nhwc_convolution(value) and _is_float(value)


def is_dense(graph: Graph, value: relax.Expr) -> bool:
    """Whether a value is a product of rows with a constant matrix, or a constant's transpose, in float32 and
    of static shapes."""
    if operator_name(value) != PRODUCT or filter_of(graph, value) is None or not _is_float(value):
        return False
    return all(len(shape_of(e) or ()) >= 2 for e in (value, value.args[0]))


def _is_float(call: relax.Call) -> bool:
    return all(dtype_of(e) == "float32" for e in (call, *call.args))


def _take_term(chain: _LayerChain, value: relax.Expr, shape: tuple[int, ...] | None) -> bool:
    """Take an addition into the chain: a bias per channel, or a residual of the result's shape."""
    term = added_to(value, chain.last)
    if term is None or shape_of(value) != shape or shape is None:
        return False
    extents = shape_of(term)
    if extents is None or dtype_of(term) != "float32":
        return False
    per_channel = all(e == 1 for e in extents[:-1]) and (not extents or extents[-1] == shape[-1])
    constants = constant(term)
    scalar = constants is not None and math.prod(extents) == 1
    if constants is not None and np.any(np.abs(constants) > LARGEST_SHIFT):
        return False  # a kernel's sums begin with the bias; it becomes a step behind them
    linear = all(isinstance(step, Residual) for step in chain.steps)
    if (per_channel or scalar) and chain.bias is None and linear and (extents or scalar):
        chain.bias = term
    elif extents == shape and chain.residual is None:
        chain.residual = term
        chain.steps = (*chain.steps, Residual())
    else:
        return False
    return True
