"""FuseAffine: scale and shift per channel and activation as one composite, with the concatenation before.

Concatenations of concatenations become one, so that in DenseNet every (concatenate, normalize, activate)
reads the layers' results where they are and writes once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import tvm
from tvm import relax

from intrinsics.epilogue import Scale, Step, joined
from relay_strategies.operators import operator_of
from relay_strategies.operators.evaluation import ELEMENT_BY_ELEMENT
from relay_strategies.passes.rewrite.activations import Activations, takes_shift
from relay_strategies.relax import composite
from relay_strategies.relax.arithmetic_calls import ADD, MULTIPLY
from relay_strategies.relax.epilogue_steps import apply_steps, steps_attribute
from relay_strategies.relax.graph import (
    ChainRewriter,
    Rewriter,
    constant,
    dtype_of,
    make_constant,
    operator_name,
    rewrite_module,
    shape_of,
)
from relay_strategies.relax.movement_calls import CONCAT, concatenation_of
from relay_strategies.relax.scales import LARGEST_SHIFT
from tvm_directconv.problem.extents import is_open

MOST_TERMS = 64
"""One kernel joins at most so many tensors: TVM's builder of kernels recurses for each, and a tensor joined
with itself a few times over would become any number of them."""


@tvm.transform.module_pass(opt_level=0, name="directconv.FuseAffine")
def FuseAffine(module: tvm.IRModule, context: tvm.transform.PassContext) -> tvm.IRModule:
    """Make composites of per-channel affine maps of channels-last tensors; wants ``FuseConv2d`` before it."""
    return rewrite_module(rewrite_module(module, _FlattenConcat), _FuseAffine)


class _FlattenConcat(Rewriter):
    def visit(self, var: relax.Var, value: relax.Expr) -> relax.Expr | None:
        new = self.new(value)
        whole = concatenation_of(new)
        if whole is None:
            return new
        fields: list[relax.Expr] = []
        for field in whole.tensors:
            call = self.produced(field, CONCAT)
            inner = None if call is None else concatenation_of(call)
            fields.extend([field] if inner is None or inner.axis != whole.axis else inner.tensors)
        if len(fields) > MOST_TERMS:
            fields = list(whole.tensors)
        axis = whole.axis
        while len(fields) > MOST_TERMS:
            groups = [fields[first : first + MOST_TERMS] for first in range(0, len(fields), MOST_TERMS)]
            fields = [self.emit(relax.op.concat(group, axis)) for group in groups]
        return relax.op.concat(fields, axis)


@dataclass
class _AffineChain:
    source: relax.Expr
    scale: np.ndarray | None
    shift: np.ndarray | None
    steps: tuple[Step, ...] = ()


class _FuseAffine(ChainRewriter[_AffineChain]):
    def prepare(self) -> None:
        self._activations = Activations(self.graph)
        for var, value in self.graph.bindings:
            if not self.is_claimed(var):
                self._find(var, value)

    def _find(self, var: relax.Var, value: relax.Expr) -> None:
        """A chain starts at a concatenation, a multiplication by or an addition of constants per channel.

        Arithmetic with scalars, and what has element-wise neighbours, is left to FuseOps.
        """
        shape = shape_of(var) or ()
        if len(shape) < 2 or is_open(shape[-1:]) or dtype_of(var) != "float32":
            return
        passed = [var]
        if _concatenated(var, value) is not None:
            chain = _AffineChain(value, None, None)
        else:
            terms = _terms(value, var)
            if terms is None or _is_scalar(value.args[1]):
                return
            chain = _AffineChain(value.args[0], *terms)
        while (taken := self._taken(chain, passed[-1])) is not None:
            passed.extend(taken)
        if _concatenated(var, value) is None and self._has_neighbours(chain.source, passed[-1]):
            return
        if len(passed) > 1 or chain.scale is not None or chain.shift is not None:
            self.claim(passed, chain)

    def _has_neighbours(self, source: relax.Expr, last: relax.Var) -> bool:
        """Whether element-wise operators stand beside it, with which FuseOps makes one kernel of all."""
        following = self.graph.only_consumer(last)
        alone = isinstance(source, relax.Var) and self.graph.uses[source] == 1
        around = [self.graph.resolve(source)] if alone else []
        around += [] if following is None else [self.graph.definition[following]]
        return any(isinstance(operator_of(each).layout, ELEMENT_BY_ELEMENT) for each in around)

    def _taken(self, chain: _AffineChain, last: relax.Var) -> Sequence[relax.Var] | None:
        """Take what follows into the chain, and return its variables; None where the chain ends."""
        following = self.graph.only_consumer(last)
        if following is not None and _extend(chain, self.graph.definition[following], following, last):
            return [following]
        found = self._activations.after(last)
        if found is None or any(map(self.is_claimed, found.variables)):
            return None
        if chain.scale is not None and not takes_shift(chain.steps or (Scale(1.0),), found.steps):
            return None
        chain.steps = joined([*chain.steps, *found.steps])
        return found.variables

    def emit_chain(self, var: relax.Var, chain: _AffineChain) -> relax.Expr:
        shape = shape_of(var)
        assert shape is not None
        channels = shape[-1]
        concatenated = _concatenated(var, chain.source)
        sources = [chain.source] if concatenated is None else concatenated
        scale = np.ones(channels) if chain.scale is None else np.broadcast_to(chain.scale, [channels])
        shift = np.full(channels, -0.0) if chain.shift is None else np.broadcast_to(chain.shift, [channels])
        terms = [make_constant(np.asarray(v, dtype="float32")) for v in (scale, shift)]

        def body(emit: composite.Emit, params: Sequence[relax.Var]) -> relax.Expr:
            *tensors, factor, term = params
            data = emit(relax.op.concat(tensors, -1)) if len(tensors) > 1 else tensors[0]
            result = emit(relax.op.add(emit(relax.op.multiply(data, factor)), term))
            return apply_steps(emit, chain.steps, result)

        arguments = [*(self.new(source) for source in sources), *terms]
        attributes = steps_attribute(chain.steps)
        return composite.make_composite(self, composite.AFFINE, arguments, body, attributes)


def _concatenated(var: relax.Var, value: relax.Expr) -> list[relax.Expr] | None:
    """Return the tensors that a concatenation along the last axis joins."""
    joined, rank = concatenation_of(value), len(shape_of(var) or ())
    return list(joined.tensors) if joined is not None and joined.axis == rank - 1 else None


def _is_scalar(expr: relax.Expr) -> bool:
    array = constant(expr)
    return array is not None and array.size == 1


def _extend(chain: _AffineChain, value: relax.Expr, var: relax.Var, last: relax.Var) -> bool:
    """Take ``value``, bound to ``var``, which consumes ``last``, into the chain: a scale, then a shift."""
    terms = _terms(value, last) if shape_of(var) == shape_of(last) else None
    if terms is None or value.args[0] != last or chain.shift is not None or chain.steps:
        return False
    scale, shift = terms
    if scale is not None and chain.scale is not None:
        return False
    if shift is not None and chain.scale is not None and np.any(np.abs(shift) > LARGEST_SHIFT):
        return False  # the kernel rounds the product and the sum as one
    chain.scale = chain.scale if scale is None else scale
    chain.shift = shift
    return True


def _terms(value: relax.Expr, var: relax.Var) -> tuple[np.ndarray | None, np.ndarray | None] | None:
    """(scale, shift) of a multiplication by, or an addition of, constants per channel."""
    name, shape = operator_name(value), shape_of(var)
    if name not in (MULTIPLY, ADD) or shape is None:
        return None
    array = constant(value.args[1])
    if array is None or array.ndim > len(shape) or array.size not in (1, shape[-1]):
        return None
    if array.size > 1 and array.shape[-1] != shape[-1]:
        return None
    if shape_of(value.args[0]) != shape:
        return None
    values = array.reshape(-1)
    return (values, None) if name == MULTIPLY else (None, values)
