"""Losses of alignments of a sequence with a shorter one."""

from __future__ import annotations

from tvm import relax

from tvm_directconv.operators import alignment
from tvm_directconv.problem.extents import is_open

from .builder import Builder
from .finding import call_kernel


def alignment_loss(
    b: Builder, scores: relax.Expr, targets: relax.Expr, times: relax.Expr, lengths: relax.Expr, blank: int
) -> relax.Expr:
    """Return the loss of connectionist temporal classification, float64 (batch,), of logarithms of
    probabilities (steps, batch, classes) and targets (batch, length), which have so many ``times`` and
    ``lengths`` (batch,); the class ``blank`` stands for no label."""
    (steps, batch, classes), (_, length) = b.shape_of(scores), b.shape_of(targets)
    if is_open([steps, batch, classes, length]) or not length:
        raise b.refusal("sequences of open sizes, and targets of no labels, are not aligned")
    kernel = alignment.alignment_loss(steps, batch, classes, length, blank)
    whole = [b.cast(each, "int64") for each in (targets, times, lengths)]
    types = [relax.TensorType(shape, alignment.KIND) for shape in ((batch,), (batch, 2, 2 * length + 1))]
    made = call_kernel(b, kernel, "alignment_loss", [b.cast(scores, alignment.KIND), *whole], types)
    return b.emit(relax.TupleGetItem(made, 0))
