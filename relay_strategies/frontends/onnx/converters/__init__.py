"""Converters of our own, where TVM's importer gets an operator wrong; a file per kind of operator."""

from __future__ import annotations

from . import (
    arithmetic,
    convolutions,
    indexing,
    movement,
    normalization,
    recurrent,
    reductions,
    resize,
    shapes,
    sums,
    windows,
)
from .node import Converter, Node

__all__ = ["CONVERTERS", "Converter", "Node"]

_FILES = (
    arithmetic,
    convolutions,
    indexing,
    movement,
    normalization,
    recurrent,
    reductions,
    resize,
    shapes,
    sums,
    windows,
)

CONVERTERS: dict[str, Converter] = {
    kind: converter for file in _FILES for kind, converter in file.CONVERTERS.items()
}
