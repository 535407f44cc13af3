"""Sizes that an operator needs to be equal, where open dimensions have to be tied for that."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import tvm
from tvm import relax, tirx

from tvm_directconv.problem.extents import operand_of
from tvm_directconv.problem.open_sizes import active_sizes, sizes_of

Shape = Sequence[Any]


def tie_sizes(expr: relax.Expr, ty: tvm.ir.Type) -> None:
    """Raise ModelError where a call of an operator needs sizes to be equal that are not known to be, and are
    so with the ties that are ``found`` in the open sizes."""
    sizes = active_sizes()
    if sizes is None or type(expr) is not relax.Call or not isinstance(expr.op, tvm.ir.Op):
        return
    if not isinstance(ty, relax.TensorType):
        return
    is_reshape = expr.op.name == "relax.reshape"
    if is_reshape != isinstance(ty.shape, relax.ShapeExpr):  # sizes of others are known to be right
        return
    fields = itertools.chain(*(arg.fields if isinstance(arg, relax.Tuple) else [arg] for arg in expr.args))
    types = [field.ty for field in fields if isinstance(field.ty, relax.TensorType)]
    shapes = [sizes_of(each.shape.values[:]) for each in types if isinstance(each.shape, relax.ShapeExpr)]
    known = [shape for shape in shapes if shape is not None]
    if len(known) < len(types):
        return
    if not is_reshape:
        sizes.demand(list(_equal(expr, known)))
    elif (result := sizes_of(ty.shape.values[:])) is not None:
        whole, parts = math.prod(known[0]), math.prod(result)
        if whole != parts:
            sizes.demand([(whole, parts)])
            sizes.decide(tirx.EQ(operand_of(whole), operand_of(parts)))


def _equal(call: relax.Call, shapes: Sequence[Shape]) -> Iterator[tuple[Any, Any]]:
    """The pairs of sizes that the operator needs to be equal."""
    if call.op.name == "relax.concat":
        axis = int(call.attrs.axis) % len(shapes[0])
        for shape in shapes[1:]:
            yield from (pair for at, pair in enumerate(zip(shapes[0], shape, strict=True)) if at != axis)
    elif call.op.name == "relax.matmul":
        a, b = shapes
        yield a[-1], b[-2] if len(b) > 1 else b[-1]
        yield from _broadcast(a[:-2], b[:-2])
    elif call.attrs is None and len(shapes) == len(call.args):
        for a, b in itertools.combinations(shapes, 2):
            yield from _broadcast(a, b)


def _broadcast(a: Shape, b: Shape) -> Iterator[tuple[Any, Any]]:
    """The pairs of sizes of operands that are broadcast; 1 is equal to any."""
    for left, right in zip(reversed(a), reversed(b), strict=False):
        if not (left == 1 or right == 1):
            yield left, right
