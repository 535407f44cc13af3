"""Tensors without elements: each has one value only, so what reads one reads a constant."""

from __future__ import annotations

from collections.abc import Mapping

from onnx import NodeProto, TypeProto

from .nodes import static_dims


def has_no_elements(kind: TypeProto.Tensor | None) -> bool:
    return 0 in (static_dims(kind) or ())


def without_empty(node: NodeProto, types: Mapping[str, TypeProto.Tensor]) -> None:
    """Drop the operands of a Concat that lack elements, unless all do."""
    full = [name for name in node.input if not has_no_elements(types.get(name))]
    if full:
        node.input[:] = full
