"""What local functions become where they are called: counted before anything is written out.

Functions that call others twice double at each level, and onnx's inliner follows whatever it is given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from onnx import FunctionProto, ModelProto, NodeProto

from relay_strategies.frontends.budget import spend
from tvm_directconv.errors import ModelError

from .nodes import all_nodes

MOST_LEVELS = 200
"""Functions call others to this depth; the inliner takes a frame of the stack for each."""

Name = tuple[str, str, str]


@dataclass(frozen=True)
class _Written:
    """What one call of a function becomes."""

    nodes: int
    bytes: int
    levels: int


def spend_calls(model: ModelProto) -> None:
    """Count what the model's calls of its own functions become. Raises ModelError for recursion, for calls
    that are nested too deeply, and for more than an import may make."""
    functions = {(f.domain, f.name, f.overload): f for f in model.functions}
    called = {name: _called(all_nodes(function), functions) for name, function in functions.items()}
    written: dict[Name, _Written] = {}
    try:
        order = list(TopologicalSorter(called).static_order())
    except CycleError as error:
        domain, name, _ = error.args[1][0]
        raise ModelError(f"local function '{domain}::{name}' calls itself") from None
    for name in order:
        inner = _together(called[name], written)
        if inner.levels >= MOST_LEVELS:
            raise ModelError(f"calls of local functions are nested more than {MOST_LEVELS} levels deep")
        function = functions[name]
        nodes = sum(1 for _ in all_nodes(function))
        size = sum(len(node.SerializeToString()) for node in function.node)
        written[name] = _Written(nodes + inner.nodes, size + inner.bytes, 1 + inner.levels)
    whole = _together(_called(all_nodes(model.graph), functions), written)
    spend(whole.nodes, whole.bytes)


def _called(nodes: Iterable[NodeProto], functions: dict[Name, FunctionProto]) -> Counter[Name]:
    names = ((node.domain, node.op_type, node.overload) for node in nodes)
    return Counter(name for name in names if name in functions)


def _together(calls: Counter[Name], written: dict[Name, _Written]) -> _Written:
    return _Written(
        sum(count * written[name].nodes for name, count in calls.items()),
        sum(count * written[name].bytes for name, count in calls.items()),
        max((written[name].levels for name in calls), default=0),
    )
