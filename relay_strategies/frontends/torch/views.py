"""Outputs of Dynamo's graphs that share memory with what a graph is given, or with each other, and numbers.

What stands behind a graph may write to one of them and read the other, so that they have to be PyTorch's
views of the same tensor, and no copies.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx

from tvm_directconv.errors import ModelError

AUGMENTED = (
    *(operator.iadd, operator.iand, operator.ifloordiv, operator.imatmul, operator.imod, operator.imul),
    *(operator.ior, operator.ipow, operator.isub, operator.itruediv, operator.setitem),
)
"""Python's operators that write to their operand."""


@dataclass(frozen=True)
class View:
    """An output as PyTorch's view of an argument, or of what a node ``base`` computes: ``take`` makes it of
    all arguments of the graph, and of the latter behind them."""

    base: fx.Node | None
    take: Callable[..., Any]


def views_of(graph: fx.GraphModule, outputs: Sequence[fx.Node]) -> dict[fx.Node, View]:
    """Return the outputs that are views, but for those that alone have their memory. Raises ModelError where
    something between is changed in place."""
    roots = {node: _root(graph, node) for node in dict.fromkeys(outputs) if _tensor(node) is not None}
    shared = list(roots.values())
    return {
        node: _view(graph, None if root.op == "placeholder" else root, node)
        for node, root in roots.items()
        if node is not root and (root.op == "placeholder" or shared.count(root) > 1)
    }


def number_of(graph: fx.GraphModule, output: fx.Node) -> View:
    """Return an output that is a number, computed of sizes of what the graph is given."""
    return _view(graph, None, output)


def _root(graph: fx.GraphModule, output: fx.Node) -> fx.Node:
    """The first node whose memory is the output's."""
    return next(
        node
        for node in graph.graph.nodes
        if node is output
        or (_tensor(node) is not None and torch._C._is_alias_of(_tensor(node), _tensor(output)))
    )


def _tensor(node: fx.Node) -> Any:
    value = node.meta.get("example_value")
    return value if isinstance(value, torch.Tensor) else None


def _view(graph: fx.GraphModule, base: fx.Node | None, output: fx.Node) -> View:
    """The nodes from the base to the output, and all that these need, for PyTorch to run."""
    copy = fx.Graph()
    mapped = {n: copy.placeholder(n.name) for n in graph.graph.nodes if n.op == "placeholder"}
    if base is not None:
        mapped[base] = copy.placeholder(base.name)
    for node in _needed(output, mapped):
        if changes(node):
            raise ModelError(f"'{node.name}' changes in place what several of the graph's outputs share")
        mapped[node] = copy.node_copy(node, mapped.__getitem__)
    copy.output(mapped[output])
    return View(base, fx.GraphModule(graph, copy))


def _needed(output: fx.Node, known: dict[fx.Node, fx.Node]) -> list[fx.Node]:
    """The nodes that an output follows from, in order, up to known ones."""
    found, waiting = set[fx.Node](), [output]
    while waiting:
        node = waiting.pop()
        if node not in found and node not in known:
            found.add(node)
            waiting += node.all_input_nodes
    return [node for node in output.graph.nodes if node in found]


def changes(node: fx.Node) -> bool:
    """Whether an operation writes to its operand: ``add_``, ``+=``, or a function that is told to."""
    if node.op not in ("call_function", "call_method"):
        return False  # what is given has names that end so, too
    target, inplace = node.target, bool(node.kwargs.get("inplace"))
    name = target if isinstance(target, str) else getattr(target, "__name__", "")
    return inplace or target in AUGMENTED or (name.endswith("_") and not name.endswith("__"))
