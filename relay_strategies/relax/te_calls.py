"""Readers of the kernels that TVM's ONNX importer writes directly instead of calling a Relax operator.

It emits ONNX Clip and Pad as ``call_tir`` of a PrimFunc made by topi. A candidate is recognised by its text
and then proved: topi makes the same kernel again from the parameters found, and the two must be equal.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import tvm
import tvm_ffi
from tvm import relax, s_tir, te, tirx, topi

from intrinsics.epilogue import Clip

from .graph import dtype_of, scalar, shape_of


def clip_of(function: tirx.PrimFunc, call: relax.Call) -> tuple[relax.Expr, Clip] | None:
    """A tensor and its clip when the kernel is topi's maximum or minimum of the tensor and a scalar."""
    operands = list(call.args[1].fields)
    value = _stored_value(function)
    if not isinstance(value, tirx.Max | tirx.Min) or not operands or shape_of(operands[0]) is None:
        return None
    make = topi.maximum if isinstance(value, tirx.Max) else topi.minimum
    bound: float | None
    if len(operands) == 1 and isinstance(value.b, tirx.FloatImm):
        bound = float(value.b.value)
        same = _same_kernel(function, operands, lambda data: make(data, bound))
    elif len(operands) == 2 and shape_of(operands[1]) == ():
        bound = scalar(operands[1])
        same = _same_kernel(function, operands, make)
    else:
        return None
    if not same or bound is None or math.isnan(bound):
        return None
    return operands[0], Clip(low=bound) if make is topi.maximum else Clip(high=bound)


def padding(function: tirx.PrimFunc, call: relax.Call) -> tuple[list[int], float] | None:
    """((before, after) per axis, flattened; the value) when the kernel is topi's padding with a constant."""
    operands = list(call.args[1].fields)
    value = _stored_value(function)
    if len(operands) != 1 or not isinstance(value, tvm.ir.Call) or not str(value.op).count("if_then_else"):
        return None
    small, large = shape_of(operands[0]), tuple(int(d) for d in call.ty_args[0].shape.values)
    load, fill = value.args[1:]
    if not isinstance(fill, tirx.FloatImm | tirx.IntImm):
        return None
    if small is None or not isinstance(load, tvm.ir.TensorLoad) or len(small) != len(large):
        return None
    before = [_offset(index) for index in load.indices]
    after = [big - size - front for big, size, front in zip(large, small, before, strict=True)]
    if min(*before, *after) < 0:
        return None
    if not _same_kernel(function, operands, lambda data: topi.nn.pad(data, before, after, fill)):
        return None
    return [width for pair in zip(before, after, strict=True) for width in pair], float(fill.value)


def _offset(index: tirx.Expr) -> int:
    """``k`` of an index ``v - k``."""
    if isinstance(index, tirx.Sub) and isinstance(index.b, tirx.IntImm):
        return int(index.b.value)
    if isinstance(index, tirx.Add) and isinstance(index.b, tirx.IntImm):
        return -int(index.b.value)
    return 0


def _stored_value(function: tirx.PrimFunc) -> Any:
    """Return what a kernel of one statement stores, None for any other kernel."""
    node = function.body
    while True:
        if isinstance(node, s_tir.SBlockRealize):
            node = node.block.body
        elif isinstance(node, tirx.For):
            node = node.body
        else:
            return node.value if isinstance(node, tirx.BufferStore) else None


def _same_kernel(function: tirx.PrimFunc, operands: list[relax.Expr], make: Callable[..., te.Tensor]) -> bool:
    inputs = [
        te.placeholder(shape_of(operand) or (), dtype_of(operand), name=f"p{index}")
        for index, operand in enumerate(operands)
    ]
    again = te.create_prim_func([*inputs, make(*inputs)], index_dtype_override="int64")
    return bool(tvm_ffi.structural_equal(_bare(function), _bare(again)))


def _bare(function: tirx.PrimFunc) -> tirx.PrimFunc:
    for name in list(function.attrs.keys()) if function.attrs else []:
        function = function.without_attr(name)
    return function
