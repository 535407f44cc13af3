"""An If of known condition is the branch that it takes.

Exporters write an If where the rank of a tensor was not known to them, as around a Squeeze.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from onnx import GraphProto, NodeProto, TensorProto, helper

from relay_strategies.frontends.budget import HELD, spend

from .nodes import GRAPHS, all_nodes, attribute

Inlined = tuple[list[NodeProto], list[TensorProto]]
"""Nodes and constants that take the place of a node."""


def taken_branch(node: NodeProto, known: Mapping[str, np.ndarray]) -> Inlined | None:
    """What takes the place of an If; None where its condition follows from values at run time."""
    condition = known.get(node.input[0]) if len(node.input) == 1 else None
    if condition is None or condition.size != 1:
        return None
    branch: GraphProto | None = attribute(node, "then_branch" if condition.all() else "else_branch", None)
    if branch is None or branch.sparse_initializer or len(branch.output) != len(node.output):
        return None
    # Both branches, and those of other nodes, may use the same names.
    nodes, constants, results = copied(branch, node.output[0], {})
    return nodes + identities(results, node.output), constants


def copied(
    graph: GraphProto, scope: str, given: Mapping[str, str]
) -> tuple[list[NodeProto], list[TensorProto], list[str]]:
    """An inner graph's nodes, constants and results, its inputs ``given`` and all else named by ``scope``."""
    made = [tensor.name for tensor in graph.initializer]
    made += [name for inner in graph.node for name in inner.output if name]
    names = {name: f"{scope}/{name}" for name in made} | dict(given)
    constants = [TensorProto.FromString(tensor.SerializeToString()) for tensor in graph.initializer]
    for tensor in constants:
        tensor.name = names[tensor.name]
    spend(sum(1 for _ in all_nodes(graph)), HELD * sum(len(tensor.raw_data) for tensor in constants))
    nodes = [_copy(inner, names) for inner in graph.node]
    return nodes, constants, [names.get(value.name, value.name) for value in graph.output]


def identities(values: Sequence[str], names: Sequence[str]) -> list[NodeProto]:
    pairs = zip(values, names, strict=False)
    return [helper.make_node("Identity", [value], [name]) for value, name in pairs if name]


def _copy(node: NodeProto, names: Mapping[str, str]) -> NodeProto:
    data = node.SerializeToString()
    spend(0, HELD * len(data))
    new = NodeProto.FromString(data)
    _rename(new, names)
    return new


def _rename(node: NodeProto, names: Mapping[str, str]) -> None:
    for group in (node.input, node.output):
        group[:] = [names.get(name, name) for name in group]
    for given in node.attribute:
        for graph in (given.g, *given.graphs) if given.type in GRAPHS else ():
            _rename_in(graph, names)


def _rename_in(graph: GraphProto, names: Mapping[str, str]) -> None:
    """Rename what an inner graph reads of the graphs around it. What it makes itself keeps its name, which
    would grow at each level otherwise."""
    own = {tensor.name for tensor in graph.initializer} | {value.name for value in graph.input}
    own |= {name for node in graph.node for name in node.output}
    outer = {name: new for name, new in names.items() if name not in own}
    for node in graph.node:
        _rename(node, outer)
    for value in graph.output:
        value.name = outer.get(value.name, value.name)
