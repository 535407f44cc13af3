"""FuseQuantizedOperators: what lies between 8-bit tensors as composites that one kernel each computes.

What depends on one 8-bit number alone, as activations and other scales do, is a table of its results,
whatever computes it (``byte_tables``). Else recognised are ``quantize(steps(f(dequantize(a), ...)))`` for f
an addition of any number of tensors of one shape, a product of two, one of which may be a gate, a scale and
shift per channel, NHWC average pooling, the mean over height and width, or local response normalization, and
concatenations of which some inputs are brought to another scale first. The composites:

    name        directconv.qadd, .qmul, .qaffine, .qavg_pool2d, .qglobal_avg_pool2d, .qlrn, .qconcat, .lookup
    arguments   the 8-bit tensors; behind it, scale and shift of qaffine, the table of lookup
    attributes  scales and zeros, lists of one per argument; out_scale, out_zero and out_dtype; steps, those
                that follow in real units, if there are any; axis of qconcat; those of directconv.lrn for
                qlrn; none of lookup

Dequantizations that other operators need as well stay for them; the composite reads the integers.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from tvm import relax

from intrinsics.epilogue import Step, joined
from relay_strategies.operators import operator_of
from relay_strategies.operators.bytes import quantized_attributes
from relay_strategies.relax import composite
from relay_strategies.relax.arithmetic_calls import ADD, MULTIPLY
from relay_strategies.relax.epilogue_steps import apply_steps, step_of, steps_attribute
from relay_strategies.relax.graph import (
    ChainRewriter,
    Graph,
    Rewriter,
    dtype_of,
    make_constant,
    operator_name,
    rewrite_pass,
    shape_of,
)
from relay_strategies.relax.movement_calls import concatenation_of
from relay_strategies.relax.quantize_calls import (
    BYTES,
    DEQUANTIZE,
    QUANTIZE,
    Parameters,
    quantized_to_bytes,
    single_parameters,
)
from relay_strategies.relax.scales import Affine, affine_of

from .byte_sums import extremes_after
from .byte_tables import ByteTable, ByteTables

Body = Callable[[composite.Emit, Sequence[relax.Expr]], relax.Expr]


@dataclass(frozen=True)
class _Stored:
    """An 8-bit tensor and what its integers stand for."""

    expr: relax.Expr
    parameters: Parameters


@dataclass
class _OperatorChain:
    """An operator of real numbers, ``body``, between 8-bit tensors."""

    name: str
    sources: list[_Stored]
    out: Parameters
    out_dtype: str
    body: Body
    passed: list[relax.Var] = field(default_factory=list)
    """Variables that only the chain uses; the last is its result."""
    steps: tuple[Step, ...] = ()
    attributes: Mapping[str, Any] = field(default_factory=dict)
    """These attributes are the operator's own."""
    constants: Sequence[np.ndarray] = ()
    """The body, and the composite, take these float32 vectors behind the tensors."""


class _FuseQuantizedOperators(ChainRewriter[_OperatorChain]):
    _tables: Mapping[relax.Var, ByteTable] = {}

    def prepare(self) -> None:
        self._find(_joined, self.graph.bindings)
        read = {source.expr for chain in self._chains.values() for source in chain.sources}
        claimed = self._absorbed | self._chains.keys()
        found = ByteTables(self.graph, claimed, read)
        self._tables = found.tables
        self._absorbed |= found.within
        self._find(_quantized, self.graph.bindings)

    def _find(
        self,
        find: Callable[[Rewriter, relax.Var, relax.Expr], _OperatorChain | None],
        bindings: Sequence[tuple[relax.Var, relax.Expr]],
    ) -> None:
        for var, value in bindings:
            chain = None if self.is_claimed(var) else find(self, var, value)
            if chain is not None and not any(map(self.is_claimed, chain.passed)):
                self.claim(chain.passed, chain)

    def is_claimed(self, var: relax.Var) -> bool:
        return var in self._tables or super().is_claimed(var)

    def changes(self) -> bool:
        return bool(self._tables) or super().changes()

    def visit(self, var: relax.Var, value: relax.Expr) -> relax.Expr | None:
        return self._lookup(self._tables[var]) if var in self._tables else super().visit(var, value)

    def _lookup(self, table: ByteTable) -> relax.Expr:
        least = int(np.iinfo(dtype_of(table.data)).min)

        def body(emit: composite.Emit, params: Sequence[relax.Var]) -> relax.Expr:
            number = emit(relax.op.astype(params[0], "int32"))
            if least:
                number = emit(relax.op.subtract(number, relax.const(least, "int32")))
            return emit(relax.op.take(params[1], number, axis=0))

        return composite.make_composite(
            self, composite.LOOKUP, [self.new(table.data), make_constant(table.results)], body
        )

    def emit_chain(self, var: relax.Var, chain: _OperatorChain) -> relax.Expr:
        parameters = [source.parameters for source in chain.sources]
        attributes = quantized_attributes(parameters, chain.out, chain.out_dtype)
        attributes |= {**steps_attribute(chain.steps), **chain.attributes}

        def body(emit: composite.Emit, params: Sequence[relax.Var]) -> relax.Expr:
            real = [emit(p.dequantize(param)) for p, param in zip(parameters, params, strict=False)]
            result = apply_steps(emit, chain.steps, chain.body(emit, [*real, *params[len(real) :]]))
            return chain.out.quantize(result, chain.out_dtype)

        arguments = [self.new(source.expr) for source in chain.sources]
        arguments += map(make_constant, chain.constants)
        return composite.make_composite(self, chain.name, arguments, body, attributes)


