"""FuseNormalization: normalizations that exporters write out, as the operators that they are.

A mean, a difference, its square, another mean, a root and a division are ``relax.nn.layer_norm``, without the
first two ``relax.nn.rms_norm``; over a vector's length they are the composite of L2 norms. Means are those
along the last axis: what was written over the channels of NCHW is there after ``ToNHWC``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from tvm import relax

from intrinsics.epilogue import Clip
from relay_strategies.operators import OPERATORS, operator_of
from relay_strategies.operators.layouts import Normalizes
from relay_strategies.operators.normalization import l2_norm
from relay_strategies.relax.arithmetic_calls import ADD, DIVIDE, MULTIPLY, SUBTRACT
from relay_strategies.relax.calls import replaced
from relay_strategies.relax.epilogue_steps import FLOAT, step_of
from relay_strategies.relax.graph import (
    Rewriter,
    constant,
    dtype_of,
    extents_of,
    is_filled,
    make_constant,
    operator_name,
    rewrite_pass,
    scalar,
    shape_of,
)

NORMALIZATIONS = tuple(name for name, entry in OPERATORS.items() if isinstance(entry.layout, Normalizes))
RMS_NORM = "relax.nn.rms_norm"


class _Spread(NamedTuple):
    """The root of a row's squares: of their mean and ``epsilon``, or of their sum where ``by_length``;
    ``squared`` is what is squared, less its mean where that is ``centered``. All are along ``axis``."""

    squared: relax.Expr
    centered: bool
    epsilon: float
    axis: int = -1
    by_length: bool = False


class _FuseNormalization(Rewriter):
    def visit(self, var: relax.Var, value: relax.Expr) -> relax.Expr | None:
        new = self.new(value)
        if dtype_of(var) != FLOAT or not shape_of(var):
            return new
        name, found = operator_name(value), None
        if name == DIVIDE:
            found = self._normalized(new.args[0], self._spread(new.args[1]))
        elif name == MULTIPLY:
            first, second = new.args
            found = self._by_inverse(first, second)
            found = self._by_inverse(second, first) if found is None else found
        if found is None and name in (MULTIPLY, ADD):
            found = self._with_parameter(value, new)
        return new if found is None or shape_of(self.builder.normalize(found)) != shape_of(var) else found

    # ---- the parts, from the end

    def _by_inverse(self, data: relax.Expr, inverse: relax.Expr) -> relax.Expr | None:
        """A product with an inverse root."""
        root = self.produced(inverse, "relax.rsqrt")
        if root is not None:
            return self._normalized(data, self._mean_of_squares(root.args[0]))
        quotient = self.produced(inverse, DIVIDE)
        if quotient is None or scalar(quotient.args[0]) != 1.0:
            return None
        return self._normalized(data, self._spread(quotient.args[1]))

    def _spread(self, expr: relax.Expr) -> _Spread | None:
        wide = self.produced(expr, "relax.broadcast_to")
        expr = expr if wide is None else wide.args[0]
        root = self.produced(expr, "relax.sqrt")
        if root is not None:
            return self._mean_of_squares(root.args[0])
        limited = self.builder.lookup_binding(expr) if isinstance(expr, relax.Var) else None
        step = step_of(limited) if isinstance(limited, relax.Call) else None
        if step is None or not isinstance(step[1], Clip) or step[1].high != math.inf or step[1].low <= 0:
            return None
        root = self.produced(step[0], "relax.sqrt")
        total = None if root is None else self.produced(root.args[0], "relax.sum")
        axis = None if total is None else _kept_axis(total)
        squared = None if total is None else self._squared(total.args[0])
        if squared is None or axis is None:
            return None
        return _Spread(squared, False, step[1].low, axis, by_length=True)

    def _mean_of_squares(self, expr: relax.Expr) -> _Spread | None:
        total = self.produced(expr, ADD)
        epsilon = None if total is None else scalar(total.args[1])
        if total is None or epsilon is None or epsilon < 0:
            return None
        variance = self.produced(total.args[0], "relax.variance")
        if variance is not None and _along_last(variance):
            return _Spread(variance.args[0], True, epsilon)
        mean = self.produced(total.args[0], "relax.mean")
        squared = None if mean is None or not _along_last(mean) else self._squared(mean.args[0])
        if squared is None:
            return None
        source = self._centered(squared)
        return _Spread(squared if source is None else source, source is not None, epsilon)

    def _squared(self, expr: relax.Expr) -> relax.Expr | None:
        """Return what an expression is the square of."""
        call = self.produced(expr, MULTIPLY, "relax.power", "relax.square")
        if call is None:
            return None
        name = operator_name(call)
        alike = name == "relax.square" or (name == MULTIPLY and call.args[0] == call.args[1])
        return call.args[0] if alike or (name == "relax.power" and scalar(call.args[1]) == 2.0) else None

    def _centered(self, expr: relax.Expr) -> relax.Expr | None:
        """Return what an expression is the distance of from its mean."""
        difference = self.produced(expr, SUBTRACT)
        mean = None if difference is None else self.produced(difference.args[1], "relax.mean")
        if difference is None or mean is None or not _along_last(mean):
            return None
        return difference.args[0] if mean.args[0] == difference.args[0] else None

    # ---- the whole

    def _normalized(self, data: relax.Expr, spread: _Spread | None) -> relax.Expr | None:
        if spread is None:
            return None
        source = self._centered(data) if spread.centered else data
        if source is None or source != spread.squared:
            return None
        if spread.by_length:
            return l2_norm(self, source, spread.axis, spread.epsilon)
        extent = extents_of(source)[-1]
        ones, zeros = (make_constant(np.full(extent, value, FLOAT)) for value in (1.0, 0.0))
        if spread.centered:
            return relax.op.nn.layer_norm(source, ones, zeros, [-1], spread.epsilon)
        return relax.op.nn.rms_norm(source, ones, [-1], spread.epsilon)

    def _with_parameter(self, value: relax.Call, new: relax.Call) -> relax.Expr | None:
        """A normalization that so far has none, times or plus a constant for each element of a row, or where
        it has them for channels, each of these."""
        before, array = self.produced(new.args[0], *NORMALIZATIONS, RMS_NORM), constant(new.args[1])
        alone = isinstance(value.args[0], relax.Var) and self.graph.only_consumer(value.args[0]) is not None
        if before is None or array is None or not alone or not _has_parameters_last(before):
            return None
        extent = extents_of(new.args[0])[-1]
        if array.size not in (1, extent) or array.shape[-1:] not in ((), (1,), (extent,)):
            return None
        vector = make_constant(np.broadcast_to(array.reshape(-1), extent).astype(FLOAT))
        data, scale, *shift = before.args
        if not all(is_filled(parameter, 0.0) for parameter in shift):
            return None
        if operator_name(new) == MULTIPLY:
            return replaced(before, [data, vector, *shift]) if is_filled(scale, 1.0) else None
        return replaced(before, [data, scale, vector]) if shift else None


FuseNormalization = rewrite_pass("FuseNormalization", _FuseNormalization)
"""Find normalizations along the last axis; wants ``ToNHWC`` before it."""


def _has_parameters_last(call: relax.Call) -> bool:
    """Whether a normalization's parameters are for the elements of the last axis."""
    rank, attrs, layout = len(extents_of(call)), call.attrs, operator_of(call).layout
    if isinstance(layout, Normalizes) and layout.channels:
        last = int(getattr(attrs, layout.channels)) % rank == rank - 1
        return bool(attrs.scale and attrs.center) and last
    return [int(axis) % rank for axis in attrs.axes] == [rank - 1]


def _along_last(call: relax.Call) -> bool:
    """Whether a reduction is over the last axis, which it keeps."""
    return _kept_axis(call) == len(shape_of(call.args[0]) or ()) - 1


def _kept_axis(call: relax.Call) -> int | None:
    """The only axis of a reduction that keeps it."""
    rank = len(shape_of(call.args[0]) or ())
    axes: Sequence[int] = [] if call.attrs.axis is None else [int(axis) % rank for axis in call.attrs.axis]
    return axes[0] if call.attrs.keepdims and len(axes) == 1 else None
