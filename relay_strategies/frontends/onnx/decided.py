"""What is decided when a model runs: functions of their own, and the branches of an If as such.

A run calls one of two branches, and the body of a loop (``computed_loops.py``) as often as it finds out
(``compiler/inner.py``). How large their results are may be known when the model runs only.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from onnx import GraphProto, NodeProto
from tvm import relax

from relay_strategies.relax.graph import dtype_of, extents_of
from relay_strategies.relax.inner_functions import NAMES, Inner, called
from tvm_directconv.errors import ModelError, UnsupportedOperatorError
from tvm_directconv.problem.extents import Extent, given_to_tvm, larger
from tvm_directconv.problem.found_sizes import at_most, where_empty
from tvm_directconv.problem.open_sizes import measuring_sizes
from tvm_directconv.problem.size_text import variables_of

from .node_converter import new_builder
from .nodes import attribute, node_name, static_dims, tensor_type
from .scopes import Scope, finished
from .sequences import Sequences
from .values import invalid
from .written_out import Names

BRANCHES = ("then_branch", "else_branch")
DECIDING = "; an input that decides between branches may be given by params="
Dims = tuple[int, ...]


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


class Decided(Sequences):
    """A walk that makes functions of branches."""

    def _visit_branches(self, node: NodeProto, names: Names) -> None:
        """An If."""
        condition = self.known.get(node.input[0])
        if condition is None or condition.size != 1:
            self._choose(node, names)
            return
        branch = _branch(node, BRANCHES[not condition.all()])
        self._identities(self._walk_graph(branch, node.output[0], {}, names), node.output)

    def _refuse_sequences(self, node: NodeProto, names: Iterable[str]) -> None:
        """Raise UnsupportedOperatorError where one of the names is of a sequence."""
        for name in names:
            if name in self._sequences:
                raise self._unsupported(
                    node, f"'{name}' is a sequence, of which it decides when the model runs"
                )

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
                self._refuse_sequences(node, found)
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
        shapes = [
            self._either(node, extents_of(one), extents_of(other), before)
            for one, other in zip(*made, strict=True)
        ]
        results = list(map(Result, shapes, made[0], elements[0]))
        modules, rest = finished(scopes)
        values = self._call(node, Inner(modules), [self._plain(node.input[0]), *rest], results, before)
        self._take(node.output, values, results)

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
        if sizes is None and one == other:
            return list(one)
        if len(one) != len(other) or sizes is None:
            why = f"node '{node_name(node)}' (If): its branches make different shapes"
            raise UnsupportedOperatorError(why, [node_name(node)])
        return [
            a
            if a == b and not self._is_new([a], before)
            else sizes.measure(larger(at_most(sizes, a), at_most(sizes, b)))
            for a, b in pairs
        ]

    # ---- calls

    def _call(
        self,
        node: NodeProto,
        inner: Inner,
        arguments: Sequence[relax.Expr],
        results: Sequence[Result],
        before: set[str],
    ) -> list[relax.Expr]:
        """Call an inner function; sizes of results that are not among those ``before`` are read after it."""
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

    def _take(self, names: Iterable[str], values: Sequence[relax.Expr], results: Sequence[Result]) -> None:
        """Have these values be those of the names, "" of none."""
        for name, value, result in zip(names, values, results, strict=False):
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

    def _outside(self, shapes: Iterable[Sequence[Any]], before: set[str]) -> list[list[Any]]:
        """Shapes of an inner function as the one around it has them: what is equal there is so here."""
        sizes, known = measuring_sizes(), dict[str, Any]()

        def outside(dim: Any) -> Any:
            if sizes is None or not self._is_new([dim], before):
                return dim
            if str(dim) not in known:
                known[str(dim)] = sizes.measure(at_most(sizes, dim))
            return known[str(dim)]

        return [list(map(outside, dims)) for dims in shapes]


def _branch(node: NodeProto, name: str) -> GraphProto:
    branch = attribute(node, name, None)
    if not isinstance(branch, GraphProto) or len(branch.output) != len(node.output):
        raise invalid(node, f"its {name} does not make as many results as it has")
    return branch
