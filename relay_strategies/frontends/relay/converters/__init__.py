"""One converter per operator of Relay: a small function from a call to the Relax that computes it.

A file per family; ``CONVERTERS`` is the table of all. A new operator is one function and its line there.
"""

from __future__ import annotations

from . import convolution, elementwise, movement, normalization, pooling, quantized
from .call import Blocked, Closure, Converter, OperatorCall, Sums, Value
from .elementwise import MAPS

__all__ = ["CONVERTERS", "MAPS", "Blocked", "Closure", "Converter", "OperatorCall", "Sums", "Value"]

CONVERTERS: dict[str, Converter] = {
    **convolution.CONVERTERS,
    **pooling.CONVERTERS,
    **elementwise.CONVERTERS,
    **movement.CONVERTERS,
    **normalization.CONVERTERS,
    **quantized.CONVERTERS,
}
