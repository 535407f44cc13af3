"""NarrowTensors: the tensors between layers in half precision.

Convolutions and dense layers become composites of tensors in half precision, whose weights are rounded as
they are packed. Tensors between them are stored so, too: what only moves values moves halves, and what
computes reads and writes halves by casts, which become part of its kernel, and computes in float32. Products
of computed matrices and attention round what they multiply, where that is faster on the target. Nothing
is rounded before the first such layer and behind the last one, nor between operators that become one kernel.
The function keeps its types.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import tvm
from tvm import relax
from tvm.ir import GenericConst

from relay_strategies.operators import names_of, operator_of
from relay_strategies.operators.operator import Values
from relay_strategies.operators.products import HALF
from relay_strategies.relax import composite
from relay_strategies.relax.arithmetic_calls import CAST
from relay_strategies.relax.epilogue_steps import FLOAT
from relay_strategies.relax.graph import (
    Rewriter,
    constant,
    dtype_of,
    make_constant,
    operator_name,
    rewrite_module,
    shape_of,
    variables,
)
from relay_strategies.relax.movement_calls import SPLIT
from relay_strategies.strategies import strategy
from relay_strategies.strategies.limits import NO_LIMITS, Limits
from tvm_directconv.errors import AlgorithmError
from tvm_directconv.operators.matrix_tiles import half_that_pays
from tvm_directconv.problem.element_types import HALVES, rounded
from tvm_directconv.targets.gpu import GpuTarget
from tvm_directconv.targets.target import CompileTarget, resolve_target

from .by_name import ByName, Words
from .layer_workload import layer_name
from .network_cost import PRODUCTS, network_cycles

AUTO = "auto"
GAIN = 1.1
"""Estimates promise less than this where nothing may be gained: half precision has to be so much faster."""
PRECISIONS = (FLOAT, *HALVES, AUTO)
LAYERS = (composite.CONV2D, composite.DENSE)
MOVED = (*names_of(Values.REARRANGED, Values.SELECTED, Values.JOINED), "relax.tile", "relax.flip")
MOVING_COMPOSITES = (composite.JOIN, composite.CHANNEL_SHUFFLE, composite.INTERLEAVE, composite.FRAMES)
LARGEST = names_of(Values.LARGEST)
"""The largest of several halves is a half."""


def NarrowTensors(
    target: str | Mapping[str, Any] | tvm.target.Target | CompileTarget | GpuTarget,
    precision: Words = FLOAT,
    algorithm: Words = strategy.AUTO,
    limits: Limits = NO_LIMITS,
) -> tvm.transform.Pass:
    """The pass for ``target``; wants ``FuseConv2d`` before it, and to run before ``LowerConv2d``.

    ``precision`` is one of ``PRECISIONS``, or one by the name of a layer or a pattern, of which at most one
    is beside float32. "auto" is the type in which the whole network is estimated to take least, float32
    unless another is clearly faster, its layers by the ``algorithm`` that LowerConv2d is given, within its
    ``limits``.
    """
    resolved = target if isinstance(target, GpuTarget) else resolve_target(target)

    @tvm.transform.module_pass(opt_level=0, name="directconv.NarrowTensors")
    def narrow(module: tvm.IRModule, context: tvm.transform.PassContext) -> tvm.IRModule:
        given = {"*": precision} if isinstance(precision, str) else precision
        if AUTO not in given.values():
            return _narrowed(module, resolved, given)
        halves = ("float16",) if isinstance(resolved, GpuTarget) else HALVES
        modules = {
            kind: _narrowed(module, resolved, {p: kind if w == AUTO else w for p, w in given.items()})
            for kind in (FLOAT, *halves)
        }
        cycles = {kind: _cycles(made, resolved, algorithm, limits) for kind, made in modules.items()}
        return modules[fastest(cycles)]

    return narrow


def fastest(cycles: Mapping[str, float]) -> str:
    """Return the type that "auto" stands for, by the estimate of each."""
    best = min((kind for kind in HALVES if kind in cycles), key=lambda kind: cycles[kind])
    return best if GAIN * cycles[best] < cycles[FLOAT] else FLOAT


def _narrowed(
    module: tvm.IRModule, target: CompileTarget | GpuTarget, given: Mapping[str, str]
) -> tvm.IRModule:
    words = ByName(given, FLOAT)
    narrowed = rewrite_module(module, lambda f, b: _NarrowTensors(f, b, target, words))
    words.check("precision")
    return narrowed


def _cycles(
    module: tvm.IRModule, target: CompileTarget | GpuTarget, algorithm: Words, limits: Limits
) -> float:
    """Return what a network is estimated to take; infinite where a layer cannot be computed as is asked."""
    try:
        return network_cycles(module, target, algorithm, limits)
    except AlgorithmError:
        return math.inf


class _NarrowTensors(Rewriter):
    """``_halves`` are the tensors in half precision that stand for old float32 variables."""

    def __init__(
        self,
        function: relax.Function,
        builder: relax.BlockBuilder,
        target: CompileTarget | GpuTarget,
        words: ByName,
    ) -> None:
        super().__init__(function, builder)
        self._target, self._words = target, words
        self._layers: dict[relax.Var, composite.Composite] = {}
        self._halves: dict[relax.Var, relax.Expr] = {}

    # ---- what becomes half precision

    def prepare(self) -> None:
        found = [(var, composite.composite_of(self, value)) for var, value in self.graph.bindings]
        layers = {var: layer for var, layer in found if layer is not None and layer.name in LAYERS}
        kinds = {var: self._words.of(layer_name(var, self.graph.definition[var])) for var in layers}
        self._layers = {var: layers[var] for var, kind in kinds.items() if kind != FLOAT}
        self._kind = next((kind for kind in kinds.values() if kind != FLOAT), FLOAT)
        self._behind = self._reached(forwards=True)
        self._before = self._reached(forwards=False)
        target, narrow = self._target, self._kind != FLOAT
        pays = narrow and isinstance(target, CompileTarget) and half_that_pays(target, self._kind)
        products = [(var, each) for var, each in found if each is not None and each.name in PRODUCTS]
        # Names are looked up on every target, for what names a product to be right or wrong on all.
        between = {var: product for var, product in products if self._is_narrow(var)}
        self._products = between if pays else {}

    def _is_narrow(self, var: relax.Var) -> bool:
        """Whether a product between layers in half precision is to be of it, too."""
        word = self._words.of(layer_name(var, self.graph.definition[var]))
        return word != FLOAT and var in self._behind and var in self._before

    def changes(self) -> bool:
        return bool(self._layers)

    def _reached(self, forwards: bool) -> set[relax.Var]:
        """The variables that are made of results of layers in half precision, or such layers of them, by
        operators that are known."""
        found: set[relax.Var] = set()
        for var, value in self.graph.bindings if forwards else reversed(self.graph.bindings):
            passes = var in self._layers or self._is_known(value)
            if forwards and passes and (var in self._layers or not found.isdisjoint(variables(value))):
                found.add(var)
            elif not forwards and passes and (var in self._layers or var in found):
                found.update(variables(value))
        return found

    def _is_known(self, value: relax.Expr) -> bool:
        known = operator_of(value).name or composite.composite_of(self, value) is not None
        return bool(known) or isinstance(value, relax.Var | relax.Tuple | relax.TupleGetItem)

    def _is_stored(self, var: relax.Var) -> bool:
        """Whether a variable is a tensor between layers."""
        between = var in self._behind and var in self._before
        return between and shape_of(var) is not None and dtype_of(var) == FLOAT

    def _is_read(self, var: relax.Var) -> bool:
        """Whether something reads it in half precision, as it is."""
        consumers = self.graph.consumers.get(var, [])
        return any(
            user in self._layers or (self._moves(self.graph.definition[user]) and self._is_stored(user))
            for user in consumers
        )

    def _moves(self, value: relax.Expr) -> bool:
        found = composite.composite_of(self, value)
        name = operator_name(value) if found is None else found.name
        return name in (*MOVED, *MOVING_COMPOSITES) and name != SPLIT

    # ---- halves of values

    def made(self, var: relax.Var) -> relax.Expr | None:
        return self.emit(relax.op.astype(self._halves[var], FLOAT)) if var in self._halves else None

    def _half(self, expr: relax.Expr) -> relax.Expr:
        """An old float32 expression in half precision."""
        if isinstance(expr, relax.Var) and expr in self._halves:
            return self._halves[expr]
        array = constant(expr) if isinstance(expr, GenericConst) else None
        if array is not None:
            return make_constant(rounded(array, self._kind))
        widened, wide = self.graph.call(expr, CAST), self.new(expr)
        if widened is not None and dtype_of(widened.args[0]) == self._kind:
            made = self.new(widened.args[0])
        else:
            made = self.emit(relax.op.astype(wide, self._kind))
        if isinstance(expr, relax.Var):
            self._halves[expr] = made
            self.bind(expr, wide)  # which others read unrounded
        return made

    # ---- the walk

    def visit(self, var: relax.Var, value: relax.Expr) -> relax.Expr | None:
        if isinstance(value, relax.Var) and value in self._halves:
            self._halves[var] = self._halves[value]
            return None
        if var in self._layers:
            return self._layer(var, self._layers[var])
        if var in self._products:
            value = self._product(self._products[var], value)
        if not self._is_stored(var):
            return self.new(value)
        if self._moves(value):
            self._halves[var] = self.emit(self._moved(value), var.name)
            return None
        new = self.new(value)
        if not self._is_read(var) and operator_name(value) not in LARGEST:
            return new
        self._halves[var] = self.emit(relax.op.astype(self.emit(new, var.name), self._kind))
        return None

    def _product(self, product: composite.Composite, value: relax.Call) -> relax.Call:
        """The product, or attention, of rounded operands: another function of the same arguments."""

        def body(emit: composite.Emit, params: Sequence[relax.Var]) -> relax.Expr:
            return composite.inlined(emit, product.function, params)

        attributes = {**product.attributes, HALF: self._kind}
        return composite.make_composite(self, product.name, product.arguments, body, attributes, like=value)

    def _moved(self, value: relax.Call) -> relax.Expr:
        """Return a call that moves values, on halves."""
        found = composite.composite_of(self, value)
        if found is not None:
            arguments = [self._half(argument) for argument in found.arguments]

            def body(emit: composite.Emit, params: Sequence[relax.Var]) -> relax.Expr:
                return composite.inlined(emit, found.function, params)

            return composite.make_composite(self, found.name, arguments, body, found.attributes, like=value)
        data, *others = value.args
        joined = self.graph.resolve(data)
        moved = relax.Tuple(list(map(self._half, joined.fields))) if isinstance(joined, relax.Tuple) else None
        arguments = [self._half(data) if moved is None else moved, *map(self.new, others)]
        return relax.Call(value.op, arguments, value.attrs, value.ty_args, value.span)

    def _layer(self, var: relax.Var, layer: composite.Composite) -> relax.Expr | None:
        """The layer in half precision; its result is float32 where no other such layer follows."""
        kind, stored = self._kind, self._is_stored(var)
        data, weight, *extra = layer.arguments
        bias = bool(layer.attributes["bias"])
        arguments = [self._half(data), self.new(weight), *map(self.new, extra[:bias])]
        if not isinstance(arguments[1], GenericConst):
            arguments[1] = self._half(weight)
        arguments += map(self._half if stored else self.new, extra[bias:])

        def body(emit: composite.Emit, params: Sequence[relax.Var]) -> relax.Expr:
            operands = list(params)
            if dtype_of(params[1]) == FLOAT:
                operands[1] = emit(relax.op.astype(params[1], kind))  # as it is packed
            wide = [emit(relax.op.astype(p, FLOAT)) if dtype_of(p) == kind else p for p in operands]
            result = composite.inlined(emit, layer.function, wide)
            return relax.op.astype(result, kind) if stored else result

        like = self.graph.definition[var]
        call = composite.make_composite(self, layer.name, arguments, body, layer.attributes, like=like)
        result = self.emit(call, var.name)
        if not stored:
            return result
        self._halves[var] = result
        return None
