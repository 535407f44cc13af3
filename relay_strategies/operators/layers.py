"""Convolutions and matrix products, whose kernels ``LowerConv2d`` chooses, and kernels importers write."""

from __future__ import annotations

from tvm import relax
from tvm.ir import GlobalVar

from relay_strategies.relax import te_calls
from relay_strategies.relax.calls import replaced
from relay_strategies.relax.graph import Rewriter, dtype_of, pad_value
from relay_strategies.relax.steps import FLOAT

from .clips import clipped
from .layouts import NCHW, Moves, Multiplies
from .operator import Operator


def _own_padding(rewriter: Rewriter, call: relax.Call) -> relax.Expr | None:
    """Zero padding of the map alone moves into the convolution."""
    pad = rewriter.produced(call.args[0], "relax.nn.pad")
    if pad is None or call.attrs.data_layout != NCHW or pad_value(pad) != 0.0:
        return None
    before_n, after_n, before_c, after_c, top, bottom, left, right = (int(w) for w in pad.attrs.pad_width)
    if any((before_n, after_n, before_c, after_c)) or min(top, bottom, left, right) < 0:
        return None
    padding = [int(p) for p in call.attrs.padding]
    total = [p + extra for p, extra in zip(padding, (top, left, bottom, right), strict=True)]
    return replaced(call, [pad.args[0], call.args[1]], padding=total)


def _imported_kernel(rewriter: Rewriter, call: relax.Call) -> relax.Expr | None:
    """Kernels that TVM's importer writes directly: ONNX Clip and Pad."""
    if not isinstance(call.args[0], GlobalVar):
        return None
    function = rewriter.function(call.args[0])
    clip = te_calls.clip_of(function, call)
    if clip is not None and dtype_of(clip[0]) == FLOAT:
        return clipped(rewriter, *clip)
    padding = te_calls.padding(function, call)
    if padding is None:
        return None
    widths, value = padding
    return relax.op.nn.pad(call.args[1].fields[0], widths, pad_value=value)


OPERATORS = (
    Operator(
        "relax.nn.conv2d",
        layout=Moves(names=("data_layout", "out_layout"), wanted=True),
        simplify=_own_padding,
    ),
    Operator("relax.matmul", layout=Multiplies()),
    Operator("relax.call_tir", simplify=_imported_kernel),
)
