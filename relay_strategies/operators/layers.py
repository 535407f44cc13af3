"""Convolutions and matrix products, whose kernels ``LowerConv2d`` chooses, and kernels importers write."""

from __future__ import annotations

from tvm import relax
from tvm.ir import GlobalVar

from relay_strategies.relax import te_calls
from relay_strategies.relax.calls import replaced
from relay_strategies.relax.epilogue_steps import FLOAT
from relay_strategies.relax.filters import CONVOLUTION, LAYOUTS, PRODUCT
from relay_strategies.relax.graph import Rewriter, dtype_of, ints, shape_of
from relay_strategies.relax.movement_calls import PAD, pad_value

from . import linear
from .clips import clipped
from .layouts import Moves, Multiplies
from .operator import Operator, Simplifier
from .spatial import Spatial, SpatialKind


def _own_padding(rewriter: Rewriter, call: relax.Call) -> relax.Expr | None:
    """Zero padding of the map alone moves into the convolution."""
    pad, layout = rewriter.produced(call.args[0], PAD), str(call.attrs.data_layout)
    if pad is None or pad_value(pad) != 0.0 or len(pad.attrs.pad_width) != 2 * len(layout):
        return None
    widths = ints(pad.attrs.pad_width)
    by_letter = {letter: widths[2 * axis : 2 * axis + 2] for axis, letter in enumerate(layout)}
    spatial = [letter for letter in "DHW" if letter in layout]
    if len(layout) != len(spatial) + 2 or any((*by_letter["N"], *by_letter["C"])) or min(widths) < 0:
        return None
    extra = [by_letter[letter][end] for end in (0, 1) for letter in spatial]
    total = [own + more for own, more in zip(ints(call.attrs.padding), extra, strict=True)]
    return replaced(call, [pad.args[0], call.args[1]], padding=total)


def _simplified_conv2d(rewriter: Simplifier, call: relax.Call) -> relax.Expr | None:
    """Give a convolution the padding before it, and a filter in one of ``LAYOUTS``."""
    layout = str(call.attrs.kernel_layout)
    if layout not in LAYOUTS and sorted(layout) == sorted(LAYOUTS[0]):
        axes = [layout.find(letter) for letter in LAYOUTS[0]]
        moved = rewriter.emit(rewriter.simplified(relax.op.permute_dims(call.args[1], axes)))
        call = replaced(call, [call.args[0], moved], kernel_layout=LAYOUTS[0])
        padded = _own_padding(rewriter, call)
        return call if padded is None else padded
    return _own_padding(rewriter, call)


def _simplified_product(rewriter: Rewriter, call: relax.Call) -> relax.Expr | None:
    """A product with a vector is one with a matrix of one row or column; one of no terms is of zeros."""
    shapes, result = [shape_of(argument) for argument in call.args], shape_of(call)
    if result is not None and shapes[0] is not None and shapes[0][-1] == 0:
        return relax.op.zeros(result, dtype_of(call))
    if result is None or any(shape is None for shape in shapes) or all(len(s or ()) != 1 for s in shapes):
        return None
    made = []
    for argument, shape, wide in zip(call.args, shapes, ((1, -1), (-1, 1)), strict=True):
        is_vector = shape is not None and len(shape) == 1
        made.append(rewriter.emit(relax.op.reshape(argument, wide)) if is_vector else argument)
    product = rewriter.emit(relax.Call(call.op, made, call.attrs, call.ty_args, call.span))
    return relax.op.reshape(product, result)


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
        CONVOLUTION,
        layout=Moves(names=("data_layout", "out_layout"), wanted=True),
        simplify=_simplified_conv2d,
        spatial=Spatial(SpatialKind.CONVOLUTION, 2),
    ),
    *(
        Operator(f"relax.nn.conv{n}d", simplify=_own_padding, spatial=Spatial(SpatialKind.CONVOLUTION, n))
        for n in (1, 3)
    ),
    *(
        Operator(f"relax.nn.conv{n}d_transpose", spatial=Spatial(SpatialKind.TRANSPOSED, n))
        for n in (1, 2, 3)
    ),
    Operator(PRODUCT, layout=Multiplies(), simplify=_simplified_product, linear=linear.matmul),
    Operator("relax.call_tir", simplify=_imported_kernel),
)
