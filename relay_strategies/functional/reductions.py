"""Reductions along axes: sums, extremes and norms, of types that Relax reduces, and of others by these."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from tvm import relax

from relay_strategies.relax.functions import log_sum_exp
from relay_strategies.relax.graph import dtype_of

from .builder import Builder

Function = Callable[[relax.Expr], relax.Expr]
AS_BYTES = MappingProxyType({"bool": "int8"})
IN_FLOAT64 = MappingProxyType({"int": "float64", "uint": "float64"})
"""Results that are not whole lose their fraction."""


@dataclass(frozen=True)
class _Reduction:
    """What is computed of each element, then of all, then of the result; and the types, by what their names
    begin with, that are computed in another."""

    operator: Callable[..., relax.Expr]
    before: Function | None = None
    after: Function | None = None
    computed_in: Mapping[str, str] = field(default_factory=dict)


def _square(data: relax.Expr) -> relax.Expr:
    return relax.op.multiply(data, data)


REDUCTIONS = {
    "sum": _Reduction(relax.op.sum),
    "mean": _Reduction(relax.op.mean, computed_in={"int": "int64", "uint": "int64"}),
    "max": _Reduction(relax.op.max, computed_in=AS_BYTES),
    "min": _Reduction(relax.op.min, computed_in=AS_BYTES),
    "prod": _Reduction(relax.op.prod),
    "variance": _Reduction(relax.op.variance),
    "sum_square": _Reduction(relax.op.sum, _square),
    "l1": _Reduction(relax.op.sum, relax.op.abs),
    "l2": _Reduction(relax.op.sum, _square, relax.op.sqrt, IN_FLOAT64),
    "log_sum": _Reduction(relax.op.sum, None, relax.op.log, IN_FLOAT64),
    "log_sum_exp": _Reduction(log_sum_exp, computed_in=IN_FLOAT64),
}


def reduce(
    b: Builder, data: relax.Expr, kind: str, axes: Sequence[int], keepdims: bool = False
) -> relax.Expr:
    """Return one of ``REDUCTIONS`` of ``data`` along ``axes``, which may be none, in the data's type."""
    reduction, dtype = REDUCTIONS[kind], dtype_of(data)
    if not axes and kind == "log_sum_exp":
        return data
    value = b.cast(data, reduction.computed_in.get(dtype.rstrip("0123456789"), dtype))
    if reduction.before is not None:
        value = b.emit(reduction.before(value))
    if axes:
        value = b.emit(reduction.operator(value, list(axes), keepdims))
    return b.cast(value if reduction.after is None else reduction.after(value), dtype)


def vector_norm(
    b: Builder, data: relax.Expr, order: float, axes: Sequence[int], keepdims: bool = False
) -> relax.Expr:
    """Return the norm of an order, which may be infinite, along ``axes``."""
    if order in (1, 2):
        return reduce(b, data, f"l{order:g}", axes, keepdims)
    size = b.emit(relax.op.abs(data))
    if math.isinf(order):
        return reduce(b, size, "max" if order > 0 else "min", axes, keepdims)
    if order == 0:
        raise b.refusal("the norm of order 0 is not supported")
    kind = dtype_of(data)
    total = reduce(b, b.emit(relax.op.power(size, b.cast(order, kind))), "sum", axes, keepdims)
    return relax.op.power(b.emit(total), b.cast(1 / order, kind))
