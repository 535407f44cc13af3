"""Inner graphs, functions and operators that others define, written out into the graph that they are in."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

import numpy as np
from onnx import GraphProto, NodeProto, helper

from relay_strategies.frontends.budget import HELD, spend

from .functions import definition
from .loops import Turns
from .nodes import all_nodes, node_name, sparse_array, tensor_array
from .order import reads
from .values import Values

Names = Mapping[str, str]
"""What the values of an inner graph are called in the walk, where they are called otherwise."""


class WrittenOut(Values):
    """A walk that writes out what other graphs consist of."""

    @abstractmethod
    def _visit(self, node: NodeProto, names: Names) -> None:
        """Walk over a node, whose operands and results have the walk's names; ``names`` are those of what its
        inner graphs read."""

    def _walk_graph(
        self, graph: GraphProto, label: str, given: Names, names: Names, prefix: str = ""
    ) -> list[str]:
        """Walk over an inner graph, whose inputs are ``given``. Returns what its results are called; what it
        makes is called after ``label``, and its nodes after ``prefix``."""
        spend(sum(1 for _ in all_nodes(graph)))
        inner = {**names, **given}
        for tensor in graph.initializer:
            spend(0, HELD * len(tensor.raw_data))
            inner[tensor.name] = self._constant(f"{label}/{tensor.name}", tensor_array(tensor.name, tensor))
        for sparse in graph.sparse_initializer:
            array = sparse_array(sparse.values.name, sparse, self._most)
            inner[sparse.values.name] = self._constant(f"{label}/{sparse.values.name}", array)
        wanted = [value.name for value in graph.output]
        self._walk_nodes(graph.node, label, inner, prefix, wanted=wanted)
        return [inner.get(value.name, value.name) for value in graph.output]

    def _walk_nodes(
        self,
        nodes: Sequence[NodeProto],
        label: str,
        inner: dict[str, str],
        prefix: str = "",
        results: Names = MappingProxyType({}),
        wanted: Iterable[str] = (),
    ) -> None:
        """Walk over nodes whose values have the names in ``inner``, which learns of more; ``results`` have
        theirs. ``wanted`` is read behind them."""
        used = {*results, *wanted}.union(*map(reads, nodes))
        for node in nodes:
            data = node.SerializeToString()
            spend(0, HELD * len(data))
            new = NodeProto.FromString(data)
            new.input[:] = [inner.get(name, name) for name in node.input]
            for name in filter(None, node.output):
                inner[name] = results.get(name) or self._name(f"{label}/{name}")
            new.output[:] = [inner.get(name, name) for name in node.output]
            self._used.update(inner[name] for name in node.output if name in used)
            new.name = f"{prefix}{node_name(node)}"
            self._visit(new, inner)

    def _turn(self, node: NodeProto, turns: Turns, names: Names) -> None:
        """The body as often as it turns, and what the turns made, along an axis of its own."""
        label = next(name for name in node.output if name)
        carried, collected = list(turns.carried), list[list[str]]()
        inputs = [value.name for value in turns.body.input]
        for turn in range(turns.count):
            spend(1)
            scope = f"{label}/{turn}"
            if turns.scanned:
                parts = [self._part(scope, *of, turn, turns.count) for of in turns.scanned]
                given, skipped = [*carried, *parts], 0
            else:
                number = self._constant(f"{scope}/turn", np.array(turn, np.int64))
                given, skipped = [number, self._constant(f"{scope}/condition", np.array(True)), *carried], 1
            bound = dict(zip(inputs, given, strict=True))
            results = self._walk_graph(turns.body, scope, bound, names, f"{scope}/")[skipped:]
            carried, made = results[: len(carried)], results[len(carried) :]
            collected.append(made)
        self._identities(carried, node.output)
        for place, name in enumerate(node.output[len(carried) :]):
            if name:
                axis, backward = turns.stacked[place]
                parts = [self._unsqueezed(made[place], axis) for made in collected]
                parts = parts[::-1] if backward else parts
                self._visit(helper.make_node("Concat", parts, [name], axis=axis), {})

    def _part(self, scope: str, name: str, axis: int, backward: bool, turn: int, count: int) -> str:
        """One slice of a tensor, without the axis."""
        place = count - 1 - turn if backward else turn
        index = self._constant(f"{scope}/{name}/place", np.array(place, np.int64))
        part = self._name(f"{scope}/{name}")
        self._visit(helper.make_node("Gather", [name, index], [part], axis=axis), {})
        return part

    def _unsqueezed(self, value: str, axis: int) -> str:
        result = self._name(f"{value}/scanned")
        if self._opset < 13:
            node = helper.make_node("Unsqueeze", [value], [result], axes=[axis])
        else:
            axes = self._constant(f"{result}/axes", np.array([axis]))
            node = helper.make_node("Unsqueeze", [value, axes], [result])
        self._visit(node, {})
        return result

    def _identities(self, values: Sequence[str], names: Sequence[str]) -> None:
        for value, name in zip(values, names, strict=False):
            if name:
                self._visit(helper.make_node("Identity", [value], [name]), {})

    def _define(self, node: NodeProto) -> None:
        """Walk over what an operator consists of by its definition."""
        body = definition(node, self._opsets, self.types)
        spend(len(body.node))
        for position, inner in enumerate(body.node):
            inner.name = f"{node_name(node)}/{position}_{inner.op_type}"
        given = [*node.input, *[""] * (len(body.input) - len(node.input))]
        names = dict(zip(body.input, given, strict=True))
        results = {result: name for result, name in zip(body.output, node.output, strict=False) if name}
        self._walk_nodes(body.node, next(filter(None, node.output)), names, results=results)
