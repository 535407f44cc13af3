"""What is decided when a model runs: which branch of an If, and how often a Loop or a Scan turns.

A branch, and the body of a loop, becomes a function of its own (``scopes.py``), which a run calls as often as
it finds out (``compiler/inner.py``). Values that turns hand on may be of other sizes each turn; how large they
are in the end, and how many turns there were, are sizes that are known when the model runs.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from onnx import GraphProto, NodeProto, TensorProto, helper
from tvm import relax

from relay_strategies.functional.finding import MOST_COMPUTED
from relay_strategies.relax.graph import dtype_of, extents_of
from relay_strategies.relax.inner_functions import NAMES, Inner, called
from tvm_directconv.errors import ModelError, UnsupportedOperatorError
from tvm_directconv.problem.extents import Extent, depends_on_data, given_to_tvm, larger
from tvm_directconv.problem.found_sizes import at_most, where_empty
from tvm_directconv.problem.open_sizes import measuring_sizes
from tvm_directconv.problem.size_text import variables_of

from .loops import UNROLLED, Kept, Turns, turns_of
from .node_converter import new_builder
from .nodes import DEFAULT_DOMAINS, attribute, node_name, nodes_in, static_dims, tensor_type
from .scopes import Scope, finished
from .values import invalid
from .written_out import Names, WrittenOut

BRANCHES = ("then_branch", "else_branch")
DECIDING = "; an input that decides between branches may be given by params="
MOST_WALKS = 5
"""A body is walked over again as long as sizes that it hands on turn out to change with the turns."""
Dims = tuple[int, ...]


@dataclass
class Carried:
    """A value that turns hand on: the one before the first, ONNX's type of its elements, and its dimensions in
    the body, of which the axes ``free`` change with the turns."""

    value: relax.Expr
    element: int
    dims: list[Any] = field(default_factory=list)
    free: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.dims = list(extents_of(self.value))

    @property
    def type(self) -> relax.TensorType:
        return relax.TensorType(list(map(given_to_tvm, self.dims)), dtype_of(self.value))

    def widen(self, after: relax.Expr) -> bool:
        """Have sizes that are others after a turn be any from now on; return whether there were some. Raises
        Kept."""
        sizes, dims, before = measuring_sizes(), extents_of(after), len(self.free)
        assert sizes is not None
        if len(dims) != len(self.dims) or dtype_of(after) != dtype_of(self.value):
            raise Kept(f"it hands on {self.value.ty}, of which the next turn makes {after.ty}")
        for axis, (one, other) in enumerate(zip(self.dims, dims, strict=True)):
            if axis not in self.free and one != other:
                self.dims[axis] = sizes.measure(MOST_COMPUTED)
                self.free.add(axis)
        return len(self.free) > before


@dataclass(frozen=True)
class Result:
    """A result of a call: its dimensions, a value of its type, and ONNX's type of its elements."""

    dims: Sequence[Any]
    like: relax.Expr
    element: int

    def type(self, is_known: bool = True) -> relax.TensorType:
        dims = list(map(given_to_tvm, self.dims))
        kind = dtype_of(self.like)
        return relax.TensorType(dims, kind) if is_known else relax.TensorType(None, kind, ndim=len(dims))


@dataclass(frozen=True)
class Made:
    """A body that was converted: its scope, what it hands on, and the parts of stacked results that it makes,
    with ONNX's types of their elements."""

    scope: Scope
    carried: Sequence[relax.Expr]
    stacked: Sequence[relax.Expr]
    elements: Sequence[int]


