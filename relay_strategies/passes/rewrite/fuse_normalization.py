"""FuseNormalization: normalizations that exporters write out, as the operators that they are.

A mean, a difference, its square, another mean, a root and a division are ``relax.nn.layer_norm``, without the
first two ``relax.nn.rms_norm``; over a vector's length they are the composite of L2 norms. Means are those
along the last axis: what was written over the channels of NCHW is there after ``ToNHWC``.
"""

from __future__ import annotations

import math

import numpy as np
import tvm_ffi
from tvm import relax
from tvm.relax.dpl import DFPattern, is_const, is_op, wildcard

from relay_strategies.operators import OPERATORS, operator_of
from relay_strategies.operators.layouts import Normalizes, reduced_axes
from relay_strategies.operators.normalization import l2_norm
from relay_strategies.relax.arithmetic_calls import ADD, DIVIDE, MULTIPLY
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


def _call(name: str, *operands: DFPattern) -> DFPattern:
    return is_op(f"relax.{name}")(*operands)


def _distances() -> DFPattern:
    """The distances from a row's mean."""
    return _call("subtract", ROW, _call("mean", ROW))


def _squares(data: DFPattern) -> DFPattern:
    return _call("multiply", data, data) | _call("power", data, is_const()) | _call("square", data)


def _quotients(data: DFPattern, root: DFPattern) -> DFPattern:
    wide = root | _call("broadcast_to", root, wildcard())
    return _call("divide", data, wide) | _call("multiply", data, _call("divide", is_const(), wide))


def _normalized(data: DFPattern, variance: DFPattern) -> DFPattern:
    total = _call("add", variance, EPSILON)
    return _quotients(data, _call("sqrt", total)) | _call("multiply", data, _call("rsqrt", total))


ROW, EPSILON = wildcard(), is_const()
SUM = _call("sum", _squares(ROW))
LENGTH = _call("clip", _call("sqrt", SUM), wildcard(), wildcard())
BY_LENGTH = _quotients(ROW, LENGTH)
CENTERED = _normalized(_distances(), _call("mean", _squares(_distances())) | _call("variance", ROW))
NOT_CENTERED = _normalized(ROW, _call("mean", _squares(ROW)))
"""These are all spellings of a normalization of rows; attributes and constants are for ``_is_one`` to see."""


class _FuseNormalization(Rewriter):
    def prepare(self) -> None:
        self._definitions = tvm_ffi.Map(self.graph.definition)
        self._variables = {value: var for var, value in self.graph.definition.items()}

    def visit(self, var: relax.Var, value: relax.Expr) -> relax.Expr | None:
        new = self.new(value)
        name, found = operator_name(value), None
        if dtype_of(var) != FLOAT or not shape_of(var):
            return new
        if name in (DIVIDE, MULTIPLY):
            found = self._normalization(value)
        if found is None and name in (MULTIPLY, ADD):
            found = self._with_parameter(value, new)
        return new if found is None or shape_of(self.builder.normalize(found)) != shape_of(var) else found

    def _normalization(self, value: relax.Call) -> relax.Expr | None:
        """Return the operator that a value spells; a centered one is first seen as such."""
        resolve = self.graph.resolve
        for pattern in (CENTERED, NOT_CENTERED, BY_LENGTH):
            parts = pattern.extract_matched_expr(value, self._definitions)
            if parts is None or not all(map(_is_one, map(resolve, parts.values()))):
                continue
            # A pattern may give what a variable is bound to, where it is written as an operand of its own.
            row = self.new(self._variables.get(parts[ROW], parts[ROW]))
            if pattern is BY_LENGTH:
                axis, clip = _kept_axis(resolve(parts[SUM])), step_of(resolve(parts[LENGTH]))
                low, high = (0.0, 0.0) if clip is None else clip[1].constants
                return None if axis is None or low <= 0 or high != math.inf else l2_norm(self, row, axis, low)
            epsilon = scalar(parts[EPSILON])
            if epsilon is None or epsilon < 0:
                continue
            ones, zeros = (make_constant(np.full(extents_of(row)[-1], value, FLOAT)) for value in (1.0, 0.0))
            if pattern is CENTERED:
                return relax.op.nn.layer_norm(row, ones, zeros, [-1], epsilon)
            return relax.op.nn.rms_norm(row, ones, [-1], epsilon)
        return None

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


def _is_one(part: relax.Expr) -> bool:
    """Whether a part of a normalization is along the last axis, a square, or divides one."""
    if operator_name(part) in ("relax.mean", "relax.variance"):
        return _kept_axis(part) == len(shape_of(part.args[0]) or ()) - 1
    if operator_name(part) == "relax.power":
        return scalar(part.args[1]) == 2.0
    return operator_name(part) != DIVIDE or constant(part.args[0]) is None or scalar(part.args[0]) == 1.0


def _kept_axis(call: relax.Call) -> int | None:
    """The only axis of a reduction that keeps it."""
    axes = reduced_axes(call.attrs, len(shape_of(call.args[0]) or (0,)))
    return axes[0] if call.attrs.keepdims and len(axes) == 1 else None
