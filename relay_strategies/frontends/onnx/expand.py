"""Operators that no one knows but ONNX Runtime, and quantized ones, are written as the standard's."""

from __future__ import annotations

from collections.abc import Callable

from onnx import GraphProto, ModelProto, NodeProto, helper

from relay_strategies.frontends.budget import spend

from . import contrib, quantized
from .expansion import CONTRIB, Expand, Expansion, Types, Unknown, attributes_of, domain_of
from .fold import fold_constants
from .inference import infer_shapes
from .nodes import tensor_types
from .told_types import tell_types

FILTER_INPUT = {**quantized.FILTER_INPUT, **contrib.FILTER_INPUT}


def is_expanded(node: NodeProto) -> bool:
    """Whether ``expand_foreign`` or ``expand_quantized`` replaces the node, whatever its opset."""
    return _foreign(node, 1) is not None or _quantized(node) is not None


def expand_foreign(model: ModelProto, opset: int, most: int | None) -> None:
    """Replace the operators of ONNX Runtime's own, which have no shape inference and so go before it.

    Those that need the shape of what another of them makes follow when that is known; shapes that the graph
    computes are folded where none follows otherwise, no tensor of more than ``most`` bytes. Raises
    UnsupportedOperatorError for operands a definition allows and this library does not.
    """
    if all(entry.domain != CONTRIB for entry in model.opset_import):  # which ONNX Runtime does without
        model.opset_import.append(helper.make_opsetid(CONTRIB, 1))
    graph = model.graph

    def foreign(node: NodeProto) -> Expand | None:
        return _foreign(node, opset)

    while any(map(foreign, graph.node)):
        spend()
        tell_types(model)
        known = tensor_types(infer_shapes(model).graph)
        if _expand(graph, known, opset, foreign, waits=True):
            continue
        fold_constants(graph, known, opset, most)
        if not any(_expand(graph, known, opset, foreign, waits=waits) for waits in (True, False)):
            node = next(node for node in graph.node if foreign(node))
            raise Expansion(graph, node, known, opset).refuse("the shapes of its inputs are unknown")


def expand_quantized(graph: GraphProto, types: Types, opset: int) -> None:
    """Replace the standard's quantized operators by float ones between (de)quantization.

    They follow shape inference: in opsets before 13 a DequantizeLinear per channel is none that the checker
    accepts. Raises UnsupportedOperatorError as ``expand_foreign`` does.
    """
    _expand(graph, types, opset, _quantized)


def _expand(
    graph: GraphProto,
    types: Types,
    opset: int,
    expansion_of: Callable[[NodeProto], Expand | None],
    *,
    waits: bool = False,
) -> bool:
    """Replace the nodes that have an expansion and known operands. Returns whether there were any."""
    nodes: list[NodeProto] = []
    changed = False
    for node in graph.node:
        expand = expansion_of(node)
        if expand is None:
            nodes.append(node)
            continue
        expansion = Expansion(graph, node, types, opset, waits=waits)
        try:
            expand(expansion)
        except Unknown:
            nodes.append(node)
            continue
        nodes.extend(expansion.nodes)
        changed = True
    del graph.node[:]
    graph.node.extend(nodes)
    return changed


def _foreign(node: NodeProto, opset: int) -> Expand | None:
    key = domain_of(node), node.op_type
    if key[0] == "" and opset < contrib.NORMALIZING_OPSET and node.op_type in contrib.EARLY:
        return contrib.EARLY[node.op_type]
    return quantized.FOREIGN.get(key) or contrib.EXPANSIONS.get(key)


def _quantized(node: NodeProto) -> Expand | None:
    if domain_of(node):
        return None
    if node.op_type in quantized.IN_BLOCKS:
        return quantized.IN_BLOCKS[node.op_type] if attributes_of(node).get("block_size") else None
    return quantized.STANDARD.get(node.op_type)