class Decided(WrittenOut):
    """A walk that makes functions of branches and loops."""

    def _visit_graphs(self, node: NodeProto, names: Names) -> None:
        """An If, a Loop or a Scan."""
        if node.op_type == "If":
            condition = self.known.get(node.input[0])
            if condition is None or condition.size != 1:
                self._choose(node, names)
                return
            branch = _branch(node, BRANCHES[not condition.all()])
            self._identities(self._walk_graph(branch, node.output[0], {}, names), node.output)
            return
        try:
            turns = turns_of(node, self.known, self.types, self._opset, names)
            if not turns.open:
                self._turn(node, turns, names)
            elif measuring_sizes() is None:
                raise Kept(turns.open)
            else:
                self._loop(node, turns, names)
        except Kept as why:
            self._refuse_loop(node, str(why))

    def _refuse_loop(self, node: NodeProto, why: str) -> None:
        """Refuse a Loop or a Scan, and those in it."""
        for each in nodes_in(node):
            if each.domain in DEFAULT_DOMAINS and each.op_type in UNROLLED:
                name = node_name(each)
                self._refusals.add("loop", f"node '{name}' ({each.op_type}): {why}", name)
                why = "it is in a loop that is left"
        self._made.update(filter(None, node.output))

    @contextlib.contextmanager
    def _inner(self) -> Iterator[Scope]:
        """Convert into an inner function, which returns what the scope's ``results`` are then."""
        scope = Scope(new_builder(), self._scope)
        with self._in(scope), scope.builder.function("main"):
            with scope.builder.dataflow():
                yield scope
                output = scope.builder.emit_output(relax.Tuple(scope.results))
            scope.builder.emit_func_output(output, [*scope.params, *scope.read.values()])

    def _plain(self, name: str) -> relax.Expr:
        """A value as the converters compute with it."""
        return self._variable(self._converter.in_float32(self._tensor(name)))

    # ---- branches

    def _choose(self, node: NodeProto, names: Names) -> None:
        """An If of which the model finds out when it runs."""
        size, before = self._empty.get(node.input[0]), self._size_names()
        if size is not None:
            both = [self._walk_branch(node, number, names) for number in range(2)]
            if all(map(self._same_where_empty, *both, itertools.repeat(size))):
                self._identities(both[1], node.output)
                return
        scopes, made, elements = [], list[list[relax.Expr]](), list[list[int]]()
        for number in range(2):
            with self._inner() as scope:
                found = self._walk_branch(node, number, names)
                values = [] if self._is_refused else [self._plain(name) for name in found]
                scope.results = values
            scopes.append(scope)
            made.append(values)
            elements.append([self.types[name].elem_type for name in found if values])
        if self._is_refused:
            self._made.update(filter(None, node.output))
            return
        if elements[0] != elements[1]:
            raise invalid(node, f"its branches make results of different types{DECIDING}")
        shapes = [self._either(node, *map(extents_of, each), before) for each in zip(*made, strict=True)]
        results = list(map(Result, shapes, made[0], elements[0]))
        modules, rest = finished(scopes)
        values = self._call(node, Inner(modules), [self._plain(node.input[0]), *rest], results, before)
        self._take(node, values, results)

    def _walk_branch(self, node: NodeProto, number: int, names: Names) -> list[str]:
        try:
            graph = _branch(node, BRANCHES[number])
            return self._walk_graph(graph, f"{node.output[0]}/{number}", {}, names)
        except ModelError as error:
            if isinstance(error, UnsupportedOperatorError):
                raise
            raise ModelError(f"{error}{DECIDING}") from None

    def _same_where_empty(self, one: str, other: str, size: Extent) -> bool:
        """Whether two values have the same shape, without elements, where a size is 0."""
        dims = [static_dims(self.types.get(name)) for name in (one, other)]
        if None in dims:
            return False
        empty = [[where_empty(dim, size) for dim in each or ()] for each in dims]
        return empty[0] == empty[1] and 0 in empty[0]

    def _either(self, node: NodeProto, one: Dims, other: Dims, before: set[str]) -> list[Any]:
        """The dimensions of a result that has one of two shapes."""
        sizes, pairs = measuring_sizes(), list(zip(one, other, strict=False))
        if len(one) != len(other) or (sizes is None and one != other):
            why = f"node '{node_name(node)}' (If): its branches make different shapes"
            raise UnsupportedOperatorError(why, [node_name(node)])
        return [
            a
            if a == b and not self._is_new([a], before)
            else sizes.measure(larger(at_most(sizes, a), at_most(sizes, b)))
            for a, b in pairs
        ]

    # ---- loops

    def _loop(self, node: NodeProto, turns: Turns, names: Names) -> None:
        """A Loop or a Scan of which the model finds out when it runs how often it turns. Raises Kept."""
        if turns.goes_on and not turns.most and not turns.scanned:
            raise Kept("it never ends: it has neither a number of turns nor a condition that changes")
        before, limit = self._size_names(), turns.most
        if turns.scanned:
            limit = self._constant(f"{node.output[0]}/turns", np.asarray(turns.count))
        carried = [Carried(self._plain(name), self.types[name].elem_type) for name in turns.carried]
        for _ in range(MOST_WALKS):
            made = self._body(node, turns, names, limit, carried)
            if self._is_refused:
                self._made.update(filter(None, node.output))
                return
            widened = [each.widen(value) for each, value in zip(carried, made.carried, strict=True)]
            if not any(widened):
                break
        else:
            raise Kept("the sizes that it hands on change in more ways with each turn")
        self._call_loop(node, turns, limit, carried, made, before)

    def _body(
        self, node: NodeProto, turns: Turns, names: Names, limit: str, carried: Sequence[Carried]
    ) -> Made:
        """The body as a function of the turn's number and of what is carried."""
        label = self._name(f"{next(filter(None, node.output))}/turn")
        with self._inner() as scope:
            number = self._own(scope, label, relax.TensorType((), "int64"), TensorProto.INT64)
            given = [
                self._own(scope, f"{label}/{name}", each.type, each.element)
                for name, each in zip(turns.carried, carried, strict=True)
            ]
            if turns.scanned:
                given += [self._scanned(label, number, turns.count, *of) for of in turns.scanned]
            else:
                given = [number, self._constant(f"{label}/condition", np.array(True)), *given]
            bound = dict(zip((value.name for value in turns.body.input), given, strict=True))
            made = self._walk_graph(turns.body, label, bound, names, f"{label}/")
            values = [] if self._is_refused else [self._plain(name) for name in made]
            elements = [
                self.types[name].elem_type for name in made[len(made) - len(turns.stacked) :] if values
            ]
            condition = values.pop(0) if values and not turns.scanned else None
            handed, rows = values[: len(carried)], values[len(carried) :]
            following = self._turned(turns, number, limit, condition, rows) if not self._is_refused else []
            scope.results = [*following[:2], *handed, *following[2:]]
        return Made(scope, handed, rows, elements)

    def _turned(
        self, turns: Turns, number: str, limit: str, condition: relax.Expr | None, rows: Sequence[relax.Expr]
    ) -> list[relax.Expr]:
        """Whether there is another turn, its number, rows of stacked results, and their shapes with these."""
        emit = self._converter.bb.emit
        following = emit(relax.op.add(self._values[number], relax.const(1, "int64")))
        another = self._goes_on(following, limit, None if turns.goes_on else condition)
        parts, shapes = [emit(relax.op.expand_dims(row, 0)) for row in rows], []
        for row in rows:
            count, dims = emit(relax.op.reshape(following, (1,))), extents_of(row)
            if dims:
                others = emit(relax.op.shape_to_tensor(relax.ShapeExpr(list(map(given_to_tvm, dims)))))
                count = emit(relax.op.concat([count, others], 0))
            shapes.append(count)
        return [another, following, *parts, *shapes]

    def _goes_on(self, number: relax.Expr, limit: str, condition: relax.Expr | None) -> relax.Expr:
        """Whether there is a turn of that number."""
        emit, asked = self._converter.bb.emit, []
        if limit:
            most = emit(relax.op.reshape(self._plain(limit), ()))
            asked.append(emit(relax.op.less(number, most)))
        if condition is not None:
            asked.append(emit(relax.op.reshape(condition, ())))
        if not asked:
            return relax.const(True)
        return emit(relax.op.logical_and(*asked)) if len(asked) > 1 else asked[0]

    def _own(self, scope: Scope, name: str, ty: relax.TensorType, element: int) -> str:
        """A parameter of an inner function that its caller has for it."""
        name = self._name(name)
        self.types[name] = tensor_type(element, extents_of(scope.param(name, ty)))
        self._made.add(name)
        return name

    def _scanned(self, label: str, number: str, count: Any, name: str, axis: int, backward: bool) -> str:
        """The part of a scanned tensor that a turn is given."""
        part, place = self._name(f"{label}/{name}"), number
        if backward:
            last, place = self._constant(f"{part}/last", np.asarray(count - 1)), self._name(f"{part}/place")
            self._visit(helper.make_node("Sub", [last, number], [place]), {})
        self._visit(helper.make_node("Gather", [name, place], [part], axis=axis), {})
        return part

    def _call_loop(
        self,
        node: NodeProto,
        turns: Turns,
        limit: str,
        carried: Sequence[Carried],
        made: Made,
        before: set[str],
    ) -> None:
        """Call the body in turn."""
        known = self.known.get(turns.start) if turns.start else np.array(True)
        start = None if known is not None and known.all() else self._plain(turns.start)
        turns_at_all = self._goes_on(relax.const(0, "int64"), limit, start)
        is_counted = turns.goes_on and start is None and limit in self.known
        count = larger(turns.count, 0) if is_counted else measuring_sizes().measure(MOST_COMPUTED)
        results = [Result(self._outside(each.dims, before), each.value, each.element) for each in carried]
        empty = []
        for row, element in zip(made.stacked, made.elements, strict=True):
            dims = self._outside(extents_of(row), before)
            results.append(Result([count, *dims], row, element))
            none = [0, *(0 if depends_on_data(dim) else dim for dim in dims)]
            empty.append(self._converter.zeros(none, dtype_of(row)))
        modules, rest = finished([made.scope])
        first = [turns_at_all, relax.const(0, "int64"), *(each.value for each in carried), *empty]
        inner = Inner(modules, len(carried), len(made.stacked))
        values = self._call(node, inner, [*first, *rest], results, before)
        for place, (axis, backward) in enumerate(turns.stacked, len(carried)):
            value = values[place]
            value = self._converter.bb.emit(relax.op.flip(value, 0)) if backward else value
            values[place] = self._moved(value, axis)
        self._take(node, values, results)

    def _moved(self, value: relax.Expr, axis: int) -> relax.Expr:
        """A stacked result with its first axis elsewhere."""
        rank = len(extents_of(value))
        order = list(range(1, rank))
        order.insert(axis % rank, 0)
        return value if order[0] == 0 else self._converter.bb.emit(relax.op.permute_dims(value, order))

    # ---- calls

    def _call(
        self,
        node: NodeProto,
        inner: Inner,
        arguments: Sequence[relax.Expr],
        results: Sequence[Result],
        before: set[str],
    ) -> list[relax.Expr]:
        """Call an inner function; sizes of its results that are not among those ``before`` are known behind it."""
        builder = self._converter.bb
        builder.name = node_name(node)
        name = f"{NAMES[not inner.is_loop]}{next(self._numbers)}"
        self._scope.inner[name] = inner
        types = [each.type(not self._is_new(each.dims, before)) for each in results]
        call = builder.emit(called(name, list(map(self._variable, arguments)), types))
        values = [builder.emit(relax.TupleGetItem(call, place)) for place in range(len(results))]
        return [
            builder.match_cast(value, each.type()) if self._is_new(each.dims, before) else value
            for value, each in zip(values, results, strict=True)
        ]

    def _take(self, node: NodeProto, values: Sequence[relax.Expr], results: Sequence[Result]) -> None:
        """Have a node's results be these values."""
        for name, value, result in zip(node.output, values, results, strict=False):
            if name:
                self.types[name] = tensor_type(result.element, extents_of(value))
                self._made.add(name)
                self._learn_empty([name])
                if name not in self.known:
                    self._values[name] = value

    def _size_names(self) -> set[str]:
        sizes = measuring_sizes()
        return set(sizes.variables) if sizes is not None else set()

    def _is_new(self, dims: Sequence[Any], before: set[str]) -> bool:
        """Whether sizes are known since then only."""
        return any(isinstance(dim, Extent) and not variables_of(dim.expr) <= before for dim in dims)

    def _outside(self, dims: Sequence[Any], before: set[str]) -> list[Any]:
        """Sizes of an inner function as the one around it has them."""
        sizes = measuring_sizes()
        return [
            sizes.measure(at_most(sizes, dim)) if sizes and self._is_new([dim], before) else dim
            for dim in dims
        ]


def _branch(node: NodeProto, name: str) -> GraphProto:
    branch = attribute(node, name, None)
    if not isinstance(branch, GraphProto) or len(branch.output) != len(node.output):
        raise invalid(node, f"its {name} does not make as many results as it has")
    return branch
