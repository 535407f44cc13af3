"""Dynamo's graphs in parts: operations that import, by PyTorch's own partitioner, and those that do not.

Whether an operation imports is tried: it is exported and imported alone, once for all of the same kind.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
from torch.fx.passes.operator_support import OperatorSupportBase

from tvm_directconv.errors import last_line, let_through

from .dynamo import NUMBERS
from .models import import_torch, program_of
from .views import AUGMENTED, changes

LAYERS = ("conv", "linear", "matmul", "bmm", "addmm", "einsum", "attention", "lstm", "gru", "rnn")
"""What the names of operations have in them that are worth a part of their own."""
PART = "part"


@dataclass(frozen=True)
class Cut:
    """A graph that calls ``parts``, its submodules by name, and computes the rest itself; ``reasons`` say
    why. ``places`` has, of each part's inputs, the place among the graph's, None of what is computed."""

    graph: fx.GraphModule
    parts: Mapping[str, fx.GraphModule]
    places: Mapping[str, tuple[int | None, ...]]
    reasons: Mapping[str, str]


def cut(graph: fx.GraphModule) -> Cut | None:
    """Return a graph in parts; None where none is worth it, or where the order matters in which operations
    change their operands."""
    changing = [node for node in graph.graph.nodes if changes(node)]
    if any(map(_is_read_elsewhere, changing)):
        return None
    copied, mapped = fx.Graph(), dict[fx.Node, fx.Node]()
    copied.output(copied.graph_copy(graph.graph, mapped))
    for node, copy in mapped.items():
        if hasattr(node, "_dynamo_source"):
            copy._dynamo_source = node._dynamo_source
    for node in changing:
        _without_change(mapped[node])
    whole = fx.GraphModule(graph, copied)
    support = _Imports()
    partitioner = CapabilityBasedPartitioner(whole, support, allows_single_node_partition=True)
    wanted = [p for p in partitioner.propose_partitions() if any(map(_is_layer, p.nodes))]
    if not wanted or not support.reasons:
        return None
    fused = partitioner.fuse_partitions(wanted, prefix=PART)
    inputs = {node: place for place, node in enumerate(fused.graph.find_nodes(op="placeholder"))}
    parts, places = dict[str, fx.GraphModule](), dict[str, tuple[int | None, ...]]()
    for call in fused.graph.nodes:
        if call.op == "call_module" and str(call.target).startswith(PART):
            name = str(call.target)
            parts[name] = fused.get_submodule(name)
            places[name] = tuple(inputs.get(argument) for argument in call.args)
            for own, argument in zip(parts[name].graph.find_nodes(op="placeholder"), call.args, strict=True):
                if hasattr(argument, "_dynamo_source"):
                    own._dynamo_source = argument._dynamo_source
    return Cut(fused, parts, places, support.reasons)


class _Imports(OperatorSupportBase):
    """Whether nodes import, and why others do not, by what they are called."""

    def __init__(self) -> None:
        self.reasons: dict[str, str] = {}
        self._known: dict[Any, str | None] = {}

    def is_node_supported(self, submodules: Any, node: fx.Node) -> bool:
        if node.op not in ("call_function", "call_method"):
            return False
        source = next(iter(node.all_input_nodes), None)
        if source is not None and isinstance(source.meta.get("example_value"), tuple | list):
            return node.name not in self.reasons and self.is_node_supported(submodules, source)
        key = (node.target, str(fx.map_arg((node.args, node.kwargs), _kind)))
        if key not in self._known:
            self._known[key] = _refusal(node)
        why = self._known[key]
        if why is not None:
            self.reasons[node.name] = why
        return why is None


def _refusal(node: fx.Node) -> str | None:
    """Return why a node does not import by itself; None where it does."""
    alone, mapped = fx.Graph(), dict[fx.Node, Any]()
    examples = []
    for source in node.all_input_nodes:
        value = source.meta.get("example_value")
        if isinstance(value, NUMBERS):
            mapped[source] = _hint(value)
            continue
        if not isinstance(value, torch.Tensor):
            return f"'{source.name}', which it reads, is not a tensor"
        # A copy may be changed: within a part, it is of no input.
        mapped[source] = alone.call_method("clone", (alone.placeholder(source.name),))
        examples.append(torch.ones(tuple(map(_hint, value.shape)), dtype=value.dtype))
    if not examples:
        return "it reads no tensor"
    alone.output(alone.node_copy(node, mapped.__getitem__))
    try:
        module = fx.GraphModule(torch.nn.Module(), alone).eval()
        with torch.no_grad():
            program = program_of(module, tuple(examples))[0]
            import_torch(program, None, {}, None)
    except Exception as error:  # torch.export raises whatever tracing does
        let_through(error)
        return last_line(error)
    return None


def _kind(node: fx.Node) -> Any:
    """What an operand is, as text."""
    value = node.meta.get("example_value")
    return (
        f"{value.dtype}{tuple(map(_hint, value.shape))}"
        if isinstance(value, torch.Tensor)
        else str(type(value))
    )


def _hint(size: Any) -> Any:
    """Return a number, of an open size what it is now."""
    return size.node.hint if isinstance(size, NUMBERS) else size


def _is_read_elsewhere(node: fx.Node) -> bool:
    """Whether a node changes memory that others read than those that read its result."""
    operand = node.args[0] if node.args else None
    if not isinstance(operand, fx.Node) or node.target is operator.setitem:
        return True
    memory = _memory(operand)
    for earlier in node.graph.nodes:
        if earlier is node:
            return False
        if memory in (None, _memory(earlier)) and (earlier.op == "placeholder" or len(earlier.users) > 1):
            return True
    return True


def _memory(node: fx.Node) -> Any:
    value = node.meta.get("example_value")
    return value.untyped_storage()._cdata if isinstance(value, torch.Tensor) else None


def _without_change(node: fx.Node) -> None:
    """Have a node make a new tensor, if there is an operation that does."""
    name = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")
    if node.kwargs.get("inplace"):
        node.kwargs = {**node.kwargs, "inplace": False}
    elif node.op == "call_method" and hasattr(torch.Tensor, name[:-1]):
        node.target = name[:-1]
    elif node.target in AUGMENTED:
        node.target = getattr(operator, name[1:])


def _is_layer(node: fx.Node) -> bool:
    name = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")
    return any(layer in name for layer in LAYERS)
