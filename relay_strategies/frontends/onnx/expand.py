"""Operators that no one knows but ONNX Runtime, and quantized ones, are written as the standard's."""

from __future__ import annotations

from onnx import NodeProto

from . import contrib, quantized
from .expansion import Expand, Expansion, Types, attributes_of, domain_of
from .rewrite import normalization_of_groups

SCALES_OF_GROUPS = range(18, 21)
"""Opsets in which GroupNormalization has a scale for each group."""
FILTER_INPUT = {**quantized.FILTER_INPUT, **contrib.FILTER_INPUT}


def is_expanded(node: NodeProto) -> bool:
    """Whether ``expand_foreign`` or ``expand_quantized`` replaces the node, whatever its opset."""
    return _foreign(node, 1) is not None or _quantized(node) is not None


def expand_foreign(expansion: Expansion) -> bool:
    """Write out an operator of ONNX Runtime's own, which lacks shape inference. Returns whether it is one.

    Raises Unknown where its operands' types are unknown, UnsupportedOperatorError for operands a
    definition allows and this library does not.
    """
    expand = _foreign(expansion.node, expansion.opset)
    if expand is not None:
        expand(expansion)
    return expand is not None


def expand_quantized(node: NodeProto, types: Types, opset: int) -> Expansion | None:
    """Write one of the standard's quantized operators as float ones between (de)quantization.

    It follows shape inference: in opsets before 13 a DequantizeLinear per channel is none that the checker
    accepts. Raises UnsupportedOperatorError as ``expand_foreign`` does.
    """
    expand = _quantized(node)
    if expand is None:
        return None
    expansion = Expansion(node, types, opset)
    expand(expansion)
    return expansion


def _foreign(node: NodeProto, opset: int) -> Expand | None:
    domain = domain_of(node)
    if domain == "" and opset < contrib.NORMALIZING_OPSET and node.op_type in contrib.EARLY:
        return contrib.EARLY[node.op_type]
    if domain == "" and node.op_type == "GroupNormalization" and opset in SCALES_OF_GROUPS:
        return normalization_of_groups
    return quantized.FOREIGN.get((domain, node.op_type)) or contrib.EXPANSIONS.get((domain, node.op_type))


def _quantized(node: NodeProto) -> Expand | None:
    if domain_of(node):
        return None
    if node.op_type in quantized.IN_BLOCKS:
        return quantized.IN_BLOCKS[node.op_type] if attributes_of(node).get("block_size") else None
    return quantized.STANDARD.get(node.op_type)
