"""Layers with a filter: convolutions of images and matrix products, and the constants that filters are stored
in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from tvm import relax

from .composite import Emit
from .graph import Graph, bindings, constant, make_constant, operator_name, shape_of
from .movement_calls import PERMUTE

CONVOLUTION, PRODUCT = "relax.nn.conv2d", "relax.matmul"
LAYOUTS = ("OIHW", "HWIO", "OHWI")
"""Kernels take filters in these layouts; others become the first."""


@dataclass(frozen=True, eq=False)
class Filter:
    """A layer's filter: ``array``, the values of the constant ``stored``, whose axes are the letters of
    ``layout``. A matrix product is given a matrix (inputs, outputs), "IO", or the transpose of "OI"."""

    stored: relax.Expr
    array: np.ndarray
    layout: str

    @property
    def transposed(self) -> bool:
        return self.layout == "OI"

    def axis(self, letter: str) -> int:
        """Return the array's axis that a letter stands for."""
        return self.layout.index(letter)

    @property
    def ordered(self) -> np.ndarray:
        """The array as (O, I, H, W), or (O, I)."""
        return np.transpose(self.array, self._order)

    def reordered(self, ordered: np.ndarray) -> np.ndarray:
        """Return such an array in the layout and type of this one."""
        return np.transpose(ordered, np.argsort(self._order)).astype(self.array.dtype)

    @property
    def _order(self) -> list[int]:
        return [self.axis(letter) for letter in sorted(self.layout, key="OIHW".index)]

    def operand(self, emit: Emit, stored: relax.Expr) -> relax.Expr:
        """Return what a layer is given when ``stored`` takes the place of the array."""
        return emit(relax.op.permute_dims(stored, [1, 0])) if self.transposed else stored

    def with_array(self, emit: Emit, array: np.ndarray) -> relax.Expr:
        """Return what a layer is given of another array that is stored the same way."""
        return self.operand(emit, make_constant(array))


def filter_of(graph: Graph, layer: relax.Expr, weight: relax.Expr | None = None) -> Filter | None:
    """Return the constant filter of a convolution or a matrix product; None for anything else. Where the
    operand is made of ``weight``, as by a dequantization, that is looked at."""
    name = operator_name(layer)
    if name not in (CONVOLUTION, PRODUCT):
        return None
    weight = layer.args[1] if weight is None else weight
    if name == PRODUCT:
        return stored_matrix(graph, weight)
    stored, layout = graph.resolve(weight), str(layer.attrs.kernel_layout)
    array = constant(stored)
    return None if array is None or sorted(layout) != sorted("OIHW") else Filter(stored, array, layout)


def stored_matrix(graph: Graph, weight: relax.Expr) -> Filter | None:
    """Return the matrix that ``weight`` is, a constant or a constant's transpose; None for anything else."""
    transpose = graph.call(weight, PERMUTE)
    stored = graph.resolve(weight if transpose is None else transpose.args[0])
    array = constant(stored)
    if array is None or array.ndim != 2:
        return None
    return Filter(stored, array, "IO" if transpose is None else "OI")


def is_nhwc_convolution(value: relax.Expr) -> bool:
    """Whether a convolution of static shapes has the layouts that kernels take."""
    if operator_name(value) != CONVOLUTION or any(shape_of(e) is None for e in (value, *value.args)):
        return False
    attrs = value.attrs
    return attrs.data_layout == attrs.out_layout == "NHWC" and attrs.kernel_layout in LAYOUTS


def convolution_in(function: relax.Function) -> relax.Call:
    """Return the convolution that a composite computes."""
    values = (binding.value for binding in bindings(function.body))
    return next(value for value in values if operator_name(value) == CONVOLUTION)
