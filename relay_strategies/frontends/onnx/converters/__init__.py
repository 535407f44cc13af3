"""Converters of our own, where TVM's importer gets an operator wrong; a file per kind of operator."""

from __future__ import annotations

from . import (
    accumulation,
    arithmetic,
    deformable,
    indexing,
    movement,
    normalization,
    products,
    recurrent,
    reductions,
    resize,
    shapes,
    transposed,
    windows,
)
from .node import Converter, Node

__all__ = ["CONVERTERS", "Converter", "Node"]

_FILES = (
    accumulation,
    arithmetic,
    deformable,
    indexing,
    movement,
    normalization,
    products,
    recurrent,
    reductions,
    resize,
    shapes,
    transposed,
    windows,
)

CONVERTERS: dict[str, Converter] = {
    kind: converter for file in _FILES for kind, converter in file.CONVERTERS.items()
}
