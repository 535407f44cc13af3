"""Gates in front of convolutions: channels scaled by what the network computes, as squeeze-and-excite does.

Hu et al., "Squeeze-and-Excitation Networks", 2018. A convolution of ``gate * x`` is one of x whose filter is
scaled along its input channels, which is less to scale than the activations wherever there are more pixels
than output channels.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from tvm import relax

from relay_strategies.relax.arithmetic_calls import MULTIPLY
from relay_strategies.relax.graph import Graph, dtype_of, shape_of
from tvm_directconv.algorithms.base import Conv2dImplementation
from tvm_directconv.problem.element_types import FLOAT32
from tvm_directconv.problem.extents import typical
from tvm_directconv.problem.workload import Conv2dWorkload


class Gated(NamedTuple):
    """The activations of one image, and what scales their channels: a tensor (1, 1, 1, C)."""

    data: relax.Expr
    gate: relax.Expr


def gated_input(graph: Graph, data: relax.Expr) -> Gated | None:
    """Return what a layer's NHWC input is a product of, where nothing else uses that."""
    product = graph.sole_call(data, MULTIPLY)
    shape = shape_of(data)
    if product is None or shape is None or len(shape) != 4 or dtype_of(data) != FLOAT32:
        return None
    for source, gate in (product.args[:], reversed(product.args[:])):
        if shape_of(source) == shape and shape_of(gate) == (1, 1, 1, shape[-1]):
            return Gated(source, gate)
    return None


def gate_shape(chosen: Conv2dImplementation) -> tuple[int, ...] | None:
    """The shape in which a gate scales the packed filter, broadcast; None where no axis of that is the input
    channels, or where there is as little to scale in the activations."""
    w, packed = chosen.workload, chosen.packed_filter_shape
    if w.groups != 1 or w.dtype != FLOAT32 or math.prod(packed) > typical(math.prod(w.input_shape)):
        return None
    numbers = np.arange(1, w.in_channels + 1, dtype=FLOAT32)
    found = chosen.pack(_numbered(w, numbers))
    for axis, extent in enumerate(packed):
        shape = tuple(extent if at == axis else 1 for at in range(len(packed)))
        if extent == w.in_channels and np.all((found == 0) | (found == numbers.reshape(shape))):
            return shape
    return None


def _numbered(workload: Conv2dWorkload, numbers: np.ndarray) -> np.ndarray:
    """A filter of which every element is the number of its input channel."""
    axis = workload.filter_layout.index("I")
    shape = tuple(len(numbers) if at == axis else 1 for at in range(4))
    return np.broadcast_to(numbers.reshape(shape), workload.filter_shape)
