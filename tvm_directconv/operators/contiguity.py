"""Positions of a stage's elements: whether those along its axes are side by side in the tensors it
touches; and the extents of its loops, which may be open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tvm import s_tir, tirx
from tvm_ffi import structural_walk

from tvm_directconv.problem.extents import magnitude
from tvm_directconv.problem.open_sizes import active_sizes
from tvm_directconv.problem.size_text import text_of, variables_of
from tvm_directconv.runtime.size_values import evaluated

if TYPE_CHECKING:
    from .builder import Expr


def contiguous(stage: s_tir.SBlock, extents: list[int], count: int) -> bool:
    """Whether elements along the last ``count`` axes are side by side in each tensor, or one for all."""
    axes = [axis.var for axis in stage.iter_vars]
    if len(axes) != len(extents):
        return False
    for region in [*stage.reads, *stage.writes]:
        indices = [dimension.min for dimension in region.region]
        shape, last = [int(extent) for extent in region.source.shape], axes[-count:]
        others = indices if len(indices) < count else indices[:-count]
        if any(int(dimension.extent) != 1 for dimension in region.region):
            return False
        if any(mentions(index, axis) for index in others for axis in last):
            return False
        own = indices[len(others) :]
        in_order = all(index.same_as(axis) for index, axis in zip(own, last, strict=False))
        along = in_order and shape[1 - count :] == extents[1 - count :]
        if not along and any(mentions(index, axis) for index in own for axis in last):
            return False
    return True


def runs_along(stage: s_tir.SBlock, axis: tirx.Var) -> bool:
    """Whether reads that depend on ``axis`` do so in their last index, and that index is the axis itself."""
    found = False
    for region in stage.reads:
        *others, last = [dimension.min for dimension in region.region]
        if any(mentions(index, axis) for index in others):
            return False
        if mentions(last, axis):
            if not last.same_as(axis):
                return False
            found = True
    return found


def mentions(expr: Expr, variable: tirx.Var) -> bool:
    found: list[tirx.Var] = []
    structural_walk(expr, (tirx.Var, found.append))
    return any(var.same_as(variable) for var in found)


def typical_size(extent: Any) -> int:
    """An extent at typical sizes, for what changes no result."""
    sizes = active_sizes()
    known = {} if sizes is None else sizes.typical
    if not variables_of(extent) <= known.keys():
        return magnitude(extent)
    return evaluated(text_of(extent), known)


def is_known(extent: Any) -> bool:
    """Return whether an extent is a number or an expression of open dimensions."""
    try:
        return magnitude(extent) > 0
    except (KeyError, AttributeError):  # an expression that sizes are not
        return False
