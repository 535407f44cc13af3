"""FuseProducts: products of computed matrices, and attention, as composites over views.

What permutes, reshapes, slices or scales the operands of such a product, and what permutes its result, costs
nothing inside a kernel that knows strides. Attention is a product, scaled and added to, then softmax, then a
product: one composite, so that its scores stay in cache. Products with a constant matrix are dense layers,
and no concern of this pass.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tvm import relax

from relay_strategies.operators.products import described
from relay_strategies.relax import composite
from relay_strategies.relax.arithmetic_calls import ADD, DIVIDE, MULTIPLY
from relay_strategies.relax.epilogue_steps import FLOAT
from relay_strategies.relax.filters import PRODUCT, filter_of
from relay_strategies.relax.graph import (
    ChainRewriter,
    extents_of,
    ints,
    operator_name,
    rewrite_pass,
    scalar,
    shape_of,
)
from relay_strategies.relax.movement_calls import RESHAPES
from relay_strategies.relax.scales import factor_of, scales_join
from relay_strategies.relax.views import Operand, forward, is_float, operand, written
from tvm_directconv.errors import WorkloadError
from tvm_directconv.operators.attention import Attention
from tvm_directconv.operators.matrix_product import MatrixProduct
from tvm_directconv.operators.matrix_terms import ADD as ADDED
from tvm_directconv.operators.matrix_terms import MULTIPLY as MULTIPLIED
from tvm_directconv.operators.matrix_terms import Term
from tvm_directconv.operators.matrix_views import View
from tvm_directconv.problem.extents import magnitude

KINDS = {ADD: ADDED, MULTIPLY: MULTIPLIED}


@dataclass(frozen=True)
class _Fused:
    """``operands`` are the old expressions that the composite takes views of, and ``known`` what they are
    views of; ``what`` is the kernel."""

    what: MatrixProduct | Attention
    operands: tuple[relax.Expr, ...]
    known: tuple[Operand, ...]


@dataclass
class _Scores:
    """A product and the terms that follow it, with the stack each of them sees."""

    product: relax.Call
    passed: list[relax.Var]
    terms: list[tuple[str, relax.Expr, tuple[int, ...]]]


class _FuseProducts(ChainRewriter[_Fused]):
    def prepare(self) -> None:
        self._roots: set[relax.Expr] = set()  # what chains read, which none may absorb
        # The last first: of attention, the product that softmax is an operand of.
        for var, value in reversed(self.graph.bindings):
            if not self.is_claimed(var) and self._is_product(value):
                found = self._attention(var, value) or self._product(var, value)
                if found is not None:
                    self.claim(*found)
                    self._roots.update(each.root for each in found[1].known)

    def _is_product(self, value: relax.Expr) -> bool:
        if operator_name(value) != PRODUCT or not is_float(value, *value.args):
            return False
        ranks = [len(extents_of(argument)) for argument in value.args]
        return min(ranks) >= 2 and filter_of(self.graph, value) is None

    # ---- a product alone

    def _product(self, var: relax.Var, value: relax.Call) -> tuple[list[relax.Var], _Fused] | None:
        """Return a product with the terms and factors behind it, and permutations of the result."""
        scores = _Scores(value, [var], [])
        stack = extents_of(var)[:-2]
        while (following := self.graph.only_consumer(scores.passed[-1])) is not None:
            taken = self.is_claimed(following) or scores.passed[-1] in self._roots
            term = None if taken else self._term(following, scores.passed[-1])
            if term is None:
                break
            scores.passed.append(following)
            scores.terms.append((*term, stack))
        for moves in self._prefixes(scores.passed[-1]):
            output = self._written(scores.passed[-1], moves)
            stacks = [stack] if output is None else [stack, output.shape[:-2]]
            made = None if output is None else self._matrix_product(scores, output, _refined(stacks))
            if made is not None:
                return [*scores.passed, *moves], made
        return None

    def _matrix_product(self, scores: _Scores, output: View, stack: tuple[int, ...] | None) -> _Fused | None:
        parts = None if stack is None else self._factors(scores, stack)
        if stack is None or parts is None:
            return None
        expressions, operands, terms, scale = parts
        made = output.reshaped((*stack, *output.shape[-2:]))
        if made is None:
            return None
        try:
            what = MatrixProduct(operands[0].view, operands[1].view, made, scale, terms)
        except WorkloadError:
            return None
        return _Fused(what, expressions, operands)

    # ---- attention

    def _attention(self, var: relax.Var, value: relax.Call) -> tuple[list[relax.Var], _Fused] | None:
        rows, length = extents_of(value.args[0])[-2:]
        passed = [var]
        softmax = self._back(value.args[0], passed, (rows, length))
        guard = self._guard(softmax, passed[-1])
        if guard is not None:
            softmax, hidden = guard
            passed.extend(hidden)
        if softmax is None or operator_name(softmax) != "relax.nn.softmax":
            return None
        rank = len(extents_of(softmax))
        if int(softmax.attrs.axis) % rank != rank - 1:
            return None
        scores = self._scores(softmax.args[0], (rows, length), passed)
        if scores is None:
            return None
        stacks = [extents_of(var)[:-2], extents_of(scores.product)[:-2]]
        stack = _refined([*stacks, *(stack for *_, stack in scores.terms)])
        if stack is None:
            return None
        for moves in self._prefixes(var):
            output = self._written(var, moves)
            guarded = guard is not None
            made = None if output is None else self._attention_of(scores, value, output, stack, guarded)
            if made is not None:
                return [*reversed(scores.passed), *reversed(passed), *moves], made
        return None

    def _guard(self, value: relax.Call | None, var: relax.Var) -> tuple[relax.Call, list[relax.Var]] | None:
        """The softmax whose rows are zeros where their scores are all -infinity (PyTorch's safe softmax) or
        where they are NaN (as torch.onnx writes that), and what lies between it and ``var``."""
        if value is None or operator_name(value) != "relax.where" or scalar(value.args[1]) != 0.0:
            return None
        condition, _, weights = value.args
        softmax = self.graph.call(weights, "relax.nn.softmax")
        test = self.graph.call(condition, "relax.equal", "relax.isnan")
        if softmax is None or test is None:
            return None
        between = [weights, condition]
        if operator_name(test) == "relax.equal" and scalar(test.args[1]) == -math.inf:
            largest = self.graph.call(test.args[0], "relax.max")
            if largest is None or largest.args[0] != softmax.args[0] or not _along_rows(largest):
                return None
            between.append(test.args[0])
        elif operator_name(test) != "relax.isnan" or test.args[0] != weights:
            return None
        if all(self._is_of(each, [*between, var]) for each in between):
            return softmax, between
        return None

    def _attention_of(
        self, scores: _Scores, value: relax.Call, output: View, stack: tuple[int, ...], guarded: bool
    ) -> _Fused | None:
        parts = self._factors(scores, stack)
        weighed = self._viewed(value.args[1], extents_of(value)[:-2], stack)
        made = output.reshaped((*stack, *output.shape[-2:]))
        if parts is None or weighed is None or weighed.scale != 1.0 or made is None:
            return None
        expressions, (query, key, *others), terms, scale = parts
        try:
            what = Attention(query.view, key.view, weighed.view, made, scale, terms, guarded)
        except WorkloadError:
            return None
        return _Fused(
            what,
            (*expressions[:2], value.args[1], *expressions[2:]),
            (query, key, weighed, *others),
        )

    def _scores(
        self, expr: relax.Expr, matrix: tuple[int, int], users: Sequence[relax.Var]
    ) -> _Scores | None:
        """Return what softmax is taken of, back to the product; ``users`` are what may use it."""
        passed: list[relax.Var] = []
        terms: list[tuple[str, relax.Expr, tuple[int, ...]]] = []
        while True:
            value = self._back(expr, passed, matrix, () if passed else users)
            if value is None:
                return None
            if self._is_product(value):
                return _Scores(value, passed, terms[::-1])
            found = _of_terms(value)
            if found is None:
                return None
            kind, operands = found
            shape = extents_of(value)
            for expr, other in (operands, operands[::-1]):
                if shape_of(expr) == shape and self._is_own(expr) and is_float(other):
                    terms.append((kind, other, shape[:-2]))
                    break
            else:
                return None

    def _back(
        self,
        expr: relax.Expr,
        passed: list[relax.Var],
        matrix: tuple[int, int],
        users: Sequence[relax.Var] = (),
    ) -> relax.Call | None:
        """The call behind reshapes of the stack, where nothing else uses any of these, but ``users`` the
        first."""
        while (self._is_own(expr) or self._is_of(expr, users)) and extents_of(expr)[-2:] == matrix:
            passed.append(expr)
            users = ()
            value = self.graph.definition.get(expr)
            if not isinstance(value, relax.Call) or operator_name(value) not in RESHAPES:
                return value if isinstance(value, relax.Call) else None
            expr = value.args[0]
        return None

    def _is_of(self, expr: relax.Expr, users: Sequence[relax.Var]) -> bool:
        """Whether a result is used by these alone."""
        consumers = self.graph.consumers.get(expr, [])
        alone = bool(consumers) and self.graph.uses[expr] == len(consumers) and {*consumers} <= {*users}
        return alone and not self.is_claimed(expr)

    def _is_own(self, expr: relax.Expr) -> bool:
        return (
            isinstance(expr, relax.Var)
            and self.graph.only_consumer(expr) is not None
            and not self.is_claimed(expr)
            and is_float(expr)
        )

    # ---- what both have

    def _term(self, var: relax.Var, before: relax.Var) -> tuple[str, relax.Expr] | None:
        """Return what is done to ``before``, if it gives a tensor of the same shape."""
        value = self.graph.definition[var]
        found = _of_terms(value)
        if found is None or shape_of(var) != shape_of(before):
            return None
        kind, (first, second) = found
        other = second if first == before else first
        return (kind, other) if is_float(other) else None

    def _prefixes(self, var: relax.Var) -> list[list[relax.Var]]:
        """Return the prefixes of the chain of moves of the result, from the longest down to the empty one."""
        moves: list[relax.Var] = []
        for move in forward(self.graph, var):
            if self.is_claimed(move) or (moves[-1] if moves else var) in self._roots:
                break
            moves.append(move)
        return [moves[:count] for count in range(len(moves), -1, -1)]

    def _written(self, var: relax.Var, moves: Sequence[relax.Var]) -> View | None:
        if not moves:
            return View.of(extents_of(var))
        return written([self.graph.definition[move] for move in moves])

    def _factors(
        self, scores: _Scores, stack: tuple[int, ...]
    ) -> tuple[tuple[relax.Expr, ...], tuple[Operand, ...], tuple[Term, ...], float] | None:
        """Expressions, their views over the stack, the terms, and a scale, of a product."""
        own = extents_of(scores.product)[:-2]
        scale, pending = 1.0, list(scores.terms)
        while pending and pending[0][0] == MULTIPLIED:
            factor = scalar(pending[0][1])
            if factor is None or not scales_join(scale, factor):
                break
            scale *= factor
            del pending[0]
        expressions = [*scores.product.args, *(other for _, other, _ in pending)]
        left, right = (self._viewed(argument, own, stack) for argument in scores.product.args)
        shape = extents_of(scores.product)[-2:]
        others = [self._viewed(other, (*of, *shape), stack, matrix=True) for _, other, of in pending]
        operands = [left, right, *others]
        found = tuple(each for each in operands if each is not None)
        if len(found) < len(operands) or any(each.scale != 1.0 for each in found[2:]):
            return None
        if not scales_join(found[0].scale, found[1].scale) or not scales_join(
            found[0].scale * found[1].scale, scale
        ):
            return None
        terms = tuple(Term(kind, each.view) for (kind, *_), each in zip(pending, found[2:], strict=True))
        return tuple(expressions), found, terms, scale * found[0].scale * found[1].scale

    def _viewed(
        self, expr: relax.Expr, own: tuple[int, ...], stack: tuple[int, ...], matrix: bool = False
    ) -> Operand | None:
        """An operand over the stack, of an operator that sees the stack ``own``; a term is given the whole
        shape it broadcasts to instead."""
        given = extents_of(expr)
        whole = own if matrix else (*own, *given[-2:])
        # A chain that was claimed gives its result, and nothing of what leads to it.
        found = operand(self.graph, expr, self.is_claimed)
        if found is None:
            return None
        if matrix and found.scale != 1.0:
            found = Operand(expr, View.of(given))
        view = found.view.broadcast(whole).reshaped((*stack, *whole[-2:]))
        return None if view is None else Operand(found.root, view, found.scale)

    # ---- the composite

    def emit_chain(self, var: relax.Var, chain: _Fused) -> relax.Expr:
        roots = [self.new(each.root) for each in chain.known]

        def body(emit: composite.Emit, params: Sequence[relax.Var]) -> relax.Expr:
            known: dict[relax.Expr, relax.Expr] = {}
            for expr, each, param in zip(chain.operands, chain.known, params, strict=True):
                known[expr] = self._again(emit, expr, {each.root: param})
            return self._again(emit, var, known)

        name = composite.ATTENTION if isinstance(chain.what, Attention) else composite.MATMUL
        return composite.make_composite(self, name, roots, body, described(chain.what))

    def _again(
        self, emit: composite.Emit, expr: relax.Expr, known: dict[relax.Expr, relax.Expr]
    ) -> relax.Expr:
        """An old expression computed once more, from what is known."""
        if expr in known:
            return known[expr]
        value = self.graph.definition.get(expr) if isinstance(expr, relax.Var) else expr
        if isinstance(value, relax.Call):
            arguments = [self._again(emit, argument, known) for argument in value.args]
            known[expr] = emit(relax.Call(value.op, arguments, value.attrs, value.ty_args))
        elif isinstance(value, relax.TupleGetItem):
            known[expr] = emit(relax.TupleGetItem(self._again(emit, value.tuple_value, known), value.index))
        else:
            return expr if value is None else self._again(emit, value, known) if value is not expr else expr
        return known[expr]


FuseProducts = rewrite_pass("FuseProducts", _FuseProducts)
"""Make composites of products of computed matrices in float32; wants ``FuseConv2d`` before it."""


def _of_terms(value: relax.Expr) -> tuple[str, tuple[relax.Expr, relax.Expr]] | None:
    """The kind of term that a sum or a product adds, and both operands; a division by one number is a product
    with its reciprocal here, as scales of matrices are joined."""
    factor = factor_of(value) if operator_name(value) == DIVIDE else None
    if factor is not None:
        return MULTIPLIED, (value.args[0], relax.const(factor, FLOAT))
    kind = KINDS.get(operator_name(value))
    return None if kind is None else (kind, tuple(value.args))


def _along_rows(call: relax.Call) -> bool:
    """Whether a reduction is one of the last axis, which stays with one element."""
    axes = () if call.attrs.axis is None else ints(call.attrs.axis)
    rank = len(extents_of(call.args[0]))
    return bool(call.attrs.keepdims) and [axis % rank for axis in axes] == [rank - 1]


def _refined(stacks: Sequence[tuple[int, ...]]) -> tuple[int, ...] | None:
    """The coarsest shape of which each of the given ones, of equally many elements, only merges axes."""
    places = set()
    for stack in stacks:
        inner = 1
        for extent in reversed(stack):
            inner *= extent
            places.add(inner)
    result, before = [], 1
    for place in sorted(places, key=magnitude):
        if place % before != 0:
            return None
        if place != before:
            result.append(place // before)
        before = place
    return tuple(reversed(result))
