"""Converters of our own, where TVM's importer lacks an operator or gets it wrong; a file per kind of them.

Operators of other domains than the standard's are called by theirs, as ``com.microsoft::Gelu``.
"""

from __future__ import annotations

from . import (
    arithmetic,
    attention,
    contrib,
    convolutions,
    indexing,
    movement,
    normalization,
    packed,
    quantized,
    random,
    recurrent,
    reductions,
    resize,
    shapes,
    spectra,
    sums,
    windows,
)
from .node import Converter, Node

__all__ = ["CONVERTERS", "Converter", "Node"]

_FILES = (
    arithmetic,
    attention,
    contrib,
    convolutions,
    indexing,
    movement,
    normalization,
    packed,
    quantized,
    random,
    recurrent,
    reductions,
    resize,
    shapes,
    spectra,
    sums,
    windows,
)

CONVERTERS: dict[str, Converter] = {
    kind: converter for file in _FILES for kind, converter in file.CONVERTERS.items()
}
