"""Rows of tensors (1, H, W, C) that are computed in blocks: ``ROWS`` is some rows of blocks below each other.

A block is a tensor of its own to every pass. Where they lie is decided when all kernels are known
(``passes/rows/place_rows.py``): blocks below each other in memory, and rows of them are a ``VIEW``.
"""

from __future__ import annotations

from collections.abc import Sequence

import tvm
from tvm import relax

from .graph import dtype_of, ints, operator_name, shape_of

ROWS, VIEW = "directconv.rows", "directconv.view"
PURE_CALL = "relax.call_pure_packed"


def rows_call(blocks: Sequence[relax.Expr], begin: int, end: int) -> relax.Call:
    """Return rows ``begin`` to before ``end`` of blocks (1, H, W, C) that lie below each other."""
    batch, _, width, channels = shape_of(blocks[0]) or ()
    kind = relax.TensorType((batch, end - begin, width, channels), dtype_of(blocks[0]))
    arguments = [relax.ExternFunc(ROWS), *blocks, relax.ShapeExpr([begin, end])]
    return relax.Call(tvm.ir.Op.get(PURE_CALL), arguments, ty_args=[kind])


def pure_view_call(tensor: relax.Expr, offset: int, kind: relax.TensorType) -> relax.Call:
    """Return what ``view_call`` does, for a graph: no effects, and nothing is placed yet."""
    arguments = [relax.ExternFunc(VIEW), tensor, relax.ShapeExpr([offset])]
    return relax.Call(tvm.ir.Op.get(PURE_CALL), arguments, ty_args=[kind])


def view_call(tensor: relax.Expr, offset: int, kind: relax.TensorType) -> relax.Call:
    """Return a tensor of that type that lies so many bytes into another one."""
    return relax.Call(relax.ExternFunc(VIEW), [tensor, relax.ShapeExpr([offset])], ty_args=[kind])


def is_call_of(value: relax.Expr, name: str) -> bool:
    """Return whether a value is a call of ``ROWS`` or ``VIEW``."""
    return isinstance(value, relax.Call) and _function(value) == name


def read_call(value: relax.Call) -> tuple[list[relax.Expr], tuple[int, ...]]:
    """Return the tensors that a call of ``ROWS`` or ``VIEW`` is given, and its numbers."""
    *tensors, numbers = list(value.args)[1 if operator_name(value) == PURE_CALL else 0 :]
    return tensors, ints(numbers.values)


def _function(call: relax.Call) -> str:
    of = call.args[0] if operator_name(call) == PURE_CALL else call.op
    return str(of.global_symbol) if isinstance(of, relax.ExternFunc) else ""
