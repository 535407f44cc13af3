"""Activations that Relax lacks an operator for, or has one for some shapes alone."""

from __future__ import annotations

from collections.abc import Sequence

from tvm import relax

from relay_strategies.relax.graph import dtype_of

from .builder import Builder


def prelu(b: Builder, data: relax.Expr, slope: relax.Expr) -> relax.Expr:
    """Return ``data``, times ``slope`` where it is negative; shapes are broadcast.

    Relax's own operator is taken for a slope along one axis, or one for all, of floats that it knows.
    """
    shape = b.shape_of(data)
    wide: Sequence[int] = (1,) * (len(shape) - len(b.shape_of(slope))) + tuple(b.shape_of(slope))
    several = [axis for axis, extent in enumerate(wide) if extent != 1]
    known = "float" in dtype_of(data) and dtype_of(data) != "bfloat16"
    if known and shape and len(wide) == len(shape) and len(several) < 2:
        axis = several[0] if several else len(shape) - 1
        return relax.op.nn.prelu(data, b.emit(relax.op.reshape(slope, (wide[axis],))), axis)
    negative = b.emit(relax.op.less(data, relax.const(0, dtype_of(data))))
    return relax.op.where(negative, b.emit(relax.op.multiply(data, slope)), data)
