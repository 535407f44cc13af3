"""Nodes in the order in which they can be computed.

ONNX wants them so; ONNX Runtime does not, and onnxconverter_common's and ONNX Runtime's own conversion to
float16 with ``keep_io_types`` append the inputs' Casts at the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from onnx import GraphProto, ModelProto, NodeProto

from tvm_directconv.errors import ModelError

from .nodes import node_name, subgraphs


def in_order(model: ModelProto) -> ModelProto:
    """``model`` itself where every node follows those that it reads, else a copy in which it does.

    Nodes stay in their order otherwise. Raises ModelError for nodes that wait for each other.
    """
    if all(_is_ordered(graph.node) for graph in _graphs(model)):
        return model
    copy = ModelProto()
    copy.CopyFrom(model)  # the caller's stays as it is
    for graph in list(_graphs(copy)):
        if not _is_ordered(graph.node):
            nodes = [NodeProto.FromString(node.SerializeToString()) for node in _sorted(graph.node)]
            del graph.node[:]
            graph.node.extend(nodes)
    return copy


def _graphs(model: ModelProto) -> Iterator[GraphProto]:
    """All graphs, inner ones before those that hold them."""
    yield from reversed([model.graph, *subgraphs(model.graph)])


def reads(node: NodeProto) -> set[str]:
    """The tensors that a node reads, and those of outside that its inner graphs read."""
    read = set(node.input)
    inner = list(subgraphs(GraphProto(node=[node]))) if any(a.HasField("g") for a in node.attribute) else []
    made = {name for graph in inner for each in graph.node for name in each.output}
    read.update(name for graph in inner for each in graph.node for name in each.input if name not in made)
    read.update(value.name for graph in inner for value in graph.output if value.name not in made)
    return read - {""}


def _is_ordered(nodes: Sequence[NodeProto]) -> bool:
    later = {name for node in nodes for name in node.output}
    for node in nodes:
        if not later.isdisjoint(reads(node)):
            return False
        later.difference_update(node.output)
    return True


def _sorted(nodes: Sequence[NodeProto]) -> list[NodeProto]:
    maker = {name: index for index, node in enumerate(nodes) for name in node.output if name}
    waits = [sorted({maker[name] for name in reads(node) if name in maker}) for node in nodes]
    order: list[NodeProto] = []
    done: set[int] = set()
    for first in range(len(nodes)):
        stack, open_ = [first], set[int]()
        while stack:
            index = stack[-1]
            missing = [other for other in waits[index] if other not in done]
            if index in done or not missing:
                if index not in done:
                    done.add(index)
                    order.append(nodes[index])
                stack.pop()
            elif index in open_:
                name = node_name(nodes[index])
                raise ModelError(f"node '{name}' ({nodes[index].op_type}) waits for its own result")
            else:
                open_.add(index)
                stack.extend(reversed(missing))
    return order
