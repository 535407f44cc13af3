"""Tensors without elements: they are constants, whatever they are computed of, and add nothing to results."""

from __future__ import annotations

from typing import Any

import torch
from torch import fx

ADDED = frozenset((
    *("index_add", "index_copy", "index_fill", "index_put", "_unsafe_index_put", "index_reduce", "scatter"),
    *("scatter_add", "scatter_reduce", "slice_scatter", "masked_scatter", "put"),
))  # fmt: skip
"""Operators whose result is their first operand where another is empty."""


def empty_of(value: Any) -> Any:
    """Return a result of which every tensor is without elements, by what torch.export knows of it; None for
    all other results."""
    if isinstance(value, list | tuple):
        parts = [empty_of(part) for part in value]
        return None if not parts or any(part is None for part in parts) else tuple(parts)
    if not isinstance(value, torch.Tensor) or not all(isinstance(size, int) for size in value.shape):
        return None
    return torch.empty(value.shape, dtype=value.dtype) if 0 in value.shape else None


def is_unchanged(node: fx.Node) -> bool:
    """Whether a node's result is its first operand, since another is empty."""
    if getattr(node.target, "__name__", "").partition(".")[0] not in ADDED:
        return False
    return any(empty_of(operand.meta.get("val")) is not None for operand in node.all_input_nodes)
