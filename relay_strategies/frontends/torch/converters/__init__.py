"""Converters of PyTorch's operators, after decomposition; a file per kind, keyed by operator and overload."""

from __future__ import annotations

import torch

from . import (
    arithmetic,
    convolutions,
    factorizations,
    finding,
    indexing,
    movement,
    normalization,
    pooling,
    quantization,
    recurrent,
    reductions,
    resizing,
    special,
    spectra,
)
from .node import Converter, Node
from .quantization import KEPT
from .spectra import OF_COMPLEX, PARTWISE, Complex

__all__ = [
    "CHECKS",
    "CONVERTERS",
    "KEPT",
    "OF_COMPLEX",
    "OF_OPEN_NUMBERS",
    "PARTWISE",
    "Complex",
    "Converter",
    "Node",
]

_FILES = (
    *(arithmetic, convolutions, factorizations, finding, indexing, movement, normalization, pooling),
    *(quantization, recurrent, reductions, resizing, special, spectra),
)

CONVERTERS: dict[str, Converter] = {
    kind: converter for file in _FILES for kind, converter in file.CONVERTERS.items()
}

OF_OPEN_NUMBERS = arithmetic.OF_OPEN_NUMBERS | movement.OF_OPEN_NUMBERS
"""Operators whose operands may be open sizes, as numbers to compute with."""

CHECKS = frozenset(
    getattr(getattr(torch.ops.aten, name), overload)
    for name, overload in (
        ("_assert_tensor_metadata", "default"),
        ("_assert_scalar", "default"),
        ("_assert_async", "msg"),
        ("sym_constrain_range", "default"),
        ("sym_constrain_range_for_size", "default"),
    )
)
"""Operators that compute nothing; what they check of static shapes was checked when tracing."""
