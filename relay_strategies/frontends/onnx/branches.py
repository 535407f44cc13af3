"""An If of known condition is the branch that it takes, a Loop of a known number of turns its body as often.

Exporters write an If where the rank of a tensor was not known to them, as around a Squeeze, and a Loop for
one of Python's over a range.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from onnx import GraphProto, NodeProto, TensorProto, helper, numpy_helper

from .nodes import DEFAULT_DOMAINS, GRAPHS, attribute

MOST_NODES = 4096
"""A Loop whose turns have more nodes in all stays one."""

Inlined = tuple[list[NodeProto], list[TensorProto]]
"""Nodes and constants that take the place of a node."""


def inlined(node: NodeProto, known: Mapping[str, np.ndarray], opset: int) -> Inlined | None:
    """What takes the place of an If or a Loop; None where what it does follows from values at run time."""
    if node.domain not in DEFAULT_DOMAINS:
        return None
    if node.op_type == "If":
        return _taken_branch(node, known)
    return _unrolled(node, known, opset) if node.op_type == "Loop" else None


def _taken_branch(node: NodeProto, known: Mapping[str, np.ndarray]) -> Inlined | None:
    condition = known.get(node.input[0]) if len(node.input) == 1 else None
    if condition is None or condition.size != 1:
        return None
    branch: GraphProto | None = attribute(node, "then_branch" if condition.all() else "else_branch", None)
    if branch is None or branch.sparse_initializer or len(branch.output) != len(node.output):
        return None
    # Both branches, and those of other nodes, may use the same names.
    nodes, constants, results = _copied(branch, node.output[0], {})
    return nodes + _identities(results, node.output), constants


def _unrolled(node: NodeProto, known: Mapping[str, np.ndarray], opset: int) -> Inlined | None:
    turns, condition = (known.get(name) if name else None for name in node.input[:2])
    body: GraphProto | None = attribute(node, "body", None)
    if body is None or body.sparse_initializer or turns is None or turns.size != 1:
        return None
    carried, count = list(node.input[2:]), int(turns.item())
    scans = len(body.output) - 1 - len(carried)
    if len(body.input) != 2 + len(carried) or len(node.output) != len(carried) + scans:
        return None
    starts = node.input[1] == "" or (condition is not None and condition.size == 1 and bool(condition.all()))
    if (
        not starts
        or not _goes_on(body, known)
        or count * len(body.node) > MOST_NODES
        or (scans and count < 1)
    ):
        return None
    nodes, constants = list[NodeProto](), list[TensorProto]()
    scanned: list[list[str]] = [[] for _ in range(scans)]
    for turn in range(count):
        scope = f"{node.output[0]}/{turn}"
        number, goes_on = f"{scope}/turn", f"{scope}/condition"
        constants += [
            numpy_helper.from_array(np.array(turn, np.int64), number),
            numpy_helper.from_array(np.array(True), goes_on),
        ]
        names = [value.name for value in body.input]
        given = dict(zip(names, [number, goes_on, *carried], strict=True))
        made, stored, results = _copied(body, scope, given)
        for inner in made:
            inner.name = f"{scope}/{inner.name}" if inner.name else ""
        nodes, constants = nodes + made, constants + stored
        carried = results[1 : 1 + len(carried)]
        for parts, result in zip(scanned, results[1 + len(carried) :], strict=True):
            parts.append(f"{result}/scanned{len(nodes)}")
            nodes += _unsqueezed(result, parts[-1], constants, opset)
    nodes += _identities(carried, node.output)
    for parts, name in zip(scanned, node.output[len(carried) :], strict=True):
        nodes.append(helper.make_node("Concat", parts, [name or f"{parts[0]}/all"], axis=0))
    return nodes, constants


def _goes_on(body: GraphProto, known: Mapping[str, np.ndarray]) -> bool:
    """Whether the body never ends a Loop early: its condition is the one it got, or constantly true."""
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in body.initializer}
    makers = {name: inner for inner in body.node for name in inner.output}
    name = body.output[0].name
    while name in makers and makers[name].op_type == "Identity":
        name = makers[name].input[0]
    if name in makers and makers[name].op_type == "Constant":
        value = attribute(makers[name], "value", None)
        return value is not None and bool(numpy_helper.to_array(value).all())
    value = constants.get(name, known.get(name))
    return name == body.input[1].name or (value is not None and bool(value.all()))


def _copied(
    graph: GraphProto, scope: str, given: Mapping[str, str]
) -> tuple[list[NodeProto], list[TensorProto], list[str]]:
    """An inner graph's nodes, constants and results, its inputs ``given`` and all else named by ``scope``."""
    made = [tensor.name for tensor in graph.initializer]
    made += [name for inner in graph.node for name in inner.output if name]
    names = {name: f"{scope}/{name}" for name in made} | dict(given)
    constants = [TensorProto.FromString(tensor.SerializeToString()) for tensor in graph.initializer]
    for tensor in constants:
        tensor.name = names[tensor.name]
    nodes = [_renamed(inner, names) for inner in graph.node]
    return nodes, constants, [names.get(value.name, value.name) for value in graph.output]


def _identities(values: Sequence[str], names: Sequence[str]) -> list[NodeProto]:
    pairs = zip(values, names, strict=False)
    return [helper.make_node("Identity", [value], [name]) for value, name in pairs if name]


def _unsqueezed(value: str, name: str, constants: list[TensorProto], opset: int) -> list[NodeProto]:
    """A new first axis."""
    if opset < 13:
        return [helper.make_node("Unsqueeze", [value], [name], axes=[0])]
    constants.append(numpy_helper.from_array(np.array([0]), f"{name}/axes"))
    return [helper.make_node("Unsqueeze", [value, f"{name}/axes"], [name])]


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