FuseQuantizedOperators = rewrite_pass("FuseQuantizedOperators", _FuseQuantizedOperators)
"""Make composites of operators between quantized tensors; wants ``FuseQuantized`` before it."""


def _quantized(rewriter: Rewriter, var: relax.Var, value: relax.Expr) -> _OperatorChain | None:
    """The chain that a quantization ends."""
    graph, out = rewriter.graph, _output(value)
    if out is None:
        return None
    passed, data, steps = [var], value.args[0], list[Step]()
    while graph.uses[data] == 1 and (following := step_of(graph.resolve(data))) is not None:
        passed.insert(0, data)
        data, step = following
        steps.insert(0, step)
    extremes, clips = extremes_after(graph, var, out)
    chain = _OperatorChain(
        "", [], out, str(value.attrs.out_dtype), _sum, [*passed, *extremes], joined([*steps, *clips])
    )
    found = _normalization(rewriter, chain, data) or _affine(graph, chain, data)
    found = found or _operator(graph, data, chain.passed)
    if found is None:
        return None
    chain.name, chain.sources, chain.body = found
    return chain


Found = tuple[str, list[_Stored], Body]
"""The name of a composite, its inputs and its meaning."""


def _normalization(rewriter: Rewriter, chain: _OperatorChain, data: relax.Expr) -> Found | None:
    """Local response normalization, which is a composite already, of a quantized tensor."""
    found = composite.composite_of(rewriter, rewriter.graph.resolve(data))
    if found is None or found.name != composite.LRN or rewriter.graph.uses[data] != 1:
        return None
    source = _stored(rewriter.graph, found.arguments[0])
    if source is None or chain.steps:
        return None
    names = ("size", "alpha", "beta", "bias", "axis")
    chain.attributes = {name: found.attributes[name] for name in names}
    chain.passed.insert(0, data)
    return composite.QLRN, [source], lambda emit, real: composite.inlined(emit, found.function, real)


def _affine(graph: Graph, chain: _OperatorChain, data: relax.Expr) -> Found | None:
    """Products and sums with constants per channel, channels last, which join: their roundings are far below
    the unit of the result."""
    shape, passed = shape_of(data) or (), list[relax.Var]()
    per_channel, affine = (*[1] * (len(shape) - 1), *shape[-1:]), Affine.none(len(shape))
    while (call := graph.sole_call(data, MULTIPLY, ADD)) is not None:
        found = affine_of(call)
        both = affine.joined(found) if found is not None and found.shape == per_channel else None
        if both is None or not both.moves:
            break
        affine = both
        passed.insert(0, data)
        data = call.args[0]
    source = _stored(graph, data) if passed else None
    if source is None:
        return None
    chain.passed[:0] = passed
    channels = (shape_of(source.expr) or (0,))[-1]
    terms = (affine.scale, affine.shift)
    chain.constants = [np.broadcast_to(v.reshape(-1), [channels]).astype(np.float32) for v in terms]

    def body(emit: composite.Emit, real: Sequence[relax.Expr]) -> relax.Expr:
        return emit(relax.op.add(emit(relax.op.multiply(real[0], real[1])), real[2]))

    return composite.QAFFINE, [source], body


