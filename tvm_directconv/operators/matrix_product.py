"""A stack of products of computed matrices, as a value: views of operands and result, a scale and terms."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tvm_directconv.errors import WorkloadError

from .matrix_terms import Term
from .matrix_views import View


@dataclass(frozen=True)
class MatrixProduct:
    """``output = scale * left @ right``, then the terms in order: views of shapes (stack..., rows, depth),
    (stack..., depth, columns) and (stack..., rows, columns)."""

    left: View
    right: View
    output: View
    scale: float = 1.0
    terms: tuple[Term, ...] = ()

    def __post_init__(self) -> None:
        *stack, rows, columns = self.output.shape
        depth = self.left.shape[-1]
        if self.left.shape != (*stack, rows, depth) or self.right.shape != (*stack, depth, columns):
            raise WorkloadError(
                f"no product of {self.left.shape} by {self.right.shape} is {self.output.shape}"
            )
        if any(term.view.shape != self.output.shape for term in self.terms):
            raise WorkloadError(f"terms of a product have its shape, {self.output.shape}")
        if 1 not in (self.output.strides[-1], self.output.strides[-2], columns, rows):
            raise WorkloadError("neither rows nor columns of the product lie side by side")

    @property
    def multiplies(self) -> int:
        """Multiply-adds of all products."""
        return math.prod(self.output.shape) * self.left.shape[-1]

    @property
    def is_transposed(self) -> bool:
        """Whether rows of the output lie side by side, not columns."""
        return self.output.strides[-1] != 1 and self.output.shape[-1] != 1

    def transposed(self) -> MatrixProduct:
        """The same product as that of the transposed operands in the other order."""
        return MatrixProduct(
            transposed(self.right),
            transposed(self.left),
            transposed(self.output),
            self.scale,
            tuple(Term(term.kind, transposed(term.view)) for term in self.terms),
        )


def transposed(view: View) -> View:
    """Rows and columns exchanged."""
    axes = list(range(len(view.shape)))
    return view.permuted([*axes[:-2], axes[-1], axes[-2]])
