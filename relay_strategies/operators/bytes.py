"""Composites between 8-bit tensors: the attributes all of them have, written and read.

``scales`` and ``zeros`` are lists of one number per argument, ``out_scale``, ``out_zero`` and ``out_dtype``
are those of the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relay_strategies.relax.composite import Composite
from relay_strategies.relax.graph import PREFIX, dtype_of
from relay_strategies.relax.quantize_calls import Parameters
from tvm_directconv.operators.quantized_type import QuantizedType


def quantized_attributes(sources: Sequence[Parameters], result: Parameters, dtype: str) -> dict[str, Any]:
    """The attributes of a composite whose arguments and result are quantized so, each with one scale."""
    return {
        "scales": [_scale(source) for source in sources],
        "zeros": [int(source.zero_point[0]) for source in sources],
        "out_scale": _scale(result),
        "out_zero": int(result.zero_point[0]),
        "out_dtype": dtype,
    }


def quantized_types(found: Composite) -> tuple[list[QuantizedType], QuantizedType]:
    """Return what the integers of a composite's first arguments and of its result stand for."""
    attributes = found.attributes
    parameters = zip(found.arguments, attributes["scales"], attributes["zeros"], strict=False)
    sources = [QuantizedType(float(s), int(z), dtype_of(argument)) for argument, s, z in parameters]
    scale, zero, dtype = (attributes[f"out_{name}"] for name in ("scale", "zero", "dtype"))
    return sources, QuantizedType(float(scale), int(zero), str(dtype))


def composite_name(found: Composite) -> str:
    """A composite's name, as its kernel has it."""
    return found.name.removeprefix(PREFIX)


def _scale(parameters: Parameters) -> float:
    return float(np.float32(parameters.scale[0]))