def _operator(graph: Graph, data: relax.Expr, passed: list[relax.Var]) -> Found | None:
    """Return what makes the real numbers ``data``; adds to ``passed``."""
    call = graph.resolve(data)
    if not isinstance(data, relax.Var) or graph.uses[data] != 1 or not isinstance(call, relax.Call):
        return None
    if operator_name(call) == ADD:
        sources = _terms(graph, data, passed)
        if sources is None or any(shape_of(s.expr) != shape_of(data) for s in sources):
            return None
        return composite.QADD, sources, _sum
    if operator_name(call) == MULTIPLY:
        return _product(graph, call, data, passed)
    rule = operator_of(call).between_bytes
    name = None if rule is None else rule(call)
    source = None if name is None else _stored(graph, call.args[0])
    if name is None or source is None:
        return None
    passed.insert(0, data)
    return name, [source], lambda emit, real: emit(relax.Call(call.op, list(real), call.attrs, call.ty_args))


def _product(graph: Graph, call: relax.Call, data: relax.Var, passed: list[relax.Var]) -> Found | None:
    """The product of a tensor of the result's shape and one that may lack some of its axes, as gates do."""
    factors = [_stored(graph, argument) for argument in call.args]
    sources = sorted((f for f in factors if f), key=lambda f: shape_of(f.expr) != shape_of(data))
    if len(sources) < 2 or shape_of(sources[0].expr) != shape_of(data):
        return None
    passed.insert(0, data)
    return composite.QMUL, sources, lambda emit, real: emit(relax.op.multiply(*real))


def _terms(graph: Graph, data: relax.Expr, passed: list[relax.Var]) -> list[_Stored] | None:
    """The inputs of an addition, of additions that only feed it as well."""
    stored = _stored(graph, data)
    if stored is not None:
        return [stored]
    call = graph.call(data, ADD)
    if call is None or not isinstance(data, relax.Var) or graph.uses[data] != 1:
        return None
    passed.insert(0, data)
    terms = [_terms(graph, argument, passed) for argument in call.args]
    return None if any(term is None for term in terms) else [t for term in terms for t in term or []]


def _sum(emit: composite.Emit, real: Sequence[relax.Expr]) -> relax.Expr:
    return functools.reduce(lambda a, b: emit(relax.op.add(a, b)), real)


def _joined(rewriter: Rewriter, var: relax.Var, value: relax.Expr) -> _OperatorChain | None:
    """A concatenation of 8-bit tensors, some of which were given the result's scale for it."""
    joined = concatenation_of(value)
    if dtype_of(var) not in BYTES or joined is None:
        return None
    graph, fields, axis = rewriter.graph, joined.tensors, joined.axis
    calls = [graph.call(each, QUANTIZE) for each in fields]
    scales = [None if call is None else _output(call) for call in calls]
    sources = [None if call is None else _stored(graph, call.args[0]) for call in calls]
    changed = [each for each, source in zip(scales, sources, strict=True) if each is not None and source]
    if not changed or any(not out.equals(changed[0]) for out in changed):
        return None
    passed, inputs = [var], []
    for part, out, source in zip(fields, scales, sources, strict=True):
        if out is not None and source is not None and isinstance(part, relax.Var) and graph.uses[part] == 1:
            inputs.append(source)
            passed.insert(0, part)
        else:
            inputs.append(_Stored(part, changed[0]))
    if len(passed) == 1:
        return None

    def body(emit: composite.Emit, real: Sequence[relax.Expr]) -> relax.Expr:
        return emit(relax.op.concat(list(real), axis))

    return _OperatorChain(
        composite.QCONCAT, inputs, changed[0], dtype_of(var), body, passed, attributes={"axis": axis}
    )


def _output(value: relax.Expr) -> Parameters | None:
    """Return what a quantization to 8 bits with one positive scale makes."""
    return _positive(quantized_to_bytes(value))


def _stored(graph: Graph, data: relax.Expr) -> _Stored | None:
    """The 8-bit tensor that ``data`` is the real numbers of."""
    call = graph.call(data, DEQUANTIZE)
    parameters = None if call is None else _positive(single_parameters(call))
    if call is None or parameters is None or dtype_of(call.args[0]) not in BYTES:
        return None
    return None if shape_of(call.args[0]) is None else _Stored(call.args[0], parameters)


def _positive(parameters: Parameters | None) -> Parameters | None:
    """The parameters where their one scale is a positive number: products of scales are to be some, too."""
    usable = parameters is not None and 0 < parameters.scale[0] < math.inf
    return parameters if usable else None
