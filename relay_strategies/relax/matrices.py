"""The constant matrices of dense layers: stored as they are used, or transposed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from tvm import relax

from .composite import Emit
from .graph import Graph, constant, make_constant
from .movement import PERMUTE


@dataclass(frozen=True, eq=False)
class StoredMatrix:
    """A matrix product's second operand, (inputs, outputs), or where ``transposed`` its transpose, (outputs,
    inputs): the constant ``stored``, whose values are ``array``."""

    stored: relax.Expr
    array: np.ndarray
    transposed: bool

    @property
    def inputs_axis(self) -> int:
        """The axis of ``array`` that is summed over."""
        return 1 if self.transposed else 0

    def operand(self, emit: Emit, stored: relax.Expr) -> relax.Expr:
        """What a product is given when ``stored`` takes the place of the array."""
        return emit(relax.op.permute_dims(stored, [1, 0])) if self.transposed else stored

    def with_array(self, emit: Emit, array: np.ndarray) -> relax.Expr:
        """What a product is given of another array that is stored the same way."""
        return self.operand(emit, make_constant(array))


def stored_matrix(graph: Graph, weight: relax.Expr) -> StoredMatrix | None:
    """The matrix that ``weight`` is a constant or a constant's transpose of; None for anything else."""
    transpose = graph.call(weight, PERMUTE)
    stored = graph.resolve(weight if transpose is None else transpose.args[0])
    array = constant(stored)
    return None if array is None or array.ndim != 2 else StoredMatrix(stored, array, transpose is not None)
