"""An If whose condition is known is the branch that it takes.

Exporters write one where the rank of a tensor was not known to them, as around a Squeeze.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from onnx import GraphProto, NodeProto, TensorProto, helper

from .nodes import DEFAULT_DOMAINS, GRAPHS, attribute


def taken_branch(
    node: NodeProto, known: Mapping[str, np.ndarray]
) -> tuple[list[NodeProto], list[TensorProto]] | None:
    """The nodes and constants that take the place of ``node``; None where it is no If of known condition."""
    if node.op_type != "If" or node.domain not in DEFAULT_DOMAINS or len(node.input) != 1:
        return None
    condition = known.get(node.input[0])
    if condition is None or condition.size != 1:
        return None
    branch: GraphProto | None = attribute(node, "then_branch" if condition.all() else "else_branch", None)
    if branch is None or branch.sparse_initializer or len(branch.output) != len(node.output):
        return None
    made = [tensor.name for tensor in branch.initializer]
    made += [name for inner in branch.node for name in inner.output if name]
    # Both branches, and those of other nodes, may use the same names.
    names = {name: f"{node.output[0]}/{name}" for name in made}
    constants = [TensorProto.FromString(tensor.SerializeToString()) for tensor in branch.initializer]
    for tensor in constants:
        tensor.name = names[tensor.name]
    nodes = [_renamed(inner, names) for inner in branch.node]
    for value, name in zip(branch.output, node.output, strict=True):
        if name:
            nodes.append(helper.make_node("Identity", [names.get(value.name, value.name)], [name]))
    return nodes, constants


def _renamed(node: NodeProto, names: Mapping[str, str]) -> NodeProto:
    new = NodeProto.FromString(node.SerializeToString())
    for group in (new.input, new.output):
        group[:] = [names.get(name, name) for name in group]
    for given in new.attribute:
        for graph in (given.g, *given.graphs) if given.type in GRAPHS else ():
            _rename_in(graph, names)
    return new


def _rename_in(graph: GraphProto, names: Mapping[str, str]) -> None:
    """What an inner graph reads of the graphs around it."""
    nodes = [_renamed(node, names) for node in graph.node]
    del graph.node[:]
    graph.node.extend(nodes)
    for value in graph.output:
        value.name = names.get(value.name, value.name)
