"""One converter per operator of Relay: a small function from a call to the Relax that computes it.

A file per family; ``CONVERTERS`` is the table of all. A new operator is one function and its line there.
"""

from __future__ import annotations

from . import (
    convolution,
    detection,
    dynamic,
    elementwise,
    indexing,
    movement,
    normalization,
    pooling,
    quantized,
    sparse,
    spectra,
    vision,
)
from .call import Blocked, Closure, Converter, OperatorCall, Sums, Value
from .elementwise import MAPS

__all__ = [
    "CONVERTERS",
    "FAMILIES",
    "MAPS",
    "Blocked",
    "Closure",
    "Converter",
    "OperatorCall",
    "Sums",
    "Value",
]

FAMILIES: dict[str, dict[str, Converter]] = {
    "layers": convolution.CONVERTERS,
    "pooling and resizing": pooling.CONVERTERS,
    "element-wise": elementwise.CONVERTERS,
    "normalization and reductions": normalization.CONVERTERS,
    "movement": movement.CONVERTERS | dynamic.CONVERTERS,
    "indices, order and shapes": indexing.CONVERTERS,
    "images and detection": vision.CONVERTERS | detection.CONVERTERS,
    "sparse tensors": sparse.CONVERTERS,
    "spectra": spectra.CONVERTERS,
    "quantized": quantized.CONVERTERS,
}
CONVERTERS: dict[str, Converter] = {
    name: converter for family in FAMILIES.values() for name, converter in family.items()
}
